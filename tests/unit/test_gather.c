/*
 * Gathers: tiles in order and as they are ready, sleeping and waking, answers of a moment and answers for good.
 */
#include "gather_kit.h"

/* ---- Tiles that come ----------------------------------------------------------------------------------- */

static void test_items_come_by_index_where_that_is_asked(void **state)
{
    (void)state;
    struct gather *const gather = begin(5, 3, true);
    assert_non_null(gather);
    assert_true(pool.waiter[0] && pool.waiter[1] && pool.waiter[2] && !pool.waiter[3]);
    make(2);
    make(1);
    take_none(gather, GATHER_WAIT);
    make(0);
    take(gather, 0, POOL_DONE);
    assert_non_null(pool.waiter[3]); /* in its place */
    take(gather, 1, POOL_DONE);
    take(gather, 2, POOL_DONE);
    make(4);
    take_none(gather, GATHER_WAIT);
    make(3);
    take(gather, 3, POOL_DONE);
    take(gather, 4, POOL_DONE);
    take_none(gather, GATHER_END);
    take_none(gather, GATHER_END);
    assert_int_equal(stage.service.metrics.misses, 5);
}

static void test_items_come_as_they_are_ready(void **state)
{
    (void)state;
    struct gather *const gather = begin(4, 4, false);
    make(2);
    take(gather, 2, POOL_DONE);
    take_none(gather, GATHER_WAIT);
    make(3);
    take(gather, 3, POOL_DONE);
    make(0);
    make(1);
    take(gather, 0, POOL_DONE);
    take(gather, 1, POOL_DONE);
    take_none(gather, GATHER_END);
}

/* However many have come, no more are asked for than the client has taken. */
static void test_no_more_is_held_than_was_said(void **state)
{
    (void)state;
    struct gather *const gather = begin(100, 4, false);
    for (size_t x = 0; x < 4; x++)
        make(x);
    assert_int_equal(pool.waiting, 0);
    assert_null(pool.waiter[4]);
    struct gather_item item;
    for (size_t n = 0; n < 100; n++) {
        assert_int_equal(gather_take(gather, &item), GATHER_ITEM);
        blob_release(item.blob);
        if (n + 4 < 100)
            make(n + 4);
    }
    take_none(gather, GATHER_END);
    assert_true(pool.most <= 4);
}

static void test_what_is_in_memory_asks_nobody(void **state)
{
    (void)state;
    remember(1);
    remember(2);
    struct gather *const gather = begin(3, 1, true);
    assert_int_equal(pool.asked[0], 1);
    make(0);
    take(gather, 0, POOL_DONE);
    take(gather, 1, POOL_DONE);
    take(gather, 2, POOL_DONE);
    take_none(gather, GATHER_END);
    assert_int_equal(pool.asked[1] + pool.asked[2], 0);
    assert_int_equal(stage.service.metrics.hits[TIER_MEMORY], 2);
}

static void test_the_first_few_are_of_the_request_s_class(void **state)
{
    (void)state;
    struct gather *const gather = begin(6, 6, true);
    for (size_t x = 0; x < 6; x++)
        assert_int_equal(pool.class[x], x < GATHER_URGENT ? CLASS_WAITING : CLASS_BULK);
    for (size_t x = 0; x < 6; x++)
        make(x);
    gather_drop(gather);
}

/* ---- Sleeping ------------------------------------------------------------------------------------------ */

