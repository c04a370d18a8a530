/*
 * The vocabulary of tiles: names and canonical keys.
 *
 * A key is what a request asks for. tile_key_finish makes equal requests equal keys: defaults are written
 * out, and a member that makes no difference to the answer has the one value it is left with.
 *
 * Pure functions; any thread.
 */
#include "tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/terrane_make.h"
#include "../base/check.h"

const char *const tile_variant_name[VARIANTS] = {
    [VARIANT_BASE] = "base",
    [VARIANT_ERODED] = "eroded",
    [VARIANT_CARVED] = "carved",
};

const char *const tile_coding_name[CODINGS] = {"identity", "gzip", "zstd"};
const char *const tile_enc_name[ENCS] = {
    [ENC_TERRARIUM] = "terrarium",
    [ENC_MAPBOX] = "mapbox",
    [ENC_GRAY16] = "gray16",
    [ENC_QUANTISED] = "quantised",
};

const char *const tile_reg_name[REGS] = {[REG_CORNER] = "corner", [REG_CENTER] = "center"};

void alias_world_init(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed,
                      const struct alias *alias)
{
    terrane_world_init(world, recipe, seed);
    if (alias) {
        const int k = recipe->generator - TERRANE_GENERATOR_OLDEST;
        world->digest = alias->under[k].digest;
        world->ids = alias->under[k].ids;
    }
}

const char *tile_world_name(const struct tile_key *key, char text[static TILE_SEED_BYTES])
{
    snprintf(text, TILE_SEED_BYTES, "%" PRIu64, key->seed);
    return key->alias ? key->alias->name : text;
}

const char *tile_world_query(const struct tile_key *key, char mark, char text[static TILE_WORLD_QUERY_BYTES])
{
    int n = 0;
    text[0] = '\0';
    if (key->recipe)
        n = snprintf(text, TILE_WORLD_QUERY_BYTES, "%crecipe=%s", mark, key->recipe);
    if (key->generator)
        snprintf(text + n, TILE_WORLD_QUERY_BYTES - (size_t)n, "%cv=%d", n > 0 ? '&' : mark, key->generator);
    return text;
}

const char *tile_world_member(const struct tile_key *key)
{
    return key->alias ? "name" : "seed";
}

