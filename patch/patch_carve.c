/*
 * The fast way: see terrane_patch.h.
 *
 *   1. A few sweeps of all limits, each quadrant moved onto its limit by the least change that keeps its ground:
 *      what is local is done by moving ground over a sample or two, as cheap as it can be.
 *   2. The path alone, on coarse grids (patch_carve_levels.c) and a few sweeps on the finest.
 *   3. What the path has too much or too little then goes just beside it (patch_carve_beside.c), and is smoothed
 *      there (patch_carve_slide.c).
 *   4. Sweeps of all limits with the path nearly fast, outwards from it, each only where something has moved: banks
 *      slide until they lie as they may. Where only one sample of a quadrant is free to move, what it takes or
 *      leaves is owed.
 *   5. Exactly: a part of the ground that still has a slope above its limit is drawn towards its mean by just what
 *      the steepest needs.
 *   6. What is owed goes beside all that is held, where no limit looks at it: only as much of it as lies there in low
 *      piles, the rest to where the opposite is owed, further along. Piles are smoothed until no pair of neighbours
 *      was moved by amounts that differ by more than the ground itself does in the mean.
 *
 * Why it ends, and is exact. Each step has a fixed number of sweeps at most. Slopes and derivatives are linear
 * in heights, and two parts have no quadrant in common: drawn to its mean by f, all of a part's are f times
 * what they were, and whole units add less than 3, which f allows for; a limit of less than that makes the part
 * level. Step 6 moves no sample of a held quadrant. So all are kept after step 5 whatever the steps before it
 * did, and they decide only how far ground goes. Ground is kept to the last unit: moves are between samples, or
 * owed; only what finds no place at all (nothing outside is left of the patch) is spread over everything that
 * is held, all by as many units, which changes no slope; what that leaves is lost.
 *
 * Measured beside the sequential relaxation (T_s 1e-5), distance over its distance, sums of ten midpoint grounds
 * (257 x 257: of three):
 *
 *   slope 0.0035    33 x 33 0.90, 65 x 65 0.78, 129 x 129 0.78, 257 x 257 1.05 (the highest of any 1.33)
 *   slope 0.0005    33 x 33 0.64, 65 x 65 0.55, 129 x 129 0.63
 *   slope 0.0095    33 x 33 1.71, 65 x 65 1.77, 129 x 129 2.04: there the relaxation moves next to nothing, and its
 *                   1e-5 are a good part of that
 *
 * Of these 0.02 to 0.2 are the price of low, smooth piles: left where it is owed ground costs 0.75, 0.68 and 0.84 of
 * the relaxation's at 65, 129 and 257, and stands in walls one sample wide.
 *
 * It is 100 to 900 times as fast on ground that takes it 20,000 iterations or more. Not taken: coarse grids of all
 * the patch, 1.4 to 15 by how many there are, for ground flows out of the path as far as a coarse sample;
 * coarse grids of the path and plain sweeps after them, which undo them; the path's own balance beside the ring
 * as a whole, 1.1 to 1.8; over-relaxed sweeps, which diverge where limits cross.
 */
#include "patch_carve.h"

#include <string.h>

enum {
    FIRST_SWEEPS = 20,
    PATH_SWEEPS = 20,
    SLIDE_SWEEPS = 50,
    LAST_SWEEPS = 2000,
    PILE = 2, /* steps of the ground, for each sample that it is wide: what is put beside what is held */
    UNITS = 3 /* that whole units may add to a slope */
};

#define AIM       0.995         /* of a limit: what sweeps aim at, so that they end */
#define FAST      1e-3          /* how far the path moves for others, to 1 */
#define BELOW     (1 - 0x1p-40) /* of a limit: no rounding of a product or a sum of squares is more */
#define LIMIT_MAX 0x1p31        /* in units: no two heights differ by more */

/* ---- What is held -------------------------------------------------------------------------------------- */

static double in_units(const struct terrane_patch *patch, float slope)
{
    const double limit = (double)slope * patch->spacing / patch->unit * BELOW;
    return limit < LIMIT_MAX ? limit : LIMIT_MAX;
}

