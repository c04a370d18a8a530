/*
 * Making regions.
 *
 * Memory is sized by windows, which recipes bound (terrane_region_bytes says how large they get). Every piece is returned as
 * soon as it has served: of lakes, the memory of erosion goes before heights come. Networks and caves are region_paths_caves.c's.
 */
#include "../drain/drained.h"
#include "../erosion/erosion.h"
#include "../water/water.h"
#include "region.h"

/* These return 0 or an error. */

/* Heights of a window, eroded by a product, which has all of them; or NULL. */
static int make_heights(const struct source *source, const struct terrane_eroded *eroded,
                        const struct terrane_window *window, float **heights)
{
    *heights = memory_take(source->memory, samples_of(window) * sizeof **heights);
    int error = *heights ? terrane_heights(source->world, window, source->memory, *heights) : TERRANE_EMEMORY;
    if (error == 0 && eroded)
        error = terrane_eroded_heights(source->world->recipe, window, eroded, *heights);
    if (error == 0)
        return 0;
    memory_give(source->memory, *heights);
    *heights = NULL;
    return error;
}

int region_ground(const struct source *source, const struct terrane_eroded *from,
                  const struct terrane_window *window, bool eroded, float **ground)
{
    const size_t count = samples_of(window);
    const bool there = eroded && from && from->window.level == window->level;
    *ground = NULL;
    if (!eroded || there)
        return make_heights(source, there ? from : NULL, window, ground);
    struct terrane_eroded product = {
        .window = *window,
        .delta = memory_take(source->memory, count * sizeof *product.delta),
        .flow = memory_take(source->memory, count * sizeof *product.flow),
    };
    int error = product.delta && product.flow ? terrane_erode(source->world, from, source->memory, &product)
                                              : TERRANE_EMEMORY;
    memory_give(source->memory, product.flow);
    if (error == 0)
        error = make_heights(source, &product, window, ground);
    memory_give(source->memory, product.delta);
    return error;
}

/* The ground comes first: eroding it takes the most, and what comes out need not be there yet. */
static int make_lakes(const struct source *source, const struct terrane_region *region,
                      struct region_room *room)
{
    const struct terrane_recipe *recipe = source->world->recipe;
    struct terrane_window window[TERRANE_REGION_GROUNDS];
    float *ground = NULL;
    int error;
    terrane_region_grounds(recipe, region, source->window, window);
    if (!region_inside(recipe, region, source->window)) {
        error = region_room_make(room, source, region);
        for (size_t i = 0; error == 0 && i < samples_of(&room->window); i++)
            room->arrays.level_m[i] = TERRANE_DRY;
        return error;
    }
    error = region_ground(source, source->from, window, region->variant == TERRANE_VARIANT_ERODED, &ground);
    if (error == 0)
        error = region_room_make(room, source, region);
    if (error == 0)
        error = terrane_lakes(source->world, &room->window, ground, source->memory, room->arrays.level_m);
    memory_give(source->memory, ground);
    return error;
}

/* Erosion, or drainage. */
static int make_worn(const struct source *source, const struct terrane_region *region,
                     struct region_room *room)
{
    const int error = region_room_make(room, source, region);
    if (error != 0)
        return error;
    return region_is_drained(region->kind)
               ? terrane_drain(source->world, source->drained, source->memory, &room->arrays.drained)
               : terrane_erode(source->world, source->from, source->memory, &room->arrays.eroded);
}

/* What a region's ground goes on from, where that is drainage: as much of it as the grounds need. */
static int erode_drainage(const struct source *source, const struct terrane_region *region,
                          struct terrane_eroded *eroded)
{
    const struct terrane_recipe *recipe = source->world->recipe;
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    terrane_region_grounds(recipe, region, source->window, ground);
    terrane_erode_needs(recipe, &ground[0], recipe->rivers.bottom, &eroded->window);
    const size_t count = samples_of(&eroded->window);
    eroded->delta = memory_take(source->memory, 2 * count * sizeof *eroded->delta);
    if (!eroded->delta)
        return TERRANE_EMEMORY;
    eroded->flow = (uint32_t *)eroded->delta + count;
    return terrane_drained_erosion(source->world, source->drained, source->memory, eroded);
}

static int make_of_kind(const struct source *source, const struct terrane_region *region,
                        struct region_room *room)
{
    if (region->kind == TERRANE_REGION_LAKES)
        return make_lakes(source, region, room);
    if (region->kind == TERRANE_REGION_PATHS)
        return region_paths(source, region, room);
    if (region->kind == TERRANE_REGION_CAVES)
        return region_caves(source, region, room);
    return make_worn(source, region, room);
}

int terrane_region_make(const struct terrane_world *world, const struct terrane_region *region,
                        const struct terrane_region_needs *needs, const struct terrane_packed *inputs,
                        const struct terrane_memory *memory, struct terrane_packed *out)
{
    struct terrane_region_view view[TERRANE_REGION_NEEDS] = {{.copy = NULL}};
    struct region_room room = {.data = NULL};
    struct source source = {.memory = memory,
                            .world = world,
                            .window = &needs->window,
                            .from = needs->ground < 0 ? NULL : &view[needs->ground].eroded,
                            .lakes_from = needs->lakes < 0 ? NULL : &view[needs->lakes].eroded,
                            .drained = needs->drainage < 0 ? NULL : &view[needs->drainage].drained};
    struct terrane_eroded above = {.delta = NULL};
    int error = 0;
    for (int k = 0; k < needs->count && error == 0; k++)
        error = terrane_region_open(&needs->region[k], &inputs[k], memory, &view[k]);
    if (error == 0 && source.drained && !source.from && !region_is_drained(region->kind)) {
        error = erode_drainage(&source, region, &above);
        source.from = &above;
    }
    if (error == 0)
        error = make_of_kind(&source, region, &room);
    memory_give(memory, above.delta);
    if (error == 0)
        error = region_pack(&room, memory, out);
    region_room_free(&room, memory);
    for (int k = 0; k < needs->count; k++)
        terrane_region_close(&view[k], memory);
    return error;
}
