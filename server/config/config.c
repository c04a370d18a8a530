/*
 * The configuration: defaults, user's file, environment, command line, in this order, each over the one before.
 *
 * This file handles whole files and finished configurations; config_key.c and config_value.c define the keys,
 * their values and the refusal of wrong ones.
 *
 * The result of config_load has an allowed value for every key, since every key has a default.
 */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file_text.h"
#include "config_key.h"

/* jansson's messages may quote the text at the place: hide it if it may be a URL with a password. */
static void hide_secrets(char *trouble)
{
    char *const shown = strstr(trouble, " near '");

    if (shown && (strchr(shown, '@') || strstr(shown, "://")))
        *shown = '\0';
}

int config_parse(struct config *config, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes)
{
    const struct config_source source = {file, error, error_bytes};
    json_error_t trouble;
    int result;

    json_t *const root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    if (!root && json_error_code(&trouble) == json_error_out_of_memory)
        return config_refuse(&source, NULL, "out of memory");
    if (!root) {
        hide_secrets(trouble.text);
        return config_refuse(&source, NULL, "line %d, column %d: %s", trouble.line, trouble.column,
                             trouble.text);
    }
    result = config_object_apply(config, &source, "", root);
    json_decref(root);
    return result;
}

int config_load(struct config *config, const char *path, char *error, size_t error_bytes)
{
    const struct config_source source = {path, error, error_bytes};
    struct config fresh = {0};
    char *text = NULL, why[80];
    size_t bytes;

    int result = config_defaults_apply(&fresh, &source);
    if (result != 0 || !path)
        goto out;
    text = file_text(path, CONFIG_FILE_BYTES, &bytes, why, sizeof why);
    result = text ? config_parse(&fresh, text, bytes, path, error, error_bytes)
                  : config_refuse(&source, NULL, "%s", why);
out:
    free(text);
    if (result == 0)
        *config = fresh;
    else
        config_free(&fresh);
    return result;
}

int config_set(struct config *config, const char *key, const char *text, const char *label, char *error,
               size_t error_bytes)
{
    const struct config_source source = {NULL, error, error_bytes};

    return config_word_apply(config, &source, key, label ? label : key, text);
}

enum { HOME_BYTES = 2000 };

/* The URL of a server that may be followed: what is behind the scheme has no user, query or fragment. */
static bool is_home(const char *text)
{
    const size_t scheme = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
    const size_t bytes = strlen(text);
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/[]%";
    return scheme > 0 && bytes > scheme && bytes <= HOME_BYTES && text[scheme] != '/' &&
           text[bytes - 1] != '/' && strspn(text, allowed) == bytes;
}

int config_check(const struct config *config, const char *file, char *error, size_t error_bytes)
{
    const struct config_source source = {file, error, error_bytes};
    const struct config_http *const http = &config->http;
    const bool certificate = http->tls.certificate[0] != '\0';
    const bool key = http->tls.key[0] != '\0';

    if (http->connection_memory_bytes < 2 * http->target_bytes)
        return config_refuse(
            &source, "http.connection_memory_bytes",
            "%u is below twice http.target_bytes: allowed from %u, or a smaller http.target_bytes",
            http->connection_memory_bytes, 2 * http->target_bytes);
    if (certificate != key)
        return config_refuse(&source, key ? "http.tls.certificate" : "http.tls.key",
                             "\"\" is no file, and http.tls.%s is one: allowed both or neither",
                             key ? "key" : "certificate");
    const char *const port = strrchr(config->listen, ':');
    if (strcmp(config->listen, config->admin) == 0 && port && strcmp(port, ":0") != 0)
        return config_refuse(&source, "admin", "\"%s\" is listen, too: allowed another address, or \"\"",
                             config->admin);
    if (config->access.required && config->access.keys_file[0] == '\0')
        return config_refuse(&source, "access.required",
                             "true lets nobody in without keys: allowed false, or an access.keys_file");
    const char *const home = config->worlds.follow;
    if (home[0] != '\0' && config->worlds.shared_dir[0] == '\0')
        return config_refuse(&source, "worlds.follow",
                             "there is no worlds.shared_dir to copy worlds into: allowed with one, or \"\"");
    if (home[0] != '\0' && !is_home(home))
        return config_refuse(
            &source, "worlds.follow",
            "this is no home: allowed http:// or https://, a host, a port and a path of at most %d "
            "bytes, without user, query or a slash at the end",
            HOME_BYTES);
    const struct config_world *const secret = config_secret_world(config);
    if (secret && config->cache.shared[0] != '\0' && config->worlds.secret_file[0] == '\0')
        return config_refuse(
            &source, "worlds.secret_file",
            "\"\" is no file, but nodes that share a store have to share the secret of "
            "worlds.named.%s: allowed a file, or \"secret\": false or \"client\": true there",
            secret->name);
    return 0;
}

void config_free(struct config *config)
{
    config_strings_free(config);
    free(config->worlds.named.world);
    *config = (struct config){0};
}

const struct config_world *config_world_find(const struct config *config, const char *name, size_t bytes)
{
    const struct config_world *world = config->worlds.named.world;
    size_t count = config->worlds.named.count;
    char wanted[TEXT_NAME_BYTES + 1];

    if (bytes > TEXT_NAME_BYTES)
        return NULL;
    memcpy(wanted, name, bytes);
    wanted[bytes] = '\0';
    while (count > 0) { /* the wanted one, if any, is among world[0 .. count - 1] */
        const size_t middle = count / 2;
        const int order = strcmp(wanted, world[middle].name);
        if (order == 0)
            return strlen(wanted) == bytes ? &world[middle] : NULL;
        if (order > 0) {
            world += middle + 1;
            count -= middle + 1;
        } else {
            count = middle;
        }
    }
    return NULL;
}

bool config_world_is_secret(const struct config_world *world)
{
    return world->secret == SECRET_YES || (world->secret == SECRET_UNSAID && !world->client);
}

const struct config_world *config_secret_world(const struct config *config)
{
    for (size_t k = 0; k < config->worlds.named.count; k++)
        if (config_world_is_secret(&config->worlds.named.world[k]))
            return &config->worlds.named.world[k];
    return NULL;
}

char *config_cache_dir(const struct config *config)
{
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    char *dir = NULL;

    if (config->cache.dir && config->cache.dir[0] != '\0')
        return strdup(config->cache.dir);
    if (xdg && xdg[0] == '/')
        return asprintf(&dir, "%s/terrane", xdg) < 0 ? NULL : dir;
    if (home && home[0] == '/')
        return asprintf(&dir, "%s/.cache/terrane", home) < 0 ? NULL : dir;
    return strdup("/var/cache/terrane");
}
