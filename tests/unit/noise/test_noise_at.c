/*
 * Noise at a point (lib/noise_at.c): slopes against differences, smoothness across faces, range,
 * independence, refusals, and a few values to the last bit. All seeds are fixed.
 */
#include "../unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/hash.h"
#include "../../../lib/terrane.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { DIMENSIONS = 4 };

static const struct noise {
    enum terrane_base base;
    int dimensions;
} noises[] = {
    {TERRANE_PERLIN3, 1}, {TERRANE_PERLIN3, 3}, {TERRANE_PERLIN3, 4},
    {TERRANE_PERLIN5, 1}, {TERRANE_PERLIN5, 3}, {TERRANE_PERLIN5, 4},
    {TERRANE_SIMPLEX, 1}, {TERRANE_SIMPLEX, 3}, {TERRANE_SIMPLEX, 4},
};

static uint64_t dice_state;

static double dice(double low, double high)
{
    dice_state += UINT64_C(0x9E3779B97F4A7C15);
    return low + (high - low) * ((double)(hash_mix(dice_state) >> 11) * 0x1p-53);
}

static void dice_place(double low, double high, double at[DIMENSIONS])
{
    for (int axis = 0; axis < DIMENSIONS; axis++)
        at[axis] = dice(low, high);
}

static double noise_at(const struct noise *noise, uint64_t key, const double *at, float *slope)
{
    float value;
    assert_int_equal(terrane_noise_at(noise->base, noise->dimensions, key, at, &value, slope), 0);
    return (double)value;
}

/* ---- Slopes -------------------------------------------------------------------------------------------- */

/* The fourth-order central difference, in binary64 of binary32 values. */
static double difference(const struct noise *noise, const double *at, int axis, double h)
{
    double v[5], place[DIMENSIONS];
    memcpy(place, at, sizeof place);
    for (int k = 0; k < 5; k++) {
        place[axis] = at[axis] + (k - 2) * h;
        v[k] = noise_at(noise, 1, place, NULL);
    }
    return (8 * (v[3] - v[1]) - (v[4] - v[0])) / (12 * h);
}

/*
 * Places are multiples of 2^-12, so that they and their neighbours are exact up to 2^40 cells. Perlin's
 * higher derivatives jump at whole coordinates: differences keep off them.
 */
static void slopes_are_derivatives(void **state)
{
    const double h = 0x1p-7, far[] = {0, 3, 0x1p20, -0x1p33, 0x1p40, -0x1p40};

    (void)state;
    dice_state = 1;
    for (int n = 0; n < COUNT(noises); n++)
        for (int k = 0; k < 3000; k++) {
            double at[DIMENSIONS];
            float slope[DIMENSIONS];
            for (int axis = 0; axis < DIMENSIONS; axis++) {
                at[axis] = far[k % COUNT(far)] + floor(dice(-100, 100));
                at[axis] += floor(dice(0.02, 0.98) * 4096) / 4096;
            }
            noise_at(&noises[n], 1, at, slope);
            for (int axis = 0; axis < noises[n].dimensions; axis++)
                assert_true(fabs(difference(&noises[n], at, axis, h) - (double)slope[axis]) < 2e-4);
        }
}

/* The place of simplex noise whose coordinates on the skewed lattice are given. */
static void unskew(int dimensions, double at[DIMENSIONS])
{
    const double factor = dimensions == 1 ? 0 : dimensions == 3 ? 1.0 / 6 : 377.0 / 2728;
    double sum = 0;
    for (int axis = 0; axis < dimensions; axis++)
        sum += at[axis];
    for (int axis = 0; axis < dimensions; axis++)
        at[axis] -= factor * sum;
}

