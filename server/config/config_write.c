/*
 * Writes a configuration as the text of a file, and finds keys that a running server cannot change, by walking the
 * table of keys.
 *
 * config_parse of the text by config_text gives the same configuration, and config_text of that the same text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "../base/remote_url.h"
#include "config_key.h"

/* ---- Values as JSON: each returns owned, NULL when memory is short --------------------------------------- */

static bool is_utf8(const char *text)
{
    size_t bytes = 1;

    for (; *text != '\0' && bytes > 0; text += bytes)
        bytes = text_utf8_bytes((const unsigned char *)text);
    return bytes > 0;
}

static json_t *string_json(const char *text)
{
    if (!text)
        return json_string("");
    if (is_utf8(text))
        return json_string(text);
    char *const copy = strdup(text);
    for (char *at = copy; at && *at != '\0'; at++)
        if ((unsigned char)*at > 0x7f)
            *at = '?';
    json_t *const json = copy ? json_string(copy) : NULL;
    free(copy);
    return json;
}

/* A URL without its password. */
static json_t *store_json(const char *text)
{
    char masked[REMOTE_URL_BYTES];

    snprintf(masked, sizeof masked, "%s", text);
    remote_url_mask(masked);
    return string_json(masked);
}

static json_t *list_json(const struct config_list *list)
{
    json_t *array = json_array();

    for (size_t i = 0; i < list->count && array; i++) {
        json_append(&array, string_json(list->item[i]));
    }
    return array;
}

/* A seed alone, or {"seed": "42", "recipe": "alpine", "secret": true}. */
static json_t *world_json(const struct config_world *world)
{
    char seed[24];

    snprintf(seed, sizeof seed, "%" PRIu64, world->seed);
    if (world->recipe[0] == '\0' && world->generator == 0 && world->secret == SECRET_UNSAID && !world->client)
        return json_string(seed);
    json_t *object = json_pack("{s:s}", "seed", seed);
    if (world->recipe[0] != '\0')
        json_put(&object, "recipe", json_string(world->recipe));
    if (world->generator != 0)
        json_put(&object, "generator", json_integer(world->generator));
    if (world->secret != SECRET_UNSAID)
        json_put(&object, "secret", json_boolean(world->secret == SECRET_YES));
    if (world->client)
        json_put(&object, "client", json_true());
    return object;
}

static json_t *worlds_json(const struct config *config)
{
    json_t *object = json_object();

    for (size_t i = 0; i < config->worlds.named.count && object; i++) {
        const struct config_world *const world = &config->worlds.named.world[i];
        json_put(&object, world->name, world_json(world));
    }
    return object;
}

static uint64_t integer_of(const struct config *config, const struct key *key)
{
    uint32_t narrow;
    uint64_t wide;

    if (key->bytes == sizeof wide) {
        memcpy(&wide, config_key_peek(config, key), sizeof wide);
        return wide;
    }
    memcpy(&narrow, config_key_peek(config, key), sizeof narrow);
    return narrow;
}

static const char *string_of(const struct config *config, const struct key *key)
{
    const char *text;

    memcpy(&text, config_key_peek(config, key), sizeof text);
    return text ? text : "";
}

static json_t *value_json(const struct config *config, const struct key *key)
{
    switch (key->type) {
    case KEY_NOTE:
        return json_stringn(key->standard + 1, strlen(key->standard) - 2); /* plain, in quotes */
    case KEY_INTEGER:
        return json_integer((json_int_t)integer_of(config, key));
    case KEY_BOOLEAN:
        return json_boolean(*(const bool *)config_key_peek(config, key));
    case KEY_CHOICE:
        return json_string(key->words[integer_of(config, key)]);
    case KEY_HOSTS:
    case KEY_NETWORKS:
        return list_json(config_key_peek(config, key));
    case KEY_WORLDS:
        return worlds_json(config);
    case KEY_STORE:
        return store_json(string_of(config, key));
    case KEY_TEXT:
    case KEY_RECIPE:
    case KEY_ADDRESS:
        break;
    }
    return string_json(string_of(config, key));
}

/* ---- The text ------------------------------------------------------------------------------------------ */

/* Puts a value at a path below root, and makes missing groups. Takes the value (NULL: memory is short). */
static int value_put(json_t *root, const char *path, json_t *value)
{
    const char *dot;

    while ((dot = strchr(path, '.')) != NULL) {
        char name[CONFIG_PATH_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
        json_t *group = json_object_get(root, name);
        if (!group) {
            group = json_object();
            if (json_object_set_new(root, name, group) != 0) {
                json_decref(value);
                return -1;
            }
        }
        root = group;
        path = dot + 1;
    }
    return json_object_set_new(root, path, value);
}

char *config_text(const struct config *config)
{
    json_t *const root = json_object();
    const struct key *key;
    size_t bytes;

    for (size_t k = 0; root && (key = config_key_at(k)) != NULL; k++) {
        if (value_put(root, key->path, value_json(config, key)) != 0) {
            json_decref(root);
            return NULL;
        }
    }
    return json_text(root, JSON_INDENT(2), &bytes);
}

bool config_has_secret(const struct config *config)
{
    char masked[REMOTE_URL_BYTES];
    const char *const text = config->cache.shared ? config->cache.shared : "";

    snprintf(masked, sizeof masked, "%s", text);
    remote_url_mask(masked);
    return strcmp(masked, text) != 0;
}

/* ---- Two configurations -------------------------------------------------------------------------------- */

static bool key_is_off(const struct config *config, const struct key *key)
{
    return config_key_is_string(key) ? string_of(config, key)[0] == '\0' : integer_of(config, key) == 0;
}

static bool key_is_same(const struct config *a, const struct config *b, const struct key *key)
{
    if (config_key_is_string(key))
        return strcmp(string_of(a, key), string_of(b, key)) == 0;
    CHECK(key->type == KEY_INTEGER || key->type == KEY_BOOLEAN || key->type == KEY_CHOICE);
    return memcmp(config_key_peek(a, key), config_key_peek(b, key), key->bytes) == 0;
}

static bool is_kept(const struct config *running, const struct config *fresh, const struct key *key)
{
    return (key->change == CHANGE_FIXED && !key_is_same(running, fresh, key)) ||
           (key->change == CHANGE_SWITCH && key_is_off(running, key) != key_is_off(fresh, key));
}

int config_keep(const struct config *running, struct config *fresh)
{
    const struct key *key;
    for (size_t k = 0; (key = config_key_at(k)) != NULL; k++) {
        const bool text = config_key_is_string(key);
        if (!is_kept(running, fresh, key) || (text && key->change == CHANGE_SWITCH))
            continue;
        if (!text) {
            memcpy(config_key_member(fresh, key), config_key_peek(running, key), key->bytes);
            continue;
        }
        char **member = config_key_member(fresh, key), *copy = strdup(string_of(running, key));
        if (!copy)
            return -1;
        free(*member);
        *member = copy;
    }
    return 0;
}

bool config_needs_restart(const struct config *running, const struct config *fresh, char *names,
                          size_t names_bytes)
{
    const struct key *key;
    bool needed = false;
    size_t used = 0;

    if (names_bytes > 0)
        names[0] = '\0';
    for (size_t k = 0; (key = config_key_at(k)) != NULL; k++) {
        /* what neither says differs where the server chose it, by its memory */
        if (!is_kept(running, fresh, key) ||
            !(config_is_given(running, key->path) || config_is_given(fresh, key->path)))
            continue;
        if (used < names_bytes)
            used += (size_t)snprintf(names + used, names_bytes - used, "%s%s", needed ? ", " : "", key->path);
        needed = true;
    }
    return needed;
}
