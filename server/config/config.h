/*
 * The configuration: a JSON file as a struct.
 *
 * The struct mirrors the file: key render.queue is member render.queue. config_keys.inc has the meaning, unit, range and
 * default of each key; a new key needs only a row there.
 *
 * Four sources, each over the one before: the defaults, the user's file, the environment, the command line. All pass the
 * same checks, and the first mistake ends it with one line:
 *
 *     terrane.json: render.queue: 0 is below the minimum: allowed 1 .. 65536
 *
 * Threads: load and set before others start; after that any thread may read it.
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

struct config_world {
    char name[TEXT_NAME_BYTES + 1];
    char recipe[TEXT_NAME_BYTES + 1]; /* "": the default one */
    uint64_t seed;
    int generator;                                        /* 0: the recipe's */
    enum { SECRET_UNSAID, SECRET_YES, SECRET_NO } secret; /* not given: secret unless client is true */
    bool client; /* clients get seed and recipe, to make it themselves */
};

struct config_named {
    struct config_world *world; /* count of them, names in the order of strcmp */
    size_t count;
};

enum {
#define KEY(...)    +1
#define KEY_AS(...) +1
    CONFIG_KEYS = 1 /* $schema */
#include "config_keys.inc"
};

/* Owns its strings and worlds. All zero is an empty one that config_free accepts. */
struct config {
#define KEY(group, name, kind, ...)            kind name;
#define KEY_AS(group, name, member, kind, ...) kind member;
#define KEY_GROUP(parent, name, text)          struct config_##name {
#define KEY_END(name) \
    }                 \
    name;
#define INTEGER(low, high)         unsigned
#define LONG(low, high)            uint64_t
#define OPTIONAL(low, high)        uint64_t
#define BOOLEAN                    bool
#define TEXT                       char *
#define ADDRESS                    char *
#define ADDRESS_OR_NONE            char *
#define STORE                      char *
#define RECIPE                     char *
#define CHOICE(type, words, count) type
#define HOSTS                      struct config_list
#define NETWORKS                   struct config_list
#define WORLDS                     struct config_named
#include "config_keys.inc"
    bool given[CONFIG_KEYS]; /* in the order of config_key: a source other than the defaults has set it */
};

/*
 * Fills *config with the defaults and, over them, the file at path (NULL: no file). Returns 0, or -1 with one
 * line without a line feed in error; *config is untouched then. Free with config_free.
 */
int config_load(struct config *config, const char *path, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/*
 * Sets the keys in a JSON text; others stay. worlds.named is replaced as a whole. file: the text's name in
 * messages. Returns 0 or -1 as config_load does, but on an error the keys before the wrong one are already
 * set: free the configuration, and do not use it.
 */
int config_parse(struct config *config, const char *text, size_t bytes, const char *file, char *error,
                 size_t error_bytes) __attribute__((warn_unused_result));

/*
 * Sets one key from a word of the command line: config_set(&config, "listen", "[::]:80", "--listen", ...).
 * label names the key in messages; NULL: the key itself. Integers are decimal, booleans true or false. It cannot
 * set lists and worlds.named. Returns 0, or -1 with *config untouched.
 */
int config_set(struct config *config, const char *key, const char *text, const char *label, char *error,
               size_t error_bytes) __attribute__((warn_unused_result));

/*
 * Checks rules over several keys, after all sources have been applied. file: as in config_parse, or NULL. Returns 0, or
 * -1 with one line in error that names the key to change.
 */
int config_check(const struct config *config, const char *file, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/*
 * The whole configuration as the text of an equivalent file: every key, in the order of config_key, with two spaces of
 * indentation and a line feed at the end. Owned (malloc), zero-terminated; NULL when memory is short. Asterisks replace the
 * password of a URL (config_has_secret). JSON is UTF-8: in an invalid string, which only the command line can give, '?'
 * replaces each byte that is not ASCII.
 */
char *config_text(const struct config *config);

/* True if config_text hides a password. */
bool config_has_secret(const struct config *config);

/*
 * True if two configurations differ in keys that a running server cannot change; names gets their paths, separated by ",
 * ". Both may be the same.
 */
bool config_needs_restart(const struct config *running, const struct config *fresh, char *names,
                          size_t names_bytes);

/* Gives a configuration the values of such keys that a running server has, but those of files. -1: memory is short. */
int config_keep(const struct config *running, struct config *fresh) __attribute__((warn_unused_result));

/* Frees what the configuration owns and clears it. */
void config_free(struct config *config);

/* True if a source other than the defaults has set the key at path. */
bool config_is_given(const struct config *config, const char *path);

/* The k-th key's path, in the order of the file; NULL after the last. Static storage. */
const char *config_key(size_t k);

/* The world of that name (not zero-terminated) or NULL. Borrowed from the configuration. A binary search. */
const struct config_world *config_world_find(const struct config *config, const char *name, size_t bytes);

/* True if a world's seed is secret: unless the configuration says that it is not, or that clients make the world. */
bool config_world_is_secret(const struct config_world *world);

/* The first such world; NULL: there is none. */
const struct config_world *config_secret_world(const struct config *config);

/*
 * The directory of the disk tier: cache.dir, else $XDG_CACHE_HOME/terrane, else $HOME/.cache/terrane, else
 * /var/cache/terrane. Environment variables count only with absolute paths. Returns owned (free it), NULL
 * when memory is short. Does not check that the directory exists.
 */
char *config_cache_dir(const struct config *config);

/* ---- The environment (config_environment.c) ------------------------------------------------------------- */

/*
 * A key's variable is TERRANE_ and its path in capitals, with _ for the dots: TERRANE_CACHE_DISK_BYTES. Values are those of
 * the command line; commas separate the strings of a list. worlds.named has no variable. TERRANE_CONFIG names the file if
 * the command line names none.
 */

/* The file to read: the given one or, if that is NULL, TERRANE_CONFIG's; NULL if there is neither. Borrowed. */
const char *config_environment_file(const char *given);

/*
 * Sets the keys that have variables. Returns 0, or -1 with one line in error that begins with the variable: then free
 * the configuration, and do not use it.
 */
int config_environment_apply(struct config *config, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/* config_load of the file above, overridden by the environment. Returns 0, or -1 as config_load does. */
int config_environment_load(struct config *config, const char *given, char *error, size_t error_bytes)
    __attribute__((warn_unused_result));

/* Logs a warning for each unknown variable that begins with TERRANE_, with the most similar known one. */
void config_environment_warn(void);

/* ---- What the keys are (config_describe.c): each returns owned (malloc), NULL when memory is short --------- */

/* The JSON Schema of a file. */
char *config_schema(void);

/* A Markdown table with a row for each key, as in config/README.md. */
char *config_table(void);

/* The list of keys of the manual page, in mdoc. */
char *config_manual(void);

#endif
