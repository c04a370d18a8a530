/*
 * Lines, and places that they end at, as text. Each is kept as its own JSON, which is what the tile said, with other coordinates
 * where that is asked for; so the collection is the same bytes whichever tile each came from, and in whatever order tiles came.
 */
#include "path_lines.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/json_text.h"
#include "../encode/geojson.h"
#include "../tile/tile.h"

enum {
    DEGREE_DIGITS = 12, /* of a number: a tenth of a millimetre where the map's degrees are 186 km */
};

struct line {
    uint64_t id;
    char *text; /* owned */
    size_t bytes;
};

struct path_lines {
    struct path_window window;
    enum path_axes axes;
    double spacing_m;
    size_t max, bytes; /* of texts */
    struct line *line; /* ordered by id */
    size_t count, room;
};

struct path_lines *path_lines_create(const struct path_window *window, enum path_axes axes, double spacing_m,
                                     size_t max)
{
    struct path_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return NULL;
    lines->window = *window;
    lines->axes = axes;
    lines->spacing_m = spacing_m;
    lines->max = max;
    return lines;
}

void path_lines_free(struct path_lines *lines)
{
    if (!lines)
        return;
    for (size_t k = 0; k < lines->count; k++)
        free(lines->line[k].text);
    free(lines->line);
    free(lines);
}

/* ---- Mercator's map of the sphere, from its metres to degrees --------------------------------------------- */

static const double PI = 3.14159265358979323846;

double web_map_half_m(double spacing_m)
{
    return spacing_m * TERRANE_TILE_SAMPLES * (double)(1 << (TILE_Z0 - 1));
}

/* e^x, |x| < 8: of its 256th part Taylor's series, whose first missing term is below (1/32)^11 / 11!, then eight squares, each of
 * which doubles the error: below 1e-13 of the value. */
static double exponential(double x)
{
    const double part = x / 256;
    double sum = 1;
    for (int n = 10; n >= 1; n--)
        sum = 1 + part / n * sum;
    for (int k = 0; k < 8; k++)
        sum *= sum;
    return sum;
}

/* |t| <= 1. Three times tan(a / 2) = t / (1 + sqrt(1 + t^2)), then the series, of t below 0.1: its first missing term is below
 * 1e-18. */
static double arc_tangent(double t)
{
    for (int k = 0; k < 3; k++)
        t /= 1 + sqrt(1 + t * t);
    const double t2 = t * t;
    double sum = 0;
    for (int n = 15; n >= 1; n -= 2)
        sum = 1.0 / n - t2 * sum;
    return 8 * t * sum;
}

struct web_place web_map_place(double spacing_m, double x_m, double y_m)
{
    const double half_m = web_map_half_m(spacing_m);
    const double e = exponential(-y_m / half_m * PI); /* of pi at the northern side */
    return (struct web_place){
        .longitude = x_m / half_m * 180,
        .latitude = arc_tangent((e - 1) / (e + 1)) / PI * 360,
    };
}

/* ---- The window ---------------------------------------------------------------------------------------- */

/* The part of a line, from t = 0 to t = 1, that lies in the window so far; open ends are not of it. */
struct span {
    double from, to;
    bool from_open, to_open;
};

static void span_from(struct span *span, double t, bool open)
{
    if (t > span->from || (t == span->from && open)) {
        span->from = t;
        span->from_open = open;
    }
}

static void span_to(struct span *span, double t, bool open)
{
    if (t < span->to || (t == span->to && open)) {
        span->to = t;
        span->to_open = open;
    }
}

/* Along one axis, where the line goes from a to b: low <= a + t (b - a) < high. false: nowhere. */
static bool span_clip(struct span *span, double a, double b, double low, double high)
{
    const double step = b - a;
    if (step == 0)
        return a >= low && a < high;
    const double at_low = (low - a) / step, at_high = (high - a) / step;
    if (step > 0) {
        span_from(span, at_low, false);
        span_to(span, at_high, true);
    } else {
        span_to(span, at_low, false);
        span_from(span, at_high, true);
    }
    return true;
}

