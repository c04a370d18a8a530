/*
 * Sets of tiles. What engines want is from their own sources and manuals: Unreal's LandscapeImportHelper and Landscape Technical
 * Guide, Unity's TerrainWizards and terrain shaders, Terrain3D's importer and control map format, HTerrain's hterrain_data.
 */
#include "export_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/text.h"
#include "tool.h"

enum {
    SIDE = TERRANE_TILE_SAMPLES,
    BANDS = 4,
    REGIONS_MAX = 32,
    MATERIAL_BYTES = sizeof((struct terrane_material *)0)->name
};

static const struct export_engine_row export_engine_row[EXPORT_ENGINES] =
    {
        [EXPORT_UNREAL] =
            {
                .name = "unreal", /* components of 2 x 2 x 63 quads; 2017 and 4033 are 16 and 32 of them */
                .size = {1009, 127, 253, 505, 2017, 4033, 126, 252, 504, 1008, 2016, 4032},
                .format = {{"r16", "r16", EXPORT_R16}, {"png", "png", EXPORT_GRAY16}},
                .place = {"_x", "_y"},
            },
        [EXPORT_UNITY] =
            {
                .name = "unity",
                .size = {1025, 33, 65, 129, 257, 513, 2049, 4097},
                .format = {{"r16", "raw", EXPORT_R16}},
                .place = {"_", "_"},
                .from_south = true,
                .splats = true,
                .even = true,
            },
        [EXPORT_GODOT] =
            {
                .name = "godot", /* Terrain3D's regions; and HTerrain's sizes */
                .size = {1024, 64, 128, 256, 512, 2048, 65, 129, 257, 513, 1025, 2049, 4097},
                .format = {{"r16", "raw", EXPORT_R16}, {"f32", "f32", EXPORT_F32}},
                .place = {"_x", "_y"},
                .splats = true,
                .controls = true,
            },
        [EXPORT_BLENDER] =
            {
                .name = "blender",
                .size = {1025, 65, 129, 257, 513, 2049, 4097},
                .format = {{"png", "png", EXPORT_GRAY16},
                           {"f32", "f32", EXPORT_F32},
                           {"tif", "tif", EXPORT_TIF}},
                .place = {"_x", "_y"},
            },
};

const struct export_layer_row export_layer_row[EXPORT_LAYERS] = {
    [EXPORT_HEIGHT] = {"height", LAYER_HEIGHT, FORMAT_F32, SIDE, true},
    [EXPORT_WATER] = {"water", LAYER_SURFACE, FORMAT_F32, SIDE, true},
    [EXPORT_COVER] = {"cover", LAYER_COVER, FORMAT_F32, SIDE, false},
    [EXPORT_OBJECTS] = {"objects", LAYER_OBJECTS, FORMAT_BIN, SIDE + 1, false},
};

/* ---- Words --------------------------------------------------------------------------------------------- */

static int wrong(char *error, const char *option, const char *text, const char *allowed)
{
    return word_wrong(error, EXPORT_ERROR_BYTES, option, text, allowed);
}

static int read_engine(struct export_set *set, const char *text, char *error)
{
    if (!text) {
        snprintf(error, EXPORT_ERROR_BYTES, "needs --engine: unreal, unity, godot or blender");
        return -1;
    }
    for (int i = 0; i < EXPORT_ENGINES; i++)
        if (strcmp(export_engine_row[i].name, text) == 0) {
            set->engine = (enum export_engine)i;
            set->row = &export_engine_row[i];
            return 0;
        }
    return wrong(error, "engine", text, "must be unreal, unity, godot or blender");
}

static int read_format(struct export_set *set, const char *text, char *error)
{
    char names[64] = "";
    size_t used = 0;
    set->format = set->row->format;
    for (int i = 0; text && i < EXPORT_FORMATS && set->row->format[i].name; i++) {
        if (strcmp(set->row->format[i].name, text) == 0) {
            set->format = &set->row->format[i];
            return 0;
        }
        used += text_print(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                           set->row->format[i].name);
    }
    if (!text)
        return 0;
    text_print(error, EXPORT_ERROR_BYTES, "format=%.*s: %s takes %s", text_cut(text, 40), text,
               set->row->name, names);
    return -1;
}

static int read_size(struct export_set *set, const char *text, char *error)
{
    const char *at = text;
    int64_t size = set->row->size[0];
    if (text && (!word_number(&at, TERRANE_WINDOW_MAX, &size) || *at))
        size = 0;
    char sizes[160] = "";
    size_t used = 0;
    for (int i = 0; i < EXPORT_SIZES && set->row->size[i] > 0; i++) {
        if (set->row->size[i] == size) {
            set->size = (int)size;
            set->step = set->size - set->size % 2;
            return 0;
        }
        used += text_print(sizes + used, sizeof sizes - used, "%s%d", i > 0 ? ", " : "", set->row->size[i]);
    }
    text_print(error, EXPORT_ERROR_BYTES, "size=%.*s: %s takes tiles of %s samples a side",
               text_cut(text, 40), text, set->row->name, sizes);
    return -1;
}

