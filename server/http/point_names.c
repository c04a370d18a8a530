/*
 * A lake is named in tiles that show it well, of its own level or of one a little coarser: three are asked for, one after the other. Peaks and
 * ranges are those that the json of the place's tile lists: it is made once for all places in it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "../render/tile_piece.h"
#include "point_names.h"

enum {
    NEAR = 2, /* samples: a place this near to a river's line, or a lake's shore, is on it */
    LAKE_TILES = 3,
    LAKE_COARSER = 2, /* levels from one to the next */
    RANGE_NEAR = 64   /* samples that a range's middle is off at most */
};

static bool is_lake(const struct terrane_world *world, const struct point *point)
{
    return point->water_m > 0 && point->height_m + point->water_m > (double)world->recipe->sea_m;
}

/* Whether a tile of lines or areas may name its water: another one than so far. */
static bool asks_for_water(const struct point_names *names, const struct terrane_world *world,
                           const struct point *point, int level)
{
    const int top = world->recipe->rivers.top;
    if (top == 0 || *names->lake.id)
        return false;
    if (point->discharge_m3s > 0)
        return names->asked == 0;
    return is_lake(world, point) && names->asked < LAKE_TILES && level + names->asked * LAKE_COARSER <= top;
}

bool point_names_ask(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level)
{
    if (point->outside || names->listed)
        return false;
    if (asks_for_water(names, world, point, level)) {
        names->asked++;
        return true;
    }
    return names->listed = point->height_m > (double)world->recipe->sea_m && !(point->water_m > 0);
}

void point_names_key(const struct point_names *names, const struct terrane_world *world,
                     const struct point *point, struct tile_key *key)
{
    key->layer = names->listed ? LAYER_HEIGHT : LAYER_RIVER;
    key->format = names->listed ? FORMAT_JSON : FORMAT_GEOJSON;
    if (!names->listed && !(point->discharge_m3s > 0)) {
        const int coarser = (names->asked - 1) * LAKE_COARSER;
        key->layer = LAYER_WATER;
        key->level += coarser;
        key->x >>= coarser;
        key->y >>= coarser;
    }
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
    if (names->listed)
        return read_list(names, point, terrane_lattice_m(world, level, 1), text, bytes);
    if (point->discharge_m3s > 0)
        return river_near(text, bytes, point->x_m, point->y_m, NEAR * terrane_lattice_m(world, level, 1),
                          &names->river);
    level += (names->asked - 1) * LAKE_COARSER;
    return lake_near(text, bytes, point->x_m, point->y_m, NEAR * terrane_lattice_m(world, level, 1),
                     &names->lake);
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
