/*
 * printf for messages, of a library that has no stdio.
 */
#ifndef TERRANE_MESSAGE_H
#define TERRANE_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

/*
 * What snprintf writes, zero-terminated and cut to bytes (1 or more), of %s, %.Ns, %d, %zu, %lld, %x, %0Nx, %0NX, %.Ng
 * (N of 1 .. 17, finite numbers) and %%. Returns how many bytes stand in out, without the zero: never more than fit.
 */
size_t say(char *out, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t say_list(char *out, size_t bytes, const char *format, va_list list)
    __attribute__((format(printf, 3, 0)));

#endif
