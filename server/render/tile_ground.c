/*
 * A tile's ground, base or eroded, and the water over it.
 *
 * Normals of eroded ground are differences of the level's neighbouring samples, whatever the tile's size: all samples
 * of the ground are made, with one around, and every step-th of the normals is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "tile_piece.h"

static float *floats(size_t count)
{
    return malloc(count * sizeof(float));
}

/* ---- Heights and normals ------------------------------------------------------------------------------- */

static void make_ground(const struct piece *piece, const struct terrane_window *window, float *heights)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    CHECK(terrane_heights(piece->world, window, piece->producer->scratch, heights) == 0);
    if (piece->plan.eroded)
        CHECK(terrane_eroded_heights(recipe, &piece->erosion.eroded, window, heights) == 0);
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

static int make_around(struct piece *piece)
{
    const struct terrane_window around = window_around(&piece->plan.window);
    if (piece->around)
        return 0;
    piece->around = floats((size_t)around.width * (size_t)around.height);
    if (!piece->around)
        return -1;
    make_ground(piece, &around, piece->around);
    return 0;
}

int piece_make_heights(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan.window;
    piece->heights = floats(piece->count);
    if (!piece->heights)
        return -1;
    if (!piece->around) {
        make_ground(piece, window, piece->heights);
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
    if (piece->plan.eroded)
        return make_around(piece) != 0 ? -1 : make_normals_between(piece);
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
    if (!flow)
        terrane_height_range(piece->values, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

/* ---- Water --------------------------------------------------------------------------------------------- */

/* Samples first .. end - 1 of a tile along one axis, which lie in the k-th of its regions of lakes. */
struct run {
    int first, end, k;
};

/* The run that begins with a sample; the last region has the far edge, too. */
static struct run run_from(const struct piece *piece, int first, bool south)
{
    const struct tile_plan *plan = &piece->plan;
    const struct terrane_window *window = &plan->window;
    const int shift = window->level - plan->lakes.level;
    const int64_t g = south ? window->gj : window->gi, origin = south ? plan->lakes.y : plan->lakes.x;
    const int count = south ? window->height : window->width, regions = south ? plan->rows : plan->columns;
    struct run run = {first, first, -1};
    for (; run.end < count; run.end++) {
        const int64_t at = g + (int64_t)run.end * window->step;
        const int64_t there = shift >= 0 ? at * (INT64_C(1) << shift) : at >> -shift;
        int64_t k = region_of(REGION_LAKES, plan->lakes.level, there) - origin;
        k = k >= regions ? regions - 1 : k;
        if (run.k >= 0 && k != run.k)
            break;
        run.k = (int)k;
    }
    return run;
}

/* Rows of a block of a tile, out of it or back into it. */
static void copy_block(float *tile, float *block, const struct terrane_window *window, const struct run *down,
                       const struct run *across, bool back)
{
    const size_t width = (size_t)(across->end - across->first);
    for (int j = down->first; j < down->end; j++, block += width) {
        float *row = tile + (size_t)j * (size_t)window->width + (size_t)across->first;
        memcpy(back ? row : block, back ? block : row, width * sizeof *row);
    }
}

/* Water of what lies in one region; room holds three floats a sample of the tile. */
static void water_block(struct piece *piece, const struct run *down, const struct run *across, float *room)
{
    const struct tile_plan *plan = &piece->plan;
    const struct terrane_window *tile = &plan->window;
    const struct region_view *lakes = &piece->lakes[down->k * plan->columns + across->k];
    struct terrane_window window = *tile;
    window.gi += (int64_t)across->first * tile->step;
    window.gj += (int64_t)down->first * tile->step;
    window.width = across->end - across->first;
    window.height = down->end - down->first;
    const size_t count = (size_t)window.width * (size_t)window.height;
    float *heights = room, *surface = room + count, *depth = surface + count;
    copy_block(piece->heights, heights, tile, down, across, false);
    CHECK(terrane_water(piece->world->recipe, &window, heights, &lakes->window, lakes->level_m, surface,
                        depth) == 0);
    copy_block(piece->surface, surface, tile, down, across, true);
    copy_block(piece->depth, depth, tile, down, across, true);
}

static int water_of_many(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan.window;
    float *room = floats(piece->count * 3);
    if (!room)
        return -1;
    for (struct run down = run_from(piece, 0, true);; down = run_from(piece, down.end, true)) {
        for (struct run across = run_from(piece, 0, false);; across = run_from(piece, across.end, false)) {
            water_block(piece, &down, &across, room);
            if (across.end == window->width)
                break;
        }
        if (down.end == window->height)
            break;
    }
    free(room);
    return 0;
}

int piece_make_water(struct piece *piece)
{
    const struct tile_plan *plan = &piece->plan;
    piece->surface = floats(piece->count);
    piece->depth = floats(piece->count);
    if (!piece->surface || !piece->depth)
        return -1;
    if (plan->watered && plan->columns * plan->rows > 1)
        return water_of_many(piece);
    const struct region_view *lakes = plan->watered ? &piece->lakes[0] : NULL;
    CHECK(terrane_water(piece->world->recipe, &plan->window, piece->heights, lakes ? &lakes->window : NULL,
                        lakes ? lakes->level_m : NULL, piece->surface, piece->depth) == 0);
    return 0;
}
