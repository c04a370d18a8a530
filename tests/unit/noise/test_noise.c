/*
 * Noises: each base on its lattice, its range and smoothness (lib/kernel/).
 *
 * Everything is seen through terrane_heights and terrane_normals. Two worlds make the lattice visible: with
 * one alias octave of cells of one sample, every sample of VALUE is a corner's value; and an octave whose
 * shift is known (octave_shift) has its corners where the tests put them. All seeds are fixed, so no
 * statistic can come out otherwise on another day.
 */
#include "slow_noise.h"

/* ---- One octave ------------------------------------------------------------------------------------- */

/* How far a base may go, in amplitudes (lib/README.md "Ranges"); and how far samples do go at least. */
static const struct range {
    double low, high, used_low, used_high;
} ranges[TERRANE_BASES] = {
    [TERRANE_VALUE] = {-1, 1, -0.99, 0.99},
    [TERRANE_POLYNOMIAL] = {-1 - 5.0 / 512, 1 + 5.0 / 512, -0.99, 0.99},
    [TERRANE_POLYNOMIAL_C1] = {-1, 1, -0.99, 0.99},
    [TERRANE_PERLIN3] = {-1, 1, -0.88, 0.88},
    [TERRANE_PERLIN5] = {-1, 1, -0.88, 0.88},
    [TERRANE_HERMITE] = {-1.009766 - 0.376, 1.009766 + 0.376, -1.1, 1.1}, /* of weight 1 */
    [TERRANE_SIMPLEX] = {-0.9997, 0.9997, -0.95, 0.95},
    [TERRANE_CELLULAR_F1] = {-1, 1, -0.99, 0.65}, /* of jitter 1 */
    [TERRANE_CELLULAR_F2] = {-1, 0.977, -0.9, 0.7},
    [TERRANE_CELLULAR_EDGE] = {-1, 0.977, -0.999, 0.5},
};

static void bases_keep_their_range(void **state)
{
    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++) {
        double low = 0, high = 0;
        for (int cell_log2 = 1; cell_log2 <= 6; cell_log2++) {
            struct terrane_recipe recipe = recipe_fractal((enum terrane_base)base, 1, cell_log2, 100, 0.5f);
            struct terrane_world world;
            recipe.term[0].fractal.jitter = 1;
            make_world(&world, &recipe, (uint64_t)cell_log2);
            float *heights = make_heights(&world, -300, 7000, 1, 600, 400);
            for (int i = 0; i < 600 * 400; i++) {
                low = fmin(low, (double)heights[i] / 100);
                high = fmax(high, (double)heights[i] / 100);
            }
            free(heights);
        }
        const struct range *range = &ranges[base];
        if (!(low >= range->low * 1.00001 && high <= range->high * 1.00001) ||
            !(low < range->used_low && high > range->used_high))
            fail_msg("base %d: %.6f .. %.6f", base, low, high);
    }
}

enum { TURNS = 512, PLACES = 64 };

/* The most that a corner's gradient, of any direction, gives a place at (x, y) from it. */
static double most_of_gradient(double x, double y)
{
    static double table[TURNS][2];
    double most = 0;
    if (table[0][1] == 0)
        for (int k = 0; k < TURNS; k++)
            slow_gradient((uint32_t)k * (UINT32_MAX / TURNS + 1) + 1, table[k]);
    for (int k = 0; k < TURNS; k++)
        most = fmax(most, table[k][0] * x + table[k][1] * y);
    return most;
}

/* What Perlin noise, or what gradients of HERMITE give at most in a place of the cell. */
static double most_of_perlin(bool quintic, double x, double y)
{
    double sum = 0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            const double wx = slow_fade(quintic, i ? x : 1 - x), wy = slow_fade(quintic, j ? y : 1 - y);
            sum += wx * wy * most_of_gradient(x - i, y - j);
        }
    return sum * 4 / 3;
}

