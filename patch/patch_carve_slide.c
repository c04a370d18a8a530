/*
 * Ground that no limit holds hides what was put on it: neighbours come to be moved by nearly the same.
 *
 * What ground was moved by is bounded, not its height: all that is finer than that stays as it was. Two bounds:
 * neighbours differ by a step at most; and the hem, beside what is held: ground is moved by as much as the nearest
 * held samples are, and by two steps more or less for each sample further away. Where there is
 * no room for all the hem gives way, then the steps.
 *
 * Ground goes from one sample to a neighbour only, in whole units: nothing is lost, and no sample that is held
 * moves. O(samples) for each of a fixed number of sweeps, less where few samples move.
 */
#include "patch_carve.h"

#include <string.h>

enum {
    HEM = 2, /* steps for each sample further away */
    HEM_SWEEPS = 400,
    NO_LIMIT_BITS = 40 /* more than anything is moved by, and the hem reaches */
};

struct hem {
    int64_t *min, *max;     /* that each sample is moved by */
    uint32_t *order, *rank; /* samples from the held ones outwards; each one's place among them */
};

_Static_assert(2 * sizeof(int64_t) + 2 * sizeof(uint32_t) + 1 <= CARVE_SCRATCH,
               "what a sample takes of scratch");

static int64_t size_of(int64_t value)
{
    return value < 0 ? -value : value;
}

static int64_t moved_by(const struct carve *carve, uint32_t at)
{
    return (int64_t)carve->heights[at] - carve->ground[at];
}

void carve_find_step(struct carve *carve)
{
    const int side = (int)carve_row(carve->side);
    int64_t sum = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const int32_t *here = carve->ground + y * side + x;
            sum += x + 1 < side ? size_of((int64_t)here[1] - here[0]) : 0;
            sum += y + 1 < side ? size_of((int64_t)here[side] - here[0]) : 0;
        }
    carve->step = 1 + sum / (2 * (int64_t)side * (side - 1));
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* How much of by, 0 or more, may go from one sample to another without either leaving the hem. */
static int64_t within(const struct carve *carve, const struct hem *hem, uint32_t from, uint32_t to,
                      int64_t by)
{
    const int64_t spare = moved_by(carve, from) - hem->min[from];
    const int64_t room = hem->max[to] - moved_by(carve, to);
    return carve_clamp(by, 0, carve_clamp(spare < room ? spare : room, 0, by));
}

/* Whether anything moved. */
static bool slide(struct carve *carve, const uint8_t *fixed, const struct hem *hem, uint32_t a, uint32_t b)
{
    if (fixed[a] || fixed[b])
        return false;
    const int64_t d = moved_by(carve, a) - moved_by(carve, b);
    const uint32_t from = d > 0 ? a : b, to = d > 0 ? b : a;
    int64_t by = (size_of(d) - carve->step + 1) / 2;
    if (by > 0 && hem)
        by = within(carve, hem, from, to, by);
    if (by <= 0)
        return false;
    int32_t *height = carve->heights;
    if (height[from] - by < -TERRANE_PATCH_HEIGHT_MAX || height[to] + by > TERRANE_PATCH_HEIGHT_MAX)
        return false;
    height[from] -= (int32_t)by;
    height[to] += (int32_t)by;
    const ptrdiff_t side = carve->side;
    for (int i = 0; i < 2; i++) {
        uint8_t *dirty = carve->dirty + (i ? b : a);
        dirty[0] = dirty[1] = dirty[-1] = dirty[side] = dirty[-side] = 1;
    }
    return true;
}

static bool sweep(struct carve *carve, const uint8_t *fixed, const struct hem *hem, bool back)
{
    const uint32_t side = carve_row(carve->side), samples = side * side;
    bool moved = false;
    for (uint32_t i = 0; i < samples; i++) {
        const uint32_t at = back ? samples - 1 - i : i;
        if (!carve->dirty[at])
            continue;
        carve->dirty[at] = 0;
        if (at % side + 1 < side)
            moved |= slide(carve, fixed, hem, at, at + 1);
        if (at + side < samples)
            moved |= slide(carve, fixed, hem, at, at + side);
    }
    return moved;
}

