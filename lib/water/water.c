/*
 * Water over ground: lakes, as seen from any level, and the sea.
 *
 * A sample has one, two or four samples of the lakes' level around it: the one it coincides with, the two on
 * whose edge it lies, or the four of its square. At the lakes' own level and coarser ones it always coincides
 * with one. Its lake's level is the min of theirs, none if one of them has none.
 *
 * The min is right because these samples are all neighbours of each other. If one of them lies in a lake, take
 * the highest such lake. That sample carries exactly the lake's level: shores of higher lakes are higher
 * ground. The others lie in the lake, too, or on the first ring of its shore, and carry its level or that of a
 * higher lake, which contains none of them (otherwise it would contain the first one, too, being higher). So
 * the min is exactly that lake's level: from the lattice out to the next samples, all around, its surface is
 * one plane.
 *
 * If none lies in a lake but all are on shores, the ground at each is at least as high as the level it carries,
 * so at least as the min: between them there is water only where finer levels cut the ground below that. If one
 * of them is on no shore there is no lake water. The max would be wrong: it floods the far side of the ridge
 * that holds a lake back.
 */
#include "water.h"
#include "../base/min_max.h"
#include "../base/window.h"

/* ---- Windows ------------------------------------------------------------------------------------------- */

bool terrane_water_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *lakes)
{
    const int coarser = window->level - recipe->lakes.level;
    if (!(recipe->lakes.share > 0) || coarser > TERRANE_LAKES_COARSER)
        return false;
    *lakes = window_around(window, recipe->lakes.level);
    return true;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* The lower one of two rows of the lakes' levels, at columns i and i + right. */
static float lowest(const float *north, const float *south, int64_t i, int64_t right)
{
    return min_float(min_float(north[i], north[i + right]), min_float(south[i], south[i + right]));
}

static void put(float ground_m, float lake_m, float sea_m, size_t at, float *surface_m, float *depth_m)
{
    const float level_m = lake_m > sea_m ? lake_m : sea_m;
    const bool wet = ground_m < level_m;
    if (surface_m)
        surface_m[at] = wet ? level_m : ground_m;
    if (depth_m)
        depth_m[at] = wet ? level_m - ground_m : 0.0f;
}

/* Row j of the window, under lakes; sea_m: sea level everywhere, or TERRANE_DRY. */
static void lake_row(float sea_m, const struct terrane_window *window, int j, const float *heights,
                     const struct terrane_window *lakes, const float *level_m, float *surface_m,
                     float *depth_m)
{
    const int coarser = window->level - lakes->level;
    const struct sides y = sides_of(window->gj + (int64_t)j * window->step, coarser);
    const float *north = level_m + (size_t)(y.low - lakes->gj) * (size_t)lakes->width;
    const float *south = level_m + (size_t)(y.high - lakes->gj) * (size_t)lakes->width;
    const size_t row = (size_t)j * (size_t)window->width;
    for (int i = 0; i < window->width; i++) {
        const struct sides x = sides_of(window->gi + (int64_t)i * window->step, coarser);
        put(heights[row + (size_t)i], lowest(north, south, x.low - lakes->gi, x.high - x.low), sea_m,
            row + (size_t)i, surface_m, depth_m);
    }
}

void water_rows(float sea_m, const struct terrane_window *window, const float *heights,
                const struct terrane_window *lakes, const float *level_m, float *surface_m, float *depth_m)
{
    for (int j = 0; j < window->height; j++)
        lake_row(sea_m, window, j, heights, lakes, level_m, surface_m, depth_m);
}

int terrane_water(const struct terrane_recipe *recipe, const struct terrane_window *window,
                  const float *heights, const struct terrane_window *lakes, const float *level_m,
                  float *surface_m, float *depth_m)
{
    struct terrane_window needed;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    const bool shown = lakes && terrane_water_needs(recipe, window, &needed);
    if (shown && !window_covers(lakes, &needed))
        return TERRANE_EWINDOW;

    if (shown)
        water_rows(recipe->sea_m, window, heights, lakes, level_m, surface_m, depth_m);
    const size_t samples = shown ? 0 : samples_of(window);
    for (size_t k = 0; k < samples; k++)
        put(heights[k], TERRANE_DRY, recipe->sea_m, k, surface_m, depth_m);
    return 0;
}
