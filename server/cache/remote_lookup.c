/*
 * Lookups: a detached thread and who waits for it, with a reference each; the last one frees.
 */
#include "remote_lookup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct lookup {
    uv_mutex_t mutex; /* guards all but url */
    uv_cond_t done;
    struct remote_url url;
    struct line_place place;
    char error[LINE_ERROR_BYTES];
    enum lookup_answer answer;
    int references;
};

static void lookup_free(struct lookup *lookup)
{
    uv_cond_destroy(&lookup->done);
    uv_mutex_destroy(&lookup->mutex);
    free(lookup);
}

void lookup_end(struct lookup *lookup)
{
    if (!lookup)
        return;
    uv_mutex_lock(&lookup->mutex);
    const bool last = --lookup->references == 0;
    uv_mutex_unlock(&lookup->mutex);
    if (last)
        lookup_free(lookup);
}

static void *lookup_main(void *argument)
{
    struct lookup *const lookup = argument;
    struct line_place place;
    char error[LINE_ERROR_BYTES] = "";
    const bool found = line_find(&place, &lookup->url, error, sizeof error) == 0;

    uv_mutex_lock(&lookup->mutex);
    lookup->answer = found ? LOOKUP_FOUND : LOOKUP_FAILED;
    lookup->place = place;
    snprintf(lookup->error, sizeof lookup->error, "%s", error);
    uv_cond_broadcast(&lookup->done);
    uv_mutex_unlock(&lookup->mutex);
    lookup_end(lookup);
    return NULL;
}

struct lookup *lookup_start(const struct remote_url *url)
{
    struct lookup *const lookup = calloc(1, sizeof *lookup);
    pthread_attr_t detached;
    pthread_t thread;

    if (!lookup)
        return NULL;
    lookup->url = *url;
    lookup->references = 2;
    if (uv_mutex_init(&lookup->mutex) != 0) {
        free(lookup);
        return NULL;
    }
    if (uv_cond_init(&lookup->done) != 0) {
        uv_mutex_destroy(&lookup->mutex);
        free(lookup);
        return NULL;
    }
    bool started = pthread_attr_init(&detached) == 0;
    if (started) {
        started = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
                  pthread_create(&thread, &detached, lookup_main, lookup) == 0;
        pthread_attr_destroy(&detached);
    }
    if (started)
        return lookup;
    lookup_free(lookup);
    return NULL;
}

enum lookup_answer lookup_wait(struct lookup *lookup, uint64_t wait_ns, struct line_place *place, char *error,
                               size_t error_bytes)
{
    const uint64_t end_ns = uv_hrtime() + wait_ns;

    uv_mutex_lock(&lookup->mutex);
    for (uint64_t now_ns; lookup->answer == LOOKUP_WAIT && (now_ns = uv_hrtime()) < end_ns;)
        uv_cond_timedwait(&lookup->done, &lookup->mutex, end_ns - now_ns);
    const enum lookup_answer answer = lookup->answer;
    if (answer == LOOKUP_FOUND)
        *place = lookup->place;
    if (answer == LOOKUP_FAILED)
        snprintf(error, error_bytes, "%s", lookup->error);
    uv_mutex_unlock(&lookup->mutex);
    return answer;
}
