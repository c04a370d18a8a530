/*
 * What a patch of heights keeps of its limits, and how a relaxation sees its end.
 */
#include "patch.h"

#include <string.h>

#define SQRT2 1.4142135623730951

struct terrane_relax terrane_relax_default(void)
{
    return (struct terrane_relax){
        .slope_threshold = 1e-5, .roughness_threshold = 0.04, .iterations_max = 1000000};
}

double patch_roughness(const struct terrane_patch *patch, const double *heights, int x, int y)
{
    const size_t side = (size_t)patch->side;
    const double here = heights[(size_t)y * side + (size_t)x];
    double sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int nx = x + dx, ny = y + dy;
            if ((dx == 0 && dy == 0) || nx < 0 || ny < 0 || nx >= patch->side || ny >= patch->side)
                continue;
            const double rise = heights[(size_t)ny * side + (size_t)nx] - here;
            sum += dx != 0 && dy != 0 ? rise * rise * 0.5 : rise * rise;
        }
    return __builtin_sqrt(sum) / patch->spacing;
}

/* ---- Report -------------------------------------------------------------------------------------------- */

/* Sums are of integers: parts of 2^-40, the lower and the upper halves apart, of up to 2^22 numbers below 2^60. */
struct tally {
    int64_t held, unsatisfied;
    uint64_t low, high;
};

static void count(struct tally *tally, double off, double threshold)
{
    tally->held++;
    if (!(off > threshold))
        return;
    tally->unsatisfied++;
    const uint64_t parts = off < 0x1p20 ? (uint64_t)(off * 0x1p40) : UINT64_C(1) << 60;
    tally->low += parts & UINT32_MAX;
    tally->high += parts >> 32;
}

static double mean(const struct tally *tally)
{
    if (tally->unsatisfied == 0)
        return 0;
    return ((double)tally->high * 0x1p-8 + (double)tally->low * 0x1p-40) / (double)tally->unsatisfied;
}

static void count_slopes(const struct terrane_patch *patch, const struct terrane_limits *limits,
                         double threshold, const double *heights, int x, int y, struct tally *tally)
{
    const int side = patch->side;
    const size_t at = (size_t)y * (size_t)side + (size_t)x;
    const bool gradient = patch_holds(limits->gradient, at), across = patch_holds(limits->across, at);
    const unsigned quadrants = patch_quadrants(patch, x, y);
    for (int q = 0; (gradient || across) && q < 4; q++) {
        if (!(quadrants >> q & 1))
            continue;
        const int qx = patch_quadrant_x(q), qy = patch_quadrant_y(q);
        const double *here = &heights[at];
        const double sx = (here[qx] - here[0]) / patch->spacing;
        const double sy = (here[qy * side] - here[0]) / patch->spacing;
        if (gradient)
            count(&tally[TERRANE_HOLD_GRADIENT], __builtin_sqrt(sx * sx + sy * sy) - limits->gradient[at],
                  threshold);
        if (across) {
            const double d = qx * sx * limits->across_x[at] + qy * sy * limits->across_y[at];
            count(&tally[TERRANE_HOLD_ACROSS], (d < 0 ? -d : d) - limits->across[at], threshold);
        }
    }
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

void patch_report(const struct terrane_patch *patch, const struct terrane_limits *limits,
                  const struct terrane_relax *relax, const double *heights, int64_t iterations,
                  enum terrane_relaxed how, struct terrane_relax_report *report)
{
    struct tally tally[TERRANE_HOLDS] = {{0}};
    for (int y = 0; y < patch->side; y++)
        for (int x = 0; x < patch->side; x++) {
            const size_t at = (size_t)y * (size_t)patch->side + (size_t)x;
            count_slopes(patch, limits, relax->slope_threshold, heights, x, y, tally);
            if (patch_holds(limits->roughness, at))
                count(&tally[TERRANE_HOLD_ROUGHNESS],
                      distance(patch_roughness(patch, heights, x, y), limits->roughness[at]),
                      relax->roughness_threshold);
            if (patch_holds_position(limits->position, at))
                count(&tally[TERRANE_HOLD_POSITION], distance(heights[at], limits->position[at]),
                      patch->unit * 0.5);
        }
    int64_t unsatisfied = 0;
    for (int k = 0; k < TERRANE_HOLDS; k++) {
        report->held[k] = tally[k].held;
        report->unsatisfied[k] = tally[k].unsatisfied;
        report->distance[k] = mean(&tally[k]);
        unsatisfied += tally[k].unsatisfied;
    }
    report->iterations = iterations;
    if (unsatisfied == 0)
        report->how = TERRANE_RELAXED_ALL;
    else
        report->how = how == TERRANE_RELAXED_ALL ? TERRANE_RELAXED_CYCLE : how;
}

int terrane_patch_report(const struct terrane_patch *patch, const struct terrane_limits *limits,
                         const struct terrane_relax *relax, const double *heights,
                         struct terrane_relax_report *report)
{
    if (!patch_valid(patch) || !patch_heights_valid(patch, heights) ||
        !patch_limits_valid(patch, limits, relax))
        return TERRANE_EPATCH;
    patch_report(patch, limits, relax, heights, 0, TERRANE_RELAXED_MAX, report);
    return 0;
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

void patch_cycle_start(struct patch_cycle *cycle, double *copy, const double *now, size_t count)
{
    double greatest = 0;
    for (size_t i = 0; i < count; i++)
        greatest = distance(now[i], 0) > greatest ? distance(now[i], 0) : greatest;
    *cycle = (struct patch_cycle){.copy = copy, .count = count, .tolerance = greatest * 0x1p-45, .renew = 1};
    memcpy(copy, now, count * sizeof *now);
}

/* The first number from .. to - 1 that differs; to: none. */
static size_t first_difference(const struct patch_cycle *cycle, const double *now, size_t from, size_t to)
{
    while (from < to && distance(cycle->copy[from], now[from]) <= cycle->tolerance)
        from++;
    return from;
}

static bool differs(struct patch_cycle *cycle, const double *now)
{
    const size_t last = cycle->differs;
    cycle->differs = first_difference(cycle, now, last, cycle->count);
    if (cycle->differs < cycle->count)
        return true;
    cycle->differs = first_difference(cycle, now, 0, last);
    return cycle->differs < last;
}

bool patch_cycle_seen(struct patch_cycle *cycle, const double *now, int64_t iteration)
{
    if (!differs(cycle, now))
        return true;
    if (iteration == cycle->renew) {
        memcpy(cycle->copy, now, cycle->count * sizeof *now);
        cycle->renew *= 2;
    }
    return false;
}

int64_t patch_progress_every(size_t held)
{
    const size_t often = (size_t)1 << 20; /* samples: a hundredth of a second or so */
    return held < often / 256 ? 256 : 1 + (int64_t)(often / held);
}
