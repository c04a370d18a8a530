/*
 * What has a name in a tile, as its JSON lists it: the labels of a vector tile, those that are worth showing from far away first.
 */
#include <stdlib.h>

#include "tile_vectors.h"

enum {
    NAMES_MOST = 64, /* that are listed */
    RANK_MOST = TERRANE_LANDMARK_TOP + 1
};

/* The labels as GeoJSON; NULL: memory is short. */
static json_t *labels_of(const struct piece *piece)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const double tile_m = terrane_lattice_m(piece->world, piece->key->level, TERRANE_TILE_SAMPLES);
    const struct geojson_place place = {
        .west_m = terrane_lattice_m(piece->world, window->level, window->gi),
        .north_m = terrane_lattice_m(piece->world, window->level, window->gj),
        .unit_m = tile_m / MVT_EXTENT,
    };
    struct mvt *mvt = mvt_create();
    unsigned char *tile, *text = NULL;
    size_t tile_bytes, bytes;
    if (!mvt)
        return NULL;
    if (tile_add_labels(piece, mvt) != 0) {
        mvt_free(mvt);
        return NULL;
    }
    tile = mvt_finish(mvt, &tile_bytes);
    json_t *labels = NULL;
    if (tile && encode_geojson_vectors(tile, tile_bytes, &place, &text, &bytes) == 0)
        labels = json_loadb((const char *)text, bytes, 0, NULL);
    free(text);
    free(tile);
    return labels;
}

/* A label's properties, with its id and its place; NULL: memory is short. */
static json_t *name_of(json_t *label)
{
    json_t *at = json_object_get(json_object_get(label, "geometry"), "coordinates"),
           *id = json_object_get(label, "id"), *name = json_copy(json_object_get(label, "properties"));
    if (name && ((id && json_object_set(name, "id", id) != 0) ||
                 json_object_set(name, "x", json_array_get(at, 0)) != 0 ||
                 json_object_set(name, "y", json_array_get(at, 1)) != 0)) {
        json_decref(name);
        name = NULL;
    }
    return name;
}

json_t *tile_names(const struct piece *piece)
{
    json_t *labels = labels_of(piece), *names = labels ? json_array() : NULL, *label;
    size_t k;
    for (int rank = 0; names && rank <= RANK_MOST; rank++)
        json_array_foreach(json_object_get(labels, "features"), k, label)
        {
            if (json_integer_value(json_object_get(json_object_get(label, "properties"), "rank")) != rank ||
                json_array_size(names) == NAMES_MOST)
                continue;
            if (json_array_append_new(names, name_of(label)) != 0) {
                json_decref(names);
                names = NULL;
                break;
            }
        }
    json_decref(labels);
    return names;
}
