/*
 * The geometry of prefetching: which squares a viewer will see, at which level. Lengths are in tiles of level
 * 0.
 */
#ifndef TERRANE_SERVER_PREFETCH_WALK_H
#define TERRANE_SERVER_PREFETCH_WALK_H

#include "prefetch.h"

enum {
    PREFETCH_PLACES_MOST = 64,    /* on the path; one that is longer is followed to the last of them */
    PREFETCH_SQUARES_MOST = 50000 /* looked at in all, whatever squares_most says */
};

struct prefetch_view {
    double at[3], speed[3]; /* east, south, up; finite. speed: a second */
    double seconds;         /* 0 .. 120 */
    double distance;        /* above 0, at most 2^32 */
    double detail;          /* above 0 */
    int level_max;          /* 0 .. TERRANE_LEVEL_MAX */
    unsigned
        squares_most; /* looked at in all, what would come after them is not wanted; 0: PREFETCH_SQUARES_MOST */
};

/*
 * The tiles that the view needs, in the order it will: what it needs now, nearest first, then what it needs
 * anew at each later place. No tile comes twice. Returns 0, with *tile owned (free; not NULL) and *count at
 * most PREFETCH_TILES_MOST; or -1, when memory is short, with nothing to free.
 */
int prefetch_walk(const struct prefetch_view *view, struct prefetch_tile **tile, size_t *count);

#endif
