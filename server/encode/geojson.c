/*
 * Lines of paths, and the places at their ends, as GeoJSON. Points are integers, so coordinates are products of two numbers,
 * rounded once; lengths are sums in the order of the points.
 */
#include "geojson.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/json_text.h"
#include "encode.h"

void path_line_id(const struct path_line *line, char text[GEOJSON_ID_BYTES])
{
    snprintf(text, GEOJSON_ID_BYTES, "%016" PRIx64, line->edge->id);
}

/* The horizontal length, and the max slope, of points first .. last. */
static void measure(const struct terrane_world *world, const struct path_line *line, int first, int last,
                    double *length_m, double *max_slope)
{
    const double spacing_m = world->recipe->spacing_m * GEOJSON_STEP,
                 unit_m = terrane_units(world->recipe).paths_m;
    *length_m = *max_slope = 0;
    for (int i = first + 1; i <= last; i++) {
        const struct terrane_path_point *a = &line->point[i - 1], *b = &line->point[i];
        const double x = (double)(int64_t)((uint64_t)b->x - (uint64_t)a->x) * spacing_m,
                     y = (double)(int64_t)((uint64_t)b->y - (uint64_t)a->y) * spacing_m;
        const double run_m = sqrt(x * x + y * y), rise_m = fabs((double)(b->height - a->height) * unit_m);
        *length_m += run_m;
        if (run_m > 0)
            *max_slope = fmax(*max_slope, rise_m / run_m);
    }
}

static double width_of(const struct terrane_world *world, const struct path_line *line)
{
    return (double)terrane_paths_width_m(world->recipe, line->edge->road);
}

static const char *place_rank(const struct terrane_path_node *node)
{
    return node->town ? "town" : "village";
}

json_t *path_line_facts(const struct terrane_world *world, const struct path_line *line)
{
    static const char *const state[TERRANE_PATH_STATES] = {[TERRANE_PATH_OPEN] = "open",
                                                           [TERRANE_PATH_WET] = "wet",
                                                           [TERRANE_PATH_STEEP] = "steep",
                                                           [TERRANE_PATH_LONE] = "lone"};
    static const char *const rank[TERRANE_PATH_ROADS] = {
        [TERRANE_PATH_LANE] = "lane", [TERRANE_PATH_TRUNK] = "trunk"};
    const struct terrane_path_point *first = line->point, *last = line->point + line->edge->points - 1;
    double length_m, max_slope;
    measure(world, line, 0, line->edge->points - 1, &length_m, &max_slope);
    json_t *facts = json_pack(
        "{s:[I, I], s:[I, I], s:f, s:f, s:f, s:f, s:s}", "from", (json_int_t)line->from->cx,
        (json_int_t)line->from->cy, "to", (json_int_t)line->to->cx, (json_int_t)line->to->cy, "length_m",
        length_m, "rise_m", (double)(last->height - first->height) * terrane_units(world->recipe).paths_m,
        "max_slope", max_slope, "width_m", width_of(world, line), "state", state[line->edge->state]);
    if (world->recipe->paths.towns.block_log2 > 0)
        json_put_all(&facts, json_pack("{s:s, s:s, s:s}", "rank", rank[line->edge->road], "from_place",
                                       place_rank(line->from), "to_place", place_rank(line->to)));
    return facts;
}

/* node: of its line. */
static json_t *position_of(const struct terrane_world *world, const struct terrane_path_node *node,
                           const struct terrane_path_point *point, double unit_m)
{
    const double spacing_m = world->recipe->spacing_m * GEOJSON_STEP;
    const int level = world->recipe->paths.level;
    return json_pack("[f, f, f]", geojson_whole(point->x, node->gi, level) * spacing_m,
                     geojson_whole(point->y, node->gj, level) * spacing_m, (double)point->height * unit_m);
}

static json_t *coordinates_of(const struct terrane_world *world, const struct path_line *line, int first,
                              int last)
{
    const double unit_m = terrane_units(world->recipe).paths_m;
    json_t *array = json_array();
    for (int i = first; array && i <= last; i++)
        json_append(&array, position_of(world, line->from, &line->point[i], unit_m));
    return array;
}

static json_t *feature_of(const struct terrane_world *world, const struct path_line *line)
{
    char id[GEOJSON_ID_BYTES];
    path_line_id(line, id);
    return json_pack("{s:s, s:s, s:{s:s, s:o}, s:o}", "type", "Feature", "id", id, "geometry", "type",
                     "LineString", "coordinates", coordinates_of(world, line, 0, line->edge->points - 1),
                     "properties", path_line_facts(world, line));
}

/* ---- Fords and bridges --------------------------------------------------------------------------------- */

/* A crossing, from points first to last of a line. Its id is the line's, and its number. */
static json_t *crossing_of(const struct terrane_world *world, const struct path_line *line, int first,
                           int last)
{
    static const char *const kind[TERRANE_PATH_OVERS] = {
        [TERRANE_PATH_LAND] = NULL, [TERRANE_PATH_FORD] = "ford", [TERRANE_PATH_BRIDGE] = "bridge"};
    char path[GEOJSON_ID_BYTES], id[GEOJSON_ID_BYTES];
    double length_m, max_slope;
    path_line_id(line, path);
    snprintf(id, sizeof id, "%016" PRIx64, line->edge->id ^ ((uint64_t)first << 32 | 1u << 31));
    measure(world, line, first, last, &length_m, &max_slope);
    return json_pack("{s:s, s:s, s:{s:s, s:o}, s:{s:s, s:s, s:f, s:f, s:f}}", "type", "Feature", "id", id,
                     "geometry", "type", "LineString", "coordinates",
                     coordinates_of(world, line, first, last), "properties", "kind",
                     kind[line->point[first].over], "path", path, "length_m", length_m, "max_slope",
                     max_slope, "width_m", width_of(world, line));
}

