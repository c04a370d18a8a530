/*
 * What has a name in a tile: the list, and which of it a vector tile has.
 *
 * A view is to show some dozens of names, none over another. So each kind has its share of a tile, and what a map could not draw beside a name that
 * comes before it is left out. What comes first does so at finer levels, too: the order is that of the levels from which names are shown, so
 * that what a tile has its finer ones have, too, as a rule.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "tile_vectors.h"

enum {
    NAMES_MAX =
        7, /* of a vector tile: five make a view, in which parts of others may have more than their share */
    PIXEL = MVT_EXTENT / 512,
    LETTER = 8 * PIXEL, /* what a letter of a name is wide, and a name is high, on a map */
    LINE = 24 * PIXEL
};

static const struct kind_row {
    const char *name;
    int max; /* of a vector tile */
    int later; /* levels below that of its rank from which it is shown; rivers and lakes give way to landmarks */
    bool beside; /* its name stands on whichever side of its place is free */
} kind_row[LABELS] = {
    [LABEL_TOWN] = {"town", 2, 0, true},    [LABEL_VILLAGE] = {"village", 2, 0, true},
    [LABEL_RIVER] = {"river", 2, 2, false}, [LABEL_LAKE] = {"lake", 1, 2, false},
    [LABEL_PEAK] = {"peak", 2, 0, false},   [LABEL_SEA] = {"sea", 1, 1, false},
    [LABEL_RANGE] = {"range", 1, 2, false}, [LABEL_CAPE] = {"cape", 1, 1, true},
    [LABEL_BAY] = {"bay", 1, 1, false},     [LABEL_ISLAND] = {"island", 2, 0, true},
    [LABEL_TRACT] = {"tract", 2, 2, false}, [LABEL_BANK] = {"bank", 2, 1, false},
};

const char *tile_label_kind(const struct tile_label *label)
{
    return kind_row[label->kind].name;
}

bool tile_label_turns(const struct tile_label *label)
{
    return label->kind == LABEL_RIVER || label->kind == LABEL_RANGE;
}

int tile_label_add(struct tile_labels *labels, const struct tile_label *label)
{
    struct tile_label *more = array_grown(labels->label, labels->count, &labels->room, 64, sizeof *more);
    if (!more)
        return -1;
    labels->label = more;
    labels->label[labels->count++] = *label;
    return 0;
}

struct place {
    struct tile_label *label;
};

int tile_label_compare(const struct tile_label *first, const struct tile_label *second)
{
    if (first->kind != second->kind)
        return first->kind < second->kind ? -1 : 1;
    if (first->weight < second->weight || first->weight > second->weight)
        return first->weight > second->weight ? -1 : 1;
    return first->at.y != second->at.y ? (first->at.y > second->at.y) - (first->at.y < second->at.y)
                                       : (first->at.x > second->at.x) - (first->at.x < second->at.x);
}

static int compare(const void *a, const void *b)
{
    const struct tile_label *first = ((const struct place *)a)->label,
                            *second = ((const struct place *)b)->label;
    const int from = first->rank + kind_row[first->kind].later,
              to = second->rank + kind_row[second->kind].later;
    return from != to ? (from < to ? -1 : 1) : tile_label_compare(first, second);
}

static bool is_over(const struct tile_label *a, const struct tile_label *b)
{
    const int letters = (int)(strlen(a->name) + strlen(b->name));
    return 2 * abs(a->at.x - b->at.x) < letters * LETTER && abs(a->at.y - b->at.y) < LINE;
}

/* Says which are shown. -1: memory is short. */
static int choose(const struct tile_labels *labels)
{
    struct place *order = malloc((labels->count + 1) * sizeof *order);
    int of_kind[LABELS] = {0}, shown = 0;
    if (!order)
        return -1;
    for (size_t k = 0; k < labels->count; k++)
        order[k].label = &labels->label[k];
    qsort(order, labels->count, sizeof *order, compare);
    for (size_t k = 0; k < labels->count && shown < NAMES_MAX; k++) {
        struct tile_label *label = order[k].label;
        label->shown = of_kind[label->kind] < kind_row[label->kind].max;
        for (size_t before = 0; before < k && label->shown && !kind_row[label->kind].beside; before++)
            label->shown = !order[before].label->shown || !is_over(order[before].label, label);
        of_kind[label->kind] += label->shown;
        shown += label->shown;
    }
    free(order);
    return 0;
}

int tile_draw_labels(const struct piece *piece, const struct tile_labels *labels, bool few, struct mvt *mvt)
{
    if (few && choose(labels) != 0)
        return -1;
    for (size_t k = 0; k < labels->count; k++) {
        const struct tile_label *label = &labels->label[k];
        if (few && !label->shown)
            continue;
        mvt_feature(mvt, MVT_POINT, label->id);
        mvt_id(mvt, "id", label->id);
        mvt_text(mvt, "name", label->name);
        mvt_text(mvt, "kind", tile_label_kind(label));
        mvt_whole(mvt, "rank", label->rank);
        if (label->kind == LABEL_PEAK)
            mvt_number(mvt, "ele", label->ele_m);
        if (label->kind == LABEL_TRACT)
            mvt_text(mvt, "zone", piece->world->recipe->partition.zone[label->zone].name);
        if (tile_label_turns(label))
            mvt_whole(mvt, "angle", label->angle);
        mvt_geometry(mvt, &label->at, 1, false);
    }
    return 0;
}
