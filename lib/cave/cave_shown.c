/*
 * Caves seen from other levels, and where the ground is open.
 *
 * Floor and ceiling of a sample of a finer level are bilinear between the caves' samples around it, or those of the one it
 * stands on; where one of these is rock, it is rock. Weights are multiples of 2^-24, and exact.
 */
#include "../terrane_caves.h"
#include "../window.h"

/* ---- Levels -------------------------------------------------------------------------------------------- */

/* How far it is from the sample on its low side to that on its high one. */
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

/* North and south are rows of the caves' window. */
static void show(const float *north, const float *south, int64_t west, int64_t east, float x, float y,
                 float out[2])
{
    const float *corner[4] = {north + 2 * west, north + 2 * east, south + 2 * west, south + 2 * east};
    bool rock = false;
    for (int k = 0; k < 4; k++)
        rock |= corner[k][0] == TERRANE_ROCK;
    for (int c = 0; c < 2; c++)
        out[c] = rock ? TERRANE_ROCK
                      : straight(straight(corner[0][c], corner[1][c], x),
                                 straight(corner[2][c], corner[3][c], x), y);
}

int terrane_caves_shown(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_window *caves, const float *floor_ceiling, float *out)
{
    const int coarser = window->level - recipe->caves.level;
    struct terrane_window needed;
    if (!window_valid(window))
        return TERRANE_EWINDOW;
    const bool shown = terrane_caves_shown_needs(recipe, window, &needed);
    if (shown && !window_covers(caves, &needed))
        return TERRANE_EWINDOW;
    for (int j = 0; j < window->height; j++) {
        float *row = out + 2 * (size_t)j * (size_t)window->width;
        for (int i = 0; i < 2 * window->width && !shown; i++)
            row[i] = TERRANE_ROCK;
        if (!shown)
            continue;
        const int64_t gj = window->gj + (int64_t)j * window->step;
        const struct sides y = sides_of(gj, coarser);
        const float *north = floor_ceiling + 2 * (size_t)(y.low - caves->gj) * (size_t)caves->width;
        const float *south = floor_ceiling + 2 * (size_t)(y.high - caves->gj) * (size_t)caves->width;
        for (int i = 0; i < window->width; i++) {
            const int64_t gi = window->gi + (int64_t)i * window->step;
            const struct sides x = sides_of(gi, coarser);
            show(north, south, x.low - caves->gi, x.high - caves->gi, share_of(gi, coarser),
                 share_of(gj, coarser), row + 2 * i);
        }
    }
    return 0;
}

/* ---- Openings ------------------------------------------------------------------------------------------ */

/* The ground of a sample lies between floor and ceiling: there is air in its place. */
static bool open_at(const float *ground, const float *floor_ceiling, size_t at)
{
    return floor_ceiling[2 * at] < ground[at] && ground[at] < floor_ceiling[2 * at + 1];
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
