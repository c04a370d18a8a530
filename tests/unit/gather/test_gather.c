/*
 * Gathers: sleeping and waking, answers of a moment and for good, clients that leave and what they pay, threads that answer at
 * once.
 */
#include "gather_kit.h"

TEST(test_the_first_few_are_of_the_request_s_class)
{
    struct gather *const gather = begin(6, 6, true);
    for (size_t x = 0; x < 6; x++)
        assert_int_equal(pool.class[x], x < GATHER_URGENT ? CLASS_WAITING : CLASS_BULK);
    for (size_t x = 0; x < 6; x++)
        make(x);
    gather_drop(gather);
}

/* They are the last, of the least urgent class; those that come before the end are handed over. */
TEST(test_spare_tiles_are_not_waited_for)
{
    struct gather *const gather = begin_plan((struct gather_plan){.count = 3, .spare = 2, .ahead = 3});
    for (size_t x = 0; x < 3; x++)
        assert_int_equal(pool.class[x], x < 1 ? CLASS_WAITING : CLASS_BULK);
    make(1);
    take(gather, 1, POOL_DONE);
    take_none(gather, GATHER_WAIT);
    make(0);
    take(gather, 0, POOL_DONE);
    take_none(gather, GATHER_END);
    gather_drop(gather);
    make(2);
}

