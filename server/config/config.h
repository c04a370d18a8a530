/*
 * The configuration: what config/terrane.json says, as a struct.
 *
 * The struct mirrors the file: key render.queue is member render.queue. config/README.md tells what each key
 * means, its unit and its range; no default stands in C, since config/terrane.json itself is built into the
 * program.
 *
 * Four sources, each over the one before: the built-in file, the user's file, the environment (config_environment.h), the
 * command line. All pass the same checks, and the first thing wrong ends it with one line:
 *
 *     terrane.json: render.queue: 0 is below the minimum: allowed 1 .. 65536
 *
 * Threads: load and set before others start; from then on a configuration is only read, by any thread.
 */
#ifndef TERRANE_SERVER_CONFIG_H
#define TERRANE_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/text.h"
#include "../observe/log.h"

enum {
    CONFIG_FILE_BYTES = 1 << 20, /* largest configuration file */
    CONFIG_WORLDS = 10000,       /* most named worlds */
    CONFIG_DIR_BYTES = 4000,     /* longest directory */
    CONFIG_LIST = 1000,          /* most strings in a list */
    CONFIG_ERROR_BYTES = 1024    /* a buffer of this size holds all but messages with very long file names */
};

/* Strings, in the order of the file. */
struct config_list {
    char **item;
    size_t count;
};

/* PEM files; both "" or neither. */
struct config_tls {
    char *certificate, *key;
};

struct config_http {
    unsigned threads;
    unsigned connections;
    unsigned connections_per_address; /* 0: a quarter of them */
    unsigned idle_timeout_s;          /* from one answer to the next request's line */
    unsigned request_timeout_s;       /* from there to the request's last byte */
    unsigned send_timeout_s;          /* for an answer, besides what its length allows */
    unsigned connection_memory_bytes;
    unsigned target_bytes;
    bool compression;                   /* of formats that are not compressed themselves */
    bool status;                        /* /tile/.../status is answered */
    struct config_list hosts;           /* names that a request may ask for; empty: any */
    struct config_list trusted_proxies; /* addresses and networks whose X-Forwarded-For is believed */
    struct config_tls tls;
};

struct config_render {
    unsigned threads; /* 0: one a core */
    unsigned queue;
    unsigned deadline_ms;
};

/* What one client may ask for: an address, or the holder of a key without limits of its own. 0: no limit. */
struct config_limits {
    unsigned tiles_per_minute, tiles_burst;     /* served */
    unsigned renders_per_minute, renders_burst; /* made for it */
    uint64_t stream_bytes;                      /* held for regions and batches of all clients together */
};

struct config_access {
    char *keys_file;        /* "": there are no keys */
    bool required;          /* a request without a key is refused */
    char *admin_token_file; /* "": the admin listener changes nothing */
};

struct config_prefetch {
    unsigned tiles; /* most that one request queues; 0: there is no prefetching */
};

struct config_cache {
    uint64_t memory_bytes;
    char *dir;           /* as configured; config_cache_dir resolves it */
    uint64_t disk_bytes; /* 0: no disk tier */
    uint64_t disk_rows;
    uint64_t write_behind_bytes;
    unsigned write_interval_ms;
    unsigned retry_interval_ms;
    char
        *shared; /* URL of the shared tier (cache/remote_url.h), perhaps with a password; "": there is none */
    char *shared_ca;            /* PEM file of who vouches for it; "": whom the system trusts */
    char *shared_password_file; /* "": the URL has the password, or there is none */
    unsigned shared_timeout_ms; /* of one operation */
    unsigned shared_lease_ms;   /* another node's tile is waited for as long */
    unsigned shared_retry_ms;   /* between attempts while it is unwell */
    uint64_t shared_expire_s;   /* 0: entries stay until it needs room */
    bool shared_regions;        /* regions go there, too */
};

struct config_world {
    char name[TEXT_NAME_BYTES + 1];
    char recipe[TEXT_NAME_BYTES + 1]; /* "": the default one */
    uint64_t seed;
};

