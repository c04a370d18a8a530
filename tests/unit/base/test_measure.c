/* Measures of heights (lib/base/measure.c). */
#include "../lib_fixture.h"

TEST(ranges_have_no_negative_zero)
{
    float low, high;

    for (int order = 0; order < 4; order++) {
        const float zeros[2] = {order & 1 ? 0.0f : -0.0f, order & 2 ? 0.0f : -0.0f};
        terrane_height_range(zeros, 2, &low, &high);
        assert_true(low == 0 && high == 0 && !signbit(low) && !signbit(high));
        terrane_height_range(zeros, 1, &low, &high);
        assert_true(low == 0 && high == 0 && !signbit(low) && !signbit(high));
    }
    const float mixed[] = {3, -0.0f, -2, 0x1p-149f, 8, -0x1p-149f};
    for (size_t count = 1; count <= 6; count++)
        for (size_t first = 0; first + count <= 6; first++) {
            terrane_height_range(mixed + first, count, &low, &high);
            for (size_t i = first; i < first + count; i++)
                assert_true(low <= mixed[i] && high >= mixed[i]);
        }
    assert_true(low == -2 && high == 8);
}

/* A plateau near 2^40 m, which no recipe passes, in a large window. */
TEST(means_of_great_heights_hold)
{
    const struct terrane_window window = {.step = 1, .width = TERRANE_WINDOW_MAX, .height = 300};
    const size_t samples = samples_of(&window);
    struct terrane_measure of;
    struct dice_world any;

    terrane_recipe_default(&any.recipe);
    terrane_world_init(&any.world, &any.recipe, 0);
    float *heights = malloc(samples * sizeof *heights);
    assert_non_null(heights);
    for (int k = 0; k < 4; k++) {
        const float sign = k % 2 ? -1 : 1, high = k / 2 ? 0x1p40f : 4e7f, more = k / 2 ? 0x1p30f : 2e6f;
        for (size_t i = 0; i < samples; i++)
            heights[i] = (i % 2 ? high - more : high) * sign; /* two of them: the mean is no extreme */
        terrane_measure_heights(&any.world, &window, heights, &of);
        assert_true(of.mean_m == ((double)high - (double)more / 2) * (double)sign);
    }
    free(heights);
}

GROUP(measure, set_up, tear_down);
