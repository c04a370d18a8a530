/*
 * Bounds of heights and errors of levels, against arithmetic by hand (lib/bounds.c). Roundings widen both
 * by a little: what must be covered is compared exactly, what may be added has a limit.
 */
#include "../lib_fixture.h"

/* value, or up to slack more. */
static void expect_about(double got, double value, double slack)
{
    if (!(got >= value && got <= value + slack))
        fail_msg("%.9g is not in %.9g .. %.9g", got, value, value + slack);
}

static void expect_bounds(struct terrane_recipe recipe, double low, double high, double slack)
{
    double low_m, high_m;
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    terrane_height_bounds_m(&recipe, &low_m, &high_m);
    expect_about(high_m, high, slack);
    expect_about(-low_m, -low, slack);
}

static double level_error(struct terrane_recipe recipe, int level)
{
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    return terrane_level_error_m(&recipe, level);
}

/* Errors of levels 0, 1 .. count - 1. */
static void expect_errors(const struct terrane_recipe *recipe, const double *errors, int count, double slack)
{
    for (int level = 0; level < count; level++)
        expect_about(level_error(*recipe, level), errors[level], errors[level] > 0 ? slack : 0);
}

/* ---- Fractals ------------------------------------------------------------------------------------------ */

/*
 * Amplitudes 64, 16, 4, cells of 16, 8, 4 samples: a level leaves out where a cell has under two of its
 * samples.
 */
static struct terrane_recipe recipe_three(enum terrane_fractal_kind kind, enum terrane_base base)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.term[0] = term_fractal(kind, base, 3, 16, 64, 0.25f);
    return recipe;
}

static void sums_leave_their_last_octaves_out(void **state)
{
    struct terrane_recipe recipe = recipe_three(TERRANE_FBM, TERRANE_PERLIN5);

    (void)state;
    expect_bounds(recipe, -84, 84, 0.01);
    expect_errors(&recipe, (const double[]){0, 0, 4, 20, 84, 84, 84}, 7, 0.01);
    recipe.alias_octaves = 1;
    expect_errors(&recipe, (const double[]){0, 0, 0, 4, 20, 84, 84}, 7, 0.01);
    recipe.alias_octaves = 0;
    recipe.term[0].fractal.lacunarity = 2.5; /* 16, 6.4, 2.56 */
    expect_errors(&recipe, (const double[]){0, 4, 20, 20, 84}, 5, 0.01);
    recipe.term[0].fractal.cell = 0x1p40;
    expect_errors(&recipe, (const double[25]){0}, 25, 0);
}

static void bases_have_their_ranges(void **state)
{
    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++) {
        struct terrane_recipe recipe = recipe_fractal((enum terrane_base)base, 1, 4, 100, 1);
        recipe.term[0].fractal.weight = 0.5f;
        const double reach = base == TERRANE_POLYNOMIAL ? 100.9765625
                             : base == TERRANE_HERMITE  ? 119.7765625
                                                        : 100;
        expect_bounds(recipe, -reach, reach, 0.01);
        assert_true(level_error(recipe, 3) == 0);
        expect_about(level_error(recipe, 4), reach, 0.01);
    }
    struct terrane_recipe mixed = recipe_three(TERRANE_FBM, TERRANE_VALUE);
    mixed.term[0].fractal.base[2] = TERRANE_POLYNOMIAL;
    expect_bounds(mixed, -84.0390625, 84.0390625, 0.01);
    expect_about(level_error(mixed, 2), 4.0390625, 0.01);
}

/* Ranges hold what each level has: a fractal of no octaves is 0. */
static void kinds_have_their_ranges(void **state)
{
    struct terrane_recipe recipe;

    (void)state;
    for (int kind = TERRANE_FBM; kind <= TERRANE_MULTIFRACTAL; kind++)
        expect_bounds(recipe_three((enum terrane_fractal_kind)kind, TERRANE_VALUE), -84, 84, 0.01);
    expect_bounds(recipe_three(TERRANE_SWISS, TERRANE_VALUE), 0, 84, 0.01);
    expect_bounds(recipe_three(TERRANE_JORDAN, TERRANE_VALUE), 0, 84, 0.01);
    expect_bounds(recipe_three(TERRANE_BILLOW, TERRANE_POLYNOMIAL), -84, 84 * (1 + 5.0 / 256), 0.01);
    expect_bounds(recipe_three(TERRANE_RIDGED, TERRANE_POLYNOMIAL), -84 * (1 + 5.0 / 256), 84, 0.01);

    recipe = recipe_three(TERRANE_HYBRID, TERRANE_VALUE); /* 64 (n + 2), then (16 + 4) (n + 2) w */
    recipe.term[0].fractal.offset = 2;
    expect_bounds(recipe, 0, 3 * 84, 0.01);
    expect_errors(&recipe, (const double[]){0, 0, 12, 60, 252}, 5, 0.01);
    recipe.term[0].fractal.cell = 0x1p40; /* its first octave is never left out */
    expect_bounds(recipe, 64, 3 * 84, 0.01);
}

