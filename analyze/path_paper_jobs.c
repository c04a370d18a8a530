/*
 * Threads take one experiment after the other, small patches first; the main thread tells how far they are and writes
 * what is there.
 *
 * State: next (the experiment to be taken), outcomes and pictures belong to the lock. A slot is its thread's and is read
 * by the main thread for progress alone.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "path_paper.h"

enum { LOOK_MS = 200 };

struct path_jobs {
    struct path_study *study;
    pthread_mutex_t lock;
    pthread_cond_t news;
    int next, all, done; /* experiments, in the order of size, series, terrain */
    int running, slots;
    bool told[PATH_SERIES][PATH_SIZES];
    bool failed, fresh;                      /* fresh: something is done that paths.json has not */
    double seconds[PATH_SERIES][PATH_SIZES]; /* of those done: by the clock */
    int count[PATH_SERIES][PATH_SIZES];
    struct path_slot slot[PATH_JOBS_MAX];
};

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void place_of(const struct path_study *study, int k, int *size, int *series, int *terrain)
{
    *terrain = k % study->terrains;
    *series = k / study->terrains % PATH_SERIES;
    *size = k / study->terrains / PATH_SERIES;
}

static bool wanted(const struct path_study *study, int size, int series)
{
    return study->side[size] <= path_series[series].side_max;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

/* Takes the next experiment; false: there is none. Call with the lock. */
static bool take(struct path_jobs *jobs, int *size, int *series, int *terrain)
{
    const int all = jobs->study->sizes * PATH_SERIES * jobs->study->terrains;

    while (!jobs->failed && !path_stopped() && jobs->next < all) {
        place_of(jobs->study, jobs->next++, size, series, terrain);
        if (wanted(jobs->study, *size, *series))
            return true;
    }
    return false;
}

static void drop_picture(struct path_picture *picture)
{
    for (int k = 0; k < 3; k++)
        free(picture->heights[k]);
    free(picture->mask);
    *picture = (struct path_picture){0};
}

/* Call with the lock. Takes the picture. */
static void keep(struct path_jobs *jobs, int size, int series, int terrain,
                 const struct path_outcome *outcome, struct path_picture *picture, double seconds)
{
    struct path_picture *const old = &jobs->study->picture[series];

    jobs->study->of[series][size][terrain] = *outcome;
    jobs->seconds[series][size] += seconds;
    jobs->count[series][size]++;
    jobs->done++;
    jobs->fresh = true;
    if (picture->side > old->side) {
        drop_picture(old);
        *old = *picture;
        *picture = (struct path_picture){0};
    }
}

static void work(struct path_jobs *jobs, struct path_memory *memory, struct path_slot *slot)
{
    int size, series, terrain;

    while (take(jobs, &size, &series, &terrain)) {
        struct path_outcome outcome;
        struct path_picture picture = {0};
        atomic_store(&slot->iterations, 0);
        atomic_store(&slot->series, series);
        atomic_store(&slot->size, size);
        atomic_store(&slot->terrain, terrain);
        atomic_store(&slot->busy, true);
        pthread_mutex_unlock(&jobs->lock);
        const double begun = clock_seconds();
        const int status = path_measure(jobs->study, series, size, terrain, memory, slot, &outcome,
                                        terrain == 0 ? &picture : NULL);
        const double seconds = clock_seconds() - begun;
        pthread_mutex_lock(&jobs->lock);
        atomic_store(&slot->busy, false);
        if (status == 0)
            keep(jobs, size, series, terrain, &outcome, &picture, seconds);
        jobs->failed = jobs->failed || status < 0;
        drop_picture(&picture);
        pthread_cond_signal(&jobs->news);
    }
}

static void *thread(void *argument)
{
    struct path_jobs *const jobs = argument;
    const int sides = jobs->study->sizes;
    struct path_memory *const memory = path_memory_new(jobs->study->side[sides - 1]);

    pthread_mutex_lock(&jobs->lock);
    struct path_slot *const slot = &jobs->slot[jobs->slots++];
    if (memory)
        work(jobs, memory, slot);
    else
        path_error("out of memory");
    jobs->failed = jobs->failed || !memory;
    jobs->running--;
    pthread_cond_signal(&jobs->news);
    pthread_mutex_unlock(&jobs->lock);
    path_memory_free(memory);
    return NULL;
}

/* ---- Progress ------------------------------------------------------------------------------------------ */

/*
 * What one experiment takes: as those done of its kind, else more than one of a patch with fewer samples. Iterations grow as
 * samples do, and what each costs; where roughness is asked for many go on to I_max, so that only the cost grows.
 */
static double expected_seconds(const struct path_jobs *jobs, int series, int size)
{
    const double power = path_series[series].distance ? 4 : 2.5; /* of the side */
    double factor = 1;

    for (int k = size; k >= 0; k--) {
        if (jobs->count[series][k] > 0)
            return factor * jobs->seconds[series][k] / jobs->count[series][k];
        if (k > 0)
            factor *= pow((double)jobs->study->side[k] / jobs->study->side[k - 1], power);
    }
    return (double)NAN;
}

/* The same of a series of which nothing is done: as the longest that is known. NaN: none is. */
static double expected_at_worst(const struct path_jobs *jobs, int series, int size)
{
    double seconds = expected_seconds(jobs, series, size);
    for (int k = 0; k < PATH_SERIES && jobs->count[series][0] == 0; k++)
        seconds = fmax(seconds, expected_seconds(jobs, k, size));
    return seconds;
}

/* Call with the lock. NaN: nobody knows yet. */
static double seconds_left(const struct path_jobs *jobs)
{
    const struct path_study *const study = jobs->study;
    double left = 0;

    for (int size = 0; size < study->sizes; size++)
        for (int series = 0; series < PATH_SERIES; series++)
            if (wanted(study, size, series))
                left += (study->terrains - jobs->count[series][size]) * expected_at_worst(jobs, series, size);
    return left / study->jobs;
}

static void time_text(double seconds, char *out, size_t bytes)
{
    if (!(seconds < 1e7))
        snprintf(out, bytes, "time left unknown");
    else if (seconds < 120)
        snprintf(out, bytes, "%.0f s left", seconds);
    else if (seconds < 7200)
        snprintf(out, bytes, "%.0f min left", seconds / 60);
    else
        snprintf(out, bytes, "%.1f h left", seconds / 3600);
}

/* Of the first thread that is at work. Call with the lock. */
static void tell_running(const struct path_jobs *jobs)
{
    char left[32];

    for (int k = 0; k < jobs->study->jobs; k++) {
        const struct path_slot *const slot = &jobs->slot[k];
        if (!atomic_load(&slot->busy))
            continue;
        const int side = jobs->study->side[atomic_load(&slot->size)];
        const double now = seconds_left(jobs);
        time_text(now, left, sizeof left);
        fprintf(stderr, "\r\033[K%d/%d  %d x %d, %s, terrain %d: %lld iterations, %s", jobs->done, jobs->all,
                side, side, path_series[atomic_load(&slot->series)].label, atomic_load(&slot->terrain) + 1,
                (long long)atomic_load(&slot->iterations), left);
        fflush(stderr);
        return;
    }
}

/* A line for each series and size, once all of its terrains are done. Call with the lock. */
static void tell_done(struct path_jobs *jobs)
{
    const struct path_study *const study = jobs->study;
    char left[32];

    for (int size = 0; size < study->sizes; size++)
        for (int series = 0; series < PATH_SERIES; series++) {
            double iterations = 0;
            if (jobs->told[series][size] || jobs->count[series][size] < study->terrains)
                continue;
            jobs->told[series][size] = true;
            for (int t = 0; t < study->terrains; t++)
                iterations += (double)study->of[series][size][t].relaxed.iterations;
            time_text(seconds_left(jobs), left, sizeof left);
            fprintf(stderr, "%s%d/%d  %d x %d, %s, %d terrains: %.1f iterations, %s\n",
                    isatty(STDERR_FILENO) ? "\r\033[K" : "", jobs->done, jobs->all, study->side[size],
                    study->side[size], path_series[series].label, study->terrains,
                    iterations / study->terrains, left);
        }
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

/* Until all threads have ended. Call with the lock. */
static int watch(struct path_jobs *jobs)
{
    double written = clock_seconds();
    int status = 0;

    while (jobs->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&jobs->news, &jobs->lock, &until);
        tell_done(jobs);
        if (isatty(STDERR_FILENO))
            tell_running(jobs);
        if (!jobs->fresh || clock_seconds() - written < 1)
            continue;
        jobs->fresh = false;
        if (status == 0)
            status = path_json_write(jobs->study, false);
        jobs->failed = jobs->failed || status != 0;
        written = clock_seconds();
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return status;
}

int path_jobs_run(struct path_study *study)
{
    static struct path_jobs jobs;
    pthread_t of[PATH_JOBS_MAX];
    int started = 0;

    jobs.study = study;
    pthread_mutex_init(&jobs.lock, NULL);
    pthread_cond_init(&jobs.news, NULL);
    for (int size = 0; size < study->sizes; size++)
        for (int series = 0; series < PATH_SERIES; series++)
            jobs.all += wanted(study, size, series) ? study->terrains : 0;
    if (path_json_write(study, false) != 0)
        return -1;
    pthread_mutex_lock(&jobs.lock); /* they begin once the main thread waits */
    while (started < study->jobs && pthread_create(&of[started], NULL, thread, &jobs) == 0)
        started++;
    jobs.running = started;
    jobs.failed = started == 0;
    if (jobs.failed)
        path_error("no thread can be started");
    const int status = watch(&jobs);
    pthread_mutex_unlock(&jobs.lock);
    for (int k = 0; k < started; k++)
        pthread_join(of[k], NULL);
    pthread_cond_destroy(&jobs.news);
    pthread_mutex_destroy(&jobs.lock);
    if (status != 0 || jobs.failed)
        return -1;
    return path_stopped();
}