static int read_tiles(struct export_set *set, const char *text, char *error)
{
    const char *at = text ? text : "1x1";
    int64_t across, down;
    if (!word_number(&at, EXPORT_ACROSS_MAX, &across) || !word_skip(&at, 'x') ||
        !word_number(&at, EXPORT_ACROSS_MAX, &down) || *at || across == 0 || down == 0)
        return wrong(error, "tiles", text, "must be WxH, each from 1 to 64");
    set->across = (int)across;
    set->down = (int)down;
    if (set->row->controls && set->size % 2 == 0 && (set->across > REGIONS_MAX || set->down > REGIONS_MAX))
        return wrong(error, "tiles", text, "Terrain3D has at most 32 x 32 regions: take a greater --size");
    return 0;
}

/* Samples along an axis of so many tiles. */
static int64_t samples_along(const struct export_set *set, int tiles)
{
    return (int64_t)tiles * set->step + set->size % 2;
}

/* The window of samples around a place. */
static int read_center(struct export_set *set, const char *text, char *error)
{
    double at_m[2] = {0};
    const char *at = text;
    if (!text) {
        snprintf(error, EXPORT_ERROR_BYTES, "needs --center X,Y: metres of the world; y grows south");
        return -1;
    }
    if (!word_metres(&at, &at_m[0]) || !word_skip(&at, ',') || !word_metres(&at, &at_m[1]) || *at)
        return wrong(error, "center", text, "must be X,Y in metres; y grows south");
    const int64_t samples[2] = {samples_along(set, set->across), samples_along(set, set->down)};
    const double max = (double)TERRANE_TILE_LIMIT * SIDE;
    for (int i = 0; i < 2; i++) {
        const int64_t half = samples[i] / 2;
        const double first = floor(at_m[i] / set->spacing_m + 0.5) - (double)half;
        if (!(first >= -max) || !(first + (double)samples[i] <= max))
            return wrong(error, "center", text, "lies beyond the last tile, 2^40 from the origin");
        *(i == 0 ? &set->x0 : &set->y0) = (int64_t)first;
    }
    return 0;
}

static int read_range(struct export_set *set, const char *text, char *error)
{
    const char *at = text;
    double low = set->recipe->low_m, high = set->recipe->high_m;
    set->range = EXPORT_RANGE_SET;
    if (!text || strcmp(text, "set") == 0)
        return 0;
    set->range = strcmp(text, "world") == 0 ? EXPORT_RANGE_WORLD : EXPORT_RANGE_GIVEN;
    if (set->range == EXPORT_RANGE_GIVEN &&
        (!word_metres(&at, &low) || !word_skip(&at, ',') || !word_metres(&at, &high) || *at || low < -1e6 ||
         high > 1e6 || (float)low >= (float)high))
        return wrong(error, "range", text,
                     "must be set, world, or LOW,HIGH in metres, LOW below HIGH, from -1000000 to 1000000");
    set->low_m = (float)low;
    set->high_m = (float)high;
    return 0;
}

/* Whether a recipe has a layer at this level. */
static bool has_layer(const struct export_set *set, enum export_layer layer)
{
    switch (layer) {
    case EXPORT_COVER:
        return set->recipe->cover.materials > 0;
    case EXPORT_OBJECTS:
        return set->recipe->objects.classes > 0 && set->level <= TERRANE_OBJECTS_LEVEL;
    case EXPORT_HEIGHT:
    case EXPORT_WATER:
    case EXPORT_LAYERS:
        break;
    }
    return true;
}

static int read_layers(struct export_set *set, const char *text, char *error)
{
    for (int i = 0; i < EXPORT_LAYERS; i++)
        set->layer[i] = !text && has_layer(set, (enum export_layer)i);
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        const size_t bytes = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < EXPORT_LAYERS; i++)
            if (strlen(export_layer_row[i].name) == bytes &&
                strncmp(export_layer_row[i].name, at, bytes) == 0)
                found = i;
        if (found < 0)
            return wrong(error, "layers", text,
                         "must be of height, water, cover and objects, with commas between them");
        if (!has_layer(set, (enum export_layer)found))
            return wrong(error, "layers", text,
                         found == EXPORT_COVER
                             ? "the recipe has no cover"
                             : "there are objects at levels 0 to 4 of recipes that name classes of them");
        set->layer[found] = true;
        at += bytes;
    }
    return 0;
}

