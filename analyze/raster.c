/*
 * Room for rasters, and their median.
 */
#include "raster.h"

#include <stdlib.h>
#include <string.h>

int raster_make(struct raster *raster, int width, int height)
{
    *raster = (struct raster){.width = width, .height = height, .dx_m = 1, .dy_m = 1};
    raster->sample = malloc(raster_count(raster) * sizeof *raster->sample);
    return raster->sample ? 0 : -1;
}

void raster_free(struct raster *raster)
{
    free(raster->sample);
    raster->sample = NULL;
}

static int by_height(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int raster_median(const struct raster *raster, float *median)
{
    const size_t count = raster_count(raster);
    float *const sorted = malloc(count * sizeof *sorted);

    if (!sorted)
        return -1;
    memcpy(sorted, raster->sample, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_height);
    *median = sorted[(count - 1) / 2];
    free(sorted);
    return 0;
}
