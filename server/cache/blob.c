/*
 * Blobs: counted references over an immutable payload.
 *
 *  (1) A pointer to a blob comes with a reference or a keep, or borrows one from a caller that waits.
 *  (2) Everything but the counts and the views is written before the blob is shared, and never again.
 *  (3) A view goes from NULL to a value at most once, and is freed with the last reference.
 *  (4) Payload and struct are freed with the last keep; the references own one together.
 *
 * Taking a reference needs no ordering: the taker already has one. Dropping one is a release, and the last
 * drop acquires all the others, so everything other threads did with the blob is done before it is freed.
 */
#include "blob.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../base/little_endian.h"

static void (*blob_view_free)(void *view);

void blob_set_view_free(void (*view_free)(void *view))
{
    blob_view_free = view_free;
}

struct blob *blob_create(const struct digest *key, const struct blob_info *info, unsigned char *data,
                         size_t bytes)
{
    struct blob *const blob = malloc(sizeof *blob);

    CHECK(data != NULL);
    if (!blob) {
        free(data);
        return NULL;
    }
    blob->key = *key;
    blob->info = *info;
    blob->world = 0;
    blob->bytes = bytes;
    blob->data = data;
    atomic_init(&blob->references, 1);
    atomic_init(&blob->keeps, 1);
    atomic_init(&blob->prefetched, false);
    for (int i = 0; i < BLOB_VIEWS; i++)
        atomic_init(&blob->view[i], NULL);
    return blob;
}

static void count_up(atomic_uint *count)
{
    const unsigned before = atomic_fetch_add_explicit(count, 1, memory_order_relaxed);

    CHECK(before > 0 && before < UINT_MAX);
}

/* Takes one from a count; true if that was the last. */
static bool count_down(atomic_uint *count)
{
    const unsigned before = atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel);

    CHECK(before > 0);
    return before == 1;
}

struct blob *blob_hold(struct blob *blob)
{
    count_up(&blob->references);
    return blob;
}

void blob_release(struct blob *blob)
{
    if (!blob || !count_down(&blob->references))
        return;
    for (int i = 0; i < BLOB_VIEWS; i++) {
        void *const view = atomic_load_explicit(&blob->view[i], memory_order_relaxed);

        if (view) {
            CHECK(blob_view_free != NULL);
            blob_view_free(view);
        }
    }
    blob_unkeep(blob);
}

void blob_keep(struct blob *blob)
{
    count_up(&blob->keeps);
}

void blob_unkeep(struct blob *blob)
{
    if (!count_down(&blob->keeps))
        return;
    free(blob->data);
    free(blob);
}

/* ---- Entries ------------------------------------------------------------------------------------------- */

/*
 * The byte format. Little-endian, on every machine:
 *
 *     offset bytes
 *          0     4  magic "TRNE"
 *          4     2  ENTRY_VERSION
 *          6     1  enum tile_format
 *          7     1  enum tile_coding, and 128 where the payload is of samples (blob_info: sampled)
 *          8    16  the key: low, high
 *         24     4  width, height (2 bytes each)
 *         28     8  min_m, max_m (binary32)
 *         36     4  bytes of payload
 *         40     8  world
 *         48    16  where it is, the digest of these; what follows then stands 16 bytes further on
 *         48     8  checksum
 *         56     .  payload
 *
 * The checksum is XXH3-64 of the payload, seeded with XXH3-64 of everything before it: one pass over memory,
 * and it detects a change of any bit of header or payload. It guards against accidents (bit rot, torn pages,
 * stray pointers of the database), not against somebody who can write the file and so write a valid entry.
 * Such an entry may show a wrong picture; checks of every length and range prevent anything worse.
 */
enum {
    AT_MAGIC = 0,
    AT_VERSION = 4,
    AT_FORMAT = 6,
    AT_CODING = 7,
    AT_KEY_LOW = 8,
    AT_KEY_HIGH = 16,
    AT_WIDTH = 24,
    AT_HEIGHT = 26,
    AT_MIN = 28,
    AT_MAX = 32,
    AT_PAYLOAD_BYTES = 36,
    AT_WORLD = 40,
    AT_SAMPLES = 48,
    CHECKSUM_BYTES = 8, /* the header's last */
    SAMPLED = 0x80      /* an older version sees an unknown coding, and ignores the entry */
};

_Static_assert(AT_SAMPLES + CHECKSUM_BYTES == ENTRY_HEADER_BYTES, "the header ends with its checksum");
_Static_assert(sizeof(struct terrane_digest) == ENTRY_DIGEST_BYTES && (int)CODINGS <= (int)SAMPLED,
               "room for them");

