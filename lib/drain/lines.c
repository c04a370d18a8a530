/*
 * Lines of rivers.
 *
 * A line begins where a channel does: at its head, where channels meet, where a lake lets it out; and at the edge of every
 * aligned block of 2^TERRANE_RIVER_BLOCK_LOG2 cells, so that a line lies in one block, and whoever has the block, and four cells
 * around it, has the line. It goes on along the receivers up to where another begins, or to the sea or a lake.
 */
#include "../base/hash.h"
#include "drain.h"
#include "drained.h"
#include "river.h"

enum {
    BESIDE =
        3, /* cells that the curve of a cell looks at around it; before generator 12 one. A join looks one further */
    STEP = 2 /* of a cell's pieces, every second point is kept */
};
_Static_assert(RIVER_PIECES % STEP == 0 && RIVER_PIECES / 2 % STEP == 0, "the middle is kept");
_Static_assert(TERRANE_RIVER_POINTS_MAX == (RIVER_PIECES / STEP << 2 * TERRANE_RIVER_BLOCK_LOG2) + 2,
               "of each cell, and the first, and where it joins");

static size_t beside(const struct terrane_drained *drained, size_t at, int k)
{
    return (size_t)((ptrdiff_t)at + drain_dy[k] * drained->window.width + drain_dx[k]);
}

static int way_of(const struct terrane_drained *drained, size_t at)
{
    return terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
}

/* Whether it has a channel to be seen: none is in a lake. */
static bool flows(const struct terrane_drained *drained, size_t at, uint64_t min)
{
    return river_at(drained, at, min) && !(terrane_drained_cell(drained, at).to & TERRANE_DRAIN_LAKE);
}

static int64_t column_of(const struct terrane_drained *drained, size_t at)
{
    return drained->window.gi + (int64_t)(at % (size_t)drained->window.width);
}

static int64_t row_of(const struct terrane_drained *drained, size_t at)
{
    return drained->window.gj + (int64_t)(at / (size_t)drained->window.width);
}

static bool same_block(const struct terrane_drained *drained, size_t a, size_t b)
{
    const int log2 = TERRANE_RIVER_BLOCK_LOG2;
    return column_of(drained, a) >> log2 == column_of(drained, b) >> log2 &&
           row_of(drained, a) >> log2 == row_of(drained, b) >> log2;
}

static int beside_cells(const struct terrane_world *world)
{
    return world->recipe->generator < 12 ? 1 : BESIDE;
}

