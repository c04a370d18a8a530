/*
 * Bases and fractals once more, slowly: binary64, one sample at a time, from the published formulas and none of the
 * library's ways to be fast. Corners are hashed by lib/hash.h, the rest is written anew. Include it after
 * lib_fixture.h.
 *
 * Everything but hashes and cells is real arithmetic, so that results differ from the library's by roundings only.
 */
#ifndef TERRANE_TESTS_SLOW_NOISE_H
#define TERRANE_TESTS_SLOW_NOISE_H

#include "../lib_fixture.h"

/* A value and its derivatives along x and y. */
struct slow {
    double v, x, y;
};

/* A place in an octave's lattice: a cell, and how far into it, 0 .. 1. On the skewed lattice for SIMPLEX. */
struct slow_spot {
    int64_t cell[2];
    double t[2];
};

/* One octave: where its numbers come from. */
struct slow_octave {
    enum terrane_base base;
    uint64_t key;
    double weight, jitter;
};

/* ---- Corners ------------------------------------------------------------------------------------------- */

static inline uint32_t slow_hash(uint64_t key, int64_t cx, int64_t cy)
{
    return hash_corner(hash_column(key, cx), hash_row(key, cy));
}

static inline double slow_unit(uint32_t h)
{
    return (double)(int32_t)h * 0x1p-31;
}

/* The parabola through -1, 0 and 1 that stands in for sin(pi t). */
static inline double slow_arch(double t)
{
    return 4 * t * (1 - fabs(t));
}

/* Of length 1 to 1.0607. */
static inline void slow_gradient(uint32_t h, double gradient[2])
{
    const double turn = slow_unit(h) + 0.5;
    gradient[0] = slow_arch(turn >= 1 ? turn - 2 : turn);
    gradient[1] = slow_arch(slow_unit(h));
}

static inline double slow_fade(bool quintic, double t)
{
    return quintic ? t * t * t * (t * (6 * t - 15) + 10) : t * t * (3 - 2 * t);
}

static inline double slow_fade_slope(bool quintic, double t)
{
    return quintic ? 30 * t * t * (1 - t) * (1 - t) : 6 * t * (1 - t);
}

/* ---- Bases on square cells ----------------------------------------------------------------------------- */

/* Corners by [j][i], j south, i east. */
struct slow_cell {
    double x, y; /* in the cell */
    uint32_t hash[2][2];
};

static inline struct slow_cell slow_cell_at(uint64_t key, const struct slow_spot *at)
{
    struct slow_cell cell = {.x = at->t[0], .y = at->t[1]};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            cell.hash[j][i] = slow_hash(key, at->cell[0] + i, at->cell[1] + j);
    return cell;
}

/* The sum over corners of value * weight(x) * weight(y). */
static inline struct slow slow_value(bool quintic, const struct slow_cell *cell)
{
    const double sx = slow_fade(quintic, cell->x), sy = slow_fade(quintic, cell->y);
    const double dx = slow_fade_slope(quintic, cell->x), dy = slow_fade_slope(quintic, cell->y);
    struct slow sum = {0};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            const double q = slow_unit(cell->hash[j][i]), wx = i ? sx : 1 - sx, wy = j ? sy : 1 - sy;
            sum.v += q * wx * wy;
            sum.x += q * (i ? dx : -dx) * wy;
            sum.y += q * wx * (j ? dy : -dy);
        }
    return sum;
}

/* Thorimbert and Chopard 2018, eq. 19, its last sign corrected: D (S(x) y + S(y) x - x y) and the two sides. */
static inline struct slow slow_polynomial(const struct slow_cell *cell)
{
    const double h = slow_unit(cell->hash[0][0]), a = slow_unit(cell->hash[0][1]) - h,
                 b = slow_unit(cell->hash[1][0]) - h;
    const double twist = slow_unit(cell->hash[1][1]) - h - a - b, x = cell->x, y = cell->y;
    const double sx = slow_fade(false, x), sy = slow_fade(false, y);
    const double dx = slow_fade_slope(false, x), dy = slow_fade_slope(false, y);
    return (struct slow){
        .v = h + a * sx + b * sy + twist * (sx * y + sy * x - x * y),
        .x = a * dx + twist * (dx * y + sy - y),
        .y = b * dy + twist * (sx + dy * x - x),
    };
}

