/*
 * What a search says of what it has found.
 */
#include "../lib_fixture.h"

#include "../../../server/render/seek_parts.h"
#include "hollow_kit.h"

TEST(a_peak_on_the_last_sample_of_the_world_is_looked_up)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    hollow_recipe(&recipe);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    terrane_world_init(&world, &recipe, 42);
    const int64_t last = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES; /* of the far edge */
    for (int side = 0; side < 3; side++) {
        struct seek_hit hit = {.level = 9, .gi = side == 1 ? -last : last, .gj = side == 2 ? -last : last};
        assert_int_equal(seek_name_peak(&world, &hit), 0);
    }
}

GROUP(seek);
