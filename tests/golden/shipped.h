/*
 * The recipes that ship, from config/worlds under the directory that the program is run in.
 */
#ifndef TERRANE_GOLDEN_SHIPPED_H
#define TERRANE_GOLDEN_SHIPPED_H

#include <stdio.h>
#include <stdlib.h>

#include "../../lib/terrane.h"

/* Fills a recipe as it is by a generator, ready to use; ends the program where that cannot be. */
static inline void recipe_shipped(struct terrane_recipe *recipe, const char *name, int by)
{
    static char text[TERRANE_RECIPE_TEXT_MAX];
    char path[128], error[TERRANE_REFUSAL_BYTES] = "cannot be read";
    FILE *file = NULL;
    for (int n = by; !file && n < TERRANE_GENERATOR_VERSION; n++) { /* the first that has changed since */
        snprintf(path, sizeof path, "config/worlds/%d/%s.json", n, name);
        file = fopen(path, "rb");
    }
    if (!file) {
        snprintf(path, sizeof path, "config/worlds/%s.json", name);
        file = fopen(path, "rb");
    }
    const size_t bytes = file ? fread(text, 1, sizeof text, file) : 0;
    if (!file || terrane_recipe_parse(text, bytes, NULL, NULL, recipe, NULL, error, sizeof error) != 0) {
        fprintf(stderr, "%s: %s\n", path, error);
        exit(1);
    }
    fclose(file);
    recipe->generator = by;
    if (terrane_recipe_init(recipe, NULL) != 0)
        exit(1);
}

#endif
