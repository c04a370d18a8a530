/*
 * The keeper: the thread that stores entries, returns leases, deletes damaged entries, and retries a failed store.
 *
 *  (1) Blobs stay in the queue until they are stored or given up: there they can be found, and are counted. Nothing
 *      is tried twice: a lost entry is made again.
 *  (2) A lease is read before it is deleted, since it may have expired and be another node's. It may still expire
 *      between reading and deleting, which costs one more render somewhere. A script in the store would close that
 *      gap, but needs a permission that stores seldom give.
 *  (3) The mutex is never held while the network is waited for.
 *  (4) While the breaker is open nothing is queued for longer than until the next attempt.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../observe/log.h"
#include "remote_parts.h"

enum { ROUND_BLOBS = 16, ROUND_BYTES = 1 << 20, UNSTORED_MAX = 8 };
#define SAY_NS UINT64_C(60000000000) /* at most one line about what is not stored in so long */
#define NAP_NS UINT64_C(50000000)    /* between looks for stop while a name is looked up */
#define MS_NS  UINT64_C(1000000)

_Static_assert((int)ROUND_BLOBS <= (int)REMOTE_COMMANDS, "a round goes at once");

struct round {
    struct chore chore[REMOTE_COMMANDS];
    struct blob *blob[ROUND_BLOBS];
    size_t chores, blobs;
};

/* Deadlines are capped by remote_close's. Large entries have longer. */
static uint64_t keeper_deadline_ns(struct remote *remote, size_t bytes)
{
    uint64_t deadline_ns = uv_hrtime() + remote->timeout_ns + bytes / REMOTE_BYTES_A_MS * MS_NS;

    uv_mutex_lock(&remote->mutex);
    if (remote->stop && deadline_ns > remote->stop_ns)
        deadline_ns = remote->stop_ns;
    uv_mutex_unlock(&remote->mutex);
    return deadline_ns;
}

/* Under the mutex. */
static void keeper_drop_all(struct remote *remote)
{
    remote_count(&remote->dropped, queue_purge(&remote->queue, true, 0));
    remote->chores = 0;
    uv_cond_broadcast(&remote->idle);
}

/*
 * ---- Lookups ------------------------------------------------------------------------------------------------------
 */

/*
 * Asynchronous lookup of a store's name: resolvers may take half a minute, and cannot be cancelled. A separate
 * thread does it, and is abandoned when there is no more time. It has a reference, and so does the waiter: the last
 * one frees.
 */
enum lookup_answer { LOOKUP_WAIT, LOOKUP_FOUND, LOOKUP_FAILED };

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

/* Ends it, or leaves it to end by itself. Does not wait. NULL is fine. */
static void lookup_end(struct lookup *lookup)
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

/* Begins. Copies the URL. Owned; NULL where memory or threads are short. */
static struct lookup *lookup_start(const struct remote_url *url)
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

/* Waits for wait_ns at most. Found: place is filled; failed: one line in error. */
static enum lookup_answer lookup_wait(struct lookup *lookup, uint64_t wait_ns, struct line_place *place,
                                      char *error, size_t error_bytes)
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

/*
 * ---- The breaker is open ------------------------------------------------------------------------------------------
 */

/* Waits until it is time to try. False: to stop. */
static bool keeper_rest(struct remote *remote)
{
    const uint64_t end_ns = uv_hrtime() + (remote->retry_ns << atomic_load(&remote->flaps));

    uv_mutex_lock(&remote->mutex);
    keeper_drop_all(remote);
    for (uint64_t now_ns; !remote->stop && (now_ns = uv_hrtime()) < end_ns;)
        uv_cond_timedwait(&remote->work, &remote->mutex, end_ns - now_ns);
    keeper_drop_all(remote);
    const bool goes_on = !remote->stop;
    uv_mutex_unlock(&remote->mutex);
    return goes_on;
}

static bool keeper_is_stopped(struct remote *remote)
{
    uv_mutex_lock(&remote->mutex);
    const bool stop = remote->stop;
    uv_mutex_unlock(&remote->mutex);
    return stop;
}

