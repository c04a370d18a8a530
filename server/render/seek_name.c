/*
 * What was found gets its name from tiles that show it, or its height; and a cave its id and its entrance.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/little_endian.h"
#include "seek_parts.h"

/* The tile of a sample; the last tile's far edge is its own, since none lies beyond. */
static int64_t tile_of(int64_t g)
{
    const int log2 = 8;
    _Static_assert(TERRANE_TILE_SAMPLES == 1 << 8, "log2");
    const int64_t tile = g >> log2;
    return tile < TERRANE_TILE_LIMIT ? tile : TERRANE_TILE_LIMIT - 1;
}

void seek_begin_naming(struct seek *seek)
{
    const enum find_what what = seek->question.what;
    const bool lake = what == FIND_LAKE, named = lake || what == FIND_RIVER || what == FIND_MOUTH;
    if (!find_row[what].placed && what != FIND_CAVE && (!named || seek->world->recipe->rivers.top == 0))
        return;
    seek->naming = seek->results > 0;
    seek->had = 0;
    seek->layer[0] = lake ? LAYER_WATER : named ? LAYER_RIVER : what == FIND_CAVE ? LAYER_CAVE : LAYER_HEIGHT;
    seek->layers = 1;
    for (size_t k = 0; k < seek->results; k++) {
        struct seek_hit *hit = &seek->result[k];
        hit->tile = seek_want_tile(seek, hit->level, tile_of(hit->gi), tile_of(hit->gj));
    }
}

enum tile_format seek_naming_format(const struct seek *seek)
{
    const enum find_what what = seek->question.what;
    return find_row[what].placed ? FORMAT_F32 : what == FIND_CAVE ? FORMAT_JSON : FORMAT_GEOJSON;
}

static float height_in(const unsigned char *f32, int64_t column, int64_t row)
{
    return get_f32(f32 + 4 * (row * (TERRANE_TILE_SAMPLES + 1) + column));
}

/* Makes of a way in the entrance of the cave that a tile lists, the nearest one, with its id. Returns 0, or -1: memory is short. */
static int name_cave(const struct seek *seek, struct seek_hit *hit)
{
    const struct blob *blob = seek->blob[hit->tile];
    json_t *tile = json_loadb((const char *)blob->data, blob->bytes, 0, NULL), *cave;
    struct seek_hit best = *hit;
    double least = INFINITY;
    size_t k;
    json_array_foreach(json_object_get(tile, "caves"), k, cave)
    {
        json_t *entrance = json_object_get(cave, "entrance");
        const char *id = json_string_value(json_object_get(cave, "id"));
        const double x_m = json_number_value(json_array_get(entrance, 0)),
                     y_m = json_number_value(json_array_get(entrance, 1)), x = x_m - hit->x_m,
                     y = y_m - hit->y_m;
        if (!id || x * x + y * y >= least)
            continue;
        least = x * x + y * y;
        best.x_m = x_m;
        best.y_m = y_m;
        best.height_m = json_number_value(json_array_get(entrance, 2));
        snprintf(best.id, sizeof best.id, "%s", id);
    }
    *hit = best;
    seek_away(seek, hit);
    json_decref(tile);
    return tile ? 0 : -1;
}

/* In the order of their entrances, each cave once. */
static int name_caves(struct seek *seek)
{
    struct seek_hit named[FIND_LIMIT_MAX] = {{0}};
    size_t count = 0;
    for (size_t k = 0; k < seek->results; k++) {
        struct seek_hit *hit = &seek->result[k];
        bool known = false;
        if (name_cave(seek, hit) != 0)
            return -1;
        for (size_t n = 0; n < count; n++)
            known = known || (*hit->id && strcmp(named[n].id, hit->id) == 0);
        if (!known)
            seek_insert(named, &count, FIND_LIMIT_MAX, hit);
    }
    memcpy(seek->result, named, count * sizeof *named);
    seek->results = count;
    return 0;
}

int seek_name_results(struct seek *seek)
{
    const bool placed = find_row[seek->question.what].placed, lake = seek->question.what == FIND_LAKE;
    int error = 0;
    if (seek->question.what == FIND_CAVE)
        return name_caves(seek);
    for (size_t k = 0; k < seek->results && error == 0; k++) {
        struct seek_hit *hit = &seek->result[k];
        const struct blob *blob = seek->blob[hit->tile];
        const double near_m = SEEK_AROUND * seek_step_m(seek, hit->level);
        if (placed)
            hit->height_m =
                (double)height_in(blob->data, hit->gi - TERRANE_TILE_SAMPLES * seek->tile_x[hit->tile],
                                  hit->gj - TERRANE_TILE_SAMPLES * seek->tile_y[hit->tile]);
        else
            error = (lake ? lake_near : river_near)(blob->data, blob->bytes, hit->x_m, hit->y_m, near_m,
                                                    &hit->water);
    }
    return error;
}
