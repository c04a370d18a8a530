/*
 * The lines of rivers of a tile.
 *
 * Of the lattice's own levels a tile is a region: its lines are those of the region's cells. Below the finest lattice they are
 * those of its regions that cross the tile's ground.
 */
#include <stdlib.h>
#include <string.h>

#include "tile_piece.h"

void piece_free_rivers(struct piece *piece)
{
    for (int i = 0; i < piece->rivers; i++)
        free(piece->river[i].point);
    free(piece->river);
}

static bool river_crosses(const struct piece *piece, const struct terrane_region_view *view,
                          const struct terrane_river *river)
{
    const struct terrane_window *window = &view->drained.window;
    const int bits = window->level + 4;
    const struct tile_ground ground = tile_ground_of(piece, window->level, window->gi, window->gj);
    const uint64_t west = (uint64_t)window->gi << bits, north = (uint64_t)window->gj << bits;
    if (piece->key->format == FORMAT_GEOJSON && piece->plan->ground.window.level >= window->level)
        return true; /* the region is the tile's own */
    for (int i = 1; i < river->points; i++) {
        const struct terrane_river_point *a = &river->point[i - 1], *b = &river->point[i];
        if (tile_ground_crosses(&ground, (int64_t)((uint64_t)a->x - west), (int64_t)((uint64_t)a->y - north),
                                (int64_t)((uint64_t)b->x - west), (int64_t)((uint64_t)b->y - north)))
            return true;
    }
    return false;
}

/* Keeps a copy, with points of its own. false: memory is short. */
static bool keep(struct piece *piece, const struct terrane_river *river)
{
    if ((piece->rivers & (piece->rivers - 1)) == 0) { /* 0 or a power of two: it is full */
        struct terrane_river *more =
            realloc(piece->river, (piece->rivers ? 2 * (size_t)piece->rivers : 1) * sizeof *more);
        if (!more)
            return false;
        piece->river = more;
    }
    struct terrane_river_point *point = malloc((size_t)river->points * sizeof *point);
    if (!point)
        return false;
    memcpy(point, river->point, (size_t)river->points * sizeof *point);
    piece->river[piece->rivers] = *river;
    piece->river[piece->rivers++].point = point;
    return true;
}

static bool add_rivers(struct piece *piece, int k, struct terrane_river *river)
{
    const struct terrane_region_view *view = &piece->ground.drainage[k];
    const struct terrane_region region = view->region;
    const int64_t size = INT64_C(1) << terrane_region_log2(region.kind, region.level);
    for (int64_t gj = region.y * size; gj < (region.y + 1) * size; gj++)
        for (int64_t gi = region.x * size; gi < (region.x + 1) * size; gi++)
            if (terrane_river(piece->world, &view->drained, gi, gj, false, river) &&
                river_crosses(piece, view, river) && !keep(piece, river))
                return false;
    return true;
}

/* Whether a cell lies in one of the regions at hand. */
static bool is_at_hand(const struct piece *piece, int64_t gi, int64_t gj)
{
    for (int k = 0; k < piece->plan->ground.drainage.count; k++) {
        const struct terrane_region region = piece->ground.drainage[k].region;
        const int log2 = terrane_region_log2(region.kind, region.level);
        if (gi >> log2 == region.x && gj >> log2 == region.y)
            return true;
    }
    return false;
}

static bool add_beside(struct piece *piece, int k, int64_t gi, int64_t gj, struct terrane_river *river)
{
    const struct terrane_region_view *view = &piece->ground.drainage[k];
    return is_at_hand(piece, gi, gj) || !terrane_river(piece->world, &view->drained, gi, gj, true, river) ||
           !river_crosses(piece, view, river) || keep(piece, river);
}

/*
 * Lines that come in from regions which are not at hand, or lead along them: of the cells beside, and of those beside these, which may join
 * on ground that is the tile's: a cell's sample may be on the tile's edge.
 */
static bool add_rivers_beside(struct piece *piece, int k, struct terrane_river *river)
{
    const struct terrane_region region = piece->ground.drainage[k].region;
    const int64_t size = INT64_C(1) << terrane_region_log2(region.kind, region.level);
    bool made = true;
    for (int ring = 1; ring <= 2; ring++) {
        const int64_t west = region.x * size - ring, north = region.y * size - ring,
                      side = size + 2 * ring - 1;
        for (int64_t n = 0; n < side && made; n++)
            made = add_beside(piece, k, west + n, north, river) &&
                   add_beside(piece, k, west + side, north + n, river) &&
                   add_beside(piece, k, west + 1 + n, north + side, river) &&
                   add_beside(piece, k, west, north + 1 + n, river);
    }
    return made;
}

static int compare_rivers(const void *a, const void *b)
{
    const struct terrane_river *first = a, *second = b;
    if (first->id != second->id)
        return first->id < second->id ? -1 : 1;
    if (first->point->x != second->point->x) /* of lines that begin elsewhere */
        return first->point->x < second->point->x ? -1 : 1;
    return (first->point->y > second->point->y) - (first->point->y < second->point->y);
}

int piece_make_rivers(struct piece *piece)
{
    const int regions = piece->plan->ground.drainage.count;
    struct terrane_river river = {.point = malloc(TERRANE_RIVER_POINTS_MAX * sizeof *river.point)};
    bool made = river.point != NULL;
    for (int k = 0; k < regions && made; k++)
        made = add_rivers(piece, k, &river) &&
               ((piece->key->format != FORMAT_MVT && piece->key->format != FORMAT_JSON) ||
                add_rivers_beside(piece, k, &river));
    free(river.point);
    if (made && piece->rivers > 1)
        qsort(piece->river, (size_t)piece->rivers, sizeof *piece->river, compare_rivers);
    return made ? 0 : -1;
}
