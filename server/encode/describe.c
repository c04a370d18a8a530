/*
 * Tiles and worlds as JSON. Seeds are strings: JavaScript's numbers end at 2^53. Numbers have 17 digits, so
 * that what is parsed is what was meant.
 */
#include "describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json_text.h"

void describe_digest(const struct terrane_world *world, char text[33])
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", world->digest.byte[i]);
}

static int finish(json_t *value, unsigned char **data, size_t *bytes)
{
    *data = (unsigned char *)json_text(value, JSON_INDENT(2), bytes);
    return *data ? 0 : -1;
}

/* Each puts in a value that it takes. Where that fails, or there is no value, *whole is freed, and NULL. */
static void add_member(json_t **whole, const char *name, json_t *value)
{
    if (json_object_set_new(*whole, name, value) != 0) {
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

static json_t *seed_text(uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return json_string(text);
}

static json_t *zones_of(const struct terrane_world *world, const double *share)
{
    json_t *zones = json_array();
    for (int z = 0; zones && z < world->recipe->partition.zones; z++) {
        const struct terrane_zone *zone = &world->recipe->partition.zone[z];
        char colour[8];
        snprintf(colour, sizeof colour, "#%02x%02x%02x", zone->colour[0], zone->colour[1], zone->colour[2]);
        json_t *object = json_pack("{s:i, s:s, s:s}", "index", z, "name", zone->name, "colour", colour);
        if (share)
            add_member(&object, "fraction", json_real(share[z]));
        add_item(&zones, object);
    }
    return zones;
}

static json_t *link_to(const struct tile_key *key, const char *recipe, int level, int64_t x, int64_t y,
                       const char *ext)
{
    const bool plain = key->layer == LAYER_HEIGHT;
    return json_sprintf("/tile/%" PRIu64 "/%d/%" PRId64 "/%" PRId64 ".%s%s%s%s%s", key->seed, level, x, y,
                        ext, plain ? "" : "?layer=", plain ? "" : tile_layer_name[key->layer],
                        !recipe ? ""
                        : plain ? "?recipe="
                                : "&recipe=",
                        recipe ? recipe : "");
}

/* Same tile in other forms, and the tiles around it that exist. */
static json_t *links_of(const struct tile_key *key, const char *recipe)
{
    static const struct {
        const char *name;
        int dx, dy;
    } around[] = {{"north", 0, -1}, {"east", 1, 0}, {"south", 0, 1}, {"west", -1, 0}};
    json_t *links = json_object();
    for (int f = 0; links && f < FORMATS; f++) {
        if (tile_layer_has(key->layer, (enum tile_format)f))
            add_member(&links, tile_format_name[f],
                       link_to(key, recipe, key->level, key->x, key->y, tile_format_name[f]));
    }
    for (size_t i = 0; links && i < sizeof around / sizeof *around; i++) {
        const int64_t x = key->x + around[i].dx, y = key->y + around[i].dy;
        if (x >= -TERRANE_TILE_LIMIT && x < TERRANE_TILE_LIMIT && y >= -TERRANE_TILE_LIMIT &&
            y < TERRANE_TILE_LIMIT)
            add_member(&links, around[i].name, link_to(key, recipe, key->level, x, y, "json"));
    }
    if (links && key->level < TERRANE_LEVEL_MAX)
        add_member(&links, "parent", link_to(key, recipe, key->level + 1, key->x >> 1, key->y >> 1, "json"));
    if (links)
        add_member(&links, "world",
                   json_sprintf("/world/%" PRIu64 "%s%s", key->seed, recipe ? "?recipe=" : "",
                                recipe ? recipe : ""));
    return links;
}

/* Vertices of the mesh that each vertex size makes of a tile. */
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

int describe_tile(const struct tile_key *key, const struct terrane_world *world,
                  const struct tile_facts *facts, unsigned char **data, size_t *bytes)
{
    const struct terrane_window *w = &facts->window;
    const struct terrane_measure *m = &facts->measure;
    const double spacing = terrane_lattice_m(world, w->level, w->step);
    char digest[33];
    describe_digest(world, digest);
    json_t *value = json_pack(
        "{s:o, s:s, s:i, s:i, s:I, s:I, s:s, s:s,"
        " s:{s:i, s:i, s:f, s:[I, I], s:i},"
        " s:{s:f, s:f, s:f, s:f},"
        " s:f, s:f, s:f, s:o, s:{s:o, s:o}, s:{s:o, s:f},"
        " s:f, s:o, s:o, s:o}",
        "seed", seed_text(key->seed), "world", digest, "generator", TERRANE_GENERATOR_VERSION, "lod",
        key->level, "x", (json_int_t)key->x, "y", (json_int_t)key->y, "layer", tile_layer_name[key->layer],
        "variant", tile_variant_name[key->variant], "samples", "width", w->width, "height", w->height,
        "spacing_m", spacing, "origin", (json_int_t)w->gi, (json_int_t)w->gj, "lod", w->level, "bounds_m",
        "west", m->box_low_m[0], "north", m->box_low_m[1], "east", m->box_high_m[0], "south",
        m->box_high_m[1], "min_m", (double)m->min_m, "max_m", (double)m->max_m, "mean_m", m->mean_m,
        "centroid_m", triple(m->centroid_m), "box_m", "low", triple(m->box_low_m), "high",
        triple(m->box_high_m), "sphere_m", "centre", triple(m->sphere_centre_m), "radius", m->sphere_radius_m,
        "geometric_error_m", terrane_level_error_m(world->recipe, w->level), "zones",
        zones_of(world, facts->zone_share), "vertices", vertices(), "links", links_of(key, facts->recipe));
    return finish(value, data, bytes);
}

static json_t *levels_of(const struct terrane_world *world)
{
    json_t *levels = json_array();
    for (int level = 0; levels && level <= TERRANE_LEVEL_MAX; level++) {
        const double spacing = terrane_lattice_m(world, level, 1);
        add_item(&levels, json_pack("{s:i, s:f, s:f, s:f}", "lod", level, "spacing_m", spacing, "tile_m",
                                    spacing * TERRANE_TILE_SAMPLES, "geometric_error_m",
                                    terrane_level_error_m(world->recipe, level)));
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

/* Where the world's tiles are, in the form of RFC 6570. */
static json_t *tiles_of(const struct terrane_world *world, const struct world_facts *facts)
{
    return json_sprintf("/tile/%" PRIu64 "/{lod}/{x}/{y}.{ext}?v=%d%s%s", world->seed,
                        TERRANE_GENERATOR_VERSION,
                        facts->standard ? "" : "&recipe=", facts->standard ? "" : facts->recipe);
}

int describe_world(const struct terrane_world *world, const struct world_facts *facts, unsigned char **data,
                   size_t *bytes)
{
    const struct terrane_recipe *recipe = world->recipe;
    double low, high;
    char digest[33];
    describe_digest(world, digest);
    terrane_height_bounds_m(recipe, &low, &high);
    json_t *value = json_pack(
        "{s:o, s:s, s:i, s:s, s:s, s:f, s:i,"
        " s:{s:I, s:I}, s:{s:f, s:f}, s:{s:f, s:f}, s:f,"
        " s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
        "seed", seed_text(world->seed), "world", digest, "generator", TERRANE_GENERATOR_VERSION, "recipe",
        facts->recipe, "description", facts->description, "spacing_m", recipe->spacing_m, "tile_samples",
        TERRANE_TILE_SAMPLES, "tiles", "min", (json_int_t)-TERRANE_TILE_LIMIT, "max",
        (json_int_t)(TERRANE_TILE_LIMIT - 1), "height_bounds_m", "low", low, "high", high, "range_16bit_m",
        "low", (double)recipe->low_m, "high", (double)recipe->high_m, "sea_m", (double)recipe->sea_m,
        "levels", levels_of(world), "terms", terms_of(recipe), "partition", partition_of(&recipe->partition),
        "zones", zones_of(world, NULL), "layers", names(tile_layer_name, LAYERS), "variants",
        names(tile_variant_name, VARIANTS), "formats", names(tile_format_name, FORMATS), "encodings",
        names(tile_enc_name, ENCS), "tile", tiles_of(world, facts));
    return finish(value, data, bytes);
}
