/*
 * Erosion: its numbers, its windows, and what callers read of its products.
 *
 * Heights are whole units from here on: erosion adds and compares integers, so no rounding depends on what is near.
 */
#include "erosion.h"
#include "window.h"

/* ---- Numbers ------------------------------------------------------------------------------------------- */

/* How many times a level moves a sample at most. */
static int moves(const struct terrane_erosion *erosion, int level)
{
    return erosion->phases[level] + erosion_slides(erosion, level);
}

/* The most that drainage moves ground: from the highest to the lowest there is, and the falls of a way. */
static double drained_m(const struct terrane_recipe *recipe)
{
    double low_m, high_m;
    if (recipe->rivers.top == 0)
        return 0;
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    return high_m - low_m + 1024;
}

/* The sum of what levels low .. high - 1 move at most, in metres; drainage is its finest lattice's. */
static double moved_m(const struct terrane_recipe *recipe, int low, int high)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    double sum = high > recipe->rivers.bottom ? drained_m(recipe) : 0;
    for (int level = low; level < high && level < erosion->levels; level++)
        sum += moves(erosion, level) * (double)erosion->limit * recipe->spacing_m *
               (double)(INT64_C(1) << level);
    return sum;
}

static double power_of_two(int k)
{
    double v = 1;
    for (; k > 0; k--)
        v *= 2;
    for (; k < 0; k++)
        v /= 2;
    return v;
}

int erosion_unit_log2(const struct terrane_recipe *recipe)
{
    double low_m, high_m;
    const double most_m = moved_m(recipe, 0, TERRANE_LEVEL_MAX + 1);
    terrane_height_bounds_m(recipe, &low_m, &high_m);
    const double height_m = (-low_m > high_m ? -low_m : high_m) + most_m;
    int k = EROSION_UNIT_LOG2_LEAST;
    while (k < 40 && (height_m > power_of_two(29 + k) || most_m > power_of_two(26 + k)))
        k++;
    return k;
}

double terrane_erosion_unit_m(const struct terrane_recipe *recipe)
{
    return power_of_two(erosion_unit_log2(recipe));
}

int terrane_erosion_halo(const struct terrane_recipe *recipe, int level)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    if (level < 0 || level >= erosion->levels)
        return 0;
    return erosion->phases[level] * (erosion->steps[level] + 2) + erosion_slides(erosion, level);
}

double terrane_erosion_bound_m(const struct terrane_recipe *recipe)
{
    return moved_m(recipe, 0, TERRANE_LEVEL_MAX + 1);
}

double terrane_erosion_error_m(const struct terrane_recipe *recipe, int level)
{
    const int bottom = recipe->rivers.bottom;
    return moved_m(recipe, 0, recipe->rivers.top > 0 && level > bottom ? bottom : level);
}

void erosion_scale(struct erosion_scale *scale, const struct terrane_recipe *recipe, int level)
{
    const double unit_m = terrane_erosion_unit_m(recipe);
    const double sample = recipe->spacing_m * (double)(INT64_C(1) << level) / unit_m;
    *scale = (struct erosion_scale){
        .to_units = (float)(1 / unit_m),
        .sample = (float)sample,
        .limit = within_units((double)recipe->erosion.limit * sample, 0x1p26),
        .sea = within_units((double)recipe->sea_m / unit_m, 0x1p30),
        .bound = within_units(moved_m(recipe, level, TERRANE_LEVEL_MAX + 1) / unit_m, 0x1p26),
    };
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* Samples of even coordinates stand on one of the parent's; between two they take four. */
struct terrane_window erosion_parent(const struct terrane_window *window)
{
    const int64_t west = (window->gi >> 1) - 1, north = (window->gj >> 1) - 1;
    const int64_t east = ((window->gi + window->width - 1) >> 1) + 2;
    const int64_t south = ((window->gj + window->height - 1) >> 1) + 2;
    return (struct terrane_window){window->level + 1,       west, north, 1, (int)(east - west + 1),
                                   (int)(south - north + 1)};
}

bool erosion_covers(const struct terrane_window *outer, const struct terrane_window *inner)
{
    const int64_t right = (int64_t)(inner->width - 1) * inner->step,
                  down = (int64_t)(inner->height - 1) * inner->step;
    return outer->level == inner->level && outer->step == 1 && inner->step >= 1 && inner->gi >= outer->gi &&
           inner->gj >= outer->gj && inner->gi + right < outer->gi + outer->width &&
           inner->gj + down < outer->gj + outer->height;
}

void terrane_erode_needs(const struct terrane_recipe *recipe, const struct terrane_window *window, int level,
                         struct terrane_window *needed)
{
    *needed = *window;
    while (needed->level < level) {
        const struct terrane_window field = window_grown(needed, terrane_erosion_halo(recipe, needed->level));
        *needed = erosion_parent(&field);
    }
}

/* ---- Products ------------------------------------------------------------------------------------------ */

static size_t product_row(const struct terrane_eroded *eroded, const struct terrane_window *window, int j)
{
    const int64_t row = window->gj - eroded->window.gj + (int64_t)j * window->step;
    return (size_t)row * (size_t)eroded->window.width + (size_t)(window->gi - eroded->window.gi);
}

int terrane_eroded_heights(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const struct terrane_eroded *eroded, float *heights)
{
    const float unit_m = (float)terrane_erosion_unit_m(recipe);
    if (!erosion_covers(&eroded->window, window))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        const int32_t *delta = eroded->delta + product_row(eroded, window, j);
        for (int i = 0; i < window->width; i++)
            *heights++ += (float)delta[i * window->step] * unit_m;
    }
    return 0;
}

int terrane_eroded_values(const struct terrane_recipe *recipe, const struct terrane_window *window,
                          const struct terrane_eroded *eroded, float *delta_m, float *flow)
{
    const float unit_m = (float)terrane_erosion_unit_m(recipe);
    if (!erosion_covers(&eroded->window, window))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        const size_t row = product_row(eroded, window, j);
        for (int i = 0; i < window->width; i++) {
            const size_t at = row + (size_t)(i * window->step);
            if (delta_m)
                *delta_m++ = (float)eroded->delta[at] * unit_m;
            if (flow)
                *flow++ = (float)eroded->flow[at] * 0.0625f;
        }
    }
    return 0;
}
