/*
 * Facts about an archive. Longitude and latitude are what a web map makes of the plane: it takes the world for
 * a Mercator map, 360 degrees wide.
 */
#include "seed_sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "../base/text.h"
#include "../encode/vectors.h"

#define PI 3.14159265358979323846

enum { VIEW_TILES = 4 }; /* a view shows about so many from west to east */

struct mbtiles_place seed_facts_place(const struct tile_key *key)
{
    const int z = TILE_Z0 - key->level;
    const int64_t half = z > 0 ? INT64_C(1) << (z - 1) : 0;
    CHECK(z >= 0 && key->x + half >= 0 && (key->x + half) >> z == 0);
    CHECK(key->y + half >= 0 && (key->y + half) >> z == 0);
    return (struct mbtiles_place){z, (uint32_t)(key->x + half), (uint32_t)(key->y + half)};
}

/* v: from 0 in the north to 1 in the south. */
static double latitude(double v)
{
    return atan(sinh(PI * (1 - 2 * v))) * 180 / PI;
}

__attribute__((format(printf, 3, 4))) static void add(struct seed_facts *facts, const char *name,
                                                      const char *format, ...)
{
    va_list arguments;
    CHECK(facts->rows < SEED_ROWS_MAX);
    char *value = facts->value[facts->rows];
    va_start(arguments, format);
    text_print_list(value, SEED_VALUE_BYTES, format, arguments); /* of a path, which may be no UTF-8 */
    va_end(arguments);
    facts->row[facts->rows++] = (struct mbtiles_row){name, value};
}

static void place(struct seed_facts *facts, const struct seed_plan *plan)
{
    const struct seed_rect *rect = &plan->rect;
    const int z = TILE_Z0 - plan->finest;
    const double side = ldexp(1, -z), half = z > 0 ? 0.5 : 0;
    const double west = (double)rect->x0 * side + half, east = (double)(rect->x1 + 1) * side + half;
    const double north = (double)rect->y0 * side + half, south = (double)(rect->y1 + 1) * side + half;
    const int out = (int)ceil(log2((double)(rect->x1 - rect->x0 + 1) / VIEW_TILES));
    const int center = z - (out > 0 ? out : 0), min = TILE_Z0 - plan->coarsest;
    facts->pmtiles = (struct pmtiles_facts){
        .z_min = min,
        .z_max = z,
        .z_center = center > min ? center : min,
        .west = west * 360 - 180,
        .east = east * 360 - 180,
        .north = latitude(north),
        .south = latitude(south),
        .center_lon = (west + east) * 180 - 180,
        .center_lat = latitude((north + south) / 2),
    };
}

static void add_world(struct seed_facts *facts, const struct seed_plan *plan,
                      const struct terrane_world *world, const char *recipe)
{
    const struct tile_key *key = &plan->key;
    char digest[2 * sizeof world->digest.byte + 1], seed[TILE_SEED_BYTES];
    text_hex(digest, world->digest.byte, sizeof world->digest.byte);
    add(facts, "terrane:generator", "%d", world->recipe->generator);
    add(facts, key->alias ? "terrane:name" : "terrane:seed", "%s", tile_world_name(key, seed));
    add(facts, "terrane:recipe", "%s", recipe);
    add(facts, "terrane:layer", "%s", tile_layer_name[key->layer]);
    add(facts, "terrane:variant", "%s", tile_variant_name[key->variant]);
    add(facts, "terrane:enc", "%s", tile_enc_name[key->enc]);
    add(facts, "terrane:size", "%d", key->size);
    add(facts, "terrane:zoom", "%d-%d", TILE_Z0 - plan->coarsest, TILE_Z0 - plan->finest);
    add(facts, "terrane:window", "%" PRId64 "..%" PRId64 "/%" PRId64 "..%" PRId64, plan->rect.x0,
        plan->rect.x1, plan->rect.y0, plan->rect.y1);
    add(facts, "terrane:world", "%s", digest);
}

/* Those that PMTiles has in its header, or has no use for. */
static bool is_of_mbtiles(const char *name)
{
    static const char *const names[] = {"format", "bounds", "center", "minzoom", "maxzoom", "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static char *metadata_of(const struct seed_facts *facts)
{
    json_t *object = json_object();
    size_t bytes;
    if (facts->pmtiles.vectors)
        json_put(&object, "vector_layers", vector_layers());
    for (size_t i = 0; i < facts->rows && object; i++)
        if (!is_of_mbtiles(facts->row[i].name))
            json_put(&object, facts->row[i].name, json_string(facts->row[i].value));
    return json_text(object, JSON_COMPACT, &bytes);
}

/* MBTiles has them as JSON in a row of that name. */
static int add_vectors(struct seed_facts *facts)
{
    size_t bytes;
    char *text = json_text(json_pack("{s:o}", "vector_layers", vector_layers()), JSON_COMPACT, &bytes);
    if (!text)
        return -1;
    CHECK(bytes < SEED_VALUE_BYTES);
    add(facts, "json", "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    return 0;
}

int seed_facts_make(struct seed_facts *facts, const struct seed_plan *plan, const struct terrane_world *world,
                    const char *recipe)
{
    const bool vectors = plan->key.format == FORMAT_MVT;
    const char *encoding = vectors ? NULL : tile_rgb_enc(plan->key.layer, plan->key.enc),
               *layer = tile_layer_name[plan->key.layer];
    const char *what = vectors ? "vectors" : layer;
    char seed[TILE_SEED_BYTES];
    const char *name = tile_world_name(&plan->key, seed);
    CHECK(plan->pyramid);
    *facts = (struct seed_facts){0};
    place(facts, plan);
    facts->pmtiles.vectors = vectors;
    const struct pmtiles_facts *map = &facts->pmtiles;
    /* what is of the world first: where an archive was begun with other options, these words say it best */
    add_world(facts, plan, world, recipe);
    add(facts, "name", "terrane %s %s", name, what);
    add(facts, "description", "%s of world %s, recipe %s, %d samples a tile%s%s", what, name, recipe,
        plan->key.size, plan->key.reg == REG_CENTER ? ", of pixels' centres" : "",
        plan->key.bands != 0 ? ", materials 4 to 7" : "");
    add(facts, "format", vectors ? "pbf" : "png");
    add(facts, "type", vectors ? "overlay" : "baselayer");
    add(facts, "version", "%d", world->recipe->generator);
    add(facts, "bounds", "%.7f,%.7f,%.7f,%.7f", map->west, map->south, map->east, map->north);
    add(facts, "center", "%.7f,%.7f,%d", map->center_lon, map->center_lat, map->z_center);
    add(facts, "minzoom", "%d", map->z_min);
    add(facts, "maxzoom", "%d", map->z_max);
    if (!vectors)
        add(facts, "tileSize", "%d", plan->key.size);
    else if (add_vectors(facts) != 0)
        return -1;
    if (encoding) {
        add(facts, "encoding", "%s", encoding);
        add(facts, "json", "{\"encoding\":\"%s\",\"tileSize\":%d}", encoding, plan->key.size);
    }
    if (plan->key.reg != REG_CORNER) /* last: archives of corners have none, but another description */
        add(facts, "terrane:reg", "%s", tile_reg_name[plan->key.reg]);
    facts->metadata = metadata_of(facts);
    facts->pmtiles.metadata = facts->metadata;
    facts->tiles = seed_plan_tiles(plan);
    return facts->metadata ? 0 : -1;
}

void seed_facts_free(struct seed_facts *facts)
{
    free(facts->metadata);
    facts->metadata = NULL;
}
