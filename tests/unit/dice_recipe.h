/*
 * Dice with a fixed seed, and recipes: plain ones to start from, and any that dice can throw. Part of
 * lib_fixture.h.
 */
#ifndef TERRANE_TESTS_DICE_RECIPE_H
#define TERRANE_TESTS_DICE_RECIPE_H

#include "unit.h"

#include <inttypes.h>
#include <math.h>

#include "../../lib/base/hash.h"
#include "../../lib/terrane.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* SplitMix64 (Steele, Lea, Flood 2014). */
struct dice {
    uint64_t state;
};

static inline uint64_t dice_bits(struct dice *dice)
{
    return hash_mix(dice->state += UINT64_C(0x9E3779B97F4A7C15));
}

/* low .. high, both included. */
static inline int64_t dice_whole(struct dice *dice, int64_t low, int64_t high)
{
    return low + (int64_t)(dice_bits(dice) % ((uint64_t)(high - low) + 1));
}

static inline int dice_int(struct dice *dice, int low, int high)
{
    return (int)dice_whole(dice, low, high);
}

static inline double dice_real(struct dice *dice, double low, double high)
{
    return low + (high - low) * ((double)(dice_bits(dice) >> 11) * 0x1p-53);
}

static inline bool dice_chance(struct dice *dice, double p)
{
    return dice_real(dice, 0, 1) < p;
}

/* One zone and a height of 0: the flattest recipe there is. As those below, it is not made canonical yet. */
static inline struct terrane_recipe recipe_flat(void)
{
    return (struct terrane_recipe){
        .spacing_m = 1,
        .low_m = -1000,
        .high_m = 1000,
        .terms = 1,
        .term = {{.name = "height", .op = TERRANE_OP_SUM}},
        .partition = {.zones = 1, .zone = {{.name = "all", .term = -1}}},
    };
}

/* A term at the end of a recipe; returns its index. */
static inline int recipe_add(struct terrane_recipe *recipe, struct terrane_term term)
{
    assert_true(recipe->terms < TERRANE_TERMS_MAX);
    recipe->term[recipe->terms] = term;
    return recipe->terms++;
}

static inline struct terrane_term term_fractal(enum terrane_fractal_kind kind, enum terrane_base base,
                                               int octaves, double cell, float amplitude_m, float gain)
{
    struct terrane_term term = terrane_term_fractal(kind);
    memset(term.fractal.base, (int)base, sizeof term.fractal.base);
    term.fractal.octaves = octaves;
    term.fractal.cell = cell;
    term.fractal.amplitude_m = amplitude_m;
    term.fractal.gain = gain;
    return term;
}

/* One sum of octaves on the lattice, nothing else. */
static inline struct terrane_recipe recipe_fractal(enum terrane_base base, int octaves, int cell_log2,
                                                   float amplitude_m, float gain)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.term[0] = term_fractal(TERRANE_FBM, base, octaves, exp2(cell_log2), amplitude_m, gain);
    return recipe;
}

/* Makes a recipe canonical and a world of it, which borrows it. */
static inline void make_world(struct terrane_world *world, struct terrane_recipe *recipe, uint64_t seed)
{
    int where;
    assert_int_equal(terrane_recipe_init(recipe, &where), 0);
    terrane_world_init(world, recipe, seed);
}

/* A recipe on its way, and about how far each term reaches, so that the next ones meet it. */
struct throw
{
    struct dice *dice;
    struct terrane_recipe *recipe;
    double reach[TERRANE_TERMS_MAX];
    int octaves; /* left */
};

/* Cells from what the octaves need up to 2^14, or huge ones; powers of two or not. Leaves octaves open. */
static inline void throw_cells(struct throw *throw, struct terrane_fractal *fractal)
{
    struct dice *dice = throw->dice;
    const double whole = exp2(dice_int(dice, 1, dice_chance(dice, 0.8) ? 14 : TERRANE_CELL_LOG2_MAX));
    fractal->cell = dice_chance(dice, 0.7) ? whole : whole < 0x1p40 ? whole * dice_real(dice, 1, 2) : whole;
    fractal->lacunarity = dice_chance(dice, 0.6) ? 2 : dice_chance(dice, 0.1) ? 8 : dice_real(dice, 1.25, 4);
    if (fractal->kind == TERRANE_MIDPOINT || fractal->kind == TERRANE_MIDPOINT_SMOOTHED) {
        fractal->cell = whole;
        fractal->lacunarity = 2;
    }
}

