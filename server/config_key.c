/*
 * The keys of the configuration: one table, and walks over it.
 *
 * `keys` gives for each key its path in the file, which is also the member of struct config that it fills,
 * its type and its range. Reading a file, setting one key, finding unknown ones, every message and freeing
 * walk that table: a key is added by a member, a row, and an entry in config/terrane.json, its schema and
 * config/README.md.
 *
 *     config_object_apply ──┬── key_apply ──┬── integer_apply    an object of JSON: its members in the
 *          │                └── unknown     ├── text_apply       order of the file; a group by recursion,
 *          └── itself, for a group          └── config_worlds_apply  as deep as the paths of the table
 *     config_word_apply ────────────────────┴── the first two    one word of the command line
 *
 * Invariants.
 * 1. Only integer_, text_ (with choice_) and config_worlds_apply write into a configuration, and only what the table
 * allows.
 * 2. They write their member as the last thing they do: after a refusal it is as it was.
 */
#include "config_key.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_text.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/* ---- The table ----------------------------------------------------------------------------------------- */

enum key_type {
    KEY_NOTE,    /* a string that is ignored; fills nothing */
    KEY_INTEGER, /* unsigned or uint64_t, low .. high */
    KEY_TEXT,    /* char *, at most high bytes */
    KEY_RECIPE,  /* char *, what config_text_recipe takes */
    KEY_ADDRESS, /* char *, what config_split_address takes */
    KEY_CHOICE,  /* an enum, the index of one of `high` words */
    KEY_WORLDS   /* worlds.named: config_worlds.c */
};

struct key {
    const char *path;
    enum key_type type;
    bool off;                 /* 0 or "" is allowed besides the range */
    size_t offset, bytes;     /* of the member in struct config */
    int64_t low, high;        /* high fits the member */
    const char *const *words; /* KEY_CHOICE */
};

#define MEMBER(member) offsetof(struct config, member), sizeof(((struct config *)NULL)->member)

/* Keys of one group stand together. */
static const struct key keys[] = {
    {"$schema", KEY_NOTE, false, 0, 0, 0, 0, NULL},
#define ADDRESS(member, off)         {#member, KEY_ADDRESS, off, MEMBER(member), 0, 0, NULL},
#define INTEGER(member, low, high)   {#member, KEY_INTEGER, false, MEMBER(member), low, high, NULL},
#define OPTIONAL(member, low, high)  {#member, KEY_INTEGER, true, MEMBER(member), low, high, NULL},
#define TEXT(member, bytes)          {#member, KEY_TEXT, false, MEMBER(member), 0, bytes, NULL},
#define CHOICE(member, words, count) {#member, KEY_CHOICE, false, MEMBER(member), 0, count, words},
#define WORLDS(member, count)        {#member, KEY_WORLDS, false, MEMBER(member), 0, count, NULL},
    /* clang-format off */
    ADDRESS(listen, false)
    ADDRESS(admin, true)
    INTEGER(http.threads, 1, 64)
    INTEGER(http.connections, 16, 65536)
    INTEGER(http.idle_timeout_s, 1, 3600)
    INTEGER(http.connection_memory_bytes, 8 * KIB, 1 * MIB)
    INTEGER(http.target_bytes, 256, 8 * KIB)
    INTEGER(render.threads, 0, 256)
    INTEGER(render.queue, 1, 65536)
    INTEGER(render.deadline_ms, 50, 600000)
    INTEGER(cache.memory_bytes, 1 * MIB, 1 * TIB)
    TEXT(cache.dir, CONFIG_DIR_BYTES)
    OPTIONAL(cache.disk_bytes, 4 * MIB, 64 * TIB)
    INTEGER(cache.disk_rows, 1, 1000000000)
    INTEGER(cache.write_behind_bytes, 1 * MIB, 1 * GIB)
    INTEGER(cache.write_interval_ms, 1, 60000)
    INTEGER(cache.retry_interval_ms, 100, 600000)
    TEXT(worlds.dir, CONFIG_DIR_BYTES)
    {"worlds.default", KEY_RECIPE, false, MEMBER(worlds.standard), 0, CONFIG_NAME_BYTES, NULL},
    WORLDS(worlds.named, CONFIG_WORLDS)
    CHOICE(log.level, log_level_name, LOG_LEVELS)
    /* clang-format on */
};

enum { KEYS = sizeof keys / sizeof keys[0] };

_Static_assert(sizeof(enum log_level) == sizeof(unsigned), "choice_apply stores an unsigned");

const char *config_key(size_t k)
{
    return k < KEYS ? keys[k].path : NULL;
}

static const struct key *key_find(const char *path)
{
    for (size_t k = 0; k < KEYS; k++)
        if (strcmp(keys[k].path, path) == 0)
            return &keys[k];
    return NULL;
}

static void *key_member(struct config *config, const struct key *key)
{
    return (char *)config + key->offset;
}