static double most_of_hermite(double weight, double x, double y)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double h[2][2] = {{0}}, f[2][2] = {{0}}, g[2][2] = {{0}}, c[4][4];
        h[k / 2][k % 2] = 1;
        slow_hermite_coefficients(h, f, g, c);
        sum += fabs(slow_cubic(c, x, y).v);
        h[k / 2][k % 2] = 0, f[k / 2][k % 2] = 1;
        slow_hermite_coefficients(h, f, g, c);
        const double of_f = slow_cubic(c, x, y).v;
        f[k / 2][k % 2] = 0, g[k / 2][k % 2] = 1;
        slow_hermite_coefficients(h, f, g, c);
        sum += weight * most_of_gradient(of_f, slow_cubic(c, x, y).v);
    }
    return sum;
}

static double most_of_simplex(double x, double y)
{
    double sum = 0;
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            const double back = (x - i + y - j) * (3 - sqrt(3)) / 6, dx = x - i - back, dy = y - j - back;
            const double near = fmax(0, 0.5 - dx * dx - dy * dy);
            sum += pow(near, 4) * most_of_gradient(dx, dy);
        }
    return sum * 93.5;
}

/*
 * Not of the corners that some seed has, but of all there could be: each as bad as it can be for the place. Corners are
 * free of each other, so this is the range, but for the grid of places and directions.
 */
static void ranges_are_those_of_the_worst_corners(void **state)
{
    double most[TERRANE_BASES] = {0}, heavy = 0;

    (void)state;
    for (int j = 0; j <= PLACES; j++)
        for (int i = 0; i <= PLACES; i++) {
            const double x = (double)i / PLACES, y = (double)j / PLACES;
            most[TERRANE_PERLIN3] = fmax(most[TERRANE_PERLIN3], most_of_perlin(false, x, y));
            most[TERRANE_PERLIN5] = fmax(most[TERRANE_PERLIN5], most_of_perlin(true, x, y));
            most[TERRANE_POLYNOMIAL] = fmax(most[TERRANE_POLYNOMIAL], most_of_hermite(0, x, y));
            most[TERRANE_HERMITE] = fmax(most[TERRANE_HERMITE], most_of_hermite(1, x, y));
            most[TERRANE_SIMPLEX] = fmax(most[TERRANE_SIMPLEX], most_of_simplex(x, y));
            heavy = fmax(heavy, most_of_hermite(4, x, y));
        }
    for (int base = TERRANE_POLYNOMIAL; base <= TERRANE_SIMPLEX; base++)
        if (base != TERRANE_POLYNOMIAL_C1 &&
            !(most[base] <= ranges[base].high + 1e-9 && most[base] >= 0.985 * ranges[base].high))
            fail_msg("base %d: %.6f of %.6f", base, most[base], ranges[base].high);
    if (!(heavy <= 1.009766 + 0.376 * 4 && heavy >= 1 + 0.37 * 4))
        fail_msg("weight 4: %.6f", heavy);
}

/* Heights and slopes of D2M1N3 are those asked for: 12 constraints, of corners that are not alike. */
static void hermite_meets_its_corners(void **state)
{
    struct dice dice = {2};

    (void)state;
    for (int n = 0; n < 50; n++) {
        double q[3][2][2], c[4][4];
        for (int k = 0; k < 12; k++)
            q[k / 4][k / 2 % 2][k % 2] = dice_real(&dice, -1, 1);
        slow_hermite_coefficients(q[0], q[1], q[2], c);
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                const struct slow at = slow_cubic(c, i, j);
                assert_true(fabs(at.v - q[0][j][i]) < 1e-12);
                assert_true(fabs(at.x - q[1][j][i]) < 1e-12 && fabs(at.y - q[2][j][i]) < 1e-12);
            }
    }
}

