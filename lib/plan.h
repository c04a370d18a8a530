/*
 * Plans: what a recipe comes to at one level, over one chunk of columns.
 */
#ifndef TERRANE_PLAN_H
#define TERRANE_PLAN_H

#include "kernel/kernel.h"

/* Memory of one octave's corners and fade tables. */
struct octave_store {
    _Alignas(TERRANE_SCRATCH_ALIGN) float corner[4][KERNEL_COLUMNS];
    _Alignas(TERRANE_SCRATCH_ALIGN) float table[3][KERNEL_SPAN];
};

/*
 * Plans a fractal at a level over columns gi .. gi + width - 1 (width <= KERNEL_WIDTH). Octaves whose cells
 * span under two samples are left out. Borrows store: one element an octave of the recipe. Fills *plan.
 */
void plan_fractal(struct fractal_plan *plan, const struct terrane_world *world,
                  const struct terrane_fractal *fractal, float start, int level, int64_t gi, int width,
                  struct octave_store *store);

/*
 * The partition's one octave; no octave where there is a single zone or the cell is too small for the level.
 */
void plan_partition(struct fractal_plan *plan, const struct terrane_world *world, int level, int64_t gi,
                    int width, struct octave_store *store);

void plan_steer(struct steer *steer, const struct terrane_partition *partition);

#endif
