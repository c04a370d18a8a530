/*
 * Fractals and terms once more, slowly, over slow_noise.h: what terrane.h says of kinds and operations, in binary64.
 * VORONOI partitions are not here; test_voronoi.c has them. Slopes are by the metre; those of kinds without analytic
 * slopes are 0.
 */
#ifndef TERRANE_TESTS_SLOW_TERM_H
#define TERRANE_TESTS_SLOW_TERM_H

#include "slow_noise.h"

/* ---- Arithmetic ---------------------------------------------------------------------------------------- */

static inline struct slow slow_add(struct slow a, struct slow b)
{
    return (struct slow){a.v + b.v, a.x + b.x, a.y + b.y};
}

/* by * a + offset */
static inline struct slow slow_line(struct slow a, double by, double offset)
{
    return (struct slow){by * a.v + offset, by * a.x, by * a.y};
}

static inline struct slow slow_times(struct slow a, struct slow b)
{
    return (struct slow){a.v * b.v, a.x * b.v + a.v * b.x, a.y * b.v + a.v * b.y};
}

static inline struct slow slow_abs(struct slow a)
{
    return a.v < 0 ? slow_line(a, -1, 0) : a;
}

static inline struct slow slow_clamp01(struct slow a)
{
    return a.v <= 0 ? (struct slow){0} : a.v >= 1 ? (struct slow){.v = 1} : a;
}

/* S5 of where v stands between low and high. */
static inline struct slow slow_share(struct slow v, double low, double high)
{
    const struct slow u = slow_clamp01(slow_line(v, 1 / (high - low), -low / (high - low)));
    const double by = slow_fade_slope(true, u.v);
    return (struct slow){slow_fade(true, u.v), by * u.x, by * u.y};
}

/* ---- Fractals ------------------------------------------------------------------------------------------ */

__extension__ typedef __int128 slow_wide;

/* A place: level-0 samples from the origin, and how terms displace it, in metres. */
struct slow_place {
    slow_wide at[2];
    bool displaced;
    struct slow shift[2];
};

/* Whether octave i lies on the lattice: there its shift is a whole number of samples. */
static inline bool slow_on_lattice(const struct terrane_fractal *fractal, int i, bool displaced)
{
    int exponent;
    return frexp(fractal->cell, &exponent) == 0.5 && fractal->lacunarity == 2 && !displaced &&
           fractal->base[i] != TERRANE_SIMPLEX &&
           (i == 0 || (fractal->kind != TERRANE_SWISS && fractal->kind != TERRANE_JORDAN));
}

/* Octave i's cell: lib/README.md has it by repeated division. */
static inline double slow_cell_of(const struct terrane_fractal *fractal, int i)
{
    return i ? slow_cell_of(fractal, i - 1) / fractal->lacunarity : fractal->cell;
}

/* Where the place lies along an axis, in 2^-64 cells: exactly, by integers. skew is 0 on square cells. */
static inline slow_wide slow_parts(const struct slow_place *place, double cell, double skew, int axis,
                                   bool on_lattice, uint64_t h)
{
    if (on_lattice) {
        const uint64_t size = (uint64_t)cell,
                       one = (UINT64_C(1) << 63) / size * 2; /* 2^64 / size; cells > 1 */
        const slow_wide u = place->at[axis] + (slow_wide)(h & (size - 1));
        return u * (size > 1 ? (slow_wide)one : (slow_wide)1 << 64);
    }
    const slow_wide own = (slow_wide)(uint64_t)(0x1p62 / cell * (1 + skew)) * 4;
    const slow_wide cross = (slow_wide)(uint64_t)(0x1p62 / cell * skew) * 4;
    return place->at[axis] * own + place->at[!axis] * cross + (slow_wide)h;
}

/* Octave i of amplitude 1 at the place moved by (dx, dy) metres; slopes are per cell, without chain rule. */
static inline struct slow slow_octave_at(const struct terrane_world *world,
                                         const struct terrane_fractal *fractal, int i,
                                         const struct slow_place *at, double dx, double dy)
{
    const uint64_t key = hash_absorb(hash_absorb(world->seed, fractal->salt), (uint64_t)i);
    const struct slow_octave octave = {(enum terrane_base)fractal->base[i], key, (double)fractal->weight,
                                       (double)fractal->jitter};
    const double cell = slow_cell_of(fractal, i), cell_m = cell * world->recipe->spacing_m;
    const double skew = octave.base == TERRANE_SIMPLEX ? 0.36602540378443865 : 0; /* (sqrt 3 - 1) / 2 */
    struct slow_spot spot;
    for (int axis = 0; axis < 2; axis++) {
        const slow_wide parts = slow_parts(at, cell, skew, axis, slow_on_lattice(fractal, i, at->displaced),
                                           hash_absorb(key, (uint64_t)axis + 1));
        const double moved = ((axis ? dy : dx) + (dx + dy) * skew) / cell_m;
        const double t = (double)(uint64_t)parts * 0x1p-64 + moved;
        spot.cell[axis] = (int64_t)(parts >> 64) + (int64_t)floor(t);
        spot.t[axis] = t - floor(t);
    }
    return slow_base(&octave, fractal->kind == TERRANE_IQ, &spot);
}

