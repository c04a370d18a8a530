/*
 * Recipes of files: what terrane_recipe_parse takes, within the limits of cost.
 *
 * Whatever is wrong is refused in one line that names the file, the value by its JSON Pointer, and what is allowed:
 *
 *     alpine.json: /terms/hills/octaves: 1000000000 is not a whole number from 1 to 24
 *     alpine.json: /zones/2/surface: there is no term "hlls"; did you mean "hills"?
 */
#ifndef TERRANE_SERVER_RECIPE_JSON_H
#define TERRANE_SERVER_RECIPE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "../tile/named_recipe.h"

enum {
    RECIPE_ERROR_BYTES = 1024, /* a buffer of this size holds any message, but for very long file names */
    RECIPE_COST_LIMIT = 2000,  /* the highest cost: 50 to 100 ms a tile of heights with SSE2 */
    RECIPE_SECONDS_LIMIT = 5   /* the longest that a tile takes alone, with scalar kernels */
};

/* The default where the configuration names none. */
#define RECIPE_SHIPPED_DEFAULT "continents"

/*
 * Fills *recipe from a text; its name stays "". file is what messages call the text. Returns 0, or -1 with one line
 * without a line feed in error; *recipe is untouched then. Any bytes may be given.
 */
int recipe_parse(struct recipe *recipe, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes) __attribute__((warn_unused_result));

/* The same of the file at path. */
int recipe_load(struct recipe *recipe, const char *path, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/*
 * What a sample costs, counted in octaves of lattice noise (config/worlds/README.md has the weights): an estimate to
 * refuse by, not a measurement. Erosion and lakes count as where regions are kept and shared.
 */
double recipe_cost(const struct terrane_recipe *recipe);

/*
 * The same of a sample of a region of 512 x 512 of which nothing is kept: with halos, and every coarser level that it
 * rests on, for the level where that is dearest. 0 where nothing needs a region.
 */
double recipe_region_cost(const struct terrane_recipe *recipe);

/*
 * Seconds of one core that a tile of the dearest layer takes with scalar kernels where nothing is kept (recipe_work.c), an
 * estimate; and those of each part, of which a layer has some: terms, of which the tile's own samples are made, and the regions.
 */
enum recipe_part {
    RECIPE_TERMS,
    RECIPE_EROSION,
    RECIPE_LAKES,
    RECIPE_PATHS,
    RECIPE_CAVES,
    RECIPE_RIVERS,
    RECIPE_PARTS
};
extern const char *const recipe_part_name[RECIPE_PARTS]; /* keys of the document */
double recipe_tile_seconds(const struct terrane_recipe *recipe, double seconds[static RECIPE_PARTS]);

#endif
