/*
 * The numbers of a lattice: lengths and heights in units, slopes as a table over runoff.
 */
#include "../base/hash.h"
#include "../erosion/erosion.h"
#include "../recipe/bounds.h"
#include "drain.h"
#include "river.h"

#define TALUS    0.62 /* as the steepest ground that water leaves: with what rock adds, 45 degrees are seldom */
#define INCISION 0.6 /* samples that a lattice cuts into its ground at most: coarser ones have cut before */

/* ---- Powers: of doubles, by their binary digits; every operation is exact IEEE -------------------------------- */

/* 2^x, |x| < 1000, within a few units of the last place. */
static double power2(double x)
{
    double v = 1, root = 2;
    int whole = (int)x;
    whole -= (double)whole > x;
    x -= whole;
    for (int k = 0; k < 50; k++) {
        root = __builtin_sqrt(root);
        x *= 2;
        if (x >= 1) {
            v *= root;
            x -= 1;
        }
    }
    for (; whole > 0; whole--)
        v *= 2;
    for (; whole < 0; whole++)
        v /= 2;
    return v;
}

/* log2 of x > 0. */
static double log2_of(double x)
{
    double v = 0, digit = 1;
    while (x >= 2) {
        x /= 2;
        v += 1;
    }
    while (x < 1) {
        x *= 2;
        v -= 1;
    }
    for (int k = 0; k < 50; k++) {
        x *= x;
        digit /= 2;
        if (x >= 2) {
            x /= 2;
            v += digit;
        }
    }
    return v;
}

/* ---- The law ------------------------------------------------------------------------------------------- */

/* The least fall along a step: a unit at the bottom, and as many units at each lattice above as a line is cut into steps, unless
 * that is steep; never none. */
static int32_t min_fall(int level, int bottom, double length)
{
    double min = 1;
    for (; level > bottom; level -= 2)
        min *= 8;
    const double gentle = length * 0x1p-15, steep = length * 0x1p-12;
    min = min < steep ? min : steep > 1 ? steep : 1;
    return within_units(gentle > min ? gentle : min, 0x1p24);
}

static void fill_slopes(struct drain_law *law, const struct terrane_recipe *recipe)
{
    const double theta = (double)recipe->rivers.concavity;
    const double cell_m = recipe->spacing_m * (double)(INT64_C(1) << law->bottom);
    const double first = log2_of(cell_m * cell_m / DRAIN_MEAN_MM);
    for (int i = 0; i < DRAIN_SLOPES; i++) {
        const double rise = (double)law->length[0] * power2(-theta * (first + i / 8.0)) * 256;
        /* what its product with the recipe's steepness, 2^18 at most, needs; more is over any talus (route_heights.c) */
        law->slope[i] = rise < 0x1p38 ? (int64_t)rise : INT64_C(1) << 38;
    }
}

/* Cells n .. n + 1 of a parabola that is a slope of 1 from w cells on: how much less than 1 it rises. */
static int32_t ice_less(double w, int n)
{
    const double a = n < w ? n : w, b = n + 1 < w ? n + 1 : w;
    return (int32_t)(256 * ((b - a) - (b * b - a * a) / (2 * w)));
}

static void fill_ice(struct drain_law *law, const struct terrane_recipe *recipe, double step_m)
{
    const struct terrane_ice *ice = &recipe->ice;
    const double unit_m = terrane_erosion_unit_m(recipe), span_m = (double)ice->full_m - (double)ice->from_m;
    if (!(ice->width_m > 0))
        return;
    law->ice_from = within_units((double)ice->from_m / unit_m, 0x1p29);
    law->ice_span = span_m > unit_m ? within_units(span_m / unit_m, 0x1p29) : 1;
    for (int n = 0; n < DRAIN_WEAR; n++)
        law->ice[n] = ice_less((double)ice->width_m / step_m, n);
}

int drain_far(const struct terrane_recipe *recipe, int level)
{
    const double step_m = recipe->spacing_m * (double)(INT64_C(1) << level);
    const double far = (double)recipe->rivers.inland_km * 1000 / step_m * 16;
    return far < DRAIN_TOP_FAR ? (int)far : DRAIN_TOP_FAR;
}

void drain_law_fill(struct drain_law *law, const struct terrane_world *world, int level)
{
    const struct terrane_recipe *recipe = world->recipe;
    const struct terrane_rivers *rivers = &recipe->rivers;
    const double unit_m = terrane_erosion_unit_m(recipe);
    const double step_m = recipe->spacing_m * (double)(INT64_C(1) << level), length = step_m / unit_m;
    const double cell_m = recipe->spacing_m * (double)(INT64_C(1) << rivers->bottom);
    const int coarser = level - rivers->bottom;
    *law = (struct drain_law){
        .level = level,
        .bottom = rivers->bottom,
        .key = hash_absorb(hash_absorb(world->seed, UINT64_C(0x447261696E)), (uint64_t)level), /* "Drain" */
        .inverse = (float)(256 / length),
        .sea = within_units((double)recipe->sea_m / unit_m, 0x1p29),
        .length = {(int64_t)length, (int64_t)(length * 1.4142135623730951)},
        .talus = {within_units(TALUS * length, 0x1p29),
                  within_units(TALUS * length * 1.4142135623730951, 0x1p29)},
        .incision = within_units(INCISION * length, 0x1p29),
        .shallow = within_units((double)rivers->shallow_m / unit_m, 0x1p29),
        .flat = within_units(((double)rivers->shallow_m + (double)rivers->flats * (step_m - cell_m)) / unit_m,
                             0x1p29),
        .cut = (int64_t)within_units((double)rivers->cut_m / unit_m, 0x1p29),
        .fill = (int32_t)(rivers->fill * 256.0f),
        .steepness = (int64_t)((double)rivers->steepness * 256),
        .rise = (int64_t)((double)rivers->rise * unit_m * 256 * 0x1p32),
        .sources = river_min(recipe),
        .runoff = (uint32_t)(rivers->runoff_mm + 0.5f),
        .far = drain_far(recipe, level),
        .coarsest = level == rivers->top,
        .isotropic = recipe->generator >= 10,
        .clean = recipe->generator >= 11,
        .holds = recipe->generator >= 12,
        .cut_cells = recipe->generator >= 10 ? DRAIN_CUT : 12,
        .smooth = level == rivers->bottom || (coarser % 2 != 0 && recipe->generator >= 9),
        .rounds = level == rivers->bottom ? rivers->rounding : 0,
        .finest = level == rivers->bottom || coarser % 2 != 0,
    };
    law->most = INT32_MAX;
    if (recipe->generator >= 16) {
        double low_m, high_m;
        terrane_height_bounds_m(recipe, &low_m, &high_m);
        law->most = within_units((high_m + DRAIN_BEYOND_M) / unit_m, 0x1p30);
    }
    for (int k = 0; k < 2; k++)
        law->fall[k] = min_fall(level, rivers->bottom, (double)law->length[k]);
    fill_slopes(law, recipe);
    fill_ice(law, recipe, step_m);
}
