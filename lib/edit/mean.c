/*
 * A mean weighs 9 x 9 samples by a pyramid, and a cubic B-spline lies over the means: smooth to the second derivative, and of level
 * ground level.
 */
#include "mean.h"

enum { WEIGHTS = (MEAN_REACH + 1) * (MEAN_REACH + 1) * (MEAN_REACH + 1) * (MEAN_REACH + 1) };

/* Weights 1 2 3 4 5 4 3 2 1 of numbers that far apart. */
static double sum_of(const double *at, size_t apart)
{
    _Static_assert(MEAN_REACH == 4, "as many as there are");
    return at[0] + at[8 * apart] + 2 * (at[apart] + at[7 * apart]) + 3 * (at[2 * apart] + at[6 * apart]) +
           4 * (at[3 * apart] + at[5 * apart]) + 5 * at[4 * apart];
}

/* Integers in double: sums are within 2^42, and a quotient, which never lies between two integers, is off by 2^-20 at most. */
void mean_make(struct mean *mean, const struct edit_ground *ground, const struct terrane_edit_box *box)
{
    const struct terrane_window *window = &ground->window;
    const int width = (int)(box->east - box->west + 1), height = (int)(box->south - box->north + 1);
    mean->box = *box;
    for (int j = 0; j < height + 2 * MEAN_REACH; j++) {
        const int64_t row = box->north - window->gj + j - MEAN_REACH;
        const size_t first = (size_t)(row * window->width + (box->west - window->gi) - MEAN_REACH);
        double line[MEAN_ROWS] = {0};
        for (int i = 0; i < width + 2 * MEAN_REACH; i++)
            line[i] = ground->base[first + (size_t)i] + (double)ground->delta[first + (size_t)i];
        for (int i = 0; i < width; i++)
            mean->room[j * MEAN_SIDE + i] = sum_of(line + i, 1);
    }
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            const double quotient = sum_of(&mean->room[j * MEAN_SIDE + i], MEAN_SIDE) * (1.0 / WEIGHTS);
            mean->at[j * MEAN_SIDE + i] = (int32_t)((quotient + 0x1.8p52) - 0x1.8p52);
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

void mean_columns(struct mean *mean, int64_t g, int step, int count, int finer)
{
    for (int i = 0; i < count; i++, g += step) {
        int64_t weight[4];
        spline(g & ((INT64_C(1) << finer) - 1), finer, weight);
        for (int k = 0; k < 4; k++)
            mean->weight[i][k] = (int32_t)weight[k];
        mean->first[i] = (int32_t)((g >> finer) - 1 - mean->box.west);
    }
}

int64_t mean_between(const struct mean *mean, int column)
{
    const int32_t *weight = mean->weight[column];
    const int64_t *at = &mean->column[mean->first[column]];
    const int64_t sum = weight[0] * at[0] + weight[1] * at[1] + weight[2] * at[2] + weight[3] * at[3];
    return (sum + (1 << 23)) >> 24;
}
