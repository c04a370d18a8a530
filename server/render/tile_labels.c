/*
 * What has a name in a tile, as points: places, rivers, lakes and landmarks.
 */
#include <math.h>
#include <stdlib.h>

#include "../base/array.h"
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

/* ---- The list ------------------------------------------------------------------------------------------ */

static const struct kind_row {
    const char *name;
    int max; /* of a vector tile, so that a view has some dozens of names */
} kind_row[LABELS] = {
    [LABEL_TOWN] = {"town", 2},     [LABEL_VILLAGE] = {"village", 2}, [LABEL_RIVER] = {"river", 2},
    [LABEL_LAKE] = {"lake", 1},     [LABEL_PEAK] = {"peak", 2},       [LABEL_SEA] = {"sea", 1},
    [LABEL_RANGE] = {"range", 1},   [LABEL_CAPE] = {"cape", 1},       [LABEL_BAY] = {"bay", 1},
    [LABEL_ISLAND] = {"island", 2}, [LABEL_TRACT] = {"tract", 2},     [LABEL_BANK] = {"bank", 2},
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

/* Whether a label is worth more than another of its kind. */
static bool comes_before(const struct tile_label *a, const struct tile_label *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight;
    return a->at.y != b->at.y ? a->at.y < b->at.y : a->at.x < b->at.x;
}

static bool is_among_first(const struct tile_labels *labels, const struct tile_label *label)
{
    int before = 0;
    for (size_t k = 0; k < labels->count; k++)
        before += labels->label[k].kind == label->kind && comes_before(&labels->label[k], label);
    return before < kind_row[label->kind].max;
}

void tile_draw_labels(const struct piece *piece, const struct tile_labels *labels, bool few, struct mvt *mvt)
{
    for (size_t k = 0; k < labels->count; k++) {
        const struct tile_label *label = &labels->label[k];
        if (few && !is_among_first(labels, label))
            continue;
        mvt_feature(mvt, MVT_POINT, label->id);
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
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* A place on the tile's east or south edge is the neighbour's. */
static int add_place(const struct piece *piece, const struct terrane_path_node *node,
                     struct tile_labels *labels)
{
    const int bits = piece->world->recipe->paths.level + 4;
    struct tile_label label = {.kind = node->town ? LABEL_TOWN : LABEL_VILLAGE, .rank = node->town ? 1 : 2};
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
 * Water and slides have worn the base surface, whose top a peak is: it is shown where the tile's own ground is highest near that. The place is one in its
 * window, whose last row and column are the neighbours'.
 */
static int64_t summit_of(const struct piece *piece, const struct terrane_landmark *peak)
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
        const int64_t summit = summit_of(piece, mark), unit = MVT_EXTENT / (width - 1);
        label.at = (struct mvt_point){(int32_t)(summit % width * unit), (int32_t)(summit / width * unit)};
        label.ele_m = tile_rounded((double)piece->ground.layer[TERRANE_LAYER_HEIGHT][summit]);
    } else if (!tile_point(piece, (int64_t)((uint64_t)mark->gi << bits),
                           (int64_t)((uint64_t)mark->gj << bits), &label.at)) {
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
