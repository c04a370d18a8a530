/*
 * Plans. Everything here is done once for each chunk; it prepares lib/README.md "One octave at one sample".
 *
 * Coordinates never overflow. On the lattice: a cell is used at level L only if cell_log2 >= L, so a sample's
 * column is (gi + (shift >> L)) >> (cell_log2 - L), with |gi| <= 2^50 + 2^22 and the shift under 2^40. Point by
 * point: cells span at least 2^L level-0 samples, so that gi * 2^L samples are at most 2^51 cells, 2^115 of the
 * 2^-64 parts that a 128-bit integer counts, and less than twice that on a skewed lattice.
 */
#include "plan.h"

#include <string.h>

#include "../base/hash.h"
#include "../recipe/kinds.h"

__extension__ typedef __int128 wide;

/* ---- The lattice --------------------------------------------------------------------------------------- */

/* Positions in the cell, from the first block on. Cells shorter than the span repeat. */
static void fill_positions(const struct lattice *lattice)
{
    const int64_t cell = INT64_C(1) << lattice->k;
    const float scale = 1.0f / (float)(INT64_C(1) << lattice->cell_log2);
    const int fresh = cell < lattice->span ? (int)cell : lattice->span;
    for (int i = 0; i < fresh; i++) {
        const int64_t u = (lattice->phase + i) & (cell - 1);
        lattice->t[i] = (float)((u << lattice->level) | lattice->rest_x) * scale;
    }
    for (int done = fresh; done < lattice->span; done += fresh) {
        const int more = done + fresh <= lattice->span ? fresh : lattice->span - done;
        memcpy(lattice->t + done, lattice->t, (size_t)more * sizeof *lattice->t);
    }
}

static void plan_lattice(struct octave *octave, int cell_log2, const struct chunk *chunk,
                         union octave_store *store)
{
    const int level = chunk->level, k = cell_log2 - level;
    const int64_t mask = (INT64_C(1) << cell_log2) - 1, low = (INT64_C(1) << level) - 1;
    const int64_t shift_x = (int64_t)hash_absorb(octave->key, 1) & mask;
    const int64_t shift_y = (int64_t)hash_absorb(octave->key, 2) & mask;
    const int64_t u = chunk->gi + (shift_x >> level), place = u & ((INT64_C(1) << k) - 1);
    const int lead = (int)(place & (KERNEL_PAD - 1));
    const int span = (lead + chunk->width + KERNEL_PAD - 1) / KERNEL_PAD * KERNEL_PAD;
    const int around = base_rows[octave->base].grid != GRID_CELLS ? 0 : octave->jitter > 0.65f ? 2 : 1;

    octave->lattice = (struct lattice){
        .level = level,
        .cell_log2 = cell_log2,
        .k = k,
        .shift_y = shift_y >> level,
        .rest_x = shift_x & low,
        .rest_y = shift_y & low,
        .column = (u >> k) - around,
        .phase = place - lead,
        .lead = lead,
        .span = span,
        .columns = (int)((place - lead + span - 1) >> k) + 2 + 2 * around,
        .north = store->lattice.corner[0],
        .south = store->lattice.corner[1],
        .feature = store->lattice.feature,
        .hash = store->lattice.hash,
        .t = store->lattice.table[0],
        .fade = store->lattice.table[1],
        .fade_slope = store->lattice.table[2],
    };
    fill_positions(&octave->lattice);
    hash_columns(octave->key, octave->lattice.column, 0, octave->lattice.columns, octave->lattice.hash);
    kernels_current()->octave_tables(octave);
}

/* ---- Point by point ------------------------------------------------------------------------------------ */

/*
 * Along one axis: the 2^-64 parts of a cell that a level-0 sample adds to its own axis of the lattice and, on a
 * skewed one, to the other; and the octave's shift, less than a cell.
 */
struct stride {
    wide own, cross;
    uint64_t shift;
};

static struct stride stride_of(const struct octave *octave, double cell, int axis)
{
    const double skew = 0.36602540378443865;
    const bool triangular = base_rows[octave->base].grid == GRID_TRIANGULAR;
    return (struct stride){
        .own = (wide)(uint64_t)(0x1p62 / cell * (triangular ? 1 + skew : 1)) * 4,
        .cross = triangular ? (wide)(uint64_t)(0x1p62 / cell * skew) * 4 : 0,
        .shift = hash_absorb(octave->key, (uint64_t)axis + 1),
    };
}

