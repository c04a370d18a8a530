/*
 * Drainage (lib/drain): lakes that lattices share, windows that lie, and worlds that were made to keep water from running, of which
 * tests/http/test_rivers.py has more: how water comes down is its.
 */
#include "drain_kit.h"

#include "../../../lib/recipe/bounds.h"

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
    const struct terrane_window window = {4, -4, -4, 1, 72, 72};
    struct terrane_drained truth = drained_new(&world, NULL, &window), lie = drained_of(&window);
    const size_t count = samples_of(&window);
    int refused = 0;
    for (int n = 0; n < sets(400); n++) {
        memcpy(lie.z, truth.z, 3 * count * sizeof *lie.z);
        for (int k = 0; k < 1 << n % 16; k++)
            ((uint32_t *)lie.z)[dice_int(&dice, 0, (int)(3 * count) - 1)] = (uint32_t)dice_bits(&dice);
        struct terrane_walk walk = {.gi = dice_int(&dice, 0, 63), .gj = dice_int(&dice, 0, 63)};
        refused += terrane_walk(&world, &lie, &walk, look_away, NULL) != 0;
    }
    assert_true(refused > 40);
    memset(lie.z, 0, 3 * count * sizeof *lie.z); /* all flat, and in a circle */
    for (size_t k = 0; k < count; k++)
        lie.high[k] = k % 2 ? 4U << 24 : 0;
    struct terrane_walk walk = {.gi = 10, .gj = 10};
    assert_int_equal(terrane_walk(&world, &lie, &walk, look_away, NULL), TERRANE_EWINDOW);
    assert_int_equal(walk.steps, TERRANE_WALK_MAX);
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
        assert_true(purse.lent == 0 && purse.max <= 128 << 20);
        land += expect_steps(&recipe, &drained);
        free(drained.z);
    }
    return land;
}

TEST(flat_worlds_drain)
{
    struct terrane_recipe recipe = recipe_flat();
    rivers_usual(&recipe, 4, getenv("TERRANE_TEST_LONG") ? 16 : 10); /* 16: half a minute */
    recipe.sea_m = -1;                                               /* no sea at all */
    recipe.rivers.inland_km = 4096;
    assert_true(drain_all(recipe) > 0);
    recipe.spacing_m = 256;
    recipe.rivers.runoff_mm = 0;
    assert_true(drain_all(recipe) > 0);
}

/* Steps of thousands of kilometres, each of which falls: from generator 16 on they end below what ground is said to be. */
TEST(falls_of_wide_steps_keep_to_the_bounds)
{
    for (int generator = 15; generator <= 16; generator++) {
        struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 19, 1, 0.5f);
        struct terrane_world world;
        double low_m, high_m, max = -INFINITY;
        rivers_usual(&recipe, 5, 15);
        recipe.generator = generator;
        recipe.spacing_m = 256;
        recipe.rivers.flats = 0x1p-4f;
        recipe.sea_m = -0.5f;
        make_world(&world, &recipe, 7);
        terrane_height_bounds_m(&recipe, &low_m, &high_m);
        const struct terrane_window window = {15, -50, 37, 1, 64, 64};
        struct terrane_drained drained = drained_new(&world, NULL, &window);
        for (size_t k = 0; k < samples_of(&window); k++)
            max = fmax(max, drained.z[k] * terrane_erosion_unit_m(&recipe));
        assert_int_equal(max <= high_m + terrane_erosion_bound_m(&recipe), generator >= 16);
        free(drained.z);
    }
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
    for (size_t k = 0; k < samples_of(&window); k++) {
        drained.z[k] = k ? 1000 : 0;
        drained.low[k] = 0;
        drained.high[k] = k ? 0 : (uint32_t)TERRANE_DRAIN_LAKE << 24;
    }
    float level_m = 1;
    assert_int_equal(terrane_drained_levels(&recipe, &corner, &drained, corner.level, &level_m), 0);
    assert_true(level_m == 0);
    free(drained.z);
}

/* Lakes of 2 x 4 cells and of 3 x 3 on a lattice above the finest: the first is narrower than what maps show, and the other's arm is shown
 * from generator 17 on, as far as it is beside what was shown. The cell below is another lake's. */
TEST(narrow_lakes_are_left_out_of_maps)
{
    static const char *const cells[] = {
        "..........", "..##......", "..##...###", "..##.#####", "..##...###", ".......o..",
    };
    enum { WIDE = 10, HIGH = 6, AROUND = TERRANE_SHORE_RINGS };
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;
    rivers_usual(&recipe, 10, 16);
    for (int k = 0; k < 4; k++) {
        const int generator = 16 + k % 2, level = k < 2 ? 10 : 12;
        const bool map = level > recipe.rivers.bottom;
        recipe.generator = generator;
        make_world(&world, &recipe, 1);
        const struct terrane_window window = {level, -AROUND,           -AROUND,
                                              1,     WIDE + 2 * AROUND, HIGH + 2 * AROUND},
                                    inner = {level, 0, 0, 1, WIDE, HIGH};
        struct terrane_drained drained = drained_of(&window);
        float level_m[WIDE * HIGH];
        for (size_t at = 0; at < samples_of(&window); at++) {
            const int i = (int)(at % (size_t)window.width) - AROUND,
                      j = (int)(at / (size_t)window.width) - AROUND;
            const char cell = i >= 0 && j >= 0 && i < WIDE && j < HIGH ? cells[j][i] : '.';
            drained.z[at] = cell == '#' ? 0 : cell == 'o' ? 8 : 1 << 20;
            drained.low[at] = 0;
            drained.high[at] = cell == '.' ? 0 : (uint32_t)TERRANE_DRAIN_LAKE << 24;
        }
        assert_int_equal(terrane_drained_levels(&recipe, &inner, &drained, level, level_m), 0);
        assert_true(level_m[2 * WIDE + 2] == (map ? TERRANE_DRY : 0));
        assert_true(level_m[2 * WIDE + 7] == 0 && level_m[4 * WIDE + 9] == 0);
        assert_true(level_m[3 * WIDE + 6] ==
                    (map && generator < 17 ? TERRANE_DRY : 0));        /* beside the square */
        assert_true(level_m[3 * WIDE + 5] == (map ? TERRANE_DRY : 0)); /* two away */
        assert_true(map ? level_m[5 * WIDE + 7] == TERRANE_DRY : level_m[5 * WIDE + 7] > 0);
        free(drained.z);
    }
}

GROUP(drain_worlds, set_up, tear_down);
