/*
 * Tiles and worlds as JSON. Seeds are strings: JavaScript's numbers end at 2^53. Numbers have 17 digits, so
 * parsing gives the exact value.
 */
#include "describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/terrane_edit.h"
#include "../base/json_text.h"
#include "encode.h"

void describe_digest(const struct terrane_digest *digest, char text[static DESCRIBE_DIGEST_BYTES])
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", digest->byte[i]);
}

const char *encode_text_version(void)
{
    return jansson_version_str();
}

static int finish(json_t *value, unsigned char **data, size_t *bytes)
{
    *data = (unsigned char *)json_text(value, JSON_INDENT(2), bytes);
    return *data ? 0 : -1;
}

/* Each inserts a value, taking it. If that fails, or the value is NULL, frees *whole and sets it to NULL. */
static void add_member(json_t **whole, const char *name, json_t *value)
{
    if (json_object_set_new(*whole, name, value) != 0) {
        json_decref(*whole);
        *whole = NULL;
    }
}

/* ... into an object that is a member. */
static void add_inner(json_t **whole, const char *object, const char *name, json_t *value)
{
    if (json_object_set_new(json_object_get(*whole, object), name, value) != 0) {
        json_decref(*whole);
        *whole = NULL;
    }
}

static void add_item(json_t **whole, json_t *value)
{
    if (json_array_append_new(*whole, value) != 0) {
        json_decref(*whole);
        *whole = NULL;
    }
}

static json_t *triple(const double v[3])
{
    return json_pack("[f, f, f]", v[0], v[1], v[2]);
}

static json_t *world_name(const struct tile_key *key)
{
    char text[TILE_SEED_BYTES];
    return json_string(tile_world_name(key, text));
}

