/*
 * Caves of a window: the cells that have one, and digging.
 *
 * The ground in a cell's own square decides whether its cave is a candidate; it stays unless a candidate with a lower id has
 * an overlapping square. So a window needs caves with tops at most radius away, candidates with tops at most 2 radius
 * further, and their squares, again radius: 4 radius of ground. Starts are less than dig_reach from their tops, and read as
 * much around: with dig_reach of half a radius that is no more.
 */
#include "cave_shown.h"
#include "dig.h"

#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/window.h"

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* A top that may have a cave, from the window's north-west; x: NONE if the cell has none. Digging is expensive, so a cave
 * is dug only when it is asked for. */
struct candidate {
    int32_t x, y;
    enum { UNKNOWN, IS, IS_NOT } cave;
};

#define NONE INT32_MIN

/* The cells whose candidates count for a window. */
struct cells {
    const struct terrane_world *world;
    struct terrane_window window;
    int64_t cx, cy; /* the first */
    int across, down;
    int radius, near; /* near: max distance of a candidate's rivals, in cells */
    struct candidate *candidate;
};

static struct cells cells_of(const struct terrane_recipe *recipe, const struct terrane_window *window)
{
    const int c = recipe->caves.cell_log2, radius = recipe->caves.radius;
    const int reach = dig_reach(recipe), around = 3 * radius + reach;
    struct cells cells = {.window = *window, .radius = radius};
    cells.cx = (window->gi - around) >> c;
    cells.cy = (window->gj - around) >> c;
    cells.across = (int)(((window->gi + window->width - 1 + around) >> c) - cells.cx) + 1;
    cells.down = (int)(((window->gj + window->height - 1 + around) >> c) - cells.cy) + 1;
    cells.near = ((2 * radius + 2 * reach) >> c) + 1;
    return cells;
}

static uint64_t id_of(uint64_t ids, int64_t cx, int64_t cy)
{
    const uint64_t key = hash_absorb(ids, UINT64_C(0x7365766143)); /* "Caves" */
    return hash_absorb(hash_absorb(key, (uint64_t)cx), (uint64_t)cy);
}

uint64_t terrane_cave_id(const struct terrane_world *world, const struct terrane_cave *cave)
{
    return id_of(world->ids, cave->cx, cave->cy);
}

static uint64_t cell_id(const struct cells *cells, int i, int j)
{
    return id_of(cells->world->seed, cells->cx + i, cells->cy + j);
}

/* The start of a cell. false: it tries no cave. Separate bits of the hash decide that, so ids have no bias. */
static bool cell_start(const struct cells *cells, int i, int j, int64_t *gi, int64_t *gj)
{
    const struct terrane_caves *caves = &cells->world->recipe->caves;
    const int c = caves->cell_log2;
    const uint64_t hash = hash_mix(cell_id(cells, i, j));
    const int64_t size = INT64_C(1) << c;
    *gi = (cells->cx + i) * size + ((int64_t)hash & (size - 1));
    *gj = (cells->cy + j) * size + ((int64_t)(hash >> c) & (size - 1));
    return (float)(hash >> 40) < caves->share * 0x1p24f; /* both exact */
}

/* True if at most so far from the window, along each axis. */
static bool within(const struct terrane_window *window, int64_t x, int64_t y, int64_t far)
{
    return x >= -far && y >= -far && x < window->width + far && y < window->height + far;
}

static struct candidate find_top(const struct cells *cells, const struct dig *dig, int i, int j)
{
    const struct terrane_window *window = &cells->window;
    const struct candidate none = {.x = NONE};
    const int far = 3 * cells->radius;
    int64_t gi, gj;
    if (!cell_start(cells, i, j, &gi, &gj) ||
        !within(window, gi - window->gi, gj - window->gj, far + dig_reach(cells->world->recipe)) ||
        !dig_climb(dig, &gi, &gj) || !within(window, gi - window->gi, gj - window->gj, far))
        return none;
    return (struct candidate){(int32_t)(gi - window->gi), (int32_t)(gj - window->gj), UNKNOWN};
}

/* True if a cell with a top is a candidate. */
static bool is_candidate(const struct cells *cells, struct dig *dig, int i, int j)
{
    struct candidate *own = cells->candidate + j * cells->across + i;
    struct terrane_cave cave;
    if (own->cave == UNKNOWN)
        own->cave =
            dig_cave(dig, cell_id(cells, i, j), cells->window.gi + own->x, cells->window.gj + own->y, &cave)
                ? IS
                : IS_NOT;
    return own->cave == IS;
}

/* True if tops of two cells are too close, and the first one yields if the other is a candidate. Ids are equal only with a
 * chance of 2^-64, and then the one further south or east yields. */
static bool yields(const struct cells *cells, int i, int j, int rival_i, int rival_j)
{
    const struct candidate *own = cells->candidate + j * cells->across + i;
    const struct candidate *rival = cells->candidate + rival_j * cells->across + rival_i;
    const int64_t dx = (int64_t)own->x - rival->x, dy = (int64_t)own->y - rival->y, meet = 2 * cells->radius;
    if (rival->x == NONE || dx < -meet || dx > meet || dy < -meet || dy > meet)
        return false;
    const uint64_t id = cell_id(cells, i, j), rival_id = cell_id(cells, rival_i, rival_j);
    return rival_id < id || (rival_id == id && (rival_j < j || (rival_j == j && rival_i < i)));
}

