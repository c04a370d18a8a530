/*
 * What the kernels of relaxation work on, and the table that offers them.
 *
 * A field is a patch in padded rows: sample (x, y) of all of its arrays is at (y + 1) * stride + RELAX_BLOCK + x. A row has a
 * block before it and one or more after it, so that neighbours can be read anywhere; there is a row more above and below.
 */
#ifndef TERRANE_RELAX_H
#define TERRANE_RELAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RELAX_BLOCK = 16,    /* samples of a row that are worked on or left out together */
    RELAX_GRADIENT = 1,  /* in relax_field.holds: a sample of the block is held to a gradient */
    RELAX_ACROSS = 2,    /* ... across */
    RELAX_RING = 3,      /* rows of what moves that are kept at a time */
    RELAX_DIRECTIONS = 4 /* east, west, south, north */
};

/*
 * What quadrants would move is averaged: a quadrant that is one of n over their limits at one of its three samples, and of no
 * more at the others, moves RELAX_SHARE / n of it (n: 2 .. 12). It takes a part of 0 .. 1 of its heights' distance from level
 * out, so a sample gives up at most RELAX_SHARE of that in all: below 2 nothing swings up, and the sum of squares never grows.
 * Iterations are as 1 / RELAX_SHARE, and less than half of those that a fixed share for twelve takes.
 */
#define RELAX_SHARE  1.875f

#define RELAX_HEIGHT (1 << 29) /* heights are within this, in units */

struct relax_field {
    int side, stride; /* samples of a row; from row to row */
    int blocks;       /* of a row: stride / RELAX_BLOCK - 2 */
    int32_t *height;  /* units */
    /* Limits in units over a sample; squares of lengths that move, lengths that move: a little more than the limits. Of
     * samples that are not held, and of padding: 2^124 and 2^62. */
    const float *gradient, *gradient_moves2;
    const float *across, *across_moves, *across_x, *across_y;
    const uint8_t *holds; /* holds[y * blocks + k]: of block k of row y */
    /* Scratch. All 0 before and after a sweep: over, as height, what struct relax_spot says of a sample; stirred[(y + 1) *
     * (blocks + 2) + 1 + k], whether anything in block k of row y is over, rows -1 and side too; moved[(ring *
     * RELAX_DIRECTIONS + direction) * stride ...]. Of any content: count, as height, how many quadrants move a sample. */
    int32_t *over, *count, *moved;
    uint8_t *stirred;
};

struct relax_kernels {
    const char *name;

    /*
     * All gradient and across limits once, on heights as they are before. Each quadrant that is over a limit (of two, the
     * gradient) asks for ground from its two neighbours, whole units towards 0; heights change by what was asked for and
     * nothing else, so their sum stays. Returns how many quadrants were over; -1: a height is out of range now (and within
     * 2^30).
     */
    int64_t (*sweep)(const struct relax_field *field);
};

extern const struct relax_kernels relax_kernels_scalar, relax_kernels_sse2, relax_kernels_avx2,
    relax_kernels_avx512, relax_kernels_neon, relax_kernels_simd128;

#endif
