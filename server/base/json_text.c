/* Serialises JSON values. */
#include "json_text.h"

#include <stdlib.h>

char *json_text(json_t *value, size_t flags, size_t *bytes)
{
    const size_t length = value ? json_dumpb(value, NULL, 0, flags) : 0;
    char *text = length > 0 ? malloc(length + 2) : NULL;

    if (text && json_dumpb(value, text, length, flags) != length) {
        free(text);
        text = NULL;
    }
    if (text) {
        text[length] = '\n';
        text[length + 1] = 0;
        *bytes = length + 1;
    }
    json_decref(value);
    return text;
}

static void keep(json_t **whole, int error)
{
    if (error == 0)
        return;
    json_decref(*whole);
    *whole = NULL;
}

void json_put(json_t **whole, const char *name, json_t *value)
{
    keep(whole, json_object_set_new(*whole, name, value));
}

void json_put_in(json_t **whole, const char *member, const char *name, json_t *value)
{
    keep(whole, json_object_set_new(json_object_get(*whole, member), name, value));
}

void json_put_all(json_t **whole, json_t *members)
{
    keep(whole, json_object_update(*whole, members));
    json_decref(members);
}

void json_append(json_t **whole, json_t *value)
{
    keep(whole, json_array_append_new(*whole, value));
}
