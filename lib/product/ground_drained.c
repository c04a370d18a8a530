/*
 * Drained ground, and the water on it.
 *
 * From the finest lattice up ground is the lattice's own. Below it erosion has gone on from there, and a sample lies among
 * cells of the finest lattice.
 */
#include "../cover/cover.h"
#include "../drain/drained.h"
#include "../erosion/erosion.h"
#include "ground_layers.h"

struct drained {
    const struct terrane_ground *ground;
    const struct terrane_window *window; /* of the arrays */
    float *heights, *surface, *depth;    /* what a call has of them */
    float *cover[3];                     /* of ground_cover_drained */
    bool beds;                           /* of rivers, alone */
    float *part;                         /* four floats a sample of the window */
};

static int in_blocks(struct drained *drained, int (*visit)(void *context, const struct block *block))
{
    const struct terrane_ground *ground = drained->ground;
    drained->part = ground_floats(ground, 4 * samples_of(drained->window));
    const int error = drained->part ? grid_visit(&ground->plan->drainage, drained->window, visit, drained)
                                    : TERRANE_EMEMORY;
    memory_give(ground->memory, drained->part);
    return error;
}

static bool on_lattice(const struct terrane_ground *ground)
{
    return ground->plan->window.level >= ground->world->recipe->rivers.bottom;
}

/* ---- Ground -------------------------------------------------------------------------------------------- */

static int drain_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_recipe *recipe = drained->ground->world->recipe;
    const struct terrane_drained *product = &drained->ground->drainage[block->k].drained;
    const int width = drained->window->width;
    block_copy(block, width, drained->heights, drained->part, sizeof(float), false);
    int error = terrane_drained_heights(recipe, &block->window, product, drained->part);
    if (error == 0)
        error = terrane_sand(drained->ground->world, &block->window, product, drained->ground->memory,
                             drained->part);
    block_copy(block, width, drained->heights, drained->part, sizeof(float), true);
    return error;
}

/*
 * On a lattice noise is asked for under lakes alone (terrane_drained_heights), and noise is most of what ground costs there: so of each
 * band of rows the columns between its first lake and its last one are made, and 0 stands elsewhere.
 */
enum { BAND_ROWS = 32 };

static bool is_lake(const struct terrane_drained *product, const struct terrane_window *window, int i, int j)
{
    const int64_t row = window->gj - product->window.gj + (int64_t)j * window->step,
                  column = window->gi - product->window.gi + (int64_t)i * window->step;
    return terrane_drained_cell(product, (size_t)(row * product->window.width + column)).to &
           TERRANE_DRAIN_LAKE;
}

/* Shrinks a window to the part that has all its lakes; false: there are none. */
static bool shrink_to_lakes(const struct terrane_drained *product, struct terrane_window *window, int *west,
                            int *north)
{
    int east = -1, south = -1;
    *west = window->width;
    *north = window->height;
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++)
            if (is_lake(product, window, i, j)) {
                *west = i < *west ? i : *west;
                east = i > east ? i : east;
                *north = j < *north ? j : *north;
                south = j;
            }
    window->gi += (int64_t)*west * window->step;
    window->gj += (int64_t)*north * window->step;
    window->width = east - *west + 1;
    window->height = south - *north + 1;
    return east >= 0;
}

static int base_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_drained *product = &drained->ground->drainage[block->k].drained;
    const int width = drained->window->width;
    int error = erosion_covers(&product->window, &block->window) ? 0 : TERRANE_EWINDOW;
    for (int j = 0; j < block->window.height && error == 0; j += BAND_ROWS) {
        struct block band = *block;
        const int left = block->window.height - j;
        int west, north;
        band.window.gj += (int64_t)j * band.window.step;
        band.window.height = left < BAND_ROWS ? left : BAND_ROWS;
        if (!shrink_to_lakes(product, &band.window, &west, &north))
            continue;
        band.at += (size_t)(j + north) * (size_t)width + (size_t)west;
        error = terrane_heights(drained->ground->world, &band.window, drained->ground->memory, drained->part);
        block_copy(&band, width, drained->heights, drained->part, sizeof(float), true);
    }
    return error;
}

/* Below the lattices: nothing inland is under the sea, and rivers have beds and banks; or beds alone. */
static int carve_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_ground *ground = drained->ground;
    const struct terrane_drained *product = &ground->drainage[block->k].drained;
    const int width = drained->window->width;
    block_copy(block, width, drained->heights, drained->part, sizeof(float), false);
    int error =
        drained->beds ? 0 : terrane_sand(ground->world, &block->window, NULL, ground->memory, drained->part);
    if (error == 0)
        error = drained->beds ? terrane_rivers_beds(ground->world, &block->window, product, ground->memory,
                                                    drained->part)
                              : terrane_rivers_apply(ground->world, &block->window, product, ground->memory,
                                                     drained->part, NULL, NULL);
    block_copy(block, width, drained->heights, drained->part, sizeof(float), true);
    return error;
}

int ground_drain(const struct terrane_ground *ground, const struct terrane_window *window, float *heights)
{
    struct drained drained = {.ground = ground, .window = window, .heights = heights};
    return in_blocks(&drained, on_lattice(ground) ? drain_block : carve_block);
}

bool ground_on_lattice(const struct terrane_ground *ground)
{
    return !ground->plan->eroded && ground->plan->drainage.count > 0 && on_lattice(ground);
}

int ground_lake_beds(const struct terrane_ground *ground, const struct terrane_window *window, float *heights)
{
    struct drained drained = {.ground = ground, .window = window, .heights = heights};
    memset(heights, 0, samples_of(window) * sizeof *heights);
    return in_blocks(&drained, base_block);
}

