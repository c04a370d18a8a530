/*
 * Boxes are counted by a pyramid: a box of side 2s holds a marked cell where one of its four boxes of side s
 * does.
 */
#include "box_count.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const int shift_x[BOX_GRIDS] = {0, 1, 2, 3}, shift_y[BOX_GRIDS] = {0, 2, 3, 1}; /* in quarters */

double box_count_dimension(const struct fit *fit)
{
    return fit->points > 0 ? -fit->slope : (double)NAN;
}

static struct fit fit_counts(const struct box_count *count, const double *boxes)
{
    double x[BOX_SIZES], y[BOX_SIZES];

    for (int k = 0; k < count->sizes; k++) {
        if (!(boxes[k] > 0))
            return (struct fit){0};
        x[k] = log2(count->side[k]);
        y[k] = log2(boxes[k]);
    }
    return fit_line(x, y, count->sizes);
}

/* Halves a picture of width x height (both even) in place; returns how many of its cells are marked. */
static int64_t halve(uint8_t *cell, int width, int height)
{
    int64_t marked = 0;

    for (int j = 0; j < height / 2; j++) {
        const uint8_t *const north = cell + (size_t)(2 * j) * (size_t)width, *const south = north + width;
        uint8_t *const out = cell + (size_t)j * (size_t)(width / 2);
        for (int i = 0; i < width / 2; i++) {
            const bool any = north[2 * i] | north[2 * i + 1] | south[2 * i] | south[2 * i + 1];
            out[i] = any;
            marked += any;
        }
    }
    return marked;
}

int box_count_cells(const uint8_t *cell, int width, int height, struct box_count *out)
{
    const int shorter = width < height ? width : height;
    int largest = 1 << BOX_SIZES;

    *out = (struct box_count){0};
    while (largest > shorter / 4)
        largest /= 2;
    if (largest < 8) /* fewer than three sides make no line */
        return 0;
    const int w = (width - largest * 3 / 4) / largest * largest;
    const int h = (height - largest * 3 / 4) / largest * largest;
    uint8_t *const work = calloc((size_t)w, (size_t)h);
    if (!work)
        return -1;
    for (int g = 0; g < BOX_GRIDS; g++) {
        const int west = shift_x[g] * largest / 4, north = shift_y[g] * largest / 4;
        for (int j = 0; j < h; j++)
            memcpy(work + (size_t)j * (size_t)w, cell + (size_t)(north + j) * (size_t)width + west,
                   (size_t)w);
        out->sizes = 0;
        for (int side = 2; side <= largest; side *= 2) {
            const int k = out->sizes++;
            out->side[k] = side;
            out->boxes[g][k] = (double)halve(work, w * 2 / side, h * 2 / side);
            out->mean[k] += out->boxes[g][k] / BOX_GRIDS;
        }
        out->grid_fit[g] = fit_counts(out, out->boxes[g]);
    }
    out->fit = fit_counts(out, out->mean);
    free(work);
    return 0;
}

int box_count_level(const struct raster *raster, double level_m, struct box_count *out)
{
    const int width = raster->width - 1, height = raster->height - 1;
    const size_t columns = (size_t)raster->width;
    uint8_t *const cell = malloc((size_t)width * (size_t)height);
    uint8_t *const above = malloc(2 * columns);
    int status = -1;

    for (int j = 0; cell && above && j <= height; j++) {
        const float *const row = raster->sample + (size_t)j * columns;
        uint8_t *const here = above + (size_t)(j & 1) * columns;
        const uint8_t *const before = above + (size_t)(~j & 1) * columns;
        for (int i = 0; i <= width; i++)
            here[i] = (double)row[i] >= level_m;
        for (int i = 0; j > 0 && i < width; i++) {
            const int land = here[i] + here[i + 1] + before[i] + before[i + 1];
            cell[(size_t)(j - 1) * (size_t)width + (size_t)i] = land > 0 && land < 4;
        }
    }
    if (cell && above)
        status = box_count_cells(cell, width, height, out);
    free(cell);
    free(above);
    return status;
}

struct box_count box_count_pool(const struct box_count *counts, int count)
{
    struct box_count pool = {.sizes = counts[0].sizes};

    for (int k = 0; k < pool.sizes; k++) {
        pool.side[k] = counts[0].side[k];
        for (int i = 0; i < count; i++)
            pool.mean[k] += counts[i].mean[k] / count;
    }
    pool.fit = fit_counts(&pool, pool.mean);
    return pool;
}
