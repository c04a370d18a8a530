/*
 * bench_noise [--json FILE] [--quick] [--strict]: terrane's noise beside what it is compared with, in one
 * process and one thread, in turn (bench_rounds.h).
 *
 * Baselines, all C without intrinsics by gcc -O3 without -march, and a library:
 *
 *   plain ...         Perlin, warped, simplex and cellular fBm (plain_noise.h)
 *   libnoise          its module::Perlin
 *
 * Where nothing else is said a recipe is 257 x 257 samples of 8 octaves, the first with cells of 128 samples, the last with
 * cells of one; 1000 m of amplitude, a gain of 0.48. Terrane runs every one with the instruction set that terrane_init(NULL) takes, and
 * two of them with every other set of this machine.
 */
#include "../../lib/terrane.h"
#include "bench_rounds.h"
#include "libnoise_tile.h"
#include "plain_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BENCH_SIDE = 257,
    BENCH_SAMPLES = BENCH_SIDE * BENCH_SIDE,
    BENCH_OCTAVES = 8,
    BENCH_CELL = 128,
    BENCH_ZONES = 4,
};

#define BENCH_AMPLITUDE_M 1000.0f
#define BENCH_GAIN        0.48f
#define BENCH_JITTER      0.65f

enum bench_product {
    BENCH_HEIGHTS,
    BENCH_COLD, /* heights, one tile a round and each far from the one before */
    BENCH_NORMALS,
    BENCH_ZONE_MAP /* index and weights */
};

struct bench_recipe {
    const char *name;
    /* Makes all but what every recipe has. */
    void (*build)(struct terrane_recipe *recipe, const struct bench_recipe *row);
    enum terrane_fractal_kind kind;
    enum terrane_base base;
    enum bench_product product;
    int octaves; /* of the fractal; 0: the recipe says itself */
};

/* ---- The terms ----------------------------------------------------------------------------------------- */

/* A fractal of one base, as all rows have it. Salts follow the terms, so that no two repeat each other. */
static int add_fractal(struct terrane_recipe *recipe, enum terrane_fractal_kind kind, enum terrane_base base,
                       int octaves, double cell, float amplitude)
{
    const int index = recipe->terms++;
    struct terrane_term *term = &recipe->term[index];

    *term = terrane_term_fractal(kind);
    for (int i = 0; i < octaves; i++)
        term->fractal.base[i] = (uint8_t)base;
    term->fractal.salt = (uint32_t)index + 1;
    term->fractal.octaves = octaves;
    term->fractal.cell = cell;
    term->fractal.amplitude_m = amplitude;
    term->fractal.gain = BENCH_GAIN;
    term->fractal.jitter = BENCH_JITTER;
    return index;
}

static void build_one(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    add_fractal(recipe, row->kind, row->base, row->octaves, BENCH_CELL, BENCH_AMPLITUDE_M);
}

static void build_default(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    (void)row;
    terrane_recipe_default(recipe);
}

/* fBm displaced by two fBm of fewer octaves, as plain_noise.h has it. */
static void build_warped(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    const int east = add_fractal(recipe, TERRANE_FBM, row->base, PLAIN_WARP_OCTAVES, BENCH_CELL, 1.0f);
    const int south = add_fractal(recipe, TERRANE_FBM, row->base, PLAIN_WARP_OCTAVES, BENCH_CELL, 1.0f);
    const int index = add_fractal(recipe, row->kind, row->base, row->octaves, BENCH_CELL, BENCH_AMPLITUDE_M);
    struct terrane_fractal *fractal = &recipe->term[index].fractal;

    fractal->warp_term[0] = east;
    fractal->warp_term[1] = south;
    fractal->warp_m = PLAIN_WARP;
}

/* ---- The partitions ------------------------------------------------------------------------------------ */

/* Zones that take one fractal by different amplitudes, and the sum of them as the height. */
static void add_zones(struct terrane_recipe *recipe, int fractal)
{
    static const float amplitudes[BENCH_ZONES] = {0.25f, 0.5f, 1.0f, 1.5f};

    recipe->partition.zones = BENCH_ZONES;
    for (int i = 0; i < BENCH_ZONES; i++)
        recipe->partition.zone[i] = (struct terrane_zone){
            .term = fractal, .amplitude = amplitudes[i], .offset_m = 10.0f * (float)i, .share = 1.0f};
    recipe->term[recipe->terms++] = (struct terrane_term){.name = "zones", .op = TERRANE_OP_ZONES};
}

/*
 * Bands of one octave of noise; cells of two tiles give every other tile or more a transition, so that the
 * blending is paid for.
 */