/* How many octaves the cells have room for. */
static inline int throw_room(const struct throw *throw, const struct terrane_fractal *fractal)
{
    const bool midpoint = fractal->kind == TERRANE_MIDPOINT || fractal->kind == TERRANE_MIDPOINT_SMOOTHED;
    const double end = throw->recipe->alias_octaves && !midpoint ? 1 : 2;
    int room = 0;
    for (double cell = fractal->cell; cell >= end && room < TERRANE_OCTAVES_MAX && room < throw->octaves;
         room++)
        cell /= fractal->lacunarity;
    return room;
}

static inline void throw_displacement(struct throw *throw, struct terrane_fractal *fractal)
{
    struct dice *dice = throw->dice;
    const int terms = throw->recipe->terms;
    double reach = 1;
    if (terms == 0 || !dice_chance(dice, 0.25))
        return;
    for (int axis = 0; axis < 2; axis++) {
        const int term = dice_int(dice, -1, terms - 1);
        fractal->warp_term[axis] = term;
        reach = term >= 0 && throw->reach[term] > reach ? throw->reach[term] : reach;
    }
    const double metres = fractal->cell * throw->recipe->spacing_m * exp2(dice_real(dice, -4, 3)) / reach;
    fractal->warp_m = (float)((metres < 0x1p20 ? metres : 0x1p20) * (dice_chance(dice, 0.5) ? 1 : -1));
}

static inline struct terrane_term throw_fractal(struct throw *throw)
{
    struct dice *dice = throw->dice;
    const bool sum = dice_chance(dice, 0.4);
    struct terrane_term term = terrane_term_fractal(
        sum ? TERRANE_FBM : (enum terrane_fractal_kind)dice_int(dice, 0, TERRANE_FRACTAL_KINDS - 1));
    struct terrane_fractal *fractal = &term.fractal;
    const bool mixed = dice_chance(dice, 0.3);
    throw_cells(throw, fractal);
    const int room = throw_room(throw, fractal);
    fractal->octaves = dice_int(dice, 1, dice_chance(dice, 0.8) && room > 5 ? 5 : room);
    throw->octaves -= fractal->octaves;
    for (int i = 0; i < TERRANE_OCTAVES_MAX; i++)
        fractal->base[i] = i && !mixed ? fractal->base[0] : (uint8_t)dice_int(dice, 0, TERRANE_BASES - 1);
    fractal->salt = (uint32_t)dice_bits(dice);
    fractal->amplitude_m = dice_chance(dice, 0.05) ? 0 : (float)exp2(dice_real(dice, -10, 15));
    fractal->gain = dice_chance(dice, 0.1) ? (float)dice_int(dice, 0, 1) : (float)dice_real(dice, 0.3, 0.9);
    fractal->weight = (float)dice_real(dice, 0, 4);
    fractal->jitter = dice_chance(dice, 0.2) ? (float)dice_int(dice, 0, 1) : (float)dice_real(dice, 0, 1);
    fractal->offset = (float)dice_real(dice, fractal->kind == TERRANE_MIDPOINT_SMOOTHED ? 0 : -2, 2);
    fractal->sharpness = (float)dice_real(dice, -4, 4);
    fractal->warp = (float)dice_real(dice, -1, 1);
    fractal->damp = (float)dice_real(dice, 0, 2);
    throw_displacement(throw, fractal);
    throw->reach[throw->recipe->terms] =
        (double)fractal->amplitude_m * (1 + 4 * (double)fractal->gain) + 0x1p-10;
    return term;
}

/* Sums and products keep to a million; of 3 inputs a sum is the least of them instead, of 6 the greatest. */
static inline struct terrane_term throw_linear(struct throw *throw)
{
    struct dice *dice = throw->dice;
    const int terms = throw->recipe->terms;
    struct terrane_term term = {.op = dice_chance(dice, 0.6) ? TERRANE_OP_SUM : TERRANE_OP_PRODUCT};
    double product = 1, sum = 0, far = 0;
    term.inputs = dice_int(dice, 0, dice_chance(dice, 0.8) && terms < 3 ? terms : TERRANE_INPUTS_MAX);
    term.offset = (float)dice_real(dice, -1, 1) * (dice_chance(dice, 0.1) ? 32768.0f : 100.0f);
    for (int k = 0; k < term.inputs; k++) {
        term.in[k] = dice_int(dice, 0, terms - 1);
        const double reach = throw->reach[term.in[k]],
                     factor = dice_real(dice, -1, 1) * (1e6 / (reach + 1e6));
        term.factor[k] = (float)factor;
        sum += fabs(factor) * reach;
        product *= reach;
        far = reach > far ? reach : far;
    }
    if (term.op == TERRANE_OP_PRODUCT) {
        term.factor[0] = (float)(dice_real(dice, -1, 1) * (1e4 / (product + 1e3)));
        sum = 1e4;
    }
    if (term.op == TERRANE_OP_SUM && term.inputs > 0 && term.inputs % 3 == 0)
        term.op = term.inputs == 3 ? TERRANE_OP_MIN : TERRANE_OP_MAX;
    const bool picks = term.op == TERRANE_OP_MIN || term.op == TERRANE_OP_MAX;
    throw->reach[terms] = picks ? far : sum + fabs((double)term.offset);
    return term;
}

