/*
 * Octaves point by point, and what both ways have in common: places far out, carries of cells into their high half,
 * the lattice's own values, and how far the nearest feature points can be (lib/kernel/points.inc, cellular.inc,
 * lib/plan.c).
 */
#include "slow_term.h"

/* One octave. zero: displaced by nothing, which leaves the lattice but changes no place. */
static struct terrane_recipe recipe_octave(enum terrane_base base, double cell, bool zero)
{
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_term term = term_fractal(TERRANE_FBM, base, 1, cell, 1, 0.5f);
    if (zero) {
        term.fractal.warp_term[0] = 0;
        term.fractal.warp_m = 1;
    }
    recipe_add(&recipe, term);
    return recipe;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

static void expect_slow(const struct terrane_world *world, const struct terrane_window *window,
                        double tolerance)
{
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    for (int n = 0; n < window->width * window->height; n++) {
        const struct slow slow =
            slow_height(world, window->level, window->gi + (int64_t)(n % window->width) * window->step,
                        window->gj + (int64_t)(n / window->width) * window->step);
        if (!(fabs((double)heights[n] - slow.v) <= tolerance))
            fail_msg("%s: sample %d is %.9g, not %.9g", window_text(window), n, (double)heights[n], slow.v);
    }
    free(heights);
}

/* Anywhere, at any level, with cells of any size: places are exact. */
static void far_places_are_like_others(void **state)
{
    struct dice dice = {81};

    (void)state;
    for (int n = 0; n < 600; n++) {
        const int level = dice_int(&dice, 0, TERRANE_LEVEL_MAX);
        const double cell = exp2(dice_real(&dice, level + 1, 40));
        struct terrane_recipe recipe = recipe_octave((enum terrane_base)(n % TERRANE_BASES), cell, false);
        struct terrane_world world;
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {.level = level,
                                              .gi = dice_place(&dice, &world, level, 1),
                                              .gj = dice_place(&dice, &world, level, 2),
                                              .step = dice_int(&dice, 1, 256),
                                              .width = 9,
                                              .height = 3};
        expect_slow(&world, &window, 2e-5);
    }
}

/*
 * The sample at which cell 0's west (or north) edge is met: samples before it lie in cell -1. 2^32 cells further on the
 * high half of cells changes in between, as it does at 0.
 */
static int64_t edge_of(const struct terrane_world *world, int64_t cells, int axis)
{
    const struct terrane_fractal *fractal = &world->recipe->term[1].fractal;
    const uint64_t h =
        hash_absorb(hash_absorb(hash_absorb(world->seed, fractal->salt), 0), (uint64_t)axis + 1);
    return (int64_t)(((double)cells - (double)h * 0x1p-64) * fractal->cell);
}

/* Windows across a change of the high half of columns and of rows; displaced ones, too. */
static void cells_carry_into_their_high_half(void **state)
{
    struct dice dice = {82};

    (void)state;
    for (int n = 0; n < 200; n++) {
        struct terrane_recipe recipe =
            recipe_octave((enum terrane_base)(n / 3 % TERRANE_BASES), dice_real(&dice, 2, 20), false);
        struct terrane_world world;
        if (n % 2) {
            recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_VALUE, 1, 64, 30, 1);
            recipe.term[1].fractal.warp_term[n / 2 % 2] = 0;
            recipe.term[1].fractal.warp_m = 4;
        }
        make_world(&world, &recipe, dice_bits(&dice));
        const int64_t carry = dice_whole(&dice, -3, 3) * (INT64_C(1) << 32);
        const struct terrane_window window = {.gi = edge_of(&world, carry, 0) - 20,
                                              .gj = edge_of(&world, carry * dice_int(&dice, -1, 1), 1) - 5,
                                              .step = 1,
                                              .width = 40,
                                              .height = 10};
        expect_slow(&world, &window, 1e-4);
    }
}

/*
 * The lattice's values, point by point: cells of 2^40 samples, whose two shifts differ by less than a sample can tell.
 * At level 0 the nearest sample is within 2^-41 cells.
 */
