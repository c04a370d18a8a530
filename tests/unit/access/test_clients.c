/*
 * Clients: who is one, tokens to the nanosecond, forgetting, bytes held, threads. The clock is an argument. Keys and connections of
 * others: tests/http/test_access.py, test_limits.py.
 */
#include "../unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/un.h>

#include "../../../server/access/clients.h"

#define SECOND UINT64_C(1000000000)

static struct clients *clients;

static int set_up(void **state)
{
    (void)state;
    clients = clients_create();
    return clients ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    clients_free(clients);
    return 0;
}

static struct client_id id_of(const char *text, uint16_t port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = port};
    const struct sockaddr *address = (const struct sockaddr *)&v4;

    if (inet_pton(AF_INET, text, &v4.sin_addr) != 1) {
        assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        address = (const struct sockaddr *)&v6;
    }
    return clients_of_address(clients, address);
}

/* The n-th of many clients. */
static struct client_id id_at(uint32_t n)
{
    const struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = n};
    return clients_of_address(clients, (const struct sockaddr *)&v4);
}

static bool same(struct client_id a, struct client_id b)
{
    return a.low == b.low && a.high == b.high;
}

static unsigned take(const struct client_id *id, unsigned per_minute, unsigned burst, uint64_t now_ns)
{
    const struct rate rate = {per_minute, burst};
    return clients_take(clients, id, BUCKET_TILES, &rate, 1, 1, now_ns);
}

/* How many tokens there are, by taking them; most + 1 where there are more. */
static unsigned drain(const struct client_id *id, unsigned per_minute, unsigned burst, uint64_t now_ns,
                      unsigned max)
{
    unsigned count = 0;
    while (count <= max && take(id, per_minute, burst, now_ns) == 0)
        count++;
    return count;
}

TEST(test_addresses_are_clients)
{
    assert_true(same(id_of("1.2.3.4", 1), id_of("1.2.3.4", 2)));
    assert_true(same(id_of("1.2.3.4", 0), id_of("::ffff:1.2.3.4", 5)));
    assert_false(same(id_of("1.2.3.4", 0), id_of("1.2.3.5", 0)));
    assert_false(same(id_of("1.2.3.4", 0), id_of("::1.2.3.4", 0)));
    assert_true(same(id_of("2001:db8:1:2::1", 1), id_of("2001:db8:1:2:ffff:ffff:ffff:ffff", 2)));
    assert_false(same(id_of("2001:db8:1:2::1", 0), id_of("2001:db8:1:3::1", 0)));
    assert_false(same(id_of("0.0.0.0", 0), id_of("::", 0)));
}

/* Nobody can compute outside who shares a set with whom. */
TEST(test_numbers_are_secret)
{
    struct clients *const mine = clients;
    const struct client_id here = id_of("1.2.3.4", 0);
    clients = clients_create();
    assert_non_null(clients);
    const struct client_id there = id_of("1.2.3.4", 0);
    clients_free(clients);
    clients = mine;
    assert_false(same(here, there));
}

/* The n-th token comes at the first whole nanosecond when n * 60e9 / per_minute have passed, for ever. */
TEST(test_tokens_come_to_the_nanosecond)
{
    static const unsigned rates[] = {1, 7, 59, 60, 61, 60000, 999999937, 1000000000, UINT32_MAX};
    for (unsigned r = 0; r < sizeof rates / sizeof *rates; r++) {
        const struct client_id id = id_at(r);
        const uint64_t start = 5 * SECOND + 3;
        assert_int_equal(drain(&id, rates[r], 1, start, 9), 1);
        for (unsigned n = 1; n <= 3000; n++) {
            const uint64_t at = start + (n * 60 * SECOND + rates[r] - 1) / rates[r];
            assert_int_not_equal(take(&id, rates[r], 10, at - 1), 0);
            assert_int_equal(take(&id, rates[r], 10, at), 0);
        }
    }
}

