/*
 * Strokes: their sizes at a level, boxes and parts of windows; and the falloff of ways (that of brushes is lib/kernel/edit.inc, the same
 * to the bit): one inside the inner radius, none outside the outer one, S5 between; in integers.
 *
 * A level at which the outer radius is under two samples sees a wider and weaker stroke: two samples wide, with as much ground in it.
 *
 * Distances are counted as finely as their squares stay under 2^51: there an IEEE square root, cut off, is the integer's.
 */
#include "stroke.h"
#include "../base/min_max.h"

enum { RADIUS_LOG2 = 24, CHUNK_LOG2 = 8 };

static int floor_log2(int64_t v)
{
    int log2 = 0;
    while (v >> (log2 + 1) > 0)
        log2++;
    return log2;
}

/* ---- A level's own --------------------------------------------------------------------------------------- */

int64_t stroke_finely(const struct stroke *stroke, int64_t parts)
{
    return stroke->fine >= 0 ? parts * (INT64_C(1) << stroke->fine) : parts >> -stroke->fine;
}

bool stroke_at(const struct terrane_edit *edit, int level, struct stroke *stroke)
{
    const int64_t min = INT64_C(2) << (level + EDIT_PARTS_LOG2), outer = edit->outer;
    const bool wide = outer >= min;
    const int64_t inner = wide || outer == 0 ? edit->inner : edit->inner * min / outer;
    *stroke = (struct stroke){.x = edit->x,
                              .y = edit->y,
                              .reach = wide ? outer : min,
                              .x0 = edit->x,
                              .y0 = edit->y,
                              .x1 = edit->x,
                              .y1 = edit->y,
                              .share = wide ? EDIT_WHOLE : outer * outer * EDIT_WHOLE / (min * min),
                              .level = level};
    stroke->fine = RADIUS_LOG2 - floor_log2(stroke->reach);
    stroke->inner = stroke_finely(stroke, inner);
    stroke->outer = stroke_finely(stroke, stroke->reach);
    if (stroke->outer > stroke->inner)
        stroke->per_ring = (INT64_C(1) << 41) / (stroke->outer - stroke->inner);
    for (int k = 1; k < edit->points; k++) {
        const int64_t x = edit->line[k].x, y = edit->line[k].y;
        stroke->x0 = min_int64(x, stroke->x0);
        stroke->y0 = min_int64(y, stroke->y0);
        stroke->x1 = max_int64(x, stroke->x1);
        stroke->y1 = max_int64(y, stroke->y1);
    }
    return stroke->share > 0;
}

int64_t stroke_share(const struct stroke *stroke, double distance)
{
    if (distance <= (double)stroke->inner)
        return stroke->share;
    if (distance >= (double)stroke->outer)
        return 0;
    const int64_t t = ((stroke->outer - (int64_t)distance) * stroke->per_ring + (1 << 24)) >> 25;
    const int64_t cube = (t * t * t) >> 18,
                  rest = (INT64_C(10) << 28) - ((t * (15 * EDIT_WHOLE - 6 * t)) >> 4);
    return (((cube * rest + (INT64_C(1) << 41)) >> 42) * stroke->share + EDIT_WHOLE / 2) >> EDIT_SHARE_LOG2;
}

/* ---- Boxes ----------------------------------------------------------------------------------------------- */

struct terrane_edit_box stroke_box(const struct stroke *stroke)
{
    const int log2 = stroke->level + EDIT_PARTS_LOG2;
    const int64_t up = (INT64_C(1) << log2) - 1;
    return (struct terrane_edit_box){.west = (stroke->x0 - stroke->reach + up) >> log2,
                                     .north = (stroke->y0 - stroke->reach + up) >> log2,
                                     .east = (stroke->x1 + stroke->reach) >> log2,
                                     .south = (stroke->y1 + stroke->reach) >> log2};
}

