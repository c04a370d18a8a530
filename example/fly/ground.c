/* Ground around the eye: a pyramid of levels, each a square of ACROSS x ACROSS tiles, made on a thread of its own. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "fly.h"

enum {
    SLOTS = LEVELS * ACROSS * ACROSS,
    KEPT = 96 /* regions that are kept: drainage and erosion, some 2 MB each */
};

struct kept {
    struct terrane_region region;
    struct terrane_packed packed;
    unsigned used;
};

struct ground {
    const struct terrane_world *world;
    SDL_Thread *thread;
    SDL_mutex *mutex; /* over eye, finest, ready, stop */
    SDL_cond *wanted;
    struct eye eye;
    int finest;
    struct tile *ready;
    bool stop;
    struct tile *tile[SLOTS]; /* of the drawing thread */
    /* ---- of the making thread ---- */
    struct place {
        bool made;
        int64_t x, y;
    } place[SLOTS];
    struct terrane_memory memory;
    struct kept kept[KEPT];
    unsigned uses;
    float water[SIDE * SIDE], relief[3 * SIDE * SIDE];
};

/* Where a tile is kept: the one that is there now and this one are never wanted at once. */
static int slot(int level, int64_t x, int64_t y)
{
    const int i = (int)((x % ACROSS + ACROSS) % ACROSS), j = (int)((y % ACROSS + ACROSS) % ACROSS);
    return (level * ACROSS + j) * ACROSS + i;
}

/* The first tile of a level along an axis: as much of the level as can be is on both sides of the eye. */
static int64_t first_tile(const struct terrane_world *world, int level, double at)
{
    return (int64_t)SDL_floor(at / terrane_lattice_m(world, level, TILE) - (ACROSS - 1) * 0.5);
}

/* Levels that reach hardly farther than the ground below are of no use. */
static int finest_level(const struct terrane_world *world, float above)
{
    int level = 0;
    while (level < LEVELS - 4 && terrane_lattice_m(world, level, REACH) < 1.5 * above)
        level++;
    return level;
}

/* ---- What regions were made ---- */

static bool get_region(void *user, const struct terrane_world *world, const struct terrane_region *region,
                       const struct terrane_memory *memory, struct terrane_packed *packed)
{
    struct ground *ground = user;
    (void)world;
    for (struct kept *kept = ground->kept; kept < ground->kept + KEPT; kept++)
        if (kept->packed.data && kept->region.kind == region->kind && kept->region.level == region->level &&
            kept->region.x == region->x && kept->region.y == region->y &&
            kept->region.variant == region->variant) {
            kept->used = ++ground->uses;
            packed->bytes = kept->packed.bytes;
            packed->data = memory->alloc(memory->user, packed->bytes);
            return packed->data && memcpy(packed->data, kept->packed.data, packed->bytes);
        }
    return false;
}

static void put_region(void *user, const struct terrane_world *world, const struct terrane_region *region,
                       const struct terrane_packed *packed)
{
    struct ground *ground = user;
    struct kept *oldest = ground->kept;
    (void)world;
    for (struct kept *kept = ground->kept; kept < ground->kept + KEPT; kept++)
        if (kept->used < oldest->used)
            oldest = kept;
    free(oldest->packed.data);
    oldest->packed.data = malloc(packed->bytes);
    oldest->packed.bytes = packed->bytes;
    oldest->region = *region;
    oldest->used = ++ground->uses;
    if (oldest->packed.data)
        memcpy(oldest->packed.data, packed->data, packed->bytes);
}

static void *take(void *user, size_t bytes)
{
    (void)user;
    return aligned_alloc(TERRANE_SCRATCH_ALIGN,
                         (bytes + TERRANE_SCRATCH_ALIGN - 1) & ~(size_t)(TERRANE_SCRATCH_ALIGN - 1));
}

static void give(void *user, void *block)
{
    (void)user;
    free(block);
}

/* ---- The thread that makes tiles ---- */

static bool make_tile(struct ground *ground, struct tile *tile)
{
    const struct terrane_store store = {get_region, put_region, ground};
    const struct {
        enum terrane_layer layer;
        float *out;
    } layers[] = {{TERRANE_LAYER_SURFACE, tile->height},
                  {TERRANE_LAYER_WATER, ground->water},
                  {TERRANE_LAYER_RELIEF, ground->relief}};
    struct terrane_window window;
    if (terrane_window_tile(&window, tile->level, tile->x, tile->y, SIDE) != 0)
        return false;
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
        if (terrane_make(ground->world, &window, layers[k].layer, TERRANE_VARIANT_CARVED, &store,
                         &ground->memory, layers[k].out) != 0)
            return false;
    float low;
    terrane_height_range(tile->height, SIDE * SIDE, &low, &tile->top);
    for (int k = 0; k < SIDE * SIDE; k++) {
        const float *rgb = ground->relief + 3 * k;
        tile->colour[k] = (ground->water[k] > 0 ? 0xFF000000U : 0) | (Uint32)rgb[0] << 16 |
                          (Uint32)rgb[1] << 8 | (Uint32)rgb[2];
    }
    return true;
}

