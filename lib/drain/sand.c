/*
 * Sand: what wind has laid over ground that water has made. No lattice drains it, no droplet wears it, and it fills what these cut
 * into the ground below: between dunes there is no valley.
 *
 * Where a lattice shows a river sand is blown away; below the lattices rivers come after it, and cut it.
 */
#include "../base/window.h"
#include "../erosion/erosion.h"
#include "drain.h"
#include "drained.h"
#include "river.h"

#define SAND_DEEP_M 16.0f /* so much of it fills cuts, less of it in proportion */

/* Takes sand from where the lattice of a window shows rivers. */
static void bare_rivers(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_drained *drained, float *sand)
{
    const uint64_t min = river_shown_min(recipe, window->level);
    for (int j = 0; j < window->height; j++) {
        const int64_t row = window->gj - drained->window.gj + (int64_t)j * window->step;
        size_t at = (size_t)row * (size_t)drained->window.width + (size_t)(window->gi - drained->window.gi);
        for (int i = 0; i < window->width; i++, sand++, at += (size_t)window->step)
            if (terrane_drained_cell(drained, at).runoff >= min &&
                (terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY) < 8)
                *sand = 0;
    }
}

/* base: ground before water, as noise made it. */
static void lay(const float *base, const float *sand, size_t count, float *heights)
{
    for (size_t i = 0; i < count; i++) {
        const float deep = sand[i] < SAND_MAX_M ? sand[i] : SAND_MAX_M;
        if (!(deep > 0))
            continue;
        const float cut = base[i] - heights[i], share = deep < SAND_DEEP_M ? deep / SAND_DEEP_M : 1.0f;
        const float filled = cut > 0 && cut < SAND_CUT_M ? cut * (1 - cut / SAND_CUT_M) * share : 0.0f;
        heights[i] += filled + deep;
    }
}

static bool any_over_0(const float *sand, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sand[i] > 0)
            return true;
    return false;
}

int terrane_sand(const struct terrane_world *world, const struct terrane_window *window,
                 const struct terrane_drained *drained, const struct terrane_memory *memory, float *heights)
{
    const struct terrane_recipe *recipe = world->recipe;
    const size_t count = samples_of(window);
    const bool lattice = drained && drained->window.level == window->level;
    if (recipe->rivers.top == 0 || recipe->rivers.sand == 0)
        return 0;
    if (lattice && !erosion_covers(&drained->window, window))
        return TERRANE_EWINDOW;
    float *sand = memory_take(memory, 2 * count * sizeof *sand), *base = sand + count;
    int error = sand ? window_term(world, window, recipe->rivers.sand - 1, memory, sand) : TERRANE_EMEMORY;
    if (error == 0 && lattice)
        bare_rivers(recipe, window, drained, sand);
    if (error == 0 && any_over_0(sand, count)) {
        error = terrane_heights(world, window, memory, base);
        if (error == 0)
            lay(base, sand, count, heights);
    }
    memory_give(memory, sand);
    return error;
}
