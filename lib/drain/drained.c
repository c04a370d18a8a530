/*
 * What callers read of a drained window: ground, water and discharge.
 */
#include "drained.h"
#include "../base/window.h"
#include "../erosion/erosion.h"
#include "drain.h"
#include "river.h"

/* Seconds of a year; cells are counted in millimetres of water. */
#define YEAR_S 31557600.0

double river_discharge(const struct terrane_recipe *recipe, uint64_t runoff)
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
    if (!(terrane_drained_cell(drained, at).to & TERRANE_DRAIN_LAKE))
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
    const uint64_t min = river_shown_min(recipe, window->level);
    if (!drained_covers(drained, window))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        const size_t row = drained_row(drained, window, j);
        for (int i = 0; i < window->width; i++) {
            const size_t at = row + (size_t)(i * window->step);
            const uint64_t runoff = terrane_drained_cell(drained, at).runoff;
            const bool flows =
                runoff >= min && (terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY) < 8;
            *discharge++ = flows ? (float)river_discharge(recipe, runoff) : 0.0f;
        }
    }
    return 0;
}

enum { CHUNK = 64, AROUND = 2 * TERRANE_SHORE_RINGS }; /* cells of a row that are looked at together */

/* The surfaces of the sea or a lake at count cells from one on, in units; INT32_MIN: a cell is dry. Whether any is not. */
static bool surfaces_at(const struct terrane_drained *drained, size_t at, int count, int32_t sea,
                        int32_t *surface)
{
    const uint32_t *const high = drained->high + at;
    const int32_t *const z = drained->z + at;
    int32_t max = INT32_MIN;
    for (int i = 0; i < count; i++) {
        const uint32_t to = high[i] >> 24;
        const int32_t lake = to & TERRANE_DRAIN_LAKE ? z[i] : INT32_MIN;
        surface[i] = (to & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA ? sea : lake;
        max = surface[i] > max ? surface[i] : max;
    }
    return max > INT32_MIN;
}

/* What a shore carries: a level above low behind the first ring, and at most high. */
struct shore {
    int32_t low[CHUNK], high[CHUNK];
};

/*
 * The level that a shore carries: of the highest lake within SHORE_RINGS cells that its ground holds, or would if it were slack
 * higher: what floods no deeper is land, but between it and the lake finer ground is lower. Behind the first ring the ground
 * must not be over the bank. Finer levels cut it, and there the water goes on.
 */
static void shore_fill(struct shore *shore, const int32_t *z, int count, int64_t bank, int32_t slack)
{
    for (int i = 0; i < count; i++) {
        const int64_t low = z[i] - bank, high = (int64_t)z[i] + slack;
        shore->low[i] = low < INT32_MIN ? INT32_MIN : (int32_t)low;
        shore->high[i] = high > INT32_MAX ? INT32_MAX : (int32_t)high;
    }
}

/* Raises levels to those of a row of cells, rows away. */
static void shore_row(const struct shore *shore, const int32_t *surface, int count, bool beside_row,
                      int32_t *level)
{
    for (int k = 0; k <= AROUND; k++) {
        const bool beside = beside_row && k >= TERRANE_SHORE_RINGS - 1 && k <= TERRANE_SHORE_RINGS + 1;
        for (int i = 0; i < count; i++) {
            const int32_t other = surface[i + k], low = beside ? INT32_MIN : shore->low[i];
            level[i] = (other >= low && other <= shore->high[i] && other > level[i]) ? other : level[i];
        }
    }
}

/* Surfaces of the rows of cells around one, AROUND more along each: row j is at[j % ROWS_SEEN], each made once. */
enum { ROWS_SEEN = AROUND + 1 };
struct seen {
    int32_t at[ROWS_SEEN][CHUNK + AROUND];
    bool any[ROWS_SEEN]; /* that are wet */
};

/* Levels of count cells of the row that is seen in the middle, j-th of all: of water what it has, of others what they carry. Whether
 * there may be any. */
static bool levels_chunk(const struct seen *seen, int j, const int32_t *z, int count, int64_t bank,
                         int32_t slack, int32_t level[CHUNK])
{
    struct shore shore;
    const int32_t *const shown = seen->at[j % ROWS_SEEN] + TERRANE_SHORE_RINGS;
    bool any = false;
    for (int k = 0; k < ROWS_SEEN; k++)
        any |= seen->any[k];
    if (!any)
        return false;
    shore_fill(&shore, z, count, bank, slack);
    for (int i = 0; i < count; i++)
        level[i] = INT32_MIN;
    for (int k = -TERRANE_SHORE_RINGS; k <= TERRANE_SHORE_RINGS; k++)
        if (seen->any[(j + k) % ROWS_SEEN])
            shore_row(&shore, seen->at[(j + k) % ROWS_SEEN], count, k >= -1 && k <= 1, level);
    for (int i = 0; i < count; i++)
        level[i] = shown[i] > INT32_MIN ? shown[i] : level[i];
    return true;
}

/* What levels are made with. */
struct levels {
    const struct terrane_drained *drained;
    const struct terrane_window *window;
    int32_t sea, slack;
    int64_t bank;
    float unit_m;
};

/* Columns first .. first + count - 1 of the window, down all of its rows. */
static void levels_columns(const struct levels *levels, int first, int count, float *level_m)
{
    const struct terrane_drained *drained = levels->drained;
    const size_t width = (size_t)levels->window->width, stride = (size_t)drained->window.width,
                 corner = drained_row(drained, levels->window, 0) + (size_t)first;
    const int height = levels->window->height;
    struct seen seen = {.any = {false}};
    for (int j = 0; j < height + AROUND; j++) { /* rows are counted from the first one around */
        const size_t at = corner + (size_t)j * stride - TERRANE_SHORE_RINGS * stride;
        const int middle = j - TERRANE_SHORE_RINGS;
        int32_t level[CHUNK];
        seen.any[j % ROWS_SEEN] = surfaces_at(drained, at - TERRANE_SHORE_RINGS, count + AROUND, levels->sea,
                                              seen.at[j % ROWS_SEEN]);
        if (j < AROUND)
            continue;
        float *const out = level_m + (size_t)(middle - TERRANE_SHORE_RINGS) * width + (size_t)first;
        const bool any = levels_chunk(&seen, middle, drained->z + (at - TERRANE_SHORE_RINGS * stride), count,
                                      levels->bank, levels->slack, level);
        for (int i = 0; i < count; i++)
            out[i] = !any || level[i] == INT32_MIN ? TERRANE_DRY : (float)level[i] * levels->unit_m;
    }
}

/* Whether all cells of the square around one are water. */
static bool square_is_wet(const struct terrane_drained *drained, size_t at)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int to = terrane_drained_cell(drained, at + (size_t)(j * drained->window.width + i)).to;
            if (!(to & TERRANE_DRAIN_LAKE) && (to & TERRANE_DRAIN_WAY) != TERRANE_DRAIN_SEA)
                return false;
        }
    return true;
}

