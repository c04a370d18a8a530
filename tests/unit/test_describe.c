/*
 * Tiles and worlds as JSON (server/encode/describe.c): members, types, values, and what short memory makes of
 * them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/encode/describe.h"
#include "../../server/recipe/recipe_json.h"
#include "../../server/render/produce.h"

static struct terrane_world world_of(uint64_t seed)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;

    if (recipe.terms == 0)
        terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, seed);
    return world;
}

static struct tile_key key_of(uint64_t seed, int level, int64_t x, int64_t y, int size)
{
    struct tile_key key = {.seed = seed,
                           .x = x,
                           .y = y,
                           .level = level,
                           .variant = VARIANT_UNSAID,
                           .format = FORMAT_JSON,
                           .size = size};

    tile_key_vary(&key, world_of(seed).recipe);
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    return key;
}

/* The default's noise, with erosion and lakes of its own, whatever the default has. */
static const struct terrane_recipe *recipe_eroding(void)
{
    static struct terrane_recipe recipe;

    if (recipe.terms > 0)
        return &recipe;
    terrane_recipe_default(&recipe);
    memset(&recipe.erosion, 0, sizeof recipe.erosion);
    recipe.erosion.levels = 3;
    recipe.erosion.limit = 0.25f;
    for (int level = 0; level < 3; level++) {
        recipe.erosion.phases[level] = (uint8_t)(level + 1);
        recipe.erosion.steps[level] = 10;
        recipe.erosion.slides[level] = 2;
    }
    for (int z = 0; z < recipe.partition.zones; z++)
        recipe.erosion.zone[z] = (struct terrane_droplets){.density = 0.05f,
                                                           .lifetime = 10,
                                                           .inertia = 0.05f,
                                                           .capacity = 4,
                                                           .min_capacity = 0.01f,
                                                           .erosion = 0.3f,
                                                           .deposition = 0.3f,
                                                           .evaporation = 0.01f,
                                                           .gravity = 0.02f,
                                                           .speed = 1,
                                                           .water = 1,
                                                           .talus_deg = 38};
    recipe.lakes = (struct terrane_lakes){
        .share = 0.5f, .level = 4, .cell_log2 = 7, .radius = 64, .depth_m = 120, .shallow_m = 1};
    const int error = terrane_recipe_init(&recipe, NULL);
    if (error)
        fail_msg("%s", terrane_error_text(error));
    return &recipe;
}

