/*
 * All measures of one raster, and how they are told: as JSON, as a table and as pictures.
 */
#ifndef TERRANE_ANALYZE_ANALYSIS_H
#define TERRANE_ANALYZE_ANALYSIS_H

#include <jansson.h>
#include <stdio.h>

#include "box_count.h"
#include "drainage.h"
#include "ground.h"
#include "raster.h"
#include "spectrum.h"

struct analysis {
    int width, height;
    double dx_m, dy_m;
    double sea_m;   /* land is at or above */
    double level_m; /* of the curve whose boxes are counted */
    struct box_count coast;
    struct ground ground;
    struct drainage drainage;
    struct roughness roughness;
    struct spectrum spectrum;
};

/* Fills *out. Returns 0, or -1 (memory is short) after a line on standard error. */
int analysis_make(const struct raster *raster, double sea_m, double level_m, struct analysis *out);

/* Owned; NULL when memory is short. */
json_t *analysis_json(const struct analysis *analysis);

void analysis_print(const struct analysis *analysis, FILE *out);

/*
 * Writes DIR/PREFIXmap.png, coast.png, slope.png, hypsometry.png, spectrum.png. Returns 0, or -1 after a
 * line on standard error.
 */
int analysis_plot(const struct analysis *analysis, const struct raster *raster, const char *directory,
                  const char *prefix, const char *title);

#endif
