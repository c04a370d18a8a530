/*
 * Cover: from quantities to suitabilities, from these to weights, from weights to colours and bytes.
 *
 * A sample's output is a function of its own inputs; a lane is a sample. lib/README.md has the arithmetic.
 */
#include "cover.h"

#include <string.h>

#include "../base/fade.h"

#define LANES 4 /* as of shade.c */
#include "../base/lane.h"

#define WHOLE 65536.0f /* of weights, which are counted in whole parts of it */

struct cover_asked cover_asked(const struct terrane_cover *cover)
{
    struct cover_asked asked = {0};
    for (int m = 0; m < cover->materials - 1; m++)
        for (int k = 0; k < cover->material[m].conditions; k++) {
            const int of = cover->material[m].condition[k].of;
            if (of < TERRANE_COVER_QUANTITIES)
                asked.quantities |= 1u << of;
            else
                asked.terms |= UINT64_C(1) << (of - TERRANE_COVER_QUANTITIES);
        }
    return asked;
}

/* ---- Suitability --------------------------------------------------------------------------------------- */

/* Of one condition: 1 on a side that is open. */
struct trapezoid {
    lane_f from, gain, until, loss;
    bool rises, falls;
};

LANE_FN lane_f fade_of(lane_f t)
{
    t = (lane_f)((lane_i)t & (t > lane_splat(0.0f)));
    t = lane_select(t < lane_splat(1.0f), t, lane_splat(1.0f));
    return FADE3(t);
}

LANE_FN lane_f trapezoid_at(const struct trapezoid *trapezoid, lane_f v, lane_f suit)
{
    if (trapezoid->rises)
        suit *= fade_of((v - trapezoid->from) * trapezoid->gain);
    if (trapezoid->falls)
        suit *= fade_of((trapezoid->until - v) * trapezoid->loss);
    return suit;
}

static struct trapezoid trapezoid_of(const struct terrane_condition *condition)
{
    return (struct trapezoid){
        .from = lane_splat(condition->rise[0]),
        .gain = lane_splat(condition->rises ? 1 / (condition->rise[1] - condition->rise[0]) : 0),
        .until = lane_splat(condition->fall[1]),
        .loss = lane_splat(condition->falls ? 1 / (condition->fall[1] - condition->fall[0]) : 0),
        .rises = condition->rises,
        .falls = condition->falls,
    };
}

/*
 * What one condition says of values of which the least and the greatest are known: both sides are monotonous, rounding included, so
 * where one is 1, or 0, at both it is that of all, and to multiply by it is to do nothing, or to clear.
 */
static void multiply(const struct trapezoid *trapezoid, const float *values, size_t count, float low,
                     float high, float *suits)
{
    struct trapezoid left = *trapezoid;
    if (left.rises && (low - left.from[0]) * left.gain[0] >= 1)
        left.rises = false;
    if (left.falls && (left.until[0] - high) * left.loss[0] >= 1)
        left.falls = false;
    if ((left.rises && (high - left.from[0]) * left.gain[0] <= 0) ||
        (left.falls && (left.until[0] - low) * left.loss[0] <= 0)) {
        memset(suits, 0, count * sizeof *suits);
        return;
    }
    if (!left.rises && !left.falls)
        return;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lane_store(suits + i, trapezoid_at(&left, lane_load(values + i), lane_load(suits + i)));
    for (; i < count; i++)
        suits[i] = trapezoid_at(&left, lane_splat(values[i]), lane_splat(suits[i]))[0];
}

enum { TOGETHER = 256 }; /* samples whose range is looked at: as good as one row of a tile */

