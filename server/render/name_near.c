/*
 * The river or lake nearest to a place.
 */
#include "name_near.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../base/json_text.h"

static bool copy_text(json_t *object, const char *name, char *to, size_t room)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text && (size_t)snprintf(to, room, "%s", text) < room;
}

/* A place, and how far, squared, what is looked at is from it. */
struct place {
    double x_m, y_m, off;
};

/* Moves a position of GeoJSON so that the place is the origin. */
static void read_position(const json_t *position, const struct place *place, double at[2])
{
    at[0] = json_number_value(json_array_get(position, 0)) - place->x_m;
    at[1] = json_number_value(json_array_get(position, 1)) - place->y_m;
}

/* How far, squared, the origin is from the line between two points. */
static double off_part(const double a[2], const double b[2])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy,
                 along = length > 0 ? -(a[0] * dx + a[1] * dy) / length : 0, at = fmin(fmax(along, 0), 1),
                 x = a[0] + at * dx, y = a[1] + at * dy;
    return x * x + y * y;
}

/* Lays a line beside the place. Returns how often it crosses the ray from there to the east. */
static int pass_line(json_t *points, struct place *place)
{
    double here[2], last[2] = {0};
    int crossings = 0;
    json_t *point;
    size_t k;
    json_array_foreach(points, k, point)
    {
        read_position(point, place, here);
        if (k > 0) {
            place->off = fmin(place->off, off_part(last, here));
            crossings += (last[1] > 0) != (here[1] > 0) &&
                         last[0] - last[1] * (here[0] - last[0]) / (here[1] - last[1]) > 0;
        }
        memcpy(last, here, sizeof last);
    }
    return crossings;
}

/* How far, squared, a place is from a feature's line or area; 0 within that. */
static double off_feature(json_t *feature, double x_m, double y_m)
{
    json_t *geometry = json_object_get(feature, "geometry"),
           *lines = json_object_get(geometry, "coordinates"), *ring;
    struct place place = {x_m, y_m, INFINITY};
    const char *type = json_string_value(json_object_get(geometry, "type"));
    int crossings = 0;
    size_t k;
    if (!type || strcmp(type, "Polygon") != 0) {
        pass_line(lines, &place);
        return place.off;
    }
    json_array_foreach(lines, k, ring) crossings += pass_line(ring, &place);
    return crossings % 2 != 0 ? 0 : place.off;
}

static const char *property(json_t *feature, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(feature, "properties"), name));
    return text ? text : "";
}

/* The feature nearest to a place, and within near_m of it; a property of it, if named, is that. NULL: there is none. */
static json_t *nearest_of(json_t *tile, const char *name, const char *value, double x_m, double y_m,
                          double near_m)
{
    json_t *feature, *nearest = NULL;
    double best = near_m * near_m;
    size_t k;
    json_array_foreach(json_object_get(tile, "features"), k, feature)
    {
        if (name && strcmp(property(feature, name), value) != 0)
            continue;
        const double off = off_feature(feature, x_m, y_m);
        if (off > best)
            continue;
        best = off;
        nearest = feature;
    }
    return nearest;
}

/* Reads what a tile of lines or areas calls the nearest of them. */
static int name_near(const unsigned char *text, size_t bytes, const char *class, const char *member,
                     double x_m, double y_m, double near_m, struct near_name *name)
{
    json_t *tile = json_loadb((const char *)text, bytes, 0, NULL);
    if (!tile)
        return -1;
    json_t *told =
        json_object_get(nearest_of(tile, class ? "class" : NULL, class, x_m, y_m, near_m), "properties");
    if (!copy_text(told, member, name->id, sizeof name->id) ||
        !copy_text(told, "name", name->name, sizeof name->name))
        *name = (struct near_name){0};
    json_decref(tile);
    return 0;
}

int river_near(const unsigned char *text, size_t bytes, double x_m, double y_m, double near_m,
               struct near_name *river)
{
    return name_near(text, bytes, NULL, "river", x_m, y_m, near_m, river);
}

int lake_near(const unsigned char *text, size_t bytes, double x_m, double y_m, double near_m,
              struct near_name *lake)
{
    return name_near(text, bytes, "lake", "lake", x_m, y_m, near_m, lake);
}
