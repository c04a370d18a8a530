/*
 * Terms of terms: sums, products, blends, curves and zones against the slow evaluation of slow_term.h, and what is left
 * out where it does not count (lib/kernel/term.inc, lib/graph.c).
 */
#include "slow_term.h"

/* Three inputs of every smoothness and way, and a number to steer with: terms 0, 1, 2; 3. */
static struct terrane_recipe recipe_inputs(struct dice *dice)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.terms = 0;
    for (int k = 0; k < 4; k++) {
        static const enum terrane_base bases[] = {TERRANE_PERLIN5, TERRANE_VALUE, TERRANE_SIMPLEX,
                                                  TERRANE_PERLIN3};
        struct terrane_term term =
            term_fractal(TERRANE_FBM, bases[(k + dice_int(dice, 0, 3)) % 4], 2,
                         dice_chance(dice, 0.5) ? 64 : dice_real(dice, 30, 80), k < 3 ? 100 : 1, 0.5f);
        term.fractal.salt = (uint32_t)k;
        recipe_add(&recipe, term);
    }
    return recipe;
}

static struct terrane_window window_near(struct dice *dice)
{
    return (struct terrane_window){.gi = dice_whole(dice, -9999, 9999),
                                   .gj = dice_whole(dice, -9999, 9999),
                                   .step = dice_int(dice, 1, 9),
                                   .width = 30,
                                   .height = 12};
}

/* Heights within part of reach, and slopes, which here are below 40 reach a cell of 30 samples. */
static void expect_slow(const struct terrane_world *world, const struct terrane_window *window, double reach)
{
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    float *normals = layer_new(world, LAYER_NORMALS, window, scratch);
    for (int n = 0; n < window->width * window->height; n++) {
        const struct slow slow =
            slow_height(world, window->level, window->gi + (int64_t)(n % window->width) * window->step,
                        window->gj + (int64_t)(n / window->width) * window->step);
        const double up = (double)normals[3 * n + 2], x = -(double)normals[3 * n] / up,
                     y = -(double)normals[3 * n + 1] / up;
        const double off = fmax(fabs(x - slow.x), fabs(y - slow.y)),
                     steep = 1 + fmax(fabs(slow.x), fabs(slow.y));
        if (!(fabs((double)heights[n] - slow.v) <= 2e-5 * reach))
            fail_msg("%s: sample %d is %.9g, not %.9g", window_text(window), n, (double)heights[n], slow.v);
        if (world->recipe->analytic && !(off <= 2e-4 * reach * 40 / 30 + 1e-6 * steep * steep))
            fail_msg("%s: sample %d slopes %.9g, %.9g, not %.9g, %.9g", window_text(window), n, x, y, slow.x,
                     slow.y);
    }
    free(heights);
    free(normals);
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

static void sums_and_products_are_as_defined(void **state)
{
    struct dice dice = {91};

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct terrane_recipe recipe = recipe_inputs(&dice);
        struct terrane_world world;
        struct terrane_term term = {.op = n % 2 ? TERRANE_OP_SUM : TERRANE_OP_PRODUCT, .offset = 5};
        double reach = 1;
        term.inputs = dice_int(&dice, 0, TERRANE_INPUTS_MAX);
        for (int k = 0; k < term.inputs; k++) {
            term.in[k] = dice_int(&dice, n % 2 ? 0 : 2, 3); /* the same one several times, too */
            term.factor[k] = (float)dice_real(&dice, -2, 2);
            reach = n % 2 ? reach + 300 : reach * (term.in[k] == 3 ? 1.5 : 150);
        }
        if (n % 2 == 0 && term.inputs) {
            term.factor[0] = (float)(100 / reach);
            reach = 100;
        }
        recipe_add(&recipe, term);
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = window_near(&dice);
        expect_slow(&world, &window, 100 + reach);
    }
}

static void blends_are_as_defined(void **state)
{
    struct dice dice = {92};

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct terrane_recipe recipe = recipe_inputs(&dice);
        struct terrane_world world;
        const float low = (float)dice_real(&dice, -0.8, 0.4);
        recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_BLEND,
                                                  .inputs = 3,
                                                  .in = {0, n % 3, 3},
                                                  .low = low,
                                                  .high = low + (float)dice_real(&dice, 0.1, 0.8)});
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = window_near(&dice);
        expect_slow(&world, &window, 1500);
    }
}

static struct terrane_term dice_curve(struct dice *dice)
{
    struct terrane_term term = {.op = TERRANE_OP_CURVE, .inputs = 1, .in = {0}};
    term.knots = dice_int(dice, 2, TERRANE_KNOTS_MAX);
    for (int k = 0; k < term.knots; k++) {
        term.knot_x[k] = (float)(200.0 / term.knots * (k + dice_real(dice, 0, 0.7)) - 100);
        term.knot_y[k] = (float)dice_real(dice, -300, 300);
    }
    return term;
}

static void curves_are_as_defined(void **state)
{
    struct dice dice = {93};

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct terrane_recipe recipe = recipe_inputs(&dice);
        struct terrane_world world;
        recipe_add(&recipe, dice_curve(&dice));
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = window_near(&dice);
        expect_slow(&world, &window, 9000); /* secants of up to 100 */
    }
}

