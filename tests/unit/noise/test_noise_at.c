/* Noise at a point (lib/noise_at.c): refusals, and outputs; tests/reference has its values. */
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

UNIT(noise_at)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(outputs_are_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
