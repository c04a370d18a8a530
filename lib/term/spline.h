/*
 * Interpolation of fields at nodes by a uniform cubic B-spline: C2, always within the 16 nodes around a place.
 */
#ifndef TERRANE_SPLINE_H
#define TERRANE_SPLINE_H

#include "../kernel/kernel.h"

enum {
    SPLINE_ROWS = 4 * KERNEL_ROWS,                           /* rows of nodes that a strip may read */
    SPLINE_COLUMNS = (KERNEL_WIDTH + 3 + 15) / 16 * 16 + 16, /* whole vectors, from any of them on */
};

/* The place of a chunk of samples among nodes: one every 2^log2 samples. */
struct spline_chunk {
    int log2;
    int64_t column; /* of the first node read */
    int columns;
    int64_t offset; /* samples from node column + 1 to the chunk's first */
    int width;
    float t[KERNEL_WIDTH]; /* each one's position between the nodes around it: 0 .. 1 */
};

/* Samples gi .. gi + width - 1 of a level, nodes 2^log2 of them apart: log2 0 .. 40. */
void spline_chunk(struct spline_chunk *chunk, int64_t gi, int width, int log2);

/* The first of the four rows of nodes around sample row gj, and its distance from the second: 0 .. 1. */
int64_t spline_row(int64_t gj, int log2, float *t);

/* One row of samples, out[0 .. width - 1], from four rows of nodes. */
void spline_samples(const struct spline_chunk *chunk, const float *const node[4], float t, float *out);

#endif
