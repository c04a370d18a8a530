/*
 * Reading a file of keys. Every refusal is one line: FILE: PLACE: what is wrong, and what is allowed.
 *
 * Messages never quote the value in place of a hash: it may be a key that somebody put there by mistake, and
 * messages go to logs.
 */
#include "keys.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

/* The source of a text, and the buffer for a message about it. */
struct source {
    const char *file;
    char *error;
    size_t error_bytes;
};

static const struct {
    const char *per_minute, *burst;
} rate_member[BUCKETS] = {
    [BUCKET_TILES] = {"tiles_per_minute", "tiles_burst"},
    [BUCKET_RENDERS] = {"renders_per_minute", "renders_burst"},
};

static const char *const members[] = {"name",         "sha256",           "expires",     "edit",
                                      "follow",       "tiles_per_minute", "tiles_burst", "renders_per_minute",
                                      "renders_burst"};

enum { MEMBERS = sizeof members / sizeof *members, NO_KEY = -1 };

/* Writes the message about keys[k].member; NO_KEY and NULL leave the place out. Returns -1. */
__attribute__((format(printf, 4, 5))) static int refuse(const struct source *source, int k,
                                                        const char *member, const char *format, ...)
{
    char what[256], place[64] = "";
    va_list arguments;

    va_start(arguments, format);
    text_print_list(what, sizeof what, format, arguments);
    va_end(arguments);
    if (k != NO_KEY)
        snprintf(place, sizeof place, "keys[%d]%s%s: ", k, member ? "." : "", member ? member : "");
    text_print(source->error, source->error_bytes, "%s: %s%s", source->file, place, what);
    return -1;
}

/* ---- Members ------------------------------------------------------------------------------------------- */

static int name_read(struct key_holder *holder, const struct source *source, int k, const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    _Static_assert((int)KEY_NAME_BYTES == 64, "what text_name takes");
    if (json_is_string(value) && text_name(json_string_value(value))) {
        memcpy(holder->name, json_string_value(value), strlen(json_string_value(value)) + 1);
        return 0;
    }
    if (!value)
        return refuse(source, k, "name", "is missing: allowed [A-Za-z][A-Za-z0-9_-]{0,%d}",
                      KEY_NAME_BYTES - 1);
    text_value_show(value, shown, sizeof shown);
    return refuse(source, k, "name", "%s is no name: allowed [A-Za-z][A-Za-z0-9_-]{0,%d}", shown,
                  KEY_NAME_BYTES - 1);
}

static int hash_read(struct key_holder *holder, const struct source *source, int k, const json_t *value)
{
    const char *const text = json_string_value(value);
    bool fine = text && strlen(text) == 64;

    for (int i = 0; fine && i < 32; i++) {
        const int high = text_hex_digit(text[2 * i]), low = text_hex_digit(text[2 * i + 1]);
        fine = high >= 0 && low >= 0;
        holder->sha256[i] = fine ? (unsigned char)(16 * high + low) : 0;
    }
    return fine ? 0
                : refuse(source, k, "sha256", "is %s: allowed 64 hexadecimal digits",
                         value ? "no SHA-256" : "missing");
}

static int expires_read(struct key_holder *holder, const struct source *source, int k, const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    holder->expires_s = INT64_MAX;
    if (!value || (json_is_string(value) && key_text_time(json_string_value(value), &holder->expires_s)))
        return 0;
    text_value_show(value, shown, sizeof shown);
    return refuse(source, k, "expires", "%s is no time: allowed " KEY_TEXT_TIME_ALLOWED, shown);
}

static int number_read(const struct source *source, int k, const char *member, const json_t *value, int min,
                       unsigned *number)
{
    char shown[TEXT_SHOWN_BYTES];
    int64_t wide;

    if (text_value_integer(value, &wide) && wide >= min && wide <= KEYS_RATE_MAX) {
        *number = (unsigned)wide;
        return 0;
    }
    text_value_show(value, shown, sizeof shown);
    return refuse(source, k, member, "%s is no integer in the range: allowed %d .. %d", shown, min,
                  KEYS_RATE_MAX);
}