/* Between two knots a curve stays between their values, rises where they do, and is level outside of them. */
static void curves_are_monotone(void **state)
{
    const struct terrane_window window = {.gi = -60000, .gj = 0, .step = 1, .width = 4000, .height = 1};
    struct dice dice = {94};

    (void)state;
    for (int n = 0; n < 40; n++) {
        struct terrane_recipe recipe = recipe_flat();
        struct terrane_world by, world;
        recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, 4000, 160, 1);
        struct terrane_recipe curved = recipe;
        const struct terrane_term term = dice_curve(&dice);
        recipe_add(&curved, term);
        const uint64_t seed = dice_bits(&dice);
        make_world(&by, &recipe, seed);
        make_world(&world, &curved, seed);
        float *x = layer_new(&by, LAYER_HEIGHTS, &window, scratch),
              *y = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        for (int i = 1; i < window.width; i++) {
            int k = 0;
            while (k < term.knots && x[i] >= term.knot_x[k])
                k++;
            const float from = term.knot_y[k ? k - 1 : 0], to = term.knot_y[k < term.knots ? k : k - 1];
            assert_true(y[i] >= fminf(from, to) - 1e-4f && y[i] <= fmaxf(from, to) + 1e-4f);
            const bool same =
                k > 0 && k < term.knots && x[i - 1] >= term.knot_x[k - 1] && x[i - 1] < term.knot_x[k];
            if (same)
                assert_true((y[i] - y[i - 1]) * (x[i] - x[i - 1]) * (to - from) >=
                            -0.05f * fabsf(x[i] - x[i - 1]));
        }
        free(x);
        free(y);
    }
}

/* ---- Zones --------------------------------------------------------------------------------------------- */

static struct terrane_recipe recipe_zones(struct dice *dice, enum terrane_partition_kind kind)
{
    struct terrane_recipe recipe = recipe_inputs(dice);
    struct terrane_partition *partition = &recipe.partition;
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_ZONES});
    partition->kind = kind;
    partition->zones = dice_int(dice, 2, 6);
    partition->by = partition->temperature = 3;
    partition->moisture = 0;
    partition->blend = (float)dice_real(dice, 0.05, 0.2);
    partition->cold = -0.6f, partition->hot = 0.7f;
    partition->dry = -70, partition->wet = 60;
    partition->table_rows = dice_int(dice, 1, 4);
    partition->table_columns = dice_int(dice, 1, 4);
    for (int k = 0; k < partition->table_rows * partition->table_columns; k++)
        partition->table[k] = (uint8_t)dice_int(dice, 0, partition->zones - 1);
    for (int z = 0; z < partition->zones; z++) {
        partition->zone[z] = (struct terrane_zone){.term = z % 4 - 1,
                                                   .amplitude = (float)dice_real(dice, -2, 2),
                                                   .offset_m = (float)dice_real(dice, -300, 300)};
        if (z)
            partition->threshold[z - 1] = 0.25f * (float)z - 0.6f;
    }
    return recipe;
}

static void zones_are_as_defined(void **state)
{
    static const enum terrane_partition_kind kinds[] = {TERRANE_PARTITION_NOISE, TERRANE_PARTITION_CLIMATE};
    struct dice dice = {95};

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct terrane_recipe recipe = recipe_zones(&dice, kinds[n % 2]);
        struct terrane_world world;
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = window_near(&dice);
        const int zones = recipe.partition.zones;
        expect_slow(&world, &window, 20000); /* transitions are steep: 15/8 over 0.05 */
        float *weights = layer_new(&world, LAYER_WEIGHTS, &window, scratch);
        for (int i = 0; i < window.width; i++) {
            struct slow expected[TERRANE_ZONES_MAX];
            slow_weights(&world, 0, window.gi + i * window.step, window.gj, expected);
            for (int z = 0; z < zones; z++)
                assert_true(fabs((double)weights[i * zones + z] - expected[z].v) <= 1e-4);
        }
        free(weights);
    }
}

/* Where a threshold is passed a noise partition's zone changes: counting the thresholds below gives it. */
static void bands_follow_their_thresholds(void **state)
{
    const struct terrane_window window = {.gi = 70, .gj = -3, .step = 1, .width = 300, .height = 20};
    struct dice dice = {96};

    (void)state;
    for (int n = 0; n < 20; n++) {
        struct terrane_recipe recipe = recipe_zones(&dice, TERRANE_PARTITION_NOISE), noise = recipe;
        struct terrane_world world, by;
        const uint64_t seed = dice_bits(&dice);
        noise.terms = 4;
        noise.partition.zones = 1;
        make_world(&world, &recipe, seed);
        make_world(&by, &noise, seed);
        uint8_t *index = layer_new(&world, LAYER_INDEX, &window, scratch);
        float *values = layer_new(&by, LAYER_HEIGHTS, &window, scratch);
        for (size_t i = 0; i < window_samples(&window); i++) {
            int zone = 0;
            double away = 1;
            for (int k = 0; k < recipe.partition.zones - 1; k++) {
                zone += values[i] >= recipe.partition.threshold[k];
                away = fmin(away, fabs((double)values[i] - (double)recipe.partition.threshold[k]));
            }
            assert_true(index[i] == zone || away < 1e-6);
        }
        free(index);
        free(values);
    }
}

