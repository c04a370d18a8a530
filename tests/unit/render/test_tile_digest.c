/* Digests of tiles (server/tile/tile.c): all that counts is in them, and what was promised stays. */
#include "../unit.h"

#include <jansson.h>
#include <xxhash.h>

#include "../../../server/encode/coding.h"
#include "../../../server/encode/tif.h"
#include "../../../server/tile/tile.h"

static const struct terrane_world world_zero;

/* Keys and worlds that differ in one member from the first, and in others from each other: no two digests
 * agree. */
TEST(digests_differ_for_every_member)
{
    enum { MAX = 256 };
    static struct digest seen[MAX];
    int count = 0;
    struct terrane_world world = world_zero;
    const struct tile_key first = {.x = 0x0102030405, .y = -3, .level = 4, .format = FORMAT_F32, .size = 257};
    struct tile_key key;
    struct edit_log *log = edit_log_create();
    const struct edit_entry edit[2] = {
        {.edit = {.x = first.x * 65536, .y = first.y * 65536, .outer = 4096, .strength = 1}},
        {.edit = {.x = first.x * 65536, .y = first.y * 65536, .outer = 4096, .strength = 2}}};
    assert_int_equal(edit_log_append(log, edit, 2), 0);

#define SEE(change)                                    \
    do {                                               \
        key = first;                                   \
        change;                                        \
        assert_true(count < MAX);                      \
        seen[count++] = tile_key_digest(&key, &world); \
    } while (0)
    SEE((void)0);
    for (int bit = 0; bit < 41; bit++) {
        SEE(key.x ^= INT64_C(1) << bit);
        SEE(key.y ^= INT64_C(1) << bit);
    }
    SEE(key.x = -first.x);
    SEE((key.x = first.y, key.y = first.x));
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        if (level != first.level)
            SEE(key.level = level);
    for (int layer = 0; layer < LAYERS; layer++)
        if (layer != (int)first.layer)
            SEE(key.layer = (enum tile_layer)layer);
    SEE(key.variant = VARIANT_ERODED);
    SEE(key.variant = VARIANT_CARVED);
    SEE((key.layer = LAYER_RELIEF, key.variant = VARIANT_ERODED));
    for (int format = 0; format < FORMATS; format++)
        if (format != (int)first.format)
            SEE(key.format = (enum tile_format)format);
    SEE((key.format = FORMAT_TERRAIN, key.metadata = true));
    SEE((key.format = FORMAT_TERRAIN, key.metadata = true, key.coding = CODING_GZIP));
    SEE((key.format = FORMAT_TERRAIN, key.metadata = true, key.shift = SHIFT_NORTH));
    SEE((key.format = FORMAT_GLB, key.enc = ENC_QUANTISED));
    SEE((key.format = FORMAT_GLB, key.placed = true));
    SEE((key.format = FORMAT_GLB, key.placed = true, key.coding = CODING_GZIP));
    SEE(key.reg = REG_CENTER);
    SEE((key.reg = REG_CENTER, key.shift = SHIFT_NORTH_WEST));
    SEE((key.reg = REG_CENTER, key.enc = ENC_GRAY16));
    SEE((key.format = FORMAT_GLB, key.textured = true));
    SEE((key.format = FORMAT_GLB, key.textured = true, key.placed = true));
    SEE((key.format = FORMAT_GLB, key.textured = true, key.coding = CODING_GZIP));
    SEE((key.format = FORMAT_PNG, key.bands = 1));
    SEE((key.format = FORMAT_PNG, key.bands = 1, key.shift = SHIFT_NORTH));
    SEE(key.enc = ENC_MAPBOX);
    SEE(key.enc = ENC_GRAY16);
    SEE(key.shift = SHIFT_NORTH);
    SEE(key.shift = SHIFT_NORTH_WEST);
    SEE((key.shift = SHIFT_NORTH, key.coding = CODING_GZIP));
    SEE((key.shift = SHIFT_NORTH_WEST, key.coding = CODING_ZSTD));
    SEE(key.size = 256);
    SEE(key.size = 2);
    SEE((key.format = FORMAT_PNG, key.enc = ENC_MAPBOX));
    SEE(key.coding = CODING_GZIP);
    SEE(key.coding = CODING_ZSTD);
    SEE((key.format = FORMAT_JSON, key.coding = CODING_GZIP));
    SEE((key.format = FORMAT_JSON, key.coding = CODING_ZSTD));
    SEE((key.format = FORMAT_JSON, key.recipe = "hills"));
    SEE((key.format = FORMAT_JSON, key.coding = CODING_GZIP, key.recipe = "hills"));
    SEE((key.format = FORMAT_JSON, key.coding = CODING_ZSTD, key.recipe = "hills"));
    for (uint64_t at = 1; at <= 2; at++) {
        SEE((key.edits = log, key.at = at));
        SEE((key.edits = log, key.at = at, key.shift = SHIFT_NORTH));
        SEE((key.edits = log, key.at = at, key.coding = CODING_ZSTD));
    }
    for (size_t i = 0; i < sizeof world.digest.byte; i++) {
        world.digest.byte[i] ^= 0x80;
        SEE((void)0);
        world.digest.byte[i] ^= 0x80;
    }
#undef SEE
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_false(digest_equal(&seen[i], &seen[j]));
    key = first; /* what nobody touches has the name that it always had */
    key.edits = log;
    struct digest untouched = tile_key_digest(&key, &world);
    assert_true(digest_equal(&untouched, &seen[0]));
    key.at = 2;
    key.x += 2;
    untouched = tile_key_digest(&key, &world);
    key.edits = NULL;
    const struct digest plain = tile_key_digest(&key, &world);
    assert_true(digest_equal(&untouched, &plain));
    edit_log_free(log);
}

