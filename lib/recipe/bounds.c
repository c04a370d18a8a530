/*
 * Bounds: the range of heights, and the max difference of a level's heights from those of level 0.
 *
 * Interval arithmetic over the terms, in binary64. A term has a range that it never leaves at any level, and
 * an error: the max difference of its value at one level from that at level 0 at the same place. Octaves are
 * left out from the finest one up, so a fractal's error is the reach of its last octaves, and everything else
 * propagates its inputs' errors. A term that uses all its octaves, and whose inputs have error 0, is equal at
 * both levels to the last bit: its error is 0.
 *
 * Everything is conservative. Ranges of octaves are 1.00001 times what exact arithmetic gives, which
 * covers the roundings of one octave; those of terms are widened by 2^-18 of the max intermediate number,
 * which covers 64 roundings. No error exceeds the width of its term's range. Nothing is NaN: terms end at
 * 2^40.
 */
#include "bounds.h"

#include "../base/min_max.h"

#include "kinds.h"
#include "limits.h"
#include "member.h"
#include "recipe.h"

static const double reach_max = 0x1p40;
static const double rounding = 0x1p-18;

/* ---- Numbers ------------------------------------------------------------------------------------------- */

struct range {
    double low, high;
    double error;     /* at the level, against level 0 */
    double magnitude; /* the max intermediate number */
};

static double size(double v)
{
    return v < 0 ? -v : v;
}

static double reach(const struct range *range)
{
    return max_double(size(range->low), size(range->high));
}

/* Widens a term's range by its rounding errors, and its error by those of both levels. */
static struct range rounded(struct range range)
{
    const double slack = range.magnitude * rounding;
    range.low -= slack;
    range.high += slack;
    if (range.error > 0)
        range.error = min_double(range.error + 2 * slack, range.high - range.low);
    return range;
}

/* ---- Fractals ------------------------------------------------------------------------------------------ */

/* A weight that the base does not read is unchecked, and may be any number. */
static double weight_of(const struct terrane_fractal *fractal, const struct base_row *base)
{
    return base->trait == FRACTAL_WEIGHT ? (double)fractal->weight : 0;
}

/* Max absolute value of a base of amplitude 1 (lib/README.md), and its max slope a cell. */
static double base_reach(const struct terrane_fractal *fractal, int octave)
{
    const struct base_row *base = &base_rows[fractal->base[octave]];
    return (1 + base->over + base->reach_weight * weight_of(fractal, base)) * 1.00001;
}

static double base_steepness(const struct terrane_fractal *fractal, int octave)
{
    const struct base_row *base = &base_rows[fractal->base[octave]];
    return BASE_STEEPNESS + base->steepness_weight * weight_of(fractal, base);
}

/* The range that one octave of amplitude 1 adds. r is above 1, so |n| <= r can exceed the shape's value at 1. */
static struct range octave_range(const struct terrane_fractal *fractal, int octave)
{
    const double r = base_reach(fractal, octave), offset = (double)fractal->offset;
    switch (fractal->kind) {
    case TERRANE_BILLOW: /* 2 |n| - 1 */
        return (struct range){.low = -1, .high = 2 * r - 1};
    case TERRANE_RIDGED: /* 1 - 2 |n| */
        return (struct range){.low = 1 - 2 * r, .high = 1};
    case TERRANE_DOUBLE_RIDGED: /* 4 |1/2 - |n|| - 1 */
        return (struct range){.low = -1, .high = 4 * r - 3};
    case TERRANE_HYBRID: /* (n + offset) w, w = 1 for the first, then 0 .. 1 */
        return (struct range){.low = octave ? min_double(offset - r, 0) : offset - r,
                              .high = octave ? max_double(offset + r, 0) : offset + r};
    case TERRANE_SWISS: /* (1 - |n|) w */
        return (struct range){.low = 1 - r, .high = 1};
    case TERRANE_JORDAN: /* n^2 w */
        return (struct range){.low = 0, .high = r * r};
    case TERRANE_FBM: /* n */
    case TERRANE_IQ:  /* ... times a factor in 0 .. 1, as for MULTIFRACTAL */
    case TERRANE_MULTIFRACTAL:
    case TERRANE_MIDPOINT: /* neither has octaves: midpoint_range */
    case TERRANE_MIDPOINT_SMOOTHED:
    case TERRANE_FRACTAL_KINDS:
        break;
    }
    return (struct range){.low = -r, .high = r};
}

