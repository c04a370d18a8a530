/*
 * Words and values of JSON files that people write: their meaning, and their display in messages. text_print is the one
 * way to write a line that quotes untrusted text.
 */
#ifndef TERRANE_SERVER_TEXT_H
#define TERRANE_SERVER_TEXT_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TEXT_SHOWN_BYTES = 80,
    TEXT_WORD_BYTES = 32,
    TEXT_NAME_BYTES = 64, /* longest name of a world */
    TEXT_HOST_BYTES = 256 /* a buffer of this size holds any host */
};

/*
 * Writes one line of UTF-8 as snprintf would, zero-terminated, into out (NULL if out_bytes is 0). The arguments may be
 * untrusted: each byte of control characters (C0, DEL, C1) and invalid UTF-8 becomes '?'. If out is too small, the line
 * ends with the last whole character. Returns the bytes written, without the zero.
 */
size_t text_print(char *out, size_t out_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t text_print_list(char *out, size_t out_bytes, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Ends a stream of open_memstream, whose text is at *text then: that, owned; NULL: memory was short. */
char *text_end(FILE *out, char **text);

/* Writes bytes as hexadecimal digits, and a zero. */
void text_hex(char *out, const unsigned char *bytes, size_t count);

/* The value of a hexadecimal digit of either case; -1: it is none. */
int text_hex_digit(char c);

/* The length of the longest prefix of whole characters of at most so many bytes: the precision for a %.*s that cuts. */
int text_cut(const char *text, int max);

/*
 * Writes text in double quotes for a message: bytes other than printable ASCII as \xNN, quotes and
 * backslashes escaped, cut with "..." if out (at least 8 bytes, TEXT_SHOWN_BYTES are good) is too small.
 */
void text_show(char *out, size_t out_bytes, const char *text);

/* Writes a value for a message: a string in quotes, a number, or its type. */
void text_value_show(const json_t *value, char *out, size_t out_bytes);

/*
 * Reads an integer from a JSON number: 1000000, and 1e6 too, if a double holds it exactly. False if it is none; then
 * *number is untouched.
 */
bool text_value_integer(const json_t *value, int64_t *number);

/* Reads plain decimal, with '-' if negative. False if it is something else or over 63 bits; then *number is
 * untouched. */
bool text_integer(const char *text, int64_t *number);

/* A seed: decimal without leading zeros or 0x with 1 to 16 digits, below 2^64. */
bool text_seed(const char *text, uint64_t *seed);

/* How many bytes of a text, from the first on, are letters, digits or one of more. */
size_t text_span(const char *text, const char *more);

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
 * Checks the form of an address or a network, "ADDRESS" or "ADDRESS/BITS": only characters and length. networks_create
 * checks the meaning.
 */
bool text_network(const char *text);

/*
 * Levenshtein's distance between two words: the number of letters to insert, delete or change. Words of more than
 * TEXT_WORD_BYTES have the max distance. (lib/read has its own: the library's rooms are closed to the server.)
 */
int text_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

/*
 * Splits "host:port": host a name, an IPv4 address, or an IPv6 address in brackets with an optional %zone;
 * port 0 .. 65535 in plain decimal. Fills host (zero-terminated, without brackets) and *port; false and both
 * untouched when the text is no address or host_bytes are too few. Resolves nothing.
 */
bool text_split_address(const char *text, char *host, size_t host_bytes, uint16_t *port);

/* The length of the UTF-8 sequence at the start of text; 0 if there is none, or a zero. Stops at a zero. */
size_t text_utf8_bytes(const unsigned char *text);

#endif
