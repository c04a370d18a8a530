/*
 * The uniform cubic B-spline: first down, by the basis at t, then across, as a cubic in t between two nodes. The order of
 * summation is part of the function.
 */
#include "spline.h"

#define LANES 4 /* runs may be as short */
#include "../base/lane.h"

void spline_chunk(struct spline_chunk *chunk, int64_t gi, int width, int log2)
{
    const int64_t first = gi >> log2, last = (gi + width - 1) >> log2, mask = (INT64_C(1) << log2) - 1;
    const float inverse = 1.0f / (float)(INT64_C(1) << log2);
    chunk->log2 = log2;
    chunk->column = first - 1;
    chunk->columns = (int)(last - first) + 4;
    chunk->offset = gi & mask;
    chunk->width = width;
    for (int i = 0; i < width; i++)
        chunk->t[i] = (float)((gi + i) & mask) * inverse;
}

int64_t spline_row(int64_t gj, int log2, float *t)
{
    *t = (float)(gj & ((INT64_C(1) << log2) - 1)) * (1.0f / (float)(INT64_C(1) << log2));
    return (gj >> log2) - 1;
}

/* Number of samples from i on between the same nodes. */
static int run_of(const struct spline_chunk *chunk, int i)
{
    const int64_t cell = INT64_C(1) << chunk->log2, left = cell - ((chunk->offset + i) & (cell - 1));
    return left < chunk->width - i ? (int)left : chunk->width - i;
}

void spline_samples(const struct spline_chunk *chunk, const float *const node[4], float t, float *out)
{
    const float u = 1 - t, sixth = 1.0f / 6;
    const float w0 = u * u * u * sixth, w1 = ((3 * t - 6) * t * t + 4) * sixth,
                w2 = ((3 * u - 6) * u * u + 4) * sixth, w3 = t * t * t * sixth;
    float column[SPLINE_COLUMNS] = {0};
    for (int c = 0; c < chunk->columns; c++)
        column[c] = (w0 * node[0][c] + w1 * node[1][c]) + (w2 * node[2][c] + w3 * node[3][c]);
    if (chunk->log2 == 0) { /* every sample is a node */
        for (int i = 0; i < chunk->width; i++)
            out[i] = ((column[i] + column[i + 2]) + 4 * column[i + 1]) * sixth;
        return;
    }
    for (int i = 0; i < chunk->width;) {
        const float *const v = column + ((chunk->offset + i) >> chunk->log2);
        const float c0 = ((v[0] + v[2]) + 4 * v[1]) * sixth, c1 = (v[2] - v[0]) * 0.5f,
                    c2 = ((v[0] + v[2]) - 2 * v[1]) * 0.5f, c3 = ((v[3] - v[0]) + 3 * (v[1] - v[2])) * sixth;
        const int end = i + run_of(chunk, i);
        for (; end - i >= LANES; i += LANES) {
            const lane_f s = lane_load(chunk->t + i);
            lane_store(out + i, c0 + s * (c1 + s * (c2 + s * c3)));
        }
        for (; i < end; i++) {
            const float s = chunk->t[i];
            out[i] = c0 + s * (c1 + s * (c2 + s * c3));
        }
    }
}
