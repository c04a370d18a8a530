/*
 * Which tiles are made, and in which order: a window of the plane at some levels, from the coarsest to the
 * finest, and within a level region by region, so that what tiles are made from is made once and then at hand.
 *
 * Pure functions.
 */
#ifndef TERRANE_SERVER_SEED_PLAN_H
#define TERRANE_SERVER_SEED_PLAN_H

#include "../tile/tile.h"

enum { SEED_ERROR_BYTES = 200 };

/* More than anybody makes in one go: at 10 ms a tile, a month. */
#define SEED_TILES_MAX (INT64_C(1) << 28)

/* Tiles of a level: x0 <= x <= x1, y0 <= y <= y1, in the world's coordinates. */
struct seed_rect {
    int64_t x0, y0, x1, y1;
};

struct seed_plan {
    struct tile_key key;   /* what all tiles are: finished but for level, x, y and shift */
    bool pyramid;          /* of a web map: z 18 .. 0, whose root lies around the origin */
    int finest, coarsest;  /* levels */
    struct seed_rect rect; /* of the finest */
};

/* What the words of the command line say; NULL: not given. */
struct seed_words {
    const char *lod, *zoom;           /* one of them */
    const char *bounds, *zoom_window; /* at most one of these three, */
    const char *center, *radius;      /* and the last two together */
    bool archive;                     /* only a pyramid will do */
};

/*
 * Fills plan: all but key is read from the words; key is given, of any level. spacing_m: between samples of
 * level 0. Returns 0, or -1 with one line in error that names the option and what is allowed.
 */
int seed_plan_read(struct seed_plan *plan, const struct seed_words *words, double spacing_m,
                   char error[SEED_ERROR_BYTES]);

/* Tiles of a level between finest and coarsest. */
struct seed_rect seed_plan_rect(const struct seed_plan *plan, int level);

/* All tiles: 1 .. SEED_TILES_MAX. */
int64_t seed_plan_tiles(const struct seed_plan *plan);

/* Tiles along the side of the squares in which a level is gone through: regions of erosion. */
int seed_plan_block(const struct seed_plan *plan, int level);

/*
 * A plan as blocks, which several machines can share out: whole squares of those, 8 x 8 tiles or 4 x 4 of size 512 in the
 * window, numbered from 0, the coarsest level first. How many: 1 .. SEED_TILES_MAX.
 */
int64_t seed_plan_blocks(const struct seed_plan *plan);

/* Fills block with a plan of one level: the block of that number, below seed_plan_blocks. */
void seed_plan_cut(const struct seed_plan *plan, int64_t number, struct seed_plan *block);

/* Goes through a plan. All zero but for level, which is the plan's coarsest: before the first tile. */
struct seed_cursor {
    int level;
    bool begun;
    int64_t block_x, block_y; /* in blocks */
    int64_t x, y;             /* of the tile that seed_plan_next has just given */
};

/* The next tile's key, finished; false: there are no more. */
bool seed_plan_next(const struct seed_plan *plan, struct seed_cursor *cursor, struct tile_key *key);

/* The key of a tile of the plan. */
struct tile_key seed_plan_key(const struct seed_plan *plan, int level, int64_t x, int64_t y);

#endif
