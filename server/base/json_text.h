/*
 * JSON values into text.
 */
#ifndef TERRANE_SERVER_JSON_TEXT_H
#define TERRANE_SERVER_JSON_TEXT_H

#include <jansson.h>

/*
 * The text of a value with a line feed and a zero behind it, owned; *bytes counts the line feed, not the
 * zero. Takes the value. flags: as for json_dumps. NULL when memory is short, also for a value that is NULL
 * because of that.
 *
 * Measured first and then written in place: json_dumps goes on when its buffer cannot grow for a key
 * (Jansson 2.14), and leaves the key out.
 */
char *json_text(json_t *value, size_t flags, size_t *bytes);

#endif