static void midpoints_have_no_error(void **state)
{
    (void)state;
    for (int kind = TERRANE_MIDPOINT; kind <= TERRANE_MIDPOINT_SMOOTHED; kind++) {
        const struct terrane_recipe recipe = recipe_three((enum terrane_fractal_kind)kind, TERRANE_VALUE);
        expect_bounds(recipe, -168, 168, 0.01);
        expect_errors(&recipe, (const double[25]){0}, 25, 0);
    }
}

/* A displacement that errs by 4 m at level 2: steepness 8 of 10 m a cell of 2^20 m, or the whole range. */
static void displacement_errs(void **state)
{
    struct terrane_recipe recipe = recipe_three(TERRANE_FBM, TERRANE_PERLIN3);

    (void)state;
    recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_PERLIN3, 1, 0x1p30, 10, 1));
    struct terrane_fractal *fractal = &recipe.term[1].fractal;
    fractal->warp_term[1] = 0;
    fractal->warp_m = -1;
    assert_true(level_error(recipe, 1) == 0);
    expect_about(level_error(recipe, 2), 8 * 10 * 4 * 0x1p-30, 0.001);
    fractal->cell = 64;
    expect_about(level_error(recipe, 2), 8 * 10 * 4.0 / 64, 0.01);
    recipe.spacing_m = 4;
    expect_about(level_error(recipe, 2), 8 * 10 * 1.0 / 64, 0.01);
    fractal->warp_m = 1000;
    expect_about(level_error(recipe, 2), 20, 0.01);
    fractal->warp_m = 1;
    fractal->kind = TERRANE_SWISS; /* displaces itself, too */
    expect_about(level_error(recipe, 2), 10, 0.01);
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

/* Term 0 is in -84 .. 84 and errs by 4 at level 2; term 1 is in -10 .. 10 and never errs. */
static struct terrane_recipe recipe_two(void)
{
    struct terrane_recipe recipe = recipe_three(TERRANE_FBM, TERRANE_PERLIN5);
    recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, 0x1p30, 10, 1));
    return recipe;
}

static void sums_and_products_pass_errors_on(void **state)
{
    struct terrane_recipe recipe = recipe_two();

    (void)state;
    const int last = recipe_add(
        &recipe,
        (struct terrane_term){
            .op = TERRANE_OP_SUM, .inputs = 3, .in = {0, 1, 0}, .factor = {2, -3, -0.5f}, .offset = 7});
    expect_bounds(recipe, 7 - 240, 7 + 240, 0.02);
    expect_about(level_error(recipe, 2), 10, 0.02);
    recipe.term[last].op = TERRANE_OP_PRODUCT;
    recipe.term[last].inputs = 2;
    expect_bounds(recipe, 7 - 1680, 7 + 1680, 0.1);
    expect_about(level_error(recipe, 2), 2 * 4 * 10, 0.1);
    recipe.term[last].in[1] = 0; /* a square: not known to be one */
    expect_bounds(recipe, 7 - 2 * 7056, 7 + 2 * 7056, 1);
    expect_about(level_error(recipe, 2), 2 * (4 * 84 + 84 * 4), 1);
    recipe.term[last].inputs = 0;
    expect_bounds(recipe, 9, 9, 0.001); /* of nothing: the factor */
    recipe.term[last].op = TERRANE_OP_SUM;
    expect_bounds(recipe, 7, 7, 0.001);
    assert_true(level_error(recipe, 24) == 0);
}

static void blends_err_by_what_steers_them(void **state)
{
    struct terrane_recipe recipe = recipe_two();

    (void)state;
    const int last = recipe_add(
        &recipe,
        (struct terrane_term){.op = TERRANE_OP_BLEND, .inputs = 3, .in = {0, 1, 1}, .low = -30, .high = 30});
    expect_bounds(recipe, -84, 84, 0.01);
    expect_about(level_error(recipe, 2), 4, 0.01);
    recipe.term[last].in[0] = 1; /* from term 1 to itself, steered by term 0 */
    recipe.term[last].in[2] = 0;
    expect_bounds(recipe, -10, 10, 0.01);
    expect_about(level_error(recipe, 2), 1.875 * 4 / 60 * 20, 0.01);
    recipe.term[last].low = 29;
    expect_about(level_error(recipe, 2), 20, 0.01);
}

static void curves_err_by_their_steepest(void **state)
{
    struct terrane_recipe recipe = recipe_two();

    (void)state;
    struct terrane_term curve = {.op = TERRANE_OP_CURVE,
                                 .inputs = 1,
                                 .knots = 5,
                                 .knot_x = {-200, -100, 0, 100, 200},
                                 .knot_y = {-9000, 0, 100, 400, 9000}};
    const int last = recipe_add(&recipe, curve);
    expect_bounds(recipe, 0, 400, 0.01); /* -84 .. 84: knots 1, 2, 3 */
    expect_about(level_error(recipe, 2), 3 * 3 * 4, 0.1);
    recipe.term[last].in[0] = 1;
    assert_true(level_error(recipe, 2) == 0);
    for (int k = 0; k < 5; k++)
        recipe.term[last].knot_x[k] += 1000; /* all above */
    expect_bounds(recipe, -9000, -9000, 0.1);
    for (int k = 0; k < 5; k++)
        recipe.term[last].knot_x[k] -= 2000; /* all below */
    expect_bounds(recipe, 9000, 9000, 0.1);
}

