/*
 * What a recipe costs: what the files that count it share.
 */
#ifndef TERRANE_COST_H
#define TERRANE_COST_H

#include <stdint.h>

#include "../recipe/numbers.h"

/* Steps of droplets a sample in a phase of at most so many steps. */
double steps_of_phase(const struct terrane_recipe *recipe, int steps);

/* A set of terms: those that are made at every sample. What only coarse terms and the climate's ground rest on is not. */
uint64_t terms_at_samples(const struct terrane_recipe *recipe);

/* Of a level: nodes at which the other terms are made, for each sample; and what plates and climate take there besides. */
double nodes_a_sample(const struct terrane_recipe *recipe, int level);
double nodes_ns(const struct terrane_recipe *recipe, int level);

#endif
