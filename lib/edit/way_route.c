/*
 * The line of a way: the cheapest ways over samples between its places, made smooth as those of worlds' paths are; and its heights: the
 * mean of the least above its ground and of the over below it that keep its slope, held to the heights of both ends.
 */
#include <string.h>

#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "../path/astar.h"
#include "../path/course.h"
#include "../path/world.h"
#include "stroke.h"

enum {
    SAMPLES_MAX = 4096,                                          /* of all ways together */
    COURSE_MAX = 4 * (SAMPLES_MAX / 2 + 2 * TERRANE_WAY_PLACES), /* points, with corners cut twice */
    MARGIN = 8,                                                  /* samples around places, at least */
    SEA_TOLL = 64,                                               /* flat samples, for each in the sea */
    OVER_SEA = TERRANE_EDIT_UNITS / 2,
    HEIGHT_MAX = (1 << 30) - 1
};
static const double line_slope = 0.984375; /* of the surface's: heights of a line are rounded */

struct route {
    const struct terrane_way *way;
    const struct terrane_window *window;
    int sample_log2; /* parts */
    int32_t *ground; /* units: the sea's, where that is higher */
    uint8_t *toll;
    void *astar;
    uint32_t *samples;
    struct place *course, *other; /* from the window's first sample */
    double *rough, *height;       /* of course: the ground, smoothed; units */
    struct terrane_path_point *line;
};

/* ---- The window ------------------------------------------------------------------------------------------ */

struct range {
    int64_t low, high;
};

static struct range range_of(const int64_t *v, int count)
{
    struct range range = {v[0], v[0]};
    for (int k = 1; k < count; k++) {
        range.low = v[k] < range.low ? v[k] : range.low;
        range.high = v[k] > range.high ? v[k] : range.high;
    }
    return range;
}

static bool in_world(const struct terrane_window *window)
{
    const int64_t end = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES;
    return window->gi >= -end && window->gi <= end - window->width && window->gj >= -end &&
           window->gj <= end - window->height;
}

/* A quarter of the way's longer side around it. */
bool terrane_way_needs(const struct terrane_way *way, struct terrane_window *window)
{
    if (way->places < 2 || way->places > TERRANE_WAY_PLACES)
        return false;
    const struct range x = range_of(way->x, way->places), y = range_of(way->y, way->places);
    const int64_t max = TERRANE_EDIT_PLACE_MAX;
    if (x.low < -max || x.high > max || y.low < -max || y.high > max)
        return false;
    const int64_t wide = x.high - x.low, high = y.high - y.low, side = wide > high ? wide : high;
    if (side > TERRANE_EDIT_RADIUS_MAX)
        return false;
    int level = 0;
    while (level < TERRANE_LEVEL_MAX && (INT64_C(2) << (level + EDIT_PARTS_LOG2)) <= way->inner)
        level++; /* samples no wider than half of the way */
    for (;; level++) {
        const int log2 = level + EDIT_PARTS_LOG2;
        const int64_t margin = (side >> (log2 + 2)) + MARGIN;
        if ((side >> log2) + 2 + 2 * margin > TERRANE_WAY_SIDE)
            continue;
        *window =
            (struct terrane_window){.level = level,
                                    .gi = (x.low >> log2) - margin,
                                    .gj = (y.low >> log2) - margin,
                                    .step = 1,
                                    .width = (int)((x.high >> log2) - (x.low >> log2) + 2 * margin) + 1,
                                    .height = (int)((y.high >> log2) - (y.low >> log2) + 2 * margin) + 1};
        return in_world(window);
    }
}

/* ---- Memory and ground ----------------------------------------------------------------------------------- */

static void deal(struct route *route, struct room *room)
{
    const size_t samples = samples_of(route->window);
    route->ground = room_take(room, samples * sizeof *route->ground);
    route->toll = room_take(room, samples);
    route->astar = room_take(room, astar_bytes(route->window->width, route->window->height));
    route->samples = room_take(room, SAMPLES_MAX * sizeof *route->samples);
    route->course = room_take(room, COURSE_MAX * sizeof *route->course);
    route->other = room_take(room, COURSE_MAX * sizeof *route->other);
    route->rough = room_take(room, TERRANE_EDIT_WAY_POINTS * sizeof *route->rough);
    route->height = room_take(room, TERRANE_EDIT_WAY_POINTS * sizeof *route->height);
    route->line = room_take(room, TERRANE_EDIT_WAY_POINTS * sizeof *route->line);
}

static void fill(struct route *route, const struct terrane_recipe *recipe, const float *heights)
{
    const double max = HEIGHT_MAX, sea = (double)recipe->sea_m * TERRANE_EDIT_UNITS;
    for (size_t k = 0; k < samples_of(route->window); k++) {
        const double own = (double)heights[k] * TERRANE_EDIT_UNITS;
        const double units = max_double(own < sea ? sea + OVER_SEA : own, -max);
        route->ground[k] = (int32_t)path_floor(min_double(units, max) + 0.5);
        route->toll[k] = own < sea ? SEA_TOLL : 0;
    }
}