static void mark_quadrants(uint8_t *mask, const struct carve *carve, const struct carve_held *held)
{
    const ptrdiff_t side = carve->side;
    for (int q = 0; q < 4; q++)
        if (held->quadrants >> q & 1) {
            mask[held->at] = 1;
            mask[(ptrdiff_t)held->at + patch_quadrant_x(q)] = 1;
            mask[(ptrdiff_t)held->at + patch_quadrant_y(q) * side] = 1;
        }
}

static void add_held(struct carve *carve, const struct terrane_patch *patch,
                     const struct terrane_limits *limits, uint32_t at, enum carve_kind kind)
{
    if (!patch_holds(kind == CARVE_GRADIENT ? limits->gradient : limits->across, at))
        return;
    struct carve_held *held = &carve->list[carve->count++];
    *held = (struct carve_held){.at = at, .kind = (uint8_t)kind};
    held->quadrants = (uint8_t)patch_quadrants(patch, (int)at % carve->side, (int)at / carve->side);
    held->limit = in_units(patch, kind == CARVE_GRADIENT ? limits->gradient[at] : limits->across[at]);
    held->aim = held->limit * AIM > UNITS ? held->limit * AIM - UNITS : 0;
    if (kind == CARVE_ACROSS) {
        held->across_x = limits->across_x[at];
        held->across_y = limits->across_y[at];
    }
    mark_quadrants(carve->held, carve, held);
    if (kind == CARVE_GRADIENT)
        mark_quadrants(carve->path, carve, held);
}

uint32_t carve_outwards(int side, const uint8_t *mask, bool outwards, uint32_t *order, uint8_t *seen,
                        int *steps)
{
    const uint32_t row = (uint32_t)side, samples = row * row;
    uint32_t last = 0;
    for (uint32_t at = 0; at < samples; at++) {
        seen[at] = (mask[at] != 0) == outwards;
        if (seen[at])
            order[last++] = at;
    }
    *steps = 0;
    for (uint32_t first = 0, end = last; first < last; first++) {
        if (first == end) {
            end = last;
            ++*steps;
        }
        uint32_t to[4];
        carve_neighbours(row, order[first], to);
        for (int i = 0; i < 4; i++)
            if (!seen[to[i]]) {
                seen[to[i]] = 1;
                order[last++] = to[i];
            }
    }
    return last;
}

static void list_held(struct carve *carve, const struct terrane_patch *patch,
                      const struct terrane_limits *limits)
{
    const uint32_t samples = (uint32_t)patch_samples(patch);
    uint32_t *order = carve->scratch;
    uint8_t *seen = (uint8_t *)(order + samples);
    for (uint32_t at = 0; at < samples; at++)
        add_held(carve, patch, limits, at, CARVE_GRADIENT);
    carve->gradients = carve->count;
    carve_outwards(carve->side, carve->path, false, order, seen, &carve->halfwidth);
    int steps;
    if (carve_outwards(carve->side, carve->path, true, order, seen, &steps) == samples)
        for (uint32_t i = 0; i < samples; i++)
            add_held(carve, patch, limits, order[i], CARVE_ACROSS);
    else
        for (uint32_t at = 0; at < samples; at++)
            add_held(carve, patch, limits, at, CARVE_ACROSS);
}

/* ---- Sweeps -------------------------------------------------------------------------------------------- */

/* One quadrant: how steep it is, in what direction. */
struct quadrant {
    ptrdiff_t x, y; /* its neighbours */
    double ax, ay;  /* of its length: a unit vector, or that across */
    double length;  /* 0 or more */
};

