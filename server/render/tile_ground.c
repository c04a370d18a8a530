/*
 * A tile's ground, base, eroded or carved, and the water over it.
 *
 * Normals of eroded or carved ground are differences of the level's neighbouring samples, whatever the tile's size: all samples
 * of the ground are made, with one around, and every step-th of the normals is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "tile_piece.h"

static float *floats(size_t count)
{
    return malloc(count * sizeof(float));
}

/* ---- Heights and normals ------------------------------------------------------------------------------- */

/* Returns 0, or -1 when memory is short. */
static int make_ground(struct piece *piece, const struct terrane_window *window, float *heights)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    CHECK(terrane_heights(piece->world, window, piece->producer->scratch, heights) == 0);
    if (piece->plan.eroded)
        CHECK(terrane_eroded_heights(recipe, &piece->erosion.eroded, window, heights) == 0);
    return piece->plan.carved ? piece_apply_paths(piece, window, heights, NULL, NULL) : 0;
}

/* Every sample of a window with a step, and one more around. */
static struct terrane_window window_around(const struct terrane_window *window)
{
    return (struct terrane_window){
        .level = window->level,
        .gi = window->gi - 1,
        .gj = window->gj - 1,
        .step = 1,
        .width = (window->width - 1) * window->step + 3,
        .height = (window->height - 1) * window->step + 3,
    };
}

int piece_make_around(struct piece *piece)
{
    const struct terrane_window around = window_around(&piece->plan.window);
    if (piece->around)
        return 0;
    piece->around = floats((size_t)around.width * (size_t)around.height);
    return piece->around ? make_ground(piece, &around, piece->around) : -1;
}

int piece_make_heights(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan.window;
    piece->heights = floats(piece->count);
    if (!piece->heights)
        return -1;
    if (!piece->around) {
        if (make_ground(piece, window, piece->heights) != 0)
            return -1;
    } else {
        const size_t stride = (size_t)window_around(window).width, step = (size_t)window->step;
        for (size_t j = 0, k = 0; j < (size_t)window->height; j++)
            for (size_t i = 0; i < (size_t)window->width; i++)
                piece->heights[k++] = piece->around[(j * step + 1) * stride + i * step + 1];
    }
    terrane_height_range(piece->heights, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

/* Of the ground around; all of them, of which every step-th stays. */
static int make_normals_between(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan.window, around = window_around(window);
    const int width = around.width - 2, height = around.height - 2;
    const size_t step = (size_t)window->step;
    float *all = window->step > 1 ? floats((size_t)width * (size_t)height * 3) : piece->normals;
    if (!all)
        return -1;
    terrane_normals_between(piece->around, width, height, terrane_lattice_m(piece->world, window->level, 1),
                            all);
    if (all == piece->normals)
        return 0;
    for (size_t j = 0, k = 0; j < (size_t)window->height; j++)
        for (size_t i = 0; i < (size_t)window->width; i++, k++)
            memcpy(&piece->normals[k * 3], &all[(j * step * (size_t)width + i * step) * 3], 3 * sizeof *all);
    free(all);
    return 0;
}

int piece_make_normals(struct piece *piece)
{
    piece->normals = floats(piece->count * 3);
    if (!piece->normals)
        return -1;
    if (piece->plan.eroded || piece->plan.carved)
        return piece_make_around(piece) != 0 ? -1 : make_normals_between(piece);
    CHECK(terrane_normals(piece->world, &piece->plan.window, piece->producer->scratch, piece->normals) == 0);
    return 0;
}

int piece_make_values(struct piece *piece)
{
    const bool flow = piece->key->layer == LAYER_FLOW;
    piece->values = calloc(piece->count, sizeof *piece->values);
    if (!piece->values)
        return -1;
    if (piece->plan.eroded)
        CHECK(terrane_eroded_values(piece->world->recipe, &piece->erosion.eroded, &piece->plan.window,
                                    flow ? NULL : piece->values, flow ? piece->values : NULL) == 0);
    terrane_height_range(piece->values, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

/* ---- Water --------------------------------------------------------------------------------------------- */

struct waters {
    struct piece *piece;
    float *room; /* three floats a sample of the tile */
};

/* Water of what lies in one region. */
static int water_block(void *context, const struct tile_block *block)
{
    const struct waters *waters = context;
    struct piece *piece = waters->piece;
    const struct region_view *lakes = &piece->lakes[block->k];
    const struct terrane_window *window = &block->window;
    const size_t count = (size_t)window->width * (size_t)window->height, size = sizeof(float);
    const int width = piece->plan.window.width;
    float *heights = waters->room, *surface = heights + count, *depth = surface + count;
    tile_block_copy(block, width, piece->heights, heights, size, false);
    CHECK(terrane_water(piece->world->recipe, window, heights, &lakes->window, lakes->level_m, surface,
                        depth) == 0);
    tile_block_copy(block, width, piece->surface, surface, size, true);
    tile_block_copy(block, width, piece->depth, depth, size, true);
    return 0;
}

static int water_of_many(struct piece *piece)
{
    struct waters waters = {piece, floats(piece->count * 3)};
    if (!waters.room)
        return -1;
    tile_grid_visit(&piece->plan.lakes, &piece->plan.window, water_block, &waters);
    free(waters.room);
    return 0;
}

int piece_make_water(struct piece *piece)
{
    const struct tile_plan *plan = &piece->plan;
    const int regions = tile_grid_count(&plan->lakes);
    piece->surface = floats(piece->count);
    piece->depth = floats(piece->count);
    if (!piece->surface || !piece->depth)
        return -1;
    if (regions > 1)
        return water_of_many(piece);
    const struct region_view *lakes = regions > 0 ? &piece->lakes[0] : NULL;
    CHECK(terrane_water(piece->world->recipe, &plan->window, piece->heights, lakes ? &lakes->window : NULL,
                        lakes ? lakes->level_m : NULL, piece->surface, piece->depth) == 0);
    return 0;
}
