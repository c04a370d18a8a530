/*
 * How far levels lie from each other where rivers made the ground, beside what noise and erosion differ by.
 *
 * Below the lattices the number is proved. All levels start from one lattice, and cut the same notches and broad channels into what
 * erosion left: greatest and least bring no two grounds further apart. They differ by
 *
 *     what channels add that not every level shows: within MORE above and below, at each of the two levels (carve.c);
 *     levees of broad channels, whose tops are RIVER_RIM samples wide, and so higher behind that on the coarser level;
 *     a bank, where ground is lifted out of the sea on one of them alone;
 *     sand (sand.c).
 *
 * From the lattices up it is found. A lattice is made from the coarser one, and its lines may lie a cell aside: where they
 * meet the sides of valleys ground may be as much higher or lower as a valley is deep, which no law bounds but that of the whole world. It
 * was looked for in six recipes (tests/http/test_levels.py, docs/formats.md): slopes end at the talus, so differences grow with the
 * step, and the smallest valleys are some cells of the finest lattice deep, whichever level leaves them out.
 */
#include "../base/min_max.h"
#include "../kernel/erode.h"
#include "../recipe/bounds.h"
#include "drain.h"
#include "drained.h"
#include "river.h"

#define CUT   3 /* cells of the finest lattice: what channels below it cut and raise at its own samples */
#define STEPS 2 /* of a coarser level */
#define CELLS 6 /* of the finest lattice, at coarser levels */

/* Sand that a lattice has blown away, or another level's. */
static double sand_error_m(const struct terrane_recipe *recipe, int level)
{
    double low_m, high_m, error_m;
    if (recipe->rivers.sand == 0)
        return 0;
    bounds_of_term(recipe, recipe->rivers.sand - 1, level, &low_m, &high_m, &error_m);
    const double max_m = min_double(max_double(high_m, 0), (double)SAND_MAX_M);
    return (double)SAND_CUT_M / 4 + (level < recipe->rivers.bottom ? min_double(error_m, max_m) : max_m);
}

static double found_m(const struct terrane_recipe *recipe, int level)
{
    const double cell_m = recipe->spacing_m * (double)(INT64_C(1) << recipe->rivers.bottom);
    const double step_m = recipe->spacing_m * (double)(INT64_C(1) << level);
    return level == recipe->rivers.bottom ? CUT * cell_m : STEPS * step_m + CELLS * cell_m;
}

double terrane_rivers_error_m(const struct terrane_recipe *recipe, int level)
{
    const int bottom = recipe->rivers.bottom, carved = level < bottom ? level : bottom - 1;
    double low_m, high_m;
    if (recipe->rivers.top == 0 || level <= 0)
        return 0;
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    const double range_m = high_m - low_m + 1024; /* and the falls of a way */
    const double rims_m = (double)RIVER_RIM * recipe->spacing_m * (double)((INT64_C(1) << carved) - 1);
    const double roundings_m = 0x1p-20 * (max_double(-low_m, high_m) + range_m);
    const double shown_m =
        2 * (double)river_more_m(recipe) + (double)CARVE_LEVEE * rims_m + (double)CARVE_BANK_M;
    return shown_m + sand_error_m(recipe, level) + roundings_m +
           (level < bottom ? 0 : min_double(found_m(recipe, level), range_m));
}
