/*
 * Reading JSON values with messages that say where: for the files of server/recipe alone.
 *
 * A place is a value's JSON Pointer (RFC 6901) in pieces, linked towards the root, on the stack of whoever walks the
 * document; it becomes text only where something is wrong. The reading functions return 0, or -1 with one line in
 * the reader's error, and leave the output untouched then.
 */
#ifndef TERRANE_SERVER_READER_H
#define TERRANE_SERVER_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { PLACE_BYTES = 160 };

/* {NULL, NULL, 0} is the document. */
struct place {
    const struct place *up;
    const char *key; /* NULL: an item of an array */
    size_t index;
};

/* Where messages go. */
struct reader {
    const char *file; /* named in front of them */
    char *error;
    size_t error_bytes;
};

/* "/terms/hills/octaves"; what does not fit (PLACE_BYTES are good) ends in "/...". "" for the document. */
void place_text(const struct place *place, char *out, size_t out_bytes);

/* Writes "FILE: POINTER: what" as one printable line. Returns -1. */
int reader_refuse(const struct reader *reader, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses members of an object that are none of the words (NULL ends them), and says which was perhaps meant. */
int reader_keys(const struct reader *reader, const struct place *place, json_t *object,
                const char *const *words);

/*
 * Refuses: "there is no WHAT "NAME"; did you mean "WORD"?" or, where nothing is near, ": allowed" and the words. words: count
 * of them, some may be NULL.
 */
int reader_unknown(const struct reader *reader, const struct place *place, const char *what, const char *name,
                   const char *const *words, size_t count);

/* A number low .. high. */
int reader_number(const struct reader *reader, const struct place *place, const json_t *value, double low,
                  double high, double *out);
int reader_float(const struct reader *reader, const struct place *place, const json_t *value, double low,
                 double high, float *out);

/* A whole number low .. high; 8.0 and 1e3 are whole, too. */
int reader_whole(const struct reader *reader, const struct place *place, const json_t *value, int64_t low,
                 int64_t high, int64_t *out);

/* The index of one of count words. */
int reader_word(const struct reader *reader, const struct place *place, const json_t *value,
                const char *const *words, size_t count, int *out);

/* "#rrggbb". */
int reader_colour(const struct reader *reader, const struct place *place, const json_t *value,
                  uint8_t out[3]);

/* Text of at most out_bytes - 1 bytes without control characters. */
int reader_text(const struct reader *reader, const struct place *place, const json_t *value, char *out,
                size_t out_bytes);

/* An array of low .. high items; what names them. */
int reader_array(const struct reader *reader, const struct place *place, const json_t *value, size_t low,
                 size_t high, const char *what);

/* An object with no other members than the words. */
int reader_object(const struct reader *reader, const struct place *place, json_t *value,
                  const char *const *words);

/*
 * Members that may be left out: each reads the member of that name into *out where there is one, and leaves
 * *out as it is where there is none. Nothing else differs.
 */
int reader_member_number(const struct reader *reader, const struct place *place, const json_t *object,
                         const char *key, double low, double high, double *out);
int reader_member_float(const struct reader *reader, const struct place *place, const json_t *object,
                        const char *key, double low, double high, float *out);

#endif
