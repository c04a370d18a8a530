/*
 * The shared tier while its store is frozen, killed, restarted, loading, a replica without a master, somebody else or not
 * there: every call ends, the breaker opens and closes, and the log says so in two lines.
 */
#include "../stderr_kit.h"
#include "remote_tier_kit.h"

static void expect_errors(struct remote *remote, uint64_t errors, uint64_t opened)
{
    const struct remote_stats stats = tier_stats(remote);
    assert_int_equal(stats.errors, errors);
    assert_int_equal(stats.opened, opened);
    assert_int_equal(stats.open, !remote_is_well(remote));
}

static size_t times(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

TEST(a_frozen_store_costs_its_time_three_times, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    struct remote *const remote = tier_open(store.url, TIER(.timeout_ms = 1000));

    /* Two that are connected, one that is not: at once, but on a busy machine. */
    do {
        tier_wait_well(remote, true);
        tier_store(remote, 1, 5000, false);
        blob_release(tier_get(remote, 0, 1));
    } while (tier_lease(remote, 1, 1) != LEASE_FOUND);
    remote_flush(remote);
    const struct remote_stats before = tier_stats(remote);
    kill(store.pid, SIGSTOP);
    for (int i = 0; i < 3; i++) {
        const uint64_t from_ns = uv_hrtime();

        assert_true(remote_is_well(remote));
        if (i == 1)
            assert_int_equal(tier_lease(remote, i, 2), LEASE_NONE);
        else
            assert_null(tier_get(remote, i, 1));
        const uint64_t took_ms = (uv_hrtime() - from_ns) / KIT_MS;
        assert_true(took_ms >= 999 && took_ms < KIT_LONG_MS);
    }
    assert_false(remote_is_well(remote));
    assert_null(tier_get(remote, 0, 1));
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_NONE);
    remote_release(remote, &TIER_KEY(1));
    tier_store(remote, 2, 5000, true);
    assert_int_equal(tier_stats(remote).opened, before.opened + 1);
    assert_int_equal(tier_stats(remote).dropped, before.dropped + 1);
    kill(store.pid, SIGCONT);
    do
        tier_wait_well(remote, true);
    while (tier_lease(remote, 0, 1) != LEASE_FOUND);
    remote_close(remote);
}

/* What a restart breaks without anybody asking meanwhile, and what a store closes for idleness, is no failure. */
TEST(lines_that_were_closed_are_opened_again, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    struct remote *const remote = tier_open(store.url, TIER_PATIENT);

    for (int i = 0; i < 4; i++) {
        tier_store(remote, 1, 5000, false);
        for (int reader = 0; reader < TIER_READERS; reader++) {
            tier_found(remote, reader, 1);
            assert_int_equal(tier_lease(remote, reader, 1), LEASE_FOUND);
        }
        remote_flush(remote);
        if (i % 2) {
            store_say(&store, "CLIENT KILL TYPE normal");
        } else {
            store_kill(&store);
            store_run(&store, "");
        }
    }
    expect_errors(remote, 0, 0);
    remote_close(remote);
}

TEST(the_log_has_two_lines_of_an_outage, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    log_set_level(LOG_INFO);
    catch_begin();
    struct remote *const remote = tier_begin(store.url, TIER_PATIENT);
    tier_wait_well(remote, true);
    store_kill(&store);
    for (int i = 0; i < 100; i++) {
        blob_release(tier_get(remote, i % TIER_READERS, 1));
        tier_put(remote, (uint64_t)i, 100, false);
        uv_sleep(1);
    }
    tier_wait_well(remote, false);
    uv_sleep(100); /* some attempts */
    store_run(&store, "");
    tier_wait_well(remote, true);
    const struct remote_stats stats = tier_stats(remote);
    remote_close(remote);
    catch_end();
    assert_int_equal(stats.opened, 1);
    assert_int_equal(times(caught, "/0 answers\n"), 2);
    assert_int_equal(times(caught, "going without it until it answers"), 1);
    assert_int_equal(times(caught, "\n"), 3);
    assert_non_null(strstr(caught, "warning cache: the shared tier redis://127.0.0.1:"));
}

