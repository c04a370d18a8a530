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

/* Where a step's line crosses an edge. */
struct crossing {
    struct mvt_point place;
    int32_t next; /* in its line */
};

/* Where a line may begin: at the grid's edge, or, if it is a ring, where it cuts off a south-east corner, as in the first of its cells. */
struct begin {
    int32_t k;
    uint32_t from; /* twice its crossing, and 1 more of rings */
};

/* Edges of a column's cell. Its eastern one is the next column's western one. */
enum { NORTH, SOUTH, WEST, EDGES, EAST = EDGES + WEST };

struct work {
    const struct isolines_grid *grid;
    const int32_t *step; /* the grid's, in strides, rounded down */
    int64_t stride;      /* multiples of it are drawn */
    int32_t first;       /* step, in strides; there are `steps` */
    size_t steps;
    void *memory; /* of all below */
    struct crossing *crossing;
    int32_t crossings;
    struct isolines_cut *cut; /* of a row's crossings */
    struct mvt_point *line;   /* that is under way */
    struct begin *begin;      /* in the order of cells; `begins` */
    size_t begins;
    int32_t *sorted; /* crossings of begin, by turn: a step's lines, then its rings */
    size_t *end;     /* of a turn's in sorted */
    /* By column and edge of the row of cells that is under way: what an edge's crossing of step k is, less k, as an unsigned sum. */
    uint32_t *edge;
    int32_t *mixed; /* 0: the corners of a column's cell are of one step */
    int32_t *list;  /* columns */
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

/* What there is of lines, and the least and the greatest step. Beyond STEPS_MAX of those nothing is counted. */
struct counts {
    uint64_t pieces, crossings;
    int32_t min, max;
};

static void find_range(struct counts *counts, const int32_t *step, size_t samples)
{
    int32_t min = INT32_MAX, max = INT32_MIN;
    for (size_t i = 0; i < samples; i++) {
        min = least(min, step[i]);
        max = most(max, step[i]);
    }
    counts->min = min;
    counts->max = max;
}

/* Crossings of `edges` edges, from samples to those `beside` them: fewer than 2^32, as steps are within STEPS_MAX. */
static uint32_t count_row(const int32_t *step, int beside, int edges)
{
    const int32_t *const to = step + beside;
    uint32_t crossings = 0;
    for (int i = 0; i < edges; i++) {
        const int32_t by = to[i] - step[i];
        crossings += (uint32_t)(by < 0 ? -by : by);
    }
    return crossings;
}

static bool is_range_wide(const struct counts *counts)
{
    return (int64_t)counts->max - counts->min > STEPS_MAX;
}

/* A piece of a line begins and ends at a crossing, and two pieces share those that are not at the grid's edge. */
static struct counts count_all(const struct isolines_grid *grid, const int32_t *step)
{
    const int width = grid->width, height = grid->height;
    struct counts counts = {0};
    find_range(&counts, step, (size_t)width * (size_t)height);
    if (is_range_wide(&counts))
        return counts;
    uint64_t outer = 0;
    for (int j = 0; j < height; j++) {
        const int32_t *const row = step + (ptrdiff_t)j * width;
        const uint32_t east = count_row(row, 1, width - 1);
        counts.crossings += east;
        outer += j == 0 || j + 1 == height ? east : 0;
        if (j + 1 < height) {
            counts.crossings += count_row(row, width, width);
            outer += (uint64_t)count_row(row, width, 1) + count_row(row + width - 1, width, 1);
        }
    }
    counts.pieces = counts.crossings - outer / 2;
    return counts;
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* Adds the crossings of a row's edges that go south, or east, from samples of the list's first columns. */
static void cross(struct work *work, int j, bool south, int columns)
{
    const struct isolines_grid *const grid = work->grid;
    const int first = j * grid->width, beside = south ? grid->width : 1;
    const int32_t *const from = work->step + first, *const to = from + beside, *const list = work->list;
    struct isolines_cut *restrict const cut = work->cut;
    uint32_t *restrict const edge = work->edge + (south ? WEST : SOUTH);
    const uint32_t crossings = (uint32_t)work->crossings;
    size_t cuts = 0;
    for (int n = 0; n < columns; n++) {
        const int32_t i = list[n], low = least(from[i], to[i]), steps = most(from[i], to[i]) - low;
        edge[EDGES * i] = crossings + (uint32_t)cuts - (uint32_t)low - 1;
        cut[cuts].a = first + i; /* there is room, if it is none */
        cut[cuts].k = low + 1;
        for (int32_t m = 1; m < steps; m++) {
            cut[cuts + (size_t)m].a = first + i;
            cut[cuts + (size_t)m].k = low + 1 + m;
        }
        cuts += (size_t)steps;
    }
    for (size_t n = 0; work->stride > 1 && n < cuts; n++)
        cut[n].k = (int32_t)(cut[n].k * work->stride);
    grid->cut(grid->context, cut, cuts, (size_t)beside);
    struct crossing *const crossing = work->crossing + work->crossings;
    work->crossings += (int32_t)cuts;
    const int32_t unit = grid->unit;
    for (size_t n = 0; n < cuts; n++) {
        const int32_t along = cut[n].along, x = (cut[n].a - first) * unit, y = j * unit;
        crossing[n] = (struct crossing){{x + (south ? 0 : along), y + (south ? along : 0)}, ENDS};
    }
}

/* From where to where a line runs in a cell, higher ground to the right; is_corner: around its south-east one. */
struct way {
    uint8_t from, to;
    bool is_corner;
};

/* By the corners above: NW 1, NE 2, SE 4, SW 8. Of 5 and 10, which have two, for cells whose middle is below, and then above. */
static const struct way ways[18][2] = {[1] = {{NORTH, WEST, false}},
                                       [2] = {{EAST, NORTH, false}},
                                       [3] = {{EAST, WEST, false}},
                                       [4] = {{SOUTH, EAST, true}},
                                       [5] = {{NORTH, WEST, false}, {SOUTH, EAST, true}},
                                       [6] = {{SOUTH, NORTH, false}},
                                       [7] = {{SOUTH, WEST, false}},
                                       [8] = {{WEST, SOUTH, false}},
                                       [9] = {{NORTH, SOUTH, false}},
                                       [10] = {{EAST, NORTH, false}, {WEST, SOUTH, false}},
                                       [11] = {{EAST, SOUTH, true}},
                                       [12] = {{WEST, EAST, false}},
                                       [13] = {{NORTH, EAST, false}},
                                       [14] = {{WEST, NORTH, false}},
                                       [16] = {{NORTH, EAST, false}, {SOUTH, WEST, false}},
                                       [17] = {{WEST, NORTH, false}, {EAST, SOUTH, true}}};

/* Whether the middle of a cell, given by its first sample, is above a step. */
static bool is_high(const struct work *work, size_t cell, int32_t k)
{
    const int32_t *const north = work->grid->step + cell, *const south = north + work->grid->width;
    return (int64_t)north[0] + north[1] + south[0] + south[1] >= 4 * (k * work->stride);
}

/* Adds a piece of a line, and whether it may begin there. edge: of its column; outer: bits of those that are the grid's. */
static inline void lead(struct work *work, int32_t k, const struct way *way, const uint32_t *edge,
                        unsigned outer)
{
    const uint32_t from = edge[way->from] + (uint32_t)k;
    const unsigned is_outer = outer >> way->from & 1;
    work->crossing[from].next = (int32_t)(edge[way->to] + (uint32_t)k);
    work->begin[work->begins] = (struct begin){k, 2 * from + !is_outer};
    work->begins += is_outer | way->is_corner;
}

/* cell: its first sample. */
static inline void join(struct work *work, size_t cell, const uint32_t *edge, unsigned outer)
{
    const int32_t *const north = work->step + cell, *const south = north + work->grid->width;
    const int32_t nw = north[0], ne = north[1], sw = south[0], se = south[1],
                  low = least(least(nw, ne), least(sw, se)), high = most(most(nw, ne), most(sw, se));
    for (int32_t k = low + 1; k <= high; k++) {
        const unsigned in = (unsigned)(nw >= k) | (unsigned)(ne >= k) << 1 | (unsigned)(se >= k) << 2 |
                            (unsigned)(sw >= k) << 3;
        const bool two = in == 5 || in == 10;
        const struct way *const way = ways[two && is_high(work, cell, k) ? 16 + (in == 10) : in];
        lead(work, k, way, edge, outer);
        if (two)
            lead(work, k, way + 1, edge, outer);
    }
}

/* Lists a row's cells whose corners are not of one step; returns how many there are. */
static int list_cells(const int32_t *north, int width, int32_t *restrict mixed, int32_t *restrict list)
{
    const int32_t *const south = north + width;
    for (int i = 0; i + 1 < width; i++)
        mixed[i] = (north[i] ^ north[i + 1]) | (north[i] ^ south[i]) | (north[i] ^ south[i + 1]);
    int listed = 0;
    for (int i = 0; i + 1 < width; i++) {
        list[listed] = i;
        listed += mixed[i] != 0;
    }
    return listed;
}

/* A row's cells. */
static void join_row(struct work *work, int j)
{
    const int width = work->grid->width, first = j * width;
    const int listed = list_cells(work->step + first, width, work->mixed, work->list);
    const int32_t *const list = work->list;
    for (int n = 0; n < listed; n++)
        work->edge[EDGES * list[n] + NORTH] = work->edge[EDGES * list[n] + SOUTH];
    work->list[listed] = width - 1;
    cross(work, j, true, listed + 1);
    cross(work, j + 1, false, listed);
    const unsigned outer = (unsigned)(j == 0) << NORTH | (unsigned)(j + 2 == work->grid->height) << SOUTH;
    for (int n = 0; n < listed; n++) {
        const int i = list[n];
        join(work, (size_t)first + (size_t)i, work->edge + EDGES * i,
             outer | (unsigned)(i + 2 == width) << EAST | (unsigned)(i == 0) << WEST);
    }
}

static void join_all(struct work *work)
{
    for (int i = 0; i + 1 < work->grid->width; i++)
        work->list[i] = i;
    cross(work, 0, false, work->grid->width - 1);
    for (int j = 0; j + 1 < work->grid->height; j++)
        join_row(work, j);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* Follows the line from a crossing, until its end or its beginning. */
static void draw(struct work *work, int32_t at, int32_t k, isolines_take *take, void *to)
{
    struct crossing *const crossing = work->crossing;
    size_t points = 0;
    while (crossing[at].next >= 0) {
        const int32_t next = crossing[at].next;
        points = mvt_add(work->line, points, crossing[at].place);
        crossing[at].next = DRAWN;
        at = next;
    }
    const bool closed = crossing[at].next == DRAWN;
    points = closed ? mvt_close(work->line, points) : mvt_add(work->line, points, crossing[at].place);
    if (points >= (closed ? 3 : 2))
        take(to, k, work->line, points, closed);
}

static size_t turn_of(const struct work *work, const struct begin *begin)
{
    return 2 * (size_t)((int64_t)begin->k - work->first) + begin->from % 2;
}

/* Puts where lines may begin in order. */
static void sort(struct work *work)
{
    size_t before = 0;
    for (size_t n = 0; n < work->begins; n++)
        work->end[turn_of(work, &work->begin[n])]++;
    for (size_t turn = 0; turn < 2 * work->steps; turn++) {
        const size_t here = work->end[turn];
        work->end[turn] = before;
        before += here;
    }
    for (size_t n = 0; n < work->begins; n++)
        work->sorted[work->end[turn_of(work, &work->begin[n])]++] = (int32_t)(work->begin[n].from / 2);
}

static void draw_all(struct work *work, isolines_take *take, void *to)
{
    size_t n = 0;
    for (size_t turn = 0; turn < 2 * work->steps; turn++)
        for (; n < work->end[turn]; n++)
            if (work->crossing[work->sorted[n]].next >= 0)
                draw(work, work->sorted[n], (int32_t)((work->first + (int64_t)(turn / 2)) * work->stride),
                     take, to);
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* Steps in strides, owned; NULL: memory is short. */
static int32_t *divide(const struct isolines_grid *grid, int64_t stride)
{
    const size_t count = (size_t)grid->width * (size_t)grid->height;
    int32_t *step = calloc(count, sizeof *step);
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
                          (crossings + 1) * (sizeof *work->crossing + sizeof *work->cut + sizeof *work->line +
                                             sizeof *work->begin + sizeof *work->sorted) +
                          5 * width * sizeof *work->list);
    if (!work->memory)
        return -1;
    work->end = memset(work->memory, 0, 2 * work->steps * sizeof *work->end);
    work->crossing = (struct crossing *)(work->end + 2 * work->steps);
    work->cut = (struct isolines_cut *)(work->crossing + crossings + 1);
    work->line = (struct mvt_point *)(work->cut + crossings + 1);
    work->begin = (struct begin *)(work->line + crossings + 1);
    work->sorted = (int32_t *)(work->begin + crossings + 1);
    work->list = work->sorted + crossings + 1;
    work->mixed = work->list + width;
    work->edge = (uint32_t *)(work->mixed + width);
    return 0;
}

static bool are_many(const struct counts *counts)
{
    return counts->pieces > ISOLINES_MAX || is_range_wide(counts);
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
