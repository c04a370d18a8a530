/*
 * Settings: one configuration and everything read from the files it names. A reload replaces them as a whole.
 *
 * Immutable once loaded. Requests and jobs hold the settings they began with (struct refcount), so borrowed recipes and
 * names stay until the last of them has ended.
 */
#ifndef TERRANE_SERVER_SETTINGS_H
#define TERRANE_SERVER_SETTINGS_H

#include "../access/keys.h"
#include "../access/networks.h"
#include "../base/refcount.h"
#include "../config/config.h"
#include "../recipe/worlds.h"
#include "../shared/shared.h"
#include "host_limits.h"

enum { SETTINGS_OVERRIDES = 4 };

/* The source of settings: a file, and the command line's overrides of file and environment. Strings are borrowed. */
struct settings_source {
    const char *file; /* or NULL: TERRANE_CONFIG's, or none */
    bool looks;       /* only validate: do not create missing files */
    struct {
        const char *key, *label, *value; /* value: NULL where it is not given */
    } override[SETTINGS_OVERRIDES];
};

struct settings {
    struct refcount references;
    struct config config;
    struct worlds worlds;        /* borrows the configuration */
    struct keys *keys;           /* or NULL: there is no file of them */
    const struct shared *shared; /* the service's worlds; NULL: there are none */
    struct networks *proxies;
    char *admin_token; /* or NULL */
    char *shared_url;  /* of the shared tier, with its password; "": there is none. Never to be shown */
    struct host_limits limits;
    bool fits;                         /* the budgets, into the host's memory */
    char note[HOST_LIMITS_NOTE_BYTES]; /* what that lowered; "" */
};

/* Returns owned (refcount_release), or NULL with one line in error. begun: of a server's start, and now: what it has
 * come to, whose keys that need a restart are kept; or both NULL. restart gets the names of those that differ from the start's (config_needs_restart). */
struct settings *settings_load(const struct settings_source *source, const struct config *begun,
                               const struct config *now, char *restart, size_t restart_bytes, char *error,
                               size_t error_bytes);

/* Says in the log, in a line, which files of heights are others than before a reload. */
void settings_tell_changed(const struct settings *before, const struct settings *now);

enum { SETTINGS_STALE_BYTES = WORLDS_CHANGED_NAMED * (TEXT_NAME_BYTES + RECIPE_NAME_BYTES + 8) };

/*
 * Counts the files of heights that have changed on the disk since they were read, and says so in the log where they are others than told has, which
 * it then names (SETTINGS_STALE_BYTES; at first "").
 */
size_t settings_look_at_files(const struct settings *settings, char *told);

/* Logs one line that names the worlds that the next generator would change, and how to pin them. */
void settings_tell_unpinned(const struct settings *settings);

/*
 * True if requests may ask for a key's world: all of them if worlds.open, else those that the configuration names. A secret one
 * always has only its own recipe, under any generator, since others could reveal more of the seed; and it cannot be asked for by
 * number.
 */
bool settings_allow_world(const struct settings *settings, const struct tile_key *key,
                          const struct recipe *recipe);

/* cache.shared with the password of cache.shared_password_file; "" if there is none. Owned: never show it, and free it with
 * secret_free; NULL with one line in error. */
char *store_url_read(const struct config_cache *cache, char *error, size_t error_bytes);

#endif