static void build_noise_zones(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    struct terrane_partition *partition = &recipe->partition;

    partition->by = add_fractal(recipe, TERRANE_FBM, TERRANE_PERLIN5, 1, 512.0, 1.0f);
    partition->kind = TERRANE_PARTITION_NOISE;
    partition->blend = 0.15f;
    partition->threshold[0] = -0.25f;
    partition->threshold[1] = 0.0f;
    partition->threshold[2] = 0.25f;
    add_zones(recipe, add_fractal(recipe, row->kind, row->base, row->octaves, BENCH_CELL, BENCH_AMPLITUDE_M));
}

static void build_voronoi_zones(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    struct terrane_partition *partition = &recipe->partition;

    partition->kind = TERRANE_PARTITION_VORONOI;
    partition->salt = 77;
    partition->cell_log2 = 8;
    partition->jitter = 0.9f;
    partition->rounds = 2;
    partition->blend = 0.125f;
    add_zones(recipe, add_fractal(recipe, row->kind, row->base, row->octaves, BENCH_CELL, BENCH_AMPLITUDE_M));
}

static void build_climate_zones(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    struct terrane_partition *partition = &recipe->partition;

    partition->kind = TERRANE_PARTITION_CLIMATE;
    partition->temperature = add_fractal(recipe, TERRANE_FBM, TERRANE_PERLIN5, 2, 512.0, 1.0f);
    partition->moisture = add_fractal(recipe, TERRANE_FBM, TERRANE_PERLIN5, 2, 512.0, 1.0f);
    partition->cold = partition->dry = -0.6f;
    partition->hot = partition->wet = 0.6f;
    partition->blend = 0.25f;
    partition->table_rows = partition->table_columns = 4;
    for (int i = 0; i < 16; i++)
        partition->table[i] = (uint8_t)((i + i / 4) % BENCH_ZONES);
    add_zones(recipe, add_fractal(recipe, row->kind, row->base, row->octaves, BENCH_CELL, BENCH_AMPLITUDE_M));
}

/* ---- The rows ------------------------------------------------------------------------------------------ */

static const struct bench_recipe bench_recipes[] = {
    {"zero-gradient fBm", build_one, TERRANE_FBM, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8},
    {"Perlin S5 fBm", build_one, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"value fBm", build_one, TERRANE_FBM, TERRANE_VALUE, BENCH_HEIGHTS, 8},
    {"zero-gradient C1 fBm", build_one, TERRANE_FBM, TERRANE_POLYNOMIAL_C1, BENCH_HEIGHTS, 8},
    {"Perlin S3 fBm", build_one, TERRANE_FBM, TERRANE_PERLIN3, BENCH_HEIGHTS, 8},
    {"D2M1N3 fBm", build_one, TERRANE_FBM, TERRANE_HERMITE, BENCH_HEIGHTS, 8},
    {"simplex fBm", build_one, TERRANE_FBM, TERRANE_SIMPLEX, BENCH_HEIGHTS, 8},
    {"cellular F1 fBm", build_one, TERRANE_FBM, TERRANE_CELLULAR_F1, BENCH_HEIGHTS, 8},
    {"cellular F2 fBm", build_one, TERRANE_FBM, TERRANE_CELLULAR_F2, BENCH_HEIGHTS, 8},
    {"cellular F2 - F1 fBm", build_one, TERRANE_FBM, TERRANE_CELLULAR_EDGE, BENCH_HEIGHTS, 8},
    {"zero-gradient billow", build_one, TERRANE_BILLOW, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8},
    {"zero-gradient ridged", build_one, TERRANE_RIDGED, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8},
    {"zero-gradient IQ", build_one, TERRANE_IQ, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8},
    {"zero-gradient multifractal", build_one, TERRANE_MULTIFRACTAL, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8},
    {"Perlin S5 billow", build_one, TERRANE_BILLOW, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 ridged", build_one, TERRANE_RIDGED, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 double-ridged", build_one, TERRANE_DOUBLE_RIDGED, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 IQ", build_one, TERRANE_IQ, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 multifractal", build_one, TERRANE_MULTIFRACTAL, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 hybrid", build_one, TERRANE_HYBRID, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 Swiss", build_one, TERRANE_SWISS, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 Jordan", build_one, TERRANE_JORDAN, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"midpoint", build_one, TERRANE_MIDPOINT, TERRANE_VALUE, BENCH_HEIGHTS, 7},
    {"midpoint smoothed", build_one, TERRANE_MIDPOINT_SMOOTHED, TERRANE_VALUE, BENCH_HEIGHTS, 7},
    {"Perlin S5 warped", build_warped, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 in noise zones", build_noise_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 in Voronoi zones", build_voronoi_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"Perlin S5 in climate zones", build_climate_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8},
    {"zone map by noise", build_noise_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_ZONE_MAP, 8},
    {"zone map by Voronoi", build_voronoi_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_ZONE_MAP, 8},
    {"zone map by climate", build_climate_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_ZONE_MAP, 8},
    {"normals of zero-gradient fBm", build_one, TERRANE_FBM, TERRANE_POLYNOMIAL, BENCH_NORMALS, 8},
    {"normals of Perlin S5 fBm", build_one, TERRANE_FBM, TERRANE_PERLIN5, BENCH_NORMALS, 8},
    {"normals of Perlin S5 IQ", build_one, TERRANE_IQ, TERRANE_PERLIN5, BENCH_NORMALS, 8},
    {"default recipe, cold", build_default, TERRANE_FBM, TERRANE_PERLIN5, BENCH_COLD, 0},
    {"default recipe", build_default, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 0},
};

enum { RECIPES = sizeof bench_recipes / sizeof *bench_recipes };

/* Octaves that a height is the sum of; 0 where more is made of it than that, or something else. */
static int bench_recipe_octaves(const struct bench_recipe *row)
{
    return row->build == build_one && row->product == BENCH_HEIGHTS ? row->octaves : 0;
}

static void bench_recipe_make(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    *recipe = (struct terrane_recipe){
        .spacing_m = 1.0,
        .alias_octaves = 1, /* the eighth octave's cell is one sample */
        .low_m = -8192.0f,
        .high_m = 8192.0f,
        .steep_high = 1.0f,
        .partition = {.zones = 1, .zone = {{.term = -1, .share = 1.0f}}},
    };
    row->build(recipe, row);
    bench_need(row->name, terrane_recipe_init(recipe, NULL));
}

enum {
    OUT_FLOATS = BENCH_SAMPLES * BENCH_ZONES, /* heights, normals or weights */
    ROUNDS = 15,
    ROUNDS_QUICK = 9,
};

static const double seconds = 15.0;
static const uint64_t seed = 42;

/* What methods' contexts point to. */
struct noises {
    struct plain_noise plain;
    struct terrane_recipe recipe[RECIPES];
    struct terrane_world world[RECIPES];
    struct terrane_memory memory; /* with scratch */
    uint8_t index[BENCH_SAMPLES];
    float out[OUT_FLOATS];
};

/* ---- The methods --------------------------------------------------------------------------------------- */

static void fill_plain(const struct bench_method *m, int x, int y)
{
    struct noises *n = m->context;

    plain_noise_fill(&n->plain, (enum plain_kind)m->subject, n->out, BENCH_SIDE, x * 256, y * 256,
                     BENCH_OCTAVES, BENCH_CELL, BENCH_AMPLITUDE_M, BENCH_GAIN);
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
    const int64_t apart = BENCH_SIDE - 1; /* a tile shares its far edges with its neighbours */
    struct terrane_window window = {0, x * apart, y * apart, 1, BENCH_SIDE, BENCH_SIDE};
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
    bench_need(m->name, error);
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
                                      .samples = BENCH_SAMPLES,
                                      .octaves = bench_recipe_octaves(row),
                                      .batch = row->product == BENCH_COLD ? 1 : 0};

    bench_add(b, &made, judged ? "%s" : "%s, %s", row->name, isa);
}

