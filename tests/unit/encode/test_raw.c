/* Raw formats, byte by byte (server/encode/raw.c). */
#include "../unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../../server/encode/encode.h"

/* Every count up to 70, so that whatever the compiler unrolls by has its remainders tested. */
TEST(f32_takes_every_count)
{
    float values[70];

    for (size_t i = 0; i < 70; i++)
        values[i] = (float)i - 35.25f;
    for (size_t count = 0; count <= 70; count++) {
        unsigned char *data = NULL;
        size_t bytes = 1;

        assert_int_equal(encode_f32(values, count, &data, &bytes), 0);
        assert_non_null(data);
        assert_int_equal(bytes, 4 * count);
        for (size_t i = 0; i < count; i++) {
            const uint32_t bits = (uint32_t)data[4 * i] | (uint32_t)data[4 * i + 1] << 8 |
                                  (uint32_t)data[4 * i + 2] << 16 | (uint32_t)data[4 * i + 3] << 24;
            float value;

            memcpy(&value, &bits, sizeof value);
            assert_true(value == values[i]);
        }
        free(data);
    }
}

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

GROUP(raw);