/* Of a lake cell: whether it is in any such square. */
static bool lake_is_shown(const struct terrane_drained *drained, size_t at)
{
    if (square_is_wet(drained, at))
        return true;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (square_is_wet(drained, at + (size_t)(j * drained->window.width + i)))
                return true;
    return false;
}

/* ... or, from generator 17 on, beside a cell of the lake that is: else shores on maps would be sides of squares. */
static bool lake_is_beside_shown(const struct terrane_drained *drained, size_t at)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const size_t next = at + (size_t)(j * drained->window.width + i);
            if (terrane_drained_cell(drained, next).to & TERRANE_DRAIN_LAKE &&
                drained->z[next] == drained->z[at] && lake_is_shown(drained, next))
                return true;
        }
    return false;
}

/* Maps leave out what is narrower than three of their cells: a lake is there from the level on that has room for it. */
static void drop_narrow_lakes(const struct terrane_drained *drained, const struct terrane_window *window,
                              bool squares, float *level_m)
{
    bool (*const is_shown)(const struct terrane_drained *, size_t) =
        squares ? lake_is_shown : lake_is_beside_shown;
    for (int j = 0; j < window->height; j++) {
        const size_t row = drained_row(drained, window, j);
        for (int i = 0; i < window->width; i++, level_m++)
            if (terrane_drained_cell(drained, row + (size_t)i).to & TERRANE_DRAIN_LAKE &&
                !is_shown(drained, row + (size_t)i))
                *level_m = TERRANE_DRY;
    }
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
    const struct levels levels = {.drained = drained,
                                  .window = window,
                                  .sea = sea,
                                  .slack = slack,
                                  .bank = bank,
                                  .unit_m = (float)unit_m};
    for (int first = 0; first < window->width; first += CHUNK)
        levels_columns(&levels, first, window->width - first < CHUNK ? window->width - first : CHUNK,
                       level_m);
    if (recipe->generator >= 13 && window->level > recipe->rivers.bottom)
        drop_narrow_lakes(drained, window, recipe->generator < 17, level_m);
    return 0;
}