TEST(test_a_late_answer_wakes_once)
{
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

TEST(test_who_has_something_does_not_sleep)
{
    struct gather *const gather = begin(1, 1, true);
    take_none(gather, GATHER_WAIT);
    make(0); /* between the look and the lying down */
    assert_false(gather_wait(gather));
    take(gather, 0, POOL_DONE);
}

/* The time that a client has for taking an answer does not pass while it waits for the pool. */
TEST(test_the_clock_of_sending_stands_still)
{
    struct gather *const gather = begin(1, 1, true);
    connection_enter(&stage.link, PHASE_SEND, 0);
    const uint64_t deadline_ns = stage.link.deadline_ns;
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    assert_int_equal(stage.link.phase, PHASE_WAIT);
    clock_pass(20);
    make(0);
    take(gather, 0, POOL_DONE);
    assert_int_equal(stage.link.phase, PHASE_SEND);
    assert_true(stage.link.deadline_ns >= deadline_ns + 20000000);
}

/* Late, though others come: asked for again, and not handed over in the meantime. */
TEST(test_what_is_late_is_asked_for_again)
{
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

TEST(test_a_sleeper_is_woken_to_ask_again)
{
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
TEST(test_patience_ends)
{
    stage.settings.config.render.deadline_ms = SOON_MS;
    struct gather *const gather = begin(2, 2, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    clock_pass(SOON_MS + 5);
    answer(0, POOL_EXPIRED, TIER_NONE);
    answer(1, POOL_EXPIRED, TIER_NONE);
    take(gather, 0, POOL_EXPIRED);
    take(gather, 1, POOL_EXPIRED);
    take_none(gather, GATHER_END);
    assert_int_equal(pool.asked[0] + pool.asked[1], 2);
}

/* Each tile that comes gives the others new patience. */
TEST(test_patience_begins_anew)
{
    stage.settings.config.render.deadline_ms = SOON_MS;
    struct gather *const gather = begin(2, 2, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    clock_pass(SOON_MS - 5);
    make(0);
    clock_pass(10);
    answer(1, POOL_EXPIRED, TIER_NONE);
    take(gather, 0, POOL_DONE);
    take_none(gather, GATHER_WAIT);
    make(1);
    take(gather, 1, POOL_DONE);
}

/* What is answered whole is late as a request, though one tile comes after the other. */
TEST(test_a_whole_one_has_its_request_s_time)
{
    stage.settings.config.render.deadline_ms = SOON_MS;
    stage.request->start_ns = uv_hrtime();
    struct gather *const gather = begin_plan((struct gather_plan){.count = 3, .ahead = 2, .whole = true});
    assert_int_equal(pool.until_ns, stage.request->start_ns + SOON_MS * 1000000ull);
    clock_pass(SOON_MS + 5);
    make(0);
    answer(1, POOL_EXPIRED, TIER_NONE);
    take(gather, 0, POOL_DONE);
    take(gather, 1, POOL_EXPIRED);
    assert_int_equal(pool.asked[1], 1);
    make(2);
}

/* A client that takes its time uses nobody's patience. */
TEST(test_a_slow_client_loses_no_patience)
{
    stage.settings.config.render.deadline_ms = SOON_MS;
    struct gather *const gather = begin(2, 2, true);
    make(0);
    clock_pass(SOON_MS + 5);
    answer(1, POOL_EXPIRED, TIER_NONE);
    take(gather, 0, POOL_DONE);
    take_none(gather, GATHER_WAIT);
    make(1);
    take(gather, 1, POOL_DONE);
}

TEST(test_where_there_is_no_room_it_naps_for_its_turn)
{
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

TEST(test_no_room_for_too_long)
{
    stage.settings.config.render.deadline_ms = SOON_MS;
    pool.full = true;
    struct gather *const gather = begin(1, 1, true);
    take_none(gather, GATHER_WAIT);
    assert_true(gather_wait(gather));
    clock_pass(SOON_MS + 5);
    end_nap(POOL_FULL);
    take(gather, 0, POOL_FULL);
    take_none(gather, GATHER_END);
}

TEST(test_the_pool_hears_of_a_client_that_leaves)
{
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
TEST(test_a_request_that_ends_half_way)
{
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

TEST(test_a_request_that_ends_while_it_naps)
{
    pool.full = true;
    gather_drop(begin(3, 3, true));
    end_nap(POOL_DONE);
    gather_drop(NULL);
}

/* How many milliseconds the client waits for its next token; 0: it had one, which is gone now. */
static unsigned owing(enum metric_bucket bucket, unsigned burst)
{
    const struct rate rate = {1, burst};
    return clients_take(stage.service.clients, &stage.link.client, bucket, &rate, 1, 1, uv_hrtime());
}

static void limit_renders(unsigned burst)
{
    stage.settings.config.limits.renders_per_minute = 1;
    stage.settings.config.limits.renders_burst = burst;
}

/*
 * Of six renders that were asked for when the client leaves, one had come made, one had come found; of those in the pool two
 * are made nevertheless, and two are dropped: three are paid for.
 */
TEST(test_who_leaves_pays_for_what_was_made)
{
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

/* What seemed to be somebody else's and was made for it costs its token, whether it is still there or not, and whatever it owes. */
TEST(test_who_inherits_pays)
{
    const struct payer payer = {stage.service.clients, stage.link.client, {1, 2}};
    limit_renders(2);
    pool.has = true;
    const int64_t left_ns =
        clients_charge(&payer, 2 * CLIENTS_TOKEN_NS + (uint64_t)CLIENTS_DEBT_NS, uv_hrtime());
    struct gather *const gather = begin(2, 2, true);
    assert_non_null(gather);
    assert_int_equal(clients_left_ns(&payer, uv_hrtime()), left_ns);
    make(0);
    take(gather, 0, POOL_DONE);
    assert_int_equal(clients_left_ns(&payer, uv_hrtime()), left_ns - CLIENTS_TOKEN_NS);
    gather_drop(gather);
    make(1);
    assert_int_equal(clients_left_ns(&payer, uv_hrtime()), left_ns - 2 * CLIENTS_TOKEN_NS);
}

/* Where the client owes as much as it may, for this request or others, it waits for its tokens. */
TEST(test_debts_have_a_bound)
{
    const struct payer payer = {stage.service.clients, stage.link.client, {1, 2}};
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

TEST(test_no_token_for_renders)
{
    limit_renders(1);
    stage.settings.config.limits.tiles_per_minute = 1;
    stage.settings.config.limits.tiles_burst = 5;
    assert_int_equal(owing(BUCKET_RENDERS, 1), 0);
    assert_null(begin_plan((struct gather_plan){.count = 3, .ahead = 3, .ordered = true, .refused = 2}));
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

static atomic_bool done;

/* Answers whatever is asked for, last things first, some of it late. */
static void answer_all(void *argument)
{
    uint64_t dice = *(const uint64_t *)argument;
    while (!atomic_load(&done)) {
        struct waiter *waiter = NULL;
        size_t x = TILES_MAX;
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

TEST(test_threads_answer)
{
    enum { THREADS = 3 };
    uv_thread_t thread[THREADS];
    uint64_t dice[THREADS] = {1, 2, 3};
    atomic_store(&done, false);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(uv_thread_create(&thread[t], answer_all, &dice[t]), 0);
    for (int ordered = 0; ordered < 2; ordered++) {
        struct gather *const gather = begin(TILES_MAX, 16, ordered);
        static bool seen[TILES_MAX];
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
        assert_int_equal(count, TILES_MAX);
        gather_drop(gather);
    }
    gather_drop(begin(TILES_MAX, 16, true)); /* dropped while they answer */
    for (unsigned waiting = 1; waiting > 0;) {
        uv_mutex_lock(&pool.lock);
        waiting = pool.waiting;
        uv_mutex_unlock(&pool.lock);
    }
    atomic_store(&done, true);
    for (int t = 0; t < THREADS; t++)
        uv_thread_join(&thread[t]);
}

GROUP_EACH(gather, set_up, tear_down);