/* Looks the store's name up. A lookup that takes longer than this attempt goes on beside the next one. */
static bool keeper_find(struct remote *remote, char *error, size_t error_bytes)
{
    const uint64_t end_ns = uv_hrtime() + remote->timeout_ns + remote->retry_ns;
    struct line_place place;
    enum lookup_answer answer = LOOKUP_WAIT;

    if (!remote->lookup && !(remote->lookup = lookup_start(&remote->url))) {
        snprintf(error, error_bytes, "memory is short");
        return false;
    }
    while (answer == LOOKUP_WAIT && uv_hrtime() < end_ns && !keeper_is_stopped(remote))
        answer = lookup_wait(remote->lookup, NAP_NS, &place, error, error_bytes);
    if (answer == LOOKUP_WAIT) {
        snprintf(error, error_bytes, "looking its name up takes too long");
        return false;
    }
    lookup_end(remote->lookup);
    remote->lookup = NULL;
    if (answer == LOOKUP_FAILED)
        return false;
    uv_mutex_lock(&remote->mutex);
    remote->place = place;
    uv_mutex_unlock(&remote->mutex);
    return true;
}

/* True if the store answers. An error is an answer unless it means that the store is unwell. */
static bool keeper_ping(struct remote *remote, char *error, size_t error_bytes)
{
    const struct line_word ping[] = {LINE_WORD("PING")};
    const uint64_t deadline_ns = keeper_deadline_ns(remote, 0);

    line_close(remote->line);
    remote->line = line_open(&remote->url, &remote->place, remote->trust, deadline_ns, error, error_bytes);
    if (!remote->line)
        return false;
    redisReply *const reply = line_call(remote->line, ping, 1, deadline_ns);
    if (!reply) {
        snprintf(error, error_bytes, "%s", line_error(remote->line));
        return false;
    }
    const bool well = !remote_is_unwell(reply);
    line_clean(error, error_bytes, reply);
    freeReplyObject(reply);
    return well;
}

/* The store has answered. */
static void breaker_close(struct remote *remote)
{
    atomic_store(&remote->failures, 0);
    atomic_store(&remote->closed_ns, uv_hrtime());
    atomic_store(&remote->well, true);
    log_write(LOG_INFO, "cache", "the shared tier %s answers", remote->shown);
}

static void keeper_try(struct remote *remote)
{
    char error[LINE_ERROR_BYTES] = "";

    if (keeper_find(remote, error, sizeof error) && keeper_ping(remote, error, sizeof error)) {
        remote->met = true;
        remote->unstored = 0;
        breaker_close(remote);
        return;
    }
    if (keeper_is_stopped(remote))
        return;
    remote_count(&remote->errors, 1);
    if (remote->met)
        return;
    remote->met = true;
    remote_count(&remote->opened, 1);
    log_write(LOG_WARNING, "cache",
              "the shared tier %s cannot be used (%s): going without it until it answers", remote->shown,
              error);
}

/*
 * ---- The breaker is closed ----------------------------------------------------------------------------------------
 */

/* Under the mutex: takes chores whose blobs are stored, oldest first. */
static void round_take_chores(struct remote *remote, struct round *round)
{
    size_t kept = 0;

    round->chores = 0;
    for (size_t i = 0; i < remote->chores; i++) {
        const struct chore chore = remote->chore[i];

        if (round->chores < REMOTE_COMMANDS && queue_is_past(&remote->queue, chore.after))
            round->chore[round->chores++] = chore;
        else
            remote->chore[kept++] = chore;
    }
    remote->chores = kept;
}

/* Waits for work. False: to stop, or the breaker has opened. */
static bool keeper_take(struct remote *remote, struct round *round)
{
    uv_mutex_lock(&remote->mutex);
    remote->working = false;
    uv_cond_broadcast(&remote->idle);
    while (!remote->stop && atomic_load(&remote->well) && remote->queue.count == 0 && remote->chores == 0)
        uv_cond_wait(&remote->work, &remote->mutex);
    const bool nothing = remote->queue.count == 0 && remote->chores == 0;
    const bool late = remote->stop && (nothing || uv_hrtime() >= remote->stop_ns);
    const bool goes_on = !late && atomic_load(&remote->well);
    if (goes_on) {
        round_take_chores(remote, round);
        round->blobs = queue_peek(&remote->queue, round->blob, ROUND_BLOBS, ROUND_BYTES);
        remote->working = true;
    }
    uv_mutex_unlock(&remote->mutex);
    return goes_on;
}

/* Deletes the leases that are ours, by the replies to GET. */
static void keeper_delete_leases(struct remote *remote, const struct round *round, redisReply *const *replies)
{
    char key[REMOTE_COMMANDS][REMOTE_KEY_BYTES];
    struct remote_command command[REMOTE_COMMANDS];
    redisReply *answers[REMOTE_COMMANDS];
    size_t count = 0;

    for (size_t i = 0; i < round->chores; i++) {
        if (round->chore[i].kind != CHORE_RELEASE || !remote_is_token(remote, replies[i]))
            continue;
        remote_key(key[count], &round->chore[i].key, true);
        command[count] = (struct remote_command){{LINE_WORD("DEL"), LINE_WORD(key[count])}, 2};
        count++;
    }
    if (count == 0 || remote_exchange(remote, &remote->line, command, count, answers,
                                      keeper_deadline_ns(remote, 0), NULL) != LINE_FINE)
        return;
    for (size_t i = 0; i < count; i++)
        if (answers[i]->type == REDIS_REPLY_ERROR)
            remote_refusal(remote, answers[i]);
    remote_free_replies(answers, count);
}