/*
 * Row k's name inside a group ("" for the top, where a group counts once, in its first row), not
 * zero-terminated. NULL where the row has none.
 */
static const char *key_name_in(const char *group, size_t k, size_t *bytes)
{
    const char *name = keys[k].path;
    const size_t group_bytes = strlen(group);

    if (group_bytes > 0) {
        if (strncmp(name, group, group_bytes) != 0 || name[group_bytes] != '.')
            return NULL;
        name += group_bytes + 1;
    }
    *bytes = strcspn(name, ".");
    if (k > 0 && name[*bytes] == '.' && strncmp(name, keys[k - 1].path, *bytes + 1) == 0)
        return NULL;
    return name;
}

static bool group_exists(const char *group)
{
    size_t bytes;

    for (size_t k = 0; k < KEYS; k++)
        if (key_name_in(group, k, &bytes))
            return true;
    return false;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

int config_refuse(const struct config_source *source, const char *path, const char *format, ...)
{
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(source->error, source->error_bytes, "%s%s%s%s%s", source->file ? source->file : "",
             source->file ? ": " : "", path ? path : "", path ? ": " : "", what);
    for (size_t i = 0; i < source->error_bytes && source->error[i] != '\0'; i++)
        if ((unsigned char)source->error[i] < 0x20 || source->error[i] == 0x7f)
            source->error[i] = '?';
    return -1;
}

/* What a key takes, in words. */
static void key_show_allowed(const struct key *key, char *out, size_t out_bytes)
{
    const char *const off = key->off ? (key->type == KEY_INTEGER ? "0 or " : "\"\" or ") : "";
    size_t used = 0;

    switch (key->type) {
    case KEY_NOTE:
        snprintf(out, out_bytes, "a string");
        break;
    case KEY_INTEGER:
        snprintf(out, out_bytes, "%s%" PRId64 " .. %" PRId64, off, key->low, key->high);
        break;
    case KEY_TEXT:
        snprintf(out, out_bytes, "a string of at most %" PRId64 " bytes", key->high);
        break;
    case KEY_RECIPE:
        snprintf(out, out_bytes, "a name [a-z][a-z0-9-]{0,%d}", CONFIG_NAME_BYTES - 1);
        break;
    case KEY_ADDRESS:
        snprintf(out, out_bytes, "%s\"host:port\", IPv6 as \"[::1]:port\", port 0 .. 65535", off);
        break;
    case KEY_WORLDS:
        snprintf(out, out_bytes, "an object of names and worlds, at most %" PRId64, key->high);
        break;
    case KEY_CHOICE:
        for (int64_t i = 0; i < key->high && used < out_bytes; i++)
            used +=
                (size_t)snprintf(out + used, out_bytes - used, "%s\"%s\"", i > 0 ? ", " : "", key->words[i]);
        break;
    }
}

static int key_refuse(const struct config_source *source, const struct key *key, const char *path,
                      const char *shown, const char *wrong)
{
    char allowed[128];

    key_show_allowed(key, allowed, sizeof allowed);
    return config_refuse(source, path, "%s %s: allowed %s", shown, wrong, allowed);
}

/* The names that a group has, as "a, b, c". */
static void group_show(const char *group, char *out, size_t out_bytes)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t k = 0; k < KEYS && used < out_bytes; k++) {
        size_t bytes;
        const char *const name = key_name_in(group, k, &bytes);
        if (name)
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%.*s", used > 0 ? ", " : "", (int)bytes,
                                     name);
    }
}

static int unknown_refuse(const struct config_source *source, const char *group, const char *path,
                          const char *name)
{
    char allowed[256];
    const char *nearest = NULL;
    size_t nearest_bytes = 0;
    int nearest_distance = 3;

    for (size_t k = 0; k < KEYS; k++) {
        size_t bytes;
        const char *const other = key_name_in(group, k, &bytes);
        const int distance =
            other ? config_text_distance(name, strlen(name), other, bytes) : nearest_distance;
        if (distance < nearest_distance) {
            nearest = other;
            nearest_bytes = bytes;
            nearest_distance = distance;
        }
    }
    group_show(group, allowed, sizeof allowed);
    if (nearest)
        return config_refuse(source, path, "unknown key, perhaps %.*s was meant: allowed %s",
                             (int)nearest_bytes, nearest, allowed);
    return config_refuse(source, path, "unknown key: allowed %s", allowed);
}