static inline struct terrane_term throw_blend(struct throw *throw)
{
    struct dice *dice = throw->dice;
    const int terms = throw->recipe->terms;
    struct terrane_term term = {.op = TERRANE_OP_BLEND, .inputs = 3};
    for (int k = 0; k < 3; k++)
        term.in[k] = dice_int(dice, 0, terms - 1);
    const double *reach = throw->reach, far = reach[term.in[2]] < 0x1p18 ? reach[term.in[2]] : 0x1p18;
    term.low = (float)(far * dice_real(dice, -0.5, 0.3));
    term.high = (float)((double)term.low + far * dice_real(dice, 0.05, 0.6) + 0x1p-9);
    throw->reach[terms] = reach[term.in[0]] > reach[term.in[1]] ? reach[term.in[0]] : reach[term.in[1]];
    return term;
}

static inline struct terrane_term throw_curve(struct throw *throw)
{
    struct dice *dice = throw->dice;
    const int terms = throw->recipe->terms;
    struct terrane_term term = {.op = TERRANE_OP_CURVE, .inputs = 1, .in = {dice_int(dice, 0, terms - 1)}};
    const double reach = throw->reach[term.in[0]], far = reach < 0x1p18 ? reach : 0x1p18;
    const bool rises = dice_chance(dice, 0.5);
    term.knots = dice_int(dice, 2, TERRANE_KNOTS_MAX);
    const double step = far * 1.5 / term.knots + 0x1p-8;
    for (int k = 0; k < term.knots; k++) {
        term.knot_x[k] = (float)(step * (k - term.knots / 2 + dice_real(dice, 0, 0.7)));
        term.knot_y[k] = (float)(rises ? 100 * (k + dice_real(dice, -5, 0)) : dice_real(dice, -1000, 1000));
        if (k > 0 && dice_chance(dice, 0.3)) /* level, and two level ones beside each other */
            term.knot_y[k] = term.knot_y[k - 1];
    }
    throw->reach[terms] = 2000;
    return term;
}

static inline struct terrane_term throw_term(struct throw *throw)
{
    struct dice *dice = throw->dice;
    if (throw->recipe->terms == 0 || (throw->octaves > 0 && dice_chance(dice, 0.5)))
        return throw_fractal(throw);
    const int op = dice_int(dice, 0, 3);
    return op == 0 ? throw_blend(throw) : op == 1 ? throw_curve(throw) : throw_linear(throw);
}

static inline void throw_gradient(struct throw *throw, struct terrane_gradient *gradient)
{
    double at = dice_real(throw->dice, -1000, 100);
    gradient->stops = dice_chance(throw->dice, 0.5) ? 0 : dice_int(throw->dice, 1, TERRANE_STOPS_MAX);
    for (int k = 0; k < gradient->stops; k++) {
        gradient->stop[k].at_m = (float)at;
        at += dice_real(throw->dice, 1, 500);
        for (int c = 0; c < 3; c++)
            gradient->stop[k].colour[c] = (uint8_t)dice_bits(throw->dice);
    }
}

/* A term that does not rest on zones. */
static inline int throw_asked(struct throw *throw, int first_zoned)
{
    const int last = throw->recipe->terms - 1, late = dice_int(throw->dice, 0, last);
    const struct terrane_term *term = &throw->recipe->term[late];
    if (term->op == TERRANE_OP_FRACTAL && term->fractal.warp_term[0] < 0 && term->fractal.warp_term[1] < 0)
        return late;
    return dice_int(throw->dice, 0, first_zoned - 1);
}

/* About how far the values of a term spread that steers a partition. */
static inline double throw_spread(const struct throw *throw, int term)
{
    const double reach = throw->reach[term];
    return reach < 1 ? 1 : reach > 0x1p18 ? 0x1p18 : reach;
}

