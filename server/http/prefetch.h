/*
 * What a moving viewer will need: from a body of POST /prefetch to the tiles, nearest first, each at the
 * level that its distance asks for. Pure functions; fuzzed.
 *
 *     {"seed": "42", "position": [1200.5, -300.0, 80.0], "velocity": [14.0, 0.0], "view_distance": 4000,
 *      "seconds": 10, "recipe": "alpine", "layer": "height", "format": "f32", "variant": "eroded", "size": 257,
 *      "enc": "...", "detail": 1.0, "level_max": 24}
 *
 * position and velocity in metres (and metres a second): east, south and, where given, up (over the sea; else
 * 0). seed, position and view_distance are needed; seconds is 10 and velocity 0 where they are not given,
 * format png. Other members are refused. A size of 512 is, too: there is none at level 0.
 *
 * At a place, a tile at distance d from the viewer is wanted at level max(min(floor(d / (detail * diagonal)),
 * level_max), 0), diagonal being that of a tile of level 0. d is measured in three dimensions, to the nearest
 * point of the tile's square at the level of the sea: what stands on it would have to be made before its
 * distance is known. Tiles do not overlap: a square of a coarse level is split into four as long as its
 * nearest point is wanted finer; squares farther away than view_distance are left out, and so is what lies
 * outside the world's tiles. The places are where the viewer will be from now to `seconds` from now, at most
 * a tile apart, at most 64 of them. Planning ends after 4096 tiles or 50,000 squares looked at: what is
 * needed latest and farthest away is then neither planned nor counted.
 */
#ifndef TERRANE_SERVER_PREFETCH_H
#define TERRANE_SERVER_PREFETCH_H

#include "../tile/target.h"

enum { PREFETCH_BODY_BYTES = 4096, PREFETCH_TILES_MAX = 4096 };

struct prefetch_tile {
    int level;
    int64_t x, y;
};

struct prefetch_plan {
    struct tile_key key; /* finished but for level, x and y; recipe is set where links need it */
    const struct recipe *recipe;
    bool configured; /* the seed is a named world's */
    size_t count;    /* of tile */
    size_t wanted;   /* how many there would be without the limit; counted up to PREFETCH_TILES_MAX */
    struct prefetch_tile *tile; /* owned (free), never NULL: in the order they will be needed */
};

/*
 * Reads a body and plans at most `most` tiles. Fills *plan and returns 0; or the status to answer (400, 404,
 * 413, 503 where memory is short) with *parameter (static) and one sentence in detail, and nothing to free.
 * Cost: at most some 5 ms, as a rule under 1.
 */
unsigned prefetch_read(struct prefetch_plan *plan, const char *body, size_t bytes, size_t max,
                       const struct target_names *names, const char **parameter,
                       char detail[static TARGET_DETAIL_BYTES]);

/* The key of tile i < count, finished. */
struct tile_key prefetch_key(const struct prefetch_plan *plan, size_t i);

/*
 * The JSON of an answer, owned (malloc), zero-terminated; NULL when memory is short. queued, cached, refused:
 * what came of the plan's tiles.
 */
char *prefetch_answer(const struct prefetch_plan *plan, const char *prefix, size_t queued, size_t cached,
                      size_t refused, size_t *bytes);

/* ---- prefetch_walk.c: the geometry; lengths are in tiles of level 0 ---------------------------------------------- */

enum {
    PREFETCH_PLACES_MAX = 64,    /* on the path; one that is longer is followed to the last of them */
    PREFETCH_SQUARES_MAX = 50000 /* looked at in all, whatever squares_most says */
};

struct prefetch_view {
    double at[3], speed[3]; /* east, south, up; finite. speed: a second */
    double seconds;         /* 0 .. 120 */
    double distance;        /* above 0, at most 2^32 */
    double detail;          /* above 0 */
    int level_max;          /* 0 .. TERRANE_LEVEL_MAX */
    unsigned
        squares_max; /* looked at in all, what would come after them is not wanted; 0: PREFETCH_SQUARES_MAX */
};

/*
 * The tiles that the view needs, in the order it will: what it needs now, nearest first, then what it needs
 * anew at each later place. No tile comes twice. Returns 0, with *tile owned (free; not NULL) and *count at
 * most PREFETCH_TILES_MAX; or -1, when memory is short, with nothing to free.
 */
int prefetch_walk(const struct prefetch_view *view, struct prefetch_tile **tile, size_t *count);

#endif