/* Values and slopes on both sides of a face, 2^-24 cells from it, are as near as places so near can be. */
static void faces_do_not_show(void **state)
{
    (void)state;
    dice_state = 2;
    for (int n = 0; n < COUNT(noises); n++)
        for (int k = 0; k < 20000; k++) {
            const int dimensions = noises[n].dimensions;
            double at[DIMENSIONS], other[DIMENSIONS];
            float slope[DIMENSIONS], other_slope[DIMENSIONS];
            const int axis = k % dimensions, second = (axis + 1) % dimensions;
            dice_place(-9, 9, at);
            if (noises[n].base == TERRANE_SIMPLEX && dimensions > 1 && k & 1) /* in the skewed cube */
                at[axis] = at[second] + floor(dice(-3, 3));
            else
                at[axis] = floor(at[axis]);
            if (noises[n].base == TERRANE_SIMPLEX)
                unskew(dimensions, at);
            memcpy(other, at, sizeof other);
            at[axis] -= 0x1p-24;
            other[axis] += 0x1p-24;
            const double value = noise_at(&noises[n], 2, at, slope);
            assert_true(fabs(noise_at(&noises[n], 2, other, other_slope) - value) < 2e-6);
            for (int by = 0; by < dimensions; by++)
                assert_true(fabs((double)other_slope[by] - (double)slope[by]) < 2e-5);
        }
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* Climbs from a place; sign 1 or -1 says where to. */
static double climb(const struct noise *noise, double at[DIMENSIONS], double sign)
{
    double best = sign * noise_at(noise, 3, at, NULL);
    for (double h = 0.1; h > 1e-5; h /= 2)
        for (int k = 0; k < 6 * noise->dimensions; k++) {
            double other[DIMENSIONS];
            for (int axis = 0; axis < DIMENSIONS; axis++)
                other[axis] = at[axis] + dice(-h, h);
            const double value = sign * noise_at(noise, 3, other, NULL);
            if (value > best) {
                best = value;
                memcpy(at, other, sizeof other);
            }
        }
    return best;
}

/*
 * No value leaves [-1, 1], and most of it is used: nearly all in 1-D, where two gradients must agree, and by
 * simplex noise, where four or five; the best of Perlin's 8 and 16 never meet. The lower bounds are a little
 * below what this search finds.
 */
static void values_keep_their_range(void **state)
{
    static const double used[] = {0.95, 0.82, 0.68, 0.95, 0.84, 0.68, 0.95, 0.9999, 0.9999};

    (void)state;
    dice_state = 3;
    for (int n = 0; n < COUNT(noises); n++) {
        double at[DIMENSIONS], most = 0;
        for (int k = 0; k < 60000; k++) {
            dice_place(-1e6, 1e6, at);
            most = fmax(most, fabs(noise_at(&noises[n], 3, at, NULL)));
        }
        for (int k = 0; k < 400; k++) {
            dice_place(-1e6, 1e6, at);
            most = fmax(most, climb(&noises[n], at, k & 1 ? 1 : -1));
        }
        assert_true(most <= 1 && most > used[n]);
    }
}

/*
 * At a lattice point the slope is the point's own gradient, scaled, and for simplex noise times R^4 = 1/16:
 * all coordinates but one are of one size. That size times the greatest sum there is, at the places that
 * lib/noise_at.c names, comes to 1 and not above.
 */
static void scales_bring_extremes_to_one(void **state)
{
    static const double greatest[] = {0, 1.0449051896, 1.5451999215, 0, 1.0363538112, 1.5365823340,
                                      0, 0.0130071572, 0.0159292215};

    (void)state;
    dice_state = 9;
    for (int n = 0; n < COUNT(noises); n++) {
        const int dimensions = noises[n].dimensions;
        const bool simplex = noises[n].base == TERRANE_SIMPLEX;
        int negative = 0, positive = 0;
        for (int k = 0; k < 500 && dimensions > 1; k++) {
            double at[DIMENSIONS];
            float slope[DIMENSIONS];
            int zeros = 0;
            dice_place(-1000, 1000, at);
            for (int axis = 0; axis < DIMENSIONS; axis++)
                at[axis] = floor(at[axis]);
            if (simplex)
                unskew(dimensions, at);
            noise_at(&noises[n], 9, at, slope);
            for (int axis = 0; axis < dimensions; axis++) {
                const double size = fabs((double)slope[axis]) * (simplex ? 16 : 1);
                zeros += size < 1e-9;
                positive += slope[axis] > 1e-9f;
                negative += slope[axis] < -1e-9f;
                assert_true(size < 1e-9 || (size * greatest[n] > 0.999995 && size * greatest[n] < 1.0000002));
            }
            assert_int_equal(zeros, 1);
        }
        assert_true(abs(positive - negative) < 150);
    }
}

/* All gradients' products are 0 at a lattice point, and other points do not reach it. */
static void lattice_points_are_zero(void **state)
{
    (void)state;
    dice_state = 4;
    for (int n = 0; n < COUNT(noises); n++)
        for (int k = 0; k < 2000; k++) {
            double at[DIMENSIONS];
            dice_place(-0x1p52, 0x1p52, at);
            for (int axis = 0; axis < DIMENSIONS; axis++)
                at[axis] = floor(at[axis] / (k & 1 ? 1 : 0x1p40));
            if (noises[n].base != TERRANE_SIMPLEX || noises[n].dimensions == 1) {
                assert_true(noise_at(&noises[n], 4, at, NULL) == 0);
            } else if (!(k & 1)) {
                unskew(noises[n].dimensions, at);
                assert_true(fabs(noise_at(&noises[n], 4, at, NULL)) < 1e-10);
            }
        }
}

static void values_have_no_bias(void **state)
{
    enum { PLACES = 100000 };
    static const double deviation[] = {0.282, 0.247, 0.176, 0.280, 0.261, 0.191, 0.323, 0.392, 0.254};

    (void)state;
    dice_state = 5;
    for (int n = 0; n < COUNT(noises); n++) {
        double sum = 0, square = 0, slopes[DIMENSIONS] = {0};
        for (int k = 0; k < PLACES; k++) {
            double at[DIMENSIONS];
            float slope[DIMENSIONS];
            dice_place(-1e5, 1e5, at);
            const double value = noise_at(&noises[n], 5, at, slope);
            sum += value;
            square += value * value;
            for (int axis = 0; axis < noises[n].dimensions; axis++)
                slopes[axis] += (double)slope[axis];
        }
        assert_true(fabs(sum / PLACES) < 0.005);
        assert_true(fabs(sqrt(square / PLACES) - deviation[n]) < 0.005);
        for (int axis = 0; axis < noises[n].dimensions; axis++)
            assert_true(fabs(slopes[axis] / PLACES) < 0.025);
    }
}

/* Keys, cells along any axis and numbers of dimensions make unrelated noises. */
static void noises_are_independent(void **state)
{
    enum { PLACES = 40000 };

    (void)state;
    dice_state = 6;
    for (int n = 0; n < COUNT(noises); n++) {
        double product[2 + DIMENSIONS] = {0}, square = 0;
        for (int k = 0; k < PLACES; k++) {
            double at[DIMENSIONS];
            dice_place(-1e5, 1e5, at);
            const double value = noise_at(&noises[n], 6, at, NULL);
            square += value * value;
            product[0] += value * noise_at(&noises[n], 7, at, NULL);
            product[1] += value * noise_at(&noises[n], UINT64_C(6) << 32, at, NULL);
            for (int axis = 0; axis < noises[n].dimensions; axis++) {
                const double own = at[axis];
                at[axis] = own + 60;
                product[2 + axis] += value * noise_at(&noises[n], 6, at, NULL);
                at[axis] = own;
            }
        }
        for (int k = 0; k < COUNT(product); k++)
            assert_true(fabs(product[k] / square) < 0.025);
    }
}

/* At the lattice's end, where halves are the finest places, as anywhere: values differ and use the range. */
static void far_places_are_like_others(void **state)
{
    (void)state;
    dice_state = 7;
    for (int n = 0; n < COUNT(noises); n++) {
        double square = 0;
        for (int k = 0; k < 4000; k++) {
            double at[DIMENSIONS];
            dice_place(0x1p51, 0x1p52, at);
            for (int axis = 0; axis < DIMENSIONS; axis++)
                at[axis] = (k >> axis & 1 ? -1 : 1) * (floor(at[axis]) + 0.5);
            const double value = noise_at(&noises[n], 7, at, NULL);
            assert_true(fabs(value) <= 1);
            square += value * value;
        }
        assert_true(square / 4000 > 0.01);
    }
    const double ends[][DIMENSIONS] = {{0x1p52, 0x1p52, 0x1p52, 0x1p52},
                                       {-0x1p52, -0x1p52, -0x1p52, -0x1p52},
                                       {-0x1p-1074, 0x1p-1074, -0x1p-60, -0.0}};
    for (int n = 0; n < COUNT(noises); n++)
        for (int k = 0; k < COUNT(ends); k++) {
            float slope[DIMENSIONS];
            assert_true(fabs(noise_at(&noises[n], 7, ends[k], slope)) <= 1);
            for (int axis = 0; axis < noises[n].dimensions; axis++)
                assert_true(fabsf(slope[axis]) < 16);
        }
}

/* ---- Outside ------------------------------------------------------------------------------------------- */

static void bad_questions_are_refused(void **state)
{
    const double good[DIMENSIONS] = {0.5, 0.5, 0.5, 0.5};
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1.0000000000001p52, -0x1.0000000000001p52, 1e300};
    float value = 7, slope[DIMENSIONS] = {7, 7, 7, 7};

    (void)state;
    for (int base = -1; base <= TERRANE_BASES; base++)
        if (base != TERRANE_PERLIN3 && base != TERRANE_PERLIN5 && base != TERRANE_SIMPLEX)
            assert_int_equal(terrane_noise_at((enum terrane_base)base, 3, 1, good, &value, slope),
                             TERRANE_EBASE);
    for (int n = 0; n < COUNT(noises); n++) {
        for (int dimensions = -1; dimensions <= 6; dimensions++)
            if (dimensions != 1 && dimensions != 3 && dimensions != 4)
                assert_int_equal(terrane_noise_at(noises[n].base, dimensions, 1, good, &value, slope),
                                 TERRANE_EWINDOW);
        for (int axis = 0; axis < noises[n].dimensions; axis++)
            for (int k = 0; k < COUNT(bad); k++) {
                double at[DIMENSIONS];
                memcpy(at, good, sizeof at);
                at[axis] = bad[k];
                assert_int_equal(terrane_noise_at(noises[n].base, noises[n].dimensions, 1, at, &value, slope),
                                 TERRANE_EWINDOW);
            }
    }
    assert_true(value == 7 && slope[0] == 7 && slope[1] == 7 && slope[2] == 7 && slope[3] == 7);
}

