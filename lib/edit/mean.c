/*
 * A mean weighs 9 x 9 samples by a pyramid, and a cubic B-spline lies over the means: smooth to the second derivative, and of level
 * ground level.
 */
#include "mean.h"

enum { WEIGHTS = (MEAN_REACH + 1) * (MEAN_REACH + 1) * (MEAN_REACH + 1) * (MEAN_REACH + 1) };

static int64_t weight_of(int off)
{
    return MEAN_REACH + 1 - (off < 0 ? -off : off);
}

void mean_make(struct mean *mean, const struct edit_ground *ground, const struct terrane_edit_box *box)
{
    const struct terrane_window *window = &ground->window;
    const int width = (int)(box->east - box->west + 1), height = (int)(box->south - box->north + 1);
    const int64_t lift = INT64_C(1) << 31; /* that divisions are of numbers above 0 */
    mean->box = *box;
    for (int j = 0; j < height + 2 * MEAN_REACH; j++) {
        const int64_t row = box->north - window->gj + j - MEAN_REACH;
        const size_t first = (size_t)(row * window->width + (box->west - window->gi) - MEAN_REACH);
        for (int i = 0; i < width; i++) {
            int64_t sum = 0;
            for (int off = -MEAN_REACH; off <= MEAN_REACH; off++) {
                const size_t k = first + (size_t)(i + off + MEAN_REACH);
                sum += weight_of(off) * (ground->base[k] + (int64_t)ground->delta[k]);
            }
            mean->room[j * MEAN_SIDE + i] = sum;
        }
    }
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            int64_t sum = WEIGHTS / 2;
            for (int off = 0; off <= 2 * MEAN_REACH; off++)
                sum += weight_of(off - MEAN_REACH) * mean->room[(j + off) * MEAN_SIDE + i];
            mean->at[j * MEAN_SIDE + i] = (int32_t)((sum + WEIGHTS * lift) / WEIGHTS - lift);
        }
}

/* ---- Between samples ------------------------------------------------------------------------------------- */

/* Weights of the sample before, the next three, in shares, at t of 2^log2 parts of the way. */
static void spline(int64_t t, int log2, int64_t weight[4])
{
    const int64_t n = INT64_C(1) << log2, u = n - t;
    weight[0] = (u * u * u * EDIT_WHOLE >> 3 * log2) / 6;
    weight[2] = ((n * n * n + 3 * t * (n * n + n * t - t * t)) * EDIT_WHOLE >> 3 * log2) / 6;
    weight[3] = (t * t * t * EDIT_WHOLE >> 3 * log2) / 6;
    weight[1] = EDIT_WHOLE - weight[0] - weight[2] - weight[3];
}

void mean_row(struct mean *mean, int64_t g, int finer)
{
    int64_t weight[4];
    spline(g & ((INT64_C(1) << finer) - 1), finer, weight);
    const int32_t *at = &mean->at[((g >> finer) - 1 - mean->box.north) * MEAN_SIDE];
    for (int i = 0; i <= mean->box.east - mean->box.west; i++) {
        const int64_t sum = weight[0] * at[i] + weight[1] * at[MEAN_SIDE + i] +
                            weight[2] * at[2 * MEAN_SIDE + i] + weight[3] * at[3 * MEAN_SIDE + i];
        mean->column[i] = (sum + 128) >> 8;
    }
}

int64_t mean_between(const struct mean *mean, int64_t g, int finer)
{
    int64_t weight[4];
    spline(g & ((INT64_C(1) << finer) - 1), finer, weight);
    const int64_t *at = &mean->column[(g >> finer) - 1 - mean->box.west];
    const int64_t sum = weight[0] * at[0] + weight[1] * at[1] + weight[2] * at[2] + weight[3] * at[3];
    return (sum + (1 << 23)) >> 24;
}
