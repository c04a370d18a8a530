/*
 * The regions under a tile, where there may be several of a kind: which, and which samples of a window lie in which.
 */
#ifndef TERRANE_SERVER_TILE_GRID_H
#define TERRANE_SERVER_TILE_GRID_H

#include "region.h"

enum { TILE_GRID_MAX = 4 }; /* 2 x 2 regions */

/* columns x rows regions, from the first on to the east and south; none: columns and rows are 0. */
struct tile_grid {
    struct region first;
    int columns, rows;
};

/* The regions of first's kind, level and variant that a window (of any level and step) lies in; its far edge counts to those
 * that end there. Fills first.x and .y, columns and rows. */
void tile_grid_lay(struct tile_grid *grid, const struct terrane_window *window);

static inline int tile_grid_count(const struct tile_grid *grid)
{
    return grid->columns * grid->rows;
}

/* The k-th of them, row by row. */
struct region tile_grid_at(const struct tile_grid *grid, int k);

/* Samples of a window that lie in one region. */
struct tile_block {
    struct terrane_window window;
    size_t at; /* of its first sample, in the whole window */
    int k;     /* the region */
};

/* Calls visit for every block, until one returns not 0; returns what the last one did. What lies beyond all regions, as the
 * ring around a tile does, belongs to the nearest. */
int tile_grid_visit(const struct tile_grid *grid, const struct terrane_window *window,
                    int (*visit)(void *context, const struct tile_block *block), void *context);

/* Copies a block of samples out of arrays that are width samples wide, or back; size: bytes of a sample. */
void tile_block_copy(const struct tile_block *block, int width, void *whole, void *part, size_t size,
                     bool back);

#endif
