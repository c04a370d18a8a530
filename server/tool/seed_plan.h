/*
 * Which tiles are made, and in which order: a window of the plane at some levels, from the coarsest to the finest, within a
 * level block by block (8 x 8 tiles, 4 x 4 of size 512), and within a block region by region, so that what tiles are made from
 * is made once and then at hand. Several machines share a plan out by its blocks, each of which belongs to one part.
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
    int part, parts;       /* 0 <= part < parts: this run makes every parts-th block */
};

/* What the words of the command line say; NULL: not given. */
struct seed_words {
    const char *lod, *zoom;           /* one of them */
    const char *bounds, *zoom_window; /* at most one of these three, */
    const char *center, *radius;      /* and the last two together */
    const char *part;
    bool archive; /* only a pyramid will do */
};

/*
 * Fills plan: all but key is read from the words; key is given, of any level. spacing_m: between samples of
 * level 0. Returns 0, or -1 with one line in error that names the option and what is allowed.
 */
int seed_plan_read(struct seed_plan *plan, const struct seed_words *words, double spacing_m,
                   char error[SEED_ERROR_BYTES]);

/* Tiles of a level between finest and coarsest. */
struct seed_rect seed_plan_rect(const struct seed_plan *plan, int level);

/* Tiles of the part, of one level or all. At most SEED_TILES_MAX; of a plan with one part at least 1. */
int64_t seed_plan_level_tiles(const struct seed_plan *plan, int level);
int64_t seed_plan_tiles(const struct seed_plan *plan);

/* Tiles along the side of a region of erosion. */
int seed_plan_region(const struct seed_plan *plan, int level);

/* Blocks of the part in a level; a few may be empty. */
int64_t seed_plan_blocks(const struct seed_plan *plan, int level);

/* Goes through a plan. All zero but for level, which is the plan's coarsest: before the first tile. */
struct seed_cursor {
    int level;
    int64_t block; /* of the part and the level */
    int tile;      /* of the block: the next one to look at */
};

/* The next tile's key, finished; false: there are no more. */
bool seed_plan_next(const struct seed_plan *plan, struct seed_cursor *cursor, struct tile_key *key);

/* The next one of the cursor's block; false: the block has no more. */
bool seed_plan_next_of_block(const struct seed_plan *plan, struct seed_cursor *cursor, struct tile_key *key);

/* The key of a tile of the plan. */
struct tile_key seed_plan_key(const struct seed_plan *plan, int level, int64_t x, int64_t y);

#endif
