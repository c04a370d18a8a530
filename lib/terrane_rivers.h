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

enum {
    TERRANE_DRAIN_HALO =
        80 /* cells around a window that draining it looks at first; to whole cells of the coarser lattice */
};

/*
 * terrane_drain_needs - the window of the next coarser lattice that draining one rests on, but for few. false: it is of the
 * coarsest, or above it.
 */
bool terrane_drain_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *needed);

/*
 * terrane_drain - drain a window.
 *
 *   from    NULL, or a product of the next coarser lattice: the result is the same, to the last bit, and sooner there
 *   memory  about 35 bytes are taken for a cell of the window with its halo, beside what is made of coarser lattices
 *   out     window (step 1, of a level from rivers.bottom to rivers.top, at most TERRANE_DRAIN_SIDE_MOST wide) and the arrays to fill
 *
 * Returns 0, TERRANE_EMEMORY, TERRANE_ELEVEL or TERRANE_EWINDOW.
 */
#define TERRANE_DRAIN_SIDE_MOST 768
int terrane_drain(const struct terrane_world *world, const struct terrane_drained *from,
                  const struct terrane_memory *memory, struct terrane_drained *out) TERRANE_MUST_CHECK;

/* Bytes that draining a window takes beside scratch, as a rule; and the coarser lattice above it where there is one. */
size_t terrane_drain_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window);

/*
 * Parts of a product, of a window of its level (any step) that it covers; they return 0 or TERRANE_EWINDOW.
 *
 * terrane_drained_heights    heights holds what terrane_heights made of the window, and becomes drained ground
 * terrane_drained_discharge  m3/s where a river is, else 0
 * terrane_drained_levels     level_m[j * width + i], as terrane_lakes': of sea and lakes, and on their shores, for samples of
 *                            a level: of a finer one shores are lower ground, too; reads TERRANE_SHORE_RINGS cells more on
 *                            every side
 */
#define TERRANE_SHORE_RINGS 3
int terrane_drained_heights(const struct terrane_recipe *recipe, const struct terrane_window *window,
                            const struct terrane_drained *drained, float *heights) TERRANE_MUST_CHECK;
int terrane_drained_discharge(const struct terrane_recipe *recipe, const struct terrane_window *window,
                              const struct terrane_drained *drained, float *discharge) TERRANE_MUST_CHECK;
int terrane_drained_levels(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const struct terrane_drained *drained, int level,
                           float *level_m) TERRANE_MUST_CHECK;

/*
 * terrane_drained_erosion - what drainage did to ground, for terrane_erode to go on from.
 *
 *   out  its window: step 1, of the level rivers.bottom, covered by drained
 *
 * Returns 0, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_drained_erosion(const struct terrane_world *world, const struct terrane_drained *drained,
                            const struct terrane_memory *memory,
                            struct terrane_eroded *out) TERRANE_MUST_CHECK;

/*
 * terrane_sand - lays a recipe's sand on a window's ground, and fills with it what water has cut there: after erosion, before rivers are cut.
 *
 *   drained  of the window's level, covering it: shown rivers stay bare; NULL, or of another level: they come after
 *   memory   8 bytes are taken for a sample, beside scratch
 *
 * Returns 0, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_sand(const struct terrane_world *world, const struct terrane_window *window,
                 const struct terrane_drained *drained, const struct terrane_memory *memory,
                 float *heights) TERRANE_MUST_CHECK;

/*
 * terrane_rivers_apply - rivers in the ground of a window of a level below rivers.bottom.
 *
 *   drained    of the level rivers.bottom; covers the window with TERRANE_RIVERS_MARGIN cells around
 *   heights    of the window, eroded: become the ground with beds and banks; or NULL
 *   surface_m  the water of rivers, or TERRANE_DRY; may be NULL
 *   discharge  m3/s where a river is, narrower than a sample, too; else 0; may be NULL
 *
 * terrane_rivers_beds - beds alone: after paths have been laid over the ground, whose banks they keep.
 *
 * Both return 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
#define TERRANE_RIVERS_MARGIN 8
int terrane_rivers_apply(const struct terrane_world *world, const struct terrane_window *window,
                         const struct terrane_drained *drained, const struct terrane_memory *memory,
                         float *heights, float *surface_m, float *discharge) TERRANE_MUST_CHECK;
int terrane_rivers_beds(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const struct terrane_memory *memory,
                        float *heights) TERRANE_MUST_CHECK;

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