/* Perlin: gradients' planes, blended. pseudo: derivatives of the blend alone. */
static inline struct slow slow_perlin(bool quintic, bool pseudo, const struct slow_cell *cell)
{
    const double sx = slow_fade(quintic, cell->x), sy = slow_fade(quintic, cell->y);
    const double dx = slow_fade_slope(quintic, cell->x), dy = slow_fade_slope(quintic, cell->y);
    struct slow sum = {0};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            double g[2];
            slow_gradient(cell->hash[j][i], g);
            const double plane = g[0] * (cell->x - i) + g[1] * (cell->y - j);
            const double wx = i ? sx : 1 - sx, wy = j ? sy : 1 - sy, own = pseudo ? 0 : 1;
            sum.v += plane * wx * wy;
            sum.x += plane * (i ? dx : -dx) * wy + own * g[0] * wx * wy;
            sum.y += plane * wx * (j ? dy : -dy) + own * g[1] * wx * wy;
        }
    const double scale = 4.0 / 3;
    return (struct slow){sum.v * scale, sum.x * scale, sum.y * scale};
}

/*
 * General D2M1N3: the coefficients c[i][j] of x^i y^j that meet a height and two slopes at each of four corners:
 * Thorimbert and Chopard 2018, eqs. 8 to 15.
 */
static inline void slow_hermite_coefficients(const double h[2][2], const double f[2][2], const double g[2][2],
                                             double c[4][4])
{
    memset(c, 0, 16 * sizeof(double));
    c[0][0] = h[0][0];
    c[1][0] = f[0][0];
    c[0][1] = g[0][0];
    c[2][0] = 3 * (h[0][1] - h[0][0]) - 2 * f[0][0] - f[0][1];
    c[3][0] = -2 * (h[0][1] - h[0][0]) + f[0][0] + f[0][1];
    c[0][2] = 3 * (h[1][0] - h[0][0]) - 2 * g[0][0] - g[1][0];
    c[0][3] = -2 * (h[1][0] - h[0][0]) + g[0][0] + g[1][0];
    const double c20 = 3 * (h[1][1] - h[1][0]) - 2 * f[1][0] - f[1][1]; /* the south side's */
    const double c30 = -2 * (h[1][1] - h[1][0]) + f[1][0] + f[1][1];
    const double c02 = 3 * (h[1][1] - h[0][1]) - 2 * g[0][1] - g[1][1]; /* the east side's */
    const double c03 = -2 * (h[1][1] - h[0][1]) + g[0][1] + g[1][1];
    c[2][1] = c20 - c[2][0];
    c[3][1] = c30 - c[3][0];
    c[1][2] = c02 - c[0][2];
    c[1][3] = c03 - c[0][3];
    c[1][1] = f[1][0] - f[0][0] - c[1][2] - c[1][3];
}

static inline struct slow slow_cubic(const double c[4][4], double x, double y)
{
    struct slow sum = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            sum.v += c[i][j] * pow(x, i) * pow(y, j);
            sum.x += i ? c[i][j] * i * pow(x, i - 1) * pow(y, j) : 0;
            sum.y += j ? c[i][j] * j * pow(x, i) * pow(y, j - 1) : 0;
        }
    return sum;
}

static inline struct slow slow_hermite(double weight, const struct slow_cell *cell)
{
    double h[2][2], f[2][2], g[2][2], c[4][4];
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            const uint32_t hash = cell->hash[j][i], again = hash * HASH_COLUMN;
            double gradient[2];
            slow_gradient(again ^ again >> 15, gradient);
            h[j][i] = slow_unit(hash);
            f[j][i] = weight * gradient[0];
            g[j][i] = weight * gradient[1];
        }
    slow_hermite_coefficients(h, f, g, c);
    return slow_cubic(c, cell->x, cell->y);
}

/* ---- Simplex and cellular noise ------------------------------------------------------------------------ */

