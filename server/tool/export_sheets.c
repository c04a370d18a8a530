/*
 * Sheets.
 *
 * Memory: the sheets that have begun: those of a row and the edge of the next one, of which pages are touched as they are filled. Samples
 * of a sheet that has come are disjoint, so workers fill one side by side.
 */
#include "export_sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/check.h"
#include "../base/little_endian.h"
#include "../encode/objects.h"
#include "export_write.h"
#include "mosaic.h"

enum { SIDE = TERRANE_TILE_SAMPLES };

struct export_sheet {
    enum export_state state; /* known to its last tile's worker, and when nothing is under way */
    bool wanted;             /* it was missing */
    atomic_int left;         /* tiles to come */
    void *samples;           /* float heights or uint8_t weights, from the north-west; NULL: none has come */
    struct export_object *object; /* under the lock */
    size_t objects, room;
    bool measured; /* low_m and high_m are known */
    float low_m, high_m;
};

void export_sheets_fail(struct export_sheets *sheets, const char *why)
{
    uv_mutex_lock(&sheets->lock);
    if (!*sheets->error)
        snprintf(sheets->error, sizeof sheets->error, "%s", why);
    uv_mutex_unlock(&sheets->lock);
    atomic_store(&sheets->failed, true);
}

static struct export_sheet *sheet_of(struct export_sheets *sheets, enum export_layer layer, int tile)
{
    return &sheets->sheet[(int)layer * sheets->tiles + tile];
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static void put(struct export_sheets *sheets, enum export_layer layer, int file, int tile, bool kept,
                const void *data, size_t bytes)
{
    char name[EXPORT_NAME_BYTES], error[EXPORT_ERROR_BYTES];
    const int across = sheets->set->across;
    export_set_name(sheets->set, layer, file, tile % across, tile / across, name);
    if (export_folder_put(sheets->folder, name, kept, data, bytes, error) != 0)
        export_sheets_fail(sheets, error);
    else if (!kept)
        atomic_fetch_add(&sheets->bytes, (long long)bytes);
}

/* What one of the functions of export_write.h has made, or not. */
static void put_made(struct export_sheets *sheets, enum export_layer layer, int file, int tile, int made,
                     unsigned char *data, size_t bytes)
{
    if (made != 0) {
        export_sheets_fail(sheets, "out of memory");
        return;
    }
    put(sheets, layer, file, tile, false, data, bytes);
    free(data);
}

static void write_heights(struct export_sheets *sheets, enum export_layer layer, int tile, float *heights)
{
    const int across = sheets->set->across;
    unsigned char *data = NULL;
    size_t bytes = 0;
    const int made = export_write_heights(sheets->set, heights, tile % across, tile / across, sheets->low_m,
                                          sheets->high_m, &data, &bytes);
    put_made(sheets, layer, 0, tile, made, data, bytes);
}

static void finish_heights(struct export_sheets *sheets, struct export_sheet *sheet, enum export_layer layer,
                           int tile)
{
    if (sheets->ranged) {
        write_heights(sheets, layer, tile, sheet->samples);
        return;
    }
    terrane_height_range(sheet->samples, export_set_count(sheets->set), &sheet->low_m, &sheet->high_m);
    sheet->measured = true;
    put(sheets, layer, 0, tile, true, sheet->samples, export_set_count(sheets->set) * sizeof(float));
    sheet->state = EXPORT_WAITS;
}

/* All tiles of a sheet have come. */
static void finish(struct export_sheets *sheets, struct export_sheet *sheet, enum export_layer layer,
                   int tile)
{
    unsigned char *data = NULL;
    size_t bytes = 0;
    sheet->state = EXPORT_THERE;
    switch (layer) {
    case EXPORT_HEIGHT:
    case EXPORT_WATER:
        finish_heights(sheets, sheet, layer, tile);
        break;
    case EXPORT_COVER:
        for (int file = 0; file < export_set_files(sheets->set, layer) && !atomic_load(&sheets->failed);
             file++) {
            const int made = export_write_cover(sheets->set, file, sheet->samples, &data, &bytes);
            put_made(sheets, layer, file, tile, made, data, bytes);
        }
        break;
    case EXPORT_OBJECTS: {
        const int made = export_write_objects(sheets->set, sheet->object, sheet->objects, &data, &bytes);
        put_made(sheets, layer, 0, tile, made, data, bytes);
        break;
    }
    case EXPORT_LAYERS:
        break;
    }
    free(sheet->samples);
    free(sheet->object);
    sheet->samples = NULL;
    sheet->object = NULL;
}

/* ---- Sheets -------------------------------------------------------------------------------------------- */

/* Room for a sheet's samples, whichever worker comes first; NULL: memory is short. */
static void *room_of(struct export_sheets *sheets, struct export_sheet *sheet, size_t sample_bytes)
{
    uv_mutex_lock(&sheets->lock);
    if (!sheet->samples)
        sheet->samples = calloc(export_set_count(sheets->set), sample_bytes);
    void *const room = sheet->samples;
    uv_mutex_unlock(&sheets->lock);
    return room;
}

static void fill_heights(const struct blob *blob, struct mosaic_overlap x, struct mosaic_overlap y,
                         size_t stride, float *out)
{
    for (size_t j = 0; j < y.count; j++) {
        const unsigned char *from = blob->data + ((y.from + j) * SIDE + x.from) * sizeof(float);
        float *const to = out + (y.to + j) * stride + x.to;
        for (size_t i = 0; i < x.count; i++)
            to[i] = get_f32(from + i * sizeof(float));
    }
}

static void fill_weights(const struct blob *blob, int materials, struct mosaic_overlap x,
                         struct mosaic_overlap y, size_t stride, uint8_t *out)
{
    float row[SIDE * TERRANE_MATERIALS_MAX];
    const size_t of = (size_t)materials;
    for (size_t j = 0; j < y.count; j++) {
        const unsigned char *from = blob->data + ((y.from + j) * SIDE + x.from) * of * sizeof(float);
        for (size_t i = 0; i < x.count * of; i++)
            row[i] = get_f32(from + i * sizeof(float));
        export_weigh(row, x.count, materials, out + ((y.to + j) * stride + x.to) * of);
    }
}

/* Those records of a tile that stand on a tile of the set: an edge that two share is the eastern, or southern, one's. */
static bool fill_objects(struct export_sheets *sheets, struct export_sheet *sheet, int tile,
                         const struct tile_key *key, const struct blob *blob)
{
    const struct export_set *set = sheets->set;
    const double step_m = set->step * set->spacing_m;
    const double west_m = (double)(key->x * SIDE - set->x0) * set->spacing_m;
    const double north_m = (double)(key->y * SIDE - set->y0) * set->spacing_m;
    const int row = tile / set->across;
    const double left_m = tile % set->across * step_m, top_m = row * step_m;
    bool good = true;
    CHECK(blob->bytes >= OBJECT_BYTES && blob->bytes % OBJECT_BYTES == 0);
    uv_mutex_lock(&sheets->lock);
    for (size_t at = OBJECT_BYTES; good && at < blob->bytes; at += OBJECT_BYTES) {
        const unsigned char *record = blob->data + at;
        const double x_m = west_m + (double)get_f32(record), y_m = north_m + (double)get_f32(record + 4);
        if (x_m < left_m || x_m >= left_m + step_m || y_m < top_m || y_m >= top_m + step_m)
            continue;
        struct export_object *more =
            array_grown(sheet->object, sheet->objects, &sheet->room, 256, sizeof *more);
        good = more != NULL;
        sheet->object = good ? more : sheet->object;
        if (good)
            sheet->object[sheet->objects++] = (struct export_object){
                x_m, y_m, get_f32(record + 8), record[12], record[13], record[14], record[15]};
    }
    uv_mutex_unlock(&sheets->lock);
    return good;
}

/* Puts a tile of the world into a sheet. */
static void fill(struct export_sheets *sheets, struct export_sheet *sheet, enum export_layer layer, int tile,
                 const struct tile_key *key, const struct blob *blob)
{
    const struct export_set *set = sheets->set;
    const int materials = export_set_materials(set);
    const size_t stride = (size_t)set->size;
    const int64_t west = set->x0 + (int64_t)(tile % set->across) * set->step,
                  north = set->y0 + (int64_t)(tile / set->across) * set->step;
    const struct mosaic_overlap x = mosaic_overlap(key->x, SIDE, west, set->size),
                                y = mosaic_overlap(key->y, SIDE, north, set->size);
    bool good = true;
    if (layer == EXPORT_OBJECTS) {
        good = fill_objects(sheets, sheet, tile, key, blob);
    } else {
        const bool heights = export_layer_row[layer].heights;
        void *const room = room_of(sheets, sheet, heights ? sizeof(float) : (size_t)materials);
        good = room != NULL;
        if (good && heights)
            fill_heights(blob, x, y, stride, room);
        else if (good)
            fill_weights(blob, materials, x, y, stride, room);
    }
    if (!good)
        export_sheets_fail(sheets, "out of memory");
    if (atomic_fetch_sub(&sheet->left, 1) == 1 && !atomic_load(&sheets->failed))
        finish(sheets, sheet, layer, tile);
}

/* The tiles of the set, along an axis, that have samples of a tile of the world: low <= k <= high. */
static void touching(const struct export_set *set, int64_t tile, int64_t first, int tiles, int *low,
                     int *high)
{
    const int64_t start = tile * SIDE - first, end = start + SIDE - 1;
    const int64_t from = start - (set->size - 1);
    *low = from > 0 ? (int)((from + set->step - 1) / set->step) : 0;
    *high = end / set->step < tiles - 1 ? (int)(end / set->step) : tiles - 1;
}

void export_sheets_fill(struct export_sheets *sheets, enum export_layer layer, const struct tile_key *key,
                        const struct blob *blob)
{
    int west, east, north, south;
    touching(sheets->set, key->x, sheets->set->x0, sheets->set->across, &west, &east);
    touching(sheets->set, key->y, sheets->set->y0, sheets->set->down, &north, &south);
    for (int row = north; row <= south; row++)
        for (int column = west; column <= east; column++) {
            const int tile = row * sheets->set->across + column;
            struct export_sheet *sheet = sheet_of(sheets, layer, tile);
            if (sheet->wanted)
                fill(sheets, sheet, layer, tile, key, blob);
        }
    atomic_fetch_add(&sheets->made, 1);
}

/* ---- Heights that wait for the range ------------------------------------------------------------------- */

/* A sheet's samples as they wait; owned, NULL: a line is told. */
static float *take_kept(struct export_sheets *sheets, enum export_layer layer, int tile)
{
    char name[EXPORT_NAME_BYTES], error[EXPORT_ERROR_BYTES];
    const size_t bytes = export_set_count(sheets->set) * sizeof(float);
    float *heights = malloc(bytes);
    export_set_name(sheets->set, layer, 0, tile % sheets->set->across, tile / sheets->set->across, name);
    if (!heights)
        export_sheets_fail(sheets, "out of memory");
    else if (export_folder_take(sheets->folder, name, heights, bytes, error) == 0)
        return heights;
    else
        export_sheets_fail(sheets, error);
    free(heights);
    return NULL;
}

/* Whole metres around all heights. */
void export_sheets_find_range(struct export_sheets *sheets)
{
    char error[EXPORT_ERROR_BYTES];
    float low_m = 0, high_m = 0;
    bool any = false;
    for (int i = 0; i < sheets->tiles * EXPORT_LAYERS && !atomic_load(&sheets->failed); i++) {
        struct export_sheet *sheet = &sheets->sheet[i];
        if (sheet->state != EXPORT_WAITS)
            continue;
        if (!sheet->measured) {
            float *heights = take_kept(sheets, (enum export_layer)(i / sheets->tiles), i % sheets->tiles);
            if (heights)
                terrane_height_range(heights, export_set_count(sheets->set), &sheet->low_m, &sheet->high_m);
            free(heights);
        }
        low_m = any && low_m < sheet->low_m ? low_m : sheet->low_m;
        high_m = any && high_m > sheet->high_m ? high_m : sheet->high_m;
        any = true;
    }
    sheets->low_m = __builtin_floorf(low_m);
    sheets->high_m = __builtin_ceilf(high_m);
    sheets->high_m += sheets->high_m > sheets->low_m ? 0 : 1;
    sheets->ranged = true;
    if (!atomic_load(&sheets->failed) &&
        export_folder_note(sheets->folder,
                           json_pack("{s:[f,f]}", "range_m", (double)sheets->low_m, (double)sheets->high_m),
                           error) != 0)
        export_sheets_fail(sheets, error);
}

bool export_sheets_wait(const struct export_sheets *sheets, enum export_layer layer, int tile)
{
    return sheets->sheet[(int)layer * sheets->tiles + tile].state == EXPORT_WAITS;
}

void export_sheets_write(struct export_sheets *sheets, enum export_layer layer, int tile)
{
    char name[EXPORT_NAME_BYTES];
    float *heights = take_kept(sheets, layer, tile);
    if (!heights)
        return;
    write_heights(sheets, layer, tile, heights);
    free(heights);
    if (atomic_load(&sheets->failed))
        return;
    export_set_name(sheets->set, layer, 0, tile % sheets->set->across, tile / sheets->set->across, name);
    export_folder_drop(sheets->folder, name);
    sheet_of(sheets, layer, tile)->state = EXPORT_THERE;
}

/* ---- All ----------------------------------------------------------------------------------------------- */

int export_sheets_open(struct export_sheets *sheets, const struct export_set *set,
                       struct export_folder *folder, const enum export_state *state)
{
    *sheets = (struct export_sheets){.set = set,
                                     .folder = folder,
                                     .tiles = set->across * set->down,
                                     .ranged = true,
                                     .low_m = set->low_m,
                                     .high_m = set->high_m};
    uv_mutex_init(&sheets->lock);
    if (export_set_waits(set))
        sheets->ranged = export_folder_range(folder, &sheets->low_m, &sheets->high_m);
    sheets->sheet = calloc((size_t)sheets->tiles * EXPORT_LAYERS, sizeof *sheets->sheet);
    for (int i = 0; sheets->sheet && i < sheets->tiles * EXPORT_LAYERS; i++) {
        const int tile = i % sheets->tiles;
        const struct export_rect rect = export_set_touched(set, tile % set->across, tile / set->across);
        sheets->sheet[i].state = state[i];
        sheets->sheet[i].wanted = state[i] == EXPORT_MISSING;
        atomic_init(&sheets->sheet[i].left, (int)((rect.x1 - rect.x0) * (rect.y1 - rect.y0)));
    }
    return sheets->sheet ? 0 : -1;
}

void export_sheets_close(struct export_sheets *sheets)
{
    for (int i = 0; sheets->sheet && i < sheets->tiles * EXPORT_LAYERS; i++) {
        free(sheets->sheet[i].samples);
        free(sheets->sheet[i].object);
    }
    free(sheets->sheet);
    uv_mutex_destroy(&sheets->lock);
}

bool export_sheets_want(const struct export_sheets *sheets, enum export_layer layer, int tile)
{
    return sheets->sheet[(int)layer * sheets->tiles + tile].wanted;
}