/* ... with slopes by the metre of the undisplaced place. */
static inline struct slow slow_octave_m(const struct terrane_world *world,
                                        const struct terrane_fractal *fractal, int i,
                                        const struct slow_place *at)
{
    const struct slow *by = at->shift;
    struct slow n = slow_octave_at(world, fractal, i, at, by[0].v, by[1].v);
    const double per_m = 1 / (slow_cell_of(fractal, i) * world->recipe->spacing_m);
    n.x *= per_m;
    n.y *= per_m;
    return (struct slow){n.v, n.x * (1 + by[0].x) + n.y * by[1].x, n.x * by[0].y + n.y * (1 + by[1].y)};
}

static inline struct slow slow_shape(enum terrane_fractal_kind kind, struct slow n)
{
    switch (kind) {
    case TERRANE_BILLOW:
        return slow_line(slow_abs(n), 2, -1);
    case TERRANE_RIDGED:
        return slow_line(slow_abs(n), -2, 1);
    case TERRANE_DOUBLE_RIDGED:
        return slow_line(slow_abs(slow_line(slow_abs(n), -1, 0.5)), 4, -1);
    default:
        return n;
    }
}

static inline struct slow slow_weighted(const struct terrane_world *world,
                                        const struct terrane_fractal *fractal, int octaves,
                                        const struct slow_place *at)
{
    const double a0 = (double)fractal->amplitude_m;
    struct slow sum = {0}, weight = {.v = 1};
    double a = a0;
    for (int i = 0; i < octaves; i++, a *= (double)fractal->gain) {
        struct slow n = slow_octave_m(world, fractal, i, at);
        if (fractal->kind == TERRANE_MULTIFRACTAL) {
            const struct slow w =
                slow_clamp01(slow_line(sum, (double)fractal->sharpness / a0, (double)fractal->offset));
            n = i ? slow_times(n, w) : n;
        } else if (fractal->kind == TERRANE_HYBRID) {
            n = slow_times(slow_line(n, 1, (double)fractal->offset), weight);
            weight = slow_clamp01(n);
        } else {
            n = slow_shape(fractal->kind, n);
        }
        sum = slow_add(sum, slow_line(n, a, 0));
    }
    return sum;
}

/* Inigo Quilez 2008. */
static inline double slow_iq(const struct terrane_world *world, const struct terrane_fractal *fractal,
                             int octaves, const struct slow_place *at)
{
    double sum = 0, a = (double)fractal->amplitude_m, dx = 0, dy = 0;
    for (int i = 0; i < octaves; i++, a *= (double)fractal->gain) {
        const struct slow n = slow_octave_at(world, fractal, i, at, at->shift[0].v, at->shift[1].v);
        dx += n.x;
        dy += n.y;
        sum += a * n.v / (1 + dx * dx + dy * dy);
    }
    return sum;
}

/* De Carpentier 2012, in units of the first amplitude and cell. */
static inline double slow_swiss(const struct terrane_world *world, const struct terrane_fractal *fractal,
                                int octaves, const struct slow_place *at)
{
    const double warp_m = (double)fractal->warp * fractal->cell * world->recipe->spacing_m;
    double sum = 0, a = 1, dx = 0, dy = 0;
    for (int i = 0; i < octaves; i++) {
        const struct slow n =
            slow_octave_at(world, fractal, i, at, at->shift[0].v + warp_m * dx, at->shift[1].v + warp_m * dy);
        sum += a * (1 - fabs(n.v));
        dx -= a * n.x * n.v;
        dy -= a * n.y * n.v;
        a *= (double)fractal->gain * fmin(fmax(sum, 0), 1);
    }
    return sum * (double)fractal->amplitude_m;
}

