/*
 * Content codings of finished payloads: gzip by libdeflate, zstd by libzstd, at levels whose cost is bounded.
 */
#ifndef TERRANE_SERVER_CODING_H
#define TERRANE_SERVER_CODING_H

#include "encode.h"

/*
 * Whether it is worth trying for a representation: never for png; for others as measured (tests/bench), so that no coding
 * costs more than it saves on a 100 Mbit/s line. Decided from the key alone, since the ETag is.
 */
bool coding_worthwhile(const struct tile_key *key);

/*
 * Codes a payload. Returns owned (malloc) and *out_bytes; NULL with *paid false where the result would not be at least a
 * tenth shorter, NULL with *paid true where memory is short. Any thread; the encoder is the thread's.
 */
unsigned char *coding_apply(struct encoder *encoder, enum tile_coding coding, const unsigned char *data,
                            size_t bytes, size_t *out_bytes, bool *paid);

/* The version of what codes, for the digest: other versions give other bytes. Static storage. */
const char *coding_version(enum tile_coding coding);

/*
 * Whether bytes can be what coding_apply made of a payload of so many bytes, 0: nobody knows of how many: by what stands around
 * the deflated bytes of gzip, by the blocks of zstd. Nothing is decoded.
 */
bool coding_fits(enum tile_coding coding, const unsigned char *data, size_t bytes, uint64_t plain_bytes);

#endif
