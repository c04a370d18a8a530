/*
 * A recipe as C source.
 */
#ifndef TERRANE_SERVER_RECIPE_SOURCE_H
#define TERRANE_SERVER_RECIPE_SOURCE_H

#include <stdio.h>

#include "../../lib/terrane.h"

/* Writes a recipe that is ready as a C function that fills one: recipe_fill. */
void recipe_source_write(FILE *out, const struct terrane_recipe *recipe);

#endif
