/*
 * bench_noise [--json FILE] [--quick] [--strict]: terrane's noise beside what it is compared with, in one
 * process and one thread, in turn (bench_rounds.h).
 *
 * Baselines, all C without intrinsics by gcc -O3 without -march, and a library:
 *
 *   plain Perlin      fBm as a competent programmer writes it (plain_perlin.h); warped: displaced by two fBm
 *   plain simplex     OpenSimplex2 fBm likewise (plain_simplex.h)
 *   plain cellular    Worley's F1, F2 and F2 - F1 over 3 x 3 cells (plain_cellular.h)
 *   libnoise          its module::Perlin
 *   document 004      its published times, table 4.1, machine 1: an overclocked Ryzen 1600, C#
 *
 * Terrane runs every recipe of bench_recipes.c with the instruction set that terrane_init(NULL) takes, and
 * two of them with every other set of this machine.
 */
#include "bench_recipes.h"
#include "bench_rounds.h"
#include "libnoise_tile.h"
#include "plain_cellular.h"
#include "plain_perlin.h"
#include "plain_simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECIPES_MAX = 48,
    OUT_FLOATS = BENCH_SAMPLES * BENCH_ZONES, /* heights, normals or weights */
    ROUNDS = 15,
    ROUNDS_QUICK = 9,
};

static const double seconds = 15.0;
static const uint64_t seed = 42;

/* Table 4.1 of document 004: heights of 252 x 252 samples, and with partition. */
static const double published_us = 98e3, published_zones_us = 212e3;

/* What methods' contexts point to. */
struct noises {
    struct plain_perlin perlin;
    struct plain_cellular cellular;
    struct terrane_recipe recipe[RECIPES_MAX];
    struct terrane_world world[RECIPES_MAX];
    struct terrane_memory memory; /* with scratch */
    uint8_t index[BENCH_SAMPLES];
    float out[OUT_FLOATS];
};

/* ---- The methods --------------------------------------------------------------------------------------- */

static void fill_perlin(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;

    plain_perlin_fill(&n->perlin, n->out, BENCH_SIDE, BENCH_SIDE, x * 256, y * 256, BENCH_OCTAVES, BENCH_CELL,
                      BENCH_AMPLITUDE_M, BENCH_GAIN);
}

static void fill_warped(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;

    plain_perlin_warp(&n->perlin, n->out, BENCH_SIDE, BENCH_SIDE, x * 256, y * 256, BENCH_OCTAVES, BENCH_CELL,
                      BENCH_AMPLITUDE_M, BENCH_GAIN, BENCH_WARP_OCTAVES, BENCH_WARP_M);
}

static void fill_simplex(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;

    plain_simplex_fill(&n->perlin, n->out, BENCH_SIDE, BENCH_SIDE, x * 256, y * 256, BENCH_OCTAVES,
                       BENCH_CELL, BENCH_AMPLITUDE_M, BENCH_GAIN);
}

static void fill_cellular(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;

    plain_cellular_fill(&n->cellular, (enum plain_feature)m->subject, n->out, BENCH_SIDE, BENCH_SIDE, x * 256,
                        y * 256, BENCH_OCTAVES, BENCH_CELL, BENCH_AMPLITUDE_M, BENCH_GAIN);
}

static void fill_libnoise(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;

    libnoise_tile_fill(n->out, BENCH_SIDE, BENCH_SIDE, x * 256, y * 256, BENCH_OCTAVES, BENCH_CELL,
                       (double)BENCH_AMPLITUDE_M, (double)BENCH_GAIN);
}

