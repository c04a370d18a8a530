/*
 * Fuzzing the library's reader of JSON against jansson: what the one takes the other takes, with the same values to the
 * bit, which are written as printf does, and what they refuse they refuse with the same words at the same place.
 */
#include <jansson.h>

#include "../../lib/read/json.h"
#include "../../lib/read/message.h"
#include "fuzz_kit.h"

static bool same(const struct value *value, json_t *other);

/* The same bits, and the same digits to any number of them. */
static bool same_real(double real, double other)
{
    char written[DECIMAL_BYTES], expected[40];
    for (int digits = 1; digits <= 17; digits++) {
        decimal_write(written, real, digits);
        snprintf(expected, sizeof expected, "%.*g", digits, other);
        if (strcmp(written, expected) != 0)
            return false;
    }
    return memcmp(&real, &other, sizeof real) == 0;
}

static bool same_members(const struct value *value, json_t *other)
{
    const struct value *at = value->first;
    bool good = value->kind == VALUE_OBJECT && value->count == json_object_size(other);
    for (void *member = json_object_iter(other); member && good;
         member = json_object_iter_next(other, member)) {
        good = at && strcmp(at->key, json_object_iter_key(member)) == 0 && at->up == value &&
               same(at, json_object_iter_value(member));
        at = good ? at->next : NULL;
    }
    return good && !at;
}

static bool same_items(const struct value *value, json_t *other)
{
    const struct value *at = value->first;
    bool good = value->kind == VALUE_ARRAY && value->count == json_array_size(other);
    for (size_t k = 0; k < json_array_size(other) && good; k++) {
        good = at && at->up == value && same(at, json_array_get(other, k));
        at = good ? at->next : NULL;
    }
    return good && !at;
}

static bool same(const struct value *value, json_t *other)
{
    switch (json_typeof(other)) {
    case JSON_OBJECT:
        return same_members(value, other);
    case JSON_ARRAY:
        return same_items(value, other);
    case JSON_STRING:
        return value->kind == VALUE_STRING && strcmp(value->string, json_string_value(other)) == 0;
    case JSON_INTEGER:
        return value->kind == VALUE_INTEGER && value->integer == json_integer_value(other);
    case JSON_REAL:
        return value->kind == VALUE_REAL && same_real(value->real, json_real_value(other));
    case JSON_TRUE:
        return value->kind == VALUE_TRUE;
    case JSON_FALSE:
        return value->kind == VALUE_FALSE;
    case JSON_NULL:
        return value->kind == VALUE_NULL;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *text = (const char *)data;
    char error[160] = "", expected[JSON_ERROR_TEXT_LENGTH + 64];
    json_error_t trouble;
    if (memchr(data, 0, bytes)) /* which jansson overlooks behind a number or a word */
        return 0;
    void *memory = room(json_bytes(text, bytes));
    const struct value *root = json_read(text, bytes, memory, error, sizeof error);
    json_t *other = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    require((root != NULL) == (other != NULL), "one takes what the other refuses");
    if (other) {
        require(same(root, other), "values differ");
    } else {
        snprintf(expected, sizeof expected, "line %d, column %d: %s", trouble.line, trouble.column,
                 trouble.text);
        require(strcmp(error, expected) == 0, "messages differ");
    }
    json_decref(other);
    free(memory);
    return 0;
}
