/*
 * Regions: their windows, and the layout of their blobs.
 *
 *  (1) A region's window covers what tiles on it read, an anchor's what terrane_erode_needs names for each region on it,
 *      down to the next anchors below, with their margins.
 *  (2) A region lies on one anchor. Needs move with their window, by 2^-k of it k levels above, as long as it moves by
 *      whole anchors: what holds for the regions on anchor 0, 0 holds for all.
 *  (3) Margins stay small: k levels above a region with margin m, erosion of halo h needs (m + (2^k - 1) h) / 2^k + 4
 *      samples at most beyond the region's edge. With h up to TERRANE_HALO_MAX, and m up to 2 + 2 TERRANE_LAKE_RADIUS_MAX
 *      under lakes, none passes MARGIN_MOST.
 */
#include "region.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

#define MAGIC UINT32_C(0x47525254) /* "TRRG" */

enum { MARGIN_MOST = 240 };

int region_log2(enum region_kind kind, int level)
{
    switch (kind) {
    case REGION_ANCHOR:
        return 8;
    case REGION_LAKES:
        return 9;
    default:
        return level < ANCHOR_LEVELS - 1 ? 10 : 9; /* one below an anchor level, 2^9 lie in its 2^8 */
    }
}

int64_t region_of(enum region_kind kind, int level, int64_t g)
{
    return g >> region_log2(kind, level);
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

int region_anchor_above(const struct terrane_recipe *recipe, int level)
{
    const int anchor = (level / ANCHOR_LEVELS + 1) * ANCHOR_LEVELS;
    return anchor < recipe->erosion.levels ? anchor : -1;
}

static int size_of(enum region_kind kind, int level)
{
    return 1 << region_log2(kind, level);
}

/* What erosion of a region reads at its own level: of lakes, the ground they are made of. */
static void eroded_window(const struct terrane_recipe *recipe, const struct region *region,
                          struct terrane_window *window)
{
    if (region->kind == REGION_LAKES)
        region_ground(recipe, region, window);
    else
        region_window(recipe, region, window);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The margin that anchor 0, 0 needs for a region below it. */
static int margin_for(const struct terrane_recipe *recipe, int anchor, const struct region *below)
{
    struct terrane_window window, needed;
    eroded_window(recipe, below, &window);
    terrane_erode_needs(recipe, &window, anchor, &needed);
    const int far = (int)(needed.gi + needed.width) - (size_of(REGION_ANCHOR, anchor) + 1);
    return larger(-(int)needed.gi, far);
}

/* The first and the last region on an anchor bound all between them. */
static int anchor_margin(const struct terrane_recipe *recipe, int anchor)
{
    int margin = REGION_MARGIN;
    for (int level = anchor - ANCHOR_LEVELS; level < anchor; level++)
        for (int k = REGION_EROSION; k <= REGION_LAKES; k++) {
            const enum region_kind kind = (enum region_kind)k;
            if ((kind == REGION_LAKES && (recipe->lakes.share == 0 || recipe->lakes.level != level)) ||
                (kind == REGION_ANCHOR && (level == 0 || level % ANCHOR_LEVELS != 0)))
                continue;
            const int64_t edge = (INT64_C(1) << (anchor - level)) * size_of(REGION_ANCHOR, anchor);
            const int64_t last = region_of(kind, level, edge - 1);
            const struct region first = {kind, level, 0, 0, VARIANT_ERODED};
            const struct region end = {kind, level, last, last, VARIANT_ERODED};
            margin = larger(margin, margin_for(recipe, anchor, &first));
            margin = larger(margin, margin_for(recipe, anchor, &end));
        }
    CHECK(margin <= MARGIN_MOST);
    return margin;
}

int region_margin(const struct terrane_recipe *recipe, enum region_kind kind, int level)
{
    return kind == REGION_ANCHOR ? anchor_margin(recipe, level) : REGION_MARGIN;
}

void region_window(const struct terrane_recipe *recipe, const struct region *region,
                   struct terrane_window *window)
{
    const int size = size_of(region->kind, region->level);
    const int margin = region_margin(recipe, region->kind, region->level);
    *window = (struct terrane_window){
        .level = region->level,
        .gi = region->x * size - margin,
        .gj = region->y * size - margin,
        .step = 1,
        .width = size + 1 + 2 * margin,
        .height = size + 1 + 2 * margin,
    };
}

void region_ground(const struct terrane_recipe *recipe, const struct region *region,
                   struct terrane_window *ground)
{
    struct terrane_window window;
    region_window(recipe, region, &window);
    terrane_lakes_needs(recipe, &window, ground);
}

bool region_inside(const struct terrane_recipe *recipe, const struct region *region)
{
    const int64_t limit = INT64_C(1) << 50;
    struct terrane_window window;
    eroded_window(recipe, region, &window);
    const int halo = terrane_erosion_halo(recipe, region->level);
    return window.gi - halo >= -limit && window.gj - halo >= -limit &&
           window.gi + window.width + halo <= limit && window.gj + window.height + halo <= limit;
}

bool region_anchor(const struct terrane_recipe *recipe, const struct region *region, struct region *anchor)
{
    const int level = region_anchor_above(recipe, region->level);
    if (region->variant != VARIANT_ERODED || level < 0 || !region_inside(recipe, region))
        return false;
    const int up =
        level - region->level + region_log2(REGION_ANCHOR, level) - region_log2(region->kind, region->level);
    CHECK(up >= 0); /* it lies in one */
    *anchor = (struct region){REGION_ANCHOR, level, region->x >> up, region->y >> up, VARIANT_ERODED};
    return true;
}

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

/* Of lakes on eroded ground the most is taken while that is eroded: a delta and a flow beside what terrane_erode asks
 * for; heights, lakes and what comes out take less, when that is gone. */
size_t region_bytes(const struct terrane_recipe *recipe, const struct region *region)
{
    struct region anchor;
    struct terrane_window window;
    const bool from = region_anchor(recipe, region, &anchor), eroded = region->variant == VARIANT_ERODED;
    eroded_window(recipe, region, &window);
    size_t bytes = from ? region_blob_bytes(recipe, &anchor) : 0;
    if (eroded)
        bytes += terrane_erode_bytes(recipe, &window, from ? anchor.level : -1);
    if (region->kind == REGION_LAKES && eroded)
        bytes += samples_of(&window) * 2 * sizeof(int32_t);
    else if (region->kind == REGION_LAKES)
        bytes += samples_of(&window) * sizeof(float) + terrane_lakes_bytes(recipe);
    if (!(region->kind == REGION_LAKES && eroded))
        bytes += region_blob_bytes(recipe, region);
    return bytes;
}

/* ---- Blobs --------------------------------------------------------------------------------------------- */

static unsigned char *put_le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

static void header_make(unsigned char header[REGION_HEADER_BYTES], const struct region *region,
                        const struct terrane_window *window)
{
    unsigned char *at = put_le(header, MAGIC, 4);
    at = put_le(at, REGION_LAYOUT, 4);
    at = put_le(at, (uint64_t)region->kind, 4);
    at = put_le(at, (uint64_t)region->variant, 4);
    at = put_le(at, (uint64_t)region->level, 8);
    at = put_le(at, (uint64_t)region->x, 8);
    at = put_le(at, (uint64_t)region->y, 8);
    at = put_le(at, (uint64_t)window->gi, 8);
    at = put_le(at, (uint64_t)window->gj, 8);
    at = put_le(at, (uint64_t)window->width, 4);
    at = put_le(at, (uint64_t)window->height, 4);
    CHECK(at == header + REGION_HEADER_BYTES);
}

static size_t arrays_of(enum region_kind kind)
{
    return kind == REGION_LAKES ? 1 : 2;
}

static size_t blob_bytes(enum region_kind kind, const struct terrane_window *window)
{
    return REGION_HEADER_BYTES + samples_of(window) * arrays_of(kind) * sizeof(uint32_t);
}

size_t region_blob_bytes(const struct terrane_recipe *recipe, const struct region *region)
{
    struct terrane_window window;
    region_window(recipe, region, &window);
    return blob_bytes(region->kind, &window);
}

void region_room_make(struct region_room *room, const struct terrane_recipe *recipe,
                      const struct region *region)
{
    *room = (struct region_room){.data = NULL};
    region_window(recipe, region, &room->window);
    room->bytes = blob_bytes(region->kind, &room->window);
    room->data = malloc(room->bytes);
    if (!room->data)
        return;
    header_make(room->data, region, &room->window);
    void *arrays = room->data + REGION_HEADER_BYTES; /* aligned as malloc aligns */
    if (region->kind == REGION_LAKES) {
        room->level_m = arrays;
    } else {
        room->delta = arrays;
        room->flow = (uint32_t *)arrays + samples_of(&room->window);
    }
}

/* Turns numbers of this machine into little-endian ones, or back. */
static void swap_words(uint32_t *word, size_t count)
{
    if (htole32(1) == 1)
        return;
    for (size_t i = 0; i < count; i++)
        word[i] = htole32(word[i]);
}

struct blob *region_blob(struct region_room *room, const struct digest *digest)
{
    const struct blob_info info = {
        .format = FORMAT_F32, /* raw numbers; a tier only asks for a format that there is */
        .width = (uint16_t)room->window.width,
        .height = (uint16_t)room->window.height,
    };
    void *arrays = room->data + REGION_HEADER_BYTES;
    swap_words(arrays, (room->bytes - REGION_HEADER_BYTES) / sizeof(uint32_t));
    return blob_create(digest, &info, room->data, room->bytes);
}

int region_open(struct region_view *view, const struct terrane_recipe *recipe, const struct region *region,
                const struct blob *blob)
{
    *view = (struct region_view){.copy = NULL};
    region_window(recipe, region, &view->window);
    CHECK(blob->bytes == blob_bytes(region->kind, &view->window));
    void *arrays = blob->data + REGION_HEADER_BYTES;
    const size_t bytes = blob->bytes - REGION_HEADER_BYTES;
    if (htole32(1) != 1) {
        view->copy = malloc(bytes);
        if (!view->copy)
            return -1;
        arrays = memcpy(view->copy, arrays, bytes);
        swap_words(arrays, bytes / sizeof(uint32_t));
    }
    if (region->kind == REGION_LAKES)
        view->level_m = arrays;
    else
        view->eroded = (struct terrane_eroded){
            .window = view->window,
            .delta = arrays,
            .flow = (uint32_t *)arrays + samples_of(&view->window),
        };
    return 0;
}

void region_close(struct region_view *view)
{
    free(view->copy);
    view->copy = NULL;
}

static bool numbers_fit(const struct terrane_recipe *recipe, const struct region_view *view)
{
    const size_t count = samples_of(&view->window);
    const double unit_m = terrane_erosion_unit_m(recipe), bound_m = terrane_erosion_bound_m(recipe);
    bool fit = true;
    if (view->level_m)
        for (size_t i = 0; i < count; i++) /* also false for NaN */
            fit &= view->level_m[i] >= TERRANE_DRY && view->level_m[i] <= -TERRANE_DRY;
    else
        for (size_t i = 0; i < count; i++) {
            const double delta_m = view->eroded.delta[i] * unit_m;
            fit &= delta_m >= -bound_m && delta_m <= bound_m;
        }
    return fit;
}

bool region_blob_fits(const struct terrane_recipe *recipe, const struct region *region,
                      const struct blob *blob)
{
    unsigned char header[REGION_HEADER_BYTES];
    struct terrane_window window;
    struct region_view view;
    region_window(recipe, region, &window);
    header_make(header, region, &window);
    if (blob->bytes != blob_bytes(region->kind, &window) || memcmp(blob->data, header, sizeof header) != 0)
        return false;
    if (region_open(&view, recipe, region, blob) != 0)
        return false;
    const bool fit = numbers_fit(recipe, &view);
    region_close(&view);
    return fit;
}
