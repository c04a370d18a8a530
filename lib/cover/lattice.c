/*
 * What drainage knows of a place: how much water comes by, the stream it goes to, and how far the sea or a lake is.
 *
 *  (1) A cell's numbers are functions of the cells within COVER_REACH of it: a way has so many steps, and so has the chain of
 *      neighbours that a distance is counted along. So they are the same whatever region they are made of.
 *  (2) Products may lie: whatever cells say, ways are as long at most, and no number is beyond 2^32.
 */
#include <string.h>

#include "../base/lend.h"
#include "../base/window.h"
#include "../drain/drain.h"
#include "../drain/drained.h"
#include "../drain/river.h"
#include "../erosion/erosion.h"
#include "cover.h"

/* Distances are counted in fifths of a cell: 5 to a neighbour, 7 to one across a corner. */
enum { STRAIGHT = 5, ACROSS = 7, FAR = COVER_REACH * STRAIGHT };

struct lattice {
    const struct terrane_recipe *recipe;
    const struct terrane_drained *drained;
    struct terrane_window
        cells;    /* whose numbers are made: those around the samples, and one more on each side */
    uint64_t min; /* runoff of a stream */
    float unit_m, sea_m;
    float *value; /* of cells */
    uint8_t *far; /* of cells with COVER_REACH more around, and a ring of others */
    int32_t *to;  /* of cells with COVER_REACH more around, twice */
    float *z;     /* ..., metres */
};

