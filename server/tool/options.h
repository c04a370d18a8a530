/*
 * Command lines: --name value, --name=value, -n value, flags, and words. A minus sign before a digit starts a
 * number, not an option: coordinates are negative half of the time.
 */
#ifndef TERRANE_SERVER_OPTIONS_H
#define TERRANE_SERVER_OPTIONS_H

#include <stdbool.h>

struct option_spec {
    const char *name;   /* without the dashes; NULL ends a table */
    char letter;        /* 0: none */
    const char **value; /* where the value goes; NULL: a flag */
    bool *flag;
};

/*
 * Reads argv[0 .. argc - 1] (without program and command names). Words go to word, at most words of them;
 * *found says how many. Returns 0, or -1 with a line on standard error, which starts with "terrane COMMAND:".
 */
int options_read(const char *command, int argc, char **argv, const struct option_spec *specs,
                 const char **word, int words, int *found);

/* Prints a usage. $layers and $formats in it become their names, the first of which is the default. */
void options_help(const char *usage);

#endif
