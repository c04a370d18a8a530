/*
 * Content codings of finished payloads: gzip by libdeflate, zstd by libzstd, at levels whose cost is bounded.
 */
#ifndef TERRANE_SERVER_CODING_H
#define TERRANE_SERVER_CODING_H

#include "encode.h"

/*
 * Codes a payload. Returns owned (malloc) and *out_bytes; NULL with *paid false if the result would not be at least a
 * tenth shorter, NULL with *paid true if memory is short. Any thread; the encoder belongs to the thread.
 */
unsigned char *coding_apply(struct encoder *encoder, enum tile_coding coding, const unsigned char *data,
                            size_t bytes, size_t *out_bytes, bool *paid);

/* The same for a thread without an encoder: some hundred microseconds slower. NULL: it does not pay, or memory is short. */
unsigned char *coding_apply_alone(enum tile_coding coding, const unsigned char *data, size_t bytes,
                                  size_t *out_bytes);

/* ... in the place of data (malloc'ed). Returns the coding that these have then: CODING_IDENTITY, where they stay. */
enum tile_coding coding_apply_over(enum tile_coding coding, unsigned char **data, size_t *bytes);

/* The version of the coding library, for the digest: other versions give other bytes. Static storage. */
const char *coding_version(enum tile_coding coding);

/*
 * Decodes a payload of coding_apply, of at most so many bytes; the input may be untrusted, and has to be used up. Owned
 * (malloc), and *out_bytes; NULL: invalid, or memory is short.
 */
unsigned char *coding_undo(enum tile_coding coding, const unsigned char *data, size_t bytes, size_t max,
                           size_t *out_bytes);

/*
 * Inflates one complete zlib stream of exactly out_bytes bytes into out. False: it is none, or memory is short.
 */
bool coding_inflate(const unsigned char *data, size_t bytes, unsigned char *out, size_t out_bytes);

/* The CRC of a chunk of PNG. */
uint32_t coding_crc32(const unsigned char *data, size_t bytes);

#endif
