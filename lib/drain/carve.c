/*
 * Rivers in ground finer than the lattices: a bed below the water, banks above it.
 *
 * Every channel near a sample says how high ground may be there, and how low: the least of the one, the greatest of the other
 * count, whatever the order. A bed comes before a bank. Distances are counted from a channel's own points, in whole numbers
 * before they are floats: so they do not rest on the window.
 *
 * Levels. Notches are the same at all of them, and so, but for how wide levees are, are broad channels: those that every level
 * below the lattices shows. What others add where a level shows them is kept within MORE of the ground that is left without: so a
 * level's error is known (terrane_rivers_error_m).
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "../erosion/erosion.h"
#include "../kernel/erode.h"
#include "drain.h"
#include "drained.h"
#include "river.h"

#define BANK_M    CARVE_BANK_M
#define FLANK     1.3f     /* cells: of a valley's side */
#define FLANK_11  0.8f     /* ... before generator 12 */
#define DEPTH_MAX 0.09375f /* cells: of what is not broad, so that MORE has room for beds */
#define CASCADE   0.15f    /* slope from which on a channel is a notch */

struct carve {
    const struct terrane_world *world;
    const struct terrane_drained *drained;
    struct terrane_window window;
    uint64_t min;
    float unit_m, fine_m, sample_m;
    int64_t step;             /* fine units between samples */
    bool beds;                /* alone */
    const float *ground;      /* that is carved */
    float *bank[RIVER_BANKS]; /* of each sample: river.h; RIVER_SIDE NULL: no ground is carved */
    struct shape {
        float *upper, *lower;
    } shape[2];                        /* SAME and SHOWN, or NULLs */
    float *surface, *discharge, *damp; /* each or NULL */
    float head;                        /* m3/s where channels begin */
};

enum { SAME, SHOWN }; /* at all levels; where a level shows it */

/* How much of its width a piece's water has, at a sample. */
static const float *narrow_of(const struct carve *carve, const struct carve_piece *piece, size_t at)
{
    return carve->bank[piece->wide ? RIVER_WIDE : RIVER_NARROW] + at;
}

/* ---- One row ------------------------------------------------------------------------------------------- */

static void water_row(const struct carve_piece *piece, const float *t, const float *d, const float *narrow,
                      int count, float *restrict surface)
{
    for (int i = 0; i < count; i++) {
        const float z = piece->z + t[i] * piece->fall;
        const bool first = surface[i] == TERRANE_DRY, wet = d[i] <= piece->half * narrow[i];
        surface[i] = wet && piece->half > 0 && (first || z < surface[i]) ? z : surface[i];
    }
}

static void discharge_row(const struct carve_piece *piece, const float *d, const float *narrow, int count,
                          float *restrict discharge)
{
    for (int i = 0; i < count; i++)
        discharge[i] = d[i] <= max_float(piece->half * narrow[i], piece->thin)
                           ? max_float(discharge[i], piece->discharge)
                           : discharge[i];
}

#define DAMP_M 1.5f /* of the bank of a brook; a river's is as much wider as the river */

/* From the water's edge to where its bank ends; as far as a valley's side at most, within which cells are looked at. */
static float damp_width(const struct carve *carve, const struct carve_piece *piece)
{
    const float wide_m = DAMP_M + carve->world->recipe->rivers.width * __builtin_sqrtf(piece->discharge);
    return min_float(wide_m, piece->flank);
}

/* Banks narrower than a sample are fainter, and so are those of what has just begun. */
static void damp_row(const struct carve *carve, const struct carve_piece *piece, const float *d,
                     const float *narrow, int count, float *restrict damp)
{
    const float wide = damp_width(carve, piece), across = max_float(wide, carve->sample_m);
    const float begun = __builtin_sqrtf(__builtin_sqrtf(carve->head / piece->discharge));
    const float full = (1 - begun) * (wide / across), inverse = 1 / across;
    for (int i = 0; i < count; i++) {
        const float out = max_float(d[i] - max_float(piece->half * narrow[i], piece->thin), 0);
        damp[i] = max_float(damp[i], (1 - out * inverse) * full);
    }
}

/* ---- Pieces -------------------------------------------------------------------------------------------- */

/* Samples first .. last of count that lie in from .. to, counted from the first sample along an axis, all in fine units. */
static void range_of(int64_t step, int count, int64_t from, int64_t to, int *first, int *last)
{
    const int64_t a = from <= 0 ? 0 : (from + step - 1) / step, b = to < 0 ? -1 : to / step;
    *first = (int)(a < count ? a : count);
    *last = (int)(b < count ? b : count - 1);
}

/* What a piece is at levels that do not show it. */
static struct carve_piece notch_of(const struct carve_piece *piece)
{
    struct carve_piece notch = *piece;
    notch.reach = notch.flank;
    notch.half = notch.depth = 0;
    return notch;
}

