/*
 * The shared tier: what is asked of it, by threads that wait for the answer.
 *
 *  (1) A call ends by its deadline: it waits for a socket of its own, and for the mutex, which nobody holds while he
 *      waits.
 *  (2) A blob comes out when its entry was intact: of the key, of this format, with the checksum. What was not is
 *      deleted, by the keeper, and is a miss.
 *  (3) With the breaker open no call touches the network.
 */
#include "remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "../base/check.h"
#include "../observe/log.h"
#include "remote_state.h"

#define MS_NS  UINT64_C(1000000)
#define SAY_NS UINT64_C(60000000000) /* at most one line about damage in so long */

/*
 * ---- Opening and closing ------------------------------------------------------------------------------------------
 */

static bool token_make(char token[static REMOTE_TOKEN_BYTES])
{
    uint64_t random[2];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    snprintf(token, REMOTE_TOKEN_BYTES, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    return true;
}

static void remote_fill(struct remote *remote, const struct remote_options *options)
{
    CHECK(options->readers > 0 && options->timeout_ms > 0 && options->lease_ms > 0 && options->retry_ms > 0);
    remote_url_show(&remote->url, remote->shown, sizeof remote->shown);
    snprintf(remote->lease_ms[true], sizeof remote->lease_ms[true], "%u", options->lease_ms);
    snprintf(remote->lease_ms[false], sizeof remote->lease_ms[false], "%u", (options->lease_ms + 7) / 8);
    snprintf(remote->expire_s, sizeof remote->expire_s, "%" PRIu64, options->expire_s);
    remote->expires = options->expire_s > 0;
    remote->timeout_ns = options->timeout_ms * MS_NS;
    remote->retry_ns = options->retry_ms * MS_NS;
    remote->readers = options->readers;
    queue_init(&remote->queue, options->write_behind_bytes);
}

static bool remote_start(struct remote *remote)
{
    if (uv_mutex_init(&remote->mutex) != 0)
        return false;
    if (uv_cond_init(&remote->work) != 0)
        goto without_work;
    if (uv_cond_init(&remote->idle) != 0)
        goto without_idle;
    if (uv_thread_create(&remote->keeper, keeper_main, remote) == 0)
        return true;
    uv_cond_destroy(&remote->idle);
without_idle:
    uv_cond_destroy(&remote->work);
without_work:
    uv_mutex_destroy(&remote->mutex);
    return false;
}

struct remote *remote_open(const struct remote_options *options, char *error, size_t error_bytes)
{
    struct remote *const remote = calloc(1, sizeof *remote);

    snprintf(error, error_bytes, "memory is short");
    if (!remote)
        return NULL;
    if (remote_url_read(&remote->url, options->url, error, error_bytes) < 0)
        goto failed;
    if (remote->url.tls && !(remote->trust = line_trust_load(options->ca, error, error_bytes)))
        goto failed;
    remote_fill(remote, options);
    snprintf(error, error_bytes, "memory is short");
    remote->reader =
        aligned_alloc(_Alignof(struct remote_reader), (size_t)options->readers * sizeof *remote->reader);
    if (!remote->reader)
        goto failed;
    for (int i = 0; i < options->readers; i++)
        remote->reader[i].line = NULL;
    if (!token_make(remote->token)) {
        snprintf(error, error_bytes, "the system has no random numbers");
        goto failed;
    }
    if (remote_start(remote))
        return remote;
failed:
    line_trust_free(remote->trust);
    free(remote->reader);
    free(remote);
    return NULL;
}

void remote_close(struct remote *remote)
{
    if (!remote)
        return;
    uv_mutex_lock(&remote->mutex);
    remote->stop = true;
    remote->stop_ns = uv_hrtime() + remote->timeout_ns;
    uv_cond_broadcast(&remote->work);
    uv_mutex_unlock(&remote->mutex);
    uv_thread_join(&remote->keeper);
    for (int i = 0; i < remote->readers; i++)
        line_close(remote->reader[i].line);
    queue_purge(&remote->queue, true, 0);
    uv_cond_destroy(&remote->idle);
    uv_cond_destroy(&remote->work);
    uv_mutex_destroy(&remote->mutex);
    line_trust_free(remote->trust);
    free(remote->reader);
    free(remote);
}

/*
 * ---- Asking -------------------------------------------------------------------------------------------------------
 */

bool remote_is_well(const struct remote *remote)
{
    return atomic_load_explicit(&remote->well, memory_order_relaxed);
}

static struct line **reader_line(struct remote *remote, int reader)
{
    CHECK(reader >= 0 && reader < remote->readers);
    return &remote->reader[reader].line;
}

static void remote_damage(struct remote *remote, const struct digest *key, const char *what)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t said_ns = atomic_load_explicit(&remote->said_damage_ns, memory_order_relaxed);
    char text[REMOTE_KEY_BYTES];

    remote_count(&remote->damaged, 1);
    keeper_add_chore(remote, key, CHORE_DELETE);
    remote_key(text, key, false);
    if ((said_ns == 0 || now_ns - said_ns > SAY_NS) &&
        atomic_compare_exchange_strong(&remote->said_damage_ns, &said_ns, now_ns))
        log_write(LOG_WARNING, "cache", "the shared tier %s: %s %s; it is deleted, and made again",
                  remote->shown, text, what);
}