static void fill_terrane(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;
    const struct bench_recipe *row = &bench_recipes[m->subject];
    const struct terrane_world *world = &n->world[m->subject];
    /* A tile of 257 samples shares its far edges with its neighbours, one of 252 has none. */
    const int64_t apart = row->side & ~1;
    struct terrane_window window = {
        .gi = x * apart, .gj = y * apart, .step = 1, .width = row->side, .height = row->side};
    int error;

    if (row->product == BENCH_COLD) {
        window.gi = (x + y * INT64_C(7919) % 4001) * apart;
        window.gj = y * INT64_C(104729) % 5003 * apart;
    }
    if (row->product == BENCH_NORMALS)
        error = terrane_normals(world, &window, &n->memory, n->out);
    else if (row->product == BENCH_ZONE_MAP)
        error = terrane_zones(world, &window, &n->memory, n->index, n->out);
    else
        error = terrane_heights(world, &window, &n->memory, n->out);
    if (error != 0)
        bench_die(m->name, terrane_error_text(error));
}

static void add_baseline(struct bench *b, struct noises *n, const char *name,
                         void (*fill)(const struct bench_method *m, int x, int y), int subject)
{
    bench_add(b,
              &(struct bench_method){.fill = fill,
                                     .context = n,
                                     .subject = subject,
                                     .samples = BENCH_SAMPLES,
                                     .octaves = BENCH_OCTAVES},
              "%s", name);
}

/* The judged set's methods have the recipe's name; others add theirs. */
static void add_terrane(struct bench *b, struct noises *n, int subject, const char *isa, bool judged)
{
    const struct bench_recipe *row = &bench_recipes[subject];
    const struct bench_method made = {.fill = fill_terrane,
                                      .isa = isa,
                                      .context = n,
                                      .subject = subject,
                                      .samples = row->side * row->side,
                                      .octaves = bench_recipe_octaves(row),
                                      .batch = row->product == BENCH_COLD ? 1 : 0};

    bench_add(b, &made, judged ? "%s" : "%s, %s", row->name, isa);
}

static void noises_make(struct noises *n)
{
    plain_perlin_init(&n->perlin, 42);
    plain_cellular_init(&n->cellular, 42, BENCH_JITTER);
    if (bench_recipes_count > RECIPES_MAX)
        bench_die("recipes", "more than expected");
    for (int k = 0; k < bench_recipes_count; k++) {
        bench_recipe_make(&n->recipe[k], &bench_recipes[k]);
        terrane_world_init(&n->world[k], &n->recipe[k], seed);
    }
    n->memory.scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    if (n->memory.scratch == NULL)
        bench_die("scratch", "out of memory");
}

static void methods_make(struct bench *b, struct noises *n)
{
    add_baseline(b, n, "plain Perlin", fill_perlin, 0);
    add_baseline(b, n, "libnoise Perlin", fill_libnoise, 0);
    add_baseline(b, n, "plain simplex", fill_simplex, 0);
    add_baseline(b, n, "plain cellular F1", fill_cellular, PLAIN_F1);
    add_baseline(b, n, "plain cellular F2", fill_cellular, PLAIN_F2);
    add_baseline(b, n, "plain cellular F2 - F1", fill_cellular, PLAIN_EDGE);
    add_baseline(b, n, "plain Perlin warped", fill_warped, 0);
    for (int k = 0; k < bench_recipes_count; k++)
        add_terrane(b, n, k, terrane_isa_usable(0), true);
    const char *isa;
    for (int k = 1; (isa = terrane_isa_usable(k)) != NULL; k++)
        for (int subject = 0; subject < 2; subject++)
            add_terrane(b, n, subject, isa, false);
}

/* ---- The checks: nobody is measured at work that was not done ------------------------------------------ */

static void check_plausible(const struct noises *n, const char *name, int count, double least_m)
{
    double sum = 0.0, squares = 0.0;

    for (int i = 0; i < count; i++) {
        sum += (double)n->out[i];
        squares += (double)n->out[i] * (double)n->out[i];
    }
    const double deviation = sqrt(squares / count - (sum / count) * (sum / count));
    /* Not "<": a NaN must fail, too. */
    if (!(deviation > least_m && deviation < 2000.0))
        bench_die(name, "implausible deviation of heights");
}

