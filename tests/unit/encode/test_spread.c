/* What numbers span (server/encode/spread.c). */
#include "../unit.h"

#include <math.h>

#include "../../../server/encode/describe.h"

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
    for (int k = 0; k < MANY; k++) /* what flows in a world of very long steps */
        values[k] = k % 2 ? 0x1p90f : 0;
    assert_true(spread_of(values, MANY, 1, NAN).mean == 0x1p89);
}

GROUP(spread);
