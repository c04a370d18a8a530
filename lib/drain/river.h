/*
 * Rivers as lines: curves through the cells of the finest lattice that drain enough for a channel.
 *
 * A cell has a point, its sample moved by a hash within a quarter of a cell. The channel runs from the middle of the way to
 * the cell's main stream, the neighbour that brings it most, in a parabola by the point to the middle of the way to its
 * receiver; what else comes in joins at the parabola's middle. So a curve is made of its cell, the receiver and the neighbours.
 */
#ifndef TERRANE_RIVER_H
#define TERRANE_RIVER_H

#include "../terrane_features.h"

enum {
    RIVER_FINE_LOG2 = 4, /* places are counted in 2^-4 samples of level 0 */
    RIVER_PIECES = 4,    /* straight pieces of a cell's curve */
    RIVER_INFLOWS = 8,
    RIVER_SHOWN_CELLS = 64, /* of a level that have to drain to one, for a map of it to show a river */
    RIVER_CELLS_MAX = 4,    /* that a channel is cut wide */
    /* Around the cells of a place: their channels alone come near it. A channel is cut RIVER_CELLS_MAX / 2 wide on either side, with
     * its flank (carve.c); the end of a join lies 1.82 cells aside at most. */
    RIVER_NEAR_CELLS = 5
};

#define RIVER_BROAD 0.7f /* samples that a river is wide, for its water to be shown */
#define RIVER_RIM   1.5f /* samples that a levee is wide at its top */

#define SAND_MAX_M  1024.0f
#define SAND_CUT_M \
    64.0f /* what is cut so deep stays a valley, what is cut less is filled by a quarter of that at most */

/* What a channel that some levels do not show may add, or take away, where they do: more than its bed, a bank at its water's edge and
 * the way up from there to what a notch leaves. */
float river_more_m(const struct terrane_recipe *recipe);

static inline int river_near_cells(const struct terrane_recipe *recipe)
{
    return RIVER_NEAR_CELLS - (recipe->generator < 12);
}

struct river_point {
    int64_t x, y; /* 2^-4 samples of level 0 */
    int32_t z;    /* of the water, units of terrane_erosion_unit_m */
};

/* Runoff from which on a channel is there; and from which on a lattice's is seen: on coarser ones every cell drains enough. */
uint64_t river_min(const struct terrane_recipe *recipe);
uint64_t river_shown_min(const struct terrane_recipe *recipe, int level);

/* Whether a cell of the finest lattice has a channel: land, with runoff enough. Lakes have, too, and where they are is for the
 * caller to ask. */
bool river_at(const struct terrane_drained *drained, size_t at, uint64_t min);

/* The cell, two at least within the window, as a place in the arrays. -1: there is none. */
ptrdiff_t river_main(const struct terrane_drained *drained, size_t at, uint64_t min);

/* A cell's point; of the sea at its level. */
struct river_point river_point_of(const struct terrane_world *world, const struct terrane_drained *drained,
                                  size_t at);

/*
 * The channel of a cell, three at least within the window, RIVER_PIECES + 1 points from where it comes in (its own point, where nothing
 * comes in) to the middle of the way to its receiver, or to the receiver's point, where that is sea or a lake. Heights fall or stay.
 */
void river_curve(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                 uint64_t min, struct river_point point[RIVER_PIECES + 1]);

/* From the middle of the way from a cell, four at least within the window, that is not the main stream of its receiver to the middle of
 * the receiver's curve. */
void river_join(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                uint64_t min, struct river_point point[2]);

/* A straight piece of a channel. */
struct river_piece {
    struct river_point from, to;
};

/* All of a cell that has a channel and is no lake: its curve's, and where it is not its receiver's main stream, the last to that.
 * Returns how many. */
int river_pieces(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                 uint64_t min, struct river_piece piece[RIVER_PIECES + 1]);

/* ---- Banks (banks.c) ----------------------------------------------------------------------------------- */

enum river_bank {
    RIVER_NARROW, /* how much of its width water has: 0.4 .. 1 */
    RIVER_WIDE, /* ... of a river that is wider than half a cell, which changes over longer ways: 0.5 .. 1 */
    RIVER_SIDE, /* slope of the bank at the water's edge: 0.08 .. 0.44 */
    RIVER_BANKS
};
#define RIVER_WIDENED 1.4f /* what widths are times, of which narrowed water has 0.7 in the mean */
#define RIVER_SIDE_12 \
    0.4f /* of all banks before generator 13, and water was as wide as it is at its widest */

/* Of all samples of a window of a level below the lattices, from generator 13 on. Returns 0 or TERRANE_EMEMORY. */
int river_banks(const struct terrane_world *world, const struct terrane_window *window,
                const struct terrane_memory *memory, int which, float *values) TERRANE_MUST_CHECK;

/* ---- Lines (lines.c) ----------------------------------------------------------------------------------- */

/* Whether a window has a cell's block, and four cells around it; before generator 12 two. */
bool river_covered(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                   int64_t gj);

/* The id of the line that a cell of such a block is of; 0: none. before: a cell that drains into it, or -1; id: its line's. */
uint64_t river_line_of(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                       uint64_t min, ptrdiff_t before, uint64_t id);

/* Metres, of m3/s: tables of roots, exact IEEE. */
float river_width_m(const struct terrane_recipe *recipe, uint64_t runoff);
double river_discharge(const struct terrane_recipe *recipe, uint64_t runoff); /* m3/s */
float river_depth_m(const struct terrane_recipe *recipe, uint64_t runoff);

#endif
