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

#endif
