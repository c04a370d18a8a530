/* Noise at a point (lib/term/noise_at.c): refusals, and outputs; tests/golden has its values. */
#include "../../../lib/term/noise_at.h"
#include "../lib_fixture.h"

enum { DIMENSIONS = 4 };

static const enum terrane_base bases[] = {TERRANE_PERLIN3, TERRANE_PERLIN5, TERRANE_SIMPLEX};

TEST(bad_questions_are_refused)
{
    const double good[DIMENSIONS] = {0.5, 0.5, 0.5, 0.5};
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1.0000000000001p52, -0x1.0000000000001p52, 1e300};
    float value = 7, slope[DIMENSIONS] = {7, 7, 7, 7};

    for (int base = -1; base <= TERRANE_BASES; base++)
        if (base != TERRANE_PERLIN3 && base != TERRANE_PERLIN5 && base != TERRANE_SIMPLEX)
            assert_int_equal(terrane_noise_at((enum terrane_base)base, 3, 1, good, &value, slope),
                             TERRANE_EBASE);
    for (int n = 0; n < COUNT(bases); n++)
        for (int dimensions = -1; dimensions <= 6; dimensions++) {
            const bool known = dimensions == 1 || dimensions == 3 || dimensions == 4;
            for (int k = 0; k < (known ? dimensions : 1) * COUNT(bad); k++) {
                double at[DIMENSIONS];
                memcpy(at, good, sizeof at);
                if (known)
                    at[k / COUNT(bad)] = bad[k % COUNT(bad)];
                assert_int_equal(terrane_noise_at(bases[n], dimensions, 1, at, &value, slope),
                                 TERRANE_EWINDOW);
            }
        }
    assert_true(value == 7 && slope[0] == 7 && slope[1] == 7 && slope[2] == 7 && slope[3] == 7);
}

/* Behind the dimensions no slope is written; without slopes the value is the same; all of the key counts. At the lattice's end, too. */
TEST(outputs_are_as_asked)
{
    static const double places[][DIMENSIONS] = {{0.3125, -7.71875, 2.59375, 100.203125},
                                                {0x1p52, -0x1p52, 0x1p52, -0x1p52},
                                                {-0x1p-1074, 0x1p-1074, -0x1p-60, -0.0}};
    for (int n = 0; n < COUNT(bases) * COUNT(places); n++)
        for (int dimensions = 1; dimensions <= 4; dimensions += dimensions == 1 ? 2 : 1) {
            const enum terrane_base base = bases[n % COUNT(bases)];
            const double *at = places[n / COUNT(bases)];
            float value, alone, other, slope[DIMENSIONS + 1] = {17, 17, 17, 17, 17};
            assert_int_equal(terrane_noise_at(base, dimensions, 8, at, &value, slope), 0);
            assert_int_equal(terrane_noise_at(base, dimensions, 8, at, &alone, NULL), 0);
            assert_true(value == alone && fabsf(value) <= 1);
            assert_int_equal(terrane_noise_at(base, dimensions, 8 | UINT64_C(1) << 63, at, &other, NULL), 0);
            assert_true(value != other || n >= COUNT(bases)); /* at corners it may be 0 */
            for (int axis = 0; axis <= DIMENSIONS; axis++)
                assert_true(axis < dimensions ? fabsf(slope[axis]) < 16 : slope[axis] == 17);
        }
}

GROUP(noise_at);
