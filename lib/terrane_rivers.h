/*
 * Rivers: where water goes from every place of a world, and the ground that it has made.
 *
 * A recipe with rivers has drainage lattices at the levels rivers.top, top - 2 .. rivers.bottom, and one between each two
 * of them for the level between. lib/drain/drain.h says how they are made, lib/README.md to the bit.
 */
#ifndef TERRANE_RIVERS_H
#define TERRANE_RIVERS_H

#include "terrane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a cell's water goes: 0 .. 7 to the neighbour east, south-east, south ... north-east; or nowhere. */
enum {
    TERRANE_DRAIN_SEA = 8,     /* it is sea */
    TERRANE_DRAIN_INLAND = 9,  /* it is the deepest place of an inland lake */
    TERRANE_DRAIN_NONE = 15,   /* nobody has said */
    TERRANE_DRAIN_WAY = 15,    /* the bits of these */
    TERRANE_DRAIN_STREAM = 16, /* finer lattices trace it */
    TERRANE_DRAIN_LAKE = 32,   /* z is a lake's surface, over ground as noise makes it */
};

/*
 * A window (step 1) of a lattice. z: height of the ground in units of terrane_erosion_unit_m, or of a lake's surface over
 * it; of sea the ground. low and high: the halves of a word whose upper byte says where water goes, and the others how much:
 * what runs off at the cell and above it, in mm a year times cells of the level rivers.bottom. Row by row; the caller owns
 * them.
 */
struct terrane_drained {
    struct terrane_window window;
    int32_t *z;
    uint32_t *low, *high;
};

static inline int terrane_drained_to(const struct terrane_drained *drained, size_t at)
{
    return (int)(drained->high[at] >> 24);
}

static inline uint64_t terrane_drained_runoff(const struct terrane_drained *drained, size_t at)
{
    return (uint64_t)(drained->high[at] & 0xFFFFFF) << 32 | drained->low[at];
}

/*
 * What lattices, rivers and sand add to a level's geometric error, in metres; 0 at level 0, and without rivers. Proved below
 * rivers.bottom; from there on, where no law bounds it closely, the law that windows bear out: 3 samples of rivers.bottom,
 * above it 2 of the level and 6 of rivers.bottom, or all that the ground spans where that is less.
 */
double terrane_rivers_error_m(const struct terrane_recipe *recipe, int level);

/* m3/s of a runoff. */
double terrane_discharge(const struct terrane_recipe *recipe, uint64_t runoff);

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* x and y: 2^-4 samples of level 0; z: of the water, in units of terrane_erosion_unit_m. */
struct terrane_river_point {
    int64_t x, y;
    int32_t z;
};

enum terrane_river_end {
    TERRANE_RIVER_JOINS, /* another line */
    TERRANE_RIVER_SEA,
    TERRANE_RIVER_LAKE
};

/*
 * A line of a river: of a lattice's cells, from a head, a confluence, a lake's outlet or the edge of an aligned block of
 * 2^TERRANE_RIVER_BLOCK_LOG2 cells on to where the next begins, or to the sea or a lake. So it lies in one block, and it, and its
 * id, are the same in every product that has that. Heights fall or stay.
 *
 * order: 1 + floor(log4(runoff / the least runoff of a line)): Strahler's, of a network whose areas rise fourfold from order to
 * order. His own is no local number.
 */
enum { TERRANE_RIVER_BLOCK_LOG2 = 6, TERRANE_RIVER_POINTS_MOST = (2 << 2 * TERRANE_RIVER_BLOCK_LOG2) + 2 };

struct terrane_river {
    uint64_t id, to; /* to: of the line that it joins; else 0 */
    enum terrane_river_end end;
    int order;
    uint64_t runoff;                   /* at its end */
    int points;                        /* two at least */
    struct terrane_river_point *point; /* the caller's, TERRANE_RIVER_POINTS_MOST of them */
};

/* Fills the line that begins at a cell; false: none does, or the product lacks the cell's block or two cells around it. */
bool terrane_river(const struct terrane_world *world, const struct terrane_drained *drained, int64_t gi,
                   int64_t gj, struct terrane_river *river);

/* Of a river with such a runoff. */
float terrane_river_width_m(const struct terrane_recipe *recipe, uint64_t runoff);

/* ---- The way of a drop --------------------------------------------------------------------------------- */

/* Begins at a cell of the level rivers.bottom; then it says where it is. */
struct terrane_walk {
    int64_t gi, gj;             /* the cell that comes next */
    enum terrane_river_end end; /* TERRANE_RIVER_JOINS: it goes on */
    uint64_t river;             /* the id of the line that it is on; 0: on none */
    uint64_t steps;             /* cells so far */
    int32_t z;                  /* of the last point */
    /* its own */
    int32_t floor; /* no cell may be over that */
    int came;      /* the way to the cell; -1: it is the first */
};

void terrane_walk_begin(int64_t gi, int64_t gj, struct terrane_walk *walk);

/*
 * terrane_walk - goes on as far as a product leads: to the sea, an inland lake, or a block that is not in it as terrane_river
 * wants it. visit is shown every point on the way; z never rises.
 *
 * Returns 0; or TERRANE_EWINDOW where the product has not got the block of the cell that comes next, or leads uphill, in circles
 * or nowhere (TERRANE_WALK_MOST cells are more than any way has): it is no product.
 */
#define TERRANE_WALK_MOST (UINT64_C(1) << 22)
int terrane_walk(const struct terrane_world *world, const struct terrane_drained *drained,
                 struct terrane_walk *walk,
                 void (*visit)(void *context, const struct terrane_walk *walk,
                               const struct terrane_river_point *point),
                 void *context) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
