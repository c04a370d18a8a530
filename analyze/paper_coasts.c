/*
 * Richardson's coasts measured again, with his dividers and with boxes, on GSHHG.
 *
 * His stretches: South Africa from Swakopmund to Cape St Lucia; the west coast of Britain from Land's End to
 * Duncansby Head, the main island alone. Openings go from 10 to 1,000 km, evenly on the scale of logarithms,
 * and each length is the mean of a walk to and a walk fro. Distances are straight ones through a sphere of
 * 6,371 km.
 *
 * Boxes stand on a map of equal areas (sinusoidal, around the stretch's middle meridian), 2 to 64 pixels of
 * 5 km: 10 to 320 km. They are another measure than Richardson's, and lie between his smooth and his rough.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box_count.h"
#include "dividers.h"
#include "json_build.h"
#include "paper.h"
#include "plot.h"
#include "say.h"
#include "shoreline.h"

enum { OPENINGS = 9, COASTS = 2, MARGIN = 48, MAP_MAX = 4096 };

#define EARTH_KM           6371.0
#define PIXEL_KM           5.0
#define NARROW_KM          10.0
#define WIDE_KM            1000.0
#define RADIANS_PER_DEGREE 0.017453292519943295

static const struct coast {
    const char *name, *key;
    struct site from, via, to;
    double published;
} coasts[COASTS] = {
    {"South Africa", "south_africa", {-22.68, 14.52}, {-34.83, 20.00}, {-28.38, 32.42}, 1.02},
    {"Britain, west coast", "britain_west", {50.07, -5.72}, {58.63, -5.00}, {58.64, -3.03}, 1.25},
};

struct measured {
    struct dividers dividers;
    struct box_count boxes;
};

static struct point *on_sphere(const struct shoreline *shore)
{
    struct point *const out = malloc(shore->points * sizeof *out);
    for (size_t k = 0; out && k < shore->points; k++) {
        const double latitude = shore->point[k].latitude * RADIANS_PER_DEGREE;
        const double longitude = shore->point[k].longitude * RADIANS_PER_DEGREE;
        out[k] = (struct point){EARTH_KM * cos(latitude) * cos(longitude),
                                EARTH_KM * cos(latitude) * sin(longitude), EARTH_KM * sin(latitude)};
    }
    return out;
}

/* In pixels, y southwards; from the map's north-west corner once low has been taken off. */
static void project(const struct shoreline *shore, size_t k, double *x, double *y)
{
    const double middle = shore->point[shore->points / 2].longitude;
    const double latitude = shore->point[k].latitude * RADIANS_PER_DEGREE;
    const double east = remainder(shore->point[k].longitude - middle, 360) * RADIANS_PER_DEGREE;
    *x = EARTH_KM / PIXEL_KM * east * cos(latitude);
    *y = -EARTH_KM / PIXEL_KM * latitude;
}

/* Marks the pixels that the line touches, in steps of a quarter pixel. */
static int count_boxes(const struct shoreline *shore, struct box_count *out)
{
    double low_x = (double)INFINITY, high_x = (double)-INFINITY, x0, x1;
    double low_y = (double)INFINITY, high_y = (double)-INFINITY, y0, y1;

    for (size_t k = 0; k < shore->points; k++) {
        project(shore, k, &x0, &y0);
        low_x = fmin(low_x, x0);
        low_y = fmin(low_y, y0);
        high_x = fmax(high_x, x0);
        high_y = fmax(high_y, y0);
    }
    /* the largest box is 64: grids start up to 48 pixels in and end up to 63 early */
    const int width = (int)(high_x - low_x) + 2 * MARGIN + 65,
              height = (int)(high_y - low_y) + 2 * MARGIN + 65;
    if (width > MAP_MAX || height > MAP_MAX)
        return -1;
    uint8_t *const cell = calloc((size_t)width * (size_t)height, 1);
    if (!cell)
        return -1;
    for (size_t k = 1; k < shore->points; k++) {
        project(shore, k - 1, &x0, &y0);
        project(shore, k, &x1, &y1);
        const int steps = 1 + (int)(4 * hypot(x1 - x0, y1 - y0));
        for (int s = 0; s <= steps; s++) {
            const double x = x0 + (x1 - x0) * s / steps - low_x, y = y0 + (y1 - y0) * s / steps - low_y;
            cell[(size_t)(MARGIN + (int)y) * (size_t)width + (size_t)(MARGIN + (int)x)] = 1;
        }
    }
    const int status = box_count_cells(cell, width, height, out);
    free(cell);
    return status;
}

