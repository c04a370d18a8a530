/*
 * Noise at a point.
 */
#ifndef TERRANE_NOISE_AT_H
#define TERRANE_NOISE_AT_H

#include "../terrane.h"

/*
 * terrane_noise_at - one octave in 1, 3 or 4 dimensions, for uses other than maps: time, caves, clouds.
 *
 *   base  TERRANE_PERLIN3, TERRANE_PERLIN5 or TERRANE_SIMPLEX
 *   key selects a noise: for example a world's seed, hashed with a constant at dimensions coordinates, in
 *   cells; |.| <= 2^52
 *
 * Fills *value, in [-1, 1], and, unless NULL, slope[d], its derivative along each axis, per cell. Returns 0,
 * TERRANE_EBASE or TERRANE_EWINDOW (dimensions or a coordinate out of range). Cost: under a microsecond.
 */
int terrane_noise_at(enum terrane_base base, int dimensions, uint64_t key, const double *at, float *value,
                     float *slope) TERRANE_MUST_CHECK;

#endif
