/*
 * The baselines of the noise benchmark: fBm as a competent programmer writes it in an afternoon, in float, one sample after
 * the other, one octave after the other, hashes by a permutation table of 512 entries. No SIMD, no knowledge of the lattice;
 * the compiler is free to do with it what it can at -O3.
 *
 *   PLAIN_PERLIN   gradient noise with 8 gradients and the quintic fade (Perlin, Improving Noise, 2002)
 *   PLAIN_WARPED   the same with its domain warped: (x, y) shows the fBm of (x + u, y + v), where u and v are fBm, too
 *   PLAIN_SIMPLEX  OpenSimplex2: the plane is skewed so that its triangles become halves of squares; each of a triangle's
 *                  three corners gives (1/2 - r^2)^4 times the dot product of its gradient, one of 24, with the offset from
 *                  it, and nothing beyond r^2 = 1/2 (Spencer, OpenSimplex2, 2020, after Perlin 2001)
 *   PLAIN_F1 ...   Worley's cellular noise, from -1: a square cell holds one point, moved from its centre by up to jitter / 2
 *                  along each axis; the 3 x 3 cells around a sample are searched for the nearest two. Squared distances are
 *                  compared, and roots taken of the one or two that are asked for. The points of 256 cells are tabulated
 */
#ifndef TERRANE_BENCH_PLAIN_NOISE_H
#define TERRANE_BENCH_PLAIN_NOISE_H

#include <stdint.h>

enum plain_kind { PLAIN_PERLIN, PLAIN_WARPED, PLAIN_SIMPLEX, PLAIN_F1, PLAIN_F2, PLAIN_EDGE /* F2 - F1 */ };

enum { PLAIN_WARP_OCTAVES = 4 };
#define PLAIN_WARP 40.0f /* samples: the first amplitude of u and v */

struct plain_noise {
    uint8_t perm[512];   /* a permutation of 0 .. 255, twice */
    float point[256][2]; /* in the cell: 0 .. 1 */
};

/* Fills *noise: the tables of a seed. jitter: of cellular noise alone. */
void plain_noise_init(struct plain_noise *noise, uint32_t seed, float jitter);

/*
 * Fills out[j * side + i] with the fBm at samples (x0 + i, y0 + j): octave o has cells of cell / 2^o samples
 * and the amplitude amplitude * gain^o.
 */
void plain_noise_fill(const struct plain_noise *noise, enum plain_kind kind, float *out, int side, int x0,
                      int y0, int octaves, float cell, float amplitude, float gain);

#endif
