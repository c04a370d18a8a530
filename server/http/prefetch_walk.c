/*
 * The geometry of prefetching: squares taken nearest first from a heap. One that is wanted as it is becomes a
 * tile, any other makes room for its four children. A child is never nearer than its parent, so that tiles
 * come out nearest first, and stopping at any moment leaves the nearest ones: a view of a thousand million
 * squares costs what is taken of it.
 *
 * Invariants: the squares in the heap and the tiles already taken of a place do not overlap, and cover what
 * is in sight. At one place at most PREFETCH_TILES_MAX tiles are taken; over all places at most
 * PREFETCH_SQUARES_MAX squares; the heap holds at most three more for each that was taken from it, and nine
 * to begin with, of 32 bytes.
 *
 * Coordinates: a viewer's are doubles, whose steps are 2^-12 tiles where level 0 ends; corners of squares are
 * integers of 40 bits times a power of two, and exact.
 */
#include "prefetch.h"

#include <math.h>
#include <stdlib.h>

#include "../base/array.h"

enum { SLOTS = 2 * PREFETCH_TILES_MAX }; /* a power of two */

struct square {
    double distance2; /* of its nearest point to the viewer, squared */
    int level;        /* above TERRANE_LEVEL_MAX, too: then it is split */
    int64_t x, y;
};

struct walk {
    const struct prefetch_view *view;
    double at[3]; /* where the viewer is */
    double
        least2[TERRANE_LEVEL_MAX + 1]; /* a level is wanted from this distance on, squared; up to coarsest */
    int coarsest, root;                /* levels: that may be wanted, and of the squares to begin with */
    unsigned squares;                  /* taken from the heap */
    size_t heaped, room, tiles;
    struct square *heap;
    struct prefetch_tile *tile; /* PREFETCH_TILES_MAX of them */
    uint16_t slot[SLOTS];       /* hash table of tiles: index + 1; 0: free */
};

/* ---- Heap ---------------------------------------------------------------------------------------------- */

/* A total order: plans do not depend on how the heap works. Coarse ones first: their children may be as near. */
static bool is_before(const struct square *a, const struct square *b)
{
    if (a->distance2 != b->distance2)
        return a->distance2 < b->distance2;
    if (a->level != b->level)
        return a->level > b->level;
    return a->y != b->y ? a->y < b->y : a->x < b->x;
}

static int heap_push(struct walk *walk, const struct square *square)
{
    struct square *more = array_grown(walk->heap, walk->heaped, &walk->room, 512, sizeof *more);
    if (!more)
        return -1;
    walk->heap = more;
    size_t i = walk->heaped++;
    for (; i > 0 && is_before(square, &walk->heap[(i - 1) / 2]); i = (i - 1) / 2)
        walk->heap[i] = walk->heap[(i - 1) / 2];
    walk->heap[i] = *square;
    return 0;
}

static struct square heap_pop(struct walk *walk)
{
    const struct square first = walk->heap[0], last = walk->heap[--walk->heaped];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < walk->heaped && is_before(&walk->heap[child + 1], &walk->heap[child]))
            child++;
        if (child >= walk->heaped || !is_before(&walk->heap[child], &last))
            break;
        walk->heap[i] = walk->heap[child];
        i = child;
    }
    walk->heap[i] = last;
    return first;
}

/* ---- Squares ------------------------------------------------------------------------------------------- */

/* From a coordinate to the interval [low, high]; 0 within it. */
static double gap(double at, double low, double high)
{
    return at < low ? low - at : at > high ? at - high : 0;
}

/* Puts a square on the heap, if it is in sight and if there is a tile on its ground. -1: memory is short. */
static int consider(struct walk *walk, int level, int64_t x, int64_t y)
{
    const int64_t limit = TERRANE_TILE_LIMIT >> (level > walk->coarsest ? level - walk->coarsest : 0);
    const double side = ldexp(1, level), west = (double)x * side, north = (double)y * side;
    const double dx = gap(walk->at[0], west, west + side), dy = gap(walk->at[1], north, north + side);
    const struct square square = {dx * dx + dy * dy + walk->at[2] * walk->at[2], level, x, y};
    if (x < -limit || x >= limit || y < -limit || y >= limit ||
        square.distance2 > walk->view->distance * walk->view->distance)
        return 0;
    return heap_push(walk, &square);
}

static bool is_wanted(const struct walk *walk, const struct square *square)
{
    return square->level <= walk->coarsest && square->distance2 >= walk->least2[square->level];
}