/* The next tile for an eye: of coarse levels first, of a level the nearest. false: all are there. */
static bool next_tile(const struct ground *ground, const struct eye *eye, int finest, struct tile *tile)
{
    for (int level = LEVELS - 1; level >= finest; level--) {
        const double wide = terrane_lattice_m(ground->world, level, TILE);
        const int64_t x0 = first_tile(ground->world, level, eye->x),
                      y0 = first_tile(ground->world, level, eye->y);
        double nearest = DBL_MAX;
        for (int k = 0; k < ACROSS * ACROSS; k++) {
            const int64_t x = x0 + k % ACROSS, y = y0 + k / ACROSS;
            const struct place *place = ground->place + slot(level, x, y);
            const double east = ((double)x + 0.5) * wide - eye->x, south = ((double)y + 0.5) * wide - eye->y,
                         away = east * east + south * south;
            if ((place->made && place->x == x && place->y == y) || away >= nearest)
                continue;
            nearest = away;
            tile->level = level;
            tile->x = x;
            tile->y = y;
        }
        if (nearest < DBL_MAX)
            return true;
    }
    return false;
}

static int make_ground(void *user)
{
    struct ground *ground = user;
    struct tile *tile = NULL;
    SDL_SetThreadPriority(SDL_THREAD_PRIORITY_LOW); /* pictures come first */
    SDL_LockMutex(ground->mutex);
    while (!ground->stop && (tile || (tile = malloc(sizeof *tile)))) {
        const struct eye eye = ground->eye;
        if (!next_tile(ground, &eye, ground->finest, tile)) {
            SDL_CondWait(ground->wanted, ground->mutex);
            continue;
        }
        SDL_UnlockMutex(ground->mutex);
        const bool made = make_tile(ground, tile);
        SDL_LockMutex(ground->mutex);
        /* What cannot be made, beyond the edge of the world, is not tried again. */
        ground->place[slot(tile->level, tile->x, tile->y)] = (struct place){true, tile->x, tile->y};
        if (made) {
            tile->next = ground->ready;
            ground->ready = tile;
            tile = NULL;
        }
    }
    SDL_UnlockMutex(ground->mutex);
    free(tile);
    return 0;
}

/* ---- The thread that draws ---- */

struct ground *ground_open(const struct terrane_world *world, const struct eye *eye)
{
    struct ground *ground = calloc(1, sizeof *ground);
    if (!ground)
        return SDL_OutOfMemory(), NULL;
    ground->world = world;
    ground->eye = *eye;
    ground->memory = (struct terrane_memory){take, give, NULL, take(NULL, terrane_scratch_bytes),
                                             calloc(1, terrane_memo_bytes)};
    ground->mutex = SDL_CreateMutex();
    ground->wanted = SDL_CreateCond();
    if (ground->mutex && ground->wanted)
        ground->thread = SDL_CreateThread(make_ground, "ground", ground);
    if (ground->thread)
        return ground;
    ground_close(ground);
    return NULL;
}

void ground_close(struct ground *ground)
{
    if (ground->thread) {
        SDL_LockMutex(ground->mutex);
        ground->stop = true;
        SDL_CondSignal(ground->wanted);
        SDL_UnlockMutex(ground->mutex);
        SDL_WaitThread(ground->thread, NULL);
    }
    for (struct tile *tile = ground->ready, *next; tile; tile = next) {
        next = tile->next;
        free(tile);
    }
    for (int k = 0; k < SLOTS; k++)
        free(ground->tile[k]);
    for (int k = 0; k < KEPT; k++)
        free(ground->kept[k].packed.data);
    free(ground->memory.scratch);
    free(ground->memory.memo);
    SDL_DestroyCond(ground->wanted);
    SDL_DestroyMutex(ground->mutex);
    free(ground);
}

float ground_height(const struct terrane_world *world, const struct view *view, double x, double y)
{
    for (int level = view->finest; level < LEVELS; level++) {
        const double step = terrane_lattice_m(world, level, 1);
        const double u = x / step - (double)view->x[level] * TILE,
                     v = y / step - (double)view->y[level] * TILE;
        const struct tile *tile = u >= 0 && v >= 0 && u < ACROSS * TILE && v < ACROSS * TILE
                                      ? view->tile[level][(int)v / TILE][(int)u / TILE]
                                      : NULL;
        if (tile)
            return tile->height[(int)v % TILE * SIDE + (int)u % TILE];
    }
    return 0;
}

int ground_view(struct ground *ground, const struct eye *eye, struct view *view)
{
    int missing = 0;
    SDL_LockMutex(ground->mutex);
    struct tile *ready = ground->ready;
    ground->ready = NULL;
    ground->eye = *eye;
    ground->finest = view->finest =
        finest_level(ground->world, eye->height - ground_height(ground->world, view, eye->x, eye->y));
    SDL_CondSignal(ground->wanted);
    SDL_UnlockMutex(ground->mutex);
    while (ready) {
        struct tile **place = &ground->tile[slot(ready->level, ready->x, ready->y)], *next = ready->next;
        free(*place);
        *place = ready;
        ready->born = SDL_GetTicks();
        ready = next;
    }
    for (int level = LEVELS - 1; level >= 0; level--) {
        view->x[level] = first_tile(ground->world, level, eye->x);
        view->y[level] = first_tile(ground->world, level, eye->y);
        view->top[level] = level < LEVELS - 1 ? view->top[level + 1] : -FLT_MAX;
        for (int k = 0; k < ACROSS * ACROSS; k++) {
            const int j = k / ACROSS, i = k % ACROSS;
            const int64_t x = view->x[level] + i, y = view->y[level] + j;
            const struct tile *tile = ground->tile[slot(level, x, y)];
            const bool there = tile && tile->x == x && tile->y == y;
            const float age = there ? (float)(SDL_GetTicks() - tile->born) / FADE_MS : 0;
            view->tile[level][j][i] = there ? tile : NULL;
            view->fade[level][j][i] = age < 1 ? age : 1;
            if (there && tile->top > view->top[level])
                view->top[level] = tile->top;
            missing += !there && level >= view->finest;
        }
    }
    return missing;
}
