/*
 * Lines of rivers and paths, places and peaks of a tile as vectors. Lines are cut at its edges, first at the west and east ones, then at the
 * others, from points that its neighbours have, too.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../encode/vectors.h"
#include "tile_vectors.h"

__extension__ typedef __int128 wide;

/* A point in 2^-4 samples of level 0 from the tile's north-west corner on. */
struct spot {
    int64_t x, y;
};

/* The pen of a line under way. */
struct pen {
    const struct piece *piece;
    struct mvt *mvt;
    uint64_t west, north; /* of the tile, in 2^-4 samples of level 0 */
    int64_t side;
    int level;
    struct spot last;
    bool down; /* last is the line's end so far */
    struct mvt_point *point;
    size_t points;
};

/* On the way from a to b at x: y, rounded down. */
static int64_t y_at(const struct spot *a, const struct spot *b, int64_t x)
{
    const wide run = b->x - a->x, rise = (wide)(b->y - a->y) * (x - a->x);
    const wide down = rise / run - (rise % run != 0 && (rise < 0) != (run < 0));
    return a->y + (int64_t)down;
}

static struct spot turned(struct spot spot)
{
    return (struct spot){spot.y, spot.x};
}

/* Moves ends that are beyond 0 .. side along x to there; false: nothing is between. */
static bool cut(struct spot *a, struct spot *b, int64_t side)
{
    const struct spot from = *a, to = *b;
    if ((from.x < 0 && to.x < 0) || (from.x > side && to.x > side))
        return false;
    for (int k = 0; k < 2; k++) {
        struct spot *const end = k ? b : a;
        const int64_t edge = end->x < 0 ? 0 : side;
        if (end->x < 0 || end->x > side)
            *end = (struct spot){edge, y_at(&from, &to, edge)};
    }
    return true;
}

static void pen_up(struct pen *pen)
{
    if (pen->points > 1)
        mvt_geometry(pen->mvt, pen->point, pen->points, false);
    pen->points = 0;
    pen->down = false;
}

static void mark(struct pen *pen, struct spot at)
{
    const int64_t half = (INT64_C(1) << pen->level) / 2;
    pen->points = mvt_add(
        pen->point, pen->points,
        (struct mvt_point){(int32_t)((at.x + half) >> pen->level), (int32_t)((at.y + half) >> pen->level)});
}

static struct spot spot_of(const struct pen *pen, int64_t x, int64_t y)
{
    return (struct spot){(int64_t)((uint64_t)x - pen->west), (int64_t)((uint64_t)y - pen->north)};
}

static void draw(struct pen *pen, struct spot a, struct spot b)
{
    const struct spot end = b;
    bool there = cut(&a, &b, pen->side);
    a = turned(a);
    b = turned(b);
    there = there && cut(&a, &b, pen->side);
    a = turned(a);
    b = turned(b);
    if (!there || !pen->down || a.x != pen->last.x || a.y != pen->last.y)
        pen_up(pen);
    if (!there)
        return;
    if (pen->points == 0)
        mark(pen, a);
    mark(pen, b);
    pen->last = b;
    pen->down = b.x == end.x && b.y == end.y;
}

/* ---- Rivers -------------------------------------------------------------------------------------------- */

static double rounded(double value)
{
    return round(value * 100) / 100;
}

