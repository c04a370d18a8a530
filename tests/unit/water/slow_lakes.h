/*
 * Lakes by their definition (lib/README.md "Water"), slowly: no priority queue, but a search for the height
 * at which the water first runs out. And ground to lay them on. For test_basins.c, test_lakes.c and
 * test_water.c.
 */
#ifndef TERRANE_TESTS_SLOW_LAKES_H
#define TERRANE_TESTS_SLOW_LAKES_H

#include "../lib_fixture.h"

/* ---- Ground -------------------------------------------------------------------------------------------- */

enum land_kind {
    LAND_WORLD, /* base heights of a world */
    LAND_ROUGH, /* every sample by itself, few heights: ties everywhere */
    LAND_HILLS, /* hashed corners 8 samples apart, straight between: smooth, in quarters */
    LAND_SLOPE, /* a rough slope: pits that spill soon */
    LAND_STEPS, /* plateaus of 4 x 4 samples, few heights */
    LAND_FLAT,
    LAND_KINDS
};

struct land {
    enum land_kind kind;
    uint64_t salt;
    const struct terrane_world *world;
};

static inline int land_dice(const struct land *land, int64_t x, int64_t y, int sides)
{
    return (int)(hash_absorb(hash_absorb(land->salt, (uint64_t)x), (uint64_t)y) % (uint64_t)sides);
}

static inline float hills_at(const struct land *land, int64_t gi, int64_t gj)
{
    const int64_t x = gi >> 3, y = gj >> 3;
    const int u = (int)(gi & 7), v = (int)(gj & 7);
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += land_dice(land, x + (k & 1), y + (k >> 1), 256) * (k & 1 ? u : 8 - u) * (k >> 1 ? v : 8 - v);
    return (float)(sum / 64 - 128) * 0.25f;
}

static inline float land_at(const struct land *land, int64_t gi, int64_t gj)
{
    switch (land->kind) {
    case LAND_ROUGH:
        return (float)land_dice(land, gi, gj, 7) - 2;
    case LAND_HILLS:
        return hills_at(land, gi, gj);
    case LAND_SLOPE:
        return (float)(gi % 64) * 0.5f + (float)land_dice(land, gi, gj, 1000) * 0.002f - 3;
    case LAND_STEPS:
        return (float)land_dice(land, gi >> 2, gj >> 2, 5) - 1;
    default:
        return 2;
    }
}

/* Returns owned. */
static inline float *land_new(const struct land *land, const struct terrane_window *window)
{
    if (land->kind == LAND_WORLD)
        return layer_new(land->world, LAYER_HEIGHTS, window, scratch);
    float *ground = malloc(window_samples(window) * sizeof *ground);
    assert_non_null(ground);
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++)
            ground[(size_t)j * (size_t)window->width + (size_t)i] =
                land_at(land, window->gi + (int64_t)i * window->step, window->gj + (int64_t)j * window->step);
    return ground;
}

static inline size_t place_in(const struct terrane_window *window, int64_t gi, int64_t gj)
{
    assert_true(gi >= window->gi && gi < window->gi + window->width && gj >= window->gj &&
                gj < window->gj + window->height);
    return (size_t)(gj - window->gj) * (size_t)window->width + (size_t)(gi - window->gi);
}

/* ---- One lake ------------------------------------------------------------------------------------------ */

/* A lake's window, its heights, and what is marked in it. Places are row by row. */
struct basin {
    int side;
    int64_t gi, gj;
    float *height;
    uint8_t *mark;
    int *queue;
};

static inline bool basin_border(const struct basin *basin, int place)
{
    const int x = place % basin->side, y = place / basin->side;
    return x == 0 || y == 0 || x == basin->side - 1 || y == basin->side - 1;
}

/* The lowest of the 3 x 3 samples around, by height, row, column: rows first, so the first of equals. */
static inline int basin_lowest(const struct basin *basin, int place)
{
    int lowest = place - basin->side - 1;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            const int there = place + y * basin->side + x;
            if (basin->height[there] < basin->height[lowest])
                lowest = there;
        }
    return lowest;
}

/* -1: the way down leaves the window. */
static inline int basin_pit(const struct basin *basin)
{
    int place = basin->side / 2 * basin->side + basin->side / 2;
    for (;;) {
        if (basin_border(basin, place))
            return -1;
        const int next = basin_lowest(basin, place);
        if (next == place)
            return place;
        place = next;
    }
}

/*
 * Marks what water at most level_m high comes to from the pit: 1, through samples of the inside that are no
 * sea. Returns whether it comes to one of the border or of the sea, and in *lower whether to one that is
 * below level_m.
 */
