/*
 * How much of the relief is of which size: the power spectrum, averaged over directions, and the roughness of
 * boxes of growing sides.
 */
#ifndef TERRANE_ANALYZE_SPECTRUM_H
#define TERRANE_ANALYZE_SPECTRUM_H

#include "fit.h"
#include "raster.h"

enum { SPECTRUM_PER_OCTAVE = 6, SPECTRUM_BINS_MAX = 128, ROUGHNESS_SCALES_MAX = 10 };

/*
 * The largest even rectangle in the middle whose sides have no prime factor over 5, less its best plane,
 * under a Hann window. Power is the spectral density of the two-dimensional transform, its integral over
 * frequencies the windowed variance. A surface of Hurst exponent H falls as frequency^-(2 H + 2): beta 2 H +
 * 2 here, 2 H + 1 of profiles.
 */
struct spectrum {
    int width, height;                   /* of that rectangle */
    int bins;                            /* 6 an octave; empty ones are left out */
    double frequency[SPECTRUM_BINS_MAX]; /* the mean of a bin's, in cycles a metre */
    double power[SPECTRUM_BINS_MAX];     /* in m^4 */
    double low_frequency,
        high_frequency; /* the band of the fit: 4 waves across the shorter side, to waves of 4 samples */
    struct fit fit;     /* log10 power over log10 frequency; beta is -slope */
};

/* Returns 0, or -1 when memory is short. */
int spectrum_measure(const struct raster *raster, struct spectrum *out);

/*
 * The root mean square distance of heights to the best plane of their box, over all boxes of a side: 4, 8 ..
 * samples, up to a quarter of the shorter side. Its exponent is Hurst's for surfaces without a scale of
 * their own.
 */
struct roughness {
    int scales;
    int side[ROUGHNESS_SCALES_MAX];
    double rms_m[ROUGHNESS_SCALES_MAX];
    struct fit fit; /* log2 rms over log2 side; no points where a rms is 0 */
};

void roughness_measure(const struct raster *raster, struct roughness *out);

#endif
