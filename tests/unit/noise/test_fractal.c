/*
 * Fractals: every base in every kind, on the lattice, point by point and displaced, against the slow evaluation of
 * slow_term.h; slopes against central differences (lib/kernel/fractal.inc, lattice.inc, points.inc).
 */
#include "slow_term.h"

/* ---- Recipes ------------------------------------------------------------------------------------------- */

enum way { WAY_LATTICE, WAY_POINTS, WAY_DISPLACED, WAYS };

/*
 * Three octaves of a base in one kind. Terms 0 and 1 displace it by up to 0.2 cells, smoothly, where it is displaced.
 */
static struct terrane_recipe recipe_of(enum terrane_base base, enum terrane_fractal_kind kind, enum way way,
                                       double cell)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.spacing_m = 0.5;
    recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, 2 * cell, 1, 0.5f);
    recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_VALUE, 1, 2 * cell, 1, 0.5f));
    struct terrane_term term = term_fractal(kind, base, 3, way == WAY_POINTS ? 1.1 * cell : cell, 100, 0.6f);
    term.fractal.lacunarity = way == WAY_POINTS ? 1.9 : 2;
    if (way == WAY_DISPLACED) {
        term.fractal.warp_term[0] = 0;
        term.fractal.warp_term[1] = 1;
        term.fractal.warp_m = (float)(0.1 * cell);
    }
    recipe_add(&recipe, term);
    return recipe;
}

/* ---- As defined ---------------------------------------------------------------------------------------- */

/* The greatest differences of a window's heights and slopes from the slow ones. */
struct differences {
    double height, slope;
};

static struct differences differences_of(const struct terrane_world *world,
                                         const struct terrane_window *window)
{
    struct differences most = {0};
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    float *normals = layer_new(world, LAYER_NORMALS, window, scratch);
    for (int n = 0; n < window->width * window->height; n++) {
        const int64_t i = n % window->width, j = n / window->width;
        const struct slow slow =
            slow_height(world, window->level, window->gi + i * window->step, window->gj + j * window->step);
        const double up = (double)normals[3 * n + 2], x = -(double)normals[3 * n] / up,
                     y = -(double)normals[3 * n + 1] / up;
        most.height = fmax(most.height, fabs((double)heights[n] - slow.v));
        if (world->recipe->analytic)
            most.slope = fmax(most.slope, fmax(fabs(x - slow.x), fabs(y - slow.y)));
    }
    free(heights);
    free(normals);
    return most;
}

/*
 * Slopes of distances turn around a feature point, at once on it: there binary32 has the place to 2^-24 cells, and
 * the slope to that over the distance. Jordan's octaves are displaced by slopes of simplex noise of up to 7: what
 * rounding leaves of them moves the next octave, which is as steep.
 */
static void kinds_are_as_defined(void **state)
{
    struct dice dice = {61};

    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++)
        for (int kind = 0; kind < TERRANE_MIDPOINT; kind++)
            for (int n = 0; n < 2 * WAYS; n++) {
                struct terrane_recipe recipe = recipe_of(
                    (enum terrane_base)base, (enum terrane_fractal_kind)kind, (enum way)(n % WAYS), 64);
                struct terrane_fractal *fractal = &recipe.term[2].fractal;
                struct terrane_world world;
                fractal->weight = (float)dice_real(&dice, 0, 4);
                fractal->jitter = (float)dice_real(&dice, 0, 1);
                make_world(&world, &recipe, dice_bits(&dice));
                const struct terrane_window window = {.level = dice_int(&dice, 0, 3),
                                                      .gi = dice_place(&dice, &world, 0, 1),
                                                      .gj = dice_place(&dice, &world, 0, 2),
                                                      .step = 3,
                                                      .width = 30,
                                                      .height = 6};
                const struct differences most = differences_of(&world, &window);
                const bool cellular = base >= TERRANE_CELLULAR_F1;
                if (!(most.height <= 1e-4 * 100) || !(most.slope <= (cellular ? 3e-3 : 1e-4) * 100 / 32))
                    fail_msg("base %d, kind %d, way %d: height %.3g, slope %.3g", base, kind, n % WAYS,
                             most.height, most.slope);
            }
}

/* Octaves of different bases, on the lattice or not as theirs are. */
static void bases_change_from_octave_to_octave(void **state)
{
    struct dice dice = {62};

    (void)state;
    for (int n = 0; n < 40; n++) {
        struct terrane_recipe recipe =
            recipe_of(TERRANE_VALUE, (enum terrane_fractal_kind)dice_int(&dice, 0, TERRANE_HYBRID),
                      (enum way)(n % WAYS), 256);
        struct terrane_fractal *fractal = &recipe.term[2].fractal;
        struct terrane_world world;
        fractal->octaves = 7;
        for (int i = 0; i < 7; i++)
            fractal->base[i] = (uint8_t)dice_int(&dice, 0, TERRANE_BASES - 1);
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {.level = n % 4,
                                              .gi = -20,
                                              .gj = dice_whole(&dice, -999999, 999999),
                                              .step = 1,
                                              .width = 40,
                                              .height = 5};
        assert_true(differences_of(&world, &window).height <= 1e-4 * 250);
    }
}