static int split(struct walk *walk, const struct square *square)
{
    for (int k = 0; k < 4; k++)
        if (consider(walk, square->level - 1, square->x * 2 + (k & 1), square->y * 2 + (k >> 1)) != 0)
            return -1;
    return 0;
}

/* Adds a tile that is not there yet. There has to be room for it. */
static void add_tile(struct walk *walk, const struct square *square)
{
    uint64_t hash = (uint64_t)square->x * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (uint64_t)square->y ^ hash >> 32) * UINT64_C(0xff51afd7ed558ccd);
    size_t at = (hash >> 40) + (size_t)square->level;
    for (;; at++) {
        const unsigned i = walk->slot[at % SLOTS];
        if (i == 0)
            break;
        const struct prefetch_tile *tile = &walk->tile[i - 1];
        if (tile->x == square->x && tile->y == square->y && tile->level == square->level)
            return;
    }
    walk->tile[walk->tiles++] = (struct prefetch_tile){square->level, square->x, square->y};
    walk->slot[at % SLOTS] = (uint16_t)walk->tiles;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

static bool is_full(const struct walk *walk)
{
    return walk->tiles == PREFETCH_TILES_MAX || walk->squares == PREFETCH_SQUARES_MAX ||
           (walk->view->squares_max && walk->squares >= walk->view->squares_max);
}

/* What is wanted at walk->at. -1: memory is short. */
static int look_around(struct walk *walk)
{
    const double reach = walk->view->distance, side = ldexp(1, walk->root);
    walk->heaped = 0;
    if (fabs(walk->at[0]) > 0x1p41 * side || fabs(walk->at[1]) > 0x1p41 * side)
        return 0; /* no square has such a number */
    const int64_t west = (int64_t)floor((walk->at[0] - reach) / side),
                  east = (int64_t)floor((walk->at[0] + reach) / side),
                  north = (int64_t)floor((walk->at[1] - reach) / side),
                  south = (int64_t)floor((walk->at[1] + reach) / side);
    for (int64_t y = north; y <= south; y++)
        for (int64_t x = west; x <= east; x++)
            if (consider(walk, walk->root, x, y) != 0)
                return -1;
    while (walk->heaped > 0 && !is_full(walk)) {
        const struct square square = heap_pop(walk);
        walk->squares++;
        if (is_wanted(walk, &square))
            add_tile(walk, &square);
        else if (split(walk, &square) != 0)
            return -1;
    }
    return 0;
}

/* The finest level that is wanted anywhere at a height. */
static int finest(const struct walk *walk, double height)
{
    int level = 0;
    while (level < walk->coarsest && height * height >= walk->least2[level + 1])
        level++;
    return level;
}

/*
 * Places are one tile of the finest level wanted on the way apart, so that the way skips none of them. Where
 * they end before the way does, they still are what is needed first.
 */
static int follow(struct walk *walk)
{
    const struct prefetch_view *view = walk->view;
    const double *v = view->speed, end = view->at[2] + v[2] * view->seconds;
    const double lowest = (view->at[2] > 0) == (end > 0) ? fmin(fabs(view->at[2]), fabs(end)) : 0;
    const double way = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * view->seconds;
    const double steps = ceil(way / ldexp(1, finest(walk, lowest)));
    const int places = steps < PREFETCH_PLACES_MAX ? (int)steps + 1 : PREFETCH_PLACES_MAX;
    for (int i = 0; i < places && !is_full(walk); i++) {
        const double t = i == 0 ? 0 : view->seconds * i / steps;
        for (int k = 0; k < 3; k++)
            walk->at[k] = view->at[k] + v[k] * t;
        if (look_around(walk) != 0)
            return -1;
    }
    return 0;
}

int prefetch_walk(const struct prefetch_view *view, struct prefetch_tile **tile, size_t *count)
{
    struct walk walk = {.view = view};
    int result = -1;
    for (int level = 1; level <= view->level_max; level++) {
        /* (level detail sqrt(2))^2, without rounding the root */
        walk.least2[level] = 2 * (level * view->detail) * (level * view->detail);
        if (walk.least2[level] <= view->distance * view->distance)
            walk.coarsest = level;
    }
    walk.root = walk.coarsest;
    while (ldexp(1, walk.root) < 2 * view->distance) /* at most three of them a side are in sight */
        walk.root++;
    walk.tile = calloc(PREFETCH_TILES_MAX, sizeof *walk.tile);
    if (walk.tile)
        result = follow(&walk);
    free(walk.heap);
    if (result != 0) {
        free(walk.tile);
        return -1;
    }
    *tile = walk.tile;
    *count = walk.tiles;
    return 0;
}
