/*
 * Rivers, paths and caves in recipes as JSON (lib/read/read_erosion_rivers.c, read_paths_caves.c): what each member sets, and what is taken beside what.
 * Refusals: tests/config/refusals.json. Defaults and ends of numbers: tests/config/test_worlds.py.
 */
#include "../recipe_json_kit.h"

#define PATHS(members) "{'height': 1, 'paths': {" members "}}"
#define CAVES(members) "{'height': 1, 'caves': {" members "}}"

TEST(test_members)
{
    const struct terrane_paths *paths = &recipe.world.paths;
    const struct terrane_caves *caves = &recipe.world.caves;
    good(PATHS("'level': 3, 'cell': 128, 'slope': 0.5, 'width_m': 4, 'border_m': 0, 'depth_m': 3.5, "
               "'colour': '#010203'"));
    assert_true(paths->width_m == 4 && paths->level == 3 && paths->cell_log2 == 7 && paths->slope == 0.5f);
    assert_true(paths->border_m == 0 && paths->depth_m == 3.5f);
    assert_memory_equal(paths->colour, ((const uint8_t[]){1, 2, 3}), 3);
    assert_true(recipe.world.caves.share == 0);
    good(CAVES("'share': 1, 'level': 0, 'cell': 256, 'radius': 64, 'high_m': -5, 'roof_m': 1, 'height_m': 2, "
               "'room': 4.5, 'slope': 4"));
    assert_true(caves->share == 1 && caves->level == 0 && caves->cell_log2 == 8 && caves->radius == 64);
    assert_true(caves->high_m == -5 && caves->roof_m == 1 && caves->height_m == 2 && caves->room == 4.5f);
    assert_true(caves->slope == 4 && recipe.world.paths.width_m == 0);
}

TEST(test_towns)
{
    const struct terrane_towns *towns = &recipe.world.paths.towns;
    good(PATHS(""));
    const struct terrane_digest without = recipe.world.digest;
    assert_true(towns->block_log2 == 0 && towns->lane_m == 0);
    good(PATHS("'towns': {}"));
    assert_true(towns->block_log2 == 3 && towns->lane_m == 4);
    assert_memory_not_equal(&recipe.world.digest, &without, sizeof without);
    good(PATHS("'width_m': 5, 'towns': {'block': 4, 'lane_m': 5, 'note': 'close'}"));
    assert_true(towns->block_log2 == 2 && towns->lane_m == 5);
}

#define RIVERS(members)                                                                                \
    "{'terms': {'a': 3, 'rain': {'curve': 'a', 'knots': [[0, 0], [9, 9]]}}, 'height': 'a', 'rivers': " \
    "{" members "}}"

TEST(test_rivers)
{
    const struct terrane_rivers *rivers = &recipe.world.rivers;
    good(RIVERS("'note': 'as usual'"));
    assert_true(rivers->top == 13 && rivers->bottom == 5 && rivers->runoff == -1 && rivers->runoff_mm == 400);
    assert_int_equal(recipe.world.terms, 1);
    good(RIVERS("'bottom': 8")); /* tops are of its parity */
    assert_int_equal(rivers->top, 14);
    /* Terms, which are made though the height does not rest on them, and before it. */
    good(RIVERS("'runoff': 'rain'"));
    assert_int_equal(recipe.world.terms, 3);
    assert_string_equal(recipe.world.term[rivers->runoff].name, "rain");
    assert_true(rivers->runoff_mm == 0);
    assert_int_equal(rivers->sand, 0);
    good(RIVERS("'sand': 'rain'"));
    assert_string_equal(recipe.world.term[rivers->sand - 1].name, "rain");
    good(RIVERS("'runoff': {'fractal': 'fbm', 'amplitude_m': 500}"));
    assert_string_equal(recipe.world.term[rivers->runoff].name, "rivers/runoff");
    assert_string_equal(recipe.world.term[recipe.world.terms - 1].name, "a");
    good("{'terms': {'a': 1}, 'height': 2, 'partition': {'noise': 'a', 'thresholds': [0]}, " TWO_ZONES
         ", 'rivers': {'runoff': 'zones'}}");
    assert_int_equal(recipe.world.term[rivers->runoff].op, TERRANE_OP_ZONES);

    good("{'height': 1, 'rivers': {}, 'lakes': {'share': 0}, 'erosion': {}}");
    assert_int_equal(recipe.world.erosion.levels, 5);
    good("{'height': 1, 'rivers': {'bottom': 12}, 'erosion': {}, 'paths': {'level': 11, 'cell': 128}}");
    assert_int_equal(recipe.world.erosion.levels, 12);
    /* Drained ground alone is that with levels which move nothing. */
    good("{'height': 1, 'rivers': {}, 'erosion': {'phases': 0, 'steps': 1, 'slides': 0}}");
    const struct terrane_digest nothing_moved = recipe.world.digest;
    good("{'height': 1, 'rivers': {}}");
    assert_memory_equal(&recipe.world.digest, &nothing_moved, sizeof nothing_moved);
}

#define RIDGES "{'height': {'fractal': 'ridged', 'octaves': 15, 'cell_m': 32768, 'amplitude_m': 900}, "

/* What rests on more than one member, at its ends and beyond. */
TEST(test_what_leans_on_other_members)
{
    good("{'height': 1, 'spacing_m': 3, 'paths': {'width_m': 6}}");
    good(PATHS("'level': 4, 'cell': 16, 'width_m': 6, 'border_m': 5"));
    good("{'height': 1, 'lakes': {'level': 3}, 'paths': {'level': 4}, 'caves': {'level': 4}}");
    good("{'height': 1, 'lakes': {'level': 3, 'share': 0}, 'paths': {'level': 5}, 'caves': {'level': 5}}");
    good("{'height': 1, 'paths': {'depth_m': 12}, 'caves': {'roof_m': 12}}");
    good(CAVES("'roof_m': 1"));
    /* What lies under caves and paths counts as it is made: in pieces, where the ground is wide. */
    good(RIDGES "'erosion': {'phases': 10, 'steps': 14}, 'caves': {'radius': 64}}");
    good(RIDGES "'erosion': {}, 'lakes': {}, 'paths': {}, 'caves': {}}");
}

GROUP(recipe_json_paths);
