/*
 * Climate at nodes: warmth by bands, rain by winds. lib/README.md "Climate" defines the function.
 *
 * A node depends only on heights up to CLIMATE_STEPS nodes upwind. Nodes are those of a level, the recipe's or the window's
 * own, whichever is coarser; coarser ones take fewer steps, over as many kilometres.
 */
#ifndef TERRANE_CLIMATE_H
#define TERRANE_CLIMATE_H

#include "fields.h"

enum { CLIMATE_STEPS = 32 };

/* Makes the nodes of a window, as fields_make; fills warmth and rain. Cost: the ground at the nodes and at CLIMATE_STEPS + 1 more
 * on every side, and a microsecond a node; nothing for cached ones (terrane_memory's memo). */
int climate_make(struct fields *fields, const struct terrane_world *world,
                 const struct terrane_window *window, int around, const struct terrane_memory *memory);

/* A strip of a quantity; ground: of the same strip, read for TEMPERATURE. */
void climate_rows(const struct fields *fields, const struct terrane_recipe *recipe,
                  enum terrane_climate_of of, int64_t gi, const struct rows *rows, const struct strip *ground,
                  struct strip *out);

/* rgb[3 * i + c] of values[3 * i + k], as layer climate has them: ice, tundra, sand, grass and woods. */
void terrane_climate_colours(const float *values, size_t count, uint8_t *rgb);

#endif
