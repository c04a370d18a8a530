/*
 * Heights on a rectangular grid: what everything here measures.
 */
#ifndef TERRANE_ANALYZE_RASTER_H
#define TERRANE_ANALYZE_RASTER_H

#include <stddef.h>
#include <stdint.h>

enum {
    RASTER_SIDE_MIN = 16,
    RASTER_SIDE_MAX = 1 << 15,
    RASTER_SAMPLES_MAX = 1 << 26 /* 256 MiB */
};

struct raster {
    int width, height;
    double dx_m, dy_m; /* between samples: along a row, and from row to row */
    float *sample;     /* row j, column i at j * width + i; owned; all are finite */
};

/* Makes room for width x height samples, 1 m apart, not yet set. Returns 0, or -1 when memory is short. */
int raster_make(struct raster *raster, int width, int height);

/* Also of a raster that is all zeros. */
void raster_free(struct raster *raster);

static inline size_t raster_count(const struct raster *raster)
{
    return (size_t)raster->width * (size_t)raster->height;
}

static inline float raster_at(const struct raster *raster, int i, int j)
{
    return raster->sample[(size_t)j * (size_t)raster->width + (size_t)i];
}

/* The middle sample by height (the lower of two). Returns 0, or -1 when memory is short. */
int raster_median(const struct raster *raster, float *median);

#endif