/* Displaced by one term along one axis, by terms that are displaced themselves, and far. */
static void displacements_follow_each_other(void **state)
{
    struct dice dice = {63};

    (void)state;
    for (int n = 0; n < 40; n++) {
        struct terrane_recipe recipe =
            recipe_of((enum terrane_base)(n % TERRANE_BASES), TERRANE_FBM, WAY_DISPLACED, 64);
        struct terrane_world world;
        for (int k = 0; k < 2; k++) { /* two more, each displaced by any before */
            struct terrane_term term = recipe.term[2];
            term.fractal.warp_term[0] = dice_int(&dice, -1, recipe.terms - 1);
            term.fractal.warp_term[1] = dice_int(&dice, 0, recipe.terms - 1);
            term.fractal.warp_m = (float)dice_real(&dice, -0.5, 0.5);
            term.fractal.salt = (uint32_t)k + 1;
            recipe_add(&recipe, term);
        }
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {
            .gi = dice_place(&dice, &world, 0, 1), .gj = -7, .step = 1, .width = 30, .height = 9};
        const struct differences most = differences_of(&world, &window);
        if (!(most.height <= 3e-4 * 196))
            fail_msg("set %d: %.3g", n, most.height);
    }
}

/* ---- Slopes against differences ------------------------------------------------------------------------ */

enum { SPACINGS = 3, SIDE = 48 };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * How slopes differ from central differences of the same window's heights: the median, and the share of samples that
 * differ by over 30 times as much. Those lie beside creases, or beside edges of cells where a C1 base bends.
 */
struct spread {
    double median, rough;
};

static struct spread spread_of(const struct terrane_world *world, const struct terrane_window *window)
{
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    float *normals = layer_new(world, LAYER_NORMALS, window, scratch);
    const int width = window->width, height = window->height;
    double *error = malloc(2 * window_samples(window) * sizeof *error);
    int count = 0, rough = 0;
    const double run = 2 * terrane_lattice_m(world, window->level, 1);
    assert_non_null(error);
    for (int j = 1; j < height - 1; j++)
        for (int i = 1; i < width - 1; i++)
            for (int axis = 0; axis < 2; axis++) {
                const int at = j * width + i, step = axis ? width : 1;
                const double slope = -(double)normals[3 * at + axis] / (double)normals[3 * at + 2];
                const double rise = (double)heights[at + step] - (double)heights[at - step];
                error[count++] = fabs(slope - rise / run);
            }
    qsort(error, (size_t)count, sizeof *error, compare_doubles);
    const double median = error[count / 2];
    while (rough < count && error[count - 1 - rough] > 30 * median)
        rough++;
    free(heights);
    free(normals);
    free(error);
    return (struct spread){median, (double)rough / count};
}

/* What a base and a kind make of smoothness: nothing bends, cells' edges bend, or there are creases. */
static double most_rough(enum terrane_base base, enum terrane_fractal_kind kind)
{
    if (base >= TERRANE_CELLULAR_F1)
        return 0.27;
    if (kind == TERRANE_FBM && (base == TERRANE_VALUE || base == TERRANE_PERLIN5 || base == TERRANE_SIMPLEX))
        return 0;
    if (kind == TERRANE_FBM && (base == TERRANE_POLYNOMIAL_C1 || base == TERRANE_PERLIN3))
        return 0.01;
    return kind == TERRANE_DOUBLE_RIDGED ? 0.21 : 0.09;
}

/*
 * Central differences differ from slopes by h^2 / 6 third derivatives: half the spacing leaves a quarter of the median.
 * Samples beside a crease differ by about half its jump whatever the spacing is, but half the spacing leaves half of
 * them. Distances have the most creases, and shapes of four folds.
 */
static void slopes_are_those_of_differences(void **state)
{
    static const enum terrane_fractal_kind kinds[] = {TERRANE_FBM,          TERRANE_BILLOW,
                                                      TERRANE_RIDGED,       TERRANE_DOUBLE_RIDGED,
                                                      TERRANE_MULTIFRACTAL, TERRANE_HYBRID};
    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++)
        for (int n = 0; n < COUNT(kinds) * WAYS; n++) {
            const enum terrane_fractal_kind kind = kinds[n / WAYS];
            struct terrane_recipe recipe =
                recipe_of((enum terrane_base)base, kind, (enum way)(n % WAYS), 0x1p14);
            struct terrane_world world;
            struct spread of[SPACINGS];
            make_world(&world, &recipe, 3);
            assert_true(recipe.analytic);
            for (int k = 0; k < SPACINGS; k++) {
                const struct terrane_window window = {.level = 8 - k,
                                                      .gi = -70 * (1 << k),
                                                      .gj = 107 << k,
                                                      .step = 1,
                                                      .width = SIDE << k,
                                                      .height = SIDE << k};
                of[k] = spread_of(&world, &window);
            }
            const double shrink = of[1].median / of[2].median;
            if (!(shrink > 2.8) || !(of[2].rough <= most_rough((enum terrane_base)base, kind)))
                fail_msg("base %d, kind %d, way %d: median %.2f times less, %.3f are rough", base, (int)kind,
                         n % WAYS, shrink, of[2].rough);
        }
}