/* a - b of any, modulo 2^64: what overflows is far from every window. */
static int64_t from(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

bool river_covered(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                   int64_t gj)
{
    const int margin = beside_cells(world) + 1;
    const struct terrane_window *window = &drained->window;
    const int64_t side = INT64_C(1) << TERRANE_RIVER_BLOCK_LOG2;
    const int64_t west = from(gi & -side, window->gi), north = from(gj & -side, window->gj);
    return west >= margin && north >= margin && west <= window->width - side - margin &&
           north <= window->height - side - margin;
}

/* The only cell that brings a channel to a cell with one, in its block and from no lake; -1: the line begins here. */
static ptrdiff_t line_before(const struct terrane_drained *drained, size_t at, uint64_t min)
{
    ptrdiff_t before = -1;
    for (int k = 0; k < 8; k++) {
        const size_t other = beside(drained, at, k);
        if (!river_at(drained, other, min) || way_of(drained, other) != ((k + 4) & 7))
            continue;
        if (before >= 0 || !flows(drained, other, min) || !same_block(drained, at, other))
            return -1;
        before = (ptrdiff_t)other;
    }
    return before;
}

static uint64_t id_of(const struct terrane_world *world, const struct terrane_drained *drained, size_t at)
{
    const uint64_t key = hash_absorb(hash_absorb(world->ids, UINT64_C(0x4C696E65)), /* "Line" */
                                     (uint64_t)drained->window.level);
    return hash_absorb(hash_absorb(key, (uint64_t)column_of(drained, at)), (uint64_t)row_of(drained, at));
}

uint64_t river_line_of(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                       uint64_t min, ptrdiff_t before, uint64_t id)
{
    if (!flows(drained, at, min))
        return 0;
    ptrdiff_t above = line_before(drained, at, min);
    if (above >= 0 && above == before)
        return id;
    for (int steps = 0; above >= 0 && steps < 1 << 2 * TERRANE_RIVER_BLOCK_LOG2; steps++) {
        at = (size_t)above;
        above = line_before(drained, at, min);
    }
    return id_of(world, drained, at);
}

/* Of a river whose areas rise fourfold from order to order, as Strahler's do on the average. */
static int order_of(uint64_t runoff, uint64_t min)
{
    int order = 1;
    for (runoff /= 4; runoff >= min && order < 32; runoff /= 4)
        order++;
    return order;
}

/* ---- A line -------------------------------------------------------------------------------------------- */

static void add_point(struct terrane_river *river, struct river_point point)
{
    struct terrane_river_point *last = river->point + river->points;
    const int32_t z = river->points > 0 && last[-1].z < point.z ? last[-1].z : point.z;
    *last = (struct terrane_river_point){point.x, point.y, z};
    river->points++;
}

static void add_curve(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                      uint64_t min, struct terrane_river *river)
{
    struct river_point curve[RIVER_PIECES + 1];
    river_curve(world, drained, at, min, curve);
    for (int t = river->points > 0 ? STEP : 0; t <= RIVER_PIECES; t += STEP)
        add_point(river, curve[t]);
}

/* What it is at its last cell. */
static void size_up(const struct terrane_world *world, const struct terrane_drained *drained, size_t last,
                    uint64_t min, struct terrane_river *river)
{
    river->runoff = terrane_drained_cell(drained, last).runoff;
    river->discharge_m3s = river_discharge(world->recipe, river->runoff);
    river->width_m = river_width_m(world->recipe, river->runoff);
    river->order = order_of(river->runoff, min);
    river->named = terrane_drained_stem(world->recipe, drained, last, &river->stem);
}

/* Where it goes on from its last cell. */
static void end_line(const struct terrane_world *world, const struct terrane_drained *drained, size_t last,
                     uint64_t min, struct terrane_river *river)
{
    const size_t next = beside(drained, last, way_of(drained, last));
    struct river_point join[2];
    size_up(world, drained, last, min, river);
    if (!flows(drained, next, min)) {
        river->end = way_of(drained, next) == TERRANE_DRAIN_SEA ? TERRANE_RIVER_SEA : TERRANE_RIVER_LAKE;
        return;
    }
    river->end = TERRANE_RIVER_JOINS;
    river->to = id_of(world, drained, next);
    if (river_main(drained, next, min) == (ptrdiff_t)last)
        return;
    river_join(world, drained, last, min, join);
    add_point(river, join[1]);
}

/* As terrane_river: a line that begins at a cell, and a part of one beside. */
static bool whole_line(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                       int64_t gj, struct terrane_river *river)
{
    const struct terrane_window *window = &drained->window;
    if (!river_covered(world, drained, gi, gj))
        return false;
    size_t at = (size_t)(gj - window->gj) * (size_t)window->width + (size_t)(gi - window->gi);
    const uint64_t min = river_shown_min(world->recipe, window->level);
    if (!flows(drained, at, min) || line_before(drained, at, min) >= 0)
        return false;
    river->id = id_of(world, drained, at);
    river->to = 0;
    river->points = 0;
    for (int cells = 1;; cells++) {
        const size_t next = beside(drained, at, way_of(drained, at));
        add_curve(world, drained, at, min, river);
        if (!flows(drained, next, min) || line_before(drained, next, min) != (ptrdiff_t)at ||
            cells == 1 << 2 * TERRANE_RIVER_BLOCK_LOG2)
            break;
        at = next;
    }
    end_line(world, drained, at, min, river);
    return true;
}

static bool line_beside(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                        int64_t gj, struct terrane_river *river)
{
    const struct terrane_window *window = &drained->window;
    const int cells = beside_cells(world), margin = cells + 1;
    const int64_t i = from(gi, window->gi), j = from(gj, window->gj);
    if (i < cells || j < cells || i >= window->width - cells || j >= window->height - cells)
        return false;
    const size_t at = (size_t)j * (size_t)window->width + (size_t)i;
    const uint64_t min = river_shown_min(world->recipe, window->level);
    if (!flows(drained, at, min))
        return false;
    const int way = way_of(drained, at);
    const int64_t next_i = i + drain_dx[way], next_j = j + drain_dy[way];
    *river = (struct terrane_river){.point = river->point};
    add_curve(world, drained, at, min, river);
    if (next_i >= margin && next_j >= margin && next_i + margin < window->width &&
        next_j + margin < window->height) {
        end_line(world, drained, at, min, river);
    } else {
        size_up(world, drained, at, min, river);
    }
    return true;
}

bool terrane_river(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                   int64_t gj, bool beside, struct terrane_river *river)
{
    return beside ? line_beside(world, drained, gi, gj, river) : whole_line(world, drained, gi, gj, river);
}