static int box_read(struct key_edit *edit, const struct source *source, int k, const json_t *value)
{
    double number[4];
    bool fine = json_array_size(value) == 4;

    for (size_t i = 0; fine && i < 4; i++) {
        fine = json_is_number(json_array_get(value, i));
        number[i] = fine ? json_number_value(json_array_get(value, i)) : 0;
    }
    if (!fine || number[0] >= number[2] || number[1] >= number[3])
        return refuse(source, k, "edit.box",
                      "is no box: allowed [x0, y0, x1, y1] in metres, x0 < x1, y0 < y1");
    edit->has_box = true;
    edit->x0 = number[0];
    edit->y0 = number[1];
    edit->x1 = number[2];
    edit->y1 = number[3];
    return 0;
}

static int edit_member_read(struct key_edit *edit, const struct source *source, int k, const char *name,
                            const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    if (strcmp(name, "box") == 0)
        return box_read(edit, source, k, value);
    if (strcmp(name, "per_second") == 0)
        return number_read(source, k, "edit.per_second", value, 1, &edit->per_second);
    if (strcmp(name, "per_day") == 0)
        return number_read(source, k, "edit.per_day", value, 1, &edit->per_day);
    if (strcmp(name, "outer_max_m") != 0) {
        text_show(shown, sizeof shown, name);
        return refuse(source, k, "edit", "unknown member %s: allowed box, outer_max_m, per_second, per_day",
                      shown);
    }
    edit->outer_max_m = json_number_value(value);
    if (edit->outer_max_m > 0)
        return 0;
    text_value_show(value, shown, sizeof shown);
    return refuse(source, k, "edit.outer_max_m", "%s is no radius: allowed metres above 0", shown);
}

static int edit_read(struct key_holder *holder, const struct source *source, int k, json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    holder->edit = (struct key_edit){.may = json_is_true(value) || json_is_object(value)};
    if (value && !json_is_boolean(value) && !json_is_object(value)) {
        text_value_show(value, shown, sizeof shown);
        return refuse(
            source, k, "edit",
            "%s is no right: allowed true, false, an object of box, outer_max_m, per_second, per_day", shown);
    }
    for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at))
        if (edit_member_read(&holder->edit, source, k, json_object_iter_key(at),
                             json_object_iter_value(at)) != 0)
            return -1;
    return 0;
}

static int follow_read(struct key_holder *holder, const struct source *source, int k, const json_t *value)
{
    char shown[TEXT_SHOWN_BYTES];

    holder->follow = json_is_true(value);
    if (!value || json_is_boolean(value))
        return 0;
    text_value_show(value, shown, sizeof shown);
    return refuse(source, k, "follow", "%s is no right: allowed true, false", shown);
}

/* Reads both numbers of a rate, or none; 0 a minute, which is no limit, needs no burst. */
static int rate_read(struct key_holder *holder, const struct source *source, int k, enum metric_bucket bucket,
                     const json_t *object)
{
    const char *const name = rate_member[bucket].per_minute, *const burst_name = rate_member[bucket].burst;
    const json_t *const per_minute = json_object_get(object, name);
    const json_t *const burst = json_object_get(object, burst_name);
    struct rate *const rate = &holder->rate[bucket];

    if (!per_minute && !burst)
        return 0;
    if (!per_minute)
        return refuse(source, k, burst_name, "needs %s, too", name);
    if (number_read(source, k, name, per_minute, 0, &rate->per_minute) != 0)
        return -1;
    if (!burst && rate->per_minute > 0)
        return refuse(source, k, name, "needs %s, too", burst_name);
    if (burst && number_read(source, k, burst_name, burst, 1, &rate->burst) != 0)
        return -1;
    holder->has_rate[bucket] = true;
    return 0;
}

/* ---- The document -------------------------------------------------------------------------------------- */

static bool member_known(const char *name)
{
    for (int i = 0; i < MEMBERS; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}

static int members_check(const struct source *source, int k, json_t *object)
{
    char shown[TEXT_SHOWN_BYTES], allowed[160] = "";

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        if (member_known(json_object_iter_key(at)))
            continue;
        size_t used = 0;
        for (int i = 0; i < MEMBERS && used < sizeof allowed; i++)
            used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", i > 0 ? ", " : "",
                                     members[i]);
        text_show(shown, sizeof shown, json_object_iter_key(at));
        return refuse(source, k, NULL, "unknown member %s: allowed %s", shown, allowed);
    }
    return 0;
}

