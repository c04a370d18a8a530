/*
 * Box-count dimension (document 000, section 5.3): how many squares cover a curve, against
 * their side.
 */
#ifndef TERRANE_ANALYZE_BOX_COUNT_H
#define TERRANE_ANALYZE_BOX_COUNT_H

#include <stdint.h>

#include "fit.h"
#include "raster.h"

enum {
    BOX_SIZES = 6, /* sides of 2, 4 .. 64 cells */
    BOX_GRIDS = 4  /* positions of the grid */
};

struct box_count {
    int sizes;                          /* how many sides were counted; 0: the raster is too small */
    int side[BOX_SIZES];                /* in cells */
    double boxes[BOX_GRIDS][BOX_SIZES]; /* of each grid */
    double mean[BOX_SIZES];             /* of the grids */
    struct fit grid_fit[BOX_GRIDS];     /* log2 boxes over log2 side; no points where a count is 0 */
    struct fit fit;                     /* ... of the mean */
};

/* The dimension a fit stands for: NaN where there is none. */
double box_count_dimension(const struct fit *fit);

/*
 * Counts boxes that hold a marked cell. The grids start 0, 1/4, 1/2 and 3/4 of the largest box from the
 * north-west corner, along x and y in different orders; all boxes of a grid lie wholly within one rectangle,
 * which is the same for all sides: nothing is counted half.
 *
 *   cell  width x height bytes, not 0 where marked
 *
 * Returns 0, or -1 when memory is short.
 */
int box_count_cells(const uint8_t *cell, int width, int height, struct box_count *out);

/*
 * The curve where the raster passes a level: a cell is the square between four samples, and is marked where
 * some of them are at or above the level and some below.
 */
int box_count_level(const struct raster *raster, double level_m, struct box_count *out);

/* The mean of many counts (of equal sizes), with the fit of the mean; the grids' fits stay empty. */
struct box_count box_count_pool(const struct box_count *counts, int count);

#endif
