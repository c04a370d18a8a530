/*
 * The keys of the configuration: one table, what it says of names, and the messages.
 *
 * `keys` gives for each key its path in the file, which is also the member of struct config that it fills,
 * its type, its range and whether a running server can change it. Reading a file (config_value.c), writing one
 * (config_write.c), setting one key, finding unknown ones, every message and freeing walk that table: a key is added
 * by a member, a row, and an entry in config/terrane.json, its schema and config/README.md.
 */
#include "config_key.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/remote_url.h"
#include "../base/text.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/* ---- The table ----------------------------------------------------------------------------------------- */

static const char *const schema[] = {"schema/terrane.schema.json"};

#define LIVE           CHANGE_LIVE
#define FIXED          CHANGE_FIXED
#define SWITCH         CHANGE_SWITCH
#define MEMBER(member) offsetof(struct config, member), sizeof(((struct config *)NULL)->member)

/* Keys of one group stand together, in the order of config/terrane.json. */
static const struct key keys[] = {
    {"$schema", KEY_NOTE, LIVE, false, 0, 0, 0, 0, schema},
#define ADDRESS(member, off, change) {#member, KEY_ADDRESS, change, off, MEMBER(member), 0, 0, NULL},
#define INTEGER(member, low, high, change) \
    {#member, KEY_INTEGER, change, false, MEMBER(member), low, high, NULL},
#define OPTIONAL(member, low, high, change) \
    {#member, KEY_INTEGER, change, true, MEMBER(member), low, high, NULL},
#define BOOLEAN(member, change)     {#member, KEY_BOOLEAN, change, false, MEMBER(member), 0, 1, NULL},
#define TEXT(member, bytes, change) {#member, KEY_TEXT, change, false, MEMBER(member), 0, bytes, NULL},
#define CHOICE(member, words, count, change) \
    {#member, KEY_CHOICE, change, false, MEMBER(member), 0, count, words},
#define LIST(member, type, count) {#member, type, LIVE, false, MEMBER(member), 0, count, NULL},
    /* clang-format off */
    ADDRESS(listen, false, FIXED)
    ADDRESS(admin, true, FIXED)
    INTEGER(http.threads, 1, 64, FIXED)
    INTEGER(http.connections, 16, 65536, LIVE)
    INTEGER(http.connections_per_address, 0, 65536, LIVE)
    INTEGER(http.idle_timeout_s, 1, 3600, LIVE)
    INTEGER(http.request_timeout_s, 1, 600, LIVE)
    INTEGER(http.send_timeout_s, 1, 3600, LIVE)
    INTEGER(http.connection_memory_bytes, 8 * KIB, 1 * MIB, FIXED)
    INTEGER(http.target_bytes, 256, 8 * KIB, LIVE)
    BOOLEAN(http.compression, FIXED)
    BOOLEAN(http.status, LIVE)
    LIST(http.hosts, KEY_HOSTS, CONFIG_LIST)
    LIST(http.trusted_proxies, KEY_NETWORKS, CONFIG_LIST)
    TEXT(http.tls.certificate, CONFIG_DIR_BYTES, SWITCH)
    TEXT(http.tls.key, CONFIG_DIR_BYTES, SWITCH)
    INTEGER(render.threads, 0, 256, FIXED)
    INTEGER(render.queue, 1, 65536, LIVE)
    INTEGER(render.deadline_ms, 50, 600000, LIVE)
    INTEGER(limits.tiles_per_minute, 0, 1000000000, LIVE)
    INTEGER(limits.tiles_burst, 0, 1000000000, LIVE)
    INTEGER(limits.renders_per_minute, 0, 1000000000, LIVE)
    INTEGER(limits.renders_burst, 0, 1000000000, LIVE)
    OPTIONAL(limits.stream_bytes, 64 * MIB, 1 * TIB, LIVE)
    TEXT(access.keys_file, CONFIG_DIR_BYTES, LIVE)
    BOOLEAN(access.required, LIVE)
    TEXT(access.admin_token_file, CONFIG_DIR_BYTES, LIVE)
    INTEGER(prefetch.tiles, 0, 4096, LIVE)
    INTEGER(cache.memory_bytes, 1 * MIB, 1 * TIB, LIVE)
    TEXT(cache.dir, CONFIG_DIR_BYTES, FIXED)
    OPTIONAL(cache.disk_bytes, 4 * MIB, 64 * TIB, SWITCH)
    INTEGER(cache.disk_rows, 1, 1000000000, LIVE)
    INTEGER(cache.write_behind_bytes, 1 * MIB, 1 * GIB, FIXED)
    INTEGER(cache.write_interval_ms, 1, 60000, FIXED)
    INTEGER(cache.retry_interval_ms, 100, 600000, FIXED)
    {"cache.shared", KEY_STORE, FIXED, true, MEMBER(cache.shared), 0, REMOTE_URL_BYTES - 1, NULL},
    TEXT(cache.shared_ca, CONFIG_DIR_BYTES, FIXED)
    TEXT(cache.shared_password_file, CONFIG_DIR_BYTES, FIXED)
    INTEGER(cache.shared_timeout_ms, 1, 10000, FIXED)
    INTEGER(cache.shared_lease_ms, 100, 60000, FIXED)
    INTEGER(cache.shared_retry_ms, 100, 600000, FIXED)
    INTEGER(cache.shared_expire_s, 0, 1000000000, FIXED)
    BOOLEAN(cache.shared_regions, FIXED)
    BOOLEAN(worlds.open, LIVE)
    TEXT(worlds.dir, CONFIG_DIR_BYTES, LIVE)
    {"worlds.default", KEY_RECIPE, LIVE, false, MEMBER(worlds.standard), 0, TEXT_NAME_BYTES, NULL},
    LIST(worlds.named, KEY_WORLDS, CONFIG_WORLDS)
    CHOICE(log.level, log_level_name, LOG_LEVELS, LIVE)
    TEXT(log.access, CONFIG_DIR_BYTES, LIVE)
    INTEGER(log.slow_ms, 0, 600000, LIVE)
    /* clang-format on */
};

enum { KEYS = sizeof keys / sizeof keys[0] };

_Static_assert(KEYS <= 64, "each has a bit in struct config");
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
    config->given |= UINT64_C(1) << (key - keys);
}

bool config_is_given(const struct config *config, const char *path)
{
    const struct key *const key = config_key_find(path);

    return key && (config->given >> (key - keys) & 1) != 0;
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
    const size_t through = (size_t)(name - keys[k].path) + *bytes + 1; /* with the dot */
    const char *const before = k > 0 ? keys[k - 1].path : "";
    if (name[*bytes] == '.' && strncmp(keys[k].path, before, through) == 0)
        return NULL;
    return name;
}

bool config_group_exists(const char *group)
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
    char allowed[160];

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