/* Adds a line and its crossings. */
static void add_line(const struct terrane_world *world, const struct path_line *line, json_t **features)
{
    const struct terrane_path_point *point = line->point;
    json_append(features, feature_of(world, line));
    for (int i = 0, last; i + 1 < line->edge->points; i = last) {
        for (last = i + 1; last + 1 < line->edge->points && point[last].over == point[i].over; last++)
            ;
        if (point[i].over != TERRANE_PATH_LAND)
            json_append(features, crossing_of(world, line, i, last));
    }
}

/* ---- Places -------------------------------------------------------------------------------------------- */

/* A product of odd numbers and shifts, each of which is invertible. */
uint64_t path_place_id(const struct terrane_path_node *node)
{
    uint64_t id = (uint64_t)node->cx * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)node->cy;
    id = (id ^ id >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    id = (id ^ id >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return id ^ id >> 32;
}

static bool same_place(const struct terrane_path_node *a, const struct terrane_path_node *b)
{
    return a->cx == b->cx && a->cy == b->cy;
}

/* True if a line before the i-th ends at a place. */
static bool place_known(const struct path_line *line, int i, const struct terrane_path_node *node)
{
    for (int k = 0; k < i; k++)
        if (same_place(line[k].from, node) || same_place(line[k].to, node))
            return true;
    return false;
}

static json_t *place_of(const struct terrane_world *world, const struct terrane_path_node *node,
                        const struct terrane_path_point *point)
{
    char id[GEOJSON_ID_BYTES], name[TERRANE_NAME_BYTES];
    snprintf(id, sizeof id, "%016" PRIx64, path_place_id(node));
    terrane_place_name(world, node, name);
    return json_pack("{s:s, s:s, s:{s:s, s:o}, s:{s:s, s:s, s:[I, I]}}", "type", "Feature", "id", id,
                     "geometry", "type", "Point", "coordinates",
                     position_of(world, node, point, terrane_units(world->recipe).paths_m), "properties",
                     "name", name, "rank", place_rank(node), "cell", (json_int_t)node->cx,
                     (json_int_t)node->cy);
}

/* Adds new places at the ends of the i-th line. */
static void add_places(const struct terrane_world *world, const struct path_line *line, int i,
                       json_t **features)
{
    const struct path_line *own = &line[i];
    const struct terrane_path_node *node[2] = {own->from, own->to};
    const struct terrane_path_point *point[2] = {own->point, own->point + own->edge->points - 1};
    for (int end = 0; end < 2; end++)
        if (!place_known(line, i, node[end]))
            json_append(features, place_of(world, node[end], point[end]));
}

int geojson_collection(json_t *features, unsigned char **data, size_t *bytes)
{
    json_t *whole = json_pack("{s:s, s:o}", "type", "FeatureCollection", "features", features);
    *data = (unsigned char *)json_text(whole, JSON_COMPACT, bytes);
    return *data ? 0 : -1;
}

int encode_geojson(const struct terrane_world *world, const struct path_line *line, int lines,
                   unsigned char **data, size_t *bytes)
{
    const bool places = world->recipe->paths.towns.block_log2 > 0;
    json_t *features = json_array();
    for (int i = 0; features && i < lines; i++) {
        add_line(world, &line[i], &features);
        if (places)
            add_places(world, line, i, &features);
    }
    return geojson_collection(features, data, bytes);
}

/* ---- Back again ---------------------------------------------------------------------------------------- */

/* Reads the id of a feature: 1 to 16 hexadecimal digits. false: there is none. */
static bool id_of(const json_t *feature, uint64_t *id)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = json_string_value(json_object_get(feature, "id"));
    const size_t bytes = text ? strlen(text) : 0;
    if (bytes < 1 || bytes >= GEOJSON_ID_BYTES || strspn(text, digits) != bytes)
        return false;
    *id = 0;
    for (size_t k = 0; k < bytes; k++)
        *id = *id << 4 | (uint64_t)(strchr(digits, text[k]) - digits);
    return true;
}

/* Two numbers or more. */
static bool is_position(const json_t *position)
{
    const double max_m = 0x1p100; /* beyond every world, and far from where degrees are no numbers */
    if (json_array_size(position) < 2)
        return false;
    for (size_t c = 0; c < json_array_size(position); c++)
        if (!json_is_number(json_array_get(position, c)) ||
            fabs(json_number_value(json_array_get(position, c))) > max_m)
            return false;
    return true;
}

json_t *geojson_place(const json_t *feature, uint64_t *id)
{
    const json_t *geometry = json_object_get(feature, "geometry");
    const char *type = json_string_value(json_object_get(geometry, "type"));
    json_t *position = json_object_get(geometry, "coordinates");
    return type && strcmp(type, "Point") == 0 && is_position(position) && id_of(feature, id) ? position
                                                                                             : NULL;
}

json_t *geojson_line(const json_t *feature, uint64_t *id)
{
    const json_t *geometry = json_object_get(feature, "geometry");
    const char *type = json_string_value(json_object_get(geometry, "type"));
    json_t *positions = json_object_get(geometry, "coordinates");
    if (!type || strcmp(type, "LineString") != 0 || json_array_size(positions) < 2)
        return NULL;
    for (size_t k = 0; k < json_array_size(positions); k++)
        if (!is_position(json_array_get(positions, k)))
            return NULL;
    return id_of(feature, id) ? positions : NULL;
}