/* Of one number or more; four vectors at a time, which do not wait for each other. */
static void range_of(const float *values, size_t count, float *low, float *high)
{
    enum { ROWS = 4 };
    lane_f min[ROWS], max[ROWS];
    size_t i = 0;
    for (int r = 0; r < ROWS; r++)
        min[r] = max[r] = lane_splat(values[0]);
    for (; i + ROWS * LANES <= count; i += ROWS * LANES)
        for (int r = 0; r < ROWS; r++) {
            const lane_f v = lane_load(values + i + r * LANES);
            min[r] = lane_select(v < min[r], v, min[r]);
            max[r] = lane_select(v > max[r], v, max[r]);
        }
    *low = *high = values[0];
    for (int k = 0; k < ROWS * LANES; k++) {
        const float l = min[k / LANES][k % LANES], m = max[k / LANES][k % LANES];
        *low = l < *low ? l : *low;
        *high = m > *high ? m : *high;
    }
    for (; i < count; i++) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

void cover_condition(const struct terrane_condition *condition, const float *values, size_t count,
                     float *suits)
{
    const struct trapezoid trapezoid = trapezoid_of(condition);
    for (size_t i = 0; i < count; i += TOGETHER) {
        const size_t together = count - i < TOGETHER ? count - i : TOGETHER;
        float low, high;
        range_of(values + i, together, &low, &high);
        multiply(&trapezoid, values + i, together, low, high, suits + i);
    }
}

void cover_begin(const struct terrane_cover *cover, size_t stride, size_t count, float *suits)
{
    for (int m = 0; m < cover->materials - 1; m++)
        for (size_t i = 0; i < count; i++)
            suits[(size_t)m * stride + i] = cover->material[m].share;
}

void cover_suit(const struct terrane_cover *cover, int of, const float *values, size_t stride, size_t count,
                float *suits)
{
    struct trapezoid said[TERRANE_MATERIALS_MAX * TERRANE_CONDITIONS_MAX];
    int material[TERRANE_MATERIALS_MAX * TERRANE_CONDITIONS_MAX], conditions = 0;
    for (int m = 0; m < cover->materials - 1; m++)
        for (int k = 0; k < cover->material[m].conditions; k++)
            if (cover->material[m].condition[k].of == of) {
                material[conditions] = m;
                said[conditions++] = trapezoid_of(&cover->material[m].condition[k]);
            }
    for (size_t i = 0; conditions > 0 && i < count; i += TOGETHER) {
        const size_t together = count - i < TOGETHER ? count - i : TOGETHER;
        float low, high;
        range_of(values + i, together, &low, &high);
        for (int k = 0; k < conditions; k++)
            multiply(&said[k], values + i, together, low, high, suits + (size_t)material[k] * stride + i);
    }
}

/* ---- Weights ------------------------------------------------------------------------------------------- */

/* Weights of LANES samples: whole parts of what is left, so that all differences are exact. */
LANE_FN void weigh(const struct terrane_cover *cover, const float *suits, size_t stride,
                   lane_f out[TERRANE_MATERIALS_MAX])
{
    lane_f left = lane_splat(WHOLE);
    for (int m = 0; m < cover->materials - 1; m++) {
        const lane_f part = lane_load(suits + (size_t)m * stride) * left;
        const lane_f whole = __builtin_convertvector(__builtin_convertvector(part, lane_i), lane_f);
        left -= whole;
        out[m] = whole * lane_splat(1 / WHOLE);
    }
    out[cover->materials - 1] = left * lane_splat(1 / WHOLE);
}

/* Four materials of LANES samples: numbers that lie by material come to lie by sample, stride apart. */
LANE_FN void put_four(const lane_f m[4], float *out, size_t stride)
{
    const lane_f ab = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5),
                 AB = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7),
                 cd = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5),
                 CD = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
    lane_store(out, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    lane_store(out + stride, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    lane_store(out + 2 * stride, __builtin_shufflevector(AB, CD, 0, 1, 4, 5));
    lane_store(out + 3 * stride, __builtin_shufflevector(AB, CD, 2, 3, 6, 7));
}

void cover_weights(const struct terrane_cover *cover, const float *suits, size_t stride, size_t count,
                   float *weights)
{
    const size_t materials = (size_t)cover->materials;
    for (size_t i = 0; i < count; i += LANES, weights += LANES * materials) {
        lane_f out[TERRANE_MATERIALS_MAX];
        const size_t rest = count - i < LANES ? count - i : LANES;
        size_t done = 0;
        weigh(cover, suits + i, stride, out);
        for (; rest == LANES && done + 4 <= materials; done += 4)
            put_four(out + done, weights + done, materials);
        for (; done < materials; done++)
            for (size_t k = 0; k < rest; k++)
                weights[k * materials + done] = out[done][k];
    }
}

/* Here a lane is a channel. */
void terrane_cover_colours(const struct terrane_recipe *recipe, const float *weights, size_t count,
                           float *colour)
{
    const struct terrane_cover *cover = &recipe->cover;
    lane_f of[TERRANE_MATERIALS_MAX];
    for (int m = 0; m < cover->materials; m++)
        for (int c = 0; c < LANES; c++)
            of[m][c] = c < 3 ? (float)cover->material[m].colour[c] : 0;
    for (size_t i = 0; i < count; i++, colour += 3) {
        lane_f sum = lane_splat(0);
        for (int m = 0; m < cover->materials; m++)
            sum += lane_splat(*weights++) * of[m];
        for (int c = 0; c < 3; c++)
            colour[c] = sum[c];
    }
}

/* Differences of rounded sums: so they sum to the last of these, which is whole. */
void terrane_cover_bytes(const struct terrane_recipe *recipe, const float *weights, size_t count,
                         uint8_t *bytes)
{
    const int materials = terrane_cover_materials(recipe);
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        int before = 0;
        for (int m = 0; m < materials; m++) {
            sum += *weights++;
            const int now = (int)(sum * 255.0f + 0.5f);
            *bytes++ = (uint8_t)(now - before);
            before = now;
        }
    }
}

