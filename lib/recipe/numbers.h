/*
 * Numbers that follow from a recipe alone, of which its checks ask some, and erosion and drainage all.
 */
#ifndef TERRANE_NUMBERS_H
#define TERRANE_NUMBERS_H

#include "../terrane_features.h"

/* 2^k, exactly. */
static inline double power_of_two(int k)
{
    double v = 1;
    for (; k > 0; k--)
        v *= 2;
    for (; k < 0; k++)
        v /= 2;
    return v;
}

/* Rounds of slides of a level, those of creep with them. */
static inline int erosion_slides(const struct terrane_erosion *erosion, int level)
{
    return erosion->slides[level] + erosion->creep[level];
}

/* What levels low .. high - 1 move ground by at most, together, in metres; drainage is its finest lattice's. */
double erosion_moved_m(const struct terrane_recipe *recipe, int low, int high);

/* A unit coarser than 1/16 m would show; only heights and limits far beyond any ground need it. */
enum { EROSION_UNIT_LOG2_LEAST = -30, EROSION_UNIT_LOG2_MOST = -4 };

/* Of the unit in metres: the least power of two in which heights stay under 2^29 and deltas under 2^26. */
int erosion_unit_log2(const struct terrane_recipe *recipe);

/* What runs off on the whole, in mm a year: the climate's rain where it is the precipitation; of other terms nobody knows. */
enum { RUNOFF_MEAN_MM = 512 };
float recipe_runoff_mm(const struct terrane_recipe *recipe);

/* No delta passes this, at any level, in metres. */
double terrane_erosion_bound_m(const struct terrane_recipe *recipe);

/* The delta of this level and that of level 0 at the same place differ by at most this, in metres: 0 at level 0. Of a recipe with
 * rivers it is what erosion moved below the lattices; what these and rivers do is terrane_rivers_error_m. */
double terrane_erosion_error_m(const struct terrane_recipe *recipe, int level);

/* ---- Paths --------------------------------------------------------------------------------------------- */

/* Half of the width and the border, in metres: beyond this no path changes the ground. */
double terrane_paths_reach_m(const struct terrane_recipe *recipe);

/* No height of the ground, cut or raised, is further from 0. */
double paths_height_most_m(const struct terrane_recipe *recipe);

/* Heights of paths stay below so many units: terrane_paths_unit_m. */
enum { PATH_HEIGHT_MAX = 1 << 24 };

#endif
