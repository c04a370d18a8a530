/*
 * Settings: built in order of dependency, and freed in the opposite one. A failure leaves only its error line.
 */
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../access/keys.h"
#include "../base/file_text.h"
#include "../base/remote_url.h"
#include "../base/text.h"
#include "../config/config.h"
#include "world_secret.h"

/* ---- The shared tier's store ------------------------------------------------------------------------- */

enum { PASSWORD_FILE_BYTES = 4096 };

/* Appends a password to a URL, special bytes as %XX. Returns the text's end. */
static char *put_password(char *at, const char *password, size_t bytes)
{
    static const char digit[] = "0123456789ABCDEF";

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)password[i];
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            *at++ = (char)c;
        } else {
            *at++ = '%';
            *at++ = digit[c >> 4];
            *at++ = digit[c & 15];
        }
    }
    return at;
}

/* A URL with this password in place of its own. Owned; NULL when memory is short. */
static char *url_with(const char *url, const char *password, size_t bytes)
{
    const char *const colon = strstr(url, "://");
    const size_t scheme = colon ? (size_t)(colon - url) + 3 : 0;
    const char *const host = url + scheme;
    const char *const sign = host[0] == '/' ? NULL : strrchr(host, '@'); /* as remote_url_read has it */
    const size_t user = sign ? strcspn(host, ":@") : 0;
    char *const text = malloc(scheme + user + 1 + 3 * bytes + 1 + strlen(host) + 1), *at = text;

    if (!text)
        return NULL;
    memcpy(at, url, scheme + user);
    at += scheme + user;
    *at++ = ':';
    at = put_password(at, password, bytes);
    *at++ = '@';
    memcpy(at, sign ? sign + 1 : host, strlen(sign ? sign + 1 : host) + 1);
    return text;
}

char *store_url_read(const struct config_cache *cache, char *error, size_t error_bytes)
{
    static const char key[] = "cache.shared_password_file";
    const char *const file = cache->shared_password_file;
    struct remote_url url;
    char why[CONFIG_ERROR_BYTES], *text;
    size_t bytes, line_bytes;

    if (cache->shared[0] == '\0' || file[0] == '\0') {
        text = strdup(cache->shared);
        if (!text)
            snprintf(error, error_bytes, "out of memory");
        return text;
    }
    char *const content = file_text(file, PASSWORD_FILE_BYTES, &bytes, why, sizeof why);
    if (!content) {
        text_print(error, error_bytes, "%s: %s: %s", key, file, why);
        return NULL;
    }
    const char *const line = key_text_line(content, bytes, &line_bytes);
    text = line_bytes > 0 ? url_with(cache->shared, line, line_bytes) : NULL;
    if (line_bytes == 0) {
        text_print(error, error_bytes, "%s: %s: its first line is empty: allowed a password", key, file);
    } else if (!text) {
        snprintf(error, error_bytes, "out of memory");
    } else if (remote_url_read(&url, text, why, sizeof why) != 0) {
        text_print(error, error_bytes, "%s: %s: no password for cache.shared: %s", key, file, why);
        secret_free(text);
        text = NULL;
    }
    explicit_bzero(&url, sizeof url);
    explicit_bzero(content, bytes);
    free(content);
    return text;
}

static void settings_free(struct refcount *references)
{
    struct settings *const settings = (struct settings *)references; /* its first member */

    secret_free(settings->shared_url);
    secret_free(settings->admin_token);
    networks_free(settings->proxies);
    keys_free(settings->keys);
    worlds_close(&settings->worlds);
    config_free(&settings->config);
    free(settings);
}

/* Loads the configuration: the file, overridden by environment and command line, then checks rules over several keys. */
static int configure(struct config *config, const struct settings_source *source, char *error,
                     size_t error_bytes)
{
    if (config_environment_load(config, source->file, error, error_bytes) != 0)
        return -1;
    for (size_t i = 0; i < SETTINGS_OVERRIDES; i++)
        if (source->override[i].value &&
            config_set(config, source->override[i].key, source->override[i].value, source->override[i].label,
                       error, error_bytes) != 0)
            return -1;
    return config_check(config, config_environment_file(source->file), error, error_bytes);
}

static int hide_worlds(struct settings *settings, char *error, size_t error_bytes)
{
    char *secret = world_secret_have(&settings->config, error, error_bytes);
    const int result = secret ? worlds_hide(&settings->worlds, secret, error, error_bytes) : -1;

    secret_free(secret);
    return result;
}

