/*
 * Numbers about surfaces: measures of heights (lib/measure.c), and the shares that zones have in a sample
 * (lib/surface.c, lib/kernel/term.inc).
 */
#include "../lib_fixture.h"

/* ---- Measures --------------------------------------------------------------------------------------- */

/* A sample's place in metres, from long double factors. */
static long double metres(const struct terrane_world *world, const struct terrane_window *window, int64_t g)
{
    return ldexpl((long double)g, window->level) * (long double)world->recipe->spacing_m;
}

/* a and b are the same to within parts of scale. */
static void expect_near(long double a, double b, long double scale, double parts)
{
    if (!(fabsl(a - (long double)b) <= scale * (long double)parts))
        fail_msg("%.21Lg is not %.17g", a, b);
}

/*
 * Against the same in long double. Places are products of two roundings at most, so box and centroid have
 * 2^-51 of their magnitude; the mean's sum is exact, of heights that are each off by 2^-17 m at most.
 */
static void check_measure(const struct terrane_world *world, const struct terrane_window *window,
                          const float *heights)
{
    const size_t samples = window_samples(window);
    struct terrane_measure of;
    long double sum[3] = {0}, low[3] = {0}, high[3] = {0}, whole = 0, reach = 0;
    terrane_measure_heights(world, window, heights, &of);
    for (size_t n = 0; n < samples; n++) {
        const int64_t i = (int64_t)(n % (size_t)window->width), j = (int64_t)(n / (size_t)window->width);
        const long double at[3] = {metres(world, window, window->gi + i * window->step),
                                   metres(world, window, window->gj + j * window->step),
                                   (long double)heights[n]};
        for (int c = 0; c < 3; c++) {
            sum[c] += at[c];
            low[c] = n && low[c] < at[c] ? low[c] : at[c];
            high[c] = n && high[c] > at[c] ? high[c] : at[c];
        }
        whole += roundl(at[2] * 65536);
        const long double dx = at[0] - (long double)of.sphere_centre_m[0],
                          dy = at[1] - (long double)of.sphere_centre_m[1];
        const long double dz = at[2] - (long double)of.sphere_centre_m[2];
        reach = fmaxl(reach, sqrtl(dx * dx + dy * dy + dz * dz));
    }
    for (int c = 0; c < 3; c++) {
        const long double scale = fmaxl(fabsl(low[c]), fabsl(high[c]));
        expect_near(low[c], of.box_low_m[c], scale, 0x1p-51);
        expect_near(high[c], of.box_high_m[c], scale, 0x1p-51);
        expect_near((low[c] + high[c]) / 2, of.sphere_centre_m[c], scale, 0x1p-50);
        if (c < 2)
            expect_near(sum[c] / (long double)samples, of.centroid_m[c], scale, 0x1p-50);
    }
    assert_true((long double)of.min_m == low[2] && (long double)of.max_m == high[2]);
    assert_true(of.box_low_m[2] == (double)of.min_m && of.box_high_m[2] == (double)of.max_m);
    assert_false(signbit(of.min_m) && of.min_m == 0);
    assert_false(signbit(of.max_m) && of.max_m == 0);
    const long double mean = fmaxl(low[2], fminl(high[2], whole / 65536 / (long double)samples));
    expect_near(mean, of.mean_m, fmaxl(fabsl(low[2]), fabsl(high[2])), 0x1p-51);
    expect_near(sum[2] / (long double)samples, of.mean_m, 1, 0x1p-17 + fabs(of.mean_m) * 0x1p-51);
    assert_true(of.centroid_m[2] == of.mean_m);
    /* places of lattice coordinates are off by roundings: the sphere knows the library's, this test the exact
     * ones */
    const long double off =
        0x1p-52L * (fmaxl(fabsl(low[0]), fabsl(high[0])) + fmaxl(fabsl(low[1]), fabsl(high[1])));
    const bool exact = exp2(round(log2(world->recipe->spacing_m))) == world->recipe->spacing_m;
    assert_true((long double)of.sphere_radius_m + (exact ? 0 : off) >= reach);
    expect_near(reach, of.sphere_radius_m, reach + off, exact ? 0x1p-48 : 1.0);
}

static void default_world(struct dice_world *out, uint64_t seed)
{
    terrane_recipe_default(&out->recipe);
    terrane_world_init(&out->world, &out->recipe, seed);
}

/* The samples of random worlds and windows, far ones among them. */
static void measures_are_right(void **state)
{
    struct dice dice = {1};
    struct dice_world any;

    (void)state;
    for (int n = 0; n < 150; n++) {
        dice_world(&dice, &any);
        struct terrane_window window = dice_window(&dice, &any.world);
        if (window.height * window.width > 3000)
            window.height = 1;
        float *heights = layer_new(&any.world, LAYER_HEIGHTS, &window, scratch);
        check_measure(&any.world, &window, heights);
        free(heights);
    }
    const int64_t far = TERRANE_TILE_LIMIT;
    const int64_t tiles[][3] = {{0, 0, 0}, {0, far - 1, -far}, {24, -far, far - 1}, {24, 0, -1}};
    for (int n = 0; n < COUNT(tiles); n++) {
        struct terrane_window window;
        default_world(&any, 42);
        assert_int_equal(terrane_window_tile(&window, (int)tiles[n][0], tiles[n][1], tiles[n][2], 65), 0);
        float *heights = layer_new(&any.world, LAYER_HEIGHTS, &window, scratch);
        check_measure(&any.world, &window, heights);
        free(heights);
    }
}

/* A mirror image and a shuffled one have the same extremes and mean, to the last bit. */
static void measures_know_no_order(void **state)
{
    const struct terrane_window window = {.gi = -16, .gj = -16, .step = 1, .width = 33, .height = 33};
    enum { SAMPLES = 33 * 33 };
    struct dice dice = {2};
    struct dice_world any;
    struct terrane_measure first, of;
    float other[SAMPLES];

    (void)state;
    default_world(&any, 1);
    float *heights = layer_new(&any.world, LAYER_HEIGHTS, &window, scratch);
    terrane_measure_heights(&any.world, &window, heights, &first);
    for (int i = 0; i < SAMPLES; i++)
        other[i] = heights[SAMPLES - 1 - i]; /* about the window's middle, so that distances stay, too */
    terrane_measure_heights(&any.world, &window, other, &of);
    assert_true(of.sphere_radius_m == first.sphere_radius_m);
    for (int n = 0; n < 20; n++) {
        for (int i = SAMPLES - 1; i > 0; i--) {
            const int j = dice_int(&dice, 0, i);
            const float swap = other[i];
            other[i] = other[j];
            other[j] = swap;
        }
        terrane_measure_heights(&any.world, &window, other, &of);
        assert_true(of.min_m == first.min_m && of.max_m == first.max_m && of.mean_m == first.mean_m);
    }
    free(heights);
}

static void ranges_have_no_negative_zero(void **state)
{
    float low, high;

    (void)state;
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
static void means_of_great_heights_hold(void **state)
{
    const struct terrane_window window = {.step = 1, .width = TERRANE_WINDOW_MAX, .height = 300};
    const size_t samples = window_samples(&window);
    struct terrane_measure of;
    struct dice_world any;

    (void)state;
    default_world(&any, 0);
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

/* ---- Zones ------------------------------------------------------------------------------------------ */

UNIT(measure)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_right),
        cmocka_unit_test(measures_know_no_order),
        cmocka_unit_test(ranges_have_no_negative_zero),
        cmocka_unit_test(means_of_great_heights_hold),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
