/* Slopes, hillshade and relief (lib/shade.c): samples do not know each other; tests/reference has their values. */
#include "../lib_fixture.h"

enum { FEW = 300 };

/* However the samples are split, the bytes are the same, and nothing is written behind them. */
TEST(samples_do_not_know_each_other)
{
    struct dice dice = {81};
    uint8_t whole[3 * FEW], split[3 * FEW + 1], shade[FEW], shade_split[FEW + 1];
    float degrees[FEW], degrees_split[FEW + 1];

    for (int set = 0; set < 150; set++) {
        struct dice_world any;
        dice_world(&dice, &any);
        const struct terrane_window window = {
            .gi = dice_whole(&dice, -9999, 9999), .step = 1, .width = FEW, .height = 1};
        const size_t zones = (size_t)any.recipe.partition.zones;
        float *heights = layer_new(&any.world, LAYER_HEIGHTS, &window, scratch);
        float *normals = layer_new(&any.world, LAYER_NORMALS, &window, scratch);
        float *weights = layer_new(&any.world, LAYER_WEIGHTS, &window, scratch);
        terrane_relief(&any.recipe, heights, normals, weights, NULL, FEW, whole);
        terrane_hillshade(normals, FEW, shade);
        terrane_slopes(normals, FEW, degrees);
        for (size_t at = 0, count; at < FEW; at += count) {
            count = (size_t)dice_int(&dice, 0, set % 2 ? 3 : 150);
            count = count < FEW - at ? count : FEW - at;
            split[3 * (at + count)] = shade_split[at + count] = 99;
            degrees_split[at + count] = 99;
            terrane_relief(&any.recipe, heights + at, normals + 3 * at, weights + zones * at, NULL, count,
                           split + 3 * at);
            terrane_hillshade(normals + 3 * at, count, shade_split + at);
            terrane_slopes(normals + 3 * at, count, degrees_split + at);
            assert_true(split[3 * (at + count)] == 99 && shade_split[at + count] == 99);
            assert_true(degrees_split[at + count] == 99);
        }
        assert_memory_equal(whole, split, sizeof whole);
        assert_memory_equal(shade, shade_split, sizeof shade);
        assert_memory_equal(degrees, degrees_split, sizeof degrees);
        free(heights), free(normals), free(weights);
    }
}

GROUP(shade, set_up, tear_down);