static void write_colour(const uint8_t rgb[3], char text[8])
{
    snprintf(text, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static json_t *zones_of(const struct terrane_world *world, const double *share)
{
    json_t *zones = json_array();
    for (int z = 0; zones && z < world->recipe->partition.zones; z++) {
        const struct terrane_zone *zone = &world->recipe->partition.zone[z];
        char colour[8];
        write_colour(zone->colour, colour);
        json_t *object = json_pack("{s:i, s:s, s:s}", "index", z, "name", zone->name, "colour", colour);
        if (share)
            add_member(&object, "fraction", json_real(share[z]));
        add_item(&zones, object);
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
        add_item(&materials,
                 json_pack("{s:i, s:s, s:s}", "index", m, "name", material->name, "colour", colour));
    }
    return materials;
}

static json_t *classes_of(const struct terrane_recipe *recipe)
{
    json_t *classes = json_array();
    for (int c = 0; classes && c < recipe->objects.classes; c++) {
        const struct terrane_class *class = &recipe->objects.of[c];
        add_item(&classes,
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
            add_member(&links, tile_format_name[f],
                       link_to(key, query, key->level, key->x, key->y, tile_format_name[f]));
    }
    for (size_t i = 0; links && i < sizeof around / sizeof *around; i++) {
        const int64_t x = key->x + around[i].dx, y = key->y + around[i].dy;
        if (x >= -TERRANE_TILE_LIMIT && x < TERRANE_TILE_LIMIT && y >= -TERRANE_TILE_LIMIT &&
            y < TERRANE_TILE_LIMIT)
            add_member(&links, around[i].name, link_to(key, query, key->level, x, y, "json"));
    }
    if (links && key->level < TERRANE_LEVEL_MAX)
        add_member(&links, "parent", link_to(key, query, key->level + 1, key->x >> 1, key->y >> 1, "json"));
    if (links)
        add_member(
            &links, "world",
            json_sprintf("/world/%s%s", tile_world_name(key, seed), tile_world_query(key, '?', query)));
    return links;
}

static double error_of(const struct terrane_recipe *recipe, int level, enum tile_variant variant)
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
        add_member(&object, name, json_integer((cells + 1) * (cells + 1)));
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
        if (line)
            add_member(&line, "id", json_string(id));
        add_item(&array, line);
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
        add_item(&array, json_pack("{s:s, s:[f, f], s:[f, f, f], s:f, s:f, s:i}", "id", id, "top",
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
    if (*whole && recipe->paths.width_m > 0)
        add_member(whole, "carved", json_boolean(facts->carved));
    if (*whole && recipe->paths.width_m > 0)
        add_member(whole, "paths", lines_of(world, facts));
    if (*whole && recipe->caves.share > 0)
        add_member(whole, "caves", caves_of(world, facts));
}

/* Describes classes, and the places of those in a tile: one array each, so that thousands stay small. */
static json_t *objects_of(const struct terrane_world *world, const struct tile_facts *facts)
{
    json_t *places = json_array();
    for (size_t i = 0; places && i < facts->objects; i++) {
        const struct terrane_object *object = &facts->object[i];
        add_item(&places, json_pack("[i, f, f, f, f, f, i]", object->of,
                                    terrane_lattice_m(world, TERRANE_OBJECTS_LATTICE, object->x),
                                    terrane_lattice_m(world, TERRANE_OBJECTS_LATTICE, object->y),
                                    (double)object->z, object->turn * 360.0 / 256,
                                    (double)object->scale / TERRANE_OBJECTS_SCALE, object->variant));
    }
    return json_pack("{s:o, s:[s, s, s, s, s, s, s], s:o}", "classes", classes_of(world->recipe), "members",
                     "class", "x_m", "y_m", "z_m", "turn_deg", "scale", "variant", "places", places);
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
        add_item(&array, spread_object(values < 0 ? &weight : &layer_row[key->layer].value[i],
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
    char digest[DESCRIBE_DIGEST_BYTES];
    describe_digest(&world->digest, digest);
    json_t *value = json_pack(
        "{s:o, s:s, s:i, s:i, s:I, s:I, s:s, s:s, s:b,"
        " s:{s:i, s:i, s:f, s:[I, I], s:i},"
        " s:{s:f, s:f, s:f, s:f},"
        " s:o, s:s, s:f, s:f, s:f, s:o, s:{s:o, s:o}, s:{s:o, s:f},"
        " s:f, s:{s:f, s:f}, s:o, s:o, s:o}",
        tile_world_member(key), world_name(key), "world", digest, "generator", world->recipe->generator,
        "lod", key->level, "x", (json_int_t)key->x, "y", (json_int_t)key->y, "layer",
        tile_layer_name[key->layer], "variant", tile_variant_name[key->variant], "eroded", facts->eroded,
        "samples", "width", w->width, "height", w->height, "spacing_m", spacing, "origin", (json_int_t)w->gi,
        (json_int_t)w->gj, "lod", w->level, "bounds_m", "west", m->box_low_m[0], "north", m->box_low_m[1],
        "east", m->box_high_m[0], "south", m->box_high_m[1], "values", values_of(key, world->recipe, facts),
        "measured", key->layer == LAYER_SURFACE ? "surface" : "ground", "min_m", (double)m->min_m, "max_m",
        (double)m->max_m, "mean_m", m->mean_m, "centroid_m", triple(m->centroid_m), "box_m", "low",
        triple(m->box_low_m), "high", triple(m->box_high_m), "sphere_m", "centre", triple(m->sphere_centre_m),
        "radius", m->sphere_radius_m, "geometric_error_m", error_of(world->recipe, w->level, key->variant),
        "water", "sea", facts->sea_share, "lakes", facts->lake_share, "zones",
        zones_of(world, facts->zone_share), "vertices", vertices(), "links",
        links_of(key, world, facts->recipe));
    if (value && world->recipe->rivers.top > 0)
        add_inner(&value, "water", "rivers", json_real(facts->river_share));
    if (value && facts->spreads > 0) {
        describe_digest(&facts->samples, digest);
        add_inner(&value, "samples", "digest", json_string(digest));
    }
    add_hollows(&value, world, facts);
    if (facts->names)
        add_member(&value, "names", facts->names);
    if (value && key->layer == LAYER_OBJECTS && world->recipe->objects.classes > 0)
        add_member(&value, "objects", objects_of(world, facts));
    return finish(value, data, bytes);
}

static json_t *levels_of(const struct terrane_world *world)
{
    const enum tile_variant variant = tile_variant_default(world->recipe);
    json_t *levels = json_array();
    for (int level = 0; levels && level <= TERRANE_LEVEL_MAX; level++) {
        const double spacing = terrane_lattice_m(world, level, 1);
        add_item(&levels, json_pack("{s:i, s:f, s:f, s:f}", "lod", level, "spacing_m", spacing, "tile_m",
                                    spacing * TERRANE_TILE_SAMPLES, "geometric_error_m",
                                    error_of(world->recipe, level, variant)));
    }
    return levels;
}

static json_t *names(const char *const *name, int count)
{
    json_t *array = json_array();
    for (int i = 0; array && i < count; i++)
        add_item(&array, json_string(name[i]));
    return array;
}

/* A world without objects has no records. */
static json_t *formats_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int f = 0; array && f < FORMATS; f++)
        if (tile_ending_name[f] && (format_row[f].needs != NEEDS_PLACES || recipe->objects.classes > 0))
            add_item(&array, json_string(tile_format_name[f]));
    return array;
}

static json_t *variants_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int v = 0; array && v < VARIANTS; v++)
        if (tile_variant_is_of((enum tile_variant)v, recipe))
            add_item(&array, json_string(tile_variant_name[v]));
    return array;
}

static json_t *terms_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int i = 0; array && i < recipe->terms; i++)
        add_item(&array, json_string(recipe->term[i].name));
    return array;
}