/* The blob of an answer to GET, with whose bytes it goes; NULL: there is none, or it was damaged, or refused. */
static struct blob *remote_take(struct remote *remote, const struct digest *key, redisReply *reply)
{
    struct blob_info info;
    uint64_t world;

    if (reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "WRONGTYPE", 9) != 0) {
        remote_refusal(remote, reply);
        return NULL;
    }
    if (reply->type == REDIS_REPLY_NIL)
        return NULL;
    if (reply->type != REDIS_REPLY_STRING ||
        !entry_check((const unsigned char *)reply->str, reply->len, key, &info, &world)) {
        remote_damage(remote, key, "is damaged");
        return NULL;
    }
    const size_t bytes = reply->len - ENTRY_HEADER_BYTES;
    unsigned char *const data = (unsigned char *)reply->str;
    memmove(data, data + ENTRY_HEADER_BYTES, bytes);
    reply->str = NULL; /* malloc'ed by the line */
    struct blob *const blob = blob_create(key, &info, data, bytes);
    if (blob) {
        blob->world = world;
        remote_count(&remote->bytes_in, bytes);
    }
    return blob;
}

/* Until when an answer that may be of so many bytes is waited for. */
static uint64_t reader_deadline_ns(const struct remote *remote, size_t bytes)
{
    const size_t large = bytes < (size_t)REMOTE_LARGE_BYTES ? bytes : (size_t)REMOTE_LARGE_BYTES;
    return uv_hrtime() + remote->timeout_ns + large / REMOTE_BYTES_A_MS * MS_NS;
}

struct blob *remote_get(struct remote *remote, int reader, const struct digest *key, size_t bytes)
{
    struct line **const line = reader_line(remote, reader);
    char text[REMOTE_KEY_BYTES];
    redisReply *reply;

    if (!remote_is_well(remote))
        return NULL;
    remote_key(text, key, false);
    const struct remote_command command = {{LINE_WORD("GET"), LINE_WORD(text)}, 2};
    const enum line_fault fault =
        remote_exchange(remote, line, &command, 1, &reply, reader_deadline_ns(remote, bytes), NULL);
    struct blob *const blob = fault == LINE_FINE ? remote_take(remote, key, reply) : NULL;
    if (fault == LINE_TOO_LONG)
        remote_damage(remote, key, "is larger than any entry");
    remote_count(blob ? &remote->hits : &remote->misses, 1);
    remote_free_replies(&reply, 1);
    return blob;
}

void remote_reject(struct remote *remote, const struct digest *key)
{
    remote_damage(remote, key, "does not fit what it is for");
}

/* Whether a lease that is taken is one that we took ourselves, when the store did the command and we did not hear of it. */
static bool lease_is_ours(struct remote *remote, int reader, const char *lease, uint64_t deadline_ns)
{
    const struct remote_command command = {{LINE_WORD("GET"), LINE_WORD(lease)}, 2};
    redisReply *reply;

    if (remote_exchange(remote, reader_line(remote, reader), &command, 1, &reply, deadline_ns, NULL) !=
        LINE_FINE)
        return false;
    const bool ours = remote_is_token(remote, reply);
    remote_free_replies(&reply, 1);
    return ours;
}

