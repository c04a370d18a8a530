/* The environment as a source of the configuration: the table of keys defines the variables. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/text.h"
#include "../observe/log.h"
#include "config_key.h"

static const char prefix[] = "TERRANE_";

enum {
    PREFIX_BYTES = sizeof prefix - 1,
    VARIABLE_BYTES = 80, /* a buffer of this size holds the variable of any key */
    NEAR = 3,
    TOLD = 20
};

/* Known variables that are no keys: for main.c, for config_environment_file, and, by prefix, the tests'. */
static const char *const others[] = {"TERRANE_ISA", "TERRANE_CONFIG"};
static const char tests[] = "TERRANE_TEST_";

/* Writes a key's variable into name (VARIABLE_BYTES); false, and name untouched, if it has none. */
static bool variable_name(const char *path, char *name)
{
    const struct key *const key = config_key_find(path);
    size_t used = PREFIX_BYTES;

    if (!key || key->type == KEY_NOTE || key->type == KEY_WORLDS)
        return false;
    memcpy(name, prefix, PREFIX_BYTES);
    for (; *path && used < VARIABLE_BYTES - 1; path++)
        name[used++] = *path == '.' ? '_' : (char)(*path >= 'a' && *path <= 'z' ? *path - 'a' + 'A' : *path);
    name[used] = '\0';
    return true;
}

const char *config_environment_file(const char *given)
{
    const char *const file = getenv("TERRANE_CONFIG");

    return given ? given : file && *file ? file : NULL;
}

int config_environment_apply(struct config *config, char *error, size_t error_bytes)
{
    const struct config_source source = {NULL, error, error_bytes};
    const struct key *key;
    char name[VARIABLE_BYTES];

    for (size_t k = 0; (key = config_key_at(k)) != NULL; k++) {
        const char *const value = variable_name(key->path, name) ? getenv(name) : NULL;
        if (!value)
            continue;
        const int result = config_key_is_list(key)
                               ? config_list_apply(config, &source, key->path, name, value)
                               : config_word_apply(config, &source, key->path, name, value);
        if (result != 0)
            return -1;
    }
    return 0;
}

int config_environment_load(struct config *config, const char *given, char *error, size_t error_bytes)
{
    if (config_load(config, config_environment_file(given), error, error_bytes) != 0)
        return -1;
    if (config_environment_apply(config, error, error_bytes) == 0)
        return 0;
    config_free(config);
    return -1;
}

/* ---- Variables that nobody reads ------------------------------------------------------------------------- */

/* True if the first bytes of a variable are a known name; else nearest is the most similar known one, or "". */
static bool known(const char *variable, size_t bytes, char *nearest)
{
    char name[VARIABLE_BYTES];
    int min = NEAR;
    const char *path;

    nearest[0] = '\0';
    if (strncmp(variable, tests, sizeof tests - 1) == 0)
        return true;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (strlen(others[k]) == bytes && memcmp(variable, others[k], bytes) == 0)
            return true;
    for (size_t k = 0; (path = config_key(k)) != NULL; k++) {
        if (!variable_name(path, name))
            continue;
        const int distance = text_distance(variable + PREFIX_BYTES, bytes - PREFIX_BYTES, name + PREFIX_BYTES,
                                           strlen(name + PREFIX_BYTES));
        if (strlen(name) == bytes && memcmp(name, variable, bytes) == 0)
            return true;
        if (distance < min) {
            min = distance;
            snprintf(nearest, VARIABLE_BYTES, "%s", name);
        }
    }
    return false;
}

void config_environment_warn(void)
{
    char nearest[VARIABLE_BYTES];
    int told = 0;

    for (char *const *at = environ; at && *at; at++) {
        const size_t bytes = strcspn(*at, "=");
        if (strncmp(*at, prefix, PREFIX_BYTES) != 0 || known(*at, bytes, nearest))
            continue;
        if (told++ == TOLD)
            return;
        log_write(LOG_WARNING, "config", "%.*s: no such variable is read%s%s%s",
                  text_cut(*at, bytes < VARIABLE_BYTES ? (int)bytes : VARIABLE_BYTES), *at,
                  nearest[0] ? ", perhaps " : "", nearest, nearest[0] ? " was meant" : "");
    }
}
