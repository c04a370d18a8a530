/*
 * What an entry must look like, format by format. The table at the end has them all.
 */
#include "tile_make.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_features.h"
#include "../base/little_endian.h"
#include "../base/text.h"
#include "../encode/coding.h"
#include "../encode/encode.h"
#include "../encode/exr.h"
#include "../encode/geojson.h"
#include "../encode/glb.h"
#include "../encode/mvt.h"
#include "../encode/objects.h"
#include "../encode/subtree.h"
#include "tile_piece.h"

/* Bytes that are said to be a key's. */
struct payload {
    const struct tile_key *key;
    const struct terrane_recipe *recipe;
    const unsigned char *data;
    size_t bytes;
};

static uint32_t get_big(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool begins(const struct payload *payload, const void *bytes, size_t count)
{
    return payload->bytes >= count && memcmp(payload->data, bytes, count) == 0;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static int values_of(const struct payload *payload)
{
    return tile_values(payload->key->layer, payload->recipe);
}

static size_t npy_head(const struct payload *payload, unsigned char head[static ENCODE_NPY_HEAD_BYTES])
{
    return encode_npy_head(head, payload->key->size, payload->key->size, values_of(payload));
}

/* How long a format is that has the same length whatever its samples are; 0: it depends on them. */
static uint64_t exact_bytes(const struct payload *payload)
{
    struct tile_key plain = *payload->key;
    unsigned char head[ENCODE_NPY_HEAD_BYTES];
    uint64_t before = 0;
    plain.coding = CODING_IDENTITY;
    if (plain.format == FORMAT_NPY) {
        before = npy_head(payload, head);
        plain.format = format_row[FORMAT_NPY].samples;
    }
    return before + tile_bytes(&plain, payload->recipe);
}

/* Finite, and within 2^64, which no sample is beyond: what is computed of them is finite, too. Normals point up. */
static bool numbers_fit(const struct payload *payload, size_t from)
{
    const uint32_t max = 0x5f800000; /* 2^64 */
    const size_t count = (payload->bytes - from) / sizeof(float);
    const unsigned char *at = payload->data + from;
    uint32_t over = 0; /* its highest bit: some number was */
    for (size_t i = 0; i < count; i++)
        over |= max - (get_u32(at + 4 * i) & 0x7fffffff);
    bool up = true;
    for (size_t i = 2; layer_row[payload->key->layer].picture == PICTURE_UNITS && i < count; i += 3)
        up &= get_u32(at + 4 * i) - 1 < max;
    return over >> 31 == 0 && up;
}

static bool f32_fits(const struct payload *payload)
{
    return payload->bytes == exact_bytes(payload) && numbers_fit(payload, 0);
}

static bool r16_fits(const struct payload *payload)
{
    return payload->bytes == exact_bytes(payload);
}

static bool npy_fits(const struct payload *payload)
{
    unsigned char head[ENCODE_NPY_HEAD_BYTES];
    const size_t before = npy_head(payload, head);
    return payload->bytes == exact_bytes(payload) && begins(payload, head, before) &&
           numbers_fit(payload, before);
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

/* Of a layer's pixels, as in IHDR: bits of a channel and colour type; bytes of a pixel. */
struct pixels {
    unsigned char depth, type, bytes;
};

static struct pixels pixels_of(const struct payload *payload)
{
    static const struct pixels pixels[] = {
        [PIXELS_GREY] = {8, 0, 1}, [PIXELS_GREY16] = {16, 0, 2}, [PIXELS_RGB] = {8, 2, 3},
        [PIXELS_RGBA] = {8, 6, 4}, [PIXELS_INDEXED] = {8, 3, 1},
    };
    return pixels[payload->key->enc == ENC_GRAY16 && layer_row[payload->key->layer].picture == PICTURE_HEIGHTS
                      ? PIXELS_GREY16
                      : picture_row[layer_row[payload->key->layer].picture].pixels];
}

/* Colours of its palette; 0: it has none. */
static int colours_of(const struct payload *payload)
{
    uint8_t colour[TERRANE_PALETTE_MAX][3];
    return terrane_picture_palette(payload->recipe, picture_row[layer_row[payload->key->layer].picture].made,
                                   colour);
}

enum { CHUNK = 12 }; /* a chunk's length, name and CRC */

/* Whether a chunk of that name begins at *at, and ends by the end with its CRC; moves *at behind it. content: -1: of any length. */
static bool chunk(const struct payload *payload, size_t *at, const char *name, int64_t content)
{
    if (payload->bytes - *at < CHUNK)
        return false;
    const size_t length = get_big(payload->data + *at);
    const bool fits = length <= payload->bytes - *at - CHUNK && (content < 0 || length == (size_t)content) &&
                      memcmp(payload->data + *at + 4, name, 4) == 0 &&
                      coding_crc32(payload->data + *at + 4, 4 + length) ==
                          get_big(payload->data + *at + CHUNK - 4 + length);
    *at += fits ? CHUNK + length : 0;
    return fits;
}

/* Whether what is deflated are rows of that many bytes, each behind its filter's number. */
static bool rows_fit(const unsigned char *idat, size_t bytes, size_t rows, size_t row_bytes)
{
    enum { FILTERS = 5 };
    const size_t step = 1 + row_bytes;
    unsigned char *filtered = malloc(rows * step);
    bool fits = filtered && coding_inflate(idat, bytes, filtered, rows * step);
    for (size_t j = 0; fits && j < rows; j++)
        fits = filtered[j * step] < FILTERS;
    free(filtered);
    return fits;
}

/* The signature, and IHDR, PLTE, IDAT and IEND, of which png.c writes one each: picture_read takes what fits. */
static bool png_fits(const struct payload *payload)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    enum { HEAD_AT = sizeof signature, SIDES_AT = HEAD_AT + 8, KIND_AT = SIDES_AT + 8 };
    const struct pixels pixels = pixels_of(payload);
    const int colours = colours_of(payload);
    const unsigned char kind[5] = {pixels.depth, pixels.type, 0, 0, 0};
    const uint32_t side = (uint32_t)payload->key->size;
    size_t at = HEAD_AT, idat;
    return begins(payload, signature, sizeof signature) && chunk(payload, &at, "IHDR", 13) &&
           get_big(payload->data + SIDES_AT) == side && get_big(payload->data + SIDES_AT + 4) == side &&
           memcmp(payload->data + KIND_AT, kind, sizeof kind) == 0 &&
           (colours == 0 || chunk(payload, &at, "PLTE", 3 * (int64_t)colours)) &&
           (idat = at, chunk(payload, &at, "IDAT", -1)) &&
           rows_fit(payload->data + idat + 8, at - idat - CHUNK, side, side * pixels.bytes) &&
           chunk(payload, &at, "IEND", 0) && at == payload->bytes;
}

/* A TIFF's directory: where it is, how many entries it has, and where what it speaks of ends. */
struct directory {
    const struct payload *payload;
    size_t at;
    unsigned entries;
    uint64_t end;
};

enum { TIF_SHORT = 3, TIF_LONG = 4, TIF_ENTRY = 12 };

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The values of an entry, which stand in it where there is room; false: they are of a type that no entry of ours has. */
static bool tif_values(const unsigned char *data, size_t entry, uint64_t *at, uint64_t *bytes)
{
    static const uint8_t size_of[] = {[2] = 1, [TIF_SHORT] = 2, [TIF_LONG] = 4, [12] = 8}; /* text; doubles */
    const uint64_t type = get_le(data + entry + 2, 2);
    const uint64_t size = type < sizeof size_of ? size_of[type] : 0;
    *bytes = get_u32(data + entry + 4) * size;
    *at = *bytes <= 4 ? entry + 8 : get_u32(data + entry + 8);
    return size > 0;
}

/* The directory, where all that its entries name lies in the file. */
static bool tif_open(struct directory *directory, const struct payload *payload)
{
    *directory = (struct directory){.payload = payload};
    if (!begins(payload, "II*\0", 4) || payload->bytes < 8)
        return false;
    directory->at = get_u32(payload->data + 4);
    if (directory->at > payload->bytes - 2)
        return false;
    directory->entries = (unsigned)get_le(payload->data + directory->at, 2);
    directory->end = (uint64_t)directory->at + 2 + (uint64_t)directory->entries * TIF_ENTRY + 4;
    if (directory->end > payload->bytes)
        return false;
    for (unsigned i = 0; i < directory->entries; i++) {
        uint64_t at, bytes;
        if (!tif_values(payload->data, directory->at + 2 + (size_t)i * TIF_ENTRY, &at, &bytes) ||
            at + bytes > payload->bytes)
            return false;
        directory->end = later(directory->end, bytes > 4 ? at + bytes : 0);
    }
    return true;
}

/* The k-th number of a tag; -1: there is none such. */
static int64_t tif_number(const struct directory *directory, unsigned tag, uint32_t k)
{
    const unsigned char *data = directory->payload->data;
    for (unsigned i = 0; i < directory->entries; i++) {
        const size_t entry = directory->at + 2 + (size_t)i * TIF_ENTRY;
        const int width = get_le(data + entry + 2, 2) == TIF_SHORT ? 2 : 4;
        uint64_t at, bytes;
        if (get_le(data + entry, 2) == tag && tif_values(data, entry, &at, &bytes))
            return ((uint64_t)k + 1) * (uint64_t)width <= bytes
                       ? (int64_t)get_le(data + at + (uint64_t)k * (uint64_t)width, width)
                       : -1;
    }
    return -1;
}

/* Whether a strip lies in the file and inflates to that many bytes. */
static bool strip_fits(const struct payload *payload, int64_t offset, int64_t length, size_t bytes)
{
    if (offset < 8 || length < 1 || (uint64_t)offset + (uint64_t)length > payload->bytes)
        return false;
    unsigned char *plain = malloc(bytes);
    const bool fits = plain && coding_inflate(payload->data + offset, (size_t)length, plain, bytes);
    free(plain);
    return fits;
}

/* A square of the layer's numbers, in strips; and the file ends where the last of its parts does. */
static bool tif_fits(const struct payload *payload)
{
    enum { WIDTH = 256, HEIGHT = 257, OFFSETS = 273, CHANNELS = 277, ROWS = 278, LENGTHS = 279 };
    struct directory directory;
    if (!tif_open(&directory, payload))
        return false;
    const int64_t side = payload->key->size, rows = tif_number(&directory, ROWS, 0);
    if (tif_number(&directory, WIDTH, 0) != side || tif_number(&directory, HEIGHT, 0) != side ||
        tif_number(&directory, CHANNELS, 0) != values_of(payload) || rows < 1)
        return false;
    for (int64_t k = 0; k * rows < side; k++) {
        const int64_t offset = tif_number(&directory, OFFSETS, (uint32_t)k),
                      length = tif_number(&directory, LENGTHS, (uint32_t)k);
        const int64_t lines = side - k * rows < rows ? side - k * rows : rows;
        if (!strip_fits(payload, offset, length, (size_t)(lines * side * values_of(payload)) * sizeof(float)))
            return false;
        directory.end = later(directory.end, (uint64_t)offset + (uint64_t)length);
    }
    return directory.end == payload->bytes;
}

/* The head says where the samples lie, as the encoder was told. */
static bool floats_fit(const struct payload *payload)
{
    const struct terrane_world world = {.recipe = payload->recipe};
    struct terrane_window window;
    tile_window(payload->key, &window);
    const struct grid grid = tile_grid(payload->key, &world, &window, NULL);
    return exr_fits(&grid, payload->data, payload->bytes);
}

/* Bytes of a pixel are of no more than all. */
static bool weights_fit(const struct payload *payload)
{
    enum { BANDS = 4, WHOLE = 255 };
    bool fits = payload->bytes == exact_bytes(payload);
    for (size_t i = 0; fits && i < payload->bytes; i += BANDS) {
        const unsigned char *at = payload->data + i;
        fits = at[0] + at[1] + at[2] + at[3] <= WHOLE;
    }
    return fits;
}

/* ---- Meshes, and what is about them -------------------------------------------------------------------- */

/* The value, owned, that a text is; NULL: it is none, or too long: parsed it takes up to fifty times the room. */
static json_t *parse(const unsigned char *text, size_t bytes)
{
    enum { TEXT_MAX = 4 << 20 }; /* rivers of a coarse tile have up to half of that */
    return bytes <= TEXT_MAX ? json_loadb((const char *)text, bytes, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

/* A chunk of JSON, and of the numbers that it is about, if there are any. Ground can have a picture put on it. */
static bool glb_fits(const struct payload *payload)
{
    enum { HEAD = 12, CHUNK_HEAD = 8 };
    if (!begins(payload, "glTF\2\0\0\0", 8) || payload->bytes < HEAD + CHUNK_HEAD ||
        get_u32(payload->data + 8) != payload->bytes)
        return false;
    const size_t text = get_u32(payload->data + HEAD), rest = payload->bytes - HEAD - CHUNK_HEAD;
    if (text > rest || text % 4 != 0 || memcmp(payload->data + HEAD + 4, "JSON", 4) != 0)
        return false;
    const unsigned char *chunk = payload->data + HEAD + CHUNK_HEAD + text;
    const size_t numbers = text == rest ? 0 : rest - text - CHUNK_HEAD;
    if (text < rest && (rest - text <= CHUNK_HEAD || get_u32(chunk) != numbers || numbers % 4 != 0 ||
                        memcmp(chunk + 4, "BIN", 4) != 0))
        return false;
    json_t *document = parse(payload->data + HEAD + CHUNK_HEAD, text);
    const bool fits =
        glb_document_fits(document, numbers) &&
        (!layer_row[payload->key->layer].heights || glb_texture_fits(payload->data, payload->bytes));
    json_decref(document);
    return fits;
}

/* Every list has the length that a square of so many vertices makes; behind them are extensions. */
static bool terrain_fits(const struct payload *payload)
{
    enum { HEAD = 88, EDGES = 4, EXTENSION = 5 };
    const size_t side = (size_t)payload->key->size, count = side * side, quads = (side - 1) * (side - 1);
    const size_t index = count > 65536 ? 4 : 2, edge = 4 + side * index;
    size_t at = HEAD + 4 + 6 * count;
    at += index == 4 && at % 4 != 0 ? 2 : 0;
    const size_t edges = at + 4 + 6 * quads * index, behind = edges + EDGES * edge;
    if (payload->bytes < behind || get_u32(payload->data + HEAD) != count ||
        get_u32(payload->data + at) != 2 * quads)
        return false;
    for (size_t k = 0; k < EDGES; k++)
        if (get_u32(payload->data + edges + k * edge) != side)
            return false;
    for (at = behind; payload->bytes - at >= EXTENSION;) {
        const size_t length = get_u32(payload->data + at + 1);
        if (length > payload->bytes - at - EXTENSION)
            return false;
        at += EXTENSION + length;
    }
    return at == payload->bytes;
}

/* All but boxes is what the level makes it. */
static bool subtree_fits(const struct payload *payload)
{
    const int there = payload->key->level + 1;
    const bool below = there > TILESET_SUBTREE_LEVELS;
    return subtree_begins(below ? TILESET_SUBTREE_LEVELS : there, below, payload->data, payload->bytes);
}

static bool ends_as_text(const struct payload *payload)
{
    return begins(payload, "{", 1) && payload->bytes >= 3 &&
           memcmp(payload->data + payload->bytes - 2, "}\n", 2) == 0;
}

/* Of objects, which may be thousands, and of contours: too much to parse, and nobody reads it here. */
static bool is_text(const struct payload *payload)
{
    size_t bytes = ends_as_text(payload);
    for (size_t i = 0; bytes > 0 && i + 1 < payload->bytes; i += bytes) { /* ends at a brace at the latest */
        bytes = text_utf8_bytes(payload->data + i);
        if (payload->data[i] < ' ' && payload->data[i] != '\n')
            return false;
    }
    return bytes > 0;
}

/* What every description begins with (describe_tile), around the world's digest. */
static bool says_its_key(const struct payload *payload)
{
    enum { DIGEST = 32 };
    const struct tile_key *key = payload->key;
    char head[128], more[200], seed[TILE_SEED_BYTES];
    const int before = snprintf(head, sizeof head, "{\n  \"%s\": \"%s\",\n  \"world\": \"",
                                tile_world_member(key), tile_world_name(key, seed));
    const int behind =
        snprintf(more, sizeof more,
                 "\",\n  \"generator\": %d,\n  \"lod\": %d,\n  \"x\": %" PRId64 ",\n  \"y\": %" PRId64
                 ",\n  \"layer\": \"%s\",\n",
                 payload->recipe->generator, key->level, key->x, key->y, tile_layer_name[key->layer]);
    return begins(payload, head, (size_t)before) &&
           payload->bytes >= (size_t)before + DIGEST + (size_t)behind &&
           memcmp(payload->data + before + DIGEST, more, (size_t)behind) == 0;
}

static bool json_fits(const struct payload *payload)
{
    if (!ends_as_text(payload) || !says_its_key(payload))
        return false;
    if (tile_is_of_objects(payload->key))
        return is_text(payload);
    json_t *value = parse(payload->data, payload->bytes);
    const bool fits = value != NULL;
    json_decref(value);
    return fits;
}

/* A collection of lines and places: path_lines_add takes what fits. */
static bool geojson_fits(const struct payload *payload)
{
    static const char head[] = "{\"type\":\"FeatureCollection\",\"features\":[", tail[] = "]}\n";
    const size_t behind = sizeof tail - 1;
    if (!begins(payload, head, sizeof head - 1) ||
        memcmp(payload->data + payload->bytes - behind, tail, behind) != 0)
        return false;
    if (tile_is_of_objects(payload->key) ||
        (tile_is_drawn(payload->key) && payload->key->layer != LAYER_WATER)) /* whose lakes are read again */
        return is_text(payload);
    json_t *root = parse(payload->data, payload->bytes);
    const json_t *features = json_object_get(root, "features");
    bool fits = json_is_array(features);
    uint64_t id;
    for (size_t k = 0; fits && k < json_array_size(features); k++) {
        const json_t *feature = json_array_get(features, k);
        fits = tile_is_drawn(payload->key) || geojson_line(feature, &id) || geojson_place(feature, &id);
    }
    json_decref(root);
    return fits;
}

/* As many numbers as there are samples, each behind a digit, and nothing else behind the header that says so. */
static bool asc_fits(const struct payload *payload)
{
    const size_t side = (size_t)payload->key->size;
    char head[64];
    const int before = snprintf(head, sizeof head, "ncols %zu\nnrows %zu\nxllcenter ", side, side);
    if (!begins(payload, (const unsigned char *)head, (size_t)before))
        return false;
    size_t lines = 0, numbers = 0;
    for (size_t i = (size_t)before; i < payload->bytes; i++) {
        const unsigned char c = payload->data[i], last = payload->data[i - 1];
        if ((c == ' ' || c == '\n') && lines >= 3)
            numbers += last >= '0' && last <= '9';
        if (lines >= 3 && (c < ' ' || c > '9') && c != 'e' && c != '\n')
            return false;
        lines += c == '\n';
    }
    return lines == 3 + side && numbers == side * side && payload->data[payload->bytes - 1] == '\n';
}

/* Whole records behind the head, as many as it says, of classes that there are. */
static bool bin_fits(const struct payload *payload)
{
    enum { NUMBERS = 3, CLASS_AT = 14 };
    bool fits = payload->bytes >= OBJECT_BYTES && payload->bytes % OBJECT_BYTES == 0 &&
                memcmp(payload->data, OBJECTS_MAGIC, 4) == 0 &&
                get_u32(payload->data + 4) == payload->bytes / OBJECT_BYTES - 1;
    for (size_t at = OBJECT_BYTES; fits && at < payload->bytes; at += OBJECT_BYTES) {
        const struct payload numbers = {payload->key, payload->recipe, payload->data + at,
                                        NUMBERS * sizeof(float)};
        fits = numbers_fit(&numbers, 0) && payload->data[at + CLASS_AT] < payload->recipe->objects.classes;
    }
    return fits;
}

static bool vectors_fit(const struct payload *payload)
{
    return payload->bytes > 0 && mvt_fits(payload->data, payload->bytes);
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

enum { PLAIN_MAX = 64 << 20 }; /* bytes of what was coded: the largest mesh has less than a third of them */

typedef bool (*payload_fits)(const struct payload *payload);

static const payload_fits format_fits[FORMATS] = {
    [FORMAT_PNG] = png_fits,         [FORMAT_F32] = f32_fits,         [FORMAT_R16] = r16_fits,
    [FORMAT_NPY] = npy_fits,         [FORMAT_JSON] = json_fits,       [FORMAT_TIF] = tif_fits,
    [FORMAT_GLB] = glb_fits,         [FORMAT_GEOJSON] = geojson_fits, [FORMAT_TERRAIN] = terrain_fits,
    [FORMAT_SUBTREE] = subtree_fits, [FORMAT_ASC] = asc_fits,         [FORMAT_BIN] = bin_fits,
    [FORMAT_MVT] = vectors_fit,      [FORMAT_EXR] = floats_fit,       [FORMAT_RGBA8] = weights_fit,
};

bool tile_blob_fits(const struct tile_key *key, const struct terrane_recipe *recipe, struct blob *blob)
{
    struct payload payload = {key, recipe, blob->data, blob->bytes};
    struct blob_info *info = &blob->info;
    unsigned char *plain = NULL;
    if (info->format != key->format || info->width != key->size || info->height != key->size ||
        !isfinite(info->min_m) || !isfinite(info->max_m) || info->min_m > info->max_m ||
        (info->sampled && !format_row[key->format].digest))
        return false;
    if (info->coding != CODING_IDENTITY) { /* which it is also where coding it did not pay */
        if (info->coding != key->coding)
            return false;
        const uint64_t exact = exact_bytes(&payload);
        payload.data = plain = coding_undo(key->coding, blob->data, blob->bytes,
                                           exact ? (size_t)exact : PLAIN_MAX, &payload.bytes);
        if (!plain)
            return false;
    }
    const bool fits = format_fits[key->format](&payload);
    if (fits && !info->sampled)
        tile_note_samples(key, recipe, payload.data, payload.bytes, info);
    free(plain);
    return fits;
}
