/*
 * Drainage (lib/drain): lakes that lattices share, windows that lie, and worlds that were made to keep water from running, of which
 * tests/http/test_rivers.py has more: how water comes down is its.
 */
#include "drain_kit.h"

/* ---- From lattice to lattice --------------------------------------------------------------------------- */

static float base_at(const struct terrane_world *world, int level, int64_t gi, int64_t gj)
{
    const struct terrane_window one = {level, gi, gj, 1, 1, 1};
    float height;
    assert_int_equal(terrane_heights(world, &one, scratch, &height), 0);
    return height;
}

/* How much of a square of samples a lake is over. */
static int lake_in(const struct terrane_drained *drained, int64_t gi, int64_t gj, int side)
{
    int wet = 0;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            wet +=
                (terrane_drained_to(drained, drained_at(drained, gi + i, gj + j)) & TERRANE_DRAIN_LAKE) != 0;
    return wet;
}

/* Where a lake is over 9 x 9 samples, the next lattice has it, too. */
TEST(lakes_do_not_vanish)
{
    enum { SIDE = 112, WIDE = 9 };
    static struct terrane_recipe recipe;
    struct dice dice = {745};
    struct terrane_world world;
    int lakes = 0;
    terrane_recipe_default(&recipe);
    recipe.rivers.fill = 0.8f;
    make_world(&world, &recipe, 42);
    for (int n = 0; n < sets(3); n++) {
        const int level = 7 + n % 3 * 2;
        int64_t gi, gj;
        do { /* on land */
            gi = dice_whole(&dice, -9000, 9000);
            gj = dice_whole(&dice, -9000, 9000);
        } while (base_at(&world, level, gi + SIDE / 2, gj + SIDE / 2) <= recipe.sea_m);
        const struct terrane_window coarse = {level, gi, gj, 1, SIDE, SIDE},
                                    fine = {level - 2, 4 * gi, 4 * gj, 1, 4 * SIDE, 4 * SIDE};
        struct terrane_drained above = drained_new(&world, NULL, &coarse),
                               below = drained_new(&world, NULL, &fine);
        for (int j = 0; j <= SIDE - WIDE; j++)
            for (int i = 0; i <= SIDE - WIDE; i++)
                if (lake_in(&above, gi + i, gj + j, WIDE) == WIDE * WIDE) {
                    assert_true(lake_in(&below, 4 * (gi + i), 4 * (gj + j), 4 * WIDE) > 8 * WIDE * WIDE);
                    lakes++;
                }
        free(above.z);
        free(below.z);
    }
    assert_true(lakes > 100);
}

/* ---- Windows that lie ---------------------------------------------------------------------------------- */

static void look_away(void *context, const struct terrane_walk *walk, const struct terrane_river_point *point)
{
    assert_true(context == NULL && walk && point);
}

/* Any words: a way comes to an end, or is refused. */
TEST(ways_through_lies_end)
{
    struct dice dice = {733};
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 9, 12, 500, 0.55f);
    rivers_usual(&recipe, 4, 6);
    make_world(&world, &recipe, 1);
    const struct terrane_window window = {4, -2, -2, 1, 68, 68};
    struct terrane_drained truth = drained_new(&world, NULL, &window), lie = drained_of(&window);
    const size_t count = window_samples(&window);
    int refused = 0;
    for (int n = 0; n < sets(400); n++) {
        memcpy(lie.z, truth.z, 3 * count * sizeof *lie.z);
        for (int k = 0; k < 1 << n % 16; k++)
            ((uint32_t *)lie.z)[dice_int(&dice, 0, (int)(3 * count) - 1)] = (uint32_t)dice_bits(&dice);
        struct terrane_walk walk;
        terrane_walk_begin(dice_int(&dice, 0, 63), dice_int(&dice, 0, 63), &walk);
        refused += terrane_walk(&world, &lie, &walk, look_away, NULL) != 0;
    }
    assert_true(refused > 40);
    memset(lie.z, 0, 3 * count * sizeof *lie.z); /* all flat, and in a circle */
    for (size_t k = 0; k < count; k++)
        lie.high[k] = k % 2 ? 4U << 24 : 0;
    struct terrane_walk walk;
    terrane_walk_begin(10, 10, &walk);
    assert_int_equal(terrane_walk(&world, &lie, &walk, look_away, NULL), TERRANE_EWINDOW);
    assert_int_equal(walk.steps, TERRANE_WALK_MOST);
    free(lie.z);
    free(truth.z);
}

/* ---- Worlds that are made to prevent it ---------------------------------------------------------------- */

