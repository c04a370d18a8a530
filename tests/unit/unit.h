/*
 * Unit tests. A file tests/unit/ROOM/test_NAME.c is a group of tests, and all groups of a room are one program. Include this first:
 * it brings cmocka.
 *
 *     TEST(what_it_shows)
 *     {
 *         ...
 *     }
 *
 *     GROUP(NAME);
 *
 * TEST(name, .setup_func = f, ...) has members of struct CMUnitTest besides; GROUP(NAME, set_up, tear_down) has fixtures of the
 * group, GROUP_EACH(NAME, set_up, tear_down) the same for every test that names none. UNIT(NAME) {...} is a group that runs itself.
 */
#ifndef TERRANE_TESTS_UNIT_H
#define TERRANE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct unit {
    const char *name;
    int (*run)(void); /* how many of its tests failed */
    struct unit *next;
};

/* Before main(): the room's program knows its groups without a list of them. */
void unit_add(struct unit *unit);

#define UNIT(group)                                                 \
    static int unit_run_##group(void);                              \
    __attribute__((constructor)) static void unit_add_##group(void) \
    {                                                               \
        static struct unit unit = {#group, unit_run_##group, NULL}; \
        unit_add(&unit);                                            \
    }                                                               \
    static int unit_run_##group(void)

/*
 * What a kit defines is one in the room, whichever of its files include it. WRAPS(f): calls of f come to __wrap_f, where the
 * room has it in UNIT_WRAP_ROOM (tests.mk); what they went to is __real_f.
 */
#define SHARED   __attribute__((weak))
#define WRAPS(f) __typeof__(f) __wrap_##f, __real_##f

/* First in a test that counts on time, or takes much of it: it is skipped unless TERRANE_TEST_LONG is set (make test-long). */
#define LONG_ONLY()                   \
    if (!getenv("TERRANE_TEST_LONG")) \
    skip()

/* Waits for what has to come about on the slowest machine. */
#define AWAIT(condition)                                        \
    for (int waits = 0; !(condition); waits++) {                \
        if (waits == 60000)                                     \
            fail_msg("%s: it does not come about", #condition); \
        usleep(1000);                                           \
    }

/* Bytes are what hexadecimal digits say, for a digest that is written down. */
static inline void assert_bytes(const uint8_t *byte, size_t bytes, const char *digits)
{
    char text[65] = "";
    for (size_t i = 0; i < bytes && i < sizeof text / 2; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)byte[i]);
    assert_string_equal(text, digits);
}

/* The tests of this file, in their order: UNIT_TESTS_MAX at most. */
enum { UNIT_TESTS_MAX = 100 };
static struct CMUnitTest unit_test[UNIT_TESTS_MAX] __attribute__((unused));
static size_t unit_tests __attribute__((unused));

/* Rows of struct CMUnitTest that have one function, whose body follows. */
#define TESTS(function, ...)                                                                           \
    static void function(void **state);                                                                \
    __attribute__((constructor)) static void unit_add_##function##_test(void)                          \
    {                                                                                                  \
        static const struct CMUnitTest unit_row[] = {__VA_ARGS__};                                     \
        for (size_t i = 0; i < sizeof unit_row / sizeof *unit_row && unit_tests < UNIT_TESTS_MAX; i++) \
            unit_test[unit_tests++] = unit_row[i];                                                     \
    }                                                                                                  \
    static void function(void **state __attribute__((unused)))
#define TEST(function, ...) TESTS(function, {.name = #function, .test_func = function, __VA_ARGS__})

static inline int unit_run(const char *name, const CMFixtureFunction each[static 2],
                           const CMFixtureFunction group[static 2])
{
    for (size_t i = 0; i < unit_tests; i++)
        if (!unit_test[i].setup_func && !unit_test[i].teardown_func) {
            unit_test[i].setup_func = each[0];
            unit_test[i].teardown_func = each[1];
        }
    return unit_tests < UNIT_TESTS_MAX
               ? _cmocka_run_group_tests(name, unit_test, unit_tests, group[0], group[1])
               : 1;
}

#define GROUP(name, ...)                                                                        \
    UNIT(name)                                                                                  \
    {                                                                                           \
        return unit_run(#name, (CMFixtureFunction[2]){0}, (CMFixtureFunction[2]){__VA_ARGS__}); \
    }                                                                                           \
    struct unit
#define GROUP_EACH(name, ...)                                                                   \
    UNIT(name)                                                                                  \
    {                                                                                           \
        return unit_run(#name, (CMFixtureFunction[2]){__VA_ARGS__}, (CMFixtureFunction[2]){0}); \
    }                                                                                           \
    struct unit

#endif
