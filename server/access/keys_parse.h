/*
 * A file of keys, from its text. For keys.c, and for tests.
 */
#ifndef TERRANE_SERVER_KEYS_PARSE_H
#define TERRANE_SERVER_KEYS_PARSE_H

#include "keys.h"

enum { KEYS_FILE_BYTES = 1 << 20, KEYS_RATE_MOST = 1000000000 };

struct keys {
    size_t count;
    struct key_holder holder[]; /* in the order of the file */
};

/* As keys_open, of a text; file: its name in messages. Free with keys_free. */
struct keys *keys_parse(const char *text, size_t bytes, const char *file, char *error, size_t error_bytes);

#endif