/* The direction across as differences of this quadrant see it, so that length is 0 or more. */
static bool look(const struct carve *carve, const struct carve_held *held, int q, struct quadrant *quadrant)
{
    const int32_t *here = carve->heights + held->at;
    const ptrdiff_t x = patch_quadrant_x(q), y = patch_quadrant_y(q) * (ptrdiff_t)carve->side;
    const double dx = (double)here[x] - here[0], dy = (double)here[y] - here[0];
    quadrant->x = x;
    quadrant->y = y;
    if (held->kind == CARVE_GRADIENT) {
        const double length2 = dx * dx + dy * dy;
        if (!(length2 > held->limit * held->limit))
            return false;
        quadrant->length = __builtin_sqrt(length2);
        quadrant->ax = dx / quadrant->length;
        quadrant->ay = dy / quadrant->length;
        return true;
    }
    const double ax = patch_quadrant_x(q) * (double)held->across_x;
    const double ay = patch_quadrant_y(q) * (double)held->across_y;
    const double d = dx * ax + dy * ay;
    quadrant->length = d < 0 ? -d : d;
    quadrant->ax = d < 0 ? -ax : ax;
    quadrant->ay = d < 0 ? -ay : ay;
    return quadrant->length > held->limit;
}

/* Whether all heights stay in range; nothing moves if not. */
static bool move(struct carve *carve, const uint32_t at[3], const int64_t by[3])
{
    for (int i = 0; i < 3; i++) {
        const int64_t then = carve->heights[at[i]] + by[i];
        if (then > TERRANE_PATCH_HEIGHT_MAX || then < -TERRANE_PATCH_HEIGHT_MAX)
            return false;
    }
    const ptrdiff_t side = carve->side;
    for (int i = 0; i < 3; i++) {
        carve->heights[at[i]] += (int32_t)by[i];
        uint8_t *dirty = carve->dirty + at[i];
        dirty[0] = dirty[1] = dirty[-1] = dirty[side] = dirty[-side] = 3;
    }
    return true;
}

/*
 * Moves one quadrant onto its limit: its length is linear in the three heights, by a; with mobilities m, the
 * change is m (a - mean of a) times what takes the length to its aim, which keeps the ground. If hardly more
 * than one sample is mobile there is nothing to exchange with: it is moved alone, and owes.
 */
static bool hold(struct carve *carve, const struct carve_held *held, const struct quadrant *quadrant,
                 bool path_fast)
{
    const ptrdiff_t first = (ptrdiff_t)held->at;
    const uint32_t at[3] = {held->at, (uint32_t)(first + quadrant->x), (uint32_t)(first + quadrant->y)};
    const double a[3] = {-(quadrant->ax + quadrant->ay), quadrant->ax, quadrant->ay};
    double m[3], by[3];
    for (int i = 0; i < 3; i++)
        m[i] = path_fast && carve->path[at[i]] ? FAST : 1;
    const double mean = (m[0] * a[0] + m[1] * a[1] + m[2] * a[2]) / (m[0] + m[1] + m[2]);
    for (int i = 0; i < 3; i++)
        by[i] = m[i] * (a[i] - mean);
    double effect = a[0] * by[0] + a[1] * by[1] + a[2] * by[2];
    const bool alone = effect < 0.02;
    if (alone) {
        for (int i = 0; i < 3; i++)
            by[i] = m[i] * a[i];
        effect = a[0] * by[0] + a[1] * by[1] + a[2] * by[2];
    }
    if (!(effect > 1e-6))
        return false;
    const double t = (held->aim - quadrant->length) / effect;
    int64_t units[3];
    for (int i = 0; i < 3; i++)
        units[i] = (int64_t)(by[i] * t);
    if (!alone)
        units[0] = -(units[1] + units[2]);
    if (units[0] == 0 && units[1] == 0 && units[2] == 0)
        return false;
    if (!move(carve, at, units))
        return false;
    if (alone)
        for (int i = 0; i < 3; i++)
            carve->owed[at[i]] -= units[i];
    return true;
}

/* Those of list[from .. to - 1] about which something has moved. */
static bool sweep(struct carve *carve, int from, int to, bool back, bool path_fast)
{
    bool moved = false;
    for (int i = from; i < to; i++) {
        const struct carve_held *held = &carve->list[back ? from + to - 1 - i : i];
        uint8_t *dirty = &carve->dirty[held->at];
        if (!(*dirty >> held->kind & 1))
            continue;
        *dirty &= (uint8_t) ~(1 << held->kind);
        for (int j = 0; j < 4; j++) {
            const int q = back ? 3 - j : j;
            struct quadrant quadrant;
            if ((held->quadrants >> q & 1) && look(carve, held, q, &quadrant))
                moved |= hold(carve, held, &quadrant, path_fast);
        }
    }
    return moved;
}

