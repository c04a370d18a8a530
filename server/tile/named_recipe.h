/*
 * A recipe as targets name it.
 */
#ifndef TERRANE_SERVER_NAMED_RECIPE_H
#define TERRANE_SERVER_NAMED_RECIPE_H

#include <stdbool.h>

#include "../../lib/terrane.h"

enum { RECIPE_NAME_BYTES = 64 }; /* longest name in the book */

/* A recipe, and what the book knows of it. Plain data. */
struct recipe {
    char name[RECIPE_NAME_BYTES + 1]; /* [a-z][a-z0-9-]{0,63}; "" before it stands in a book */
    char description[TERRANE_DESCRIPTION_BYTES];
    bool shipped; /* built in: what it makes changes with the generator's version only */
    double cost;
    struct terrane_recipe world; /* terrane_recipe_init has accepted it */
};

#endif
