/*
 * Lines are followed from one crossing of an edge, by a step, to the next. Cells say which that is, in one pass, row by row. An
 * edge's crossings are beside each other, so that edge and step tell which it is.
 *
 * Terrain is noise to a processor that guesses branches, so what is to be looked at is listed without any.
 */
#include "isolines.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 1 << 16 };
enum { ENDS = -1, DRAWN = -2 }; /* of a crossing, in place of the next one */

/* Where a line may begin: at the grid's edge, or, if it is a ring, where it cuts off a south-east corner, as in the first of its cells. */
struct begin {
    uint32_t turn; /* twice the step's number, from the first on, and 1 more of rings */
    int32_t crossing;
};

struct work {
    const struct isolines_grid *grid;
    const int32_t *step; /* the grid's, in strides, rounded down */
    int64_t stride;      /* multiples of it are drawn */
    int32_t first;       /* step, in strides; there are `steps` */
    size_t steps;
    void *memory;            /* of all below */
    struct mvt_point *place; /* of a crossing */
    struct mvt_point *line;  /* that is under way */
    int32_t *next;           /* of a crossing: the one after it in its line */
    int32_t crossings;
    struct begin *begin; /* in the order of cells; `begins` */
    size_t begins;
    int32_t *sorted; /* crossings of begin, by turn */
    size_t *end;     /* of a turn's in sorted */
    /* Of the row of cells that is under way, by column: what an edge's crossing of step k is, less k, as an unsigned sum. */
    uint32_t *north, *south, *west;
    int32_t *low, *high; /* of the row's cells */
    int32_t *list;       /* columns */
    unsigned outer;      /* bits of its edges that are the grid's */
};

/* ---- How many ------------------------------------------------------------------------------------------ */

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static uint32_t apart(int32_t a, int32_t b)
{
    return (uint32_t)most(a, b) - (uint32_t)least(a, b);
}

/* What there is of lines; of pieces one for each cell and step, though saddles have two. */
struct counts {
    uint64_t pieces, crossings;
    int32_t min, max; /* of steps */
};

/* Of a row's cells, but for what of their crossings is the next row's. */
static void count_row(struct counts *counts, const int32_t *north, const int32_t *south, int width)
{
    uint64_t pieces = 0, crossings = apart(north[width - 1], south[width - 1]);
    int32_t min = counts->min, max = counts->max;
    for (int i = 0; i + 1 < width; i++) {
        const int32_t low = least(least(north[i], north[i + 1]), least(south[i], south[i + 1])),
                      high = most(most(north[i], north[i + 1]), most(south[i], south[i + 1]));
        pieces += apart(low, high);
        crossings += (uint64_t)apart(north[i], north[i + 1]) + apart(north[i], south[i]);
        min = least(min, low);
        max = most(max, high);
    }
    counts->pieces += pieces;
    counts->crossings += crossings;
    counts->min = min;
    counts->max = max;
}

