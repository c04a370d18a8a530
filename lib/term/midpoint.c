/*
 * Seamless midpoint displacement: the diamond-square algorithm on one lattice without end.
 *
 * Fournier, Fussell and Carpenter's method starts from the corners of a square and halves the spacing again
 * and again: the diamond step sets the middle of each square to the mean of its four corners and an offset,
 * the square step each remaining point to the mean of its four nearest neighbours and an offset. Here the
 * corners are those of all cells of the plane, and an offset is hashed from its point's coordinates. So there
 * are no borders, where published versions wrap around or use three neighbours, and a point is a function of
 * its coordinates:
 *
 *     subdivision 0      2       1       0        point (u, v) of subdivision i stands at (u, v) * cell / 2^i
 *                    0 . . . 0
 *                    . 2 2 2 .                    u, v both even   point (u / 2, v / 2) of subdivision i - 1
 *                    . 2 1 2 .                    both odd         diamond: four corners of subdivision i - 1
 *                    . 2 2 2 .                    one odd          square: two of those and two diamonds of i
 *                    0 . . . 0
 *
 * A strip is made from the coarsest lattice down. A range of a lattice depends on a range of the lattice
 * before it, half as long and with at most two points more at each end (range_before); four points at a time
 * depend on four, so the lattices above the finest cost little. Each subdivision makes all diamonds first,
 * then row by row the squares, and weaves them with the coarser points. Every loop over samples is
 * elementwise: one point is computed by the same operations wherever its window ends.
 *
 * No coordinate overflows: |g| <= 2^50 + 2^22 + 259 at the level's spacing, coarser ones are less by halving,
 * and range_before adds 3 at most.
 */
#include "midpoint.h"

#include "../base/hash.h"

/* Points first .. first + count - 1 along one axis of a lattice. */
struct range {
    int64_t first;
    int count;
};

/* A part of a lattice: at[r * pitch + i] is the point (x.first + i, y.first + r). */
struct lattice_part {
    struct range x, y;
    float *at;
    int pitch;
};

static float *part_row(const struct lattice_part *part, int r)
{
    return part->at + r * part->pitch;
}

/* How one subdivision displaces its points. */
struct displacement {
    bool none;       /* beyond the last octave: means alone */
    bool smoothed;   /* offsets shrink with the mean */
    uint64_t key;    /* of the octave */
    float amplitude; /* of the octave */
    float full;      /* smoothed: means from here up get the whole offset */
};

/*
 * The range on which a range depends, k subdivisions before: for k = 1 the coarser points from one left of
 * the range's first diamond to one right of its last, where a diamond may be one point outside; repeated k
 * times.
 */
static struct range range_before(struct range range, int k)
{
    const int64_t last = range.first + range.count - 1;
    const int64_t first = ((range.first + 1) >> k) - 1;
    return (struct range){.first = first, .count = (int)(((last - 2) >> k) + 3 - first)};
}

/* A row of corner values, at every 2^stride_log2-th corner. */
static void corner_row(uint64_t key, float amplitude, int64_t row, const uint32_t *word, int count,
                       float *restrict out)
{
    const struct hash_row of = hash_row(key, row);
    for (int i = 0; i < count; i++)
        out[i] = amplitude * hash_unit(hash_corner(word[i], of));
}

static void corners(struct midpoint *work, uint64_t key, float amplitude, int stride_log2,
                    const struct lattice_part *out)
{
    hash_columns(key, (int64_t)((uint64_t)out->x.first << stride_log2), stride_log2, out->x.count,
                 work->even);
    for (int r = 0; r < out->y.count; r++) {
        const uint64_t row = (uint64_t)(out->y.first + r) << stride_log2;
        corner_row(key, amplitude, (int64_t)row, work->even, out->x.count, part_row(out, r));
    }
}

/* ---- One subdivision ----------------------------------------------------------------------------------- */

/* The four neighbours of a row of points, opposite ones in pairs: means do not change under quarter turns. */
struct neighbours {
    const float *a, *b;
    const float *c, *d;
};

static inline float mean(const struct neighbours *of, int i)
{
    return ((of->a[i] + of->b[i]) + (of->c[i] + of->d[i])) * 0.25f;
}

/* 0 at or below 0, 1 from full up. The quotient may overflow, to infinity. */
static inline float share(float height, float full)
{
    const float quotient = height / full;
    const float positive = quotient > 0.0f ? quotient : 0.0f;
    return positive < 1.0f ? positive : 1.0f;
}

/* Points of one row, whose columns have the given words: means and offsets. */
static void displace(const struct displacement *by, int64_t row, const uint32_t *word, struct neighbours of,
                     int count, float *restrict out)
{
    if (by->none) {
        for (int i = 0; i < count; i++)
            out[i] = mean(&of, i);
        return;
    }
    const struct hash_row key = hash_row(by->key, row);
    const float amplitude = by->amplitude, full = by->full;
    if (by->smoothed) {
        for (int i = 0; i < count; i++) {
            const float m = mean(&of, i);
            out[i] = m + (amplitude * share(m, full)) * hash_unit(hash_corner(word[i], key));
        }
    } else {
        for (int i = 0; i < count; i++)
            out[i] = mean(&of, i) + amplitude * hash_unit(hash_corner(word[i], key));
    }
}

