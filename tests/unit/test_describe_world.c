/*
 * Worlds as JSON (server/encode/describe.c): members, types, values and links.
 */
#include "describe_kit.h"

static bool lists(json_t *array, const char *name)
{
    size_t i;
    json_t *item;
    int found = 0;

    json_array_foreach(array, i, item) found += strcmp(json_string_value(item), name) == 0;
    return found == 1;
}

/* Formats that an ending of a path names. */
static size_t endings(void)
{
    size_t count = 0;
    for (int f = 0; f < FORMATS; f++)
        count += tile_ending_name[f] != NULL;
    return count;
}

static void check_layer(json_t *layer, enum tile_layer l)
{
    size_t formats = 0, encodings = 0;

    assert_text(layer, "name", tile_layer_name[l]);
    for (int f = 0; f < FORMATS; f++) {
        if (!tile_ending_name[f])
            continue;
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
    assert_int_equal(json_array_size(at(root, "layers")), LAYER_FLOW + 1);
    for (int layer = 0; layer <= LAYER_FLOW; layer++) {
        snprintf(path, sizeof path, "layers.%d", layer);
        check_layer(at(root, path), (enum tile_layer)layer);
    }
    assert_int_equal(json_array_size(at(root, "formats")), endings() - 1); /* no lines */
    assert_false(lists(at(root, "formats"), "geojson"));
    assert_null(json_object_get(root, "paths"));
    assert_null(json_object_get(root, "caves"));
    assert_int_equal(json_array_size(at(root, "variants")), erodes ? 2 : 1);
    assert_text(root, "variants.0", "base");
    assert_text(root, "variant", erodes ? "eroded" : "base");
    assert_int_equal(json_array_size(at(root, "encodings")), ENCS_PNG);
    json_decref(root);
}

/* What recipes without them say nothing of. */
static void worlds_tell_paths_and_caves(void **state)
{
    static const char *const variants[] = {"base", "eroded", "carved"};
    const struct terrane_recipe *recipe = recipe_hollow();
    json_t *const root = describe_of(recipe);
    char path[40];

    (void)state;
    assert_int_equal(json_array_size(at(root, "layers")), LAYERS);
    for (int layer = 0; layer < LAYERS; layer++) {
        snprintf(path, sizeof path, "layers.%d", layer);
        check_layer(at(root, path), (enum tile_layer)layer);
    }
    assert_int_equal(json_array_size(at(root, "formats")), endings());
    assert_int_equal(json_array_size(at(root, "variants")), 3);
    for (int v = 0; v < 3; v++) {
        snprintf(path, sizeof path, "variants.%d", v);
        assert_text(root, path, variants[v]);
    }
    assert_text(root, "variant", "carved");
    assert_number(root, "paths.lod", recipe->paths.level);
    assert_number(root, "paths.cell_m", recipe->spacing_m * 16 * 64);
    assert_number(root, "paths.width_m", 6);
    assert_number(root, "paths.border_m", 12);
    assert_number(root, "paths.slope", 0.25);
    assert_number(root, "paths.depth_m", 12);
    assert_number(root, "paths.bound_m", terrane_paths_bound_m(recipe));
    const int carved = (int)number_at(root, "paths.carved_levels");
    assert_true(carved > 0 && terrane_paths_carved(recipe, carved - 1) &&
                !terrane_paths_carved(recipe, carved));
    assert_number(root, "caves.lod", recipe->caves.level);
    assert_number(root, "caves.share", 1);
    assert_number(root, "caves.cell_m", recipe->spacing_m * 4 * 128);
    assert_number(root, "caves.radius_m", recipe->spacing_m * 4 * 40);
    assert_number(root, "caves.roof_m", 12);
    for (int level = 0; level < 5; level++) {
        snprintf(path, sizeof path, "levels.%d.geometric_error_m", level);
        assert_number(root, path,
                      terrane_level_error_m(recipe, level) + terrane_erosion_error_m(recipe, level) +
                          (level > 0 ? terrane_paths_bound_m(recipe) : 0));
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_described),
        cmocka_unit_test(worlds_tell_erosion_and_lakes),
        cmocka_unit_test(worlds_tell_paths_and_caves),
        cmocka_unit_test(worlds_of_other_recipes_are_named_in_links),
        cmocka_unit_test(digests_are_hexadecimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
