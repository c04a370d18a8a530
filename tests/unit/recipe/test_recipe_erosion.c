/*
 * Recipes with erosion and lakes (lib/recipe/recipe_erosion.c): what is refused and where;
 * but for what test_recipe_rows.c asks of rows.
 */
#include "../../../lib/recipe/numbers.h"
#include "recipe_ends_kit.h"

/* Three zones, three levels, every number in the middle of its range. */
static struct terrane_recipe middle(void)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN5, 3, 9, 50, 0.5f);
    recipe.partition = (struct terrane_partition){
        .kind = TERRANE_PARTITION_VORONOI, .zones = 3, .blend = 0.25f, .cell_log2 = 10};
    recipe.erosion = (struct terrane_erosion){
        .levels = 3, .phases = {2, 3, 4}, .steps = {5, 6, 7}, .slides = {1, 2, 3}, .limit = 0.5f};
    for (int k = 0; k < 3; k++) {
        recipe.partition.zone[k] = (struct terrane_zone){.name = "zone", .term = -1, .share = 1};
        recipe.erosion.zone[k] =
            (struct terrane_droplets){0.5f, 8, 0.25f, 4, 0.125f, 0.25f, 0.25f, 0.125f, 2, 1, 1, 40};
    }
    recipe.lakes = (struct terrane_lakes){
        .share = 0.5f, .level = 2, .cell_log2 = 6, .radius = 30, .depth_m = 50, .shallow_m = 2};
    return recipe;
}

TEST(levels_are_taken_up_to_their_limits)
{
    struct terrane_recipe recipe;
    TAKEN(erosion.levels, 0);
    TAKEN(erosion.levels, 1);
    REFUSED(erosion.levels, 4, TERRANE_EEROSION); /* the fourth has no steps */
    REFUSED(erosion.levels, -1, TERRANE_EEROSION);
    FLOATS(erosion.limit, 0x1p-10f, 1.0f, TERRANE_EEROSION);
    for (int level = 0; level < 3; level++) {
        TAKEN(erosion.phases[level], 0);
        TAKEN(erosion.phases[level], 16);
        REFUSED(erosion.phases[level], 17, TERRANE_EEROSION);
        REFUSED(erosion.phases[level], 255, TERRANE_EEROSION);
        TAKEN(erosion.steps[level], 1);
        TAKEN(erosion.steps[level], level ? 45 : 64); /* as far as the halo lets them */
        REFUSED(erosion.steps[level], 0, TERRANE_EEROSION);
        REFUSED(erosion.steps[level], 65, TERRANE_EEROSION);
        TAKEN(erosion.slides[level], 0);
        TAKEN(erosion.slides[level], 32);
        REFUSED(erosion.slides[level], 33, TERRANE_EEROSION);
    }
    recipe = middle();
    memset(recipe.erosion.steps, 1, sizeof recipe.erosion.steps);
    recipe.erosion.limit = 0x1p-10f;
    recipe.erosion.levels = TERRANE_LEVEL_MAX + 1;
    expect_taken(&recipe);
    recipe.erosion.levels = TERRANE_LEVEL_MAX + 2;
    expect_refused(&recipe, TERRANE_EEROSION, -1);
    recipe.erosion.levels = 1000000000;
    expect_refused(&recipe, TERRANE_EEROSION, -1);
}

TEST(lakes_are_no_shallower_than_deep)
{
    TAKEN(lakes.depth_m, 2); /* shallow_m */
    REFUSED(lakes.depth_m, nextafterf(2, 0), TERRANE_ELAKES);
    TAKEN(lakes.shallow_m, 50);
    REFUSED(lakes.shallow_m, nextafterf(50, 100), TERRANE_ELAKES);
}

TEST(halos_end_at_192)
{
    for (int level = 0; level < 3; level++) {
        struct terrane_recipe recipe = middle();
        struct terrane_erosion *erosion = &recipe.erosion;
        erosion->phases[level] = 16;
        erosion->steps[level] = 10;
        erosion->slides[level] = 0;
        assert_int_equal(terrane_erosion_halo(&recipe, level), 192);
        expect_taken(&recipe);
        erosion->slides[level] = 1;
        assert_int_equal(terrane_erosion_halo(&recipe, level), 193);
        expect_refused(&recipe, TERRANE_EHALO, -1);
        erosion->slides[level] = 0;
        erosion->steps[level] = 11;
        expect_refused(&recipe, TERRANE_EHALO, -1);
        erosion->steps[level] = 60; /* 992 samples */
        expect_refused(&recipe, TERRANE_EHALO, -1);
        erosion->phases[level] = 0;
        erosion->slides[level] = 32; /* slides alone */
        assert_int_equal(terrane_erosion_halo(&recipe, level), 32);
        expect_taken(&recipe);
    }
}

/* Units of 1/16 m at most: 2^26 of them moved, 2^29 with the heights. All sums here are exact. */
TEST(heights_are_counted_in_units)
{
    struct terrane_recipe recipe = middle();
    recipe.terms = 1;
    recipe.term[0] = (struct terrane_term){.op = TERRANE_OP_SUM};
    recipe.spacing_m = 0x1p20;
    recipe.erosion = (struct terrane_erosion){
        .levels = 1, .phases = {4}, .steps = {1}, .limit = 1, .zone = {recipe.erosion.zone[0]}};
    recipe.partition.zones = 1;
    assert_true(terrane_erosion_bound_m(&recipe) == 0x1p22);
    assert_true(erosion_unit_log2(&recipe) == -4);
    expect_taken(&recipe);
    recipe.erosion.limit = nextafterf(1, 0); /* a hair less needs the same, half of it half */
    assert_true(erosion_unit_log2(&recipe) == -4);
    recipe.erosion.limit = 0.5f;
    assert_true(erosion_unit_log2(&recipe) == -5);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_true(terrane_units(&recipe).erosion_m == 0x1p-5);
    recipe.erosion.limit = 1;
    recipe.spacing_m = nextafter(0x1p20, 0);
    recipe.erosion.slides[0] = 1; /* five moves */
    expect_refused(&recipe, TERRANE_EEROSION, -1);
    recipe.erosion.slides[0] = 0;
    expect_taken(&recipe);
    /* 2^24 m of height, and 4 that move; then 2^25 */
    recipe.spacing_m = 1;
    recipe.term[0].offset = 16384;
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_PRODUCT, .inputs = 1, .factor = {1024}});
    expect_taken(&recipe);
    recipe.term[1].factor[0] = 2048;
    expect_refused(&recipe, TERRANE_EEROSION, -1);
    recipe.erosion.levels = 0; /* as heights they stand */
    expect_taken(&recipe);
}

GROUP(recipe_erosion);
