/*
 * Plans: from words to tiles.
 *
 * Every window becomes tiles of the finest level; those of coarser ones are the tiles that hold them. As x >> 1
 * rounds down, a coarser level's tiles are what the window itself would have given.
 */
#include "seed_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_make.h"
#include "../base/check.h"
#include "tool.h"

enum { PARTS_MAX = 1024 };

/* ---- Words --------------------------------------------------------------------------------------------- */

static int wrong(char error[SEED_ERROR_BYTES], const char *option, const char *text, const char *allowed)
{
    return word_wrong(error, SEED_ERROR_BYTES, option, text, allowed);
}

/* "A", "A-B" or "A..B" with 0 <= A <= B <= most, to its end. */
static bool read_span(const char *at, int max, int *low, int *high)
{
    int64_t from = 0, to = 0;
    if (!word_number(&at, max, &from))
        return false;
    to = from;
    if (strncmp(at, "..", 2) == 0)
        at += 2;
    else if (*at && !word_skip(&at, '-'))
        return false;
    if (at[-1] == '.' || at[-1] == '-') {
        if (!word_number(&at, max, &to))
            return false;
    }
    *low = (int)from;
    *high = (int)to;
    return *at == 0 && from <= to;
}

/* ---- Levels -------------------------------------------------------------------------------------------- */

