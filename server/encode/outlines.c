/*
 * Rings are lines of a grid with a margin of no kind, so all of them are closed. Outer rings have their area to their right, and
 * so go clockwise; a hole belongs to the smallest ring that contains it.
 */
#include "outlines.h"

#include <stdlib.h>
#include <string.h>

#include "isolines.h"

struct outlines_ring {
    size_t first, points;
    int64_t area; /* twice; below 0: a hole */
    struct mvt_point min, max;
    size_t in, holes; /* of a hole: its ring; of others: the first of their holes */
};

static size_t inner(const struct outlines *outlines, size_t at)
{
    const size_t width = (size_t)outlines->side + 2;
    return (at / width - 1) * (size_t)outlines->side + at % width - 1;
}

static bool is_margin(const struct outlines *outlines, size_t at)
{
    const size_t width = (size_t)outlines->side + 2, i = at % width, j = at / width;
    return i == 0 || j == 0 || i + 1 == width || j + 1 == width;
}

static void cut(const void *context, struct isolines_cut *cut, size_t cuts, size_t beside)
{
    const struct outlines *outlines = context;
    for (size_t n = 0; n < cuts; n++) {
        const size_t a = (size_t)cut[n].a, b = a + beside;
        const bool is_outer =
            is_margin(outlines, a) || is_margin(outlines, b); /* points are kept in the tile */
        cut[n].along =
            is_outer ? 0 : outlines->cut(outlines->context, inner(outlines, a), inner(outlines, b));
    }
}

/* Reserves room for so many more points and a ring; false: memory is short. */
static bool reserve(struct outlines *outlines, size_t points)
{
    if (outlines->rings == outlines->ring_room) {
        const size_t room = 2 * outlines->ring_room + 16;
        struct outlines_ring *more = realloc(outlines->ring, room * sizeof *more);
        if (!more)
            return false;
        outlines->ring = more;
        outlines->ring_room = room;
    }
    if (outlines->point_room - outlines->points < points) {
        const size_t room = 2 * (outlines->points + points);
        struct mvt_point *more = realloc(outlines->point, room * sizeof *more);
        if (!more)
            return false;
        outlines->point = more;
        outlines->point_room = room;
    }
    return true;
}

static void take(void *to, int32_t k, const struct mvt_point *point, size_t points, bool closed)
{
    struct outlines *outlines = to;
    struct outlines_ring ring = {outlines->points, points, 0, point[0], point[0], 0, 0};
    (void)k;
    (void)closed; /* they are */
    for (size_t i = 0; i < points; i++) {
        const struct mvt_point *a = &point[i], *b = &point[i + 1 < points ? i + 1 : 0];
        ring.area += (int64_t)a->x * b->y - (int64_t)b->x * a->y;
        ring.min.x = a->x < ring.min.x ? a->x : ring.min.x;
        ring.min.y = a->y < ring.min.y ? a->y : ring.min.y;
        ring.max.x = a->x > ring.max.x ? a->x : ring.max.x;
        ring.max.y = a->y > ring.max.y ? a->y : ring.max.y;
    }
    if (outlines->failed || ring.area == 0)
        return;
    if (!reserve(outlines, points)) {
        outlines->failed = true;
        return;
    }
    memcpy(outlines->point + outlines->points, point, points * sizeof *point);
    outlines->points += points;
    outlines->ring[outlines->rings++] = ring;
}

static bool box_holds(const struct outlines_ring *ring, const struct outlines_ring *hole)
{
    return ring->min.x <= hole->min.x && ring->min.y <= hole->min.y && ring->max.x >= hole->max.x &&
           ring->max.y >= hole->max.y;
}

/*
 * True if the middle of a hole's first segment, in halves, is in a ring: an odd number of the ring's segments is west
 * of it. A point on the ring is inside.
 */
