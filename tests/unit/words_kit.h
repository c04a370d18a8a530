/*
 * Tables of words as one text, which | separates: "|-|+1" has three, the first of them empty.
 */
#ifndef TERRANE_TESTS_WORDS_KIT_H
#define TERRANE_TESTS_WORDS_KIT_H

#include "unit.h"

/* The next word, in a place that is used again; NULL behind the last. *words moves on. */
static inline const char *word_next(const char **words)
{
    static char word[256];
    if (!*words)
        return NULL;
    const size_t bytes = strcspn(*words, "|");
    assert_in_range(bytes, 0, sizeof word - 1);
    memcpy(word, *words, bytes);
    word[bytes] = '\0';
    *words = (*words)[bytes] ? *words + bytes + 1 : NULL;
    return word;
}

#endif
