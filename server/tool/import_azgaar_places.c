/*
 * Names of an export as GeoJSON: burgs, states where their names stand, and rivers along their cells.
 */
#include <math.h>
#include <stdlib.h>

#include "../base/json_text.h"
#include "import_azgaar.h"

struct places {
    const struct azgaar *map;
    double middle[2]; /* pixels */
    const json_t *pack;
    json_t *features;
    bool failed;
};

/* [x, y] in metres; NULL: it is none on the map. Owned. */
static json_t *position(const struct places *places, const json_t *x, const json_t *y)
{
    double at[2];
    if (!azgaar_number(x, at) || !azgaar_number(y, at + 1) || at[0] < 0 || at[0] > places->map->width ||
        at[1] < 0 || at[1] > places->map->height)
        return NULL;
    for (int axis = 0; axis < 2; axis++)
        at[axis] = round((at[axis] - places->middle[axis]) * places->map->metres_px * 16) / 16;
    return json_pack("[f, f]", at[0], at[1]);
}

/* Takes coordinates, and properties; either NULL: there is none, or memory is short, which decides. */
static void add(struct places *places, const char *type, json_t *coordinates, json_t *properties)
{
    json_t *const feature = json_pack("{s:s, s:{s:s, s:o}, s:o}", "type", "Feature", "geometry", "type", type,
                                      "coordinates", coordinates, "properties", properties);
    if (!feature || json_array_append_new(places->features, feature) != 0)
        places->failed = true;
}

static bool is_named(const json_t *of)
{
    return json_string_length(json_object_get(of, "name")) > 0 &&
           !json_is_true(json_object_get(of, "removed"));
}

static const json_t *name_of_state(const struct places *places, const json_t *id)
{
    const json_t *const state =
        json_integer_value(id) > 0
            ? json_array_get(json_object_get(places->pack, "states"), (size_t)json_integer_value(id))
            : NULL;
    return is_named(state) ? json_object_get(state, "name") : NULL;
}

static bool is_set(const json_t *flag)
{
    return json_is_true(flag) || json_number_value(flag) > 0;
}

/* Of thousands, as the generator counts. */
static double people(const struct places *places, const json_t *burg)
{
    const json_t *const settings = json_object_get(places->map->root, "settings");
    double number = 0, rate = 1000, urbanization = 1;
    azgaar_number(json_object_get(burg, "population"), &number);
    azgaar_number(json_object_get(settings, "populationRate"), &rate);
    azgaar_number(json_object_get(settings, "urbanization"), &urbanization);
    return fmin(fmax(round(number * rate * urbanization), 0), 1e15);
}

static void add_burg(struct places *places, const json_t *burg)
{
    json_t *const at =
        is_named(burg) ? position(places, json_object_get(burg, "x"), json_object_get(burg, "y")) : NULL;
    if (at)
        add(places, "Point", at,
            json_pack("{s:s, s:O, s:O*, s:I, s:b, s:b}", "kind", "burg", "name",
                      json_object_get(burg, "name"), "state",
                      name_of_state(places, json_object_get(burg, "state")), "population",
                      (json_int_t)people(places, burg), "capital", is_set(json_object_get(burg, "capital")),
                      "port", is_set(json_object_get(burg, "port"))));
}

static void add_state(struct places *places, const json_t *state)
{
    const json_t *const pole = json_object_get(state, "pole"), *const full =
                                                                   json_object_get(state, "fullName");
    json_t *const at = is_named(state) && json_integer_value(json_object_get(state, "i")) > 0
                           ? position(places, json_array_get(pole, 0), json_array_get(pole, 1))
                           : NULL;
    if (at)
        add(places, "Point", at,
            json_pack("{s:s, s:O, s:O*}", "kind", "state", "name", json_object_get(state, "name"),
                      "full_name", json_is_string(full) ? full : NULL));
}

static void add_river(struct places *places, const json_t *river)
{
    const json_t *const cells = json_object_get(places->pack, "cells"),
                        *const type = json_object_get(river, "type"), *id;
    json_t *const line = is_named(river) ? json_array() : NULL;
    size_t k;
    json_array_foreach(json_object_get(river, "cells"), k, id)
    {
        const json_t *const p =
            json_integer_value(id) >= 0
                ? json_object_get(json_array_get(cells, (size_t)json_integer_value(id)), "p")
                : NULL; /* it leaves the map */
        json_t *const at = position(places, json_array_get(p, 0), json_array_get(p, 1));
        if (line && at)
            json_array_append(line, at);
        json_decref(at);
    }
    if (json_array_size(line) > 1)
        add(places, "LineString", json_incref(line),
            json_pack("{s:s, s:O, s:O*}", "kind", "river", "name", json_object_get(river, "name"), "type",
                      json_is_string(type) ? type : NULL));
    json_decref(line);
}

char *azgaar_places(const struct azgaar *map, double middle_x_px, double middle_y_px, size_t *bytes,
                    size_t *count)
{
    static const struct {
        const char *key;
        void (*add)(struct places *places, const json_t *one);
    } kinds[] = {{"burgs", add_burg}, {"states", add_state}, {"rivers", add_river}};
    struct places places = {.map = map,
                            .middle = {middle_x_px, middle_y_px},
                            .pack = json_object_get(map->root, "pack"),
                            .features = json_array()};
    const json_t *one;
    size_t k;
    for (size_t kind = 0; places.features && kind < sizeof kinds / sizeof *kinds; kind++)
        json_array_foreach(json_object_get(places.pack, kinds[kind].key), k, one) kinds[kind].add(&places,
                                                                                                  one);
    *count = json_array_size(places.features);
    if (places.failed || !places.features) {
        json_decref(places.features);
        return NULL;
    }
    return json_text(json_pack("{s:s, s:s, s:o}", "type", "FeatureCollection", "axes", "east,south metres",
                               "features", places.features),
                     JSON_COMPACT | JSON_REAL_PRECISION(17), bytes);
}
