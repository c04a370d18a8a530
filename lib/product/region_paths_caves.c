/*
 * Making networks of paths, and caves: on ground and water around the region, which reach far.
 *
 * Ground and water are made in pieces (terrane_region_pieces), so that eroding them keeps to the memory of a job: a sample of
 * eroded ground, or of a lake, is the same whichever window it is made in. Networks that lie beyond the lattice have no nodes,
 * and there are no caves where anything that they look at does.
 */
#include "../cave/cave_shown.h"
#include "../drain/drained.h"
#include "../path/network.h"
#include "../water/water.h"
#include "region.h"

/* Copies the part of a window out of it, or back into it. */
static void copy_part(float *whole, const struct terrane_window *window, float *part,
                      const struct terrane_window *place, bool back)
{
    float *row = whole + window_at(window, place->gi, place->gj, place->width);
    for (int j = 0; j < place->height; j++, row += window->width, part += place->width)
        memcpy(back ? row : part, back ? part : row, (size_t)place->width * sizeof *row);
}

/* ---- Ground and water ---------------------------------------------------------------------------------- */

/* All of these return 0 or an error. */

struct field {
    const struct source *source;
    struct terrane_window window;
    bool rivers;           /* are water, too */
    float *ground, *depth; /* owned */
};

static bool erodes(const struct source *source, int level)
{
    return level < source->world->recipe->erosion.levels;
}

static float *floats(const struct source *source, size_t count)
{
    return memory_take(source->memory, count * sizeof(float));
}

/* Each of these two makes a piece of a window and puts it in its place. */

static int piece_of_ground(struct field *field, const struct terrane_window *piece)
{
    const struct source *source = field->source;
    float *ground;
    int error = region_ground(source, source->from, piece, erodes(source, piece->level), &ground);
    if (error == 0 && source->drained)
        error = terrane_sand(source->world, piece, NULL, source->memory, ground);
    if (error == 0 && source->drained)
        error =
            terrane_rivers_apply(source->world, piece, source->drained, source->memory, ground, NULL, NULL);
    if (error == 0)
        copy_part(field->ground, &field->window, ground, piece, true);
    memory_give(source->memory, ground);
    return error;
}

/* The lakes of a window of their level, owned, on ground that is made for them, or there. */
static int make_lakes(const struct source *source, const struct terrane_window *window, const float *there,
                      float **level_m)
{
    const struct terrane_recipe *recipe = source->world->recipe;
    struct terrane_window around;
    float *made = NULL;
    int error = 0;
    *level_m = NULL;
    terrane_lakes_needs(recipe, window, &around);
    if (!there)
        error = region_ground(source, source->lakes_from, &around, erodes(source, around.level), &made);
    if (error == 0) {
        *level_m = floats(source, samples_of(window));
        error = *level_m
                    ? terrane_lakes(source->world, window, there ? there : made, source->memory, *level_m)
                    : TERRANE_EMEMORY;
    }
    memory_give(source->memory, made);
    return error;
}

static int drained_lakes(const struct source *source, const struct terrane_window *piece,
                         struct terrane_window *lakes, float **level_m)
{
    *lakes = window_around(piece, source->world->recipe->rivers.bottom);
    *level_m = floats(source, samples_of(lakes));
    return *level_m
               ? terrane_drained_levels(source->world->recipe, lakes, source->drained, piece->level, *level_m)
               : TERRANE_EMEMORY;
}

/* heights: and room for two more numbers a sample, of which the first become the depth. */
static int drained_water(const struct field *field, const struct terrane_window *piece, float *heights)
{
    const struct source *source = field->source;
    const size_t count = samples_of(piece);
    float *depth = heights + count, *surface = depth + count, *level_m;
    struct terrane_window lakes;
    int error = drained_lakes(source, piece, &lakes, &level_m);
    if (error == 0)
        water_rows(TERRANE_DRY, piece, heights, &lakes, level_m, NULL, depth);
    memory_give(source->memory, level_m);
    if (error == 0 && field->rivers)
        error =
            terrane_rivers_apply(source->world, piece, source->drained, source->memory, NULL, surface, NULL);
    for (size_t i = 0; i < count && field->rivers && error == 0; i++)
        depth[i] = surface[i] - heights[i] > depth[i] ? surface[i] - heights[i] : depth[i];
    return error;
}

static int lakes_water(const struct source *source, const struct terrane_window *piece, float *heights)
{
    const struct terrane_recipe *recipe = source->world->recipe;
    struct terrane_window lakes;
    float *level_m = NULL;
    const bool wet = terrane_region_lakes(recipe, piece, &lakes);
    int error = wet ? make_lakes(source, &lakes, NULL, &level_m) : 0;
    if (error == 0)
        error = terrane_water(recipe, piece, heights, wet ? &lakes : NULL, level_m, NULL,
                              heights + samples_of(piece));
    memory_give(source->memory, level_m);
    return error;
}

static int piece_of_water(struct field *field, const struct terrane_window *piece)
{
    const struct source *source = field->source;
    float *heights = floats(source, 3 * samples_of(piece));
    int error = TERRANE_EMEMORY;
    if (heights) {
        copy_part(field->ground, &field->window, heights, piece, false);
        error = source->drained ? drained_water(field, piece, heights) : lakes_water(source, piece, heights);
    }
    if (error == 0)
        copy_part(field->depth, &field->window, heights + samples_of(piece), piece, true);
    memory_give(source->memory, heights);
    return error;
}

