/* Ranges of a recipe's terms. */
#ifndef TERRANE_BOUNDS_H
#define TERRANE_BOUNDS_H

#include "../terrane.h"

/*
 * The first term, in evaluation order, that might exceed 2^40, or that adds or multiplies numbers which do:
 * far inside binary32, slopes and their squares included. -1: none. The recipe must pass all other checks.
 */
int bounds_beyond(const struct terrane_recipe *recipe);

/* A term's range at all levels, and the max difference of its value at one level from that at level 0. */
void bounds_of_term(const struct terrane_recipe *recipe, int term, int level, double *low, double *high,
                    double *error);

/*
 * The geometric error of a level of base ground in metres: no height at this level differs by more from the height that level 0
 * has at the same place. It is the reach of the octaves that the level leaves out (an octave is summed if its cell spans at
 * least two samples), propagated through the terms, plus a rounding allowance. 0 at level 0. The level must be valid.
 */
double terrane_level_error_m(const struct terrane_recipe *recipe, int level);

/* Bounds of heights at all levels, in metres, before erosion, which moves ground by at most terrane_erosion_bound_m. */
void terrane_height_bounds_m(const struct terrane_recipe *recipe, double *low_m, double *high_m);

#endif
