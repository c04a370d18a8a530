/*
 * bench_patch [--json FILE] [--quick] [--strict]: relaxation of a patch of 257 x 257 samples, in one process and one thread,
 * in turn (bench_rounds.h).
 *
 * A path of slope 0.0035 with limits across beside it. The sequential form, in doubles, beside the parallel one, in
 * integers, of every instruction set: SWEEPS sweeps of each, from the ground as it was, and from what 4,000 iterations of
 * each had made of it. What a call does once (limits laid out, the report) is in the times of both.
 */
#include "../../tests/bench/bench_rounds.h"
#include "patch_ground_kit.h"

#include <stdio.h>

enum { SIDE = 257, SWEEPS = 100, ALONG = 4000, ROUNDS = 9, ROUNDS_QUICK = 5 };

/* Where both start, and the kit they work on. */
struct start {
    struct kit kit;
    double *heights;
    int32_t *units;
};

static void need(int error)
{
    if (error != 0)
        bench_die("patch", terrane_error_text(error));
}

static void relax(struct start *start, int64_t iterations, bool integer)
{
    struct kit *kit = &start->kit;
    struct terrane_relax_report report;
    kit->relax.iterations_max = iterations;
    if (integer)
        need(terrane_patch_relax_integer(&kit->patch, &kit->limits, &kit->relax, kit->memory, kit->units,
                                         &report));
    else
        need(terrane_patch_relax(&kit->patch, &kit->limits, &kit->relax, kit->memory, kit->heights, &report));
    if (report.how != TERRANE_RELAXED_MAX)
        bench_die("patch", "relaxed too soon to be measured");
}

static void start_make(struct start *start, int64_t along)
{
    struct kit *kit = &start->kit;
    kit_make(kit, SIDE, 1);
    kit_graph(kit, 0.0035);
    need(terrane_patch_lines(&kit->patch, &kit->graph, &kit->shape, kit->ground, kit->memory, &kit->limits,
                             NULL, NULL, 0, NULL));
    kit_start(kit);
    if (along > 0) {
        relax(start, along, false);
        relax(start, along, true);
    }
    start->heights = kit_array(kit->samples, sizeof *start->heights);
    start->units = kit_array(kit->samples, sizeof *start->units);
    memcpy(start->heights, kit->heights, kit->samples * sizeof *start->heights);
    memcpy(start->units, kit->units, kit->samples * sizeof *start->units);
}

static void fill_sequential(const struct bench_method *m, int x, int y)
{
    struct start *start = m->context;
    (void)x;
    (void)y;
    memcpy(start->kit.heights, start->heights, start->kit.samples * sizeof *start->heights);
    relax(start, SWEEPS, false);
}

static void fill_integer(const struct bench_method *m, int x, int y)
{
    struct start *start = m->context;
    (void)x;
    (void)y;
    memcpy(start->kit.units, start->units, start->kit.samples * sizeof *start->units);
    relax(start, SWEEPS, true);
}

static void methods_make(struct bench *b, struct start *first, struct start *along)
{
    for (int k = 0; k < 2; k++) {
        const char *when = k == 0 ? "at first" : "after 4,000";
        struct bench_method m = {.context = k == 0 ? first : along, .samples = SIDE * SIDE, .batch = 1};
        m.fill = fill_sequential;
        bench_add(b, &m, "100 sweeps, sequential, %s", when);
        m.fill = fill_integer;
        for (int i = 0; (m.isa = terrane_isa_usable(i)) != NULL; i++)
            bench_add(b, &m, "100 sweeps, parallel, %s, %s", m.isa, when);
    }
}

static void lines_make(struct bench *b)
{
    char name[64];
    snprintf(name, sizeof name, "100 sweeps, parallel, %s, at first", terrane_isa_usable(0));
    bench_line_ratio(b, "a sweep, sequential / parallel, at first",
                     bench_find(b, "100 sweeps, sequential, at first"), bench_find(b, name), 4, true);
    snprintf(name, sizeof name, "100 sweeps, parallel, %s, after 4,000", terrane_isa_usable(0));
    bench_line_ratio(b, "a sweep, sequential / parallel, after 4,000",
                     bench_find(b, "100 sweeps, sequential, after 4,000"), bench_find(b, name), 4, true);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static struct start first, along;
    const struct bench_options options = bench_options_read(argc, argv);

    need(terrane_init(NULL));
    start_make(&first, 0);
    start_make(&along, ALONG);
    methods_make(&bench, &first, &along);
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, 0);
    printf("Relaxation: one thread, %d x %d samples, slope 0.0035, %d rounds\n\n", SIDE, SIDE, bench.rounds);
    bench_print_methods(&bench);
    lines_make(&bench);
    return bench_report(&bench, &options);
}
