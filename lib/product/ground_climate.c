/*
 * What a climate comes to on a ground: colder where that is high, and wet where water gathers on it.
 */
#include "../cover/cover.h"
#include "ground_layers.h"

/* Without drainage a sample drains itself. */
static int make_wetness(const struct terrane_ground *ground, float *cells, float *wetness)
{
    const bool drained = ground->plan->drainage.count > 0;
    int error = 0;
    if (drained)
        error = ground_cover_drained(ground, &ground->plan->window, cells, NULL, NULL);
    for (size_t i = 0; i < ground->count && !drained; i++)
        cells[i] = 0;
    if (error != 0)
        return error;
    cover_slopes(ground->layer[TERRANE_LAYER_NORMAL], ground->count, wetness);
    cover_wetness(cells, wetness, ground->count, wetness);
    return 0;
}

static int make_values(const struct terrane_ground *ground, float *room, float *values)
{
    const struct terrane_recipe *recipe = ground->world->recipe;
    const size_t count = ground->count;
    float *const warmth = room, *const rain = room + count, *const cells = room + 2 * count,
                 *const wetness = room + 3 * count;
    int error = make_wetness(ground, cells, wetness);
    for (size_t i = 0; i < 2 * count; i++)
        room[i] = 0;
    if (error == 0 && recipe->climate.cell_log2 != 0)
        error = window_climate(ground->world, &ground->plan->window, ground->memory, warmth, rain);
    if (error == 0 && recipe->climate.cell_log2 != 0)
        climate_cool(recipe, ground->layer[TERRANE_LAYER_HEIGHT], count, warmth);
    for (size_t i = 0; i < count && error == 0; i++) {
        *values++ = warmth[i];
        *values++ = rain[i];
        *values++ = wetness[i];
    }
    return error;
}

int ground_make_climate(struct terrane_ground *ground, float *values)
{
    int error = terrane_ground_layer(ground, TERRANE_LAYER_NORMAL);
    if (error == 0)
        error = terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT);
    if (error != 0)
        return error;
    float *const room = ground_floats(ground, 4 * ground->count);
    error = room ? make_values(ground, room, values) : TERRANE_EMEMORY;
    memory_give(ground->memory, room);
    return error;
}
