/* Paths of a world: the cells around a region, whose nodes and edges are found on demand. */
#ifndef TERRANE_PATH_WORLD_CELLS_H
#define TERRANE_PATH_WORLD_CELLS_H

#include "world.h"

/* A cell's node is (x, y), samples from the region's north-west; while unknown, it is within low .. high. */
struct path_cell {
    int32_t low_x, low_y, high_x, high_y;
    struct path_ground ground; /* once it is known */
    bool exists, town;
    uint32_t asked, joined,
        trunk; /* edges to cells behind it, as bits path_behind: known, present, trunk roads */
};

struct path_cells {
    const struct terrane_world *world;
    struct path_scale scale;
    struct terrane_memory memory; /* with scratch */
    int64_t gi, gj;               /* of the region */
    int64_t cx, cy;               /* of the first cell */
    int rings, side, error;       /* rings: around the region's own */
    struct path_diamond reach;    /* the region and the area around it in which its edges must be known */
    struct path_cell *cell;       /* side x side */
};

enum {
    PATH_BEHIND_FIRST = 4,
    PATH_BEHIND_END = 28,
    PATH_DECIDE = 2 * PATH_RINGS /* rings of cells that decide an edge */
};

/* The number of the cell at offset x, y, x within -3 .. 3, y within 0 .. 3: cells after it have numbers from FIRST on. */
static inline int path_behind(int x, int y)
{
    return 7 * y + x + 3;
}

/* True if an edge joins the nodes of two existing cells, p before q, at most 3 apart along both axes. */
bool path_edge_is(struct path_cells *cells, int p, int q);

/* Max rings of cells around a region needed to find trunk roads; and the search for them and the towns, which marks cells. */
int path_town_rings(const struct terrane_recipe *recipe);
int path_towns_find(struct path_cells *cells) TERRANE_MUST_CHECK;

#endif
