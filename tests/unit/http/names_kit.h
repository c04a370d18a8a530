/*
 * The names that targets and bodies are read with in tests: worlds "home", "edge" and "peaks", recipes
 * "default" and "alpine". The latter, which is that of "peaks", erodes, and has tiles of 64 m.
 */
#ifndef TERRANE_TESTS_NAMES_KIT_H
#define TERRANE_TESTS_NAMES_KIT_H

#include "../unit.h"

#include "../../../server/recipe/recipe_json.h"
#include "../../../server/tile/target.h"

/* The parameter that says the newest generator, which alone these recipes have. */
#define NAMES_TEXT(number) NAMES_IS(number)
#define NAMES_IS(number)   #number
#define NEWEST             "v=" NAMES_TEXT(TERRANE_GENERATOR_VERSION)

static const struct recipe standard = {.name = "default",
                                       .usual = true,
                                       .world = {.generator = TERRANE_GENERATOR_VERSION, .spacing_m = 1}},
                           other = {.name = "alpine",
                                    .usual = true,
                                    .world = {.generator = TERRANE_GENERATOR_VERSION,
                                              .spacing_m = 0.25,
                                              .erosion.levels = 3}};

static inline bool world_named(const void *context, const char *name, size_t bytes, struct tile_key *key,
                               const struct recipe **recipe)
{
    assert_ptr_equal(context, &world_named);
    assert_in_range(bytes, 1, 64);
    if (bytes == 4 && memcmp(name, "home", 4) == 0)
        key->seed = 7;
    else if (bytes == 4 && memcmp(name, "edge", 4) == 0)
        key->seed = UINT64_MAX;
    else if (bytes == 5 && memcmp(name, "peaks", 5) == 0)
        key->seed = 3;
    else
        return false;
    *recipe = key->seed == 3 ? &other : &standard;
    return true;
}

static inline const struct recipe *recipe_named(const void *context, const char *name, size_t bytes)
{
    assert_ptr_equal(context, &world_named);
    assert_in_range(bytes, 1, 64);
    if (bytes == 7 && memcmp(name, "default", 7) == 0)
        return &standard;
    return bytes == 6 && memcmp(name, "alpine", 6) == 0 ? &other : NULL;
}

static const struct target_names names = {world_named, recipe_named, &world_named, &standard, NULL};

#endif