/* ---- Slopes that are differences ------------------------------------------------------------------------- */

/* Kinds without analytic slopes: to the last bit, with every step, in windows wider than a chunk. */
static void rough_kinds_have_differences(void **state)
{
    static const enum terrane_fractal_kind kinds[] = {TERRANE_IQ, TERRANE_SWISS, TERRANE_JORDAN,
                                                      TERRANE_MIDPOINT, TERRANE_MIDPOINT_SMOOTHED};
    static const int steps[] = {1, 2, 5, 100, 256};

    (void)state;
    for (int n = 0; n < COUNT(kinds) * COUNT(steps); n++) {
        struct terrane_recipe recipe =
            recipe_of((enum terrane_base)(n % TERRANE_BASES), kinds[n % COUNT(kinds)], WAY_LATTICE, 64);
        struct terrane_world world;
        const int step = steps[n / COUNT(kinds)], level = n % 3;
        recipe.spacing_m = 0.7;
        make_world(&world, &recipe, (uint64_t)n);
        assert_false(recipe.analytic);
        const struct terrane_window window = {.level = level,
                                              .gi = -33,
                                              .gj = 1 << 20,
                                              .step = step,
                                              .width = step == 1 ? 600 : 11,
                                              .height = step == 1 ? 20 : 4};
        const float inverse = (float)(1 / (2 * terrane_lattice_m(&world, level, 1)));
        float *normals = layer_new(&world, LAYER_NORMALS, &window, scratch), *around[4];
        for (int k = 0; k < 4; k++) {
            struct terrane_window moved = window;
            moved.gi += k == 0 ? -1 : k == 1;
            moved.gj += k == 2 ? -1 : k == 3;
            around[k] = layer_new(&world, LAYER_HEIGHTS, &moved, scratch);
        }
        for (size_t i = 0; i < window_samples(&window); i++) {
            const float x = (around[1][i] - around[0][i]) * inverse,
                        y = (around[3][i] - around[2][i]) * inverse;
            const float up = 1 / sqrtf((x * x + y * y) + 1);
            assert_true(normals[3 * i] == 0 - x * up && normals[3 * i + 1] == 0 - y * up &&
                        normals[3 * i + 2] == up);
        }
        for (int k = 0; k < 4; k++)
            free(around[k]);
        free(normals);
    }
}

/* ---- Ranges -------------------------------------------------------------------------------------------- */

/*
 * terrane.h's ranges, in sums of amplitudes, of bases that keep to -1 .. 1; how much of them a search of 10^5 samples
 * meets says that they are no wider than need be. One octave: of more, extremes seldom meet.
 */
static void kinds_keep_their_range(void **state)
{
    static const struct {
        double low, high, used;
    } range[] = {
        [TERRANE_FBM] = {-1, 1, 0.9},        [TERRANE_BILLOW] = {-1, 1, 0.8},
        [TERRANE_RIDGED] = {-1, 1, 0.8},     [TERRANE_DOUBLE_RIDGED] = {-1, 1, 0.6},
        [TERRANE_IQ] = {-1, 1, 0.5},         [TERRANE_MULTIFRACTAL] = {-1, 1, 0.9},
        [TERRANE_HYBRID] = {-0.3, 1.7, 0.9}, [TERRANE_SWISS] = {0, 1, 0.9},
        [TERRANE_JORDAN] = {0, 1, 0.8},
    };

    (void)state;
    for (int kind = 0; kind < TERRANE_MIDPOINT; kind++)
        for (int octaves = 1; octaves <= 4; octaves += 3) {
            struct terrane_recipe recipe = recipe_flat();
            struct terrane_world world;
            recipe.term[0] =
                term_fractal((enum terrane_fractal_kind)kind, TERRANE_PERLIN5, octaves, 16, 100, 0.5f);
            make_world(&world, &recipe, 8);
            const double sum = octaves == 1 ? 100 : 187.5;
            const double low = range[kind].low * sum, high = range[kind].high * sum, slack = 1e-5 * sum;
            const struct terrane_window window = {.step = 1, .width = 400, .height = 300};
            float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch), least, most;
            terrane_height_range(heights, window_samples(&window), &least, &most);
            assert_true((double)least >= low - slack && (double)most <= high + slack);
            if (octaves == 1 && !((double)(most - least) >= range[kind].used * (high - low)))
                fail_msg("kind %d: %g .. %g of %g .. %g", kind, (double)least, (double)most, low, high);
            free(heights);
        }
}

UNIT(fractal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_as_defined),
        cmocka_unit_test(bases_change_from_octave_to_octave),
        cmocka_unit_test(displacements_follow_each_other),
        cmocka_unit_test(slopes_are_those_of_differences),
        cmocka_unit_test(rough_kinds_have_differences),
        cmocka_unit_test(kinds_keep_their_range),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
