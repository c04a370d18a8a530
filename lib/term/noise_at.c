/*
 * Noise at a point: Perlin and simplex noise in 1, 3 and 4 dimensions, for uses other than maps.
 *
 * Both are sums over lattice points near the place: a weight that falls from the point, times the scalar
 * product of the point's hashed gradient and the displacement from it. Perlin's lattice is the cubic one and
 * its weight a product of fades. Simplex noise (Perlin 2001) stands on cubes squeezed along their diagonal,
 * so that each falls into n! equal simplices around it (the lattice A_n*, body-centred cubic in 3-D); its
 * weight is (R - r^2)^4 inside the radius sqrt(R) and 0 outside. R = 1/2 is the square of a simplex's height,
 * so the simplex's own corners are all that reach a place, and the noise is C3. (With 0.6, as often
 * published, corners of other simplices are cut off, and the noise jumps.) In 1-D a cell has length 1,
 * and R = 1.
 *
 * Gradients: in 1-D a slope, uniform in [-1, 1); in 3-D the 12 vectors of two 1s and a 0 with all signs, in
 * 4-D the 32 of three 1s and a 0. The sum is scaled to [-1, 1] by the inverse of its greatest value. At a
 * place the max is reached if each gradient is the one most along its displacement; its product is then the
 * sum of the displacement's absolute coordinates without the smallest. Only the place had to be searched:
 *
 *              1-D            3-D                        4-D
 *     PERLIN3  1/2 at 1/2     1.0449051896 at            1.5451999215 at
 *                             (.5, .476430, .324433)     (.5, .489744, .476608, .325820)
 *     PERLIN5  1/2 at 1/2     1.0363538112 at            1.5365823340 at
 *                             (.5, .518508, .355257)     (.5, .491926, .481625, .356412)
 *     SIMPLEX  81/256 at 1/2  0.0130071572               0.0159292215
 *
 * found by climbing from thousands of places, to the digits shown. Scales are rounded down.
 *
 * Arithmetic is binary64, and results are rounded once. A place is first split into whole cells, int64, and
 * the rest; the skew to the simplex lattice is a rational number, so whole cells are skewed in integers and
 * noise is as sharp at 2^52 cells as at 0. Nothing else depends on how far out a place is.
 */
#include "noise_at.h"

#include "../base/fade.h"
#include "../base/hash.h"
#include "../base/min_max.h"
#include "../recipe/kinds.h"

enum { DIMENSIONS = 4 };

/* The constants of a noise. */
struct noise {
    int dimensions;
    uint64_t key;
    bool quintic; /* Perlin's fade: S5 or S3 */
    double scale;
    /* simplex: skewed = x + (p / q) sum(x), x = skewed - p / (q + n p) sum(skewed) */
    int p, q;
    double radius_squared;
};

struct sum {
    double value, slope[DIMENSIONS];
};

/* A coordinate: cell + rest. */
struct split {
    int64_t cell;
    double rest; /* 0 .. 1; 1 where a negative coordinate next to 0 rounds to it */
};

/* |x| <= 2^52. The subtraction is exact except for -1/2 < x < 0, where it rounds to a multiple of 2^-53. */
static struct split split(double x)
{
    int64_t cell = (int64_t)x;
    if ((double)cell > x)
        cell--;
    return (struct split){.cell = cell, .rest = x - (double)cell};
}

/* ---- Gradients ----------------------------------------------------------------------------------------- */

/* The gradient of a lattice point: from the upper bits of its hash. */
static void gradient(int dimensions, uint64_t hash, double out[DIMENSIONS])
{
    if (dimensions == 1) {
        out[0] = (double)(int32_t)(hash >> 32) * 0x1p-31;
        return;
    }
    /* The axis that is 0, and signs of the others from the lowest bit on; branches would be unpredictable here. */
    const int signs = dimensions == 4 ? 3 : 2;
    const uint64_t drawn = (hash >> 32) * (dimensions == 4 ? 32 : 12) >> 32;
    const int zero = (int)(drawn >> signs);
    for (int axis = 0; axis < dimensions; axis++) {
        const int minus = (int)(drawn >> (axis - (axis > zero))) & 1;
        out[axis] = (double)((axis != zero) * (1 - 2 * minus));
    }
}

