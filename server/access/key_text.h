/*
 * Keys as text: which are ones, what they are known by, and until when. For files of keys and for those who
 * write them.
 */
#ifndef TERRANE_SERVER_KEY_TEXT_H
#define TERRANE_SERVER_KEY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* KEY_BYTES_MIN .. KEY_BYTES_MAX printable bytes of ASCII without spaces. What is allowed, in words: */
bool key_text_allowed(const char *key, size_t bytes);
#define KEY_TEXT_ALLOWED "16 .. 128 printable characters of ASCII without spaces"

/* Where a text's first line begins and ends without what is white around it. Borrowed. */
const char *key_text_line(const char *text, size_t bytes, size_t *line_bytes);

/* SHA-256. Returns 0, or -1 where the library for it fails. */
int key_text_hash(const char *key, size_t bytes, unsigned char sha256[static 32]);

/*
 * Seconds since the epoch of a time as "2027-01-31T00:00:00Z": RFC 3339 in UTC, of these 20 bytes alone (no
 * fractions, offsets, small letters or leap seconds), from 1970 on. False, and *time_s untouched, for all
 * else.
 */
bool key_text_time(const char *text, int64_t *time_s);
#define KEY_TEXT_TIME_ALLOWED "YYYY-MM-DDThh:mm:ssZ, in UTC and from 1970 on"

#endif
