/*
 * Making regions.
 *
 * Memory is sized by windows, which recipes bound (region_bytes says how large they get). Every piece is returned as
 * soon as it has served: of lakes, the memory of erosion goes before heights come. Networks and caves are region_hollow.c's.
 */
#include "region_make.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "../base/check.h"
#include "region_shop.h"

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

/* Memory of a job is large and new to the kernel each time. In huge pages, where they are to be had, it comes in some
 * ten faults in place of thousands, which take a tenth of a region's time. */
void *shop_room(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, align = bytes < 2 * huge ? TERRANE_SCRATCH_ALIGN : huge;
    void *room;
    if (posix_memalign(&room, align, bytes) != 0)
        return NULL;
    if (align == huge)
        madvise(room, bytes / huge * huge, MADV_HUGEPAGE); /* an advice: no harm where it is refused */
    return room;
}

/* These return 0, or -1 when memory is short. */

static int erode(const struct shop *shop, const struct terrane_eroded *from, struct terrane_eroded *out)
{
    const int level = from ? from->window.level : -1;
    void *memory = shop_room(terrane_erode_bytes(shop->world->recipe, &out->window, level));
    if (!memory)
        return -1;
    CHECK(terrane_erode(shop->world, from, shop->producer->scratch, memory, out) == 0);
    free(memory);
    return 0;
}

/* Turns heights into eroded ones. */
static int erode_ground(const struct shop *shop, const struct terrane_eroded *from,
                        struct terrane_eroded *eroded, float **heights)
{
    const struct terrane_recipe *recipe = shop->world->recipe;
    if (erode(shop, from, eroded) != 0)
        return -1;
    free(eroded->flow);
    eroded->flow = NULL;
    *heights = malloc(samples_of(&eroded->window) * sizeof **heights);
    if (!*heights)
        return -1;
    CHECK(terrane_heights(shop->world, &eroded->window, shop->producer->scratch, *heights) == 0);
    CHECK(terrane_eroded_heights(recipe, eroded, &eroded->window, *heights) == 0);
    return 0;
}

float *shop_ground(const struct shop *shop, const struct terrane_eroded *from,
                   const struct terrane_window *window, bool eroded)
{
    const size_t count = samples_of(window);
    const bool there = eroded && from && from->window.level == window->level;
    float *heights = NULL;
    if (!eroded || there) {
        heights = malloc(count * sizeof *heights);
        if (heights)
            CHECK(terrane_heights(shop->world, window, shop->producer->scratch, heights) == 0);
        if (heights && there)
            CHECK(terrane_eroded_heights(shop->world->recipe, from, window, heights) == 0);
        return heights;
    }
    struct terrane_eroded product = {
        .window = *window,
        .delta = malloc(count * sizeof *product.delta),
        .flow = malloc(count * sizeof *product.flow),
    };
    if (product.delta && product.flow && erode_ground(shop, from, &product, &heights) != 0) {
        free(heights);
        heights = NULL;
    }
    free(product.delta);
    free(product.flow);
    return heights;
}

/* The ground comes first: eroding it takes the most, and what comes out need not be there yet. */
static int make_lakes(const struct shop *shop, const struct region *region, struct region_room *room)
{
    const struct terrane_recipe *recipe = shop->world->recipe;
    const bool inside = region_inside(recipe, region);
    struct terrane_window window[REGION_GROUNDS];
    region_grounds(recipe, region, window);
    float *ground = inside ? shop_ground(shop, shop->from, window, region->variant == VARIANT_ERODED) : NULL;
    void *memory = ground ? shop_room(terrane_lakes_bytes(recipe)) : NULL;
    const bool have = memory || !inside;
    if (have)
        region_room_make(room, recipe, region);
    if (have && room->data && inside)
        CHECK(terrane_lakes(shop->world, &room->window, ground, memory, room->level_m) == 0);
    else if (have && room->data)
        for (size_t i = 0; i < samples_of(&room->window); i++)
            room->level_m[i] = TERRANE_DRY;
    free(ground);
    free(memory);
    return room->data ? 0 : -1;
}

static int make_erosion(const struct shop *shop, const struct region *region, struct region_room *room)
{
    region_room_make(room, shop->world->recipe, region);
    struct terrane_eroded out = {.window = room->window, .delta = room->delta, .flow = room->flow};
    return room->data ? erode(shop, shop->from, &out) : -1;
}

static int make_of_kind(const struct shop *shop, const struct region *region, struct region_room *room)
{
    switch (region->kind) {
    case REGION_LAKES:
        return make_lakes(shop, region, room);
    case REGION_PATHS:
        return shop_paths(shop, region, room);
    case REGION_CAVES:
        return shop_caves(shop, region, room);
    case REGION_EROSION:
    case REGION_ANCHOR:
        break;
    }
    return make_erosion(shop, region, room);
}

struct blob *region_make(struct producer *producer, const struct region *region,
                         const struct terrane_world *world, struct blob *const *inputs,
                         const struct digest *digest)
{
    const struct terrane_recipe *recipe = world->recipe;
    struct region_view view = {.copy = NULL}, lakes = {.copy = NULL};
    struct region_room room = {.data = NULL};
    struct region anchor, lakes_anchor;
    struct blob *blob = NULL;
    const bool rests = region_anchor(recipe, region, &anchor);
    const bool other = region_lakes_anchor(recipe, region, &lakes_anchor);
    const bool open = (!rests || region_open(&view, recipe, &anchor, inputs[0]) == 0) &&
                      (!other || region_open(&lakes, recipe, &lakes_anchor, inputs[rests]) == 0);
    const struct terrane_eroded *from = rests ? &view.eroded : NULL;
    const bool same = rests && anchor.level >= recipe->lakes.level; /* else they are eroded from the top */
    const struct shop shop = {producer, world, from, other ? &lakes.eroded : same ? from : NULL};
    if (!open || make_of_kind(&shop, region, &room) != 0)
        region_room_free(&room);
    else
        blob = region_blob(&room, digest);
    region_close(&lakes);
    region_close(&view);
    return blob;
}
