/*
 * Floods: see flood.h.
 */
#include "flood.h"

#include <string.h>

#include "../base/window.h"

/* In the heap, on the place of a sample of the border. */
#define ON_BORDER UINT32_C(0x80000000)

static float height_of(uint32_t key)
{
    const uint32_t bits = key >> 31 ? key & UINT32_C(0x7FFFFFFF) : ~key;
    float height_m;
    memcpy(&height_m, &bits, sizeof height_m);
    return height_m;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

static size_t window_samples(int radius)
{
    const size_t side = 2 * (size_t)radius + 1;
    return side * side;
}

size_t flood_bytes(int radius)
{
    return window_samples(radius) * (sizeof(uint64_t) + 3 * sizeof(uint32_t));
}

struct flood flood_new(int radius, float sea_m, const float *ground,
                       const struct terrane_window *ground_window, void *block)
{
    const size_t samples = window_samples(radius);
    struct flood flood = {
        .ground = ground,
        .ground_window = *ground_window,
        .radius = radius,
        .side = 2 * radius + 1,
        .heap = {.entry = block},
        .sea = heap_key(sea_m),
    };
    flood.taken = (uint32_t *)(flood.heap.entry + samples);
    flood.stack = flood.taken + samples;
    flood.key = flood.stack + samples;
    return flood;
}

/* ---- Ground -------------------------------------------------------------------------------------------- */

/* count samples of ground, from column x of row y of the window on. */
static const float *ground_at(const struct flood *flood, int x, int y, int count)
{
    return flood->ground + window_at(&flood->ground_window, flood->gi + x, flood->gj + y, count);
}

static void load_window(struct flood *flood)
{
    const int side = flood->side;
    for (int y = 0; y < side; y++) {
        uint32_t *row = flood->key + (size_t)y * (size_t)side;
        const bool inside = y > 0 && y < side - 1;
        for (int x = 0; x < side && !inside; x++)
            row[x] = MARK_BORDER;
        if (!inside)
            continue;
        const float *ground = ground_at(flood, 1, y, side - 2);
        for (int x = 1; x < side - 1; x++)
            row[x] = heap_key(ground[x - 1]);
        row[0] = row[side - 1] = MARK_BORDER;
    }
}

/* ---- Descent ------------------------------------------------------------------------------------------- */

/* The order of samples: by height, then by row, then by column. */
static uint64_t rank_at(const struct flood *flood, int x, int y)
{
    return (uint64_t)heap_key(*ground_at(flood, x, y, 1)) << 32 | (uint32_t)(y * flood->side + x);
}

static uint64_t lowest_around(const struct flood *flood, int x, int y)
{
    uint64_t lowest = rank_at(flood, x, y);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const uint64_t rank = rank_at(flood, x + dx, y + dy);
            lowest = rank < lowest ? rank : lowest;
        }
    return lowest;
}

bool flood_descend(struct flood *flood, int64_t gi, int64_t gj, uint32_t *pit)
{
    const int last = flood->side - 1;
    int x = flood->radius;
    int y = x;
    flood->gi = gi - x;
    flood->gj = gj - y;
    for (;;) {
        const uint64_t here = rank_at(flood, x, y);
        if (x == 0 || y == 0 || x == last || y == last || here >> 32 < flood->sea)
            return false;
        const uint64_t next = lowest_around(flood, x, y);
        *pit = (uint32_t)next;
        if (next == here)
            return true;
        x = (int)*pit % flood->side;
        y = (int)*pit / flood->side;
    }
}

/* ---- Flood --------------------------------------------------------------------------------------------- */

static void take(struct flood *flood, uint32_t place)
{
    flood->taken[flood->taken_count++] = place;
    flood->stack[flood->stack_count++] = place;
}

static void push(struct flood *flood, uint32_t key, uint32_t place)
{
    heap_push(&flood->heap, (uint64_t)key << 32 | place);
}

/* Water reaches a sample of the border. true: it runs out there. */
static bool reach_border(struct flood *flood, uint32_t place)
{
    const int x = (int)place % flood->side, y = (int)place / flood->side;
    const uint32_t key = heap_key(*ground_at(flood, x, y, 1));
    flood->key[place] = MARK_SEEN;
    if (key > flood->level && key < flood->cap)
        push(flood, key, place | ON_BORDER);
    flood->brim |= key == flood->level;
    return key < flood->level;
}

