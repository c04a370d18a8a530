/*
 * Numbers as people write them, correctly rounded both ways: what strtod reads and printf's %g writes in the C locale, bit
 * for bit, without a C library.
 */
#ifndef TERRANE_DECIMAL_H
#define TERRANE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum { DECIMAL_BYTES = 32 }; /* a buffer of this size holds any number of up to 17 digits */

/*
 * The double nearest to a number of JSON, ties to even; bytes long, as the grammar has it, a digit first or a minus and a
 * digit. False, and *number untouched, where that is beyond the largest one; what is under the smallest is 0.
 */
bool decimal_read(const char *text, size_t bytes, double *number);

/* "%.*g" of a finite number, for 1 .. 17 digits. Zero-terminated. */
void decimal_write(char out[DECIMAL_BYTES], double number, int digits);

#endif