TEST(test_wait_is_exact)
{
    static const unsigned rates[] = {1, 7, 60, 61, 3333, 60000, 60001, 1000000000, UINT32_MAX};
    for (unsigned r = 0; r < sizeof rates / sizeof *rates; r++) {
        const struct client_id id = id_at(r);
        uint64_t now = 123456789;
        assert_int_equal(drain(&id, rates[r], 1, now, 9), 1);
        const unsigned wait_ms = take(&id, rates[r], 1, now);
        assert_in_range(wait_ms, 1, 60000);
        assert_int_equal(wait_ms, (60 * SECOND / rates[r] + (60 * SECOND % rates[r] > 0) + 999999) / 1000000);
        if (wait_ms > 1)
            assert_int_equal(take(&id, rates[r], 1, now + (wait_ms - 1) * UINT64_C(1000000)), 1);
        assert_int_equal(take(&id, rates[r], 1, now + wait_ms * UINT64_C(1000000)), 0);
    }
}

TEST(test_idle_for_ages)
{
    /* 2^40 * 2^31 is 0 in 64 bits, and so is 2^63 * 2. */
    static const struct {
        unsigned per_minute, burst;
        uint64_t idle_ns;
    } row[] = {
        {1u << 31, 1000, UINT64_C(1) << 40}, {2, 1000, UINT64_C(1) << 63}, {UINT32_MAX, 1000, UINT64_MAX - 9},
        {1, 1000, 3155760000 * SECOND},      {1, 100, 100 * 60 * SECOND},  {60, 5, 5 * SECOND},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        const struct client_id id = id_at(i);
        assert_int_equal(drain(&id, row[i].per_minute, 1, 9, 9), 1);
        assert_int_equal(drain(&id, row[i].per_minute, row[i].burst, 9 + row[i].idle_ns, 9999), row[i].burst);
    }
}

/* The burst alone bounds what is saved, at 10^9, too: a second's worth and no token more or less. */
TEST(test_large_bursts)
{
    const struct client_id id = id_at(1);
    assert_int_equal(drain(&id, 1000000000, 1, 0, 9), 1);
    assert_int_equal(drain(&id, 1000000000, 1000000000, 300000, 9999), 5000);
    assert_int_equal(take(&id, 1000000000, UINT32_MAX, UINT64_MAX), 0); /* as INT32_MAX */
    const unsigned max = INT32_MAX - 1; /* of them all but one: shrink the burst to see that they are there */
    assert_int_equal(drain(&id, 1, max, UINT64_MAX, 1000), 1001);
    assert_int_equal(drain(&id, 1, 7, UINT64_MAX, 1000), 7);
}

TEST(test_a_full_bucket_saves_no_part)
{
    const struct client_id id = id_at(1);
    assert_int_equal(drain(&id, 60, 2, 0, 9), 2);
    assert_int_equal(drain(&id, 60, 2, 2 * SECOND + SECOND / 2, 9), 2); /* the half second was lost */
    assert_int_equal(drain(&id, 60, 2, 3 * SECOND + SECOND / 2 - 1, 9), 0);
    assert_int_equal(drain(&id, 60, 2, 3 * SECOND + SECOND / 2, 9), 1);
}

TEST(test_time_that_goes_back_brings_nothing)
{
    const struct client_id id = id_at(1);
    const uint64_t now = 100 * SECOND;
    assert_int_equal(drain(&id, 60, 3, now, 9), 3);
    assert_int_equal(drain(&id, 60, 3, now - 50 * SECOND, 9), 0);
    assert_int_equal(drain(&id, 60, 3, now + SECOND - 1, 9), 0);
    assert_int_equal(drain(&id, 60, 3, now + SECOND, 9), 1);
}

