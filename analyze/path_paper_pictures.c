/*
 * Patches seen from above, as in the document's figures 1 and 5: L, what relaxation makes of it, and what the fast way
 * does. Light comes from the north-west; the path is red, what is held across it yellow, what keeps its roughness green.
 */
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_build.h"
#include "path_paper.h"

enum { PIXELS = 384, GAP = 6, TITLE = 28 };

/* Ground, path, across, roughness. */
static const double tint[4][3] = {
    {0.75, 0.75, 0.72}, {0.86, 0.30, 0.22}, {0.93, 0.82, 0.40}, {0.55, 0.76, 0.45}};

/* Heights are drawn this much higher than they are, for a slope of 0.01 to be seen. */
#define RELIEF 40.0

static uint32_t pixel_of(const struct path_picture *picture, const double *heights, int x, int y)
{
    const int side = picture->side, east = x + 1 < side ? x + 1 : x, south = y + 1 < side ? y + 1 : y;
    const double here = heights[y * side + x], spacing = PATH_EXTENT / (side - 1);
    const double sx = (heights[y * side + east] - here) * RELIEF / spacing;
    const double sy = (heights[south * side + x] - here) * RELIEF / spacing;
    const double light = fmin(1.3, fmax(0.25, (1 + 0.7 * (sx + sy)) / sqrt(1 + sx * sx + sy * sy)));
    const double *const colour = tint[picture->mask[y * side + x]];
    const double level = 0.75 + 0.25 * fmin(1, fmax(0, here));
    uint32_t pixel = 0;

    for (int c = 0; c < 3; c++)
        pixel = pixel << 8 | (uint32_t)(255 * fmin(1, colour[c] * light * level) + 0.5);
    return pixel;
}

static void caption(cairo_surface_t *surface, int x, const char *text)
{
    cairo_t *const cairo = cairo_create(surface);
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 13);
    cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
    cairo_move_to(cairo, x + 4, PIXELS + TITLE - 9);
    cairo_show_text(cairo, text);
    cairo_destroy(cairo);
}

static int write_picture(const struct path_picture *picture, const char *label, const char *path)
{
    static const char *const name[3] = {"L", "relaxed", "the fast way"};
    const int width = 3 * PIXELS + 2 * GAP;
    cairo_surface_t *const surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, PIXELS + TITLE);
    cairo_status_t status = cairo_surface_status(surface);
    char text[80];

    if (status == CAIRO_STATUS_SUCCESS) {
        uint32_t *const pixels = (uint32_t *)(void *)cairo_image_surface_get_data(surface);
        const size_t stride = (size_t)cairo_image_surface_get_stride(surface) / sizeof *pixels;
        cairo_surface_flush(surface);
        memset(pixels, 0xFF, stride * sizeof *pixels * (PIXELS + TITLE));
        for (int k = 0; k < 3; k++)
            for (int y = 0; y < PIXELS; y++)
                for (int x = 0; x < PIXELS; x++)
                    pixels[(size_t)y * stride + (size_t)(k * (PIXELS + GAP) + x)] = pixel_of(
                        picture, picture->heights[k], x * picture->side / PIXELS, y * picture->side / PIXELS);
        cairo_surface_mark_dirty(surface);
        for (int k = 0; k < 3; k++) {
            snprintf(text, sizeof text, k ? "%s" : "%s: %d x %d, %s", name[k], picture->side, picture->side,
                     label);
            caption(surface, k * (PIXELS + GAP), text);
        }
        status = cairo_surface_write_to_png(surface, path);
    }
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    path_error("%s: %s", path, cairo_status_to_string(status));
    return -1;
}

int path_pictures_write(const struct path_study *study)
{
    char path[PATH_BYTES], name[64];

    for (int k = 0; k < PATH_SERIES; k++) {
        const struct path_picture *const picture = &study->picture[k];
        if (!picture->mask || !picture->heights[0] || !picture->heights[1] || !picture->heights[2])
            continue;
        snprintf(name, sizeof name, "patch-%s.png", path_series[k].key);
        path_join(path, sizeof path, study->directory, "", name);
        if (write_picture(picture, path_series[k].label, path) != 0)
            return -1;
    }
    return 0;
}
