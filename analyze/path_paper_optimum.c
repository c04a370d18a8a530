/*
 * The optimum H0, of another program: `optimum FILE` reads a patch with its limits and prints {"distance": EMD(L, H0)}.
 * It needs a solver that terrane does not come with, so it may be missing; then figures 8 and 9 are.
 *
 * FILE, little-endian: i32 side, f64 spacing, side * side f64 ground, then as many f32 of gradient, of across, of its
 * x and of its y. It lies in the directory of results for as long as the program runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json_build.h"
#include "path_paper.h"

enum { ANSWER_BYTES = 4096, PATIENCE_S = 1800, LINGER_S = 10, LOOK_MS = 100 };

char *path_optimum_program(void)
{
    char self[PATH_MAX], path[PATH_MAX + 16];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    self[length > 0 ? length : 0] = 0;
    char *const slash = strrchr(self, '/');
    if (!slash)
        return NULL;
    *slash = 0;
    snprintf(path, sizeof path, "%s/optimum", self);
    return access(path, X_OK) == 0 ? strdup(path) : NULL;
}

/* ---- What it is given ---------------------------------------------------------------------------------- */

static void put(FILE *file, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; k++)
        putc((int)(bits >> 8 * k & 0xFF), file);
}

static void put_double(FILE *file, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(file, bits, 8);
}

static void put_floats(FILE *file, const float *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        put(file, bits, 4);
    }
}

/* Takes the descriptor. */
static int write_problem(int descriptor, const struct terrane_patch *patch, const double *ground,
                         const struct terrane_limits *limits)
{
    const size_t samples = (size_t)patch->side * (size_t)patch->side;
    FILE *const file = fdopen(descriptor, "wb");

    if (!file) {
        close(descriptor);
        return -1;
    }
    put(file, (uint64_t)patch->side, 4);
    put_double(file, patch->spacing);
    for (size_t k = 0; k < samples; k++)
        put_double(file, ground[k]);
    put_floats(file, limits->gradient, samples);
    put_floats(file, limits->across, samples);
    put_floats(file, limits->across_x, samples);
    put_floats(file, limits->across_y, samples);
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed ? 0 : -1;
}

/* ---- What it answers ----------------------------------------------------------------------------------- */

static int64_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* All it prints, up to its end. Returns the bytes; -1: stopped, too long or too late. */
static ssize_t read_answer(int descriptor, char *answer, size_t room)
{
    const int64_t late = seconds_now() + PATIENCE_S;
    size_t have = 0;

    for (;;) {
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        if (path_stopped() || seconds_now() > late || have == room)
            return -1;
        if (poll(&ready, 1, LOOK_MS) <= 0)
            continue;
        const ssize_t got = read(descriptor, answer + have, room - have);
        if (got == 0)
            return (ssize_t)have;
        if (got < 0 && errno != EINTR)
            return -1;
        have += got > 0 ? (size_t)got : 0;
    }
}

static double distance_of(const char *answer, size_t bytes)
{
    json_t *const json = json_loadb(answer, bytes, 0, NULL);
    const json_t *const distance = json_object_get(json, "distance");
    const double out = json_is_number(distance) ? json_number_value(distance) : (double)NAN;
    json_decref(json);
    return out >= 0 ? out : (double)NAN;
}

/* Runs `program problem` with its standard output on the pipe. Returns the process, or -1. */
static pid_t start(const char *program, char *problem, const int pipe_of[2])
{
    extern char **environ;
    char name[] = "optimum";
    char *const words[] = {name, problem, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = -1;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    int status = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (status == 0)
        status = posix_spawn_file_actions_adddup2(&actions, pipe_of[1], STDOUT_FILENO);
    if (status == 0)
        status = posix_spawn(&child, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0)
        path_error("%s: %s", program, strerror(status));
    return status == 0 ? child : -1;
}

/* Waits for its end, which is soon once it has closed its output; true: it ended well. */
static bool ended_well(pid_t child, bool kill_it)
{
    const int64_t late = seconds_now() + LINGER_S;
    int status = 0;
    pid_t ended;

    if (kill_it)
        kill(child, SIGKILL);
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (path_stopped() || seconds_now() > late)
            kill(child, SIGKILL);
        poll(NULL, 0, 1);
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static double ask(const char *program, char *problem)
{
    char answer[ANSWER_BYTES];
    int pipe_of[2];

    if (pipe2(pipe_of, O_CLOEXEC) != 0)
        return (double)NAN;
    const pid_t child = start(program, problem, pipe_of);
    close(pipe_of[1]);
    const ssize_t bytes = child > 0 ? read_answer(pipe_of[0], answer, sizeof answer) : -1;
    const bool well = child > 0 && ended_well(child, bytes < 0);
    close(pipe_of[0]);
    return well && bytes >= 0 ? distance_of(answer, (size_t)bytes) : (double)NAN;
}

double path_optimum(const struct path_study *study, const struct terrane_patch *patch, const double *ground,
                    const struct terrane_limits *limits)
{
    char problem[PATH_BYTES];

    path_join(problem, sizeof problem, study->directory, "", "optimum-XXXXXX");
    const int descriptor = mkostemp(problem, O_CLOEXEC);
    if (descriptor < 0) {
        path_error("%s: %s", problem, strerror(errno));
        return (double)NAN;
    }
    double distance = (double)NAN;
    if (write_problem(descriptor, patch, ground, limits) != 0)
        path_error("%s: %s", problem, strerror(errno));
    else
        distance = ask(study->optimum, problem);
    unlink(problem);
    if (isnan(distance) && !path_stopped())
        path_error("%s gave no distance of %d x %d samples: left out", study->optimum, patch->side,
                   patch->side);
    return distance;
}
