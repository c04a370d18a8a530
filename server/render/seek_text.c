/*
 * What a tile lists, read back from its GeoJSON, and what was found as GeoJSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "../encode/geojson.h"
#include "seek_parts.h"

static bool copy_text(json_t *object, const char *name, char *to, size_t room)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text && (size_t)snprintf(to, room, "%s", text) < room;
}

/* false: it is not of the kind. */
static bool read_listed(json_t *feature, enum find_what what, struct seek_hit *hit)
{
    json_t *at = json_object_get(json_object_get(feature, "geometry"), "coordinates"),
           *properties = json_object_get(feature, "properties");
    json_t *ele = json_object_get(properties, "ele");
    const char *rank = json_string_value(json_object_get(properties, "rank")),
               *kind = json_string_value(json_object_get(properties, "kind"));
    *hit = (struct seek_hit){.x_m = json_number_value(json_array_get(at, 0)),
                             .y_m = json_number_value(json_array_get(at, 1)),
                             .height_m = json_number_value(ele ? ele : json_array_get(at, 2)),
                             .town = rank && strcmp(rank, "town") == 0,
                             .whole = true};
    const bool is =
        what == FIND_PEAK ? kind && strcmp(kind, "peak") == 0 : hit->town || (rank && what == FIND_PLACE);
    copy_text(properties, "name", hit->name, sizeof hit->name);
    return is && copy_text(feature, "id", hit->id, sizeof hit->id);
}

/* The tile from its first feature with an id on: contours have none and come before; parsed they take 100 MB. NULL: no memory. */
static json_t *parse_listed(const unsigned char *text, size_t bytes)
{
    static const char head[] = "{\"features\":[", with_id[] = "{\"type\":\"Feature\",\"id\":";
    const size_t before = sizeof head - 1;
    const unsigned char *from = memmem(text, bytes, with_id, sizeof with_id - 1);
    const size_t rest = from ? bytes - (size_t)(from - text) : 0;
    char *listed = from ? malloc(before + rest) : NULL;
    if (!from)
        return json_object();
    if (!listed)
        return NULL;
    memcpy(listed, head, before);
    memcpy(listed + before, from, rest);
    json_t *tile = json_loadb(listed, before + rest, 0, NULL);
    free(listed);
    return tile;
}

int seek_list(const unsigned char *text, size_t bytes, enum find_what what, seek_listed *found, void *context)
{
    json_t *tile = parse_listed(text, bytes), *feature;
    struct seek_hit hit;
    size_t k;
    if (!tile)
        return -1;
    json_array_foreach(json_object_get(tile, "features"), k, feature)
    {
        const char *type = json_string_value(json_object_get(json_object_get(feature, "geometry"), "type"));
        if (type && strcmp(type, "Point") == 0 && read_listed(feature, what, &hit))
            found(context, &hit);
    }
    json_decref(tile);
    return 0;
}

/* ---- What was found ------------------------------------------------------------------------------------ */

/* An empty text is none. */
static void put_text(json_t **properties, const char *member, const char *text)
{
    if (*text)
        json_put(properties, member, json_string(text));
}

/* What the kind tells of itself, into the properties. */
static void put_measure(json_t **properties, enum find_what what, const struct seek_hit *hit)
{
    switch (what) {
    case FIND_PEAK:
        put_text(properties, "name", hit->name);
        break;
    case FIND_RIVER:
    case FIND_MOUTH:
        put_text(properties, "name", hit->water.name);
        put_text(properties, "river", hit->water.id);
        json_put(properties, "discharge_m3s", json_real(hit->measure));
        break;
    case FIND_LAKE:
        put_text(properties, "name", hit->water.name);
        put_text(properties, "lake", hit->water.id);
        json_put(properties, "area_m2", json_real(hit->measure));
        break;
    case FIND_ZONE:
    case FIND_COVER:
        json_put(properties, "area_m2", json_real(hit->measure));
        break;
    case FIND_PLACE:
    case FIND_TOWN:
        put_text(properties, "name", hit->name);
        json_put(properties, "rank", json_string(hit->town ? "town" : "village"));
        break;
    case FIND_COAST:
    case FIND_CAVE:
    case FINDS:
        break;
    }
}

static json_t *feature_of(enum find_what what, const struct seek_hit *hit)
{
    json_t *properties =
        json_pack("{s:f, s:i, s:i}", "distance_m", hit->distance_m, "lod", hit->level, "seen_lod", hit->seen);
    put_measure(&properties, what, hit);
    json_t *feature =
        json_pack("{s:s, s:{s:s, s:[f, f, f]}, s:o}", "type", "Feature", "geometry", "type", "Point",
                  "coordinates", hit->x_m, hit->y_m, hit->height_m, "properties", properties);
    if (*hit->id)
        json_put(&feature, "id", json_string(hit->id));
    return feature;
}

/* Of each level that was looked through how far: of stages of a level the last says it. */
static json_t *levels_of(const struct seek *seek)
{
    json_t *levels = json_array();
    for (int s = 0; s <= seek->at; s++)
        if (s == seek->at || seek->stage[s + 1].level != seek->stage[s].level)
            json_append(&levels, json_pack("{s:i, s:f}", "lod", seek->stage[s].level, "reach_m",
                                           seek->stage[s].reach_m));
    return levels;
}

char *seek_text(const struct seek *seek, size_t *bytes)
{
    char what[FIND_WHAT_BYTES];
    json_t *features = json_array();
    for (size_t k = 0; features && k < seek->results; k++)
        json_append(&features, feature_of(seek->question.what, &seek->result[k]));
    json_t *search =
        json_pack("{s:s, s:[f, f], s:o}", "what", find_write(&seek->question, seek->world->recipe, what),
                  "from", seek->x_m, seek->y_m, "levels", levels_of(seek));
    return json_text(json_pack("{s:s, s:s, s:o, s:o}", "type", "FeatureCollection", "axes", GEOJSON_AXES,
                               "search", search, "features", features),
                     JSON_COMPACT, bytes);
}
