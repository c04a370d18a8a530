/*
 * Lines of rivers as GeoJSON, as geojson.c writes those of paths.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../base/json_text.h"
#include "geojson.h"

static double difference(int64_t from, int64_t to)
{
    return (double)(int64_t)((uint64_t)to - (uint64_t)from);
}

double geojson_whole(int64_t number, int64_t sample, int level)
{
    const int64_t step = INT64_C(16) << level;
    return (double)sample * (double)step + difference((int64_t)((uint64_t)sample * (uint64_t)step), number);
}

/* The horizontal length, from point to point. */
static double length_of(const struct terrane_world *world, const struct terrane_river_point *a,
                        const struct terrane_river_point *b)
{
    const double spacing_m = world->recipe->spacing_m * GEOJSON_STEP;
    const double x = difference(a->x, b->x) * spacing_m, y = difference(a->y, b->y) * spacing_m;
    return sqrt(x * x + y * y);
}

static json_t *coordinates_of(const struct terrane_world *world, const struct terrane_window *window,
                              const struct terrane_river *river, double unit_m)
{
    const double spacing_m = world->recipe->spacing_m * GEOJSON_STEP;
    json_t *array = json_array();
    for (int i = 0; array && i < river->points; i++) {
        const struct terrane_river_point *point = &river->point[i];
        json_t *place = json_pack("[f, f, f]", geojson_whole(point->x, window->gi, window->level) * spacing_m,
                                  geojson_whole(point->y, window->gj, window->level) * spacing_m,
                                  (double)point->z * unit_m);
        json_append(&array, place);
    }
    return array;
}

static json_t *feature_of(const struct terrane_world *world, const struct terrane_window *window,
                          const struct terrane_river *river, double unit_m)
{
    const struct terrane_river_point *first = river->point, *last = river->point + river->points - 1;
    char id[GEOJSON_ID_BYTES], to[GEOJSON_ID_BYTES], stem[GEOJSON_ID_BYTES], name[TERRANE_NAME_BYTES];
    double length_m = 0;
    for (const struct terrane_river_point *point = first; point < last; point++)
        length_m += length_of(world, point, point + 1);
    snprintf(id, sizeof id, "%016" PRIx64, river->id);
    snprintf(to, sizeof to, "%016" PRIx64, river->to);
    if (river->named)
        snprintf(stem, sizeof stem, "%016" PRIx64, terrane_stem_name(world, &river->stem, name));
    return json_pack("{s:s, s:s, s:{s:s, s:o}, s:{s:s*, s:s*, s:s, s:i, s:f, s:f, s:f, s:f}}", "type",
                     "Feature", "id", id, "geometry", "type", "LineString", "coordinates",
                     coordinates_of(world, window, river, unit_m), "properties", "name",
                     river->named ? name : NULL, "river", river->named ? stem : NULL, "to",
                     river->end == TERRANE_RIVER_JOINS ? to : river_end_name[river->end], "order",
                     river->order, "discharge_m3s", river->discharge_m3s, "width_m", (double)river->width_m,
                     "length_m", length_m, "fall_m", (double)(first->z - last->z) * unit_m);
}

const char *const river_end_name[] = {[TERRANE_RIVER_SEA] = "sea", [TERRANE_RIVER_LAKE] = "lake"};

int encode_geojson_rivers(const struct terrane_world *world, const struct terrane_window *window,
                          const struct terrane_river *river, int rivers, unsigned char **data, size_t *bytes)
{
    const double unit_m = terrane_units(world->recipe).erosion_m;
    json_t *features = json_array();
    for (int i = 0; features && i < rivers; i++)
        json_append(&features, feature_of(world, window, &river[i], unit_m));
    return geojson_collection(features, data, bytes);
}
