/*
 * Tiles as JSON (server/encode/describe.c): members, types, values and links.
 */
#include "describe_kit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_described),
        cmocka_unit_test(zones_have_names_colours_and_shares),
        cmocka_unit_test(links_lead_to_what_exists),
        cmocka_unit_test(eroded_tiles_say_so),
        cmocka_unit_test(produced_tiles_agree_with_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
