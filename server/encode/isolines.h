/*
 * Lines of equal height of a grid of samples: marching squares.
 */
#ifndef TERRANE_SERVER_ISOLINES_H
#define TERRANE_SERVER_ISOLINES_H

#include "mvt.h"

/* Where a line crosses between two samples: a, and the one so many behind it that is east or south of it. */
struct isolines_cut {
    int32_t a, k; /* the line's step */
    int32_t along;
};

/*
 * A grid, row by row from north to south. Lines of step k run between samples whose step is below k and those from k on, which
 * are to their right. cut finds how far along it is from a sample to the one `beside` it, in 0 .. `unit`, where line k crosses,
 * for many cuts at once. It gets the same two samples in both tiles that have them, so lines meet on shared edges.
 */
struct isolines_grid {
    int width, height;
    const int32_t *step;
    int32_t unit; /* between samples */
    void (*cut)(const void *context, struct isolines_cut *cut, size_t cuts, size_t beside);
    const void *context;
};

/* Receives a line of step k: a ring, closed without repeating its first point, or a line that begins and ends at the grid's edge.
 * It has at least two distinct points, a ring three, none on the straight line between its neighbours. The points are borrowed
 * for the call. */
typedef void isolines_take(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed);

/*
 * Emits all lines, by step from the lowest on. If they would have over ISOLINES_MAX segments, only every fifth, tenth, fiftieth
 * ... step is drawn. 0, or -1: memory is short. Time and memory are linear in samples and segments.
 */
enum { ISOLINES_MAX = 1 << 19 };
int isolines(const struct isolines_grid *grid, isolines_take *take, void *to);

#endif
