/*
 * Plates, climate and coarse terms in recipes as JSON (lib/read/read_plates_climate.c, lib/cost/cost_nodes.c): what it all costs.
 */
#include "../recipe_json_kit.h"

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
    assert_true(terrane_recipe_seconds(&recipe.world, NULL, of_parts) > none); /* at its own level */
    good("{'plates': {'cell_m': 512}, 'height': {'plates': 'age'}}");
    assert_true(terrane_recipe_seconds(&recipe.world, NULL, of_parts) >
                10 * none); /* where cells are narrow */
}

TEST(seconds_of_instruction_sets)
{
    static const char *const slow_first[] = {"scalar", "sse2", "avx2", "avx512"}, *const as_wide[] = {
                                                                                      "sse2", "neon",
                                                                                      "simd128"};
    double of_parts[TERRANE_PARTS], before = 0;
    good("{'height': {'fractal': 'fbm', 'octaves': 9, 'cell_m': 65536}, 'erosion': {}, 'rivers': {}}");
    const double limited = terrane_recipe_seconds(&recipe.world, NULL, of_parts);
    for (size_t k = 0; k < sizeof slow_first / sizeof *slow_first; k++) {
        const double seconds = terrane_recipe_seconds(&recipe.world, slow_first[k], of_parts);
        assert_true(k == 0 ? seconds == limited : seconds < before);
        before = seconds;
        assert_true(of_parts[TERRANE_PART_EROSION] > 0 && of_parts[TERRANE_PART_RIVERS] > 0);
    }
    for (size_t k = 0; k < sizeof as_wide / sizeof *as_wide; k++)
        assert_true(terrane_recipe_seconds(&recipe.world, as_wide[k], of_parts) ==
                    terrane_recipe_seconds(&recipe.world, "sse2", of_parts));
    assert_true(terrane_recipe_seconds(&recipe.world, "of another time", of_parts) == limited);
}

/* What is refused is so on every machine. */
TEST(what_is_refused_goes_by_scalar_kernels)
{
    static const char text[] = "{'height': {'fractal': 'swiss', 'octaves': 12, 'cell_m': 32768}, "
                               "'erosion': {'phases': 10, 'steps': 14}}";
    const char *const own = terrane_isa();
    double of_parts[TERRANE_PARTS];
    assert_int_equal(0, terrane_init("scalar"));
    const bool taken = parse_single(text);
    assert_int_equal(0, terrane_init(own));
    assert_true(parse_single(text) == taken && !taken);
    if (!strstr(error, "with scalar kernels: allowed at most 5"))
        fail_msg("%s", error);
    assert_true(terrane_recipe_seconds(&recipe.world, "avx512", of_parts) < RECIPE_SECONDS_LIMIT);
}

GROUP(recipe_json_earth);
