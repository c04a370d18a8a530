/*
 * The tier says by its counters alone what became of what was put: as many stores as puts, and all are there. Where there are
 * fewer, nobody knows which, so all are put again: at most PENDING_MAX.
 */
#include "seed_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/text.h"
#include "seed_store.h"

#define MS UINT64_C(1000000)

enum {
    PENDING_MAX = 256,            /* tiles between two settlings */
    PENDING_BYTES_MAX = 16 << 20, /* and their payload, but for the last */
    QUEUE_BYTES = 1 << 30,        /* of the tier's own queue: more than is ever put */
    TIMEOUT_MS = 2000,
    RETRY_MS = 200,
    PAUSE_MS = 10,
    LOOK_FIRST_MS = 100, /* the tier may be about to reach it */
    LOOK_MS = 1000,
    LOOKS_MAX = 3,    /* whether all are there: a store that evicts never has them */
    REFUSALS_MAX = 4, /* in a row, by a store that is there: it is full, or forbids it */
    PLACE_BYTES = 512,
};

struct seed_shared {
    struct remote *remote;
    double patience_s;
    bool (*stopped)(void);
    bool was_stopped;
    struct remote_url url; /* with its secrets */
    struct line_trust *trust;
    uint64_t evicted; /* by the store, when this began */
    struct blob *pending[PENDING_MAX];
    size_t count, bytes; /* of those */
    int64_t stored;
    uint64_t stored_bytes;
    char place[PLACE_BYTES];
};

/* ---- Looking at the store itself ----------------------------------------------------------------------- */

/* Beside the tier, which keeps to itself why it cannot reach the store. */
static enum seed_store_answer reach(const struct seed_shared *shared, struct line **line,
                                    char why[LINE_ERROR_BYTES])
{
    snprintf(why, LINE_ERROR_BYTES, "does not answer");
    return seed_store_reach(line, &shared->url, shared->trust, uv_hrtime() + TIMEOUT_MS * MS, why);
}

/* evicted_keys of INFO; 0 where it cannot be had. */
static uint64_t count_evicted(const struct seed_shared *shared)
{
    static const char name[] = "\nevicted_keys:";
    char why[LINE_ERROR_BYTES];
    struct line *line;
    uint64_t count = 0;
    if (reach(shared, &line, why) != STORE_REACHED)
        return 0;
    redisReply *reply = line_call(line, (struct line_word[]){LINE_WORD("INFO"), LINE_WORD("stats")}, 2,
                                  uv_hrtime() + TIMEOUT_MS * MS);
    const char *at = reply && reply->type == REDIS_REPLY_STRING ? strstr(reply->str, name) : NULL;
    if (at)
        count = strtoull(at + strlen(name), NULL, 10);
    if (reply)
        freeReplyObject(reply);
    line_close(line);
    return count;
}

/* Whether the store would have another name or password; then error says so. why: of anything else. */
static bool is_forbidden(const struct seed_shared *shared, char why[LINE_ERROR_BYTES],
                         char error[SEED_SHARED_ERROR_BYTES])
{
    struct line *line;
    const enum seed_store_answer answer = reach(shared, &line, why);
    line_close(line);
    if (answer == STORE_FORBIDS)
        text_print(error, SEED_SHARED_ERROR_BYTES, "%.*s: %.240s", text_cut(shared->place, 240),
                   shared->place, why);
    return answer == STORE_FORBIDS;
}

/* Waits until the store is there. 0; or -1: it lets nobody in, or patience has ended, or the run. */
static int wait_for_store(struct seed_shared *shared, char error[SEED_SHARED_ERROR_BYTES])
{
    const uint64_t begun_ns = uv_hrtime();
    uint64_t look_ns = begun_ns + LOOK_FIRST_MS * MS;
    char why[LINE_ERROR_BYTES] = "does not answer";
    while (!remote_is_well(shared->remote)) {
        const double waited_s = (double)(uv_hrtime() - begun_ns) / 1e9;
        shared->was_stopped = shared->stopped();
        const bool ends = waited_s >= shared->patience_s || shared->was_stopped;
        if (!shared->was_stopped && (ends || uv_hrtime() >= look_ns)) {
            if (is_forbidden(shared, why, error))
                return -1;
            look_ns = uv_hrtime() + LOOK_MS * MS;
        }
        if (ends) {
            text_print(error, SEED_SHARED_ERROR_BYTES, "%.*s: %.240s; given up after %.0f s",
                       text_cut(shared->place, 200), shared->place, why, waited_s);
            return -1;
        }
        uv_sleep(PAUSE_MS);
    }
    return 0;
}

/* ---- Opening and closing ------------------------------------------------------------------------------- */

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
    char why[LINE_ERROR_BYTES];
    struct seed_shared *shared = calloc(1, sizeof *shared);
    snprintf(error, SEED_SHARED_ERROR_BYTES, "out of memory");
    if (!shared)
        return NULL;
    shared->patience_s = options->patience_s;
    shared->stopped = options->stopped;
    shared->remote = remote_open(&tier, error, SEED_SHARED_ERROR_BYTES);
    if (shared->remote && remote_url_read(&shared->url, options->url, error, SEED_SHARED_ERROR_BYTES) == 0 &&
        (!shared->url.tls ||
         (shared->trust = line_trust_load(options->ca, error, SEED_SHARED_ERROR_BYTES)))) {
        remote_url_show(&shared->url, shared->place, sizeof shared->place);
        if (wait_for_store(shared, error) == 0 && !is_forbidden(shared, why, error)) {
            shared->evicted = count_evicted(shared);
            return shared;
        }
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
               ? seed_shared_commit(shared, error)
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

/* Whether the store has them now. */
static bool has_all(struct seed_shared *shared)
{
    for (size_t i = 0; i < shared->count; i++)
        if (!seed_shared_has(shared, &shared->pending[i]->key))
            return false;
    return true;
}

int seed_shared_commit(struct seed_shared *shared, char error[SEED_SHARED_ERROR_BYTES])
{
    uint64_t refused, failed_ns = 0; /* since when tries have failed */
    int refusals = 0, looks = 0;
    bool again =
        false; /* then what was counted may be an earlier try's, which the store has lost: it is looked at */
    if (shared->count == 0)
        return 0;
    while (!put_all(shared, &refused) || (again && looks++ < LOOKS_MAX && !has_all(shared))) {
        again = true;
        refusals += refused > 0;
        if (refusals == REFUSALS_MAX) {
            text_print(
                error, SEED_SHARED_ERROR_BYTES,
                "%.*s: takes no tiles: it is full, or forbids it; the line above says what it answered",
                text_cut(shared->place, 400), shared->place);
            return -1;
        }
        failed_ns = failed_ns ? failed_ns : uv_hrtime();
        const double tried_s = (double)(uv_hrtime() - failed_ns) / 1e9;
        if (shared->patience_s > 0 && tried_s >= shared->patience_s) {
            text_print(error, SEED_SHARED_ERROR_BYTES,
                       "%.*s: answers, but takes no tiles in time; given up after %.0f s",
                       text_cut(shared->place, 400), shared->place, tried_s);
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

bool seed_shared_was_stopped(const struct seed_shared *shared)
{
    return shared->was_stopped;
}

/* A store that has restarted counts from 0. */
uint64_t seed_shared_evicted(const struct seed_shared *shared)
{
    const uint64_t now = count_evicted(shared);
    return now >= shared->evicted ? now - shared->evicted : now;
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
    line_trust_free(shared->trust);
    explicit_bzero(&shared->url, sizeof shared->url);
    free(shared);
}