TEST(test_giving_back)
{
    const struct client_id id = id_at(1), stranger = id_at(2);
    const struct rate rate = {60, 3}, none = {0, 0};
    assert_int_equal(drain(&id, 60, 3, 0, 9), 3);
    clients_give_back(clients, &id, BUCKET_TILES, &rate, 1);
    clients_give_back(clients, &id, BUCKET_RENDERS, &rate, 1);
    clients_give_back(clients, &id, BUCKET_TILES, &none, 1);
    assert_int_equal(drain(&id, 60, 3, 0, 9), 1);
    for (int i = 0; i < 10; i++) {
        clients_give_back(clients, &id, BUCKET_TILES, &rate, 1);
        clients_give_back(clients, &stranger, BUCKET_TILES, &rate, 1);
    }
    assert_int_equal(drain(&id, 60, 3, 0, 9), 3);
    assert_int_equal(drain(&stranger, 60, 3, 0, 9), 3);
    /* The other bucket was given more than it ever gave, and is full, not over. */
    for (int i = 0; i < 3; i++)
        assert_int_equal(clients_take(clients, &id, BUCKET_RENDERS, &rate, 1, 1, 0), 0);
    assert_int_not_equal(clients_take(clients, &id, BUCKET_RENDERS, &rate, 1, 1, 0), 0);
}

static unsigned take_many(const struct client_id *id, const struct rate *rate, unsigned tokens,
                          uint64_t now_ns)
{
    return clients_take(clients, id, BUCKET_TILES, rate, 1, tokens, now_ns);
}

/* One token is enough to be let in; the whole cost is paid before anything else is. */
TEST(test_a_request_may_cost_more_than_there_is)
{
    const struct client_id id = id_at(1);
    const struct rate rate = {60, 20};
    assert_int_equal(take_many(&id, &rate, 19, 0), 0);
    assert_int_equal(take_many(&id, &rate, 256, 0), 0); /* owes 255: the next token is the 256th */
    assert_int_equal(take_many(&id, &rate, 1, 0), 256000);
    assert_int_equal(take_many(&id, &rate, 256, 0), 256000);
    assert_int_equal(take_many(&id, &rate, 1, 100 * SECOND + SECOND / 2), 155500);
    assert_int_equal(take_many(&id, &rate, 1, 256 * SECOND - 1), 1);
    assert_int_equal(drain(&id, 60, 20, 256 * SECOND, 99), 1);
    assert_int_equal(drain(&id, 60, 20, 9999 * SECOND, 99), 20); /* no more than ever */
}

/* And what is given back pays what is owed first. */
TEST(test_a_debt_is_paid_back)
{
    const struct client_id id = id_at(1);
    const struct rate rate = {60, 4};
    assert_int_equal(take_many(&id, &rate, 10, 0), 0); /* -6 */
    clients_give_back(clients, &id, BUCKET_TILES, &rate, 6);
    assert_int_equal(take_many(&id, &rate, 1, 0), 1000);
    clients_give_back(clients, &id, BUCKET_TILES, &rate, 2);
    assert_int_equal(drain(&id, 60, 4, 0, 9), 2);
}

/* A whole debt at the slowest rate is waited for to the millisecond, and is no more than a number holds. */
TEST(test_the_longest_wait)
{
    const struct client_id id = id_at(1);
    const struct rate rate = {1, 1};
    assert_int_equal(take_many(&id, &rate, CLIENTS_TOKENS_MAX, 0), 0);
    assert_int_equal(take_many(&id, &rate, 1, 0), CLIENTS_TOKENS_MAX * 60000u);
    assert_int_equal(take_many(&id, &rate, 1, CLIENTS_TOKENS_MAX * 60 * SECOND), 0);
    for (int k = 0; k < 3; k++) /* nor is one that grows: a request that was let in may owe more */
        assert_int_equal(clients_take(clients, &id, BUCKET_TILES, &rate, -CLIENTS_TOKENS_MAX,
                                      CLIENTS_TOKENS_MAX, CLIENTS_TOKENS_MAX * 60 * SECOND),
                         0);
    assert_int_equal(take_many(&id, &rate, 1, CLIENTS_TOKENS_MAX * 60 * SECOND),
                     (CLIENTS_TOKENS_MAX + 1) * 60000u);
}

