/*
 * Paths and caves in recipes as JSON (lib/recipe/read_works.c): what each member sets, and what is too dear. Defaults, ends of
 * numbers and what leans on other members: tests/config/test_worlds.py.
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
