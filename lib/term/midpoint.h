/*
 * Seamless midpoint displacement: the diamond-square algorithm on one lattice without end.
 */
#ifndef TERRANE_MIDPOINT_H
#define TERRANE_MIDPOINT_H

#include "../kernel/kernel.h"

enum {
    /* n adjacent points of a lattice depend on at most n / 2 + 5 / 2 of the lattice before. */
    MIDPOINT_ROWS = KERNEL_ROWS / 2 + 3,
    MIDPOINT_COLUMNS = KERNEL_WIDTH / 2 + 3,
    /* Rows of it have room for one point more at both ends. */
    MIDPOINT_ROW = (MIDPOINT_COLUMNS + 2 + 15) / 16 * 16,
};

/* Work memory of one strip; about 16 KB. Its content does not matter, before or after. */
struct midpoint {
    /* coarser and finer, in turn */
    _Alignas(TERRANE_SCRATCH_ALIGN) float lattice[2][MIDPOINT_ROWS][MIDPOINT_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float diamond[MIDPOINT_ROWS][MIDPOINT_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float square[MIDPOINT_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) uint32_t even[KERNEL_ROW], odd[KERNEL_ROW]; /* words of columns */
};

/*
 * midpoint_rows - rows of TERRANE_MIDPOINT and TERRANE_MIDPOINT_SMOOTHED.
 *
 * Sets out->value[r][KERNEL_PAD + i] to the fractal at the level's lattice point (gi + i, gj + r * step); one
 * float before a row and one behind it may become garbage. Borrows all it is given; fractal is one that
 * terrane_recipe_init has accepted; |gi|, |gj| <= 2^50 + 2^22, width 1 .. KERNEL_WIDTH, rows 1 ..
 * KERNEL_ROWS. Point (L, gi, gj) is point (0, gi * 2^L, gj * 2^L), to the bit; corners count modulo 2^64,
 * which only a level can show whose spacing is over 2^12 cells. Values lie within amplitude 0 and 3/2 of the
 * sum of the others, and rounding. Cost: linear in samples, and about five times as high a row for rows made
 * apart (step > 1) as for eight together; the number of octaves hardly counts.
 */
void midpoint_rows(struct midpoint *work, const struct terrane_world *world,
                   const struct terrane_fractal *fractal, int level, int64_t gi, int width, int64_t gj,
                   int step, int rows, struct strip *out);

#endif