/* Water reaches a sample. true: it runs out there. */
static bool reach(struct flood *flood, uint32_t place)
{
    const uint32_t key = flood->key[place];
    if (key >= MARK_BORDER)
        return key == MARK_BORDER && reach_border(flood, place);
    flood->key[place] = MARK_SEEN;
    if (key <= flood->level)
        take(flood, place);
    else if (key < flood->cap)
        push(flood, key, place);
    return key < flood->sea;
}

/* Spreads to the 8 neighbours of samples on the stack, and on. true: it runs out. */
static bool spread(struct flood *flood)
{
    const uint32_t side = (uint32_t)flood->side;
    const uint32_t around[] = {-side - 1, -side, -side + 1, -1u, 1, side - 1, side, side + 1};
    while (flood->stack_count > 0) {
        const uint32_t place = flood->stack[--flood->stack_count];
        for (int k = 0; k < 8; k++)
            if (reach(flood, place + around[k]))
                return true;
    }
    return false;
}

/* Raises the level to the lowest sample of the heap. */
static void rise(struct flood *flood)
{
    flood->level = (uint32_t)(flood->heap.entry[0] >> 32);
    while (flood->heap.count > 0 && flood->heap.entry[0] >> 32 == flood->level) {
        const uint32_t place = (uint32_t)heap_pop(&flood->heap);
        if (place & ON_BORDER)
            flood->brim = true;
        else
            take(flood, place);
    }
}

/*
 * Floods from the pit until the lake spills, or is as deep as it may be. Returns how many of the taken samples are
 * the lake; 0: none. Its level is flood->level. Samples not below the cap are never visited again: no lake is
 * higher.
 */
static int flood_from(struct flood *flood, uint32_t pit)
{
    flood->level = flood->key[pit];
    flood->taken_count = flood->stack_count = flood->heap.count = 0;
    flood->brim = false;
    flood->key[pit] = MARK_SEEN;
    take(flood, pit);
    for (int lake = 0;; rise(flood)) {
        if (spread(flood))
            return lake;
        if (flood->brim)
            return 0;
        lake = flood->taken_count;
        if (flood->heap.count == 0) {
            flood->level = flood->cap;
            return lake;
        }
    }
}

struct filled flood_fill(struct flood *flood, uint32_t pit, float depth_m)
{
    load_window(flood);
    const float pit_m = height_of(flood->key[pit]);
    flood->cap = heap_key(pit_m + depth_m);
    const int count = flood_from(flood, pit);
    return (struct filled){count, pit_m, height_of(flood->level)};
}

/* ---- Shore --------------------------------------------------------------------------------------------- */

/* The neighbours of a place that are in the window, not marked and not below the level. */
static void mark_around(struct flood *flood, uint32_t place, uint32_t highest)
{
    const int side = flood->side, x = (int)place % side, y = (int)place / side;
    const int west = x > 0 ? x - 1 : x, east = x < side - 1 ? x + 1 : x;
    const int north = y > 0 ? y - 1 : y, south = y < side - 1 ? y + 1 : y;
    for (int j = north; j <= south; j++)
        for (int i = west; i <= east; i++) {
            const uint32_t there = (uint32_t)(j * side + i);
            const uint32_t key = heap_key(*ground_at(flood, i, j, 1));
            if (flood->key[there] == MARK_LAKE || key < flood->level || key > highest)
                continue;
            flood->key[there] = MARK_LAKE;
            flood->taken[flood->taken_count++] = there;
        }
}

/* True if all neighbours of a lake's sample are marked, as for most. None is outside of the window. */
static bool is_amid(const struct flood *flood, uint32_t place)
{
    const int side = flood->side;
    const uint32_t *key = flood->key + place, *north = key - side, *south = key + side;
    const uint32_t all = north[-1] & north[0] & north[1] & key[-1] & key[1] & south[-1] & south[0] & south[1];
    return all == MARK_LAKE;
}

/* The rings reuse the room of samples taken after the lake: each place is marked once, so all fit. */
void flood_mark(struct flood *flood, int count, float bank_m)
{
    for (int k = 0; k < count; k++)
        flood->key[flood->taken[k]] = MARK_LAKE;
    flood->taken_count = count;
    for (int k = 0; k < count; k++)
        if (!is_amid(flood, flood->taken[k]))
            mark_around(flood, flood->taken[k], UINT32_MAX);
    for (int ring = 1, k = count; ring < SHORE_RINGS; ring++)
        for (const int end = flood->taken_count; k < end; k++)
            mark_around(flood, flood->taken[k], heap_key(bank_m));
}
