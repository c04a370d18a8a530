/*
 * The shared tier: requests by threads that wait for the answer.
 *
 *  (1) A call ends by its deadline: it waits for a socket of its own, and for the mutex, which no thread holds while it
 *      waits.
 *  (2) A blob is returned only if its entry was intact: of the key, of this format, with the right checksum. A damaged
 *      one is a miss, and the keeper deletes it.
 *
 * The breaker decides whether the store is asked at all:
 *
 *                    the keeper's PING is answered
 *     (start) ► OPEN ─────────────────────────────► CLOSED
 *                ▲                                    │
 *                └────────────────────────────────────┘
 *       some failures in a row, or more than one in four, over all threads; or the store reports that it is unwell
 *
 *  (3) Open: no call touches the network, the queue is dropped, and only the keeper tries, every retry_ms; less often
 *      if the store answers a PING and then keeps failing.
 *  (4) A failure is a missed deadline, a broken connection or an invalid reply. A refusal by the store is an answer.
 *  (5) The log has one line when it opens, with the cause, and one when it closes.
 */
#include "remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "../base/check.h"
#include "../observe/log.h"
#include "remote_parts.h"

#define MS_NS   UINT64_C(1000000)
#define SAY_NS  UINT64_C(60000000000) /* at most one line about damage, and one about refusals, in so long */
#define FLAP_NS UINT64_C(10000000000) /* opening again so soon after closing is a flap */

enum { FAILURES = 3, FLAPS_MAX = 2, WEIGHT = 3 /* of a failure; a success takes one away */ };

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
 * ---- The breaker --------------------------------------------------------------------------------------------------
 */

bool remote_is_well(const struct remote *remote)
{
    return atomic_load_explicit(&remote->well, memory_order_relaxed);
}

