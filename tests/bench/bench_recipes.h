/*
 * The recipes that the noise benchmark measures, one a row.
 *
 * Where nothing else is said a row is 257 x 257 samples of 8 octaves, the first with cells of 128 samples,
 * the last with cells of one; 1000 m of amplitude, a gain of 0.48.
 */
#ifndef TERRANE_BENCH_RECIPES_H
#define TERRANE_BENCH_RECIPES_H

#include "../../lib/terrane.h"

enum {
    BENCH_SIDE = 257,
    BENCH_SAMPLES = BENCH_SIDE * BENCH_SIDE,
    BENCH_OCTAVES = 8,
    BENCH_CELL = 128,
    BENCH_WARP_OCTAVES = 4,
    BENCH_ZONES = 4,
};

#define BENCH_AMPLITUDE_M 1000.0f
#define BENCH_GAIN        0.48f
#define BENCH_JITTER      0.65f
#define BENCH_WARP_M      40.0f

enum bench_product {
    BENCH_HEIGHTS,
    BENCH_COLD, /* heights, one tile a round and each far from the one before */
    BENCH_NORMALS,
    BENCH_ZONE_MAP /* index and weights */
};

struct bench_recipe {
    const char *name;
    /* Makes all but what every recipe has. */
    void (*build)(struct terrane_recipe *recipe, const struct bench_recipe *row);
    enum terrane_fractal_kind kind;
    enum terrane_base base;
    enum bench_product product;
    int octaves; /* of the fractal; 0: the recipe says itself */
    int side;    /* samples */
};

extern const struct bench_recipe bench_recipes[];
extern const int bench_recipes_count;

/* Octaves that a height is the sum of; 0 where more is made of it than that, or something else. */
int bench_recipe_octaves(const struct bench_recipe *row);

/* Fills *recipe, ready to use. A recipe that the library refuses ends the program. */
void bench_recipe_make(struct terrane_recipe *recipe, const struct bench_recipe *row);

#endif