/* XXH3_128bits of the bytes that tile.c lists. A change here changes every ETag; those that are promised:
 * tests/http/test_generators.py. */
static void assert_hash(const struct tile_key *key, const unsigned char *text, size_t bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(text, bytes);
    const struct digest digest = tile_key_digest(key, &world_zero);
    assert_int_equal(digest.high, hash.high64);
    assert_int_equal(digest.low, hash.low64);
}

/* What has changed since it was first sent; all else keeps the ETags that it always had. */
static const unsigned char revision[LAYERS][FORMATS] = {
    [LAYER_SLOPE] = {[FORMAT_F32] = 1, [FORMAT_NPY] = 1},
    [LAYER_FLOW] = {[FORMAT_F32] = 1, [FORMAT_NPY] = 1},
    [LAYER_PATH] = {[FORMAT_TIF] = 1, [FORMAT_GEOJSON] = 1},
    [LAYER_CAVE] = {[FORMAT_PNG] = 1, [FORMAT_TIF] = 1},
    [LAYER_HILLSHADE] = {[FORMAT_PNG] = 1},
    [LAYER_RELIEF] = {[FORMAT_PNG] = 1},
    [LAYER_RIVER] = {[FORMAT_GEOJSON] = 1},
    [LAYER_HEIGHT] = {[FORMAT_GEOJSON] = 1},
    [LAYER_WATER] = {[FORMAT_GEOJSON] = 1},
};

static unsigned char revision_json(enum tile_layer layer)
{
    return (unsigned char)(format_row[FORMAT_JSON].revision + (layer_row[layer].revised >> FORMAT_JSON & 1) +
                           tile_layer_has(layer, FORMAT_ASC) + tile_layer_has(layer, FORMAT_MVT) +
                           tile_layer_has(layer, FORMAT_BIN) + tile_layer_has(layer, FORMAT_EXR) +
                           tile_layer_has(layer, FORMAT_RGBA8)); /* which it names */
}

/* Words behind what a text has; returns where they end. */
static size_t put(unsigned char *text, size_t at, const char *words)
{
    const size_t bytes = strlen(words);
    assert_in_range(bytes, 1, 50);
    memcpy(text + at, words, bytes);
    return at + bytes;
}