/* Of weight 0 it is the polynomial, to roundings. */
static void hermite_without_weight_is_the_polynomial(void **state)
{
    struct terrane_recipe hermite = recipe_fractal(TERRANE_HERMITE, 4, 7, 1, 0.5f),
                          polynomial = recipe_fractal(TERRANE_POLYNOMIAL, 4, 7, 1, 0.5f);
    struct terrane_world a, b;

    (void)state;
    hermite.term[0].fractal.weight = 0;
    make_world(&a, &hermite, 3);
    make_world(&b, &polynomial, 3);
    float *of_a = make_heights(&a, -50, 3, 1, 300, 100), *of_b = make_heights(&b, -50, 3, 1, 300, 100);
    for (int i = 0; i < 300 * 100; i++)
        assert_true(fabsf(of_a[i] - of_b[i]) <= 2e-6f);
    free(of_a);
    free(of_b);
}

/* A cell that comes near POLYNOMIAL's worst case: three corners at one end of the range, the fourth at the other. */
static void polynomial_bulges_by_a_hundredth(void **state)
{
    double most = 0;
    (void)state;
    for (int n = 0; n < 40 && most <= 1.007; n++) {
        struct terrane_recipe recipe = recipe_fractal(TERRANE_POLYNOMIAL, 1, 3, 1, 0.5f);
        struct terrane_world world;
        make_world(&world, &recipe, (uint64_t)n);
        float *heights = make_heights(&world, 0, 0, 1, 2000, 1000);
        for (int i = 0; i < 2000 * 1000; i++)
            most = fmax(most, (double)fabsf(heights[i]));
        free(heights);
    }
    if (!(most > 1.003 && most <= ranges[TERRANE_POLYNOMIAL].high * 1.00001))
        fail_msg("%.6f", most);
}

/*
 * Neighbouring samples differ by no more than the steepest slope allows, across cell edges as elsewhere. No
 * base is steeper than 8 amplitudes a cell: VALUE 2 * 1.875; Perlin's own gradients 4/3, and 1.875 times a
 * difference under 3; simplex noise 7.35; distances 1.25 * 2 between two of them.
 */
static void bases_are_continuous(void **state)
{
    const int64_t corners[][2] = {
        {0, 0}, {-3, 8}, {INT64_C(1) << 32, -1}, {-(INT64_C(1) << 32), INT64_C(1) << 32}};
    const int n = 1 << 12, side = 128;

    (void)state;
    for (int base = 0; base < TERRANE_BASES; base++)
        for (int at = 0; at < COUNT(corners); at++) {
            struct terrane_recipe recipe = recipe_fractal((enum terrane_base)base, 1, 12, 1, 0.5f);
            struct terrane_world world;
            make_world(&world, &recipe, 77);
            const int64_t gi = corner_g(&world, corners[at][0], 1), gj = corner_g(&world, corners[at][1], 2);
            float *heights = make_heights(&world, gi - side / 2, gj - side / 2, 1, side, side);
            for (int i = 0; i < side * side; i++) {
                if (i % side)
                    assert_true(fabs((double)heights[i] - (double)heights[i - 1]) <= 8.0 / n);
                if (i >= side)
                    assert_true(fabs((double)heights[i] - (double)heights[i - side]) <= 8.0 / n);
            }
            free(heights);
        }
}

/* A corner has one value, whatever the cells' size and whichever of its four cells it is neared from. */
static void corners_are_shared(void **state)
{
    const enum terrane_base bases[] = {TERRANE_VALUE, TERRANE_POLYNOMIAL, TERRANE_POLYNOMIAL_C1};
    struct dice dice = {4};
    struct terrane_world world;

    (void)state;
    struct terrane_recipe points = recipe_fractal(TERRANE_VALUE, 1, 0, 1, 0.5f);
    points.alias_octaves = 1;
    for (int n = 0; n < 40; n++) {
        const int64_t far = INT64_C(1) << (n % 2 ? 10 : 34);
        const int64_t cx = dice_whole(&dice, -far, far), cy = dice_whole(&dice, -far, far);
        make_world(&world, &points, (uint64_t)n);
        const float corner = height_at(&world, 0, cx, cy, scratch);
        for (int b = 0; b < COUNT(bases); b++)
            for (int cell_log2 = 1; cell_log2 <= 15; cell_log2++) {
                struct terrane_recipe recipe = recipe_fractal(bases[b], 1, cell_log2, 1, 0.5f);
                make_world(&world, &recipe, (uint64_t)n);
                const int64_t gi = corner_g(&world, cx, 1), gj = corner_g(&world, cy, 2);
                assert_true(height_at(&world, 0, gi, gj, scratch) == corner);
                if (cell_log2 < 12)
                    continue;
                float *around = make_heights(&world, gi - 1, gj - 1, 1, 3, 3);
                for (int i = 0; i < 9;
                     i++) /* flat there: 3 t^2 times differences up to 2 and 4, and rounding */
                    assert_true(fabsf(around[i] - corner) <= 24 * 0x1p-24f + 4e-6f);
                free(around);
            }
    }
}

