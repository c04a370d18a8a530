/*
 * Measures of heights. Sums are of integers, and min and max do not depend on order, so no split of the work
 * can change a bit.
 */
#include "../terrane.h"

#include "digest.h"

void terrane_samples_digest(const void *bytes, size_t count, struct terrane_digest *digest)
{
    struct digest all = digest_start(2);
    digest_put_bytes(&all, bytes, count * sizeof(float));
    digest_end_bytes(&all, digest->byte);
}

/* Adding +0 turns -0 into +0: the order of two zeros must not show. */
static float positive_zero(float v)
{
    return v + 0.0f;
}

void terrane_height_range(const float *heights, size_t count, float *min_m, float *max_m)
{
    float low = heights[0], high = heights[0];
    for (size_t i = 1; i < count; i++) {
        low = heights[i] < low ? heights[i] : low;
        high = heights[i] > high ? heights[i] : high;
    }
    *min_m = positive_zero(low);
    *max_m = positive_zero(high);
}

/*
 * The mean height in metres. Heights stay below 2^40 m (terrane_recipe_init refuses terms that may pass it), so units
 * of 2^-16 m fit 2^56; their sum over 4097^2 samples would pass 2^63 and is kept in two exact halves.
 */
static double mean(const float *heights, size_t count)
{
    int64_t high = 0, low = 0;
    for (size_t i = 0; i < count; i++) {
        const double scaled = (double)heights[i] * 65536.0;
        const int64_t units = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
        high += units >> 32;
        low += units & 0xFFFFFFFF;
    }
    return ((double)high * 0x1p32 + (double)low) / 65536.0 / (double)count;
}

/* Clamps: rounding to units may carry the mean of a flat tile past its min or max. */
static double between(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* Max square of a distance from the centre. */
static double reach(const struct terrane_world *world, const struct terrane_window *window,
                    const float *heights, const double centre[3])
{
    double max = 0;
    for (int j = 0; j < window->height; j++) {
        const float *row = heights + (size_t)j * (size_t)window->width;
        const double dy =
            terrane_lattice_m(world, window->level, window->gj + (int64_t)j * window->step) - centre[1];
        for (int i = 0; i < window->width; i++) {
            const double dx =
                terrane_lattice_m(world, window->level, window->gi + (int64_t)i * window->step) - centre[0];
            const double dz = (double)row[i] - centre[2];
            const double square = (dx * dx + dy * dy) + dz * dz;
            max = square > max ? square : max;
        }
    }
    return max;
}

void terrane_measure_heights(const struct terrane_world *world, const struct terrane_window *window,
                             const float *heights, struct terrane_measure *out)
{
    const size_t count = (size_t)window->width * (size_t)window->height;
    const int64_t last_i = window->gi + (int64_t)(window->width - 1) * window->step;
    const int64_t last_j = window->gj + (int64_t)(window->height - 1) * window->step;

    terrane_height_range(heights, count, &out->min_m, &out->max_m);
    out->mean_m = between(mean(heights, count), (double)out->min_m, (double)out->max_m);
    out->box_low_m[0] = terrane_lattice_m(world, window->level, window->gi);
    out->box_low_m[1] = terrane_lattice_m(world, window->level, window->gj);
    out->box_low_m[2] = (double)out->min_m;
    out->box_high_m[0] = terrane_lattice_m(world, window->level, last_i);
    out->box_high_m[1] = terrane_lattice_m(world, window->level, last_j);
    out->box_high_m[2] = (double)out->max_m;
    for (int c = 0; c < 3; c++)
        out->sphere_centre_m[c] = out->centroid_m[c] = (out->box_low_m[c] + out->box_high_m[c]) / 2;
    out->centroid_m[2] = out->mean_m; /* columns and rows are evenly spaced: their means are the middles */
    /* rounded up by more than the rounding errors: the sphere encloses */
    out->sphere_radius_m =
        __builtin_sqrt(reach(world, window, heights, out->sphere_centre_m)) * 0x1.0000000000008p0;
}
