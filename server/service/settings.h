/*
 * Settings: one configuration and everything that is read from the files it names. What a reload replaces as a whole.
 *
 * Immutable once loaded. Requests and jobs hold the settings they began with (struct refcount), so that recipes and names
 * they borrow stay until the last of them has ended.
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

/* Where settings come from: a file, and what the command line says over it and the environment. Strings are borrowed. */
struct settings_source {
    const char *file; /* or NULL: TERRANE_CONFIG's, or none */
    bool looks;       /* only to see whether they are good: what is missing on the disk is not made */
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
    char note[HOST_LIMITS_NOTE_BYTES]; /* what that took; "" */
};

/* Returns owned (refcount_release), or NULL with one line in error. */
struct settings *settings_load(const struct settings_source *source, char *error, size_t error_bytes);

/* Says in the log, in a line, which files of heights are others than before a reload. */
void settings_tell_changed(const struct settings *before, const struct settings *now);

/* Says in the log, in a line, which named worlds the next generator would change, and how they are kept. */
void settings_tell_unpinned(const struct settings *settings);

/*
 * Whether requests may ask for a key's world: all of them where worlds.open, else those that the configuration names. A secret one
 * has its own recipe alone, always, under any generator: others could tell more of the seed than the operator has bargained for; and no number.
 */
bool settings_allow_world(const struct settings *settings, const struct tile_key *key,
                          const struct recipe *recipe);

/* cache.shared with the password of cache.shared_password_file in place of its own; "" where there is none. Owned: never to be
 * shown, and freed by secret_free; NULL with one line in error. */
char *store_url_read(const struct config_cache *cache, char *error, size_t error_bytes);

#endif