/* ---- Smoothness ------------------------------------------------------------------------------------- */

/* The steepness along an axis that a normal tells. */
static double normal_slope(const float *normal, int axis)
{
    return -(double)normal[axis - 1] / (double)normal[2];
}

/* The jump of the slope across a vertical cell edge in rows y = 0 .. 1 of one cell, measured one sample off
 * it. */
static double edge_jump(enum terrane_base base, uint64_t seed, int64_t cx, double *twist)
{
    const int n = 1 << 16;
    struct terrane_recipe recipe = recipe_fractal(base, 1, 16, 1000, 0.5f);
    struct terrane_world world;
    make_world(&world, &recipe, seed);
    const int64_t gi = corner_g(&world, cx, 1), gj = corner_g(&world, 0, 2);
    float q[2][3]; /* corners around the two cells */
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++)
            q[j][i] = height_at(&world, 0, gi + (i - 1) * n, gj + j * n, scratch);
    const double west = (double)q[1][1] - (double)q[0][1] - (double)q[1][0] + (double)q[0][0];
    const double east = (double)q[1][2] - (double)q[0][2] - (double)q[1][1] + (double)q[0][1];
    *twist = fabs(east - west) / n;
    const struct terrane_window at_edge = {
        .gi = gi, .gj = gj, .step = 256, .width = 1, .height = n / 256 + 1};
    struct terrane_window off_it = at_edge;
    off_it.gi--;
    float *after = layer_new(&world, LAYER_NORMALS, &at_edge, scratch);
    float *before = layer_new(&world, LAYER_NORMALS, &off_it, scratch);
    double jump = 0;
    for (int j = 0; j < at_edge.height; j++)
        jump = fmax(jump, fabs(normal_slope(after + 3 * j, 1) - normal_slope(before + 3 * j, 1)));
    free(before);
    free(after);
    return jump;
}

/*
 * POLYNOMIAL is C0: its slope jumps across an edge by max |S3(y) - y| = sqrt(3) / 18 = 0.0962 times the
 * difference of the cells' twists. The other bases are C1 at least: over one of 2^16 samples their slope
 * moves by less than 40 / 2^16 of an amplitude a cell (second derivatives: S5'' 5.8, S3'' 6, times
 * differences under 3, and twice a gradient).
 */
static void smoothness_is_as_declared(void **state)
{
    const double crease = sqrt(3) / 18, a_cell = 1000.0 / 65536, smooth = 40.0 / 65536 * a_cell + 1e-6;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int base = 0; base <= TERRANE_PERLIN5; base++) {
            double twist;
            const double jump = edge_jump((enum terrane_base)base, seed, (int64_t)seed - 4, &twist);
            if (base == TERRANE_POLYNOMIAL) /* rows every 256th of the cell come near the worst one */
                assert_true(jump <= crease * twist + smooth && jump >= 0.999 * crease * twist - smooth);
            else
                assert_true(jump <= smooth);
        }
}

UNIT(noise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_keep_their_range),
        cmocka_unit_test(ranges_are_those_of_the_worst_corners),
        cmocka_unit_test(hermite_meets_its_corners),
        cmocka_unit_test(hermite_without_weight_is_the_polynomial),
        cmocka_unit_test(polynomial_bulges_by_a_hundredth),
        cmocka_unit_test(bases_are_continuous),
        cmocka_unit_test(corners_are_shared),

        cmocka_unit_test(smoothness_is_as_declared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
