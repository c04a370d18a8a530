/*
 * Drainage (lib/drain): water comes down from everywhere, in worlds that were made to prevent it, too.
 */
#include "drain_kit.h"

/* What runs off gathers: at every cell of the coarsest lattice, in inland lakes, too, is its own and what comes in. */
TEST(nothing_is_lost)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 4, 16, 500, 0.5f);
    rivers_usual(&recipe, 8, 12);
    recipe.sea_m = -300;
    recipe.rivers.inland_km = 16;
    make_world(&world, &recipe, 3);
    const struct terrane_window window = {12, -700, 40, 1, 200, 200};
    struct terrane_drained drained = drained_new(&world, NULL, &window);
    int roots = 0;
    for (int j = 1; j < window.height - 1; j++)
        for (int i = 1; i < window.width - 1; i++) {
            const size_t at = (size_t)j * (size_t)window.width + (size_t)i;
            const int way = terrane_drained_to(&drained, at) & TERRANE_DRAIN_WAY;
            uint64_t sum = UINT64_C(400) << 2 * (12 - 8);
            for (int k = 0; k < 8; k++) {
                const size_t from = (size_t)((ptrdiff_t)at + drain_dy[k] * window.width + drain_dx[k]);
                if ((terrane_drained_to(&drained, from) & TERRANE_DRAIN_WAY) == ((k + 4) & 7))
                    sum += terrane_drained_runoff(&drained, from);
            }
            roots += way == TERRANE_DRAIN_INLAND;
            assert_true(terrane_drained_runoff(&drained, at) == (way == TERRANE_DRAIN_SEA ? 0 : sum));
        }
    assert_true(roots > 20);
    free(drained.z);
}

/* ---- All the way --------------------------------------------------------------------------------------- */

/* From a cell to the sea or an inland lake, in windows of which each overlaps the next. Returns the steps. */
static int walk(const struct terrane_world *world, int level, int64_t gi, int64_t gj)
{
    struct terrane_drained here = {.z = NULL};
    int32_t z = INT32_MAX;
    uint64_t runoff = 0;
    int steps = 0;
    for (;; steps++) {
        assert_true(steps < 200000);
        if (!here.z || !drained_has(&here, gi, gj)) {
            const struct terrane_window window = {level, gi - 160, gj - 160, 1, 320, 320};
            free(here.z);
            here = drained_new(world, NULL, &window);
        }
        const size_t at = drained_at(&here, gi, gj);
        const int way = terrane_drained_to(&here, at) & TERRANE_DRAIN_WAY;
        assert_true(way <= TERRANE_DRAIN_INLAND);
        if (way == TERRANE_DRAIN_SEA)
            break;
        assert_true(here.z[at] <= z && terrane_drained_runoff(&here, at) >= runoff);
        if (way == TERRANE_DRAIN_INLAND)
            break;
        z = here.z[at];
        runoff = terrane_drained_runoff(&here, at);
        gi += drain_dx[way];
        gj += drain_dy[way];
    }
    free(here.z);
    return steps;
}

TEST(water_comes_down_from_everywhere)
{
    struct dice dice = {727};
    struct terrane_world world;
    static struct terrane_recipe recipe;
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    int steps = 0;
    for (int n = 0; n < sets(6); n++)
        steps +=
            walk(&world, 5 + n % 3 * 2, dice_whole(&dice, -40000, 40000), dice_whole(&dice, -40000, 40000));
    assert_true(steps > 500);
}

/* ---- Worlds that are made to prevent it ---------------------------------------------------------------- */

/* Windows of every third lattice are made within their bytes and are sound; returns how much of them is land. */
static int drain_all(struct terrane_recipe recipe)
{
    struct purse purse = {.left = INT32_MAX};
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    struct terrane_world world;
    int land = 0;
    make_world(&world, &recipe, 7);
    for (int level = recipe.rivers.bottom; level <= recipe.rivers.top; level += 3) {
        const struct terrane_window window = {level, -50, 37, 1, 96, 96};
        struct terrane_drained drained = drained_of(&window);
        assert_int_equal(terrane_drain(&world, NULL, &memory, &drained), 0);
        assert_true(purse.lent == 0 && purse.most <= 128 << 20);
        land += expect_steps(&recipe, &drained);
        free(drained.z);
    }
    return land;
}

TEST(flat_worlds_drain)
{
    struct terrane_recipe recipe = recipe_flat();
    rivers_usual(&recipe, 5, 13);
    assert_true(drain_all(recipe) > 0); /* a plain at the sea's level */
    recipe.sea_m = 1;
    assert_int_equal(drain_all(recipe), 0);
    recipe.sea_m = -1; /* no sea at all */
    rivers_usual(&recipe, 4, 16);
    recipe.rivers.inland_km = 4096;
    assert_true(drain_all(recipe) > 0);
    recipe.spacing_m = 256;
    recipe.rivers.runoff_mm = 0;
    assert_true(drain_all(recipe) > 0);
}

TEST(rough_worlds_drain)
{
    struct terrane_recipe recipe =
        recipe_fractal(TERRANE_VALUE, 1, 6, 20000, 0.5f); /* noise of two samples, or of less */
    rivers_usual(&recipe, 5, 9);
    assert_true(drain_all(recipe) > 0);
    recipe.sea_m = -30000; /* one tooth after the other, all inland */
    recipe.rivers.inland_km = 16;
    assert_true(drain_all(recipe) > 0);
    recipe = recipe_fractal(TERRANE_VALUE, 19, 20, 30000, 1);
    rivers_usual(&recipe, 4, 12);
    recipe.rivers.cut_m = 32768;
    recipe.rivers.fill = 0;
    assert_true(drain_all(recipe) > 0);
    recipe.rivers.cut_m = 0;
    recipe.rivers.fill = 1;
    assert_true(drain_all(recipe) > 0);
    recipe = recipe_fractal(TERRANE_PERLIN3, 1, 30, 30000, 1); /* one slope as far as one sees */
    rivers_usual(&recipe, 10, 16);
    recipe.sea_m = -29000;
    assert_true(drain_all(recipe) > 0);
    recipe.spacing_m = 0x1p20; /* the steepest there is, of the longest cells */
    recipe.sea_m = -32768;
    recipe.rivers.steepness = 1024;
    recipe.rivers.rise = 1;
    recipe.rivers.concavity = 0.2f;
    recipe.rivers.runoff_mm = 1;
    assert_true(drain_all(recipe) > 0);
}

GROUP(drain_worlds, set_up, tear_down);
