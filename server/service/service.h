/* State shared by the parts of a running server. Made by serve.c, borrowed by everything else. */
#ifndef TERRANE_SERVER_SERVICE_H
#define TERRANE_SERVER_SERVICE_H

#include <uv.h>

#include "../access/clients.h"
#include "../cache/disk.h"
#include "../cache/memory.h"
#include "../cache/remote.h"
#include "../follow/follow.h"
#include "../jobs/pool.h"
#include "../observe/access_log.h"
#include "../observe/metrics.h"
#include "settings.h"

struct http;
struct spawns;

struct service {
    struct metrics metrics;
    struct memory *memory;
    struct disk *disk;     /* or NULL: no disk tier */
    struct remote *remote; /* or NULL: no shared tier */
    struct pool *pool;
    struct clients *clients;
    struct spawns *spawns;            /* render/spawn.h */
    struct shared *shared;            /* worlds that people change; or NULL: worlds.shared_dir is "" */
    struct follow *follow;            /* their home, or NULL: this server is that */
    char *follow_key;                 /* owned */
    const struct http *_Atomic front; /* the public listener, from when it serves until it stops */
    struct access_log *_Atomic log;   /* or NULL: a reload can begin and rename it, not end it */
    bool compression;                 /* as at start: clients' caches depend on it */
    struct settings_source source;
    uv_mutex_t reloading;      /* one reload at a time, so that the last one reads the newest file */
    uv_mutex_t lock;           /* over settings */
    struct settings *settings; /* those for requests from now on */
    struct settings *begun;    /* the first settings: keys that need a restart keep their values */
    char stale
        [SETTINGS_STALE_BYTES]; /* what the log has told of files that changed; service_look_at_files' alone */
    atomic_uint settings_version; /* raised with each of them; read without the lock */
    atomic_bool draining;         /* answers end their connections */
    atomic_bool open;             /* listeners accept */
    atomic_bool tested;           /* the self-test has passed: tiles are answered */
    atomic_bool ready;            /* up, and not draining */
    atomic_int_fast64_t active;   /* requests begun and not yet completed */
};

/*
 * Starts with the settings of a source. Returns 0, or -1 with one line in error. service_end undoes it, and may be called
 * after a failure.
 */
int service_begin(struct service *service, const struct settings_source *source, char *error,
                  size_t error_bytes);
void service_end(struct service *service);

/* Opens the worlds that people change, where there are any, before anybody asks. false, with one line in error. */
bool service_open_worlds(struct service *service, char *error, size_t error_bytes);
void service_close_worlds(struct service *service); /* service_end does, too */

/* The current settings with a reference, and their version. Any thread. */
struct settings *service_settings(struct service *service, unsigned *version);

/*
 * Looks whether files of heights have changed since they were read: a stat each, and metrics.files_changed. One thread at a time,
 * which waits for their disk.
 */
void service_look_at_files(struct service *service);

/*
 * Reloads the configuration and its files and, if all are valid, applies them: limits, keys, worlds, budgets, log level,
 * certificates. Keys that a running server cannot change keep their values: restart names those that differ ("" if none).
 * Returns 0, or -1 with one line in error and nothing changed. Any thread; takes as long as reading the files. waits: for another reload
 * that is under way; else that is an error.
 */
int service_reload(struct service *service, bool waits, char *restart, size_t restart_bytes, char *error,
                   size_t error_bytes);

#endif
