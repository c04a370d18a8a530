/*
 * Lakes: the samples of a level's lattice that lie in one, and its level.
 *
 * A cell of the lattice may start a lake at a hashed sample; flood.h defines it, and proves that it is a
 * complete connected part of {height < level}. Two such parts, of levels a <= b, are disjoint or the first
 * lies in the second. So each sample takes the max level it is offered: that is one level for each body of
 * water, in any order of cells.
 *
 * The samples of a lake's shore are not below its level: no lake of that level or a lower one has them. They
 * carry the level, too, unless a higher lake claims them. They depend only on the lake's window, wherever the
 * requested window ends. They reach at most radius from the start, and so does the lake's window: hence 2
 * radius of ground.
 */
#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "flood.h"
#include "water.h"

/* ---- Claims -------------------------------------------------------------------------------------------- */

/* Sets level_m for samples of the lake or its shore, unless a higher lake has them. */
static void claim_row(const uint32_t *key, int count, float lake_m, float *level_m)
{
    for (int i = 0; i < count; i++)
        level_m[i] = key[i] == MARK_LAKE && level_m[i] < lake_m ? lake_m : level_m[i];
}

/* A lake and its shore claim their samples of the window. */
static void claim(struct flood *flood, const struct filled *lake, float rise_m,
                  const struct terrane_window *window, float *level_m)
{
    const int side = flood->side;
    uint32_t north = UINT32_MAX, south = 0;
    for (int k = 0; k < lake->count; k++) {
        const uint32_t place = flood->taken[k];
        north = place < north ? place : north;
        south = place > south ? place : south;
    }
    /* The window's north-west as seen from the flood's: at most 4097 and radius away. */
    const int x0 = (int)(window->gi - flood->gi), y0 = (int)(window->gj - flood->gj);
    const int west = max_int(x0, 0), east = min_int(x0 + window->width, side);
    const int first = max_int(max_int((int)north / side - SHORE_RINGS, 0), y0);
    const int end = min_int(min_int((int)south / side + SHORE_RINGS + 1, side), y0 + window->height);
    if (west >= east || first >= end)
        return;
    flood_mark(flood, lake->count, lake->level_m + rise_m);
    for (int y = first; y < end; y++)
        claim_row(flood->key + y * side + west, east - west, lake->level_m,
                  level_m + (size_t)(y - y0) * (size_t)window->width + (size_t)(west - x0));
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* The start of a cell's lake. false: it has none. */
static bool cell_start(const struct terrane_world *world, int64_t cx, int64_t cy, int64_t *gi, int64_t *gj)
{
    const struct terrane_lakes *lakes = &world->recipe->lakes;
    const int c = lakes->cell_log2;
    const uint64_t key = hash_absorb(world->seed, UINT64_C(0x4C616B6573)); /* "Lakes" */
    const uint64_t hash = hash_absorb(hash_absorb(key, (uint64_t)cx), (uint64_t)cy);
    const int64_t mask = (INT64_C(1) << c) - 1;
    *gi = cx * (mask + 1) + ((int64_t)hash & mask);
    *gj = cy * (mask + 1) + ((int64_t)(hash >> c) & mask);
    return (float)(hash >> 40) < lakes->share * 0x1p24f; /* both exact */
}

static void make_lake(const struct terrane_recipe *recipe, struct flood *flood, int64_t gi, int64_t gj,
                      const struct terrane_window *window, float *level_m)
{
    const struct terrane_lakes *lakes = &recipe->lakes;
    const double sample_m = recipe->spacing_m * (double)(INT64_C(1) << lakes->level);
    uint32_t pit;
    if (!flood_descend(flood, gi, gj, &pit))
        return;
    const struct filled lake = flood_fill(flood, pit, lakes->depth_m);
    if (lake.count > 0 && lake.level_m - lake.pit_m > lakes->shallow_m)
        claim(flood, &lake, (float)(sample_m * SHORE_RISE), window, level_m);
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

void terrane_lakes_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *ground)
{
    *ground = window_grown(window, 2 * recipe->lakes.radius);
}

/* Makes the lakes of a window that is dry before. */
static void make_lakes(const struct terrane_world *world, const struct terrane_window *window,
                       const float *ground, void *block, float *level_m)
{
    const struct terrane_recipe *recipe = world->recipe;
    /* Starts from here on reach the window. */
    const int radius = recipe->lakes.radius, c = recipe->lakes.cell_log2;
    const int64_t west = window->gi - radius, east = window->gi + window->width - 1 + radius;
    const int64_t north = window->gj - radius, south = window->gj + window->height - 1 + radius;
    struct terrane_window ground_window;
    terrane_lakes_needs(recipe, window, &ground_window);
    struct flood flood = flood_new(radius, recipe->sea_m, ground, &ground_window, block);
    for (int64_t cy = north >> c; cy <= south >> c; cy++)
        for (int64_t cx = west >> c; cx <= east >> c; cx++) {
            int64_t gi, gj;
            if (cell_start(world, cx, cy, &gi, &gj) && gi >= west && gi <= east && gj >= north && gj <= south)
                make_lake(recipe, &flood, gi, gj, window, level_m);
        }
}

int terrane_lakes(const struct terrane_world *world, const struct terrane_window *window, const float *ground,
                  const struct terrane_memory *memory, float *level_m)
{
    const struct terrane_recipe *recipe = world->recipe;
    const bool any = recipe->lakes.share > 0;
    const int error = window_check(window, recipe->lakes.level);
    if (error)
        return error;
    void *block = any ? memory_take(memory, flood_bytes(recipe->lakes.radius)) : NULL;
    if (any && !block)
        return TERRANE_EMEMORY;
    const size_t samples = samples_of(window);
    for (size_t k = 0; k < samples; k++)
        level_m[k] = TERRANE_DRY;
    if (any)
        make_lakes(world, window, ground, block, level_m);
    memory_give(memory, block);
    return 0;
}
