/*
 * What callers read of a drained window: ground, water and discharge.
 */
#include "../erosion.h"
#include "../window.h"
#include "drain.h"
#include "river.h"

/* Seconds of a year; cells are counted in millimetres of water. */
#define YEAR_S 31557600.0

double terrane_discharge(const struct terrane_recipe *recipe, uint64_t runoff)
{
    const double side_m = recipe->spacing_m * (double)(INT64_C(1) << recipe->rivers.bottom);
    return (double)runoff * (side_m * side_m / (1000 * YEAR_S));
}

static bool drained_covers(const struct terrane_drained *drained, const struct terrane_window *window)
{
    return erosion_covers(&drained->window, window);
}

static size_t drained_row(const struct terrane_drained *drained, const struct terrane_window *window, int j)
{
    const int64_t row = window->gj - drained->window.gj + (int64_t)j * window->step;
    return (size_t)row * (size_t)drained->window.width + (size_t)(window->gi - drained->window.gi);
}

/* ---- Ground -------------------------------------------------------------------------------------------- */

/* Under a lake the ground is as noise made it, where that is below the surface: else just below it. */
static float ground_of(const struct terrane_drained *drained, size_t at, float base, float unit_m)
{
    const float z = (float)drained->z[at] * unit_m;
    if (!(terrane_drained_to(drained, at) & TERRANE_DRAIN_LAKE))
        return z;
    const float bed = z - 0.5f;
    return base < bed ? base : bed;
}

int terrane_drained_heights(const struct terrane_recipe *recipe, const struct terrane_window *window,
                            const struct terrane_drained *drained, float *heights)
{
    const float unit_m = (float)terrane_erosion_unit_m(recipe);
    if (!drained_covers(drained, window))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        const size_t row = drained_row(drained, window, j);
        for (int i = 0; i < window->width; i++, heights++)
            *heights = ground_of(drained, row + (size_t)(i * window->step), *heights, unit_m);
    }
    return 0;
}

int terrane_drained_erosion(const struct terrane_world *world, const struct terrane_drained *drained,
                            const struct terrane_memory *memory, struct terrane_eroded *out)
{
    const struct terrane_recipe *recipe = world->recipe;
    const float unit_m = (float)terrane_erosion_unit_m(recipe), to_units = 1 / unit_m;
    const size_t count = samples_of(&out->window);
    if (!drained_covers(drained, &out->window))
        return TERRANE_EWINDOW;
    float *heights = memory_take(memory, count * sizeof *heights);
    int error = heights ? terrane_heights(world, &out->window, memory, heights) : TERRANE_EMEMORY;
    for (int j = 0, k = 0; j < out->window.height && error == 0; j++) {
        const size_t row = drained_row(drained, &out->window, j);
        erode_kernels_current()->units_row(out->window.width, heights + k, to_units, out->delta + k);
        for (int i = 0; i < out->window.width; i++, k++) {
            out->delta[k] =
                (int32_t)(ground_of(drained, row + (size_t)i, heights[k], unit_m) * to_units) - out->delta[k];
            out->flow[k] = 0;
        }
    }
    memory_give(memory, heights);
    return error;
}

/* ---- Water --------------------------------------------------------------------------------------------- */

int terrane_drained_discharge(const struct terrane_recipe *recipe, const struct terrane_window *window,
                              const struct terrane_drained *drained, float *discharge)
{
    const uint64_t least = river_shown_least(recipe, window->level);
    if (!drained_covers(drained, window))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        const size_t row = drained_row(drained, window, j);
        for (int i = 0; i < window->width; i++) {
            const size_t at = row + (size_t)(i * window->step);
            const uint64_t runoff = terrane_drained_runoff(drained, at);
            const bool flows = runoff >= least && (terrane_drained_to(drained, at) & TERRANE_DRAIN_WAY) < 8;
            *discharge++ = flows ? (float)terrane_discharge(recipe, runoff) : 0.0f;
        }
    }
    return 0;
}

/* The surface of the sea or a lake at a cell, in units; INT32_MIN: it is dry. */
static int32_t surface_at(const struct terrane_drained *drained, size_t at, int32_t sea)
{
    const int to = terrane_drained_to(drained, at);
    if ((to & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA)
        return sea;
    return to & TERRANE_DRAIN_LAKE ? drained->z[at] : INT32_MIN;
}

/*
 * The level that a shore carries: of the highest lake within SHORE_RINGS cells that its ground holds, or would if it were slack
 * higher: what floods no deeper is land, but between it and the lake finer ground is lower. Behind the first ring the ground
 * must not be over the bank. Finer levels cut it, and there the water goes on.
 */
static int32_t shore_level(const struct terrane_drained *drained, size_t at, int32_t sea, int64_t bank,
                           int32_t slack)
{
    const int32_t z = drained->z[at];
    int32_t level = INT32_MIN;
    for (int j = -TERRANE_SHORE_RINGS; j <= TERRANE_SHORE_RINGS; j++)
        for (int i = -TERRANE_SHORE_RINGS; i <= TERRANE_SHORE_RINGS; i++) {
            const int32_t other =
                surface_at(drained, (size_t)((ptrdiff_t)at + (ptrdiff_t)j * drained->window.width + i), sea);
            const bool beside = i >= -1 && i <= 1 && j >= -1 && j <= 1;
            if (other <= (int64_t)z + slack && other > level && (beside || (int64_t)z - other <= bank))
                level = other;
        }
    return level;
}

int terrane_drained_levels(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const struct terrane_drained *drained, int level, float *level_m)
{
    const double unit_m = terrane_erosion_unit_m(recipe);
    const double step_m = recipe->spacing_m * (double)(INT64_C(1) << window->level);
    const int32_t sea = within_units((double)recipe->sea_m / unit_m, INT32_MAX);
    const int64_t bank = (int64_t)(step_m / 8 / unit_m); /* of the longest steps and least units 2^49 */
    const int32_t slack =
        level < window->level ? within_units((double)recipe->rivers.shallow_m / 2 / unit_m, 0x1p29) : 0;
    const struct terrane_window around = window_grown(window, TERRANE_SHORE_RINGS);
    if (window->step != 1 || !drained_covers(drained, &around))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        const size_t row = drained_row(drained, window, j);
        for (int i = 0; i < window->width; i++) {
            int32_t surface = surface_at(drained, row + (size_t)i, sea);
            if (surface == INT32_MIN)
                surface = shore_level(drained, row + (size_t)i, sea, bank, slack);
            *level_m++ = surface == INT32_MIN ? TERRANE_DRY : (float)surface * (float)unit_m;
        }
    }
    return 0;
}
