/*
 * Where water would run: how far, to what end, and how steep the ground is where much of it comes together.
 */
#ifndef TERRANE_ANALYZE_DRAINAGE_H
#define TERRANE_ANALYZE_DRAINAGE_H

#include "fit.h"
#include "raster.h"

enum {
    DRAINAGE_AREA_LEAST = 32, /* samples that drain through one: the range of the fit */
    DRAINAGE_AREA_MOST = 4096,
    DRAINAGE_BINS = 14,  /* of area, half an octave each */
    DRAINAGE_COUNT = 16, /* samples that a bin needs to take part in the fit */
    DRAINAGE_ENDS = 3
};

enum drainage_end { DRAINAGE_PIT, DRAINAGE_SEA, DRAINAGE_BORDER };

/*
 * D8: each land sample drains to the one of its 8 neighbours to which the ground falls most steeply; a path ends where
 * none is lower (a pit, or flat ground), under the sea, or on the raster's border. What has no samples is NaN.
 */
struct drainage {
    size_t land;
    double length_m;             /* of a land sample's path, mean */
    double end[DRAINAGE_ENDS];   /* share of land whose paths end so */
    double area[DRAINAGE_BINS];  /* in samples: mean of a bin; NaN: too few to be fitted */
    double slope[DRAINAGE_BINS]; /* rise over run along the path: mean of the same samples */
    struct fit fit;              /* log10 slope over log10 area; concavity is minus its slope */
};

/* Returns 0, or -1 when memory is short. Memory: 6 bytes a sample. Cost: linear. */
int drainage_measure(const struct raster *raster, double sea_m, struct drainage *out);

#endif