/* odd[0], even[0], odd[1] ... odd[count - 1] */
static void weave(const float *odd, const float *even, int count, float *restrict out)
{
    for (int j = 0; j < count - 1; j++) {
        out[2 * j] = odd[j];
        out[2 * j + 1] = even[j];
    }
    out[2 * count - 2] = odd[count - 1];
}

/*
 * Fills fine from coarse only. With n = coarse.x.count there are n - 1 columns of diamonds; the first may be
 * one point left of fine, the last one right: rows have room for them.
 */
static void subdivide(struct midpoint *work, const struct displacement *by, const struct lattice_part *coarse,
                      const struct lattice_part *fine)
{
    const int n = coarse->x.count;
    const int64_t column = 2 * coarse->x.first + 1; /* of the first diamonds */
    const int64_t lead = column - fine->x.first;    /* -1 or 0 */

    if (!by->none) {
        hash_columns(by->key, column, 1, n - 1, work->odd);
        hash_columns(by->key, column + 1, 1, n - 2, work->even);
    }
    for (int q = 0; q < coarse->y.count - 1; q++) {
        const float *north = part_row(coarse, q), *south = part_row(coarse, q + 1);
        const struct neighbours of = {.a = north, .b = south + 1, .c = north + 1, .d = south};
        displace(by, 2 * (coarse->y.first + q) + 1, work->odd, of, n - 1, work->diamond[q]);
    }
    for (int r = 0; r < fine->y.count; r++) {
        const int64_t row = fine->y.first + r;
        const int q = (int)((row >> 1) - coarse->y.first);
        float *out = part_row(fine, r) + lead;
        if (row & 1) {
            const float *diamond = work->diamond[q];
            const float *north = part_row(coarse, q) + 1, *south = part_row(coarse, q + 1) + 1;
            const struct neighbours of = {.a = diamond, .b = diamond + 1, .c = north, .d = south};
            displace(by, row, work->even, of, n - 2, work->square);
            weave(diamond, work->square, n - 1, out);
        } else {
            const float *west = part_row(coarse, q);
            const struct neighbours of = {
                .a = west, .b = west + 1, .c = work->diamond[q - 1], .d = work->diamond[q]};
            displace(by, row, work->odd, of, n - 1, work->square);
            weave(work->square, west + 1, n - 1, out);
        }
    }
}

/* ---- All of them --------------------------------------------------------------------------------------- */

static uint64_t octave_key(const struct terrane_world *world, const struct terrane_fractal *fractal,
                           int octave)
{
    return hash_absorb(hash_absorb(world->seed, fractal->salt), (uint64_t)octave);
}

static int cell_log2(const struct terrane_fractal *fractal)
{
    int log2 = 0;
    while (INT64_C(1) << log2 < (int64_t)fractal->cell)
        log2++;
    return log2;
}

/* The part of the work's lattice that contains these ranges. */
static struct lattice_part part_between(struct midpoint *work, int which, struct range x, struct range y)
{
    return (struct lattice_part){.x = x, .y = y, .at = work->lattice[which][0] + 1, .pitch = MIDPOINT_ROW};
}

/* Adjacent rows. */
static void make_part(struct midpoint *work, const struct terrane_world *world,
                      const struct terrane_fractal *fractal, int level, const struct lattice_part *out)
{
    const int subdivisions = cell_log2(fractal) - level;
    const float full = fractal->offset * fractal->amplitude_m;
    struct displacement by = {
        .smoothed = fractal->kind == TERRANE_MIDPOINT_SMOOTHED,
        .amplitude = fractal->amplitude_m,
        .full = full > 0x1p-126f ? full : 0x1p-126f,
    };
    const uint64_t key = octave_key(world, fractal, 0);
    if (subdivisions <= 0) {
        corners(work, key, by.amplitude, -subdivisions, out);
        return;
    }

    struct lattice_part coarse =
        part_between(work, 0, range_before(out->x, subdivisions), range_before(out->y, subdivisions));
    corners(work, key, by.amplitude, 0, &coarse);
    for (int i = 1; i <= subdivisions; i++) {
        const int left = subdivisions - i;
        const struct lattice_part fine =
            left ? part_between(work, i & 1, range_before(out->x, left), range_before(out->y, left)) : *out;
        by.none = i >= fractal->octaves;
        if (!by.none)
            by.key = octave_key(world, fractal, i);
        by.amplitude *= fractal->gain;
        subdivide(work, &by, &coarse, &fine);
        coarse = fine;
    }
}

void midpoint_rows(struct midpoint *work, const struct terrane_world *world,
                   const struct terrane_fractal *fractal, int level, int64_t gi, int width, int64_t gj,
                   int step, int rows, struct strip *out)
{
    const int adjacent = step == 1 ? rows : 1;
    for (int r = 0; r < rows; r += adjacent) {
        const struct lattice_part part = {
            .x = {.first = gi, .count = width},
            .y = {.first = gj + (int64_t)r * step, .count = adjacent},
            .at = out->value[r] + KERNEL_PAD,
            .pitch = KERNEL_ROW,
        };
        make_part(work, world, fractal, level, &part);
    }
}