/* g . d, from the first axis on. */
static double product(int dimensions, const double *g, const double *d)
{
    double sum = 0;
    for (int axis = 0; axis < dimensions; axis++)
        sum += g[axis] * d[axis];
    return sum;
}

/* ---- Perlin -------------------------------------------------------------------------------------------- */

/* Adds a corner: weight(d) * (g . d), where the weight is a product of one factor an axis. */
static void perlin_corner(int dimensions, uint64_t hash, const double *d, const double *factor,
                          const double *factor_slope, struct sum *sum)
{
    double g[DIMENSIONS] = {0};
    gradient(dimensions, hash, g);
    const double height = product(dimensions, g, d);
    double weight = 1;
    for (int axis = 0; axis < dimensions; axis++)
        weight *= factor[axis];
    sum->value += weight * height;
    for (int by = 0; by < dimensions; by++) {
        double weight_slope = 1;
        for (int axis = 0; axis < dimensions; axis++)
            weight_slope *= axis == by ? factor_slope[axis] : factor[axis];
        sum->slope[by] += weight_slope * height + weight * g[by];
    }
}

/* The hashes of a cell's corners; bit a of a corner's number says that it is on the high side of axis a. */
static void perlin_hashes(const struct noise *noise, const struct split *at, uint64_t hash[1 << DIMENSIONS])
{
    hash[0] = noise->key;
    for (int axis = 0; axis < noise->dimensions; axis++)
        for (int corner = 0; corner < 1 << axis; corner++) {
            hash[corner | 1 << axis] = hash_absorb(hash[corner], (uint64_t)(at[axis].cell + 1));
            hash[corner] = hash_absorb(hash[corner], (uint64_t)at[axis].cell);
        }
}

static struct sum perlin(const struct noise *noise, const struct split *at)
{
    const int n = noise->dimensions;
    uint64_t hash[1 << DIMENSIONS] = {0};
    double d[2][DIMENSIONS], factor[2][DIMENSIONS],
        factor_slope[2][DIMENSIONS]; /* of the low and high side */
    for (int axis = 0; axis < n; axis++) {
        const double t = at[axis].rest;
        d[0][axis] = t;
        d[1][axis] = t - 1;
        factor[1][axis] = noise->quintic ? FADE5(t) : FADE3(t);
        factor[0][axis] = 1 - factor[1][axis];
        factor_slope[1][axis] = noise->quintic ? FADE5_SLOPE(t) : FADE3_SLOPE(t);
        factor_slope[0][axis] = -factor_slope[1][axis];
    }

    struct sum sum = {0};
    perlin_hashes(noise, at, hash);
    for (int corner = 0; corner < 1 << n; corner++) {
        double own_d[DIMENSIONS] = {0}, own_factor[DIMENSIONS] = {0}, own_slope[DIMENSIONS] = {0};
        for (int axis = 0; axis < n; axis++) {
            const int high = corner >> axis & 1;
            own_d[axis] = d[high][axis];
            own_factor[axis] = factor[high][axis];
            own_slope[axis] = factor_slope[high][axis];
        }
        perlin_corner(n, hash[corner], own_d, own_factor, own_slope, &sum);
    }
    return sum;
}

/* ---- Simplex ------------------------------------------------------------------------------------------- */

/*
 * The place on the skewed lattice. With s = sum of whole cells, cell + s p / q is whole except for a multiple
 * of 1 / q, which goes to the rest: |s| <= 2^54 and p < 2^9, so s p does not overflow.
 */
static void skew(const struct noise *noise, const struct split *at, struct split *out)
{
    int64_t cells = 0;
    double rests = 0;
    for (int axis = 0; axis < noise->dimensions; axis++) {
        cells += at[axis].cell;
        rests += at[axis].rest;
    }
    const int64_t whole = floor_divide(cells * noise->p, noise->q);
    const double part = (double)(cells * noise->p - whole * noise->q);
    const double add = (part + rests * noise->p) / noise->q;
    for (int axis = 0; axis < noise->dimensions; axis++) {
        const struct split rest = split(at[axis].rest + add);
        out[axis] = (struct split){.cell = at[axis].cell + whole + rest.cell, .rest = rest.rest};
    }
}

