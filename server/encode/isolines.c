/*
 * Every cell records its line segments, from the edge where they enter to the one where they leave, sorted by
 * step (counting sort). Then the segments of each step are joined: one ends on the edge where the next begins.
 */
#include "isolines.h"

#include <stdlib.h>
#include <string.h>

/* Edges by number: twice the sample at their west or north end, and 1 more of those that go south. */
struct piece {
    uint32_t from, to;
};

struct work {
    const struct isolines_grid *grid;
    uint32_t *cell; /* cells that a line may cross, by the sample at their north-west corner */
    size_t cells;
    int64_t first, last, stride; /* steps that are drawn: multiples of stride */
    uint32_t *begin;             /* start of each step in piece; one more */
    struct piece *piece;
    int32_t *at;   /* of an edge: the step's piece that begins there, or -1 */
    int32_t *next; /* of a piece; -1: none */
    uint8_t *state;
    struct mvt_point *point;
};
enum { LED_TO = 1, DRAWN = 2 };

static int64_t floor_div(int64_t a, int64_t b)
{
    return b == 1 ? a : a / b - (a % b < 0); /* mostly it is, and divisions are slow */
}

/* The steps of a cell's corners: north-west, north-east, south-east, south-west. */
static void corners(const struct isolines_grid *grid, size_t cell, int32_t corner[4])
{
    const int32_t *const at = grid->step + cell;
    corner[0] = at[0];
    corner[1] = at[1];
    corner[2] = at[grid->width + 1];
    corner[3] = at[grid->width];
}

/* Lists the cells whose corners are not all of one step. 0, or -1: memory is short. */
static int list_cells(struct work *work)
{
    const struct isolines_grid *grid = work->grid;
    const size_t width = (size_t)grid->width;
    work->cell = malloc(width * (size_t)grid->height * sizeof *work->cell);
    if (!work->cell)
        return -1;
    for (size_t j = 0; j + 1 < (size_t)grid->height; j++) {
        const int32_t *const north = grid->step + j * width, *const south = north + width;
        int32_t west = north[0] ^ south[0];
        for (size_t i = 0; i + 1 < width; i++) {
            const int32_t east = north[i + 1] ^ south[i + 1];
            work->cell[work->cells] = (uint32_t)(j * width + i);
            work->cells += (west | east | (north[i] ^ north[i + 1])) != 0;
            west = east;
        }
    }
    return 0;
}

static void span(const int32_t corner[4], int64_t *min, int64_t *max)
{
    *min = *max = corner[0];
    for (int c = 1; c < 4; c++) {
        *min = corner[c] < *min ? corner[c] : *min;
        *max = corner[c] > *max ? corner[c] : *max;
    }
}

/* Counts segments of every stride-th step, one for each cell and step, though saddles have two. Finds the range, too. */
static uint64_t count_pieces(struct work *work)
{
    const struct isolines_grid *grid = work->grid;
    int64_t min = INT64_MAX, max = INT64_MIN;
    uint64_t pieces = 0;
    for (size_t c = 0; c < work->cells; c++) {
        int32_t corner[4];
        int64_t low, high;
        corners(grid, work->cell[c], corner);
        span(corner, &low, &high);
        min = low < min ? low : min;
        max = high > max ? high : max;
        pieces += (uint64_t)(floor_div(high, work->stride) - floor_div(low, work->stride));
    }
    work->first = pieces ? floor_div(min, work->stride) + 1 : 0;
    work->last = pieces ? floor_div(max, work->stride) : -1;
    return pieces;
}

/* Sides of a cell: 0 north, 1 east, 2 south, 3 west. */
static uint32_t edge_of(const struct isolines_grid *grid, uint32_t cell, int side)
{
    const uint32_t at = cell + (side == 2 ? (uint32_t)grid->width : 0) + (side == 1);
    return 2 * at + (side == 1 || side == 3);
}

/* The edges where lines enter and leave a cell, higher ground to the right, by the corners above: NW 1, NE 2, SE 4, SW 8; 4: no
 * line. The two cases with two lines are for cells whose middle is below. */
static const uint8_t ways[16][4] = {{4, 4, 4, 4}, {0, 3, 4, 4}, {1, 0, 4, 4}, {1, 3, 4, 4},
                                    {2, 1, 4, 4}, {0, 3, 2, 1}, {2, 0, 4, 4}, {2, 3, 4, 4},
                                    {3, 2, 4, 4}, {0, 2, 4, 4}, {1, 0, 3, 2}, {1, 2, 4, 4},
                                    {3, 1, 4, 4}, {0, 1, 4, 4}, {3, 0, 4, 4}, {4, 4, 4, 4}},
                     over[2][4] = {{0, 1, 2, 3}, {3, 0, 1, 2}}; /* of 5 and of 10, where it is above */

/* The segments of a cell for line k. */
static const uint8_t *ways_of(const int32_t corner[4], int64_t k)
{
    int in = 0;
    for (int c = 0; c < 4; c++)
        in |= (corner[c] >= k) << c;
    const bool high = (int64_t)corner[0] + corner[1] + corner[2] + corner[3] >= 4 * k;
    return high && (in == 5 || in == 10) ? over[in == 10] : ways[in];
}

