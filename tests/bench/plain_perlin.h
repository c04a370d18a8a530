/*
 * The baseline of the benchmarks: Perlin fBm as a competent programmer writes it in an afternoon.
 *
 * Gradient noise with a permutation table of 512 entries, 8 gradients and the quintic fade (Perlin, Improving
 * Noise, 2002), in float, one sample after the other, one octave after the other. No SIMD, no knowledge of
 * the lattice; the compiler is free to do with it what it can at -O3.
 */
#ifndef TERRANE_BENCH_PLAIN_PERLIN_H
#define TERRANE_BENCH_PLAIN_PERLIN_H

#include <stdint.h>

struct plain_perlin {
    uint8_t perm[512]; /* a permutation of 0 .. 255, twice */
};

/* Fills *noise: the table of a seed. */
void plain_perlin_init(struct plain_perlin *noise, uint32_t seed);

/*
 * Fills out[j * width + i] with the fBm at samples (x0 + i, y0 + j): octave o has cells of cell / 2^o samples
 * and the amplitude amplitude * gain^o.
 */
void plain_perlin_fill(const struct plain_perlin *noise, float *out, int width, int height, int x0, int y0,
                       int octaves, float cell, float amplitude, float gain);

/*
 * The same fBm with its domain warped: the sample (x, y) shows the fBm of (x + u, y + v), where u and v are
 * fBm of warp_octaves octaves, with the same first cell and gain and a first amplitude of warp samples.
 */
void plain_perlin_warp(const struct plain_perlin *noise, float *out, int width, int height, int x0, int y0,
                       int octaves, float cell, float amplitude, float gain, int warp_octaves, float warp);

#endif