/* ---- Zones --------------------------------------------------------------------------------------------- */

/* Zones 5 + 2 * term 0, and 300 alone. */
static struct terrane_recipe recipe_zones(enum terrane_partition_kind kind)
{
    struct terrane_recipe recipe = recipe_two();
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_ZONES});
    recipe.partition = (struct terrane_partition){
        .kind = kind,
        .zones = 2,
        .zone = {{.term = 0, .amplitude = 2, .offset_m = 5}, {.term = -1, .amplitude = 50, .offset_m = 300}},
        .blend = 0.25f,
        .by = 1,
        .cell_log2 = 10,
        .temperature = 1,
        .moisture = 1,
        .cold = -10,
        .hot = 10,
        .dry = -10,
        .wet = 10,
        .table_rows = 1,
        .table_columns = 2,
        .table = {0, 1},
    };
    return recipe;
}

enum { SPAN = 463 }; /* of recipe_zones: -163 .. 300 */

static void zones_mix_their_surfaces(void **state)
{
    (void)state;
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++) {
        struct terrane_recipe recipe = recipe_zones((enum terrane_partition_kind)kind);
        expect_bounds(recipe, 5 - 168, 300, 0.02);
        expect_about(level_error(recipe, 2), 8, 0.02);
        recipe.partition.zone[0].amplitude = -2;
        expect_bounds(recipe, 5 - 168, 300, 0.02);
        expect_about(level_error(recipe, 2), 8, 0.02);
        recipe.partition.zones = 1;
        expect_bounds(recipe, 5 - 168, 5 + 168, 0.02);
    }
}

static void partitions_err_by_what_they_ask(void **state)
{
    struct terrane_recipe recipe = recipe_zones(TERRANE_PARTITION_NOISE);

    (void)state;
    recipe.partition.by = 0;
    recipe.partition.blend = 75;
    expect_about(level_error(recipe, 2), 8 + 1.875 * 4 / 75 * SPAN, 0.1);
    recipe.partition.blend = 1;
    expect_about(level_error(recipe, 2), SPAN, 0.1);

    recipe = recipe_zones(TERRANE_PARTITION_CLIMATE);
    recipe.partition.moisture = 0;
    recipe.partition.dry = -1000;
    recipe.partition.wet = 1000;
    expect_about(level_error(recipe, 2), 8 + 1.875 * (4 * 2.0 / 2000) / 0.25 * SPAN, 0.1);
    recipe.partition.blend = 0x1p-10f;
    expect_about(level_error(recipe, 2), SPAN, 0.1);
}

/*
 * Cells of 2^10 samples: their mean from level 8 on; transitions of a quarter of a cell, scattered over
 * 2^6 samples.
 */
static void voronoi_cells_end(void **state)
{
    struct terrane_recipe recipe = recipe_zones(TERRANE_PARTITION_VORONOI);

    (void)state;
    recipe.partition.zone[0].term = -1; /* 5 and 300 */
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        expect_about(level_error(recipe, level), level <= 5 ? 0 : 295, level <= 5 ? 0 : 0.02);
    recipe.partition.blend = 0.5f;
    expect_about(level_error(recipe, 7), 295, 0.02);
    assert_true(level_error(recipe, 6) == 0);
}

/* ---- All together -------------------------------------------------------------------------------------- */

static void bounds_are_sound_of_any_recipe(void **state)
{
    struct dice dice = {0xB0B5};
    static struct dice_world any;

    (void)state;
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

static void samples_keep_to_bounds(void **state)
{
    static struct dice_world any;

    (void)state;
    for (int n = 0; n < 500; n++) {
        struct dice dice = {(uint64_t)n};
        double low_m, high_m;
        dice_world(&dice, &any);
        terrane_height_bounds_m(&any.recipe, &low_m, &high_m);
        for (int k = 0; k < 3; k++)
            expect_kept(&dice, &any.world, low_m, high_m);
    }
}

UNIT(bounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_leave_their_last_octaves_out),
        cmocka_unit_test(bases_have_their_ranges),
        cmocka_unit_test(kinds_have_their_ranges),
        cmocka_unit_test(midpoints_have_no_error),
        cmocka_unit_test(displacement_errs),
        cmocka_unit_test(sums_and_products_pass_errors_on),
        cmocka_unit_test(blends_err_by_what_steers_them),
        cmocka_unit_test(curves_err_by_their_steepest),
        cmocka_unit_test(zones_mix_their_surfaces),
        cmocka_unit_test(partitions_err_by_what_they_ask),
        cmocka_unit_test(voronoi_cells_end),
        cmocka_unit_test(bounds_are_sound_of_any_recipe),
        cmocka_unit_test(samples_keep_to_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
