/*
 * Settings of a running server, and their change.
 *
 * A reload reads everything first and changes nothing until all of it is good. Then it applies budgets and limits, and
 * the new settings become current: threads that answer use them from their next request on.
 */
#include "service.h"

#include <string.h>

#include "../base/text.h"
#include "../shared/shared.h"
#include "tls.h"

enum { FOLLOW_HEARTBEATS = 4 /* that a home may leave out: it may beat more slowly than this server */ };

/* A name means one world; else what is done to one would be seen in neither. */
static bool names_differ(const struct settings *settings, const struct shared *shared, char *error,
                         size_t error_bytes)
{
    const struct shared_world *world;
    for (size_t k = 0; (world = shared_at(shared, k)) != NULL; k++) {
        struct tile_key key;
        const struct recipe *recipe;
        const char *const name = world->name;
        if (!worlds_named(&settings->worlds, name, strlen(name), &key, &recipe))
            continue;
        text_print(error, error_bytes, "worlds.named: %s is the name of a world of worlds.shared_dir", name);
        return false;
    }
    return true;
}

static bool is_taken(void *context, const char *name)
{
    unsigned version;
    struct settings *const settings = service_settings(context, &version);
    struct tile_key key;
    const struct recipe *recipe;
    const bool taken = worlds_named(&settings->worlds, name, strlen(name), &key, &recipe);
    refcount_release(&settings->references);
    return taken;
}

static bool follow_home_of(struct service *service, char *error, size_t error_bytes)
{
    const struct config_worlds *worlds = &service->begun->config.worlds;
    if (*worlds->follow_key_file)
        service->follow_key = secret_read(worlds->follow_key_file, error, error_bytes);
    if (*worlds->follow_key_file && !service->follow_key)
        return false;
    const struct follow_options options = {.home = worlds->follow,
                                           .key = service->follow_key,
                                           .shared = service->shared,
                                           .is_taken = is_taken,
                                           .context = service,
                                           .silent_s = FOLLOW_HEARTBEATS * worlds->heartbeat_s};
    service->follow = follow_open(&options, error, error_bytes);
    return service->follow != NULL;
}

bool service_open_worlds(struct service *service, char *error, size_t error_bytes)
{
    const char *dir = service->settings->config.worlds.shared_dir;
    service->shared = *dir ? shared_open(dir, error, error_bytes) : NULL;
    service->settings->shared = service->shared;
    if (*dir && (!service->shared || !names_differ(service->settings, service->shared, error, error_bytes)))
        return false;
    return !*service->settings->config.worlds.follow || follow_home_of(service, error, error_bytes);
}

int service_begin(struct service *service, const struct settings_source *source, char *error,
                  size_t error_bytes)
{
    service->source = *source;
    service->settings = settings_load(source, NULL, NULL, NULL, 0, error, error_bytes);
    if (!service->settings)
        return -1;
    service->begun = service->settings;
    refcount_hold(&service->begun->references);
    uv_mutex_init(&service->lock);
    uv_mutex_init(&service->reloading);
    atomic_init(&service->settings_version, 1);
    service->compression = service->settings->config.http.compression;
    return 0;
}

void service_close_worlds(struct service *service)
{
    follow_close(service->follow);
    service->follow = NULL;
    secret_free(service->follow_key);
    service->follow_key = NULL;
    shared_close(service->shared);
    service->shared = NULL;
}

void service_end(struct service *service)
{
    if (!service->settings)
        return;
    service_close_worlds(service);
    refcount_release(&service->settings->references);
    refcount_release(&service->begun->references);
    service->settings = service->begun = NULL;
    uv_mutex_destroy(&service->lock);
    uv_mutex_destroy(&service->reloading);
}

struct settings *service_settings(struct service *service, unsigned *version)
{
    uv_mutex_lock(&service->lock);
    struct settings *settings = service->settings;
    refcount_hold(&settings->references);
    *version = atomic_load(&service->settings_version);
    uv_mutex_unlock(&service->lock);
    return settings;
}

void service_look_at_files(struct service *service)
{
    unsigned version;
    struct settings *const settings = service_settings(service, &version);
    const size_t count = settings_look_at_files(settings, service->stale);
    atomic_store_explicit(&service->metrics.files_changed, (int_fast64_t)count, memory_order_relaxed);
    refcount_release(&settings->references);
}

/* Under the lock: opens or moves the access log. Once begun, it can only be moved. */
static int log_follow(struct service *service, const char *path, char *error, size_t error_bytes)
{
    struct access_log *log = atomic_load(&service->log);
    if (log)
        return access_log_reopen(log, *path ? path : "/dev/null", error, error_bytes);
    if (!*path)
        return 0;
    log = access_log_open(path, &service->metrics, error, error_bytes);
    atomic_store(&service->log, log);
    return log ? 0 : -1;
}

/* Under the lock. */
static int become(struct service *service, struct settings *fresh, char *error, size_t error_bytes)
{
    const struct config *config = &fresh->config;
    const struct config_tls *tls = &config->http.tls;
    const bool encrypted = *service->begun->config.http.tls.certificate != 0;
    if (!names_differ(fresh, service->shared, error, error_bytes))
        return -1;
    if (encrypted && *tls->certificate && tls_check(tls, error, error_bytes) != 0)
        return -1;
    if (log_follow(service, config->log.access, error, error_bytes) != 0)
        return -1;
    if (encrypted && *tls->certificate && tls_load(tls, error, error_bytes) != 0)
        log_write(LOG_ERROR, "reload", "the certificate stays as it was: %s",
                  error); /* memory, or a change since */
    log_set_level(config->log.level);
    memory_set_budget(service->memory, config->cache.memory_bytes);
    if (service->disk && config->cache.disk_bytes)
        disk_set_quota(service->disk, config->cache.disk_bytes, config->cache.disk_rows);
    pool_limit(service->pool, config->render.queue, config->render.deadline_ms);
    settings_tell_changed(service->settings, fresh);
    fresh->shared = service->shared;
    refcount_release(&service->settings->references);
    service->settings = fresh;
    atomic_fetch_add(&service->settings_version, 1);
    return 0;
}

int service_reload(struct service *service, bool waits, char *restart, size_t restart_bytes, char *error,
                   size_t error_bytes)
{
    int result = -1;
    *restart = 0;
    if (waits) {
        uv_mutex_lock(&service->reloading);
    } else if (uv_mutex_trylock(&service->reloading) != 0) {
        snprintf(error, error_bytes, "another reload is under way");
        return -1;
    }
    struct settings *fresh =
        settings_load(&service->source, &service->begun->config, &service->settings->config, restart,
                      restart_bytes, error, error_bytes);
    if (fresh) {
        uv_mutex_lock(&service->lock);
        result = become(service, fresh, error, error_bytes);
        uv_mutex_unlock(&service->lock);
        if (result == 0)
            settings_tell_unpinned(fresh);
        else
            refcount_release(&fresh->references);
    }
    uv_mutex_unlock(&service->reloading);
    if (result != 0)
        log_write(LOG_ERROR, "reload", "the configuration stays as it was: %s", error);
    else if (*restart)
        log_write(LOG_WARNING, "reload", "done; these wait for a restart: %s", restart);
    else
        log_write(LOG_INFO, "reload", "done");
    metrics_add(&service->metrics.reloads[result == 0], 1); /* whoever sees it finds its line */
    return result;
}
