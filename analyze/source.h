/*
 * Rasters of worlds.
 */
#ifndef TERRANE_ANALYZE_SOURCE_H
#define TERRANE_ANALYZE_SOURCE_H

#include <stdbool.h>

#include "../lib/terrane.h"
#include "raster.h"

/* What a world is asked with: one scratch buffer for all calls. Fill it with source_open. */
struct source {
    void *scratch; /* owned */
};

/* Returns 0, or -1 (memory is short) after a line on standard error. */
int source_open(struct source *source);
void source_close(struct source *source);

/* Recipes by name, from the built-in book (NULL: the one that ships), or from a file, which has a slash or
 * ends with .json. Fills *recipe; returns 0, or 2 after a line on standard error. */
int source_recipe(const char *name, struct terrane_recipe *recipe);

/* Seeds as the server reads them: 0 .. 2^64 - 1, 0x and hexadecimal digits, or a name. False: neither. */
bool source_seed(const char *text, uint64_t *seed);

/*
 * One fractal of one base and nothing else, 1 m a sample: amplitude 1 m, lacunarity 2, and at the first
 * octave cells of that many samples. Returns 0 or terrane_recipe_init's code.
 */
int source_fractal(enum terrane_base base, int octaves, float gain, int cell, struct terrane_recipe *recipe);

/*
 * Heights of a window, whose step is 1. quiet: without progress. Returns 0 (raster is owned by the caller),
 * or an exit status after a line on standard error.
 */
int source_heights(const struct source *source, const struct terrane_world *world,
                   const struct terrane_window *window, bool quiet, struct raster *raster);

/*
 * The same of what erosion leaves, where the recipe erodes the window's level. In pieces of 1024 x 1024 samples, each
 * with all levels above: at most 50 MB beside the raster.
 */
int source_eroded_heights(const struct source *source, const struct terrane_world *world,
                          const struct terrane_window *window, bool quiet, struct raster *raster);

#endif