static inline double slow_jordan(const struct terrane_world *world, const struct terrane_fractal *fractal,
                                 int octaves, const struct slow_place *at)
{
    const double warp_m = (double)fractal->warp * fractal->cell * world->recipe->spacing_m;
    double sum = 0, share = 1, warp[2] = {0}, damp[2] = {0};
    for (int i = 0; i < octaves; i++, share *= (double)fractal->gain) {
        const struct slow n = slow_octave_at(world, fractal, i, at, at->shift[0].v + warp_m * warp[0],
                                             at->shift[1].v + warp_m * warp[1]);
        const double more = i ? 1 : 1.25;
        const double a = i ? share * (1 - 1 / (1 + damp[0] * damp[0] + damp[1] * damp[1])) : 1;
        sum += a * n.v * n.v;
        warp[0] += more * n.v * n.x;
        warp[1] += more * n.v * n.y;
        damp[0] += more * (double)fractal->damp * n.v * n.x;
        damp[1] += more * (double)fractal->damp * n.v * n.y;
    }
    return sum * (double)fractal->amplitude_m;
}

static inline int slow_octaves(const struct terrane_world *world, const struct terrane_fractal *fractal,
                               int level)
{
    int octaves = 0;
    for (double cell = fractal->cell; octaves < fractal->octaves; octaves++, cell /= fractal->lacunarity)
        if (cell < ldexp(world->recipe->alias_octaves ? 1 : 2, level))
            break;
    return octaves;
}

static inline struct slow slow_fractal(const struct terrane_world *world,
                                       const struct terrane_fractal *fractal, int level,
                                       const struct slow_place *at)
{
    const int octaves = slow_octaves(world, fractal, level);
    switch (fractal->kind) {
    case TERRANE_IQ:
        return (struct slow){.v = slow_iq(world, fractal, octaves, at)};
    case TERRANE_SWISS:
        return (struct slow){.v = slow_swiss(world, fractal, octaves, at)};
    case TERRANE_JORDAN:
        return (struct slow){.v = slow_jordan(world, fractal, octaves, at)};
    default:
        return slow_weighted(world, fractal, octaves, at);
    }
}

/* ---- Terms --------------------------------------------------------------------------------------------- */

static inline struct slow slow_term(const struct terrane_world *world, int t, int level, slow_wide x,
                                    slow_wide y);

/* A cubic between the knots around v, with the slopes of Fritsch and Butland 1984 at them: level at both ends. */
static inline double slow_knot_slope(const struct terrane_term *term, int k)
{
    if (k == 0 || k == term->knots - 1)
        return 0;
    double secant[2];
    for (int n = 0; n < 2; n++)
        secant[n] = ((double)term->knot_y[k + n] - (double)term->knot_y[k + n - 1]) /
                    ((double)term->knot_x[k + n] - (double)term->knot_x[k + n - 1]);
    return secant[0] * secant[1] > 0 ? 2 / (1 / secant[0] + 1 / secant[1]) : 0;
}

static inline struct slow slow_curve(const struct terrane_term *term, struct slow v)
{
    const int last = term->knots - 1;
    int k = 0;
    if (v.v <= (double)term->knot_x[0] || v.v >= (double)term->knot_x[last])
        return (struct slow){.v = (double)term->knot_y[v.v <= (double)term->knot_x[0] ? 0 : last]};
    while (k + 2 < term->knots && v.v >= (double)term->knot_x[k + 1])
        k++;
    const double from = (double)term->knot_x[k], wide = (double)term->knot_x[k + 1] - from;
    const double y0 = (double)term->knot_y[k], y1 = (double)term->knot_y[k + 1];
    const double m0 = slow_knot_slope(term, k) * wide, m1 = slow_knot_slope(term, k + 1) * wide;
    const double u = (v.v - from) / wide, s = slow_fade(false, u), ds = slow_fade_slope(false, u);
    const double value = y0 + (y1 - y0) * s + m0 * u * (1 - u) * (1 - u) - m1 * u * u * (1 - u);
    const double slope = ((y1 - y0) * ds + m0 * (1 - u) * (1 - 3 * u) - m1 * u * (2 - 3 * u)) / wide;
    return (struct slow){value, slope * v.x, slope * v.y};
}

/* How far v has come through each of n steps that are blend wide and centred at edges: the weights between them. */
static inline void slow_bands(struct slow v, const double *edge, int n, double blend, struct slow *weight)
{
    struct slow share = {.v = 1};
    for (int k = 0; k <= n; k++) {
        const struct slow next =
            k < n ? slow_share(v, edge[k] - blend / 2, edge[k] + blend / 2) : (struct slow){0};
        weight[k] = slow_add(share, slow_line(next, -1, 0));
        share = next;
    }
}

