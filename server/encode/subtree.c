/* Subtrees: a header, a chunk of JSON, and the chunk of bits and numbers that it describes. */
#include "subtree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../tile/tile.h"
#include "mesh_bytes.h"

enum { HEAD = 24, TEXT = 768, MAGIC = 0x74627573 /* "subt" */ };

/* The binary chunk: a bit for each tile, if the last levels are missing; then boxes. */
struct parts {
    int tiles;
    bool whole, below, boxes;
    size_t bit_bytes, box_at, bytes; /* box_at: after the bits, a multiple of 8 */
};

static struct parts parts_of(int levels, bool below, bool boxes)
{
    struct parts parts = {.tiles = subtree_tiles(levels),
                          .whole = levels == TILESET_SUBTREE_LEVELS,
                          .below = below,
                          .boxes = boxes};
    if (!parts.whole)
        parts.bit_bytes = ((size_t)subtree_tiles(TILESET_SUBTREE_LEVELS) + 7) / 8;
    parts.box_at = (parts.bit_bytes + 7) / 8 * 8;
    parts.bytes = parts.box_at + (boxes ? (size_t)parts.tiles * SUBTREE_BOX_NUMBERS * sizeof(double) : 0);
    return parts;
}

static int put_buffers(char *text, size_t room, const struct parts *parts)
{
    char bits[96] = "", boxes[96] = "";
    if (parts->bytes == 0)
        return 0;
    if (!parts->whole)
        snprintf(bits, sizeof bits, "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%zu}", parts->bit_bytes);
    if (parts->boxes)
        snprintf(boxes, sizeof boxes, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", parts->box_at,
                 parts->bytes - parts->box_at);
    return snprintf(text, room, "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s%s%s],", parts->bytes,
                    bits, *bits && *boxes ? "," : "", boxes);
}

/* Writes text padded with spaces to a multiple of 8. */
static size_t put_text(char text[TEXT], const struct parts *parts)
{
    char tiles[64] = "{\"constant\":1}";
    int n = snprintf(text, TEXT, "{");
    if (!parts->whole)
        snprintf(tiles, sizeof tiles, "{\"bitstream\":0,\"availableCount\":%d}", parts->tiles);
    n += put_buffers(text + n, TEXT - (size_t)n, parts);
    if (parts->boxes)
        n += snprintf(
            text + n, TEXT - (size_t)n,
            "\"propertyTables\":[{\"class\":\"tile\",\"count\":%d,\"properties\":{\"box\":{\"values\":%d}}}],"
            "\"tileMetadata\":0,",
            parts->tiles, !parts->whole);
    n += snprintf(text + n, TEXT - (size_t)n,
                  "\"tileAvailability\":%s,\"contentAvailability\":[%s],"
                  "\"childSubtreeAvailability\":{\"constant\":%d}}",
                  tiles, tiles, parts->below);
    CHECK(n <= TEXT - 8);
    while (n % 8 != 0)
        text[n++] = ' ';
    return (size_t)n;
}

/* The file, owned, with zeros for its boxes, which begin at *box_at. NULL when memory is short. */
static unsigned char *begin(const struct parts *parts, size_t *box_at, size_t *bytes)
{
    char text[TEXT];
    const size_t n = put_text(text, parts);
    *box_at = HEAD + n + parts->box_at;
    *bytes = HEAD + n + parts->bytes;
    unsigned char *out = calloc(1, *bytes);
    if (!out)
        return NULL;
    unsigned char *at = put_u32(put_u32(out, MAGIC), 1); /* and its version */
    at = put_le(put_le(at, n, 8), parts->bytes, 8);
    memcpy(at, text, n);
    for (int i = 0; i < parts->tiles && !parts->whole; i++)
        at[n + (size_t)i / 8] |= (unsigned char)(1 << i % 8);
    return out;
}

int encode_subtree(int levels, bool below, const double (*box)[SUBTREE_BOX_NUMBERS], unsigned char **data,
                   size_t *bytes)
{
    CHECK(levels >= 1 && levels <= TILESET_SUBTREE_LEVELS);
    const struct parts parts = parts_of(levels, below, box != NULL);
    size_t box_at;
    *data = begin(&parts, &box_at, bytes);
    if (!*data)
        return -1;
    unsigned char *at = *data + box_at;
    for (int i = 0; i < parts.tiles && box; i++)
        for (int k = 0; k < SUBTREE_BOX_NUMBERS; k++)
            at = put_f64(at, box[i][k]);
    CHECK((size_t)(at - *data) == *bytes);
    return 0;
}

bool subtree_begins(int levels, bool below, const unsigned char *data, size_t bytes)
{
    bool fits = false;
    for (int boxes = 0; boxes < 2 && !fits; boxes++) {
        const struct parts parts = parts_of(levels, below, boxes == 1);
        size_t box_at, whole;
        unsigned char *wanted = begin(&parts, &box_at, &whole);
        fits = wanted && whole == bytes && memcmp(data, wanted, box_at) == 0;
        free(wanted);
    }
    return fits;
}
