/*
 * Drained ground, and the water on it.
 *
 * From the finest lattice up ground is the lattice's own. Below it erosion has gone on from there, and a sample lies among
 * cells of the finest lattice.
 */
#include "../cover/cover.h"
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
    const int error = terrane_drained_heights(recipe, &block->window, product, drained->part);
    block_copy(block, width, drained->heights, drained->part, sizeof(float), true);
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
    const int error = drained->beds ? terrane_rivers_beds(ground->world, &block->window, product,
                                                          ground->memory, drained->part)
                                    : terrane_rivers_apply(ground->world, &block->window, product,
                                                           ground->memory, drained->part, NULL, NULL);
    block_copy(block, width, drained->heights, drained->part, sizeof(float), true);
    return error;
}

int ground_drain(const struct terrane_ground *ground, const struct terrane_window *window, float *heights)
{
    struct drained drained = {.ground = ground, .window = window, .heights = heights};
    return in_blocks(&drained, on_lattice(ground) ? drain_block : carve_block);
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
    return terrane_region_grid_count(&ground->plan->drainage) > 0 ? in_blocks(&drained, river_block) : 0;
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
