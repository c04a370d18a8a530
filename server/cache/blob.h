/*
 * A blob: one encoded tile in memory, shared by reference.
 *
 * Immutable once made, so any number of threads may read it; counts are atomic. The layer above may hang
 * derived objects (its "views") on a blob, which are freed with its last reference. A view that outlives the
 * blob, because it is still being sent, holds the payload by a keep: references hold the blob, keeps hold its
 * memory.
 *
 * An entry is its serialised form in the disk and shared tiers. This file knows no SQLite, no socket and no
 * file.
 */
#ifndef TERRANE_SERVER_BLOB_H
#define TERRANE_SERVER_BLOB_H

#include <stdatomic.h>

#include "../tile/tile.h"

enum { BLOB_VIEWS = 8 };

/* Facts about the payload that a reply needs without decoding it. */
struct blob_info {
    uint8_t format;         /* enum tile_format */
    uint8_t coding;         /* enum tile_coding of the payload: identity if coding did not pay */
    uint16_t width, height; /* samples */
    float min_m, max_m;     /* of samples, whatever their unit; both 0 if a sample is several numbers */
    bool sampled; /* the payload is plain samples (struct format_row: digest), and this is their digest: */
    struct terrane_digest samples;
};

struct blob {
    struct digest key;
    struct blob_info info;
    uint64_t
        world; /* the first eight bytes of its world's digest, little-endian; selects entries of a purge */
    size_t bytes;
    unsigned char *data;    /* owned, malloc'ed */
    atomic_uint references; /* all of them together own one keep */
    atomic_uint keeps;
    atomic_bool prefetched; /* made for a prefetch, and not yet asked for */
    _Atomic(void *) view[BLOB_VIEWS];
};

/* Takes data (malloc'ed). Returns owned with one reference, or NULL when memory is short (data is freed
 * then). */
struct blob *blob_create(const struct digest *key, const struct blob_info *info, unsigned char *data,
                         size_t bytes);

/* Adds a reference; returns its argument. */
struct blob *blob_hold(struct blob *blob);

/* Drops a reference; the last one frees views and data. NULL is fine. */
void blob_release(struct blob *blob);

/* Whether this is the first use of one that was made for a prefetch. */
static inline bool blob_first_use(struct blob *blob)
{
    return atomic_load_explicit(&blob->prefetched, memory_order_relaxed) &&
           atomic_exchange(&blob->prefetched, false);
}

/* Adds a keep: the payload stays readable until blob_unkeep, even when the last reference has gone. */
void blob_keep(struct blob *blob);
void blob_unkeep(struct blob *blob);

/* Sets the function that frees a view. Call once, before threads start. */
void blob_set_view_free(void (*view_free)(void *view));

/* ---- An entry: a blob as bytes with a checksum ---------------- */

#define ENTRY_VERSION      2 /* of the format; a store of another version is not read */
#define ENTRY_HEADER_BYTES 56
#define ENTRY_DIGEST_BYTES 16 /* additional, if the payload is samples */
#define ENTRY_HEADER_MAX   (ENTRY_HEADER_BYTES + ENTRY_DIGEST_BYTES)
#define ENTRY_PAYLOAD_MAX  ((size_t)64 << 20)
#define ENTRY_SIDE_MAX     4097 /* samples */

/* True if a blob can be an entry: payload 1 .. 64 MiB, sides 1 .. 4097, a known format and coding. */
bool entry_fits(const struct blob *blob);

/* Bytes before the payload. */
static inline size_t entry_header_bytes(const struct blob_info *info)
{
    return info->sampled ? ENTRY_HEADER_MAX : ENTRY_HEADER_BYTES;
}

static inline size_t entry_bytes(const struct blob *blob)
{
    return entry_header_bytes(&blob->info) + blob->bytes;
}

/* Writes entry_bytes(blob) bytes. The blob must fit. */
void entry_pack(unsigned char *entry, const struct blob *blob);

/* Writes only the entry_header_bytes before the payload, for callers that send both separately. */
void entry_pack_header(unsigned char header[static ENTRY_HEADER_MAX], const struct blob *blob);

/*
 * Verifies untrusted bytes. True: they are an intact entry of the key, *info and *world are filled and the
 * payload begins at entry_header_bytes(info). False: both are untouched. Reads exactly bytes bytes, allocates
 * nothing. Tiles of samples that older versions have stored are not sampled.
 */
bool entry_check(const unsigned char *entry, size_t bytes, const struct digest *key, struct blob_info *info,
                 uint64_t *world);

#endif
