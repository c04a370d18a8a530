/*
 * Words and values of JSON files that people write: what they mean and how a message shows them. The one way to write a
 * line that quotes what came from outside.
 */
#ifndef TERRANE_SERVER_TEXT_H
#define TERRANE_SERVER_TEXT_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TEXT_SHOWN_BYTES = 80,
    TEXT_WORD_BYTES = 32,
    TEXT_NAME_BYTES = 64, /* longest name of a world */
    TEXT_HOST_BYTES = 256 /* a buffer of this size holds any host */
};

/*
 * Writes one line of UTF-8 as snprintf would, zero-terminated, into out (NULL where out_bytes is 0). What came from outside
 * may stand in it, whatever its bytes are: control characters (C0, DEL, C1) and what is no UTF-8 become '?', a byte each.
 * Where out is too small the line ends with its last whole character. Returns the bytes written, without the zero.
 */
size_t text_print(char *out, size_t out_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t text_print_list(char *out, size_t out_bytes, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* How many of a text's first bytes, at most so many, are whole characters: the precision of a %.*s that cuts it. */
int text_cut(const char *text, int most);

/*
 * Writes text in double quotes for a message: bytes that are not printable ASCII as \xNN, quotes and
 * backslashes escaped, cut with "..." where out (at least 8 bytes, TEXT_SHOWN_BYTES are good) is too small.
 */
void text_show(char *out, size_t out_bytes, const char *text);

/* A value as a message shows it: a string in quotes, a number, or what it is. */
void text_value_show(const json_t *value, char *out, size_t out_bytes);

/*
 * The integer that a number of JSON is: 1000000, and 1e6 too, as long as a double holds it exactly. False where it is
 * none; *number is untouched then.
 */
bool text_value_integer(const json_t *value, int64_t *number);

/* Plain decimal, with '-' where negative. False where it is not that or over 63 bits; *number is untouched
 * then. */
bool text_integer(const char *text, int64_t *number);

/* A seed: decimal without leading zeros or 0x with 1 to 16 digits, below 2^64. */
bool text_seed(const char *text, uint64_t *seed);

/* The name of a world: [A-Za-z][A-Za-z0-9_-]{0,63} */
bool text_name(const char *text);

/* The name of a recipe: [a-z][a-z0-9-]{0,63} */
bool text_recipe(const char *text);

/*
 * A host that a request may name: a name, "*." and a name, an IPv4 address, or an IPv6 address in brackets. No port, no
 * dot at its end.
 */
bool text_host(const char *text);

/*
 * The form of an address or of a network, "ADDRESS" or "ADDRESS/BITS": its characters and its length. What it means is
 * for its readers to say.
 */
bool text_network(const char *text);

/*
 * Levenshtein's distance between two words: how many letters to put in, take out or change. Words of more
 * than TEXT_WORD_BYTES are as far apart as can be. (lib/read has its own: the library's rooms are closed to the server.)
 */
int text_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

/*
 * Splits "host:port": host a name, an IPv4 address, or an IPv6 address in brackets with an optional %zone;
 * port 0 .. 65535 in plain decimal. Fills host (zero-terminated, without brackets) and *port; false and both
 * untouched when the text is no address or host_bytes are too few. Resolves nothing.
 */
bool text_split_address(const char *text, char *host, size_t host_bytes, uint16_t *port);

/* The bytes of the UTF-8 sequence that text starts with; 0 where it starts with none, or with a zero. Stops at a zero. */
size_t text_utf8_bytes(const unsigned char *text);

#endif
