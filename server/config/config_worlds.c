/*
 * worlds.named: names that stand for a seed, or for a seed, a recipe and a generator.
 *
 *     "home": 42      "alps": "0xfeedface"      "peaks": {"seed": 42, "recipe": "alpine", "generator": 7, "secret": true}
 *     "near": {"seed": 42, "client": true}
 *
 * The recipe book checks that the recipe exists.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "config_key.h"

#define WORLD_MEMBERS "seed, recipe, generator, secret, client"

static int world_compare(const void *a, const void *b)
{
    return strcmp(((const struct config_world *)a)->name, ((const struct config_world *)b)->name);
}

static int seed_read(struct config_world *world, const struct config_source *source, const char *path,
                     const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];
    int64_t number;

    if (json_is_string(value) && text_seed(json_string_value(value), &world->seed))
        return 0;
    if (text_value_integer(value, &number) && number >= 0) {
        world->seed = (uint64_t)number;
        return 0;
    }
    text_value_show(value, shown, sizeof shown);
    return config_refuse(source, path,
                         "%s is no seed: allowed \"0\" .. \"%" PRIu64 "\", \"0x0\" .. \"0x%" PRIx64
                         "\", or an integer from 0",
                         shown, UINT64_MAX, UINT64_MAX);
}

static int recipe_read(struct config_world *world, const struct config_source *source, const char *path,
                       const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    if (json_is_string(value) && text_recipe(json_string_value(value))) {
        memcpy(world->recipe, json_string_value(value), strlen(json_string_value(value)) + 1);
        return 0;
    }
    text_value_show(value, shown, sizeof shown);
    return config_refuse(source, path, "%s is no name of a recipe: allowed [a-z][a-z0-9-]{0,%d}", shown,
                         TEXT_NAME_BYTES - 1);
}

static int boolean_read(bool *out, const struct config_source *source, const char *path, const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    *out = json_is_true(value);
    if (json_is_boolean(value))
        return 0;
    text_value_show(value, shown, sizeof shown);
    return config_refuse(source, path, "%s is not a boolean: allowed true, false", shown);
}

static int secret_read(struct config_world *world, const struct config_source *source, const char *path,
                       const json_t *value)
{
    bool secret;
    const int result = boolean_read(&secret, source, path, value);

    world->secret = secret ? SECRET_YES : SECRET_NO;
    return result;
}

static int generator_read(struct config_world *world, const struct config_source *source, const char *path,
                          const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];
    int64_t number;

    if (text_value_integer(value, &number) && number >= TERRANE_GENERATOR_OLDEST &&
        number <= TERRANE_GENERATOR_VERSION) {
        world->generator = (int)number;
        return 0;
    }
    text_value_show(value, shown, sizeof shown);
    return config_refuse(source, path, "%s is no generator of this program: allowed %d .. %d", shown,
                         TERRANE_GENERATOR_OLDEST, TERRANE_GENERATOR_VERSION);
}

/* {"seed": 42, "recipe": "alpine", "generator": 7, "secret": true} */
static int object_read(struct config_world *world, const struct config_source *source, const char *group,
                       json_t *object)
{
    char path[CONFIG_PATH_BYTES];

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *const key = json_object_iter_key(at);
        config_path_join(path, sizeof path, group, key);
        int result;
        if (strcmp(key, "seed") == 0)
            result = seed_read(world, source, path, json_object_iter_value(at));
        else if (strcmp(key, "recipe") == 0)
            result = recipe_read(world, source, path, json_object_iter_value(at));
        else if (strcmp(key, "generator") == 0)
            result = generator_read(world, source, path, json_object_iter_value(at));
        else if (strcmp(key, "secret") == 0)
            result = secret_read(world, source, path, json_object_iter_value(at));
        else if (strcmp(key, "client") == 0)
            result = boolean_read(&world->client, source, path, json_object_iter_value(at));
        else
            result = config_refuse(source, path, "unknown key: allowed " WORLD_MEMBERS);
        if (result != 0)
            return result;
    }
    if (world->client && world->secret == SECRET_YES)
        return config_refuse(source, group,
                             "client and secret are both true: clients are told the seed, or nobody is");
    return json_object_get(object, "seed")
               ? 0
               : config_refuse(source, group, "has no seed: allowed " WORLD_MEMBERS);
}

/* Fills a world from one member of worlds.named. */
static int world_read(struct config_world *world, const struct config_source *source, const char *group,
                      const char *name, json_t *value)
{
    char path[CONFIG_PATH_BYTES];

    config_path_join(path, sizeof path, group, name);
    if (!text_name(name))
        return config_refuse(source, path, "is no name of a world: allowed [A-Za-z][A-Za-z0-9_-]{0,%d}",
                             TEXT_NAME_BYTES - 1);
    memcpy(world->name, name, strlen(name) + 1);
    return json_is_object(value) ? object_read(world, source, path, value)
                                 : seed_read(world, source, path, value);
}

int config_worlds_apply(struct config *config, const struct config_source *source, const char *path,
                        json_t *object)
{
    const size_t count = json_object_size(object);
    size_t filled = 0;
    int result = -1;

    if (count > CONFIG_WORLDS)
        return config_refuse(source, path, "%zu worlds: allowed at most %d", count, CONFIG_WORLDS);
    struct config_worlds *const worlds = &config->worlds;
    struct config_world *world = calloc(count > 0 ? count : 1, sizeof *world);
    if (!world)
        return config_refuse(source, path, "out of memory");
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        if (world_read(&world[filled], source, path, json_object_iter_key(at), json_object_iter_value(at)) !=
            0)
            goto out;
        filled++;
    }
    qsort(world, filled, sizeof *world, world_compare);
    free(worlds->named.world);
    worlds->named.world = world;
    worlds->named.count = filled;
    world = NULL;
    result = 0;
out:
    free(world);
    return result;
}
