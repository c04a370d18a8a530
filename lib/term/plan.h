/* Plans: a fractal prepared for one level and one chunk of columns. */
#ifndef TERRANE_PLAN_H
#define TERRANE_PLAN_H

#include "../kernel/kernel.h"

/* Memory of one octave: corners and tables of the lattice, or places of columns. */
union octave_store {
    struct {
        union {
            _Alignas(TERRANE_SCRATCH_ALIGN) float corner[2][KERNEL_CORNERS][KERNEL_COLUMNS];
            _Alignas(TERRANE_SCRATCH_ALIGN) float feature[KERNEL_FEATURES][2][KERNEL_COLUMNS];
        };
        _Alignas(TERRANE_SCRATCH_ALIGN) float table[3][KERNEL_SPAN];
        _Alignas(TERRANE_SCRATCH_ALIGN) uint32_t hash[KERNEL_COLUMNS];
    } lattice;
    struct {
        _Alignas(TERRANE_SCRATCH_ALIGN) int32_t cell[2][KERNEL_ROW];
        _Alignas(TERRANE_SCRATCH_ALIGN) uint32_t part[2][KERNEL_ROW];
    } points;
};

/* A chunk: columns gi .. gi + width - 1 (width <= KERNEL_WIDTH) of a level; gj: some row of the window. */
struct chunk {
    int level;
    int64_t gi, gj;
    int width;
};

/*
 * Plans a fractal (none of MIDPOINT) over a chunk. Borrows octave and store: one element each for every octave
 * of the recipe. Fills *plan.
 */
void plan_fractal(struct fractal_plan *plan, const struct terrane_world *world,
                  const struct terrane_fractal *fractal, const struct chunk *chunk, struct octave *octave,
                  union octave_store *store);

/* Places of rows in the octaves of the point way: out[i * KERNEL_ROWS + r]. */
void plan_point_rows(const struct fractal_plan *plan, const struct chunk *chunk, const struct rows *rows,
                     struct point_row *out);

/* Cubics through a term's knots: slopes by Fritsch and Butland, 0 at the ends. */
void plan_curve(struct curve *curve, const struct terrane_term *term);

#endif
