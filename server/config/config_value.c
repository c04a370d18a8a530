/*
 * Values of the configuration: checks those of JSON and command line against the table and stores them.
 *
 *     config_object_apply ──┬── key_apply ──┬── integer_, boolean_, text_, list_apply     an object of JSON: its members
 *          │                └── unknown     └── config_worlds_apply                       in the order of the file; a
 *          └── itself, for a group                                                        group by recursion, as deep as
 *     config_word_apply ────────────────────── the first three                            the paths of the table
 *     config_list_apply ────────────────────── list_apply
 *
 * Invariants.
 * 1. Only *_apply write into a configuration, and only what the table allows.
 * 2. They write their member last: after a refusal it is unchanged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "../base/remote_url.h"
#include "../base/text.h"
#include "config_key.h"

static int integer_apply(struct config *config, const struct config_source *source, const struct key *key,
                         const char *path, int64_t number, const char *shown)
{
    const bool off = key->off && number == 0;

    if (number < key->low && !off)
        return config_key_refuse(source, key, path, shown, "is below the minimum");
    if (number > key->high)
        return config_key_refuse(source, key, path, shown, "is above the maximum");
    if (key->bytes == sizeof(uint32_t)) {
        const uint32_t narrow = (uint32_t)number;
        memcpy(config_key_member(config, key), &narrow, sizeof narrow);
    } else {
        const uint64_t wide = (uint64_t)number;
        memcpy(config_key_member(config, key), &wide, sizeof wide);
    }
    return 0;
}

static void boolean_apply(struct config *config, const struct key *key, bool value)
{
    memcpy(config_key_member(config, key), &value, sizeof value);
}

static int choice_apply(struct config *config, const struct config_source *source, const struct key *key,
                        const char *path, const char *text, const char *shown)
{
    for (unsigned i = 0; i < key->high; i++) {
        if (strcmp(text, key->words[i]) == 0) {
            memcpy(config_key_member(config, key), &i, sizeof i);
            return 0;
        }
    }
    return config_key_refuse(source, key, path, shown, "is none of the words");
}

/* The message says what is wrong, and does not show the value. */
static int store_check(const struct config_source *source, const struct key *key, const char *path,
                       const char *text)
{
    struct remote_url url;
    char error[CONFIG_ERROR_BYTES];

    if (text[0] == '\0')
        return 0;
    if (strlen(text) > (size_t)key->high)
        return config_key_refuse(source, key, path, "the URL", "is too long");
    if (remote_url_read(&url, text, error, sizeof error) != 0)
        return config_key_refuse(source, key, path, "no URL of a store:", error);
    explicit_bzero(&url, sizeof url);
    return 0;
}

static int text_apply(struct config *config, const struct config_source *source, const struct key *key,
                      const char *path, const char *text, const char *shown)
{
    char host[TEXT_HOST_BYTES];
    uint16_t port;

    if (key->type == KEY_NOTE)
        return 0;
    if (key->type == KEY_CHOICE)
        return choice_apply(config, source, key, path, text, shown);
    if (key->type == KEY_STORE && store_check(source, key, path, text) != 0)
        return -1;
    if (key->type == KEY_TEXT && strlen(text) > (size_t)key->high)
        return config_key_refuse(source, key, path, shown, "is too long");
    if (key->type == KEY_RECIPE && !text_recipe(text))
        return config_key_refuse(source, key, path, shown, "is no name of a recipe");
    const bool off = key->off && text[0] == '\0';
    if (key->type == KEY_ADDRESS && !off && !text_split_address(text, host, sizeof host, &port))
        return config_key_refuse(source, key, path, shown, "is no address");

    char *const copy = strdup(text);
    if (!copy)
        return config_refuse(source, path, "out of memory");
    char **const member = config_key_member(config, key);
    free(*member);
    *member = copy;
    return 0;
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

static void list_free(struct config_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->item[i]);
    free(list->item);
    *list = (struct config_list){0};
}

/* An item's copy, owned; NULL after a refusal. */
static char *item_read(const struct config_source *source, const struct key *key, const char *label, size_t k,
                       const json_t *value)
{
    char path[CONFIG_PATH_BYTES], shown[TEXT_SHOWN_BYTES];
    const char *const text = json_string_value(value);
    const char *wrong = NULL;

    if (!text)
        wrong = "is not a string";
    else if (key->type == KEY_HOSTS && !text_host(text))
        wrong = "is no host";
    else if (key->type == KEY_NETWORKS && !text_network(text))
        wrong = "is no address or network";
    char *const copy = wrong ? NULL : strdup(text);
    if (copy)
        return copy;
    snprintf(path, sizeof path, "%s[%zu]", label, k);
    text_value_show(value, shown, sizeof shown);
    if (wrong)
        config_key_refuse(source, key, path, shown, wrong);
    else
        config_refuse(source, path, "out of memory");
    return NULL;
}

static int list_apply(struct config *config, const struct config_source *source, const struct key *key,
                      const char *label, const json_t *array)
{
    struct config_list *const member = config_key_member(config, key);
    struct config_list fresh = {0};
    const size_t count = json_array_size(array);

    if (count > (size_t)key->high)
        return config_refuse(source, label, "%zu strings: allowed at most %d", count, (int)key->high);
    fresh.item = calloc(count > 0 ? count : 1, sizeof *fresh.item);
    if (!fresh.item)
        return config_refuse(source, label, "out of memory");
    while (fresh.count < count) {
        char *const item = item_read(source, key, label, fresh.count, json_array_get(array, fresh.count));
        if (!item) {
            list_free(&fresh);
            return -1;
        }
        fresh.item[fresh.count++] = item;
    }
    list_free(member);
    *member = fresh;
    return 0;
}