/* Displacement of a fractal by terms, in metres: its max, and its max error at a level. */
struct displacement {
    double reach_m, error_m;
};

static struct displacement displacement_of(const struct terrane_fractal *fractal, const struct range *terms)
{
    struct displacement displacement = {0};
    if (!fractal_is_displaced(fractal))
        return displacement;
    for (int axis = 0; axis < 2; axis++)
        if (fractal->warp_term[axis] >= 0) {
            const struct range *by = &terms[fractal->warp_term[axis]];
            const double factor = size((double)fractal->warp_m);
            displacement.reach_m += factor * reach(by);
            displacement.error_m += factor * by->error;
        }
    return displacement;
}

/*
 * The error of an octave in use: its max rise over the error of its place. That error is widened by the
 * rounding errors of displacements, which are clamped to 2^20 cells.
 */
static double octave_error(const struct terrane_fractal *fractal, int octave, double width, double cell_m,
                           const struct displacement *displacement)
{
    if (displacement->error_m <= 0)
        return 0;
    const double steepness = kind_rows[fractal->kind].steepness * base_steepness(fractal, octave);
    const double far = min_double(displacement->reach_m / cell_m, 0x1p20) + 1;
    const double cells = displacement->error_m / cell_m + far * 0x1p-22;
    return steepness > 0 ? min_double(width, steepness * cells) : width;
}

/* MIDPOINT: corners and offsets, averaged; its levels are subsets of level 0. */
static struct range midpoint_range(const struct terrane_fractal *fractal)
{
    double sum = 0;
    float amplitude = fractal->amplitude_m;
    for (int i = 0; i < fractal->octaves; i++, amplitude *= fractal->gain)
        sum += (double)amplitude;
    return rounded((struct range){.low = -2 * sum, .high = 2 * sum, .magnitude = 2 * sum});
}

/* True if an octave is in use: its cell spans two samples, or one with alias_octaves. */
static bool takes_part(const struct terrane_recipe *recipe, double cell, int level)
{
    return cell >= (double)(INT64_C(1) << (level + 1 - recipe->alias_octaves));
}

/*
 * The sum of octaves. A level may end after any of the octaves that the coarsest level leaves out: the range
 * contains all those sums.
 */