static void shape_ground(const struct carve *carve, const struct carve_piece *piece, int count,
                         const float *t, const float *d, size_t at)
{
    const struct erode_kernels *kernels = erode_kernels_current();
    const struct shape *same = &carve->shape[SAME], *shown = &carve->shape[SHOWN];
    const float *narrow = narrow_of(carve, piece, at), *side = carve->bank[RIVER_SIDE] + at,
                *ground = carve->ground + at;
    if (carve->beds || piece->broad || !(piece->reach > piece->flank)) {
        kernels->shape_row(piece, count, t, d, narrow, side, ground, same->upper + at, same->lower + at);
        return;
    }
    const struct carve_piece notch = notch_of(piece);
    kernels->shape_row(&notch, count, t, d, narrow, side, ground, same->upper + at, same->lower + at);
    kernels->shape_row(piece, count, t, d, narrow, side, ground, shown->upper + at, shown->lower + at);
}

static void lay_piece(const struct carve *carve, const struct carve_piece *piece,
                      const struct river_point *from, const struct river_point *to)
{
    enum { CHUNK = 64 };
    const struct erode_kernels *kernels = erode_kernels_current();
    const struct terrane_window *window = &carve->window;
    const int bits = window->level + RIVER_FINE_LOG2;
    const float shaped_m = carve->shape[SAME].upper ? piece->reach : 0,
                shown_m = carve->discharge ? piece->thin : 0;
    const float damp_m = carve->damp ? max_float(piece->half, piece->thin) +
                                           max_float(damp_width(carve, piece), carve->sample_m)
                                     : 0;
    const float reach_m = max_float(max_float(max_float(shaped_m, shown_m), piece->half), damp_m);
    const int64_t reach = (int64_t)(reach_m / carve->fine_m) + 1;
    const uint64_t x0 = (uint64_t)window->gi << bits, y0 = (uint64_t)window->gj << bits; /* modulo 2^64 */
    const int64_t from_x = (int64_t)((uint64_t)from->x - x0), to_x = (int64_t)((uint64_t)to->x - x0),
                  from_y = (int64_t)((uint64_t)from->y - y0), to_y = (int64_t)((uint64_t)to->y - y0);
    const int64_t low_x = min_int64(from_x, to_x), high_x = max_int64(from_x, to_x),
                  low_y = min_int64(from_y, to_y), high_y = max_int64(from_y, to_y);
    int west, east, north, south;
    range_of(carve->step, window->height, low_y - reach, high_y + reach, &north, &south);
    for (int j = north; j <= south; j++) {
        const int64_t y = j * carve->step, off = y < low_y ? low_y - y : y > high_y ? y - high_y : 0;
        const int64_t wide = (int64_t)__builtin_sqrt((double)(reach * reach - off * off)) + 1;
        range_of(carve->step, window->width, low_x - wide, high_x + wide, &west, &east);
        for (int i = west; i <= east; i += CHUNK) {
            float t[CHUNK], d[CHUNK];
            const int count = east - i + 1 < CHUNK ? east - i + 1 : CHUNK;
            const size_t at = (size_t)j * (size_t)window->width + (size_t)i;
            kernels->measure_row(piece, i * carve->step - from_x, y - from_y, carve->step, count, t, d);
            if (carve->shape[SAME].upper)
                shape_ground(carve, piece, count, t, d, at);
            if (carve->surface)
                water_row(piece, t, d, narrow_of(carve, piece, at), count, carve->surface + at);
            if (carve->discharge)
                discharge_row(piece, d, narrow_of(carve, piece, at), count, carve->discharge + at);
            if (carve->damp)
                damp_row(carve, piece, d, narrow_of(carve, piece, at), count, carve->damp + at);
        }
    }
}

/* Fills what a cell's pieces have in common. */
static struct carve_piece piece_of(const struct carve *carve, uint64_t runoff)
{
    const struct terrane_recipe *recipe = carve->world->recipe;
    const float cell_m = carve->sample_m * (float)(1 << (carve->drained->window.level - carve->window.level));
    const float width_m = river_width_m(recipe, runoff), max_m = RIVER_CELLS_MAX * cell_m;
    struct carve_piece piece = {
        .fine_m = carve->fine_m,
        .half = 0.5f * min_float(recipe->generator >= 13 ? RIVER_WIDENED * width_m : width_m, max_m),
        .depth = river_depth_m(recipe, runoff),
        .curve = 0.3f / cell_m,
        .rim = RIVER_RIM * carve->sample_m,
        .thin = 0.71f * carve->sample_m,
        .discharge = (float)river_discharge(recipe, runoff),
        .flank = (recipe->generator >= 12 ? FLANK : FLANK_11) * cell_m,
        .broad = width_m >= RIVER_BROAD * cell_m / 2,
        .wide = width_m > cell_m / 2,
    };
    if (!piece.broad && piece.depth > DEPTH_MAX * cell_m)
        piece.depth = DEPTH_MAX * cell_m;
    if (recipe->generator >= 16)
        piece.depth = min_float(piece.depth, DRAIN_BEYOND_M);
    if (recipe->generator >= 12)
        piece.eased = 1 / piece.flank;
    if (width_m < RIVER_BROAD * carve->sample_m)
        piece.half = piece.depth = 0;
    piece.reach = carve->beds ? piece.half : piece.half + piece.flank;
    return piece;
}

