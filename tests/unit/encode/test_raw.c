/* Raw formats, byte by byte, and what numbers span (server/encode/raw.c, spread.c). */
#include "../unit.h"

#include <float.h>
#include <math.h>

#include "../../../server/encode/describe.h"
#include "../../../server/encode/encode.h"

static unsigned r16(float height_m, float low_m, float high_m)
{
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_r16(&height_m, 1, low_m, high_m, &data, &bytes), 0);
    assert_int_equal(bytes, 2);
    const unsigned q = data[0] | (unsigned)data[1] << 8;
    free(data);
    return q;
}

TEST(r16_spans_the_range)
{
    assert_int_equal(r16(-4096, -4096, 4096), 0);
    assert_int_equal(r16(4096, -4096, 4096), 65535);
    assert_int_equal(r16(-1e9f, -4096, 4096), 0); /* what lies outside is at its end */
    assert_int_equal(r16(4097, -4096, 4096), 65535);
    assert_int_equal(r16(NAN, -4096, 4096), 0);
    assert_int_equal(r16(0, -4096, 4096), 32768); /* 32767.5: half up */
    assert_int_equal(r16(-0.0f, -4096, 4096), 32768);
    assert_int_equal(r16(nextafterf(0, -1), -4096, 4096), 32768); /* one float below: lost in the sum */
    assert_int_equal(r16(-0.01f, -4096, 4096), 32767);
    assert_int_equal(r16(0x1234, 0, 65535), 0x1234);
    assert_int_equal(r16(4659.5f, 0, 65535), 0x1234);
    assert_int_equal(r16(4659.4990f, 0, 65535), 0x1233);
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
    for (int k = 0; k < MANY; k++) /* what flows in a world of very long steps */
        values[k] = k % 2 ? 0x1p90f : 0;
    assert_true(spread_of(values, MANY, 1, NAN).mean == 0x1p89);
}

GROUP(raw);
