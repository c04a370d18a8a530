/*
 * A file in memory: room doubles as it grows.
 */
#include "memory_file.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 16 };

static bool grow(struct memory_file *file, size_t needed)
{
    if (needed <= file->room)
        return true;
    size_t room = file->room > 0 ? file->room : FIRST_BYTES;
    while (room < needed)
        room *= 2;
    unsigned char *data = realloc(file->data, room);
    if (!data)
        return false;
    file->data = data;
    file->room = room;
    return true;
}

bool memory_file_put(struct memory_file *file, size_t at, const void *from, size_t bytes)
{
    if (at > file->max || bytes > file->max - at || !grow(file, at + bytes))
        return false;
    if (at > file->bytes)
        memset(file->data + file->bytes, 0, at - file->bytes);
    memcpy(file->data + at, from, bytes);
    file->bytes = at + bytes > file->bytes ? at + bytes : file->bytes;
    return true;
}

unsigned char *memory_file_take(struct memory_file *file, size_t *bytes)
{
    unsigned char *fitted = realloc(file->data, file->bytes);
    if (fitted)
        file->data = fitted;
    *bytes = file->bytes;
    return file->data;
}
