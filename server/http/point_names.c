/*
 * Its river or lake is that of the line or area which the tile of its level has there. Peaks and ranges are those that the json of the place's
 * tile lists: it is made once for all places in it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "../render/tile_piece.h"
#include "point_names.h"

enum {
    NEAR = 2,       /* samples: a place this near to a river's line, or a lake's shore, is on it */
    RANGE_NEAR = 64 /* samples that a range's middle is off at most */
};

static bool is_lake(const struct terrane_world *world, const struct point *point)
{
    return point->water_m > 0 && point->height_m + point->water_m > (double)world->recipe->sea_m;
}

/* Whether a tile of lines or areas names its water. */
static bool has_water(const struct terrane_world *world, const struct point *point, int level)
{
    const int top = world->recipe->rivers.top;
    return top > 0 && (point->discharge_m3s > 0 || (is_lake(world, point) && level <= top));
}

bool point_names_ask(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level)
{
    if (point->outside || names->listed)
        return false;
    if (!names->asked && has_water(world, point, level))
        return names->asked = true;
    return names->listed = point->height_m > (double)world->recipe->sea_m && !(point->water_m > 0);
}

void point_names_key(const struct point_names *names, const struct terrane_world *world,
                     const struct point *point, struct tile_key *key)
{
    key->layer = names->listed ? LAYER_HEIGHT : point->discharge_m3s > 0 ? LAYER_RIVER : LAYER_WATER;
    key->format = names->listed ? FORMAT_JSON : FORMAT_GEOJSON;
    tile_key_vary(key, world->recipe); /* there are none of base ground */
    CHECK(tile_key_finish(key) == TILE_FINE);
}

/* The one of a kind in a tile's list that is nearest to the place, within near_m along each axis. */
static void find_nearest(const json_t *list, const char *kind, const struct point *point, double near_m,
                         struct near_name *found)
{
    double least = INFINITY;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *each = json_array_get(list, k);
        const char *of = json_string_value(json_object_get(each, "kind")),
                   *id = json_string_value(json_object_get(each, "id")),
                   *name = json_string_value(json_object_get(each, "name"));
        const double x = json_number_value(json_object_get(each, "x")) - point->x_m,
                     y = json_number_value(json_object_get(each, "y")) - point->y_m;
        if (!of || !id || !name || strcmp(of, kind) != 0 || fabs(x) > near_m || fabs(y) > near_m ||
            x * x + y * y >= least)
            continue;
        least = x * x + y * y;
        snprintf(found->id, sizeof found->id, "%s", id);
        snprintf(found->name, sizeof found->name, "%s", name);
    }
}

static int read_list(struct point_names *names, const struct point *point, double step_m,
                     const unsigned char *text, size_t bytes)
{
    json_t *tile = json_loadb((const char *)text, bytes, 0, NULL);
    const json_t *list = json_object_get(tile, "names");
    find_nearest(list, "peak", point, PIECE_PEAK_NEAR * step_m, &names->peak);
    find_nearest(list, "range", point, RANGE_NEAR * step_m, &names->range);
    json_decref(tile);
    return tile ? 0 : -1;
}

int point_names_read(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level, const unsigned char *text, size_t bytes)
{
    const double step_m = terrane_lattice_m(world, level, 1);
    if (names->listed)
        return read_list(names, point, step_m, text, bytes);
    return point->discharge_m3s > 0
               ? river_near(text, bytes, point->x_m, point->y_m, NEAR * step_m, &names->river)
               : lake_near(text, bytes, point->x_m, point->y_m, NEAR * step_m, &names->lake);
}

void point_names_tell(const struct point_names *names, json_t **object)
{
    const struct {
        const char *member;
        const struct near_name *name;
    } told[] = {
        {"river", &names->river}, {"lake", &names->lake}, {"peak", &names->peak}, {"range", &names->range}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        if (*told[k].name->id)
            json_put(object, told[k].member,
                     json_pack("{s:s, s:s}", "id", told[k].name->id, "name", told[k].name->name));
}