/* ---- The course ------------------------------------------------------------------------------------------ */

static struct place place_at(const struct route *route, int k)
{
    const struct terrane_window *window = route->window;
    const int64_t sample = INT64_C(1) << route->sample_log2;
    return (struct place){route->way->x[k] - window->gi * sample, route->way->y[k] - window->gj * sample};
}

/* The sample nearest to a place. */
static uint32_t sample_at(const struct route *route, struct place place)
{
    const int64_t half = INT64_C(1) << (route->sample_log2 - 1);
    return (uint32_t)(((place.y + half) >> route->sample_log2) * route->window->width +
                      ((place.x + half) >> route->sample_log2));
}

/* Adds the way to the k-th place to a course that ends in the one before. Returns how many points it has then; 0: it is too long. */
static int go_on(struct route *route, const struct astar_cost *cost, int k, int count)
{
    const struct astar_grid grid = {.width = route->window->width,
                                    .height = route->window->height,
                                    .ground = route->ground,
                                    .toll = route->toll};
    const struct place from = place_at(route, k - 1), to = place_at(route, k);
    const int begun = count - 1, max = SAMPLES_MAX - 2 * begun; /* points are half as many */
    if (from.x == to.x && from.y == to.y)
        return count;
    if (max < 2)
        return 0;
    const int n = astar_find(&grid, cost, sample_at(route, from), sample_at(route, to), route->astar,
                             route->samples, max);
    if (n == 0)
        return 0;
    for (int i = 2; i + 2 < n; i += 2) {
        const uint32_t at = route->samples[i], width = (uint32_t)grid.width;
        route->course[count++] = (struct place){(int64_t)(at % width) * (1 << route->sample_log2),
                                                (int64_t)(at / width) * (1 << route->sample_log2)};
    }
    route->course[count++] = to;
    for (int turn = 0; turn < 3; turn++)
        course_means(route->course + begun, count - begun);
    return count;
}

/* Points of the line, in route->course; 0: it is too long; 1: it has one place. */
static int find_course(struct route *route, const struct terrane_recipe *recipe)
{
    const double sample = (double)(INT64_C(1) << route->sample_log2);
    const double unit_m = 1.0 / TERRANE_EDIT_UNITS,
                 sample_m = (double)recipe->spacing_m * sample / TERRANE_EDIT_PARTS;
    const struct astar_cost cost = {
        .alpha = 4, /* what is as steep as the way may be costs five times as much as what is level */
        .beta = 1.8,
        .per_unit = unit_m / sample_m * TERRANE_EDIT_SHARES / (double)route->way->slope};
    int count = 1;
    route->course[0] = place_at(route, 0);
    for (int k = 1; k < route->way->places && count > 0; k++)
        count = go_on(route, &cost, k, count);
    if (count < 2)
        return count;
    for (int turn = 0; turn < 2 && count > 2; turn++) {
        count = course_cut(route->course, count, route->other);
        memcpy(route->course, route->other, (size_t)count * sizeof *route->course);
    }
    count = course_thin(route->course, count, sample, route->other, TERRANE_EDIT_WAY_POINTS);
    memcpy(route->course, route->other, (size_t)count * sizeof *route->course);
    return count == 2 && length2(route->course[0], route->course[1]) == 0 ? 1 : count;
}

/* ---- Heights --------------------------------------------------------------------------------------------- */

/* The ground, straight between samples along x and then y. */
static double ground_at(const struct route *route, struct place place)
{
    const int bits = route->sample_log2;
    const int64_t mask = (INT64_C(1) << bits) - 1, width = route->window->width;
    const double u = (double)(place.x & mask) / (double)(mask + 1),
                 v = (double)(place.y & mask) / (double)(mask + 1);
    const int32_t *at = &route->ground[(place.y >> bits) * width + (place.x >> bits)];
    const double north = at[0] + u * ((double)at[1] - at[0]),
                 south = at[width] + u * ((double)at[width + 1] - at[width]);
    return north + v * (south - north);
}

static double apart(struct place a, struct place b)
{
    return __builtin_sqrt(length2(a, b));
}

