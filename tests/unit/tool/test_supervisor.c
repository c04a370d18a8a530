/*
 * The service manager (server/life/supervisor.h), played by this test: a datagram socket that hears notices,
 * and children that inherit descriptors.
 */
#include "../stderr_kit.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "../../../server/life/supervisor.h"

enum { FIRST = 3, HEARD_BYTES = 2000 };

static int ear = -1; /* where notices arrive */

static void listen_for_notices(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    /* An abstract name: nothing to remove. */
    const int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "terrane-test-%ld", (long)getpid());
    char name[120];
    ear = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(ear >= 0);
    assert_int_equal(bind(ear, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
                     0);
    snprintf(name, sizeof name, "@%s", address.sun_path + 1);
    setenv("NOTIFY_SOCKET", name, 1);
}

/* What the last call said; "" where it said nothing. */
static const char *heard(void)
{
    static char text[HEARD_BYTES];
    const ssize_t bytes = recv(ear, text, sizeof text - 1, 0);
    text[bytes > 0 ? bytes : 0] = 0;
    return text;
}

static int clear(void **state)
{
    static const char *const name[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
                                       "LISTEN_FDS",    "LISTEN_PID",    "LISTEN_FDNAMES"};
    (void)state;
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        unsetenv(name[k]);
    if (ear >= 0)
        close(ear);
    ear = -1;
    return 0;
}

TEST(nobody_is_told_where_nobody_is)
{
    int public = 7, admin = 7;
    char error[400] = "";
    supervisor_ready("on http://127.0.0.1:8080");
    supervisor_reloading();
    supervisor_stopping();
    supervisor_alive();
    assert_int_equal(supervisor_watchdog_ms(), 0);
    assert_int_equal(supervisor_sockets(&public, &admin, error, sizeof error), 0);
    assert_int_equal(public, -1);
    assert_int_equal(admin, -1);
}

static void expect_ready(const char *status, const char *told)
{
    char wanted[200];
    supervisor_ready(status);
    snprintf(wanted, sizeof wanted, "READY=1\nSTATUS=%s\nMAINPID=%ld", told, (long)getpid());
    assert_string_equal(heard(), wanted);
}