static int read_levels(struct seed_plan *plan, const struct seed_words *words, char error[SEED_ERROR_BYTES])
{
    int low = 0, high = 0;
    if (!words->lod == !words->zoom) {
        snprintf(error, SEED_ERROR_BYTES, "needs --lod A..B or --zoom A-B: which levels");
        return -1;
    }
    plan->pyramid = words->archive || words->zoom;
    if (words->zoom && !read_span(words->zoom, TILE_Z0, &low, &high))
        return wrong(error, "zoom", words->zoom, "must be A or A-B, from 0 to 18, A not above B");
    if (words->lod && !read_span(words->lod, plan->pyramid ? TILE_Z0 : TERRANE_LEVEL_MAX, &low, &high))
        return wrong(error, "lod", words->lod,
                     words->archive ? "must be A or A..B, from 0 to 18, A not above B: an archive has no more"
                                    : "must be A or A..B, from 0 to 24, A not above B");
    plan->finest = words->zoom ? TILE_Z0 - high : low;
    plan->coarsest = words->zoom ? TILE_Z0 - low : high;
    if (plan->key.size == 2 * TERRANE_TILE_SAMPLES && plan->finest == 0)
        return wrong(error, "size", "512", "needs lod 1 or more (zoom 17 or less)");
    return 0;
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* Metres of a tile's side at the finest level. */
static double side_m(const struct seed_plan *plan, double spacing_m)
{
    return ldexp(spacing_m * TERRANE_TILE_SAMPLES, plan->finest);
}

/* Tiles along an axis that a span of metres touches. false: beyond every tile. */
static bool span_tiles(double from_m, double to_m, double side, int64_t *first, int64_t *last)
{
    const double low = floor(from_m / side), high = ceil(to_m / side) - 1;
    if (low < -(double)TERRANE_TILE_LIMIT || low >= (double)TERRANE_TILE_LIMIT ||
        high >= (double)TERRANE_TILE_LIMIT)
        return false;
    *first = (int64_t)low;
    *last = (int64_t)(high < low ? low : high);
    return true;
}

static int set_metres(struct seed_plan *plan, const char *option, const char *text, const double metres[4],
                      double spacing_m, char error[SEED_ERROR_BYTES])
{
    const double side = side_m(plan, spacing_m);
    if (span_tiles(metres[0], metres[2], side, &plan->rect.x0, &plan->rect.x1) &&
        span_tiles(metres[1], metres[3], side, &plan->rect.y0, &plan->rect.y1))
        return 0;
    return wrong(error, option, text, "lies beyond the last tile, 2^40 from the origin");
}

static int read_bounds(struct seed_plan *plan, const char *text, double spacing_m,
                       char error[SEED_ERROR_BYTES])
{
    double metres[4];
    const char *at = text;
    bool good = true;
    for (int i = 0; i < 4 && good; i++)
        good = (i == 0 || word_skip(&at, ',')) && word_metres(&at, &metres[i]);
    if (good && !*at && (metres[0] >= metres[2] || metres[1] >= metres[3]))
        return wrong(error, "bounds", text,
                     "is empty: X0,Y0,X1,Y1 are west, north, east, south, X0 below X1 and Y0 below Y1");
    if (!good || *at)
        return wrong(error, "bounds", text,
                     "must be X0,Y0,X1,Y1: metres, west, north, east, south; y grows south");
    return set_metres(plan, "bounds", text, metres, spacing_m, error);
}

static int read_circle(struct seed_plan *plan, const struct seed_words *words, double spacing_m,
                       char error[SEED_ERROR_BYTES])
{
    double x = 0, y = 0, radius = 0;
    const char *at = words->center, *of = words->radius;
    if (!at || !of) {
        snprintf(error, SEED_ERROR_BYTES, "--center X,Y and --radius M belong together");
        return -1;
    }
    if (!word_metres(&at, &x) || !word_skip(&at, ',') || !word_metres(&at, &y) || *at)
        return wrong(error, "center", words->center, "must be X,Y in metres; y grows south");
    if (!word_metres(&of, &radius) || *of || radius <= 0)
        return wrong(error, "radius", words->radius, "must be metres, above 0");
    const double metres[4] = {x - radius, y - radius, x + radius, y + radius};
    return set_metres(plan, "center", words->center, metres, spacing_m, error);
}

/* z/x0-x1/y0-y1 of the pyramid. The root's place is that of the four tiles below it. */
static int read_zoom_window(struct seed_plan *plan, const char *text, char error[SEED_ERROR_BYTES])
{
    static const char allowed[] = "must be z/x0-x1/y0-y1: z from 0 to 18, x and y from 0 to 2^z - 1";
    const char *at = text;
    int64_t z = 0, value[4];
    if (!word_number(&at, TILE_Z0, &z))
        return wrong(error, "zoom-window", text, allowed);
    for (int i = 0; i < 4; i++)
        if (!word_skip(&at, i % 2 ? '-' : '/') || !word_number(&at, (INT64_C(1) << z) - 1, &value[i]))
            return wrong(error, "zoom-window", text, allowed);
    if (*at || value[0] > value[1] || value[2] > value[3])
        return wrong(error, "zoom-window", text, allowed);
    /* as halves of tiles, so that the root has a middle */
    const int64_t half = INT64_C(1) << z;
    const int deeper = TILE_Z0 - (int)z - plan->finest; /* levels from there to the finest */
    int64_t edge[4] = {2 * value[0] - half, 2 * value[1] + 2 - half, 2 * value[2] - half,
                       2 * value[3] + 2 - half};
    for (int i = 0; i < 4;
         i++) /* whole tiles of the finest: the first of the window, and the one behind its last */
        edge[i] = deeper > 0 ? edge[i] * (INT64_C(1) << (deeper - 1))
                             : (edge[i] + (i % 2 ? (INT64_C(2) << -deeper) - 1 : 0)) >> (1 - deeper);
    plan->rect = (struct seed_rect){edge[0], edge[2], edge[1] - 1, edge[3] - 1};
    return 0;
}

/* The whole map at the finest level; the root, which is shifted, counts as the tile at the origin. */
static struct seed_rect page(int level)
{
    const int64_t half = level < TILE_Z0 ? INT64_C(1) << (TILE_Z0 - 1 - level) : 0;
    return level < TILE_Z0 ? (struct seed_rect){-half, -half, half - 1, half - 1}
                           : (struct seed_rect){0, 0, 0, 0};
}

/* A pyramid holds one page of the plane. */
static int clip(struct seed_plan *plan, char error[SEED_ERROR_BYTES])
{
    const struct seed_rect whole = page(plan->finest);
    struct seed_rect *rect = &plan->rect;
    if (plan->finest == TILE_Z0) { /* tiles around the origin are in the root */
        if (rect->x0 > 0 || rect->y0 > 0 || rect->x1 < -1 || rect->y1 < -1)
            goto outside;
        *rect = whole;
        return 0;
    }
    if (rect->x0 > whole.x1 || rect->y0 > whole.y1 || rect->x1 < whole.x0 || rect->y1 < whole.y0)
        goto outside;
    rect->x0 = rect->x0 < whole.x0 ? whole.x0 : rect->x0;
    rect->y0 = rect->y0 < whole.y0 ? whole.y0 : rect->y0;
    rect->x1 = rect->x1 > whole.x1 ? whole.x1 : rect->x1;
    rect->y1 = rect->y1 > whole.y1 ? whole.y1 : rect->y1;
    return 0;
outside:
    snprintf(
        error, SEED_ERROR_BYTES,
        "the window lies outside of the map that an archive or --zoom has: 2^26 samples of level 0 wide, the "
        "origin in its middle; --lod with --cache goes further");
    return -1;
}

static int read_window(struct seed_plan *plan, const struct seed_words *words, double spacing_m,
                       char error[SEED_ERROR_BYTES])
{
    const bool circle = words->center || words->radius;
    const int given = (words->bounds != NULL) + (words->zoom_window != NULL) + circle;
    if (given > 1) {
        snprintf(error, SEED_ERROR_BYTES, "takes one of --bounds, --zoom-window, and --center with --radius");
        return -1;
    }
    if (words->bounds)
        return read_bounds(plan, words->bounds, spacing_m, error);
    if (words->zoom_window)
        return read_zoom_window(plan, words->zoom_window, error);
    if (circle)
        return read_circle(plan, words, spacing_m, error);
    if (!plan->pyramid) {
        snprintf(error, SEED_ERROR_BYTES,
                 "needs a window: --bounds, --zoom-window, or --center with --radius");
        return -1;
    }
    plan->rect = page(plan->finest);
    return 0;
}

/* "K/N", from 1/1 to PARTS_MAX/PARTS_MAX. */
static int read_part(struct seed_plan *plan, const char *text, char error[SEED_ERROR_BYTES])
{
    const char *at = text ? text : "1/1";
    int64_t part = 0, parts = 0;
    if (!word_number(&at, PARTS_MAX, &part) || !word_skip(&at, '/') || !word_number(&at, PARTS_MAX, &parts) ||
        *at || part < 1 || part > parts)
        return wrong(error, "part", text, "must be K/N, such as 3/8: K from 1 to N, N at most 1024");
    plan->part = (int)part - 1;
    plan->parts = (int)parts;
    return 0;
}

int seed_plan_read(struct seed_plan *plan, const struct seed_words *words, double spacing_m,
                   char error[SEED_ERROR_BYTES])
{
    if (read_part(plan, words->part, error) != 0 || read_levels(plan, words, error) != 0 ||
        read_window(plan, words, spacing_m, error) != 0 || (plan->pyramid && clip(plan, error) != 0))
        return -1;
    double tiles = 0;
    for (int level = plan->finest; level <= plan->coarsest; level++) {
        const struct seed_rect rect = seed_plan_rect(plan, level);
        tiles += (double)(rect.x1 - rect.x0 + 1) * (double)(rect.y1 - rect.y0 + 1);
    }
    if (tiles <= (double)SEED_TILES_MAX)
        return 0;
    snprintf(error, SEED_ERROR_BYTES, "these are %.4g tiles; at most %lld are made in one go", tiles,
             (long long)SEED_TILES_MAX);
    return -1;
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

struct seed_rect seed_plan_rect(const struct seed_plan *plan, int level)
{
    const int up = level - plan->finest;
    CHECK(up >= 0 && level <= plan->coarsest);
    if (plan->pyramid && level == TILE_Z0)
        return page(level);
    return (struct seed_rect){plan->rect.x0 >> up, plan->rect.y0 >> up, plan->rect.x1 >> up,
                              plan->rect.y1 >> up};
}

struct tile_key seed_plan_key(const struct seed_plan *plan, int level, int64_t x, int64_t y)
{
    struct tile_key key = plan->key;
    key.level = level;
    key.x = x;
    key.y = y;
    key.shift = plan->pyramid && level == TILE_Z0 ? SHIFT_NORTH_WEST : SHIFT_NONE;
    CHECK(tile_key_finish(&key) == TILE_FINE);
    return key;
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* The blocks of a level. */
struct blocks {
    int side;            /* tiles: some seconds of work where ground is eroded */
    int region;          /* tiles along a region's side, which divides it */
    struct seed_rect at; /* in blocks */
    int64_t across;      /* numbers from one row to the next: no part has the same columns in all rows */
    int64_t first;       /* the part's first number */
    int64_t count;       /* of the part */
};

int seed_plan_region(const struct seed_plan *plan, int level)
{
    const int twice = plan->key.size > TERRANE_TILE_SAMPLES + 1; /* made of the next finer level's samples */
    const int samples = 1 << terrane_region_log2(TERRANE_REGION_EROSION, level - twice);
    const int side = TERRANE_TILE_SAMPLES << twice;
    return samples > side ? samples / side : 1;
}

static struct blocks blocks_of(const struct seed_plan *plan, int level)
{
    const struct seed_rect rect = seed_plan_rect(plan, level);
    struct blocks blocks = {.side = plan->key.size > TERRANE_TILE_SAMPLES + 1 ? 4 : 8,
                            .region = seed_plan_region(plan, level)};
    CHECK(blocks.side % blocks.region == 0 && plan->part >= 0 && plan->part < plan->parts);
    blocks.at = (struct seed_rect){floor_div(rect.x0, blocks.side), floor_div(rect.y0, blocks.side),
                                   floor_div(rect.x1, blocks.side), floor_div(rect.y1, blocks.side)};
    blocks.across = blocks.at.x1 - blocks.at.x0 + 1;
    while (common_divisor(blocks.across, plan->parts) != 1)
        blocks.across++;
    const int64_t all = blocks.across * (blocks.at.y1 - blocks.at.y0 + 1);
    blocks.first = (plan->part + level) % plan->parts; /* the odd one of each level goes to another part */
    blocks.count = all > blocks.first ? (all - blocks.first - 1) / plan->parts + 1 : 0;
    return blocks;
}

/* Tiles of the part's block of that number; where there are none, x1 is below x0. */
static struct seed_rect block_rect(const struct seed_plan *plan, int level, const struct blocks *blocks,
                                   int64_t block)
{
    const struct seed_rect rect = seed_plan_rect(plan, level);
    const int64_t number = blocks->first + block * plan->parts;
    const int64_t x = (blocks->at.x0 + number % blocks->across) * blocks->side,
                  y = (blocks->at.y0 + number / blocks->across) * blocks->side;
    const int64_t x1 = x + blocks->side - 1, y1 = y + blocks->side - 1;
    return (struct seed_rect){rect.x0 > x ? rect.x0 : x, rect.y0 > y ? rect.y0 : y,
                              rect.x1 < x1 ? rect.x1 : x1, rect.y1 < y1 ? rect.y1 : y1};
}

int64_t seed_plan_blocks(const struct seed_plan *plan, int level)
{
    return blocks_of(plan, level).count;
}

int64_t seed_plan_level_tiles(const struct seed_plan *plan, int level)
{
    const struct blocks blocks = blocks_of(plan, level);
    int64_t tiles = 0;
    for (int64_t k = 0; k < blocks.count; k++) {
        const struct seed_rect rect = block_rect(plan, level, &blocks, k);
        if (rect.x0 <= rect.x1)
            tiles += (rect.x1 - rect.x0 + 1) * (rect.y1 - rect.y0 + 1);
    }
    return tiles;
}

int64_t seed_plan_tiles(const struct seed_plan *plan)
{
    int64_t tiles = 0;
    for (int level = plan->finest; level <= plan->coarsest; level++)
        tiles += seed_plan_level_tiles(plan, level);
    return tiles;
}

/* ---- One after another --------------------------------------------------------------------------------- */

static bool next_of_block(const struct seed_plan *plan, const struct blocks *blocks,
                          struct seed_cursor *cursor, struct tile_key *key)
{
    const struct seed_rect rect = block_rect(plan, cursor->level, blocks, cursor->block);
    const int region = blocks->region, regions = blocks->side / region;
    const int64_t left = floor_div(rect.x0, blocks->side) * blocks->side,
                  top = floor_div(rect.y0, blocks->side) * blocks->side;
    while (cursor->tile < blocks->side * blocks->side) {
        const int of = cursor->tile / (region * region), in = cursor->tile % (region * region);
        const int64_t x = left + of % regions * region + in % region,
                      y = top + of / regions * region + in / region;
        cursor->tile++;
        if (x < rect.x0 || x > rect.x1 || y < rect.y0 || y > rect.y1)
            continue;
        *key = seed_plan_key(plan, cursor->level, x, y);
        return true;
    }
    return false;
}

bool seed_plan_next_of_block(const struct seed_plan *plan, struct seed_cursor *cursor, struct tile_key *key)
{
    const struct blocks blocks = blocks_of(plan, cursor->level);
    return cursor->block < blocks.count && next_of_block(plan, &blocks, cursor, key);
}

bool seed_plan_next(const struct seed_plan *plan, struct seed_cursor *cursor, struct tile_key *key)
{
    for (;;) {
        const struct blocks blocks = blocks_of(plan, cursor->level);
        for (; cursor->block < blocks.count; cursor->block++, cursor->tile = 0)
            if (next_of_block(plan, &blocks, cursor, key))
                return true;
        if (cursor->level == plan->finest)
            return false;
        *cursor = (struct seed_cursor){.level = cursor->level - 1};
    }
}
