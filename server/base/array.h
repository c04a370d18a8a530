/* Arrays that grow. */
#ifndef TERRANE_SERVER_ARRAY_H
#define TERRANE_SERVER_ARRAY_H

#include <stdlib.h>

/*
 * The array with room for one more element, of so many bytes, behind count of them: it, or one twice as large in its place, at first with
 * room for so many. NULL: memory is short, and the array stays.
 */
static inline void *array_grown(void *array, size_t count, size_t *room, size_t first, size_t bytes)
{
    if (count < *room)
        return array;
    const size_t more = *room ? 2 * *room : first;
    void *grown = realloc(array, more * bytes);
    *room = grown ? more : *room;
    return grown;
}

#endif
