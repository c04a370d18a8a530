/*
 * Paths and caves in recipes as JSON (lib/recipe/read_works.c): what each member sets, what refusals say that rest
 * on more than one number, and what is too dear. Defaults and ends of numbers: tests/config/test_worlds.py.
 */
#include "recipe_json_kit.h"

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

/* What rests on more than one member, at its ends and beyond. */
TEST(test_what_leans_on_other_members)
{
    good("{'height': 1, 'spacing_m': 3, 'paths': {'width_m': 6}}");
    assert_refused("{'height': 1, 'spacing_m': 3, 'paths': {'width_m': 5.5}}",
                   "/paths/width_m: 5.5 is under two samples: allowed at least 6");
    good(PATHS("'level': 4, 'cell': 16, 'width_m': 6, 'border_m': 5"));
    assert_refused(PATHS("'level': 4, 'cell': 16, 'width_m': 6, 'border_m': 5.5"),
                   "/paths/cell: 16 samples of level 4 are 256 m: allowed at least 272 m, 32 times half of "
                   "width_m and "
                   "border_m");
    good("{'height': 1, 'lakes': {'level': 3}, 'paths': {'level': 4}, 'caves': {'level': 4}}");
    assert_refused("{'height': 1, 'lakes': {'level': 3}, 'paths': {'level': 5}}",
                   "/paths/level: 5 is more than one above the level of the lakes, 3: allowed at most 4");
    assert_refused("{'height': 1, 'lakes': {'level': 3}, 'caves': {'level': 5}}",
                   "/caves/level: 5 is more than one above the level of the lakes, 3: allowed at most 4");
    good("{'height': 1, 'lakes': {'level': 3, 'share': 0}, 'paths': {'level': 5}, 'caves': {'level': 5}}");
    good("{'height': 1, 'paths': {'depth_m': 12}, 'caves': {'roof_m': 12}}");
    assert_refused(
        "{'height': 1, 'paths': {'depth_m': 12.5}, 'caves': {'roof_m': 12}}",
        "/caves/roof_m: 12 is under depth_m of the paths, which cut as deep: allowed at least 12.5");
    good(CAVES("'roof_m': 1"));
}

#define RIDGES "{'height': {'fractal': 'ridged', 'octaves': 15, 'cell_m': 32768, 'amplitude_m': 900}, "

/* What lies under caves and paths counts as it is made: in pieces, where the ground is wide. */
TEST(test_too_dear)
{
    assert_refused_at(RIDGES "'erosion': {'phases': 10, 'steps': 14}, 'lakes': {'level': 2, 'radius': 128}, "
                             "'caves': {'radius': 64}}",
                      "/caves: a tile that nothing is kept of takes ");
    assert_refused_at(
        RIDGES "'erosion': {'phases': 10, 'steps': 14}, 'lakes': {'radius': 128}, 'paths': {'cell': 128}}",
        "/paths: a tile that nothing is kept of takes ");
    good(RIDGES "'erosion': {'phases': 10, 'steps': 14}, 'caves': {'radius': 64}}");
    good(RIDGES "'erosion': {}, 'lakes': {}, 'paths': {}, 'caves': {}}");
}

GROUP(recipe_json_paths);
