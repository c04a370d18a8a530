/*
 * JSON values into text.
 */
#ifndef TERRANE_SERVER_JSON_TEXT_H
#define TERRANE_SERVER_JSON_TEXT_H

#include <jansson.h>

/*
 * The text of a value followed by a line feed and a zero, owned; *bytes counts the line feed, not the zero.
 * Takes the value. flags: as for json_dumps. NULL when memory is short, also for a value that is NULL because
 * of that.
 *
 * Measures first and then writes in place, since json_dumps (Jansson 2.14) leaves a key out when its buffer
 * cannot grow for it.
 */
char *json_text(json_t *value, size_t flags, size_t *bytes);

/* Each inserts a value, taking it. If that fails, or the value is NULL, frees *whole and sets it to NULL. */
void json_put(json_t **whole, const char *name, json_t *value);
void json_put_in(json_t **whole, const char *member, const char *name,
                 json_t *value);                    /* an object's object */
void json_put_all(json_t **whole, json_t *members); /* those of an object */
void json_append(json_t **whole, json_t *value);

#endif