/* Windows of lattices, from the finest on, are made within their bytes and are sound; returns how much of them is land. */
static int drain_all(struct terrane_recipe recipe)
{
    struct purse purse = {.left = INT32_MAX};
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    struct terrane_world world;
    int land = 0;
    make_world(&world, &recipe, 7);
    for (int level = recipe.rivers.bottom; level <= recipe.rivers.top; level += 6) {
        const struct terrane_window window = {level, -50, 37, 1, 64, 64};
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
    rivers_usual(&recipe, 4, 16);
    recipe.sea_m = -1; /* no sea at all */
    recipe.rivers.inland_km = 4096;
    assert_true(drain_all(recipe) > 0);
    recipe.spacing_m = 256;
    recipe.rivers.runoff_mm = 0;
    assert_true(drain_all(recipe) > 0);
}

TEST(rough_worlds_drain)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 19, 20, 30000, 1);
    rivers_usual(&recipe, 4, 12);
    recipe.rivers.cut_m = 32768;
    recipe.rivers.fill = 0;
    assert_true(drain_all(recipe) > 0);
    recipe = recipe_fractal(TERRANE_PERLIN3, 1, 30, 30000, 1);
    rivers_usual(&recipe, 10, 16);
    recipe.spacing_m = 0x1p20; /* the steepest there is, of the longest cells */
    recipe.sea_m = -32768;
    recipe.rivers.steepness = 1024;
    recipe.rivers.rise = 1;
    recipe.rivers.concavity = 0.2f;
    recipe.rivers.runoff_mm = 1;
    assert_true(drain_all(recipe) > 0);
}

/* Land of a bottom's cells that is nearly level beside all of them, of 1. */
static double even_share(const struct terrane_ice *ice)
{
    static const struct terrane_window window = {.level = 7, .step = 1, .width = 96, .height = 96};
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 7, 14, 2500, 0.5f);
    recipe.sea_m = -8000;
    rivers_usual(&recipe, 7, 13);
    recipe.rivers.steepness = 60;
    recipe.rivers.rise = 0.01f;
    recipe.ice = *ice;
    struct terrane_world world;
    make_world(&world, &recipe, 3);
    struct terrane_drained drained = drained_new(&world, NULL, &window);
    const int least = (int)(0.15 * 128 / terrane_erosion_unit_m(&recipe));
    int even = 0;
    for (int j = 1; j < window.height - 1; j++)
        for (int i = 1; i < window.width - 1; i++) {
            const int32_t *z = drained.z + (ptrdiff_t)j * window.width + i;
            even += abs(z[1] - z[-1]) < 2 * least && abs(z[window.width] - z[-window.width]) < 2 * least;
        }
    free(drained.z);
    return even / (94.0 * 94);
}

/* Troughs have floors; the more so the wider ice is, and where it was. */
TEST(ice_makes_floors)
{
    const double none = even_share(&(struct terrane_ice){0}),
                 high = even_share(&(struct terrane_ice){.width_m = 600, .from_m = 32000, .full_m = 32768}),
                 narrow = even_share(&(struct terrane_ice){.width_m = 250, .from_m = -9000, .full_m = -8000}),
                 wide = even_share(&(struct terrane_ice){.width_m = 1000, .from_m = -9000, .full_m = -8000});
    print_message(
        "%.3f of the land is even; with ice above it %.3f, with narrow ice %.3f, with wide ice %.3f\n", none,
        high, narrow, wide);
    assert_true(narrow > 1.3 * high && wide > 1.3 * narrow);
}

/* Steepness that grows with height has no end: high up a channel is as steep as the talus, as ground above its head is. */
TEST(high_plateaus_are_steep)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 5, 12, 1000, 0.55f);
    recipe_add(&recipe, (struct terrane_term){.name = "high", .op = TERRANE_OP_SUM, .offset = 32768});
    recipe_add(
        &recipe,
        (struct terrane_term){
            .name = "all", .op = TERRANE_OP_SUM, .inputs = 2, .in = {0, 1}, .factor = {1, 512}}); /* 2^24 m */
    rivers_usual(&recipe, 4, 8);
    recipe.rivers.rise = 1;
    recipe.sea_m = -1;
    for (int level = 4; level <= 8; level += 2) {
        const struct terrane_window window = {level, -50, 37, 1, 60, 60};
        struct terrane_recipe heads = recipe;
        struct terrane_world world;
        heads.rivers.sources_ha = 65536;
        make_world(&world, &recipe, 7);
        struct terrane_drained steep = drained_new(&world, NULL, &window);
        make_world(&world, &heads, 7);
        struct terrane_drained above = drained_new(&world, NULL, &window);
        assert_memory_equal(steep.z, above.z, window_samples(&window) * sizeof *steep.z);
        free(steep.z);
        free(above.z);
    }
}

/* A bank of the longest steps is more units than an int has: the shore within it carries the lake's level. */
TEST(wide_shores_carry_levels)
{
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;
    rivers_usual(&recipe, 12, 16);
    recipe.spacing_m = 0x1p20;
    recipe.sea_m = -1;
    make_world(&world, &recipe, 1);
    const struct terrane_window window = {12, 0, 0, 1, 7, 7}, corner = {12, 3, 3, 1, 1, 1};
    struct terrane_drained drained = drained_of(&window);
    for (size_t k = 0; k < window_samples(&window); k++) {
        drained.z[k] = k ? 1000 : 0;
        drained.low[k] = 0;
        drained.high[k] = k ? 0 : (uint32_t)TERRANE_DRAIN_LAKE << 24;
    }
    float level_m = 1;
    assert_int_equal(terrane_drained_levels(&recipe, &corner, &drained, corner.level, &level_m), 0);
    assert_true(level_m == 0);
    free(drained.z);
}

GROUP(drain_worlds, set_up, tear_down);