/* ---- Keys and groups ----------------------------------------------------------------------------------- */

static int key_apply(struct config *config, const struct config_source *source, const struct key *key,
                     json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];
    int64_t number;

    text_value_show(value, shown, sizeof shown);
    switch (key->type) {
    case KEY_INTEGER:
        if (!text_value_integer(value, &number))
            return config_key_refuse(source, key, key->path, shown, "is not an integer");
        return integer_apply(config, source, key, key->path, number, shown);
    case KEY_BOOLEAN:
        if (!json_is_boolean(value))
            return config_key_refuse(source, key, key->path, shown, "is not a boolean");
        boolean_apply(config, key, json_is_true(value));
        return 0;
    case KEY_HOSTS:
    case KEY_NETWORKS:
        if (!json_is_array(value))
            return config_key_refuse(source, key, key->path, shown, "is not an array");
        return list_apply(config, source, key, key->path, value);
    case KEY_WORLDS:
        if (!json_is_object(value))
            return config_key_refuse(source, key, key->path, shown, "is not an object");
        return config_worlds_apply(config, source, key->path, value);
    case KEY_NOTE:
    case KEY_TEXT:
    case KEY_STORE:
    case KEY_RECIPE:
    case KEY_ADDRESS:
    case KEY_CHOICE:
        break;
    }
    if (!json_is_string(value))
        return config_key_refuse(source, key, key->path, shown, "is not a string");
    return text_apply(config, source, key, key->path, json_string_value(value), shown);
}

int config_object_apply(struct config *config, const struct config_source *source, const char *group,
                        json_t *object)
{
    if (!json_is_object(object)) {
        char shown[TEXT_SHOWN_BYTES];
        text_value_show(object, shown, sizeof shown);
        if (strstr(shown, "://") || strchr(shown, '@')) /* a store's URL, maybe, with its password */
            text_print(shown, sizeof shown, "a string");
        return config_group_refuse(source, group, shown);
    }
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        char path[CONFIG_PATH_BYTES];
        const char *const name = json_object_iter_key(at);
        config_path_join(path, sizeof path, group, name);
        const struct key *const key = config_key_find(path);
        int result;
        if (key && (result = key_apply(config, source, key, json_object_iter_value(at))) == 0)
            config_key_given(config, key);
        else if (key)
            return result;
        else if (config_group_find(path))
            result = config_object_apply(config, source, path, json_object_iter_value(at));
        else
            result = config_unknown_refuse(source, group, path, name);
        if (result != 0)
            return result;
    }
    return 0;
}

int config_defaults_apply(struct config *config, const struct config_source *source)
{
    const struct key *key;
    int result = 0;

    for (size_t k = 0; result == 0 && (key = config_key_at(k)) != NULL; k++) {
        json_t *const value = json_loads(key->standard, JSON_DECODE_ANY, NULL);
        result = value ? key_apply(config, source, key, value) : config_refuse(source, NULL, "out of memory");
        json_decref(value);
    }
    return result;
}

/* A word for a key that takes one. */
static int word_apply(struct config *config, const struct config_source *source, const struct key *key,
                      const char *label, const char *text)
{
    char shown[TEXT_SHOWN_BYTES];
    int64_t number;

    text_show(shown, sizeof shown, text);
    if (key->type == KEY_BOOLEAN) {
        const bool yes = strcmp(text, "true") == 0;
        if (!yes && strcmp(text, "false") != 0)
            return config_key_refuse(source, key, label, shown, "is not a boolean");
        boolean_apply(config, key, yes);
        return 0;
    }
    if (key->type != KEY_INTEGER)
        return text_apply(config, source, key, label, text, shown);
    if (!text_integer(text, &number))
        return config_key_refuse(source, key, label, shown, "is not an integer");
    return integer_apply(config, source, key, label, number, text);
}

int config_word_apply(struct config *config, const struct config_source *source, const char *path,
                      const char *label, const char *text)
{
    const struct key *const key = config_key_find(path);

    if (!key || key->type == KEY_WORLDS || key->type == KEY_NOTE || config_key_is_list(key))
        return config_refuse(source, label, "%s is no key that can be set", path);
    const int result = word_apply(config, source, key, label, text);
    if (result == 0)
        config_key_given(config, key);
    return result;
}

/* Splits a text at commas into a JSON array; NULL: memory is short. Bytes are taken as they are. */
static json_t *list_split(const char *text)
{
    json_t *array = json_array();
    bool more = *text != '\0';

    while (array && more) {
        size_t bytes = strcspn(text, ",");
        const char *const next = text + bytes + 1;
        more = text[bytes] == ',';
        for (; bytes > 0 && *text == ' '; bytes--)
            text++;
        while (bytes > 0 && text[bytes - 1] == ' ')
            bytes--;
        json_append(&array, json_stringn_nocheck(text, bytes));
        text = next; /* after the text's end, if there is no more */
    }
    return array;
}

int config_list_apply(struct config *config, const struct config_source *source, const char *path,
                      const char *label, const char *text)
{
    const struct key *const key = config_key_find(path);

    if (!key || !config_key_is_list(key))
        return config_refuse(source, label, "%s is no list", path);
    json_t *const array = list_split(text);
    if (!array)
        return config_refuse(source, label, "out of memory");
    const int result = list_apply(config, source, key, label, array);
    json_decref(array);
    if (result == 0)
        config_key_given(config, key);
    return result;
}

void config_strings_free(struct config *config)
{
    const struct key *key;

    for (size_t k = 0; (key = config_key_at(k)) != NULL; k++) {
        if (config_key_is_list(key)) {
            list_free(config_key_member(config, key));
        } else if (config_key_is_string(key)) {
            char **const member = config_key_member(config, key);
            free(*member);
            *member = NULL;
        }
    }
}
