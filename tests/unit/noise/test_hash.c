/*
 * The hash under all noise: what corners hold, and how octaves, salts and seeds are told apart (lib/hash.h).
 *
 * With one alias octave of cells of one sample, every sample of VALUE is a corner's value; an octave whose shift is
 * known (octave_shift) has its corners where the tests put them. All seeds are fixed, so no statistic can come out
 * otherwise on another day.
 */
#include "../lib_fixture.h"

/* ---- Hash ---------------------------------------------------------------------------------------------- */

enum { FIELD = 512, CELLS = FIELD * FIELD };

/* Corner values of a field of columns cx .. and rows cy .., in [-1, 1]. */
static float *corners_new(uint64_t seed, uint32_t salt, int64_t cx, int64_t cy)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 0, 1, 0.5f);
    struct terrane_world world;
    recipe.alias_octaves = 1;
    recipe.term[0].fractal.salt = salt;
    make_world(&world, &recipe, seed);
    return make_heights(&world, cx, cy, 1, FIELD, FIELD);
}

/* Pearson's, of count pairs. */
static double correlation(const float *a, const float *b, int count)
{
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int i = 0; i < count; i++) {
        const double x = (double)a[i], y = (double)b[i];
        sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y;
    }
    return (count * sab - sa * sb) / sqrt((count * saa - sa * sa) * (count * sbb - sb * sb));
}

/* Independent values correlate with a deviation of 1 / sqrt(count): five of them pass. */
static void expect_independent(const float *a, const float *b, int count)
{
    assert_true(fabs(correlation(a, b, count)) < 5 / sqrt(count));
}

/* Uniform on [-1, 1]: mean 0, variance 1/3, 256 equal classes, every bit half set; within five deviations. */
static void corners_are_uniform(void **state)
{
    const int64_t places[][2] = {
        {0, 0}, {-FIELD / 2, -FIELD / 2}, {INT64_C(1) << 32, -7}, {-(INT64_C(1) << 45), INT64_C(1) << 44}};

    (void)state;
    for (int at = 0; at < COUNT(places); at++) {
        float *corner = corners_new((uint64_t)at, 0, places[at][0], places[at][1]);
        double sum = 0, squares = 0, chi = 0;
        int classes[256] = {0}, bits[24] = {0}, flips[24] = {0};
        uint32_t previous = 0;
        for (int i = 0; i < CELLS; i++) {
            const double v = (double)corner[i];
            sum += v;
            squares += v * v;
            assert_true(v >= -1 && v <= 1);
            const uint32_t word = (uint32_t)(fmin((v + 1) * 0x1p23, 0x1p24 - 1)); /* the upper 24 bits */
            classes[word >> 16]++;
            for (int b = 0; b < 24; b++) {
                bits[b] += (int)(word >> b & 1);
                flips[b] += (int)((word ^ previous) >> b & 1); /* from one column to the next */
            }
            previous = word;
        }
        assert_true(fabs(sum / CELLS) < 5 * sqrt(1.0 / 3 / CELLS));
        assert_true(fabs(squares / CELLS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / CELLS));
        for (int c = 0; c < 256; c++)
            chi += pow(classes[c] - CELLS / 256, 2) / (CELLS / 256);
        assert_true(fabs(chi - 255) < 5 * sqrt(2 * 255));
        for (int b = 0; b < 24; b++) {
            assert_true(abs(bits[b] - CELLS / 2) < 5 * FIELD / 2); /* sqrt(CELLS) / 2 is one deviation */
            assert_true(abs(flips[b] - CELLS / 2) < 5 * FIELD / 2);
        }
        free(corner);
    }
}

static void corners_are_independent(void **state)
{
    static const struct {
        uint64_t seed;
        uint32_t salt;
        int64_t cx, cy;
    } others[] = {
        {9, 0, 1, 0},
        {9, 0, 0, 1},
        {9, 0, 1, 1},
        {9, 0, -1, 1},
        {9, 0, 2, 0},
        {9, 0, 0, 2},
        {9, 0, 16, 0},
        {9, 0, 0, 16},
        {9, 0, 256, 0},
        {9, 0, 0, 256},
        {9, 0, 3, 5},
        {10, 0, 0, 0},
        {8, 0, 0, 0},
        {9, 1, 0, 0},
        {9, 2, 0, 0},
        {10, 1, 0, 0},
        {0, 9, 0, 0},
        {9, 1u << 31, 0, 0},
        {9 + (UINT64_C(1) << 32), 0, 0, 0},
        {~UINT64_C(9), 0, 0, 0},
        {9 + (UINT64_C(1) << 63), 0, 0, 0},
        /* no period at 2^32 cells or elsewhere */
        {9, 0, INT64_C(1) << 31, 0},
        {9, 0, INT64_C(1) << 32, 0},
        {9, 0, -(INT64_C(1) << 32), 0},
        {9, 0, INT64_C(1) << 33, 0},
        {9, 0, INT64_C(1) << 48, 0},
        {9, 0, 0, INT64_C(1) << 31},
        {9, 0, 0, INT64_C(1) << 32},
        {9, 0, 0, -(INT64_C(1) << 32)},
        {9, 0, 0, INT64_C(1) << 48},
        {9, 0, INT64_C(1) << 32, INT64_C(1) << 32},
        {9, 0, INT64_C(1) << 32, -(INT64_C(1) << 32)},
    };
    float *own = corners_new(9, 0, 0, 0), *turned = malloc(CELLS * sizeof *turned);

    (void)state;
    assert_non_null(turned);
    for (int n = 0; n < COUNT(others); n++) {
        float *other = corners_new(others[n].seed, others[n].salt, others[n].cx, others[n].cy);
        expect_independent(own, other, CELLS);
        free(other);
    }
    for (int j = 0; j < FIELD; j++) /* rows as columns, off the diagonal that both share */
        for (int i = 0; i < FIELD; i++)
            turned[j * FIELD + i] = own[i * FIELD + j];
    for (int j = 0; j < FIELD; j++)
        turned[j * FIELD + j] = own[(FIELD - 1 - j) * FIELD + j];
    expect_independent(own, turned, CELLS);
    free(own);
    free(turned);
}

