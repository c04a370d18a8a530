/*
 * Maps: a pixel is one sample in its colour, lit by its slope.
 */
#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "plot.h"
#include "say.h"

enum { PIXELS_MAX = 1024, TITLE = 28 };

struct stop {
    double at, colour[3];
};

static const struct stop land_stops[] = {{0.00, {0.45, 0.60, 0.35}},
                                         {0.25, {0.66, 0.71, 0.44}},
                                         {0.50, {0.72, 0.62, 0.42}},
                                         {0.75, {0.58, 0.48, 0.40}},
                                         {1.00, {0.96, 0.96, 0.96}}};
static const struct stop water_stops[] = {{0.00, {0.62, 0.80, 0.88}}, {1.00, {0.08, 0.22, 0.42}}};

/* What one colour scale spans. */
struct scale {
    double sea_m, low_m, high_m;
};

static struct scale scale_of(const struct raster *rasters, int count, double sea_m)
{
    struct scale scale = {sea_m, (double)INFINITY, (double)-INFINITY};

    for (int r = 0; r < count; r++)
        for (size_t k = 0; k < raster_count(&rasters[r]); k++) {
            scale.low_m = fmin(scale.low_m, (double)rasters[r].sample[k]);
            scale.high_m = fmax(scale.high_m, (double)rasters[r].sample[k]);
        }
    return scale;
}

static void ramp(const struct stop *stop, int stops, double at, double colour[3])
{
    int k = 0;
    while (k < stops - 2 && at > stop[k + 1].at)
        k++;
    const double t = fmin(1, fmax(0, (at - stop[k].at) / (stop[k + 1].at - stop[k].at)));
    for (int c = 0; c < 3; c++)
        colour[c] = stop[k].colour[c] + t * (stop[k + 1].colour[c] - stop[k].colour[c]);
}

/* Brightness under a sun in the north-west; 1 on flat ground. relief: heights are raised by this factor. */
static double light(const struct raster *raster, int i, int j, int step, double relief)
{
    const int east = i + step < raster->width ? i + step : i,
              south = j + step < raster->height ? j + step : j;
    const double here = (double)raster_at(raster, i, j);
    const double sx = ((double)raster_at(raster, east, j) - here) * relief / (step * raster->dx_m);
    const double sy = ((double)raster_at(raster, i, south) - here) * relief / (step * raster->dy_m);
    return fmax(0.35, (1 + 0.7 * (sx + sy)) / sqrt(1 + sx * sx + sy * sy));
}

static uint32_t pixel_of(const struct raster *raster, const struct scale *scale, int i, int j, int step,
                         double relief)
{
    const double height = (double)raster_at(raster, i, j);
    const double base = fmax(scale->sea_m, scale->low_m), above = scale->high_m - base;
    const double deep = scale->sea_m - scale->low_m;
    double colour[3], shade = 1;

    if (height >= scale->sea_m) {
        ramp(land_stops, 5, above > 0 ? (height - base) / above : 0, colour);
        shade = light(raster, i, j, step, relief);
    } else {
        ramp(water_stops, 2, deep > 0 ? (scale->sea_m - height) / deep : 0, colour);
    }
    uint32_t pixel = 0;
    for (int c = 0; c < 3; c++)
        pixel = pixel << 8 | (uint32_t)(255 * fmin(1, colour[c] * shade) + 0.5);
    return pixel;
}

/* Does the curve at this level pass between the sample and the next ones? */
static bool on_curve(const struct raster *raster, double level_m, int i, int j, int step)
{
    const int east = i + step < raster->width ? i + step : i,
              south = j + step < raster->height ? j + step : j;
    const bool here = (double)raster_at(raster, i, j) >= level_m;
    return here != ((double)raster_at(raster, east, j) >= level_m) ||
           here != ((double)raster_at(raster, i, south) >= level_m);
}

static void draw_raster(uint32_t *out, size_t stride, const struct raster *raster, const struct scale *scale,
                        int step, double level_m)
{
    const double across = fmax(raster->width * raster->dx_m, raster->height * raster->dy_m);
    const double range = scale->high_m - scale->low_m;
    const double relief =
        range > 0 ? 0.12 * across / range : 0; /* flat and steep worlds alike show their forms */

    for (int j = 0; j * step < raster->height; j++)
        for (int i = 0; i * step < raster->width; i++)
            out[(size_t)j * stride + (size_t)i] =
                on_curve(raster, level_m, i * step, j * step, step)
                    ? 0x101820
                    : pixel_of(raster, scale, i * step, j * step, step, relief < 8 ? relief : 8);
}

static void caption(cairo_surface_t *surface, double x, double y, const char *text)
{
    cairo_t *const cairo = cairo_create(surface);
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 13);
    cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
    cairo_move_to(cairo, x + 4, y);
    cairo_show_text(cairo, text);
    cairo_destroy(cairo);
}

static int draw_maps(const struct raster *rasters, const char *const *titles, int count, double sea_m,
                     double level_m, int pixels_max, const char *path)
{
    const int longer = rasters->width > rasters->height ? rasters->width : rasters->height;
    const int step = (longer + pixels_max - 1) / pixels_max;
    const int width = (rasters->width + step - 1) / step, height = (rasters->height + step - 1) / step;
    const struct scale scale = scale_of(rasters, count, sea_m);
    cairo_surface_t *const surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, count * (width + 4) - 4, height + TITLE);
    cairo_status_t status = cairo_surface_status(surface);

    if (status == CAIRO_STATUS_SUCCESS) {
        uint32_t *const pixels = (uint32_t *)(void *)cairo_image_surface_get_data(surface);
        const size_t stride = (size_t)cairo_image_surface_get_stride(surface) / sizeof *pixels;
        cairo_surface_flush(surface);
        memset(pixels, 0xFF, stride * sizeof *pixels * (size_t)(height + TITLE));
        for (int r = 0; r < count; r++)
            draw_raster(pixels + r * (width + 4), stride, &rasters[r], &scale, step, level_m);
        cairo_surface_mark_dirty(surface);
        for (int r = 0; r < count; r++)
            caption(surface, r * (width + 4), height + TITLE - 9, titles[r]);
        status = cairo_surface_write_to_png(surface, path);
    }
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    say_error("%s: %s", path, cairo_status_to_string(status));
    return -1;
}

int plot_map(const struct raster *raster, double sea_m, double level_m, const char *title, const char *path)
{
    return draw_maps(raster, &title, 1, sea_m, level_m, PIXELS_MAX, path);
}

int plot_strip(const struct raster *rasters, const char *const *titles, int count, const char *path)
{
    return draw_maps(rasters, titles, count, 0, (double)INFINITY, PIXELS_MAX, path);
}
