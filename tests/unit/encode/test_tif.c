/* GeoTIFF where memory is short (server/encode/tif.c, tif_head.c). What is written is read by GDAL: tests/http/test_tif.py. */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../server/encode/tif.h"
#include "../shortage_kit.h"

static const struct grid_place place = {
    .west_m = -1024.5, .north_m = 0x1p40 + 0.25, .spacing_m = 0.5, .none = -1048576};

/* Values in which all bits move, with both zeros and the extremes among them. */
static float *make_values(size_t count)
{
    static const float odd[] = {0.0f, -0.0f, 3.4e38f, -3.4e38f, 1e-45f};
    float *values = malloc(count * sizeof *values);
    uint32_t dice = 1;
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        dice = dice * 1664525 + 1013904223;
        values[i] = i % 97 < 5 ? odd[i % 97] : (float)(int32_t)dice * 1e-6f;
    }
    return values;
}

/* Any allocation may fail: it is said, or made up for. (libtiff may lose what it holds then.) */
TEST(short_memory_is_said)
{
#ifdef SHORTAGE_HOOKED
    float *values = make_values(70 * 70);
    unsigned char *expected;
    size_t expected_bytes;
    int failed = 0;
    heap_fail(0, 0);
    assert_int_equal(encode_tif(values, 70, 70, 1, &place, &expected, &expected_bytes), 0);
    const long allocations = atomic_load(&heap.count);
    assert_true(allocations > 20);
    for (long k = 0; k < allocations; k++) {
        unsigned char *data = NULL;
        size_t bytes = 7;
        heap_fail(k, k + 1);
        const int result = encode_tif(values, 70, 70, 1, &place, &data, &bytes);
        heap_fail(0, 0);
        failed += result != 0;
        assert_int_equal(bytes, result == 0 ? expected_bytes : 7);
        if (result == 0)
            assert_memory_equal(data, expected, bytes);
        else
            assert_null(data);
        free(data);
    }
    assert_true(failed > 10);
    free(expected);
    free(values);

    size_t bytes = 7;
    heap_fail(0, 1);
    const unsigned char *head = tif_head(9, 9, 1, &place, &bytes);
    heap_fail(0, 0);
    assert_null(head);
    assert_int_equal(bytes, 7);
#else
    skip();
#endif
}

GROUP(tif);
