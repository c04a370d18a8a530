/*
 * Lakes of a tile that have names. A lake is what touches and stands at one level. It is told by the river by which it is left, or that
 * ends in it, of the coarsest lattice, of several the greatest, and by its level: lattices that have it share both. A product that has
 * only a part of a lake may not know that river: then a coarser one is asked, which has the whole. A level between two lattices has streams of
 * the coarser one alone: it names a lake as that one does, where that has it.
 *
 * A lake is labelled at the place farthest from its shores; where products have parts of it, in each of some size.
 */
#include <stdlib.h>
#include <string.h>

#include "tile_vectors.h"

enum {
    NAMED_CELLS =
        32, /* that a lake has at least, to be named on lattices; a quarter at the next finer level ... */
    NAMED_MIN = 8,     /* ... but so many */
    PART_CELLS = 1024, /* of a part that is labelled */
    SHORE = 3,         /* cells that a sample of a finer level may lie off its lake's */
};

static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

/* A product whose lakes are looked at. */
struct look {
    const struct piece *piece;
    const struct terrane_region_view *view;
    const struct terrane_drained *drained; /* its */
    uint16_t *ring;        /* of each cell: 0 not seen; 1 seen; else one more than how far its shore is */
    int32_t *cell, *order; /* of the lake under way: as they were come to; from the shore in */
    uint8_t *number;       /* of each cell: of the lake that is named, from 1 on; or 0 */
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

/* Whether two cells that touch are of one lake. */
static bool is_same(const struct terrane_drained *drained, size_t at, ptrdiff_t next)
{
    return next >= 0 && is_lake(drained, (size_t)next) && drained->z[next] == drained->z[at];
}

/* Whether a lake's water leaves it at a cell, or ends there. */
static bool is_outlet(const struct terrane_drained *drained, size_t at)
{
    const int way = terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
    if (way >= 8)
        return way == TERRANE_DRAIN_INLAND;
    const ptrdiff_t next = beside(&drained->window, at, way);
    return next >= 0 && !is_same(drained, at, next);
}

/* A lake under way. */
struct lake {
    int cells, own; /* own: of the product's region */
    bool whole;     /* it ends within the window */
    bool known;     /* a river leaves it, or ends in it */
    uint64_t runoff;
    struct terrane_stem stem;
};

/* Whether a river tells a lake before the one so far: that of a coarser lattice, which finer ones have, too; then the greater. */
static bool is_before(const struct lake *lake, const struct terrane_stem *stem, uint64_t runoff)
{
    const struct terrane_stem *last = &lake->stem;
    if (!lake->known || stem->level != last->level)
        return !lake->known || stem->level > last->level;
    if (runoff != lake->runoff)
        return runoff > lake->runoff;
    return stem->gj != last->gj ? stem->gj < last->gj : stem->gi < last->gi;
}

static void note_outlet(const struct look *look, struct lake *lake, size_t at)
{
    const struct terrane_drained *drained = look->drained;
    struct terrane_stem stem;
    if (!is_outlet(drained, at) || !terrane_drained_stem(look->piece->world->recipe, drained, at, &stem))
        return;
    const uint64_t runoff = terrane_drained_cell(drained, at).runoff;
    if (is_before(lake, &stem, runoff)) {
        lake->known = true;
        lake->runoff = runoff;
        lake->stem = stem;
    }
}

/* The neighbour of a lake's cell that is the lake's, too; else -1. */
static ptrdiff_t beside_in(const struct look *look, size_t at, int k)
{
    const ptrdiff_t next = beside(&look->drained->window, at, k);
    return is_same(look->drained, at, next) ? next : -1;
}

/* Whether a cell is of the region that a product is of, not around it. */
static bool is_own(const struct look *look, size_t at)
{
    const struct terrane_window *window = &look->drained->window;
    const int64_t gi = window->gi + (int64_t)(at % (size_t)window->width),
                  gj = window->gj + (int64_t)(at / (size_t)window->width);
    const int log2 = terrane_region_log2(look->view->region.kind, look->view->region.level);
    return gi >> log2 == look->view->region.x && gj >> log2 == look->view->region.y;
}

static bool is_at_edge(const struct terrane_window *window, size_t at)
{
    const int x = (int)(at % (size_t)window->width), y = (int)(at / (size_t)window->width);
    return x == 0 || y == 0 || x + 1 == window->width || y + 1 == window->height;
}

/* All cells of a lake that the window has, from one of them on. */
static struct lake gather(const struct look *look, size_t from)
{
    struct lake lake = {.cells = 1, .whole = true};
    look->cell[0] = (int32_t)from;
    look->ring[from] = 1;
    for (int n = 0; n < lake.cells; n++) {
        const size_t at = (size_t)look->cell[n];
        note_outlet(look, &lake, at);
        lake.own += is_own(look, at);
        lake.whole = lake.whole && !is_at_edge(&look->drained->window, at);
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

/* Whether a cell is better to be labelled than another: farther from the shore, or before it; of a part only the region's are. */
static bool is_inner(const struct look *look, const struct lake *lake, size_t at, ptrdiff_t best)
{
    if (!lake->whole && !is_own(look, at))
        return false;
    return best < 0 || look->ring[at] > look->ring[best] ||
           (look->ring[at] == look->ring[best] && (ptrdiff_t)at < best);
}

/* The cell farthest from a lake's shore, of equals the first: the same in every product that has the whole. -1: a part has none. */
static ptrdiff_t middle_of(const struct look *look, const struct lake *lake)
{
    ptrdiff_t best = -1;
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
        if (is_inner(look, lake, at, best))
            best = (ptrdiff_t)at;
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

/* The cell of a lattice, or of a finer level the nearest, that a sample is; -1: the window has it not. */
static ptrdiff_t cell_at(const struct terrane_window *window, int level, int64_t gi, int64_t gj)
{
    const int shift = window->level - level;
    const int64_t half = (INT64_C(1) << shift) >> 1, x = ((gi + half) >> shift) - window->gi,
                  y = ((gj + half) >> shift) - window->gj;
    return x < 0 || y < 0 || x >= window->width || y >= window->height ? -1 : y * window->width + x;
}

/* What a coarser product knows of a lake of which there is a part: of the lakes of its level that it has there the largest. */
static struct lake ask(const struct look *over, const struct look *look, const struct lake *part)
{
    const struct terrane_window *window = &look->drained->window, *coarser = &over->drained->window;
    struct lake most = {.cells = 0};
    for (int n = 0; n < part->cells; n++) {
        const size_t own = (size_t)look->cell[n];
        const ptrdiff_t at =
            cell_at(coarser, window->level, window->gi + (int64_t)(own % (size_t)window->width),
                    window->gj + (int64_t)(own / (size_t)window->width));
        if (at < 0 || over->ring[at] || !is_lake(over->drained, (size_t)at) ||
            over->drained->z[at] != look->drained->z[own])
            continue;
        const struct lake lake = gather(over, (size_t)at);
        if (lake.cells > most.cells)
            most = lake;
    }
    memset(over->ring, 0, (size_t)coarser->width * (size_t)coarser->height * sizeof *over->ring);
    return most;
}

/* Whether a product is of a level between two lattices. */
static bool is_between(const struct look *look, const struct look *over)
{
    return over->view && over->drained->window.level == look->drained->window.level + 1;
}

/* Says by which river a lake is told; false: nobody knows. over: the coarser products. */
static bool find_stem(const struct look *look, const struct look *over, struct lake *lake)
{
    struct lake told = *lake;
    for (int k = 0; k < TILE_OVER && over[k].view && (!told.whole || (k == 0 && is_between(look, over)));
         k++) {
        const struct lake more = ask(&over[k], look, lake);
        if (!told.whole || more.cells > 0)
            told = more;
    }
    if (!told.whole || !told.known)
        told = *lake;
    lake->stem = told.stem;
    return told.whole && told.known;
}

/* Where a lake is labelled; false: not in this tile. Finer ground may have silted a shallow one up. */
static bool place_label(const struct look *look, const struct lake *lake, struct mvt_point *point)
{
    if (!lake->whole && lake->own < PART_CELLS)
        return false;
    const ptrdiff_t middle = middle_of(look, lake);
    return middle >= 0 && is_own(look, (size_t)middle) && point_at(look, (size_t)middle, point) &&
           tile_is_wet(look->piece, *point);
}

/* Notes a lake that has a name. */
static void look_at(const struct look *look, const struct look *over, struct piece *piece, size_t from)
{
    struct lake lake = gather(look, from);
    if (lake.cells < min_cells(look) || piece->lakes == TILE_LAKES_MAX || !find_stem(look, over, &lake))
        return;
    struct tile_lake *named = &piece->lake[piece->lakes++];
    *named = (struct tile_lake){.level = lake.stem.level, .cells = lake.cells};
    named->id = terrane_lake_name(piece->world, &lake.stem, look->drained->z[from], named->name);
    named->labelled = place_label(look, &lake, &named->at);
    for (int n = 0; n < lake.cells; n++)
        look->number[look->cell[n]] = (uint8_t)piece->lakes;
}

/* The lake that a sample of water is of: that of the nearest cell of any; 0: it has no name. */
static uint8_t number_of(const struct look *look, int level, int64_t gi, int64_t gj)
{
    const struct terrane_window *window = &look->drained->window;
    const ptrdiff_t at = cell_at(window, level, gi, gj);
    const int x = (int)(at % window->width), y = (int)(at / window->width),
              far = level < window->level ? SHORE : 0;
    for (int ring = 0; ring <= far && at >= 0; ring++)
        for (int j = y - ring; j <= y + ring; j++)
            for (int i = x - ring; i <= x + ring; i++) {
                const ptrdiff_t cell = (ptrdiff_t)j * window->width + i;
                if (i >= 0 && j >= 0 && i < window->width && j < window->height &&
                    is_lake(look->drained, (size_t)cell))
                    return look->number[cell];
            }
    return 0;
}

static void number_samples(const struct look *look, uint8_t *number)
{
    const struct terrane_ground *ground = &look->piece->ground;
    const struct terrane_window *window = &look->piece->plan->ground.window;
    for (size_t k = 0; k < ground->count; k++)
        if (ground->layer[TERRANE_LAYER_WATER][k] > 0 && number[k] == 0)
            number[k] = number_of(look, window->level,
                                  window->gi + (int64_t)(k % (size_t)window->width) * window->step,
                                  window->gj + (int64_t)(k / (size_t)window->width) * window->step);
}

static void close_look(const struct look *look)
{
    free(look->ring);
    free(look->cell);
    free(look->order);
    free(look->number);
}

/* 0; -1: memory is short. To be closed in either case. */
static int open_look(struct look *look, const struct piece *piece, const struct terrane_region_view *view)
{
    const size_t cells = (size_t)view->drained.window.width * (size_t)view->drained.window.height;
    *look = (struct look){.piece = piece,
                          .view = view,
                          .drained = &view->drained,
                          .ring = calloc(cells, sizeof *look->ring),
                          .cell = malloc(cells * sizeof *look->cell),
                          .order = malloc(cells * sizeof *look->order),
                          .number = calloc(cells, sizeof *look->number)};
    return look->ring && look->cell && look->order && look->number ? 0 : -1;
}

static int add_product(struct piece *piece, const struct terrane_region_view *view, const struct look *over)
{
    struct look look;
    const int error = open_look(&look, piece, view);
    const size_t cells = (size_t)view->drained.window.width * (size_t)view->drained.window.height;
    for (size_t at = 0; at < cells && error == 0; at++)
        if (!look.ring[at] && is_lake(look.drained, at))
            look_at(&look, over, piece, at);
    if (error == 0)
        number_samples(&look, piece->lake_of);
    close_look(&look);
    return error;
}

int piece_make_lakes(struct piece *piece)
{
    struct look over[TILE_OVER] = {{0}};
    piece->lake = malloc(TILE_LAKES_MAX * sizeof *piece->lake);
    piece->lake_of = calloc(piece->ground.count, 1);
    int error = piece->lake && piece->lake_of ? 0 : -1;
    for (int k = 0; k < piece->plan->overs && error == 0; k++)
        error = open_look(&over[k], piece, &piece->over[k]);
    for (int k = 0; k < piece->plan->ground.drainage.count && error == 0; k++)
        error = add_product(piece, &piece->ground.drainage[k], over);
    for (int k = 0; k < TILE_OVER; k++)
        close_look(&over[k]);
    return error;
}

/* Where a river that is no lake crosses one, what is left of it has one id: the largest part is labelled, of equals the first. */
static bool is_labelled(const struct piece *piece, int n)
{
    const struct tile_lake *lake = &piece->lake[n];
    bool first = lake->labelled;
    for (int k = 0; k < piece->lakes && first; k++) {
        const struct tile_lake *other = &piece->lake[k];
        first = k == n || other->id != lake->id || !other->labelled || other->cells < lake->cells ||
                (other->cells == lake->cells && k > n);
    }
    return first;
}

int tile_list_lakes(const struct piece *piece, struct tile_labels *labels)
{
    int error = 0;
    for (int k = 0; k < piece->lakes && error == 0; k++) {
        const struct tile_lake *lake = &piece->lake[k];
        struct tile_label label = {.kind = LABEL_LAKE,
                                   .id = lake->id,
                                   .rank = TERRANE_LANDMARK_TOP + 1 - lake->level,
                                   .weight = lake->cells,
                                   .at = lake->at};
        memcpy(label.name, lake->name, sizeof label.name);
        if (is_labelled(piece, k))
            error = tile_label_add(labels, &label);
    }
    return error;
}
