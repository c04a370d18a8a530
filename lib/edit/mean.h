/*
 * Means of surroundings, on a lattice, and between its samples.
 */
#ifndef TERRANE_EDIT_MEAN_H
#define TERRANE_EDIT_MEAN_H

#include "stroke.h"

enum {
    MEAN_REACH = 4, /* samples that a mean is of, on every side */
    MEAN_SIDE =
        68, /* a stroke is under 64 samples of its own level wide, between 65, and a spline reads 3 more */
    MEAN_ROWS = MEAN_SIDE + 2 * MEAN_REACH,
};
_Static_assert(MEAN_REACH + 2 == TERRANE_EDIT_HALO, "a spline reads two samples behind");

/* Ground of a window, in units of height: as it was, and what operations added. */
struct edit_ground {
    struct terrane_window window;
    int32_t *base, *delta;
};

struct mean {
    struct terrane_edit_box box;        /* of the samples that follow */
    int32_t at[MEAN_SIDE * MEAN_SIDE];  /* row by row */
    double room[MEAN_ROWS * MEAN_SIDE]; /* sums along rows */
    int64_t column[MEAN_SIDE];          /* of a row between samples, in 2^-8 units */
    int32_t weight[TERRANE_WINDOW_MAX][4],
        first[TERRANE_WINDOW_MAX]; /* of columns between samples: of four from the first on */
};

/* Makes the means of a box of a ground's lattice, which has MEAN_REACH samples more on every side. */
void mean_make(struct mean *mean, const struct edit_ground *ground, const struct terrane_edit_box *box);

/* Places itself in so many columns, that are g, g + step .. of a level so many levels finer, and in a row; then the mean there. The means
 * are made before. */
void mean_columns(struct mean *mean, int64_t g, int step, int count, int finer);
void mean_row(struct mean *mean, int64_t g, int finer);
int64_t mean_between(const struct mean *mean, int column);

#endif
