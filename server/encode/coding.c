/*
 * Content codings.
 *
 * Levels and rules were chosen on tiles of all built-in recipes, levels 0 to 10, size 257 (remaining share of the bytes; cost of
 * coding; gain for a tile at 100 Mbit/s, where a megabyte takes 80 ms):
 *
 *                          gzip 1                        zstd 1                   gzip 6, zstd 6
 *     height               83 %   7.6 ms/MB    1.5 ms    85 %  1.0 ms/MB   3.0 ms    83, 84 %   12, 6 ms/MB
 *     surface              77 %   7.2          3.1       78 %  1.1         4.4       76, 77 %
 *     delta                67 %   6.8          5.3       67 %  1.2         6.6       65, 66 %
 *     height, surface r16  64 %   6.0          3.0       67 %  2.0         3.3       62, 63 %
 *     flow                 33 %   3.4         13         31 %  2.6        14         29, 28 %   21, 10 ms/MB
 *     partition            14 %   2.6         84         12 %  0.7        89         14, 11 %
 *     water                 7 %   2.9         19          7 %  0.3        20          7,  7 %
 *     json (2 KB)          38 %   4.1          0.1       39 %  3.1         0.1       36, 37 %
 *     normal               91 %   7.9         -0.3       91 %  1.0         5.0       91, 90 %
 *     slope                90 %   7.7          0.1       90 %  1.0         1.9       90, 90 %
 *
 * To LZ77 the low bits of floats are noise: a longer search finds nothing, so both codings have their lowest level. (Below
 * 1, zstd leaves literals as they are, and heights at 100 %.) npy is f32.
 *
 * Not tried (tile_coding_worthwhile): png; normals and slopes, which stay at nine tenths; fewer than 32 x 32 samples, which are
 * one to three packets; and partitions of size 512 by gzip: 5 MB, 14 ms and up to 22. Tried ones take up to 10 ms (heights of
 * size 512 by gzip). Only partitions with more zones than the built-in recipes take longer, with all sixteen some 11 ms (257,
 * gzip) or 13 (512, zstd), and save a hundred times that.
 *
 * Result. A coder gets room for nine tenths of the payload: a larger result does not pay, and the coder gives up as soon as it
 * sees that. The bytes depend only on payload, coding and version. A change of level, window or room raises ENCODE_VERSION.
 *
 * zstd's window is 512 KB, whatever the payload (browsers take up to 8 MB); frames say their content's size and have no
 * checksum, since TCP, TLS and the store have theirs.
 */
#include "coding.h"

#include <stdlib.h>
#include <string.h>
#include <zstd_errors.h>

#include "../base/check.h"
#include "encoder.h"

enum { ZSTD_LEVEL = 1, ZSTD_WINDOW_LOG = 19 };

/* The thread's context, made at its first use; NULL when memory is short. */
static ZSTD_CCtx *zstd_context(struct encoder *encoder)
{
    if (encoder->zstd)
        return encoder->zstd;
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (!zstd)
        return NULL;
    CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)));
    CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, ZSTD_WINDOW_LOG)));
    CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 0)));
    encoder->zstd = zstd;
    return zstd;
}

/* Codes into out; returns the bytes. 0 with *fits false: it does not fit; 0 with *fits true: memory is short. */
static size_t code(struct encoder *encoder, enum tile_coding coding, const unsigned char *data, size_t bytes,
                   unsigned char *out, size_t room, bool *fits)
{
    *fits = true;
    if (coding == CODING_GZIP) {
        const size_t gzip_bytes = libdeflate_gzip_compress(encoder->fast, data, bytes, out, room);
        *fits = gzip_bytes > 0;
        return gzip_bytes;
    }
    ZSTD_CCtx *zstd = zstd_context(encoder);
    if (!zstd)
        return 0;
    const size_t zstd_bytes = ZSTD_compress2(zstd, out, room, data, bytes);
    if (!ZSTD_isError(zstd_bytes))
        return zstd_bytes;
    *fits = ZSTD_getErrorCode(zstd_bytes) != ZSTD_error_dstSize_tooSmall;
    return 0;
}

