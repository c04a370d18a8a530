/*
 * Descriptions of the configuration keys: JSON Schema, a Markdown table, an mdoc list.
 *
 * Everything about a key comes from its row. The schema allows what the program allows, except that it counts
 * characters for lengths, and checks only the form of addresses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "config_key.h"

/* ---- JSON Schema: each json_t is owned, NULL when memory is short --------------------------------------- */

#define PORT    ":(0|[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$"
#define ADDRESS "^(\\[[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]{1,15})?\\]|[A-Za-z0-9._-]{1,253})" PORT
#define HOST                                                                                  \
    "^((\\*\\.(?![0-9.]+$))?(?=[^\\[]{1,253}$)(?![0-9.]+$)([A-Za-z0-9_-]+\\.)*[A-Za-z0-9_-]+" \
    "|([0-9]{1,3}\\.){3}[0-9]{1,3}|\\[[0-9A-Fa-f:.]{2,45}\\])$"
#define NETWORK         "^[0-9A-Fa-f.:]{1,45}(/[0-9]{1,3})?$"
#define STORE           "^$|^((redis|rediss|valkey|valkeys)://[^/]|(unix|redis\\+unix|redis\\+socket)://)"
#define TEXT_OF(number) TEXT_IS(number)
#define TEXT_IS(number) #number
#define RECIPE          "^[a-z][a-z0-9-]{0,63}$"

/* A seed below 2^64, and what worlds.named holds. */
static const char seed_schema[] =
    "{\"type\": [\"string\", \"integer\"], \"minimum\": 0, \"maximum\": 9223372036854775807, \"pattern\": "
    "\"^(0|[1-9][0-9]{0,18}|1[0-7][0-9]{18}|18[0-3][0-9]{17}|184[0-3][0-9]{16}|1844[0-5][0-9]{15}"
    "|18446[0-6][0-9]{14}|184467[0-3][0-9]{13}|1844674[0-3][0-9]{12}|184467440[0-6][0-9]{10}"
    "|1844674407[0-2][0-9]{9}|18446744073[0-6][0-9]{8}|1844674407370[0-8][0-9]{6}|18446744073709[0-4][0-9]{5}"
    "|184467440737095[0-4][0-9]{4}|18446744073709550[0-9]{3}|18446744073709551[0-5][0-9]{2}"
    "|1844674407370955160[0-9]|1844674407370955161[0-5]|0x[0-9A-Fa-f]{1,16})$\"}";
#define GENERATOR                                                                                        \
    "{\"type\": \"integer\", \"minimum\": " TEXT_OF(TERRANE_GENERATOR_OLDEST) ", \"maximum\": " TEXT_OF( \
        TERRANE_GENERATOR_VERSION) "}"
static const char named_schema[] =
    "{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"^[A-Za-z][A-Za-z0-9_-]{0,63}$\"}, "
    "\"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/$defs/seed\"}, {\"type\": \"object\", "
    "\"additionalProperties\": false, \"required\": [\"seed\"], \"properties\": {\"seed\": {\"$ref\": "
    "\"#/$defs/seed\"}, \"recipe\": {\"type\": \"string\", \"pattern\": \"" RECIPE "\"}, "
    "\"generator\": " GENERATOR ", \"secret\": {\"type\": \"boolean\"}, \"client\": {\"type\": "
    "\"boolean\"}}, \"not\": {\"required\": [\"secret\", \"client\"], \"properties\": {\"secret\": "
    "{\"const\": true}, \"client\": {\"const\": true}}}}]}}";

static json_t *integer_schema(const struct key *key)
{
    json_t *const schema = json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum",
                                     (json_int_t)(key->off ? 0 : key->low), "maximum", (json_int_t)key->high);

    if (key->off && schema)
        json_object_set_new(
            schema, "not",
            json_pack("{s:i, s:I}", "exclusiveMinimum", 0, "exclusiveMaximum", (json_int_t)key->low));
    return schema;
}

