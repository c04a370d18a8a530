/*
 * The row filters of PNG (PNG 1.2, section 6; ISO/IEC 15948, clause 9):
 * bytes into differences that deflate well.
 */
#ifndef TERRANE_SERVER_PNG_FILTER_H
#define TERRANE_SERVER_PNG_FILTER_H

#include <stddef.h>

/* The values are those of the byte that opens a filtered row. */
enum png_filter { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH, FILTERS };

/* Bytes in front of a row that a filter may read: the widest pixel. They must be 0. */
enum { FILTER_MARGIN = 8 };

/*
 * png_filter_row - filter one row.
 *
 *   row, above  borrowed; bytes bytes each, with FILTER_MARGIN bytes of 0 in front. For the first row of an
 *               image above is all 0.
 *   pixel       bytes a pixel, 1 .. FILTER_MARGIN
 *   out         fills 1 + bytes bytes: the filter's number, then the differences. Overlaps neither row.
 */
void png_filter_row(enum png_filter filter, const unsigned char *row, const unsigned char *above,
                    size_t bytes, size_t pixel, unsigned char *out);

#endif
