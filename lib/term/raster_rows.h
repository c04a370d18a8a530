/*
 * Strips of rasters: cubic through the samples of one, and where they fade beyond its edges.
 */
#ifndef TERRANE_RASTER_ROWS_H
#define TERRANE_RASTER_ROWS_H

#include "../kernel/kernel.h"

enum { RASTER_COLUMNS = 4 * KERNEL_WIDTH };

/* Where a chunk's columns stand among a raster's. */
struct raster_chunk {
    bool planned;
    const struct terrane_term *term;
    double spacing_m; /* of level 0 */
    int level, width;
    bool inside, beyond; /* whether the raster, and what it fades into, have some share in a column */
    int columns;         /* of the raster that are read */
    int32_t column[RASTER_COLUMNS]; /* which */
    int32_t first[KERNEL_WIDTH];    /* of a sample: the first of four among these */
    float t[KERNEL_WIDTH];          /* its way from the second to the third: 0 .. 1 */
    float weight[KERNEL_WIDTH];     /* the raster's share along this axis: 0 .. 1 */
};

/* Columns gi .. gi + width - 1 of a level. */
void raster_chunk(struct raster_chunk *chunk, const struct terrane_term *term, double spacing_m, int level,
                  int64_t gi, int width);

/* Whether a strip's rows have some share of the raster (bit 0), of what it fades into (bit 1). */
int raster_held(const struct raster_chunk *chunk, const struct rows *rows);

/* The strip. beyond: of the term that it fades into, NULL where that has no share. */
void raster_rows(const struct raster_chunk *chunk, const struct rows *rows, const struct strip *beyond,
                 struct strip *out);

#endif
