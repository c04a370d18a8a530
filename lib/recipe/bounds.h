/*
 * How far a recipe's terms can reach.
 */
#ifndef TERRANE_BOUNDS_H
#define TERRANE_BOUNDS_H

#include "../terrane.h"

/*
 * The first term, in the order of making, that might pass 2^40, or that adds or multiplies numbers which
 * do: far inside binary32, slopes and their squares included. -1: none. Of a recipe that breaks nothing
 * else.
 */
int bounds_beyond(const struct terrane_recipe *recipe);

/* What a term reaches, at any level; and by how much its value at one differs from that at level 0 at most. */
void bounds_of_term(const struct terrane_recipe *recipe, int term, int level, double *low, double *high,
                    double *error);

/*
 * The geometric error of a level of base ground in metres: no height at this level differs by more from the height that level 0
 * has at the same place. It is the reach of the octaves the level leaves out (an octave is summed where its
 * cell spans at least two samples), followed through the terms, and a rounding allowance. 0 at level 0. The
 * level must be valid.
 */
double terrane_level_error_m(const struct terrane_recipe *recipe, int level);

/* Bounds that no height passes, at any level, in metres, before erosion: which moves ground by terrane_erosion_bound_m
 * at most. */
void terrane_height_bounds_m(const struct terrane_recipe *recipe, double *low_m, double *high_m);

#endif
