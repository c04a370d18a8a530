/*
 * What the parts of the golden program share: bytes, their digests, worlds.
 */
#ifndef TERRANE_GOLDEN_H
#define TERRANE_GOLDEN_H

#include "../../lib/base/window.h"

/* The generator that recipes are made by. */
extern int generator;

/* Ends the program, naming what failed, unless ok. */
void need(int ok, const char *what);

/* Memory that need speaks for, aligned as the library wants it: to be freed, or lent until the next digest is printed. */
void *need_memory(size_t bytes);
void *lend(size_t bytes);

/* Bytes of the next digest, little-endian whatever this machine's order. */
void put(uint64_t bits, int size);
void put_octets(const uint8_t *v, size_t count);
void put_floats(const float *v, size_t count);
void put_doubles(const double *v, size_t count);

/* Prints the digest of all that was put since the last one, by name. */
void print(const char *name);
__attribute__((format(printf, 1, 2))) void print_as(const char *format, ...);

/* Takes a recipe and makes a world of it. */
struct terrane_world world_of(struct terrane_recipe *recipe, uint64_t seed);

/* Takes a recipe and puts its digest, its bounds, and heights of these windows. */
void put_recipe(struct terrane_recipe *recipe, uint64_t seed, const struct terrane_window *window,
                size_t windows);

/* ---- golden_water.c ------------------------------------------------------------------------------------ */

/* Heights of a window, eroded where its level is, and how deep they lie under water. Lent. */
float *ground_of(const struct terrane_world *world, const struct terrane_window *window);
float *depth_of(const struct terrane_world *world, const struct terrane_window *window, const float *ground);

/* Made-up recipes that erode, and that have lakes. */
void erosions(void);
void waters(void);

/* Erosion and lakes of a recipe that ships; finest: of level 0, too. */
void shipped_water(const struct terrane_world *world, const char *title, bool finest);

/* ---- golden_rivers.c ----------------------------------------------------------------------------------- */

/* Drainage of a recipe that ships, and, with layers, what stands on it; finest: below the lattices, too. */
void shipped_relief(const struct terrane_world *world, const char *title, bool broad);
void shipped_bridge(const struct terrane_world *world);
void shipped_rivers(const struct terrane_world *world, const char *title, bool finest, bool layers);

/* Materials that ask for each quantity, and for a term, of drained ground and of base. */
void covers(void);

/* ---- golden_paths.c ------------------------------------------------------------------------------------ */

/* Made-up recipes that have paths. */
void paths(void);

/* ---- golden_caves.c, golden_edits.c, golden_models.c, golden_patches.c --------------------------------- */

/* Made-up recipes that have caves. */
void caves(void);

/* Plates, climate and coarse terms of made-up recipes: golden_earth.c. */
void earths(void);

/* Rasters, and what they fade into: golden_raster.c. */
void rasters(void);

/* All models of all seeds. */
void models(void);

/* All brushes, at levels below and above their own. */
void edits(void);

/* Paths through patches, by relaxation and by the fast way. */
void patches(void);

#endif
