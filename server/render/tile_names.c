/*
 * What has a name in a tile, as its JSON lists it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../base/json_text.h"
#include "tile_vectors.h"

static int compare(const void *a, const void *b)
{
    const struct tile_label *first = a, *second = b;
    return first->rank != second->rank ? (first->rank < second->rank ? -1 : 1)
                                       : tile_label_compare(first, second);
}

static json_t *name_of(const struct piece *piece, const struct tile_label *label)
{
    const int level = piece->key->level;
    const double unit_m = terrane_lattice_m(piece->world, level, TERRANE_TILE_SAMPLES) / MVT_EXTENT;
    const int64_t side = TERRANE_TILE_SAMPLES;
    json_t *name = json_pack(
        "{s:s, s:s, s:i, s:f, s:f}", "kind", tile_label_kind(label), "name", label->name, "rank", label->rank,
        "x", terrane_lattice_m(piece->world, level, piece->key->x * side) + label->at.x * unit_m, "y",
        terrane_lattice_m(piece->world, level, piece->key->y * side) + label->at.y * unit_m);
    json_put(&name, "id", json_sprintf("%016" PRIx64, label->id));
    if (label->kind == LABEL_PEAK)
        json_put(&name, "ele", json_real(label->ele_m));
    if (label->kind == LABEL_TRACT)
        json_put(&name, "zone", json_string(piece->world->recipe->partition.zone[label->zone].name));
    if (tile_label_turns(label))
        json_put(&name, "angle", json_integer((json_int_t)label->angle));
    return name;
}

json_t *tile_names(const struct piece *piece)
{
    struct tile_labels labels = {0};
    json_t *names = tile_list_labels(piece, &labels) == 0 ? json_array() : NULL;
    if (labels.count > 0)
        qsort(labels.label, labels.count, sizeof *labels.label, compare);
    for (size_t k = 0; names && k < labels.count; k++)
        json_append(&names, name_of(piece, &labels.label[k]));
    free(labels.label);
    return names;
}