static void noises_make(struct noises *n)
{
    plain_noise_init(&n->plain, 42, BENCH_JITTER);
    for (int k = 0; k < RECIPES; k++) {
        bench_recipe_make(&n->recipe[k], &bench_recipes[k]);
        terrane_world_init(&n->world[k], &n->recipe[k], seed);
    }
    n->memory.scratch = bench_memory(terrane_scratch_bytes);
}

static void methods_make(struct bench *b, struct noises *n)
{
    add_baseline(b, n, "plain Perlin", fill_plain, PLAIN_PERLIN);
    add_baseline(b, n, "libnoise Perlin", fill_libnoise, 0);
    add_baseline(b, n, "plain simplex", fill_plain, PLAIN_SIMPLEX);
    add_baseline(b, n, "plain cellular F1", fill_plain, PLAIN_F1);
    add_baseline(b, n, "plain cellular F2", fill_plain, PLAIN_F2);
    add_baseline(b, n, "plain cellular F2 - F1", fill_plain, PLAIN_EDGE);
    add_baseline(b, n, "plain Perlin warped", fill_plain, PLAIN_WARPED);
    for (int k = 0; k < RECIPES; k++)
        add_terrane(b, n, k, terrane_isa_usable(0), true);
    const char *isa;
    for (int k = 1; (isa = terrane_isa_usable(k)) != NULL; k++)
        for (int subject = 0; subject < 2; subject++)
            add_terrane(b, n, subject, isa, false);
}

/* ---- The checks: nobody is measured at work that was not done ------------------------------------------ */

static void check_plausible(const struct noises *n, const char *name, int count, double min_m)
{
    double sum = 0.0, squares = 0.0;

    for (int i = 0; i < count; i++) {
        sum += (double)n->out[i];
        squares += (double)n->out[i] * (double)n->out[i];
    }
    const double deviation = sqrt(squares / count - (sum / count) * (sum / count));
    /* Not "<": a NaN must fail, too. */
    if (!(deviation > min_m && deviation < 2000.0))
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

/* What bounds those that are missed: docs/adding.md. */
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