static inline bool basin_spread(const struct basin *basin, int pit, float level_m, float sea_m, bool *lower)
{
    int first = 0, last = 0;
    bool out = false;
    *lower = false;
    memset(basin->mark, 0, (size_t)basin->side * (size_t)basin->side);
    basin->mark[pit] = 1;
    basin->queue[last++] = pit;
    while (first < last) {
        const int place = basin->queue[first++];
        if (basin_border(basin, place) || basin->height[place] < sea_m) {
            out = true;
            *lower |= basin->height[place] < level_m;
            continue;
        }
        for (int k = 0; k < 9; k++) {
            const int there = place + (k / 3 - 1) * basin->side + k % 3 - 1;
            if (!basin->mark[there] && basin->height[there] <= level_m) {
                basin->mark[there] = 1;
                basin->queue[last++] = there;
            }
        }
    }
    return out;
}

static inline int float_order(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The least height at which water from the pit runs out: by halving among all heights of the window. */
static inline float basin_spill(const struct basin *basin, int pit, float sea_m)
{
    const size_t samples = (size_t)basin->side * (size_t)basin->side;
    float *sorted = malloc(samples * sizeof *sorted);
    bool lower;
    assert_non_null(sorted);
    memcpy(sorted, basin->height, samples * sizeof *sorted);
    qsort(sorted, samples, sizeof *sorted, float_order);
    size_t least = 0, most = samples - 1;
    while (least < most) {
        const size_t middle = (least + most) / 2;
        if (sorted[middle] >= basin->height[pit] && basin_spread(basin, pit, sorted[middle], sea_m, &lower))
            most = middle;
        else
            least = middle + 1;
    }
    const float level_m = sorted[most];
    free(sorted);
    return level_m;
}

/* The level of the lake that starts in the middle, and the lake as marks. TERRANE_DRY: none. */
static inline float basin_fill(const struct basin *basin, const struct terrane_recipe *recipe)
{
    const int pit = basin_pit(basin);
    bool lower;
    if (pit < 0 || basin->height[pit] < recipe->sea_m)
        return TERRANE_DRY;
    const float pit_m = basin->height[pit], cap_m = pit_m + recipe->lakes.depth_m;
    float level_m = basin_spill(basin, pit, recipe->sea_m);
    if (cap_m <= level_m)
        level_m = cap_m;
    else if (basin_spread(basin, pit, level_m, recipe->sea_m, &lower) && !lower)
        return TERRANE_DRY;
    if (level_m - pit_m <= recipe->lakes.shallow_m)
        return TERRANE_DRY;
    basin_spread(basin, pit, nextafterf(level_m, -INFINITY), recipe->sea_m, &lower);
    return level_m;
}

/* ---- All lakes ----------------------------------------------------------------------------------------- */

static inline bool slow_start(const struct terrane_world *world, int64_t cx, int64_t cy, int64_t *gi,
                              int64_t *gj)
{
    const struct terrane_lakes *lakes = &world->recipe->lakes;
    uint64_t h = hash_absorb(world->seed, 0x4C616B6573);
    h = hash_absorb(hash_absorb(h, (uint64_t)cx), (uint64_t)cy);
    const int cell = 1 << lakes->cell_log2;
    *gi = cx * cell + (int64_t)(h % (uint64_t)cell);
    *gj = cy * cell + (int64_t)(h / (uint64_t)cell % (uint64_t)cell);
    return ldexp((double)(h >> 40), -24) < (double)lakes->share;
}

/* Whether one of the 3 x 3 samples around has a mark. */
static inline bool basin_beside(const struct basin *basin, int place, uint8_t mark)
{
    for (int k = 0; k < 9; k++) {
        const int x = place % basin->side + k % 3 - 1, y = place / basin->side + k / 3 - 1;
        if (x >= 0 && y >= 0 && x < basin->side && y < basin->side &&
            basin->mark[y * basin->side + x] == mark)
            return true;
    }
    return false;
}

/* Marks the rings of the shore of a lake, which has mark 1: 2, then 3 and 4, which are not above the bank. */
static inline void basin_shore(struct basin *basin, float lake_m, float bank_m)
{
    for (uint8_t ring = 2; ring <= 4; ring++)
        for (int place = 0; place < basin->side * basin->side; place++)
            if (!basin->mark[place] && basin->height[place] >= lake_m &&
                (ring == 2 || basin->height[place] <= bank_m) &&
                basin_beside(basin, place, (uint8_t)(ring - 1)))
                basin->mark[place] = ring;
}

/* An eighth of the distance of the lakes' samples. */
static inline float slow_rise_m(const struct terrane_recipe *recipe)
{
    return (float)(ldexp(recipe->spacing_m, recipe->lakes.level) / 8);
}

static inline void slow_claim(const struct basin *basin, float lake_m, const struct terrane_window *window,
                              float *level_m)
{
    for (int place = 0; place < basin->side * basin->side; place++) {
        const int64_t i = basin->gi + place % basin->side - window->gi;
        const int64_t j = basin->gj + place / basin->side - window->gj;
        if (!basin->mark[place] || i < 0 || j < 0 || i >= window->width || j >= window->height)
            continue;
        float *at = level_m + j * window->width + i;
        *at = *at > lake_m ? *at : lake_m;
    }
}

/* Returns owned: level_m of a window. All cells are looked at whose lakes could come near. */
static inline float *slow_lakes_new(const struct terrane_world *world, const struct land *land,
                                    const struct terrane_window *window)
{
    const struct terrane_lakes *lakes = &world->recipe->lakes;
    const int side = 2 * lakes->radius + 1, reach = lakes->radius + (1 << lakes->cell_log2);
    const size_t samples = (size_t)side * (size_t)side;
    struct basin basin = {.side = side, .mark = malloc(samples), .queue = malloc(samples * sizeof(int))};
    float *level_m = malloc(window_samples(window) * sizeof *level_m);
    assert_true(level_m && basin.mark && basin.queue);
    for (size_t k = 0; k < window_samples(window); k++)
        level_m[k] = TERRANE_DRY;
    for (int64_t cy = (window->gj - reach) >> lakes->cell_log2;
         cy <= (window->gj + window->height + reach) >> lakes->cell_log2; cy++)
        for (int64_t cx = (window->gi - reach) >> lakes->cell_log2;
             cx <= (window->gi + window->width + reach) >> lakes->cell_log2; cx++) {
            if (!slow_start(world, cx, cy, &basin.gi, &basin.gj))
                continue;
            basin.gi -= lakes->radius, basin.gj -= lakes->radius;
            basin.height = land_new(land, &(struct terrane_window){.level = lakes->level,
                                                                   .gi = basin.gi,
                                                                   .gj = basin.gj,
                                                                   .step = 1,
                                                                   .width = side,
                                                                   .height = side});
            const float lake_m = basin_fill(&basin, world->recipe);
            if (lake_m > TERRANE_DRY) {
                basin_shore(&basin, lake_m, lake_m + slow_rise_m(world->recipe));
                slow_claim(&basin, lake_m, window, level_m);
            }
            free(basin.height);
        }
    free(basin.mark), free(basin.queue);
    return level_m;
}

/* ---- The library's ------------------------------------------------------------------------------------- */

/* A world with lakes on a flat recipe, for made-up ground. recipe is the caller's. */
static inline void lake_world(struct terrane_world *world, struct terrane_recipe *recipe,
                              struct terrane_lakes lakes, float sea_m, uint64_t seed)
{
    *recipe = recipe_flat();
    recipe->lakes = lakes;
    recipe->sea_m = sea_m;
    make_world(world, recipe, seed);
}

/* Returns owned: level_m of a window, by terrane_lakes. */
static inline float *lakes_new(const struct terrane_world *world, const struct land *land,
                               const struct terrane_window *window)
{
    struct terrane_window needed;
    terrane_lakes_needs(world->recipe, window, &needed);
    float *ground = land_new(land, &needed), *level_m = malloc(window_samples(window) * sizeof *level_m);
    void *memory = malloc(terrane_lakes_bytes(world->recipe));
    assert_true(level_m && memory);
    assert_int_equal(terrane_lakes(world, window, ground, memory, level_m), 0);
    free(memory), free(ground);
    return level_m;
}

/* How many samples have a lake's level. */
static inline int count_claimed(const float *level_m, const struct terrane_window *window)
{
    int claimed = 0;
    for (size_t k = 0; k < window_samples(window); k++)
        claimed += level_m[k] > TERRANE_DRY;
    return claimed;
}

/* Where levels in memory are those expected, bit for bit. */
static inline void expect_levels(const float *got, const float *expected, const struct terrane_window *window)
{
    for (size_t k = 0; k < window_samples(window); k++)
        if (memcmp(got + k, expected + k, sizeof *got) != 0)
            fail_msg("%s: at %zu, %zu the level is %.9g, not %.9g", window_text(window),
                     k % (size_t)window->width, k / (size_t)window->width, (double)got[k],
                     (double)expected[k]);
}

#endif