static void test_a_late_answer_wakes_once(void **state)
{
    (void)state;
    struct gather *const gather = begin(3, 3, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    assert_int_equal(atomic_load(&suspended), 1);
    make(2); /* not its turn */
    make(1);
    assert_int_equal(atomic_load(&resumed), 0);
    make(0);
    assert_int_equal(atomic_load(&resumed), 1);
    for (size_t x = 0; x < 3; x++)
        take(gather, x, POOL_DONE);
    assert_int_equal(atomic_load(&resumed), 1);
}

static void test_who_has_something_does_not_sleep(void **state)
{
    (void)state;
    struct gather *const gather = begin(1, 1, true);
    take_none(gather, GATHER_WAIT);
    make(0); /* between the look and the lying down */
    assert_false(gather_wait(gather));
    take(gather, 0, POOL_DONE);
}

/* The time that a client has for taking an answer does not pass while it waits for the pool. */
static void test_the_clock_of_sending_stands_still(void **state)
{
    (void)state;
    struct gather *const gather = begin(1, 1, true);
    connection_enter(&stage.link, PHASE_SEND, 0);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    assert_int_equal(stage.link.phase, PHASE_WAIT);
    const uint64_t left_ns = gather->left_ns;
    uv_sleep(20);
    make(0);
    take(gather, 0, POOL_DONE);
    assert_int_equal(stage.link.phase, PHASE_SEND);
    assert_true(stage.link.deadline_ns + 5000000 > uv_hrtime() + left_ns);
}

/* ---- Answers of a moment ------------------------------------------------------------------------------- */

/* Late, though others come: asked for again, and not handed over in the meantime. */
static void test_what_is_late_is_asked_for_again(void **state)
{
    (void)state;
    struct gather *const gather = begin(3, 2, true);
    make(1);
    answer(0, POOL_EXPIRED, TIER_NONE);
    take_none(gather, GATHER_WAIT);
    assert_int_equal(pool.asked[0], 2);
    make(0);
    take(gather, 0, POOL_DONE);
    take(gather, 1, POOL_DONE);
    make(2);
    take(gather, 2, POOL_DONE);
    assert_int_equal(stage.service.metrics.misses, 3); /* a tile is counted once */
}

static void test_a_sleeper_is_woken_to_ask_again(void **state)
{
    (void)state;
    struct gather *const gather = begin(2, 2, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    answer(1, POOL_EXPIRED, TIER_NONE);
    assert_int_equal(atomic_load(&resumed), 1);
    take_none(gather, GATHER_WAIT);
    assert_non_null(pool.waiter[1]);
    make(0);
    make(1);
    take(gather, 0, POOL_DONE);
    take(gather, 1, POOL_DONE);
}

/* Nothing has come for as long as one waits: it says so, each for itself. */
static void test_patience_ends(void **state)
{
    (void)state;
    stage.settings.config.render.deadline_ms = SOON_MS;
    struct gather *const gather = begin(2, 2, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    uv_sleep(SOON_MS + 5);
    answer(0, POOL_EXPIRED, TIER_NONE);
    answer(1, POOL_EXPIRED, TIER_NONE);
    take(gather, 0, POOL_EXPIRED);
    take(gather, 1, POOL_EXPIRED);
    take_none(gather, GATHER_END);
    assert_int_equal(pool.asked[0] + pool.asked[1], 2);
}

/* A client that takes its time uses nobody's patience. */
static void test_a_slow_client_loses_no_patience(void **state)
{
    (void)state;
    stage.settings.config.render.deadline_ms = SOON_MS;
    struct gather *const gather = begin(2, 2, true);
    make(0);
    uv_sleep(SOON_MS + 5);
    answer(1, POOL_EXPIRED, TIER_NONE);
    take(gather, 0, POOL_DONE);
    take_none(gather, GATHER_WAIT);
    make(1);
    take(gather, 1, POOL_DONE);
}

static void test_where_there_is_no_room_it_naps_for_its_turn(void **state)
{
    (void)state;
    pool.full = true;
    struct gather *const gather = begin(6, 6, false);
    assert_non_null(gather);
    assert_int_equal(pool.asked[0], 1);
    assert_int_equal(pool.asked[1], 0); /* one knock is enough */
    assert_int_equal(pool.naps, 1);
    assert_int_equal(pool.nap_class, CLASS_WAITING);
    assert_int_equal(pool.nap_ms, PATIENCE_MS);
    take_none(gather, GATHER_WAIT);
    assert_int_equal(pool.naps, 1); /* it naps already */
    assert_true(gather_wait(gather));
    const uint64_t since_ns = pool.nap->since_ns;
    end_nap(POOL_DONE);
    assert_int_equal(atomic_load(&resumed), 1);
    take_none(gather, GATHER_WAIT); /* its turn, and yet no room: it keeps its place */
    assert_true(pool.turn[0]);
    assert_int_equal(pool.naps, 2);
    assert_int_equal(pool.nap->since_ns, since_ns);
    pool.full = false;
    end_nap(POOL_DONE);
    take_none(gather, GATHER_WAIT);
    assert_true(pool.turn[0] && !pool.turn[1]); /* a turn is for one */
    for (size_t x = 0; x < 6; x++) {
        make(x);
        take(gather, x, POOL_DONE);
    }
    take_none(gather, GATHER_END);
}

static void test_no_room_for_too_long(void **state)
{
    (void)state;
    stage.settings.config.render.deadline_ms = SOON_MS;
    pool.full = true;
    struct gather *const gather = begin(1, 1, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    uv_sleep(SOON_MS + 5);
    end_nap(POOL_FULL);
    take(gather, 0, POOL_FULL);
    take_none(gather, GATHER_END);
}

/* ---- Answers for good ---------------------------------------------------------------------------------- */

static void test_failures_are_handed_over(void **state)
{
    (void)state;
    struct gather *const gather = begin(4, 4, true);
    answer(0, POOL_FAILED, TIER_NONE);
    answer(1, POOL_GONE, TIER_NONE);
    answer(2, POOL_STOPPED, TIER_NONE);
    make(3);
    take(gather, 0, POOL_FAILED);
    take(gather, 1, POOL_GONE);
    take(gather, 2, POOL_STOPPED);
    take(gather, 3, POOL_DONE);
    take_none(gather, GATHER_END);
    for (size_t x = 0; x < 4; x++)
        assert_int_equal(pool.asked[x], 1);
}

static void test_a_pool_that_stops(void **state)
{
    (void)state;
    struct gather *const gather = begin(3, 1, true);
    pool.full = true;
    make(0);
    take(gather, 0, POOL_DONE); /* the next one naps */
    pool.stopped = true;
    end_nap(POOL_STOPPED);
    take(gather, 1, POOL_STOPPED);
    take(gather, 2, POOL_STOPPED);
    take_none(gather, GATHER_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_items_come_by_index_where_that_is_asked),
        TEST(test_items_come_as_they_are_ready),
        TEST(test_no_more_is_held_than_was_said),
        TEST(test_what_is_in_memory_asks_nobody),
        TEST(test_the_first_few_are_of_the_request_s_class),
        TEST(test_a_late_answer_wakes_once),
        TEST(test_who_has_something_does_not_sleep),
        TEST(test_the_clock_of_sending_stands_still),
        TEST(test_what_is_late_is_asked_for_again),
        TEST(test_a_sleeper_is_woken_to_ask_again),
        TEST(test_patience_ends),
        TEST(test_a_slow_client_loses_no_patience),
        TEST(test_where_there_is_no_room_it_naps_for_its_turn),
        TEST(test_no_room_for_too_long),
        TEST(test_failures_are_handed_over),
        TEST(test_a_pool_that_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