static void methods_check(struct bench *b, struct noises *n)
{
    if (terrane_init(NULL) != 0 || strcmp(terrane_isa(), terrane_isa_usable(0)) != 0)
        bench_die("terrane_init(NULL)", "does not take the first usable instruction set");
    for (int k = 0; k < b->methods; k++) {
        const struct bench_method *m = &b->method[k];
        const bool terrane = m->isa != NULL;
        if (terrane && strcmp(m->isa, terrane_isa()) != 0)
            continue;
        m->fill(m, 3, -7);
        /* Normals and weights are below 1; the default recipe has plains. */
        const bool heights = !terrane || bench_recipes[m->subject].product == BENCH_HEIGHTS;
        check_plausible(n, m->name, m->samples,
                        heights && !(terrane && bench_recipes[m->subject].octaves == 0) ? 20.0 : 0.1);
    }
}

/* ---- The lines that a pass line judges ----------------------------------------------------------------- */

static void lines_make(struct bench *b)
{
    static const struct {
        const char *over, *under;
        double limit;
        bool at_least;
    } ratios[] = {
        {"plain Perlin", "zero-gradient fBm", 40.0, true},
        {"plain Perlin", "zero-gradient C1 fBm", 40.0, true},
        {"libnoise Perlin", "zero-gradient fBm", 120.0, true},
        {"Perlin S5 fBm", "zero-gradient fBm", 2.5, false},
        {"plain simplex", "simplex fBm", 4.0, true},
        {"plain cellular F1", "cellular F1 fBm", 4.0, true},
        {"plain cellular F2", "cellular F2 fBm", 4.0, true},
        {"plain cellular F2 - F1", "cellular F2 - F1 fBm", 4.0, true},
        {"plain Perlin warped", "Perlin S5 warped", 4.0, true},
        {"plain Perlin", "simplex fBm", 5.0, true},
        {"plain Perlin", "Perlin S5 warped", 4.3, true},
        {"zero-gradient billow", "zero-gradient fBm", 3.0, false},
        {"zero-gradient ridged", "zero-gradient fBm", 3.0, false},
        {"zero-gradient IQ", "zero-gradient fBm", 3.0, false},
        {"zero-gradient multifractal", "zero-gradient fBm", 3.0, false},
        {"Perlin S5 billow", "Perlin S5 fBm", 3.0, false},
        {"Perlin S5 ridged", "Perlin S5 fBm", 3.0, false},
        {"Perlin S5 IQ", "Perlin S5 fBm", 3.0, false},
        {"Perlin S5 multifractal", "Perlin S5 fBm", 3.0, false},
    };
    char what[72];

    for (size_t k = 0; k < sizeof ratios / sizeof ratios[0]; k++) {
        snprintf(what, sizeof what, "%s / %s", ratios[k].over, ratios[k].under);
        bench_line_ratio(b, what, bench_find(b, ratios[k].over), bench_find(b, ratios[k].under),
                         ratios[k].limit, ratios[k].at_least);
    }
    bench_line_time(b, "default recipe, cold tile", bench_find(b, "default recipe, cold"), 1000.0);
    bench_line_value(b, "document 004's heights, 98 ms / terrane",
                     published_us / bench_find(b, "document 004, 252 x 252, 7 octaves")->median_us, 300.0,
                     true);
    bench_line_value(b, "document 004's heights with partition, 212 ms / terrane",
                     published_zones_us / bench_find(b, "document 004, ... in 4 zones")->median_us, 300.0,
                     true);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static struct noises noises;
    const struct bench_options options = bench_options_read(argc, argv);

    noises_make(&noises);
    methods_make(&bench, &noises);
    methods_check(&bench, &noises);
    bench_run(&bench, options.quick ? ROUNDS_QUICK : ROUNDS, options.quick ? 0.0 : seconds);
    lines_make(&bench);
    printf("Noise: %d x %d samples, %d octaves, first cell %d samples, unless said; one thread, %s, %d "
           "rounds\n\n",
           BENCH_SIDE, BENCH_SIDE, BENCH_OCTAVES, BENCH_CELL, terrane_isa_usable(0), bench.rounds);
    bench_print_methods(&bench);
    free(noises.memory.scratch);
    return bench_report(&bench, &options);
}