/* Behind the dimensions no slope is written; without slopes the value is the same. */
static void outputs_are_as_asked(void **state)
{
    (void)state;
    dice_state = 8;
    for (int n = 0; n < COUNT(noises); n++) {
        double at[DIMENSIONS];
        float slope[DIMENSIONS + 1] = {7, 7, 7, 7, 7};
        dice_place(-9, 9, at);
        assert_true(noise_at(&noises[n], 8, at, slope) == noise_at(&noises[n], 8, at, NULL));
        for (int axis = 0; axis <= DIMENSIONS; axis++)
            assert_true((slope[axis] == 7) == (axis >= noises[n].dimensions));
    }
}

/* Other compilers and machines give these bits. */
static void values_are_pinned(void **state)
{
    static const double places[][DIMENSIONS] = {
        {0.3125, -7.71875, 2.59375, 100.203125},
        {-123456789.40625, 987654321.8125, 0x1p40 + 0.140625, -3.65625}};
    static const float pinned[COUNT(noises)][COUNT(places)][1 + DIMENSIONS] = {
        {{-0x1.2cd776p-1f, -0x1.2fb20ep+0f}, {-0x1.8d0c44p-2f, 0x1.df41ccp-6f}},
        {{0x1.284418p-2f, -0x1.ee5e3ep-2f, -0x1.567e64p-3f, -0x1.741382p-2f},
         {0x1.3ce61p-2f, -0x1.a25904p-3f, 0x1.db72f8p-1f, -0x1.55d89cp-1f}},
        {{0x1.be6264p-5f, 0x1.aea456p-3f, -0x1.993ddap-7f, 0x1.79e778p-2f, -0x1.5b16a4p-5f},
         {-0x1.d40532p-2f, 0x1.852ab8p-2f, -0x1.5c82fap-3f, 0x1.594ddcp-1f, -0x1.321ac8p-1f}},
        {{-0x1.3049eep-1f, -0x1.503afp+0f}, {-0x1.a4973p-2f, -0x1.0e3834p-3f}},
        {{0x1.73d8fp-2f, -0x1.4fad18p-1f, -0x1.a8f774p-3f, -0x1.bb250ep-2f},
         {0x1.9f1a0cp-2f, -0x1.c2fab4p-3f, 0x1.984df6p-1f, -0x1.34f9dcp-2f}},
        {{0x1.983462p-5f, 0x1.652e54p-2f, 0x1.192a64p-4f, 0x1.107868p-2f, -0x1.68e81ep-5f},
         {-0x1.e149cap-2f, 0x1.94abeep-2f, -0x1.5c2f04p-4f, 0x1.427696p-1f, -0x1.96cef6p-1f}},
        {{-0x1.69d6cp-1f, -0x1.a0526ap-1f}, {-0x1.e7084ap-2f, -0x1.9a009ap-1f}},
        {{0x1.558a4ap-1f, 0x1.39cf2p+1f, 0x1.73771cp-1f, 0x1.d1503ap-1f},
         {-0x1.1fab22p-2f, 0x1.f889d6p-3f, 0x1.8ec0d6p+0f, 0x1.cff2dap+0f}},
        {{0x1.67b22cp-2f, 0x1.a44b9cp-1f, 0x1.3cd894p+1f, 0x1.b6c59p-3f, 0x1.78a24cp-3f},
         {-0x1.4e5f3cp-5f, -0x1.a3d5eep-2f, 0x1.0d98c6p-7f, 0x1.af2cdep-5f, 0x1.079bbap-3f}},
    };

    (void)state;
    for (int n = 0; n < COUNT(noises); n++)
        for (int k = 0; k < COUNT(places); k++) {
            float slope[DIMENSIONS];
            const float value = (float)noise_at(&noises[n], 42, places[k], slope);
            assert_memory_equal(&value, &pinned[n][k][0], sizeof value);
            assert_memory_equal(slope, &pinned[n][k][1], (size_t)noises[n].dimensions * sizeof *slope);
        }
}

UNIT(noise_at)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_derivatives),    cmocka_unit_test(faces_do_not_show),
        cmocka_unit_test(values_keep_their_range),   cmocka_unit_test(scales_bring_extremes_to_one),
        cmocka_unit_test(lattice_points_are_zero),   cmocka_unit_test(values_have_no_bias),
        cmocka_unit_test(noises_are_independent),    cmocka_unit_test(far_places_are_like_others),
        cmocka_unit_test(bad_questions_are_refused), cmocka_unit_test(outputs_are_as_asked),
        cmocka_unit_test(values_are_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