static inline void throw_noise_partition(struct throw *throw, struct terrane_partition *partition,
                                         int first_zoned)
{
    struct dice *dice = throw->dice;
    partition->by = throw_asked(throw, first_zoned);
    const double spread = throw_spread(throw, partition->by), gap = spread / partition->zones;
    partition->blend = (float)(gap * dice_real(dice, 0.05, 0.9));
    for (int k = 0; k < partition->zones - 1; k++)
        partition->threshold[k] = (float)(gap * (k + dice_real(dice, 0, 0.09)) - spread / 2);
}

static inline void throw_climate_partition(struct throw *throw, struct terrane_partition *partition,
                                           int first_zoned)
{
    struct dice *dice = throw->dice;
    partition->temperature = throw_asked(throw, first_zoned);
    partition->moisture = throw_asked(throw, first_zoned);
    partition->hot = (float)(throw_spread(throw, partition->temperature) * dice_real(dice, 0.1, 0.7));
    partition->cold = -partition->hot;
    partition->wet = (float)(throw_spread(throw, partition->moisture) * dice_real(dice, 0.1, 0.7));
    partition->dry = -partition->wet;
    partition->blend = (float)dice_real(dice, 0x1p-10, 1);
    partition->table_rows = dice_int(dice, 1, dice_chance(dice, 0.7) ? 4 : TERRANE_TABLE_MAX);
    partition->table_columns = dice_int(dice, 1, dice_chance(dice, 0.7) ? 4 : TERRANE_TABLE_MAX);
    for (int k = 0; k < partition->table_rows * partition->table_columns; k++)
        partition->table[k] = (uint8_t)dice_int(dice, 0, partition->zones - 1);
}

static inline void throw_voronoi_partition(struct throw *throw, struct terrane_partition *partition)
{
    struct dice *dice = throw->dice;
    partition->salt = (uint32_t)dice_bits(dice);
    partition->cell_log2 = dice_int(dice, 6, dice_chance(dice, 0.8) ? 12 : TERRANE_CELL_LOG2_MAX);
    partition->jitter = dice_chance(dice, 0.2) ? (float)dice_int(dice, 0, 1) : (float)dice_real(dice, 0, 1);
    partition->rounds = dice_int(dice, 0, 4);
    partition->blend = (float)dice_real(dice, 0x1p-6, 0.5);
    for (int k = 0; k < partition->zones; k++)
        partition->zone[k].share = dice_chance(dice, 0.2) ? 0 : (float)dice_real(dice, 0, 10);
}

/* first_zoned: the first term that may rest on zones. */
static inline void throw_partition(struct throw *throw, int first_zoned)
{
    struct dice *dice = throw->dice;
    struct terrane_partition *partition = &throw->recipe->partition;
    partition->kind = (enum terrane_partition_kind)dice_int(dice, 0, TERRANE_PARTITION_KINDS - 1);
    partition->zones = dice_chance(dice, 0.2)   ? 1
                       : dice_chance(dice, 0.7) ? dice_int(dice, 2, 5)
                                                : dice_int(dice, 6, 16);
    for (int k = 0; k < partition->zones; k++) {
        struct terrane_zone *zone = &partition->zone[k];
        snprintf(zone->name, sizeof zone->name, "zone %d", k);
        zone->term = dice_int(dice, -1, first_zoned - 1);
        zone->amplitude = (float)dice_real(dice, -1, dice_chance(dice, 0.1) ? 64 : 2);
        zone->offset_m = (float)dice_real(dice, -1, 1) * (dice_chance(dice, 0.1) ? 32768.0f : 500.0f);
        for (int c = 0; c < 3; c++)
            zone->colour[c] = (uint8_t)dice_bits(dice);
        throw_gradient(throw, &zone->ground);
        throw_gradient(throw, &zone->steep);
    }
    if (partition->kind == TERRANE_PARTITION_NOISE)
        throw_noise_partition(throw, partition, first_zoned);
    else if (partition->kind == TERRANE_PARTITION_VORONOI)
        throw_voronoi_partition(throw, partition);
    else
        throw_climate_partition(throw, partition, first_zoned);
}

