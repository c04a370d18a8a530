/*
 * Tiles as JSON, and what descriptions of worlds share with that. Seeds are strings: JavaScript's numbers end at 2^53. Numbers have
 * 17 digits, so parsing gives the exact value.
 */
#include "describe_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/json_text.h"
#include "../base/text.h"
#include "encode.h"

const char *encode_text_version(void)
{
    return jansson_version_str();
}

int describe_finish(json_t *value, unsigned char **data, size_t *bytes)
{
    *data = (unsigned char *)json_text(value, JSON_INDENT(2), bytes);
    return *data ? 0 : -1;
}

static json_t *triple(const double v[3])
{
    return json_pack("[f, f, f]", v[0], v[1], v[2]);
}

json_t *describe_name(const struct tile_key *key)
{
    char text[TILE_SEED_BYTES];
    return json_string(tile_world_name(key, text));
}

static void write_colour(const uint8_t rgb[3], char text[8])
{
    snprintf(text, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

json_t *describe_zones(const struct terrane_world *world, const double *share)
{
    json_t *zones = json_array();
    for (int z = 0; zones && z < world->recipe->partition.zones; z++) {
        const struct terrane_zone *zone = &world->recipe->partition.zone[z];
        char colour[8];
        write_colour(zone->colour, colour);
        json_t *object = json_pack("{s:i, s:s, s:s}", "index", z, "name", zone->name, "colour", colour);
        if (share)
            json_put(&object, "fraction", json_real(share[z]));
        json_append(&zones, object);
    }
    return zones;
}

json_t *describe_materials(const struct terrane_recipe *recipe)
{
    json_t *materials = json_array();
    for (int m = 0; materials && m < recipe->cover.materials; m++) {
        const struct terrane_material *material = &recipe->cover.material[m];
        char colour[8];
        write_colour(material->colour, colour);
        json_append(&materials,
                    json_pack("{s:i, s:s, s:s}", "index", m, "name", material->name, "colour", colour));
    }
    return materials;
}

json_t *describe_classes(const struct terrane_recipe *recipe)
{
    json_t *classes = json_array();
    for (int c = 0; classes && c < recipe->objects.classes; c++) {
        const struct terrane_class *class = &recipe->objects.of[c];
        json_append(&classes,
                    json_pack("{s:i, s:s, s:s, s:f, s:f, s:i}", "index", c, "name", class->name, "model",
                              terrane_model_name[class->model], "radius_m", (double)class->radius_m, "slope",
                              (double)class->slope, "level", class->level));
    }
    return classes;
}

enum { QUERY_BYTES = 160 }; /* the longest recipe's name and the longest layer's fit twice */

/* The query for the same layer, variant and recipe: empty for the defaults. */
static void query_of(const struct tile_key *key, const struct terrane_world *world, const char *recipe,
                     char query[QUERY_BYTES])
{
    const bool varies = key->variant != tile_variant_default(world->recipe);
    char generator[12];
    snprintf(generator, sizeof generator, "%d", key->generator);
    const struct {
        const char *name, *value;
    } parameter[] = {{"layer", key->layer != LAYER_HEIGHT ? tile_layer_name[key->layer] : NULL},
                     {"variant", varies ? tile_variant_name[key->variant] : NULL},
                     {"recipe", recipe},
                     {"v", key->generator ? generator : NULL}};
    size_t n = 0;
    query[0] = 0;
    for (size_t i = 0; i < sizeof parameter / sizeof *parameter && n < QUERY_BYTES; i++)
        if (parameter[i].value)
            n += (size_t)snprintf(query + n, QUERY_BYTES - n, "%c%s=%s", n ? '&' : '?', parameter[i].name,
                                  parameter[i].value);
}

static json_t *link_to(const struct tile_key *key, const char *query, int level, int64_t x, int64_t y,
                       const char *ext)
{
    char seed[TILE_SEED_BYTES];
    return json_sprintf("/tile/%s/%d/%" PRId64 "/%" PRId64 ".%s%s", tile_world_name(key, seed), level, x, y,
                        ext, query);
}

/* Links to the tile in other formats, and to existing tiles around it. */
static json_t *links_of(const struct tile_key *key, const struct terrane_world *world, const char *recipe)
{
    static const struct {
        const char *name;
        int dx, dy;
    } around[] = {{"north", 0, -1}, {"east", 1, 0}, {"south", 0, 1}, {"west", -1, 0}};
    char query[QUERY_BYTES], seed[TILE_SEED_BYTES];
    query_of(key, world, recipe, query);
    json_t *links = json_object();
    for (int f = 0; links && f < FORMATS; f++) {
        if (tile_ending_name[f] && tile_layer_has(key->layer, (enum tile_format)f))
            json_put(&links, tile_format_name[f],
                     link_to(key, query, key->level, key->x, key->y, tile_format_name[f]));
    }
    for (size_t i = 0; links && i < sizeof around / sizeof *around; i++) {
        const int64_t x = key->x + around[i].dx, y = key->y + around[i].dy;
        if (x >= -TERRANE_TILE_LIMIT && x < TERRANE_TILE_LIMIT && y >= -TERRANE_TILE_LIMIT &&
            y < TERRANE_TILE_LIMIT)
            json_put(&links, around[i].name, link_to(key, query, key->level, x, y, "json"));
    }
    if (key->level < TERRANE_LEVEL_MAX)
        json_put(&links, "parent", link_to(key, query, key->level + 1, key->x >> 1, key->y >> 1, "json"));
    json_put(&links, "world",
             json_sprintf("/world/%s%s", tile_world_name(key, seed), tile_world_query(key, '?', query)));
    return links;
}

double describe_error_m(const struct terrane_recipe *recipe, int level, enum tile_variant variant)
{
    struct terrane_ground_errors errors;
    terrane_ground_errors(recipe, level, &errors);
    return errors.variant_m[variant];
}

/* Vertices of a tile's mesh for each mesh size. */
static json_t *vertices(void)
{
    json_t *object = json_object();
    for (int cells = 2; object && cells <= TERRANE_TILE_SAMPLES; cells *= 2) {
        char name[16];
        snprintf(name, sizeof name, "%d", cells + 1);
        json_put(&object, name, json_integer((cells + 1) * (cells + 1)));
    }
    return object;
}

/* ---- Paths and caves ----------------------------------------------------------------------------------- */

static json_t *lines_of(const struct terrane_world *world, const struct tile_facts *facts)
{
    json_t *array = json_array();
    for (int i = 0; array && i < facts->lines; i++) {
        char id[GEOJSON_ID_BYTES];
        json_t *line = path_line_facts(world, &facts->line[i]);
        path_line_id(&facts->line[i], id);
        json_put(&line, "id", json_string(id));
        json_append(&array, line);
    }
    return array;
}

/* Places are metres to the east, to the south, and up. */
static json_t *caves_of(const struct terrane_world *world, const struct tile_facts *facts)
{
    const int level = world->recipe->caves.level;
    json_t *array = json_array();
    for (int i = 0; array && i < facts->caves; i++) {
        const struct terrane_cave *cave = &facts->cave[i];
        char id[20];
        snprintf(id, sizeof id, "%016" PRIx64, terrane_cave_id(world, cave));
        json_append(&array, json_pack("{s:s, s:[f, f], s:[f, f, f], s:f, s:f, s:i}", "id", id, "top",
                                      terrane_lattice_m(world, level, cave->gi),
                                      terrane_lattice_m(world, level, cave->gj), "entrance",
                                      terrane_lattice_m(world, level, cave->entrance_gi),
                                      terrane_lattice_m(world, level, cave->entrance_gj),
                                      (double)cave->entrance_m, "floor_m", (double)cave->floor_m, "ceiling_m",
                                      (double)cave->ceiling_m, "samples", (int)cave->samples));
    }
    return array;
}

/* Adds nothing for recipes without paths and caves. Takes the whole, and may leave NULL. */
static void add_hollows(json_t **whole, const struct terrane_world *world, const struct tile_facts *facts)
{
    const struct terrane_recipe *recipe = world->recipe;
    if (recipe->paths.width_m > 0)
        json_put(whole, "carved", json_boolean(facts->carved));
    if (recipe->paths.width_m > 0)
        json_put(whole, "paths", lines_of(world, facts));
    if (recipe->caves.share > 0)
        json_put(whole, "caves", caves_of(world, facts));
}

/* Describes classes, and the places of those in a tile: one array each, so that thousands stay small. */
static json_t *objects_of(const struct terrane_world *world, const struct tile_facts *facts)
{
    json_t *places = json_array();
    for (size_t i = 0; places && i < facts->objects; i++) {
        const struct terrane_object *object = &facts->object[i];
        json_append(&places, json_pack("[i, f, f, f, f, f, i]", object->of,
                                       terrane_lattice_m(world, TERRANE_OBJECTS_LATTICE, object->x),
                                       terrane_lattice_m(world, TERRANE_OBJECTS_LATTICE, object->y),
                                       (double)object->z, object->turn * 360.0 / 256,
                                       (double)object->scale / TERRANE_OBJECTS_SCALE, object->variant));
    }
    return json_pack("{s:o, s:[s, s, s, s, s, s, s], s:o}", "classes", describe_classes(world->recipe),
                     "members", "class", "x_m", "y_m", "z_m", "turn_deg", "scale", "variant", "places",
                     places);
}

static json_t *spread_object(const struct layer_value *value, float none, const struct spread *spread)
{
    const bool any = spread->count > 0;
    return json_pack("{s:s, s:s, s:o*, s:I, s:o, s:o, s:o}", "name", value->name, "unit", value->unit,
                     "nodata", none != 0 ? json_real((double)none) : NULL, "count", (json_int_t)spread->count,
                     "min", any ? json_real((double)spread->min) : json_null(), "max",
                     any ? json_real((double)spread->max) : json_null(), "mean",
                     any ? json_real(spread->mean) : json_null());
}

static json_t *values_of(const struct tile_key *key, const struct terrane_recipe *recipe,
                         const struct tile_facts *facts)
{
    json_t *array = json_array();
    for (int i = 0; array && i < facts->spreads; i++) {
        const int values = layer_row[key->layer].values;
        const struct layer_value weight = {values == VALUES_OF_ZONES     ? recipe->partition.zone[i].name
                                           : recipe->cover.materials > 0 ? recipe->cover.material[i].name
                                                                         : "ground",
                                           "1"};
        json_append(&array, spread_object(values < 0 ? &weight : &layer_row[key->layer].value[i],
                                          layer_row[key->layer].none, &facts->spread[i]));
    }
    return array;
}

int describe_tile(const struct tile_key *key, const struct terrane_world *world,
                  const struct tile_facts *facts, unsigned char **data, size_t *bytes)
{
    const struct terrane_window *w = &facts->window;
    const struct terrane_measure *m = &facts->measure;
    const double spacing = terrane_lattice_m(world, w->level, w->step);
    char digest[2 * sizeof world->digest.byte + 1];
    text_hex(digest, world->digest.byte, sizeof world->digest.byte);
    json_t *value = json_pack(
        "{s:o, s:s, s:i, s:i, s:I, s:I, s:s, s:s, s:b,"
        " s:{s:i, s:i, s:f, s:[I, I], s:i},"
        " s:{s:f, s:f, s:f, s:f},"
        " s:o, s:s, s:f, s:f, s:f, s:o, s:{s:o, s:o}, s:{s:o, s:f},"
        " s:f, s:{s:f, s:f}, s:o, s:o, s:o}",
        tile_world_member(key), describe_name(key), "world", digest, "generator", world->recipe->generator,
        "lod", key->level, "x", (json_int_t)key->x, "y", (json_int_t)key->y, "layer",
        tile_layer_name[key->layer], "variant", tile_variant_name[key->variant], "eroded", facts->eroded,
        "samples", "width", w->width, "height", w->height, "spacing_m", spacing, "origin", (json_int_t)w->gi,
        (json_int_t)w->gj, "lod", w->level, "bounds_m", "west", m->box_low_m[0], "north", m->box_low_m[1],
        "east", m->box_high_m[0], "south", m->box_high_m[1], "values", values_of(key, world->recipe, facts),
        "measured", key->layer == LAYER_SURFACE ? "surface" : "ground", "min_m", (double)m->min_m, "max_m",
        (double)m->max_m, "mean_m", m->mean_m, "centroid_m", triple(m->centroid_m), "box_m", "low",
        triple(m->box_low_m), "high", triple(m->box_high_m), "sphere_m", "centre", triple(m->sphere_centre_m),
        "radius", m->sphere_radius_m, "geometric_error_m",
        describe_error_m(world->recipe, w->level, key->variant), "water", "sea", facts->sea_share, "lakes",
        facts->lake_share, "zones", describe_zones(world, facts->zone_share), "vertices", vertices(), "links",
        links_of(key, world, facts->recipe));
    if (world->recipe->rivers.top > 0)
        json_put_in(&value, "water", "rivers", json_real(facts->river_share));
    if (facts->spreads > 0) {
        text_hex(digest, facts->samples.byte, sizeof facts->samples.byte);
        json_put_in(&value, "samples", "digest", json_string(digest));
    }
    add_hollows(&value, world, facts);
    if (facts->names)
        json_put(&value, "names", facts->names);
    if (key->layer == LAYER_OBJECTS && world->recipe->objects.classes > 0)
        json_put(&value, "objects", objects_of(world, facts));
    return describe_finish(value, data, bytes);
}
