/*
 * Content codings of finished payloads: gzip by libdeflate, zstd by libzstd, at levels whose cost is bounded.
 */
#ifndef TERRANE_SERVER_CODING_H
#define TERRANE_SERVER_CODING_H

#include "encode.h"

/*
 * Codes a payload. Returns owned (malloc) and *out_bytes; NULL with *paid false where the result would not be at least a
 * tenth shorter, NULL with *paid true where memory is short. Any thread; the encoder is the thread's.
 */
unsigned char *coding_apply(struct encoder *encoder, enum tile_coding coding, const unsigned char *data,
                            size_t bytes, size_t *out_bytes, bool *paid);

/* The same for a thread without an encoder: some hundred microseconds more. NULL: it does not pay, or memory is short. */
unsigned char *coding_apply_alone(enum tile_coding coding, const unsigned char *data, size_t bytes,
                                  size_t *out_bytes);

/* The version of what codes, for the digest: other versions give other bytes. Static storage. */
const char *coding_version(enum tile_coding coding);

/*
 * The payload that coding_apply has coded, of at most so many bytes, which may be a stranger's; all of the bytes are its. Owned
 * (malloc), and *out_bytes; NULL: it is no such payload, or memory is short.
 */
unsigned char *coding_undo(enum tile_coding coding, const unsigned char *data, size_t bytes, size_t most,
                           size_t *out_bytes);

/*
 * Whether bytes are one stream of zlib's format, whole, of just out_bytes bytes, which out has room for and then holds. false
 * where memory is short, too.
 */
bool coding_inflate(const unsigned char *data, size_t bytes, unsigned char *out, size_t out_bytes);

/* The CRC of a chunk of PNG. */
uint32_t coding_crc32(const unsigned char *data, size_t bytes);

#endif