/* Rows share their columns' products and differ by key alone: no row may be another one, shifted. */
static void rows_are_no_shifts_of_each_other(void **state)
{
    float *corner = corners_new(12, 0, -100, -3);

    (void)state;
    for (int j = 0; j < 6; j++)
        for (int other = j; other < 6; other++)
            for (int shift = other == j; shift < FIELD / 2; shift++)
                expect_independent(corner + j * FIELD, corner + other * FIELD + shift, FIELD - shift);
    free(corner);
}

/* ---- Octaves ---------------------------------------------------------------------------------------- */

/* Octave 1, as what a second octave adds on the corners of the first (to a rounding), against octave 0. */
static void octaves_are_independent(void **state)
{
    struct terrane_recipe of_one = recipe_fractal(TERRANE_VALUE, 1, 1, 1, 1),
                          of_two = recipe_fractal(TERRANE_VALUE, 2, 1, 1, 1);
    struct terrane_world one, two;

    (void)state;
    of_one.alias_octaves = of_two.alias_octaves = 1;
    make_world(&one, &of_one, 21);
    make_world(&two, &of_two, 21);
    const int64_t gi = corner_g(&one, 0, 1), gj = corner_g(&one, 0, 2);
    float *first = make_heights(&one, gi, gj, 2, FIELD, FIELD),
          *second = make_heights(&two, gi, gj, 2, FIELD, FIELD);
    for (int i = 0; i < CELLS; i++)
        second[i] -= first[i];
    expect_independent(first, second, CELLS);
    double squares = 0;
    for (int i = 0; i < CELLS; i++)
        squares += (double)second[i] * (double)second[i];
    assert_true(fabs(squares / CELLS - 1.0 / 3) < 5 * sqrt(4.0 / 45 / CELLS));
    free(first);
    free(second);
}

/*
 * Gradient noise is 0 on its corners, so an octave's shift shows: there it adds nothing, and nowhere near it
 * does it always so. Every octave, axis, salt and seed has a shift of its own.
 */
static void octave_shifts_differ(void **state)
{
    enum { OCTAVES = 8, TOP = 20 };
    int nonzero = 0;

    (void)state;
    for (int i = 0; i < OCTAVES; i++) {
        struct terrane_recipe more = recipe_fractal(TERRANE_PERLIN5, i + 1, TOP, 100, 1),
                              less = recipe_flat();
        struct terrane_world with, without;
        if (i > 0)
            less = recipe_fractal(TERRANE_PERLIN5, i, TOP, 100, 1);
        make_world(&with, &more, 33);
        make_world(&without, &less, 33);
        for (int of = 0; of < OCTAVES; of++) { /* on corners of each octave */
            const int64_t n = INT64_C(1) << (TOP - of);
            const int64_t gi = 3 * n - octave_shift(33, 0, of, TOP - of, 1),
                          gj = -octave_shift(33, 0, of, TOP - of, 2);
            const bool same = height_at(&with, 0, gi, gj, scratch) == height_at(&without, 0, gi, gj, scratch);
            assert_true(same || of != i);
            nonzero += !same;
        }
    }
    assert_int_equal(nonzero, OCTAVES * (OCTAVES - 1));

    int64_t shifts[2 * 24 * 4];
    int count = 0;
    for (int i = 0; i < 24; i++)
        for (int axis = 1; axis <= 2; axis++) {
            shifts[count++] = octave_shift(33, 0, i, 40, axis);
            shifts[count++] = octave_shift(33, 1, i, 40, axis);
            shifts[count++] = octave_shift(34, 0, i, 40, axis);
            shifts[count++] = octave_shift(34, 1, i, 40, axis);
        }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_true(shifts[i] != shifts[j]);
}

/* An octave's amplitude is the first one's times gain^i. */
static void octaves_have_their_amplitudes(void **state)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 0, 64, 0.25f);
    struct terrane_world world;
    double most[3];

    (void)state;
    recipe.alias_octaves = 1;
    for (int i = 0; i < 3; i++) {
        recipe.term[0].fractal.octaves = i + 1;
        recipe.term[0].fractal.cell = exp2(i);
        make_world(&world, &recipe, 5);
        float *heights = make_heights(&world, 0, 0, 1, FIELD, FIELD);
        most[i] = 0;
        for (int k = 0; k < CELLS; k++)
            most[i] = fmax(most[i], (double)fabsf(heights[k]));
        free(heights);
    }
    assert_true(most[0] <= 64 && most[0] > 63.9);
    assert_true(most[1] <= 80 && most[1] > 76);
    assert_true(most[2] <= 84 && most[2] > 78);
}

UNIT(hash)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_uniform),
        cmocka_unit_test(corners_are_independent),
        cmocka_unit_test(rows_are_no_shifts_of_each_other),
        cmocka_unit_test(octaves_are_independent),
        cmocka_unit_test(octave_shifts_differ),
        cmocka_unit_test(octaves_have_their_amplitudes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
