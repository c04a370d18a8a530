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

#endif
