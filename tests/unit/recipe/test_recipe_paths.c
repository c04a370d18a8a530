/*
 * Recipes with rivers, paths and caves (lib/recipe/recipe_paths.c): what is refused, and what counts; but for what
 * test_recipe_rows.c asks of the rows of rivers and caves. Their digests: tests/config/test_worlds.py.
 */
#include "recipe_ends_kit.h"

#include "../../../lib/recipe/member.h"

static struct terrane_recipe middle(void)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN5, 3, 9, 50, 0.5f);
    recipe.spacing_m = 1;
    recipe.lakes = (struct terrane_lakes){
        .share = 0.5f, .level = 4, .cell_log2 = 6, .radius = 30, .depth_m = 50, .shallow_m = 2};
    recipe.paths = (struct terrane_paths){6, 4, 6, 0.25f, 12, 10, {200, 180, 140}, {0}};
    recipe.caves = (struct terrane_caves){0.5f, 3, 6, 32, 100, 20, 12, 40, 1};
    return recipe;
}

TEST(paths_are_taken_up_to_their_limits)
{
    struct terrane_recipe recipe;
    FLOATS(paths.slope, 0x1p-6f, 1.0f, TERRANE_EPATHS);
    INTS_AT(paths.level, 3, 5, TERRANE_EPATHS, -1); /* cells of 32 reaches; one above the lakes' */
    INTS_AT(paths.cell_log2, 5, 7, TERRANE_EPATHS, -1);
    FLOATS(paths.width_m, 2.0f, 40.0f, TERRANE_EPATHS); /* two samples, 32 (20 + 12) = 1024 */
    REFUSED(paths.width_m, -6, TERRANE_EPATHS);
    FLOATS(paths.border_m, 0.0f, 29.0f, TERRANE_EPATHS);
    recipe = middle();
    recipe.caves.share = 0;
    recipe.paths.depth_m = 1024;
    expect_taken(&recipe);
    recipe.paths.depth_m = nextafterf(1024, 2000);
    expect_refused(&recipe, TERRANE_EPATHS, -1);
    REFUSED(paths.depth_m, nextafterf(0, -1), TERRANE_EPATHS);
    REFUSED(paths.depth_m, NAN, TERRANE_EPATHS);
    TAKEN(paths.depth_m, 0);
    recipe = middle();
    recipe.paths.level = 24;
    recipe.lakes.share = 0;
    expect_taken(&recipe);
    recipe.paths.level = 25;
    expect_refused(&recipe, TERRANE_EPATHS, -1);
    recipe = middle();
    recipe.paths.level = 0;
    recipe.paths.border_m = 0;
    recipe.paths.width_m = 2; /* cells of 16, 32 and 64 samples: 32 reaches are 32 */
    recipe.paths.cell_log2 = 5;
    expect_taken(&recipe);
    recipe.paths.cell_log2 = 4;
    expect_refused(&recipe, TERRANE_EPATHS, -1);
    recipe.paths.level = 1;
    expect_taken(&recipe);
    recipe.paths.cell_log2 = 3;
    expect_refused(&recipe, TERRANE_EPATHS, -1);
}

/* Heights are counted in steps that hold them in 24 bits: a slope over a sample must be more than two of those. */
TEST(slopes_that_no_step_can_count_are_refused)
{
    struct terrane_recipe recipe = middle();
    recipe.lakes.share = recipe.caves.share = 0;
    recipe.sea_m = -30000; /* so steps are 2^-9 */
    recipe.paths.width_m = 0.125f;
    recipe.paths.border_m = 0;
    recipe.spacing_m = 0x1p-6;
    expect_refused(&recipe, TERRANE_EPATHS, -1);
    recipe.paths.slope = nextafterf(0.25f, 1);
    expect_taken(&recipe);
    recipe.paths.slope = 0.25f;
    recipe.spacing_m = 0x1p-5;
    expect_taken(&recipe);
}