/* Reads the files that the configuration names. */
static int files_read(struct settings *settings, bool looks, char *error, size_t error_bytes)
{
    const struct config *const config = &settings->config;

    if (worlds_open(&settings->worlds, config, error, error_bytes) != 0)
        return -1;
    if (config->access.keys_file[0] != '\0') {
        settings->keys = keys_open(config->access.keys_file, error, error_bytes);
        if (!settings->keys)
            return -1;
    }
    settings->proxies =
        networks_create(&config->http.trusted_proxies, "http.trusted_proxies", error, error_bytes);
    if (!settings->proxies)
        return -1;
    if (config->access.admin_token_file[0] != '\0') {
        settings->admin_token = secret_read(config->access.admin_token_file, error, error_bytes);
        if (!settings->admin_token)
            return -1;
    }
    if (config_secret_world(config) && !(looks && config->worlds.secret_file[0] == '\0') &&
        hide_worlds(settings, error, error_bytes) != 0)
        return -1;
    return 0;
}

/* Of what the configuration says now: a file that it no longer names may be gone. */
static int store_read(struct settings *settings, char *error, size_t error_bytes)
{
    settings->shared_url = store_url_read(&settings->config.cache, error, error_bytes);
    return settings->shared_url ? 0 : -1;
}

/* What a running server cannot change stays as it is, before anything is made of it. */
static int keep_running(const struct config *begun, const struct config *now, struct config *config,
                        char *restart, size_t restart_bytes, char *error, size_t error_bytes)
{
    if (!begun)
        return 0;
    config_needs_restart(begun, config, restart, restart_bytes);
    if (config_keep(now, config) != 0) {
        snprintf(error, error_bytes, "out of memory");
        return -1;
    }
    if (*config->cache.shared && !*config->worlds.secret_file && config_secret_world(config)) {
        snprintf(
            error, error_bytes,
            "worlds.secret_file: is needed by secret worlds until a restart ends the use of cache.shared");
        return -1;
    }
    return 0;
}

struct settings *settings_load(const struct settings_source *source, const struct config *begun,
                               const struct config *now, char *restart, size_t restart_bytes, char *error,
                               size_t error_bytes)
{
    struct settings *const settings = calloc(1, sizeof *settings);

    if (!settings) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    refcount_init(&settings->references, settings_free);
    if (configure(&settings->config, source, error, error_bytes) == 0 &&
        store_read(settings, error, error_bytes) == 0 &&
        keep_running(begun, now, &settings->config, restart, restart_bytes, error, error_bytes) == 0 &&
        files_read(settings, source->looks, error, error_bytes) == 0) {
        host_limits_read(&settings->limits);
        settings->fits = host_limits_fit(&settings->limits, &settings->config, settings->note);
        return settings;
    }
    refcount_release(&settings->references);
    return NULL;
}

/*
 * Compares seeds with up to CONFIG_WORLDS worlds, of which nearly all fail at once: some 10 us, and only if worlds
 * are closed.
 */
void settings_tell_unpinned(const struct settings *settings)
{
    char names[4 * (TEXT_NAME_BYTES + 2)];
    const size_t count = worlds_unpinned(&settings->worlds, names, sizeof names);

    if (count > 0)
        log_write(LOG_INFO, "worlds",
                  "%s%s: %zu named world%s would change with the next generator; \"generator\": %d in "
                  "worlds.named keeps "
                  "%s as %s",
                  names, count > 4 ? ", ..." : "", count, count > 1 ? "s" : "", TERRANE_GENERATOR_VERSION,
                  count > 1 ? "them" : "it", count > 1 ? "they are" : "it is");
}

void settings_tell_changed(const struct settings *before, const struct settings *now)
{
    char names[SETTINGS_STALE_BYTES];
    const size_t count = worlds_changed(&before->worlds, &now->worlds, names, sizeof names);

    if (count > 0)
        log_write(LOG_WARNING, "worlds", "%s%s: %s changed, so that there are other worlds now", names,
                  count > WORLDS_CHANGED_NAMED ? ", ..." : "", count > 1 ? "files have" : "the file has");
}

size_t settings_look_at_files(const struct settings *settings, char *told)
{
    char names[SETTINGS_STALE_BYTES];
    const size_t count = worlds_stale(&settings->worlds, names, sizeof names);
    const bool same = strcmp(names, told) == 0;

    if (count > 0 && !same)
        log_write(LOG_WARNING, "worlds",
                  "%s%s: %s changed on the disk: worlds stay as they were read, until a reload makes others",
                  names, count > WORLDS_CHANGED_NAMED ? ", ..." : "",
                  count > 1 ? "files have" : "the file has");
    snprintf(told, SETTINGS_STALE_BYTES, "%s", names);
    return count;
}

bool settings_allow_world(const struct settings *settings, const struct tile_key *key,
                          const struct recipe *recipe)
{
    const struct config_named *const named = &settings->config.worlds.named;

    if (key->edits) /* of a name that is there, and with its own recipe: target.c */
        return true;
    if (settings->config.worlds.open && !key->alias)
        return true;
    for (size_t k = 0; k < named->count; k++) {
        const struct config_world *const world = &named->world[k];
        const bool secret = config_world_is_secret(world);
        if (world->seed == key->seed && (key->alias ? key->alias->name == world->name : !secret) &&
            recipe == recipe_under(worlds_recipe_of(&settings->worlds, world), recipe->world.generator))
            return true;
    }
    return false;
}