static void lay_line(const struct carve *carve, struct carve_piece piece, const struct river_point *from,
                     const struct river_point *to)
{
    const int64_t x = (int64_t)((uint64_t)to->x - (uint64_t)from->x),
                  y = (int64_t)((uint64_t)to->y - (uint64_t)from->y);
    const float length2 = (float)(x * x + y * y);
    piece.ux = (float)x;
    piece.uy = (float)y;
    piece.inverse = length2 > 0 ? 1 / length2 : 0;
    piece.z = (float)from->z * carve->unit_m;
    piece.fall = (float)to->z * carve->unit_m - piece.z;
    /* what falls so steeply has no standing surface, nor levees: a notch */
    if (0 - piece.fall > CASCADE * carve->fine_m * __builtin_sqrtf(length2))
        piece.half = piece.depth = 0;
    lay_piece(carve, &piece, from, to);
}

static void lay_cell(const struct carve *carve, size_t at)
{
    const struct terrane_drained *drained = carve->drained;
    struct river_piece line[RIVER_PIECES + 1];
    const struct carve_piece piece = piece_of(carve, terrane_drained_cell(drained, at).runoff);
    if (!(piece.reach > 0))
        return;
    const int lines = river_pieces(carve->world, drained, at, carve->min, line);
    for (int k = 0; k < lines; k++)
        lay_line(carve, piece, &line[k].from, &line[k].to);
}

static void lay_rivers(const struct carve *carve, const struct terrane_window *cells)
{
    const struct terrane_drained *drained = carve->drained;
    for (int j = 0; j < cells->height; j++)
        for (int i = 0; i < cells->width; i++) {
            const size_t at = (size_t)(cells->gj - drained->window.gj + j) * (size_t)drained->window.width +
                              (size_t)(cells->gi - drained->window.gi + i);
            if (river_at(drained, at, carve->min) &&
                !(terrane_drained_cell(drained, at).to & TERRANE_DRAIN_LAKE))
                lay_cell(carve, at);
        }
}

/* ---- The sea ------------------------------------------------------------------------------------------- */

/* Nothing is under the sea's level but the sea's own squares of cells. */
static int lift_inland(const struct carve *carve, const struct terrane_memory *memory, float *heights)
{
    const struct terrane_recipe *recipe = carve->world->recipe;
    const struct terrane_window *window = &carve->window;
    const struct terrane_window lakes = window_around(window, carve->drained->window.level);
    const size_t count = samples_of(window), cells = samples_of(&lakes);
    float *level_m = memory_take(memory, (cells + count) * sizeof *level_m);
    int error = level_m ? terrane_drained_levels(recipe, &lakes, carve->drained, window->level, level_m)
                        : TERRANE_EMEMORY;
    if (error == 0) {
        float *surface = level_m + cells;
        const float min = recipe->sea_m + BANK_M;
        for (size_t i = 0; i < count; i++)
            surface[i] = 0x1p30f;
        water_rows(TERRANE_DRY, window, heights, &lakes, level_m, surface, NULL);
        for (size_t i = 0; i < count; i++)
            if (surface[i] == heights[i] && heights[i] < min) /* dry */
                heights[i] = min;
    }
    memory_give(memory, level_m);
    return error;
}

/* ---- The call ------------------------------------------------------------------------------------------ */

/* The numbers of banks, in one block that begins with RIVER_NARROW's. */
static int make_banks(struct carve *carve, const struct terrane_memory *memory, bool sides)
{
    static const float before[RIVER_BANKS] = {
        [RIVER_NARROW] = 1, [RIVER_WIDE] = 1, [RIVER_SIDE] = RIVER_SIDE_12};
    const size_t count = samples_of(&carve->window);
    const int banks = sides ? RIVER_BANKS : RIVER_SIDE;
    float *values = memory_take(memory, (size_t)banks * count * sizeof *values);
    int error = values ? 0 : TERRANE_EMEMORY;
    carve->bank[RIVER_NARROW] = values;
    for (int k = 0; k < banks && error == 0; k++, values += count) {
        carve->bank[k] = values;
        for (size_t i = 0; i < count; i++)
            values[i] = before[k];
        if (carve->world->recipe->generator >= 13)
            error = river_banks(carve->world, &carve->window, memory, k, values);
    }
    return error;
}

