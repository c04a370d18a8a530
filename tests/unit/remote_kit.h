/*
 * What the tests of the shared tier have in common: stores that do as they are told.
 *
 * A fake is a thread that plays a part on one port: what it does with each connection is the test's. A store is a
 * redis-server of its own, which keeps nothing, in a directory that vanishes; it dies with the test.
 */
#ifndef TERRANE_TESTS_REMOTE_KIT_H
#define TERRANE_TESTS_REMOTE_KIT_H

#include "folder_kit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <uv.h>

#include "../../server/cache/remote_line.h"

#define KIT_MS UINT64_C(1000000)
enum { KIT_LONG_MS = 60000 }; /* what has to happen on the slowest machine */

static inline uint64_t kit_in_ms(uint64_t ms)
{
    return uv_hrtime() + ms * KIT_MS;
}

struct fake {
    int listener;
    uint16_t port;
    char url[48];                            /* of a store there */
    void (*play)(struct fake *fake, int fd); /* one connection; fd is closed after it */
    const char *text;                        /* for play */
    size_t bytes;
    atomic_bool stop;
    atomic_int connections;
    pthread_t thread;
};

/* Reads whatever comes for a moment; 0: the other end is closed. */
static inline ssize_t fake_read(int fd, char *bytes, size_t room)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, KIT_LONG_MS) == 1 ? recv(fd, bytes, room, 0) : -1;
}

static inline bool fake_write(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

/* Waits until the other end closes, or the fake is to stop. */
static inline void fake_hang(const struct fake *fake, int fd)
{
    char bytes[4096];
    while (!atomic_load(&fake->stop)) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, 10) == 1 && recv(fd, bytes, sizeof bytes, 0) <= 0)
            return;
    }
}

static inline void *fake_main(void *argument)
{
    struct fake *const fake = argument;
    while (!atomic_load(&fake->stop)) {
        struct pollfd poll_fd = {.fd = fake->listener, .events = POLLIN};
        if (poll(&poll_fd, 1, 10) != 1)
            continue;
        const int fd = accept(fake->listener, NULL, NULL);
        if (fd < 0)
            continue;
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        atomic_fetch_add(&fake->connections, 1);
        fake->play(fake, fd);
        close(fd);
    }
    return NULL;
}

static inline void fake_start(struct fake *fake, void (*play)(struct fake *, int), const char *text,
                              size_t bytes)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_bytes = sizeof address;
    *fake = (struct fake){.play = play, .text = text, .bytes = bytes};
    fake->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fake->listener >= 0);
    assert_int_equal(bind(fake->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fake->listener, 16), 0);
    assert_int_equal(getsockname(fake->listener, (struct sockaddr *)&address, &address_bytes), 0);
    fake->port = ntohs(address.sin_port);
    snprintf(fake->url, sizeof fake->url, "redis://127.0.0.1:%u", fake->port);
    assert_int_equal(pthread_create(&fake->thread, NULL, fake_main, fake), 0);
}

static inline void fake_stop(struct fake *fake)
{
    atomic_store(&fake->stop, true);
    pthread_join(fake->thread, NULL);
    close(fake->listener);
}

/* Of the last kit_find or kit_line: its URL, and what went wrong. */
static struct remote_url kit_url;
static char kit_error[LINE_ERROR_BYTES];

/* Where a URL leads. */
static inline struct line_place kit_find(const char *text)
{
    struct line_place place = {0};
    if (remote_url_read(&kit_url, text, kit_error, sizeof kit_error) < 0 ||
        line_find(&place, &kit_url, kit_error, sizeof kit_error) < 0)
        fail_msg("%s: %s", text, kit_error);
    return place;
}

/* Opens a line to a URL; NULL with kit_error. */
static inline struct line *kit_line(const char *text, const struct line_trust *trust, uint64_t ms)
{
    const struct line_place place = kit_find(text);
    return line_open(&kit_url, &place, trust, kit_in_ms(ms), kit_error, sizeof kit_error);
}

