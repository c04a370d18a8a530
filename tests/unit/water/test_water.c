/* Water over ground (lib/water/water.c): refusals, and outputs. */
#include "../../../lib/water/water.h"
#include "../lib_fixture.h"

enum { LAKES_LEVEL = 3, CELL_LOG2 = 5, RADIUS = 20 };

static const float sea_m = -20.5f;

static void water_world(struct terrane_world *world, struct terrane_recipe *recipe, uint64_t seed)
{
    *recipe = recipe_flat();
    recipe->sea_m = sea_m;
    recipe->lakes = (struct terrane_lakes){
        .share = 1, .level = LAKES_LEVEL, .cell_log2 = CELL_LOG2, .radius = RADIUS, .depth_m = 100};
    make_world(world, recipe, seed);
}

TEST(refusals_write_nothing)
{
    const struct terrane_window window = {.level = 1, .gi = -13, .gj = 7, .step = 3, .width = 5, .height = 4};
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_window needed;
    float heights[20] = {0}, level_m[400], out[20], untouched[20];

    water_world(&world, &recipe, 1);
    assert_true(terrane_water_needs(&recipe, &window, &needed) && samples_of(&needed) < 300);
    for (int k = 0; k < COUNT(level_m); k++)
        level_m[k] = TERRANE_DRY;
    memset(out, GUARD_PATTERN, sizeof out);
    memcpy(untouched, out, sizeof out);
    for (int n = 0; n < 6; n++) {
        struct terrane_window lakes = needed;
        lakes.gi += n == 0, lakes.gj += n == 1, lakes.width -= n == 2, lakes.height -= n == 3;
        lakes.level += n == 4, lakes.step += n == 5;
        assert_int_equal(terrane_water(&recipe, &window, heights, &lakes, level_m, out, out),
                         TERRANE_EWINDOW);
    }
    const struct terrane_window bad = {.level = 1, .gj = INT64_MAX, .step = 3, .width = 5, .height = 4};
    assert_int_equal(terrane_water(&recipe, &bad, heights, &needed, level_m, out, out), TERRANE_EWINDOW);
    assert_int_equal(terrane_water(&recipe, &bad, heights, NULL, NULL, out, out), TERRANE_EWINDOW);
    assert_memory_equal(out, untouched, sizeof out);
    assert_int_equal(terrane_water(&recipe, &window, heights, &needed, level_m, out, NULL), 0);
}

/* Either may be left out, and surfaces may take the place of the ground; tests/reference and tests/golden have more values, and water
 * without lakes. Levels that are no numbers are no lakes. */
TEST(outputs_are_as_asked)
{
    static const float heights[] = {-30, -30, -30, -30, 5, -20.5f},
                       level_m[] = {4, -25, TERRANE_DRY, NAN, 5, 0};
    static const float surface[] = {4, -20.5f, -20.5f, -20.5f, 5, 0},
                       depth[] = {34, 9.5f, 9.5f, 9.5f, 0, 20.5f};
    const struct terrane_window window = {.level = LAKES_LEVEL, .step = 1, .width = 6, .height = 1};
    struct terrane_recipe recipe;
    struct terrane_world world;
    float surface_m[6], depth_m[6];

    water_world(&world, &recipe, 1);
    assert_int_equal(terrane_water(&recipe, &window, heights, &window, level_m, surface_m, NULL), 0);
    assert_int_equal(terrane_water(&recipe, &window, heights, &window, level_m, NULL, depth_m), 0);
    assert_int_equal(terrane_water(&recipe, &window, heights, &window, level_m, NULL, NULL), 0);
    assert_memory_equal(surface_m, surface, sizeof surface);
    assert_memory_equal(depth_m, depth, sizeof depth);
    memcpy(surface_m, heights, sizeof heights);
    memset(depth_m, GUARD_PATTERN, sizeof depth_m);
    assert_int_equal(terrane_water(&recipe, &window, surface_m, &window, level_m, surface_m, depth_m), 0);
    assert_memory_equal(surface_m, surface, sizeof surface);
    assert_memory_equal(depth_m, depth, sizeof depth);
}

GROUP(water, set_up, tear_down);