static const int64_t TOKEN_NS = CLIENTS_TOKEN_NS;

/* CPU time is charged to the part of a token, whatever is there; and comes back as tokens do. */
TEST(test_cpu_time_is_charged)
{
    const struct payer payer = {clients, id_at(1), {60, 10}};
    assert_int_equal(clients_left_ns(&payer, 0), 10 * TOKEN_NS);
    assert_int_equal(clients_charge(&payer, 1, 0), 10 * TOKEN_NS - 1);
    assert_int_equal(clients_charge(&payer, 3 * TOKEN_NS - 1, 0), 7 * TOKEN_NS);
    assert_int_equal(clients_charge(&payer, 9 * TOKEN_NS + 5, 0), -2 * TOKEN_NS - 5);
    assert_int_equal(clients_take(clients, &payer.client, BUCKET_RENDERS, &payer.rate, 1, 1, 0), 3001);
    assert_int_equal(clients_left_ns(&payer, 2 * SECOND), -5);
    assert_int_equal(clients_left_ns(&payer, 100 * SECOND), 10 * TOKEN_NS);
    clients_take(clients, &payer.client, BUCKET_RENDERS, &payer.rate, 1, 1, 100 * SECOND);
    assert_int_equal(clients_left_ns(&payer, 100 * SECOND), 9 * TOKEN_NS);
}

TEST(test_a_debt_has_a_bound)
{
    const struct payer payer = {clients, id_at(1), {60, 10}}, unlimited = {clients, id_at(1), {0, 10}},
                       nobody = {0};
    for (int i = 0; i < 3; i++)
        clients_charge(&payer, UINT64_MAX, 0);
    assert_int_equal(clients_left_ns(&payer, 0), -CLIENTS_TOKENS_MAX * TOKEN_NS);
    assert_int_equal(clients_left_ns(&payer, SECOND), (1 - CLIENTS_TOKENS_MAX) * TOKEN_NS);
    assert_int_equal(clients_charge(&unlimited, UINT64_MAX, 0), INT64_MAX);
    assert_int_equal(clients_charge(&nobody, UINT64_MAX, 0), INT64_MAX);
}

static uint64_t held_by(const struct client_id *id)
{
    uint64_t before = 1;
    assert_true(clients_hold(clients, id, 0, &before));
    return before;
}

/* Who has a connection, or bytes held, is not forgotten, though others come. */
TEST(test_forgetting)
{
    const struct client_id active = id_at(1), silent = id_at(2), connected = id_at(3), holder = id_at(4);
    uint64_t before;
    assert_int_equal(drain(&active, 1, 2, 0, 9), 2);
    assert_int_equal(drain(&silent, 1, 2, 0, 9), 2);
    assert_true(clients_connect(clients, &connected, 1));
    assert_int_equal(drain(&connected, 1, 2, 0, 9), 2);
    assert_true(clients_hold(clients, &holder, 5 << 20, &before));
    for (uint32_t n = 10; n < 300000; n++) {
        const struct client_id other = id_at(n);
        assert_int_equal(take(&other, 1, 2, 0), 0);
        assert_int_not_equal(take(&active, 1, 2, 0), 0); /* heard of all the time: never forgotten */
    }
    assert_int_equal(drain(&silent, 1, 2, 0, 9), 2);
    assert_int_equal(drain(&connected, 1, 2, 0, 9), 0);
    assert_int_equal(held_by(&holder), 5 << 20);
    assert_false(clients_connect(clients, &connected, 1));
    clients_disconnect(clients, &connected);
    assert_true(clients_connect(clients, &connected, 1));
    clients_disconnect(clients, &connected);
}