static void sweeps(struct carve *carve, const uint8_t *fixed, const struct hem *hem, int max)
{
    memset(carve->dirty, 1, (size_t)carve->side * (size_t)carve->side);
    for (int i = 0; i < max; i++)
        if (!sweep(carve, fixed, hem, i & 1))
            return;
}

void carve_slide(struct carve *carve, const uint8_t *fixed, int max)
{
    sweeps(carve, fixed, NULL, max);
}

/* ---- The hem ------------------------------------------------------------------------------------------- */

static void widen(const struct hem *hem, uint32_t at, uint32_t from, int64_t step)
{
    if (hem->max[from] + step < hem->max[at])
        hem->max[at] = hem->max[from] + step;
    if (hem->min[from] - step > hem->min[at])
        hem->min[at] = hem->min[from] - step;
}

/* Two passes: distances along rows and columns. Held samples that differ by more leave the middle between them. */
static void find_hem(const struct carve *carve, const struct hem *hem)
{
    const uint32_t side = carve_row(carve->side), samples = side * side;
    const int64_t none = (int64_t)1 << NO_LIMIT_BITS;
    for (uint32_t at = 0; at < samples; at++) {
        hem->max[at] = carve->held[at] ? moved_by(carve, at) : none;
        hem->min[at] = carve->held[at] ? moved_by(carve, at) : -none;
    }
    for (uint32_t i = 0; i < 2 * samples; i++) {
        const bool back = i >= samples;
        const uint32_t at = back ? 2 * samples - 1 - i : i;
        if (carve->held[at])
            continue;
        if (back ? at % side + 1 < side : at % side > 0)
            widen(hem, at, back ? at + 1 : at - 1, HEM * carve->step);
        if (back ? at + side < samples : at >= side)
            widen(hem, at, back ? at + side : at - side, HEM * carve->step);
    }
    for (uint32_t at = 0; at < samples; at++)
        if (hem->min[at] > hem->max[at])
            hem->min[at] = hem->max[at] = (hem->min[at] + hem->max[at]) / 2;
}

/* What a sample is moved by beyond its hem goes to its neighbours further out, or further in, by equal parts. */
static void push(struct carve *carve, const struct hem *hem, uint32_t at, bool outwards)
{
    const int64_t max = TERRANE_PATCH_HEIGHT_MAX, ground = carve->ground[at];
    const int64_t then = carve_clamp(moved_by(carve, at), hem->min[at], hem->max[at]);
    int64_t left = carve->heights[at] - carve_clamp(ground + then, -max, max);
    if (left == 0)
        return;
    uint32_t near[4], to[4] = {0};
    carve_neighbours(carve_row(carve->side), at, near);
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (near[i] != at && !carve->held[near[i]] && (hem->rank[near[i]] > hem->rank[at]) == outwards)
            to[count++] = near[i];
    for (int i = 0; i < count; i++) {
        const int64_t height = carve->heights[to[i]];
        const int64_t part = carve_clamp(height + left / (count - i), -max, max) - height;
        carve->heights[to[i]] += (int32_t)part;
        carve->heights[at] -= (int32_t)part;
        left -= part;
    }
}

void carve_hem(struct carve *carve)
{
    const uint32_t samples = (uint32_t)carve->side * (uint32_t)carve->side;
    struct hem hem = {.min = carve->scratch};
    hem.max = hem.min + samples;
    hem.order = (uint32_t *)(hem.max + samples);
    hem.rank = hem.order + samples;
    int steps;
    if (carve_outwards(carve->side, carve->held, true, hem.order, (uint8_t *)(hem.rank + samples), &steps) !=
        samples)
        return;
    for (uint32_t i = 0; i < samples; i++)
        hem.rank[hem.order[i]] = i;
    find_hem(carve, &hem);
    for (uint32_t i = 0; i < 2 * samples; i++) {
        const uint32_t at = hem.order[i < samples ? i : 2 * samples - 1 - i];
        if (!carve->held[at])
            push(carve, &hem, at, i < samples);
    }
    sweeps(carve, carve->held, &hem, HEM_SWEEPS);
    sweeps(carve, carve->held, NULL, HEM_SWEEPS);
}