static json_t *list_schema(const struct key *key, const char *pattern)
{
    return json_pack("{s:s, s:I, s:{s:s, s:s}}", "type", "array", "maxItems", (json_int_t)key->high, "items",
                     "type", "string", "pattern", pattern);
}

static json_t *choice_schema(const struct key *key)
{
    json_t *const words = json_array();

    for (int64_t i = 0; i < key->high; i++)
        json_array_append_new(words, json_string(key->words[i]));
    return json_pack("{s:s, s:o}", "type", "string", "enum", words);
}

static json_t *value_schema(const struct key *key)
{
    json_t *schema = NULL;

    switch (key->type) {
    case KEY_NOTE:
        return json_pack("{s:s}", "type", "string");
    case KEY_INTEGER:
        return integer_schema(key);
    case KEY_BOOLEAN:
        return json_pack("{s:s}", "type", "boolean");
    case KEY_TEXT:
        return json_pack("{s:s, s:I}", "type", "string", "maxLength", (json_int_t)key->high);
    case KEY_STORE:
        return json_pack("{s:s, s:I, s:s}", "type", "string", "maxLength", (json_int_t)key->high, "pattern",
                         STORE);
    case KEY_RECIPE:
        return json_pack("{s:s, s:s}", "type", "string", "pattern", RECIPE);
    case KEY_ADDRESS:
        return json_pack("{s:s, s:s}", "type", "string", "pattern", key->off ? "^$|" ADDRESS : ADDRESS);
    case KEY_CHOICE:
        return choice_schema(key);
    case KEY_HOSTS:
        return list_schema(key, HOST);
    case KEY_NETWORKS:
        return list_schema(key, NETWORK);
    case KEY_WORLDS:
        schema = json_loads(named_schema, 0, NULL);
        json_object_set_new(schema, "maxProperties", json_integer((json_int_t)key->high));
        break;
    }
    return schema;
}

/* A row's text without Markdown and with a final dot. */
static json_t *text_json(const char *text)
{
    char *const plain = malloc(strlen(text) + 1);
    size_t used = 0;

    if (!plain)
        return NULL;
    for (; *text; text++)
        if (*text != '`')
            plain[used++] = *text;
    plain[used++] = '.';
    json_t *const json = json_stringn(plain, used);
    free(plain);
    return json;
}

static json_t *key_schema(const struct key *key)
{
    json_t *schema = json_pack("{s:o}", "description", text_json(key->text));

    if (*key->unit)
        json_put(&schema, "unit", json_string(key->unit));
    json_put_all(&schema, value_schema(key));
    json_put(&schema, "default", json_loads(key->standard, JSON_DECODE_ANY, NULL));
    return schema;
}

static json_t *group_schema(const char *text)
{
    return json_pack("{s:o, s:s, s:b, s:{}}", "description", text_json(text), "type", "object",
                     "additionalProperties", 0, "properties");
}

/* Inserts a key's schema, and makes those of its groups if needed. */
static int key_put(json_t *root, const struct key *key)
{
    char group[CONFIG_PATH_BYTES];
    const char *name = key->path;

    for (const char *dot; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
        snprintf(group, sizeof group, "%.*s", (int)(dot - key->path), key->path);
        json_t *const members = json_object_get(root, "properties");
        const char *const last = group + (name - key->path);
        if (!json_object_get(members, last) &&
            json_object_set_new(members, last, group_schema(config_group_find(group)->text)) != 0)
            return -1;
        root = json_object_get(members, last);
    }
    return json_object_set_new(json_object_get(root, "properties"), name, key_schema(key));
}

