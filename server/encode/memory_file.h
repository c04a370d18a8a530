/*
 * A file in memory, for libraries that write where they like.
 */
#ifndef TERRANE_SERVER_MEMORY_FILE_H
#define TERRANE_SERVER_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct memory_file {
    unsigned char *data; /* malloc'ed; NULL: nothing was written */
    size_t bytes, room, max;
};

/* Puts bytes at a place, and zeros in front where it ended before that; false: memory is short, or that is beyond most. */
bool memory_file_put(struct memory_file *file, size_t at, const void *from, size_t bytes);

/* Hands its bytes over, with no room to spare. At least one has been written. */
unsigned char *memory_file_take(struct memory_file *file, size_t *bytes);

#endif
