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
