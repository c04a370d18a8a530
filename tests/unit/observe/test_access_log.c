/*
 * The access log (server/observe/access_log.c): all lines arrive, also while files are moved away; and a file that is full,
 * closed or slow costs lines at most, which are counted.
 */
#include "access_kit.h"

#include <jansson.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <uv.h>

#include "../folder_kit.h"
#include "../stderr_kit.h"

static char *path, error[300];
static struct metrics metrics;

static uint64_t dropped(void)
{
    return metrics_read(&metrics.access_log_dropped);
}

/* What a file holds, owned, zero-terminated. */
static char *content(const char *name)
{
    FILE *const file = fopen(name, "r");
    char *text = NULL;
    size_t size = 0;

    assert_non_null(file);
    if (getdelim(&text, &size, '\0', file) < 0)
        *(text ? text : (text = malloc(1))) = '\0';
    fclose(file);
    return text;
}

/* Lines of a file, each of which has to be one of ours; their ids' sum into *ids. */
static uint64_t lines_of(const char *name, uint64_t *ids)
{
    char *const text = content(name);
    uint64_t lines = 0;

    for (char *at = text, *end; *at; at = end + 1, lines++) {
        end = strchr(at, '\n');
        if (!end)
            fail_msg("%s ends with half a line: %s", name, at);
        *end = '\0';
        json_t *const line = json_loads(at, 0, NULL);
        if (!line)
            fail_msg("not JSON: %s", at);
        *ids += strtoull(json_string_value(json_object_get(line, "id")), NULL, 10);
        json_decref(line);
    }
    free(text);
    return lines;
}

static uint64_t write_ids(struct access_log *log, uint64_t from, uint64_t count)
{
    struct access_entry entry = plain;
    uint64_t sum = 0;

    for (uint64_t id = from; id < from + count; id++) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)id);
        entry.id = text;
        access_log_write(log, &entry);
        sum += id;
    }
    return sum;
}

static struct access_log *opened(const char *name)
{
    struct access_log *const log = access_log_open(name, &metrics, error, sizeof error);

    if (!log)
        fail_msg("%s", error);
    return log;
}

/* Until a file has so many bytes. */
static void wait_size(const char *name, off_t bytes)
{
    struct stat info;

    AWAIT(stat(name, &info) == 0 && info.st_size >= bytes);
}

/* Until nothing more fits into a pipe that is not read. */
static void wait_full(int end)
{
    const int room = fcntl(end, F_GETPIPE_SZ);
    int held = 0;

    AWAIT(ioctl(end, FIONREAD, &held) == 0 && held + 4096 >= room);
}

/* A log on a pipe, of which *end is read. */
static struct access_log *opened_pipe(int *end)
{
    char name[40];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    struct access_log *const log = opened(name);
    close(ends[1]);
    *end = ends[0];
    return log;
}

/* Whole lines that a pipe holds; closes it. */
static uint64_t lines_in_pipe(int end)
{
    static char taken[1 << 20];
    const ssize_t n = read(end, taken, sizeof taken);
    uint64_t lines = 0;

    close(end);
    for (ssize_t i = 0; i < n; i++)
        lines += taken[i] == '\n';
    assert_true(n > 0 && taken[n - 1] == '\n');
    return lines;
}

static int fresh(void **state)
{
    (void)state;
    metrics = (struct metrics){0};
    path = folder_path("log", "");
    unlink(path);
    return 0;
}

/* In their order, and who may read them: tests/http/test_access_log.py. */
TEST(lines_arrive_soon_and_behind_others, .setup_func = fresh)
{
    struct access_log *log = opened(path);
    uint64_t ids = 0;

    const uint64_t begin_ns = uv_hrtime();
    write_ids(log, 1, 3);
    const bool together = uv_hrtime() - begin_ns < 50000000; /* but on a machine that is too busy */
    wait_size(path, 1);
    assert_true(lines_of(path, &ids) == 3 || !together); /* at once, not one by one */
    access_log_close(log);
    log = opened(path);
    write_ids(log, 4, 1);
    access_log_close(log);
    assert_int_equal(lines_of(path, &ids), 4);
    assert_int_equal(dropped(), 0);
    access_log_close(NULL);
}

/* How many lines the access log has left in the log since catch_begin. */
static int lines_said(void)
{
    int lines = 0;

    catch_end();
    for (const char *at = caught; (at = strstr(at, " warning access log: ")); at++)
        lines++;
    return lines;
}