bool tile_layer_has(enum tile_layer layer, enum tile_format format)
{
    const struct layer_row *row = &layer_row[layer];
    switch (format_row[format].needs) {
    case NEEDS_NUMBERS:
        return row->values != 0;
    case NEEDS_NUMBER:
        return row->values == 1;
    case NEEDS_HEIGHTS:
        return row->heights;
    case NEEDS_SHAPE:
        return row->heights || row->of == OF_CAVES || row->of == OF_OBJECTS;
    case NEEDS_LINES:
        return row->of == OF_PATHS || row->of == OF_RIVERS || row->of == OF_OBJECTS || row->drawn;
    case NEEDS_PLACES:
        return row->of == OF_OBJECTS;
    case NEEDS_WEIGHTS:
        return row->picture == PICTURE_WEIGHTS;
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

bool tile_layer_is_in(const struct terrane_recipe *recipe, enum tile_layer layer)
{
    switch (layer_row[layer].of) {
    case OF_PATHS:
        return recipe->paths.width_m > 0;
    case OF_CAVES:
        return recipe->caves.share > 0;
    case OF_RIVERS:
        return recipe->rivers.top > 0;
    case OF_CLIMATE:
        return recipe->climate.cell_log2 > 0;
    case OF_OBJECTS:
        return recipe->objects.classes > 0;
    case OF_GROUND:
        return layer_row[layer].values != VALUES_OF_MATERIALS || recipe->cover.materials > 0;
    case OF_ZONES:
    case OF_EROSION:
        break;
    }
    return true;
}

bool tile_layer_has_enc(enum tile_layer layer, enum tile_enc enc)
{
    return (layer_row[layer].encs >> enc & 1) != 0;
}

const char *tile_rgb_enc(enum tile_layer layer, enum tile_enc enc)
{
    return tile_layer_has_enc(layer, ENC_TERRARIUM) && enc != ENC_GRAY16 ? tile_enc_name[enc] : NULL;
}

int tile_values(enum tile_layer layer, const struct terrane_recipe *recipe)
{
    const int values = layer_row[layer].values;
    return values < 0 ? terrane_layer_values(recipe, layer_row[layer].samples) : values > 0 ? values : 1;
}

size_t tile_sample_bytes(enum tile_layer layer, enum tile_format format, const struct terrane_recipe *recipe)
{
    const struct format_row *row = &format_row[format];
    return (size_t)row->value_bytes * (row->pixels ? 1 : (size_t)tile_values(layer, recipe));
}

bool tile_layer_has_range(enum tile_layer layer)
{
    return layer_row[layer].values == 1;
}

bool tile_layer_has_window(enum tile_layer layer, enum tile_format format)
{
    return tile_layer_has(layer, format) && format_row[format].window;
}

int tile_name_find(const char *const *names, int count, const char *name, size_t bytes)
{
    for (int i = 0; i < count; i++)
        if (names[i] && strlen(names[i]) == bytes && memcmp(names[i], name, bytes) == 0)
            return i;
    return -1;
}

size_t tile_names_list(char *text, size_t room, const char *const *names, int count)
{
    size_t n = 0;
    for (int i = 0; i < count; i++) {
        const size_t bytes = names[i] ? strlen(names[i]) : 0, gap = n > 0 ? 2 : 0;
        if (bytes == 0 || n + gap + bytes >= room)
            continue;
        memcpy(text + n, ", ", gap);
        memcpy(text + n + gap, names[i], bytes);
        n += gap + bytes;
    }
    text[n] = 0;
    return n;
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

enum tile_variant tile_variant_default(const struct terrane_recipe *recipe)
{
    return (enum tile_variant)terrane_layer_variant(recipe, TERRANE_LAYER_HEIGHT,
                                                    TERRANE_VARIANT_CARVED); /* the same words: tile_make.c */
}

/* Whether all tiles of a layer and format have one variant, and which. */
static bool varies(const struct tile_key *key, const struct terrane_recipe *recipe, enum tile_variant *one)
{
    *one = VARIANT_BASE;
    switch (layer_row[key->layer].of) {
    case OF_GROUND:
    case OF_CLIMATE:
        break;
    case OF_ZONES:
        return key->format == FORMAT_JSON;
    case OF_EROSION:
    case OF_RIVERS:
        *one = recipe->erosion.levels > 0 ? VARIANT_ERODED : VARIANT_BASE;
        return false;
    case OF_PATHS:
    case OF_CAVES:
    case OF_OBJECTS:
        *one = tile_variant_default(recipe);
        return false;
    }
    return true;
}

bool tile_variant_is_of(enum tile_variant variant, const struct terrane_recipe *recipe)
{
    switch (variant) {
    case VARIANT_BASE:
        return true;
    case VARIANT_ERODED:
        return recipe->erosion.levels > 0;
    case VARIANT_CARVED:
        return recipe->paths.width_m > 0;
    case VARIANTS:
        break;
    }
    return false;
}

void tile_key_vary(struct tile_key *key, const struct terrane_recipe *recipe)
{
    enum tile_variant one;

    if (!varies(key, recipe, &one))
        key->variant = one;
    else if (!tile_variant_is_of(key->variant, recipe))
        key->variant = tile_variant_default(recipe);
}

bool tile_is_of_caves(const struct tile_key *key)
{
    return layer_row[key->layer].of == OF_CAVES && format_row[key->format].carries == CARRIES_MESH;
}

bool tile_is_of_objects(const struct tile_key *key)
{
    return layer_row[key->layer].of == OF_OBJECTS;
}

bool tile_is_drawn(const struct tile_key *key)
{
    return key->format == FORMAT_GEOJSON && layer_row[key->layer].drawn;
}

bool tile_has_far_edge(const struct tile_key *key)
{
    return format_row[key->format].odd || tile_is_drawn(key);
}

/* A mesh that is not of ground or surface. */
static bool is_of_bodies(const struct tile_key *key)
{
    return tile_is_of_caves(key) || (tile_is_of_objects(key) && key->format == FORMAT_GLB);
}

/* Sets the encoding that counts for the format; false: there is none such. */
static bool finish_enc(struct tile_key *key)
{
    const bool of_mesh = key->enc == ENC_TERRARIUM || key->enc == ENC_QUANTISED;
    if (key->format == FORMAT_GLB && !is_of_bodies(key))
        return of_mesh;
    if (key->format == FORMAT_SUBTREE && !of_mesh) /* its boxes are around meshes of both */
        return false;
    if (key->format == FORMAT_PNG && layer_row[key->layer].encs != 0)
        return tile_layer_has_enc(key->layer, key->enc);
    key->enc = ENC_TERRARIUM;
    return true;
}

/* Whether there is such a registration. With the neighbours' edge the last pixels' far corners are in no tile. */
static bool has_reg(const struct tile_key *key)
{
    return key->reg == REG_CORNER ||
           (key->format == FORMAT_PNG && layer_row[key->layer].heights && key->size % 2 == 0);
}

bool tile_coding_worthwhile(const struct tile_key *key)
{
    enum { SIZE_MIN = 32, WEIGHTS_SIZE_MAX = TERRANE_TILE_SAMPLES + 1 }; /* of zones or materials, by gzip */
    const enum format_coded coded = format_row[key->format].coded;
    if (key->coding == CODING_IDENTITY || coded != CODED_AS_LAYER)
        return key->coding != CODING_IDENTITY && coded == CODED_ALWAYS;
    if (key->size < SIZE_MIN || layer_row[key->layer].dense)
        return false;
    return layer_row[key->layer].values >= 0 || key->coding != CODING_GZIP || key->size <= WEIGHTS_SIZE_MAX;
}

void tile_key_code(struct tile_key *key, enum tile_coding coding)
{
    key->coding = coding;
    if (!tile_coding_worthwhile(key))
        key->coding = CODING_IDENTITY;
}

enum tile_problem tile_key_finish(struct tile_key *key)
{
    const enum format_carries carries = format_row[key->format].carries;
    const bool whole = carries == CARRIES_WORDS || carries == CARRIES_BOXES || is_of_bodies(key);
    struct terrane_window window;
    if (!tile_layer_has(key->layer, key->format) || (key->shift != SHIFT_NONE && whole))
        return TILE_BAD_FORMAT;
    if (key->size == 0)
        key->size = format_row[key->format].size;
    if (!finish_enc(key))
        return TILE_BAD_ENC;
    if (tile_has_far_edge(key) && key->size % 2 == 0)
        return TILE_BAD_SIZE;
    key->textured = key->textured && key->format != FORMAT_SUBTREE; /* its boxes are around both */
    if (key->bands != 0 &&
        (!format_row[key->format].pixels || layer_row[key->layer].picture != PICTURE_WEIGHTS))
        return TILE_BAD_BANDS;
    if (key->textured && (key->format != FORMAT_GLB || is_of_bodies(key)))
        return TILE_BAD_TEXTURE;
    key->metadata = key->metadata && key->format == FORMAT_TERRAIN;
    key->placed = key->placed && key->format == FORMAT_GLB;
    tile_key_code(key, key->coding);
    const int error = terrane_window_tile(&window, key->level, key->x, key->y, key->size);
    if (error == TERRANE_ELEVEL)
        return TILE_BAD_LEVEL;
    if (error == TERRANE_ETILE)
        return TILE_BAD_TILE;
    if (error)
        return TILE_BAD_SIZE;
    return has_reg(key) ? TILE_FINE : TILE_BAD_REG;
}

struct tile_key tile_key_picture(const struct tile_key *key)
{
    struct tile_key picture = *key;
    picture.layer = LAYER_RELIEF;
    picture.format = FORMAT_PNG;
    picture.enc = ENC_TERRARIUM;
    picture.size = TERRANE_TILE_SAMPLES + 1;
    picture.bands = 0;
    picture.textured = false;
    CHECK(tile_key_finish(&picture) == TILE_FINE);
    return picture;
}

void tile_window(const struct tile_key *key, struct terrane_window *window)
{
    const int half = TERRANE_TILE_SAMPLES / 2;
    const bool objects = tile_is_of_objects(key);
    const bool whole =
        key->format == FORMAT_SUBTREE || (objects && (key->size < 512 || key->format != FORMAT_PNG));
    const int size = whole ? TERRANE_TILE_SAMPLES + 1 : key->size;
    CHECK(terrane_window_tile(window, key->level, key->x, key->y, size) == 0);
    const int64_t samples = window->level < key->level ? 2 * half : half; /* of the window's level */
    window->gj -= key->shift != SHIFT_NONE ? samples : 0;
    window->gi -= key->shift == SHIFT_NORTH_WEST ? samples : 0;
    const bool more = key->reg == REG_CENTER ||
                      (objects && key->format == FORMAT_PNG && (key->size == 512 || key->size % 2 != 0));
    window->width += more;
    window->height += more;
}

/* ---- Edits --------------------------------------------------------------------------------------------- */

enum {
    EDIT_MARGIN =
        4 /* samples: of normals, of what is made of these, and of sizes with a far edge or without */
};

static struct terrane_window edits_window(const struct tile_key *key)
{
    struct terrane_window window;
    tile_window(key, &window);
    window.width = (window.width - 1) * window.step + 1 + 2 * EDIT_MARGIN;
    window.height = (window.height - 1) * window.step + 1 + 2 * EDIT_MARGIN;
    window.gi -= EDIT_MARGIN;
    window.gj -= EDIT_MARGIN;
    window.step = 1;
    return window;
}

struct terrane_edit_box tile_edits_box(const struct tile_key *key, int west, int north, int side)
{
    struct terrane_window window;
    tile_window(key, &window);
    const int64_t part = (int64_t)TERRANE_EDIT_PARTS << window.level;
    return (struct terrane_edit_box){.west = (window.gi + west - EDIT_MARGIN) * part,
                                     .north = (window.gj + north - EDIT_MARGIN) * part,
                                     .east = (window.gi + west + side + EDIT_MARGIN) * part,
                                     .south = (window.gj + north + side + EDIT_MARGIN) * part};
}

size_t tile_edits_within(const struct tile_key *key, struct terrane_edit **edits)
{
    const struct terrane_edit_box box = tile_edits_box(key, 0, 0, TERRANE_TILE_SAMPLES);
    *edits = NULL;
    return key->edits && key->at > 0 ? edit_log_within(key->edits, key->at, &box, edits) : 0;
}

/* Of too many there is a digest of their own: then boxes are as high as edits may make them. */
static bool digest_within(const struct tile_key *key, struct terrane_digest *digest)
{
    static const struct terrane_edit many = {.brush = TERRANE_BRUSH_MARK};
    struct terrane_edit *edits;
    const size_t count = tile_edits_within(key, &edits);
    if (count == EDIT_LOG_FAILED)
        return false;
    terrane_edits_digest(digest, count == EDIT_LOG_MANY ? &many : edits, count == EDIT_LOG_MANY ? 1 : count);
    free(edits);
    return true;
}

bool tile_edits_digest(const struct tile_key *key, struct terrane_digest *digest)
{
    *digest = (struct terrane_digest){{0}};
    if (!key->edits || key->at == 0)
        return true;
    if (key->format == FORMAT_SUBTREE)
        return digest_within(key, digest);
    const struct terrane_window window = edits_window(key);
    return edit_log_digest(key->edits, key->at, &window, digest);
}

/* ---- Lengths ------------------------------------------------------------------------------------------- */

uint64_t tile_bytes(const struct tile_key *key, const struct terrane_recipe *recipe)
{
    const uint64_t samples = (uint64_t)key->size * (uint64_t)key->size;

    if (key->coding != CODING_IDENTITY)
        return 0;
    const struct format_row *row = &format_row[key->format];
    if (!row->raw || row->samples != key->format) /* npy has a header */
        return 0;
    return samples * tile_sample_bytes(key->layer, key->format, recipe);
}
