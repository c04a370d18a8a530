/*
 * PNG tiles (server/encode/png.c): short memory, and how little is allocated and kept.
 *
 * Allocations fail in turn, the k-th of a run for every k, until a run gets by without.
 */
#include "../unit.h"

#include "../shortage_kit.h"
#include "png_kit.h"

#ifdef SHORTAGE_HOOKED
/* Returns what the encoder said, or -1 when there was none. Ends with everything freed. */
static int encode_all(const float *values, int size)
{
    static const uint8_t index[32 * 32] = {0}, colours[3][3] = {{0}};
    struct encoder *encoder = encoder_create();
    unsigned char *data[3] = {NULL};
    size_t bytes;
    int result = -1;

    if (encoder) {
        result = encode_png_heights(encoder, values, size, size, ENC_TERRARIUM, 0, 0, &data[0], &bytes);
        result |= encode_png_normals(encoder, values, size / 2, size / 2, &data[1], &bytes);
        result |= encode_png_indexed(encoder, index, 32, 32, colours, 3, &data[2], &bytes);
    }
    for (int i = 0; i < 3; i++)
        free(data[i]);
    encoder_free(encoder);
    return result;
}

TEST(every_allocation_may_fail)
{
    enum { SIZE = 64 };
    static float values[SIZE * SIZE];
    long k = 0;
    int result;

    fill(values, SIZE, SIZE);
    do {
        const long before = atomic_load(&heap.living);

        heap_fail(k, k + 1);
        result = encode_all(values, SIZE);
        const long made = atomic_load(&heap.count);
        heap_fail(0, 0);
        assert_int_equal(atomic_load(&heap.living), before);
        assert_int_equal(result, made > k ? -1 : 0);
        k++;
    } while (result != 0);
    assert_true(k > 8);
}

/* A tile costs its answer and libpng's two structs: five allocations at most, two of which live no longer
 * than the call. */
TEST(a_tile_allocates_little, .setup_func = encoder_setup, .teardown_func = encoder_teardown)
{
    enum { SIZE = 64 };
    static float values[SIZE * SIZE];

    fill(values, SIZE, SIZE);
    for (int round = 0; round < 3; round++) {
        const long before = atomic_load(&heap.living);
        unsigned char *data;
        size_t bytes;

        heap_fail(0, 0); /* none; but they are counted */
        const int result = encode_png_heights(*state, values, SIZE, SIZE, ENC_TERRARIUM, 0, 0, &data, &bytes);
        const long made = atomic_load(&heap.count);
        assert_int_equal(result, 0);
        if (round > 0) {
            assert_in_range(made, 1, 5);
            assert_int_equal(atomic_load(&heap.living), before + 1);
        }
        free(data);
    }
}

TEST(a_large_block_is_not_kept, .setup_func = encoder_setup, .teardown_func = encoder_teardown)
{
    enum { SIZE = 1500 };
    float *values = allocate(SIZE * SIZE * sizeof *values);

    fill(values, SIZE, SIZE);
    for (int size = 64; size <= SIZE; size += SIZE - 64) {
        unsigned char *data;
        size_t bytes;

        assert_int_equal(encode_png_heights(*state, values, 64, 64, ENC_TERRARIUM, 0, 0, &data, &bytes), 0);
        free(data);
        const long before = atomic_load(&heap.living);
        assert_int_equal(encode_png_heights(*state, values, size, size, ENC_TERRARIUM, 0, 0, &data, &bytes),
                         0);
        free(data);
        assert_int_equal(atomic_load(&heap.living), size == SIZE ? before - 1 : before);
    }
    free(values);
}
#endif

GROUP(png_memory);