/* Adds a corner: (R - r^2)^4 (g . d). */
static void simplex_corner(const struct noise *noise, uint64_t hash, const double *d, struct sum *sum)
{
    const double t = noise->radius_squared - product(noise->dimensions, d, d);
    if (t <= 0)
        return;
    double g[DIMENSIONS] = {0};
    gradient(noise->dimensions, hash, g);
    const double height = product(noise->dimensions, g, d);
    const double cube = t * t * t;
    sum->value += cube * t * height;
    for (int axis = 0; axis < noise->dimensions; axis++)
        sum->slope[axis] += cube * t * g[axis] - 8 * cube * d[axis] * height;
}

/*
 * From the cube's low corner to its high one along the axes in falling order of their rests: that path is the
 * simplex around the place. If rests are equal the simplices meet, and either gives the same.
 */
static struct sum simplex(const struct noise *noise, const struct split *at)
{
    const int n = noise->dimensions;
    struct split skewed[DIMENSIONS] = {{0}};
    int rank[DIMENSIONS] = {0}; /* of the axis: how many precede it */
    double rests = 0;
    skew(noise, at, skewed);
    for (int axis = 0; axis < n; axis++) {
        rank[axis] = 0;
        rests += skewed[axis].rest;
        for (int other = 0; other < n; other++)
            rank[axis] += other < axis ? skewed[other].rest >= skewed[axis].rest
                                       : skewed[other].rest > skewed[axis].rest;
    }

    struct sum sum = {0};
    for (int corner = 0; corner <= n; corner++) {
        const double back = (rests - corner) * noise->p / (noise->q + n * noise->p);
        double d[DIMENSIONS] = {0};
        uint64_t hash = noise->key;
        for (int axis = 0; axis < n; axis++) {
            const int high = rank[axis] < corner;
            hash = hash_absorb(hash, (uint64_t)(skewed[axis].cell + high));
            d[axis] = skewed[axis].rest - high - back;
        }
        simplex_corner(noise, hash, d, &sum);
    }
    return sum;
}

/* ---- Outside ------------------------------------------------------------------------------------------- */

/* 0: the base has no form in so many dimensions. */
static double scale(const struct base_row *base, int dimensions)
{
    return base->scale[dimensions == 1 ? 0 : dimensions - 2];
}

/*
 * The skew of A_n* is (sqrt(n + 1) - 1) / n: 1/3 in 3-D. In 4-D (sqrt(5) - 1) / 4 is irrational; 377/1220, of
 * two Fibonacci numbers, is off by 6e-7. That lattice is as regular, its simplices differ in height by as
 * little, and the weight at their far sides is below 1e-24. In 1-D there is nothing to skew.
 */
static struct noise noise_of(const struct base_row *base, int dimensions, uint64_t key)
{
    return (struct noise){
        .dimensions = dimensions,
        .key = hash_absorb(key, (uint64_t)dimensions),
        .quintic = base->quintic,
        .scale = scale(base, dimensions),
        .p = dimensions == 1   ? 0
             : dimensions == 3 ? 1
                               : 377,
        .q = dimensions == 1   ? 1
             : dimensions == 3 ? 3
                               : 1220,
        .radius_squared = dimensions == 1 ? 1 : 0.5,
    };
}

int terrane_noise_at(enum terrane_base base, int dimensions, uint64_t key, const double *at, float *value,
                     float *slope)
{
    const double furthest = 0x1p52;
    struct split place[DIMENSIONS] = {{0}};
    if ((unsigned)base >= TERRANE_BASES || base_rows[base].scale[0] == 0)
        return TERRANE_EBASE;
    if (dimensions != 1 && dimensions != 3 && dimensions != 4)
        return TERRANE_EWINDOW;
    for (int axis = 0; axis < dimensions; axis++) {
        if (!(at[axis] >= -furthest && at[axis] <= furthest)) /* nor a NaN */
            return TERRANE_EWINDOW;
        place[axis] = split(at[axis]);
    }

    const struct noise noise = noise_of(&base_rows[base], dimensions, key);
    const bool triangular = base_rows[base].grid == GRID_TRIANGULAR;
    const struct sum sum = triangular ? simplex(&noise, place) : perlin(&noise, place);
    *value = (float)(sum.value * noise.scale);
    for (int axis = 0; slope && axis < dimensions; axis++)
        slope[axis] = (float)(sum.slope[axis] * noise.scale);
    return 0;
}
