/*
 * Paths of a world: lines with the max allowed slope.
 *
 * A surface that rises by no more than s in any direction keeps the neighbours east and south of a sample within s of it,
 * each; both together may be sqrt 2 of that. So surfaces of gentle lines are held to less, and fit any line. But beside a
 * straight line the surface is a plane, which may have the full slope; only at bends do slopes add up. So each segment of
 * a steep line has its own slope, less at bends, and its surface is checked on the lattice of samples. Where it is too
 * steep the segments around are made gentler, until it is not.
 *
 * Between places of the lattice it is bilinear, so a cell is steepest at its corners; coarser samples lie on cells of two
 * or more places.
 */
#include <string.h>

#include "world_line.h"

#include "../base/min_max.h"

enum {
    ROUNDS = 20,     /* rounds of making segments gentler */
    NEAR = 3,        /* segments around a gentler one whose surface may change */
    CELLS_MAX = 256, /* for each point of a line: with more, the line is not steep */
};

enum { STEEP = 1, LOOK = 2 };

static const double of_steep = 0.984375, gentler = 0.9375;

static double size_of(double v)
{
    return v < 0 ? 0 - v : v;
}

/* ---- Slopes -------------------------------------------------------------------------------------------- */

/* Factor by which the slopes of two segments add up: 1, straight on, to sqrt 2. */
static double together(const struct place *place, int k, int j)
{
    const double a = __builtin_sqrt(length2(place[k], place[k + 1])),
                 b = __builtin_sqrt(length2(place[j], place[j + 1]));
    const double x = max_double(size_of((double)(place[k + 1].x - place[k].x)) / a,
                                size_of((double)(place[j + 1].x - place[j].x)) / b);
    const double y = max_double(size_of((double)(place[k + 1].y - place[k].y)) / a,
                                size_of((double)(place[j + 1].y - place[j].y)) / b);
    return max_double(1, __builtin_sqrt(x * x + y * y));
}

static void caps_start(struct lines *lines, const struct place *place, int n)
{
    for (int k = 0; k + 1 < n; k++) {
        const double before = k > 0 ? together(place, k, k - 1) : 1,
                     behind = k + 2 < n ? together(place, k, k + 1) : 1;
        lines->cap[k] = lines->scale.steep * of_steep / max_double(before, behind);
    }
}

/* Max climb of a line from its start to each point; level in the discs around nodes. */
static void climb_fill(struct lines *lines, const struct place *place, int n)
{
    lines->climb[0] = 0;
    for (int k = 0; k + 1 < n; k++) {
        const double length = __builtin_sqrt(length2(place[k], place[k + 1]));
        const double out = min_double(beyond(place[0], place[k + 1], lines->scale.disc),
                                      beyond(place[n - 1], place[k], lines->scale.disc));
        lines->climb[k + 1] = lines->climb[k] + lines->cap[k] * min_double(length, out);
    }
}

/* ---- The surface --------------------------------------------------------------------------------------- */

/* Number of places of a segment checked at once; with half a path, at most 4, and a cell, mostly 2, it takes 23. */
enum { PART = 8, SIDE_MAX = 32, UNKNOWN = INT32_MIN };

/* Places of a surface's lattice, and cells of 1 .. most of them. */
struct look {
    const struct path_surface *surface;
    double half, step; /* of a path; between places: fine units */
    double slope;      /* max difference: sixteenths of units for each fine unit */
    int max;
    double x, y; /* of a corner of cells of most places, from the line's first point */
    int cells;   /* remaining budget; negative: exceeded */
    /* of the checked part: its first place; heights of all its places */
    double west, north;
    int32_t height[SIDE_MAX * SIDE_MAX];
};

static double height_at(struct look *look, int i, int j)
{
    int32_t *height = &look->height[j * SIDE_MAX + i];
    if (*height == UNKNOWN)
        *height =
            path_surface_lattice(look->surface, look->west + i * look->step, look->north + j * look->step);
    return (double)*height;
}

/* True if the four corners of a cell keep the slope to their neighbours. */
static bool cell_fits(struct look *look, int i, int j, int size)
{
    const double a = height_at(look, i, j), b = height_at(look, i + size, j);
    const double c = height_at(look, i, j + size), d = height_at(look, i + size, j + size);
    const double x = max_double(size_of(b - a), size_of(d - c)),
                 y = max_double(size_of(c - a), size_of(d - b));
    const double max = look->slope * look->step * size;
    return x * x + y * y <= max * max;
}

/* Checks cells of one size that a piece of a path touches, and some more. */
static bool cells_fit(struct look *look, const struct path_segment *part, int width, int height, int size)
{
    const double cell = look->step * size, wide = look->half + cell * 0.7072; /* half a diagonal */
    for (int j = 0; j < height; j += size)
        for (int i = 0; i < width; i += size) {
            double d2 = 0x1p200;
            path_segment_near(part, look->west + i * look->step + cell / 2,
                              look->north + j * look->step + cell / 2, 0, 1, &d2);
            if (d2 <= wide * wide && (--look->cells < 0 || !cell_fits(look, i, j, size)))
                return false;
        }
    return true;
}

