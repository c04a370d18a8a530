/*
 * Pieces of a target as text. Of the files that read targets alone.
 */
#ifndef TERRANE_SERVER_TARGET_TEXT_H
#define TERRANE_SERVER_TARGET_TEXT_H

#include "target.h"

enum { DECODED_BYTES = 8192, NUMBER_BYTES = 1024 };

struct slice {
    const char *at;
    size_t bytes;
};

bool slice_is(struct slice slice, const char *text);
bool slice_is_name(struct slice text); /* [A-Za-z][A-Za-z0-9_-]{0,63} */

/* A plain decimal without sign. 1: read; 0: ill-formed; -1: well-formed, over 2^64 - 1. */
int slice_unsigned(struct slice text, uint64_t *value);

/* The same with an optional minus sign; -0 is ill-formed. -1: beyond 2^62. */
int slice_signed(struct slice text, int64_t *value);

/* 0x and 1 to 16 digits. */
bool slice_hex(struct slice text, uint64_t *value);

/* A number as JSON writes it (RFC 8259, section 6), of at most NUMBER_BYTES, and finite as binary64: the nearest of these. */
bool slice_decimal(struct slice text, double *value);

/* Decodes percent escapes into buffer[DECODED_BYTES]; false: refused, and the target says so. */
bool target_decode(struct target *target, struct slice raw, char *buffer, struct slice *out);

/*
 * Says what is wrong: names the parameter and quotes at most 40 bytes of what was given, printable ones only.
 * The first complaint stands, but what is ill-formed (400) comes before what is well-formed and not there
 * (404, 410).
 */
void target_wrong(struct target *target, unsigned status, const char *parameter, struct slice given,
                  const char *allowed);

/* Sets *choice to the index of value in a table of names; or the target says which there are. */
void target_choose(struct target *target, const char *parameter, struct slice value, const char *const *table,
                   int count, int *choice);

/* Reads the query of a target whose route is known. */
void target_read_query(struct target *target, struct slice query, const struct target_names *names);

#endif
