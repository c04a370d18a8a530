/*
 * Land as a surface: how high, how steep, and how full of holes it is.
 */
#ifndef TERRANE_ANALYZE_GROUND_H
#define TERRANE_ANALYZE_GROUND_H

#include <stddef.h>

#include "raster.h"

enum {
    GROUND_DEGREES = 90,      /* bins of the slope histogram, one degree each */
    GROUND_CURVE_POINTS = 101 /* of the hypsometric curve */
};

/* Of samples at or above the sea. What has no samples is NaN, or all 0. */
struct ground {
    size_t samples, land;
    double min_m, max_m, mean_m; /* of land */
    double integral;             /* hypsometric: (mean - min) / (max - min); NaN for a plain */
    /* share of land whose relative height (h - min) / (max - min) is k / 100 or more */
    double curve[GROUND_CURVE_POINTS];

    size_t interior; /* land samples that have 8 neighbours: what slopes and extremes are taken of */
    double slope_median, slope_mean, slope_deviation; /* degrees */
    double slope_share[GROUND_DEGREES];               /* [k]: k .. k + 1 degrees; their sum is 1 */
    size_t pits, peaks;                               /* lower, higher than all 8 neighbours */
};

/* Slopes are those of central differences. Cost: two passes. */
void ground_measure(const struct raster *raster, double sea_m, struct ground *out);

#endif
