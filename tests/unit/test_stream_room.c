/*
 * Room for streams: what is booked never exceeds the bound, whoever books at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <uv.h>

#include "../../server/http/stream_room.h"

static void test_up_to_the_last_byte(void **state)
{
    atomic_int_fast64_t held = 0;
    (void)state;
    assert_true(stream_room_book(&held, 100, 60));
    assert_false(stream_room_book(&held, 100, 41));
    assert_true(stream_room_book(&held, 100, 40));
    assert_false(stream_room_book(&held, 100, 1));
    assert_true(stream_room_book(&held, 100, 0));
    assert_int_equal(atomic_load(&held), 100);
}

static void test_a_bound_that_shrinks_or_goes(void **state)
{
    atomic_int_fast64_t held = 90;
    (void)state;
    assert_false(stream_room_book(&held, 50, 1)); /* those that are there go on */
    assert_true(stream_room_book(&held, 0, (uint64_t)1 << 50));
    assert_false(stream_room_book(&held, (uint64_t)1 << 50, 1));
    assert_int_equal(atomic_load(&held), 90 + ((int64_t)1 << 50));
}

enum { THREADS = 4, ROUNDS = 100000, MOST = 10, PIECE = 3 };

static atomic_int_fast64_t shared;
static atomic_uint over;

static void book(void *argument)
{
    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        if (!stream_room_book(&shared, MOST, PIECE))
            continue;
        if (atomic_load(&shared) > MOST)
            atomic_fetch_add(&over, 1);
        atomic_fetch_sub(&shared, PIECE);
    }
}

static void test_threads(void **state)
{
    uv_thread_t thread[THREADS];
    (void)state;
    assert_true(stream_room_book(&shared, MOST, 2 * PIECE)); /* so that there is room for one of them */
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(uv_thread_create(&thread[t], book, NULL), 0);
    for (int t = 0; t < THREADS; t++)
        uv_thread_join(&thread[t]);
    assert_int_equal(atomic_load(&over), 0);
    assert_int_equal(atomic_load(&shared), 2 * PIECE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_up_to_the_last_byte),
        cmocka_unit_test(test_a_bound_that_shrinks_or_goes),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
