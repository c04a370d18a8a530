/*
 * Rasters: what is beyond their edges, and whether one is ready.
 */
#ifndef TERRANE_RASTER_H
#define TERRANE_RASTER_H

#include <stdbool.h>

#include "../terrane.h"

/* The row or column that stands at a place: mirrored at both edges, without end. last: 1 or more. */
static inline int raster_mirror(int64_t at, int last)
{
    const int64_t period = 2 * (int64_t)last;
    int64_t within = at % period;
    within += within < 0 ? period : 0;
    return (int)(within > last ? period - within : within);
}

/* Whether terrane_raster_init has taken it. */
bool raster_is_made(const struct terrane_raster *raster);

#endif
