/* Numbers derived from a recipe alone, used by its checks, erosion and drainage. */
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

/* v is 1 or more, as a cell is in samples. */
static inline bool is_power_of_two(double v)
{
    while (v > 1)
        v /= 2;
    return v == 1;
}

/* Of 2^this samples is the mean of what a level moves that is taken away again, and how far around a sample that reaches; 0: nothing is. */
enum { EROSION_DETAIL_LOG2_MAX = 3 };
int erosion_detail_log2(const struct terrane_recipe *recipe, int level);
static inline int erosion_detail_reach(int log2)
{
    return (1 << log2) - 1;
}

/* Rounds of slides of a level, including creep. */
static inline int erosion_slides(const struct terrane_erosion *erosion, int level)
{
    return erosion->slides[level] + erosion->creep[level];
}

/* Max number of times that a level moves a sample. */
static inline int erosion_moves(const struct terrane_erosion *erosion, int level)
{
    return erosion->phases[level] + erosion_slides(erosion, level);
}

/* How far around a sample phases and slides read: TERRANE_HALO_MAX at most, whichever generator adds detail beyond that. */
static inline int erosion_moves_reach(const struct terrane_erosion *erosion, int level)
{
    return erosion->phases[level] * (erosion->steps[level] + 2) + erosion_slides(erosion, level);
}

/* Max that levels low .. high - 1 together move ground, in metres; drainage counts as its finest lattice. */
double erosion_moved_m(const struct terrane_recipe *recipe, int low, int high);

/* A unit coarser than 1/16 m would show; only heights and limits far beyond any ground need it. */
enum { EROSION_UNIT_LOG2_MIN = -30, EROSION_UNIT_LOG2_MAX = -4 };

/* log2 of the unit in metres: the smallest power of two in which heights stay under 2^29 and deltas under 2^26. */
int erosion_unit_log2(const struct terrane_recipe *recipe);

/* The same in metres: terrane_units. */
double terrane_erosion_unit_m(const struct terrane_recipe *recipe);
double terrane_paths_unit_m(const struct terrane_recipe *recipe);

/* Mean runoff, in mm a year: the climate's rain if the runoff is its precipitation; unknown for other terms. */
enum { RUNOFF_MEAN_MM = 512 };
float recipe_runoff_mm(const struct terrane_recipe *recipe);

/* Bound of deltas at all levels, in metres. */
double terrane_erosion_bound_m(const struct terrane_recipe *recipe);

/* Max difference between the deltas of this level and of level 0 at the same place, in metres: 0 at level 0. For a recipe with
 * rivers it covers erosion below the lattices; terrane_rivers_error_m covers the lattices and rivers. */
double terrane_erosion_error_m(const struct terrane_recipe *recipe, int level);

/* ---- Paths --------------------------------------------------------------------------------------------- */

/* Half of the width plus the border, in metres: no path changes the ground beyond this. */
double terrane_paths_reach_m(const struct terrane_recipe *recipe);

/* Max absolute height of the ground, cut or raised. */
double paths_height_max_m(const struct terrane_recipe *recipe);

/* Bound of heights of paths, in units of terrane_paths_unit_m. */
enum { PATH_HEIGHT_MAX = 1 << 24 };

#endif
