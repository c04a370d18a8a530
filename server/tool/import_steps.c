#include "import_steps.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 255, STRIDE = 64, SWEEPS = 6 };

/* Whole numbers that lie further apart are of no picture of 8 bits, and beyond what an unsigned long can hold. */
static const double APART = 0x1p32;

static unsigned long divisor(unsigned long a, unsigned long b)
{
    while (b != 0) {
        const unsigned long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

double import_step(const struct raster_samples *samples)
{
    const size_t count = (size_t)samples->width * (size_t)samples->height;
    double min = (double)samples->sample[0], max = min;
    unsigned long step = 0;
    for (size_t i = 0; i < count; i++) {
        const double number = (double)samples->sample[i], apart = fabs(number - (double)samples->sample[0]);
        if (number != floor(number) || !(apart <= APART))
            return 0;
        step = divisor((unsigned long)apart, step);
        min = fmin(min, number);
        max = fmax(max, number);
    }
    return step > 0 && (max - min) / (double)step <= STEPS ? (double)step : 0;
}

/* The mean of the four that are a stride away; at edges, of pairs. */
static double mean_around(const struct raster_samples *samples, int x, int y, int stride)
{
    const size_t width = (size_t)samples->width;
    const float *const at = samples->sample + (size_t)y * width + (size_t)x;
    const size_t across = (size_t)stride, down = across * width;
    double sum = 0;
    int pairs = 0;
    if (x >= stride && x + stride < samples->width) {
        sum += ((double)*(at - across) + (double)at[across]) / 2;
        pairs++;
    }
    if (y >= stride && y + stride < samples->height) {
        sum += ((double)*(at - down) + (double)at[down]) / 2;
        pairs++;
    }
    return pairs > 0 ? sum / pairs : (double)*at;
}

/*
 * From far neighbours to near ones, so that a terrace as wide as these becomes a slope, too. The least and the greatest number stay: seas and
 * what was cut off are level.
 */
int import_smooth(struct raster_samples *samples, double step)
{
    const size_t width = (size_t)samples->width, count = width * (size_t)samples->height;
    float *const was = malloc(count * sizeof *was);
    if (!was)
        return -1;
    float min = samples->sample[0], max = min;
    for (size_t i = 0; i < count; i++) {
        was[i] = samples->sample[i];
        min = was[i] < min ? was[i] : min;
        max = was[i] > max ? was[i] : max;
    }
    for (int stride = STRIDE; stride > 0; stride /= 2)
        for (int sweep = 0; sweep < SWEEPS; sweep++)
            for (size_t i = 0; i < count; i++) {
                const double most = was[i] > min && was[i] < max ? step * 0.4999 : 0;
                const double low = (double)was[i] - most, high = (double)was[i] + most;
                const double mean = mean_around(samples, (int)(i % width), (int)(i / width), stride);
                samples->sample[i] = (float)fmin(fmax(mean, low), high);
            }
    free(was);
    return 0;
}
