/*
 * Plates, climate and coarse terms in recipes as JSON (lib/read/read_earth.c, server/recipe/recipe_nodes.c): what it all costs.
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
    double of_parts[TERRANE_PARTS];
    const double none = 0.03;
    assert_true(terrane_recipe_seconds(&recipe.world, of_parts) > none); /* at its own level */
    good("{'plates': {'cell_m': 512}, 'height': {'plates': 'age'}}");
    assert_true(terrane_recipe_seconds(&recipe.world, of_parts) > 10 * none); /* where cells are narrow */
}

GROUP(recipe_json_earth);