/* Words apart by spaces, on a line; the reply is the caller's, NULL where the line broke. */
static inline redisReply *kit_say(struct line *line, const char *text, uint64_t ms)
{
    struct line_word words[LINE_WORDS];
    size_t count = 0;
    for (bool more = true; more && count < LINE_WORDS;) {
        const size_t bytes = strcspn(text, " ");
        more = text[bytes] == ' ';
        words[count++] = LINE_BYTES(text, bytes);
        text += bytes + more;
    }
    return line_call(line, words, count, kit_in_ms(ms));
}

struct store {
    char dir[64];
    uint16_t port;
    pid_t pid;
    char url[128]; /* of TCP, without a password */
    char local_url[128];
    char control_url[160]; /* as local_url; with a password where the test asks for one */
};

/* A port that nothing listens on, below those that Linux gives connections: there another test's client could take it before it is
 * used. */
static inline uint16_t kit_free_port(void)
{
    enum { FIRST = 12000, COUNT = 20000 };
    static unsigned turn;
    for (;;) {
        const unsigned at = ((unsigned)getpid() * 7919 + turn++ * 104729) % COUNT;
        const struct sockaddr_in address = {.sin_family = AF_INET,
                                            .sin_port = htons((uint16_t)(FIRST + at)),
                                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_true(fd >= 0 && turn < COUNT);
        const bool free = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
        close(fd);
        if (free)
            return (uint16_t)(FIRST + at);
    }
}

/* A command to the store, on a connection of its own. Returns the reply, or NULL where it does not answer. */
static inline redisReply *store_try(const struct store *store, const char *text, uint64_t ms)
{
    struct line *const line = kit_line(store->control_url, NULL, ms);
    redisReply *const reply = line ? kit_say(line, text, ms) : NULL;
    line_close(line);
    return reply;
}

/* A command that has to be answered, with what stands in text where that is not NULL; -1 or the integer. */
static inline long long store_say(const struct store *store, const char *text)
{
    redisReply *const reply = store_try(store, text, KIT_LONG_MS);
    if (!reply)
        fail_msg("the store does not answer: %s", text);
    if (reply->type == REDIS_REPLY_ERROR)
        fail_msg("%s: %s", text, reply->str);
    const long long value = reply->type == REDIS_REPLY_INTEGER ? reply->integer : -1;
    freeReplyObject(reply);
    return value;
}

/* Runs the server again, on the port and with the settings ("--maxmemory 1mb", or "") given. */
static inline void store_run(struct store *store, const char *settings)
{
    char command[640];
    snprintf(command, sizeof command,
             "exec redis-server --port %u --bind 127.0.0.1 --save '' --appendonly no --unixsocket store.sock "
             "--loglevel warning --logfile log %s",
             store->port, settings);
    store->pid = fork();
    assert_true(store->pid >= 0);
    if (store->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chdir(store->dir) == 0)
            execl("/bin/sh", "sh", "-c", command, NULL);
        perror("redis-server");
        _exit(127);
    }
    const uint64_t end_ns = kit_in_ms(KIT_LONG_MS);
    for (;;) {
        redisReply *const reply = store_try(store, "PING", 1000);
        const bool well = reply && reply->type == REDIS_REPLY_STATUS;
        if (reply)
            freeReplyObject(reply);
        if (well)
            return;
        if (uv_hrtime() > end_ns || waitpid(store->pid, NULL, WNOHANG) != 0)
            fail_msg("redis-server does not start (it is a package of its own)");
        uv_sleep(10);
    }
}

static inline void store_start(struct store *store)
{
    snprintf(store->dir, sizeof store->dir, "/tmp/terrane-store-XXXXXX");
    assert_non_null(mkdtemp(store->dir));
    store->port = kit_free_port();
    snprintf(store->url, sizeof store->url, "redis://127.0.0.1:%u", store->port);
    snprintf(store->local_url, sizeof store->local_url, "unix://%s/store.sock", store->dir);
    snprintf(store->control_url, sizeof store->control_url, "%s", store->local_url);
    store_run(store, "");
}

static inline void store_kill(struct store *store)
{
    if (store->pid <= 0)
        return;
    kill(store->pid, SIGKILL);
    waitpid(store->pid, NULL, 0);
    store->pid = 0;
}

static inline void store_stop(struct store *store)
{
    store_kill(store);
    remove_tree(store->dir);
}

#endif