static bool is_water(const struct terrane_drained *drained, size_t at)
{
    const int to = terrane_drained_cell(drained, at).to;
    return ((to & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA) | ((to & TERRANE_DRAIN_LAKE) != 0);
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* In cells of the lattice with the mean runoff: 2^-8 at least, whatever the climate. */
static void fill_log2_cells(const struct lattice *lattice)
{
    const struct terrane_window *cells = &lattice->cells;
    const struct terrane_rivers *rivers = &lattice->recipe->rivers;
    const float mean_mm = rivers->runoff < 0 ? rivers->runoff_mm : (float)DRAIN_MEAN_MM;
    const float cell =
        mean_mm * (float)(UINT64_C(1) << 2 * (lattice->drained->window.level - rivers->bottom));
    const float min = cell * 0x1p-8f;
    float *out = lattice->value;
    for (int j = 0; j < cells->height; j++, out += cells->width) {
        const size_t row = window_at(&lattice->drained->window, cells->gi, cells->gj + j, 1);
        for (int i = 0; i < cells->width; i++) {
            const float runoff = (float)terrane_drained_cell(lattice->drained, row + (size_t)i).runoff;
            out[i] = cell > 0 ? (runoff > min ? runoff : min) / cell : 1;
        }
        cover_log2s(out, (size_t)cells->width);
    }
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

/* A cell that leads its water on, if it has a way: no stream yet, no water. */
static bool leads_on(const struct lattice *lattice, size_t at)
{
    const struct terrane_drained *drained = lattice->drained;
    const bool wet = is_water(drained, at), small = terrane_drained_cell(drained, at).runoff < lattice->min;
    return (int)small & (int)!wet; /* no branch */
}

/* Of a row of cells around: their heights, and where a step leads, among all; to itself where it is the last of its way, or leads
 * out of them, which no way of a cell that counts does before its last step. */
static void fill_row(const struct lattice *lattice, const struct terrane_window *all, int j,
                     const int32_t step[TERRANE_DRAIN_WAY + 1], int32_t *to, float *z)
{
    const struct terrane_drained *drained = lattice->drained;
    const size_t at = window_at(&lattice->drained->window, all->gi, all->gj + j, 1);
    for (int i = 0; i < all->width; i++) {
        const int way = terrane_drained_cell(drained, at + (size_t)i).to & TERRANE_DRAIN_WAY;
        const int32_t leads = -(int32_t)leads_on(lattice, at + (size_t)i); /* all bits, or none */
        to[i] = j * all->width + i + (step[way] & leads);
        z[i] =
            way == TERRANE_DRAIN_SEA ? lattice->sea_m : (float)drained->z[at + (size_t)i] * lattice->unit_m;
    }
    const bool rim = j == 0 || j == all->height - 1;
    for (int i = 0; i < all->width; i += rim || i == all->width - 1 ? 1 : all->width - 1) {
        const int way = terrane_drained_cell(drained, at + (size_t)i).to & TERRANE_DRAIN_WAY;
        const int x = way < 8 ? i + drain_dx[way] : i, y = way < 8 ? j + drain_dy[way] : j;
        if (x < 0 || x >= all->width || y < 0 || y >= all->height)
            to[i] = j * all->width + i;
    }
}

static void fill_steps(const struct lattice *lattice, const struct terrane_window *all, int32_t *to)
{
    int32_t step[TERRANE_DRAIN_WAY + 1]; /* from a cell to the one that its way leads to */
    for (int way = 0; way <= TERRANE_DRAIN_WAY; way++)
        step[way] = way < 8 ? drain_dy[way] * all->width + drain_dx[way] : 0;
    for (int j = 0; j < all->height; j++) {
        const size_t row = (size_t)j * (size_t)all->width;
        fill_row(lattice, all, j, step, to + row, lattice->z + row);
    }
}

/* Steps twice as long. */
static void step_twice(const int32_t *to, size_t count, int32_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = to[to[i]];
}

/* Heights of the first cell on the way that is a stream or water, or the last within reach: COVER_REACH steps at once. */
static void fill_streams(const struct lattice *lattice)
{
    const struct terrane_window *cells = &lattice->cells, all = window_grown(cells, COVER_REACH);
    const size_t count = samples_of(&all);
    int32_t *to = lattice->to, *twice = to + count;
    float *out = lattice->value;
    _Static_assert(COVER_REACH == 1 << 3, "doubled three times");
    fill_steps(lattice, &all, to);
    step_twice(to, count, twice);
    step_twice(twice, count, to);
    step_twice(to, count, twice);
    for (int j = 0; j < cells->height; j++)
        for (int i = 0; i < cells->width; i++)
            *out++ =
                lattice->z[twice[(size_t)(j + COVER_REACH) * (size_t)all.width + (size_t)(i + COVER_REACH)]];
}

/* ---- Shores -------------------------------------------------------------------------------------------- */

static uint8_t nearer(uint8_t far, uint8_t other, int step)
{
    const uint8_t through = (uint8_t)(other + step); /* no sum is over FAR + ACROSS */
    return through < far ? through : far;
}

/* Half a round of the chamfer, row by row from one end, dir 1, or from the other, dir -1: what comes from the row before, and then
 * along the row. The outermost cells stay as they are. */
static void chamfer(uint8_t *far, int width, int height, int dir)
{
    for (int n = 1; n < height - 1; n++) {
        uint8_t *here = far + (size_t)(dir > 0 ? n : height - 1 - n) * (size_t)width;
        const uint8_t *before = here - (ptrdiff_t)dir * width;
        for (int i = 1; i < width - 1; i++)
            here[i] = nearer(nearer(nearer(here[i], before[i], STRAIGHT), before[i - 1], ACROSS),
                             before[i + 1], ACROSS);
        for (int k = 1, i = dir > 0 ? 1 : width - 2; k < width - 1; k++, i += dir)
            here[i] = nearer(here[i], here[i - dir], STRAIGHT);
    }
}

/* Water within reach of the cells; false: there is none, and nothing is filled. */
static bool fill_water(const struct lattice *lattice, const struct terrane_window *all)
{
    bool any = false;
    memset(lattice->far, FAR, samples_of(all));
    for (int j = 1; j < all->height - 1; j++) {
        const size_t row = window_at(&lattice->drained->window, all->gi + 1, all->gj + j, 1);
        uint8_t *far = lattice->far + (size_t)j * (size_t)all->width;
        for (int i = 1; i < all->width - 1; i++)
            if (is_water(lattice->drained, row + (size_t)(i - 1))) {
                far[i] = 0;
                any = true;
            }
    }
    return any;
}

static void fill_shores(const struct lattice *lattice)
{
    const struct terrane_window *cells = &lattice->cells, all = window_grown(cells, COVER_REACH + 1);
    const float fifth_m = cover_far_m(lattice->recipe, cells->level) / FAR;
    if (fill_water(lattice, &all)) {
        chamfer(lattice->far, all.width, all.height, 1);
        chamfer(lattice->far, all.width, all.height, -1);
    }
    float *out = lattice->value;
    for (int j = 0; j < cells->height; j++) {
        const uint8_t *far =
            lattice->far + (size_t)(j + COVER_REACH + 1) * (size_t)all.width + COVER_REACH + 1;
        for (int i = 0; i < cells->width; i++)
            *out++ = (float)far[i] * fifth_m;
    }
}

/* ---- Between cells ------------------------------------------------------------------------------------- */

/* Where a sample lies: the first of the four cells, counted from the window's, and their weights. */
struct knot {
    int first;
    float weight[4];
};

/* The uniform cubic B-spline. */
static struct knot knot_of(int64_t g, int finer, int64_t origin)
{
    const int64_t cell = g >> finer;
    const float t = (float)(g & ((INT64_C(1) << finer) - 1)) / (float)(INT64_C(1) << finer), s = 1 - t;
    return (struct knot){(int)(cell - 1 - origin),
                         {((s * s) * s) / 6, 2.0f / 3 - (t * t) * (1 - t / 2),
                          2.0f / 3 - (s * s) * (1 - s / 2), ((t * t) * t) / 6}};
}

/* Those of a row of samples. */
struct knots {
    bool each; /* samples lie on cells, one on each */
    int *first;
    float *weight[4];
};

static void knots_fill(struct knots *knots, const struct terrane_window *window, int finer, int64_t origin)
{
    knots->each = finer == 0 && window->step == 1;
    for (int i = 0; i < window->width; i++) {
        const struct knot knot = knot_of(window->gi + (int64_t)i * window->step, finer, origin);
        knots->first[i] = knot.first;
        for (int k = 0; k < 4; k++)
            knots->weight[k][i] = knot.weight[k];
    }
}

/* Samples i .. end - 1, which lie among the same four cells. */
static void fill_run(const struct knots *knots, int i, int end, const float *cell, float *restrict out)
{
    const float a = cell[0], b = cell[1], c = cell[2], d = cell[3];
    const float *const *const w = (const float *const *)knots->weight;
    for (; i < end; i++)
        out[i] = (w[0][i] * a + w[1][i] * b) + (w[2][i] * c + w[3][i] * d);
}

static void fill_line(const struct knots *knots, int width, const float *row, float *restrict out)
{
    const float w[4] = {knots->weight[0][0], knots->weight[1][0], knots->weight[2][0], knots->weight[3][0]};
    const float *const cell = row + knots->first[0];
    for (int i = 0; knots->each && i < width; i++)
        out[i] = (w[0] * cell[i] + w[1] * cell[i + 1]) + (w[2] * cell[i + 2] + w[3] * cell[i + 3]);
    for (int i = 0, end; !knots->each && i < width; i = end) {
        end = i + 1;
        while (end < width && knots->first[end] == knots->first[i])
            end++;
        fill_run(knots, i, end, row + knots->first[i], out);
    }
}

/* Rows of cells are blended first, then cells of that row. Where a sample stands on the last cell but one, the fourth is beyond
 * them, and weighs 0: any will do. */
static void fill_samples(const struct lattice *lattice, const struct terrane_window *window,
                         const struct knots *across, float *restrict row, float *out)
{
    const struct terrane_window *cells = &lattice->cells;
    const int finer = cells->level - window->level;
    for (int j = 0; j < window->height; j++, out += window->width) {
        const struct knot down = knot_of(window->gj + (int64_t)j * window->step, finer, cells->gj);
        const float *line[4], *const w = down.weight;
        for (int k = 0; k < 4; k++) {
            const int at = down.first + k < cells->height ? down.first + k : cells->height - 1;
            line[k] = lattice->value + (size_t)at * (size_t)cells->width;
        }
        for (int i = 0; i < cells->width; i++)
            row[i] = (w[0] * line[0][i] + w[1] * line[1][i]) + (w[2] * line[2][i] + w[3] * line[3][i]);
        fill_line(across, window->width, row, out);
    }
}

float cover_far_m(const struct terrane_recipe *recipe, int level)
{
    return (float)(COVER_REACH * recipe->spacing_m * (double)(INT64_C(1) << level));
}

/* What making takes: cells' numbers and distances, places of columns, and a row of cells with one that is never there. */
static void deal(struct lattice *lattice, struct room *room, int width, struct knots *across, float **row)
{
    const struct terrane_window all = window_grown(&lattice->cells, COVER_REACH),
                                ringed = window_grown(&all, 1);
    lattice->value = room_take(room, samples_of(&lattice->cells) * sizeof *lattice->value);
    lattice->far = room_take(room, samples_of(&ringed));
    lattice->to = room_take(room, 2 * samples_of(&all) * sizeof *lattice->to);
    lattice->z = room_take(room, samples_of(&all) * sizeof *lattice->z);
    across->first = room_take(room, (size_t)width * sizeof *across->first);
    for (int k = 0; k < 4; k++)
        across->weight[k] = room_take(room, (size_t)width * sizeof *across->weight[k]);
    *row = room_take(room, ((size_t)lattice->cells.width + 1) * sizeof **row);
}

int cover_of_drainage(const struct terrane_recipe *recipe, const struct terrane_window *window,
                      const struct terrane_drained *drained, const struct terrane_memory *memory,
                      float *log2_cells, float *stream_m, float *shore_m)
{
    const struct terrane_window around = window_around(window, drained->window.level),
                                needed = window_grown(&around, COVER_HALO);
    struct lattice lattice = {
        .recipe = recipe,
        .drained = drained,
        .cells = window_grown(&around, 1),
        .min = river_shown_min(recipe, drained->window.level),
        .unit_m = (float)terrane_erosion_unit_m(recipe),
        .sea_m = recipe->sea_m,
    };
    struct room room = {NULL, 0};
    struct knots across;
    float *row;
    if (!window_covers(&drained->window, &needed))
        return TERRANE_EWINDOW;
    deal(&lattice, &room, window->width, &across, &row);
    void *block = memory_take(memory, room.taken);
    if (!block)
        return TERRANE_EMEMORY;
    deal(&lattice, &(struct room){block, 0}, window->width, &across, &row);
    row[lattice.cells.width] = 0;
    knots_fill(&across, window, around.level - window->level, lattice.cells.gi);
    if (log2_cells) {
        fill_log2_cells(&lattice);
        fill_samples(&lattice, window, &across, row, log2_cells);
    }
    if (stream_m) {
        fill_streams(&lattice);
        fill_samples(&lattice, window, &across, row, stream_m);
    }
    if (shore_m) {
        fill_shores(&lattice);
        fill_samples(&lattice, window, &across, row, shore_m);
    }
    memory_give(memory, block);
    return 0;
}
