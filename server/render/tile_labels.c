/*
 * What has a name in a tile, as points: places, rivers, lakes and peaks.
 */
#include <math.h>
#include <stdlib.h>

#include "../encode/exact_angle.h"
#include "../encode/vectors.h"
#include "tile_vectors.h"

double tile_rounded(double value)
{
    return round(value * 100) / 100;
}

bool tile_point(const struct piece *piece, int64_t x, int64_t y, struct mvt_point *point)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int level = piece->key->level, bits = window->level + 4;
    const int64_t side = (int64_t)MVT_EXTENT << level,
                  east = (int64_t)((uint64_t)x - ((uint64_t)window->gi << bits)),
                  south = (int64_t)((uint64_t)y - ((uint64_t)window->gj << bits));
    if (east < 0 || south < 0 || east >= side || south >= side)
        return false;
    *point = (struct mvt_point){(int32_t)(east >> level), (int32_t)(south >> level)};
    return true;
}

void tile_begin_label(struct mvt *mvt, uint64_t id, const char *name, const char *kind, int rank)
{
    mvt_feature(mvt, MVT_POINT, id);
    mvt_text(mvt, "name", name);
    mvt_text(mvt, "kind", kind);
    mvt_whole(mvt, "rank", rank);
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* A place on the tile's east or south edge is the neighbour's. */
static void add_place(const struct piece *piece, const struct terrane_path_node *node, struct mvt *mvt)
{
    char name[TERRANE_NAME_BYTES];
    const int bits = piece->world->recipe->paths.level + 4;
    struct mvt_point at;
    if (!tile_point(piece, (int64_t)((uint64_t)node->gi << bits), (int64_t)((uint64_t)node->gj << bits), &at))
        return;
    terrane_place_name(piece->world, node, name);
    tile_begin_label(mvt, 0, name, node->town ? "town" : "village", node->town ? 1 : 2);
    mvt_geometry(mvt, &at, 1, false);
}

/* An end of a line. */
struct end {
    const struct terrane_path_node *node;
};

static int compare_ends(const void *a, const void *b)
{
    const struct terrane_path_node *first = ((const struct end *)a)->node,
                                   *second = ((const struct end *)b)->node;
    if (first->cy != second->cy)
        return first->cy < second->cy ? -1 : 1;
    return (first->cx > second->cx) - (first->cx < second->cx);
}

/* Of lines' ends each once. */
static int add_places(const struct piece *piece, struct mvt *mvt)
{
    struct end *end = malloc((2 * (size_t)piece->lines + 1) * sizeof *end);
    if (!end)
        return -1;
    for (int i = 0; i < piece->lines; i++) {
        end[2 * i].node = piece->line[i].from;
        end[2 * i + 1].node = piece->line[i].to;
    }
    qsort(end, 2 * (size_t)piece->lines, sizeof *end, compare_ends);
    for (int i = 0; i < 2 * piece->lines; i++)
        if (i == 0 || compare_ends(&end[i - 1], &end[i]) != 0)
            add_place(piece, end[i].node, mvt);
    free(end);
    return 0;
}

/* ---- Rivers -------------------------------------------------------------------------------------------- */

enum {
    NAMED_POINTS = 17, /* of a line that is worth a name: eight cells */
    AHEAD = 12,        /* points up and down that it is turned along */
    TURN = 5           /* degrees between the ways that it may be turned */
};

/* Degrees clockwise, -85 .. 90, in which text runs along a way: without libm, so that they are the same everywhere. */
static int angle_of(int64_t east, int64_t south)
{
    double max = -1;
    int best = 0;
    for (int degrees = TURN - 90; degrees <= 90; degrees += TURN) {
        const struct exact_angle angle = exact_angle(degrees / 360.0);
        const double along = fabs((double)east * angle.cosine + (double)south * angle.sine);
        if (along > max) {
            max = along;
            best = degrees;
        }
    }
    return best;
}

struct named {
    const struct terrane_river *river;
};

/* Lines of one river beside each other, the longest of them first. */
static int compare_named(const void *a, const void *b)
{
    const struct terrane_river *first = ((const struct named *)a)->river,
                               *second = ((const struct named *)b)->river;
    if (first->stem.level != second->stem.level)
        return first->stem.level > second->stem.level ? -1 : 1;
    if (first->stem.gi != second->stem.gi)
        return first->stem.gi < second->stem.gi ? -1 : 1;
    if (first->stem.gj != second->stem.gj)
        return first->stem.gj < second->stem.gj ? -1 : 1;
    if (first->points != second->points)
        return first->points > second->points ? -1 : 1;
    return (first->id > second->id) - (first->id < second->id);
}

/* Where a line is named; false: in another tile. */
static bool has_middle(const struct piece *piece, const struct terrane_river *river, struct mvt_point *at)
{
    const struct terrane_river_point *middle = &river->point[river->points / 2];
    return tile_point(piece, middle->x, middle->y, at);
}

static void add_river(const struct piece *piece, const struct terrane_river *river, struct mvt *mvt)
{
    const int middle = river->points / 2, from = middle > AHEAD ? middle - AHEAD : 0,
              to = middle + AHEAD < river->points ? middle + AHEAD : river->points - 1;
    char name[TERRANE_NAME_BYTES];
    struct mvt_point at;
    if (!has_middle(piece, river, &at))
        return;
    terrane_stem_name(piece->world, &river->stem, name);
    tile_begin_label(mvt, terrane_stem_id(piece->world, &river->stem), name, "river",
                     TERRANE_PEAK_TOP + 1 - river->stem.level);
    mvt_whole(mvt, "angle",
              angle_of((int64_t)((uint64_t)river->point[to].x - (uint64_t)river->point[from].x),
                       (int64_t)((uint64_t)river->point[to].y - (uint64_t)river->point[from].y)));
    mvt_geometry(mvt, &at, 1, false);
}

/* Each river once, at the middle of the longest of its lines whose middle lies in the tile. */
static int add_rivers(const struct piece *piece, struct mvt *mvt)
{
    struct named *named = malloc(((size_t)piece->rivers + 1) * sizeof *named);
    struct mvt_point at;
    size_t count = 0;
    if (!named)
        return -1;
    for (int k = 0; k < piece->rivers; k++)
        if (piece->river[k].named && piece->river[k].id != 0 && piece->river[k].points >= NAMED_POINTS &&
            has_middle(piece, &piece->river[k], &at))
            named[count++].river = &piece->river[k];
    qsort(named, count, sizeof *named, compare_named);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || terrane_stem_id(piece->world, &named[k - 1].river->stem) !=
                          terrane_stem_id(piece->world, &named[k].river->stem))
            add_river(piece, named[k].river, mvt);
    free(named);
    return 0;
}

