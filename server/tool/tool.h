/*
 * The commands of the program. Each gets what follows its name and returns the exit status: 0 done, 1 failed,
 * 2 asked wrongly.
 */
#ifndef TERRANE_SERVER_TOOL_H
#define TERRANE_SERVER_TOOL_H

int serve_command(int argc, char **argv);
int render_command(int argc, char **argv);
int bench_command(int argc, char **argv);

/* Chooses kernels as TERRANE_ISA says. Returns 0, or -1 with a line on standard error. */
int tool_init_kernels(void);

#endif
