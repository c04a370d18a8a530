#include "bench_recipes.h"

#include "bench_rounds.h"

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

/* fBm displaced by two fBm of fewer octaves, as plain_perlin_warp has it. */
static void build_warped(struct terrane_recipe *recipe, const struct bench_recipe *row)
{
    const int east = add_fractal(recipe, TERRANE_FBM, row->base, BENCH_WARP_OCTAVES, BENCH_CELL, 1.0f);
    const int south = add_fractal(recipe, TERRANE_FBM, row->base, BENCH_WARP_OCTAVES, BENCH_CELL, 1.0f);
    const int index = add_fractal(recipe, row->kind, row->base, row->octaves, BENCH_CELL, BENCH_AMPLITUDE_M);
    struct terrane_fractal *fractal = &recipe->term[index].fractal;

    fractal->warp_term[0] = east;
    fractal->warp_term[1] = south;
    fractal->warp_m = BENCH_WARP_M;
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
 * Bands of one octave of noise. Document 004 wants its frequency very low; cells of two tiles give every
 * other tile or more a transition, so that the blending is paid for.
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

const struct bench_recipe bench_recipes[] = {
    {"zero-gradient fBm", build_one, TERRANE_FBM, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 fBm", build_one, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"value fBm", build_one, TERRANE_FBM, TERRANE_VALUE, BENCH_HEIGHTS, 8, 257},
    {"zero-gradient C1 fBm", build_one, TERRANE_FBM, TERRANE_POLYNOMIAL_C1, BENCH_HEIGHTS, 8, 257},
    {"Perlin S3 fBm", build_one, TERRANE_FBM, TERRANE_PERLIN3, BENCH_HEIGHTS, 8, 257},
    {"D2M1N3 fBm", build_one, TERRANE_FBM, TERRANE_HERMITE, BENCH_HEIGHTS, 8, 257},
    {"simplex fBm", build_one, TERRANE_FBM, TERRANE_SIMPLEX, BENCH_HEIGHTS, 8, 257},
    {"cellular F1 fBm", build_one, TERRANE_FBM, TERRANE_CELLULAR_F1, BENCH_HEIGHTS, 8, 257},
    {"cellular F2 fBm", build_one, TERRANE_FBM, TERRANE_CELLULAR_F2, BENCH_HEIGHTS, 8, 257},
    {"cellular F2 - F1 fBm", build_one, TERRANE_FBM, TERRANE_CELLULAR_EDGE, BENCH_HEIGHTS, 8, 257},
    {"zero-gradient billow", build_one, TERRANE_BILLOW, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8, 257},
    {"zero-gradient ridged", build_one, TERRANE_RIDGED, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8, 257},
    {"zero-gradient IQ", build_one, TERRANE_IQ, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8, 257},
    {"zero-gradient multifractal", build_one, TERRANE_MULTIFRACTAL, TERRANE_POLYNOMIAL, BENCH_HEIGHTS, 8,
     257},
    {"Perlin S5 billow", build_one, TERRANE_BILLOW, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 ridged", build_one, TERRANE_RIDGED, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 double-ridged", build_one, TERRANE_DOUBLE_RIDGED, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 IQ", build_one, TERRANE_IQ, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 multifractal", build_one, TERRANE_MULTIFRACTAL, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 hybrid", build_one, TERRANE_HYBRID, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 Swiss", build_one, TERRANE_SWISS, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 Jordan", build_one, TERRANE_JORDAN, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"midpoint", build_one, TERRANE_MIDPOINT, TERRANE_VALUE, BENCH_HEIGHTS, 7, 257},
    {"midpoint smoothed", build_one, TERRANE_MIDPOINT_SMOOTHED, TERRANE_VALUE, BENCH_HEIGHTS, 7, 257},
    {"Perlin S5 warped", build_warped, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 in noise zones", build_noise_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 in Voronoi zones", build_voronoi_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"Perlin S5 in climate zones", build_climate_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 8, 257},
    {"zone map by noise", build_noise_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_ZONE_MAP, 8, 257},
    {"zone map by Voronoi", build_voronoi_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_ZONE_MAP, 8, 257},
    {"zone map by climate", build_climate_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_ZONE_MAP, 8, 257},
    {"normals of zero-gradient fBm", build_one, TERRANE_FBM, TERRANE_POLYNOMIAL, BENCH_NORMALS, 8, 257},
    {"normals of Perlin S5 fBm", build_one, TERRANE_FBM, TERRANE_PERLIN5, BENCH_NORMALS, 8, 257},
    {"normals of Perlin S5 IQ", build_one, TERRANE_IQ, TERRANE_PERLIN5, BENCH_NORMALS, 8, 257},
    {"default recipe, cold", build_default, TERRANE_FBM, TERRANE_PERLIN5, BENCH_COLD, 0, 257},
    {"document 004, 252 x 252, 7 octaves", build_one, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 7, 252},
    {"document 004, ... in 4 zones", build_noise_zones, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 7, 252},
    {"default recipe", build_default, TERRANE_FBM, TERRANE_PERLIN5, BENCH_HEIGHTS, 0, 257},
};

const int bench_recipes_count = sizeof bench_recipes / sizeof bench_recipes[0];

int bench_recipe_octaves(const struct bench_recipe *row)
{
    return row->build == build_one && row->product == BENCH_HEIGHTS ? row->octaves : 0;
}

void bench_recipe_make(struct terrane_recipe *recipe, const struct bench_recipe *row)
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
    const int error = terrane_recipe_init(recipe, NULL);
    if (error != 0)
        bench_die(row->name, terrane_error_text(error));
}