/* A password that is missing, and one that is wrong: each may become right. A database that there is not may not. */
TEST(passwords_are_complained_of_once, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    static const struct {
        const char *user, *database, *said, *remedy;
    } tries[] = {{"", "", "NOAUTH", "ACL SETUSER default nopass"},
                 {":SECRET@", "", "signing in: WRONGPASS", "CONFIG SET requirepass SECRET"},
                 {":other@", "/9999", "selecting the database: ERR DB index is out of range", NULL}};

    snprintf(store.control_url, sizeof store.control_url, "unix://:other@%s/store.sock", store.dir);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        char url[160];

        store_kill(&store);
        store_run(&store, "--requirepass other");
        snprintf(url, sizeof url, "redis://%s127.0.0.1:%u%s", tries[i].user, store.port, tries[i].database);
        log_set_level(LOG_INFO);
        catch_begin();
        struct remote *const remote = tier_begin(url, TIER_PATIENT);
        const struct remote_stats stats = tier_wait_errors(remote, 3);
        catch_end();
        log_set_level(LOG_ERROR);
        assert_true(stats.errors >= 3 && stats.open == 1 && stats.opened == 1);
        assert_int_equal(times(caught, "\n"), 1);
        assert_non_null(strstr(caught, tries[i].said));
        assert_null(strstr(caught, "SECRET"));
        if (tries[i].remedy) {
            store_say(&store, tries[i].remedy);
            tier_wait_well(remote, true);
            tier_store(remote, 1, 100, false);
            assert_int_equal(tier_lease(remote, 0, 1), LEASE_FOUND);
        }
        remote_close(remote);
    }
}

/* Four commands and a prefix of keys are what a user needs. */
TEST(a_user_needs_little, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    char url[160];

    store_say(&store, "ACL SETUSER tiles on >secret ~terrane:* +get +set +del +unlink");
    store_say(&store, "ACL SETUSER looks on >secret ~terrane:* +get");
    snprintf(url, sizeof url, "redis://tiles:secret@127.0.0.1:%u", store.port);
    struct remote *const remote = tier_open(url, TIER_LONG_LEASES);
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_OURS);
    tier_put(remote, 1, 100, true);
    remote_reject(remote, &TIER_KEY(9));
    remote_flush(remote);
    assert_int_equal(tier_lease(remote, 0, 1), LEASE_FOUND);
    remote_flush(remote);
    struct remote_stats stats = tier_stats(remote);
    assert_int_equal(stats.refused + stats.errors, 0);
    assert_int_equal(store_say(&store, "DBSIZE"), 1);
    snprintf(url, sizeof url, "redis://looks:secret@127.0.0.1:%u", store.port);
    struct remote *const looks = tier_open(url, TIER());
    assert_int_equal(tier_lease(looks, 0, 1), LEASE_FOUND);
    assert_int_equal(tier_lease(looks, 0, 2), LEASE_NONE);
    tier_store(looks, 2, 100, false);
    stats = tier_stats(looks);
    assert_int_equal(stats.refused, 3);
    assert_int_equal(stats.errors + stats.opened, 0);
    remote_close(looks);
    remote_close(remote);
}

TEST(replicas_are_read_and_orphans_left_alone, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    char text[64];

    struct remote *const remote = tier_open(store.url, TIER_PATIENT);
    tier_store(remote, 1, 100, false);
    snprintf(text, sizeof text, "REPLICAOF 127.0.0.1 %u", kit_free_port());
    store_say(&store, text);
    tier_found(remote, 0, 1);
    assert_int_equal(tier_lease(remote, 0, 2), LEASE_NONE);
    const struct remote_stats stats = tier_stats(remote);
    assert_int_equal(stats.refused, 1);
    assert_int_equal(stats.errors + stats.opened, 0);
    store_say(&store, "CONFIG SET replica-serve-stale-data no");
    assert_null(tier_get(remote, 0, 1));
    assert_false(remote_is_well(remote));
    uv_sleep(100);
    assert_false(remote_is_well(remote));
    assert_int_equal(tier_stats(remote).opened, 1);
    store_say(&store, "REPLICAOF NO ONE");
    tier_wait_well(remote, true);
    tier_found(remote, 0, 1);
    remote_close(remote);
}

static atomic_int loading;