static bool part_fits(struct look *look, const struct path_segment *part)
{
    const double ex = part->x + part->ux * part->length, ey = part->y + part->uy * part->length;
    const double cell = look->step * look->max, wide = look->half + cell * 0.7072;
    look->west = look->x + (double)path_floor((min_double(part->x, ex) - wide - look->x) / cell) * cell;
    look->north = look->y + (double)path_floor((min_double(part->y, ey) - wide - look->y) / cell) * cell;
    const double width = (max_double(part->x, ex) + wide - look->west) / look->step,
                 height = (max_double(part->y, ey) + wide - look->north) / look->step;
    if (!(width < SIDE_MAX - 1 - look->max && height < SIDE_MAX - 1 - look->max)) {
        look->cells = -1;
        return false;
    }
    for (int k = 0; k < SIDE_MAX * SIDE_MAX; k++)
        look->height[k] = UNKNOWN;
    for (int size = 1; size <= look->max; size *= 2)
        if (!cells_fit(look, part, (int)width + 1, (int)height + 1, size))
            return false;
    return true;
}

/* True if the surface around a segment keeps the slope between neighbours of every level. */
static bool segment_fits(struct look *look, const struct path_segment *segment)
{
    const double step = PART * look->step;
    const int parts = (int)(segment->length / step) + 1;
    for (int k = 0; k < parts; k++) {
        const double t = k * step;
        struct path_segment part = *segment;
        part.x += t * part.ux;
        part.y += t * part.uy;
        part.length = min_double(step, part.length - t);
        if (!part_fits(look, &part))
            return false;
    }
    return true;
}

/* Checks segments marked for it, and marks those that are too steep; returns how many. */
static int look_at(struct lines *lines, const struct path_surface *surface, int *cells)
{
    const struct path_scale *scale = &lines->scale;
    const int64_t step = INT64_C(1) << (scale->lattice_log2 + PATH_FINE_LOG2);
    const int64_t coarsest = scale->coarsest > step ? scale->coarsest : step;
    struct look look = {
        .surface = surface,
        .half = scale->half,
        .step = (double)step,
        .slope = scale->steepest,
        .max = (int)(coarsest / step),
        .x = 0 - (double)(lines->point[0].x & (coarsest - 1)),
        .y = 0 - (double)(lines->point[0].y & (coarsest - 1)),
        .cells = *cells,
    };
    int bad = 0;
    for (int k = 0; k < surface->segments && look.cells >= 0; k++) {
        const bool fits = !(lines->mark[k] & LOOK) || segment_fits(&look, &surface->segment[k]);
        lines->mark[k] = fits ? 0 : STEEP;
        bad += !fits;
    }
    *cells = look.cells;
    return bad;
}

/* Makes steep segments and their neighbours gentler, and marks those nearby for the next check. */
static void caps_lower(struct lines *lines, int segments)
{
    for (int k = 0; k < segments; k++) {
        int nearest = NEAR + 1;
        for (int i = k > NEAR ? k - NEAR : 0; i <= k + NEAR && i < segments; i++) {
            const int away = i < k ? k - i : i - k;
            nearest = (lines->mark[i] & STEEP) && away < nearest ? away : nearest;
        }
        lines->mark[k] |= nearest <= NEAR ? LOOK : 0;
        lines->cap[k] *= nearest <= 1 ? gentler : 1;
    }
}

/* True if the surface is as high as the line, which fails if the line comes near itself with too steep a difference. */
static bool meets_line(const struct lines *lines, const struct path_surface *surface, int n)
{
    for (int k = 0; k < n; k++) {
        const struct terrane_path_point *point = &lines->point[k];
        const double height = path_surface_at(surface, (double)(point->x - lines->point->x),
                                              (double)(point->y - lines->point->y));
        if (size_of(height - (double)point->height) > 2)
            return false;
    }
    return true;
}

bool path_steep(struct lines *lines, const struct terrane_path_node *p, const struct terrane_path_node *q,
                const struct place *place, int n)
{
    bool all = true;
    int cells = n * CELLS_MAX;
    caps_start(lines, place, n);
    memset(lines->mark, LOOK, (size_t)n);
    for (int turn = 0; turn < ROUNDS; turn++) {
        struct path_surface surface;
        climb_fill(lines, place, n);
        if (size_of((double)p->height - q->height) > lines->climb[n - 1])
            return false;
        path_profile(lines, p, q, place, n, lines->climb);
        path_surface_make(&surface, &lines->scale, lines->point, n, lines->surface);
        if (surface.slope < lines->scale.steep)
            return false;
        const int bad = look_at(lines, &surface, &cells);
        if (cells < 0)
            return false;
        if (bad == 0 && all)
            return meets_line(lines, &surface, n);
        all = bad == 0;
        if (all)
            memset(lines->mark, LOOK, (size_t)n);
        else
            caps_lower(lines, n - 1);
    }
    return false;
}