TEST(notices_are_those_of_the_protocol)
{
    listen_for_notices();
    expect_ready("on http://127.0.0.1:8080", "on http://127.0.0.1:8080");
    supervisor_reloading();
    const char *text = heard();
    assert_int_equal(strncmp(text, "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
    assert_true(strtoull(text + 27, NULL, 10) > 0);
    supervisor_alive();
    assert_string_equal(heard(), "WATCHDOG=1");
    supervisor_stopping();
    assert_int_equal(strncmp(heard(), "STOPPING=1\nSTATUS=", 18), 0);
    assert_string_equal(heard(), "");
}

TEST(a_status_makes_no_lines)
{
    char long_status[3000];
    listen_for_notices();
    expect_ready("a\nSTOPPING=1\x7f\tb", "a STOPPING=1  b");
    expect_ready(NULL, "");
    memset(long_status, 'x', sizeof long_status - 1);
    long_status[sizeof long_status - 1] = 0;
    supervisor_ready(long_status);
    assert_in_range(strlen(heard()), 300, 450);
}

TEST(a_manager_that_is_gone_does_no_harm)
{
    listen_for_notices();
    close(ear);
    ear = -1;
    catch_begin();
    supervisor_ready("on"); /* a line in the log */
    supervisor_alive();     /* none: it would be one every few seconds */
    setenv("NOTIFY_SOCKET", "no address", 1);
    supervisor_ready("on");
    catch_end();
    int lines = 0;
    for (const char *at = caught; (at = strstr(at, " warning serve: cannot tell the service manager: "));
         at++)
        lines++;
    assert_int_equal(lines, 2);
    for (const char *at = caught; (at = strchr(at, '\n')); at++)
        lines--;
    assert_int_equal(lines, 0);
}

TEST(the_watchdog_is_fed_at_half_its_time)
{
    char pid[20];
    setenv("WATCHDOG_USEC", "30000000", 1);
    assert_int_equal(supervisor_watchdog_ms(), 15000);
    setenv("WATCHDOG_USEC", "1500", 1);
    assert_int_equal(supervisor_watchdog_ms(), 1);
    setenv("WATCHDOG_USEC", "nonsense", 1);
    assert_int_equal(supervisor_watchdog_ms(), 0);
    setenv("WATCHDOG_USEC", "30000000", 1);
    snprintf(pid, sizeof pid, "%ld", (long)getppid());
    setenv("WATCHDOG_PID", pid, 1); /* somebody else's */
    assert_int_equal(supervisor_watchdog_ms(), 0);
}

enum kind { TCP4, TCP6, TCP_CONNECTABLE, UDP, UNIX, PIPE };

static int descriptor_of(enum kind kind)
{
    const int family = kind == TCP6 ? AF_INET6 : kind == UNIX ? AF_UNIX : AF_INET;
    int ends[2];
    if (kind == PIPE)
        return pipe(ends) == 0 ? ends[0] : -1;
    const int fd = socket(family, kind == UDP ? SOCK_DGRAM : SOCK_STREAM, 0);
    const struct sockaddr nameless = {.sa_family = AF_UNIX};
    if (kind == UNIX && bind(fd, &nameless, sizeof(sa_family_t)) != 0)
        return -1;
    if (kind != UDP && kind != TCP_CONNECTABLE && listen(fd, 5) != 0)
        return -1;
    return fd;
}

/* What a child saw: the result, the descriptors, and what it was told. */
struct seen {
    int result, public, admin;
    int quiet; /* all that were handed out are non-blocking and close-on-exec, and the environment is clean */
    char error[400];
};

static int is_quiet(int fd)
{
    return fd < 0 || ((fcntl(fd, F_GETFL) & O_NONBLOCK) && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
}

static void child(const enum kind *kinds, int count, const char *names, int out)
{
    struct seen seen = {.public = -2, .admin = -2};
    char number[20];
    int made[8];
    const int report = fcntl(out, F_DUPFD, 60);
    for (int i = 0; i < count; i++)
        made[i] = fcntl(descriptor_of(kinds[i]), F_DUPFD, 30); /* out of the way of 3, 4 ... */
    for (int i = 0; i < count; i++)
        dup2(made[i], FIRST + i);
    snprintf(number, sizeof number, "%d", count);
    setenv("LISTEN_FDS", number, 1);
    snprintf(number, sizeof number, "%ld", (long)getpid());
    setenv("LISTEN_PID", number, 1);
    if (names)
        setenv("LISTEN_FDNAMES", names, 1);
    seen.result = supervisor_sockets(&seen.public, &seen.admin, seen.error, sizeof seen.error);
    seen.quiet = is_quiet(seen.public) && is_quiet(seen.admin) && !getenv("LISTEN_FDS") &&
                 !getenv("LISTEN_PID") && !getenv("LISTEN_FDNAMES");
    _exit(write(report, &seen, sizeof seen) == sizeof seen ? 0 : 1);
}

static struct seen inherit(const enum kind *kinds, int count, const char *names)
{
    struct seen seen;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        child(kinds, count, names, ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &seen, sizeof seen), sizeof seen);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return seen;
}

TEST(sockets_are_taken_by_name)
{
    static const struct {
        int count;
        const char *names;
        int public, admin;
    } cases[] = {
        {1, NULL, 3, -1},
        {2, NULL, 3, 4},
        {1, "terrane", 3, -1},
        {1, "terrane-admin", -1, 3},
        {2, "terrane:terrane-admin", 3, 4},
        {2, "terrane-admin:terrane", 4, 3},
        {2, "terrane-admin:web", 4, 3},
        {2, "web:terrane", 4, 3},
        {2, "web:other", 3, 4},
        {2, "terrane-admin.socket:terrane.socket", 4, 3},
        {2, "terrane-administrator:terrane", 4, 3},
        {1, "terranes", 3, -1},
    };
    static const enum kind kinds[] = {TCP4, TCP6};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct seen seen = inherit(kinds, cases[i].count, cases[i].names);
        if (seen.result != 0 || seen.public != cases[i].public || seen.admin != cases[i].admin || !seen.quiet)
            fail_msg("%s of %d: %d, public %d, admin %d, quiet %d",
                     cases[i].names ? cases[i].names : "(none)", cases[i].count, seen.result, seen.public,
                     seen.admin, seen.quiet);
    }
}

TEST(what_is_no_listening_tcp_socket_is_refused)
{
    static const enum kind kinds[] = {TCP_CONNECTABLE, UDP, UNIX, PIPE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const enum kind pair[] = {TCP4, kinds[i]};
        const struct seen seen = inherit(pair, 2, "terrane:\x01odd");
        assert_int_equal(seen.result, -1);
        assert_int_equal(seen.public, -2); /* untouched */
        assert_int_equal(seen.admin, -2);
        assert_non_null(strstr(seen.error, "descriptor 4 (\"\\x01odd\")"));
        assert_non_null(strstr(seen.error, "allowed is a listening TCP socket"));
    }
}

TEST(more_than_two_or_two_of_a_name_are_refused)
{
    static const enum kind kinds[] = {TCP4, TCP4, TCP4};
    static const struct {
        int count;
        const char *names, *why;
    } cases[] = {
        {3, NULL, "3 descriptors"},
        {2, "terrane:terrane", "two descriptors from the service manager are named \"terrane\""},
        {2, "terrane-admin:terrane-admin", "are named \"terrane-admin\""},
        {2, "terrane", "LISTEN_FDS"}, /* fewer names than descriptors */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct seen seen = inherit(kinds, cases[i].count, cases[i].names);
        if (seen.result != -1 || !strstr(seen.error, cases[i].why))
            fail_msg("case %zu: %d, \"%s\"", i, seen.result, seen.error);
    }
}

TEST(anothers_sockets_are_left_alone)
{
    char pid[20], error[400] = "";
    int public = 7, admin = 7;
    setenv("LISTEN_FDS", "2", 1);
    snprintf(pid, sizeof pid, "%ld", (long)getppid());
    setenv("LISTEN_PID", pid, 1);
    assert_int_equal(supervisor_sockets(&public, &admin, error, sizeof error), 0);
    assert_int_equal(public, -1);
    assert_int_equal(admin, -1);
}

GROUP_EACH(supervisor, clear, clear);
