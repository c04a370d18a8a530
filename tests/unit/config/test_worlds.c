/*
 * worlds.named: seeds, names, recipes, many of them.
 */
#include "config_kit.h"

/* {"worlds": {"named": {"w0": 0, "w7919": 1, ...}}} in scattered order. Returns owned. */
static char *worlds_text(unsigned count)
{
    const size_t bytes = 64 + 32 * (size_t)count;
    char *const text = malloc(bytes);
    size_t used = (size_t)snprintf(text, bytes, "{\"worlds\": {\"named\": {");

    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s\"w%u\": \"%u\"", i ? "," : "",
                                 i * 7919U % count, i);
    snprintf(text + used, bytes - used, "}}}");
    return text;
}

TEST(worlds)
{
    struct config config = {0};
    char name[TEXT_NAME_BYTES + 2];

    assert_null(config_world_find(&config, "a", 1));
    char *text = worlds_text(CONFIG_WORLDS);
    assert_int_equal(parse(&config, text), 0);
    free(text);
    assert_int_equal(config.worlds.named.count, CONFIG_WORLDS);
    for (unsigned i = 0; i < CONFIG_WORLDS; i++) {
        const int bytes = snprintf(name, sizeof name, "w%uX", i * 7919U % CONFIG_WORLDS) - 1;
        const struct config_world *const world = config_world_find(&config, name, (size_t)bytes);
        assert_non_null(world);
        assert_int_equal(world->seed, i);
        assert_null(config_world_find(&config, name, (size_t)bytes + 1));
    }
    assert_null(config_world_find(&config, "", 0));
    assert_null(config_world_find(&config, "w1\0", 3));
    memset(name, 'w', sizeof name);
    assert_null(config_world_find(&config, name, sizeof name));

    assert_int_equal(parse(&config, "{\"worlds\": {\"named\": {\"Alps_2-b\": \"0x10\"}}}"), 0);
    assert_int_equal(config.worlds.named.count, 1);
    assert_int_equal(config_world_find(&config, "Alps_2-b", 8)->seed, 16);
    text = worlds_text(CONFIG_WORLDS + 1);
    assert_int_equal(parse(&config, text), -1);
    free(text);
    assert_string_equal(error, "a.json: worlds.named: 10001 worlds: allowed at most 10000");
    assert_int_equal(config.worlds.named.count, 1);
    config_free(&config);
}

/* What is taken: tests/http/test_recipes.py, test_access.py. */
TEST(worlds_that_are_none)
{
    assert_refused(
        "{\"worlds\": {\"default\": \"Desert\"}}",
        "a.json: worlds.default: \"Desert\" is no name of a recipe: allowed a name [a-z][a-z0-9-]{0,63}");
    assert_refused("{\"worlds\": {\"named\": {\"b\": {}}}}",
                   "a.json: worlds.named.b: has no seed: allowed seed, recipe, generator, secret, client");
    assert_refused("{\"worlds\": {\"named\": {\"b\": {\"seed\": 1, \"recipe\": 3}}}}",
                   "a.json: worlds.named.b.recipe: 3 is no name of a recipe: allowed [a-z][a-z0-9-]{0,63}");
    assert_refused(
        "{\"worlds\": {\"named\": {\"b\": {\"seed\": 1, \"recpe\": \"a\"}}}}",
        "a.json: worlds.named.b.recpe: unknown key: allowed seed, recipe, generator, secret, client");
}

TEST(secret_worlds)
{
    struct config config;

    load_defaults(&config);
    assert_int_equal(parse(&config,
                           "{\"worlds\": {\"named\": {\"a\": 1, \"b\": {\"seed\": 2, \"secret\": false}, "
                           "\"c\": {\"seed\": 3, \"client\": true}}}}"),
                     0);
    assert_ptr_equal(config_secret_world(&config), &config.worlds.named.world[0]);
    assert_int_equal(config_check(&config, "a.json", error, sizeof error), 0);
    assert_int_equal(config_set(&config, "cache.shared", "redis://h", NULL, error, sizeof error), 0);
    assert_int_equal(config_check(&config, "a.json", error, sizeof error), -1);
    assert_string_equal(
        error, "a.json: worlds.secret_file: \"\" is no file, but nodes that share a store have to share the "
               "secret of worlds.named.a: allowed a file, or \"secret\": false or \"client\": true there");
    config_free(&config);
    assert_refused("{\"worlds\": {\"named\": {\"b\": {\"seed\": 1, \"secret\": 1}}}}",
                   "a.json: worlds.named.b.secret: 1 is not a boolean: allowed true, false");
    assert_refused("{\"worlds\": {\"named\": {\"b\": {\"seed\": 1, \"client\": \"yes\"}}}}",
                   "a.json: worlds.named.b.client: \"yes\" is not a boolean: allowed true, false");
    assert_refused(
        "{\"worlds\": {\"named\": {\"b\": {\"client\": true, \"seed\": 1, \"secret\": true}}}}",
        "a.json: worlds.named.b: client and secret are both true: clients are told the seed, or nobody is");
}

GROUP(worlds);