static struct counts count_all(const struct isolines_grid *grid, const int32_t *step)
{
    struct counts counts = {.min = *step, .max = *step};
    const int32_t *row = step;
    for (int j = 0; j + 1 < grid->height; j++, row += grid->width)
        count_row(&counts, row, row + grid->width, grid->width);
    for (int i = 0; i + 1 < grid->width; i++)
        counts.crossings += apart(row[i], row[i + 1]);
    return counts;
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

static int32_t within(int32_t max, int32_t value)
{
    return value < 0 ? 0 : value > max ? max : value;
}

static struct mvt_point place(const struct work *work, int i, int j, bool south, int32_t k)
{
    const struct isolines_grid *grid = work->grid;
    const size_t a = (size_t)j * (size_t)grid->width + (size_t)i;
    const int32_t along = grid->cut(grid->context, a, a + (south ? (size_t)grid->width : 1),
                                    (int32_t)(k * work->stride)),
                  x = (i - grid->margin) * grid->unit, y = (j - grid->margin) * grid->unit;
    if (grid->margin == 0)
        return (struct mvt_point){south ? x : x + along, south ? y + along : y};
    return (struct mvt_point){
        within((grid->width - 1 - 2 * grid->margin) * grid->unit, south ? x : x + along),
        within((grid->height - 1 - 2 * grid->margin) * grid->unit, south ? y + along : y)};
}

/* Adds the crossings of the edges that go south, or east, from a row's samples. base: see north. */
static void cross(struct work *work, int j, bool south, uint32_t *base)
{
    const int width = work->grid->width, edges = south ? width : width - 1;
    const int32_t *const from = work->step + (ptrdiff_t)j * width, *const to = from + (south ? width : 1);
    int listed = 0;
    for (int i = 0; i < edges; i++) {
        work->list[listed] = i;
        listed += from[i] != to[i];
    }
    for (int n = 0; n < listed; n++) {
        const int i = work->list[n];
        const int32_t low = least(from[i], to[i]), high = most(from[i], to[i]);
        base[i] = (uint32_t)work->crossings - (uint32_t)low - 1;
        for (int64_t k = (int64_t)low + 1; k <= high; k++) {
            work->next[work->crossings] = ENDS;
            work->place[work->crossings++] = place(work, i, j, south, (int32_t)k);
        }
    }
}

enum { NORTH, EAST, SOUTH, WEST, NONE }; /* edges of a cell */

/* The edges where lines enter and leave a cell, higher ground to the right, by the corners above: NW 1, NE 2, SE 4, SW 8. The
 * two cases with two lines are for cells whose middle is below. */
static const uint8_t ways[16][4] = {{NONE, NONE, NONE, NONE},   {NORTH, WEST, NONE, NONE},
                                    {EAST, NORTH, NONE, NONE},  {EAST, WEST, NONE, NONE},
                                    {SOUTH, EAST, NONE, NONE},  {NORTH, WEST, SOUTH, EAST},
                                    {SOUTH, NORTH, NONE, NONE}, {SOUTH, WEST, NONE, NONE},
                                    {WEST, SOUTH, NONE, NONE},  {NORTH, SOUTH, NONE, NONE},
                                    {EAST, NORTH, WEST, SOUTH}, {EAST, SOUTH, NONE, NONE},
                                    {WEST, EAST, NONE, NONE},   {NORTH, EAST, NONE, NONE},
                                    {WEST, NORTH, NONE, NONE},  {NONE, NONE, NONE, NONE}},
                     over[2][4] = {{NORTH, EAST, SOUTH, WEST},
                                   {WEST, NORTH, EAST, SOUTH}}; /* of 5 and of 10, where it is above */

/* Whether the middle of a cell, given by its first sample, is above a step. */
static bool is_high(const struct work *work, size_t cell, int32_t k)
{
    const int32_t *const north = work->grid->step + cell, *const south = north + work->grid->width;
    return (int64_t)north[0] + north[1] + south[0] + south[1] >= 4 * (k * work->stride);
}

/* A piece of a cell from an edge to another one. at: where an edge's number is, from north[i] on. outer: bits of its edges that are the grid's. */
static void lead(struct work *work, int i, int32_t k, const int32_t at[NONE + 1], const uint8_t way[2],
                 unsigned outer)
{
    enum { CORNER = 1 << EAST | 1 << SOUTH };
    const uint32_t *const north = work->north + i, from = north[at[way[0]]] + (uint32_t)k;
    work->next[from] = (int32_t)(north[at[way[1]]] + (uint32_t)k);
    const unsigned is_outer = outer >> way[0] & 1;
    work->begin[work->begins] =
        (struct begin){2 * ((uint32_t)k - (uint32_t)work->first) + !is_outer, (int32_t)from};
    work->begins += is_outer | (CORNER >> way[0] & CORNER >> way[1] & 1);
}

static void join(struct work *work, int i, int j, const int32_t at[NONE + 1])
{
    const int width = work->grid->width;
    const int32_t *const north = work->step + (ptrdiff_t)j * width + i, *const south = north + width;
    const unsigned outer = work->outer | (unsigned)(i + 2 == width) << EAST | (unsigned)(i == 0) << WEST;
    for (int64_t step = (int64_t)work->low[i] + 1; step <= work->high[i]; step++) {
        const int32_t k = (int32_t)step;
        const int in = (north[0] >= k) | (north[1] >= k) << 1 | (south[1] >= k) << 2 | (south[0] >= k) << 3;
        const uint8_t *way = ways[in];
        if ((in == 5 || in == 10) && is_high(work, (size_t)j * (size_t)width + (size_t)i, k))
            way = over[in == 10];
        lead(work, i, k, at, way, outer);
        if (way[2] != NONE)
            lead(work, i, k, at, way + 2, outer);
    }
}

/* A row's cells. */
static void join_row(struct work *work, int j)
{
    const int width = work->grid->width;
    const int32_t *const north = work->step + (ptrdiff_t)j * width, *const south = north + width;
    uint32_t *const above = work->north;
    work->north = work->south;
    work->south = above;
    const int32_t apart = (int32_t)(work->south - work->north), west = (int32_t)(work->west - work->north),
                  at[NONE + 1] = {0, west + 1, apart, west};
    work->outer = (unsigned)(j == 0) << NORTH | (unsigned)(j + 2 == work->grid->height) << SOUTH;
    cross(work, j, true, work->west);
    cross(work, j + 1, false, work->south);
    for (int i = 0; i + 1 < width; i++) {
        work->low[i] = least(least(north[i], north[i + 1]), least(south[i], south[i + 1]));
        work->high[i] = most(most(north[i], north[i + 1]), most(south[i], south[i + 1]));
    }
    int listed = 0;
    for (int i = 0; i + 1 < width; i++) {
        work->list[listed] = i;
        listed += work->low[i] != work->high[i];
    }
    for (int n = 0; n < listed; n++)
        join(work, work->list[n], j, at);
}

static void join_all(struct work *work)
{
    cross(work, 0, false, work->south);
    for (int j = 0; j + 1 < work->grid->height; j++)
        join_row(work, j);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

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

/* Follows the line from a crossing, until its end or its beginning. */
static void draw(struct work *work, int32_t at, int32_t k, isolines_take *take, void *to)
{
    size_t points = 0;
    while (work->next[at] >= 0) {
        const int32_t next = work->next[at];
        points = mvt_add(work->line, points, work->place[at]);
        work->next[at] = DRAWN;
        at = next;
    }
    const bool closed = work->next[at] == DRAWN;
    points = closed ? close_ring(work->line, points) : mvt_add(work->line, points, work->place[at]);
    if (points >= (closed ? 3 : 2))
        take(to, k, work->line, points, closed);
}

/* Puts where lines may begin in order. */
static void sort(struct work *work)
{
    size_t before = 0;
    for (size_t n = 0; n < work->begins; n++)
        work->end[work->begin[n].turn]++;
    for (size_t turn = 0; turn < 2 * work->steps; turn++) {
        const size_t here = work->end[turn];
        work->end[turn] = before;
        before += here;
    }
    for (size_t n = 0; n < work->begins; n++)
        work->sorted[work->end[work->begin[n].turn]++] = work->begin[n].crossing;
}

static void draw_all(struct work *work, isolines_take *take, void *to)
{
    size_t n = 0;
    for (size_t turn = 0; turn < 2 * work->steps; turn++)
        for (; n < work->end[turn]; n++)
            if (work->next[work->sorted[n]] >= 0)
                draw(work, work->sorted[n], (int32_t)((work->first + (int64_t)(turn / 2)) * work->stride),
                     take, to);
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* Steps in strides, owned; NULL: memory is short. */
static int32_t *divide(const struct isolines_grid *grid, int64_t stride)
{
    const size_t count = (size_t)grid->width * (size_t)grid->height;
    int32_t *step = malloc(count * sizeof *step);
    for (size_t i = 0; step && i < count; i++)
        step[i] = (int32_t)(grid->step[i] / stride - (grid->step[i] % stride < 0));
    return step;
}

/* -1: memory is short. */
static int take_memory(struct work *work, const struct counts *counts)
{
    work->first = counts->min + 1;
    work->steps = (size_t)((int64_t)counts->max - counts->min);
    const size_t crossings = (size_t)counts->crossings, width = (size_t)work->grid->width;
    work->memory = malloc(2 * work->steps * sizeof *work->end +
                          (crossings + 1) * (2 * sizeof *work->place + sizeof *work->begin) +
                          (2 * crossings + 6 * width) * sizeof *work->next);
    if (!work->memory)
        return -1;
    work->end = memset(work->memory, 0, 2 * work->steps * sizeof *work->end);
    work->place = (struct mvt_point *)(work->end + 2 * work->steps);
    work->line = work->place + crossings;
    work->begin = (struct begin *)(work->line + crossings + 1);
    work->next = (int32_t *)(work->begin + crossings + 1);
    work->sorted = work->next + crossings;
    work->list = work->sorted + crossings;
    work->north = (uint32_t *)(work->list + width);
    work->south = work->north + width;
    work->west = work->south + width;
    work->low = (int32_t *)(work->west + width);
    work->high = work->low + width;
    return 0;
}

static bool are_many(const struct counts *counts)
{
    return counts->pieces > ISOLINES_MAX || (int64_t)counts->max - counts->min > STEPS_MAX;
}

int isolines(const struct isolines_grid *grid, isolines_take *take, void *to)
{
    static const uint8_t factor[] = {5, 2};
    struct work work = {.grid = grid, .step = grid->step, .stride = 1};
    struct counts counts = count_all(grid, grid->step);
    int32_t *divided = NULL;
    int error = 0;
    for (unsigned n = 0; error == 0 && are_many(&counts); n++) {
        work.stride *= factor[n % 2];
        free(divided);
        work.step = divided = divide(grid, work.stride);
        error = divided ? 0 : -1;
        if (!error)
            counts = count_all(grid, divided);
    }
    if (error == 0 && counts.pieces > 0) {
        error = take_memory(&work, &counts);
        if (error == 0) {
            join_all(&work);
            sort(&work);
            draw_all(&work, take, to);
        }
    }
    free(work.memory);
    free(divided);
    return error;
}
