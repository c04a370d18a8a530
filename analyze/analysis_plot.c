/*
 * One picture a measure.
 */
#include <math.h>
#include <stdio.h>

#include "analysis.h"
#include "json_build.h"
#include "plot.h"

/* What a picture of one measure is called and where it goes. */
struct sheet {
    const char *directory, *prefix, *title;
};

static int write_sheet(const struct sheet *sheet, const char *name, const char *what, const char *x_label,
                       const char *y_label, const struct plot_series *series, int count)
{
    char path[PATH_BYTES], title[256];
    const struct plot plot = {
        .title = title, .x_label = x_label, .y_label = y_label, .series = count, .of = series};

    snprintf(title, sizeof title, "%.120s: %.120s", sheet->title, what);
    path_join(path, sizeof path, sheet->directory, sheet->prefix, name);
    return plot_write(&plot, path);
}

static int plot_coast(const struct analysis *analysis, const struct sheet *sheet)
{
    const struct box_count *const coast = &analysis->coast;
    double x[BOX_SIZES], y[BOX_SIZES], line[BOX_SIZES];
    char label[80];

    for (int k = 0; k < coast->sizes; k++) {
        x[k] = log2(coast->side[k]);
        y[k] = log2(coast->mean[k]);
        line[k] = coast->fit.intercept + coast->fit.slope * x[k];
    }
    snprintf(label, sizeof label, "D = %.3f, R\302\262 = %.4f", box_count_dimension(&coast->fit),
             coast->fit.r2);
    const struct plot_series series[] = {{PLOT_POINTS, 0, "boxes counted", coast->sizes, x, y},
                                         {PLOT_DASHES, 1, label, coast->fit.points, x, line}};
    return write_sheet(sheet, "coast.png",
                       coast->fit.points > 0 ? "boxes that cover the coast" : "no coast to cover",
                       "log2 of the box's side in samples", "log2 of the number of boxes", series, 2);
}

static int plot_slope(const struct analysis *analysis, const struct sheet *sheet)
{
    double x[GROUND_DEGREES], y[GROUND_DEGREES];
    int count = 1;

    for (int k = 0; k < GROUND_DEGREES; k++) {
        x[k] = k + 0.5;
        y[k] = 100 * analysis->ground.slope_share[k];
        if (y[k] > 0)
            count = k + 1;
    }
    const struct plot_series series = {PLOT_BARS, 0, NULL, count, x, y};
    return write_sheet(sheet, "slope.png", "slopes of the land", "degrees", "percent of the land, a degree",
                       &series, 1);
}

static int plot_hypsometry(const struct analysis *analysis, const struct sheet *sheet)
{
    double height[GROUND_CURVE_POINTS];
    char label[80];

    for (int k = 0; k < GROUND_CURVE_POINTS; k++)
        height[k] = k / (GROUND_CURVE_POINTS - 1.0);
    snprintf(label, sizeof label, "integral %.3f", analysis->ground.integral);
    const struct plot_series series = {PLOT_LINE, 0, label, GROUND_CURVE_POINTS, analysis->ground.curve,
                                       height};
    return write_sheet(sheet, "hypsometry.png", "hypsometric curve", "share of the land at or above",
                       "height, from lowest to highest land", &series, 1);
}

static int plot_spectrum(const struct analysis *analysis, const struct sheet *sheet)
{
    const struct spectrum *const spectrum = &analysis->spectrum;
    double x[SPECTRUM_BINS_MAX], y[SPECTRUM_BINS_MAX], line[SPECTRUM_BINS_MAX];
    char label[80];

    for (int k = 0; k < spectrum->bins; k++) {
        const double f = spectrum->frequency[k];
        x[k] = log10(f);
        y[k] = log10(spectrum->power[k]);
        line[k] = f >= spectrum->low_frequency && f <= spectrum->high_frequency
                      ? spectrum->fit.intercept + spectrum->fit.slope * x[k]
                      : (double)NAN;
    }
    snprintf(label, sizeof label, "\316\262 = %.2f", -spectrum->fit.slope);
    const struct plot_series series[] = {
        {PLOT_LINE, 0, "mean over directions", spectrum->bins, x, y},
        {PLOT_DASHES, 1, label, spectrum->fit.points > 0 ? spectrum->bins : 0, x, line}};
    return write_sheet(sheet, "spectrum.png", "power spectrum", "log10 of the frequency in cycles a metre",
                       "log10 of the power in m\342\201\264", series, 2);
}

int analysis_plot(const struct analysis *analysis, const struct raster *raster, const char *directory,
                  const char *prefix, const char *title)
{
    const struct sheet sheet = {directory, prefix, title};
    char path[PATH_BYTES];

    path_join(path, sizeof path, directory, prefix, "map.png");
    return plot_map(raster, analysis->sea_m, analysis->level_m, title, path) == 0 &&
                   plot_coast(analysis, &sheet) == 0 && plot_slope(analysis, &sheet) == 0 &&
                   plot_hypsometry(analysis, &sheet) == 0 && plot_spectrum(analysis, &sheet) == 0
               ? 0
               : -1;
}
