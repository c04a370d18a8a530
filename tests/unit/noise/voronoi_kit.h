/*
 * What the unit tests of the Voronoi partition share: dice with a fixed seed, and a world that has a partition and
 * nothing else, enough for lib/voronoi.c and lib/voronoi_sites.c. Include it first: it brings cmocka.
 */
#ifndef TERRANE_TESTS_VORONOI_KIT_H
#define TERRANE_TESTS_VORONOI_KIT_H

#include "../unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/hash.h"
#include "../../../lib/voronoi.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* low .. high, both included; SplitMix64. */
static inline int64_t dice(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(hash_mix(*state += UINT64_C(0x9E3779B97F4A7C15)) % ((uint64_t)(high - low) + 1));
}

/* Of the one world of a program; world_of begins it anew. */
static struct terrane_recipe recipe;

static inline struct terrane_world world_of(uint64_t seed, int zones, int cell_log2, float blend,
                                            float jitter, int rounds)
{
    memset(&recipe, 0, sizeof recipe);
    recipe.partition = (struct terrane_partition){.kind = TERRANE_PARTITION_VORONOI,
                                                  .zones = zones,
                                                  .blend = blend,
                                                  .salt = 7,
                                                  .cell_log2 = cell_log2,
                                                  .jitter = jitter,
                                                  .rounds = rounds};
    return (struct terrane_world){.recipe = &recipe, .seed = seed};
}

#endif