void config_path_join(char *out, size_t out_bytes, const char *group, const char *name)
{
    char shown[CONFIG_SHOWN_BYTES];
    const bool plain = name[0] == '$' ? config_text_name(name + 1) : config_text_name(name);

    config_text_show(shown, sizeof shown, name);
    snprintf(out, out_bytes, "%s%s%s", group, group[0] != '\0' ? "." : "", plain ? name : shown);
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static int integer_apply(struct config *config, const struct config_source *source, const struct key *key,
                         const char *path, int64_t number, const char *shown)
{
    const bool off = key->off && number == 0;

    if (number < key->low && !off)
        return key_refuse(source, key, path, shown, "is below the minimum");
    if (number > key->high)
        return key_refuse(source, key, path, shown, "is above the maximum");
    if (key->bytes == sizeof(uint32_t)) {
        const uint32_t narrow = (uint32_t)number;
        memcpy(key_member(config, key), &narrow, sizeof narrow);
    } else {
        const uint64_t wide = (uint64_t)number;
        memcpy(key_member(config, key), &wide, sizeof wide);
    }
    return 0;
}

static int choice_apply(struct config *config, const struct config_source *source, const struct key *key,
                        const char *path, const char *text, const char *shown)
{
    for (unsigned i = 0; i < key->high; i++) {
        if (strcmp(text, key->words[i]) == 0) {
            memcpy(key_member(config, key), &i, sizeof i);
            return 0;
        }
    }
    return key_refuse(source, key, path, shown, "is none of the words");
}

static int text_apply(struct config *config, const struct config_source *source, const struct key *key,
                      const char *path, const char *text, const char *shown)
{
    char host[CONFIG_HOST_BYTES];
    uint16_t port;

    if (key->type == KEY_NOTE)
        return 0;
    if (key->type == KEY_CHOICE)
        return choice_apply(config, source, key, path, text, shown);
    if (key->type == KEY_TEXT && strlen(text) > (size_t)key->high)
        return key_refuse(source, key, path, shown, "is too long");
    if (key->type == KEY_RECIPE && !config_text_recipe(text))
        return key_refuse(source, key, path, shown, "is no name of a recipe");
    const bool off = key->off && text[0] == '\0';
    if (key->type == KEY_ADDRESS && !off && !config_split_address(text, host, sizeof host, &port))
        return key_refuse(source, key, path, shown, "is no address");

    char *const copy = strdup(text);
    if (!copy)
        return config_refuse(source, path, "out of memory");
    char **const member = key_member(config, key);
    free(*member);
    *member = copy;
    return 0;
}

static int key_apply(struct config *config, const struct config_source *source, const struct key *key,
                     json_t *value)
{
    char shown[CONFIG_SHOWN_BYTES];
    int64_t number;

    config_value_show(value, shown, sizeof shown);
    switch (key->type) {
    case KEY_INTEGER:
        if (!config_value_integer(value, &number))
            return key_refuse(source, key, key->path, shown, "is not an integer");
        return integer_apply(config, source, key, key->path, number, shown);
    case KEY_WORLDS:
        if (!json_is_object(value))
            return key_refuse(source, key, key->path, shown, "is not an object");
        return config_worlds_apply(config, source, key->path, value);
    default:
        if (!json_is_string(value))
            return key_refuse(source, key, key->path, shown, "is not a string");
        return text_apply(config, source, key, key->path, json_string_value(value), shown);
    }
}

int config_object_apply(struct config *config, const struct config_source *source, const char *group,
                        json_t *object)
{
    if (!json_is_object(object)) {
        char shown[CONFIG_SHOWN_BYTES], allowed[256];
        config_value_show(object, shown, sizeof shown);
        group_show(group, allowed, sizeof allowed);
        return config_refuse(source, group[0] != '\0' ? group : NULL,
                             "%s is not an object: allowed {...} with %s", shown, allowed);
    }
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        char path[CONFIG_PATH_BYTES];
        const char *const name = json_object_iter_key(at);
        config_path_join(path, sizeof path, group, name);
        const struct key *const key = key_find(path);
        int result;
        if (key)
            result = key_apply(config, source, key, json_object_iter_value(at));
        else if (group_exists(path))
            result = config_object_apply(config, source, path, json_object_iter_value(at));
        else
            result = unknown_refuse(source, group, path, name);
        if (result != 0)
            return result;
    }
    return 0;
}

int config_word_apply(struct config *config, const struct config_source *source, const char *path,
                      const char *label, const char *text)
{
    const struct key *const key = key_find(path);
    char shown[CONFIG_SHOWN_BYTES];
    int64_t number;

    if (!key || key->type == KEY_WORLDS || key->type == KEY_NOTE)
        return config_refuse(source, label, "%s is no key that can be set", path);
    config_text_show(shown, sizeof shown, text);
    if (key->type != KEY_INTEGER)
        return text_apply(config, source, key, label, text, shown);
    if (!config_text_integer(text, &number))
        return key_refuse(source, key, label, shown, "is not an integer");
    return integer_apply(config, source, key, label, number, text);
}

void config_strings_free(struct config *config)
{
    for (size_t k = 0; k < KEYS; k++) {
        if (keys[k].type == KEY_TEXT || keys[k].type == KEY_RECIPE || keys[k].type == KEY_ADDRESS) {
            char **const member = key_member(config, &keys[k]);
            free(*member);
            *member = NULL;
        }
    }
}