/* Weights of NOISE and CLIMATE partitions. */
static inline void slow_weights(const struct terrane_world *world, int level, slow_wide x, slow_wide y,
                                struct slow weight[TERRANE_ZONES_MAX])
{
    const struct terrane_partition *partition = &world->recipe->partition;
    const double blend = (double)partition->blend;
    double edge[TERRANE_ZONES_MAX];
    memset(weight, 0, TERRANE_ZONES_MAX * sizeof *weight);
    if (partition->zones == 1) {
        weight[0].v = 1;
        return;
    }
    if (partition->kind == TERRANE_PARTITION_NOISE) {
        for (int k = 0; k < partition->zones - 1; k++)
            edge[k] = (double)partition->threshold[k];
        slow_bands(slow_term(world, partition->by, level, x, y), edge, partition->zones - 1, blend, weight);
        return;
    }
    const int rows = partition->table_rows, columns = partition->table_columns;
    const double cold = (double)partition->cold, hot = (double)partition->hot;
    const double dry = (double)partition->dry, wet = (double)partition->wet;
    struct slow row[TERRANE_TABLE_MAX + 1], column[TERRANE_TABLE_MAX + 1];
    for (int k = 0; k < TERRANE_TABLE_MAX; k++)
        edge[k] = k + 1;
    const double t = (slow_term(world, partition->temperature, level, x, y).v - cold) / (hot - cold);
    const double m = (slow_term(world, partition->moisture, level, x, y).v - dry) / (wet - dry);
    slow_bands((struct slow){.v = t * rows}, edge, rows - 1, blend, row);
    slow_bands((struct slow){.v = m * columns}, edge, columns - 1, blend, column);
    for (int k = 0; k < rows * columns; k++)
        weight[partition->table[k]].v += row[k / columns].v * column[k % columns].v;
}

static inline struct slow slow_zones(const struct terrane_world *world, int level, slow_wide x, slow_wide y)
{
    const struct terrane_partition *partition = &world->recipe->partition;
    struct slow weight[TERRANE_ZONES_MAX], sum = {0};
    slow_weights(world, level, x, y, weight);
    for (int z = 0; z < partition->zones; z++) {
        const struct terrane_zone *zone = &partition->zone[z];
        const struct slow in = zone->term < 0 ? (struct slow){0} : slow_term(world, zone->term, level, x, y);
        sum = slow_add(sum,
                       slow_times(weight[z], slow_line(in, (double)zone->amplitude, (double)zone->offset_m)));
    }
    return sum;
}

static inline struct slow slow_fractal_term(const struct terrane_world *world,
                                            const struct terrane_fractal *fractal, int level, slow_wide x,
                                            slow_wide y)
{
    struct slow_place at = {.at = {x, y}};
    for (int axis = 0; axis < 2; axis++)
        if (fractal->warp_term[axis] >= 0) {
            at.displaced = true;
            at.shift[axis] = slow_line(slow_term(world, fractal->warp_term[axis], level, x, y),
                                       (double)fractal->warp_m, 0);
        }
    return slow_fractal(world, fractal, level, &at);
}

/* Term t at a place in level-0 samples. */
static inline struct slow slow_term(const struct terrane_world *world, int t, int level, slow_wide x,
                                    slow_wide y)
{
    const struct terrane_term *term = &world->recipe->term[t];
    struct slow in[TERRANE_INPUTS_MAX], out = {0};
    if (term->op == TERRANE_OP_FRACTAL)
        return slow_fractal_term(world, &term->fractal, level, x, y);
    if (term->op == TERRANE_OP_ZONES)
        return slow_zones(world, level, x, y);
    for (int k = 0; k < term->inputs; k++)
        in[k] = slow_term(world, term->in[k], level, x, y);
    if (term->op == TERRANE_OP_CURVE)
        return slow_curve(term, in[0]);
    if (term->op == TERRANE_OP_BLEND) {
        const struct slow share = slow_share(in[2], (double)term->low, (double)term->high);
        return slow_add(slow_times(slow_line(share, -1, 1), in[0]), slow_times(share, in[1]));
    }
    out.v = term->op == TERRANE_OP_SUM ? 0 : (double)term->factor[0];
    for (int k = 0; k < term->inputs; k++)
        out = term->op == TERRANE_OP_SUM ? slow_add(out, slow_line(in[k], (double)term->factor[k], 0))
                                         : slow_times(out, in[k]);
    return slow_line(out, 1, (double)term->offset);
}

/* The height at a sample. */
static inline struct slow slow_height(const struct terrane_world *world, int level, int64_t gi, int64_t gj)
{
    const slow_wide size = (slow_wide)1 << level;
    return slow_term(world, world->recipe->terms - 1, level, gi * size, gj * size);
}

#endif
