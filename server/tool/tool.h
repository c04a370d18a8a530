/*
 * The commands of the program. Each gets what follows its name and returns the exit status: 0 done, 1 failed,
 * 2 asked wrongly; of seed_command, export_command and analyze_command also 3, stopped by a signal.
 */
#ifndef TERRANE_SERVER_TOOL_H
#define TERRANE_SERVER_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int serve_command(int argc, char **argv);
int render_command(int argc, char **argv);
int seed_command(int argc, char **argv);
int export_command(int argc, char **argv);
int find_command(int argc, char **argv);
int recipe_command(int argc, char **argv);
int analyze_command(int argc, char **argv); /* terrane path, too: by argv[-1] */
int bench_command(int argc, char **argv);
int model_command(int argc, char **argv);
int import_command(int argc, char **argv);
int key_command(int argc, char **argv);
int world_command(int argc, char **argv);
int config_command(int argc, char **argv);
int health_command(int argc, char **argv);

extern const char seed_usage[], export_usage[]; /* what their --help says */

/* Does this name a recipe's file, not a recipe of the book: is there a slash in it, or .json at its end? NULL: no. */
bool tool_is_file(const char *recipe);

/* At the beginning of every command: chooses kernels as TERRANE_ISA says, and names of databases are files'. Returns 0, or -1 with a line on standard error. */
int tool_init(void);

/* Writes a file, or to standard output where path is NULL or "-". Returns 0, or 1 with a line on standard error. */
int tool_write(const char *command, const unsigned char *data, size_t bytes, const char *path);

/* ---- Command lines ----------------------------------------------------------------------------------------- */

/*
 * What a value has at *at, which goes on behind it: a plain decimal without sign, up to max; a finite decimal of digits, a point and an
 * exponent, no other notation that strtod knows; a character. false: something else.
 */
bool word_number(const char **at, int64_t max, int64_t *value);
bool word_metres(const char **at, double *value);
bool word_skip(const char **at, char what);

/* "option=text: allowed" as an error. Returns -1. */
int word_wrong(char *error, size_t error_bytes, const char *option, const char *text, const char *allowed);

/*
 * --name value, --name=value, -n value, flags, and words. A minus sign before a digit starts a
 * number, not an option: coordinates are negative half of the time.
 */
struct option_spec {
    const char *name;   /* without the dashes; NULL ends a table */
    char letter;        /* 0: none */
    const char **value; /* where the value goes; NULL: a flag */
    bool *flag;
};

enum { OPTIONS_FINE = -1 };

/*
 * Reads argv[0 .. argc - 1] (without program and command names). Words go to word, at most words of them; *found says how many.
 * Returns OPTIONS_FINE, or the command's exit status: 0 for --help, with the usage on standard output, in which $layers and $formats
 * become their names, the first of which is the default; or 2 with a line on standard error, which starts with "terrane COMMAND:".
 */
int options_read(const char *command, const char *usage, int argc, char **argv,
                 const struct option_spec *specs, const char **word, int words, int *found);

#endif
