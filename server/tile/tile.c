/*
 * The vocabulary of tiles: names, canonical keys, and the digest that names one representation.
 *
 * A key is what a request asks for. tile_key_finish makes equal requests equal keys: defaults are written
 * out, and a member that makes no difference to the answer has the one value it is left with. The digest of a
 * finished key, taken together with its world and with the versions of the code that turns samples into
 * bytes, is at once the ETag and the key of every cache: two representations with equal digests have equal
 * bytes.
 *
 * Pure functions; any thread.
 */
#include "tile.h"

#include <string.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../encode/coding.h"
#include "../encode/tif.h"

const char *const tile_layer_name[LAYERS] = {
    [LAYER_HEIGHT] = "height", [LAYER_NORMAL] = "normal",       [LAYER_PARTITION] = "partition",
    [LAYER_SLOPE] = "slope",   [LAYER_HILLSHADE] = "hillshade", [LAYER_RELIEF] = "relief",
    [LAYER_WATER] = "water",   [LAYER_SURFACE] = "surface",     [LAYER_DELTA] = "delta",
    [LAYER_FLOW] = "flow",     [LAYER_PATH] = "path",           [LAYER_CAVE] = "cave",
};

const char *const tile_variant_name[VARIANTS] = {
    [VARIANT_BASE] = "base",
    [VARIANT_ERODED] = "eroded",
    [VARIANT_CARVED] = "carved",
};

const char *const tile_format_name[FORMATS] = {
    [FORMAT_PNG] = "png",         [FORMAT_F32] = "f32",         [FORMAT_R16] = "r16",
    [FORMAT_NPY] = "npy",         [FORMAT_JSON] = "json",       [FORMAT_TIF] = "tif",
    [FORMAT_GLB] = "glb",         [FORMAT_GEOJSON] = "geojson", [FORMAT_TERRAIN] = "terrain",
    [FORMAT_SUBTREE] = "subtree",
};

const char *const tile_coding_name[CODINGS] = {"identity", "gzip", "zstd"};
const char *const tile_enc_name[ENCS] = {
    [ENC_TERRARIUM] = "terrarium",
    [ENC_MAPBOX] = "mapbox",
    [ENC_GRAY16] = "gray16",
    [ENC_QUANTISED] = "quantised",
};

const char *const tile_reg_name[REGS] = {[REG_CORNER] = "corner", [REG_CENTER] = "center"};

const char *tile_format_type(enum tile_format format)
{
    switch (format) {
    case FORMAT_PNG:
        return "image/png";
    case FORMAT_JSON:
        return "application/json";
    case FORMAT_GEOJSON:
        return "application/geo+json";
    case FORMAT_TIF:
        return "image/tiff";
    case FORMAT_GLB:
        return "model/gltf-binary";
    case FORMAT_TERRAIN:
        return "application/vnd.quantized-mesh";
    default:
        return "application/octet-stream";
    }
}

bool tile_layer_has(enum tile_layer layer, enum tile_format format)
{
    switch (format) {
    case FORMAT_GEOJSON:
        return layer == LAYER_PATH;
    case FORMAT_GLB:
        return layer == LAYER_HEIGHT || layer == LAYER_SURFACE || layer == LAYER_CAVE;
    case FORMAT_R16:
    case FORMAT_TERRAIN:
    case FORMAT_SUBTREE:
        return layer == LAYER_HEIGHT || layer == LAYER_SURFACE;
    case FORMAT_F32:
    case FORMAT_NPY:
    case FORMAT_TIF:
        return layer != LAYER_HILLSHADE && layer != LAYER_RELIEF;
    default:
        return true;
    }
}

bool tile_layer_has_enc(enum tile_layer layer, enum tile_enc enc)
{
    switch (layer) {
    case LAYER_HEIGHT:
    case LAYER_SURFACE:
        return enc < ENCS_PNG;
    case LAYER_DELTA:
        return enc < ENCS_PNG && enc != ENC_GRAY16;
    default:
        return false;
    }
}

int tile_values(enum tile_layer layer, int zones)
{
    switch (layer) {
    case LAYER_NORMAL:
        return 3;
    case LAYER_PARTITION:
        return zones;
    case LAYER_PATH:
    case LAYER_CAVE:
        return 2;
    case LAYER_HEIGHT:
    case LAYER_SLOPE:
    case LAYER_HILLSHADE:
    case LAYER_RELIEF:
    case LAYER_WATER:
    case LAYER_SURFACE:
    case LAYER_DELTA:
    case LAYER_FLOW:
    case LAYERS:
        break;
    }
    return 1;
}