static void breaker_success(struct remote *remote)
{
    unsigned failures = atomic_load_explicit(&remote->failures, memory_order_relaxed);

    while (failures > 0 && !atomic_compare_exchange_weak_explicit(&remote->failures, &failures, failures - 1,
                                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static void breaker_open(struct remote *remote, const char *why)
{
    bool was = true;

    if (!atomic_compare_exchange_strong(&remote->well, &was, false))
        return;
    const uint64_t closed_ns = atomic_load(&remote->closed_ns);
    if (uv_hrtime() - closed_ns > FLAP_NS)
        atomic_store(&remote->flaps, 0);
    else if (atomic_load(&remote->flaps) < FLAPS_MAX)
        atomic_fetch_add(&remote->flaps, 1);
    remote_count(&remote->opened, 1);
    log_write(LOG_WARNING, "cache", "the shared tier %s fails (%s): going without it until it answers",
              remote->shown, why);
    uv_mutex_lock(&remote->mutex);
    uv_cond_broadcast(&remote->work);
    uv_cond_broadcast(&remote->idle);
    uv_mutex_unlock(&remote->mutex);
}

static void breaker_failure(struct remote *remote, const char *why)
{
    remote_count(&remote->errors, 1);
    if (atomic_fetch_add_explicit(&remote->failures, WEIGHT, memory_order_relaxed) + WEIGHT >=
        FAILURES * WEIGHT)
        breaker_open(remote, why);
}

/*
 * ---- Exchanges: some commands, as many replies, one deadline ------------------------------------------------------
 */

/* True for one caller in SAY_NS, who then logs the message. */
static bool is_to_say(_Atomic uint64_t *said_ns)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t before_ns = atomic_load_explicit(said_ns, memory_order_relaxed);

    return (before_ns == 0 || now_ns - before_ns > SAY_NS) &&
           atomic_compare_exchange_strong(said_ns, &before_ns, now_ns);
}

void remote_key(char key[static REMOTE_KEY_BYTES], const struct digest *digest, bool lease)
{
    snprintf(key, REMOTE_KEY_BYTES, "terrane:%d:%016" PRIx64 "%016" PRIx64 "%s", ENTRY_VERSION, digest->high,
             digest->low, lease ? ":lease" : "");
}

void remote_free_replies(redisReply **replies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (replies[i])
            freeReplyObject(replies[i]);
        replies[i] = NULL;
    }
}

bool remote_is_token(const struct remote *remote, const redisReply *reply)
{
    return reply->type == REDIS_REPLY_STRING && reply->len == REMOTE_TOKEN_BYTES - 1 &&
           memcmp(reply->str, remote->token, reply->len) == 0;
}

static struct line *exchange_open(struct remote *remote, uint64_t deadline_ns, char *error,
                                  size_t error_bytes)
{
    struct line_place place;

    uv_mutex_lock(&remote->mutex);
    place = remote->place;
    uv_mutex_unlock(&remote->mutex);
    CHECK(place.count > 0); /* the breaker closes after the name was found */
    return line_open(&remote->url, &place, remote->trust, deadline_ns, error, error_bytes);
}

/* One attempt on a line. */
static bool exchange_try(struct line *line, const struct remote_command *commands, size_t count,
                         redisReply **replies, uint64_t deadline_ns)
{
    for (size_t i = 0; i < count; i++)
        if (line_send(line, commands[i].word, commands[i].words, deadline_ns) < 0)
            return false;
    for (size_t i = 0; i < count; i++)
        if (!(replies[i] = line_receive(line, deadline_ns)))
            return false;
    return true;
}

/*
 * A store closes lines that were idle for long, or all of them when it restarts; a line notices that when it is used.
 * This is no failure: the commands are sent once more over a new line, in the remaining time. Repeating them is
 * harmless, except that our own lease of the first time is there the second: *twice tells calls that ask for one.
 */
enum line_fault remote_exchange(struct remote *remote, struct line **line,
                                const struct remote_command *commands, size_t count, redisReply **replies,
                                uint64_t deadline_ns, bool *twice)
{
    char error[LINE_ERROR_BYTES] = "";
    bool again = false;

    if (!twice)
        twice = &again;
    *twice = false;
    for (size_t i = 0; i < count; i++)
        replies[i] = NULL;
    for (;;) {
        const bool fresh = !*line;

        if (fresh && !(*line = exchange_open(remote, deadline_ns, error, sizeof error))) {
            breaker_failure(remote, error);
            return LINE_UNREACHABLE;
        }
        if (exchange_try(*line, commands, count, replies, deadline_ns)) {
            breaker_success(remote);
            return LINE_FINE;
        }
        const enum line_fault fault = line_fault(*line);
        CHECK(fault != LINE_FINE); /* a line that failed says why */
        snprintf(error, sizeof error, "%s", line_error(*line));
        line_close(*line);
        *line = NULL;
        remote_free_replies(replies, count);
        if (fault == LINE_TOO_LONG)
            return fault;
        if (fault != LINE_CLOSED || fresh) {
            breaker_failure(remote, error);
            return fault;
        }
        *twice = true;
    }
}

bool remote_is_unwell(const redisReply *reply)
{
    static const char *const words[] = {"LOADING ", "MASTERDOWN ", "BUSY ", "NOAUTH "};

    if (reply->type != REDIS_REPLY_ERROR)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(reply->str, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

void remote_refusal(struct remote *remote, const redisReply *reply)
{
    char text[120];

    remote_count(&remote->refused, 1);
    line_clean(text, sizeof text, reply);
    if (remote_is_unwell(reply)) {
        breaker_open(remote, text);
        return;
    }
    if (is_to_say(&remote->said_refusal_ns))
        log_write(LOG_WARNING, "cache", "the shared tier %s refuses a command (%s)", remote->shown, text);
}

/*
 * ---- Asking -------------------------------------------------------------------------------------------------------
 */

static struct line **reader_line(struct remote *remote, int reader)
{
    CHECK(reader >= 0 && reader < remote->readers);
    return &remote->reader[reader].line;
}

/* Adds a chore; dropped if there are too many. */
static void add_chore(struct remote *remote, const struct digest *key, enum chore_kind kind)
{
    uv_mutex_lock(&remote->mutex);
    if (remote->chores < REMOTE_CHORES) {
        remote->chore[remote->chores++] = (struct chore){.key = *key, .kind = kind};
        uv_cond_signal(&remote->work);
    }
    uv_mutex_unlock(&remote->mutex);
}

static void remote_damage(struct remote *remote, const struct digest *key, const char *what)
{
    char text[REMOTE_KEY_BYTES];

    remote_count(&remote->damaged, 1);
    add_chore(remote, key, CHORE_DELETE);
    remote_key(text, key, false);
    if (is_to_say(&remote->said_damage_ns))
        log_write(LOG_WARNING, "cache", "the shared tier %s: %s %s; it is deleted, and made again",
                  remote->shown, text, what);
}

/* Makes a blob of an answer to GET, taking its bytes; NULL: there is none, or it was damaged, or refused. */
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
    const size_t before = entry_header_bytes(&info), bytes = reply->len - before;
    unsigned char *const data = (unsigned char *)reply->str;
    memmove(data, data + before, bytes);
    reply->str = NULL; /* malloc'ed by the line */
    struct blob *const blob = blob_create(key, &info, data, bytes);
    if (blob) {
        blob->world = world;
        remote_count(&remote->bytes_in, bytes);
    }
    return blob;
}

/* The deadline for an answer of up to so many bytes. */
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

/* True if a taken lease is our own, from a command whose answer was lost. */
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

/* Asks for the lease first: with the entry first, another node could store it and return its lease in between. */
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
     * If the blob is dropped, others need not wait for it. If it is queued already, it is among those taken.
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
    add_chore(remote, key, CHORE_RELEASE);
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
    _Static_assert(LEASE_NONE + 1 == REMOTE_LEASES, "all have a name");
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
