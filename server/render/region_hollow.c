/*
 * Making networks of paths, and caves: on ground and water around the region, which reach far.
 *
 * Ground and water are made in pieces (region_pieces), so that eroding them keeps to the memory of a job: a sample of eroded
 * ground, or of a lake, is the same whichever window it is made in. Networks that lie beyond the lattice have no nodes, and
 * there are no caves where anything that they look at does.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "region_shop.h"

static size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

static size_t offset_in(const struct terrane_window *window, const struct terrane_window *part)
{
    return (size_t)(part->gj - window->gj) * (size_t)window->width + (size_t)(part->gi - window->gi);
}

/* Copies the part of a window out of it, or back into it. */
static void copy_part(float *whole, const struct terrane_window *window, float *part,
                      const struct terrane_window *place, bool back)
{
    float *row = whole + offset_in(window, place);
    for (int j = 0; j < place->height; j++, row += window->width, part += place->width)
        memcpy(back ? row : part, back ? part : row, (size_t)place->width * sizeof *row);
}

/* ---- Ground and water ---------------------------------------------------------------------------------- */

/* Each makes a piece of a window and puts it in its place. Returns 0, or -1 when memory is short. */

struct field {
    const struct shop *shop;
    struct terrane_window window;
    float *ground, *depth; /* owned */
};

static bool erodes(const struct shop *shop, int level)
{
    return level < shop->world->recipe->erosion.levels;
}

static int piece_of_ground(struct field *field, const struct terrane_window *piece)
{
    float *ground = shop_ground(field->shop, field->shop->from, piece, erodes(field->shop, piece->level));
    if (!ground)
        return -1;
    copy_part(field->ground, &field->window, ground, piece, true);
    free(ground);
    return 0;
}

/* The lakes of a window of their level, owned, on ground that is made for them, or there; NULL when memory is short. */
static float *make_lakes(const struct shop *shop, const struct terrane_window *window, const float *there)
{
    const struct terrane_recipe *recipe = shop->world->recipe;
    struct terrane_window around;
    terrane_lakes_needs(recipe, window, &around);
    float *made = there ? NULL : shop_ground(shop, shop->lakes_from, &around, erodes(shop, around.level));
    const float *ground = there ? there : made;
    void *memory = ground ? shop_room(terrane_lakes_bytes(recipe)) : NULL;
    float *level_m = memory ? malloc(samples_of(window) * sizeof *level_m) : NULL;
    if (level_m)
        CHECK(terrane_lakes(shop->world, window, ground, memory, level_m) == 0);
    free(memory);
    free(made);
    return level_m;
}

static int piece_of_water(struct field *field, const struct terrane_window *piece)
{
    const struct terrane_recipe *recipe = field->shop->world->recipe;
    struct terrane_window lakes;
    const bool wet = region_lakes(recipe, piece, &lakes);
    float *level_m = wet ? make_lakes(field->shop, &lakes, NULL) : NULL;
    float *heights = wet && !level_m ? NULL : malloc(2 * samples_of(piece) * sizeof *heights);
    if (heights) {
        float *depth = heights + samples_of(piece);
        copy_part(field->ground, &field->window, heights, piece, false);
        CHECK(terrane_water(recipe, piece, heights, wet ? &lakes : NULL, level_m, NULL, depth) == 0);
        copy_part(field->depth, &field->window, depth, piece, true);
    }
    free(level_m);
    free(heights);
    return heights ? 0 : -1;
}

static int in_pieces(struct field *field, bool wet,
                     int (*make)(struct field *, const struct terrane_window *))
{
    const struct terrane_window *window = &field->window;
    const struct terrane_eroded *from = wet ? field->shop->lakes_from : field->shop->from;
    const int pieces = region_pieces(field->shop->world->recipe, window, wet, from ? from->window.level : -1);
    const int width = (window->width + pieces - 1) / pieces, height = (window->height + pieces - 1) / pieces;
    for (int j = 0; j < window->height; j += height)
        for (int i = 0; i < window->width; i += width) {
            struct terrane_window piece = *window;
            piece.gi += i;
            piece.gj += j;
            piece.width = window->width - i < width ? window->width - i : width;
            piece.height = window->height - j < height ? window->height - j : height;
            if (make(field, &piece) != 0)
                return -1;
        }
    return 0;
}

static void field_free(struct field *field)
{
    free(field->ground);
    free(field->depth);
    field->ground = field->depth = NULL;
}

/* A whole window at once, where its ground has been eroded and its lakes are of its level: heights, which take the most then,
 * are made but once, for both. */
