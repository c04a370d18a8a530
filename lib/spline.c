/*
 * The uniform cubic B-spline. Down first, then across: the order in which products are summed is part of the function.
 */
#include "spline.h"

struct weights {
    float w[4];
};

/* At t = 0 .. 1 between the second and the third node. */
static struct weights weights_at(float t)
{
    const float u = 1 - t, sixth = 1.0f / 6;
    return (struct weights){{
        u * u * u * sixth,
        ((3 * t - 6) * t * t + 4) * sixth,
        ((3 * u - 6) * u * u + 4) * sixth,
        t * t * t * sixth,
    }};
}

struct spline_chunk spline_chunk(int64_t gi, int width, int log2)
{
    const int64_t first = gi >> log2, last = (gi + width - 1) >> log2;
    return (struct spline_chunk){
        .log2 = log2,
        .column = first - 1,
        .columns = (int)(last - first) + 4,
        .offset = gi & ((INT64_C(1) << log2) - 1),
        .width = width,
    };
}

int64_t spline_row(int64_t gj, int log2, float *t)
{
    const int64_t row = gj >> log2;
    *t = (float)(gj & ((INT64_C(1) << log2) - 1)) / (float)(INT64_C(1) << log2);
    return row - 1;
}

/* Samples from i on that stand between the same nodes. */
static int run_of(const struct spline_chunk *chunk, int64_t at, int i)
{
    const int64_t left = (INT64_C(1) << chunk->log2) - (at & ((INT64_C(1) << chunk->log2) - 1));
    return left < chunk->width - i ? (int)left : chunk->width - i;
}

void spline_samples(const struct spline_chunk *chunk, const float *const node[4], float t, float *out)
{
    const struct weights down = weights_at(t);
    const float inverse = 1.0f / (float)(INT64_C(1) << chunk->log2);
    float column[SPLINE_COLUMNS];
    for (int c = 0; c < chunk->columns; c++)
        column[c] = (down.w[0] * node[0][c] + down.w[1] * node[1][c]) +
                    (down.w[2] * node[2][c] + down.w[3] * node[3][c]);
    for (int i = 0; i < chunk->width;) {
        const int64_t at = chunk->offset + i, rest = at & ((INT64_C(1) << chunk->log2) - 1);
        const float *const v = column + (at >> chunk->log2);
        const int run = run_of(chunk, at, i);
        for (int k = 0; k < run; k++) {
            const struct weights across = weights_at((float)(rest + k) * inverse);
            out[i + k] = (across.w[0] * v[0] + across.w[1] * v[1]) + (across.w[2] * v[2] + across.w[3] * v[3]);
        }
        i += run;
    }
}
