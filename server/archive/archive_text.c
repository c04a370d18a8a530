/*
 * Words about archives. Values come from files of anybody's: what a terminal would obey is not shown.
 */
#include "archive_text.h"

#include <string.h>

const char *archive_shown(char shown[ARCHIVE_SHOWN_BYTES], const char *value)
{
    size_t bytes = 0;
    for (; value && value[bytes] && bytes < ARCHIVE_SHOWN_BYTES - 1; bytes++)
        shown[bytes] = value[bytes];
    for (size_t i = 0; i < bytes; i++)
        if (shown[i] < ' ' || shown[i] > '~')
            shown[i] = '?';
    shown[bytes] = 0;
    return shown;
}

const char *archive_plain(const char *name)
{
    static const char prefix[] = "terrane:";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}
