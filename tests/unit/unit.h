/*
 * Unit tests. A file tests/unit/ROOM/test_GROUP.c is a group of tests, and all groups of a room are one program:
 *
 *     UNIT(group)
 *     {
 *         const struct CMUnitTest tests[] = {...};
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 * Include it first: it brings cmocka.
 */
#ifndef TERRANE_TESTS_UNIT_H
#define TERRANE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit {
    const char *name;
    int (*run)(void); /* how many of its tests failed */
    struct unit *next;
};

/* Before main(): the room's program knows its groups without a list of them. */
void unit_add(struct unit *unit);

#define UNIT(group)                                            \
    static int group##_run(void);                              \
    __attribute__((constructor)) static void group##_add(void) \
    {                                                          \
        static struct unit unit = {#group, group##_run, NULL}; \
        unit_add(&unit);                                       \
    }                                                          \
    static int group##_run(void)

#endif