int ground_beds(const struct terrane_ground *ground, const struct terrane_window *window, float *heights)
{
    struct drained drained = {.ground = ground, .window = window, .heights = heights, .beds = true};
    return on_lattice(ground) ? 0 : in_blocks(&drained, carve_block);
}

int ground_drained_delta(const struct terrane_ground *ground, float *delta)
{
    const struct terrane_window *window = &ground->plan->window;
    float *base = ground_floats(ground, ground->count);
    int error = base ? terrane_heights(ground->world, window, ground->memory, base) : TERRANE_EMEMORY;
    if (error == 0) {
        memcpy(delta, base, ground->count * sizeof *delta);
        if (ground->plan->eroded)
            error = terrane_eroded_heights(ground->world->recipe, window, &ground->erosion.eroded, delta);
    }
    if (error == 0)
        error = ground_drain(ground, window, delta);
    for (size_t i = 0; i < ground->count && error == 0; i++)
        delta[i] -= base[i];
    memory_give(ground->memory, base);
    return error;
}

/* ---- Water --------------------------------------------------------------------------------------------- */

/* Where a river's water stands higher than a lake's, or there is none. */
static int add_rivers(const struct terrane_ground *ground, const struct terrane_window *window,
                      const struct terrane_drained *product, const float *heights, float *surface,
                      float *depth)
{
    const size_t count = samples_of(window);
    float *river = ground_floats(ground, count);
    const int error =
        river ? terrane_rivers_apply(ground->world, window, product, ground->memory, NULL, river, NULL)
              : TERRANE_EMEMORY;
    for (size_t i = 0; i < count && error == 0; i++)
        if (river[i] > surface[i]) {
            surface[i] = river[i];
            depth[i] = river[i] - heights[i];
        }
    memory_give(ground->memory, river);
    return error;
}

static int water_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_ground *ground = drained->ground;
    const struct terrane_recipe *recipe = ground->world->recipe;
    const struct terrane_drained *product = &ground->drainage[block->k].drained;
    const struct terrane_window lakes = window_around(&block->window, product->window.level);
    const size_t count = samples_of(&block->window);
    const int width = drained->window->width;
    float *heights = drained->part, *surface = heights + count, *depth = surface + count;
    float *level_m = ground_floats(ground, samples_of(&lakes));
    int error = level_m ? terrane_drained_levels(recipe, &lakes, product, block->window.level, level_m)
                        : TERRANE_EMEMORY;
    if (error == 0) {
        block_copy(block, width, drained->heights, heights, sizeof(float), false);
        water_rows(TERRANE_DRY, &block->window, heights, &lakes, level_m, surface, depth);
        if (!on_lattice(ground))
            error = add_rivers(ground, &block->window, product, heights, surface, depth);
        block_copy(block, width, drained->surface, surface, sizeof(float), true);
        block_copy(block, width, drained->depth, depth, sizeof(float), true);
    }
    memory_give(ground->memory, level_m);
    return error;
}

int ground_drained_water(const struct terrane_ground *ground, float *surface, float *depth)
{
    struct drained drained = {.ground = ground,
                              .window = &ground->plan->window,
                              .heights = ground->layer[TERRANE_LAYER_HEIGHT],
                              .surface = surface,
                              .depth = depth};
    return in_blocks(&drained, water_block);
}

/* ---- Rivers -------------------------------------------------------------------------------------------- */

static int river_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_drained *product = &drained->ground->drainage[block->k].drained;
    const struct terrane_ground *ground = drained->ground;
    const int error = on_lattice(ground) ? terrane_drained_discharge(ground->world->recipe, &block->window,
                                                                     product, drained->part)
                                         : terrane_rivers_apply(ground->world, &block->window, product,
                                                                ground->memory, NULL, NULL, drained->part);
    block_copy(block, drained->window->width, drained->depth, drained->part, sizeof(float), true);
    return error;
}

int ground_make_rivers(const struct terrane_ground *ground, float *values)
{
    struct drained drained = {.ground = ground, .window = &ground->plan->window, .depth = values};
    memset(values, 0, ground->count * sizeof *values);
    return ground->plan->drainage.count > 0 ? in_blocks(&drained, river_block) : 0;
}

static int damp_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_ground *ground = drained->ground;
    const int error = terrane_rivers_damp(ground->world, &block->window, &ground->drainage[block->k].drained,
                                          ground->memory, drained->part);
    block_copy(block, drained->window->width, drained->depth, drained->part, sizeof(float), true);
    return error;
}

int ground_make_damp(const struct terrane_ground *ground, float *values)
{
    struct drained drained = {.ground = ground, .window = &ground->plan->window, .depth = values};
    memset(values, 0, ground->count * sizeof *values);
    return ground->plan->drainage.count > 0 && !on_lattice(ground) ? in_blocks(&drained, damp_block) : 0;
}

/* ---- Cover --------------------------------------------------------------------------------------------- */

static int cover_block(void *context, const struct block *block)
{
    struct drained *drained = context;
    const struct terrane_ground *ground = drained->ground;
    float *part[3];
    for (int k = 0; k < 3; k++)
        part[k] = drained->cover[k] ? drained->part + (size_t)k * samples_of(&block->window) : NULL;
    const int error =
        cover_of_drainage(ground->world->recipe, &block->window, &ground->drainage[block->k].drained,
                          ground->memory, part[0], part[1], part[2]);
    for (int k = 0; k < 3; k++)
        block_copy(block, drained->window->width, drained->cover[k], part[k], sizeof(float), true);
    return error;
}

int ground_cover_drained(const struct terrane_ground *ground, const struct terrane_window *window,
                         float *log2_cells, float *stream_m, float *shore_m)
{
    struct drained drained = {.ground = ground, .window = window, .cover = {log2_cells, stream_m, shore_m}};
    return in_blocks(&drained, cover_block);
}
