/*
 * An entry: a blob as bytes, with what it takes to know that they are still the same. Knows no SQLite and no
 * file.
 */
#ifndef TERRANE_SERVER_DISK_ENTRY_H
#define TERRANE_SERVER_DISK_ENTRY_H

#include "blob.h"

#define ENTRY_VERSION      2 /* of the format; a store of another version is not read */
#define ENTRY_HEADER_BYTES 56
#define ENTRY_PAYLOAD_MAX  ((size_t)64 << 20)
#define ENTRY_SIDE_MAX     4097 /* samples */

/* Whether a blob can be an entry at all: payload 1 .. 64 MiB, sides 1 .. 4097, a known format and coding. */
bool entry_fits(const struct blob *blob);

static inline size_t entry_bytes(const struct blob *blob)
{
    return ENTRY_HEADER_BYTES + blob->bytes;
}

/* Writes entry_bytes(blob) bytes. The blob must fit. */
void entry_pack(unsigned char *entry, const struct blob *blob);

/* Writes what stands before the payload alone: for whoever need not have both in one piece. */
void entry_pack_header(unsigned char header[static ENTRY_HEADER_BYTES], const struct blob *blob);

/*
 * Verifies untrusted bytes. True: they are an intact entry of the key, *info and *world are filled and the
 * payload begins at ENTRY_HEADER_BYTES. False: both are untouched. Reads exactly bytes bytes, allocates
 * nothing.
 */
bool entry_check(const unsigned char *entry, size_t bytes, const struct digest *key, struct blob_info *info,
                 uint64_t *world);

#endif
