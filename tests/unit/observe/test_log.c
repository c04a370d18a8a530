/* The log: one clean line an event, whole whoever else writes. */
#include "../stderr_kit.h"

#include <errno.h>
#include <regex.h>
#include <uv.h>

#include "../../../server/observe/log.h"

enum { THREADS = 4, LINES = 200 };

static int set_up(void **state)
{
    (void)state;
    log_set_level(LOG_INFO);
    catch_begin();
    return 0;
}

static void expect_match(const char *pattern)
{
    regex_t compiled;

    assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&compiled, caught, 0, NULL, 0) != 0)
        fail_msg("\"%s\" is not what \"%s\" says", caught, pattern);
    regfree(&compiled);
}

TEST(test_line)
{
    errno = ERANGE;
    log_write(LOG_WARNING, "cache", "%d of %s", 3, "four");
    assert_int_equal(errno, ERANGE);
    catch_end();
    expect_match(
        "^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\.[0-9]{3}Z warning cache: 3 of "
        "four\n$");
}

TEST(test_control_characters)
{
    log_write(LOG_INFO, "x", "%s",
              "a\nb\x1b[2J\r\x7f \xc2\x9b"
              "31m \xc3\xa9");
    catch_end();
    expect_match(" info x: a[?]b[?]\\[2J[?][?] [?][?]31m \xc3\xa9\n$");
}

TEST(test_long_lines)
{
    char text[3000];

    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = '\0';
    log_write(LOG_INFO, "x", "%s", text);
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    log_write(LOG_INFO, "x", "%s", text);
    log_write(LOG_INFO, "xx", "%s", text);
    size_t bytes = catch_end();
    assert_in_range(bytes, 3 * 1024 - 2, 3 * 1024);
    assert_int_equal(caught[1023], '\n');
    expect_match("^[^\n]*y\n[^\n]*\xc3\xa9\n[^\n]*\xc3\xa9\n$");
}

/* A pipe that nobody reads takes no line, and keeps nobody waiting; once it is read, it takes some again. */
TEST(test_a_full_pipe)
{
    static char rest[1 << 20];
    int ends[2];
    size_t bytes = 0;

    catch_end();
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    for (ssize_t more; (more = write(ends[1], rest, sizeof rest)) > 0;)
        bytes += (size_t)more;
    assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
    const int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    errno = ERANGE;
    log_write(LOG_INFO, "x", "lost");
    const bool kept = errno == ERANGE;
    const ssize_t first = read(ends[0], rest, sizeof rest);
    log_write(LOG_INFO, "x", "there");
    dup2(saved, STDERR_FILENO);
    const ssize_t second = read(ends[0], caught, sizeof caught - 1);
    close(saved);
    close(ends[0]);
    close(ends[1]);
    assert_true(kept);
    assert_int_equal(first, bytes);
    assert_true(second > 0);
    caught[second] = '\0';
    expect_match("^[^\n]* info x: there\n$");
}

static void write_lines(void *argument)
{
    char text[301];

    memset(text, *(const char *)argument, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < LINES; i++)
        log_write(LOG_INFO, "x", "%s", text);
}

TEST(test_lines_stay_whole)
{
    static char name[THREADS] = {'a', 'b', 'c', 'd'};
    uv_thread_t thread[THREADS];
    int lines = 0;

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&thread[i], write_lines, &name[i]), 0);
    for (int i = 0; i < THREADS; i++)
        uv_thread_join(&thread[i]);
    catch_end();
    for (char *line = caught; *line; lines++) {
        char *const end = strchr(line, '\n');

        assert_non_null(end);
        assert_int_equal(end - line, strlen("2026-11-21T03:25:55.123Z info x: ") + 300);
        for (const char *at = end - 300; at < end; at++)
            assert_int_equal(*at, end[-1]);
        line = end + 1;
    }
    assert_int_equal(lines, THREADS * LINES);
}

GROUP_EACH(log, set_up, NULL);
