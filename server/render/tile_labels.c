/*
 * What has a name in a tile, as points: places, rivers, lakes and landmarks.
 */
#include <math.h>
#include <stdlib.h>

#include "../encode/exact_angle.h"
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

bool tile_is_wet(const struct piece *piece, struct mvt_point at)
{
    const int width = piece->plan->ground.window.width,
              unit = MVT_EXTENT / (width & ~1); /* an even one has no far edge */
    return piece->ground.layer[TERRANE_LAYER_WATER][(at.y / unit) * width + at.x / unit] > 0;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* A place on the tile's east or south edge is the neighbour's. */
static int add_place(const struct piece *piece, const struct terrane_path_node *node,
                     struct tile_labels *labels)
{
    const int bits = piece->world->recipe->paths.level + 4;
    struct tile_label label = {.kind = node->town ? LABEL_TOWN : LABEL_VILLAGE,
                               .id = path_place_id(node),
                               .rank = node->town ? 1 : 2};
    if (!tile_point(piece, (int64_t)((uint64_t)node->gi << bits), (int64_t)((uint64_t)node->gj << bits),
                    &label.at))
        return 0;
    terrane_place_name(piece->world, node, label.name);
    return tile_label_add(labels, &label);
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
static int add_places(const struct piece *piece, struct tile_labels *labels)
{
    int error = 0;
    struct end *end = malloc((2 * (size_t)piece->lines + 1) * sizeof *end);
    if (!end)
        return -1;
    for (int i = 0; i < piece->lines; i++) {
        end[2 * i].node = piece->line[i].from;
        end[2 * i + 1].node = piece->line[i].to;
    }
    qsort(end, 2 * (size_t)piece->lines, sizeof *end, compare_ends);
    for (int i = 0; i < 2 * piece->lines && error == 0; i++)
        if (i == 0 || compare_ends(&end[i - 1], &end[i]) != 0)
            error = add_place(piece, end[i].node, labels);
    free(end);
    return error;
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

/* ... along what runs in an angle, by a length times the cosine and the sine of twice of it. */
static int angle_of_run(const float run[2])
{
    double max = 0;
    int best = 0;
    for (int degrees = TURN - 90; degrees <= 90; degrees += TURN) {
        const struct exact_angle twice = exact_angle(2 * degrees / 360.0);
        const double along = (double)run[0] * twice.cosine + (double)run[1] * twice.sine;
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

static int add_river(const struct piece *piece, const struct terrane_river *river, struct tile_labels *labels)
{
    const int middle = river->points / 2, from = middle > AHEAD ? middle - AHEAD : 0,
              to = middle + AHEAD < river->points ? middle + AHEAD : river->points - 1;
    const struct terrane_river_point *first = &river->point[from], *last = &river->point[to];
    struct tile_label label = {
        .kind = LABEL_RIVER,
        .rank = TERRANE_LANDMARK_TOP + 1 - river->stem.level,
        .weight = river->points,
        .angle = angle_of((int64_t)((uint64_t)last->x - (uint64_t)first->x),
                          (int64_t)((uint64_t)last->y - (uint64_t)first->y)),
    };
    if (!has_middle(piece, river, &label.at))
        return 0;
    label.id = terrane_stem_name(piece->world, &river->stem, label.name);
    return tile_label_add(labels, &label);
}

/* Each river once, at the middle of the longest of its lines whose middle lies in the tile. */
static int add_rivers(const struct piece *piece, struct tile_labels *labels)
{
    struct named *named = malloc(((size_t)piece->rivers + 1) * sizeof *named);
    struct mvt_point at;
    size_t count = 0;
    int error = 0;
    if (!named)
        return -1;
    for (int k = 0; k < piece->rivers; k++)
        if (piece->river[k].named && piece->river[k].id != 0 && piece->river[k].points >= NAMED_POINTS &&
            has_middle(piece, &piece->river[k], &at))
            named[count++].river = &piece->river[k];
    qsort(named, count, sizeof *named, compare_named);
    for (size_t k = 0; k < count && error == 0; k++)
        if (k == 0 || terrane_stem_name(piece->world, &named[k - 1].river->stem, NULL) !=
                          terrane_stem_name(piece->world, &named[k].river->stem, NULL))
            error = add_river(piece, named[k].river, labels);
    free(named);
    return error;
}

/* ---- Landmarks ----------------------------------------------------------------------------------------- */

/*
 * Water and slides have worn the base surface, whose top a peak is: it is shown where the tile's own ground is dry and highest near that. The place is one
 * in its window, whose last row and column are the neighbours'; -1: all of it is under water.
 */
static int64_t summit_of(const struct piece *piece, const struct terrane_landmark *peak)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int finer = piece->key->level - window->level, end = window->width - 1;
    const float *height = piece->ground.layer[TERRANE_LAYER_HEIGHT],
                *depth = piece->ground.layer[TERRANE_LAYER_WATER];
    const int near = (PIECE_PEAK_NEAR << finer) / window->step;
    const int column = (int)((peak->gi * (1 << finer) - window->gi) / window->step),
              row = (int)((peak->gj * (1 << finer) - window->gj) / window->step);
    const int64_t middle = (int64_t)row * window->width + column;
    int64_t best = depth[middle] > 0 ? -1 : middle;
    for (int j = row > near ? row - near : 0; j <= row + near && j < end; j++)
        for (int i = column > near ? column - near : 0; i <= column + near && i < end; i++) {
            const int64_t at = (int64_t)j * window->width + i;
            if (!(depth[at] > 0) && (best < 0 || height[at] > height[best]))
                best = at;
        }
    return best;
}

/* Landmarks are the base surface's, and water may have come over land since, or silt into water: the tile shows no name there. */
static bool is_drowned_or_dry(const struct piece *piece, const struct terrane_landmark *mark,
                              struct mvt_point at)
{
    const bool of_water = mark->kind == TERRANE_LANDMARK_SEA || mark->kind == TERRANE_LANDMARK_BAY ||
                          mark->kind == TERRANE_LANDMARK_BANK;
    return piece->ground.layer[TERRANE_LAYER_WATER] && tile_is_wet(piece, at) != of_water;
}

/* A peak where it is shown, all else at its sample. */
static int add_landmark(const struct piece *piece, const struct terrane_landmark *mark,
                        struct tile_labels *labels)
{
    static const enum label_kind kind[TERRANE_LANDMARKS] = {
        [TERRANE_LANDMARK_PEAK] = LABEL_PEAK,   [TERRANE_LANDMARK_SEA] = LABEL_SEA,
        [TERRANE_LANDMARK_RANGE] = LABEL_RANGE, [TERRANE_LANDMARK_CAPE] = LABEL_CAPE,
        [TERRANE_LANDMARK_BAY] = LABEL_BAY,     [TERRANE_LANDMARK_ISLAND] = LABEL_ISLAND,
        [TERRANE_LANDMARK_TRACT] = LABEL_TRACT, [TERRANE_LANDMARK_BANK] = LABEL_BANK};
    const int bits = piece->key->level + 4, width = piece->plan->ground.window.width;
    struct tile_label label = {.kind = kind[mark->kind],
                               .id = mark->id,
                               .rank = TERRANE_LANDMARK_TOP + 1 - mark->level,
                               .weight = (double)mark->rise,
                               .angle = angle_of_run(mark->run),
                               .zone = mark->zone};
    if (mark->kind == TERRANE_LANDMARK_PEAK) {
        const int64_t summit = summit_of(piece, mark), unit = MVT_EXTENT / (width & ~1);
        if (summit < 0)
            return 0;
        label.at = (struct mvt_point){(int32_t)(summit % width * unit), (int32_t)(summit / width * unit)};
        label.ele_m = tile_rounded((double)piece->ground.layer[TERRANE_LAYER_HEIGHT][summit]);
    } else if (!tile_point(piece, (int64_t)((uint64_t)mark->gi << bits),
                           (int64_t)((uint64_t)mark->gj << bits), &label.at) ||
               is_drowned_or_dry(piece, mark, label.at)) {
        return 0;
    }
    terrane_landmark_name(piece->world, mark, label.name);
    return tile_label_add(labels, &label);
}

int tile_list_landmarks(const struct piece *piece, unsigned kinds, struct tile_labels *labels)
{
    int marks = 0;
    struct terrane_landmark *mark = malloc((size_t)TERRANE_LANDMARKS * TERRANE_LANDMARKS_MAX * sizeof *mark);
    struct terrane_window tile;
    int error = mark ? terrane_window_tile(&tile, piece->key->level, piece->key->x, piece->key->y,
                                           TERRANE_TILE_SAMPLES)
                     : TERRANE_EMEMORY;
    if (error == 0)
        error = terrane_landmarks(piece->world, kinds, &tile, piece->ground.memory, mark, &marks);
    for (int k = 0; k < marks && error == 0; k++)
        error = add_landmark(piece, &mark[k], labels);
    free(mark);
    return error ? -1 : 0;
}

int tile_list_labels(const struct piece *piece, struct tile_labels *labels)
{
    int error = 0;
    if (piece->world->recipe->paths.towns.block_log2 != 0)
        error = add_places(piece, labels);
    if (error == 0)
        error = add_rivers(piece, labels);
    if (error == 0)
        error = tile_list_lakes(piece, labels);
    return error == 0 ? tile_list_landmarks(piece, (1U << TERRANE_LANDMARKS) - 1, labels) : error;
}
