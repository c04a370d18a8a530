/*
 * CHECK asserts a condition that only a bug in this program can violate. Always on; prints the place, and
 * aborts.
 *
 * Never for input: requests, files, the disk, memory that is short.
 */
#ifndef TERRANE_SERVER_CHECK_H
#define TERRANE_SERVER_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) ((condition) ? (void)0 : check_fail(__FILE__, __LINE__, #condition))

static inline _Noreturn void check_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this must hold: %s\n", file, line, condition);
    abort();
}

#endif
