/*
 * Names of lakes. A lake is told by the greatest river that leaves it, or ends in it, and by its level there: lattices that have it share
 * both. Water that touches is one lake, though trees have flooded it to levels of their own. It is named at the place farthest from
 * its shores. One that goes on beyond a product is named by the product that has where it leaves, or ends, in its own part.
 */
#include <stdlib.h>

#include "tile_vectors.h"

enum {
    NAMED_CELLS =
        32, /* that a lake has at least, to be named on lattices; a quarter at the next finer level ... */
    NAMED_MIN = 8, /* ... but so many */
};

static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

/* A lake that is named. */
struct named {
    uint64_t id;
    struct terrane_stem stem;
    int32_t z;
    int cells;
    struct mvt_point point;
};

/* A product whose lakes are looked at. */
struct look {
    const struct piece *piece;
    const struct terrane_drained *drained;
    struct terrane_region region;
    uint16_t *ring;        /* of each cell: 0 not seen; 1 seen; else one more than how far its shore is */
    int32_t *cell, *order; /* of the lake under way: as they were come to; from the shore in */
    struct named *named;   /* room for one of every NAMED_MIN cells */
    int count;
};

static bool is_lake(const struct terrane_drained *drained, size_t at)
{
    return terrane_drained_cell(drained, at).to & TERRANE_DRAIN_LAKE;
}

/* A cell's neighbour, or -1: it lies beyond the window. */
static ptrdiff_t beside(const struct terrane_window *window, size_t at, int k)
{
    const int x = (int)(at % (size_t)window->width) + dx[k], y = (int)(at / (size_t)window->width) + dy[k];
    return x < 0 || y < 0 || x >= window->width || y >= window->height ? -1
                                                                       : (ptrdiff_t)y * window->width + x;
}

/* Whether a lake's water leaves it at a cell, or ends there. */
static bool is_outlet(const struct terrane_drained *drained, size_t at)
{
    const int way = terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
    if (!is_lake(drained, at) || way >= 8)
        return is_lake(drained, at) && way == TERRANE_DRAIN_INLAND;
    const ptrdiff_t next = beside(&drained->window, at, way);
    return next >= 0 && !is_lake(drained, (size_t)next);
}

/* A lake under way. */
struct lake {
    int cells;
    ptrdiff_t outlet; /* of those that are of a river the one with the most runoff; -1: none is */
    struct terrane_stem stem;
};

/* Whether a stem comes before another, where as much runs off by both: rows of lattices do not say the same. */
static bool is_before(const struct terrane_stem *a, const struct terrane_stem *b)
{
    if (a->level != b->level)
        return a->level > b->level;
    return a->gj != b->gj ? a->gj < b->gj : a->gi < b->gi;
}

static void note_outlet(const struct look *look, struct lake *lake, size_t at)
{
    const struct terrane_drained *drained = look->drained;
    struct terrane_stem stem;
    if (!is_outlet(drained, at) || !terrane_drained_stem(look->piece->world->recipe, drained, at, &stem))
        return;
    const uint64_t runoff = terrane_drained_cell(drained, at).runoff,
                   max = lake->outlet < 0 ? 0 : terrane_drained_cell(drained, (size_t)lake->outlet).runoff;
    if (lake->outlet >= 0 && (runoff < max || (runoff == max && !is_before(&stem, &lake->stem))))
        return;
    lake->outlet = (ptrdiff_t)at;
    lake->stem = stem;
}

/* The neighbour of a lake's cell that is the lake's, too; else -1. */
static ptrdiff_t beside_in(const struct look *look, size_t at, int k)
{
    const ptrdiff_t next = beside(&look->drained->window, at, k);
    return next >= 0 && is_lake(look->drained, (size_t)next) ? next : -1;
}

/* All cells of a lake that the window has, from one of them on. */
static struct lake gather(const struct look *look, size_t from)
{
    struct lake lake = {.cells = 1, .outlet = -1};
    look->cell[0] = (int32_t)from;
    look->ring[from] = 1;
    for (int n = 0; n < lake.cells; n++) {
        const size_t at = (size_t)look->cell[n];
        note_outlet(look, &lake, at);
        for (int k = 0; k < 8; k++) {
            const ptrdiff_t next = beside_in(look, at, k);
            if (next < 0 || look->ring[next])
                continue;
            look->ring[next] = 1;
            look->cell[lake.cells++] = (int32_t)next;
        }
    }
    return lake;
}

/* Whether a cell is of the region that a product is of, not around it. */
static bool is_own(const struct look *look, size_t at)
{
    const struct terrane_window *window = &look->drained->window;
    const int64_t gi = window->gi + (int64_t)(at % (size_t)window->width),
                  gj = window->gj + (int64_t)(at / (size_t)window->width);
    const int log2 = terrane_region_log2(look->region.kind, look->region.level);
    return gi >> log2 == look->region.x && gj >> log2 == look->region.y;
}

