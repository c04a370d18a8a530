/*
 * Reading values with messages that say where.
 *
 * A place is a value's JSON Pointer (RFC 6901) in pieces, linked towards the root, on the stack of what walks the
 * document; it becomes text only where something is wrong. The reading functions return 0, or -1 with one line in
 * the reader's error, and leave the output untouched then.
 */
#ifndef TERRANE_READER_H
#define TERRANE_READER_H

#include "json.h"

enum { PLACE_BYTES = 160 };

/* {NULL, NULL, 0} is the document. */
struct place {
    const struct place *up;
    const char *key; /* NULL: an item of an array */
    size_t index;
};

/* Where messages go. */
struct reader {
    char *error;
    size_t error_bytes; /* 1 or more */
};

/* "/terms/hills/octaves"; what does not fit (PLACE_BYTES are good) ends in "/...". "" for the document. */
void place_text(const struct place *place, char *out, size_t out_bytes);

/* Writes "POINTER: what" as one printable line. Returns -1. */
int reader_refuse(const struct reader *reader, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Refuses: "there is no WHAT "NAME"; did you mean "WORD"?" or, where nothing is near, ": allowed" and the words. words: count
 * of them, some may be NULL.
 */
int reader_unknown(const struct reader *reader, const struct place *place, const char *what, const char *name,
                   const char *const *words, size_t count);

/* Refuses: "unknown key, perhaps WORD was meant: allowed" and the words. */
int reader_unknown_key(const struct reader *reader, const struct place *place, const char *const *words,
                       size_t count);

/* Refuses: "VALUE is not WHAT" */
int reader_not(const struct reader *reader, const struct place *place, const struct value *value,
               const char *what);

/* A number low .. high. */
int reader_number(const struct reader *reader, const struct place *place, const struct value *value,
                  double low, double high, double *out);
int reader_float(const struct reader *reader, const struct place *place, const struct value *value,
                 double low, double high, float *out);

/* A whole number low .. high; 8.0 and 1e3 are whole, too. */
int reader_whole(const struct reader *reader, const struct place *place, const struct value *value,
                 int64_t low, int64_t high, int64_t *out);

/* The index of one of count words. */
int reader_word(const struct reader *reader, const struct place *place, const struct value *value,
                const char *const *words, size_t count, int *out);

/* "#rrggbb". */
int reader_colour(const struct reader *reader, const struct place *place, const struct value *value,
                  uint8_t out[3]);

/* Text of at most out_bytes - 1 bytes without control characters. */
int reader_text(const struct reader *reader, const struct place *place, const struct value *value, char *out,
                size_t out_bytes);

/* An array of low .. high items; what names them. */
int reader_array(const struct reader *reader, const struct place *place, const struct value *value,
                 size_t low, size_t high, const char *what);

/* A text that begins with one of the bytes of first and goes on with those of more. */
bool reader_is_name(const char *text, const char *first, const char *more);

#endif
