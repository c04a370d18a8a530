/*
 * What the calls of terrane_patch.h share.
 */
#ifndef TERRANE_PATH_PATCH_H
#define TERRANE_PATH_PATCH_H

#include "terrane_patch.h"

enum {
    PATCH_BLOCK = 16, /* samples that rows of its memory are padded to */
    PATCH_BYTES = 128 /* of memory for each padded sample: what no call passes */
};

#define PATCH_RANGE_MAX 0x1p40 /* of heights and roughness in any unit */

static inline size_t patch_samples(const struct terrane_patch *patch)
{
    return (size_t)patch->side * (size_t)patch->side;
}

/* Samples from one padded row to the next: a block before it and a block or more after it. */
static inline int patch_stride(const struct terrane_patch *patch)
{
    return (patch->side + PATCH_BLOCK - 1) / PATCH_BLOCK * PATCH_BLOCK + 2 * PATCH_BLOCK;
}

/* Rows and padding, a row above and one below. */
static inline size_t patch_padded(const struct terrane_patch *patch)
{
    return (size_t)(patch->side + 2) * (size_t)patch_stride(patch);
}

/* Side, spacing and unit are in range. */
bool patch_valid(const struct terrane_patch *patch);

/* Heights are finite and within PATCH_RANGE_MAX. */
bool patch_heights_valid(const struct terrane_patch *patch, const double *heights);

/* Across has its vectors, roughness and positions are within PATCH_RANGE_MAX, thresholds are 0 or more. */
bool patch_limits_valid(const struct terrane_patch *patch, const struct terrane_limits *limits,
                        const struct terrane_relax *relax);

/* ---- What samples are held to -------------------------------------------------------------------------- */

static inline bool patch_holds(const float *limit, size_t at)
{
    return limit && limit[at] >= 0;
}

static inline bool patch_holds_position(const double *position, size_t at)
{
    return position && position[at] == position[at];
}

/* Quadrants as bits 0 .. 3: x to the right, to the left of it, y below; then y above. */
static inline unsigned patch_quadrants(const struct terrane_patch *patch, int x, int y)
{
    const int last = patch->side - 1;
    const unsigned columns = (x < last ? 1u : 0) | (x > 0 ? 2u : 0);
    return (y < last ? columns : 0) | (y > 0 ? columns << 2 : 0);
}

/* Samples from one to its neighbour along x, and along y, in a quadrant. */
static inline int patch_quadrant_x(int quadrant)
{
    return quadrant & 1 ? -1 : 1;
}

static inline int patch_quadrant_y(int quadrant)
{
    return quadrant & 2 ? -1 : 1;
}

/*
 * For each sample the nearest one whose mark is not 0: nearest[], UINT32_MAX where there is none at all; of equal ones that
 * of the lesser column, then row. rows: side values each of scratch for every row.
 */
void patch_nearest(const struct terrane_patch *patch, const uint8_t *mark, int32_t *rows, uint32_t *nearest);

/* Squared distance of two samples, in samples. */
static inline int64_t patch_distance2(const struct terrane_patch *patch, size_t a, size_t b)
{
    const int64_t side = patch->side;
    const int64_t dx = (int64_t)a % side - (int64_t)b % side, dy = (int64_t)a / side - (int64_t)b / side;
    return dx * dx + dy * dy;
}

/* Root of the sum of squared slopes from a sample to its neighbours. */
double patch_roughness(const struct terrane_patch *patch, const double *heights, int x, int y);

/* terrane_patch_report of what is in range, after so many iterations: how is ALL where nothing is unsatisfied, CYCLE where
 * something is though nothing moved. */
void patch_report(const struct terrane_patch *patch, const struct terrane_limits *limits,
                  const struct terrane_relax *relax, const double *heights, int64_t iterations,
                  enum terrane_relaxed how, struct terrane_relax_report *report);

/* ---- The ends of a relaxation -------------------------------------------------------------------------- */

/*
 * Sees that a patch is as it was, by comparing it with a copy that is renewed at iterations 1, 2, 4, 8 ... (Brent): a cycle
 * of length n that is entered at iteration m is seen before iteration 4 max(m, n).
 *
 * Heights that go in a circle drift by rounding and meet themselves after ages only; so they are as they were when none is off by more than 2^-45 of the greatest at the start.
 * At such a pace a slope changes by T_s in T_s * 2^45 circles or so: 3 * 10^8 of them for 1e-5. Ground that is on its way
 * moves a T_s a time.
 *
 * What differed the last time is looked at first, so this costs next to nothing.
 */
struct patch_cycle {
    double *copy;
    size_t count, differs; /* numbers; the last one that differed */
    double tolerance;
    int64_t renew;
};

void patch_cycle_start(struct patch_cycle *cycle, double *copy, const double *now, size_t count);
bool patch_cycle_seen(struct patch_cycle *cycle, const double *now, int64_t iteration);

/* Iterations between two calls of progress, when one looks at so many samples. */
int64_t patch_progress_every(size_t held);

#endif
