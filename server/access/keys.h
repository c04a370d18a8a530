/*
 * API keys, from a file:
 *
 *     {"keys": [{"name": "game", "sha256": "9f86d0...", "expires": "2027-01-31T00:00:00Z",
 *                "tiles_per_minute": 60000, "tiles_burst": 5000, "renders_per_minute": 600, "renders_burst": 200}]}
 *
 * A key is 16 to 128 printable characters without spaces, known by its SHA-256 alone: reading the file gives no key. All
 * members except name and sha256 are optional; defaults: no expiry, the limits of the configuration, and no right to change
 * worlds. A rate of 0 is no limit. The right is "edit": true, or an object that says what of it there is, each where it is to be bounded:
 *
 *     "edit": {"box": [-1000, -1000, 1000, 1000], "outer_max_m": 64, "per_second": 20, "per_day": 5000}
 *
 * Immutable once read; any thread may look a key up.
 */
#ifndef TERRANE_SERVER_KEYS_H
#define TERRANE_SERVER_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients.h"

enum {
    KEYS_FILE_BYTES = 1 << 20,
    KEYS_RATE_MAX = 1000000000,
    KEYS_MAX = 1000,
    KEY_NAME_BYTES = 64,
    KEY_BYTES_MIN = 16,
    KEY_BYTES_MAX = 128
};

/* The right to change worlds. */
struct key_edit {
    bool may;
    bool has_box;
    double x0, y0, x1, y1;        /* metres: nothing outside it */
    double outer_max_m;           /* the largest radius; 0: no bound */
    unsigned per_second, per_day; /* operations; 0: no limit */
};

struct key_holder {
    char name[KEY_NAME_BYTES + 1]; /* [A-Za-z][A-Za-z0-9_-]{0,63}, once in the file */
    unsigned char sha256[32];
    struct key_edit edit;
    int64_t expires_s; /* since the epoch; INT64_MAX: never */
    bool has_rate[BUCKETS];
    struct rate rate[BUCKETS]; /* where has_rate */
};

struct keys {
    size_t count;
    struct key_holder holder[]; /* in the order of the file */
};

/* Reads a file of keys. Returns owned, or NULL with one line in error that names file and place. */
struct keys *keys_open(const char *path, char *error, size_t error_bytes);

/* The same for a text (keys_parse.c); file: its name in messages. */
struct keys *keys_parse(const char *text, size_t bytes, const char *file, char *error, size_t error_bytes);
void keys_free(struct keys *keys); /* NULL is fine */

size_t keys_count(const struct keys *keys);

/*
 * The holder of a key (not zero-terminated), borrowed, expired or not; NULL: none. Compares its hash with every one in the
 * file in constant time, match or not: about 30 us with a thousand.
 */
const struct key_holder *keys_find(const struct keys *keys, const char *key, size_t bytes);

/* Compares two secrets in a time that depends only on their lengths. */
bool secret_equal(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

/*
 * Reads a secret from a file: the first line, trimmed, 16 to 128 printable characters. Owned (malloc),
 * zero-terminated; NULL with one line in error.
 */
char *secret_read(const char *path, char *error, size_t error_bytes);

/* Overwrites a secret, and frees it. NULL is fine. */
void secret_free(char *secret);

/* ---- Keys as text, for files of keys and for those who write them ---------------------------------------------- */

/* KEY_BYTES_MIN .. KEY_BYTES_MAX printable bytes of ASCII without spaces; for messages: */
bool key_text_allowed(const char *key, size_t bytes);
#define KEY_TEXT_ALLOWED "16 .. 128 printable characters of ASCII without spaces"

/* Finds the first line of a text, without white space around it. Borrowed. */
const char *key_text_line(const char *text, size_t bytes, size_t *line_bytes);

/* SHA-256. Returns 0, or -1 if its library fails. */
int key_text_hash(const char *key, size_t bytes, unsigned char sha256[static 32]);

/*
 * Seconds since the epoch of a time such as "2027-01-31T00:00:00Z": RFC 3339 in UTC, exactly these 20 bytes
 * (no fractions, offsets, small letters or leap seconds), from 1970 on. False, and *time_s untouched, for
 * anything else.
 */
bool key_text_time(const char *text, int64_t *time_s);
#define KEY_TEXT_TIME_ALLOWED "YYYY-MM-DDThh:mm:ssZ, in UTC and from 1970 on"

#endif
