/*
 * Which samples of a window lie in which region of a grid.
 */
#ifndef TERRANE_PRODUCT_REGION_GRID_H
#define TERRANE_PRODUCT_REGION_GRID_H

#include "../terrane_make.h"

/* The regions of first's kind, level and variant that a window (of any level and step) lies in; its far edge counts to those
 * that end there. Fills first.x and .y, columns and rows. Returns 0, or TERRANE_EWINDOW, where they are not 2 x 2 at most. */
int grid_lay(struct terrane_region_grid *grid, const struct terrane_window *window);

/* Samples of a window that lie in one region. */
struct block {
    struct terrane_window window;
    size_t at; /* of its first sample, in the whole window */
    int k;     /* the region */
};

/* Calls visit for every block, until one returns not 0; returns what the last one did. What lies beyond all regions, as the
 * ring around a tile does, belongs to the nearest. */
int grid_visit(const struct terrane_region_grid *grid, const struct terrane_window *window,
               int (*visit)(void *context, const struct block *block), void *context);

/* Copies a block of samples out of arrays that are width samples wide, or back; size: bytes of a sample. Where whole is NULL,
 * nothing. */
void block_copy(const struct block *block, int width, void *whole, void *part, size_t size, bool back);

#endif