static int64_t whole_of(wide parts)
{
    return (int64_t)(parts >> 64);
}

static struct place place_of(wide parts, int64_t origin)
{
    return (struct place){(int32_t)(whole_of(parts) - origin), (uint32_t)(uint64_t)(parts >> 32)};
}

/* Octave i's cell, by one division for all octaves. */
static double cell_of(const struct terrane_fractal *fractal, int i)
{
    double cell = fractal->cell;
    for (; i > 0; i--)
        cell /= fractal->lacunarity;
    return cell;
}

static wide level0(int64_t g, int level)
{
    return (wide)g * ((wide)1 << level);
}

static void plan_points(struct octave *octave, double cell, const struct chunk *chunk,
                        union octave_store *store)
{
    struct points *points = &octave->points;
    const struct stride stride = stride_of(octave, cell, 0);
    const wide x = level0(chunk->gi, chunk->level), y = level0(chunk->gj, chunk->level);
    const int64_t column = whole_of(x * stride.own + stride.shift), crossed = whole_of(x * stride.cross);
    const uint64_t shift_y = hash_absorb(octave->key, 2);
    *points = (struct points){
        .origin = {column + whole_of(y * stride.cross), crossed + whole_of(y * stride.own + shift_y)},
        .cell = {store->points.cell[0], store->points.cell[1]},
        .part = {store->points.part[0], store->points.part[1]},
        .samples = (float)(cell / (double)(INT64_C(1) << chunk->level)),
    };
    for (int axis = 0; axis < 2; axis++) {
        const uint32_t low = (uint32_t)(uint64_t)points->origin[axis], edge = UINT32_C(1) << 23;
        points->carry[axis] = low < edge || low >= 0u - edge;
        for (int k = 0; k < 3; k++)
            points->high[axis][k] = hash_high(octave->key, 3 + axis,
                                              points->origin[axis] + (int64_t)(k - 1) * (INT64_C(1) << 32));
    }
    /* Whole blocks, since lanes without a sample are beside the others. */
    for (int i = 0; i < (chunk->width + KERNEL_PAD - 1) / KERNEL_PAD * KERNEL_PAD; i++) {
        const wide at = level0(chunk->gi + i, chunk->level);
        const struct place own = place_of(at * stride.own + stride.shift, column);
        const struct place cross = place_of(at * stride.cross, crossed);
        store->points.cell[0][KERNEL_PAD + i] = own.cell;
        store->points.part[0][KERNEL_PAD + i] = own.part;
        store->points.cell[1][KERNEL_PAD + i] = cross.cell;
        store->points.part[1][KERNEL_PAD + i] = cross.part;
    }
}

void plan_point_rows(const struct fractal_plan *plan, const struct chunk *chunk, const struct rows *rows,
                     struct point_row *out)
{
    for (int i = 0; i < plan->octaves; i++) {
        if (plan->octave[i].on_lattice)
            continue;
        const struct stride stride = stride_of(&plan->octave[i], cell_of(plan->fractal, i), 1);
        const wide first = level0(chunk->gj, chunk->level);
        const int64_t row = whole_of(first * stride.own + stride.shift),
                      crossed = whole_of(first * stride.cross);
        for (int r = rows->first; r < rows->end; r++) {
            const wide at = level0(rows->gj + (int64_t)r * rows->step, chunk->level);
            out[i * KERNEL_ROWS + r] =
                (struct point_row){.place = {place_of(at * stride.cross, crossed),
                                             place_of(at * stride.own + stride.shift, row)}};
        }
    }
}

/* ---- Fractals ------------------------------------------------------------------------------------------ */

/* Number of octaves in use at a level: those whose cells span two samples or more (one, with alias_octaves). */
static int octaves_at(const struct terrane_fractal *fractal, int alias_octaves, int level)
{
    const double min = (double)(INT64_C(1) << (level + 1 - alias_octaves));
    double cell = fractal->cell;
    int octaves = 0;
    for (; octaves < fractal->octaves && cell >= min; octaves++)
        cell /= fractal->lacunarity;
    return octaves;
}

