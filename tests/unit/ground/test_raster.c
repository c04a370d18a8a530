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

TEST(at_its_places_it_has_its_numbers)
{
    static const double step[] = {1, 3, 90, 64};
    raster = raster_rough(1);
    for (size_t k = 0; k < COUNT(step); k++)
        for (int level = 0; level < 3; level++) {
            struct terrane_recipe recipe = recipe_map(step[k], -1000 * step[k], 8000, 50);
            struct terrane_world world;
            make_world(&world, &recipe, 5);
            for (int j = 0; j < HEIGHT; j++)
                for (int i = 0; i < WIDTH; i++) {
                    const int64_t x = (int64_t)((i - 1000) * step[k]), y = (int64_t)(8000 + j * step[k]);
                    if ((x | y) & ((1 << level) - 1))
                        continue;
                    const float height = height_at(&world, level, x >> level, y >> level, scratch);
                    assert_memory_equal(&height, &sample[j * WIDTH + i], sizeof height);
                }
        }
}

/* ---- Made in another way ------------------------------------------------------------------------------- */

static double mirrored(int64_t c, int64_t r)
{
    c = c < 0 ? -c : c;
    r = r < 0 ? -r : r;
    c %= 2 * (WIDTH - 1);
    r %= 2 * (HEIGHT - 1);
    c = c >= WIDTH ? 2 * (WIDTH - 1) - c : c;
    r = r >= HEIGHT ? 2 * (HEIGHT - 1) - r : r;
    return (double)sample[r * WIDTH + c];
}

/* Catmull and Rom's weight of a sample that is so far away. */
static double weight_at(double d)
{
    d = fabs(d);
    return d < 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0;
}

static double cubic_at(double x, double y)
{
    double sum = 0;
    for (int64_t r = (int64_t)floor(y) - 1; r <= (int64_t)floor(y) + 2; r++)
        for (int64_t c = (int64_t)floor(x) - 1; c <= (int64_t)floor(x) + 2; c++)
            sum += mirrored(c, r) * weight_at(x - (double)c) * weight_at(y - (double)r);
    return sum;
}

static double share_of(double off, double fade)
{
    const double u = off <= 0 ? 0 : off >= fade ? 1 : off / fade;
    return 1 - u * u * u * (u * (u * 6 - 15) + 10);
}

/* Of a place along an axis of so many samples, how much of the raster is seen there. */
static double seen(double at, int count, double fade)
{
    return share_of(at < 0 ? -at : at > count - 1 ? at - (count - 1) : 0, fade);
}

TEST(between_and_beyond_it_is_what_the_page_says)
{
    static const double step[] = {0.375, 1.75, 5, 33.25};
    struct dice dice = {2};
    raster = raster_rough(3);
    for (int n = 0; n < 4000; n++) {
        const double apart = step[n % 4], fade = n % 3 ? 60 * apart : 0;
        struct terrane_recipe recipe = recipe_map(apart, -20, 11.25, fade), without = recipe;
        without.terms = 1;
        struct terrane_world world, other;
        make_world(&world, &recipe, 5);
        make_world(&other, &without, 5);
        const int level = dice_int(&dice, 0, 3);
        const int64_t gi = (int64_t)(dice_real(&dice, -70, WIDTH + 70) * apart) >> level,
                      gj = (int64_t)(dice_real(&dice, -70, HEIGHT + 70) * apart) >> level;
        const double x = ((double)(gi * (1 << level)) + 20) / apart,
                     y = ((double)(gj * (1 << level)) - 11.25) / apart;
        const double w = seen(x, WIDTH, fade / apart) * seen(y, HEIGHT, fade / apart);
        const double expected =
            w * cubic_at(x, y) + (1 - w) * (double)height_at(&other, level, gi, gj, scratch);
        const double height = (double)height_at(&world, level, gi, gj, scratch);
        if (!(fabs(height - expected) <
              0.05)) /* a place is right to 2^-20 samples, which a rough one shows */
            fail_msg("step %g, fade %g: %g, %g: %.9g, not %.9g", apart, fade, x, y, height, expected);
    }
}

TEST(windows_are_of_samples_alone)
{
    struct dice dice = {4};
    raster = raster_rough(5);
    for (int n = 0; n < 60; n++) {
        struct terrane_recipe recipe = recipe_map(dice_real(&dice, 0.1, 40), dice_real(&dice, -900, 100),
                                                  dice_real(&dice, -600, 100), dice_real(&dice, 0, 900));
        struct terrane_world world;
        make_world(&world, &recipe, (uint64_t)n);
        struct terrane_window window = dice_window(&dice, &world);
        if (n % 4) { /* near it */
            window.gi = dice_int(&dice, -1200, 300) >> window.level;
            window.gj = dice_int(&dice, -900, 300) >> window.level;
        }
        isa_choose(n);
        float *all = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        for (int m = 0; m < 40; m++) {
            const int i = dice_int(&dice, 0, window.width - 1), j = dice_int(&dice, 0, window.height - 1);
            const int64_t gi = window.gi + (int64_t)i * window.step,
                          gj = window.gj + (int64_t)j * window.step;
            if (gi > INT64_C(1) << 50 || gj > INT64_C(1) << 50)
                continue;
            const float alone = height_at(&world, window.level, gi, gj, scratch);
            if (memcmp(&alone, &all[j * window.width + i], sizeof alone) != 0)
                fail_msg("%s: sample %d, %d is %.9g, alone %.9g", window_text(&window), i, j,
                         (double)all[j * window.width + i], (double)alone);
        }
        free(all);
    }
}

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
        float least = all[0], most = all[0];
        for (size_t i = 0; i < window_samples(&window); i++) {
            least = fminf(least, all[i]);
            most = fmaxf(most, all[i]);
        }
        assert_true((double)least >= low && (double)most <= high);
        assert_true((double)(most - least) > 0.6 * (high - low)); /* and it is not said too widely */
        assert_true(terrane_level_error_m(&recipe, 1) <= 200);    /* of the noise beyond alone */
    }
}

TEST(level_ground_stays_level)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sample[i] = 17;
    raster = (struct terrane_raster){.width = WIDTH, .height = HEIGHT, .sample = sample};
    assert_int_equal(terrane_raster_init(&raster), 0);
    assert_true(raster.low == 17 && raster.high == 17);
    struct terrane_recipe recipe = recipe_map(7, 0, 0, 0);
    struct terrane_world world;
    make_world(&world, &recipe, 1);
    for (int i = 0; i < 7 * (WIDTH - 1); i++)
        assert_true(height_at(&world, 0, i, i / 3, scratch) == 17);
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
