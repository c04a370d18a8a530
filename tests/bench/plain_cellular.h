/*
 * Baseline: Worley's cellular fBm in two dimensions as a scalar loop.
 *
 * A square cell holds one point, moved from its centre by up to jitter / 2 along each axis; the 3 x 3 cells
 * around a sample are searched for the nearest two. Squared distances are compared, and roots taken of the
 * one or two that are asked for. The points of 256 cells are tabulated and chosen through a permutation
 * table.
 */
#ifndef TERRANE_BENCH_PLAIN_CELLULAR_H
#define TERRANE_BENCH_PLAIN_CELLULAR_H

#include "plain_perlin.h"

enum plain_feature { PLAIN_F1, PLAIN_F2, PLAIN_EDGE /* F2 - F1 */ };

struct plain_cellular {
    struct plain_perlin hash;
    float point[256][2]; /* in the cell: 0 .. 1 */
};

/* Fills *noise: the tables of a seed, and points that stray by up to jitter / 2. */
void plain_cellular_init(struct plain_cellular *noise, uint32_t seed, float jitter);

/* Octaves of feature - 1, from -1; the other arguments as plain_perlin_fill has them. */
void plain_cellular_fill(const struct plain_cellular *noise, enum plain_feature feature, float *out,
                         int width, int height, int x0, int y0, int octaves, float cell, float amplitude,
                         float gain);

#endif
