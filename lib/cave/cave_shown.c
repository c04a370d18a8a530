/*
 * Caves seen from other levels, and where the ground is open.
 *
 * Floor and ceiling of a sample of a finer level are bilinear between the caves' samples around it, or those of the sample
 * it coincides with; if one of these is rock, it is rock. Weights are multiples of 2^-24, and exact.
 */
#include "cave_shown.h"
#include "../base/window.h"
#include "../terrane_features.h"

/* ---- Levels -------------------------------------------------------------------------------------------- */

/* Its position between the samples on its low and high side, 0 .. 1. */
static float share_of(int64_t g, int coarser)
{
    if (coarser >= 0)
        return 0;
    const int64_t rest = g & ((INT64_C(1) << -coarser) - 1);
    return (float)rest / (float)(INT64_C(1) << -coarser);
}

bool terrane_caves_shown_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                               struct terrane_window *caves)
{
    const int coarser = window->level - recipe->caves.level;
    if (!(recipe->caves.share > 0) || coarser > TERRANE_CAVES_COARSER)
        return false;
    *caves = window_around(window, recipe->caves.level);
    return true;
}

static float straight(float a, float b, float share)
{
    return a + (b - a) * share;
}

/* The samples of the caves' window around one of another level: north-west, north-east, south-west, south-east; and its
 * position between them. */
struct corners {
    size_t at[4];
    float x, y;
};

static struct corners corners_of(const struct terrane_window *caves, int coarser, int64_t gi, int64_t gj)
{
    const struct sides x = sides_of(gi, coarser), y = sides_of(gj, coarser);
    const size_t north = (size_t)(y.low - caves->gj) * (size_t)caves->width,
                 south = (size_t)(y.high - caves->gj) * (size_t)caves->width;
    const size_t west = (size_t)(x.low - caves->gi), east = (size_t)(x.high - caves->gi);
    return (struct corners){
        .at = {north + west, north + east, south + west, south + east},
        .x = share_of(gi, coarser),
        .y = share_of(gj, coarser),
    };
}

/* Interpolates values[stride * at]. */
static float between(const struct corners *corners, const float *values, size_t stride)
{
    const size_t *at = corners->at;
    return straight(straight(values[stride * at[0]], values[stride * at[1]], corners->x),
                    straight(values[stride * at[2]], values[stride * at[3]], corners->x), corners->y);
}

/* Floor and ceiling of a sample of the window, in column i of row j. */
static struct corners show(const struct terrane_window *window, const struct terrane_window *caves, int i,
                           int j, const float *floor_ceiling, float out[2])
{
    const struct corners corners =
        corners_of(caves, window->level - caves->level, window->gi + (int64_t)i * window->step,
                   window->gj + (int64_t)j * window->step);
    bool rock = false;
    for (int k = 0; k < 4; k++)
        rock |= floor_ceiling[2 * corners.at[k]] == TERRANE_ROCK;
    for (int c = 0; c < 2; c++)
        out[c] = rock ? TERRANE_ROCK : between(&corners, floor_ceiling + c, 2);
    return corners;
}

/* Checks that caves covers a window: 0 and *shown, or TERRANE_EWINDOW. */
static int check(const struct terrane_recipe *recipe, const struct terrane_window *window,
                 const struct terrane_window *caves, bool *shown)
{
    struct terrane_window needed;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    *shown = terrane_caves_shown_needs(recipe, window, &needed);
    return *shown && !window_covers(caves, &needed) ? TERRANE_EWINDOW : 0;
}

int terrane_caves_shown(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *floor_ceiling, float *out)
{
    bool shown;
    const int wrong = check(recipe, window, caves, &shown);
    if (wrong)
        return wrong;
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++, out += 2) {
            out[0] = out[1] = TERRANE_ROCK;
            if (shown)
                show(window, caves, i, j, floor_ceiling, out);
        }
    return 0;
}

/* ---- Openings ------------------------------------------------------------------------------------------ */

/* True if there is air in place of the ground. */
static bool is_open(float ground, const float floor_ceiling[2])
{
    return floor_ceiling[0] < ground && ground < floor_ceiling[1];
}

int terrane_caves_kinds(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *ground, const float *floor_ceiling,
                        uint8_t *kind)
{
    bool shown;
    const int wrong = check(recipe, window, caves, &shown);
    if (wrong)
        return wrong;
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++, kind++) {
            float own[2];
            *kind = TERRANE_CAVE_ROCK;
            if (!shown)
                continue;
            const struct corners corners = show(window, caves, i, j, floor_ceiling, own);
            if (own[0] != TERRANE_ROCK)
                *kind =
                    is_open(between(&corners, ground, 1), own) ? TERRANE_CAVE_OPENING : TERRANE_CAVE_INSIDE;
        }
    return 0;
}

static bool open_at(const float *ground, const float *floor_ceiling, size_t at)
{
    return is_open(ground[at], floor_ceiling + 2 * at);
}

int terrane_caves_openings(const struct terrane_recipe *recipe, const struct terrane_window *window,
                           const float *ground, const float *floor_ceiling, uint8_t *opening)
{
    if (!window_valid(window) || window->step != 1 || window->width < 2 || window->height < 2)
        return TERRANE_EWINDOW;
    if (window->level != recipe->caves.level)
        return TERRANE_ELEVEL;
    const size_t width = (size_t)window->width, height = (size_t)window->height;
    for (size_t j = 0; j + 1 < height; j++)
        for (size_t i = 0; i + 1 < width; i++) {
            const size_t at = j * width + i;
            opening[j * (width - 1) + i] =
                open_at(ground, floor_ceiling, at) || open_at(ground, floor_ceiling, at + 1) ||
                open_at(ground, floor_ceiling, at + width) || open_at(ground, floor_ceiling, at + width + 1);
        }
    return 0;
}