static void assert_listed(enum tile_layer layer, enum tile_format format, int number, const char *version)
{
    const struct tile_key key = {.level = 4, .layer = layer, .format = format, .size = 257};
    const unsigned char of =
        (unsigned char)(format == FORMAT_JSON ? revision_json(layer)
                        : format == FORMAT_GLB
                            ? 3 /* bounds are of the positions that are written; none has another's rims; tangents */
                            : revision[layer][format] +
                                  7 * (format ==
                                       FORMAT_GEOJSON)); /* banks; names fit; none offends; areas fit; lakes; far rivers */
    unsigned char text[120] = {
        [16] = 4, [36] = (unsigned char)layer, [44] = (unsigned char)number, [52] = 1, [53] = 1, [56] = 2};
    const size_t at = of ? 68 : 60;
    if (of)
        memcpy(text + 60, (const unsigned char[8]){4, 2, 0, 0, of}, 8);
    assert_hash(&key, text, *version ? put(text, at, version) : at);
}

/* Formats have the numbers in digests that they always had, in the order in which they came. */
TEST(formats_keep_their_numbers)
{
    static const int number[FORMATS] = {
        [FORMAT_PNG] = 0, [FORMAT_F32] = 1, [FORMAT_R16] = 2,     [FORMAT_NPY] = 3,     [FORMAT_JSON] = 4,
        [FORMAT_TIF] = 5, [FORMAT_GLB] = 6, [FORMAT_TERRAIN] = 7, [FORMAT_GEOJSON] = 8, [FORMAT_SUBTREE] = 9};
    static const char *(*const maker[FORMATS])(void) = {[FORMAT_PNG] = encode_compressor_version,
                                                        [FORMAT_TIF] = encode_tif_version,
                                                        [FORMAT_JSON] = encode_text_version,
                                                        [FORMAT_GEOJSON] = encode_text_version,
                                                        [FORMAT_GLB] = encode_text_version};
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format <= FORMAT_SUBTREE; format++)
            assert_listed((enum tile_layer)layer, (enum tile_format)format, number[format],
                          maker[format] ? maker[format]() : "");
}

/* The bytes that tile.c lists, written by hand: coding and version stand before the name, and end with a zero. */
TEST(coded_digest_is_as_listed)
{
    const struct tile_key key = {
        .level = 4, .format = FORMAT_JSON, .size = 257, .coding = CODING_ZSTD, .recipe = "hills"};
    unsigned char text[200] = {
        [16] = 4,          [44] = FORMAT_JSON, [52] = 1, [53] = 1,
        [56] = 2,          [60] = 4,           [61] = 2, [64] = revision_json(LAYER_HEIGHT),
        [68] = CODING_ZSTD};
    const size_t maker_at = put(text, 72, coding_version(CODING_ZSTD)) + 1;
    assert_hash(&key, text, put(text, put(text, maker_at, jansson_version_str()), "hills"));
}

/* The mark of centres stands where those of shifts and metadata do. */
TEST(centred_digest_is_as_listed)
{
    const struct tile_key key = {.level = 4, .size = 256, .reg = REG_CENTER};
    unsigned char text[120] = {[16] = 4, [53] = 1, [56] = 2, [60] = 2, [61] = 2};
    assert_hash(&key, text, put(text, 64, encode_compressor_version()));
}

/* A mesh has its own and its picture's revision behind the mark of textures. */
TEST(textured_digest_is_as_listed)
{
    const struct tile_key key = {.level = 4, .format = FORMAT_GLB, .size = 129, .textured = true};
    unsigned char text[200] = {[16] = 4, [44] = 6, [52] = 129, [56] = 2, [60] = 3, [61] = 2};
    const size_t at = put(text, 64, encode_compressor_version()) + 1;
    memcpy(text + at, (const unsigned char[8]){4, 2, 0, 0, 4}, 8);
    assert_hash(&key, text, put(text, at + 8, encode_text_version()));
}

GROUP(tile_digest);
