/*
 * The container of glTF: lengths and magic numbers, and a text that is padded with blanks.
 */
#include "glb_file.h"

#include <stdlib.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "mesh_bytes.h"

enum {
    HEAD_BYTES = 12,
    CHUNK_HEAD_BYTES = 8,
    MAGIC = 0x46546C67,
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_NUMBERS = 0x004E4942,
    VERSION = 2
};

static unsigned char *put_chunk(unsigned char *at, size_t bytes, uint32_t type)
{
    return put_u32(put_u32(at, (uint32_t)bytes), type);
}

int glb_file(json_t *document, size_t numbers, void (*put)(unsigned char *at, const void *context),
             const void *context, unsigned char **data, size_t *bytes)
{
    size_t text_bytes;
    CHECK(numbers % 4 == 0);
    char *text = json_text(document, JSON_COMPACT | JSON_REAL_PRECISION(17), &text_bytes);
    if (!text)
        return -1;
    const size_t padded = (text_bytes + 3) / 4 * 4, whole = HEAD_BYTES + CHUNK_HEAD_BYTES + padded +
                                                            (numbers > 0 ? CHUNK_HEAD_BYTES + numbers : 0);
    unsigned char *out = malloc(whole);
    if (out) {
        unsigned char *at = put_u32(put_u32(put_u32(out, MAGIC), VERSION), (uint32_t)whole);
        at = put_chunk(at, padded, CHUNK_JSON);
        memcpy(at, text, text_bytes);
        memset(at + text_bytes, ' ', padded - text_bytes);
        if (numbers > 0)
            put(put_chunk(at + padded, numbers, CHUNK_NUMBERS), context);
        *data = out;
        *bytes = whole;
    }
    free(text);
    return out ? 0 : -1;
}