/* The same without. */
static const struct terrane_recipe *recipe_plain(void)
{
    static struct terrane_recipe recipe;

    if (recipe.terms > 0)
        return &recipe;
    terrane_recipe_default(&recipe);
    recipe.erosion.levels = 0;
    recipe.lakes.share = 0;
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    return &recipe;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static json_t *parse(const unsigned char *data, size_t bytes)
{
    json_error_t error;
    json_t *const root = json_loadb((const char *)data, bytes, JSON_REJECT_DUPLICATES, &error);

    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    assert_int_equal(data[bytes - 1], '\n');
    assert_null(memchr(data, 0, bytes));
    return root;
}

/* A member by its path: names and points. */
static json_t *at(json_t *object, const char *path)
{
    char name[40];

    for (const char *p = path; object && *p;) {
        const size_t n = strcspn(p, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        object = json_is_array(object) ? json_array_get(object, strtoul(name, NULL, 10))
                                       : json_object_get(object, name);
        p += n + (p[n] == '.');
    }
    if (!object)
        fail_msg("no member %s", path);
    return object;
}

static double number_at(json_t *object, const char *path)
{
    json_t *const value = at(object, path);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void assert_number(json_t *object, const char *path, double expected)
{
    const double value = number_at(object, path);

    if (value != expected)
        fail_msg("%s is %.17g, not %.17g", path, value, expected);
}

static void assert_text(json_t *object, const char *path, const char *expected)
{
    assert_true(json_is_string(at(object, path)));
    assert_string_equal(json_string_value(at(object, path)), expected);
}

static json_t *describe(const struct tile_key *key, const struct terrane_world *world,
                        const struct tile_facts *facts)
{
    unsigned char *data;
    size_t bytes;

    assert_int_equal(describe_tile(key, world, facts, &data, &bytes), 0);
    json_t *const root = parse(data, bytes);
    free(data);
    return root;
}

static struct tile_facts facts_of(const struct tile_key *key)
{
    struct tile_facts facts = {
        .measure = {.min_m = -1.5f,
                    .max_m = 0.1f,
                    .mean_m = -0.1,
                    .centroid_m = {1, 2, 3},
                    .box_low_m = {-4, -5, -6},
                    .box_high_m = {4.25, 5.5, 6},
                    .sphere_centre_m = {0.1, 0.2, 0.3},
                    .sphere_radius_m = 9.75},
        .zone_share = {0.5, 0.25, 0.125, 0.125},
        .sea_share = 0.375,
        .lake_share = 0.0625,
    };

    assert_int_equal(terrane_window_tile(&facts.window, key->level, key->x, key->y, key->size), 0);
    return facts;
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static void tiles_are_described(void **state)
{
    const struct terrane_world world = world_of(UINT64_MAX);
    const struct tile_key key = key_of(UINT64_MAX, 3, -5, 7, 65);
    const struct tile_facts facts = facts_of(&key);
    char digest[33];

    (void)state;
    json_t *const root = describe(&key, &world, &facts);
    describe_digest(&world, digest);
    assert_text(root, "seed", "18446744073709551615"); /* JavaScript's numbers would round it */
    assert_text(root, "world", digest);
    assert_number(root, "generator", TERRANE_GENERATOR_VERSION);
    assert_number(root, "lod", 3);
    assert_number(root, "x", -5);
    assert_number(root, "y", 7);
    assert_text(root, "layer", "height");
    assert_text(root, "variant", tile_variant_name[tile_variant_default(world.recipe)]);
    assert_number(root, "samples.width", 65);
    assert_number(root, "samples.height", 65);
    assert_number(root, "samples.spacing_m", terrane_lattice_m(&world, 3, 4)); /* every fourth sample */
    assert_number(root, "samples.origin.0", -5 * 256);
    assert_number(root, "samples.origin.1", 7 * 256);
    assert_number(root, "samples.lod", 3);
    assert_number(root, "bounds_m.west", -4);
    assert_number(root, "bounds_m.north", -5);
    assert_number(root, "bounds_m.east", 4.25);
    assert_number(root, "bounds_m.south", 5.5);
    assert_number(root, "min_m", -1.5);
    assert_number(root, "max_m", (double)0.1f);
    assert_number(root, "mean_m", -0.1); /* 17 digits: read back, it is the same number */
    assert_number(root, "centroid_m.2", 3);
    assert_number(root, "box_m.low.2", -6);
    assert_number(root, "box_m.high.0", 4.25);
    assert_number(root, "sphere_m.centre.1", 0.2);
    assert_number(root, "sphere_m.radius", 9.75);
    assert_number(root, "geometric_error_m",
                  terrane_level_error_m(world.recipe, 3) +
                      (key.variant == VARIANT_ERODED ? terrane_erosion_error_m(world.recipe, 3) : 0));
    assert_number(root, "water.sea", 0.375);
    assert_number(root, "water.lakes", 0.0625);
    assert_number(root, "vertices.3", 9);
    assert_number(root, "vertices.65", 65 * 65);
    assert_number(root, "vertices.257", 257 * 257);
    assert_int_equal(json_object_size(at(root, "vertices")), 8);
    json_decref(root);
}

static void zones_have_names_colours_and_shares(void **state)
{
    const struct terrane_world world = world_of(1);
    const struct tile_key key = key_of(1, 0, 0, 0, 0);
    const struct tile_facts facts = facts_of(&key);
    json_t *const root = describe(&key, &world, &facts);
    char path[40], colour[8];

    (void)state;
    assert_int_equal(json_array_size(at(root, "zones")), world.recipe->partition.zones);
    for (int z = 0; z < world.recipe->partition.zones; z++) {
        const struct terrane_zone *const zone = &world.recipe->partition.zone[z];
        snprintf(path, sizeof path, "zones.%d.index", z);
        assert_number(root, path, z);
        snprintf(path, sizeof path, "zones.%d.name", z);
        assert_text(root, path, zone->name);
        snprintf(path, sizeof path, "zones.%d.colour", z);
        snprintf(colour, sizeof colour, "#%02x%02x%02x", zone->colour[0], zone->colour[1], zone->colour[2]);
        assert_text(root, path, colour);
        snprintf(path, sizeof path, "zones.%d.fraction", z);
        assert_number(root, path, facts.zone_share[z]);
    }
    json_decref(root);
}

static void assert_link(json_t *root, const char *name, const char *expected)
{
    json_t *const link = json_object_get(at(root, "links"), name);

    if (!expected) {
        assert_null(link);
        return;
    }
    assert_non_null(link);
    assert_string_equal(json_string_value(link), expected);
}

static void links_lead_to_what_exists(void **state)
{
    const struct terrane_world world = world_of(42);
    struct tile_key key = key_of(42, 3, -5, 7, 0);
    struct tile_facts facts = facts_of(&key);
    json_t *root = describe(&key, &world, &facts);

    (void)state;
    assert_link(root, "png", "/tile/42/3/-5/7.png");
    assert_link(root, "f32", "/tile/42/3/-5/7.f32");
    assert_link(root, "r16", "/tile/42/3/-5/7.r16");
    assert_link(root, "npy", "/tile/42/3/-5/7.npy");
    assert_link(root, "json", "/tile/42/3/-5/7.json");
    assert_link(root, "north", "/tile/42/3/-5/6.json");
    assert_link(root, "south", "/tile/42/3/-5/8.json");
    assert_link(root, "west", "/tile/42/3/-6/7.json");
    assert_link(root, "east", "/tile/42/3/-4/7.json");
    assert_link(root, "parent", "/tile/42/4/-3/3.json"); /* rounded down */
    assert_link(root, "world", "/world/42");
    json_decref(root);

    key = key_of(42, TERRANE_LEVEL_MAX, -TERRANE_TILE_LIMIT, TERRANE_TILE_LIMIT - 1, 0);
    facts = facts_of(&key);
    root = describe(&key, &world, &facts);
    assert_link(root, "json", "/tile/42/24/-1099511627776/1099511627775.json");
    assert_link(root, "north", "/tile/42/24/-1099511627776/1099511627774.json");
    assert_link(root, "east", "/tile/42/24/-1099511627775/1099511627775.json");
    assert_link(root, "south", NULL);
    assert_link(root, "west", NULL);
    assert_link(root, "parent", NULL);
    json_decref(root);
}

static void eroded_tiles_say_so(void **state)
{
    struct terrane_world world;
    struct tile_key key = key_of(42, 1, -5, 7, 0);
    struct tile_facts facts = facts_of(&key);

    (void)state;
    terrane_world_init(&world, recipe_eroding(), 42);
    key.variant = VARIANT_ERODED;
    facts.eroded = true;
    json_t *root = describe(&key, &world, &facts);
    assert_text(root, "variant", "eroded");
    assert_true(json_is_true(at(root, "eroded")));
    assert_true(terrane_erosion_error_m(world.recipe, 1) > 0);
    assert_number(root, "geometric_error_m",
                  terrane_level_error_m(world.recipe, 1) + terrane_erosion_error_m(world.recipe, 1));
    assert_link(root, "png", "/tile/42/1/-5/7.png"); /* the default needs no name */
    json_decref(root);

    facts.eroded = false; /* as where the level is above those that erode: level 0 is eroded all the same */
    root = describe(&key, &world, &facts);
    assert_text(root, "variant", "eroded");
    assert_true(json_is_false(at(root, "eroded")));
    assert_number(root, "geometric_error_m",
                  terrane_level_error_m(world.recipe, 1) + terrane_erosion_error_m(world.recipe, 1));
    json_decref(root);

    key.variant = VARIANT_BASE;
    root = describe(&key, &world, &facts);
    assert_text(root, "variant", "base");
    assert_number(root, "geometric_error_m", terrane_level_error_m(world.recipe, 1));
    assert_link(root, "png", "/tile/42/1/-5/7.png?variant=base");
    assert_link(root, "east", "/tile/42/1/-4/7.json?variant=base");
    assert_link(root, "world", "/world/42");
    json_decref(root);

    key.layer = LAYER_SURFACE;
    facts.recipe = "alpine";
    root = describe(&key, &world, &facts);
    assert_link(root, "r16", "/tile/42/1/-5/7.r16?layer=surface&variant=base&recipe=alpine");
    assert_link(root, "world", "/world/42?recipe=alpine");
    json_decref(root);

    char longest[RECIPE_NAME_BYTES + 1]; /* the longest query there is */
    memset(longest, 'r', RECIPE_NAME_BYTES);
    longest[RECIPE_NAME_BYTES] = 0;
    facts.recipe = longest;
    key.layer = LAYER_HILLSHADE;
    root = describe(&key, &world, &facts);
    const char *const link = json_string_value(json_object_get(at(root, "links"), "png"));
    assert_string_equal(link + strlen(link) - RECIPE_NAME_BYTES, longest);
    json_decref(root);
}

/* As the server makes them, of real samples. */
static void produced_tiles_agree_with_themselves(void **state)
{
    const double rounding = 0x1p-17; /* the mean is of heights in units of 2^-16 m */
    struct producer *const producer = producer_create();
    const struct terrane_world world = world_of(7);

    (void)state;
    assert_non_null(producer);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level += 4) {
        struct produce_times times;
        struct tile_key key = key_of(7, level, 3, -9, level ? 512 : 33);
        key.variant = VARIANT_BASE;
        struct blob *const blob = produce(producer, &key, &world, &times);
        assert_non_null(blob);
        json_t *const root = parse(blob->data, blob->bytes);
        double shares = 0;
        for (int z = 0; z < world.recipe->partition.zones; z++)
            shares +=
                json_real_value(json_object_get(json_array_get(at(root, "zones"), (size_t)z), "fraction"));
        assert_true(fabs(shares - 1) < 1e-12);
        assert_number(root, "min_m", (double)blob->info.min_m);
        assert_number(root, "max_m", (double)blob->info.max_m);
        assert_true(number_at(root, "mean_m") >= number_at(root, "min_m") - rounding);
        assert_true(number_at(root, "mean_m") <= number_at(root, "max_m") + rounding);
        assert_number(root, "samples.width", blob->info.width);
        assert_number(root, "samples.lod", level ? level - 1 : 0); /* 512 is of the level below */
        assert_number(root, "bounds_m.west", terrane_lattice_m(&world, level, 3 * 256));
        assert_number(root, "bounds_m.north", terrane_lattice_m(&world, level, -9 * 256));
        json_decref(root);
        blob_release(blob);
    }
    producer_free(producer);
}

/* ---- Worlds -------------------------------------------------------------------------------------------- */

static const struct world_facts standard = {"default", "Hills.", true}, other = {"alpine", "", false};

static bool lists(json_t *array, const char *name)
{
    size_t i;
    json_t *item;
    int found = 0;

    json_array_foreach(array, i, item) found += strcmp(json_string_value(item), name) == 0;
    return found == 1;
}

static void check_layer(json_t *layer, enum tile_layer l)
{
    size_t formats = 0, encodings = 0;

    assert_text(layer, "name", tile_layer_name[l]);
    for (int f = 0; f < FORMATS_NAMED; f++) {
        const bool has = tile_layer_has(l, (enum tile_format)f);
        assert_int_equal(lists(at(layer, "formats"), tile_format_name[f]), has);
        formats += has;
    }
    for (int e = 0; e < ENCS; e++) {
        const bool has = tile_layer_has_enc(l, (enum tile_enc)e);
        assert_int_equal(lists(at(layer, "encodings"), tile_enc_name[e]), has);
        encodings += has;
    }
    assert_int_equal(json_array_size(at(layer, "formats")), formats);
    assert_int_equal(json_array_size(at(layer, "encodings")), encodings);
}

static json_t *describe_of(const struct terrane_recipe *recipe)
{
    struct terrane_world world;
    unsigned char *data;
    size_t bytes;

    terrane_world_init(&world, recipe, 1);
    assert_int_equal(describe_world(&world, &standard, &data, &bytes), 0);
    json_t *const root = parse(data, bytes);
    free(data);
    return root;
}

static void worlds_tell_erosion_and_lakes(void **state)
{
    const struct terrane_recipe *const recipe = recipe_eroding();
    json_t *root = describe_of(recipe);

    (void)state;
    assert_int_equal(json_array_size(at(root, "variants")), 2);
    assert_text(root, "variants.1", "eroded");
    assert_text(root, "variant", "eroded");
    assert_number(root, "erosion.levels", 3);
    assert_number(root, "erosion.unit_m", terrane_erosion_unit_m(recipe));
    assert_number(root, "erosion.bound_m", terrane_erosion_bound_m(recipe));
    assert_int_equal(json_array_size(at(root, "erosion.halo")), 3);
    assert_number(root, "erosion.halo.0", 1 * 12 + 2);
    assert_number(root, "erosion.halo.2", 3 * 12 + 2);
    assert_number(root, "levels.2.geometric_error_m",
                  terrane_level_error_m(recipe, 2) + terrane_erosion_error_m(recipe, 2));
    assert_number(root, "lakes.lod", 4);
    assert_number(root, "lakes.cell_m", 16 * 128 * recipe->spacing_m);
    assert_number(root, "lakes.radius_m", 16 * 64 * recipe->spacing_m);
    assert_number(root, "lakes.share", 0.5);
    assert_number(root, "lakes.depth_m", 120);
    assert_number(root, "lakes.shallow_m", 1);
    json_decref(root);

    root = describe_of(recipe_plain());
    assert_int_equal(json_array_size(at(root, "variants")), 1);
    assert_text(root, "variant", "base");
    assert_true(json_is_null(at(root, "erosion")));
    assert_true(json_is_null(at(root, "lakes")));
    assert_number(root, "levels.2.geometric_error_m", terrane_level_error_m(recipe, 2));
    json_decref(root);
}

static void worlds_are_described(void **state)
{
    const struct terrane_world world = world_of(UINT64_C(9007199254740993)); /* 2^53 + 1 */
    unsigned char *data;
    size_t bytes;
    const bool erodes = world.recipe->erosion.levels > 0;
    char digest[33], path[40];
    double low, high;

    (void)state;
    assert_int_equal(describe_world(&world, &standard, &data, &bytes), 0);
    json_t *const root = parse(data, bytes);
    free(data);
    describe_digest(&world, digest);
    assert_text(root, "seed", "9007199254740993");
    assert_text(root, "world", digest);
    assert_text(root, "recipe", "default");
    assert_text(root, "description", "Hills.");
    assert_text(root, "partition", "climate");
    assert_number(root, "sea_m", (double)world.recipe->sea_m);
    assert_int_equal(json_array_size(at(root, "terms")), world.recipe->terms);
    assert_text(root, "terms.0", world.recipe->term[0].name);
    assert_text(root, "tile", "/tile/9007199254740993/{lod}/{x}/{y}.{ext}?v=3");
    assert_number(root, "generator", TERRANE_GENERATOR_VERSION);
    assert_number(root, "spacing_m", world.recipe->spacing_m);
    assert_number(root, "tile_samples", 256);
    assert_number(root, "tiles.min", -0x1p40);
    assert_number(root, "tiles.max", 0x1p40 - 1);
    terrane_height_bounds_m(world.recipe, &low, &high);
    assert_number(root, "height_bounds_m.low", low);
    assert_number(root, "height_bounds_m.high", high);
    assert_number(root, "range_16bit_m.low", (double)world.recipe->low_m);
    assert_number(root, "range_16bit_m.high", (double)world.recipe->high_m);
    assert_int_equal(json_array_size(at(root, "levels")), TERRANE_LEVEL_MAX + 1);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        snprintf(path, sizeof path, "levels.%d.lod", level);
        assert_number(root, path, level);
        snprintf(path, sizeof path, "levels.%d.tile_m", level);
        assert_number(root, path, terrane_lattice_m(&world, level, 256));
        snprintf(path, sizeof path, "levels.%d.geometric_error_m", level);
        assert_number(root, path,
                      terrane_level_error_m(world.recipe, level) +
                          (erodes ? terrane_erosion_error_m(world.recipe, level) : 0));
    }
    assert_int_equal(json_array_size(at(root, "zones")), world.recipe->partition.zones);
    assert_null(json_object_get(at(root, "zones.0"), "fraction"));
    assert_int_equal(json_array_size(at(root, "layers")), LAYERS);
    for (int layer = 0; layer < LAYERS; layer++) {
        snprintf(path, sizeof path, "layers.%d", layer);
        check_layer(at(root, path), (enum tile_layer)layer);
    }
    assert_int_equal(json_array_size(at(root, "formats")), FORMATS_NAMED);
    assert_int_equal(json_array_size(at(root, "variants")), erodes ? 2 : 1);
    assert_text(root, "variants.0", "base");
    assert_text(root, "variant", erodes ? "eroded" : "base");
    assert_int_equal(json_array_size(at(root, "encodings")), ENCS_PNG);
    json_decref(root);
}

static void worlds_of_other_recipes_are_named_in_links(void **state)
{
    const struct terrane_world world = world_of(5);
    const struct tile_key key = key_of(5, 0, 0, 0, 0);
    struct tile_facts facts = facts_of(&key);
    unsigned char *data;
    size_t bytes;

    (void)state;
    assert_int_equal(describe_world(&world, &other, &data, &bytes), 0);
    json_t *root = parse(data, bytes);
    free(data);
    assert_text(root, "recipe", "alpine");
    assert_text(root, "tile", "/tile/5/{lod}/{x}/{y}.{ext}?v=3&recipe=alpine");
    json_decref(root);

    facts.recipe = "alpine";
    root = describe(&key, &world, &facts);
    assert_link(root, "png", "/tile/5/0/0/0.png?recipe=alpine");
    assert_link(root, "east", "/tile/5/0/1/0.json?recipe=alpine");
    assert_link(root, "parent", "/tile/5/1/0/0.json?recipe=alpine");
    assert_link(root, "world", "/world/5?recipe=alpine");
    json_decref(root);
}

static void digests_are_hexadecimal(void **state)
{
    struct terrane_world world = {.seed = 0};
    char text[33];

    (void)state;
    for (int i = 0; i < 16; i++)
        world.digest.byte[i] = (uint8_t)(17 * i);
    describe_digest(&world, text);
    assert_string_equal(text, "00112233445566778899aabbccddeeff");
}

/* ---- Short memory -------------------------------------------------------------------------------------- */

static long allocations, fail_at, balance;

static void *count_malloc(size_t bytes)
{
    if (allocations++ == fail_at)
        return NULL;
    balance++;
    return malloc(bytes);
}

static void count_free(void *memory)
{
    balance -= memory != NULL;
    free(memory);
}

static int describe_either(bool tile, unsigned char **data, size_t *bytes)
{
    const struct tile_key key = key_of(42, 3, -5, 7, 0);
    const struct tile_facts facts = facts_of(&key);
    struct terrane_world world;

    terrane_world_init(&world, recipe_eroding(), 42);
    return tile ? describe_tile(&key, &world, &facts, data, bytes)
                : describe_world(&world, &standard, data, bytes);
}

/* Whichever allocation of jansson's fails: no answer, or the whole answer, and nothing is left behind. */
static void short_memory_leaves_nothing_out(void **state)
{
    unsigned char *whole, *data;
    size_t whole_bytes, bytes;

    (void)state;
    json_set_alloc_funcs(count_malloc, count_free);
    for (int tile = 0; tile < 2; tile++) {
        fail_at = -1;
        assert_int_equal(describe_either(tile, &whole, &whole_bytes), 0);
        int refused = 0;
        for (fail_at = 0;; fail_at++) {
            allocations = balance = 0;
            data = NULL;
            const int result = describe_either(tile, &data, &bytes);
            if (result == 0) {
                if (bytes != whole_bytes || memcmp(data, whole, bytes) != 0)
                    fail_msg("allocation %ld failed, and the answer is another", fail_at);
                free(data);
            } else {
                assert_null(data);
                refused++;
            }
            if (balance != 0)
                fail_msg("allocation %ld failed: %ld blocks are left", fail_at, balance);
            if (allocations <= fail_at) /* there was no such allocation */
                break;
        }
        assert_true(refused > 10);
        free(whole);
    }
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_described),
        cmocka_unit_test(zones_have_names_colours_and_shares),
        cmocka_unit_test(links_lead_to_what_exists),
        cmocka_unit_test(eroded_tiles_say_so),
        cmocka_unit_test(produced_tiles_agree_with_themselves),
        cmocka_unit_test(worlds_are_described),
        cmocka_unit_test(worlds_tell_erosion_and_lakes),
        cmocka_unit_test(worlds_of_other_recipes_are_named_in_links),
        cmocka_unit_test(digests_are_hexadecimal),
        cmocka_unit_test(short_memory_leaves_nothing_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
