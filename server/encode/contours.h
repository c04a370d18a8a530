/*
 * Contours of heights: which are drawn, and their lines (isolines.h).
 */
#ifndef TERRANE_SERVER_CONTOURS_H
#define TERRANE_SERVER_CONTOURS_H

#include "isolines.h"

/* Metres between contours, as metres / by. */
struct contour_interval {
    int metres, by;
};

/* Of a tile whose samples are so far apart: of 1, 2 and 5 by a power of ten, from 0.1 to 1,000, the greatest that is not over two samples; beyond 64 m,
 * where slopes are gentler than ground's, not over what grows as their square root. */
struct contour_interval contour_interval(double spacing_m);

/* The height of contour k, metres. */
double contour_m(const struct contour_interval *interval, int32_t k);

/* The contours of side x side heights, in `unit`s a sample: see isolines. */
int contours(const float *height, int side, struct contour_interval interval, int32_t unit,
             isolines_take *take, void *to);

#endif