unsigned char *coding_apply(struct encoder *encoder, enum tile_coding coding, const unsigned char *data,
                            size_t bytes, size_t *out_bytes, bool *paid)
{
    CHECK(coding == CODING_GZIP || coding == CODING_ZSTD);
    const size_t room = bytes - bytes / 10 - (bytes % 10 != 0);
    *paid = room > 0;
    if (room == 0)
        return NULL;
    unsigned char *out = malloc(room);
    if (!out)
        return NULL;
    *out_bytes = code(encoder, coding, data, bytes, out, room, paid);
    if (*out_bytes == 0) {
        free(out);
        return NULL;
    }
    unsigned char *exact = realloc(out, *out_bytes);
    if (exact)
        out = exact;
    return out;
}

unsigned char *coding_apply_alone(enum tile_coding coding, const unsigned char *data, size_t bytes,
                                  size_t *out_bytes)
{
    struct encoder encoder = {.zstd = NULL};
    bool paid;
    if (coding == CODING_GZIP && !(encoder.fast = libdeflate_alloc_compressor(ENCODER_LEVEL_FAST)))
        return NULL;
    unsigned char *out = coding_apply(&encoder, coding, data, bytes, out_bytes, &paid);
    libdeflate_free_compressor(encoder.fast);
    ZSTD_freeCCtx(encoder.zstd);
    return out;
}

enum tile_coding coding_apply_over(enum tile_coding coding, unsigned char **data, size_t *bytes)
{
    size_t coded_bytes = 0;
    unsigned char *coded =
        coding == CODING_IDENTITY ? NULL : coding_apply_alone(coding, *data, *bytes, &coded_bytes);
    if (!coded)
        return CODING_IDENTITY;
    free(*data);
    *data = coded;
    *bytes = coded_bytes;
    return coding;
}

const char *coding_version(enum tile_coding coding)
{
    return coding == CODING_GZIP   ? LIBDEFLATE_VERSION_STRING
           : coding == CODING_ZSTD ? ZSTD_versionString()
                                   : "";
}

/* ---- Back again ---------------------------------------------------------------------------------------- */

/* The payload's bytes according to the container; 0: unknown, or more than most. */
static uint64_t plain_length(enum tile_coding coding, const unsigned char *data, size_t bytes, size_t max)
{
    enum { GZIP_MIN = 18, TAIL = 4 }; /* head and tail; which ends with the length */
    uint64_t length = 0;
    if (coding == CODING_ZSTD)
        length = ZSTD_getFrameContentSize(data, bytes); /* error codes exceed any length */
    for (size_t i = 1; coding == CODING_GZIP && bytes >= GZIP_MIN && i <= TAIL; i++)
        length = length << 8 | data[bytes - i];
    return length <= max ? length : 0;
}

static bool gunzip(const unsigned char *data, size_t bytes, unsigned char *out, size_t out_bytes)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    size_t used = 0;
    const bool fits = inflater && libdeflate_gzip_decompress_ex(inflater, data, bytes, out, out_bytes, &used,
                                                                NULL) == LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(inflater);
    return fits && used == bytes;
}

unsigned char *coding_undo(enum tile_coding coding, const unsigned char *data, size_t bytes, size_t max,
                           size_t *out_bytes)
{
    const size_t length = (size_t)plain_length(coding, data, bytes, max);
    unsigned char *out = length > 0 ? malloc(length) : NULL;
    if (!out)
        return NULL;
    const bool fits = coding == CODING_GZIP ? gunzip(data, bytes, out, length)
                                            : ZSTD_findFrameCompressedSize(data, bytes) == bytes &&
                                                  ZSTD_decompress(out, length, data, bytes) == length;
    if (!fits) {
        free(out);
        return NULL;
    }
    *out_bytes = length;
    return out;
}

bool coding_inflate(const unsigned char *data, size_t bytes, unsigned char *out, size_t out_bytes)
{
    enum { WINDOW = 0x78 }; /* of 32 KiB: with a smaller one zlib may refuse what libdeflate takes */
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    size_t used = 0;
    const bool fits = inflater && bytes > 0 && data[0] == WINDOW &&
                      libdeflate_zlib_decompress_ex(inflater, data, bytes, out, out_bytes, &used, NULL) ==
                          LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(inflater);
    return fits && used == bytes;
}

uint32_t coding_crc32(const unsigned char *data, size_t bytes)
{
    return libdeflate_crc32(0, data, bytes);
}
