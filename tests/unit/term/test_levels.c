/* What is said of heights and levels before they are made (lib/recipe/bounds.c). */
#include "../../../lib/recipe/bounds.h"
#include "../lib_fixture.h"

TEST(bounds_are_sound_of_any_recipe)
{
    struct dice dice = {0xB0B5};
    static struct dice_world any;

    for (int n = 0; n < 3000; n++) {
        double low_m, high_m;
        dice_world(&dice, &any);
        terrane_height_bounds_m(&any.recipe, &low_m, &high_m);
        assert_true(low_m <= high_m && low_m >= -0x1p41 && high_m <= 0x1p41);
        assert_true(terrane_level_error_m(&any.recipe, 0) == 0);
        for (int level = 1; level <= TERRANE_LEVEL_MAX; level++) {
            const double error = terrane_level_error_m(&any.recipe, level);
            assert_true(error >= 0 && error <= (high_m - low_m) * (1 + 0x1p-40));
        }
    }
}

/* The plainest way: a window at a level, and its places at level 0. */
static void expect_kept(struct dice *dice, const struct terrane_world *world, double low_m, double high_m)
{
    enum { WIDTH = 24, HEIGHT = 4 };
    const int level = dice_int(dice, 0, 10);
    const struct terrane_window window = {
        level, dice_whole(dice, -100000, 100000), dice_whole(dice, -100000, 100000), 1, WIDTH, HEIGHT};
    const double error = terrane_level_error_m(world->recipe, level);
    float heights[WIDTH * HEIGHT];
    assert_int_equal(terrane_heights(world, &window, scratch, heights), 0);
    for (int n = 0; n < WIDTH * HEIGHT; n++) {
        const double height = (double)heights[n];
        const int64_t i = window.gi + n % WIDTH, j = window.gj + n / WIDTH, scale = INT64_C(1) << level;
        assert_true(height >= low_m && height <= high_m);
        if (n % 7 == 0)
            assert_true(fabs(height - (double)height_at(world, 0, i * scale, j * scale, scratch)) <= error);
    }
}

TEST(samples_keep_to_bounds)
{
    static struct dice_world any;

    for (int n = 0; n < 500; n++) {
        struct dice dice = {(uint64_t)n};
        double low_m, high_m;
        dice_world(&dice, &any);
        terrane_height_bounds_m(&any.recipe, &low_m, &high_m);
        for (int k = 0; k < 3; k++)
            expect_kept(&dice, &any.world, low_m, high_m);
    }
}

GROUP(levels, set_up, tear_down);