/* The lease first: were it the entry first, somebody could store it and give his lease back between the two. */
static enum remote_lease lease_ask(struct remote *remote, int reader, const struct digest *key,
                                   const struct remote_want *want, struct blob **blob)
{
    char entry[REMOTE_KEY_BYTES], lease[REMOTE_KEY_BYTES];
    redisReply *reply[2];

    remote_key(entry, key, false);
    remote_key(lease, key, true);
    const struct remote_command command[] = {
        {{LINE_WORD("SET"), LINE_WORD(lease), LINE_WORD(remote->token), LINE_WORD("NX"), LINE_WORD("PX"),
          LINE_WORD(remote->lease_ms[want->urgent])},
         6},
        {{LINE_WORD("GET"), LINE_WORD(entry)}, 2}};
    const uint64_t deadline_ns = reader_deadline_ns(remote, want->bytes);
    bool twice;
    const enum line_fault fault =
        remote_exchange(remote, reader_line(remote, reader), command, 2, reply, deadline_ns, &twice);
    if (fault != LINE_FINE) {
        if (fault == LINE_TOO_LONG)
            remote_damage(remote, key, "is larger than any entry");
        return LEASE_NONE;
    }
    const bool theirs = reply[0]->type == REDIS_REPLY_NIL;
    bool ours = reply[0]->type == REDIS_REPLY_STATUS;
    if (!ours && !theirs)
        remote_refusal(remote, reply[0]);
    *blob = remote_take(remote, key, reply[1]);
    remote_free_replies(reply, 2);
    if (!*blob && theirs && twice)
        ours = lease_is_ours(remote, reader, lease, deadline_ns);
    if (*blob && ours)
        remote_release(remote, key);
    if (*blob)
        return LEASE_FOUND;
    return ours ? LEASE_OURS : theirs ? LEASE_THEIRS : LEASE_NONE;
}

enum remote_lease remote_lease(struct remote *remote, int reader, const struct digest *key,
                               const struct remote_want *want, struct blob **blob)
{
    *blob = NULL;
    const enum remote_lease answer =
        remote_is_well(remote) ? lease_ask(remote, reader, key, want, blob) : LEASE_NONE;
    remote_count(&remote->leases[answer], 1);
    return answer;
}

/*
 * ---- Telling ------------------------------------------------------------------------------------------------------
 */

void remote_put(struct remote *remote, struct blob *blob, bool leased)
{
    if (!remote_is_well(remote)) {
        remote_count(&remote->dropped, 1);
        return;
    }
    uv_mutex_lock(&remote->mutex);
    const enum queue_answer answer =
        entry_fits(blob) ? queue_add(&remote->queue, blob, uv_hrtime()) : QUEUE_FULL;
    if (answer == QUEUE_FULL || answer == QUEUE_MEMORY)
        remote_count(&remote->dropped, 1);
    /*
     * Where the blob is dropped, others need not wait for it. Where it waits already, it is among those that were
     * taken.
     */
    if (leased && remote->chores < REMOTE_CHORES)
        remote->chore[remote->chores++] =
            (struct chore){.key = blob->key,
                           .kind = CHORE_RELEASE,
                           .after = answer == QUEUE_ADDED || answer == QUEUE_KNOWN ? remote->queue.taken : 0};
    uv_cond_signal(&remote->work);
    uv_mutex_unlock(&remote->mutex);
}

void remote_release(struct remote *remote, const struct digest *key)
{
    keeper_add_chore(remote, key, CHORE_RELEASE);
}

void remote_flush(struct remote *remote)
{
    uv_mutex_lock(&remote->mutex);
    while (remote_is_well(remote) && (remote->working || remote->queue.count > 0 || remote->chores > 0))
        uv_cond_wait(&remote->idle, &remote->mutex);
    uv_mutex_unlock(&remote->mutex);
}

void remote_stats(const struct remote *remote, struct remote_stats *out)
{
    const struct {
        const _Atomic uint64_t *from;
        uint64_t *to;
    } pairs[] = {{&remote->hits, &out->hits},           {&remote->misses, &out->misses},
                 {&remote->stores, &out->stores},       {&remote->dropped, &out->dropped},
                 {&remote->damaged, &out->damaged},     {&remote->errors, &out->errors},
                 {&remote->refused, &out->refused},     {&remote->leases[0], &out->leases[0]},
                 {&remote->leases[1], &out->leases[1]}, {&remote->leases[2], &out->leases[2]},
                 {&remote->leases[3], &out->leases[3]}, {&remote->opened, &out->opened},
                 {&remote->bytes_in, &out->bytes_in},   {&remote->bytes_out, &out->bytes_out}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        *pairs[i].to = atomic_load_explicit(pairs[i].from, memory_order_relaxed);
    out->open = !remote_is_well(remote);
}