/* Where there is no place, a connection is refused, and a client without one is not limited. */
TEST(test_a_table_full_of_connections)
{
    enum { MANY = 60000 };
    bool *const open = calloc(MANY, sizeof *open);
    unsigned count = 0, first_refused = MANY, unlimited = 0;

    assert_non_null(open);
    for (uint32_t n = 0; n < MANY; n++) {
        const struct client_id id = id_at(n);
        open[n] = clients_connect(clients, &id, 0);
        count += open[n];
        if (!open[n] && first_refused == MANY)
            first_refused = n;
        if (!open[n])
            unlimited += drain(&id, 1, 1, 0, 9) == 10;
    }
    assert_in_range(first_refused, 10000, 32768); /* with less than 1e-5 by chance below */
    assert_in_range(count, 32000, 32768);
    assert_int_equal(unlimited, MANY - count);
    for (uint32_t n = 0; n < MANY; n++) {
        const struct client_id id = id_at(n);
        if (open[n])
            clients_disconnect(clients, &id);
    }
    free(open);
    for (uint32_t n = MANY; n < MANY + 8000; n++) { /* all places can be had again */
        const struct client_id id = id_at(n);
        assert_true(clients_connect(clients, &id, 1));
    }
}

TEST(test_bytes_are_counted)
{
    const struct client_id id = id_at(1), other = id_at(2);
    uint64_t before = 1;
    assert_true(clients_hold(clients, &id, 3 * CLIENTS_BLOCK_BYTES, &before));
    assert_int_equal(before, 0);
    assert_true(clients_hold(clients, &id, 1, &before)); /* a block */
    assert_int_equal(before, 3 * CLIENTS_BLOCK_BYTES);
    assert_int_equal(held_by(&id), 4 * CLIENTS_BLOCK_BYTES);
    assert_int_equal(held_by(&other), 0);
    clients_release(clients, &id, 3 * CLIENTS_BLOCK_BYTES);
    assert_int_equal(held_by(&id), CLIENTS_BLOCK_BYTES);
    clients_release(clients, &id, 1);
    assert_int_equal(held_by(&id), 0);
    for (uint64_t i = 0; i < 1000; i++) { /* more than 32 bits of bytes */
        assert_true(clients_hold(clients, &id, 64 << 20, &before));
        assert_int_equal(before, i * (64 << 20));
    }
}

enum { THREADS = 4, SHARED_IDS = 3, ROUNDS = 10000, OPEN_MAX = 2, BURST = 6000 };

static atomic_int open_now[SHARED_IDS];
static atomic_uint given[SHARED_IDS], failures;

static void *visit(void *argument)
{
    const unsigned thread = (unsigned)(uintptr_t)argument;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned k = (i + thread) % SHARED_IDS;
        const struct client_id id = id_at(k), passer = id_at(1000 + thread * ROUNDS + i);
        const bool connected = clients_connect(clients, &id, OPEN_MAX);
        /* Counted after connecting and before disconnecting: never more than are open. */
        if (connected && atomic_fetch_add(&open_now[k], 1) >= OPEN_MAX)
            atomic_fetch_add(&failures, 1);
        if (take(&id, 1, BURST, 0) == 0)
            atomic_fetch_add(&given[k], 1);
        take(&passer, 1, 1, 0);
        if (connected) {
            atomic_fetch_sub(&open_now[k], 1);
            clients_disconnect(clients, &id);
        }
    }
    return NULL;
}

TEST(test_threads)
{
    pthread_t thread[THREADS];
    struct client_id id[SHARED_IDS];

    for (unsigned k = 0; k < SHARED_IDS; k++) {
        id[k] = id_at(k);
        atomic_store(&given[k], 0);
    }
    for (uintptr_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, visit, (void *)t), 0);
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    assert_int_equal(atomic_load(&failures), 0);
    for (unsigned k = 0; k < SHARED_IDS; k++) {
        assert_int_equal(atomic_load(&given[k]), BURST);
        assert_true(clients_connect(clients, &id[k], 1));
        assert_false(clients_connect(clients, &id[k], 1));
    }
}

GROUP_EACH(clients, set_up, tear_down);
