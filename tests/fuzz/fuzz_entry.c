/*
 * Fuzzing entries of the disk tier: any bytes as a stored entry.
 *
 * As they are, they hardly ever get past the checksum. So they are also tried sealed: with the length and the
 * checksum that they ought to have, and with magic and version as well, as a writer of this file would
 * leave them. An entry that is taken has to be what entry_pack makes of it, to the last byte, and none of its
 * bits may change unseen. Seeds: tests/fuzz/corpus/entry.
 */
#include <xxhash.h>

#include "../../server/base/little_endian.h"
#include "../../server/cache/blob.h"
#include "fuzz_kit.h"

/* What stands before the payload, as the byte of the coding has it. */
static size_t header_of(const unsigned char *entry)
{
    return entry[7] & 0x80 ? ENTRY_HEADER_MAX : ENTRY_HEADER_BYTES;
}

/* Fills info by a pattern first, so that it shows whether it was touched. */
static bool check(const unsigned char *entry, size_t bytes, struct digest key, struct blob_info *info,
                  uint64_t *world)
{
    struct blob_info before;

    memset(&before, 0x5a, sizeof before);
    *info = before;
    *world = 0x5a5a;
    const bool taken = entry_check(entry, bytes, &key, info, world);
    require(taken || (memcmp(info, &before, sizeof before) == 0 && *world == 0x5a5a),
            "refused, and the facts were touched");
    return taken;
}

/* A taken entry packs into itself. */
static void require_round_trip(const unsigned char *entry, size_t bytes, struct digest key,
                               const struct blob_info *info, uint64_t world)
{
    const size_t before = entry_header_bytes(info), payload_bytes = bytes - before;
    unsigned char *const payload = copy(entry + before, payload_bytes, false), *const packed = room(bytes);

    require(info->format < FORMATS && info->coding < CODINGS && info->width >= 1 &&
                info->width <= ENTRY_SIDE_MAX && info->height >= 1 && info->height <= ENTRY_SIDE_MAX,
            "facts out of range");
    struct blob *const blob = blob_create(&key, info, payload, payload_bytes);
    require(blob != NULL, "out of memory");
    blob->world = world;
    require(entry_fits(blob), "taken, and does not fit");
    require(entry_bytes(blob) == bytes, "another length");
    entry_pack(packed, blob);
    require(memcmp(packed, entry, bytes) == 0, "packed, it is another entry");
    blob_release(blob);
    free(packed);
}

static void require_fragile(unsigned char *entry, size_t bytes, struct digest key)
{
    const size_t bit = (size_t)(XXH3_64bits(entry, bytes) % (bytes * 8));
    struct blob_info info;
    uint64_t world;

    entry[bit / 8] ^= (unsigned char)(1 << bit % 8);
    require(!check(entry, bytes, key, &info, &world), "a bit changed unseen");
    entry[bit / 8] ^= (unsigned char)(1 << bit % 8);
    require(!check(entry, bytes - 1, key, &info, &world), "a byte less went unseen");
    key.low ^= 1;
    require(!check(entry, bytes, key, &info, &world), "another's entry was taken");
}

static bool try(unsigned char *entry, size_t bytes)
{
    struct digest key = {0};
    struct blob_info info;
    uint64_t world;

    if (bytes >= ENTRY_HEADER_BYTES)
        key = (struct digest){.low = get_le(entry + 8, 8), .high = get_le(entry + 16, 8)};
    if (!check(entry, bytes, key, &info, &world))
        return false;
    require_round_trip(entry, bytes, key, &info, world);
    require_fragile(entry, bytes, key);
    return true;
}

static void seal(unsigned char *entry, size_t bytes)
{
    const size_t before = header_of(entry), sum = before - 8;

    put_le(entry + sum, XXH3_64bits_withSeed(entry + before, bytes - before, XXH3_64bits(entry, sum)), 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned char *const entry = copy(data, bytes, false);

    (void)try(entry, bytes);
    if (bytes >= ENTRY_HEADER_BYTES && bytes >= header_of(entry)) {
        seal(entry, bytes);
        (void)try(entry, bytes);
        put_le(entry + 36, bytes - header_of(entry), 4);
        seal(entry, bytes);
        (void)try(entry, bytes);
        memcpy(entry, "TRNE", 4);
        put_le(entry + 4, ENTRY_VERSION, 2);
        seal(entry, bytes);
        const uint64_t width = get_le(entry + 24, 2), height = get_le(entry + 26, 2);
        const bool sound = bytes > header_of(entry) && entry[6] < FORMATS && (entry[7] & 0x7f) < CODINGS &&
                           width >= 1 && width <= ENTRY_SIDE_MAX && height >= 1 && height <= ENTRY_SIDE_MAX;
        require(try(entry, bytes) == sound, "sound, and refused; or taken, and not sound");
    }
    free(entry);
    return 0;
}