/* ---- Peaks --------------------------------------------------------------------------------------------- */

/*
 * Water and slides have worn the base surface, whose top a peak is: it is shown where the tile's own ground is highest near that. The place is one in its
 * window, whose last row and column are the neighbours'.
 */
static int64_t summit_of(const struct piece *piece, const struct terrane_peak *peak)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int finer = piece->key->level - window->level, end = window->width - 1;
    const float *height = piece->ground.layer[TERRANE_LAYER_HEIGHT];
    const int near = (PIECE_PEAK_NEAR << finer) / window->step;
    const int column = (int)((peak->gi * (1 << finer) - window->gi) / window->step),
              row = (int)((peak->gj * (1 << finer) - window->gj) / window->step);
    int64_t best = (int64_t)row * window->width + column;
    for (int j = row > near ? row - near : 0; j <= row + near && j < end; j++)
        for (int i = column > near ? column - near : 0; i <= column + near && i < end; i++)
            if (height[(int64_t)j * window->width + i] > height[best])
                best = (int64_t)j * window->width + i;
    return best;
}

static void add_peak(const struct piece *piece, const struct terrane_peak *peak, struct mvt *mvt)
{
    const int width = piece->plan->ground.window.width;
    const int64_t summit = summit_of(piece, peak), unit = MVT_EXTENT / (width - 1);
    const struct mvt_point at = {(int32_t)(summit % width * unit), (int32_t)(summit / width * unit)};
    char name[TERRANE_NAME_BYTES];
    terrane_peak_name(piece->world, peak, name);
    tile_begin_label(mvt, terrane_peak_id(piece->world, peak), name, "peak",
                     TERRANE_PEAK_TOP + 1 - peak->level);
    mvt_number(mvt, "ele", tile_rounded((double)piece->ground.layer[TERRANE_LAYER_HEIGHT][summit]));
    mvt_geometry(mvt, &at, 1, false);
}

int tile_add_peaks(const struct piece *piece, struct mvt *mvt)
{
    int peaks = 0;
    struct terrane_peak *peak = malloc(TERRANE_PEAKS_MAX * sizeof *peak);
    const int error = peak ? terrane_peaks(piece->world, piece->key->level, piece->key->x, piece->key->y,
                                           piece->ground.memory, peak, &peaks)
                           : TERRANE_EMEMORY;
    for (int k = 0; k < peaks; k++)
        add_peak(piece, &peak[k], mvt);
    free(peak);
    return error ? -1 : 0;
}

/* Where a sea is deepest. */
static int add_seas(const struct piece *piece, struct mvt *mvt)
{
    const struct terrane_world *world = piece->world;
    int deeps = 0;
    struct terrane_peak *deep = malloc(TERRANE_PEAKS_MAX * sizeof *deep);
    const int error = deep ? terrane_deeps(world, piece->key->level, piece->key->x, piece->key->y,
                                           piece->ground.memory, deep, &deeps)
                           : TERRANE_EMEMORY;
    for (int k = 0; k < deeps; k++) {
        const int bits = piece->key->level + 4;
        char name[TERRANE_NAME_BYTES];
        struct mvt_point at;
        if (!tile_point(piece, (int64_t)((uint64_t)deep[k].gi << bits),
                        (int64_t)((uint64_t)deep[k].gj << bits), &at))
            continue;
        terrane_sea_name(world, &deep[k], name);
        tile_begin_label(mvt, terrane_deep_id(world, &deep[k]), name, "sea",
                         TERRANE_PEAK_TOP + 1 - deep[k].level);
        mvt_geometry(mvt, &at, 1, false);
    }
    free(deep);
    return error ? -1 : 0;
}

int tile_add_waters(const struct piece *piece, struct mvt *mvt)
{
    const int error = tile_add_lakes(piece, mvt);
    return error ? error : add_seas(piece, mvt);
}

int tile_add_labels(const struct piece *piece, struct mvt *mvt)
{
    int error = 0;
    mvt_layer(mvt, vector_row[VECTOR_LABEL].name);
    if (piece->world->recipe->paths.towns.block_log2 != 0)
        error = add_places(piece, mvt);
    if (error == 0)
        error = add_rivers(piece, mvt);
    if (error == 0)
        error = tile_add_waters(piece, mvt);
    return error == 0 ? tile_add_peaks(piece, mvt) : error;
}