TEST(caves_lean_on_lakes_and_paths)
{
    FLOATS(caves.roof_m, 10.0f, 1024.0f, TERRANE_ECAVES); /* paths.depth_m */
    INTS_AT(caves.level, 0, 5, TERRANE_ECAVES, -1);       /* one above the lakes' */
}

static struct terrane_recipe drained(int top, int bottom, int runoff)
{
    struct terrane_recipe recipe = middle();
    recipe.lakes.share = recipe.paths.width_m = recipe.caves.share = 0;
    recipe.erosion = (struct terrane_erosion){.levels = bottom, .limit = 0.5f};
    memset(recipe.erosion.steps, 1, sizeof recipe.erosion.steps);
    members_default(&droplets_members, &recipe.erosion.zone[0]);
    members_default(&rivers_members, &recipe.rivers);
    recipe.rivers.top = top;
    recipe.rivers.bottom = bottom;
    recipe.rivers.runoff = runoff;
    return recipe;
}

TEST(rivers_lean_on_each_other_and_on_terms_erosion_and_lakes)
{
    struct terrane_recipe recipe;
    for (int top = -1; top <= 18; top++)
        for (int bottom = -1; bottom <= 17; bottom++) {
            recipe = drained(top, bottom, -1);
            if (bottom >= 0 && (top == 0 || (bottom >= 4 && bottom <= 12 && top <= 16 && top > bottom &&
                                             (top - bottom) % 2 == 0)))
                expect_taken(&recipe);
            else
                expect_refused(&recipe, bottom < 0 ? TERRANE_EEROSION : TERRANE_ERIVERS, -1);
        }
    const int runoffs[] = {INT32_MIN, -2, 1, INT32_MAX}; /* there is one term */
    for (int k = 0; k < 4; k++) {
        recipe = drained(13, 5, runoffs[k]);
        expect_refused(&recipe, TERRANE_ERIVERS, -1);
    }
    for (int sand = -1; sand <= 2; sand++) { /* counted from 1 */
        recipe = drained(13, 5, -1);
        recipe.rivers.sand = sand;
        if (sand == 0 || sand == 1)
            expect_taken(&recipe);
        else
            expect_refused(&recipe, TERRANE_ERIVERS, -1);
    }
    for (int levels = 0; levels < 8; levels++) {
        recipe = drained(13, 5, -1);
        recipe.erosion.levels = levels;
        if (levels == 5)
            expect_taken(&recipe);
        else
            expect_refused(&recipe, TERRANE_ERIVERS, -1);
    }
    recipe = drained(13, 5, -1);
    recipe.paths = middle().paths;
    recipe.caves = middle().caves;
    expect_taken(&recipe);
    recipe.paths.level = 5;
    expect_refused(&recipe, TERRANE_EPATHS, -1);
    recipe.paths.level = 4;
    recipe.caves.level = 5;
    expect_refused(&recipe, TERRANE_ECAVES, -1);
    recipe = drained(13, 5, -1);
    recipe.lakes.share = 0.5f;
    expect_refused(&recipe, TERRANE_ERIVERS, -1);
}

TEST(what_does_not_count_becomes_zero)
{
    struct terrane_recipe recipe = middle(), plain;
    recipe.paths.width_m = 0;
    recipe.paths.level = 99;
    recipe.paths.slope = NAN;
    recipe.caves.share = 0;
    recipe.caves.cell_log2 = -5;
    recipe.caves.room = INFINITY;
    plain = recipe;
    memset(&plain.paths, 0, sizeof plain.paths);
    memset(&plain.caves, 0, sizeof plain.caves);
    expect_same(recipe, plain);
    recipe.paths.width_m = -0.0f;
    recipe.caves.share = -0.0f;
    expect_same(recipe, plain);

    recipe = plain = middle();
    recipe.paths.border_m = recipe.paths.depth_m = recipe.caves.high_m = -0.0f;
    plain.paths.border_m = plain.paths.depth_m = plain.caves.high_m = 0;
    expect_same(recipe, plain);
}

GROUP(recipe_paths);
