/*
 * Numbers that follow from a recipe alone, of which its checks ask some, and erosion and drainage all.
 */
#ifndef TERRANE_NUMBERS_H
#define TERRANE_NUMBERS_H

#include "../terrane.h"

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

#endif
