/*
 * Levels of detail: where the same octaves take part, a level's samples are every second one of the level below, to the
 * last bit (lib/plan.c); and what is said of heights and levels before they are made (lib/bounds.c).
 */
#include "../lib_fixture.h"

/* Whether the same octaves of all fractals take part at two levels, and a partition is made in the same way. */
static bool same_octaves(const struct terrane_recipe *recipe, int a, int b)
{
    for (int t = 0; t < recipe->terms; t++) {
        const struct terrane_fractal *fractal = &recipe->term[t].fractal;
        if (recipe->term[t].op != TERRANE_OP_FRACTAL || fractal->kind >= TERRANE_MIDPOINT)
            continue; /* midpoints are subsets at every level */
        double cell = fractal->cell;
        for (int i = 0; i < fractal->octaves; i++, cell /= fractal->lacunarity)
            if ((cell >= ldexp(recipe->alias_octaves ? 1 : 2, a)) !=
                (cell >= ldexp(recipe->alias_octaves ? 1 : 2, b)))
                return false;
    }
    /* a Voronoi partition's points are scattered while they span 2 samples, its cells while they span 8 */
    return recipe->partition.zones == 1 || recipe->partition.kind != TERRANE_PARTITION_VORONOI ||
           b + 8 < recipe->partition.cell_log2;
}

/* A window, and the same ground one level up: compares heights and zones. Returns whether all agree. */
static void expect_subset(const struct terrane_world *world, int level, int64_t gi, int64_t gj,
                          const char *what)
{
    const struct terrane_window fine = {
        .level = level, .gi = 2 * gi, .gj = 2 * gj, .step = 2, .width = 70, .height = 9};
    const struct terrane_window coarse = {
        .level = level + 1, .gi = gi, .gj = gj, .step = 1, .width = 70, .height = 9};
    for (int layer = 0; layer < LAYER_COUNT; layer++) {
        if (layer == LAYER_NORMALS && !world->recipe->analytic)
            continue; /* differences over other distances */
        const size_t bytes = window_samples(&fine) * layer_sample_bytes(world, (enum layer)layer);
        void *a = layer_new(world, (enum layer)layer, &fine, scratch),
             *b = layer_new(world, (enum layer)layer, &coarse, scratch);
        if (memcmp(a, b, bytes) != 0)
            fail_msg("%s, layer %d: %s is no subset", what, layer, window_text(&coarse));
        free(a);
        free(b);
    }
}

TEST(levels_are_subsets)
{
    struct dice dice = {101};
    int compared = 0;

    for (int n = 0; n < 300; n++) {
        struct dice_world any;
        char what[16];
        dice_world(&dice, &any);
        snprintf(what, sizeof what, "set %d", n);
        for (int level = 0; level < TERRANE_LEVEL_MAX; level += dice_int(&dice, 1, 4)) {
            if (!same_octaves(&any.recipe, level, level + 1))
                continue;
            expect_subset(&any.world, level, dice_place(&dice, &any.world, level, 1) / 4,
                          dice_place(&dice, &any.world, level, 2) / 4, what);
            compared++;
        }
    }
    assert_true(compared > 500);
}

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
    const struct terrane_window window = {.level = level,
                                          .gi = dice_whole(dice, -100000, 100000),
                                          .gj = dice_whole(dice, -100000, 100000),
                                          .step = 1,
                                          .width = WIDTH,
                                          .height = HEIGHT};
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