static void add_river(struct pen *pen, const struct terrane_river *river)
{
    const struct terrane_recipe *recipe = pen->piece->world->recipe;
    char id[GEOJSON_ID_BYTES];
    snprintf(id, sizeof id, "%016" PRIx64, river->id);
    mvt_feature(pen->mvt, MVT_LINE, river->id);
    if (river->id != 0) /* else the rest of one that is a neighbour's */
        mvt_text(pen->mvt, "id", id);
    mvt_whole(pen->mvt, "order", river->order);
    mvt_number(pen->mvt, "discharge", rounded(terrane_discharge(recipe, river->runoff)));
    mvt_number(pen->mvt, "width", rounded((double)terrane_river_width_m(recipe, river->runoff)));
    for (int i = 1; i < river->points; i++)
        draw(pen, spot_of(pen, river->point[i - 1].x, river->point[i - 1].y),
             spot_of(pen, river->point[i].x, river->point[i].y));
    pen_up(pen);
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static void add_path(struct pen *pen, const struct path_line *line)
{
    static const char *const over[TERRANE_PATH_OVERS] = {
        [TERRANE_PATH_LAND] = "land", [TERRANE_PATH_FORD] = "ford", [TERRANE_PATH_BRIDGE] = "bridge"};
    const bool towns = pen->piece->world->recipe->paths.towns.block_log2 != 0;
    for (int from = 0, to; from + 1 < line->edge->points; from = to) {
        mvt_feature(pen->mvt, MVT_LINE, line->edge->id);
        mvt_text(pen->mvt, "class",
                 !towns                                   ? "path"
                 : line->edge->road == TERRANE_PATH_TRUNK ? "trunk"
                                                          : "lane");
        mvt_text(pen->mvt, "over", over[line->point[from].over]);
        mvt_number(pen->mvt, "width",
                   (double)terrane_paths_width_m(pen->piece->world->recipe, line->edge->road));
        for (to = from + 1; to < line->edge->points; to++) {
            draw(pen, spot_of(pen, line->point[to - 1].x, line->point[to - 1].y),
                 spot_of(pen, line->point[to].x, line->point[to].y));
            if (line->point[to].over != line->point[from].over)
                break;
        }
        pen_up(pen);
    }
}

/* A place on the tile's east or south edge is the neighbour's. */
static void add_place(struct pen *pen, const struct terrane_path_node *node)
{
    char name[TERRANE_NAME_BYTES];
    const int bits = pen->piece->world->recipe->paths.level + 4;
    const struct spot at =
        spot_of(pen, (int64_t)((uint64_t)node->gi << bits), (int64_t)((uint64_t)node->gj << bits));
    if (at.x < 0 || at.y < 0 || at.x >= pen->side || at.y >= pen->side)
        return;
    mvt_feature(pen->mvt, MVT_POINT, 0);
    terrane_place_name(pen->piece->world, node, name);
    mvt_text(pen->mvt, "name", name);
    mvt_text(pen->mvt, "kind", node->town ? "town" : "village");
    mvt_whole(pen->mvt, "rank", node->town ? 1 : 2);
    const struct mvt_point point = {(int32_t)(at.x >> pen->level), (int32_t)(at.y >> pen->level)};
    mvt_geometry(pen->mvt, &point, 1, false);
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
static int add_places(struct pen *pen)
{
    const struct piece *piece = pen->piece;
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
            add_place(pen, end[i].node);
    free(end);
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
    mvt_feature(mvt, MVT_POINT, terrane_peak_id(piece->world, peak));
    mvt_text(mvt, "name", name);
    mvt_text(mvt, "kind", "peak");
    mvt_whole(mvt, "rank", TERRANE_PEAK_TOP + 1 - peak->level);
    mvt_number(mvt, "ele", rounded((double)piece->ground.layer[TERRANE_LAYER_HEIGHT][summit]));
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

int tile_add_ways(const struct piece *piece, struct mvt *mvt)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int level = piece->key->level;
    size_t most = 0;
    for (int i = 0; i < piece->rivers; i++)
        most = (size_t)piece->river[i].points > most ? (size_t)piece->river[i].points : most;
    for (int i = 0; i < piece->lines; i++)
        most = (size_t)piece->line[i].edge->points > most ? (size_t)piece->line[i].edge->points : most;
    struct pen pen = {.piece = piece,
                      .mvt = mvt,
                      .level = level,
                      .west = (uint64_t)window->gi << (level + 4),
                      .north = (uint64_t)window->gj << (level + 4),
                      .side = (int64_t)MVT_EXTENT << level,
                      .point = malloc((2 * most + 2) * sizeof *pen.point)};
    int error = pen.point ? 0 : -1;
    mvt_layer(mvt, vector_row[VECTOR_RIVER].name);
    for (int i = 0; i < piece->rivers && error == 0; i++)
        add_river(&pen, &piece->river[i]);
    mvt_layer(mvt, vector_row[VECTOR_PATH].name);
    for (int i = 0; i < piece->lines && error == 0; i++)
        add_path(&pen, &piece->line[i]);
    mvt_layer(mvt, vector_row[VECTOR_LABEL].name);
    if (error == 0 && piece->world->recipe->paths.towns.block_log2 != 0)
        error = add_places(&pen);
    if (error == 0)
        error = tile_add_peaks(piece, mvt);
    free(pen.point);
    return error;
}