static const char *partition_of(const struct terrane_partition *partition)
{
    static const char *const name[TERRANE_PARTITION_KINDS] = {
        [TERRANE_PARTITION_NOISE] = "noise",
        [TERRANE_PARTITION_VORONOI] = "voronoi",
        [TERRANE_PARTITION_CLIMATE] = "climate",
    };
    return partition->zones > 1 ? name[partition->kind] : "none";
}

/* Each layer with its formats, and the encodings that its png has to choose from. */
static json_t *layers_of(const struct terrane_recipe *recipe)
{
    json_t *array = json_array();
    for (int l = 0; array && l < LAYERS; l++) {
        if (!tile_layer_is_in(recipe, (enum tile_layer)l))
            continue;
        json_t *formats = json_array(), *encodings = json_array();
        for (int f = 0; formats && f < FORMATS; f++)
            if (tile_ending_name[f] && tile_layer_has((enum tile_layer)l, (enum tile_format)f))
                add_item(&formats, json_string(tile_format_name[f]));
        for (int e = 0; encodings && e < ENCS; e++)
            if (tile_layer_has_enc((enum tile_layer)l, (enum tile_enc)e))
                add_item(&encodings, json_string(tile_enc_name[e]));
        add_item(&array, json_pack("{s:s, s:o, s:o}", "name", tile_layer_name[l], "formats", formats,
                                   "encodings", encodings));
    }
    return array;
}

/* Null where nothing erodes. */
static json_t *erosion_of(const struct terrane_recipe *recipe)
{
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(recipe, &bounds);
    json_t *halo = recipe->erosion.levels > 0 ? json_array() : NULL;
    for (int level = 0; halo && level < recipe->erosion.levels; level++)
        add_item(&halo, json_integer(terrane_erosion_halo(recipe, level)));
    return recipe->erosion.levels == 0
               ? json_null()
               : json_pack("{s:i, s:f, s:f, s:o}", "levels", recipe->erosion.levels, "unit_m",
                           terrane_units(recipe).erosion_m, "bound_m", bounds.erosion_m, "halo", halo);
}

/* Null where there are none. */
static json_t *lakes_of(const struct terrane_world *world)
{
    const struct terrane_lakes *lakes = &world->recipe->lakes;
    return !(lakes->share > 0)
               ? json_null()
               : json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "lod", lakes->level, "cell_m",
                           terrane_lattice_m(world, lakes->level, INT64_C(1) << lakes->cell_log2), "share",
                           (double)lakes->share, "radius_m",
                           terrane_lattice_m(world, lakes->level, lakes->radius), "depth_m",
                           (double)lakes->depth_m, "shallow_m", (double)lakes->shallow_m);
}

static json_t *rivers_of(const struct terrane_recipe *recipe)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    json_t *runoff = rivers->runoff < 0 ? json_real((double)rivers->runoff_mm)
                                        : json_string(recipe->term[rivers->runoff].name);
    const char *sand = rivers->sand > 0 ? recipe->term[rivers->sand - 1].name : NULL;
    return json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:s*}", "top",
                     rivers->top, "bottom", rivers->bottom, "steepness", (double)rivers->steepness, "rise",
                     (double)rivers->rise, "concavity", (double)rivers->concavity, "cut_m",
                     (double)rivers->cut_m, "fill", (double)rivers->fill, "shallow_m",
                     (double)rivers->shallow_m, "sources_ha", (double)rivers->sources_ha, "runoff", runoff,
                     "inland_km", (double)rivers->inland_km, "width", (double)rivers->width, "depth",
                     (double)rivers->depth, "sand", sand);
}

static json_t *ice_of(const struct terrane_recipe *recipe)
{
    const struct terrane_ice *ice = &recipe->ice;
    return json_pack("{s:f, s:f, s:f}", "width_m", (double)ice->width_m, "from_m", (double)ice->from_m,
                     "full_m", (double)ice->full_m);
}

static bool is_carved(const struct terrane_recipe *recipe, int level)
{
    const struct terrane_window window = {.level = level, .step = 1, .width = 1, .height = 1};
    struct terrane_plan plan;
    return terrane_plan(recipe, &window, TERRANE_VARIANT_CARVED, TERRANE_READS_GROUND, &plan) == 0 &&
           plan.carved;
}

static json_t *paths_of(const struct terrane_world *world)
{
    const struct terrane_paths *paths = &world->recipe->paths;
    struct terrane_ground_bounds bounds;
    int carved = 0; /* levels */
    terrane_ground_bounds(world->recipe, &bounds);
    while (carved <= paths->level && is_carved(world->recipe, carved))
        carved++;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:b}", "lod", paths->level, "cell_m",
                     terrane_lattice_m(world, paths->level, INT64_C(1) << paths->cell_log2), "width_m",
                     (double)paths->width_m, "border_m", (double)paths->border_m, "slope",
                     (double)paths->slope, "depth_m", (double)paths->depth_m, "bound_m", bounds.paths_m,
                     "carved_levels", carved, "towns", paths->towns.block_log2 > 0);
}

