/*
 * Every point of the tile is of one kind. Between two neighbours of different kinds there is a crossing, on
 * neither of them. In a square of four samples lines go from crossing to crossing, or to the middle, where three
 * kinds or four meet. They meet nowhere else, so no ring touches itself or another of its kind. A margin of no
 * kind lies on the tile's edge, so all rings are closed.
 *
 * Outer rings have their area to their right, and so go clockwise; a hole belongs to the smallest ring that
 * contains it.
 */
#include "outlines.h"

#include <stdlib.h>
#include <string.h>

#include "../base/array.h"

enum { OUTSIDE = 255 }; /* the margin's kind */

/* A square's corners, clockwise from the north-west one on, and its sides, each behind its corner. */
enum { NW, NE, SE, SW, CORNERS };
enum { NORTH, EAST, SOUTH, WEST };

/* Samples with their margin, row by row, and whether a ring has gone east between one and that north of it. */
struct walk {
    struct outlines *outlines;
    uint32_t width;
    uint8_t *kind, *passed;
};

/* ---- Rings --------------------------------------------------------------------------------------------- */

static int32_t within(int32_t min, int32_t max, int32_t value)
{
    return value < min ? min : value > max ? max : value;
}

/* What is so far east and south of a sample. */
static struct mvt_point place(const struct walk *walk, uint32_t sample, int32_t east, int32_t south)
{
    const int32_t unit = walk->outlines->unit, max = (walk->outlines->side - 1) * unit,
                  i = (int32_t)(sample % walk->width) - 1, j = (int32_t)(sample / walk->width) - 1;
    return (struct mvt_point){within(0, max, i * unit + east), within(0, max, j * unit + south)};
}

/* Where a side of a square, given by its first sample, is crossed. */
static struct mvt_point cross(const struct walk *walk, uint32_t square, unsigned side)
{
    const struct outlines *outlines = walk->outlines;
    const uint32_t width = walk->width, a = square + (side == EAST) + (side == SOUTH) * width;
    const bool south = side == EAST || side == WEST;
    const uint32_t b = a + (south ? width : 1), beside = south ? (uint32_t)outlines->side : 1;
    int32_t along = 0;
    if (walk->kind[a] != OUTSIDE && walk->kind[b] != OUTSIDE) {
        const size_t inner = (a / width - 1) * (size_t)outlines->side + a % width - 1;
        along = within(1, outlines->unit - 1, outlines->cut(outlines->context, inner, inner + beside));
    }
    return place(walk, a, south ? 0 : along, south ? along : 0);
}

/*
 * A ring comes over a side into a square, with a kind to its right; returns the side over which it leaves. A kind
 * that has two corners across from each other goes on between them, unless a greater one has the other two.
 */
static unsigned leave(const uint8_t kind[CORNERS], unsigned side)
{
    const uint8_t of = kind[side], left = kind[(side + 1) % CORNERS], across = kind[(side + 2) % CORNERS],
                  behind = kind[(side + 3) % CORNERS];
    if (across == of && !(behind == left && left > of))
        return (side + 1) % CORNERS;
    return (side + (behind == of ? 2 : 3)) % CORNERS;
}

/* Whether what is to a ring's left parts in a square: its kinds are not one where the ring comes and leaves. */
static bool do_part(const uint8_t kind[CORNERS], unsigned in, unsigned out)
{
    const uint8_t left = kind[(in + 1) % CORNERS], last = kind[out];
    return left != last && left != OUTSIDE && last != OUTSIDE && kind[NW] != kind[SE] && kind[NE] != kind[SW];
}

/* Adds a point to the ring under way; false: memory is short. */
static bool add(struct outlines *outlines, size_t *points, struct mvt_point point)
{
    struct mvt_point *more =
        array_room(outlines->point, outlines->points, *points + 1, &outlines->point_room, 256, sizeof *more);
    if (!more)
        return false;
    outlines->point = more;
    *points = mvt_add(outlines->point + outlines->points, *points, point);
    return true;
}

/* Follows a ring that comes from the west into a square, given by its first sample; false: memory is short. */
static bool follow(const struct walk *walk, uint32_t square, size_t *points)
{
    const uint32_t width = walk->width,
                   step[] = {[NORTH] = 0 - width, [EAST] = 1, [SOUTH] = width, [WEST] = UINT32_MAX};
    const int32_t half = walk->outlines->unit / 2;
    bool fits = true;
    for (unsigned side = WEST; fits && !(side == WEST && walk->passed[square + width]);) {
        const uint8_t *const north = walk->kind + square, *const south = north + width,
                             kind[CORNERS] = {north[0], north[1], south[1], south[0]};
        const unsigned out = leave(kind, side);
        walk->passed[square + width] |= side == WEST;
        fits = add(walk->outlines, points, cross(walk, square, side)) &&
               (!do_part(kind, side, out) || add(walk->outlines, points, place(walk, square, half, half)));
        square += step[out];
        side = (out + 2) % CORNERS;
    }
    return fits;
}

/* Takes the ring whose points are behind all others; false: memory is short. */
static bool take(struct outlines *outlines, size_t points)
{
    const struct mvt_point *const point = outlines->point + outlines->points;
    struct outlines_ring ring = {outlines->points, points, 0, point[0], point[0], 0, 0};
    for (size_t i = 0; i < points; i++) {
        const struct mvt_point *a = &point[i], *b = &point[i + 1 < points ? i + 1 : 0];
        ring.area += (int64_t)a->x * b->y - (int64_t)b->x * a->y;
        ring.min.x = a->x < ring.min.x ? a->x : ring.min.x;
        ring.min.y = a->y < ring.min.y ? a->y : ring.min.y;
        ring.max.x = a->x > ring.max.x ? a->x : ring.max.x;
        ring.max.y = a->y > ring.max.y ? a->y : ring.max.y;
    }
    struct outlines_ring *more =
        array_grown(outlines->ring, outlines->rings, &outlines->ring_room, 16, sizeof *more);
    if (!more)
        return false;
    outlines->ring = more;
    outlines->ring[outlines->rings++] = ring;
    outlines->points += points;
    return true;
}

/* Every ring goes east somewhere, below what is of another kind. false: memory is short. */
static bool find_rings(const struct walk *walk)
{
    struct outlines *const outlines = walk->outlines;
    const uint32_t width = walk->width;
    for (uint32_t at = width; at < width * width; at++) {
        if (walk->kind[at] != outlines->of || walk->kind[at - width] == outlines->of || walk->passed[at])
            continue;
        size_t points = 0;
        if (!follow(walk, at - width, &points))
            return false;
        if (!take(outlines, mvt_close(outlines->point + outlines->points, points)))
            return false;
    }
    return true;
}

/* ---- Shapes -------------------------------------------------------------------------------------------- */

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
    const size_t side = (size_t)outlines->side, width = side + 2, samples = width * width;
    if (!memchr(outlines->kind, outlines->of, side * side))
        return 0;
    uint8_t *memory = calloc(2, samples);
    if (!memory)
        return -1;
    const struct walk walk = {outlines, (uint32_t)width, memset(memory, OUTSIDE, samples), memory + samples};
    for (size_t j = 0; j < side; j++)
        memcpy(walk.kind + (j + 1) * width + 1, outlines->kind + j * side, side);
    const bool found = find_rings(&walk);
    free(memory);
    if (found)
        sort(outlines);
    return found ? 0 : -1;
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
