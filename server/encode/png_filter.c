/*
 * The row filters of PNG, one plain loop each.
 *
 * A filter replaces a byte by its difference, modulo 256, to a prediction from its neighbours:
 *
 *     c b      a  the byte one pixel to the left     c  the one above that
 *     a x      b  the byte above
 *
 * Encoding predicts from the original bytes, so no iteration depends on another, and gcc -O3 and clang -O3
 * turn every loop into SSE2 or NEON. Two things make that possible. Rows have a margin of zeros and the first
 * row has a row of zeros above it, as the standard defines the outside of the image: no iteration is special.
 * And the arithmetic is branch-free int16_t: Paeth's predictor is two masks.
 *
 * No state; any thread.
 */
#include "png_image.h"

#include <stdint.h>
#include <string.h>

static void filter_sub(const unsigned char *restrict row, size_t bytes, size_t pixel,
                       unsigned char *restrict out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(row[i] - (row - pixel)[i]);
}

static void filter_up(const unsigned char *restrict row, const unsigned char *restrict above, size_t bytes,
                      unsigned char *restrict out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(row[i] - above[i]);
}

static void filter_average(const unsigned char *restrict row, const unsigned char *restrict above,
                           size_t bytes, size_t pixel, unsigned char *restrict out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(row[i] - (((row - pixel)[i] + above[i]) >> 1));
}

/* |p - a| of the standard is |b - c|, |p - b| is |a - c|, |p - c| their sum before the signs are dropped. */
static void filter_paeth(const unsigned char *restrict row, const unsigned char *restrict above, size_t bytes,
                         size_t pixel, unsigned char *restrict out)
{
    for (size_t i = 0; i < bytes; i++) {
        const int16_t a = (row - pixel)[i], b = above[i], c = (above - pixel)[i];
        const int16_t da = (int16_t)(b - c), db = (int16_t)(a - c), dc = (int16_t)(da + db);
        const int16_t pa = (int16_t)(da < 0 ? -da : da);
        const int16_t pb = (int16_t)(db < 0 ? -db : db);
        const int16_t pc = (int16_t)(dc < 0 ? -dc : dc);
        const int16_t not_a = (int16_t)(-((pa > pb) | (pa > pc)));
        const int16_t not_b = (int16_t)(-(pb > pc));
        const int16_t b_or_c = (int16_t)((b & ~not_b) | (c & not_b));
        const int16_t nearest = (int16_t)((a & ~not_a) | (b_or_c & not_a));

        out[i] = (unsigned char)(row[i] - nearest);
    }
}

void png_filter_row(enum png_filter filter, const unsigned char *row, const unsigned char *above,
                    size_t bytes, size_t pixel, unsigned char *out)
{
    *out++ = (unsigned char)filter;
    switch (filter) {
    case FILTER_SUB:
        filter_sub(row, bytes, pixel, out);
        break;
    case FILTER_UP:
        filter_up(row, above, bytes, out);
        break;
    case FILTER_AVERAGE:
        filter_average(row, above, bytes, pixel, out);
        break;
    case FILTER_PAETH:
        filter_paeth(row, above, bytes, pixel, out);
        break;
    case FILTER_NONE:
    case FILTERS:
        memcpy(out, row, bytes);
    }
}
