#define _POSIX_C_SOURCE 200809L

#define _GNU_SOURCE     /* program_invocation_short_name */
#include "bench_rounds.h"

#include "../../lib/terrane.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WARM_ROUNDS = 2,
    BATCH_MAX = 16,
};

static const double batch_us = 3000.0;

_Noreturn void bench_die(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, detail);
    exit(1);
}

void *bench_memory(size_t bytes)
{
    const size_t all = (bytes / TERRANE_SCRATCH_ALIGN + 1) * TERRANE_SCRATCH_ALIGN;
    void *memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, all);

    if (memory == NULL)
        bench_die("memory", "there is none");
    return memset(memory, 0, all);
}

void bench_need(const char *what, int error)
{
    if (error != 0)
        bench_die(what, terrane_error_text(error));
}

struct bench_options bench_options_read(int argc, char **argv)
{
    struct bench_options options = {.json = NULL};

    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--quick") == 0)
            options.quick = true;
        else if (strcmp(argv[k], "--strict") == 0)
            options.strict = true;
        else if (strcmp(argv[k], "--json") == 0 && k + 1 < argc)
            options.json = argv[++k];
        else
            bench_die("usage", "[--json FILE] [--quick] [--strict]");
    return options;
}

static double clock_us(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        bench_die("clock_gettime", "no clock");
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

double bench_cpu_us(void)
{
    return clock_us(CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

static int compare_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const double *values, int count)
{
    double sorted[BENCH_ROUNDS_MAX];

    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_double);
    return count % 2 != 0 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

void bench_add(struct bench *b, const struct bench_method *made, const char *format, ...)
{
    if (b->methods == BENCH_METHODS_MAX)
        bench_die("methods", "more than expected");
    struct bench_method *m = &b->method[b->methods++];
    va_list arguments;

    *m = *made;
    va_start(arguments, format);
    vsnprintf(m->name, sizeof m->name, format, arguments);
    va_end(arguments);
}

const struct bench_method *bench_find(const struct bench *b, const char *name)
{
    for (int k = 0; k < b->methods; k++)
        if (strcmp(b->method[k].name, name) == 0)
            return &b->method[k];
    bench_die(name, "no such method");
}

/* ---- The rounds ---------------------------------------------------------------------------------------- */

/* Fills a batch of row `round` of tiles; returns CPU microseconds a tile. */
static double method_time_us(const struct bench_method *m, int batch, int round)
{
    if (m->isa != NULL && terrane_init(m->isa) != 0)
        bench_die(m->isa, "listed as usable, but refused");
    const double start = bench_cpu_us();
    for (int k = 0; k < batch; k++)
        m->fill(m, k - batch / 2, round);
    return (bench_cpu_us() - start) / batch;
}

static void warm_up(struct bench *b)
{
    for (int round = 0; round < WARM_ROUNDS; round++)
        for (int k = 0; k < b->methods; k++) {
            struct bench_method *m = &b->method[k];
            m->time_us[0] = method_time_us(m, 1, BENCH_ROUNDS_MAX + round);
        }
    for (int k = 0; k < b->methods; k++) {
        struct bench_method *m = &b->method[k];
        const double fits = batch_us / m->time_us[0];
        if (m->batch == 0)
            m->batch = fits < 1.0 ? 1 : fits > BATCH_MAX ? BATCH_MAX : (int)fits;
    }
}

static void summarise(struct bench_method *m, int rounds)
{
    m->median_us = bench_median(m->time_us, rounds);
    m->minimum_us = m->maximum_us = m->time_us[0];
    for (int i = 1; i < rounds; i++) {
        m->minimum_us = m->time_us[i] < m->minimum_us ? m->time_us[i] : m->minimum_us;
        m->maximum_us = m->time_us[i] > m->maximum_us ? m->time_us[i] : m->maximum_us;
    }
}

void bench_run(struct bench *b, int rounds_min, double seconds)
{
    warm_up(b);
    const double start = bench_wall_us();

    for (b->rounds = 0; b->rounds < BENCH_ROUNDS_MAX; b->rounds++) {
        if (b->rounds >= rounds_min && bench_wall_us() - start >= seconds * 1e6)
            break;
        for (int k = 0; k < b->methods; k++)
            b->method[k].time_us[b->rounds] = method_time_us(&b->method[k], b->method[k].batch, b->rounds);
    }
    for (int k = 0; k < b->methods; k++)
        summarise(&b->method[k], b->rounds);
}

/* ---- The lines ----------------------------------------------------------------------------------------- */

static void line_add(struct bench *b, const char *what, const struct bench_line *made)
{
    if (b->lines == BENCH_LINES_MAX)
        bench_die("lines", "more than expected");
    struct bench_line *line = &b->line[b->lines++];
    *line = *made;
    snprintf(line->what, sizeof line->what, "%s", what);
}

void bench_line_ratio(struct bench *b, const char *what, const struct bench_method *over,
                      const struct bench_method *under, double limit, bool at_least)
{
    double ratio[BENCH_ROUNDS_MAX];

    for (int i = 0; i < b->rounds; i++)
        ratio[i] = over->time_us[i] / under->time_us[i];
    line_add(b, what,
             &(struct bench_line){.unit = "x",
                                  .measured = over->median_us / under->median_us,
                                  .by_round = bench_median(ratio, b->rounds),
                                  .limit = limit,
                                  .at_least = at_least});
}

void bench_line_time(struct bench *b, const char *what, const struct bench_method *m, double limit_us)
{
    line_add(b, what,
             &(struct bench_line){
                 .unit = "us", .measured = m->median_us, .by_round = m->median_us, .limit = limit_us});
}

void bench_line_value(struct bench *b, const char *what, double measured, double limit, bool at_least)
{
    line_add(
        b, what,
        &(struct bench_line){
            .unit = "x", .measured = measured, .by_round = measured, .limit = limit, .at_least = at_least});
}

static bool line_passes(const struct bench_line *line)
{
    return line->at_least ? line->measured >= line->limit : line->measured <= line->limit;
}

static bool passes(const struct bench *b)
{
    for (int k = 0; k < b->lines; k++)
        if (!line_passes(&b->line[k]))
            return false;
    return true;
}

/* ---- The report ---------------------------------------------------------------------------------------- */

static double ns_per_sample_octave(const struct bench_method *m)
{
    return m->median_us * 1e3 / ((double)m->samples * m->octaves);
}

void bench_print_methods(const struct bench *b)
{
    printf("  %-46s %10s %10s %10s  %s\n", "us a tile", "median", "minimum", "maximum",
           "ns a sample and octave");
    for (int k = 0; k < b->methods; k++) {
        const struct bench_method *m = &b->method[k];
        printf("  %-46s %10.1f %10.1f %10.1f", m->name, m->median_us, m->minimum_us, m->maximum_us);
        if (m->octaves > 0)
            printf("  %.3f", ns_per_sample_octave(m));
        printf("\n");
    }
}

static void print_lines(const struct bench *b)
{
    printf("  %-58s %9s %9s     %s\n", "what", "measured", "by round", "pass line");
    for (int k = 0; k < b->lines; k++) {
        const struct bench_line *line = &b->line[k];
        printf("  %-58s %9.2f %9.2f %-2s  %s %-6g %s\n", line->what, line->measured, line->by_round,
               line->unit, line->at_least ? ">=" : "<=", line->limit, line_passes(line) ? "ok" : "MISS");
    }
}

static void write_json(const struct bench *b, FILE *f)
{
    fprintf(f, "{\"rounds\": %d, \"isa\": \"%s\",\n \"methods\": [", b->rounds, terrane_isa_usable(0));
    for (int k = 0; k < b->methods; k++) {
        const struct bench_method *m = &b->method[k];
        fprintf(f, "%s\n  {\"name\": \"%s\", \"median_us\": %.3f, \"minimum_us\": %.3f, \"maximum_us\": %.3f",
                k > 0 ? "," : "", m->name, m->median_us, m->minimum_us, m->maximum_us);
        if (m->octaves > 0)
            fprintf(f, ", \"ns\": %.4f", ns_per_sample_octave(m));
        fprintf(f, "}");
    }
    fprintf(f, "],\n \"rows\": [");
    for (int k = 0; k < b->lines; k++) {
        const struct bench_line *line = &b->line[k];
        fprintf(f,
                "%s\n  {\"what\": \"%s\", \"unit\": \"%s\", \"measured\": %.4f, \"by_round\": %.4f, "
                "\"pass\": \"%s %g\", \"ok\": %s}",
                k > 0 ? "," : "", line->what, line->unit, line->measured, line->by_round,
                line->at_least ? ">=" : "<=", line->limit, line_passes(line) ? "true" : "false");
    }
    fprintf(f, "]}\n");
}

int bench_report(const struct bench *b, const struct bench_options *options)
{
    printf("\n");
    print_lines(b);
    if (options->json != NULL) {
        FILE *f = fopen(options->json, "w");
        if (f == NULL)
            bench_die(options->json, "cannot be written");
        write_json(b, f);
        const int failed = ferror(f);
        if (fclose(f) != 0 || failed)
            bench_die(options->json, "cannot be written");
    }
    return options->strict && !passes(b) ? 2 : 0;
}