static void clear_shape(const struct shape *shape, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        shape->upper[i] = 0x1p30f;
        shape->lower[i] = -0x1p30f;
    }
}

/* A bed comes before a bank, whichever level shows them. */
static void shape_heights(const struct carve *carve, size_t count, float *heights)
{
    const struct shape *same = &carve->shape[SAME], *shown = &carve->shape[SHOWN];
    const struct terrane_recipe *recipe = carve->world->recipe;
    const float more = river_more_m(recipe);
    const bool lifts = !carve->beds || recipe->generator < 16; /* what is cut through paths raises nothing */
    for (size_t i = 0; i < count; i++) {
        const float banked = lifts ? max_float(heights[i], same->lower[i]) : heights[i];
        const float left = min_float(banked, same->upper[i]);
        const float all =
            min_float(max_float(banked, shown->lower[i]), min_float(same->upper[i], shown->upper[i]));
        heights[i] = min_float(max_float(all, left - more), left + more);
    }
}

static int carve_ground(struct carve *carve, const struct terrane_window *cells,
                        const struct terrane_memory *memory, float *heights)
{
    const size_t count = samples_of(&carve->window);
    float *part = memory_take(memory, 4 * count * sizeof *part);
    int error = !part ? TERRANE_EMEMORY : carve->beds ? 0 : lift_inland(carve, memory, heights);
    if (error == 0) {
        for (int k = SAME; k <= SHOWN; k++, part += 2 * count) {
            carve->shape[k] = (struct shape){part, part + count};
            clear_shape(&carve->shape[k], count);
        }
        part -= 4 * count;
        carve->ground = heights;
        lay_rivers(carve, cells);
        shape_heights(carve, count, heights);
    }
    memory_give(memory, part);
    memset(carve->shape, 0, sizeof carve->shape);
    return error;
}

static int carve_window(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const struct terrane_memory *memory, bool beds,
                        float *heights, float *surface_m, float *discharge, float *damp)
{
    const struct terrane_recipe *recipe = world->recipe;
    const int bottom = recipe->rivers.bottom;
    if (recipe->rivers.top == 0 || window->level >= bottom || drained->window.level != bottom)
        return TERRANE_ELEVEL;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    const struct terrane_window around = window_around(window, bottom),
                                near = window_grown(&around, river_near_cells(recipe)),
                                needed = window_grown(&around, rivers_margin(recipe));
    if (!window_covers(&drained->window, &needed))
        return TERRANE_EWINDOW;
    const double sample_m = recipe->spacing_m * (double)(INT64_C(1) << window->level);
    struct carve carve = {
        .world = world,
        .drained = drained,
        .window = *window,
        .min = river_min(recipe),
        .unit_m = (float)terrane_erosion_unit_m(recipe),
        .fine_m = (float)(recipe->spacing_m / (1 << RIVER_FINE_LOG2)),
        .sample_m = (float)sample_m,
        .step = (int64_t)window->step << (window->level + RIVER_FINE_LOG2),
        .beds = beds,
        .surface = surface_m,
        .discharge = discharge,
        .damp = damp,
        .head = (float)river_discharge(recipe, river_min(recipe)),
    };
    const size_t count = samples_of(window);
    int error = make_banks(&carve, memory, heights);
    if (error == 0 && heights)
        error = carve_ground(&carve, &near, memory, heights);
    for (size_t i = 0; i < count && surface_m && error == 0; i++)
        surface_m[i] = TERRANE_DRY;
    for (size_t i = 0; i < count && discharge && error == 0; i++)
        discharge[i] = 0;
    for (size_t i = 0; i < count && damp && error == 0; i++)
        damp[i] = 0;
    if ((surface_m || discharge || damp) && error == 0)
        lay_rivers(&carve, &near);
    memory_give(memory, carve.bank[RIVER_NARROW]);
    return error;
}

int terrane_rivers_apply(const struct terrane_world *world, const struct terrane_window *window,
                         const struct terrane_drained *drained, const struct terrane_memory *memory,
                         float *heights, float *surface_m, float *discharge)
{
    return carve_window(world, window, drained, memory, false, heights, surface_m, discharge, NULL);
}

int terrane_rivers_beds(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const struct terrane_memory *memory,
                        float *heights)
{
    return carve_window(world, window, drained, memory, true, heights, NULL, NULL, NULL);
}

int terrane_rivers_damp(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const struct terrane_memory *memory,
                        float *damp)
{
    return carve_window(world, window, drained, memory, false, NULL, NULL, NULL, damp);
}
