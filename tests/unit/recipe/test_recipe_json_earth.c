/*
 * Plates, climate and coarse terms in recipes as JSON (lib/recipe/read_earth.c, server/recipe/recipe_nodes.c): what refusals say and
 * where, and what it all costs.
 */
#include "recipe_json_kit.h"

TEST(what_it_costs)
{
    good("{'plates': {}, 'height': {'plates': 'age'}}");
    assert_true(recipe.cost == 10 + 4);
    good("{'plates': {}, 'height': {'coarse': {'curve': {'plates': 'age'}, 'knots': [[0, 0], [1, 1]]}}}");
    assert_true(recipe.cost == 10 + 4); /* the curve is made at nodes */
    good("{'climate': {'ground': {'fractal': 'fbm', 'octaves': 7, 'cell_m': 65536}}, 'height': {'climate': "
         "'warmth'}}");
    assert_true(recipe.cost == 10 + 4);
    good("{'climate': {'ground': {'fractal': 'fbm', 'octaves': 7, 'cell_m': 65536}}, "
         "'height': {'climate': 'temperature'}}");
    assert_true(recipe.cost == 10 + 4 + 7); /* heights are made at every sample */
    double of_parts[RECIPE_PARTS];
    const double none = 0.03;
    assert_true(recipe_tile_seconds(&recipe.world, of_parts) > none); /* at its own level */
    good("{'plates': {'cell_m': 512}, 'height': {'plates': 'age'}}");
    assert_true(recipe_tile_seconds(&recipe.world, of_parts) > 10 * none); /* where cells are narrow */
}

TEST(refusals_say_where)
{
    assert_refused("{'height': {'plates': 'crust'}}",
                   "/height/plates: asks what is not there: the recipe has no \"plates\"");
    assert_refused("{'plates': {'cell_m': 3000}, 'height': 1}",
                   "/plates/cell_m: 3000 is no power of two times spacing_m, 1");
    assert_refused("{'climate': {}, 'height': 1}",
                   "/climate/ground: is missing: the term of the heights that winds climb");
    assert_refused("{'climate': {'ground': 1, 'warm_c': 0, 'cold_c': 1}, 'height': 1}",
                   "/climate/cold_c: 1 is above warm_c, 0");
    assert_refused_at(
        "{'climate': {'ground': {'coarse': 1, 'cell_m': 65536}}, 'height': {'climate': 'warmth'}}",
        "/climate/ground: recipe: climate: ");
    assert_refused_at("{'height': {'coarse': {'coarse': 1, 'cell_m': 1024}, 'cell_m': 512}}",
                      "/height: recipe: over 8 coarse terms, or one ");
    assert_refused("{'terms': {'a': {'climate': 'warmth'}}, 'climate': {'ground': 'a'}, 'height': 'a'}",
                   "/climate/ground: cycle: a -> a");
}

GROUP(recipe_json_earth);
