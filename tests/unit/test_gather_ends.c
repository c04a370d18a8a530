/*
 * Gathers: clients that leave half-way, what they pay, and threads that answer all at once.
 */
#include "gather_kit.h"

/* ---- Leaving ------------------------------------------------------------------------------------------- */

static void test_the_pool_hears_of_a_client_that_leaves(void **state)
{
    (void)state;
    struct gather *const gather = begin(2, 2, true);
    struct waiter *const waiter = pool.waiter[0];
    assert_false(waiter->left(waiter));
    shutdown(stage.client, SHUT_WR);
    assert_true(waiter->left(waiter));
    answer(0, POOL_GONE, TIER_NONE);
    make(1);
    take(gather, 0, POOL_GONE);
    gather_drop(gather);
}

/* The pool answers when nobody is there any more, in any order, and what it brings is let go of. */
static void test_a_request_that_ends_half_way(void **state)
{
    (void)state;
    remember(4);
    struct gather *const gather = begin(20, 8, true);
    struct waiter *const waiter = pool.waiter[5];
    make(0);
    make(1);
    take(gather, 0, POOL_DONE);
    answer(2, POOL_EXPIRED, TIER_NONE);
    gather_drop(gather);
    assert_null(stage.request->gather);
    assert_true(waiter->left(waiter)); /* though its socket is there */
    make(7);
    answer(5, POOL_FAILED, TIER_NONE);
    answer(3, POOL_EXPIRED, TIER_NONE);
    make(6);
    make(8);
    assert_int_equal(pool.waiting, 0);
    assert_int_equal(atomic_load(&resumed), 0);
}

static void test_a_request_that_ends_while_it_naps(void **state)
{
    (void)state;
    pool.full = true;
    gather_drop(begin(3, 3, true));
    end_nap(POOL_DONE);
    gather_drop(NULL);
}

/* ---- Tokens -------------------------------------------------------------------------------------------- */

/* How many milliseconds the client waits for its next token; 0: it had one, which is gone now. */
static unsigned owing(enum metric_bucket bucket, unsigned burst)
{
    const struct rate rate = {1, burst};
    return clients_take(stage.service.clients, &stage.link.client, bucket, &rate, 1, uv_hrtime());
}

static void limit_tiles(unsigned burst)
{
    stage.settings.config.limits.tiles_per_minute = 1;
    stage.settings.config.limits.tiles_burst = burst;
}

static void limit_renders(unsigned burst)
{
    stage.settings.config.limits.renders_per_minute = 1;
    stage.settings.config.limits.renders_burst = burst;
}

