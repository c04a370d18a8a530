/*
 * The tier says by its counters alone what became of what was put: as many stores as puts, and all are there. Where there are
 * fewer, nobody knows which, so all are put again: at most PENDING_MAX.
 */
#include "seed_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../cache/remote_url.h"

#define MS UINT64_C(1000000)

enum {
    PENDING_MAX = 256,            /* tiles between two settlings */
    PENDING_BYTES_MAX = 16 << 20, /* and their payload, but for the last */
    QUEUE_BYTES = 1 << 30,        /* of the tier's own queue: more than is ever put */
    TIMEOUT_MS = 2000,
    RETRY_MS = 200,
    LOOK_MS = 10,
    REFUSALS_MAX = 4, /* in a row, by a store that is there: it is full, or forbids it */
    PLACE_BYTES = 512,
};

struct seed_shared {
    struct remote *remote;
    double patience_s;
    bool (*stopped)(void);
    struct blob *pending[PENDING_MAX];
    size_t count, bytes; /* of those */
    int64_t stored;
    uint64_t stored_bytes;
    char place[PLACE_BYTES];
};

/* Waits until the store is there. 0; or -1: patience has ended, or the run. */
static int wait_for_store(const struct seed_shared *shared, char error[SEED_SHARED_ERROR_BYTES])
{
    const uint64_t begun_ns = uv_hrtime();
    while (!remote_is_well(shared->remote)) {
        const double waited_s = (double)(uv_hrtime() - begun_ns) / 1e9;
        if (waited_s >= shared->patience_s || shared->stopped()) {
            snprintf(error, SEED_SHARED_ERROR_BYTES, "%.400s: does not answer; given up after %.0f s",
                     shared->place, waited_s);
            return -1;
        }
        uv_sleep(LOOK_MS);
    }
    return 0;
}

struct seed_shared *seed_shared_open(const struct seed_shared_options *options,
                                     char error[SEED_SHARED_ERROR_BYTES])
{
    const struct remote_options tier = {.url = options->url,
                                        .ca = options->ca,
                                        .expire_s = options->expire_s,
                                        .timeout_ms = TIMEOUT_MS,
                                        .lease_ms = TIMEOUT_MS,
                                        .retry_ms = RETRY_MS,
                                        .write_behind_bytes = QUEUE_BYTES,
                                        .readers = 1};
    struct remote_url url;
    struct seed_shared *shared = calloc(1, sizeof *shared);
    snprintf(error, SEED_SHARED_ERROR_BYTES, "out of memory");
    if (!shared)
        return NULL;
    shared->patience_s = options->patience_s;
    shared->stopped = options->stopped;
    shared->remote = remote_open(&tier, error, SEED_SHARED_ERROR_BYTES);
    if (shared->remote && remote_url_read(&url, options->url, error, SEED_SHARED_ERROR_BYTES) == 0) {
        remote_url_show(&url, shared->place, sizeof shared->place);
        explicit_bzero(&url, sizeof url);
        if (wait_for_store(shared, error) == 0)
            return shared;
    }
    seed_shared_close(shared);
    return NULL;
}

bool seed_shared_has(struct seed_shared *shared, const struct digest *digest)
{
    struct blob *blob = remote_get(shared->remote, 0, digest, 0);
    const bool has = blob;
    blob_release(blob);
    return has;
}

int seed_shared_put(struct seed_shared *shared, struct blob *blob, char error[SEED_SHARED_ERROR_BYTES])
{
    shared->pending[shared->count++] = blob_hold(blob);
    shared->bytes += blob->bytes;
    return shared->count == PENDING_MAX || shared->bytes >= PENDING_BYTES_MAX
               ? seed_shared_settle(shared, error)
               : 0;
}

static void forget_pending(struct seed_shared *shared)
{
    for (size_t i = 0; i < shared->count; i++)
        blob_release(shared->pending[i]);
    shared->count = shared->bytes = 0;
}

/* Puts all; whether the store took them. */
static bool put_all(const struct seed_shared *shared, uint64_t *refused)
{
    struct remote_stats before, after;
    remote_stats(shared->remote, &before);
    for (size_t i = 0; i < shared->count; i++)
        remote_put(shared->remote, shared->pending[i], false);
    remote_flush(shared->remote);
    remote_stats(shared->remote, &after);
    *refused = after.refused - before.refused;
    return after.stores - before.stores == shared->count;
}

int seed_shared_settle(struct seed_shared *shared, char error[SEED_SHARED_ERROR_BYTES])
{
    uint64_t refused;
    int refusals = 0;
    if (shared->count == 0)
        return 0;
    while (!put_all(shared, &refused)) {
        refusals += refused > 0;
        if (refusals == REFUSALS_MAX) {
            snprintf(
                error, SEED_SHARED_ERROR_BYTES,
                "%.400s: takes no tiles: it is full, or forbids it; the line above says what it answered",
                shared->place);
            return -1;
        }
        uv_sleep(RETRY_MS);
        if (wait_for_store(shared, error) != 0)
            return -1;
    }
    shared->stored += (int64_t)shared->count;
    shared->stored_bytes += shared->bytes;
    forget_pending(shared);
    return 0;
}

void seed_shared_stored(const struct seed_shared *shared, int64_t *tiles, uint64_t *bytes)
{
    *tiles = shared->stored;
    *bytes = shared->stored_bytes;
}

const char *seed_shared_place(const struct seed_shared *shared)
{
    return shared->place;
}

void seed_shared_close(struct seed_shared *shared)
{
    if (!shared)
        return;
    forget_pending(shared);
    remote_close(shared->remote);
    free(shared);
}
