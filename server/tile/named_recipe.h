/*
 * A recipe as targets name it.
 */
#ifndef TERRANE_SERVER_NAMED_RECIPE_H
#define TERRANE_SERVER_NAMED_RECIPE_H

#include <stdbool.h>
#include <string.h>

#include "../../lib/terrane.h"
#include "../base/refcount.h"

enum {
    RECIPE_NAME_BYTES = 64, /* longest name in the book */
    GENERATORS = TERRANE_GENERATOR_VERSION - TERRANE_GENERATOR_OLDEST + 1
};

/* A recipe, and what the book knows of it. Plain data, but that a copy that outlives this one holds the rasters. */
struct recipe {
    char name[RECIPE_NAME_BYTES + 1]; /* [a-z][a-z0-9-]{0,63}; "" before it stands in a book */
    char description[TERRANE_DESCRIPTION_BYTES];
    bool shipped; /* built in: what it makes changes with the generator's version only */
    bool pins;    /* its text says which generator makes it */
    bool usual;   /* where its name alone is given, this is meant */
    double cost;
    struct recipe *const *
        kept; /* borrowed: GENERATORS of them, what it is under each, the oldest first; an entry is NULL where
                                   that generator has none. NULL: itself alone */
    struct refcount *rasters; /* owned, a struct raster_set: what its terms borrow; NULL: it names no file */
    struct terrane_recipe world; /* terrane_recipe_init has accepted it */
};

/* Lets go of what a recipe that was read owns. All zero is fine. */
static inline void recipe_drop(struct recipe *recipe)
{
    refcount_release(recipe->rasters);
    recipe->rasters = NULL;
}

/* The recipe of that name under a generator, TERRANE_GENERATOR_OLDEST .. TERRANE_GENERATOR_VERSION; NULL: there is none. */
static inline const struct recipe *recipe_under(const struct recipe *recipe, int generator)
{
    if (recipe->kept)
        return recipe->kept[generator - TERRANE_GENERATOR_OLDEST];
    return recipe->world.generator == generator ? recipe : NULL;
}

/* Whether both are recipes of one name, under whatever generators. */
static inline bool recipe_same(const struct recipe *a, const struct recipe *b)
{
    return strcmp(a->name, b->name) == 0;
}

#endif
