/*
 * Drainage by D8 (O'Callaghan and Mark 1984), and concavity by slope over area (Flint 1974).
 *
 * Every step goes strictly down, so paths have no cycles, and areas add up from the springs: a sample is passed on once
 * all that drain to it have been. The sum of all paths' lengths needs no path: a step is walked by as many samples as
 * its area counts.
 */
#include "drainage.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = 8, PASSED_ON = 0x80 };

static const int step_x[8] = {-1, 0, 1, -1, 1, -1, 0, 1}, step_y[8] = {-1, -1, -1, 0, 0, 1, 1, 1};

/* A raster's network under way. */
struct network {
    const struct raster *raster;
    double sea_m;
    double distance_m[8]; /* of each step */
    uint8_t *to;          /* of each sample: its step, or NOWHERE */
    uint8_t *pending;     /* samples that drain to it and have not been added to its area yet */
    uint32_t *area;       /* samples, itself included: under 2^26 */
};

static ptrdiff_t offset_of(const struct network *network, int step)
{
    return (ptrdiff_t)step_y[step] * network->raster->width + step_x[step];
}

static bool is_land(const struct network *network, size_t at)
{
    return (double)network->raster->sample[at] >= network->sea_m;
}

/* Slope of the ground along a step, rise over run. */
static double slope_along(const struct network *network, size_t at, int step)
{
    const float *const height = network->raster->sample + at;

    return ((double)height[0] - (double)height[offset_of(network, step)]) / network->distance_m[step];
}

/* ---- The network -------------------------------------------------------------------------------------- */

static int steepest(const struct network *network, size_t at)
{
    double most = 0;
    int found = NOWHERE;

    for (int step = 0; step < 8; step++) {
        const double slope = slope_along(network, at, step);
        if (slope > most) {
            most = slope;
            found = step;
        }
    }
    return found;
}

static void connect(struct network *network)
{
    const struct raster *const raster = network->raster;

    memset(network->to, NOWHERE, raster_count(raster));
    for (int j = 1; j < raster->height - 1; j++)
        for (int i = 1; i < raster->width - 1; i++) {
            const size_t at = (size_t)j * (size_t)raster->width + (size_t)i;
            if (!is_land(network, at))
                continue;
            const int step = steepest(network, at);
            network->to[at] = (uint8_t)step;
            if (step != NOWHERE)
                network->pending[(ptrdiff_t)at + offset_of(network, step)]++;
        }
}

static void accumulate(struct network *network)
{
    const size_t count = raster_count(network->raster);

    for (size_t i = 0; i < count; i++)
        network->area[i] = is_land(network, i);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        if (network->pending[i] != 0 || network->to[i] >= NOWHERE)
            continue;
        for (;;) { /* from a spring down to where others are still missing */
            const int step = network->to[at];
            if (step == NOWHERE)
                break;
            const size_t next = (size_t)((ptrdiff_t)at + offset_of(network, step));
            network->area[next] += network->area[at];
            network->to[at] |= PASSED_ON;
            if (--network->pending[next] != 0)
                break;
            at = next;
        }
    }
    for (size_t i = 0; i < count; i++)
        network->to[i] &= (uint8_t)~PASSED_ON;
}

/* ---- Measures ----------------------------------------------------------------------------------------- */

static enum drainage_end end_of(const struct network *network, size_t at)
{
    const int width = network->raster->width, height = network->raster->height;
    const int i = (int)(at % (size_t)width), j = (int)(at / (size_t)width);

    if (!is_land(network, at))
        return DRAINAGE_SEA;
    return i == 0 || j == 0 || i == width - 1 || j == height - 1 ? DRAINAGE_BORDER : DRAINAGE_PIT;
}

static void measure_paths(const struct network *network, struct drainage *out)
{
    const size_t count = raster_count(network->raster);
    double length_m = 0;

    for (size_t i = 0; i < count; i++) {
        const int step = network->to[i];
        out->land += is_land(network, i);
        if (step != NOWHERE)
            length_m += network->area[i] * network->distance_m[step];
        else
            out->end[end_of(network, i)] += network->area[i];
    }
    out->length_m = out->land > 0 ? length_m / (double)out->land : (double)NAN;
    for (int k = 0; k < DRAINAGE_ENDS; k++)
        out->end[k] = out->land > 0 ? out->end[k] / (double)out->land : (double)NAN;
}

/* Half octaves from DRAINAGE_AREA_LEAST on; -1: outside the range. */
static int bin_of(uint32_t area)
{
    if (area < DRAINAGE_AREA_LEAST || area >= DRAINAGE_AREA_MOST)
        return -1;

    const int bin = (int)(2 * log2((double)area / DRAINAGE_AREA_LEAST));

    return bin < DRAINAGE_BINS ? bin : DRAINAGE_BINS - 1;
}

static void measure_concavity(const struct network *network, struct drainage *out)
{
    const size_t count = raster_count(network->raster);
    double x[DRAINAGE_BINS], y[DRAINAGE_BINS];
    size_t samples[DRAINAGE_BINS] = {0};
    int points = 0;

    for (size_t i = 0; i < count; i++) {
        const int bin = network->to[i] != NOWHERE ? bin_of(network->area[i]) : -1;
        if (bin < 0)
            continue;
        samples[bin]++;
        out->area[bin] += network->area[i];
        out->slope[bin] += slope_along(network, i, network->to[i]);
    }
    for (int k = 0; k < DRAINAGE_BINS; k++) {
        const bool enough = samples[k] >= DRAINAGE_COUNT;
        out->area[k] = enough ? out->area[k] / (double)samples[k] : (double)NAN;
        out->slope[k] = enough ? out->slope[k] / (double)samples[k] : (double)NAN;
        if (!enough)
            continue;
        x[points] = log10(out->area[k]);
        y[points++] = log10(out->slope[k]);
    }
    out->fit = fit_line(x, y, points);
}

int drainage_measure(const struct raster *raster, double sea_m, struct drainage *out)
{
    const size_t count = raster_count(raster);
    struct network network = {.raster = raster, .sea_m = sea_m};
    int result = -1;

    *out = (struct drainage){0};
    for (int step = 0; step < 8; step++)
        network.distance_m[step] = hypot(step_x[step] * raster->dx_m, step_y[step] * raster->dy_m);
    network.to = malloc(count);
    network.pending = calloc(count, 1);
    network.area = malloc(count * sizeof *network.area);
    if (!network.to || !network.pending || !network.area)
        goto out;
    connect(&network);
    accumulate(&network);
    measure_paths(&network, out);
    measure_concavity(&network, out);
    result = 0;
out:
    free(network.to);
    free(network.pending);
    free(network.area);
    return result;
}
