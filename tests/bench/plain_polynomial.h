/*
 * Document 000's comparison (Thorimbert and Chopard 2018, section 5.2), written as its equations stand: one
 * evaluation a sample, in plain C, compiled by gcc -O3 without -march.
 *
 * A map of resolution x resolution samples gets its octaves one after the other. For all three noises alike:
 *
 *   tabulated     what depends on the place in the cell alone: t and S3(t) of each sample of a cell, and for
 *                 D2M1N3 t squared and t cubed; once an octave, since the map has one zoom
 *   once a cell   what depends on the corners: h00, delta x, delta y and A of equation 19; the coefficients
 *                 of equations 8 to 15; for Perlin noise, whose formula has no such terms, the corners'
 *                 gradients
 *   once a row    what depends on y alone
 *   once a sample the rest, from the cell found by a shift and the table by a mask
 *
 * Corners come from the library's integer hash, the same for all; nothing is kept of a neighbouring sample.
 */
#ifndef TERRANE_BENCH_PLAIN_POLYNOMIAL_H
#define TERRANE_BENCH_PLAIN_POLYNOMIAL_H

#include <stdint.h>

enum {
    PLAIN_RESOLUTION_MAX = 1024,
    PLAIN_CELLS_MAX = PLAIN_RESOLUTION_MAX / 2,
};

enum plain_polynomial {
    PLAIN_ZERO_GRADIENT, /* equation 19, its last sign corrected */
    PLAIN_PERLIN3,       /* equations 16 to 18 with S3 */
    PLAIN_HERMITE, /* D2M1N3: equations 5 and 8 to 15, gradients weighted by 1/100 as section 4 has it */
    PLAIN_POLYNOMIALS
};

struct plain_corner {
    float height, east, south; /* value and gradient, per cell */
};

struct plain_zero {
    float height, east, south, twist; /* h00, delta x, delta y, A */
};

struct plain_hermite {
    float c00, c10, c20, c30, c01, c02, c03, c11, c21, c31, c12, c13;
};

/* One octave at work. About 100 KB; nothing in it needs to be set. */
struct plain_octave {
    int log2, cells; /* samples a cell; cells a row */
    float t[PLAIN_RESOLUTION_MAX], s[PLAIN_RESOLUTION_MAX];
    float t2[PLAIN_RESOLUTION_MAX], t3[PLAIN_RESOLUTION_MAX];
    struct plain_corner north[PLAIN_CELLS_MAX + 1], south[PLAIN_CELLS_MAX + 1];
    union {
        struct plain_zero zero[PLAIN_CELLS_MAX];
        struct plain_hermite hermite[PLAIN_CELLS_MAX];
    } cell;
};

/*
 * Adds one octave, in [-amplitude, amplitude] or little more, to map[j * resolution + i].
 *
 *   resolution  a power of two, to PLAIN_RESOLUTION_MAX
 *   cell_log2   2^cell_log2 samples a cell: 2 or more, and no more than the map has
 *   key         tells octaves and maps apart
 */
void plain_polynomial_add(struct plain_octave *o, enum plain_polynomial kind, float *map, int resolution,
                          int cell_log2, uint64_t key, float amplitude);

#endif