/* The region's cell farthest from the shore of a lake whose outlet is the region's; of equals the first. */
static size_t middle_of(const struct look *look, const struct lake *lake)
{
    size_t best = (size_t)lake->outlet;
    int count = 0;
    for (int n = 0; n < lake->cells; n++) {
        const size_t at = (size_t)look->cell[n];
        bool shore = false;
        for (int k = 0; k < 8 && !shore; k++)
            shore = beside_in(look, at, k) < 0;
        if (shore) {
            look->ring[at] = 2;
            look->order[count++] = (int32_t)at;
        }
    }
    for (int n = 0; n < count; n++) {
        const size_t at = (size_t)look->order[n];
        if (is_own(look, at) &&
            (look->ring[at] > look->ring[best] || (at < best && look->ring[at] == look->ring[best])))
            best = at;
        for (int k = 0; k < 8; k++) {
            const ptrdiff_t next = beside_in(look, at, k);
            if (next < 0 || look->ring[next] != 1)
                continue;
            look->ring[next] = (uint16_t)(look->ring[at] + 1);
            look->order[count++] = (int32_t)next;
        }
    }
    return best;
}

static bool point_at(const struct look *look, size_t at, struct mvt_point *point)
{
    const struct terrane_window *window = &look->drained->window;
    const uint64_t gi = (uint64_t)window->gi + at % (size_t)window->width,
                   gj = (uint64_t)window->gj + at / (size_t)window->width;
    return tile_point(look->piece, (int64_t)(gi << (window->level + 4)), (int64_t)(gj << (window->level + 4)),
                      point);
}

static int min_cells(const struct look *look)
{
    int min = NAMED_CELLS;
    for (int level = look->piece->key->level; level < look->drained->window.level && min > NAMED_MIN; level++)
        min /= 4;
    return min > NAMED_MIN ? min : NAMED_MIN;
}

/* Notes a lake that the tile is to name. */
static void look_at(struct look *look, size_t from)
{
    const struct terrane_world *world = look->piece->world;
    const struct lake lake = gather(look, from);
    if (lake.outlet < 0 || !is_own(look, (size_t)lake.outlet) || lake.cells < min_cells(look))
        return;
    struct named named = {.stem = lake.stem, .z = look->drained->z[lake.outlet], .cells = lake.cells};
    if (!point_at(look, middle_of(look, &lake), &named.point) || !tile_is_wet(look->piece, named.point))
        return; /* finer ground may have silted a shallow lake up */
    named.id = terrane_lake_name(world, &named.stem, named.z, NULL);
    look->named[look->count++] = named;
}

/* Of those with one id the largest first. */
static int compare(const void *a, const void *b)
{
    const struct named *first = a, *second = b;
    if (first->id != second->id)
        return first->id < second->id ? -1 : 1;
    if (first->cells != second->cells)
        return first->cells > second->cells ? -1 : 1;
    return first->point.y != second->point.y
               ? (first->point.y > second->point.y) - (first->point.y < second->point.y)
               : (first->point.x > second->point.x) - (first->point.x < second->point.x);
}

/* Where a river that is no lake crosses one, what is left of it has one id: it is named once. */
static int add_named(struct look *look, struct tile_labels *labels)
{
    qsort(look->named, (size_t)look->count, sizeof *look->named, compare);
    for (int k = 0; k < look->count; k++) {
        const struct named *named = &look->named[k];
        if (k > 0 && named[-1].id == named->id)
            continue;
        struct tile_label label = {.kind = LABEL_LAKE,
                                   .id = named->id,
                                   .rank = TERRANE_LANDMARK_TOP + 1 - named->stem.level,
                                   .weight = named->cells,
                                   .at = named->point};
        terrane_lake_name(look->piece->world, &named->stem, named->z, label.name);
        if (tile_label_add(labels, &label) != 0)
            return -1;
    }
    return 0;
}

/* Of a product. */
static int add_lakes(struct look *look, struct tile_labels *labels)
{
    const size_t cells = (size_t)look->drained->window.width * (size_t)look->drained->window.height;
    look->ring = calloc(cells, sizeof *look->ring);
    look->cell = malloc(cells * sizeof *look->cell);
    look->order = malloc(cells * sizeof *look->order);
    look->named = malloc((cells / NAMED_MIN + 1) * sizeof *look->named);
    int error = look->ring && look->cell && look->order && look->named ? 0 : -1;
    for (size_t at = 0; at < cells && error == 0; at++)
        if (!look->ring[at] && is_lake(look->drained, at))
            look_at(look, at);
    if (error == 0)
        error = add_named(look, labels);
    free(look->ring);
    free(look->cell);
    free(look->order);
    free(look->named);
    return error;
}

int tile_list_lakes(const struct piece *piece, struct tile_labels *labels)
{
    int error = 0;
    for (int k = 0; k < piece->plan->ground.drainage.count && error == 0; k++) {
        struct look look = {.piece = piece,
                            .drained = &piece->ground.drainage[k].drained,
                            .region = piece->ground.drainage[k].region};
        error = add_lakes(&look, labels);
    }
    return error;
}
