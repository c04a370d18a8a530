/*
 * The commands of the program. Each gets what follows its name and returns the exit status: 0 done, 1 failed,
 * 2 asked wrongly; of seed_command and analyze_command also 3, stopped by a signal.
 */
#ifndef TERRANE_SERVER_TOOL_H
#define TERRANE_SERVER_TOOL_H

#include <stdbool.h>

int serve_command(int argc, char **argv);
int render_command(int argc, char **argv);
int seed_command(int argc, char **argv);
int recipe_command(int argc, char **argv);
int analyze_command(int argc, char **argv); /* terrane path, too: by argv[-1] */
int bench_command(int argc, char **argv);
int key_command(int argc, char **argv);
int config_command(int argc, char **argv);
int health_command(int argc, char **argv);

extern const char seed_usage[]; /* what terrane seed --help says */

/* Does this name a recipe's file, not a recipe of the book: is there a slash in it, or .json at its end? NULL: no. */
bool tool_is_file(const char *recipe);

/* Chooses kernels as TERRANE_ISA says. Returns 0, or -1 with a line on standard error. */
int tool_init_kernels(void);

#endif
