/*
 * What fields were sure of, cell by cell: windows of a lattice overlap, by half of them where a finer one is made from them, and halos are
 * most of a field. A window takes what is kept, and drains the rest. What a cell has is the same in every field that is sure of it, so
 * nothing shows but the time.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "../term/memo.h"
#include "drain.h"

enum { SIDE = MEMO_SQUARE, CELLS = SIDE * SIDE, SQUARES = MEMO_KEPT_ROWS * MEMO_KEPT_COLUMNS };

/* ---- Places -------------------------------------------------------------------------------------------- */

static bool is_of(const struct memo_kept *kept, const struct terrane_world *world, int level)
{
    return kept->since != 0 && kept->level == level && memo_is_of(kept->seed, &kept->recipe, world);
}

/* What is kept of a lattice, or NULL. */
static struct memo_kept *find(struct terrane_memo *memo, const struct terrane_world *world, int level)
{
    for (int k = 0; memo && k < MEMO_KEPT; k++)
        if (is_of(&memo->kept[k], world, level))
            return &memo->kept[k];
    return NULL;
}

/* The same; what was used longest ago makes room. */
static struct memo_kept *take(struct terrane_memo *memo, const struct terrane_world *world, int level)
{
    struct memo_kept *kept = find(memo, world, level);
    if (!kept) {
        kept = &memo->kept[0];
        for (int k = 1; k < MEMO_KEPT; k++)
            if (memo->kept[k].since < kept->since)
                kept = &memo->kept[k];
        kept->seed = world->seed;
        kept->recipe = world->recipe->digest;
        kept->level = level;
        memset(kept->square, 0, sizeof kept->square);
    }
    kept->since = ++memo->now;
    return kept;
}

/* The number of a square's place: squares far apart share it. */
static size_t place_of(int64_t column, int64_t row)
{
    const int64_t x = column % MEMO_KEPT_COLUMNS, y = row % MEMO_KEPT_ROWS;
    return (size_t)((y < 0 ? y + MEMO_KEPT_ROWS : y) * MEMO_KEPT_COLUMNS +
                    (x < 0 ? x + MEMO_KEPT_COLUMNS : x));
}

/* Cells of a row that lie in one square. */
struct run {
    int64_t gi, end, gj;
    size_t place; /* the square's */
    int first;    /* cell of it */
};

static struct run run_from(int64_t gi, int64_t end, int64_t gj)
{
    const int64_t column = gi >> MEMO_SQUARE_LOG2;
    return (struct run){.gi = gi,
                        .end = min_int64(end, (column + 1) * SIDE),
                        .gj = gj,
                        .place = place_of(column, gj >> MEMO_SQUARE_LOG2),
                        .first = (int)((gj & (SIDE - 1)) * SIDE + (gi & (SIDE - 1)))};
}

static bool is_there(const struct memo_square *square, const struct run *run)
{
    return square->column == run->gi >> MEMO_SQUARE_LOG2 && square->row == run->gj >> MEMO_SQUARE_LOG2;
}

/* Where a run's cell x is kept. */
static size_t kept_at(const struct run *run, int x)
{
    return run->place * CELLS + (size_t)(run->first + x);
}

/* Where cell gi, gj of a window stands in its arrays. */
static size_t at_of(const struct terrane_window *window, int64_t gi, int64_t gj)
{
    return (size_t)(gj - window->gj) * (size_t)window->width + (size_t)(gi - window->gi);
}

static void copy(const struct terrane_drained *from, size_t at, struct terrane_drained *to, size_t to_at)
{
    to->z[to_at] = from->z[at];
    to->low[to_at] = from->low[at];
    to->high[to_at] = from->high[at];
    to->stem[to_at] = from->stem[at];
}