/* Answers PING as a store that loads its data for some connections, and everything else with the fake's text. */
static void play_store(struct fake *fake, int fd)
{
    static const char loads[] = "-LOADING the dataset\r\n", pong[] = "+PONG\r\n";
    char command[512];
    ssize_t bytes;

    /* One connection a time: the keeper's closes where another comes. */
    while (!atomic_load(&fake->stop) && (bytes = fake_read(fd, command, sizeof command - 1)) > 0) {
        command[bytes] = '\0';
        if (!strstr(command, "PING"))
            fake_write(fd, fake->text, fake->bytes);
        else if (atomic_fetch_sub(&loading, 1) > 0)
            fake_write(fd, loads, sizeof loads - 1);
        else
            fake_write(fd, pong, sizeof pong - 1);
        if (!strstr(command, "PING"))
            return;
        struct pollfd other[] = {{.fd = fd, .events = POLLIN}, {.fd = fake->listener, .events = POLLIN}};
        while (poll(other, 2, 10) == 0 && !atomic_load(&fake->stop))
            ;
        if (!(other[0].revents & POLLIN))
            return;
    }
}

TEST(a_loading_store_is_waited_for)
{
    struct fake fake;

    log_set_level(LOG_ERROR);
    atomic_store(&loading, 3);
    fake_start(&fake, play_store, "$-1\r\n", 5);
    struct remote *const remote = tier_open(fake.url, TIER_PATIENT);
    assert_int_equal(atomic_load(&loading), -1);
    assert_null(tier_get(remote, 0, 1));
    expect_errors(remote, 3, 1);
    assert_true(remote_is_well(remote));
    remote_close(remote);
    fake_stop(&fake);
}

/* What is no reply breaks the line, and opens the breaker after the third; a reply of a wrong kind is neither entry nor lease. */
TEST(somebody_else_opens_the_breaker)
{
    static const struct {
        const char *text;
        bool reply;
    } says[] = {
        {"HTTP/1.1 400 Bad Request\r\n\r\n", false},
        {"*-9\r\n", false},
        {"$4\r\nabcdefgh", false},
        {":1\r\n", true},
        {"*2\r\n$1\r\na\r\n:1\r\n", true},
        {"+OK\r\n", true},
        {"$0\r\n\r\n", true},
    };

    log_set_level(LOG_ERROR);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        struct fake fake;

        atomic_store(&loading, 0);
        fake_start(&fake, play_store, says[i].text, strlen(says[i].text));
        struct remote *const remote = tier_open(fake.url, TIER_PATIENT);
        for (int n = 0; n < 3; n++) {
            assert_true(remote_is_well(remote));
            assert_null(tier_get(remote, 0, 1));
        }
        const struct remote_stats stats = tier_stats(remote);
        assert_int_equal(stats.damaged, says[i].reply ? 3 : 0);
        assert_true(says[i].reply ? stats.opened == 0 : stats.errors >= 3 && stats.opened == 1);
        remote_close(remote);
        fake_stop(&fake);
    }
}

/* Nor does closing wait for the dead. */
TEST(puts_never_wait_and_are_bounded, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    struct remote *const remote = tier_open(store.url, TIER(.timeout_ms = 100, .write_behind_bytes = 100000));

    kill(store.pid, SIGSTOP);
    for (uint64_t i = 0; i < 1000; i++)
        tier_put(remote, i, 10000, i % 2);
    for (uint64_t i = 0; i < 10000; i++)
        remote_release(remote, &TIER_KEY(i));
    assert_true(tier_stats(remote).dropped >= 980);
    const uint64_t from_ns = uv_hrtime();
    remote_close(remote);
    assert_true(uv_hrtime() - from_ns < KIT_LONG_MS * KIT_MS);
    kill(store.pid, SIGCONT);
    remote_close(tier_begin("redis://store.invalid", TIER(.timeout_ms = 100)));
    remote_close(tier_begin("redis://127.0.0.1:1", TIER(.timeout_ms = 100)));
    remote_close(NULL);
}

TEST(closing_writes_what_is_queued, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    struct remote *const remote = tier_open(store.url, TIER_LONG_LEASES);

    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(tier_lease(remote, 0, i), LEASE_OURS);
    for (uint64_t i = 0; i < 100; i++)
        tier_put(remote, i, 50000, true);
    remote_close(remote);
    assert_int_equal(store_say(&store, "DBSIZE"), 100);
}

GROUP(remote_outage);
