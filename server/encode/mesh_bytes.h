/* Numbers of meshes: quantised shares, ranges, and their bytes. */
#ifndef TERRANE_SERVER_MESH_BYTES_H
#define TERRANE_SERVER_MESH_BYTES_H

#include <math.h>

#include "../base/little_endian.h"

static inline double clamp_to(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* round(share * most), half up, for shares from -1 or 0 to 1 and a little more. */
static inline int quantise_share(double share, int max)
{
    return (int)floor(clamp_to(share, -1, 1) * max + 0.5);
}

/* Min and max of count values, count >= 1. */
static inline void range_of(const float *values, size_t count, float *low, float *high)
{
    *low = *high = values[0];
    for (size_t i = 1; i < count; i++) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

#endif