/* Any recipe: every base, kind, operation and partition, up to 8 terms, small cells and huge ones. */
static inline void dice_recipe(struct dice *dice, struct terrane_recipe *recipe)
{
    *recipe = recipe_flat();
    recipe->spacing_m = dice_chance(dice, 0.5) ? exp2(dice_int(dice, -10, 20)) : dice_real(dice, 0.1, 100);
    recipe->alias_octaves = dice_int(dice, 0, 1);
    recipe->sea_m = (float)dice_real(dice, -100, 100);
    recipe->steep_low = (float)dice_real(dice, 0, 1);
    recipe->steep_high = recipe->steep_low + (float)dice_real(dice, 0, 1);
    recipe->terms = 0;
    struct throw throw = {.dice = dice, .recipe = recipe, .octaves = 60};
    const int terms = dice_chance(dice, 0.3) ? 1 : dice_int(dice, 2, 8);
    const int zoned = terms > 1 && dice_chance(dice, 0.6) ? dice_int(dice, 1, terms - 1) : terms;
    while (recipe->terms < terms) {
        struct terrane_term term = {.op = TERRANE_OP_ZONES};
        if (recipe->terms == zoned)
            throw.reach[zoned] = 1e6;
        else
            term = throw_term(&throw);
        snprintf(term.name, sizeof term.name, "term %d", recipe->terms);
        recipe_add(recipe, term);
    }
    throw_partition(&throw, zoned);
    throw_gradient(&throw, &recipe->water);
}

static inline float dice_member(struct dice *dice, double low, double high)
{
    return (float)(dice_chance(dice, 0.2) ? (dice_chance(dice, 0.5) ? low : high)
                                          : dice_real(dice, low, high));
}

static inline struct terrane_droplets dice_droplets(struct dice *dice)
{
    return (struct terrane_droplets){
        .density = dice_member(dice, 0, 1),
        .lifetime = dice_member(dice, 0, TERRANE_STEPS_MAX),
        .inertia = dice_member(dice, 0, 0.99),
        .capacity = dice_member(dice, 0, 64),
        .min_capacity = dice_member(dice, 0, 1),
        .erosion = dice_member(dice, 0, 1),
        .deposition = dice_member(dice, 0, 1),
        .evaporation = dice_member(dice, 0, 1),
        .gravity = dice_member(dice, 0, 64),
        .speed = dice_member(dice, 0, 16),
        .water = dice_member(dice, 0, 16),
        .talus_deg = dice_member(dice, 1, 89),
    };
}

static inline void dice_lakes(struct dice *dice, struct terrane_lakes *lakes)
{
    lakes->share = dice_member(dice, 0, 1);
    lakes->level = dice_int(dice, 0, TERRANE_LEVEL_MAX);
    lakes->cell_log2 = dice_int(dice, 3, 8);
    lakes->radius = dice_int(dice, 4, TERRANE_LAKE_RADIUS_MAX);
    lakes->depth_m = dice_member(dice, 0, 32768);
    lakes->shallow_m = lakes->depth_m * dice_member(dice, 0, 1);
}

/*
 * Erosion (at most of so many levels) and lakes of dice, for a recipe whose zones are known. Where heights and what is
 * moved are beyond what can be counted, no erosion.
 */
static inline void dice_erosion(struct dice *dice, struct terrane_recipe *recipe, int levels)
{
    struct terrane_erosion *erosion = &recipe->erosion;
    *erosion = (struct terrane_erosion){.levels = dice_int(dice, 1, levels)};
    for (int level = 0; level < erosion->levels; level++) {
        const int phases = dice_int(dice, 0, TERRANE_PHASES_MAX);
        const int room = phases ? TERRANE_HALO_MAX / phases - 2 : TERRANE_STEPS_MAX;
        const int steps = dice_int(dice, 1, room < TERRANE_STEPS_MAX ? room : TERRANE_STEPS_MAX);
        const int left = TERRANE_HALO_MAX - phases * (steps + 2);
        erosion->phases[level] = (uint8_t)phases;
        erosion->steps[level] = (uint8_t)steps;
        erosion->slides[level] =
            (uint8_t)dice_int(dice, 0, left < TERRANE_SLIDES_MAX ? left : TERRANE_SLIDES_MAX);
        erosion->creep[level] = (uint8_t)dice_int(dice, 0, left - erosion->slides[level] < 4 ? 0 : 4);
    }
    erosion->limit = (float)exp2(dice_real(dice, -10, 0));
    for (int k = 0; k < recipe->partition.zones; k++)
        erosion->zone[k] = dice_droplets(dice);
    dice_lakes(dice, &recipe->lakes);
    struct terrane_recipe copy = *recipe;
    if (terrane_recipe_init(&copy, NULL) == TERRANE_EEROSION)
        erosion->levels = 0;
}

/* A world and the recipe that it borrows: not to be copied. */
struct dice_world {
    struct terrane_recipe recipe;
    struct terrane_world world;
};

static inline void dice_world(struct dice *dice, struct dice_world *out)
{
    dice_recipe(dice, &out->recipe);
    make_world(&out->world, &out->recipe, dice_bits(dice));
}

#endif