bool tile_layer_has_range(enum tile_layer layer)
{
    return tile_layer_has(layer, FORMAT_F32) && tile_values(layer, TERRANE_ZONES_MAX) == 1;
}

bool tile_layer_has_window(enum tile_layer layer, enum tile_format format)
{
    return tile_layer_has(layer, format) &&
           (format == FORMAT_PNG || format == FORMAT_TIF || tile_format_is_raw(format));
}

bool tile_layer_has_centers(enum tile_layer layer)
{
    return layer == LAYER_HEIGHT || layer == LAYER_SURFACE;
}

bool tile_format_is_raw(enum tile_format format)
{
    return format == FORMAT_F32 || format == FORMAT_R16 || format == FORMAT_NPY;
}

int tile_name_find(const char *const *names, int count, const char *name, size_t bytes)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == bytes && memcmp(names[i], name, bytes) == 0)
            return i;
    return -1;
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

enum tile_variant tile_variant_default(const struct terrane_recipe *recipe)
{
    return recipe->paths.width_m > 0    ? VARIANT_CARVED
           : recipe->erosion.levels > 0 ? VARIANT_ERODED
                                        : VARIANT_BASE;
}

/* Whether all tiles of a layer and format have one variant, and which. */
static bool varies(const struct tile_key *key, const struct terrane_recipe *recipe, enum tile_variant *one)
{
    *one = VARIANT_BASE;
    switch (key->layer) {
    case LAYER_PARTITION:
        return key->format == FORMAT_JSON;
    case LAYER_DELTA:
    case LAYER_FLOW:
        *one = recipe->erosion.levels > 0 ? VARIANT_ERODED : VARIANT_BASE;
        return false;
    case LAYER_PATH:
    case LAYER_CAVE:
        *one = tile_variant_default(recipe);
        return false;
    default:
        return true;
    }
}

bool tile_variant_is_of(enum tile_variant variant, const struct terrane_recipe *recipe)
{
    switch (variant) {
    case VARIANT_ERODED:
        return recipe->erosion.levels > 0;
    case VARIANT_CARVED:
        return recipe->paths.width_m > 0;
    default:
        return variant == VARIANT_BASE;
    }
}

void tile_key_vary(struct tile_key *key, const struct terrane_recipe *recipe)
{
    enum tile_variant one;

    if (!varies(key, recipe, &one))
        key->variant = one;
    else if (!tile_variant_is_of(key->variant, recipe))
        key->variant = tile_variant_default(recipe);
}

static int default_size(enum tile_format format)
{
    switch (format) {
    case FORMAT_PNG:
        return TERRANE_TILE_SAMPLES;
    case FORMAT_GLB:
    case FORMAT_SUBTREE:
        return TERRANE_TILE_SAMPLES / 2 + 1;
    case FORMAT_TERRAIN:
        return TERRANE_TILE_SAMPLES / 4 + 1;
    default:
        return TERRANE_TILE_SAMPLES + 1;
    }
}

/* Sets the encoding that counts for the format; false: there is none such. */
static bool finish_enc(struct tile_key *key)
{
    const bool of_mesh = key->enc == ENC_TERRARIUM || key->enc == ENC_QUANTISED;
    if (key->format == FORMAT_GLB && key->layer != LAYER_CAVE)
        return of_mesh;
    if (key->format == FORMAT_SUBTREE && !of_mesh) /* its boxes are around meshes of both */
        return false;
    if (key->format == FORMAT_PNG && tile_layer_has_enc(key->layer, ENC_TERRARIUM))
        return tile_layer_has_enc(key->layer, key->enc);
    key->enc = ENC_TERRARIUM;
    return true;
}

/* Whether there is such a registration. With the neighbours' edge the last pixels' far corners are in no tile. */
static bool has_reg(const struct tile_key *key)
{
    return key->reg == REG_CORNER ||
           (key->format == FORMAT_PNG && tile_layer_has_centers(key->layer) && key->size % 2 == 0);
}