/* log2 of a power of two from 1 to 2^62, or -1. */
static int log2_exact(double v)
{
    for (int k = 0; k <= 62; k++)
        if (v == (double)(INT64_C(1) << k))
            return k;
    return -1;
}

static bool fractal_gathers(const struct terrane_fractal *fractal)
{
    return fractal->kind == TERRANE_SWISS || fractal->kind == TERRANE_JORDAN;
}

static bool octave_on_lattice(const struct terrane_fractal *fractal, int i, int cell_log2)
{
    return cell_log2 >= 0 && fractal->lacunarity == 2 &&
           base_rows[fractal->base[i]].grid != GRID_TRIANGULAR && fractal->warp_term[0] < 0 &&
           fractal->warp_term[1] < 0 && (i == 0 || !fractal_gathers(fractal));
}

void plan_fractal(struct fractal_plan *plan, const struct terrane_world *world,
                  const struct terrane_fractal *fractal, const struct chunk *chunk, struct octave *octave,
                  union octave_store *store)
{
    const uint64_t key = hash_absorb(world->seed, fractal->salt);
    const double spacing_m = world->recipe->spacing_m;
    const bool per_cell = fractal_gathers(fractal) || fractal->kind == TERRANE_IQ;
    float amplitude = fractal->amplitude_m;
    plan->planned = true;
    plan->fractal = fractal;
    plan->octaves = octaves_at(fractal, world->recipe->alias_octaves, chunk->level);
    plan->octave = octave;
    plan->cell_m = (float)(fractal->cell * spacing_m);
    for (int i = 0; i < plan->octaves; i++, amplitude *= fractal->gain) {
        const double cell = cell_of(fractal, i);
        const int cell_log2 = log2_exact(cell);
        const float per_metre = (float)(1.0 / (cell * spacing_m));
        octave[i] = (struct octave){
            .base = fractal->base[i],
            .on_lattice = octave_on_lattice(fractal, i, cell_log2),
            .pseudo = fractal->kind == TERRANE_IQ,
            .key = hash_absorb(key, (uint64_t)i),
            .amplitude = fractal->kind == TERRANE_FBM ? amplitude : 1,
            .weight = fractal->weight,
            .jitter = fractal->jitter,
            .slope_scale = per_cell ? 1 : per_metre,
            .per_metre = per_metre,
        };
        plan->amplitude[i] = amplitude;
        if (octave[i].on_lattice)
            plan_lattice(&octave[i], cell_log2, chunk, &store[i]);
        else
            plan_points(&octave[i], cell, chunk, &store[i]);
    }
}

/* ---- Curves -------------------------------------------------------------------------------------------- */

/* The slope at knot k: the harmonic mean of the secants around it; 0 at the ends and if those differ in sign. */
static float knot_slope(const struct terrane_term *term, int k)
{
    if (k == 0 || k == term->knots - 1)
        return 0;
    const float before = (term->knot_y[k] - term->knot_y[k - 1]) / (term->knot_x[k] - term->knot_x[k - 1]);
    const float after = (term->knot_y[k + 1] - term->knot_y[k]) / (term->knot_x[k + 1] - term->knot_x[k]);
    return before * after > 0 ? 2 * (before * after) / (before + after) : 0;
}

void plan_curve(struct curve *curve, const struct terrane_term *term)
{
    curve->segments = term->knots - 1;
    for (int k = 0; k < curve->segments; k++) {
        const float wide_x = term->knot_x[k + 1] - term->knot_x[k],
                    rise = term->knot_y[k + 1] - term->knot_y[k];
        const float from = knot_slope(term, k) * wide_x, to = knot_slope(term, k + 1) * wide_x;
        curve->start[k] = term->knot_x[k];
        curve->inverse[k] = 1.0f / wide_x;
        curve->c[0][k] = term->knot_y[k];
        curve->c[1][k] = from;
        curve->c[2][k] = (3 * rise - 2 * from) - to;
        curve->c[3][k] = (from + to) - 2 * rise;
    }
}
