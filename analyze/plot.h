/*
 * Pictures of curves and of maps, as PNG files.
 */
#ifndef TERRANE_ANALYZE_PLOT_H
#define TERRANE_ANALYZE_PLOT_H

#include "raster.h"

enum plot_style {
    PLOT_LINE,
    PLOT_DASHES, /* fits, and what is compared with */
    PLOT_POINTS,
    PLOT_BARS /* from the lower edge of the picture */
};

struct plot_series {
    enum plot_style style;
    int colour;        /* 0 .. 7: one of the palette, which tells apart without red and green */
    const char *label; /* in the legend; NULL: not there */
    int count;
    const double *x, *y; /* borrowed; points that are not finite are left out */
};

struct plot {
    const char *title, *x_label, *y_label;
    int series;
    const struct plot_series *of; /* borrowed */
};

/* Both write a file and return 0, or -1 after a line on standard error. Axes span what is shown. */
int plot_write(const struct plot *plot, const char *path);

/*
 * A map: colours by height, light from the north-west, the curve at level_m drawn in; at most 1024 pixels a
 * side, by leaving out samples.
 */
int plot_map(const struct raster *raster, double sea_m, double level_m, const char *title, const char *path);

/* Maps of equal size side by side with their titles underneath, all in one colour scale. */
int plot_strip(const struct raster *rasters, const char *const *titles, int count, const char *path);

#endif