bool path_window_meets(const struct path_window *window, const double a[2], const double b[2])
{
    struct span span = {0, 1, false, false};
    if (!span_clip(&span, a[0], b[0], window->west_m, window->east_m) ||
        !span_clip(&span, a[1], b[1], window->north_m, window->south_m))
        return false;
    return span.from < span.to || (span.from == span.to && !span.from_open && !span.to_open);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static bool runs_through(const struct path_window *window, const json_t *positions)
{
    double at[2], before[2] = {0, 0};
    for (size_t k = 0; k < json_array_size(positions); k++) {
        const json_t *position = json_array_get(positions, k);
        for (size_t c = 0; c < 2; c++)
            at[c] = json_number_value(json_array_get(position, c));
        if (k > 0 && path_window_meets(window, before, at))
            return true;
        memcpy(before, at, sizeof before);
    }
    return false;
}

static bool lies_in(const struct path_window *window, const json_t *position)
{
    const double at[2] = {json_number_value(json_array_get(position, 0)),
                          json_number_value(json_array_get(position, 1))};
    return path_window_meets(window, at, at);
}

/* ---- ... in degrees: cut at the map's edge --------------------------------------------------------------- */

/* A position of the line from a to b, at t of it; of which the ends stay what they are. Owned; NULL: memory is short. */
static json_t *position_at(double spacing_m, const json_t *a, const json_t *b, double t)
{
    const double half_m = web_map_half_m(spacing_m);
    json_t *position = json_array();
    double at[2] = {0};
    for (size_t c = 0; c < json_array_size(t < 1 ? a : b); c++) {
        const double from = json_number_value(json_array_get(a, c)),
                     to = json_number_value(json_array_get(b, c));
        const double value = t <= 0 ? from : t >= 1 ? to : from + t * (to - from);
        if (c < 2)
            at[c] = value < -half_m ? -half_m : value > half_m ? half_m : value; /* rounding */
        else if (json_array_append_new(position, json_real(value)) != 0)
            goto short_of_memory;
    }
    const struct web_place place = web_map_place(spacing_m, at[0], at[1]);
    if (json_array_insert_new(position, 0, json_real(place.latitude)) == 0 &&
        json_array_insert_new(position, 0, json_real(place.longitude)) == 0)
        return position;
short_of_memory:
    json_decref(position);
    return NULL;
}

/* Adds the part of the line from a to b that the map has; a new piece begins where the line comes in. false: memory is short. */
static bool add_segment(double spacing_m, const json_t *a, const json_t *b, json_t *pieces, json_t **piece)
{
    const double half_m = web_map_half_m(spacing_m);
    struct span span = {0, 1, false, false};
    for (size_t c = 0; c < 2; c++) {
        const double from = json_number_value(json_array_get(a, c)),
                     to = json_number_value(json_array_get(b, c));
        const double step = to - from;
        if (step == 0 && fabs(from) > half_m)
            return true;
        if (step == 0)
            continue;
        span_from(&span, (step > 0 ? -half_m - from : half_m - from) / step, false);
        span_to(&span, (step > 0 ? half_m - from : -half_m - from) / step, false);
    }
    if (span.from >= span.to)
        return true;
    if (!*piece || span.from > 0) {
        *piece = json_array();
        if (json_array_append_new(pieces, *piece) != 0 ||
            json_array_append_new(*piece, position_at(spacing_m, a, b, span.from)) != 0)
            return false;
    }
    const bool added = json_array_append_new(*piece, position_at(spacing_m, a, b, span.to)) == 0;
    if (span.to < 1)
        *piece = NULL;
    return added;
}

/* What the map has of a line in metres, in degrees: a LineString, or a MultiLineString where it leaves the map and comes back
 * (RFC 7946, 3.1.9). PATH_LINES_BAD: nothing. */
static enum path_lines_result line_to_degrees(double spacing_m, json_t *feature, const json_t *positions)
{
    json_t *geometry = json_object_get(feature, "geometry"), *pieces = json_array(), *piece = NULL;
    bool fine = pieces != NULL;
    for (size_t k = 1; fine && k < json_array_size(positions); k++)
        fine = add_segment(spacing_m, json_array_get(positions, k - 1), json_array_get(positions, k), pieces,
                           &piece);
    const size_t count = json_array_size(pieces);
    if (fine && count == 1)
        fine = json_object_set(geometry, "coordinates", json_array_get(pieces, 0)) == 0;
    else if (fine && count > 1)
        fine = json_object_set(geometry, "coordinates", pieces) == 0 &&
               json_object_set_new(geometry, "type", json_string("MultiLineString")) == 0;
    json_decref(pieces);
    return !fine ? PATH_LINES_MEMORY : count == 0 ? PATH_LINES_BAD : PATH_LINES_FINE;
}

/* Likewise a place. */
static enum path_lines_result place_to_degrees(double spacing_m, json_t *feature, const json_t *position)
{
    const double half_m = web_map_half_m(spacing_m);
    for (size_t c = 0; c < 2; c++)
        if (fabs(json_number_value(json_array_get(position, c))) > half_m)
            return PATH_LINES_BAD;
    json_t *geometry = json_object_get(feature, "geometry"),
           *place = position_at(spacing_m, position, position, 0);
    return json_object_set_new(geometry, "coordinates", place) == 0 ? PATH_LINES_FINE : PATH_LINES_MEMORY;
}

/* Where a line of that id stands, or would. */
static size_t place_of(const struct path_lines *lines, uint64_t id)
{
    size_t low = 0, high = lines->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lines->line[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct path_lines *lines)
{
    struct line *line = array_grown(lines->line, lines->count, &lines->room, 64, sizeof *line);
    if (line)
        lines->line = line;
    return line != NULL;
}

/* Takes the text of a line that is not there. */
static enum path_lines_result insert(struct path_lines *lines, size_t k, uint64_t id, char *text,
                                     size_t bytes)
{
    const bool many = bytes > lines->max - lines->bytes;
    if (many || !make_room(lines)) {
        free(text);
        return many ? PATH_LINES_MANY : PATH_LINES_MEMORY;
    }
    memmove(lines->line + k + 1, lines->line + k, (lines->count - k) * sizeof *lines->line);
    lines->line[k] = (struct line){id, text, bytes};
    lines->count++;
    lines->bytes += bytes;
    return PATH_LINES_FINE;
}

static enum path_lines_result add_feature(struct path_lines *lines, json_t *feature)
{
    const bool degrees = lines->axes == PATH_AXES_GEOGRAPHIC;
    uint64_t id;
    size_t bytes;
    json_t *positions = geojson_line(feature, &id), *place = positions ? NULL : geojson_place(feature, &id);
    if (!positions && !place)
        return PATH_LINES_BAD;
    const size_t k = place_of(lines, id);
    if ((k < lines->count && lines->line[k].id == id) ||
        !(place ? lies_in(&lines->window, place) : runs_through(&lines->window, positions)))
        return PATH_LINES_FINE;
    const enum path_lines_result cut = !degrees ? PATH_LINES_FINE
                                       : place  ? place_to_degrees(lines->spacing_m, feature, place)
                                                : line_to_degrees(lines->spacing_m, feature, positions);
    if (cut != PATH_LINES_FINE)
        return cut == PATH_LINES_BAD ? PATH_LINES_FINE : cut;
    char *text = json_text(json_incref(feature),
                           JSON_COMPACT | (degrees ? JSON_REAL_PRECISION(DEGREE_DIGITS) : 0), &bytes);
    if (!text)
        return PATH_LINES_MEMORY;
    return insert(lines, k, id, text, bytes - 1); /* without its line feed */
}

enum path_lines_result path_lines_add(struct path_lines *lines, const void *text, size_t bytes)
{
    json_error_t trouble;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    if (!root)
        return json_error_code(&trouble) == json_error_out_of_memory ? PATH_LINES_MEMORY : PATH_LINES_BAD;
    const json_t *features = json_object_get(root, "features");
    enum path_lines_result result = json_is_array(features) ? PATH_LINES_FINE : PATH_LINES_BAD;
    for (size_t k = 0; result == PATH_LINES_FINE && k < json_array_size(features); k++)
        result = add_feature(lines, json_array_get(features, k));
    json_decref(root);
    return result;
}

size_t path_lines_count(const struct path_lines *lines)
{
    return lines->count;
}

/* ---- The collection ------------------------------------------------------------------------------------ */

char *path_lines_text(struct path_lines *lines, size_t *bytes)
{
    static const char *const axes[] = {
        [PATH_AXES_WORLD] = GEOJSON_AXES, [PATH_AXES_GEOGRAPHIC] = "longitude,latitude degrees,up metres"};
    static const char tail[] = "]}\n";
    char head[128];
    const int n =
        snprintf(head, sizeof head, "{\"type\":\"FeatureCollection\",\"axes\":\"%s\",\"features\":[",
                 axes[lines->axes]);
    const size_t commas = lines->count > 0 ? lines->count - 1 : 0;
    char *text = malloc((size_t)n + lines->bytes + commas + sizeof tail);
    if (!text)
        return NULL;
    memcpy(text, head, (size_t)n);
    char *at = text + n;
    for (size_t k = 0; k < lines->count; k++) {
        if (k > 0)
            *at++ = ',';
        memcpy(at, lines->line[k].text, lines->line[k].bytes);
        at += lines->line[k].bytes;
    }
    memcpy(at, tail, sizeof tail);
    *bytes = (size_t)(at - text) + sizeof tail - 1;
    return text;
}