enum tile_problem tile_key_finish(struct tile_key *key)
{
    const bool mesh =
        key->format == FORMAT_GLB || key->format == FORMAT_TERRAIN || key->format == FORMAT_SUBTREE;
    struct terrane_window window;
    const bool whole = key->format == FORMAT_JSON || key->format == FORMAT_GEOJSON ||
                       key->format == FORMAT_SUBTREE ||
                       (key->format == FORMAT_GLB && key->layer == LAYER_CAVE);
    if (!tile_layer_has(key->layer, key->format) || (key->shift != SHIFT_NONE && whole))
        return TILE_BAD_FORMAT;
    if (key->size == 0)
        key->size = default_size(key->format);
    if (!finish_enc(key))
        return TILE_BAD_ENC;
    if (mesh && key->size % 2 == 0)
        return TILE_BAD_SIZE;
    key->textured = key->textured && key->format != FORMAT_SUBTREE; /* its boxes are around both */
    if (key->textured && (key->format != FORMAT_GLB || key->layer == LAYER_CAVE))
        return TILE_BAD_TEXTURE;
    key->metadata = key->metadata && key->format == FORMAT_TERRAIN;
    key->placed = key->placed && key->format == FORMAT_GLB;
    if (!coding_worthwhile(key))
        key->coding = CODING_IDENTITY;
    switch (terrane_window_tile(&window, key->level, key->x, key->y, key->size)) {
    case 0:
        return has_reg(key) ? TILE_FINE : TILE_BAD_REG;
    case TERRANE_ELEVEL:
        return TILE_BAD_LEVEL;
    case TERRANE_ETILE:
        return TILE_BAD_TILE;
    default:
        return TILE_BAD_SIZE;
    }
}

struct tile_key tile_key_picture(const struct tile_key *key)
{
    struct tile_key picture = *key;
    picture.layer = LAYER_RELIEF;
    picture.format = FORMAT_PNG;
    picture.enc = ENC_TERRARIUM;
    picture.size = TERRANE_TILE_SAMPLES + 1;
    picture.textured = false;
    CHECK(tile_key_finish(&picture) == TILE_FINE);
    return picture;
}

void tile_window(const struct tile_key *key, struct terrane_window *window)
{
    const int half = TERRANE_TILE_SAMPLES / 2;
    const int size = key->format == FORMAT_SUBTREE ? TERRANE_TILE_SAMPLES + 1 : key->size;
    CHECK(terrane_window_tile(window, key->level, key->x, key->y, size) == 0);
    const int64_t samples = window->level < key->level ? 2 * half : half; /* of the window's level */
    window->gj -= key->shift != SHIFT_NONE ? samples : 0;
    window->gi -= key->shift == SHIFT_NORTH_WEST ? samples : 0;
    window->width += key->reg == REG_CENTER;
    window->height += key->reg == REG_CENTER;
}

/* ---- Digest -------------------------------------------------------------------------------------------- */

enum { VERSION_BYTES_MAX = 32 }; /* of a coding or compressor, with its zero: what is longer is cut */
enum {
    SHIFT_MARK = 256,
    METADATA_MARK = 512,
    PLACED_MARK = 513,
    CENTER_MARK = 514,
    TEXTURE_MARK = 515,
    REVISION_MARK = 516
};

static unsigned char *put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

/* With its zero. */
static unsigned char *put_version(unsigned char *at, const char *version)
{
    const size_t bytes = strnlen(version, VERSION_BYTES_MAX - 1);
    memcpy(at, version, bytes);
    at[bytes] = 0;
    return at + bytes + 1;
}

/* Of the library that makes a format's bytes; "": they are all our own. Numbers become text as jansson writes them. */
static const char *maker_version(enum tile_format format)
{
    switch (format) {
    case FORMAT_PNG:
        return encode_compressor_version();
    case FORMAT_TIF:
        return encode_tif_version();
    case FORMAT_JSON:
    case FORMAT_GEOJSON:
    case FORMAT_GLB:
        return encode_text_version();
    default:
        return "";
    }
}

/* What stands for a format: of those that there were before, what always stood for them. */
static uint64_t format_number(enum tile_format format)
{
    static const uint8_t number[FORMATS] = {
        [FORMAT_PNG] = 0, [FORMAT_F32] = 1, [FORMAT_R16] = 2,     [FORMAT_NPY] = 3,     [FORMAT_JSON] = 4,
        [FORMAT_TIF] = 5, [FORMAT_GLB] = 6, [FORMAT_TERRAIN] = 7, [FORMAT_GEOJSON] = 8, [FORMAT_SUBTREE] = 9,
    };
    return number[format];
}

