/* Layers of a vector tile as GeoJSON: points, lines and areas in metres, with their properties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/little_endian.h"
#include "../base/text.h"
#include "geojson.h"
#include "mvt_parts.h"

struct map {
    FILE *out;
    const struct geojson_place *place;
    struct mvt_part *key, *value; /* of the layer: as many as there are */
    size_t keys, values;
    const char *before; /* the next feature */
};

static void put_text(FILE *out, struct mvt_part text)
{
    fputc('"', out);
    for (; text.at < text.end; text.at++) {
        if (*text.at < ' ' || *text.at == '"' || *text.at == '\\')
            fprintf(out, "\\u%04x", *text.at);
        else
            fputc(*text.at, out);
    }
    fputc('"', out);
}

static void put_value(FILE *out, struct mvt_part value)
{
    uint64_t key, number;
    struct mvt_part inner;
    if (!mvt_read_field(&value, &key, &number, &inner))
        return;
    if (key >> 3 == MVT_VALUE_TEXT)
        put_text(out, inner);
    else if (key >> 3 == MVT_VALUE_DOUBLE)
        fprintf(out, "%.17g", get_f64(inner.at));
    else
        fprintf(out, "%lld", (long long)mvt_unzigzag(number));
}

static bool is_id(struct mvt_part key)
{
    return key.end - key.at == 2 && memcmp(key.at, "id", 2) == 0;
}

static void put_properties(const struct map *map, struct mvt_part tags)
{
    uint64_t key, value;
    const char *before = "";
    fputs("\"properties\":{", map->out);
    while (mvt_read_varint(&tags, &key) && mvt_read_varint(&tags, &value) && key < map->keys &&
           value < map->values) {
        if (is_id(map->key[key])) /* it is a member of the feature's own */
            continue;
        fputs(before, map->out);
        put_text(map->out, map->key[key]);
        fputc(':', map->out);
        put_value(map->out, map->value[value]);
        before = ",";
    }
    fputc('}', map->out);
}

static void put_point(const struct map *map, int64_t x, int64_t y, const char *before)
{
    const struct geojson_place *place = map->place;
    fprintf(map->out, "%s[%.17g,%.17g]", before, place->west_m + (double)x * place->unit_m,
            place->north_m + (double)y * place->unit_m);
}

/* Writes a point, a line, or the rings of an area, each closed with its first point. */
static void put_geometry(const struct map *map, enum mvt_kind kind, struct mvt_part words)
{
    static const struct {
        const char *name, *begins, *ring, *ends;
    } as[] = {[MVT_POINT] = {"Point", "", "", "}"},
              [MVT_LINE] = {"LineString", "", "[", "]}"},
              [MVT_POLYGON] = {"Polygon", "[", "[", "]]}"}};
    int64_t x = 0, y = 0, first_x = 0, first_y = 0;
    uint64_t word, dx, dy;
    bool begun = false;
    fprintf(map->out, "\"geometry\":{\"type\":\"%s\",\"coordinates\":%s", as[kind].name, as[kind].begins);
    while (mvt_read_varint(&words, &word)) {
        const enum mvt_command command = word & 7;
        if (command == MVT_CLOSE_PATH) {
            put_point(map, first_x, first_y, ",");
            continue;
        }
        for (uint64_t k = 0; k < word >> 3 && mvt_read_varint(&words, &dx) && mvt_read_varint(&words, &dy);
             k++) {
            x += mvt_unzigzag(dx);
            y += mvt_unzigzag(dy);
            if (command == MVT_MOVE_TO) {
                fputs(begun ? "],[" : as[kind].ring, map->out);
                first_x = x;
                first_y = y;
            }
            put_point(map, x, y, command == MVT_MOVE_TO ? "" : ",");
            begun = true;
        }
    }
    fputs(as[kind].ends, map->out);
    fputc(',', map->out);
}

static void put_feature(struct map *map, struct mvt_part feature)
{
    struct mvt_part inner, tags = {NULL, NULL}, geometry = {NULL, NULL};
    uint64_t key, number, kind = 0, id = 0;
    while (mvt_read_field(&feature, &key, &number, &inner)) {
        if (key >> 3 == MVT_FEATURE_TAGS)
            tags = inner;
        else if (key >> 3 == MVT_FEATURE_GEOMETRY)
            geometry = inner;
        else if (key >> 3 == MVT_FEATURE_KIND)
            kind = number;
        else if (key >> 3 == MVT_FEATURE_ID)
            id = number;
    }
    fprintf(map->out, "%s{\"type\":\"Feature\",", map->before);
    if (id != 0)
        fprintf(map->out, "\"id\":\"%016llx\",", (unsigned long long)id);
    map->before = ",";
    put_geometry(map, (enum mvt_kind)kind, geometry);
    put_properties(map, tags);
    fputc('}', map->out);
}

/* Reads keys and values, which come after the features that refer to them. -1: memory is short. */
static int list_words(struct map *map, struct mvt_part layer)
{
    struct mvt_part inner;
    uint64_t key, number;
    map->keys = map->values = 0;
    while (mvt_read_field(&layer, &key, &number, &inner)) {
        const bool is_key = key >> 3 == MVT_LAYER_KEYS;
        if (!is_key && key >> 3 != MVT_LAYER_VALUES)
            continue;
        struct mvt_part **list = is_key ? &map->key : &map->value;
        size_t *count = is_key ? &map->keys : &map->values;
        struct mvt_part *more = realloc(*list, (*count + 1) * sizeof **list);
        if (!more)
            return -1;
        *list = more;
        (*list)[(*count)++] = inner;
    }
    return 0;
}

static int put_layer(struct map *map, struct mvt_part layer)
{
    struct mvt_part rest = layer, inner;
    uint64_t key, number;
    if (list_words(map, layer) != 0)
        return -1;
    while (mvt_read_field(&rest, &key, &number, &inner))
        if (key >> 3 == MVT_LAYER_FEATURES)
            put_feature(map, inner);
    return 0;
}

int encode_geojson_vectors(const unsigned char *tile, size_t tile_bytes, const struct geojson_place *place,
                           unsigned char **data, size_t *bytes)
{
    char *text = NULL;
    struct mvt_part part = {tile, tile + tile_bytes}, layer;
    struct map map = {.out = open_memstream(&text, bytes), .place = place, .before = ""};
    uint64_t key, number;
    if (!map.out)
        return -1;
    fputs("{\"type\":\"FeatureCollection\",\"features\":[", map.out);
    int error = 0;
    while (error == 0 && mvt_read_field(&part, &key, &number, &layer))
        error = put_layer(&map, layer);
    fputs("]}\n", map.out);
    text = text_end(map.out, &text);
    free(map.key);
    free(map.value);
    if (error)
        free(text);
    *data = error ? NULL : (unsigned char *)text;
    return *data ? 0 : -1;
}