static struct terrane_drained cells_of(struct memo_kept *kept)
{
    return (struct terrane_drained){.z = kept->z, .low = kept->low, .high = kept->high, .stem = kept->stem};
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

struct terrane_window drain_recall(const struct terrane_world *world, const struct terrane_memory *memory,
                                   struct terrane_drained *out)
{
    const struct terrane_window *const window = &out->window;
    struct memo_kept *const kept = find(memory->memo, world, window->level);
    if (!kept)
        return *window;
    const struct terrane_drained cells = cells_of(kept);
    const int64_t end = window->gi + window->width;
    int64_t west = end, east = window->gi, north = window->gj + window->height, south = window->gj;
    for (int64_t gj = window->gj; gj < window->gj + window->height; gj++)
        for (struct run run = run_from(window->gi, end, gj); run.gi < end; run = run_from(run.end, end, gj)) {
            const struct memo_square *const square = &kept->square[run.place];
            const uint64_t known = is_there(square, &run) ? square->known >> run.first : 0;
            for (int x = 0; x < (int)(run.end - run.gi); x++)
                if (known >> x & 1)
                    copy(&cells, kept_at(&run, x), out, at_of(window, run.gi + x, gj));
                else {
                    west = min_int64(west, run.gi + x);
                    east = max_int64(east, run.gi + x + 1);
                    north = min_int64(north, gj);
                    south = gj + 1;
                }
        }
    struct terrane_window left = *window;
    left.gi = west;
    left.gj = north;
    left.width = (int)max_int64(east - west, 0);
    left.height = (int)max_int64(south - north, 0);
    return left;
}

bool drain_is_kept(const struct terrane_world *world, const struct terrane_memory *memory,
                   const struct terrane_window *window)
{
    const struct memo_kept *const kept = find(memory->memo, world, window->level);
    const int64_t end = window->gi + window->width;
    bool all = kept != NULL;
    for (int64_t gj = window->gj; all && gj < window->gj + window->height; gj++)
        for (struct run run = run_from(window->gi, end, gj); all && run.gi < end;
             run = run_from(run.end, end, gj)) {
            const struct memo_square *const square = &kept->square[run.place];
            const uint64_t cells = ((UINT64_C(1) << (run.end - run.gi)) - 1) << run.first;
            all = is_there(square, &run) && (square->known & cells) == cells;
        }
    return all;
}

/* A square that is of a run's place from now on. */
static struct memo_square *own(struct memo_kept *kept, const struct run *run)
{
    struct memo_square *const square = &kept->square[run->place];
    if (!is_there(square, run))
        *square = (struct memo_square){run->gi >> MEMO_SQUARE_LOG2, run->gj >> MEMO_SQUARE_LOG2, 0};
    return square;
}

void drain_keep(const struct terrane_world *world, const struct terrane_memory *memory,
                const struct terrane_drained *drained)
{
    const struct terrane_window *const window = &drained->window;
    struct memo_kept *const kept = take(memory->memo, world, window->level);
    struct terrane_drained cells = cells_of(kept);
    const int64_t end = window->gi + window->width;
    for (int64_t gj = window->gj; gj < window->gj + window->height; gj++)
        for (struct run run = run_from(window->gi, end, gj); run.gi < end; run = run_from(run.end, end, gj)) {
            struct memo_square *const square = own(kept, &run);
            for (int x = 0; x < (int)(run.end - run.gi); x++) {
                square->known |= UINT64_C(1) << (run.first + x);
                copy(drained, at_of(window, run.gi + x, gj), &cells, kept_at(&run, x));
            }
        }
}

void drain_keep_sure(struct drain_field *field, const struct terrane_window *window,
                     const struct terrane_memory *memory)
{
    const struct terrane_window asked = window_grown(&field->window, -field->halo);
    struct memo_kept *const kept = take(memory->memo, field->world, window->level);
    struct terrane_drained cells = cells_of(kept);
    const int64_t west = max_int64(window->gi, asked.gi), north = max_int64(window->gj, asked.gj),
                  east = min_int64(window->gi + window->width, asked.gi + asked.width),
                  south = min_int64(window->gj + window->height, asked.gj + asked.height);
    for (int64_t gj = north; gj < south; gj++)
        for (struct run run = run_from(west, east, gj); run.gi < east; run = run_from(run.end, east, gj)) {
            struct memo_square *const square = own(kept, &run);
            int32_t c = (int32_t)at_of(&field->window, run.gi, gj);
            for (int x = 0; x < (int)(run.end - run.gi); x++, c++) {
                if (!drain_cell_is_sure(field, c))
                    continue;
                square->known |= UINT64_C(1) << (run.first + x);
                drain_cell_out(field, c, &cells, kept_at(&run, x));
            }
        }
}
_Static_assert(CELLS == 64, "a bit for each cell");
