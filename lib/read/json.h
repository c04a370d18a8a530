/*
 * JSON (RFC 8259), read into a tree in the caller's memory.
 *
 * What it takes, what it refuses and the words for that are jansson's json_loadb with JSON_REJECT_DUPLICATES: the text is
 * an object or an array, strict UTF-8 without U+0000, no two members of an object have one name, integers fit 64 bits,
 * no number overflows a double, nothing is nested more than 2048 deep. tests/fuzz/fuzz_json.c compares the two, but for
 * one mistake: behind a number or a word jansson overlooks a NUL.
 */
#ifndef TERRANE_JSON_H
#define TERRANE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
    VALUE_NULL,
    VALUE_FALSE,
    VALUE_TRUE,
    VALUE_INTEGER,
    VALUE_REAL,
    VALUE_STRING,
    VALUE_ARRAY,
    VALUE_OBJECT
};

struct value {
    enum value_kind kind;
    uint32_t count;  /* of an array's items, or an object's members */
    const char *key; /* of a member */
    union {
        int64_t integer;
        double real;
        const char *string; /* zero-terminated, without escapes */
        struct value *first;
    };
    struct value *next; /* item or member, in the order of the text */
    struct value *up;   /* what it is in */
    struct value *same; /* for the reader: a member whose key hashes to the same */
};

/* Memory that a text needs, aligned for struct value. */
size_t json_bytes(const char *text, size_t bytes);

/* Returns the document, which lives in memory; NULL: refused, "line L, column C: what" in error. */
const struct value *json_read(const char *text, size_t bytes, void *memory, char *error, size_t error_bytes);

/* The member of that name; NULL: there is none, or this is no object. value may be NULL. */
const struct value *value_get(const struct value *value, const char *key);

/* The item at index, which is under count; NULL: there is none, or this is no array. */
const struct value *value_item(const struct value *value, size_t index);

static inline bool value_is(const struct value *value, enum value_kind kind)
{
    return value && value->kind == kind;
}

static inline bool value_is_number(const struct value *value)
{
    return value_is(value, VALUE_INTEGER) || value_is(value, VALUE_REAL);
}

#endif