/* ---- Left out ------------------------------------------------------------------------------------------ */

/* One sample's height and normal, in a window of its own: nothing but its own share decides what is made. */
static void expect_alone(const struct terrane_world *world, const struct terrane_window *window)
{
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    float *normals = layer_new(world, LAYER_NORMALS, window, scratch);
    for (int n = 0; n < window->width * window->height; n++) {
        const struct terrane_window one = {.gi = window->gi + (int64_t)(n % window->width) * window->step,
                                           .gj = window->gj + (int64_t)(n / window->width) * window->step,
                                           .step = 1,
                                           .width = 1,
                                           .height = 1};
        float height, normal[3];
        assert_int_equal(terrane_heights(world, &one, scratch, &height), 0);
        assert_int_equal(terrane_normals(world, &one, scratch, normal), 0);
        if (memcmp(&height, heights + n, sizeof height) != 0 ||
            memcmp(normal, normals + 3 * n, sizeof normal) != 0)
            fail_msg("%s: sample %d alone is another", window_text(window), n);
    }
    free(heights);
    free(normals);
}

/* A column of row 0 where the first term, alone, passes a value. */
static int64_t passing(const struct terrane_recipe *recipe, uint64_t seed, float value)
{
    struct terrane_recipe alone = *recipe;
    struct terrane_world world;
    int64_t low = 0, high = 0;
    alone.terms = 1;
    alone.partition = recipe_flat().partition;
    make_world(&world, &alone, seed);
    const bool below = height_at(&world, 0, 0, 0, scratch) < value;
    while ((height_at(&world, 0, high, 0, scratch) < value) == below)
        low = high, high += 500;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *((height_at(&world, 0, middle, 0, scratch) < value) == below ? &low : &high) = middle;
    }
    return high;
}

/*
 * A side of a blend or a zone that holds nowhere in a strip is not made. In wide, slow transitions many samples have a
 * share that rounds to 0 or 1 while the fade's slope does not: windows of one sample leave sides out that larger ones
 * make, and agree.
 */
static void what_has_no_share_changes_nothing(void **state)
{
    struct dice dice = {97};

    (void)state;
    for (int n = 0; n < 24; n++) {
        struct terrane_recipe recipe = recipe_flat();
        struct terrane_world world;
        const double high = dice_real(&dice, 0.1, 0.5);
        recipe.spacing_m = 0.01; /* steep enough for a lost slope to show */
        recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, 8192, 1, 1);
        recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_VALUE, 2, 300, 9000, 1));
        recipe_add(&recipe, term_fractal(TERRANE_RIDGED, TERRANE_VALUE, 2, 256, 9000, 1));
        if (n % 2) {
            recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_BLEND,
                                                      .inputs = 3,
                                                      .in = {1, 2, 0},
                                                      .low = (float)-high,
                                                      .high = (float)high});
        } else {
            recipe.partition = (struct terrane_partition){
                .zones = 3,
                .blend = (float)high,
                .threshold = {(float)-high / 2, (float)high / 2}}; /* ends at -high, 0, high */
            for (int z = 0; z < 3; z++)
                recipe.partition.zone[z] =
                    (struct terrane_zone){.term = z % 2 + 1, .amplitude = 1, .offset_m = 9000.0f * (float)z};
            recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_ZONES});
        }
        const uint64_t seed = dice_bits(&dice);
        make_world(&world, &recipe, seed);
        struct terrane_window window = {
            .step = 1, .width = 60, .height = 8}; /* around the transition's end */
        window.gi = passing(&recipe, seed, (float)(n % 4 < 2 ? high : -high)) - 30;
        expect_alone(&world, &window);
    }
}

/* The same of any recipe. */
static void samples_alone_are_the_same(void **state)
{
    struct dice dice = {98};

    (void)state;
    for (int n = 0; n < 150; n++) {
        struct dice_world any;
        dice_world(&dice, &any);
        const struct terrane_window window = {.gi = dice_place(&dice, &any.world, 0, 1) /
                                                    2, /* inside the lattice */
                                              .gj = dice_place(&dice, &any.world, 0, 2) / 2,
                                              .step = dice_int(&dice, 1, 40),
                                              .width = 9,
                                              .height = 3};
        expect_alone(&any.world, &window);
    }
}

UNIT(terms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_are_as_defined),
        cmocka_unit_test(blends_are_as_defined),
        cmocka_unit_test(curves_are_as_defined),
        cmocka_unit_test(curves_are_monotone),
        cmocka_unit_test(zones_are_as_defined),
        cmocka_unit_test(bands_follow_their_thresholds),
        cmocka_unit_test(what_has_no_share_changes_nothing),
        cmocka_unit_test(samples_alone_are_the_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
