/*
 * Sums and histograms over land. Medians and curves come from histograms of fine bins, straight within a
 * bin, so that nothing is sorted: the median of slopes is exact to 0.01 degrees.
 */
#include "ground.h"

#include <math.h>
#include <string.h>

enum {
    SLOPE_FINE = 9000, /* bins of 0.01 degrees */
    HEIGHT_FINE = 100  /* bins between the points of the curve */
};

#define DEGREES_PER_RADIAN 57.29577951308232

static void measure_heights(const struct raster *raster, double sea_m, struct ground *out)
{
    const size_t count = raster_count(raster);
    size_t histogram[HEIGHT_FINE] = {0};
    double sum = 0;

    out->samples = count;
    out->min_m = out->max_m = out->mean_m = out->integral = (double)NAN;
    for (size_t i = 0; i < count; i++) {
        const double height = (double)raster->sample[i];
        if (height < sea_m)
            continue;
        if (out->land++ == 0)
            out->min_m = out->max_m = height;
        out->min_m = height < out->min_m ? height : out->min_m;
        out->max_m = height > out->max_m ? height : out->max_m;
        sum += height;
    }
    if (out->land == 0)
        return;
    out->mean_m = sum / (double)out->land;
    const double range = out->max_m - out->min_m;
    if (!(range > 0))
        return;
    out->integral = (out->mean_m - out->min_m) / range;
    for (size_t i = 0; i < count; i++) {
        const double height = (double)raster->sample[i];
        const int bin = (int)((height - out->min_m) / range * HEIGHT_FINE);
        if (height >= sea_m)
            histogram[bin < HEIGHT_FINE ? bin : HEIGHT_FINE - 1]++;
    }
    size_t above = 0;
    for (int k = HEIGHT_FINE - 1; k >= 0; k--) {
        above += histogram[k];
        out->curve[k] = (double)above / (double)out->land;
    }
}

/* -1 lower than all neighbours, 1 higher, 0 neither. */
static int extreme(const float *at, ptrdiff_t width)
{
    const ptrdiff_t neighbour[8] = {-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1};
    int lower = 0, higher = 0;

    for (int k = 0; k < 8; k++) {
        lower += *at < at[neighbour[k]];
        higher += *at > at[neighbour[k]];
    }
    return (higher == 8) - (lower == 8);
}

static double median_of(const size_t *histogram, size_t count)
{
    const double half = (double)count / 2;
    double below = 0;

    for (int k = 0; k < SLOPE_FINE; k++) {
        const double here = (double)histogram[k];
        if (here > 0 && below + here >= half)
            return (k + (half - below) / here) * (90.0 / SLOPE_FINE);
        below += here;
    }
    return 90;
}

static void measure_slopes(const struct raster *raster, double sea_m, struct ground *out)
{
    const ptrdiff_t width = raster->width;
    size_t fine[SLOPE_FINE] = {0};
    double sum = 0, squares = 0;

    for (int j = 1; j < raster->height - 1; j++)
        for (int i = 1; i < raster->width - 1; i++) {
            const float *const at = raster->sample + j * width + i;
            if ((double)*at < sea_m)
                continue;
            const double east = ((double)at[1] - (double)at[-1]) / (2 * raster->dx_m);
            const double south = ((double)at[width] - (double)at[-width]) / (2 * raster->dy_m);
            const double degrees = atan(sqrt(east * east + south * south)) * DEGREES_PER_RADIAN;
            const int bin = (int)(degrees * (SLOPE_FINE / 90.0));
            const int found = extreme(at, width);
            fine[bin < SLOPE_FINE ? bin : SLOPE_FINE - 1]++;
            sum += degrees;
            squares += degrees * degrees;
            out->interior++;
            out->pits += found < 0;
            out->peaks += found > 0;
        }
    out->slope_mean = out->slope_median = out->slope_deviation = (double)NAN;
    if (out->interior == 0)
        return;
    const double count = (double)out->interior;
    const double variance = squares / count - sum / count * (sum / count);
    out->slope_mean = sum / count;
    out->slope_deviation = variance > 0 ? sqrt(variance) : 0;
    out->slope_median = median_of(fine, out->interior);
    for (int k = 0; k < SLOPE_FINE; k++)
        out->slope_share[k * GROUND_DEGREES / SLOPE_FINE] += (double)fine[k] / count;
}

void ground_measure(const struct raster *raster, double sea_m, struct ground *out)
{
    memset(out, 0, sizeof *out);
    measure_heights(raster, sea_m, out);
    measure_slopes(raster, sea_m, out);
}