/* ---- Quantities ---------------------------------------------------------------------------------------- */

void cover_slopes(const float *normals, size_t count, float *slopes)
{
    for (size_t i = 0; i < count; i++, normals += 3)
        slopes[i] = __builtin_sqrtf(normals[0] * normals[0] + normals[1] * normals[1]) / normals[2];
}

/* Mehrstellen: four times the neighbours along the axes and once the others, over 6. */
void cover_curvatures(const float *heights, size_t stride, int step, int width, double spacing_m,
                      float *curvatures)
{
    const float scale = (float)(1 / (6 * spacing_m * spacing_m));
    for (int i = 0; i < width; i++, heights += step) {
        const float *north = heights - stride, *south = heights + stride, z = *heights;
        const float near = ((heights[-1] - z) + (heights[1] - z)) + ((north[0] - z) + (south[0] - z));
        const float far = ((north[-1] - z) + (south[1] - z)) + ((north[1] - z) + (south[-1] - z));
        curvatures[i] = (4 * near + far) * scale;
    }
}

LANE_FN lane_f log2_lanes(lane_f v)
{
    const lane_i bits = (lane_i)v; /* v is over 0: no sign is among them */
    const lane_f f = __builtin_convertvector(bits & 0x7fffff, lane_f) * lane_splat(0x1p-23f);
    return __builtin_convertvector((bits >> 23) - 127, lane_f) +
           (f + lane_splat(0.34375f) * (f * (lane_splat(1) - f)));
}

void cover_log2s(float *values, size_t count)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lane_store(values + i, log2_lanes(lane_load(values + i)));
    for (; i < count; i++)
        values[i] = log2_lanes(lane_splat(values[i]))[0];
}

LANE_FN lane_f wetness_of(lane_f log2_cells, lane_f slope)
{
    const lane_f min = lane_splat(COVER_SLOPE_MIN);
    return log2_cells - log2_lanes(lane_select(slope > min, slope, min));
}

void cover_wetness(const float *log2_cells, const float *slopes, size_t count, float *wetness)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lane_store(wetness + i, wetness_of(lane_load(log2_cells + i), lane_load(slopes + i)));
    for (; i < count; i++)
        wetness[i] = wetness_of(lane_splat(log2_cells[i]), lane_splat(slopes[i]))[0];
}