static void keeper_do_chores(struct remote *remote, const struct round *round)
{
    char key[REMOTE_COMMANDS][REMOTE_KEY_BYTES];
    struct remote_command command[REMOTE_COMMANDS];
    redisReply *replies[REMOTE_COMMANDS];

    if (round->chores == 0)
        return;
    for (size_t i = 0; i < round->chores; i++) {
        const bool lease = round->chore[i].kind == CHORE_RELEASE;

        remote_key(key[i], &round->chore[i].key, lease);
        command[i] = (struct remote_command){{LINE_WORD(lease ? "GET" : "UNLINK"), LINE_WORD(key[i])}, 2};
    }
    if (remote_exchange(remote, &remote->line, command, round->chores, replies, keeper_deadline_ns(remote, 0),
                        NULL) != LINE_FINE)
        return;
    for (size_t i = 0; i < round->chores; i++)
        if (replies[i]->type == REDIS_REPLY_ERROR)
            remote_refusal(remote, replies[i]);
    keeper_delete_leases(remote, round, replies);
    remote_free_replies(replies, round->chores);
}

/* Logs lost stores: a store that answers but takes nothing (too little bandwidth, or blocked writes) opens no breaker. */
static void keeper_say_lost(struct remote *remote)
{
    const uint64_t now_ns = uv_hrtime();

    if (++remote->unstored < UNSTORED_MAX ||
        (remote->said_lost_ns != 0 && now_ns - remote->said_lost_ns < SAY_NS))
        return;
    remote->said_lost_ns = now_ns;
    log_write(LOG_WARNING, "cache",
              "the shared tier %s answers, and takes nothing in its time: what is made stays here",
              remote->shown);
}

static void keeper_store(struct remote *remote, const struct round *round)
{
    char key[ROUND_BLOBS][REMOTE_KEY_BYTES];
    unsigned char header[ROUND_BLOBS][ENTRY_HEADER_MAX];
    struct remote_command command[ROUND_BLOBS];
    redisReply *replies[ROUND_BLOBS];
    size_t bytes = 0;

    if (round->blobs == 0)
        return;
    for (size_t i = 0; i < round->blobs; i++) {
        const struct blob *const blob = round->blob[i];
        const struct line_word entry = {header[i], entry_header_bytes(&blob->info), blob->data, blob->bytes};

        remote_key(key[i], &blob->key, false);
        entry_pack_header(header[i], blob);
        command[i] = (struct remote_command){
            {LINE_WORD("SET"), LINE_WORD(key[i]), entry, LINE_WORD("EX"), LINE_WORD(remote->expire_s)},
            remote->expires ? 5 : 3};
        bytes += blob->bytes;
    }
    if (remote_exchange(remote, &remote->line, command, round->blobs, replies,
                        keeper_deadline_ns(remote, bytes), NULL) != LINE_FINE) {
        remote_count(&remote->dropped, round->blobs);
        keeper_say_lost(remote);
        return;
    }
    remote->unstored = 0;
    for (size_t i = 0; i < round->blobs; i++) {
        if (replies[i]->type == REDIS_REPLY_STATUS) {
            remote_count(&remote->stores, 1);
            remote_count(&remote->bytes_out, round->blob[i]->bytes);
        } else {
            remote_count(&remote->dropped, 1);
            remote_refusal(remote, replies[i]);
        }
    }
    remote_free_replies(replies, round->blobs);
}

void keeper_main(void *argument)
{
    struct remote *const remote = argument;
    struct round round;

    keeper_try(remote);
    for (;;) {
        if (keeper_take(remote, &round)) {
            keeper_do_chores(remote, &round);
            keeper_store(remote, &round);
            uv_mutex_lock(&remote->mutex);
            queue_remove(&remote->queue, round.blobs);
            uv_mutex_unlock(&remote->mutex);
        } else if (atomic_load(&remote->well) || !keeper_rest(remote)) {
            break;
        } else {
            keeper_try(remote);
        }
    }
    line_close(remote->line);
    lookup_end(remote->lookup);
}