/* How often what is sent of a representation, its headers included, has changed since ENCODE_VERSION last rose. */
static uint64_t revision_of(const struct tile_key *key)
{
    const bool ranged_late = key->layer == LAYER_SLOPE || key->layer == LAYER_FLOW;
    switch (key->format) {
    case FORMAT_F32:
    case FORMAT_NPY:
        return ranged_late; /* Terrane-Min, Terrane-Max */
    case FORMAT_PNG:
        return key->layer == LAYER_CAVE; /* openings are samples that f32 has, too */
    case FORMAT_JSON:
        return 2; /* caves that show, wherever their top is; what the layer's values span */
    case FORMAT_R16:
    case FORMAT_TIF:
    case FORMAT_GLB:
    case FORMAT_GEOJSON:
    case FORMAT_TERRAIN:
    case FORMAT_SUBTREE:
    case FORMATS:
        break;
    }
    return 0;
}

/*
 * What is hashed, little-endian and without gaps:
 *
 *     16 world digest    4 level    8 x    8 y    4 layer    4 variant    4 format    4 enc    4 size
 *      4 ENCODE_VERSION  and for png, tif, json, geojson and glb, whose bytes a library makes, that library's version in characters
 *
 * then, of a tile that is shifted alone, 4 SHIFT_MARK + shift, which is no coding; then, of terrain with metadata alone, 4
 * METADATA_MARK, of a glb that is placed alone, 4 PLACED_MARK, of pixels' centres alone, 4 CENTER_MARK, and of a glb that is
 * textured alone, 4 TEXTURE_MARK and the version of the library that compresses its picture, with its zero, none of which
 * is either; then, of a representation that has changed alone, 4 REVISION_MARK and 4 of its revision; then, of a coded
 * representation alone, 4 coding and its version in characters, with their zero; then, of json, the characters of the
 * recipe's name, where links need it. Names and versions are printable, so no coding, whose number is
 * small, can be taken for one; a name begins with a letter, which the version before it does not hold.
 *
 * The world's digest holds the generator version, the recipe and the seed; the key's own seed adds nothing to
 * it.
 */
struct digest tile_key_digest(const struct tile_key *key, const struct terrane_world *world)
{
    unsigned char text[192];
    unsigned char *at = text;

    _Static_assert(sizeof world->digest.byte == 16, "the layout above");
    memcpy(at, world->digest.byte, sizeof world->digest.byte);
    at += sizeof world->digest.byte;
    at = put_le(at, (uint64_t)key->level, 4);
    at = put_le(at, (uint64_t)key->x, 8);
    at = put_le(at, (uint64_t)key->y, 8);
    at = put_le(at, (uint64_t)key->layer, 4);
    at = put_le(at, (uint64_t)key->variant, 4);
    at = put_le(at, format_number(key->format), 4);
    at = put_le(at, (uint64_t)key->enc, 4);
    at = put_le(at, (uint64_t)key->size, 4);
    at = put_le(at, ENCODE_VERSION, 4);
    if (key->shift != SHIFT_NONE)
        at = put_le(at, (uint64_t)SHIFT_MARK + (uint64_t)key->shift, 4);
    if (key->metadata)
        at = put_le(at, METADATA_MARK, 4);
    if (key->placed)
        at = put_le(at, PLACED_MARK, 4);
    if (key->reg == REG_CENTER)
        at = put_le(at, CENTER_MARK, 4);
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
    for (const char *v = maker_version(key->format); *v != '\0' && at < text + sizeof text; v++)
        *at++ = (unsigned char)*v;
    if (key->format == FORMAT_JSON && key->recipe)
        for (const char *name = key->recipe; *name != '\0' && at < text + sizeof text; name++)
            *at++ = (unsigned char)*name;

    const XXH128_hash_t hash = XXH3_128bits(text, (size_t)(at - text));

    return (struct digest){.low = hash.low64, .high = hash.high64};
}

/* ---- Lengths ------------------------------------------------------------------------------------------- */

uint64_t tile_bytes(const struct tile_key *key, int zones)
{
    const uint64_t samples = (uint64_t)key->size * (uint64_t)key->size;

    if (key->coding != CODING_IDENTITY)
        return 0;
    if (key->format == FORMAT_R16)
        return samples * 2;
    return key->format == FORMAT_F32 ? samples * 4 * (uint64_t)tile_values(key->layer, zones) : 0;
}