#define ENTRY_MAGIC UINT32_C(0x454e5254) /* "TRNE" */

/* before: bytes of the header before it */
static uint64_t entry_checksum(const unsigned char *header, size_t before, const unsigned char *payload,
                               size_t payload_bytes)
{
    return XXH3_64bits_withSeed(payload, payload_bytes, XXH3_64bits(header, before));
}

static bool side_fits(uint64_t samples)
{
    return samples >= 1 && samples <= ENTRY_SIDE_MAX;
}

bool entry_fits(const struct blob *blob)
{
    return blob->bytes >= 1 && blob->bytes <= ENTRY_PAYLOAD_MAX && blob->info.format < FORMATS &&
           blob->info.coding < CODINGS && side_fits(blob->info.width) && side_fits(blob->info.height);
}

void entry_pack_header(unsigned char header[static ENTRY_HEADER_MAX], const struct blob *blob)
{
    const size_t before = entry_header_bytes(&blob->info) - CHECKSUM_BYTES;

    CHECK(entry_fits(blob));
    put_le(header + AT_MAGIC, ENTRY_MAGIC, 4);
    put_le(header + AT_VERSION, ENTRY_VERSION, 2);
    put_le(header + AT_FORMAT, blob->info.format, 1);
    put_le(header + AT_CODING, blob->info.coding | (blob->info.sampled ? SAMPLED : 0), 1);
    put_le(header + AT_KEY_LOW, blob->key.low, 8);
    put_le(header + AT_KEY_HIGH, blob->key.high, 8);
    put_le(header + AT_WIDTH, blob->info.width, 2);
    put_le(header + AT_HEIGHT, blob->info.height, 2);
    put_f32(header + AT_MIN, blob->info.min_m);
    put_f32(header + AT_MAX, blob->info.max_m);
    put_le(header + AT_PAYLOAD_BYTES, blob->bytes, 4);
    put_le(header + AT_WORLD, blob->world, 8);
    if (blob->info.sampled)
        memcpy(header + AT_SAMPLES, blob->info.samples.byte, ENTRY_DIGEST_BYTES);
    put_le(header + before, entry_checksum(header, before, blob->data, blob->bytes), CHECKSUM_BYTES);
}

void entry_pack(unsigned char *entry, const struct blob *blob)
{
    unsigned char header[ENTRY_HEADER_MAX];
    const size_t before = entry_header_bytes(&blob->info);

    entry_pack_header(header, blob);
    memcpy(entry, header, before);
    memcpy(entry + before, blob->data, blob->bytes);
}

bool entry_check(const unsigned char *entry, size_t bytes, const struct digest *key, struct blob_info *info,
                 uint64_t *world)
{
    struct blob_info told = {0};
    uint64_t payload_bytes, format, coding, width, height;
    size_t header_bytes;

    if (bytes <= ENTRY_HEADER_BYTES)
        return false;
    payload_bytes = get_le(entry + AT_PAYLOAD_BYTES, 4);
    format = get_le(entry + AT_FORMAT, 1);
    coding = get_le(entry + AT_CODING, 1);
    width = get_le(entry + AT_WIDTH, 2);
    height = get_le(entry + AT_HEIGHT, 2);
    told.sampled = coding & SAMPLED;
    coding &= SAMPLED - 1;
    header_bytes = entry_header_bytes(&told);
    if (bytes <= header_bytes || bytes - header_bytes > ENTRY_PAYLOAD_MAX)
        return false;
    if (get_le(entry + AT_MAGIC, 4) != ENTRY_MAGIC || get_le(entry + AT_VERSION, 2) != ENTRY_VERSION ||
        payload_bytes != bytes - header_bytes)
        return false;
    if (get_le(entry + AT_KEY_LOW, 8) != key->low || get_le(entry + AT_KEY_HIGH, 8) != key->high)
        return false;
    if (format >= FORMATS || coding >= CODINGS || !side_fits(width) || !side_fits(height))
        return false;
    if (get_le(entry + header_bytes - CHECKSUM_BYTES, CHECKSUM_BYTES) !=
        entry_checksum(entry, header_bytes - CHECKSUM_BYTES, entry + header_bytes, (size_t)payload_bytes))
        return false;
    told.format = (uint8_t)format;
    told.coding = (uint8_t)coding;
    told.width = (uint16_t)width;
    told.height = (uint16_t)height;
    told.min_m = get_f32(entry + AT_MIN);
    told.max_m = get_f32(entry + AT_MAX);
    if (told.sampled)
        memcpy(told.samples.byte, entry + AT_SAMPLES, ENTRY_DIGEST_BYTES);
    *info = told;
    *world = get_le(entry + AT_WORLD, 8);
    return true;
}
