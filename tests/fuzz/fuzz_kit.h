/*
 * What the fuzz targets share: a check that is always on, blocks of memory, and the words that each refusal is made of.
 */
#ifndef TERRANE_TESTS_FUZZ_KIT_H
#define TERRANE_TESTS_FUZZ_KIT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Always on, unlike assert. */
static inline void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    abort();
}

/* A block of so many bytes, of zeros, to be freed. */
static inline void *room(size_t bytes)
{
    void *const memory = calloc(1, bytes + !bytes);

    require(memory != NULL, "out of memory");
    return memory;
}

/* A copy in a block of exactly its length, with a zero behind it where one is asked for. */
static inline void *copy(const void *data, size_t bytes, bool zero)
{
    char *const text = room(bytes + zero);

    if (bytes > 0)
        memcpy(text, data, bytes);
    if (zero)
        text[bytes] = '\0';
    return text;
}

/* One printable line of ASCII, which is not empty and ends within its room. */
static inline void require_sentence(const char *text, size_t room)
{
    const char *const end = memchr(text, 0, room);

    require(end != NULL && end > text, "no detail, or no end of it");
    for (const char *p = text; p < end; p++)
        require(*p >= ' ' && *p <= '~', "a detail that cannot be shown");
}

/* One line without control characters, which begins so, goes on, and ends within its room. */
static inline void require_line(const char *text, size_t room, const char *start)
{
    const size_t bytes = strnlen(text, room), begin = strlen(start);

    require(bytes < room && bytes > begin && strncmp(text, start, begin) == 0,
            "a refusal that names nothing");
    for (size_t i = 0; i < bytes; i++)
        require((unsigned char)text[i] >= 0x20 && text[i] != 0x7f, "a control character in a message");
}

#endif