struct terrane_edit_box terrane_edit_parts(const struct terrane_edit *edit)
{
    struct stroke stroke;
    stroke_at(edit, 0, &stroke);
    return (struct terrane_edit_box){.west = stroke.x0 - edit->outer,
                                     .north = stroke.y0 - edit->outer,
                                     .east = stroke.x1 + edit->outer,
                                     .south = stroke.y1 + edit->outer};
}

void terrane_edit_chunks(const struct terrane_edit *edit, struct terrane_edit_chunks *chunks)
{
    const struct terrane_edit_box box = terrane_edit_parts(edit);
    const int64_t wide = box.east - box.west, high = box.south - box.north;
    int log2 = CHUNK_LOG2 + EDIT_PARTS_LOG2;
    while (INT64_C(1) << log2 < (wide > high ? wide : high))
        log2++;
    const int64_t x = box.west >> log2, y = box.north >> log2;
    *chunks = (struct terrane_edit_chunks){.x = x,
                                           .y = y,
                                           .log2 = log2 - EDIT_PARTS_LOG2,
                                           .columns = (int)((box.east >> log2) - x) + 1,
                                           .rows = (int)((box.south >> log2) - y) + 1};
}

/* ---- Windows --------------------------------------------------------------------------------------------- */

/* The first and the last of so many places from first on, each step after the last, that lie in low .. high. */
static bool places_within(int64_t first, int count, int step, int64_t low, int64_t high, int *from, int *to)
{
    const int64_t last = first + (int64_t)(count - 1) * step;
    if (low > last || high < first)
        return false;
    *from = low <= first ? 0 : (int)((low - first + step - 1) / step);
    *to = high >= last ? count - 1 : (int)((high - first) / step);
    return *from <= *to;
}

bool edit_part_of(const struct terrane_window *window, const struct terrane_edit_box *box,
                  struct edit_part *part)
{
    return places_within(window->gi, window->width, window->step, box->west, box->east, &part->west,
                         &part->east) &&
           places_within(window->gj, window->height, window->step, box->north, box->south, &part->north,
                         &part->south);
}

static void add_part(struct edit_part *sum, const struct edit_part *part, bool first)
{
    if (first)
        *sum = *part;
    sum->west = min_int(sum->west, part->west);
    sum->north = min_int(sum->north, part->north);
    sum->east = max_int(sum->east, part->east);
    sum->south = max_int(sum->south, part->south);
}

bool way_part_of(const struct terrane_window *window, const struct terrane_edit *way,
                 const struct stroke *stroke, struct edit_part *part)
{
    bool any = false;
    for (int k = 0; k + 1 < way->points; k++) {
        const struct terrane_path_point *a = &way->line[k], *b = a + 1;
        struct stroke piece = *stroke;
        struct edit_part own;
        piece.x0 = min_int64(a->x, b->x);
        piece.y0 = min_int64(a->y, b->y);
        piece.x1 = max_int64(a->x, b->x);
        piece.y1 = max_int64(a->y, b->y);
        const struct terrane_edit_box box = stroke_box(&piece);
        if (!edit_part_of(window, &box, &own))
            continue;
        add_part(part, &own, !any);
        any = true;
    }
    return any;
}

bool edit_reads(const struct terrane_edit *edit)
{
    return edit->brush == TERRANE_BRUSH_SMOOTH || edit->brush == TERRANE_BRUSH_SHARPEN;
}

int edit_reads_level(const struct terrane_edit *edit, int level)
{
    const int own = floor_log2(edit->outer) - EDIT_OWN_LOG2;
    return own > level ? own : level;
}

struct terrane_edit_box edit_mean_box(const struct terrane_window *window, const struct edit_part *part,
                                      int level)
{
    const int finer = level - window->level;
    return (struct terrane_edit_box){
        .west = ((window->gi + (int64_t)part->west * window->step) >> finer) - 1,
        .north = ((window->gj + (int64_t)part->north * window->step) >> finer) - 1,
        .east = ((window->gi + (int64_t)part->east * window->step) >> finer) + 2,
        .south = ((window->gj + (int64_t)part->south * window->step) >> finer) + 2};
}
