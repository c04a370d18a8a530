/*
 * Room for streams: what is booked never exceeds the bound, whoever books at once, nor a client's share; who books
 * much is to read fast, all the time.
 */
#include "../unit.h"

#include "../../../server/http/guard.h"

/* Of a client that has own bytes of what is held. */
static enum stream_room book(atomic_int_fast64_t *held, uint64_t max, uint64_t own, uint64_t bytes)
{
    const int_fast64_t before = atomic_load(held);
    const enum stream_room room = stream_room_book(held, max, own, bytes);
    assert_int_equal(atomic_load(held) - before, room == STREAM_ROOM_BOOKED ? (int64_t)bytes : 0);
    return room;
}

TEST(test_one_stream_may_have_it_all)
{
    atomic_int_fast64_t held = 0;
    assert_int_equal(book(&held, 100, 0, 101), STREAM_ROOM_FULL);
    assert_int_equal(book(&held, 100, 0, 100), STREAM_ROOM_BOOKED);
    assert_int_equal(book(&held, 100, 0, 1), STREAM_ROOM_FULL);
    assert_int_equal(book(&held, 100, 100, 1), STREAM_ROOM_SHARE);
}

/* Nobody gets more than he leaves: a half, a quarter, an eighth. */
TEST(test_a_share)
{
    atomic_int_fast64_t held = 0;
    for (uint64_t own = 0; own < 512; own += 64)
        assert_int_equal(book(&held, 1024, own, 64), STREAM_ROOM_BOOKED);
    assert_int_equal(book(&held, 1024, 512, 1), STREAM_ROOM_SHARE);
    assert_int_equal(book(&held, 1024, 0, 257), STREAM_ROOM_FULL);
    for (uint64_t own = 0; own < 256; own += 64)
        assert_int_equal(book(&held, 1024, own, 64), STREAM_ROOM_BOOKED);
    assert_int_equal(book(&held, 1024, 256, 1), STREAM_ROOM_SHARE);
    assert_int_equal(book(&held, 1024, 0, 128), STREAM_ROOM_BOOKED);
    assert_int_equal(book(&held, 1024, 128, 1), STREAM_ROOM_SHARE);
    assert_int_equal(book(&held, 1024, 128, 192), STREAM_ROOM_FULL); /* for anybody */
    assert_int_equal(book(&held, 1024, 512, 128), STREAM_ROOM_SHARE);
    atomic_fetch_sub(&held, 512);
    assert_int_equal(book(&held, 1024, 128, 128), STREAM_ROOM_BOOKED);
}

TEST(test_a_bound_that_shrinks_or_goes)
{
    atomic_int_fast64_t held = 90;
    assert_int_equal(book(&held, 50, 0, 1), STREAM_ROOM_FULL); /* those that are there go on */
    assert_int_equal(book(&held, 0, 90, (uint64_t)1 << 50), STREAM_ROOM_BOOKED);
    assert_int_equal(book(&held, (uint64_t)1 << 50, 0, 1), STREAM_ROOM_FULL);
}

TEST(test_rates)
{
    const uint64_t mib = 1 << 20;
    uint64_t before = 0;
    for (uint64_t bytes = 0; bytes <= 2 * mib; bytes += mib / 4)
        assert_int_equal(stream_room_rate(bytes), SEND_RATE);
    for (uint64_t bytes = 3 * mib; bytes <= STREAM_BYTES_MAX; bytes += mib) {
        const uint64_t rate = stream_room_rate(bytes);
        assert_true(rate > before && rate * 32 <= bytes);
        before = rate;
    }
    assert_true(before * 33 > STREAM_BYTES_MAX);
}

/* Time comes with what is sent; but who took it all at once may not stop for as long as it would have taken others. */
TEST(test_time_is_not_saved)
{
    static struct settings settings = {.config.http.send_timeout_s = 10};
    static struct loop loop = {.settings = &settings};
    const uint64_t s = 1000000000, mib = 1 << 20, begin = uv_hrtime();
    struct connection connection = {
        .loop = &loop, .phase = PHASE_SEND, .send_rate = SEND_RATE, .deadline_ns = begin};
    connection_extend(&connection, 3 * SEND_RATE);
    assert_int_equal(connection.deadline_ns, begin + 3 * s);
    for (int i = 0; i < 1000; i++)
        connection_extend(&connection, mib);
    assert_true(connection.deadline_ns <=
                uv_hrtime() + (10 + 9 * mib / SEND_RATE) * s); /* 8 MiB in sockets */
}

enum { THREADS = 4, ROUNDS = 100000, MAX = 12, PIECE = 3 };

static atomic_int_fast64_t shared;
static atomic_uint over;

static void visit(void *argument)
{
    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        if (stream_room_book(&shared, MAX, 0, PIECE) != STREAM_ROOM_BOOKED)
            continue;
        if (atomic_load(&shared) > 3 * PIECE)
            atomic_fetch_add(&over, 1);
        atomic_fetch_sub(&shared, PIECE);
    }
}

TEST(test_threads)
{
    uv_thread_t thread[THREADS];
    atomic_store(&shared, 2 * PIECE); /* so that there is room for one of them, which leaves as much */
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(uv_thread_create(&thread[t], visit, NULL), 0);
    for (int t = 0; t < THREADS; t++)
        uv_thread_join(&thread[t]);
    assert_int_equal(atomic_load(&over), 0);
    assert_int_equal(atomic_load(&shared), 2 * PIECE);
}

GROUP(stream_room);
