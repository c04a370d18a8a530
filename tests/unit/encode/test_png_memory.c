/*
 * PNG tiles (server/encode/png.c): short memory. Allocations fail in turn, the k-th of a run for every k, until a run gets by
 * without.
 */
#include "../unit.h"

#include "../../../server/encode/encode.h"
#include "../shortage_kit.h"

#ifdef SHORTAGE_HOOKED
enum { SIZE = 64 };

/* Returns what the encoder said, or -1 when there was none. Ends with everything freed. */
static int encode_all(const float *values)
{
    static const uint8_t index[32 * 32] = {0}, colours[3][3] = {{0}};
    struct encoder *encoder = encoder_create();
    unsigned char *data[3] = {NULL};
    size_t bytes;
    int result = -1;

    if (encoder) {
        result = encode_png_heights(encoder, values, SIZE, SIZE, ENC_TERRARIUM, 0, 0, &data[0], &bytes);
        result |= encode_png_normals(encoder, values, SIZE / 2, SIZE / 2, &data[1], &bytes);
        result |= encode_png_indexed(encoder, index, 32, 32, colours, 3, &data[2], &bytes);
    }
    for (int i = 0; i < 3; i++)
        free(data[i]);
    encoder_free(encoder);
    return result;
}

TEST(every_allocation_may_fail)
{
    static float values[SIZE * SIZE];
    long k = 0;
    int result;

    for (int i = 0; i < SIZE * SIZE; i++)
        values[i] = 0.05f * (float)(i % SIZE);
    do {
        const long before = atomic_load(&heap.living);

        heap_fail(k, k + 1);
        result = encode_all(values);
        const long made = atomic_load(&heap.count);
        heap_fail(0, 0);
        assert_int_equal(atomic_load(&heap.living), before);
        assert_int_equal(result, made > k ? -1 : 0);
        k++;
    } while (result != 0);
    assert_true(k > 8);
}
#endif

GROUP(png_memory);
