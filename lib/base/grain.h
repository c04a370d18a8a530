/*
 * Grains: noise of one octave, of textures and of the banks of rivers.
 */
#ifndef TERRANE_BASE_GRAIN_H
#define TERRANE_BASE_GRAIN_H

#include "../terrane.h"

/* Cells of one octave under a row of samples. */
struct grain {
    uint64_t key, shift_y;
    int octave, level, columns;
    bool hashed; /* north and south are of row */
    int64_t row; /* of cells */
    int *at;     /* a sample's column */
    float *x, y; /* its place between this one and the next, and between the rows, 0 .. 1 */
    float *fade; /* S3 of x */
    uint32_t *column, *north, *south; /* words of columns, hashes of cells */
    float *value, *slope;             /* of a column's corners, between north and south */
    float *west, *east;               /* a sample's noise of its column, and of the next one */
};

/* What a grain takes for a window so wide. */
size_t grain_words(int width);

/* words: grain_words of them. */
void grain_begin(struct grain *grain, uint64_t key, int octave, const struct terrane_window *window,
                 uint32_t *words);

/* Goes to a row of samples. */
void grain_row(struct grain *grain, int64_t gj);

/* Samples of a row: part.from .. part.end - 1, at least one. */
struct grain_part {
    int from, end;
};

/* to[i] += times the noise of a sample, -1 .. 1. */
void grain_add(struct grain *grain, struct grain_part part, float times, float *to);

#endif