char *config_schema(void)
{
    json_t *const root = json_pack("{s:s, s:s, s:s, s:s, s:b, s:{}, s:{s:o}}", "$schema",
                                   "https://json-schema.org/draft/2020-12/schema", "title",
                                   "terrane configuration", "description",
                                   "Every key may be left out; its default then holds. unit is an "
                                   "annotation. The program checks the same ranges and "
                                   "is stricter on addresses (what stands in brackets must be an IPv6 "
                                   "address, four numbers an IPv4 address, a "
                                   "network has no bits behind its prefix), on lengths, which it counts in "
                                   "bytes, and on what has to hold between "
                                   "keys.",
                                   "type", "object", "additionalProperties", 0, "properties", "$defs", "seed",
                                   json_loads(seed_schema, 0, NULL));
    const struct key *key;
    size_t bytes;

    for (size_t k = 0; root && (key = config_key_at(k)) != NULL; k++) {
        if (key_put(root, key) != 0) {
            json_decref(root);
            return NULL;
        }
    }
    return json_text(root, JSON_INDENT(2), &bytes);
}

/* ---- Markdown ------------------------------------------------------------------------------------------ */

char *config_table(void)
{
    static const char *const reload[] = {
        [CHANGE_LIVE] = "yes", [CHANGE_SWITCH] = "but on or off", [CHANGE_FIXED] = "no"};
    char *text = NULL, allowed[KEY_ALLOWED_BYTES];
    const struct key *key;
    size_t bytes;
    FILE *const out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    fputs("| key | unit | default | allowed | reload | what |\n|---|---|---|---|---|---|\n", out);
    for (size_t k = 0; (key = config_key_at(k)) != NULL; k++) {
        config_key_allowed(key, allowed);
        fprintf(out, "| `%s` | %s | `%s` | %s | %s | %s |\n", key->path, key->unit, key->standard, allowed,
                reload[key->change], key->text);
    }
    return text_end(out, &text);
}

/* ---- mdoc ---------------------------------------------------------------------------------------------- */

/* Writes lines of at most 78 characters, a new one for each sentence; none begins like an mdoc request. */
static void words_write(FILE *out, const char *text)
{
    enum { WIDTH = 78 };
    size_t column = 0;

    while (*text) {
        const size_t bytes = strcspn(text, " ");
        size_t shown = bytes;
        for (size_t i = 0; i < bytes; i++)
            shown -= text[i] == '`';
        if (column > 0 && column + 1 + shown > WIDTH)
            column = 0, fputc('\n', out);
        else if (column > 0)
            column++, fputc(' ', out);
        if (column == 0 && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        for (size_t i = 0; i < bytes; i++)
            if (text[i] != '`')
                fputc(text[i], out);
        column += shown;
        if (bytes > 1 && text[bytes - 1] == '.' && text[bytes - 2] != '.')
            column = 0, fputc('\n', out);
        text += bytes + (text[bytes] == ' ');
    }
    fputs(column > 0 ? ".\n" : "", out);
}

char *config_manual(void)
{
    char *text = NULL, allowed[KEY_ALLOWED_BYTES], about[2 * KEY_ALLOWED_BYTES],
         group[CONFIG_PATH_BYTES] = "";
    const struct key *key;
    size_t bytes;
    FILE *const out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t k = 0; (key = config_key_at(k)) != NULL; k++) {
        const char *const dot = strrchr(key->path, '.');
        const size_t length = dot ? (size_t)(dot - key->path) : 0;
        if (strlen(group) != length || strncmp(group, key->path, length) != 0) {
            snprintf(group, sizeof group, "%.*s", (int)length, key->path);
            fprintf(out, ".El\n.Ss %s\n", group);
            words_write(out, config_group_find(group)->text);
            fputs(".Bl -tag -width Ds\n", out);
        }
        fprintf(out, ".It Ic %s\n", key->path);
        words_write(out, key->text);
        config_key_allowed(key, allowed);
        snprintf(about, sizeof about, "Default %s%s%s; allowed %s", key->standard, *key->unit ? " " : "",
                 key->unit, allowed);
        words_write(out, about);
    }
    fputs(".El\n", out);
    return text_end(out, &text);
}
