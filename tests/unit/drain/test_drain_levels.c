/*
 * Levels of detail of ground that rivers made: how far they lie from each other (terrane_ground_errors), in worlds that were made
 * to have steep walls beside channels of any width. tests/http/test_levels.py looks at the recipes that ship.
 */
#include "drain_kit.h"

#include "../../../lib/drain/river.h"
#include "../shelf_kit.h"

/* Channels from a sample's width to many, with beds and banks that would reach far. */
static struct terrane_recipe dice_channels(struct dice *dice)
{
    struct terrane_recipe recipe = dice_rivers(dice);
    recipe.rivers.bottom = dice_int(dice, 4, 5);
    recipe.rivers.top = recipe.rivers.bottom + 8;
    recipe.erosion.levels = recipe.rivers.bottom;
    recipe.rivers.width = (float)exp2(dice_real(dice, 2, 6));
    recipe.rivers.depth = (float)exp2(dice_real(dice, -3, 4));
    recipe.rivers.sources_ha = (float)exp2(dice_real(dice, -2, 5));
    if (dice_chance(dice, 0.5)) { /* sand on everything */
        recipe.rivers.sand = recipe.terms + 1;
        recipe.term[recipe.terms++] =
            term_fractal(TERRANE_FBM, TERRANE_VALUE, 4, exp2(dice_int(dice, 5, 9)), 40, 0.5f);
        /* the height stays the last one */
        const struct terrane_term sand = recipe.term[recipe.terms - 1];
        recipe.term[recipe.terms - 1] = recipe.term[0];
        recipe.term[0] = sand;
        recipe.rivers.sand = 1;
    }
    return recipe;
}

static void make_ground(const struct terrane_world *world, const struct terrane_window *window, float *out)
{
    assert_int_equal(
        terrane_make(world, window, TERRANE_LAYER_HEIGHT,
                     terrane_layer_variant(world->recipe, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED),
                     &store, scratch, out),
        0);
}

/* Every sample of a coarse window against those of level 0 at the same places; the greatest share of the error. */
static double expect_near(const struct terrane_world *world, int level, int64_t x, int64_t y)
{
    enum { SIDE = 1024 };
    static float fine[SIDE * SIDE / 4], coarse[SIDE * SIDE / 4];
    const int side = SIDE >> level;
    const struct terrane_window below = {0, x * SIDE, y * SIDE, 1 << level, side, side},
                                above = {level, below.gi >> level, below.gj >> level, 1, side, side};
    const enum terrane_variant variant =
        terrane_layer_variant(world->recipe, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED);
    struct terrane_ground_errors errors;
    terrane_ground_errors(world->recipe, level, &errors);
    const double error_m = errors.variant_m[variant];
    double max = 0;
    make_ground(world, &below, fine);
    make_ground(world, &above, coarse);
    for (int k = 0; k < side * side; k++) {
        const double apart_m = fabs((double)fine[k] - (double)coarse[k]);
        if (!(apart_m <= error_m))
            fail_msg("level %d: %g m apart, %g published", level, apart_m, error_m);
        max = fmax(max, apart_m / error_m);
    }
    return max;
}

TEST(levels_below_the_lattices_keep_to_their_error)
{
    static struct terrane_recipe recipe;
    double max = 0;
    for (int n = 0; n < sets(2); n++) {
        struct dice dice = {(uint64_t)n + 1};
        struct terrane_world world;
        recipe = dice_channels(&dice);
        make_world(&world, &recipe, dice_bits(&dice));
        const int64_t x = dice_whole(&dice, -2000, 2000), y = dice_whole(&dice, -2000, 2000);
        for (int level = 1; level < recipe.rivers.bottom && level < 6; level++)
            max = fmax(max, expect_near(&world, level, x, y));
        shelf_clear(&shelf);
    }
    assert_true(max > 0.1);
}

TEST(banks_are_the_same_at_all_levels)
{
    enum { SIDE = 96 };
    static const float min[RIVER_BANKS] = {0.4f, 0.5f, 0.08f}, max[RIVER_BANKS] = {1, 1, 0.44f};
    static float fine[SIDE * SIDE], coarse[SIDE * SIDE];
    static struct terrane_recipe recipe;
    struct dice dice = {3};
    struct terrane_world world;
    recipe = dice_channels(&dice);
    make_world(&world, &recipe, dice_bits(&dice));
    for (int which = 0; which < RIVER_BANKS; which++) {
        double least = 1, most = 0;
        for (int level = 1; level < recipe.rivers.bottom; level++) {
            const struct terrane_window above = {level, -SIDE / 2, 1000, 1, SIDE, SIDE},
                                        below = {0,
                                                 above.gi * (1 << level),
                                                 above.gj * (1 << level),
                                                 1 << level,
                                                 SIDE,
                                                 SIDE};
            assert_int_equal(river_banks(&world, &above, scratch, which, coarse), 0);
            assert_int_equal(river_banks(&world, &below, scratch, which, fine), 0);
            assert_memory_equal(fine, coarse, sizeof fine);
            for (int i = 0; i < SIDE * SIDE; i++) {
                least = fmin(least, coarse[i]);
                most = fmax(most, coarse[i]);
            }
        }
        assert_true(least >= (double)min[which] - 1e-6 && most <= (double)max[which] + 1e-6);
        assert_true(most - least > (double)(max[which] - min[which]) * 0.9);
    }
}

