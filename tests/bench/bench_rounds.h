/*
 * Measuring in turn: what the benchmarks share.
 *
 * A round runs every method once, in the same order, so that a change of clock speed or a busy neighbour
 * meets all of them alike, on tiles no earlier round used. A method fills a batch of tiles a round, as many
 * as take some milliseconds, because one tile alone would be measured with the caches the method before it
 * left; a method whose question is just that has a batch of one. Time is CPU time of the thread. Two rounds
 * warm up and size the batches.
 *
 * A line compares: a ratio of two methods' medians (beside it the median of the rounds' own ratios), or a
 * time.
 */
#ifndef TERRANE_BENCH_ROUNDS_H
#define TERRANE_BENCH_ROUNDS_H

#include <stdbool.h>
#include <stdio.h>

enum {
    BENCH_ROUNDS_MAX = 400,
    BENCH_METHODS_MAX = 96,
    BENCH_LINES_MAX = 48,
};

struct bench_method {
    char name[64];
    /* Fills tile (x, y) of the method's own making. */
    void (*fill)(const struct bench_method *m, int x, int y);
    const char *isa; /* terrane's instruction set; NULL: not terrane */
    void *context;   /* borrowed; with subject, what fill reads as it likes */
    int subject;
    int samples;                      /* of a tile */
    int octaves;                      /* 0: no time a sample and octave is given */
    int batch;                        /* tiles a round; 0: sized by the warm-up */
    double time_us[BENCH_ROUNDS_MAX]; /* per tile, one entry a round */
    double median_us, minimum_us, maximum_us;
};

struct bench_line {
    char what[72];
    const char *unit;
    double measured, by_round, limit;
    bool at_least; /* else at most */
};

struct bench {
    int rounds, methods, lines;
    struct bench_method method[BENCH_METHODS_MAX];
    struct bench_line line[BENCH_LINES_MAX];
};

/* Ends the program with a message. */
_Noreturn void bench_die(const char *what, const char *detail);

/* Memory as the library wants it, zeroed: never NULL. A call that must not fail. */
void *bench_memory(size_t bytes);
void bench_need(const char *what, int error);

/* What the command line asks for; ends the program where it is none. */
struct bench_options {
    const char *json; /* NULL: no file */
    bool quick, strict;
};
struct bench_options bench_options_read(int argc, char **argv);

/* CPU time of this thread; time that passes. */
double bench_cpu_us(void);
double bench_wall_us(void);

double bench_median(const double *values, int count);

/* Adds a copy of *made, which still borrows isa and context; the name is printed from format. */
void bench_add(struct bench *b, const struct bench_method *made, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The method of a name; there must be one. */
const struct bench_method *bench_find(const struct bench *b, const char *name);

/* At least rounds_min rounds, and more until seconds have passed. Sets rounds and each method's times. */
void bench_run(struct bench *b, int rounds_min, double seconds);

/* Adds a line: over's time by under's; a method's median time; any number. */
void bench_line_ratio(struct bench *b, const char *what, const struct bench_method *over,
                      const struct bench_method *under, double limit, bool at_least);
void bench_line_time(struct bench *b, const char *what, const struct bench_method *m, double limit_us);
void bench_line_value(struct bench *b, const char *what, double measured, double limit, bool at_least);

/* A table of methods, in microseconds. */
void bench_print_methods(const struct bench *b);

/* Prints the lines, and writes all that was measured where the options say. Returns the program's exit status. */
int bench_report(const struct bench *b, const struct bench_options *options);

#endif
