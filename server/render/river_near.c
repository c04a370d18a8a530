/*
 * The line nearest to a place.
 */
#include "river_near.h"

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

/* How far, squared, the origin is from the line between two points. */
static double off_part(const double a[2], const double b[2])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy,
                 along = length > 0 ? -(a[0] * dx + a[1] * dy) / length : 0, at = fmin(fmax(along, 0), 1),
                 x = a[0] + at * dx, y = a[1] + at * dy;
    return x * x + y * y;
}

/* How far, squared, a place is from the nearest point of a line. */
static double off_line(json_t *points, double x_m, double y_m)
{
    double best = INFINITY, last[2] = {0};
    json_t *point;
    size_t k;
    json_array_foreach(points, k, point)
    {
        const double here[2] = {json_number_value(json_array_get(point, 0)) - x_m,
                                json_number_value(json_array_get(point, 1)) - y_m};
        if (k > 0)
            best = fmin(best, off_part(last, here));
        memcpy(last, here, sizeof last);
    }
    return best;
}

int river_near(const unsigned char *text, size_t bytes, double x_m, double y_m, double near_m,
               struct river_name *river)
{
    json_t *tile = json_loadb((const char *)text, bytes, 0, NULL), *feature, *nearest = NULL;
    double best = near_m * near_m;
    size_t k;
    if (!tile)
        return -1;
    json_array_foreach(json_object_get(tile, "features"), k, feature)
    {
        const double off =
            off_line(json_object_get(json_object_get(feature, "geometry"), "coordinates"), x_m, y_m);
        if (off > best)
            continue;
        best = off;
        nearest = json_object_get(feature, "properties");
    }
    if (!copy_text(nearest, "name", river->name, sizeof river->name) ||
        !copy_text(nearest, "river", river->id, sizeof river->id))
        *river = (struct river_name){0};
    json_decref(tile);
    return 0;
}
