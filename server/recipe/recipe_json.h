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
 * Fills *recipe from a text, which may name no files; its name stays "". file is what messages call the text. Returns 0, or -1 with one line
 * without a line feed in error; *recipe is untouched then. Any bytes may be given.
 */
int recipe_parse(struct recipe *recipe, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes) __attribute__((warn_unused_result));

/* The same of a text that is built in. Its seconds are not counted, which takes as long as all else: test_book.c does. */
int recipe_parse_shipped(struct recipe *recipe, const char *text, size_t bytes, const char *file, char *error,
                         size_t error_bytes) __attribute__((warn_unused_result));

/* The same of the file at path, which may name files beside it: recipe_drop lets go of these. Its text is the caller's, no zero stands behind it. */
int recipe_load_text(struct recipe *recipe, const char *path, char **text, size_t *bytes, char *error,
                     size_t error_bytes) __attribute__((warn_unused_result));

/* ... without its text. */
int recipe_load(struct recipe *recipe, const char *path, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

#endif