static json_t *hollows_of(const struct terrane_world *world)
{
    const struct terrane_caves *caves = &world->recipe->caves;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "lod", caves->level, "cell_m",
                     terrane_lattice_m(world, caves->level, INT64_C(1) << caves->cell_log2), "share",
                     (double)caves->share, "radius_m", terrane_lattice_m(world, caves->level, caves->radius),
                     "high_m", (double)caves->high_m, "roof_m", (double)caves->roof_m, "height_m",
                     (double)caves->height_m, "room", (double)caves->room, "slope", (double)caves->slope);
}

/* The URL template of the world's tiles (RFC 6570). */
static json_t *tiles_of(const struct world_facts *facts, int generator)
{
    char seed[TILE_SEED_BYTES];
    return json_sprintf("%s/tile/%s/{lod}/{x}/{y}.{ext}?v=%d%s%s", facts->prefix,
                        tile_world_name(facts->key, seed), generator,
                        facts->standard ? "" : "&recipe=", facts->standard ? "" : facts->recipe->name);
}

/* The generators that can make this world. */
static json_t *generators_of(const struct recipe *recipe)
{
    json_t *list = json_array();
    for (int n = TERRANE_GENERATOR_OLDEST; list && n <= TERRANE_GENERATOR_VERSION; n++)
        if (recipe_under(recipe, n))
            add_item(&list, json_integer(n));
    return list;
}

int describe_world(const struct terrane_world *world, const struct world_facts *facts, unsigned char **data,
                   size_t *bytes)
{
    const struct terrane_recipe *recipe = world->recipe;
    const enum tile_variant variant = tile_variant_default(recipe);
    struct terrane_ground_bounds bounds;
    char digest[DESCRIBE_DIGEST_BYTES];
    const double edits_m = facts->key->edits ? TERRANE_EDIT_MOVE_M : 0;
    describe_digest(&world->digest, digest);
    terrane_ground_bounds(recipe, &bounds);
    json_t *value = json_pack(
        "{s:o, s:s, s:i, s:o, s:s, s:s, s:f, s:i,"
        " s:{s:I, s:I}, s:{s:f, s:f}, s:{s:f, s:f}, s:f, s:{s:f, s:f, s:f},"
        " s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o}",
        tile_world_member(facts->key), world_name(facts->key), "world", digest, "generator",
        recipe->generator, "generators", generators_of(facts->recipe), "recipe", facts->recipe->name,
        "description", facts->recipe->description, "spacing_m", recipe->spacing_m, "tile_samples",
        TERRANE_TILE_SAMPLES, "tiles", "min", (json_int_t)-TERRANE_TILE_LIMIT, "max",
        (json_int_t)(TERRANE_TILE_LIMIT - 1), "height_bounds_m", "low", bounds.low_m - edits_m, "high",
        bounds.high_m + edits_m, "range_16bit_m", "low", (double)recipe->low_m, "high",
        (double)recipe->high_m, "sea_m", (double)recipe->sea_m, "spawn", "x", facts->spawn_m[0], "y",
        facts->spawn_m[1], "height", facts->spawn_m[2], "erosion", erosion_of(recipe), "lakes",
        lakes_of(world), "levels", levels_of(world), "terms", terms_of(recipe), "partition",
        partition_of(&recipe->partition), "zones", zones_of(world, NULL), "layers", layers_of(recipe),
        "variants", variants_of(recipe), "variant", tile_variant_name[variant], "formats", formats_of(recipe),
        "encodings", names(tile_enc_name, ENCS_PNG), "tile", tiles_of(facts, recipe->generator));
    if (value && facts->text)
        add_member(&value, "client",
                   json_pack("{s:o}", "recipe", json_loadb(facts->text, facts->text_bytes, 0, NULL)));
    if (value && facts->edits)
        add_member(&value, "edits", json_incref(facts->edits));
    if (value && recipe->rivers.top > 0)
        add_member(&value, "rivers", rivers_of(recipe));
    if (value && recipe->ice.width_m > 0)
        add_member(&value, "ice", ice_of(recipe));
    if (value && recipe->paths.width_m > 0)
        add_member(&value, "paths", paths_of(world));
    if (value && recipe->caves.share > 0)
        add_member(&value, "caves", hollows_of(world));
    if (value && recipe->cover.materials > 0)
        add_member(&value, "cover", describe_materials(recipe));
    if (value && recipe->objects.classes > 0)
        add_member(&value, "objects", classes_of(recipe));
    return finish(value, data, bytes);
}