static bool ring_holds(const struct outlines *outlines, const struct outlines_ring *ring,
                       const struct outlines_ring *hole)
{
    const struct mvt_point *const a = &outlines->point[hole->first], *const b = a + 1,
                                  *const point = outlines->point + ring->first;
    const int64_t x = (int64_t)a->x + b->x, y = (int64_t)a->y + b->y;
    bool in = false;
    for (size_t i = 0, last = ring->points - 1; i < ring->points; last = i++) {
        const int64_t x0 = 2 * (int64_t)point[last].x, y0 = 2 * (int64_t)point[last].y,
                      x1 = 2 * (int64_t)point[i].x, y1 = 2 * (int64_t)point[i].y;
        if ((y0 > y) == (y1 > y))
            continue;
        const int64_t side = (x - x0) * (y1 - y0) - (y - y0) * (x1 - x0);
        in ^= y1 > y0 ? side > 0 : side < 0;
    }
    return in;
}

static int compare_shapes(const void *a, const void *b)
{
    const struct outlines_ring *first = a, *second = b;
    const int holes = (first->area < 0) - (second->area < 0);
    if (holes != 0)
        return holes;
    if (first->area != second->area)
        return first->area < second->area ? -1 : 1;
    return first->first < second->first ? -1 : 1;
}

/* By what they are in. */
static int compare_holes(const void *a, const void *b)
{
    const struct outlines_ring *first = a, *second = b;
    if (first->in != second->in)
        return first->in < second->in ? -1 : 1;
    return first->first < second->first ? -1 : 1;
}

/* Sorts outer rings by size, smallest first, then holes by their ring. */
static void sort(struct outlines *outlines)
{
    qsort(outlines->ring, outlines->rings, sizeof *outlines->ring, compare_shapes);
    while (outlines->shapes < outlines->rings && outlines->ring[outlines->shapes].area > 0)
        outlines->ring[outlines->shapes++].holes = outlines->rings;
    for (size_t h = outlines->shapes; h < outlines->rings; h++) {
        struct outlines_ring *hole = &outlines->ring[h];
        hole->in = outlines->shapes; /* in none: left out */
        for (size_t k = 0; k < outlines->shapes && hole->in == outlines->shapes; k++)
            if (box_holds(&outlines->ring[k], hole) && ring_holds(outlines, &outlines->ring[k], hole))
                hole->in = k;
    }
    qsort(outlines->ring + outlines->shapes, outlines->rings - outlines->shapes, sizeof *outlines->ring,
          compare_holes);
    for (size_t h = outlines->rings; h-- > outlines->shapes;)
        if (outlines->ring[h].in < outlines->shapes)
            outlines->ring[outlines->ring[h].in].holes = h;
}

int outlines_make(struct outlines *outlines)
{
    const size_t side = (size_t)outlines->side, width = side + 2;
    if (!memchr(outlines->kind, outlines->of, side * side))
        return 0;
    int32_t *step = calloc(width * width, sizeof *step);
    if (!step)
        return -1;
    for (size_t j = 0; j < side; j++)
        for (size_t i = 0; i < side; i++)
            step[(j + 1) * width + i + 1] = outlines->kind[j * side + i] == outlines->of;
    const struct isolines_grid grid = {.width = (int)width,
                                       .height = (int)width,
                                       .margin = 1,
                                       .step = step,
                                       .unit = outlines->unit,
                                       .cut = cut,
                                       .context = outlines};
    if (isolines(&grid, take, outlines) != 0)
        outlines->failed = true;
    free(step);
    if (outlines->rings > 0)
        sort(outlines);
    return outlines->failed ? -1 : 0;
}

void outlines_free(struct outlines *outlines)
{
    free(outlines->ring);
    free(outlines->point);
}

void outlines_write(const struct outlines *outlines, size_t k, struct mvt *mvt)
{
    const struct outlines_ring *ring = &outlines->ring[k];
    mvt_geometry(mvt, outlines->point + ring->first, ring->points, true);
    for (size_t h = ring->holes; h < outlines->rings && outlines->ring[h].in == k; h++)
        mvt_geometry(mvt, outlines->point + outlines->ring[h].first, outlines->ring[h].points, true);
}
