/*
 * The figures as pictures: the mean of each line, and the patches as points beside it, a little apart from line to line.
 * Samples of a patch are on a logarithmic scale; iterations are, too, as log10(1 + iterations), since some are none.
 */
#include <math.h>
#include <stdio.h>

#include "json_build.h"
#include "path_paper.h"
#include "plot.h"

enum { POINTS = PATH_SIZES * PATH_TERRAINS };

struct drawn {
    double x[PATH_SIZES], y[PATH_SIZES], point_x[POINTS], point_y[POINTS];
};

static double scaled(const struct path_figure *figure, double value)
{
    return figure->logarithmic ? log10(1 + value) : value;
}

static void place(const struct path_study *study, const struct path_figure *figure, int k, struct drawn *out)
{
    const struct path_line *const line = &figure->line[k];

    for (int size = 0; size < study->sizes; size++) {
        const double x = 2 * log10(study->side[size]);
        out->x[size] = x;
        out->y[size] = scaled(figure, line->mean[size]);
        for (int t = 0; t < PATH_TERRAINS; t++) {
            out->point_x[size * PATH_TERRAINS + t] = x + 0.02 * (k + 1);
            out->point_y[size * PATH_TERRAINS + t] = scaled(figure, line->value[size][t]);
        }
    }
}

static int plot_figure(const struct path_study *study, const struct path_figure *figure)
{
    struct drawn drawn[PATH_LINES];
    struct plot_series series[2 * PATH_LINES];
    char path[PATH_BYTES], quantity[64];

    for (int k = 0; k < figure->lines; k++) {
        place(study, figure, k, &drawn[k]);
        series[2 * k] =
            (struct plot_series){PLOT_LINE, k, figure->line[k].label, study->sizes, drawn[k].x, drawn[k].y};
        series[2 * k + 1] = (struct plot_series){
            PLOT_POINTS, k, NULL, study->sizes * PATH_TERRAINS, drawn[k].point_x, drawn[k].point_y};
    }
    snprintf(quantity, sizeof quantity, figure->logarithmic ? "log10(1 + %s)" : "%s", figure->quantity);
    path_join(path, sizeof path, study->directory, "", figure->file);
    const struct plot plot = {figure->title, "log10 of the samples of a patch", quantity, 2 * figure->lines,
                              series};
    return plot_write(&plot, path);
}

int path_plots_write(const struct path_study *study)
{
    for (int k = 0; k < PATH_FIGURES; k++) {
        struct path_figure figure;
        path_figure_make(study, k, &figure);
        if (figure.file && path_figure_has_values(study, &figure) && plot_figure(study, &figure) != 0)
            return -1;
    }
    return 0;
}