static int field_shared(struct field *field)
{
    const struct terrane_recipe *recipe = field->shop->world->recipe;
    struct terrane_window around;
    terrane_lakes_needs(recipe, &field->window, &around);
    float *ground = shop_ground(field->shop, field->shop->from, &around, true);
    float *level_m = ground ? make_lakes(field->shop, &field->window, ground) : NULL;
    if (level_m) {
        copy_part(ground, &around, field->ground, &field->window, false);
        CHECK(terrane_water(recipe, &field->window, field->ground, &field->window, level_m, NULL,
                            field->depth) == 0);
    }
    free(level_m);
    free(ground);
    return level_m ? 0 : -1;
}

/* Ground of a window, and the depth of water over it. Returns 0, or -1 when memory is short. */
static int field_make(struct field *field, const struct shop *shop, const struct terrane_window *window)
{
    const struct terrane_recipe *recipe = shop->world->recipe;
    const size_t bytes = samples_of(window) * sizeof(float);
    *field = (struct field){.shop = shop, .window = *window};
    field->ground = malloc(bytes);
    if (shop->from && shop->from->window.level == window->level && recipe->lakes.share > 0 &&
        recipe->lakes.level == window->level) {
        field->depth = field->ground ? malloc(bytes) : NULL;
        if (field->depth && field_shared(field) == 0)
            return 0;
        field_free(field);
        return -1;
    }
    if (field->ground && in_pieces(field, false, piece_of_ground) == 0) {
        field->depth = malloc(bytes);
        if (field->depth && in_pieces(field, true, piece_of_water) == 0)
            return 0;
    }
    field_free(field);
    return -1;
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static bool covers(const struct terrane_window *outer, const struct terrane_window *inner)
{
    return outer->gi <= inner->gi && outer->gj <= inner->gj &&
           inner->gi + inner->width <= outer->gi + outer->width &&
           inner->gj + inner->height <= outer->gj + outer->height;
}

static int make_lines(const struct shop *shop, const struct terrane_window *needs,
                      struct terrane_path_network *network)
{
    struct field field;
    if (field_make(&field, shop, needs) != 0)
        return -1;
    void *memory = shop_room(terrane_paths_lines_bytes(shop->world->recipe, needs));
    if (memory)
        CHECK(terrane_paths_lines(shop->world, network, needs, field.ground, field.depth, memory) == 0);
    free(memory);
    field_free(&field);
    return memory ? 0 : -1;
}

int shop_paths(const struct shop *shop, const struct region *region, struct region_room *room)
{
    const struct terrane_recipe *recipe = shop->world->recipe;
    struct terrane_window ground[REGION_GROUNDS], needs;
    region_room_make(room, recipe, region);
    if (!room->data)
        return -1;
    struct terrane_path_network *network = &room->network;
    if (!region_inside(recipe, region) ||
        terrane_paths_graph(shop->world, shop->producer->scratch, network, &needs) != 0) {
        network->nodes = network->edges = network->points = 0;
        return 0;
    }
    region_grounds(recipe, region, ground);
    CHECK(needs.width == 0 || covers(&ground[0], &needs));
    return needs.width == 0 ? 0 : make_lines(shop, &needs, network);
}

/* ---- Caves --------------------------------------------------------------------------------------------- */

static void no_caves(struct region_room *room)
{
    const size_t count = samples_of(&room->window);
    for (size_t i = 0; i < 2 * count; i++)
        room->floor_ceiling[i] = TERRANE_ROCK;
    memset(room->ground, 0, count * sizeof *room->ground);
}

int shop_caves(const struct shop *shop, const struct region *region, struct region_room *room)
{
    const struct terrane_recipe *recipe = shop->world->recipe;
    struct terrane_window ground[REGION_GROUNDS];
    struct field field = {.ground = NULL};
    const bool inside = region_inside(recipe, region);
    region_grounds(recipe, region, ground);
    if (inside && field_make(&field, shop, &ground[0]) != 0)
        return -1;
    region_room_make(room, recipe, region);
    void *memory = room->data && inside ? shop_room(terrane_caves_bytes(recipe, &room->window)) : NULL;
    const bool made = room->data && (memory || !inside);
    if (made && inside) {
        CHECK(terrane_caves(shop->world, &room->window, field.ground, field.depth, memory,
                            room->floor_ceiling, room->cave, &room->caves) == 0);
        copy_part(field.ground, &field.window, room->ground, &room->window, false);
    } else if (made) {
        no_caves(room);
    }
    free(memory);
    field_free(&field);
    return made ? 0 : -1;
}
