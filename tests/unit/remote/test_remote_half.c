/*
 * The shared tier over a store that does half of what it is told: it reads and does not write, it fails now and then, it
 * does a command and closes before it says so.
 */
#include "../stderr_kit.h"
#include "remote_tier_kit.h"

/* A tier whose store, from now on, reads and does not write. */
static struct remote *open_half(unsigned ms)
{
    struct remote *const remote = tier_open(store.url, TIER(.timeout_ms = ms, .retry_ms = 60000));
    store_say(&store, "CLIENT PAUSE 600000 WRITE");
    return remote;
}

/* How often it fails until it is left alone; false where looks have failed, too, as they do on a machine that is too busy. */
static bool fails_in_turn(unsigned ms)
{
    uint64_t rounds = 0;

    struct remote *const remote = open_half(ms);
    for (; remote_is_well(remote); rounds++) {
        assert_true(rounds < 10);
        assert_null(tier_get(remote, 0, 1));
        assert_int_equal(tier_lease(remote, 0, 1), LEASE_NONE);
    }
    const struct remote_stats stats = tier_stats(remote);
    remote_close(remote);
    store_say(&store, "CLIENT UNPAUSE");
    return rounds >= 3 && stats.errors == rounds;
}

/* Looks are answered in between, and yet it is left alone soon. */
TEST(who_fails_every_second_time_is_left_alone, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    for (unsigned ms = 500; !fails_in_turn(ms); ms *= 4)
        assert_true(ms < 100000);
}

/* Nothing of it costs a request anything, so the breaker stays as it is: but operators are told. */
TEST(what_is_not_stored_is_said, .setup_func = tier_setup, .teardown_func = tier_teardown)
{
    log_set_level(LOG_WARNING);
    catch_begin();
    struct remote *const remote = open_half(750);
    for (uint64_t i = 1; i <= 9; i++) { /* the eighth is said */
        tier_put(remote, i, 100, false);
        for (int n = 0; n < 20; n++)
            assert_null(tier_get(remote, 0, 1));
        const uint64_t end_ns = kit_in_ms(KIT_LONG_MS);
        while (tier_stats(remote).dropped < i && uv_hrtime() < end_ns)
            uv_sleep(5);
    }
    const uint64_t dropped = tier_stats(remote).dropped;
    const bool well = remote_is_well(remote);
    remote_close(remote);
    catch_end();
    assert_true(well);
    assert_int_equal(dropped, 9);
    const char *const said = strstr(caught, "takes nothing in its time");
    assert_non_null(said);
    assert_null(strstr(said + 1, "takes nothing in its time"));
}

enum { TOKEN_BYTES = 32 };

static bool hears(int fd, char *text, size_t room, const char *word)
{
    size_t length = 0;

    for (text[0] = '\0'; !strstr(text, word);) {
        const ssize_t bytes = fake_read(fd, text + length, room - 1 - length);
        if (bytes <= 0)
            return false;
        length += (size_t)bytes;
        text[length] = '\0';
    }
    return true;
}

/*
 * The keeper's PING; on the next connection a look, and then a lease that is taken while the connection closes; on the
 * third that lease is there already. It is of whoever asked, or, where the fake has a text, of that.
 */
static void play_hasty(struct fake *fake, int fd)
{
    static char token[TOKEN_BYTES + 1];
    static const char nothing[] = "$-1\r\n", entry[] = "GET\r\n$42\r\n"; /* "terrane:2:" and 32 digits */
    char text[2048], answer[64];
    struct pollfd next = {.fd = fake->listener, .events = POLLIN};

    switch (atomic_load(&fake->connections)) {
    case 1:
        if (hears(fd, text, sizeof text, "PING") && fake_write(fd, "+PONG\r\n", 7))
            while (poll(&next, 1, 10) == 0 && !atomic_load(&fake->stop))
                ;
        return;
    case 2:
        if (!hears(fd, text, sizeof text, "GET\r\n") || !fake_write(fd, nothing, sizeof nothing - 1) ||
            !hears(fd, text, sizeof text, "PX\r\n"))
            return;
        const char *const from = strstr(text, "$32\r\n");
        if (from)
            memcpy(token, from + 5, TOKEN_BYTES);
        return;
    case 3:
        if (!hears(fd, text, sizeof text, entry) || !fake_write(fd, nothing, sizeof nothing - 1) ||
            !fake_write(fd, nothing, sizeof nothing - 1) || !hears(fd, text, sizeof text, ":lease\r\n"))
            return;
        snprintf(answer, sizeof answer, "$32\r\n%.32s\r\n", fake->text ? fake->text : token);
        fake_write(fd, answer, strlen(answer));
        fake_hang(fake, fd);
        return;
    default:
        fake_hang(fake, fd);
    }
}

static enum remote_lease lease_of(const char *text)
{
    struct fake fake;

    fake_start(&fake, play_hasty, text, 0);
    struct remote *const remote = tier_open(fake.url, TIER_PATIENT);
    assert_null(tier_get(remote, 0, 1));
    const enum remote_lease answer = tier_lease(remote, 0, 1);
    assert_true(remote_is_well(remote));
    remote_close(remote);
    fake_stop(&fake);
    return answer;
}

TEST(nobody_waits_for_a_lease_of_his_own)
{
    log_set_level(LOG_ERROR);
    assert_int_equal(lease_of(NULL), LEASE_OURS);
    assert_int_equal(lease_of("0123456789abcdef0123456789abcdef"), LEASE_THEIRS);
}

GROUP(remote_half);