/* Fills route->height, of ends that keep the slope; and how far each may be from the ground is held against the way's depth. */
static void find_heights(struct route *route, int n, double slope, struct terrane_way_place *why)
{
    double *rough = route->rough;
    const double first = ground_at(route, route->course[0]), last = ground_at(route, route->course[n - 1]);
    double farthest = (double)route->way->depth;
    for (int k = 0; k < n; k++)
        rough[k] = ground_at(route, route->course[k]);
    for (int turn = 0; turn < 2; turn++) {
        double before = rough[0];
        for (int k = 1; k + 1 < n; k++) {
            const double own = rough[k];
            rough[k] = (before + 2 * own + rough[k + 1]) * 0.25;
            before = own;
        }
    }
    for (int k = 0; k < n; k++) {
        double under = rough[k], over = rough[k];
        for (int i = 0; i < n; i++) {
            const double rise = slope * apart(route->course[k], route->course[i]);
            under = min_double(under, rough[i] + rise);
            over = max_double(over, rough[i] - rise);
        }
        const double p = slope * apart(route->course[0], route->course[k]),
                     q = slope * apart(route->course[n - 1], route->course[k]);
        const double high = min_double(first + p, last + q), low = max_double(first - p, last - q);
        route->height[k] = max_double(min_double((under + over) / 2, high), low);
        const double off = route->height[k] - ground_at(route, route->course[k]),
                     far = off < 0 ? 0 - off : off;
        if (far > farthest) {
            farthest = far;
            *why = (struct terrane_way_place){TERRANE_WAY_DEEP, route->course[k].x, route->course[k].y,
                                              (int32_t)min_double(far, HEIGHT_MAX)};
        }
    }
}

/* ---- The line -------------------------------------------------------------------------------------------- */

/* Returns its points, in route->course and height; 0: there is none, and why. */
static int find_line(struct route *route, const struct terrane_recipe *recipe, struct terrane_way_place *why)
{
    const int last = route->way->places - 1, n = find_course(route, recipe);
    const double slope = line_slope * (double)route->way->slope * (double)recipe->spacing_m *
                         ((double)TERRANE_EDIT_UNITS / TERRANE_EDIT_SHARES / TERRANE_EDIT_PARTS);
    *why = (struct terrane_way_place){0, place_at(route, last).x, place_at(route, last).y, 0};
    if (n < 2) {
        why->fault = n == 0 ? TERRANE_WAY_LONG : TERRANE_WAY_APART;
        return 0;
    }
    const double climb = ground_at(route, route->course[n - 1]) - ground_at(route, route->course[0]);
    const double more =
        (climb < 0 ? 0 - climb : climb) - slope * apart(route->course[0], route->course[n - 1]);
    if (more > 0) {
        why->fault = TERRANE_WAY_STEEP;
        why->by = (int32_t)min_double(more, HEIGHT_MAX);
        return 0;
    }
    find_heights(route, n, slope, why);
    return why->fault ? 0 : n;
}

static void write_line(const struct route *route, int n, struct terrane_path_point *line,
                       struct terrane_edit *edit)
{
    const struct terrane_way *way = route->way;
    const int64_t x = route->window->gi * (1 << route->sample_log2),
                  y = route->window->gj * (1 << route->sample_log2);
    for (int k = 0; k < n; k++)
        line[k] = (struct terrane_path_point){.x = x + route->course[k].x,
                                              .y = y + route->course[k].y,
                                              .height = (int32_t)path_floor(route->height[k] + 0.5)};
    *edit = (struct terrane_edit){.brush = TERRANE_BRUSH_WAY,
                                  .x = line->x,
                                  .y = line->y,
                                  .inner = way->inner,
                                  .outer = way->outer,
                                  .strength = TERRANE_EDIT_SHARES,
                                  .slope = way->slope,
                                  .points = n,
                                  .line = line};
}

int terrane_way_route(const struct terrane_recipe *recipe, const struct terrane_way *way,
                      const struct terrane_window *window, const float *heights,
                      const struct terrane_memory *memory, struct terrane_path_point *line,
                      struct terrane_edit *edit, struct terrane_way_place *why)
{
    struct terrane_window needs;
    struct route route = {.way = way, .window = window, .sample_log2 = window->level + EDIT_PARTS_LOG2};
    struct room room = {NULL, 0};
    if (!terrane_way_needs(way, &needs) || !window_same(&needs, window))
        return TERRANE_EWINDOW;
    deal(&route, &room);
    void *block = memory_take(memory, room.taken);
    if (!block)
        return TERRANE_EMEMORY;
    deal(&route, &(struct room){block, 0});
    fill(&route, recipe, heights);
    struct terrane_edit made = {0};
    const int n = find_line(&route, recipe, why);
    if (n > 0)
        write_line(&route, n, route.line, &made);
    why->x += window->gi * (1 << route.sample_log2);
    why->y += window->gj * (1 << route.sample_log2);
    const bool fits = n > 0 && terrane_edit_check(recipe, &made, NULL) == 0;
    if (fits) {
        memcpy(line, route.line, (size_t)n * sizeof *line);
        *edit = made;
        edit->line = line;
    }
    memory_give(memory, block);
    if (fits)
        return 0;
    if (n > 0)
        why->fault = TERRANE_WAY_LONG; /* with its radius */
    return TERRANE_EEDIT;
}