/* Of ten, and three that are refused, two are taken: eight go back. */
static void test_what_is_not_taken_is_not_paid_for(void **state)
{
    (void)state;
    limit_tiles(10);
    struct gather *const gather = begin_besides(10, 2, true, 3);
    assert_int_equal(stage.request->paid[BUCKET_TILES], 13);
    make(0);
    answer(1, POOL_FAILED, TIER_NONE);
    take(gather, 0, POOL_DONE);
    take(gather, 1, POOL_FAILED);
    gather_drop(gather);
    assert_int_equal(stage.request->paid[BUCKET_TILES], 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(owing(BUCKET_TILES, 10), 0);
    assert_true(owing(BUCKET_TILES, 10) > 59000);
    make(2);
    make(3);
}

static void test_without_a_token_nothing_begins(void **state)
{
    (void)state;
    limit_tiles(4);
    struct gather *const gather = begin(300, 1, true);
    make(0);
    take(gather, 0, POOL_DONE);
    assert_true(owing(BUCKET_TILES, 4) > 296 * 60000u); /* 296 owed, and one to have */
    stage.request->gather = NULL;                       /* another request of the client's */
    assert_null(begin(1, 1, true));
    stage.request->gather = gather;
    assert_int_equal(stage.service.metrics.limited[BUCKET_TILES], 1);
    make(1);
    gather_drop(gather);
}

/* One is enough to be let in; the others are owed. */
static void test_renders_are_owed(void **state)
{
    (void)state;
    limit_renders(2);
    struct gather *const gather = begin(8, 8, false);
    assert_int_equal(stage.request->paid[BUCKET_RENDERS], 8);
    for (size_t x = 0; x < 8; x++)
        answer(x, x == 7 ? POOL_FAILED : POOL_DONE, x < 5 ? TIER_RENDER : TIER_DISK);
    for (size_t x = 0; x < 8; x++)
        take(gather, x, x == 7 ? POOL_FAILED : POOL_DONE);
    assert_int_equal(stage.request->paid[BUCKET_RENDERS], 5);  /* what was found, or failed, went back */
    assert_in_range(owing(BUCKET_RENDERS, 2), 239000, 240000); /* 3 owed, and one to have */
}

/*
 * Of six renders that were asked for when the client leaves, one had come made, one had come found; of those in the pool two
 * are made nevertheless, and two are dropped: three are paid for.
 */
static void test_who_leaves_pays_for_what_was_made(void **state)
{
    (void)state;
    limit_renders(6);
    struct gather *const gather = begin(6, 6, true);
    make(5);
    answer(4, POOL_DONE, TIER_DISK);
    gather_drop(gather);
    make(0);
    answer(1, POOL_GONE, TIER_NONE);
    answer(2, POOL_GONE, TIER_NONE);
    make(3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(owing(BUCKET_RENDERS, 6), 0);
    assert_true(owing(BUCKET_RENDERS, 6) > 59000);
}

/* Where the client owes as much as it may, for this request or others, it waits for its tokens. */
static void test_debts_have_a_bound(void **state)
{
    const struct payer payer = {stage.service.clients, stage.link.client, {1, 2}};
    (void)state;
    limit_renders(2);
    struct gather *const gather = begin(6, 1, true);
    assert_int_equal(stage.request->paid[BUCKET_RENDERS], 1);
    clients_charge(&payer, 3 * CLIENTS_TOKEN_NS + CLIENTS_DEBT_NS,
                   uv_hrtime()); /* what it cost to make others */
    make(0);
    take(gather, 0, POOL_DONE);
    assert_int_equal(pool.asked[1], 0);
    assert_int_equal(pool.nap_class, CLASSES); /* for time, not for room */
    clients_give_back(payer.clients, &payer.client, BUCKET_RENDERS, &payer.rate, 4);
    take_none(gather, GATHER_WAIT);
    assert_int_equal(pool.asked[1], 1);
    end_nap(POOL_FULL);
    make(1);
    gather_drop(gather);
}

static void test_no_token_for_renders(void **state)
{
    (void)state;
    limit_renders(1);
    limit_tiles(5);
    assert_int_equal(owing(BUCKET_RENDERS, 1), 0);
    assert_null(begin_besides(3, 3, true, 2));
    assert_null(stage.request->gather);
    end_nap(POOL_FULL); /* it had lain down already */
    assert_int_equal(stage.service.metrics.limited[BUCKET_RENDERS], 1);
    assert_int_equal(stage.request->paid[BUCKET_TILES], 0); /* nothing of it was answered */
    for (int i = 0; i < 5; i++)
        assert_int_equal(owing(BUCKET_TILES, 5), 0);

    remember(0); /* cached tiles need none, nor do those that are made for others */
    pool.has = true;
    struct gather *const gather = begin(2, 2, true);
    assert_null(gather); /* but of the other bucket */
    assert_int_equal(stage.service.metrics.limited[BUCKET_TILES], 1);
    stage.settings.config.limits.tiles_per_minute = 0;
    struct gather *const again = begin(2, 2, true);
    assert_non_null(again);
    answer(1, POOL_DONE, TIER_COALESCED);
    take(again, 0, POOL_DONE);
    take(again, 1, POOL_DONE);
    assert_int_equal(stage.request->paid[BUCKET_RENDERS], 0);
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static atomic_bool done;

/* Answers whatever is asked for, last things first, some of it late. */
static void answer_all(void *argument)
{
    uint64_t dice = *(const uint64_t *)argument;
    while (!atomic_load(&done)) {
        struct waiter *waiter = NULL;
        size_t x = TILES_MOST;
        uv_mutex_lock(&pool.lock);
        while (!waiter && x > 0)
            waiter = pool.waiter[--x];
        if (waiter) {
            pool.waiter[x] = NULL;
            pool.waiting--;
        }
        uv_mutex_unlock(&pool.lock);
        if (!waiter)
            continue;
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        const bool late = dice >> 61 == 0;
        waiter->outcome = late ? POOL_EXPIRED : POOL_DONE;
        waiter->tier = late ? TIER_NONE : TIER_RENDER;
        waiter->blob = late ? NULL : blob_of(x);
        waiter->wake(waiter);
    }
}

static void test_threads_answer(void **state)
{
    enum { THREADS = 3 };
    uv_thread_t thread[THREADS];
    uint64_t dice[THREADS] = {1, 2, 3};
    (void)state;
    atomic_store(&done, false);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(uv_thread_create(&thread[t], answer_all, &dice[t]), 0);
    for (int ordered = 0; ordered < 2; ordered++) {
        struct gather *const gather = begin(TILES_MOST, 16, ordered);
        static bool seen[TILES_MOST];
        struct gather_item item;
        size_t count = 0;
        memset(seen, 0, sizeof seen);
        for (enum gather_state at; (at = gather_take(gather, &item)) != GATHER_END;) {
            if (at == GATHER_WAIT) {
                if (gather_wait(gather))
                    uv_sem_wait(&roused);
                continue;
            }
            assert_int_equal(item.outcome, POOL_DONE);
            assert_false(seen[item.index]);
            assert_true(!ordered || item.index == count);
            seen[item.index] = true;
            blob_release(item.blob);
            count++;
        }
        assert_int_equal(count, TILES_MOST);
        gather_drop(gather);
    }
    gather_drop(begin(TILES_MOST, 16, true)); /* dropped while they answer */
    for (unsigned waiting = 1; waiting > 0;) {
        uv_mutex_lock(&pool.lock);
        waiting = pool.waiting;
        uv_mutex_unlock(&pool.lock);
    }
    atomic_store(&done, true);
    for (int t = 0; t < THREADS; t++)
        uv_thread_join(&thread[t]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_pool_hears_of_a_client_that_leaves),
        TEST(test_a_request_that_ends_half_way),
        TEST(test_a_request_that_ends_while_it_naps),
        TEST(test_what_is_not_taken_is_not_paid_for),
        TEST(test_without_a_token_nothing_begins),
        TEST(test_renders_are_owed),
        TEST(test_debts_have_a_bound),
        TEST(test_who_leaves_pays_for_what_was_made),
        TEST(test_no_token_for_renders),
        TEST(test_threads_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
