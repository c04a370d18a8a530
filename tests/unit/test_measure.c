/*
 * Numbers about surfaces: measures of heights (lib/measure.c), a world's bounds and level errors
 * (lib/world.c), and the shares that zones have in a sample (lib/surface.c).
 */
#include "lib_fixture.h"

/* ---- Measures --------------------------------------------------------------------------------------- */

/* A sample's place in metres, from long double factors. */
static long double metres(const struct terrane_world *world, const struct terrane_window *window, int64_t g)
{
    return ldexpl((long double)g, window->level) * (long double)world->recipe.spacing_m;
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
    const bool exact = exp2(round(log2(world->recipe.spacing_m))) == world->recipe.spacing_m;
    assert_true((long double)of.sphere_radius_m + (exact ? 0 : off) >= reach);
    expect_near(reach, of.sphere_radius_m, reach + off, exact ? 0x1p-48 : 1.0);
}

/* The samples of random worlds and windows, far ones among them. */
static void measures_are_right(void **state)
{
    struct dice dice = {1};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 150; n++) {
        dice_world(&dice, &world);
        struct terrane_window window = dice_window(&dice, &world);
        if (window.height * window.width > 3000)
            window.height = 1;
        float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        check_measure(&world, &window, heights);
        free(heights);
    }
    const int64_t far = TERRANE_TILE_LIMIT;
    const int64_t tiles[][3] = {{0, 0, 0}, {0, far - 1, -far}, {24, -far, far - 1}, {24, 0, -1}};
    for (int n = 0; n < COUNT(tiles); n++) {
        struct terrane_window window;
        make_world(&world, terrane_recipe_default(), 42);
        assert_int_equal(terrane_window_tile(&window, (int)tiles[n][0], tiles[n][1], tiles[n][2], 65), 0);
        float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        check_measure(&world, &window, heights);
        free(heights);
    }
}

/* A mirror image and a shuffled one have the same extremes and mean, to the last bit. */
static void measures_know_no_order(void **state)
{
    const struct terrane_window window = {.gi = -16, .gj = -16, .step = 1, .width = 33, .height = 33};
    enum { SAMPLES = 33 * 33 };
    struct dice dice = {2};
    struct terrane_world world;
    struct terrane_measure first, of;
    float other[SAMPLES];

    (void)state;
    make_world(&world, terrane_recipe_default(), 1);
    float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
    terrane_measure_heights(&world, &window, heights, &first);
    for (int i = 0; i < SAMPLES; i++)
        other[i] = heights[SAMPLES - 1 - i]; /* about the window's middle, so that distances stay, too */
    terrane_measure_heights(&world, &window, other, &of);
    assert_true(of.sphere_radius_m == first.sphere_radius_m);
    for (int n = 0; n < 20; n++) {
        for (int i = SAMPLES - 1; i > 0; i--) {
            const int j = dice_int(&dice, 0, i);
            const float swap = other[i];
            other[i] = other[j];
            other[j] = swap;
        }
        terrane_measure_heights(&world, &window, other, &of);
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

/* A plateau as high as a recipe can raise one (32768 m * 24 octaves * 64, about 2^25.6), in a large window.
 */
static void means_of_great_heights_hold(void **state)
{
    const struct terrane_window window = {.step = 1, .width = TERRANE_WINDOW_MAX, .height = 1000};
    const size_t samples = window_samples(&window);
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 24, 40, 32768, 1);
    struct terrane_world world;
    struct terrane_measure of;
    double low, high;

    (void)state;
    recipe.detail = recipe.base;
    recipe.partition.zone[0].amplitude = 64;
    make_world(&world, &recipe, 0);
    terrane_height_bounds_m(&world, &low, &high);
    assert_true(low < -4e7 && high > 4e7);
    float *heights = malloc(samples * sizeof *heights);
    assert_non_null(heights);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < samples; i++)
            heights[i] = (i % 2 ? 4.2e7f : 4e7f) * (float)sign; /* two of them: the mean is no extreme */
        terrane_measure_heights(&world, &window, heights, &of);
        assert_true(of.mean_m == 4.1e7 * sign);
    }
    free(heights);
}

/* ---- Bounds ----------------------------------------------------------------------------------------- */