static void sweeps(struct carve *carve, int to, int max, bool path_fast)
{
    memset(carve->dirty, 3, (size_t)carve->side * (size_t)carve->side);
    for (int i = 0; i < max; i++)
        if (!sweep(carve, 0, to, !path_fast && (i & 1), path_fast))
            return;
}

/* ---- Exactly ------------------------------------------------------------------------------------------- */

/* The parts of what is held: neighbours belong together. Each sample's part is known by one of its samples. */
struct parts {
    uint32_t *of, *queue;
    double *keep; /* of heights' differences to the mean; 1: all */
    int64_t *sum, *count;
};

_Static_assert(2 * sizeof(uint32_t) + sizeof(double) + 2 * sizeof(int64_t) <= CARVE_SCRATCH,
               "scratch of a sample");

static void find_part(const struct carve *carve, struct parts *parts, uint32_t from)
{
    uint32_t last = 0;
    parts->queue[last++] = from;
    parts->of[from] = from;
    parts->keep[from] = 1;
    parts->sum[from] = parts->count[from] = 0;
    for (uint32_t first = 0; first < last; first++) {
        const uint32_t at = parts->queue[first];
        uint32_t to[4];
        parts->sum[from] += carve->heights[at];
        parts->count[from]++;
        carve_neighbours((uint32_t)carve->side, at, to);
        for (int i = 0; i < 4; i++)
            if (carve->held[to[i]] && parts->of[to[i]] == UINT32_MAX) {
                parts->of[to[i]] = from;
                parts->queue[last++] = to[i];
            }
    }
}

/* The least that any quadrant lets its part keep. Returns whether any is less than all. */
static bool find_keep(const struct carve *carve, const struct parts *parts)
{
    bool steep = false;
    for (int i = 0; i < carve->count; i++) {
        const struct carve_held *held = &carve->list[i];
        for (int q = 0; q < 4; q++) {
            struct quadrant quadrant;
            if (!(held->quadrants >> q & 1) || !look(carve, held, q, &quadrant))
                continue;
            const double keep = held->limit > UNITS ? (held->limit - UNITS) / quadrant.length : 0;
            double *min = &parts->keep[parts->of[held->at]];
            *min = keep < *min ? keep : *min;
            steep = true;
        }
    }
    return steep;
}

