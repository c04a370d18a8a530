/*
 * Names of worlds and recipes. The configuration is checked against the book once, at the start, so that looking a
 * world up cannot fail later.
 */
#include "worlds.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/text.h"

/* "there is no recipe NAME", and the nearest one or all of them. */
static void unknown_refuse(const struct book *book, const char *key, const char *name, char *error,
                           size_t error_bytes)
{
    char shown[TEXT_SHOWN_BYTES], allowed[300] = "";
    const char *nearest = NULL;
    const struct recipe *recipe;
    int min = 3;
    size_t used = 0;
    text_show(shown, sizeof shown, name);
    for (size_t k = 0; (recipe = book_at(book, k)) != NULL; k++) {
        const int distance = text_distance(name, strlen(name), recipe->name, strlen(recipe->name));
        if (distance < min && (size_t)distance < strlen(name)) {
            nearest = recipe->name;
            min = distance;
        }
        if (used < sizeof allowed)
            used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", used ? ", " : "",
                                     recipe->name);
    }
    snprintf(error, error_bytes, "%s: there is no recipe %s%s%s%s", key, shown,
             nearest ? "; did you mean \"" : ": allowed ", nearest ? nearest : allowed, nearest ? "\"?" : "");
}

/* The recipe of that name; NULL: there is none, and error says so of the key. */
static const struct recipe *recipe_of(const struct book *book, const char *key, const char *name, char *error,
                                      size_t error_bytes)
{
    const struct recipe *recipe = book_find(book, name, strlen(name));
    if (!recipe)
        unknown_refuse(book, key, name, error, error_bytes);
    return recipe;
}

/* 0; -1: a named world has no recipe, or none in its generator, or one that clients cannot make. */
static int name_check(const struct worlds *worlds, const struct config_world *world, char *error,
                      size_t error_bytes)
{
    const struct recipe *recipe = worlds->standard;
    char key[TEXT_NAME_BYTES + 32];
    snprintf(key, sizeof key, "worlds.named.%s.recipe", world->name);
    if (world->recipe[0] && !(recipe = recipe_of(worlds->book, key, world->recipe, error, error_bytes)))
        return -1;
    if (world->client && recipe->rasters) {
        snprintf(error, error_bytes, "worlds.named.%s.client: recipe %s names files, which clients have not",
                 world->name, recipe->name);
        return -1;
    }
    if (!world->generator || recipe_under(recipe, world->generator))
        return 0;
    snprintf(error, error_bytes, "worlds.named.%s.generator: %d has no recipe %s", world->name,
             world->generator, recipe->name);
    return -1;
}

static int names_check(const struct worlds *worlds, char *error, size_t error_bytes)
{
    int result = 0;
    for (size_t k = 0; k < worlds->config->worlds.named.count && result == 0; k++)
        result = name_check(worlds, &worlds->config->worlds.named.world[k], error, error_bytes);
    return result;
}

size_t worlds_unpinned(const struct worlds *worlds, char *names, size_t names_bytes)
{
    size_t count = 0, used = 0;
    names[0] = '\0';
    for (size_t k = 0; k < worlds->config->worlds.named.count; k++) {
        const struct config_world *world = &worlds->config->worlds.named.world[k];
        if (world->generator || worlds->config->worlds.generator || worlds_recipe_of(worlds, world)->pins)
            continue;
        if (count++ < 4 && used < names_bytes)
            used += (size_t)snprintf(names + used, names_bytes - used, "%s%s", used ? ", " : "", world->name);
    }
    return count;
}

int worlds_open(struct worlds *worlds, const struct config *config, char *error, size_t error_bytes)
{
    *worlds = (struct worlds){.config = config};
    worlds->book = book_open(config->worlds.dir, (int)config->worlds.generator, error, error_bytes);
    if (worlds->book)
        worlds->standard =
            recipe_of(worlds->book, "worlds.default", config->worlds.standard, error, error_bytes);
    if (worlds->standard && names_check(worlds, error, error_bytes) == 0)
        return 0;
    worlds_close(worlds);
    return -1;
}

void worlds_close(struct worlds *worlds)
{
    book_free(worlds->book);
    free(worlds->alias);
    *worlds = (struct worlds){0};
}

const struct recipe *worlds_recipe_of(const struct worlds *worlds, const struct config_world *world)
{
    const struct recipe *recipe =
        world->recipe[0] ? book_find(worlds->book, world->recipe, strlen(world->recipe)) : worlds->standard;
    CHECK(recipe);
    if (world->generator)
        recipe = recipe_under(recipe, world->generator);
    CHECK(recipe);
    return recipe;
}

/* 0; -1: the library fails. */
static int alias_draw(struct terrane_digest *digest, uint64_t *ids, const struct terrane_recipe *recipe,
                      const struct config_world *config, const char *secret)
{
    enum { DIGEST = sizeof digest->byte };
    unsigned char text[DIGEST + TEXT_NAME_BYTES], drawn[32];
    const size_t name = strlen(config->name);
    struct terrane_world world;
    terrane_world_init(&world, recipe, config->seed);
    memcpy(text, world.digest.byte, DIGEST);
    memcpy(text + DIGEST, config->name, name);
    if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret, strlen(secret), text, DIGEST + name, drawn) != 0)
        return -1;
    memcpy(digest->byte, drawn, DIGEST);
    memcpy(ids, drawn + DIGEST, sizeof *ids);
    return 0;
}

static int alias_make(struct alias *alias, const struct worlds *worlds, const struct config_world *config,
                      const char *secret)
{
    const struct recipe *recipe = worlds_recipe_of(worlds, config);
    int result = 0;
    *alias = (struct alias){.name = config->name};
    for (int k = 0; k < GENERATORS && result == 0; k++) {
        const struct recipe *kept = recipe_under(recipe, TERRANE_GENERATOR_OLDEST + k);
        if (kept)
            result = alias_draw(&alias->under[k].digest, &alias->under[k].ids, &kept->world, config, secret);
    }
    return result;
}

int worlds_hide(struct worlds *worlds, const char *secret, char *error, size_t error_bytes)
{
    const struct config_named *named = &worlds->config->worlds.named;
    int result = 0;
    worlds->alias = calloc(named->count + 1, sizeof *worlds->alias);
    if (!worlds->alias)
        result = -1;
    for (size_t k = 0; k < named->count && result == 0; k++)
        if (config_world_is_secret(&named->world[k]))
            result = alias_make(&worlds->alias[k], worlds, &named->world[k], secret);
    if (result != 0)
        snprintf(error, error_bytes, "worlds.named: out of memory");
    return result;
}

bool worlds_named(const void *context, const char *name, size_t bytes, struct tile_key *key,
                  const struct recipe **recipe)
{
    const struct worlds *worlds = context;
    const struct config_world *world = config_world_find(worlds->config, name, bytes);
    if (!world)
        return false;
    const struct alias *alias =
        worlds->alias ? &worlds->alias[world - worlds->config->worlds.named.world] : NULL;
    key->seed = world->seed;
    key->alias = alias && alias->name ? alias : NULL;
    *recipe = worlds_recipe_of(worlds, world);
    return true;
}

const struct recipe *worlds_recipe(const void *context, const char *name, size_t bytes)
{
    return book_find(((const struct worlds *)context)->book, name, bytes);
}
