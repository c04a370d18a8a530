/*
 * What is said on standard error, caught: from catch_begin to catch_end it goes to a file, and what came is
 * in caught then, zero-terminated. Between them a test asserts nothing: nobody would see what failed.
 */
#ifndef TERRANE_TESTS_STDERR_KIT_H
#define TERRANE_TESTS_STDERR_KIT_H

#include <fcntl.h>

#include "unit.h"

static char caught[1 << 20];
static int catch_saved = -1, catch_file = -1;

static inline void catch_begin(void)
{
    char path[] = "/tmp/terrane-stderr-XXXXXX";

    fflush(stderr);
    catch_saved = dup(STDERR_FILENO);
    catch_file = mkstemp(path);
    assert_true(catch_saved >= 0 && catch_file >= 0);
    unlink(path);
    assert_int_equal(fcntl(catch_file, F_SETFL, O_APPEND), 0); /* as in a log that others write, too */
    assert_true(dup2(catch_file, STDERR_FILENO) >= 0);
}

/* Returns how many bytes have come, at most those that there is room for. */
static inline size_t catch_end(void)
{
    fflush(stderr);
    dup2(catch_saved, STDERR_FILENO);
    const ssize_t bytes = pread(catch_file, caught, sizeof caught - 1, 0);
    close(catch_saved);
    close(catch_file);
    assert_true(bytes >= 0);
    caught[bytes] = '\0';
    return (size_t)bytes;
}

#endif