static void make_exact(struct carve *carve)
{
    const uint32_t samples = (uint32_t)carve->side * (uint32_t)carve->side;
    struct parts parts = {.keep = carve->scratch};
    parts.sum = (void *)(parts.keep + samples);
    parts.count = parts.sum + samples;
    parts.of = (uint32_t *)(parts.count + samples);
    parts.queue = parts.of + samples;
    memset(parts.of, 0xFF, samples * sizeof *parts.of);
    for (uint32_t at = 0; at < samples; at++)
        if (carve->held[at] && parts.of[at] == UINT32_MAX)
            find_part(carve, &parts, at);
    if (!find_keep(carve, &parts))
        return;
    for (uint32_t at = 0; at < samples; at++) {
        const uint32_t part = parts.of[at];
        if (part == UINT32_MAX || !(parts.keep[part] < 1))
            continue;
        const int64_t mean = parts.sum[part] / parts.count[part];
        const int64_t then = mean + (int64_t)((double)(carve->heights[at] - mean) * parts.keep[part]);
        carve->owed[part] += carve->heights[at] - then;
        carve->heights[at] = (int32_t)then;
    }
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

/* The most that any sample owes, and 1 at least. */
static int64_t max_owed(const struct carve *carve)
{
    const uint32_t samples = (uint32_t)carve->side * (uint32_t)carve->side;
    int64_t max = 1;
    for (uint32_t at = 0; at < samples; at++) {
        const int64_t owed = carve->owed[at] < 0 ? -carve->owed[at] : carve->owed[at];
        max = owed > max ? owed : max;
    }
    return max;
}

/* What the path gains or loses goes beside it, in piles no higher than what any sample does. */
static void carve_path(struct carve *carve)
{
    const uint32_t samples = (uint32_t)carve->side * (uint32_t)carve->side;
    for (uint32_t at = 0; at < samples; at++)
        carve->owed[at] = carve->path[at] ? carve->heights[at] : 0;
    carve_levels(carve);
    sweeps(carve, carve->gradients, PATH_SWEEPS, false);
    for (uint32_t at = 0; at < samples; at++)
        carve->owed[at] -= carve->path[at] ? carve->heights[at] : 0;
    const int64_t rise = max_owed(carve);
    const int64_t lost = carve_beside(carve, carve->path, 1 + carve->halfwidth * 3 / 2, rise);
    carve->owed[carve->list[0].at] += lost;
    carve_slide(carve, carve->path, SLIDE_SWEEPS);
}

/* All that is held rises alike, if there is room. */
static void raise(struct carve *carve, int64_t sum)
{
    const uint32_t samples = (uint32_t)carve->side * (uint32_t)carve->side;
    int64_t count = 0, max = 0;
    for (uint32_t at = 0; at < samples; at++) {
        const int64_t height = carve->heights[at];
        count += carve->held[at];
        if (carve->held[at])
            max = height > max ? height : -height > max ? -height : max;
    }
    const int64_t by = count > 0 ? sum / count : 0;
    if ((by < 0 ? -by : by) > TERRANE_PATCH_HEIGHT_MAX - max)
        return;
    for (uint32_t at = 0; at < samples; at++)
        carve->heights[at] += carve->held[at] ? (int32_t)by : 0;
}

static struct carve new_carve(const struct terrane_patch *patch, int32_t *heights, void *memory)
{
    const size_t samples = patch_samples(patch), side = (size_t)patch->side;
    struct carve carve = {.side = patch->side, .heights = heights, .owed = memory};
    carve.scratch = carve.owed + samples;
    carve.list = (struct carve_held *)(void *)((uint8_t *)carve.scratch + CARVE_SCRATCH * samples);
    carve.ground = (int32_t *)(void *)(carve.list + 2 * samples);
    carve.path = (uint8_t *)(carve.ground + samples);
    carve.held = carve.path + samples;
    carve.dirty = carve.held + samples + side;
    memcpy(carve.ground, heights, samples * sizeof *heights);
    carve_find_step(&carve);
    memset(carve.path, 0, 2 * samples);
    memset(carve.owed, 0, samples * sizeof *carve.owed);
    return carve;
}

_Static_assert(sizeof(int64_t) + CARVE_SCRATCH + 2 * sizeof(struct carve_held) + sizeof(int32_t) + 3 <
                   PATCH_BYTES,
               "what a sample takes of memory");

int terrane_patch_carve(const struct terrane_patch *patch, const struct terrane_limits *limits, void *memory,
                        int32_t *heights)
{
    const struct terrane_relax any = terrane_relax_default();
    if (!patch_valid(patch) || !patch_limits_valid(patch, limits, &any))
        return TERRANE_EPATCH;
    for (size_t at = 0; at < patch_samples(patch); at++)
        if (heights[at] > TERRANE_PATCH_HEIGHT_MAX || heights[at] < -TERRANE_PATCH_HEIGHT_MAX)
            return TERRANE_EPATCH;

    struct carve carve = new_carve(patch, heights, memory);
    list_held(&carve, patch, limits);
    if (carve.count == 0)
        return 0;
    sweeps(&carve, carve.count, FIRST_SWEEPS, false);
    carve_path(&carve);
    sweeps(&carve, carve.count, LAST_SWEEPS, true);
    make_exact(&carve);
    /* Banks slide far and meet: what is owed there in one place would be a tower. It goes along the path. */
    const int depth = 1 + carve.halfwidth * 3 / 4;
    const int64_t lost = carve_beside(&carve, carve.held, depth, PILE * depth * carve.step);
    carve_hem(&carve);
    if (lost != 0)
        raise(&carve, lost);
    return 0;
}