/* Checks rivals with known caves first, then the others. */
static bool stays(const struct cells *cells, struct dig *dig, int i, int j)
{
    for (int known = 1; known >= 0; known--)
        for (int y = j - cells->near; y <= j + cells->near; y++)
            for (int x = i - cells->near; x <= i + cells->near; x++)
                if (x >= 0 && y >= 0 && x < cells->across && y < cells->down &&
                    (cells->candidate[y * cells->across + x].cave != UNKNOWN) == (known == 1) &&
                    yields(cells, i, j, x, y) && is_candidate(cells, dig, x, y))
                    return false;
    return true;
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* Copies the dug cave into the window. */
static void show(const struct dig *dig, const struct terrane_window *window, float *floor_ceiling)
{
    const int64_t x0 = dig->gi - window->gi, y0 = dig->gj - window->gj;
    for (int y = 0; y < dig->side; y++)
        for (int x = 0; x < dig->side; x++) {
            const size_t from = (size_t)y * (size_t)dig->side + (size_t)x;
            if (dig->floor[from] == TERRANE_ROCK || !within(window, x0 + x, y0 + y, 0))
                continue;
            const size_t to = (size_t)(y0 + y) * (size_t)window->width + (size_t)(x0 + x);
            floor_ceiling[2 * to] = dig->floor[from];
            floor_ceiling[2 * to + 1] = dig->ceiling[from];
        }
}

void terrane_caves_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *ground)
{
    *ground = window_grown(window, 4 * recipe->caves.radius);
}

size_t caves_work_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window)
{
    const struct cells cells = cells_of(recipe, window);
    return dig_bytes(recipe->caves.radius) +
           (size_t)cells.across * (size_t)cells.down * sizeof(struct candidate);
}

/* Digs the cave of a candidate that stays again, and keeps it. */
static void keep(const struct cells *cells, struct dig *dig, int i, int j, float *floor_ceiling,
                 struct terrane_cave *cave, int *caves)
{
    const struct terrane_window *window = &cells->window;
    const struct candidate *own = cells->candidate + j * cells->across + i;
    const uint64_t id = cell_id(cells, i, j);
    struct terrane_cave found;
    if (!dig_cave(dig, id, window->gi + own->x, window->gj + own->y, &found))
        return;
    show(dig, window, floor_ceiling);
    if (!within(window, own->x, own->y, 0) || *caves >= TERRANE_CAVES_MAX)
        return;
    found.id = id;
    found.cx = cells->cx + i;
    found.cy = cells->cy + j;
    cave[(*caves)++] = found;
}

/* Makes the caves of a window filled with rock. block: caves_work_bytes. */
static void make_caves(const struct terrane_world *world, const struct terrane_window *window,
                       const float *ground, const float *depth_m, void *block, float *floor_ceiling,
                       struct terrane_cave *cave, int *caves)
{
    struct terrane_window all;
    terrane_caves_needs(world->recipe, window, &all);
    struct cells cells = cells_of(world->recipe, window);
    cells.world = world;
    cells.candidate = block;
    struct dig dig =
        dig_new(world, &all, ground, depth_m, cells.candidate + (size_t)cells.across * (size_t)cells.down);
    for (int j = 0; j < cells.down; j++)
        for (int i = 0; i < cells.across; i++)
            cells.candidate[j * cells.across + i] = find_top(&cells, &dig, i, j);
    for (int j = 0; j < cells.down; j++)
        for (int i = 0; i < cells.across; i++) {
            const struct candidate *own = cells.candidate + j * cells.across + i;
            if (own->x != NONE && within(window, own->x, own->y, cells.radius) &&
                is_candidate(&cells, &dig, i, j) && stays(&cells, &dig, i, j))
                keep(&cells, &dig, i, j, floor_ceiling, cave, caves);
        }
}

int terrane_caves(const struct terrane_world *world, const struct terrane_window *window, const float *ground,
                  const float *depth_m, const struct terrane_memory *memory, float *floor_ceiling,
                  struct terrane_cave *cave, int *caves)
{
    const struct terrane_recipe *recipe = world->recipe;
    const bool any = recipe->caves.share > 0;
    const int error = window_check(window, recipe->caves.level);
    if (error)
        return error;
    void *block = any ? memory_take(memory, caves_work_bytes(recipe, window)) : NULL;
    if (any && !block)
        return TERRANE_EMEMORY;
    const size_t samples = samples_of(window);
    for (size_t k = 0; k < 2 * samples; k++)
        floor_ceiling[k] = TERRANE_ROCK;
    *caves = 0;
    if (any)
        make_caves(world, window, ground, depth_m, block, floor_ceiling, cave, caves);
    memory_give(memory, block);
    return 0;
}
