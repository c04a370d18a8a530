/*
 * The recipe of a map: climate, zones, rivers, erosion, cover and objects are those of the recipe that ships as the default, whose
 * ground the map takes the place of. Below the map's samples noise goes on, less of it near the sea; beyond its edges is a sea.
 */
#include "import_recipe.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "../recipe/worlds.h"

/* What is asked for by the parts that are copied, and is no ground. */
static const char *const kept_terms[] = {"damp", "groves", "warm", "rock", "soil"};
static const char *const kept_parts[] = {"climate", "partition", "erosion", "rivers",
                                         "cover",   "objects",   "zones",   "relief"};

static const char ground_terms[] =
    "{\"swells\": {\"fractal\": \"fbm\", \"octaves\": 4, \"cell_m\": 65536, \"amplitude_m\": 100},"
    " \"floor\": {\"note\": \"the sea around it\", \"sum\": [\"swells\"]},"
    " \"map\": {},"
    " \"shore\": {\"note\": \"small forms end before the sea\", \"curve\": \"map\", \"knots\": [[-20, 0.1], "
    "[0, 0.15], [60, 1]]},"
    " \"grain\": {\"note\": \"what the map is too coarse for\", \"fractal\": \"fbm\", \"octaves\": 6, "
    "\"gain\": 0.5},"
    " \"detail\": {\"product\": [\"shore\", {\"sum\": [\"grain\", \"rock\", \"soil\"]}]},"
    " \"high\": {\"sum\": [\"map\"]},"
    " \"dry-land\": {\"curve\": \"map\", \"knots\": [[-4, 0], [4, 1]]},"
    " \"base\": {\"note\": \"before water moves it\", \"sum\": [\"map\", \"detail\"]}}";

/* The default recipe's text. */
static json_t *shipped(void)
{
    for (size_t k = 0; book_builtin_name(k); k++)
        if (strcmp(book_builtin_name(k), RECIPE_SHIPPED_DEFAULT) == 0) {
            size_t bytes;
            const char *text = book_builtin_text(k, &bytes);
            return json_loadb(text, bytes, 0, NULL);
        }
    return NULL;
}

static bool put_number(json_t *object, const char *key, double number)
{
    return json_object_set_new(object, key, json_real(number)) == 0;
}

/* What of the map's own the terms say. */
static bool put_map(json_t *terms, const struct import_map *map, double floor_m)
{
    json_t *raster = json_object_get(terms, "map"), *grain = json_object_get(terms, "grain");
    const double cell_m = exp2(fmin(fmax(ceil(log2(map->step_m)) + 1, 7), 12));
    return json_object_set_new(raster, "raster", json_string(map->file)) == 0 &&
           put_number(raster, "spacing_m", map->step_m) && put_number(raster, "times", map->times) &&
           put_number(raster, "offset_m", map->offset_m) && put_number(raster, "fade_m", map->across_m / 8) &&
           json_object_set_new(raster, "beyond", json_string("floor")) == 0 &&
           put_number(json_object_get(terms, "floor"), "offset_m", floor_m) &&
           put_number(grain, "cell_m", cell_m) &&
           put_number(grain, "amplitude_m", fmin(map->step_m * 0.06, 30));
}

static bool put_terms(json_t *recipe, json_t *from, const struct import_map *map, double floor_m)
{
    json_t *terms = json_loads(ground_terms, 0, NULL);
    json_t *const its = json_object_get(from, "terms");
    bool fits = terms && put_map(terms, map, floor_m);
    for (size_t k = 0; fits && k < sizeof kept_terms / sizeof *kept_terms; k++)
        fits = json_object_set(terms, kept_terms[k], json_object_get(its, kept_terms[k])) == 0;
    fits = fits && json_object_set(recipe, "terms", terms) == 0;
    json_decref(terms);
    return fits;
}

static bool put_all(json_t *recipe, json_t *from, const struct import_map *map)
{
    const double floor_m = fmax(fmin(map->low_m, -300), -12000);
    const double low_m = fmax(floor(fmin(map->low_m, floor_m) - 500), -32768),
                 high_m = fmin(ceil(map->high_m + 500), 32768);
    bool fits = json_object_set_new(recipe, "description", json_string(map->description)) == 0 &&
                json_object_set_new(recipe, "range_m", json_pack("[f, f]", low_m, high_m)) == 0 &&
                put_terms(recipe, from, map, floor_m) &&
                json_object_set(recipe, "height", json_object_get(from, "height")) == 0;
    for (size_t k = 0; fits && k < sizeof kept_parts / sizeof *kept_parts; k++)
        fits = json_object_set(recipe, kept_parts[k], json_object_get(from, kept_parts[k])) == 0;
    json_t *climate = json_object_get(recipe, "climate");
    return fits && json_object_set_new(climate, "ground", json_string("map")) == 0;
}

char *import_recipe(const struct import_map *map)
{
    json_t *from = shipped(), *recipe = json_object();
    char *text = NULL;
    if (from && recipe && put_all(recipe, from, map))
        text = json_dumps(recipe, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(from);
    json_decref(recipe);
    return text;
}