int export_set_read(struct export_set *set, const struct export_words *words,
                    const struct terrane_recipe *recipe, int level, char error[static EXPORT_ERROR_BYTES])
{
    *set =
        (struct export_set){.recipe = recipe, .level = level, .spacing_m = ldexp(recipe->spacing_m, level)};
    return read_engine(set, words->engine, error) != 0 || read_format(set, words->format, error) != 0 ||
                   read_size(set, words->size, error) != 0 || read_tiles(set, words->tiles, error) != 0 ||
                   read_center(set, words->center, error) != 0 || read_range(set, words->range, error) != 0 ||
                   read_layers(set, words->layers, error) != 0
               ? -1
               : 0;
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static bool is_of_16_bits(const struct export_set *set)
{
    return set->format->coding == EXPORT_R16 || set->format->coding == EXPORT_GRAY16;
}

bool export_set_has_heights(const struct export_set *set)
{
    bool has = false;
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
        has = has || (set->layer[layer] && export_layer_row[layer].heights);
    return has;
}

bool export_set_waits(const struct export_set *set)
{
    return set->range == EXPORT_RANGE_SET && is_of_16_bits(set) && export_set_has_heights(set);
}

static int64_t tile_of(int64_t sample)
{
    return sample / SIDE - (sample % SIDE < 0);
}

static struct export_rect touched(int64_t x0, int64_t y0, int64_t width, int64_t height)
{
    return (struct export_rect){tile_of(x0), tile_of(y0), tile_of(x0 + width - 1) + 1,
                                tile_of(y0 + height - 1) + 1};
}

struct export_rect export_set_touched(const struct export_set *set, int column, int row)
{
    CHECK(column >= 0 && column < set->across && row >= 0 && row < set->down);
    return touched(set->x0 + (int64_t)column * set->step, set->y0 + (int64_t)row * set->step, set->size,
                   set->size);
}

struct export_rect export_set_all(const struct export_set *set)
{
    return touched(set->x0, set->y0, samples_along(set, set->across), samples_along(set, set->down));
}

struct tile_key export_set_key(const struct export_set *set, const struct tile_key *key,
                               enum export_layer layer, int64_t x, int64_t y)
{
    const struct export_layer_row *row = &export_layer_row[layer];
    struct tile_key of = {.seed = key->seed,
                          .x = x,
                          .y = y,
                          .level = set->level,
                          .layer = row->layer,
                          .variant = key->variant,
                          .format = row->format,
                          .size = row->size,
                          .alias = key->alias};
    tile_key_vary(&of, set->recipe);
    CHECK(tile_key_finish(&of) == TILE_FINE);
    return of;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

int export_set_materials(const struct export_set *set)
{
    return set->layer[EXPORT_COVER] ? set->recipe->cover.materials : 0;
}

bool export_set_controls(const struct export_set *set)
{
    return set->row->controls && set->size % 2 == 0 && set->layer[EXPORT_COVER];
}

int export_set_weights_side(const struct export_set *set)
{
    return set->row->even ? set->step : set->size;
}

/* Pictures of weights. */
static int pictures(const struct export_set *set)
{
    const int materials = export_set_materials(set);
    return set->row->splats ? (materials + BANDS - 1) / BANDS : materials;
}

int export_set_files(const struct export_set *set, enum export_layer layer)
{
    if (!set->layer[layer])
        return 0;
    return layer == EXPORT_COVER ? pictures(set) + export_set_controls(set) : 1;
}

/* A material's name, as a file's: letters, digits and dashes. */
static void name_material(const struct export_set *set, int material, char name[static MATERIAL_BYTES])
{
    const char *from = set->recipe->cover.material[material].name;
    int i = 0;
    for (; from[i]; i++)
        name[i] = from[i] == ' ' || from[i] == '_' ? '-' : from[i];
    name[i] = 0;
}

const char *export_set_name(const struct export_set *set, enum export_layer layer, int file, int column,
                            int row, char name[static EXPORT_NAME_BYTES])
{
    char x[16] = "*", y[16] = "*", of[MATERIAL_BYTES] = "", place[40];
    const char *ending = layer == EXPORT_OBJECTS ? "csv" : set->format->ending;
    const char *what = export_layer_row[layer].name;
    CHECK(file >= 0 && file < export_set_files(set, layer));
    if (column >= 0)
        snprintf(x, sizeof x, "%d", column);
    if (row >= 0)
        snprintf(y, sizeof y, "%d", set->row->from_south ? set->down - 1 - row : row);
    if (layer == EXPORT_COVER && file == pictures(set)) {
        what = "control";
        ending = "u32";
    } else if (layer == EXPORT_COVER) {
        ending = "png";
        if (!set->row->splats)
            name_material(set, file, of);
    }
    snprintf(place, sizeof place, "%s%s%s%s", set->row->place[0], x, set->row->place[1], y);
    if (layer == EXPORT_COVER && file < pictures(set))
        snprintf(name, EXPORT_NAME_BYTES, "%.8s%d%s%.23s%.36s.%.4s", what, file, *of ? "-" : "", of, place,
                 ending);
    else
        snprintf(name, EXPORT_NAME_BYTES, "%.8s%.36s.%.4s", what, place, ending);
    return name;
}

uint64_t export_set_bytes(const struct export_set *set, enum export_layer layer, int file)
{
    const uint64_t count = (uint64_t)set->size * (uint64_t)set->size;
    if (layer == EXPORT_COVER)
        return file == pictures(set) ? 4 * count : 0;
    if (layer == EXPORT_OBJECTS || set->format->coding == EXPORT_GRAY16 || set->format->coding == EXPORT_TIF)
        return 0;
    return (set->format->coding == EXPORT_R16 ? 2 : 4) * count;
}
