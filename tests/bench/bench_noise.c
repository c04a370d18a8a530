/*
 * bench_noise [--json FILE] [--quick] [--strict]: heights of a 257 x 257 tile, 8 octaves, first cell 128
 * samples, one thread, terrane beside a plain Perlin loop and libnoise.
 *
 * Method. One process. A round runs every method once, in the same order, on tiles no earlier round used, so
 * that a change of clock speed or a busy neighbour meets all of them alike. A method fills a batch of tiles a
 * round, sized for some milliseconds, because one terrane tile alone would be measured with the caches the
 * method before it left. Time is CPU time of the thread. Two rounds warm up; then at least 15 rounds and 2
 * seconds. The rows that a pass line judges are ratios of medians; the median of the rounds' own ratios
 * stands beside them.
 *
 * Terrane runs with every instruction set this machine has; the first, which terrane_init(NULL) takes, is
 * judged. Its sets are also compared with each other: a difference of one bit ends the run with an error.
 */
#define _POSIX_C_SOURCE 200809L

#include "../../lib/terrane.h"
#include "libnoise_tile.h"
#include "plain_perlin.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SIDE = 257,
    SAMPLES = SIDE * SIDE,
    OCTAVES = 8,
    CELL_LOG2 = 7,
    WARM_ROUNDS = 2,
    ROUNDS_MIN = 15,
    ROUNDS_MAX = 1000,
    ISAS_MAX = 8,
    METHODS_MAX = 2 + 2 * ISAS_MAX,
    TERRANE_BATCH = 16,
};

static const float amplitude_m = 1000.0f;
static const float gain = 0.48f;

struct bench;

struct method {
    char name[48];
    void (*fill)(struct bench *b, const struct method *m, int x, int y); /* tile (x, y) into b->tile */
    const char *isa;                                                     /* NULL: not terrane */
    enum terrane_base base;
    int batch;                  /* tiles a round */
    double time_us[ROUNDS_MAX]; /* per tile, one entry a round */
    double median_us, minimum_us;
};

struct bench {
    struct plain_perlin plain;
    struct terrane_world world[TERRANE_BASES];
    void *scratch;
    float *tile;
    int rounds;
    int methods;
    struct method method[METHODS_MAX];
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_noise: %s\n", what);
    exit(1);
}

static double clock_us(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        die("no clock");
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- The methods --------------------------------------------------------------------------------------- */

static void fill_plain(struct bench *b, const struct method *m, int x, int y)
{
    (void)m;
    plain_perlin_fill(&b->plain, b->tile, SIDE, SIDE, x * 256, y * 256, OCTAVES, (float)(1 << CELL_LOG2),
                      amplitude_m, gain);
}

static void fill_libnoise(struct bench *b, const struct method *m, int x, int y)
{
    (void)m;
    libnoise_tile_fill(b->tile, SIDE, SIDE, x * 256, y * 256, OCTAVES, (double)(1 << CELL_LOG2),
                       (double)amplitude_m, (double)gain);
}

static void fill_terrane(struct bench *b, const struct method *m, int x, int y)
{
    struct terrane_window window;

    if (terrane_window_tile(&window, 0, x, y, SIDE) != 0 ||
        terrane_heights(&b->world[m->base], &window, b->scratch, b->tile) != 0)
        die("terrane refuses the tile");
}

static void add_baseline(struct bench *b, const char *name,
                         void (*fill)(struct bench *, const struct method *, int, int), int batch)
{
    struct method *m = &b->method[b->methods++];

    snprintf(m->name, sizeof m->name, "%s", name);
    m->fill = fill;
    m->batch = batch;
}

static void add_terrane(struct bench *b, const char *name, enum terrane_base base, const char *isa)
{
    struct method *m = &b->method[b->methods++];

    snprintf(m->name, sizeof m->name, "terrane %s, %s", name, isa);
    m->fill = fill_terrane;
    m->isa = isa;
    m->base = base;
    m->batch = TERRANE_BATCH;
}

static void world_make(struct terrane_world *world, enum terrane_base base, int octaves)
{
    struct terrane_recipe recipe = {
        .spacing_m = 1.0,
        .alias_octaves = 1, /* the eighth octave's cell is one sample */
        .low_m = -4096.0f,
        .high_m = 4096.0f,
        .base = {.base = base,
                 .salt = 1,
                 .octaves = octaves,
                 .cell_log2 = CELL_LOG2,
                 .amplitude_m = amplitude_m,
                 .gain = gain},
        .partition = {.zones = 1},
    };
    int error = terrane_world_init(world, &recipe, 42);

    if (error != 0)
        die(terrane_error_text(error));
}

/* Fills the list of methods: the baselines first, then each instruction set with both noises. */
static void bench_prepare(struct bench *b)
{
    plain_perlin_init(&b->plain, 42);
    world_make(&b->world[TERRANE_POLYNOMIAL], TERRANE_POLYNOMIAL, OCTAVES);
    world_make(&b->world[TERRANE_PERLIN5], TERRANE_PERLIN5, OCTAVES);
    b->scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, (terrane_scratch_bytes() + TERRANE_SCRATCH_ALIGN - 1) /
                                                          TERRANE_SCRATCH_ALIGN * TERRANE_SCRATCH_ALIGN);
    b->tile = malloc(SAMPLES * sizeof *b->tile);
    if (b->scratch == NULL || b->tile == NULL)
        die("out of memory");

    add_baseline(b, "plain Perlin loop", fill_plain, 2);
    add_baseline(b, "libnoise Perlin", fill_libnoise, 1);
    const char *isa;
    for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++) {
        if (k == ISAS_MAX)
            die("more instruction sets than expected");
        add_terrane(b, "zero-gradient", TERRANE_POLYNOMIAL, isa);
        add_terrane(b, "Perlin S5", TERRANE_PERLIN5, isa);
    }
    if (terrane_init(NULL) != 0 || strcmp(terrane_isa(), b->method[2].isa) != 0)
        die("terrane_init(NULL) does not take the first usable instruction set");
}