static void expect_bounded(const struct terrane_world *world, const struct terrane_window *window)
{
    double low, high;
    float least, most;
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    terrane_height_bounds_m(world, &low, &high);
    terrane_height_range(heights, window_samples(window), &least, &most);
    if (!((double)least >= low && (double)most <= high))
        fail_msg("%s: %.9g .. %.9g passes %.9g .. %.9g", window_text(window), (double)least, (double)most,
                 low, high);
    free(heights);
}

/* The same places at level 0 and at another level. Returns the greatest difference. */
static double level_difference(const struct terrane_world *world, int level, int64_t gi, int64_t gj, int side)
{
    const struct terrane_window coarse = {
        .level = level, .gi = gi, .gj = gj, .step = 1, .width = side, .height = side};
    float *heights = layer_new(world, LAYER_HEIGHTS, &coarse, scratch), *fine = NULL;
    double most = 0;
    if (level <= 8) {
        const struct terrane_window steps = {.gi = gi * (INT64_C(1) << level),
                                             .gj = gj * (INT64_C(1) << level),
                                             .step = 1 << level,
                                             .width = side,
                                             .height = side};
        fine = layer_new(world, LAYER_HEIGHTS, &steps, scratch);
    }
    for (int n = 0; n < side * side; n++) {
        const int64_t i = (gi + n % side) * (INT64_C(1) << level),
                      j = (gj + n / side) * (INT64_C(1) << level);
        const float height = fine ? fine[n] : height_at(world, 0, i, j, scratch);
        most = fmax(most, fabs((double)heights[n] - (double)height));
    }
    free(heights);
    free(fine);
    return most;
}

static void expect_level_error(const struct terrane_world *world, int level, int64_t gi, int64_t gj, int side)
{
    const double error = terrane_level_error_m(world, level),
                 most = level_difference(world, level, gi, gj, side);
    if (!(most <= error))
        fail_msg("level %d at %" PRId64 ", %" PRId64 " differs by %.9g m from level 0, said to be %.9g m",
                 level, gi, gj, most, error);
}

static void bounds_and_level_errors_hold(void **state)
{
    struct dice dice = {3};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 150; n++) {
        if (n % 10 == 0)
            make_world(&world, terrane_recipe_default(), (uint64_t)n);
        else
            dice_world(&dice, &world);
        const struct terrane_window window = dice_window(&dice, &world);
        expect_bounded(&world, &window);
        assert_true(terrane_level_error_m(&world, 0) == 0);
        for (int level = 1; level <= 24; level++) {
            const int64_t far = dice_chance(&dice, 0.5) ? 10 : INT64_C(1) << 25;
            const int64_t gi = dice_whole(&dice, -far, far), gj = dice_whole(&dice, -far, far);
            assert_true(terrane_level_error_m(&world, level) >= terrane_level_error_m(&world, level - 1));
            expect_level_error(&world, level, gi, gj, level <= 8 ? 24 : 3);
        }
    }
}

/* Where nothing is left out, a level's samples are those of level 0, to the last bit. */
static void levels_are_samples_of_level_0(void **state)
{
    struct dice dice = {4};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 100; n++) {
        dice_world(&dice, &world);
        const struct terrane_recipe *recipe = &world.recipe;
        int most = recipe->partition.zones > 1 ? recipe->partition.cell_log2 : TERRANE_LEVEL_MAX + 1;
        for (int part = 0; part < 2; part++) {
            const struct terrane_fractal *fractal = part ? &recipe->detail : &recipe->base;
            const int last = fractal->cell_log2 - fractal->octaves + 1;
            most = fractal->octaves && last < most ? last : most;
        }
        most -= 1 - recipe->alias_octaves;
        for (int level = 1; level <= most && level <= TERRANE_LEVEL_MAX; level++)
            assert_true(level_difference(&world, level, dice_whole(&dice, -99999, 99999), 77,
                                         level <= 8 ? 20 : 3) == 0);
    }
}

