/*
 * The names that fuzzed targets and bodies are read with: a world "home", and the recipes "default" and
 * "alpine". The latter, which is that of "home", erodes, and has the least spacing there is.
 */
#ifndef TERRANE_TESTS_FUZZ_NAMES_H
#define TERRANE_TESTS_FUZZ_NAMES_H

#include "../../server/recipe/recipe_json.h"
#include "../../server/tile/target.h"
#include "fuzz_kit.h"

static struct recipe standard = {.name = "default"}, other = {.name = "alpine"};

static inline bool keys_equal(const struct tile_key *a, const struct tile_key *b)
{
    return a->seed == b->seed && a->x == b->x && a->y == b->y && a->level == b->level &&
           a->layer == b->layer && a->variant == b->variant && a->format == b->format && a->enc == b->enc &&
           a->size == b->size && a->coding == b->coding && a->shift == b->shift && a->reg == b->reg;
}

/* Gives the recipes their worlds, the first time. */
static inline void names_fill(void)
{
    if (standard.world.terms > 0)
        return;
    terrane_recipe_default(&standard.world);
    other.world = standard.world;
    standard.world.erosion.levels = 0;
    other.world.erosion.levels = 3;
    other.world.spacing_m = 0x1p-10;
}

static inline bool world_named(const void *context, const char *name, size_t bytes, struct tile_key *key,
                               const struct recipe **recipe)
{
    (void)context;
    require(bytes >= 1 && bytes <= 64, "a name of no length");
    if (bytes != 4 || memcmp(name, "home", 4) != 0)
        return false;
    key->seed = 7;
    *recipe = &other;
    return true;
}

static inline const struct recipe *recipe_named(const void *context, const char *name, size_t bytes)
{
    (void)context;
    require(bytes >= 1 && bytes <= 64, "a recipe of no length");
    if (bytes == 7 && memcmp(name, "default", 7) == 0)
        return &standard;
    return bytes == 6 && memcmp(name, "alpine", 6) == 0 ? &other : NULL;
}

static const struct target_names names = {world_named, recipe_named, NULL, &standard, NULL};

#endif
