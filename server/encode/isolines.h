/*
 * Lines of equal height, and outlines, of a grid of samples: marching squares.
 */
#ifndef TERRANE_SERVER_ISOLINES_H
#define TERRANE_SERVER_ISOLINES_H

#include "mvt.h"

/*
 * A grid, row by row from north to south. Lines of step k run between samples whose step is below k and those from k on, which lie to
 * their right. cut says how far from sample a to its neighbour b, which is east or south of it, line k crosses, in units of 0 .. `unit`;
 * it sees the same two samples in both tiles that have them, so that lines meet on the edge they share.
 *
 * margin: of so many samples around the tile, 0 or 1: those are where what is outlined ends at the latest, and points stay in the tile.
 */
struct isolines_grid {
    int width, height, margin;
    const int32_t *step;
    int32_t unit; /* between samples */
    int32_t (*cut)(const void *context, size_t a, size_t b, int32_t k);
    const void *context;
};

/* Takes a line of step k: a ring that is closed without its first point once more, or one that begins and ends at the grid's edge. At
 * least two places that differ, three of a ring, none on the straight way between its neighbours. They are the caller's until it returns. */
typedef void isolines_take(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed);

/*
 * Gives all lines, by their steps from the lowest on. Where they would have over ISOLINES_MOST pieces, only every fifth, tenth, fiftieth ...
 * step is drawn. 0, or -1: memory is short. Time and memory by samples and pieces.
 */
enum { ISOLINES_MOST = 1 << 19 };
int isolines(const struct isolines_grid *grid, isolines_take *take, void *to);

#endif
