/*
 * Heights become steps, and lines cross between samples where the ground, straight between them, has their height. Neither calls
 * libm, so that the compiler makes vectors of the one, and the other costs a division.
 */
#include "contours.h"

#include <math.h>
#include <stdlib.h>

struct contour_interval contour_interval(double spacing_m)
{
    static const struct contour_interval of[] = {{1, 10},  {1, 5},   {1, 2},   {1, 1},  {2, 1},
                                                 {5, 1},   {10, 1},  {20, 1},  {50, 1}, {100, 1},
                                                 {200, 1}, {500, 1}, {1000, 1}};
    const double dense_m = 64, max_m = spacing_m <= dense_m ? 2 * spacing_m : 2 * sqrt(dense_m * spacing_m);
    size_t k = sizeof of / sizeof *of - 1;
    while (k > 0 && of[k].metres > max_m * of[k].by)
        k--;
    return of[k];
}

double contour_m(const struct contour_interval *interval, int32_t k)
{
    const double m = (double)k * interval->metres;
    return interval->by == 1 ? m : m / interval->by;
}

struct ground {
    const float *height;
    struct contour_interval interval;
    int32_t unit;
};

static void cut(const void *context, struct isolines_cut *cut, size_t cuts, size_t beside)
{
    const struct ground *ground = context;
    for (size_t n = 0; n < cuts; n++) {
        const double from = (double)ground->height[cut[n].a],
                     to = (double)ground->height[(size_t)cut[n].a + beside];
        const double share = (contour_m(&ground->interval, cut[n].k) - from) / (to - from);
        cut[n].along = (int32_t)((share < 0 ? 0 : share > 1 ? 1 : share) * ground->unit + 0.5);
    }
}

/* Rounded down, and held to 2^30. */
static void find_steps(const float *restrict height, size_t count, struct contour_interval interval,
                       int32_t *restrict step)
{
    const float by = (float)interval.by, metres = (float)interval.metres, limit = 0x1p30f;
    for (size_t i = 0; i < count; i++) {
        const float steps = height[i] * by / metres, low = steps > -limit ? steps : -limit,
                    held = low < limit ? low : limit;
        const int32_t whole = (int32_t)held;
        step[i] = whole - ((float)whole > held);
    }
}

int contours(const float *height, int side, struct contour_interval interval, int32_t unit,
             isolines_take *take, void *to)
{
    const size_t count = (size_t)side * (size_t)side;
    const struct ground ground = {height, interval, unit};
    int32_t *step = malloc(count * sizeof *step);
    if (!step)
        return -1;
    find_steps(height, count, interval, step);
    const struct isolines_grid grid = {
        .width = side, .height = side, .step = step, .unit = unit, .cut = cut, .context = &ground};
    const int error = isolines(&grid, take, to);
    free(step);
    return error;
}
