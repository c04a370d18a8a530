/*
 * Options by hand: getopt would take the minus sign of a coordinate for an option.
 */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "../tile/tile.h"

static const struct option_spec *find(const struct option_spec *specs, const char *argument,
                                      const char **value)
{
    *value = NULL;
    for (; specs->name; specs++) {
        const size_t n = strlen(specs->name);
        if (argument[0] == '-' && argument[1] && argument[1] == specs->letter && !argument[2])
            return specs;
        if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, specs->name, n) != 0)
            continue;
        if (argument[2 + n] == '=')
            *value = argument + 3 + n;
        if (argument[2 + n] == '=' || !argument[2 + n])
            return specs;
    }
    return NULL;
}

static int fail(const char *command, const char *argument, const char *what)
{
    fprintf(stderr, "terrane %s: %s: %s (see terrane %s --help)\n", command, argument, what, command);
    return -1;
}

int options_read(const char *command, int argc, char **argv, const struct option_spec *specs,
                 const char **word, int words, int *found)
{
    bool only_words = false;
    *found = 0;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i], *value;
        const bool number = argument[0] == '-' && argument[1] >= '0' && argument[1] <= '9';
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
            continue;
        }
        if (only_words || argument[0] != '-' || !argument[1] || number) {
            if (*found == words)
                return fail(command, argument, "one word too many");
            word[(*found)++] = argument;
            continue;
        }
        const struct option_spec *spec = find(specs, argument, &value);
        if (!spec)
            return fail(command, argument, "unknown option");
        if (spec->flag && value)
            return fail(command, argument, "takes no value");
        if (spec->flag) {
            *spec->flag = true;
            continue;
        }
        if (!value && i + 1 == argc)
            return fail(command, argument, "needs a value");
        *spec->value = value ? value : argv[++i];
    }
    return 0;
}

enum { HELP_COLUMNS = 100 };

/* Names with commas between them, from a column on, over as many lines as they take. */
static void print_names(const char *const *names, int count, int column)
{
    int at = column;
    for (int i = 0; i < count; i++) {
        if (!names[i])
            continue;
        const int bytes = (int)strlen(names[i]) + 2;
        if (at + bytes > HELP_COLUMNS) {
            printf(",\n%*s", column, "");
            at = column;
        } else if (i > 0) {
            fputs(", ", stdout);
        }
        at += printf("%s%s", names[i], i == 0 ? " (default)" : "") + 2;
    }
}

void options_help(const char *usage)
{
    static const struct {
        const char *word;
        const char *const *names;
        int count;
    } list[] = {{"$layers", tile_layer_name, LAYERS}, {"$formats", tile_ending_name, FORMATS}};
    const char *line = usage;
    for (const char *at = usage; *at; at++) {
        bool found = false;
        for (size_t k = 0; k < sizeof list / sizeof *list && !found; k++) {
            found = strncmp(at, list[k].word, strlen(list[k].word)) == 0;
            if (!found)
                continue;
            print_names(list[k].names, list[k].count, (int)(at - line));
            at += strlen(list[k].word) - 1;
        }
        if (!found)
            putchar(*at);
        line = *at == '\n' ? at + 1 : line;
    }
}