static int in_pieces(struct field *field, bool wet,
                     int (*make)(struct field *, const struct terrane_window *))
{
    const struct terrane_window *window = &field->window;
    const struct terrane_eroded *from = wet ? field->source->lakes_from : field->source->from;
    const int pieces =
        terrane_region_pieces(field->source->world->recipe, window, wet, from ? from->window.level : -1);
    const int width = (window->width + pieces - 1) / pieces, height = (window->height + pieces - 1) / pieces;
    int error = 0;
    for (int j = 0; j < window->height && error == 0; j += height)
        for (int i = 0; i < window->width && error == 0; i += width) {
            struct terrane_window piece = *window;
            piece.gi += i;
            piece.gj += j;
            piece.width = window->width - i < width ? window->width - i : width;
            piece.height = window->height - j < height ? window->height - j : height;
            error = make(field, &piece);
        }
    return error;
}

static void field_free(struct field *field)
{
    memory_give(field->source->memory, field->ground);
    memory_give(field->source->memory, field->depth);
    field->ground = field->depth = NULL;
}

/* A whole window at once, where its ground has been eroded and its lakes are of its level: heights, which take the most then,
 * are made but once, for both. */
static int field_shared(struct field *field)
{
    const struct source *source = field->source;
    const struct terrane_recipe *recipe = source->world->recipe;
    struct terrane_window around;
    float *ground, *level_m = NULL;
    terrane_lakes_needs(recipe, &field->window, &around);
    int error = region_ground(source, source->from, &around, true, &ground);
    if (error == 0)
        error = make_lakes(source, &field->window, ground, &level_m);
    if (error == 0) {
        copy_part(ground, &around, field->ground, &field->window, false);
        error =
            terrane_water(recipe, &field->window, field->ground, &field->window, level_m, NULL, field->depth);
    }
    memory_give(source->memory, level_m);
    memory_give(source->memory, ground);
    return error;
}

/* Ground of a window, and the depth of water over it: of rivers, too, or not. */
static int field_make(struct field *field, const struct source *source, const struct terrane_window *window,
                      bool rivers)
{
    const struct terrane_recipe *recipe = source->world->recipe;
    const bool shared = source->from && source->from->window.level == window->level &&
                        recipe->lakes.share > 0 && recipe->lakes.level == window->level;
    int error;
    *field = (struct field){
        .source = source, .window = *window, .rivers = rivers, .ground = floats(source, samples_of(window))};
    error = !field->ground ? TERRANE_EMEMORY : shared ? 0 : in_pieces(field, false, piece_of_ground);
    if (error == 0 && !(field->depth = floats(source, samples_of(window))))
        error = TERRANE_EMEMORY;
    if (error == 0)
        error = shared ? field_shared(field) : in_pieces(field, true, piece_of_water);
    if (error != 0)
        field_free(field);
    return error;
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static int make_lines(const struct source *source, const struct terrane_window *needs,
                      struct terrane_path_network *network)
{
    struct field field;
    int error = field_make(&field, source, needs, false);
    if (error != 0)
        return error;
    error = terrane_paths_lines(source->world, needs, field.ground, field.depth, source->drained,
                                source->memory, network);
    field_free(&field);
    return error;
}

int region_paths(const struct source *source, const struct terrane_region *region, struct region_room *room)
{
    struct terrane_window needs;
    int error = region_room_make(room, source, region);
    if (error != 0)
        return error;
    struct terrane_path_network *network = &room->network;
    error = region_inside(source->world->recipe, region, source->window)
                ? terrane_paths_graph(source->world, source->memory, network, &needs)
                : TERRANE_EWINDOW;
    if (error == TERRANE_EMEMORY)
        return error;
    if (error != 0) {
        network->nodes = network->edges = network->points = 0;
        return 0;
    }
    return needs.width == 0 ? 0 : make_lines(source, &needs, network);
}

/* ---- Caves --------------------------------------------------------------------------------------------- */

static void no_caves(struct region_room *room)
{
    const size_t count = samples_of(&room->window);
    for (size_t i = 0; i < 2 * count; i++)
        room->arrays.floor_ceiling[i] = TERRANE_ROCK;
    memset(room->arrays.ground, 0, count * sizeof *room->arrays.ground);
}

int region_caves(const struct source *source, const struct terrane_region *region, struct region_room *room)
{
    const struct terrane_recipe *recipe = source->world->recipe;
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    struct field field;
    int error;
    if (!region_inside(recipe, region, source->window)) {
        error = region_room_make(room, source, region);
        if (error == 0)
            no_caves(room);
        return error;
    }
    terrane_region_grounds(recipe, region, source->window, ground);
    error = field_make(&field, source, &ground[0], true);
    if (error != 0)
        return error;
    error = region_room_make(room, source, region);
    if (error == 0)
        error = terrane_caves(source->world, &room->window, field.ground, field.depth, source->memory,
                              room->arrays.floor_ceiling, room->cave, &room->caves);
    if (error == 0)
        copy_part(field.ground, &field.window, room->arrays.ground, &room->window, false);
    field_free(&field);
    return error;
}