TEST(a_full_disk_costs_lines, .setup_func = fresh)
{
    catch_begin();
    struct access_log *const log = opened("/dev/full");
    for (int i = 0; i < 3; i++) {
        write_ids(log, 1, 100);
        for (int wait = 0; wait < 1000 && dropped() < 100 * ((unsigned)i + 1); wait++)
            uv_sleep(10); /* until the writer has tried them */
    }
    const int status = access_log_reopen(log, path, error, sizeof error);
    uv_sleep(50);
    write_ids(log, 1, 10);
    access_log_close(log);
    assert_in_range(lines_said(), 1, 2); /* at once, and at the end */
    assert_int_equal(status, 0);
    uint64_t ids = 0;
    assert_int_equal(lines_of(path, &ids), 10);
    assert_int_equal(dropped(), 300);
}

/* A file that takes a part of a line and then nothing. It goes on where `again`. */
static void write_to_small_file(bool again)
{
    struct rlimit before, small = {.rlim_cur = 10001};
    struct stat info = {0};

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    catch_begin();
    struct access_log *const log = opened(path);
    setrlimit(RLIMIT_FSIZE, &small);
    write_ids(log, 1000, 100);
    wait_size(path, 10001);
    AWAIT(dropped() > 0); /* it has tried to go on */
    if (!again)
        access_log_close(log);
    stat(path, &info);
    setrlimit(RLIMIT_FSIZE, &before);
    if (again) {
        write_ids(log, 2000, 100);
        access_log_close(log);
    }
    lines_said();
    assert_int_equal(info.st_size, 10001);
}

TEST(half_lines_are_finished, .setup_func = fresh)
{
    uint64_t ids = 0;

    write_to_small_file(true);
    assert_int_equal(lines_of(path, &ids) + dropped(), 200);
    assert_in_range(dropped(), 50, 99);
}

TEST(a_half_line_at_the_end_is_counted, .setup_func = fresh)
{
    uint64_t lines = 0;

    write_to_small_file(false);
    char *const text = content(path);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    free(text);
    assert_int_equal(lines + dropped(), 100);
}

TEST(a_pipe_that_is_closed_costs_lines, .setup_func = fresh)
{
    int end;

    catch_begin();
    struct access_log *const log = opened_pipe(&end);
    close(end);
    write_ids(log, 1, 1000);
    access_log_close(log);
    assert_in_range(lines_said(), 1, 2); /* at once, and at the end */
    assert_int_equal(dropped(), 1000);
}

/* A reader that stops reading: nobody waits for it, all lines are written or counted, and the end comes all the same. */
TEST(a_pipe_that_is_not_read_holds_nobody_up, .setup_func = fresh)
{
    enum { LINES = 60000 }; /* more than pipe and ring hold */
    int end;

    catch_begin();
    struct access_log *const log = opened_pipe(&end);
    write_ids(log, 1, LINES);
    const uint64_t early = dropped();
    access_log_close(log);
    lines_said();
    assert_true(early > 0); /* while it was written: nobody waited for room */
    const uint64_t lines = lines_in_pipe(end);
    assert_true(lines > 100);
    assert_int_equal(lines + dropped(), LINES);
}

/* Opened anew, the log leaves a pipe that is stuck; what waited for it goes into the file. */
TEST(a_stuck_pipe_is_left, .setup_func = fresh)
{
    enum { LINES = 2000 };
    uint64_t ids = 0;
    int end;

    struct access_log *const log = opened_pipe(&end);
    write_ids(log, 1, LINES);
    wait_full(end);
    assert_int_equal(access_log_reopen(log, path, error, sizeof error), 0);
    wait_size(path, 1);
    access_log_close(log);
    const uint64_t lines = lines_in_pipe(end);
    assert_true(lines < LINES);
    assert_int_equal(lines + lines_of(path, &ids), LINES);
    assert_int_equal(dropped(), 0);
}

TEST(standard_output_is_a_dash, .setup_func = fresh)
{
    uint64_t ids = 0;

    fflush(stdout);
    const int saved = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, STDOUT_FILENO);
    struct access_log *const log = access_log_open("-", &metrics, error, sizeof error);
    if (log)
        write_ids(log, 1, 5);
    access_log_close(log);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(fd);
    assert_non_null(log);
    assert_int_equal(lines_of(path, &ids), 5);
}

GROUP(access_log, folder_make, folder_remove);
