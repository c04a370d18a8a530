/*
 * Curves in a frame, drawn by cairo. Ticks stand at 1, 2 or 5 times a power of ten. Where the machine has no
 * font, pictures lack their words and are otherwise whole.
 */
#include "plot.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "say.h"

enum { WIDTH = 960, HEIGHT = 640, LEFT = 84, RIGHT = 24, TOP = 44, BOTTOM = 60, KEY = 26 };

#define PI 3.14159265358979324

/* Okabe and Ito 2008. */
static const double palette[8][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                     {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
                                     {0.00, 0.00, 0.00}, {0.55, 0.55, 0.55}};

struct axis {
    double low, high, tick;
};

struct frame {
    struct axis x, y;
    double right; /* pixels to the right of it, where the legend stands */
};

static double place_x(const struct frame *frame, double x)
{
    return LEFT + (x - frame->x.low) / (frame->x.high - frame->x.low) * (WIDTH - LEFT - frame->right);
}

static double place_y(const struct frame *frame, double y)
{
    return HEIGHT - BOTTOM - (y - frame->y.low) / (frame->y.high - frame->y.low) * (HEIGHT - TOP - BOTTOM);
}

/* ---- Axes --------------------------------------------------------------------------------------------- */

static void widen(struct axis *axis, double value)
{
    if (!isfinite(value))
        return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

static void set_ticks(struct axis *axis)
{
    if (!(axis->low <= axis->high))
        *axis = (struct axis){.low = 0, .high = 1};
    if (!(axis->high - axis->low > 1e-9 * (fabs(axis->low) + fabs(axis->high)))) {
        const double room = axis->low != 0 ? fabs(axis->low) / 10 : 1;
        axis->low -= room;
        axis->high += room;
    }
    const double rough = (axis->high - axis->low) / 7, power = pow(10, floor(log10(rough))),
                 lead = rough / power;
    axis->tick = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
    axis->low = floor(axis->low / axis->tick + 1e-9) * axis->tick;
    axis->high = ceil(axis->high / axis->tick - 1e-9) * axis->tick;
}

static struct frame frame_of(const struct plot *plot)
{
    struct frame frame = {.x = {(double)INFINITY, (double)-INFINITY, 0},
                          .y = {(double)INFINITY, (double)-INFINITY, 0}};

    for (int s = 0; s < plot->series; s++)
        for (int k = 0; k < plot->of[s].count; k++)
            if (isfinite(plot->of[s].x[k]) && isfinite(plot->of[s].y[k])) {
                widen(&frame.x, plot->of[s].x[k]);
                widen(&frame.y, plot->of[s].y[k]);
                if (plot->of[s].style == PLOT_BARS)
                    widen(&frame.y, 0);
            }
    set_ticks(&frame.x);
    set_ticks(&frame.y);
    return frame;
}

/* ---- Words -------------------------------------------------------------------------------------------- */

/* align: 0 from here on, 0.5 centred, 1 up to here. */
static void write_text(cairo_t *cairo, double x, double y, double align, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, text);
}

static void tick_text(const struct axis *axis, double value, char *out, size_t bytes)
{
    snprintf(out, bytes, "%.6g", fabs(value) < axis->tick * 1e-6 ? 0 : value);
}

static void draw_axes(cairo_t *cairo, const struct frame *frame, const struct plot *plot)
{
    char text[32];

    cairo_set_line_width(cairo, 1);
    for (int k = 0; frame->x.low + k * frame->x.tick <= frame->x.high + frame->x.tick / 2; k++) {
        const double value = frame->x.low + k * frame->x.tick, x = place_x(frame, value);
        cairo_set_source_rgb(cairo, 0.88, 0.88, 0.88);
        cairo_move_to(cairo, x, TOP);
        cairo_line_to(cairo, x, HEIGHT - BOTTOM);
        cairo_stroke(cairo);
        cairo_set_source_rgb(cairo, 0.2, 0.2, 0.2);
        tick_text(&frame->x, value, text, sizeof text);
        write_text(cairo, x, HEIGHT - BOTTOM + 18, 0.5, text);
    }
    for (int k = 0; frame->y.low + k * frame->y.tick <= frame->y.high + frame->y.tick / 2; k++) {
        const double value = frame->y.low + k * frame->y.tick, y = place_y(frame, value);
        cairo_set_source_rgb(cairo, 0.88, 0.88, 0.88);
        cairo_move_to(cairo, LEFT, y);
        cairo_line_to(cairo, WIDTH - frame->right, y);
        cairo_stroke(cairo);
        cairo_set_source_rgb(cairo, 0.2, 0.2, 0.2);
        tick_text(&frame->y, value, text, sizeof text);
        write_text(cairo, LEFT - 8, y + 4, 1, text);
    }
    cairo_rectangle(cairo, LEFT, TOP, WIDTH - LEFT - frame->right, HEIGHT - TOP - BOTTOM);
    cairo_stroke(cairo);
    write_text(cairo, LEFT + (WIDTH - LEFT - frame->right) / 2.0, HEIGHT - 18, 0.5, plot->x_label);
    cairo_save(cairo);
    cairo_translate(cairo, 20, TOP + (HEIGHT - TOP - BOTTOM) / 2.0);
    cairo_rotate(cairo, -PI / 2);
    write_text(cairo, 0, 0, 0.5, plot->y_label);
    cairo_restore(cairo);
    cairo_set_font_size(cairo, 16);
    write_text(cairo, LEFT, TOP - 16, 0, plot->title);
    cairo_set_font_size(cairo, 13);
}

/* ---- Series ------------------------------------------------------------------------------------------- */

static void draw_bars(cairo_t *cairo, const struct frame *frame, const struct plot_series *series)
{
    const double width = series->count > 1 ? place_x(frame, series->x[1]) - place_x(frame, series->x[0]) : 10;
    for (int k = 0; k < series->count; k++) {
        const double y = place_y(frame, series->y[k]);
        if (!isfinite(y))
            continue;
        cairo_rectangle(cairo, place_x(frame, series->x[k]) - width / 2, y, width * 0.9,
                        place_y(frame, 0) - y);
        cairo_fill(cairo);
    }
}

static void draw_points(cairo_t *cairo, const struct frame *frame, const struct plot_series *series)
{
    for (int k = 0; k < series->count; k++) {
        if (!isfinite(series->x[k]) || !isfinite(series->y[k]))
            continue;
        cairo_arc(cairo, place_x(frame, series->x[k]), place_y(frame, series->y[k]), 4, 0, 2 * PI);
        cairo_fill(cairo);
    }
}

static void draw_line(cairo_t *cairo, const struct frame *frame, const struct plot_series *series)
{
    static const double dashes[2] = {7, 5};
    bool open = false;

    cairo_set_line_width(cairo, 2);
    cairo_set_dash(cairo, dashes, series->style == PLOT_DASHES ? 2 : 0, 0);
    for (int k = 0; k < series->count; k++) {
        const bool there = isfinite(series->x[k]) && isfinite(series->y[k]);
        if (there && open)
            cairo_line_to(cairo, place_x(frame, series->x[k]), place_y(frame, series->y[k]));
        else if (there)
            cairo_move_to(cairo, place_x(frame, series->x[k]), place_y(frame, series->y[k]));
        open = there;
    }
    cairo_stroke(cairo);
    cairo_set_dash(cairo, dashes, 0, 0);
}

static void draw_series(cairo_t *cairo, const struct frame *frame, const struct plot_series *series)
{
    const double *const c = palette[series->colour & 7];
    cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
    if (series->style == PLOT_BARS)
        draw_bars(cairo, frame, series);
    else if (series->style == PLOT_POINTS)
        draw_points(cairo, frame, series);
    else
        draw_line(cairo, frame, series);
}

/* What the legend takes on the right; a margin where there is none. */
static double legend_width(cairo_t *cairo, const struct plot *plot)
{
    double width = RIGHT;

    for (int s = 0; s < plot->series; s++) {
        cairo_text_extents_t extents;
        if (!plot->of[s].label)
            continue;
        cairo_text_extents(cairo, plot->of[s].label, &extents);
        width = fmax(width, 2 * KEY + extents.x_advance);
    }
    return width;
}

static void draw_legend(cairo_t *cairo, const struct frame *frame, const struct plot *plot)
{
    const double x = WIDTH - frame->right + KEY / 2.0;
    double y = TOP + 12;

    for (int s = 0; s < plot->series; s++) {
        const struct plot_series *const series = &plot->of[s];
        const double *const c = palette[series->colour & 7];
        const double thick = series->style == PLOT_LINE || series->style == PLOT_DASHES ? 3 : 10;
        if (!series->label)
            continue;
        cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
        for (int dash = 0; dash < (series->style == PLOT_DASHES ? 2 : 1); dash++)
            cairo_rectangle(cairo, x + 9 * dash, y - 4 - thick / 2, series->style == PLOT_DASHES ? 6 : 15,
                            thick);
        cairo_fill(cairo);
        cairo_set_source_rgb(cairo, 0.2, 0.2, 0.2);
        write_text(cairo, x + KEY - 4, y, 0, series->label);
        y += 19;
    }
}

int plot_write(const struct plot *plot, const char *path)
{
    cairo_surface_t *const surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *const cairo = cairo_create(surface);
    struct frame frame = frame_of(plot);

    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 13);
    frame.right = legend_width(cairo, plot);
    draw_axes(cairo, &frame, plot);
    cairo_rectangle(cairo, LEFT - 1, TOP - 1, WIDTH - LEFT - frame.right + 2, HEIGHT - TOP - BOTTOM + 2);
    cairo_clip(cairo);
    for (int s = 0; s < plot->series; s++)
        draw_series(cairo, &frame, &plot->of[s]);
    cairo_reset_clip(cairo);
    draw_legend(cairo, &frame, plot);
    cairo_destroy(cairo);
    const cairo_status_t status = cairo_surface_write_to_png(surface, path);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    say_error("%s: %s", path, cairo_status_to_string(status));
    return -1;
}
