/*
 * The digest that names one representation: of a finished key, its world, and the versions of the encoders. It is the ETag and
 * the key of every cache: representations with equal digests have equal bytes.
 */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "../base/little_endian.h"
#include "coding.h"
#include "exr.h"
#include "tif.h"

enum { VERSION_BYTES_MAX = 32 }; /* of a coding or compressor, with its zero; longer ones are cut */
enum {
    SHIFT_MARK = 256,
    METADATA_MARK = 512,
    PLACED_MARK = 513,
    CENTER_MARK = 514,
    TEXTURE_MARK = 515,
    REVISION_MARK = 516,
    BANDS_MARK = 517,
    EDITS_MARK = 518
};
enum { FIRST_LISTED = 10 }; /* number of the first format added since ENCODE_VERSION last rose */

/* With its zero. */
static unsigned char *put_version(unsigned char *at, const char *version)
{
    const size_t bytes = strnlen(version, VERSION_BYTES_MAX - 1);
    memcpy(at, version, bytes);
    at[bytes] = 0;
    return at + bytes + 1;
}

/* The version of the library that makes a format's bytes; NULL: they are all our own. jansson writes numbers as text. */
static const char *(*const maker_version[FORMATS])(void) = {
    [FORMAT_PNG] = encode_compressor_version, [FORMAT_TIF] = encode_tif_version,
    [FORMAT_JSON] = encode_text_version,      [FORMAT_GEOJSON] = encode_text_version,
    [FORMAT_GLB] = encode_text_version,       [FORMAT_EXR] = encode_exr_version,
};

/* Number of changes of a representation, headers included, since ENCODE_VERSION last rose: JSON changes with each format that it
 * names, a textured mesh with its picture. */
static uint64_t revision_of(const struct tile_key *key)
{
    uint64_t revision = format_row[key->format].revision + (layer_row[key->layer].revised >> key->format & 1);
    revision += key->textured && layer_row[LAYER_RELIEF].revised >> FORMAT_PNG & 1;
    for (int format = 0; key->format == FORMAT_JSON && format < FORMATS; format++)
        revision += tile_ending_name[format] && format_row[format].number >= FIRST_LISTED &&
                    tile_layer_has(key->layer, (enum tile_format)format);
    return revision;
}

/* What a shared world's tile is named by besides, where operations touch it; that lies under the tile's name. */
static unsigned char *put_edits(unsigned char *at, const struct tile_key *key)
{
    static const struct terrane_digest none = {{0}};
    struct terrane_digest digest;
    const bool known = tile_edits_digest(key, &digest);
    if (known && memcmp(&digest, &none, sizeof none) == 0)
        return at;
    at = put_le(at, EDITS_MARK, 4);
    if (!known) /* memory is short: a name of its own, which no other has */
        return put_le(put_le(at, UINT64_MAX, 8), key->at, 8);
    memcpy(at, digest.byte, sizeof digest.byte);
    return at + sizeof digest.byte;
}

/*
 * The hashed bytes, little-endian and without gaps:
 *
 *     16 world digest    4 level    8 x    8 y    4 layer    4 variant    4 format    4 enc    4 size
 *      4 ENCODE_VERSION
 *
 * then only for the representations named, in this order: a shifted tile 4 SHIFT_MARK + shift; terrain with metadata 4
 * METADATA_MARK; a placed glb 4 PLACED_MARK; pixel centres 4 CENTER_MARK; a picture or raw bytes of the fifth weight and
 * later ones 4 BANDS_MARK; a textured glb 4 TEXTURE_MARK and the version of the library that compresses its picture, with
 * its zero; a shared world's tile that operations touch 4 EDITS_MARK and 16 of their digest; a changed one 4 REVISION_MARK and 4 of its revision; a coded one 4 coding and its version in characters, with
 * their zero. No mark equals a coding. Then for png, tif, exr, json, geojson and glb, whose bytes a library makes, that
 * library's version in characters. Then for json the query of links: for "recipe=" only the name, then "&v=" and a
 * generator, each if needed. Names and versions are printable, so no coding, whose number is small, can be taken for one;
 * a name begins with a letter, which the version before it does not contain.
 *
 * The world's digest holds the generator version, the recipe and the seed; the key's own seed adds nothing.
 */
struct digest tile_key_digest(const struct tile_key *key, const struct terrane_world *world)
{
    unsigned char text[224];
    unsigned char *at = text;

    _Static_assert(sizeof world->digest.byte == 16, "the layout above");
    memcpy(at, world->digest.byte, sizeof world->digest.byte);
    at += sizeof world->digest.byte;
    at = put_le(at, (uint64_t)key->level, 4);
    at = put_le(at, (uint64_t)key->x, 8);
    at = put_le(at, (uint64_t)key->y, 8);
    at = put_le(at, (uint64_t)key->layer, 4);
    at = put_le(at, (uint64_t)key->variant, 4);
    at = put_le(at, format_row[key->format].number, 4);
    at = put_le(at, (uint64_t)key->enc, 4);
    at = put_le(at, (uint64_t)key->size, 4);
    at = put_le(at, ENCODE_VERSION, 4);
    if (key->shift != SHIFT_NONE)
        at = put_le(at, (uint64_t)SHIFT_MARK + (uint64_t)key->shift, 4);
    if (key->metadata)
        at = put_le(at, METADATA_MARK, 4);
    if (key->placed)
        at = put_le(at, PLACED_MARK, 4);
    at = put_edits(at, key);
    if (key->reg == REG_CENTER)
        at = put_le(at, CENTER_MARK, 4);
    if (key->bands != 0)
        at = put_le(at, BANDS_MARK, 4);
    if (key->textured) {
        at = put_le(at, TEXTURE_MARK, 4);
        at = put_version(at, encode_compressor_version());
    }
    if (revision_of(key) > 0)
        at = put_le(put_le(at, REVISION_MARK, 4), revision_of(key), 4);
    if (key->coding != CODING_IDENTITY) {
        at = put_le(at, (uint64_t)key->coding, 4);
        at = put_version(at, coding_version(key->coding));
    }
    const char *maker = maker_version[key->format] ? maker_version[key->format]() : "";
    for (; *maker != '\0' && at < text + sizeof text; maker++)
        *at++ = (unsigned char)*maker;
    if (key->format == FORMAT_JSON && key->recipe)
        for (const char *name = key->recipe; *name != '\0' && at < text + sizeof text; name++)
            *at++ = (unsigned char)*name;
    if (key->format == FORMAT_JSON && key->generator)
        at += snprintf((char *)at, (size_t)(text + sizeof text - at), "&v=%d", key->generator);

    const XXH128_hash_t hash = XXH3_128bits(text, (size_t)(at - text));

    return (struct digest){.low = hash.low64, .high = hash.high64};
}
