/*
 * Climate at nodes: warmth by bands, rain that winds bring. lib/README.md "Climate" states the function.
 *
 * A node looks CLIMATE_STEPS nodes upwind, at heights between them: that is all it rests on. Nodes are those of a level, the
 * recipe's or the window's own, whichever is coarser; coarser ones take fewer steps, as many kilometres.
 */
#ifndef TERRANE_CLIMATE_H
#define TERRANE_CLIMATE_H

#include "lend.h"
#include "spline.h"

enum { CLIMATE_STEPS = 32 };

/* The nodes that a window's samples read. */
struct climate {
    int log2;            /* samples of the window's level between nodes */
    int64_t column, row; /* of the first one */
    int columns, rows;
    float *warmth, *rain; /* columns x rows; owned: climate_free. NULL: there are none */
};

/*
 * Of all samples from a window's first to its last, and around more on every side. Borrows memory, with its scratch, which is free again when it
 * returns: 0, or TERRANE_EMEMORY, and then there is nothing to free. Cost: the recipe's ground at the nodes and at
 * CLIMATE_STEPS more on every side, and a microsecond a node.
 */
int climate_make(struct climate *climate, const struct terrane_world *world, const struct terrane_window *window,
                 int around, const struct terrane_memory *memory);
void climate_free(struct climate *climate, const struct terrane_memory *memory);

/* A strip of a quantity, of a chunk of the window; ground: of the same strip, read for TEMPERATURE. */
void climate_rows(const struct climate *climate, const struct terrane_recipe *recipe,
                  enum terrane_climate_of of, int64_t gi, const struct rows *rows, const struct strip *ground,
                  struct strip *out);

#endif
