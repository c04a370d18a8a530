/*
 * The recipes of the golden digests: small ones, each about one thing. Numbers are chosen so that bands, blends and
 * zones are met inside the windows of golden.c. Included there only.
 */
#ifndef TERRANE_TESTS_GOLDEN_CASES_H
#define TERRANE_TESTS_GOLDEN_CASES_H

#include <string.h>

#include "../../lib/terrane.h"

/* How octaves are made: on the lattice; point by point; point by point and displaced by terms. */
enum case_way { CASE_LATTICE, CASE_POINTS, CASE_DISPLACED, CASE_WAYS };

enum {
    CASE_MEMBERS = 5,
    CASE_PARTITIONS = 4,
    CASE_BASES = TERRANE_CELLULAR_EDGE + 1, /* in digests of many bases: later ones have their own */
};

static const char *const case_kind_name[] = {"fbm",    "billow",       "ridged",  "double-ridged",
                                             "iq",     "multifractal", "hybrid",  "swiss",
                                             "jordan", "midpoint",     "smoothed"};
static const char *const case_partition_name[] = {"noise", "voronoi", "climate"};

static inline void case_empty(struct terrane_recipe *recipe)
{
    memset(recipe, 0, sizeof *recipe);
    recipe->spacing_m = 0.5;
    recipe->low_m = -4096;
    recipe->high_m = 4096;
    recipe->sea_m = -20;
    recipe->steep_low = 0.4f;
    recipe->steep_high = 1.1f;
    recipe->partition.zones = 1;
    recipe->partition.zone[0].term = -1;
}

/* A fractal at the end; returns its index. Cells are powers of two, or not. */
static inline int case_add(struct terrane_recipe *recipe, enum terrane_base base,
                           enum terrane_fractal_kind kind, int octaves, double cell, float amplitude_m,
                           enum case_way way)
{
    struct terrane_term term = terrane_term_fractal(kind);
    memset(term.fractal.base, (int)base, sizeof term.fractal.base);
    term.fractal.salt = (uint32_t)recipe->terms + 1;
    term.fractal.octaves = octaves;
    term.fractal.cell = way == CASE_LATTICE ? cell : cell * 1.25;
    term.fractal.lacunarity = way == CASE_POINTS ? 1.9 : 2;
    term.fractal.amplitude_m = amplitude_m;
    term.fractal.gain = 0.55f;
    if (way == CASE_DISPLACED && recipe->terms >= 2) {
        term.fractal.warp_term[0] = 0;
        term.fractal.warp_term[1] = 1;
        term.fractal.warp_m = 9.5f;
    }
    recipe->term[recipe->terms] = term;
    return recipe->terms++;
}

/* Terms 0 and 1 displace what comes after them, where it is displaced. */
static inline void case_warps(struct terrane_recipe *recipe)
{
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 2, 64, 1, CASE_LATTICE);
    case_add(recipe, TERRANE_VALUE, TERRANE_RIDGED, 2, 32, 0.6f, CASE_POINTS);
}

/* Four octaves, from cells of 64 samples to cells of 8: level 2 has two of them. */
static inline void case_fractal(struct terrane_recipe *recipe, enum terrane_base base,
                                enum terrane_fractal_kind kind, enum case_way way)
{
    case_empty(recipe);
    case_warps(recipe);
    case_add(recipe, base, kind, 4, 64, 100, way);
}

static inline void case_octave(struct terrane_recipe *recipe, enum terrane_base base, int cell_log2,
                               enum case_way way)
{
    case_empty(recipe);
    recipe->alias_octaves = 1;
    case_add(recipe, base, TERRANE_FBM, 1, (double)(1 << cell_log2), 100, way);
}

static inline void case_members(struct terrane_recipe *recipe, enum case_way way, int turn)
{
    static const float weight[CASE_MEMBERS] = {0, 4, 1, 2, 1},
                       jitter[CASE_MEMBERS] = {0, 1, 0.65f, 0.7f, 0.3f};
    case_empty(recipe);
    case_warps(recipe);
    const int t = case_add(recipe, TERRANE_VALUE, TERRANE_FBM, 10, 0x1p11, 100, way);
    struct terrane_fractal *fractal = &recipe->term[t].fractal;
    for (int i = 0; i < TERRANE_OCTAVES_MAX; i++)
        fractal->base[i] = (uint8_t)((5 + turn * 3 + i) % CASE_BASES);
    fractal->gain = 0.9f;
    fractal->weight = weight[turn];
    fractal->jitter = jitter[turn];
}