static struct range fractal_range(const struct terrane_recipe *recipe, const struct terrane_fractal *fractal,
                                  int level, const struct range *terms)
{
    struct range out = {0}, sum = {0}, rest = {0};
    if (fractal_is_midpoint(fractal))
        return midpoint_range(fractal);
    const struct displacement displacement = displacement_of(fractal, terms);
    float amplitude = fractal->amplitude_m;
    double cell = fractal->cell;
    for (int i = 0; i < fractal->octaves; i++, amplitude *= fractal->gain, cell /= fractal->lacunarity) {
        const struct range one = octave_range(fractal, i);
        const double low = (double)amplitude * one.low, high = (double)amplitude * one.high;
        const bool ends = !takes_part(recipe, cell, TERRANE_LEVEL_MAX); /* at some level before this octave */
        out.low = ends ? min_double(out.low, sum.low) : sum.low + low;
        out.high = ends ? max_double(out.high, sum.high) : sum.high + high;
        sum.low += low;
        sum.high += high;
        out.magnitude += reach(&(struct range){.low = low, .high = high});
        if (takes_part(recipe, cell, level)) {
            out.error += (double)amplitude * octave_error(fractal, i, one.high - one.low,
                                                          cell * recipe->spacing_m, &displacement);
        } else {
            rest.low += low;
            rest.high += high;
        }
    }
    out.low = min_double(out.low, sum.low);
    out.high = max_double(out.high, sum.high);
    out.error += reach(&rest);
    return rounded(out);
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

static struct range sum_range(const struct terrane_term *term, const struct range *terms)
{
    const double offset = (double)term->offset;
    struct range out = {.low = offset, .high = offset, .magnitude = size(offset)};
    for (int k = 0; k < term->inputs; k++) {
        const struct range *in = &terms[term->in[k]];
        const double factor = (double)term->factor[k];
        out.low += factor * (factor < 0 ? in->high : in->low);
        out.high += factor * (factor < 0 ? in->low : in->high);
        out.error += size(factor) * in->error;
        out.magnitude += size(factor) * reach(in);
    }
    return rounded(out);
}

static struct range times(const struct range *a, const struct range *b)
{
    const double corner[] = {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
    struct range out = {.low = corner[0], .high = corner[0]};
    for (int k = 1; k < 4; k++) {
        out.low = min_double(out.low, corner[k]);
        out.high = max_double(out.high, corner[k]);
    }
    out.error = a->error * reach(b) + reach(a) * b->error;
    out.magnitude = max_double(max_double(a->magnitude, b->magnitude), reach(a) * reach(b));
    return out;
}

/* The inputs are complete: only the max intermediate number of this term counts. */
static struct range product_range(const struct terrane_term *term, const struct range *terms)
{
    const double factor = (double)term->factor[0], offset = (double)term->offset;
    struct range out = {.low = factor, .high = factor, .magnitude = size(factor)};
    for (int k = 0; k < term->inputs; k++) {
        struct range in = terms[term->in[k]];
        in.magnitude = 0;
        out = times(&out, &in);
    }
    out.low += offset;
    out.high += offset;
    out.magnitude += size(offset);
    return rounded(out);
}

/* The least, or the greatest, moves by no more than one of its inputs does, and is one of them: nothing is rounded. */
static struct range extreme_range(const struct terrane_term *term, const struct range *terms)
{
    const bool max = term->op == TERRANE_OP_MAX;
    struct range out = terms[term->in[0]];
    out.magnitude = reach(&out);
    for (int k = 1; k < term->inputs; k++) {
        const struct range *in = &terms[term->in[k]];
        out.low = max ? max_double(out.low, in->low) : min_double(out.low, in->low);
        out.high = max ? max_double(out.high, in->high) : min_double(out.high, in->high);
        out.error = max_double(out.error, in->error);
        out.magnitude = max_double(out.magnitude, reach(in));
    }
    out.error = min_double(out.error, out.high - out.low);
    return out;
}

/* The slope of S5 is at most 15/8; it moves a value between two others by at most their distance. */
static double fade_error(double error, double width)
{
    return min_double(1, 1.875 * error / width);
}

static struct range blend_range(const struct terrane_term *term, const struct range *terms)
{
    const struct range *a = &terms[term->in[0]], *b = &terms[term->in[1]], *by = &terms[term->in[2]];
    const double apart = max_double(a->high - b->low, b->high - a->low);
    return rounded((struct range){
        .low = min_double(a->low, b->low),
        .high = max_double(a->high, b->high),
        .error = max_double(a->error, b->error) +
                 fade_error(by->error, (double)term->high - (double)term->low) * apart,
        .magnitude = 2 * (reach(a) + reach(b)),
    });
}

/*
 * A monotone cubic stays between the knots on both sides, and is at most three times as steep as the line
 * between them. Only knots next to the input's range count.
 */
static struct range curve_range(const struct terrane_term *term, const struct range *terms)
{
    const struct range *in = &terms[term->in[0]];
    const int last = term->knots - 1;
    int from = 0, to = last;
    double steepest = 0;
    while (from < last && (double)term->knot_x[from + 1] <= in->low)
        from++;
    while (to > from && (double)term->knot_x[to - 1] >= in->high)
        to--;
    struct range out = {.low = (double)term->knot_y[from], .high = (double)term->knot_y[from]};
    for (int k = from; k <= to; k++) {
        const double y = (double)term->knot_y[k];
        out.low = min_double(out.low, y);
        out.high = max_double(out.high, y);
        if (k > from)
            steepest = max_double(steepest, size(y - (double)term->knot_y[k - 1]) /
                                                ((double)term->knot_x[k] - (double)term->knot_x[k - 1]));
    }
    out.error = min_double(3 * steepest * in->error, out.high - out.low);
    out.magnitude = 2 * reach(&out);
    return rounded(out);
}

/* ---- Plates and climate -------------------------------------------------------------------------------- */

/* Nodes of levels that are no finer than the recipe's are the same; others are computed separately. */
static struct range nodes_range(double low, double high, bool same)
{
    return rounded((struct range){.low = low,
                                  .high = high,
                                  .error = same ? 0 : high - low,
                                  .magnitude = 4 * max_double(size(low), size(high))});
}

static struct range plates_range(const struct terrane_recipe *recipe, const struct terrane_term *term,
                                 int level)
{
    const struct terrane_plates *plates = &recipe->plates;
    const bool same = level <= plates->cell_log2 - PLATES_NODES_LOG2;
    const double cell_m = (double)(INT64_C(1) << plates->cell_log2) * recipe->spacing_m;
    if (term->of == TERRANE_PLATES_CRUST)
        return nodes_range(-1, 1, same);
    if (term->of == TERRANE_PLATES_CLOSING)
        return nodes_range(-(double)PLATES_CLOSING, (double)PLATES_CLOSING, same);
    if (term->of == TERRANE_PLATES_AGE)
        return nodes_range(0, (double)PLATES_AGE_MAX, same);
    return nodes_range(0, (double)plates->reach * cell_m, same);
}

static struct range climate_range(const struct terrane_recipe *recipe, const struct terrane_term *term,
                                  int level, const struct range *terms)
{
    const struct terrane_climate *climate = &recipe->climate;
    const struct range *ground = &terms[climate->ground];
    const bool same = level <= climate->cell_log2;
    const double lapse = (double)climate->lapse,
                 reach_m = max_double(reach(ground), size((double)recipe->sea_m));
    if (term->of == TERRANE_CLIMATE_PRECIPITATION)
        return nodes_range(0, (double)CLIMATE_RAIN_MAX * (double)climate->rain_mm, same);
    struct range out = nodes_range((double)climate->cold_c - (double)CLIMATE_SWAY_C,
                                   (double)climate->warm_c + (double)CLIMATE_SWAY_C, same);
    if (term->of == TERRANE_CLIMATE_TEMPERATURE) {
        out.low -= lapse * 2 * reach_m;
        out.error += lapse * ground->error;
        out.magnitude += 4 * lapse * reach_m;
    }
    return rounded(out);
}

/* A B-spline stays within its nodes' values. */
static struct range coarse_range(const struct terrane_term *term, int level, const struct range *terms)
{
    const struct range *in = &terms[term->in[0]];
    return nodes_range(in->low, in->high, level < term->of);
}

/* Of what is the same at all levels, and fades into what need not be. */
static struct range raster_range(const struct terrane_term *term, const struct range *terms)
{
    const struct range *in = &terms[term->in[0]];
    const double factor = (double)term->factor[0], offset = (double)term->offset;
    const double a = factor * (double)term->raster->low, b = factor * (double)term->raster->high;
    return rounded((struct range){
        .low = min_double(in->low, offset + min_double(a, b)),
        .high = max_double(in->high, offset + max_double(a, b)),
        .error = in->error,
        .magnitude = 16 * max_double(size(a), size(b)) + 2 * size(offset) + 2 * reach(in),
    });
}

/* ---- Zones --------------------------------------------------------------------------------------------- */

/* The max share of weights that can belong to another zone at this level than at level 0. */
static double weights_error(const struct terrane_recipe *recipe, int level, const struct range *terms)
{
    const struct terrane_partition *partition = &recipe->partition;
    const double blend = (double)partition->blend;
    if (partition->zones == 1 || level == 0)
        return 0;
    if (partition->kind == TERRANE_PARTITION_NOISE)
        return fade_error(terms[partition->by].error, blend);
    if (partition->kind == TERRANE_PARTITION_VORONOI) {
        /*
         * All weights are their mean if a cell spans under 8 samples; there are no transitions if their
         * scatter, at least a quarter of a transition wide, spans under 2.
         */
        const double cell = (double)(INT64_C(1) << partition->cell_log2),
                     sample = (double)(INT64_C(1) << level);
        return cell < 8 * sample || cell * blend / 4 < 2 * sample;
    }
    const double rows = terms[partition->temperature].error * (double)partition->table_rows /
                        ((double)partition->hot - (double)partition->cold);
    const double columns = terms[partition->moisture].error * (double)partition->table_columns /
                           ((double)partition->wet - (double)partition->dry);
    return fade_error(rows + columns, blend);
}

/* A mean of the zones' surfaces. */
static struct range zones_range(const struct terrane_recipe *recipe, int level, const struct range *terms)
{
    struct range out = {0};
    for (int k = 0; k < recipe->partition.zones; k++) {
        const struct terrane_zone *zone = &recipe->partition.zone[k];
        const struct range none = {0}, *in = zone->term < 0 ? &none : &terms[zone->term];
        const double amplitude = zone->term < 0 ? 0 : (double)zone->amplitude,
                     offset = (double)zone->offset_m;
        const double low = offset + amplitude * (amplitude < 0 ? in->high : in->low);
        const double high = offset + amplitude * (amplitude < 0 ? in->low : in->high);
        out.low = k ? min_double(out.low, low) : low;
        out.high = k ? max_double(out.high, high) : high;
        out.error = max_double(out.error, size(amplitude) * in->error);
        out.magnitude = max_double(out.magnitude, 4 * (size(offset) + size(amplitude) * reach(in)));
    }
    out.error += weights_error(recipe, level, terms) * (out.high - out.low);
    return rounded(out);
}

/* ---- All terms ----------------------------------------------------------------------------------------- */

static struct range term_range(const struct terrane_recipe *recipe, int index, int level,
                               const struct range *terms)
{
    const struct terrane_term *term = &recipe->term[index];
    switch (term->op) {
    case TERRANE_OP_FRACTAL:
        return fractal_range(recipe, &term->fractal, level, terms);
    case TERRANE_OP_SUM:
        return sum_range(term, terms);
    case TERRANE_OP_PRODUCT:
        return product_range(term, terms);
    case TERRANE_OP_MIN:
    case TERRANE_OP_MAX:
        return extreme_range(term, terms);
    case TERRANE_OP_BLEND:
        return blend_range(term, terms);
    case TERRANE_OP_CURVE:
        return curve_range(term, terms);
    case TERRANE_OP_PLATES:
        return plates_range(recipe, term, level);
    case TERRANE_OP_COARSE:
        return coarse_range(term, level, terms);
    case TERRANE_OP_CLIMATE:
        return climate_range(recipe, term, level, terms);
    case TERRANE_OP_RASTER:
        return raster_range(term, terms);
    case TERRANE_OP_ZONES:
    case TERRANE_OPS:
        break;
    }
    return zones_range(recipe, level, terms);
}

/*
 * Computes terms that do not use zones, then those that do, each in order: inputs come before their term.
 * Stops at the first that passes 2^40 and returns it, or -1.
 */
static int ranges_of(const struct terrane_recipe *recipe, int level, struct range terms[TERRANE_TERMS_MAX])
{
    const uint64_t zoned_terms = recipe_zoned_terms(recipe);
    for (int zoned = 0; zoned <= 1; zoned++)
        for (int i = 0; i < recipe->terms; i++) {
            if (((zoned_terms & recipe_term_bit(i)) != 0) != zoned)
                continue;
            terms[i] = term_range(recipe, i, level, terms);
            if (terms[i].magnitude > reach_max)
                return i;
        }
    return -1;
}

int bounds_beyond(const struct terrane_recipe *recipe)
{
    struct range terms[TERRANE_TERMS_MAX] = {{0}};
    return ranges_of(recipe, 0, terms);
}

void bounds_of_term(const struct terrane_recipe *recipe, int term, int level, double *low, double *high,
                    double *error)
{
    struct range terms[TERRANE_TERMS_MAX] = {{0}};
    ranges_of(recipe, level, terms);
    *low = terms[term].low;
    *high = terms[term].high;
    *error = level > 0 ? terms[term].error : 0;
}

void terrane_height_bounds_m(const struct terrane_recipe *recipe, double *low_m, double *high_m)
{
    struct range terms[TERRANE_TERMS_MAX] = {{0}};
    ranges_of(recipe, 0, terms);
    *low_m = terms[recipe->terms - 1].low;
    *high_m = terms[recipe->terms - 1].high;
}

double terrane_level_error_m(const struct terrane_recipe *recipe, int level)
{
    struct range terms[TERRANE_TERMS_MAX] = {{0}};
    if (level <= 0)
        return 0;
    ranges_of(recipe, level, terms);
    return terms[recipe->terms - 1].error;
}