static void both_ways_have_the_same_values(void **state)
{
    struct dice dice = {83};

    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++) {
        if (base == TERRANE_SIMPLEX)
            continue; /* is never on the lattice */
        struct terrane_recipe on = recipe_octave((enum terrane_base)base, 0x1p40, false),
                              off = recipe_octave((enum terrane_base)base, 0x1p40, true);
        struct terrane_world lattice, points;
        const uint64_t seed = dice_bits(&dice), key = hash_absorb(hash_absorb(seed, 0), 0);
        make_world(&lattice, &on, seed);
        make_world(&points, &off, seed);
        int64_t apart[2];
        for (int axis = 0; axis < 2; axis++) {
            const uint64_t h = hash_absorb(key, (uint64_t)axis + 1);
            apart[axis] = (int64_t)(h & ((UINT64_C(1) << 40) - 1)) - (int64_t)(h >> 24);
        }
        for (int n = 0; n < 300; n++) {
            const int64_t far = n % 2 ? INT64_C(1) << 49 : INT64_C(1) << 41;
            const int64_t gi = dice_whole(&dice, -far, far), gj = dice_whole(&dice, -far, far);
            const double a = (double)height_at(&lattice, 0, gi, gj, scratch);
            const double b = (double)height_at(&points, 0, gi + apart[0], gj + apart[1], scratch);
            assert_true(fabs(a - b) <= 2e-6);
        }
    }
}

/* Displacement moves a place by as much as it says: a constant one, by whole samples. */
static void displacement_moves_places(void **state)
{
    struct dice dice = {84};

    (void)state;
    for (int n = 0; n < 200; n++) {
        struct terrane_recipe recipe = recipe_octave((enum terrane_base)(n % TERRANE_BASES), 16, true),
                              still = recipe;
        struct terrane_world moved, world;
        const int by = dice_int(&dice, -100, 100);
        recipe.spacing_m = still.spacing_m = 0.25;
        recipe.term[0].offset = (float)by * 0.25f;
        make_world(&moved, &recipe, (uint64_t)n);
        make_world(&world, &still, (uint64_t)n);
        const int64_t gi = dice_whole(&dice, -1000, 1000), gj = dice_whole(&dice, -1000, 1000);
        const double a = (double)height_at(&moved, 0, gi, gj, scratch);
        const double b = (double)height_at(&world, 0, gi + by, gj, scratch);
        assert_true(fabs(a - b) <= 1e-5);
    }
}

/* A displacement goes 2^20 cells at most, however great; what is clamped is made, and no number leaves its range. */
static void displacement_ends(void **state)
{
    struct dice dice = {85};

    (void)state;
    for (int n = 0; n < 40; n++) {
        struct terrane_recipe recipe = recipe_octave((enum terrane_base)(n % TERRANE_BASES), 4, true);
        struct terrane_world world;
        recipe.term[0].offset = n & 1 ? 32768 : -32768;
        recipe.term[1].fractal.warp_term[1] = n & 2 ? 0 : -1;
        recipe.term[1].fractal.warp_m = 0x1p20f;
        make_world(&world, &recipe, (uint64_t)n);
        const struct terrane_window window = {.gi = dice_place(&dice, &world, 0, 1),
                                              .gj = dice_place(&dice, &world, 0, 2),
                                              .step = 1,
                                              .width = 30,
                                              .height = 3};
        float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        for (size_t i = 0; i < window_samples(&window); i++)
            assert_true(fabsf(heights[i]) <= 1.4f);
        free(heights);
    }
}

/*
 * Samples that share what they are made of are those that are asked for alone, to the last bit: cells of any size, calm
 * and wild displacement, all instruction sets.
 */
static void neighbours_change_nothing(void **state)
{
    struct dice dice = {86};

    (void)state;
    for (int n = 0; n < 240; n++) {
        const double cell = exp2(dice_real(&dice, 1, 7));
        struct terrane_recipe recipe = recipe_octave((enum terrane_base)(n % TERRANE_BASES), cell, false);
        struct terrane_world world;
        if (n / TERRANE_BASES % 3) {
            const double coarse = exp2(dice_real(&dice, 1, 8));
            recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, coarse, 30, 1);
            recipe.term[1].fractal.warp_term[n % 2] = 0;
            recipe.term[1].fractal.warp_m = (float)dice_real(&dice, 0, n / TERRANE_BASES % 3 == 1 ? 2 : 400);
        }
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {.gi = dice_whole(&dice, -1000, 1000),
                                              .gj = dice_whole(&dice, -1000, 1000),
                                              .step = n % 5 ? 1 : dice_int(&dice, 1, 64),
                                              .width = dice_int(&dice, 1, 300),
                                              .height = dice_int(&dice, 1, 20)};
        const char *isa;
        for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++) {
            assert_int_equal(terrane_init(isa), 0);
            float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
            for (int m = 0; m < 60; m++) {
                const int i = dice_int(&dice, 0, window.width - 1), j = dice_int(&dice, 0, window.height - 1);
                const float alone = height_at(&world, 0, window.gi + (int64_t)i * window.step,
                                              window.gj + (int64_t)j * window.step, scratch);
                if (memcmp(&alone, &heights[j * window.width + i], sizeof alone) != 0)
                    fail_msg("%s, %s: sample %d, %d is %.9g, alone %.9g", isa, window_text(&window), i, j,
                             (double)heights[j * window.width + i], (double)alone);
            }
            free(heights);
        }
        assert_int_equal(terrane_init(NULL), 0);
    }
}

