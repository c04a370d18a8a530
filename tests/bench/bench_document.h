/*
 * Figures 8 to 10 of document 000 (Thorimbert and Chopard 2018): execution times of zero-gradient D2M1N3,
 * Perlin S3, general D2M1N3 and OpenSimplex2, each evaluated once a sample in plain C (plain_polynomial.h,
 * plain_simplex.h).
 *
 *   figure 8    T / T_Z0 against octaves 1 .. 8, 1024 x 1024 samples; T_Z0 is one octave of zero-gradient
 *   figure 9    the root of T against the resolution, 3 octaves
 *   figure 10   T_m / T_Z: the speedup of zero-gradient over the others
 *
 * The first octave has 2 x 2 cells, each next one twice as many a side. An octave is one pass over the map,
 * so a terrain of N octaves takes what its N passes take: one terrain of 8 octaves times all of N = 1 .. 8.
 * The methods are measured in turn, octave by octave.
 */
#ifndef TERRANE_BENCH_DOCUMENT_H
#define TERRANE_BENCH_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

enum {
    DOCUMENT_OCTAVES = 8,
    DOCUMENT_RESOLUTION = 1024,
    DOCUMENT_RESOLUTIONS = 4, /* 128, 256, 512, 1024 */
    DOCUMENT_METHODS = 4,     /* zero-gradient first, then Perlin S3 */
};

struct bench_document {
    int rounds;
    double octaves_us[DOCUMENT_METHODS][DOCUMENT_OCTAVES];        /* T of k + 1 octaves: medians */
    double resolution_us[DOCUMENT_METHODS][DOCUMENT_RESOLUTIONS]; /* T of 3 octaves */
};

/* Measures; some 0.25 s a round. */
void bench_document_run(struct bench_document *d, int rounds);

/* The least speedup of zero-gradient over Perlin S3, at any number of octaves and any resolution. */
double bench_document_speedup(const struct bench_document *d);

void bench_document_print(const struct bench_document *d);

/* The member "document_000" of a JSON object, without a comma. */
void bench_document_write_json(const struct bench_document *d, FILE *f);

#endif
