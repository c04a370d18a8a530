/*
 * Messages and numbers as text, of a library that has no stdio.
 */
#ifndef TERRANE_MESSAGE_H
#define TERRANE_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * message.c: what snprintf writes, zero-terminated and cut to whole characters within bytes (1 or more), of %s, %.Ns, %d, %zu, %lld, %x, %0Nx, %0NX, %.Ng
 * (N of 1 .. 17, finite numbers) and %%. Returns how many bytes stand in out, without the zero: never more than fit.
 */
size_t say(char *out, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t say_list(char *out, size_t bytes, const char *format, va_list list)
    __attribute__((format(printf, 3, 0)));

static inline bool is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int hex_of(int byte)
{
    return is_digit(byte)               ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

/* Those of a text's first bytes, with one more behind them, that are whole characters of UTF-8. */
size_t say_cut(const char *text, size_t bytes);

/*
 * decimal.c: numbers as people write them, correctly rounded both ways: what strtod reads and printf's %g writes in the C locale,
 * bit for bit.
 */

enum { DECIMAL_BYTES = 32 }; /* a buffer of this size holds any number of up to 17 digits */

/*
 * The double nearest to a number of JSON, ties to even; bytes long, as the grammar has it, a digit first or a minus and a
 * digit. False, and *number untouched, where that is beyond the largest one; what is under the smallest is 0.
 */
bool decimal_read(const char *text, size_t bytes, double *number);

/* "%.*g" of a finite number, for 1 .. 17 digits. Zero-terminated. */
void decimal_write(char out[DECIMAL_BYTES], double number, int digits);

#endif
