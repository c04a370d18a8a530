/*
 * Plates: drifting blocks of crust, and the lines where they meet. lib/README.md "Plates" defines the function.
 *
 * A block is the Voronoi cell of one relaxed site a square cell. It is continental or oceanic, and belongs to a
 * plate: the nearest of the plates' own sites, one for 4 x 4 cells, which has a drift. So blocks of a plate share
 * their drift, and both blocks decide the line between them. Quantities are computed at nodes, 64 along a cell
 * (or the level's own samples, if those are wider), and interpolated by a cubic B-spline (spline.h): they are C2
 * at every level.
 *
 * plates_lines.c makes blocks and the lines between them, plates.c the nodes.
 */
#ifndef TERRANE_PLATES_H
#define TERRANE_PLATES_H

#include "../kernel/kernel.h"
#include "blocks.h"
#include "nodes.h"
#include "spline.h"
#include "voronoi.h"

enum {
    PLATES_MIN_LOG2 = 3,                                  /* ... min: a level with fewer has no plates */
    PLATES_REACH = 1,                                     /* cells around a place's in which lines count */
    PLATES_SIDE = 2 * (PLATES_REACH + VORONOI_REACH) + 1, /* cells around it whose sites shape those lines */
    PLATES_SITES = PLATES_SIDE * PLATES_SIDE,
    PLATES_LINES =
        2 * (3 * PLATES_SITES - 6) + 2, /* a planar graph's edges, each with an arc; whole vectors */
    PLATES_ACROSS = 128,
    PLATES_DOWN = 64, /* cached cells, by column and row modulo these: as many as the pool holds, some 2000 */
    PLATES_POOL = 1 << 20, /* floats */
    PLATES_OWN_ACROSS =
        64, /* of a call by itself: a row of a chunk's nodes, where 2^PLATES_MIN_LOG2 are a cell, */
    PLATES_OWN_DOWN = 4,       /* looks at 3 rows of these */
    PLATES_OWN_POOL = 1 << 17, /* floats */
    PLATES_GROUP_LOG2 = 3,     /* blocks along a group, made at once */
    PLATES_GROUP = 1 << PLATES_GROUP_LOG2,
    PLATES_GROUPS = 32 /* that are kept: 8 x 4 */
};

/* A block: its site from its own cell's north-west corner, and all that the cells around use. */
struct plates_block {
    double x, y;
    double drift_x, drift_y;
    uint64_t plate, hash;
    bool land, looked; /* looked: beside is known */
    uint32_t beside;   /* of the blocks behind it, those with which it may have a line (plates_lines.c) */
};

/* Aligned blocks. The lines of each cell need 49 of them. */
struct plates_group {
    struct memo_block owner; /* places are in groups */
    struct plates_block block[PLATES_GROUP][PLATES_GROUP];
};

/* The inputs of nodes in one cell. */
struct plates_cell {
    int64_t column, row;
    /* Blocks, by their sites: those of 5 x 5 cells, one of which is the nearest. In cells from the north-west corner,
     * as all is. */
    float site_x[PLATES_BLOCKS], site_y[PLATES_BLOCKS], crust[PLATES_BLOCKS];
    /* Straight pieces of boundary: start, vector to the end, and 1 / its squared length */
    int lines;
    uint8_t of[PLATES_LINES]; /* enum terrane_plates_of */
    float x[PLATES_LINES], y[PLATES_LINES], along_x[PLATES_LINES], along_y[PLATES_LINES],
        inverse[PLATES_LINES];
    float weak[PLATES_LINES];    /* added to distances: 0 where it is strongest */
    float closing[PLATES_LINES]; /* speed: above 0 together, below it apart */
};

/* A cached cell: sites and crusts, and its lines' numbers kind by kind, in a ring buffer. */
struct plates_known {
    struct memo_block owner;
    int lines;
    uint64_t at; /* floats that the pool had received before it */
};

/* Cached from call to call, of any worlds; zeros at first. */
struct plates_kept {
    uint64_t given; /* to the pool, floats */
    struct plates_known cell[PLATES_DOWN * PLATES_ACROSS];
    float pool[PLATES_POOL];
    struct plates_group group[PLATES_GROUPS];
};

/* The cache of a single call. */
struct plates_own {
    uint64_t given;
    struct plates_known cell[PLATES_OWN_DOWN * PLATES_OWN_ACROSS];
    float pool[PLATES_OWN_POOL];
    struct plates_group group[PLATES_GROUPS];
};

/* Either of them. */
struct plates_store {
    uint64_t *given;
    struct plates_known *cell;
    int across, down;
    float *pool;
    uint64_t floats;
    struct plates_group *group;
};

/* The plates of one world at one level, made on demand. About 1.2 MB, most of it untouched if cells are wide. */
struct plates {
    const struct terrane_world *world;
    float cell_m;
    int node_log2; /* samples of level 0 between nodes */
    bool none;     /* cells are too small for the level */
    struct spline_chunk chunk;
    bool made[SPLINE_ROWS]; /* rows of nodes, each at its number modulo SPLINE_ROWS */
    int64_t row[SPLINE_ROWS];
    _Alignas(TERRANE_SCRATCH_ALIGN) float node[SPLINE_ROWS][TERRANE_PLATES_OFS][SPLINE_COLUMNS];
    struct voronoi_sites sites;
    struct plates_store kept; /* the caller's, or own */
    struct plates_cell cell;  /* that is being made */
    struct plates_own own;
};

/* kept: the cache of cells and blocks; NULL: none. The recipe must have plates. */
void plates_start(struct plates *plates, const struct terrane_world *world, struct plates_kept *kept);

/* A chunk of columns of a level: gi .. gi + width - 1, 1 .. KERNEL_WIDTH. */
void plates_chunk(struct plates *plates, int level, int64_t gi, int width);

/* A strip of one quantity: out->value[r][KERNEL_PAD + i]. Cost: 0.1 us a node, and 0.15 ms for an uncached cell;
 * then some ns a sample. */
void plates_rows(struct plates *plates, enum terrane_plates_of of, const struct rows *rows,
                 struct strip *out);

/* ---- plates_lines.c ------------------------------------------------------------------------------------ */

/* The blocks and lines around a cell. */
void plates_cell_make(struct plates *plates, struct plates_cell *cell, int64_t column, int64_t row);

#endif
