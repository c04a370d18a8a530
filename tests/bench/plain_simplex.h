/*
 * Baseline: OpenSimplex2 fBm in two dimensions as a scalar loop.
 *
 * The plane is skewed so that its triangles become halves of squares. A sample lies in one triangle; each of
 * the triangle's three corners gives (1/2 - r^2)^4 times the dot product of its gradient with the offset
 * from it, and nothing beyond r^2 = 1/2 (Spencer, OpenSimplex2, 2020, after Perlin 2001). 24 gradients of
 * one length, 15 degrees apart, are chosen through a permutation table. One sample after the other, one
 * octave after the other.
 */
#ifndef TERRANE_BENCH_PLAIN_SIMPLEX_H
#define TERRANE_BENCH_PLAIN_SIMPLEX_H

#include "plain_perlin.h"

/* Arguments as plain_perlin_fill has them; the noise's table is shared with it. */
void plain_simplex_fill(const struct plain_perlin *noise, float *out, int width, int height, int x0, int y0,
                        int octaves, float cell, float amplitude, float gain);

#endif