/* Offsets that cancel leave small heights with the roundings of large ones. */
static void bounds_know_the_roundings_of_offsets(void **state)
{
    const struct terrane_window window = {.gi = 0, .gj = 0, .step = 1, .width = 200, .height = 200};
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 1, 0.0012f, 0.5f);
    struct terrane_world world;

    (void)state;
    recipe.offset_m = -32768;
    recipe.partition.zone[0].offset_m = 32768;
    make_world(&world, &recipe, 1);
    expect_bounded(&world, &window);
}

static void level_errors_know_the_roundings_of_offsets(void **state)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 1, 0.0021f, 0.5f);
    struct terrane_world world;

    (void)state;
    recipe.offset_m = 32768;
    make_world(&world, &recipe, 1);
    expect_level_error(&world, 1, 0, 0, 200);
}

/* POLYNOMIAL passes its corners by up to 5/512: in this cell by 0.0084. */
static void bounds_know_the_polynomial(void **state)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_POLYNOMIAL, 1, 8, 100, 0.5f);
    struct terrane_world world;

    (void)state;
    make_world(&world, &recipe, 16);
    const int64_t gi = 1328 * 256 - octave_shift(16, 0, 0, 8, 1),
                  gj = 561 * 256 - octave_shift(16, 0, 0, 8, 2);
    const struct terrane_window window = {.gi = gi, .gj = gj, .step = 1, .width = 257, .height = 257};
    expect_bounded(&world, &window);
    expect_level_error(&world, 8, (gi >> 8) - 1, (gj >> 8) - 1, 3);
}

/* ---- Zones ------------------------------------------------------------------------------------------ */

/*
 * A sample's zone holds at least half of its weight: thresholds are a blend apart, so no more than two zones
 * share a sample, and they change hands at the threshold. Sums telescope.
 */
static void weights_are_shares(void **state)
{
    struct dice dice = {6};
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 60; n++) {
        dice_world(&dice, &world);
        const struct terrane_window window = dice_window(&dice, &world);
        const int zones = world.recipe.partition.zones;
        uint8_t *index = layer_new(&world, LAYER_INDEX, &window, scratch);
        float *weights = layer_new(&world, LAYER_WEIGHTS, &window, scratch);
        for (size_t i = 0; i < window_samples(&window); i++) {
            const float *weight = weights + i * (size_t)zones;
            double sum = 0;
            for (int z = 0; z < zones; z++) {
                sum += (double)weight[z];
                if (!(weight[z] >= 0 && weight[z] <= 1))
                    fail_msg("%s: sample %zu gives zone %d the weight %.9g", window_text(&window), i, z,
                             (double)weight[z]);
            }
            assert_true(fabs(sum - 1) <= 1e-6);
            assert_true(index[i] < zones);
            /* a threshold's place in its band is rounded by 2^-24 times up to 1024 bands a unit; S5' is under
             * 2 */
            assert_true((double)weight[index[i]] >= 0.5 - 2e-4);
        }
        free(index);
        free(weights);
    }
}

/* Every zone of the shipped recipe holds some ground, and none of it all. */
static void zones_are_met(void **state)
{
    int met[TERRANE_ZONES_MAX] = {0};
    struct terrane_world world;

    (void)state;
    assert_int_equal(terrane_world_init(&world, terrane_recipe_default(), 7), 0);
    const struct terrane_window window = {
        .level = 12, .gi = -32, .gj = -32, .step = 1, .width = 65, .height = 65};
    uint8_t *index = layer_new(&world, LAYER_INDEX, &window, scratch);
    for (size_t i = 0; i < window_samples(&window); i++)
        met[index[i]]++;
    for (int z = 0; z < world.recipe.partition.zones; z++)
        assert_in_range(met[z], 65 * 65 / 100, 65 * 65 / 2);
    free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_right),
        cmocka_unit_test(measures_know_no_order),
        cmocka_unit_test(ranges_have_no_negative_zero),
        cmocka_unit_test(means_of_great_heights_hold),
        cmocka_unit_test(bounds_and_level_errors_hold),
        cmocka_unit_test(levels_are_samples_of_level_0),
        cmocka_unit_test(bounds_know_the_roundings_of_offsets),
        cmocka_unit_test(level_errors_know_the_roundings_of_offsets),
        cmocka_unit_test(bounds_know_the_polynomial),
        cmocka_unit_test(weights_are_shares),
        cmocka_unit_test(zones_are_met),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
