/*
 * Numbers derived from a recipe's erosion, rivers and paths: how much ground they move, and in which units.
 */
#include "numbers.h"
#include "../base/min_max.h"
#include "bounds.h"

/* Max that drainage moves ground: from max to min height, plus the falls along a flow path. */
static double drained_m(const struct terrane_recipe *recipe)
{
    double low_m, high_m;
    if (recipe->rivers.top == 0)
        return 0;
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    return high_m - low_m + 1024;
}

double erosion_moved_m(const struct terrane_recipe *recipe, int low, int high)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    double sum = high > recipe->rivers.bottom ? drained_m(recipe) : 0;
    for (int level = low; level < high && level < erosion->levels; level++)
        sum += erosion_moves(erosion, level) * (double)erosion->limit * recipe->spacing_m *
               (double)(INT64_C(1) << level);
    return sum;
}

int erosion_unit_log2(const struct terrane_recipe *recipe)
{
    double low_m, high_m;
    const double max_m = erosion_moved_m(recipe, 0, TERRANE_LEVEL_MAX + 1);
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    const double height_m = (-low_m > high_m ? -low_m : high_m) + max_m;
    int k = EROSION_UNIT_LOG2_MIN;
    while (k < 40 && (height_m > power_of_two(29 + k) || max_m > power_of_two(26 + k)))
        k++;
    return k;
}

double terrane_erosion_unit_m(const struct terrane_recipe *recipe)
{
    return power_of_two(recipe->erosion_unit_log2);
}

float recipe_runoff_mm(const struct terrane_recipe *recipe)
{
    const int runoff = recipe->rivers.runoff;
    if (runoff < 0)
        return recipe->rivers.runoff_mm;
    const struct terrane_term *term = &recipe->term[runoff];
    const bool rain = term->op == TERRANE_OP_CLIMATE && term->of == TERRANE_CLIMATE_PRECIPITATION;
    return rain ? recipe->climate.rain_mm : (float)RUNOFF_MEAN_MM;
}

/* Of the first level below the lattices fewer samples, so that ground and rivers lie near each other; the finest levels move little. */
int erosion_detail_log2(const struct terrane_recipe *recipe, int level)
{
    const int under = recipe->rivers.bottom - level;
    if (recipe->rivers.top == 0 || recipe->generator < 12 || under < 1 || under > 3)
        return 0;
    return under == 1 ? 2 : 3;
}

int terrane_erosion_halo(const struct terrane_recipe *recipe, int level)
{
    if (level < 0 || level >= recipe->erosion.levels)
        return 0;
    return erosion_moves_reach(&recipe->erosion, level) +
           erosion_detail_reach(erosion_detail_log2(recipe, level));
}

double terrane_erosion_bound_m(const struct terrane_recipe *recipe)
{
    return erosion_moved_m(recipe, 0, TERRANE_LEVEL_MAX + 1);
}

double terrane_erosion_error_m(const struct terrane_recipe *recipe, int level)
{
    const int bottom = recipe->rivers.bottom;
    return erosion_moved_m(recipe, 0, recipe->rivers.top > 0 && level > bottom ? bottom : level);
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

double terrane_paths_reach_m(const struct terrane_recipe *recipe)
{
    return (double)recipe->paths.width_m / 2 + (double)recipe->paths.border_m;
}

double paths_height_max_m(const struct terrane_recipe *recipe)
{
    double low_m, high_m;
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    return max_double(max_double(-low_m, high_m), max_double(-(double)recipe->sea_m, (double)recipe->sea_m)) +
           terrane_erosion_bound_m(recipe) + (double)recipe->paths.depth_m +
           (double)recipe->paths.slope * terrane_paths_reach_m(recipe) + 1;
}

double terrane_paths_unit_m(const struct terrane_recipe *recipe)
{
    const double max = (double)recipe->paths.slope * recipe->spacing_m * 0x1p-8;
    const double height_m = paths_height_max_m(recipe);
    double unit_m = 0x1p-24; /* slope and spacing are 2^-6 and 2^-10 at least */
    while (unit_m * 2 <= max)
        unit_m *= 2;
    while (height_m >= PATH_HEIGHT_MAX * unit_m)
        unit_m *= 2;
    return unit_m;
}

struct terrane_units terrane_units(const struct terrane_recipe *recipe)
{
    return (struct terrane_units){.erosion_m = terrane_erosion_unit_m(recipe),
                                  .paths_m = recipe->paths.width_m > 0 ? terrane_paths_unit_m(recipe) : 0};
}
