/*
 * Raw formats: samples as little-endian numbers, row by row, with nothing (f32, r16) or a NumPy header (npy)
 * in front.
 *
 * Every number passes through htole, so that a big-endian machine gives the same bytes; on a little-endian
 * one the loop is a copy. Each function makes one allocation and returns it. Any thread.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "quantise.h"

_Static_assert(sizeof(float) == 4, "binary32");

static void store_floats(unsigned char *restrict out, const float *restrict values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        bits = htole32(bits);
        memcpy(out + 4 * i, &bits, sizeof bits);
    }
}

/* Allocates head bytes and count items of size bytes each; NULL when memory is short or the sum overflows
 * size_t. */
static unsigned char *room(size_t head, size_t count, size_t size)
{
    if (count > (SIZE_MAX - head) / size)
        return NULL;

    const size_t bytes = head + count * size;

    return malloc(bytes > 0 ? bytes : 1);
}

int encode_f32(const float *values, size_t count, unsigned char **data, size_t *bytes)
{
    unsigned char *out = room(0, count, 4);

    if (!out)
        return -1;
    store_floats(out, values, count);
    *data = out;
    *bytes = count * 4;
    return 0;
}

int encode_r16(const float *heights, size_t count, float low_m, float high_m, unsigned char **data,
               size_t *bytes)
{
    unsigned char *out = room(0, count, 2);

    if (!out)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const uint16_t q = htole16((uint16_t)quantise_range(heights[i], low_m, high_m));

        memcpy(out + 2 * i, &q, sizeof q);
    }
    *data = out;
    *bytes = count * 2;
    return 0;
}

/* ---- NumPy --------------------------------------------------------------------------------------------- */

/*
 * Version 1.0 of the format (NumPy, numpy/lib/format.py): the magic string, the version, the length of what
 * follows in two bytes, and a Python dictionary padded with spaces and a newline so that the data starts at a
 * multiple of 64.
 */
enum { NPY_ALIGN = 64, NPY_PREFIX = 10, NPY_HEAD_MAX = ENCODE_NPY_HEAD_BYTES };

/* Fills head and returns its length. The longest dictionary has three ints of eleven characters: 128 bytes
 * hold it. */
size_t encode_npy_head(unsigned char head[ENCODE_NPY_HEAD_BYTES], int width, int height, int channels)
{
    static const unsigned char prefix[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char text[NPY_HEAD_MAX - NPY_PREFIX];
    char depth[16] = "";

    if (channels > 1)
        (void)snprintf(depth, sizeof depth, ", %d", channels);

    const int length =
        snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d%s), }", height,
                 width, depth);
    const size_t whole = NPY_PREFIX + (size_t)length + 1;
    const size_t padded = (whole + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;

    memset(head, ' ', padded);
    memcpy(head, prefix, sizeof prefix);
    head[8] = (unsigned char)(padded - NPY_PREFIX);
    head[9] = (unsigned char)((padded - NPY_PREFIX) >> 8);
    memcpy(head + NPY_PREFIX, text, (size_t)length);
    head[padded - 1] = '\n';
    return padded;
}

int encode_npy(const float *values, int width, int height, int channels, unsigned char **data, size_t *bytes)
{
    unsigned char head[NPY_HEAD_MAX];
    const size_t head_bytes = encode_npy_head(head, width, height, channels);
    const size_t count = (size_t)width * (size_t)height * (size_t)channels;
    unsigned char *out = room(head_bytes, count, 4);

    if (!out)
        return -1;
    memcpy(out, head, head_bytes);
    store_floats(out + head_bytes, values, count);
    *data = out;
    *bytes = head_bytes + count * 4;
    return 0;
}