/* ---- Feature points ------------------------------------------------------------------------------------ */

/* How near to, and how far from, place t of its axis the feature point of the cell `away` cells on can be. */
static double near_of(double t, int away, double half)
{
    return fmax(0, fabs(t - away - 0.5) - half);
}

static double far_of(double t, int away, double half)
{
    return fabs(t - away - 0.5) + half;
}

/*
 * The second nearest point of the (2 reach + 1)^2 cells, were each as far as it can be, over the nearest that any cell
 * outside can have, in the worst place. Each cell's point is free of the others: at 1 or below the cells always hold
 * both nearest points, above 1 some do not.
 */
static double worst_second(double jitter, int reach)
{
    enum { PLACES = 200 };
    const double half = jitter / 2;
    double worst = 0;
    for (int py = 0; py <= PLACES / 2; py++)
        for (int px = 0; px <= PLACES / 2; px++) { /* the other quarters are mirror images */
            const double x = (double)px / PLACES, y = (double)py / PLACES;
            double first = 1e9, second = 1e9, outside = 1e9;
            for (int j = -4; j <= 4; j++)
                for (int i = -4; i <= 4; i++) {
                    const bool inside = abs(i) <= reach && abs(j) <= reach;
                    const double d = inside ? hypot(far_of(x, i, half), far_of(y, j, half))
                                            : hypot(near_of(x, i, half), near_of(y, j, half));
                    if (!inside) {
                        outside = fmin(outside, d);
                    } else {
                        second = fmin(second, fmax(first, d));
                        first = fmin(first, d);
                    }
                }
            worst = fmax(worst, second / outside);
        }
    return worst;
}

static void cells_around_hold_the_nearest_two(void **state)
{
    (void)state;
    for (int k = 0; k <= 65; k++)
        assert_true(worst_second(k / 100.0, 1) <= 1);
    for (int k = 0; k <= 100; k += 5)
        assert_true(worst_second(k / 100.0, 2) <= 1);
    assert_true(worst_second(0.7, 1) > 1 && worst_second(1, 1) > 1); /* reach 1 goes hardly further */
}

/* A search for what the proof excludes: 7 x 7 cells against the fewer ones. */
static void no_counterexample_is_found(void **state)
{
    const char *raised = getenv("TERRANE_TEST_SETS");
    const int searches = raised ? 2000000 : 100000;
    struct dice dice = {86};

    (void)state;
    for (int n = 0; n < searches; n++) {
        const int reach = 1 + n % 2;
        const double jitter =
            dice_chance(&dice, 0.5) ? reach == 1 ? 0.65 : 1 : dice_real(&dice, 0, reach == 1 ? 0.65 : 1);
        const struct slow_spot at = {
            .cell = {dice_whole(&dice, -1000, 1000), n},
            .t = {dice_real(&dice, 0, 1), dice_chance(&dice, 0.3) ? 0 : dice_real(&dice, 0, 1)}};
        const struct slow_nearest few = slow_nearest_of(7, jitter, &at, reach),
                                  all = slow_nearest_of(7, jitter, &at, 3);
        assert_true(few.d[0] == all.d[0] && few.d[1] == all.d[1]);
    }
}

/* The nearest point is sqrt 2 away at most, the second sqrt(5/2): the greatest distances of the worst placed points. */
static void distances_have_their_bounds(void **state)
{
    double most[2] = {0};

    (void)state;
    for (int py = 0; py <= 100; py++)
        for (int px = 0; px <= 100; px++) {
            double d[2] = {1e9, 1e9};
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++) {
                    const double far = hypot(far_of(px / 100.0, i, 0.5), far_of(py / 100.0, j, 0.5));
                    d[1] = fmin(d[1], fmax(d[0], far));
                    d[0] = fmin(d[0], far);
                }
            most[0] = fmax(most[0], d[0]);
            most[1] = fmax(most[1], d[1]);
        }
    assert_true(fabs(most[0] - sqrt(2)) < 1e-12 && fabs(most[1] - sqrt(2.5)) < 1e-12);
}

UNIT(points)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_places_are_like_others),
        cmocka_unit_test(cells_carry_into_their_high_half),
        cmocka_unit_test(both_ways_have_the_same_values),
        cmocka_unit_test(displacement_moves_places),
        cmocka_unit_test(displacement_ends),
        cmocka_unit_test(neighbours_change_nothing),
        cmocka_unit_test(cells_around_hold_the_nearest_two),
        cmocka_unit_test(no_counterexample_is_found),
        cmocka_unit_test(distances_have_their_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