/* ---- The checks: nobody is measured at work that was not done ------------------------------------------ */

static void check_plausible(const struct bench *b, const char *name)
{
    double sum = 0.0, squares = 0.0;

    for (int i = 0; i < SAMPLES; i++) {
        sum += (double)b->tile[i];
        squares += (double)b->tile[i] * (double)b->tile[i];
    }
    double deviation = sqrt(squares / SAMPLES - (sum / SAMPLES) * (sum / SAMPLES));
    /* Not "<": a NaN must fail, too. */
    if (!(deviation > 20.0 && deviation < 2000.0)) {
        fprintf(stderr, "bench_noise: %s: standard deviation %g m\n", name, deviation);
        exit(1);
    }
}

/* The last octave is summed: without it the tile is another. (Perlin's is 0 on whole samples, in every
 * library.) */
static void check_octaves(struct bench *b)
{
    static float less[SAMPLES];
    struct terrane_world world;
    struct terrane_window window;

    world_make(&world, TERRANE_POLYNOMIAL, OCTAVES - 1);
    if (terrane_window_tile(&window, 0, 3, -7, SIDE) != 0 ||
        terrane_heights(&world, &window, b->scratch, less) != 0)
        die("terrane refuses the tile");
    fill_terrane(b, &b->method[2], 3, -7);
    int equal = 0;
    for (int i = 0; i < SAMPLES; i++)
        equal += less[i] == b->tile[i];
    if (equal > SAMPLES / 100)
        die("terrane does not sum its last octave");
}

static void bench_check(struct bench *b)
{
    static float first[TERRANE_BASES][SAMPLES];

    check_octaves(b);
    for (int k = 0; k < b->methods; k++) {
        const struct method *m = &b->method[k];
        if (m->isa != NULL && terrane_init(m->isa) != 0)
            die("an instruction set listed as usable is refused");
        m->fill(b, m, 3, -7);
        check_plausible(b, m->name);
        if (m->isa == NULL)
            continue;
        if (k < 4)
            memcpy(first[m->base], b->tile, sizeof first[0]);
        else if (memcmp(first[m->base], b->tile, sizeof first[0]) != 0)
            die("two instruction sets differ");
    }
}

/* ---- The rounds ---------------------------------------------------------------------------------------- */

/* Fills a batch; returns CPU microseconds a tile. No two rounds share a tile. */
static double method_time_us(struct bench *b, const struct method *m, int round)
{
    if (m->isa != NULL && terrane_init(m->isa) != 0)
        die("terrane_init");
    double start = clock_us(CLOCK_THREAD_CPUTIME_ID);
    for (int k = 0; k < m->batch; k++)
        m->fill(b, m, k - m->batch / 2, round);
    return (clock_us(CLOCK_THREAD_CPUTIME_ID) - start) / m->batch;
}

static void bench_run(struct bench *b, double seconds)
{
    for (int round = 0; round < WARM_ROUNDS; round++)
        for (int k = 0; k < b->methods; k++)
            method_time_us(b, &b->method[k], ROUNDS_MAX + round);

    double start = clock_us(CLOCK_MONOTONIC);
    for (b->rounds = 0; b->rounds < ROUNDS_MAX; b->rounds++) {
        if (b->rounds >= ROUNDS_MIN && clock_us(CLOCK_MONOTONIC) - start >= seconds * 1e6)
            break;
        for (int k = 0; k < b->methods; k++)
            b->method[k].time_us[b->rounds] = method_time_us(b, &b->method[k], b->rounds);
    }
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[ROUNDS_MAX];

    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_double);
    return count % 2 != 0 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

static void bench_summarise(struct bench *b)
{
    for (int k = 0; k < b->methods; k++) {
        struct method *m = &b->method[k];
        m->median_us = median(m->time_us, b->rounds);
        m->minimum_us = m->time_us[0];
        for (int i = 1; i < b->rounds; i++)
            m->minimum_us = m->time_us[i] < m->minimum_us ? m->time_us[i] : m->minimum_us;
    }
}