struct config_worlds {
    bool open;      /* every seed and recipe; else those of `named` alone */
    char *dir;      /* of recipes; "": only those that are built in */
    char *standard; /* worlds.default: the recipe where none is named */
    struct {
        struct config_world *world; /* count of them, names in the order of strcmp */
        size_t count;
    } named;
};

struct config_log {
    enum log_level level;
    char *access;     /* "": none; "-": standard output; else a file */
    unsigned slow_ms; /* a tile that took longer is told of; 0: none is */
};

/* Owns its strings and worlds. All zero is an empty one that config_free accepts. */
struct config {
    char *listen; /* an address that text_split_address takes */
    char *admin;  /* likewise, or "": no admin listener */
    struct config_http http;
    struct config_render render;
    struct config_limits limits;
    struct config_access access;
    struct config_prefetch prefetch;
    struct config_cache cache;
    struct config_worlds worlds;
    struct config_log log;
    uint64_t
        given; /* a bit for each key, in the order of config_key, that a source besides the built-in file has set */
};

/*
 * Fills *config with the defaults and, over them, the file at path (NULL: no file). Returns 0, or -1 with one
 * line without a line feed in error; *config is untouched then. Free with config_free.
 */
int config_load(struct config *config, const char *path, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/*
 * Sets the keys that a text of JSON gives; others stay. worlds.named is replaced as a whole. file: the text's
 * name in messages. Returns 0 or -1 as config_load does, but on an error keys before the wrong one are set
 * already: the configuration is whole, to be freed, and not to be used.
 */
int config_parse(struct config *config, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes) __attribute__((warn_unused_result));

/*
 * Sets one key from a word of the command line: config_set(&config, "listen", "[::]:80", "--listen", ...).
 * label names the key in messages; NULL: the key itself. Integers are decimal, booleans true or false. Lists and
 * worlds.named cannot be set so.
 * Returns 0, or -1 with *config untouched.
 */
int config_set(struct config *config, const char *key, const char *text, const char *label, char *error,
               size_t error_bytes) __attribute__((warn_unused_result));

/*
 * What has to hold between keys, once all sources have been applied. file: as in config_parse, or NULL. Returns 0, or -1
 * with one line in error that names the key to change.
 */
int config_check(const struct config *config, const char *file, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/*
 * The whole configuration as the text of a file that means the same: every key, in the order of config/terrane.json, with
 * two spaces of indentation and a line feed at the end. Owned (malloc), zero-terminated; NULL when memory is short.
 * The password of a URL is left out of it: asterisks stand there (config_has_secret).
 * JSON is UTF-8: in a string that is not, which the command line alone can give, '?' stands for each byte that is not ASCII.
 */
char *config_text(const struct config *config);

/* Whether config_text leaves a password out. */
bool config_has_secret(const struct config *config);

/*
 * Whether two configurations differ in keys that a running server cannot change, and in which: their paths, separated by
 * ", ", in names. Both may be the same.
 */
bool config_needs_restart(const struct config *running, const struct config *fresh, char *names,
                          size_t names_bytes);

/* Frees what the configuration owns and clears it. */
void config_free(struct config *config);

/* Whether a source besides the built-in file has set the key at path. */
bool config_is_given(const struct config *config, const char *path);

/* The k-th key's path, in the order of config/terrane.json; NULL behind the last. Static storage. */
const char *config_key(size_t k);

/* The world of that name (not zero-terminated) or NULL. Borrowed from the configuration. A binary search. */
const struct config_world *config_world_find(const struct config *config, const char *name, size_t bytes);

/*
 * The directory of the disk tier: cache.dir, else $XDG_CACHE_HOME/terrane, else $HOME/.cache/terrane, else
 * /var/cache/terrane. Environment variables count only with absolute paths. Returns owned (free it), NULL
 * when memory is short. Does not look whether the directory exists.
 */
char *config_cache_dir(const struct config *config);

/* config/terrane.json as built into the program; not zero-terminated. Static storage. */
const char *config_default(size_t *bytes);

#endif