static int measure(const struct coast *coast, struct measured *out)
{
    struct shoreline shore;
    struct point *sphere = NULL;
    int status = shoreline_read(SHORELINE_FILE, coast->from, coast->via, coast->to, &shore);

    if (status != 0)
        return status;
    sphere = on_sphere(&shore);
    status = sphere && shore.points > 1 ? count_boxes(&shore, &out->boxes) : -1;
    if (status == 0)
        out->dividers = dividers_measure(sphere, shore.points, NARROW_KM, WIDE_KM, OPENINGS);
    else
        say_error("coasts: out of memory");
    free(sphere);
    shoreline_free(&shore);
    return status;
}

static int plot_coasts(const struct paper *paper, const struct measured of[COASTS])
{
    struct plot_series series[2 * COASTS];
    double x[COASTS][OPENINGS], y[COASTS][OPENINGS], line[COASTS][OPENINGS];
    char label[COASTS][80], path[PATH_BYTES];

    for (int c = 0; c < COASTS; c++) {
        const struct dividers *const d = &of[c].dividers;
        for (int k = 0; k < OPENINGS; k++) {
            x[c][k] = log10(d->opening[k]);
            y[c][k] = log10(d->length[k]);
            line[c][k] = (d->fit.intercept + d->fit.slope * log2(d->opening[k])) * log10(2);
        }
        snprintf(label[c], sizeof label[c], "%s: D = %.3f (Richardson %.2f)", coasts[c].name, d->dimension,
                 coasts[c].published);
        series[2 * c] = (struct plot_series){PLOT_POINTS, c, label[c], OPENINGS, x[c], y[c]};
        series[2 * c + 1] = (struct plot_series){PLOT_DASHES, c, NULL, OPENINGS, x[c], line[c]};
    }
    path_join(path, sizeof path, paper->directory, "", "coasts.png");
    const struct plot plot = {"Coasts walked with dividers", "log10 of the opening in km",
                              "log10 of the length in km", 2 * COASTS, series};
    return plot_write(&plot, path);
}

static json_t *coast_json(const struct coast *coast, const struct measured *measured)
{
    const struct dividers *const d = &measured->dividers;
    return json_pack(
        "{s:f, s:f, s:[f, f], s:[f, f], s:[f, f], s:o, s:o, s:o, s:{s:o, s:f, s:o, s:o}}", "dimension",
        d->dimension, "published_by_richardson", coast->published, "from", coast->from.latitude,
        coast->from.longitude, "via", coast->via.latitude, coast->via.longitude, "to", coast->to.latitude,
        coast->to.longitude, "fit", json_fit(&d->fit), "opening_km", json_row(d->opening, OPENINGS),
        "length_km", json_row(d->length, OPENINGS), "boxes", "dimension",
        json_of(box_count_dimension(&measured->boxes.fit)), "pixel_km", PIXEL_KM, "fit",
        json_fit(&measured->boxes.fit), "count", json_row(measured->boxes.mean, measured->boxes.sizes));
}

json_t *paper_coasts(const struct paper *paper)
{
    struct measured of[COASTS];
    json_t *const out = json_object();

    if (access(SHORELINE_FILE, R_OK) != 0) {
        printf("Coasts: left out, since %s is missing: apt-get install %s\n\n", SHORELINE_FILE,
               SHORELINE_PACKAGE);
        json_decref(out);
        return json_null();
    }
    printf("Coasts of GSHHG, dividers %g to %g km, boxes of %g to %g km\n  %-24s %11s %9s %9s %9s %9s\n",
           NARROW_KM, WIDE_KM, 2 * PIXEL_KM, 64 * PIXEL_KM, "", "Richardson", "dividers", "R^2", "boxes",
           "R^2");
    for (int c = 0; c < COASTS; c++) {
        say_progress("coasts", c, COASTS);
        if (measure(&coasts[c], &of[c]) != 0) {
            json_decref(out);
            return NULL;
        }
        say_done();
        printf("  %-24s %11.2f %9.3f %9.4f %9.3f %9.4f\n", coasts[c].name, coasts[c].published,
               of[c].dividers.dimension, of[c].dividers.fit.r2, box_count_dimension(&of[c].boxes.fit),
               of[c].boxes.fit.r2);
        json_object_set_new(out, coasts[c].key, coast_json(&coasts[c], &of[c]));
    }
    printf("\n");
    if (plot_coasts(paper, of) == 0)
        return out;
    json_decref(out);
    return NULL;
}