/* ---- The report ---------------------------------------------------------------------------------------- */

struct line {
    const char *what;
    const struct method *over, *under;
    double limit;
    bool at_least; /* else at most */
};

static double line_ratio(const struct line *line)
{
    return line->over->median_us / line->under->median_us;
}

/* Median of the ratios round by round. */
static double line_ratio_paired(const struct line *line, int rounds)
{
    double ratios[ROUNDS_MAX];

    for (int i = 0; i < rounds; i++)
        ratios[i] = line->over->time_us[i] / line->under->time_us[i];
    return median(ratios, rounds);
}

static bool line_passes(const struct line *line)
{
    return line->at_least ? line_ratio(line) >= line->limit : line_ratio(line) <= line->limit;
}

static double ns_per_sample_octave(const struct method *m)
{
    return m->median_us * 1e3 / ((double)SAMPLES * OCTAVES);
}

static void print_table(const struct bench *b, const struct line *lines, int count)
{
    printf("Heights: %d x %d samples, %d octaves, first cell %d samples, one thread, %d rounds in turn\n\n",
           SIDE, SIDE, OCTAVES, 1 << CELL_LOG2, b->rounds);
    printf("  %-34s %10s %10s  %s\n", "", "median", "minimum", "ns a sample and octave");
    for (int k = 0; k < b->methods; k++)
        printf("  %-34s %7.1f us %7.1f us  %.3f\n", b->method[k].name, b->method[k].median_us,
               b->method[k].minimum_us, ns_per_sample_octave(&b->method[k]));
    printf("\n  %-50s %9s %9s  %s\n", "what", "measured", "by round", "pass line");
    for (int k = 0; k < count; k++)
        printf("  %-50s %9.2f %9.2f  %s %-8g %s\n", lines[k].what, line_ratio(&lines[k]),
               line_ratio_paired(&lines[k], b->rounds), lines[k].at_least ? ">=" : "<=", lines[k].limit,
               line_passes(&lines[k]) ? "ok" : "MISS");
}

static int write_json(const char *path, const struct bench *b, const struct line *lines, int count)
{
    FILE *f = fopen(path, "w");

    if (f == NULL)
        return -1;
    fprintf(f, "{\"side\": %d, \"octaves\": %d, \"cell_log2\": %d, \"rounds\": %d, \"isa\": \"%s\",\n", SIDE,
            OCTAVES, CELL_LOG2, b->rounds, b->method[2].isa);
    fprintf(f, " \"methods\": [");
    for (int k = 0; k < b->methods; k++)
        fprintf(f, "%s\n  {\"name\": \"%s\", \"median_us\": %.3f, \"minimum_us\": %.3f, \"ns\": %.4f}",
                k > 0 ? "," : "", b->method[k].name, b->method[k].median_us, b->method[k].minimum_us,
                ns_per_sample_octave(&b->method[k]));
    fprintf(f, "],\n \"rows\": [");
    for (int k = 0; k < count; k++)
        fprintf(f,
                "%s\n  {\"what\": \"%s\", \"measured\": %.4f, \"by_round\": %.4f, \"pass\": \"%s %g\", "
                "\"ok\": %s}",
                k > 0 ? "," : "", lines[k].what, line_ratio(&lines[k]),
                line_ratio_paired(&lines[k], b->rounds), lines[k].at_least ? ">=" : "<=", lines[k].limit,
                line_passes(&lines[k]) ? "true" : "false");
    fprintf(f, "]}\n");
    const int failed = ferror(f);
    return fclose(f) != 0 || failed ? -1 : 0;
}

struct options {
    const char *json; /* NULL: no file */
    bool quick, strict;
};

static void options_read(struct options *options, int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--quick") == 0)
            options->quick = true;
        else if (strcmp(argv[k], "--strict") == 0)
            options->strict = true;
        else if (strcmp(argv[k], "--json") == 0 && k + 1 < argc)
            options->json = argv[++k];
        else
            die("usage: bench_noise [--json FILE] [--quick] [--strict]");
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct bench *b = &bench;
    struct options options = {.json = NULL};

    options_read(&options, argc, argv);
    bench_prepare(b);
    bench_check(b);
    bench_run(b, options.quick ? 0.0 : 2.0);
    bench_summarise(b);

    const struct line lines[] = {
        {"plain Perlin loop / terrane zero-gradient", &b->method[0], &b->method[2], 25.0, true},
        {"libnoise / terrane zero-gradient", &b->method[1], &b->method[2], 120.0, true},
        {"terrane Perlin S5 / terrane zero-gradient", &b->method[3], &b->method[2], 2.5, false},
    };
    const int count = sizeof lines / sizeof lines[0];
    bool all = true;

    for (int k = 0; k < count; k++)
        all = all && line_passes(&lines[k]);
    print_table(b, lines, count);
    if (options.json != NULL && write_json(options.json, b, lines, count) != 0)
        die("cannot write the JSON file");
    free(b->scratch);
    free(b->tile);
    return options.strict && !all ? 2 : 0;
}
