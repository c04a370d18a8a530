/*
 * Recipes (lib/recipe/recipe_canonical.c): names that end, and fractals as they begin. What the canonical form and its digest
 * are, that the default recipe has it, and whether slopes are analytic, is compared by tests/reference.
 */
#include "../recipe_kit.h"

TEST(names_end)
{
    struct terrane_recipe recipe = recipe_middle(TERRANE_PARTITION_NOISE);
    memset(recipe.partition.zone[2].name, 'n', sizeof recipe.partition.zone[2].name);
    memset(recipe.term[0].name, 't', sizeof recipe.term[0].name);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_int_equal(recipe.partition.zone[2].name[23], 0);
    assert_int_equal(recipe.term[0].name[23], 0);
}

TEST(plain_fractals_are_taken)
{
    for (int kind = 0; kind < TERRANE_FRACTAL_KINDS; kind++) {
        struct terrane_recipe recipe = recipe_flat();
        recipe.term[0] = terrane_term_fractal((enum terrane_fractal_kind)kind);
        expect_taken(&recipe);
        const struct terrane_fractal *fractal = &recipe.term[0].fractal;
        assert_true(fractal->octaves == 1 && fractal->cell == 256 && fractal->lacunarity == 2);
        assert_true(fractal->amplitude_m == 1 && fractal->gain == 0.5f && fractal->weight == 1);
        assert_true(fractal->base[0] == TERRANE_PERLIN5 && fractal->base[23] == TERRANE_PERLIN5);
        assert_true(fractal->warp_term[0] == -1 && fractal->warp_term[1] == -1 && fractal->warp_m == 0);
    }
    assert_true(terrane_term_fractal(TERRANE_SWISS).fractal.warp == 0.15f);
    assert_true(terrane_term_fractal(TERRANE_JORDAN).fractal.damp == 0.8f);
}

GROUP(recipe_canonical);
