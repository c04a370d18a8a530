/*
 * Samples as OpenEXR: a channel of 32-bit floats for each number, Y where there is one, R, G, B, A of up to four, C00, C01, ...
 * of more. Attributes say where they lie: west_m, north_m and spacing_m, doubles, and none, a float, where a number is no value.
 */
#ifndef TERRANE_SERVER_EXR_H
#define TERRANE_SERVER_EXR_H

#include "encode.h"

enum {
    EXR_BLOCK_ROWS = 16, /* of a compressed file */
    EXR_BLOCK_HEAD = 8   /* bytes: a block's first row, and how many bytes follow */
};

/* What its bytes depend on besides their arguments: "OpenEXR 3.1.5, zlib 1.2.13". Static storage. */
const char *encode_exr_version(void);

/* ZIP: blocks of 16 rows. malloc'ed bytes in *data, *bytes and 0; -1 when memory is short. */
int encode_exr(const struct grid *grid, unsigned char **data, size_t *bytes);

/* What a file begins with, up to the table of its blocks: of encode_exr (packed), or of one that is not compressed, whose rows
 * are blocks. malloc'ed; NULL when memory is short. values are not read. */
unsigned char *exr_head(const struct grid *grid, bool packed, size_t *bytes);

/* In a file channels lie in the order of their names: where of them a channel lies, and which lies at a place. */
static inline int exr_place(int channel, int channels)
{
    return channels <= 4 ? channels - 1 - channel : channel; /* A, B, G, R */
}

/* Whether bytes are an encode_exr of such a grid, by their head, and by blocks that inflate to what they are of. */
bool exr_fits(const struct grid *grid, const unsigned char *data, size_t bytes);

/* ---- Row by row ---------------------------------------------------------------------------------------- */

/*
 * The same for a window that is never held whole: uncompressed, so that where every row lies is known at the beginning.
 *
 * exr_rows_head  malloc'ed bytes that stand before the first row; *bytes their number. NULL when memory is short.
 * exr_row_bytes  of each row, which is EXR_BLOCK_HEAD bytes and then, channel by channel, its samples.
 * exr_row_begin  row j's first bytes, into out.
 * exr_row_put    count samples, little-endian floats whose channels lie side by side, from column i on into the row's bytes.
 */
unsigned char *exr_rows_head(const struct grid *grid, size_t *bytes);
size_t exr_row_bytes(int width, int channels);
void exr_row_begin(unsigned char *out, int j, int width, int channels);
void exr_row_put(unsigned char *out, int i, int width, int channels, const unsigned char *samples, int count);

#endif