static inline void case_midpoint(struct terrane_recipe *recipe, enum terrane_fractal_kind kind)
{
    case_empty(recipe);
    case_add(recipe, TERRANE_VALUE, kind, 5, 64, 100, CASE_LATTICE);
}

static inline void case_term(struct terrane_recipe *recipe, enum terrane_op op, enum case_way way)
{
    static const float knot_x[] = {-60, -20, -18, 0, 30, 55}, knot_y[] = {-90, -30, -5, -5, 20, 120};
    struct terrane_term term = {.op = op, .offset = 3};
    case_empty(recipe);
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 3, 32, 100, way);
    case_add(recipe, TERRANE_POLYNOMIAL, TERRANE_RIDGED, 3, 64, 80, way);
    case_add(recipe, TERRANE_SIMPLEX, TERRANE_FBM, 2, 16, 1, CASE_POINTS);
    term.inputs = op == TERRANE_OP_CURVE ? 1 : 3;
    for (int k = 0; k < 3; k++) {
        term.in[k] = k;
        term.factor[k] = op == TERRANE_OP_PRODUCT ? 0.02f : 1.5f - (float)k;
    }
    term.low = -0.25f;
    term.high = 0.4f;
    term.knots = 6;
    memcpy(term.knot_x, knot_x, sizeof knot_x);
    memcpy(term.knot_y, knot_y, sizeof knot_y);
    recipe->term[recipe->terms++] = term;
}

static inline void case_gradient(struct terrane_gradient *gradient, int seed)
{
    gradient->stops = 1 + seed % 4;
    for (int k = 0; k < gradient->stops; k++) {
        gradient->stop[k].at_m = (float)(k * 70 - 90);
        for (int c = 0; c < 3; c++)
            gradient->stop[k].colour[c] = (uint8_t)(seed * 53 + k * 91 + c * 37);
    }
}

/* Turn t has t rounds, 2 + 3 t zones and narrower transitions. */
static inline void case_partition(struct terrane_recipe *recipe, enum terrane_partition_kind kind, int turn)
{
    case_empty(recipe);
    struct terrane_partition *partition = &recipe->partition;
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 4, 64, 100, CASE_LATTICE);
    case_add(recipe, TERRANE_SIMPLEX, TERRANE_BILLOW, 3, 32, 60, CASE_POINTS);
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 1, 32, 1, CASE_LATTICE);
    case_add(recipe, TERRANE_VALUE, TERRANE_FBM, 1, 64, 1, CASE_POINTS);
    recipe->term[recipe->terms++] = (struct terrane_term){.op = TERRANE_OP_ZONES};
    *partition = (struct terrane_partition){
        .kind = kind,
        .zones = 2 + 3 * turn,
        .blend = kind == TERRANE_PARTITION_NOISE     ? 0.12f
                 : kind == TERRANE_PARTITION_VORONOI ? 0.5f / (float)(1 + turn)
                                                     : 1.0f / (float)(1 + turn),
        .by = 2,
        .salt = 4,
        .cell_log2 = 6,
        .jitter = 1.0f / (float)(1 + turn),
        .rounds = turn,
        .temperature = 2,
        .moisture = 3,
        .cold = -0.8f,
        .hot = 0.7f,
        .dry = -0.6f,
        .wet = 0.9f,
        .table_rows = 1 + turn * 2,
        .table_columns = 8 - turn,
    };
    for (int z = 0; z < partition->zones; z++) {
        partition->zone[z] = (struct terrane_zone){
            .name = {(char)('a' + z)},
            .term = z % 3 - 1,
            .amplitude = 0.3f * (float)z - 0.5f,
            .offset_m = 20.0f * (float)(z - 3),
            .share = z % 4 == 3 ? 0 : 1 + (float)z,
            .colour = {(uint8_t)(z * 40), (uint8_t)(255 - z * 20), (uint8_t)(z * 90)},
        };
        if (z % 2)
            case_gradient(&partition->zone[z].ground, z);
        if (z % 3 == 1)
            case_gradient(&partition->zone[z].steep, z + 7);
        if (z + 1 < partition->zones)
            partition->threshold[z] = 0.14f * (float)(2 * z + 2 - partition->zones) / 2;
    }
    for (int k = 0; k < partition->table_rows * partition->table_columns; k++)
        partition->table[k] = (uint8_t)((k * 5 + k / 7) % partition->zones);
    case_gradient(&recipe->water, 2);
}

#endif