static int holder_read(struct key_holder *holder, const struct source *source, int k, json_t *object)
{
    if (!json_is_object(object))
        return refuse(source, k, NULL, "is no object: allowed {\"name\": ..., \"sha256\": ...}");
    if (members_check(source, k, object) != 0 ||
        name_read(holder, source, k, json_object_get(object, "name")) != 0 ||
        hash_read(holder, source, k, json_object_get(object, "sha256")) != 0 ||
        expires_read(holder, source, k, json_object_get(object, "expires")) != 0 ||
        edit_read(holder, source, k, json_object_get(object, "edit")) != 0 ||
        follow_read(holder, source, k, json_object_get(object, "follow")) != 0)
        return -1;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        if (rate_read(holder, source, k, (enum metric_bucket)bucket, object) != 0)
            return -1;
    return 0;
}

/* True if a holder differs from all before it: a thousand have half a million pairs, some milliseconds. */
static int holder_compare(const struct keys *keys, const struct source *source, int k)
{
    const struct key_holder *const holder = &keys->holder[k];

    for (int i = 0; i < k; i++) {
        if (strcmp(keys->holder[i].name, holder->name) == 0)
            return refuse(source, k, "name", "\"%s\" is the name of keys[%d] already", holder->name, i);
        if (memcmp(keys->holder[i].sha256, holder->sha256, sizeof holder->sha256) == 0)
            return refuse(source, k, "sha256", "is the one of keys[%d] already", i);
    }
    return 0;
}

/* The array of keys, borrowed; NULL: refused. */
static json_t *array_of(const struct source *source, json_t *root)
{
    static const char form[] = "allowed {\"keys\": [...]}";
    char shown[TEXT_SHOWN_BYTES];
    json_t *const array = json_object_get(root, "keys");

    if (!json_is_object(root))
        refuse(source, NO_KEY, NULL, "is no object: %s", form);
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at)) {
        if (strcmp(json_object_iter_key(at), "keys") == 0)
            continue;
        text_show(shown, sizeof shown, json_object_iter_key(at));
        refuse(source, NO_KEY, NULL, "unknown member %s: %s", shown, form);
        return NULL;
    }
    if (json_is_object(root) && !json_is_array(array))
        refuse(source, NO_KEY, NULL, "keys: is %s: %s", array ? "no array" : "missing", form);
    if (json_is_array(array) && json_array_size(array) > KEYS_MAX) {
        refuse(source, NO_KEY, NULL, "keys: %zu keys: allowed at most %d", json_array_size(array), KEYS_MAX);
        return NULL;
    }
    return json_is_array(array) ? array : NULL;
}

static struct keys *keys_build(const struct source *source, json_t *array)
{
    const size_t count = json_array_size(array);
    struct keys *const keys = calloc(1, sizeof *keys + count * sizeof *keys->holder);

    if (!keys) {
        refuse(source, NO_KEY, NULL, "out of memory");
        return NULL;
    }
    for (; keys->count < count; keys->count++) {
        const int k = (int)keys->count;
        if (holder_read(&keys->holder[k], source, k, json_array_get(array, keys->count)) == 0 &&
            holder_compare(keys, source, k) == 0)
            continue;
        keys_free(keys);
        return NULL;
    }
    return keys;
}

struct keys *keys_parse(const char *text, size_t bytes, const char *file, char *error, size_t error_bytes)
{
    const struct source source = {file, error, error_bytes};
    json_error_t trouble;
    struct keys *keys = NULL;

    json_t *const root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    if (!root && json_error_code(&trouble) == json_error_out_of_memory)
        refuse(&source, NO_KEY, NULL, "out of memory");
    else if (!root) {
        char *const near = strstr(trouble.text, " near '"); /* as long as a key: it may be one */
        if (near && strlen(near) >= sizeof " near ''" - 1 + KEY_BYTES_MIN)
            *near = '\0';
        refuse(&source, NO_KEY, NULL, "line %d, column %d: %s", trouble.line, trouble.column, trouble.text);
    }
    json_t *const array = root ? array_of(&source, root) : NULL;
    if (array)
        keys = keys_build(&source, array);
    json_decref(root);
    return keys;
}
