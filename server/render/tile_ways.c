/*
 * Lines of rivers and paths of a tile as vectors. They are cut at its edges, first at the west and east ones, then at the
 * others, from points that its neighbours have, too.
 */
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

static void add_river(struct pen *pen, const struct terrane_river *river)
{
    char name[TERRANE_NAME_BYTES];
    mvt_feature(pen->mvt, MVT_LINE, river->id);
    if (river->id != 0) /* else the rest of one that is a neighbour's */
        mvt_id(pen->mvt, "id", river->id);
    if (river->named) {
        const uint64_t stem = terrane_stem_name(pen->piece->world, &river->stem, name);
        mvt_text(pen->mvt, "name", name);
        mvt_id(pen->mvt, "river", stem);
    }
    mvt_whole(pen->mvt, "order", river->order);
    mvt_number(pen->mvt, "discharge", tile_rounded(river->discharge_m3s));
    mvt_number(pen->mvt, "width", tile_rounded((double)river->width_m));
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
        mvt_id(pen->mvt, "id", line->edge->id);
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

int tile_add_ways(const struct piece *piece, struct mvt *mvt)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int level = piece->key->level;
    size_t max = 0;
    for (int i = 0; i < piece->rivers; i++)
        max = (size_t)piece->river[i].points > max ? (size_t)piece->river[i].points : max;
    for (int i = 0; i < piece->lines; i++)
        max = (size_t)piece->line[i].edge->points > max ? (size_t)piece->line[i].edge->points : max;
    struct pen pen = {.piece = piece,
                      .mvt = mvt,
                      .level = level,
                      .west = (uint64_t)window->gi << (level + 4),
                      .north = (uint64_t)window->gj << (level + 4),
                      .side = (int64_t)MVT_EXTENT << level,
                      .point = malloc((2 * max + 2) * sizeof *pen.point)};
    int error = pen.point ? 0 : -1;
    mvt_layer(mvt, vector_row[VECTOR_RIVER].name);
    for (int i = 0; i < piece->rivers && error == 0; i++)
        add_river(&pen, &piece->river[i]);
    mvt_layer(mvt, vector_row[VECTOR_PATH].name);
    for (int i = 0; i < piece->lines && error == 0; i++)
        add_path(&pen, &piece->line[i]);
    free(pen.point);
    return error;
}
