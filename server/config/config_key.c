/*
 * The keys of the configuration: the table of config_keys.inc, lookup of names, and messages.
 *
 * Reading a file (config_value.c), writing one (config_write.c), setting one key, describing them (config_describe.c),
 * finding unknown ones, every message and freeing walk that table.
 */
#include "config_key.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/remote_url.h"
#include "../base/text.h"

/* ---- The table ----------------------------------------------------------------------------------------- */

#define MEMBER(member) offsetof(struct config, member), sizeof(((struct config *)NULL)->member)
#define NOTE(path, standard, ...) \
    {path, KEY_NOTE, false, 0, 0, NULL, CHANGE_LIVE, 0, 0, "", #standard, __VA_ARGS__},
#define KEY(group, name, kind, change, unit, standard, text) \
    {#group #name, kind, CHANGE_##change, MEMBER(group name), unit, #standard, text},
#define KEY_AS(group, name, member, kind, change, unit, standard, text) \
    {#group #name, kind, CHANGE_##change, MEMBER(group member), unit, #standard, text},
#define INTEGER(low, high)         KEY_INTEGER, false, low, high, NULL
#define LONG(low, high)            KEY_INTEGER, false, low, high, NULL
#define OPTIONAL(low, high)        KEY_INTEGER, true, low, high, NULL
#define BOOLEAN                    KEY_BOOLEAN, false, 0, 1, NULL
#define TEXT                       KEY_TEXT, false, 0, CONFIG_DIR_BYTES, NULL
#define ADDRESS                    KEY_ADDRESS, false, 0, 0, NULL
#define ADDRESS_OR_NONE            KEY_ADDRESS, true, 0, 0, NULL
#define STORE                      KEY_STORE, true, 0, REMOTE_URL_BYTES - 1, NULL
#define RECIPE                     KEY_RECIPE, false, 0, TEXT_NAME_BYTES, NULL
#define CHOICE(type, words, count) KEY_CHOICE, false, 0, count, words
#define HOSTS                      KEY_HOSTS, false, 0, CONFIG_LIST, NULL
#define NETWORKS                   KEY_NETWORKS, false, 0, CONFIG_LIST, NULL
#define WORLDS                     KEY_WORLDS, false, 0, CONFIG_WORLDS, NULL

static const struct key keys[] = {
#include "config_keys.inc"
};

#define KEY(...)
#define KEY_AS(...)
#define KEY_GROUP(parent, name, text) {#parent #name, text},
#define KEY_END(name)

static const struct key_group groups[] = {
#include "config_keys.inc"
};

enum { KEYS = CONFIG_KEYS, GROUPS = sizeof groups / sizeof groups[0] };

_Static_assert(sizeof keys / sizeof keys[0] == KEYS, "struct config counts them, too");
_Static_assert(sizeof(enum log_level) == sizeof(unsigned), "config_value.c stores an unsigned");

const struct key *config_key_at(size_t k)
{
    return k < KEYS ? &keys[k] : NULL;
}

const char *config_key(size_t k)
{
    return k < KEYS ? keys[k].path : NULL;
}

void config_key_given(struct config *config, const struct key *key)
{
    config->given[key - keys] = true;
}

bool config_is_given(const struct config *config, const char *path)
{
    const struct key *const key = config_key_find(path);

    return key && config->given[key - keys];
}

bool config_key_is_string(const struct key *key)
{
    return key->type == KEY_TEXT || key->type == KEY_STORE || key->type == KEY_RECIPE ||
           key->type == KEY_ADDRESS;
}

bool config_key_is_list(const struct key *key)
{
    return key->type == KEY_HOSTS || key->type == KEY_NETWORKS;
}

const struct key *config_key_find(const char *path)
{
    for (size_t k = 0; k < KEYS; k++)
        if (strcmp(keys[k].path, path) == 0)
            return &keys[k];
    return NULL;
}

/*
 * Row k's name inside a group ("" for the top, where a group counts once, in its first row), not
 * zero-terminated. NULL if the row has none.
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
    const size_t through = (size_t)(name - keys[k].path) + *bytes + 1; /* with the dot */
    const char *const before = k > 0 ? keys[k - 1].path : "";
    if (name[*bytes] == '.' && strncmp(keys[k].path, before, through) == 0)
        return NULL;
    return name;
}

const struct key_group *config_group_find(const char *path)
{
    for (size_t g = 0; g < GROUPS; g++)
        if (strcmp(groups[g].path, path) == 0)
            return &groups[g];
    return NULL;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

int config_refuse(const struct config_source *source, const char *path, const char *format, ...)
{
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    text_print_list(what, sizeof what, format, arguments);
    va_end(arguments);
    text_print(source->error, source->error_bytes, "%s%s%s%s%s", source->file ? source->file : "",
               source->file ? ": " : "", path ? path : "", path ? ": " : "", what);
    return -1;
}

void config_key_allowed(const struct key *key, char *out)
{
    const size_t out_bytes = KEY_ALLOWED_BYTES;
    const char *const off = key->off ? (key->type == KEY_INTEGER ? "0 or " : "\"\" or ") : "";
    size_t used = 0;

    switch (key->type) {
    case KEY_NOTE:
        snprintf(out, out_bytes, "a string");
        break;
    case KEY_INTEGER:
        snprintf(out, out_bytes, "%s%" PRId64 " .. %" PRId64, off, key->low, key->high);
        break;
    case KEY_BOOLEAN:
        snprintf(out, out_bytes, "true, false");
        break;
    case KEY_TEXT:
        snprintf(out, out_bytes, "a string of at most %" PRId64 " bytes", key->high);
        break;
    case KEY_STORE:
        snprintf(out, out_bytes,
                 "%s\"redis://[[user]:password@]host[:port][/database]\", \"rediss://...\" over TLS, or "
                 "\"unix:///path\", at most %" PRId64 " bytes",
                 off, key->high);
        break;
    case KEY_RECIPE:
        snprintf(out, out_bytes, "a name [a-z][a-z0-9-]{0,%d}", TEXT_NAME_BYTES - 1);
        break;
    case KEY_ADDRESS:
        snprintf(out, out_bytes, "%s\"host:port\", IPv6 as \"[::1]:port\", port 0 .. 65535", off);
        break;
    case KEY_HOSTS:
        snprintf(out, out_bytes,
                 "an array of at most %" PRId64 " names as \"example.org\" and \"*.example.org\", "
                 "addresses as \"192.0.2.1\" and \"[::1]\"",
                 key->high);
        break;
    case KEY_NETWORKS:
        snprintf(out, out_bytes,
                 "an array of at most %" PRId64 " addresses as \"192.0.2.1\" and \"::1\", "
                 "networks as \"10.0.0.0/8\"",
                 key->high);
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

int config_key_refuse(const struct config_source *source, const struct key *key, const char *path,
                      const char *shown, const char *wrong)
{
    char allowed[KEY_ALLOWED_BYTES];

    config_key_allowed(key, allowed);
    return config_refuse(source, path, "%s %s: allowed %s", shown, wrong, allowed);
}

/* Lists the names of a group, as "a, b, c". */
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

int config_unknown_refuse(const struct config_source *source, const char *group, const char *path,
                          const char *name)
{
    char allowed[384];
    const char *nearest = NULL;
    size_t nearest_bytes = 0;
    int nearest_distance = 3;

    for (size_t k = 0; k < KEYS; k++) {
        size_t bytes;
        const char *const other = key_name_in(group, k, &bytes);
        const int distance = other ? text_distance(name, strlen(name), other, bytes) : nearest_distance;
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

int config_group_refuse(const struct config_source *source, const char *group, const char *shown)
{
    char allowed[384];

    group_show(group, allowed, sizeof allowed);
    return config_refuse(source, group[0] != '\0' ? group : NULL,
                         "%s is not an object: allowed {...} with %s", shown, allowed);
}

void config_path_join(char *out, size_t out_bytes, const char *group, const char *name)
{
    char shown[TEXT_SHOWN_BYTES];
    const bool plain = name[0] == '$' ? text_name(name + 1) : text_name(name);

    text_show(shown, sizeof shown, name);
    snprintf(out, out_bytes, "%s%s%s", group, group[0] != '\0' ? "." : "", plain ? name : shown);
}
