/*
 * The keys of the configuration, only for config*.c: their table, applying values to a struct config, and
 * refusing wrong ones.
 */
#ifndef TERRANE_SERVER_CONFIG_KEY_H
#define TERRANE_SERVER_CONFIG_KEY_H

#include <jansson.h>

#include "../../lib/terrane.h"
#include "config.h"

/* The source of a value, and the buffer for a message about it. */
struct config_source {
    const char *file; /* NULL: the command line, the environment */
    char *error;
    size_t error_bytes;
};

enum { CONFIG_PATH_BYTES = 192 };

/* ---- The table (config_key.c) -------------------------------------------------------------------------- */

enum key_type {
    KEY_NOTE,    /* a string that is ignored; fills nothing */
    KEY_INTEGER, /* unsigned or uint64_t, low .. high */
    KEY_BOOLEAN, /* bool */
    KEY_TEXT,    /* char *, at most high bytes */
    KEY_STORE, /* char *, at most high bytes, a URL for remote_url_read; no message shows it, for its password */
    KEY_RECIPE,   /* char *, a name for text_recipe */
    KEY_ADDRESS,  /* char *, an address for text_split_address */
    KEY_CHOICE,   /* an enum, the index of one of `high` words */
    KEY_HOSTS,    /* struct config_list, at most high hosts for text_host */
    KEY_NETWORKS, /* struct config_list, at most high networks for text_network */
    KEY_WORLDS    /* worlds.named: config_worlds.c */
};

/* How a running server takes a new value (config_keys.inc). CHANGE_FIXED is not for lists. */
enum key_change { CHANGE_LIVE, CHANGE_SWITCH, CHANGE_FIXED };

struct key {
    const char *path;
    enum key_type type;
    bool off;                 /* 0 or "" is also allowed */
    int64_t low, high;        /* high fits the member */
    const char *const *words; /* of KEY_CHOICE */
    enum key_change change;
    size_t offset, bytes; /* of the member in struct config */
    const char *unit;     /* or "" */
    const char *standard; /* the default, JSON */
    const char *text;     /* its meaning: Markdown without a final dot */
};

/* An object of the file. Keys of one group stand together. */
struct key_group {
    const char *path, *text;
};

/* The k-th row; NULL after the last. Static storage. */
const struct key *config_key_at(size_t k);

/* The row of a path, or NULL. */
const struct key *config_key_find(const char *path);

/* The group of a path, or NULL. */
const struct key_group *config_group_find(const char *path);

enum { KEY_ALLOWED_BYTES = 160 };

/* Writes the allowed values of a key, in words, into out (KEY_ALLOWED_BYTES). */
void config_key_allowed(const struct key *key, char *out);

/* True if the key fills a char *, which the configuration owns; a struct config_list. */
bool config_key_is_string(const struct key *key);
bool config_key_is_list(const struct key *key);

/* Records that a source has set the key. */
void config_key_given(struct config *config, const struct key *key);

/* The member that a key (not of KEY_NOTE) fills. */
static inline void *config_key_member(struct config *config, const struct key *key)
{
    return (char *)config + key->offset;
}

static inline const void *config_key_peek(const struct config *config, const struct key *key)
{
    return (const char *)config + key->offset;
}

/* ---- Messages (config_key.c): each returns -1 ------------------------------------------------------------ */

/* Writes "FILE: PATH: what" as one printable line, file and path only if they are not NULL. */
int config_refuse(const struct config_source *source, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes "PATH: shown wrong: allowed ...", with the allowed values. */
int config_key_refuse(const struct config_source *source, const struct key *key, const char *path,
                      const char *shown, const char *wrong);

/* Refuses an unknown name in a group; path is that of both. Lists the group's names, and the most similar one. */
int config_unknown_refuse(const struct config_source *source, const char *group, const char *path,
                          const char *name);

/* A group that is no object. */
int config_group_refuse(const struct config_source *source, const char *group, const char *shown);

/*
 * Appends a key of the file to a group's path. A key that is no plain word is put in quotes, so a dot in it
 * cannot mislead.
 */
void config_path_join(char *out, size_t out_bytes, const char *group, const char *name);

/* ---- Values (config_value.c, config_worlds.c) ------------------------------------------------------------ */

/*
 * Applies the members of a group's object, in their order; group is its path, "" for the whole file. Returns
 * 0, or -1 with a message about the first wrong one; those before it are applied. Borrows object.
 */
int config_object_apply(struct config *config, const struct config_source *source, const char *group,
                        json_t *object);

/* Applies every key's default. Returns 0, or -1 when memory is short. */
int config_defaults_apply(struct config *config, const struct config_source *source);

/* Applies one word of the command line to the key at path. Messages name the key as label. Returns 0, or -1
 * as above. */
int config_word_apply(struct config *config, const struct config_source *source, const char *path,
                      const char *label, const char *text);

/* The same for a list: strings separated by commas; blanks around them do not count. */
int config_list_apply(struct config *config, const struct config_source *source, const char *path,
                      const char *label, const char *text);

/* Replaces worlds.named by an object's worlds. Returns 0, or -1 as above with the configuration as it was. */
int config_worlds_apply(struct config *config, const struct config_source *source, const char *path,
                        json_t *object);

/* Frees the strings and lists that keys filled. */
void config_strings_free(struct config *config);

#endif
