/*
 * What commands share, and terrane analyze and terrane path, where a program of its own takes over, since what draws and
 * transforms is not for the server. It stands in a folder beside this one, or, installed, in ../libexec.
 */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/terrane.h"
#include "../base/text.h"
#include "../cache/disk.h"
#include "../tile/tile.h"

bool tool_is_file(const char *recipe)
{
    const size_t bytes = recipe ? strlen(recipe) : 0;
    return recipe && (strchr(recipe, '/') || (bytes > 5 && strcmp(recipe + bytes - 5, ".json") == 0));
}

int tool_init(void)
{
    const char *isa = getenv("TERRANE_ISA");
    const int error = terrane_init(isa && *isa ? isa : NULL);
    disk_take_plain_names();
    if (error == 0)
        return 0;
    fprintf(stderr, "terrane: %s%s%s; usable here:", error == TERRANE_EISA ? "TERRANE_ISA=" : "",
            error == TERRANE_EISA ? isa : terrane_error_text(error),
            error == TERRANE_EISA ? ": instruction set unknown, or not usable on this machine" : "");
    for (int k = 0; terrane_isa_usable(k); k++)
        fprintf(stderr, " %s", terrane_isa_usable(k));
    fprintf(stderr, "\n");
    return -1;
}

int analyze_command(int argc, char **argv)
{
    static const char *const place[] = {"analyze/main.py", "../libexec/terrane/main.py"};
    char self[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)argc;

    self[length > 0 ? length : 0] = 0;
    char *const slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t k = 0; slash && k < sizeof place / sizeof *place; k++) {
        snprintf(path, sizeof path, "%s/%s", self, place[k]);
        if (access(path, F_OK) != 0)
            continue;
        execv(path, argv - 2); /* the command's name is its first word */
        break;
    }
    fprintf(stderr,
            "terrane %s: %s: %s (it needs python3; `make build/analyze`, or the package terrane-analyze, has "
            "it)\n",
            argv[-1], slash ? path : "/proc/self/exe", strerror(errno));
    return 1;
}

int tool_write(const char *command, const unsigned char *data, size_t bytes, const char *path)
{
    path = path && strcmp(path, "-") != 0 ? path : NULL;
    FILE *out = path ? fopen(path, "wb") : stdout;
    if (!out) {
        fprintf(stderr, "terrane %s: %s: %s\n", command, path, strerror(errno));
        return 1;
    }
    struct stat status;
    const bool file = path && fstat(fileno(out), &status) == 0 && S_ISREG(status.st_mode);
    const bool wrote = fwrite(data, 1, bytes, out) == bytes;
    const int closed = path ? fclose(out) : fflush(stdout);
    if (wrote && closed == 0)
        return 0;
    fprintf(stderr, "terrane %s: %s: %s\n", command, path ? path : "standard output", strerror(errno));
    if (file) /* half a file helps nobody; a device stays */
        remove(path);
    return 1;
}

/* ---- Command lines ----------------------------------------------------------------------------------- */

bool word_number(const char **at, int64_t max, int64_t *value)
{
    const char *from = *at;
    *value = 0;
    for (; **at >= '0' && **at <= '9' && *value <= max; ++*at)
        *value = *value * 10 + (**at - '0');
    return *at > from && *value <= max && (*from != '0' || *at == from + 1);
}

bool word_metres(const char **at, double *value)
{
    const size_t bytes = strspn(*at, "0123456789.eE+-");
    char *end = NULL;
    *value = bytes ? strtod(*at, &end) : 0;
    if (bytes == 0 || end != *at + bytes || !isfinite(*value))
        return false;
    *at = end;
    return true;
}

bool word_skip(const char **at, char what)
{
    if (**at != what)
        return false;
    ++*at;
    return true;
}

int word_wrong(char *error, size_t error_bytes, const char *option, const char *text, const char *allowed)
{
    text_print(error, error_bytes, "%s=%.*s: %s", option, text_cut(text, 40), text, allowed);
    return -1;
}

/* By hand: getopt would take the minus sign of a coordinate for an option. */

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
    return 2;
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

/* With the names of layers and formats. */
static void print_usage(const char *usage)
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

int options_read(const char *command, const char *usage, int argc, char **argv,
                 const struct option_spec *specs, const char **word, int words, int *found)
{
    bool only_words = false, help = false;
    const struct option_spec help_spec[] = {{"help", 'h', NULL, &help}, {0}};
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
        spec = spec ? spec : find(help_spec, argument, &value);
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
    if (help)
        print_usage(usage);
    return help ? 0 : OPTIONS_FINE;
}