/* What is cut through paths, over ground far below all water: nothing comes up to it. Before generator 16 banks did. */
TEST(beds_raise_nothing)
{
    enum { SIDE = 512, CELLS = 64 };
    static float heights[SIDE * SIDE];
    static struct terrane_recipe recipe;
    for (int generator = 15; generator <= 16; generator++) {
        struct dice dice = {11};
        struct terrane_world world;
        recipe = dice_channels(&dice);
        recipe.generator = generator;
        make_world(&world, &recipe, dice_bits(&dice));
        const int bottom = recipe.rivers.bottom, margin = TERRANE_RIVERS_MARGIN + (SIDE >> bottom);
        const struct terrane_window cells = {bottom, 0, 0, 1, CELLS + 2 * margin, CELLS + 2 * margin};
        struct terrane_drained drained = drained_new(&world, NULL, &cells);
        struct terrane_window window = {0, 0, 0, 1, SIDE, SIDE};
        uint64_t most = 0;
        for (int j = margin; j < margin + CELLS; j++)
            for (int i = margin; i < margin + CELLS; i++) {
                const struct terrane_drained_cell cell =
                    terrane_drained_cell(&drained, (size_t)(j * cells.width + i));
                if ((cell.to & TERRANE_DRAIN_WAY) >= TERRANE_DRAIN_SEA || cell.runoff <= most)
                    continue;
                most = cell.runoff;
                window.gi = ((int64_t)i << bottom) - SIDE / 2;
                window.gj = ((int64_t)j << bottom) - SIDE / 2;
            }
        int raised = 0;
        for (int k = 0; k < SIDE * SIDE; k++)
            heights[k] = -16384;
        assert_int_equal(terrane_rivers_beds(&world, &window, &drained, scratch, heights), 0);
        for (int k = 0; k < SIDE * SIDE; k++)
            raised += heights[k] > -16384;
        assert_true(generator < 16 ? raised > 0 : raised == 0);
        free(drained.z);
    }
}

/* Rivers of 142,700 m3/s, side by side, as deep as recipes may say: before generator 16 their beds are 1,845 m deep. */
TEST(beds_are_no_deeper_than_the_bounds)
{
    enum { SIDE = 16, MARGIN = TERRANE_RIVERS_MARGIN };
    static float heights[SIDE * SIDE];
    for (int generator = 15; generator <= 16; generator++) {
        struct terrane_recipe recipe = recipe_flat();
        struct terrane_world world;
        float min = 0;
        rivers_usual(&recipe, 4, 8);
        recipe.rivers.depth = 16;
        recipe.generator = generator;
        make_world(&world, &recipe, 1);
        const struct terrane_window cells = {4, -MARGIN, -MARGIN, 1, 2 + 2 * MARGIN, 2 + 2 * MARGIN},
                                    window = {0, 0, 0, 1, SIDE, SIDE};
        struct terrane_drained drained = drained_of(&cells);
        for (size_t k = 0; k < samples_of(&cells); k++) {
            drained.z[k] = 0;
            drained.low[k] = drained.stem[k] = 0;
            drained.high[k] = UINT32_C(1) << 12; /* 2^44, all to the east */
        }
        memset(heights, 0, sizeof heights);
        assert_int_equal(terrane_rivers_beds(&world, &window, &drained, scratch, heights), 0);
        for (int k = 0; k < SIDE * SIDE; k++)
            min = fminf(min, heights[k]);
        assert_int_equal(min >= -DRAIN_BEYOND_M, generator >= 16);
        free(drained.z);
    }
}

TEST(errors_rise_with_the_level)
{
    static struct terrane_recipe recipe;
    struct dice dice = {7};
    for (int n = 0; n < 200; n++) {
        double before = 0;
        recipe = dice_channels(&dice);
        assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
        assert_true(terrane_rivers_error_m(&recipe, 0) == 0);
        for (int level = 1; level <= TERRANE_LEVEL_MAX; level++) {
            const double error = terrane_rivers_error_m(&recipe, level);
            assert_true(error >= before && error < 0x1p41);
            before = error;
        }
    }
}

GROUP(drain_levels, set_up, tear_down);
