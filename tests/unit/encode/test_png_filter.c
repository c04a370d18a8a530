/*
 * The row filters of PNG (server/encode/png_filter.c) against the words of the standard.
 */
#include "../unit.h"

#include "png_kit.h"

/* As the standard words it. */
static int paeth(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static int predict(enum png_filter filter, int a, int b, int c)
{
    switch (filter) {
    case FILTER_SUB:
        return a;
    case FILTER_UP:
        return b;
    case FILTER_AVERAGE:
        return (a + b) / 2;
    case FILTER_PAETH:
        return paeth(a, b, c);
    default:
        return 0;
    }
}

/* All lengths, pixels and filters, on random bytes; nothing outside the output is touched. */
TEST(filters_are_the_standards)
{
    enum { MOST = 100, GUARD = 32 };
    unsigned char rows[2][FILTER_MARGIN + MOST], out[1 + MOST + GUARD];

    for (size_t bytes = 0; bytes <= MOST; bytes++)
        for (size_t pixel = 1; pixel <= FILTER_MARGIN; pixel++)
            for (int f = 0; f < FILTERS; f++) {
                memset(rows, 0, sizeof rows);
                memset(out, 0xA5, sizeof out);
                for (size_t i = 0; i < 2 * bytes; i++)
                    rows[i & 1][FILTER_MARGIN + i / 2] = (unsigned char)noise();
                const unsigned char *row = rows[0] + FILTER_MARGIN, *above = rows[1] + FILTER_MARGIN;

                png_filter_row((enum png_filter)f, row, above, bytes, pixel, out);
                assert_int_equal(out[0], f);
                for (size_t i = 0; i < bytes; i++) {
                    const int p = predict((enum png_filter)f, (row - pixel)[i], above[i], (above - pixel)[i]);

                    assert_int_equal(out[1 + i], (row[i] - p) & 255);
                }
                for (size_t i = 1 + bytes; i < sizeof out; i++)
                    assert_int_equal(out[i], 0xA5);
            }
}

/* All 2^24 triples: in every pair of bytes the first is the left neighbour of the second. */
TEST(paeth_of_all_triples)
{
    unsigned char rows[2][FILTER_MARGIN + 512] = {{0}}, out[513];
    unsigned char *row = rows[0] + FILTER_MARGIN, *above = rows[1] + FILTER_MARGIN;
    size_t wrong = 0;

    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            for (int c = 0; c < 256; c++) {
                row[2 * c] = (unsigned char)a;
                row[2 * c + 1] = 0;
                above[2 * c] = (unsigned char)c;
                above[2 * c + 1] = (unsigned char)b;
            }
            png_filter_row(FILTER_PAETH, row, above, 512, 1, out);
            for (int c = 0; c < 256; c++)
                wrong += out[2 * c + 2] != (-paeth(a, b, c) & 255);
        }
    assert_int_equal(wrong, 0);
}

GROUP(png_filter);
