/* Raw formats, byte by byte (server/encode/raw.c). */
#include "../unit.h"

#include <float.h>
#include <math.h>

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

GROUP(raw);