/* All vertices near by, not only the triangle's three, so that none is missed. */
static inline struct slow slow_simplex(uint64_t key, const struct slow_spot *at)
{
    const double unskew = (3 - sqrt(3)) / 6;
    struct slow sum = {0};
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            const double u = at->t[0] - i, v = at->t[1] - j, back = (u + v) * unskew;
            const double dx = u - back, dy = v - back, near = 0.5 - dx * dx - dy * dy;
            double g[2];
            if (near <= 0)
                continue;
            slow_gradient(slow_hash(key, at->cell[0] + i, at->cell[1] + j), g);
            const double plane = g[0] * dx + g[1] * dy, n3 = near * near * near;
            sum.v += n3 * near * plane;
            sum.x += n3 * near * g[0] - 8 * n3 * plane * dx;
            sum.y += n3 * near * g[1] - 8 * n3 * plane * dy;
        }
    return (struct slow){sum.v * 93.5, sum.x * 93.5, sum.y * 93.5};
}

/* The nearest two of the points of (2 reach + 1)^2 cells: distances, and the way from them. */
struct slow_nearest {
    double d[2], x[2], y[2];
};

static inline struct slow_nearest slow_nearest_of(uint64_t key, double jitter, const struct slow_spot *at,
                                                  int reach)
{
    struct slow_nearest best = {.d = {1e9, 1e9}};
    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++) {
            const uint32_t h = slow_hash(key, at->cell[0] + i, at->cell[1] + j);
            const double dx = at->t[0] - i - 0.5 - jitter / 2 * slow_unit(h);
            const double dy = at->t[1] - j - 0.5 - jitter / 2 * slow_unit(h << 16);
            const double d = sqrt(dx * dx + dy * dy);
            const int rank = d < best.d[0] ? 0 : d < best.d[1] ? 1 : 2;
            if (rank == 0)
                best.d[1] = best.d[0], best.x[1] = best.x[0], best.y[1] = best.y[0];
            if (rank < 2)
                best.d[rank] = d, best.x[rank] = dx, best.y[rank] = dy;
        }
    return best;
}

static inline struct slow slow_cellular(enum terrane_base base, const struct slow_nearest *at)
{
    const struct slow f1 = {at->d[0], at->x[0] / at->d[0], at->y[0] / at->d[0]};
    const struct slow f2 = {at->d[1], at->x[1] / at->d[1], at->y[1] / at->d[1]};
    if (base == TERRANE_CELLULAR_F1)
        return (struct slow){sqrt(2) * f1.v - 1, sqrt(2) * f1.x, sqrt(2) * f1.y};
    if (base == TERRANE_CELLULAR_F2)
        return (struct slow){1.25 * f2.v - 1, 1.25 * f2.x, 1.25 * f2.y};
    return (struct slow){1.25 * (f2.v - f1.v) - 1, 1.25 * (f2.x - f1.x), 1.25 * (f2.y - f1.y)};
}

/* ---- One octave ---------------------------------------------------------------------------------------- */

/* Derivatives are along true axes, a cell. */
static inline struct slow slow_base(const struct slow_octave *octave, bool pseudo, const struct slow_spot *at)
{
    const struct slow_cell cell = slow_cell_at(octave->key, at);
    switch (octave->base) {
    case TERRANE_VALUE:
        return slow_value(true, &cell);
    case TERRANE_POLYNOMIAL_C1:
        return slow_value(false, &cell);
    case TERRANE_POLYNOMIAL:
        return slow_polynomial(&cell);
    case TERRANE_PERLIN3:
        return slow_perlin(false, pseudo, &cell);
    case TERRANE_PERLIN5:
        return slow_perlin(true, pseudo, &cell);
    case TERRANE_HERMITE:
        return slow_hermite(octave->weight, &cell);
    case TERRANE_SIMPLEX:
        return slow_simplex(octave->key, at);
    default: {
        const struct slow_nearest nearest = slow_nearest_of(octave->key, octave->jitter, at, 3);
        return slow_cellular(octave->base, &nearest);
    }
    }
}

#endif
