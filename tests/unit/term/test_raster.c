/*
 * Rasters (lib/recipe/recipe_raster.c, lib/term/raster_rows.c): their own numbers at their own places, a cubic between, another term
 * beyond; all of it within what was measured of them, whatever is asked and wherever it is.
 */
#include "../../../lib/recipe/bounds.h"
#include "../lib_fixture.h"

enum { WIDTH = 37, HEIGHT = 23, BEYOND = 0, RASTER = 1 };

static float sample[WIDTH * HEIGHT];
static struct terrane_raster raster;

/* Rough: neighbours have nothing to do with each other. */
static struct terrane_raster raster_rough(uint64_t seed)
{
    struct dice dice = {seed};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sample[i] = (float)dice_real(&dice, -300, 900);
    struct terrane_raster made = {.width = WIDTH, .height = HEIGHT, .sample = sample};
    assert_int_equal(terrane_raster_init(&made), 0);
    return made;
}

/* Its samples `step` level-0 samples apart, its first one (x, y) of these from the origin. */
static struct terrane_recipe recipe_map(double step, double x, double y, double fade)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.spacing_m = 0.5;
    recipe.terms = 0;
    recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 3, 64, 100, 0.5f));
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_RASTER,
                                              .inputs = 1,
                                              .in = {BEYOND},
                                              .factor = {1},
                                              .raster = &raster,
                                              .at_m = {x * 0.5, y * 0.5},
                                              .step_m = step * 0.5,
                                              .fade_m = fade * 0.5});
    return recipe;
}

/* ---- Made in another way ------------------------------------------------------------------------------- */

TEST(heights_keep_to_what_is_said_of_them)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        double low, high;
        static float all[400 * 250];
        raster = raster_rough(seed);
        struct terrane_recipe recipe = recipe_map(10, 0, 0, 100);
        recipe.term[RASTER].factor[0] = seed % 2 ? -2.5f : 1;
        recipe.term[RASTER].offset = 30;
        struct terrane_world world;
        make_world(&world, &recipe, seed);
        terrane_height_bounds_m(&recipe, &low, &high);
        const struct terrane_window window = {0, -20, -15, 1, 400, 250};
        assert_int_equal(terrane_heights(&world, &window, scratch, all), 0);
        float min = all[0], max = all[0];
        for (size_t i = 0; i < samples_of(&window); i++) {
            min = fminf(min, all[i]);
            max = fmaxf(max, all[i]);
        }
        assert_true((double)min >= low && (double)max <= high);
        assert_true((double)(max - min) > 0.6 * (high - low)); /* and it is not said too widely */
        assert_true(terrane_level_error_m(&recipe, 1) <= 200); /* of the noise beyond alone */
    }
}

TEST(files_that_are_none_are_refused)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 0x1.000002p24f};
    for (size_t k = 0; k < COUNT(bad); k++) {
        raster = raster_rough(7);
        sample[200] = bad[k];
        const struct terrane_raster before = raster;
        assert_int_equal(terrane_raster_init(&raster), TERRANE_ERASTER);
        assert_memory_equal(&before, &raster, sizeof before);
    }
    static const int sizes[][2] = {{1, 9}, {9, 1}, {0, 9}, {-5, 9}, {9, INT32_MAX}, {8193, 2}};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        struct terrane_raster odd = {.width = sizes[k][0], .height = sizes[k][1], .sample = sample};
        assert_int_equal(terrane_raster_init(&odd), TERRANE_ERASTER);
    }
}

GROUP(raster, set_up, tear_down);