/* Visits the cells and their steps: counts their segments in end if there is no room yet, else fills. */
static void pass(struct work *work, uint32_t *end)
{
    const struct isolines_grid *grid = work->grid;
    for (size_t c = 0; c < work->cells; c++) {
        const uint32_t cell = work->cell[c];
        int32_t corner[4];
        int64_t low, high;
        corners(grid, cell, corner);
        span(corner, &low, &high);
        for (int64_t step = floor_div(low, work->stride) + 1; step <= floor_div(high, work->stride); step++) {
            const uint8_t *const way = ways_of(corner, step * work->stride);
            for (int n = 0; n < 4 && way[n] < 4; n += 2) {
                const uint32_t at = end[step - work->first]++;
                if (work->piece)
                    work->piece[at] =
                        (struct piece){edge_of(grid, cell, way[n]), edge_of(grid, cell, way[n + 1])};
            }
        }
    }
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static int32_t within(int32_t max, int32_t value)
{
    return value < 0 ? 0 : value > max ? max : value;
}

static struct mvt_point place(const struct isolines_grid *grid, uint32_t edge, int32_t k)
{
    const uint32_t a = edge / 2, width = (uint32_t)grid->width;
    const bool south = edge & 1;
    const int i = (int)(a % width) - grid->margin, j = (int)(a / width) - grid->margin;
    const int32_t along = grid->cut(grid->context, a, a + (south ? width : 1), k);
    const int32_t max_x = (grid->width - 1 - 2 * grid->margin) * grid->unit,
                  max_y = (grid->height - 1 - 2 * grid->margin) * grid->unit;
    return (struct mvt_point){within(max_x, i * grid->unit + (south ? 0 : along)),
                              within(max_y, j * grid->unit + (south ? along : 0))};
}

/* The ends of a ring meet, so the rules for a line's inner points apply to all its points. */
static size_t close_ring(struct mvt_point *point, size_t points)
{
    while (points > 1 && ((point[0].x == point[points - 1].x && point[0].y == point[points - 1].y) ||
                          (points > 2 && mvt_is_between(&point[points - 2], &point[points - 1], &point[0]))))
        points--;
    size_t first = 0;
    while (points - first > 2 && mvt_is_between(&point[points - 1], &point[first], &point[first + 1]))
        first++;
    memmove(point, point + first, (points - first) * sizeof *point);
    return points - first;
}

/* Follows the line from a segment, until its end or its beginning. */
static void draw(struct work *work, int32_t begin, int64_t step, isolines_take *take, void *to)
{
    const int32_t k = (int32_t)(step * work->stride);
    size_t points = 0;
    int32_t p = begin, last = begin;
    for (; p >= 0 && !(work->state[p] & DRAWN); p = work->next[p]) {
        work->state[p] |= DRAWN;
        points = mvt_add(work->point, points, place(work->grid, work->piece[p].from, k));
        last = p;
    }
    const bool closed = p >= 0;
    if (closed)
        points = close_ring(work->point, points);
    else
        points = mvt_add(work->point, points, place(work->grid, work->piece[last].to, k));
    if (points >= (closed ? 3 : 2))
        take(to, k, work->point, points, closed);
}

static void draw_step(struct work *work, int64_t step, isolines_take *take, void *to)
{
    const int32_t begin = (int32_t)work->begin[step - work->first],
                  end = (int32_t)work->begin[step - work->first + 1];
    for (int32_t p = begin; p < end; p++)
        work->at[work->piece[p].from] = p;
    for (int32_t p = begin; p < end; p++) {
        work->next[p] = work->at[work->piece[p].to];
        if (work->next[p] >= 0)
            work->state[work->next[p]] |= LED_TO;
    }
    for (int32_t p = begin; p < end; p++)
        if (!(work->state[p] & LED_TO))
            draw(work, p, step, take, to);
    for (int32_t p = begin; p < end; p++)
        if (!(work->state[p] & DRAWN))
            draw(work, p, step, take, to);
    for (int32_t p = begin; p < end; p++)
        work->at[work->piece[p].from] = -1;
}

/* Fills begin and piece; returns the number of segments. -1: memory is short. */
static int64_t collect(struct work *work)
{
    const size_t steps = (size_t)(work->last - work->first + 1);
    uint32_t pieces = 0, *end = calloc(steps, sizeof *end);
    work->begin = calloc(steps + 1, sizeof *work->begin);
    if (work->begin && end) {
        pass(work, end);
        for (size_t s = 0; s < steps; s++) {
            pieces += end[s];
            work->begin[s + 1] = pieces;
            end[s] = work->begin[s];
        }
        work->piece = malloc(((size_t)pieces + 1) * sizeof *work->piece);
    }
    if (work->piece)
        pass(work, end);
    free(end);
    return work->piece ? (int64_t)pieces : -1;
}

int isolines(const struct isolines_grid *grid, isolines_take *take, void *to)
{
    enum { STEPS_MAX = 1 << 16 };
    static const uint8_t factor[] = {5, 2};
    struct work work = {.grid = grid, .stride = 1};
    const size_t edges = 2 * (size_t)grid->width * (size_t)grid->height;
    int error = list_cells(&work);
    for (unsigned n = 0; count_pieces(&work) > ISOLINES_MAX || work.last - work.first >= STEPS_MAX; n++)
        work.stride *= factor[n % 2];
    const int64_t pieces = work.last < work.first ? -1 : collect(&work);
    if (pieces >= 0) {
        work.at = malloc(edges * sizeof *work.at);
        work.next = malloc(((size_t)pieces + 1) * sizeof *work.next);
        work.state = calloc((size_t)pieces + 1, 1);
        work.point = malloc(((size_t)pieces + 2) * sizeof *work.point);
    }
    if (work.at && work.next && work.state && work.point) {
        memset(work.at, 0xff, edges * sizeof *work.at);
        for (int64_t step = work.first; step <= work.last; step++)
            draw_step(&work, step, take, to);
    } else if (work.last >= work.first) {
        error = -1;
    }
    free(work.cell);
    free(work.begin);
    free(work.piece);
    free(work.at);
    free(work.next);
    free(work.state);
    free(work.point);
    return error;
}
