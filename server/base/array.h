/* Arrays that grow. */
#ifndef TERRANE_SERVER_ARRAY_H
#define TERRANE_SERVER_ARRAY_H

#include <stdlib.h>

/*
 * The array with room for so many more elements, of so many bytes, behind count of them, more than 0 in all: it, or one 2^n times as large
 * in its place, at first with room for so many. NULL: memory is short, and the array stays.
 */
static inline void *array_room(void *array, size_t count, size_t more, size_t *room, size_t first,
                               size_t bytes)
{
    size_t wanted = *room ? *room : first;
    if (count + more <= *room)
        return array;
    while (wanted < count + more)
        wanted *= 2;
    void *grown = realloc(array, wanted * bytes);
    *room = grown ? wanted : *room;
    return grown;
}

/* With room for one more. */
static inline void *array_grown(void *array, size_t count, size_t *room, size_t first, size_t bytes)
{
    return array_room(array, count, 1, room, first, bytes);
}

#endif
