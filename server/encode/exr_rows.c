/*
 * The layout of OpenEXR's blocks behind its head: a table of where each begins, then block after block without a gap.
 */
#include <stdlib.h>

#include "../base/little_endian.h"
#include "coding.h"
#include "exr.h"

enum { ENTRY_BYTES = 8 }; /* of the table */

size_t exr_row_bytes(int width, int channels)
{
    return EXR_BLOCK_HEAD + (size_t)width * (size_t)channels * sizeof(float);
}

unsigned char *exr_rows_head(const struct grid *grid, size_t *bytes)
{
    const size_t rows = (size_t)grid->height;
    size_t before;
    unsigned char *head = exr_head(grid, false, &before);
    unsigned char *whole = head ? realloc(head, before + rows * ENTRY_BYTES) : NULL;
    if (!whole) {
        free(head);
        return NULL;
    }
    *bytes = before + rows * ENTRY_BYTES;
    for (size_t j = 0; j < rows; j++)
        put_le(whole + before + j * ENTRY_BYTES, *bytes + j * exr_row_bytes(grid->width, grid->channels),
               ENTRY_BYTES);
    return whole;
}

void exr_row_begin(unsigned char *out, int j, int width, int channels)
{
    put_u32(put_u32(out, (uint32_t)j), (uint32_t)(exr_row_bytes(width, channels) - EXR_BLOCK_HEAD));
}

void exr_row_put(unsigned char *out, int i, int width, int channels, const unsigned char *samples, int count)
{
    for (int c = 0; c < channels; c++) {
        unsigned char *to = out + EXR_BLOCK_HEAD +
                            ((size_t)exr_place(c, channels) * (size_t)width + (size_t)i) * sizeof(float);
        for (int k = 0; k < count; k++)
            memcpy(to + (size_t)k * sizeof(float),
                   samples + ((size_t)k * (size_t)channels + (size_t)c) * sizeof(float), sizeof(float));
    }
}

/* Whether a block begins at *at where the table says, and holds rows from that one on; moves *at behind it. */
static bool block_fits(const struct grid *grid, const unsigned char *data, size_t bytes, size_t entry,
                       int row, size_t *at)
{
    if (get_le(data + entry, ENTRY_BYTES) != *at || bytes - *at < EXR_BLOCK_HEAD)
        return false;
    const int left = grid->height - row, rows = left < EXR_BLOCK_ROWS ? left : EXR_BLOCK_ROWS;
    const size_t raw = (size_t)rows * (exr_row_bytes(grid->width, grid->channels) - EXR_BLOCK_HEAD);
    const size_t packed = get_u32(data + *at + 4);
    if (get_u32(data + *at) != (uint32_t)row || packed > raw || packed > bytes - *at - EXR_BLOCK_HEAD)
        return false;
    bool fits = true;
    if (packed < raw) { /* else it is as it was */
        unsigned char *plain = malloc(raw);
        fits = plain && coding_inflate(data + *at + EXR_BLOCK_HEAD, packed, plain, raw);
        free(plain);
    }
    *at += EXR_BLOCK_HEAD + packed;
    return fits;
}

bool exr_fits(const struct grid *grid, const unsigned char *data, size_t bytes)
{
    const size_t blocks = ((size_t)grid->height + EXR_BLOCK_ROWS - 1) / EXR_BLOCK_ROWS;
    size_t before;
    unsigned char *head = exr_head(grid, true, &before);
    bool fits = head && bytes >= before + blocks * ENTRY_BYTES && memcmp(data, head, before) == 0;
    free(head);
    size_t at = fits ? before + blocks * ENTRY_BYTES : 0;
    for (size_t k = 0; fits && k < blocks; k++)
        fits = block_fits(grid, data, bytes, before + k * ENTRY_BYTES, (int)k * EXR_BLOCK_ROWS, &at);
    return fits && at == bytes;
}
