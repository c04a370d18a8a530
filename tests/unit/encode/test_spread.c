/* What numbers span (server/encode/spread.c). */
#include "../unit.h"

#include <math.h>

#include "../../../server/encode/spread.h"

TEST(extremes_and_mean)
{
    static const float one[] = {3.5f, -0.0f, 8, 0.25f};
    const struct spread spread = spread_of(one, 4, 1, NAN);
    assert_int_equal(spread.count, 4);
    assert_true(spread.min == 0 && !signbit(spread.min) && spread.max == 8);
    assert_true(spread.mean == 11.75 / 4);
}

/* Each second number; those that are none count nowhere, first or last. */
TEST(strides_and_gaps)
{
    static const float values[] = {-64, 1, 2, -64, 4, -64, -64, 7};
    struct spread spread = spread_of(values, 4, 2, -64);
    assert_int_equal(spread.count, 2);
    assert_true(spread.min == 2 && spread.max == 4 && spread.mean == 3);
    spread = spread_of(values + 1, 4, 2, -64);
    assert_int_equal(spread.count, 2);
    assert_true(spread.min == 1 && spread.max == 7 && spread.mean == 4);
    spread = spread_of(values, 1, 1, -64);
    assert_int_equal(spread.count, 0);
    assert_true(spread.min == 0 && spread.max == 0 && spread.mean == 0);
}

/* Sums beyond 2^63 units, and numbers under half a unit, whose mean stays between them. */
TEST(the_mean_is_exact)
{
    enum { MANY = 512 * 512 };
    static float values[MANY];
    for (int k = 0; k < MANY; k++)
        values[k] = k % 2 ? 0x1p39f : -0x1p30f;
    assert_true(spread_of(values, MANY, 1, NAN).mean == (0x1p39 - 0x1p30) / 2);
    for (int k = 0; k < MANY; k++)
        values[k] = 1e-6f;
    assert_true(spread_of(values, MANY, 1, NAN).mean == (double)1e-6f);
    for (int k = 0; k < MANY; k++)
        values[k] = -1.0f / 65536 * (float)(k % 3);
    assert_true(fabs(spread_of(values, MANY - 1, 1, NAN).mean + 1.0 / 65536) < 1e-18);
}

GROUP(spread);
