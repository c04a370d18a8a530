/* The internals of the shared tier, shared by remote.c (requests) and remote_keeper.c (the writer thread). */
#ifndef TERRANE_SERVER_REMOTE_PARTS_H
#define TERRANE_SERVER_REMOTE_PARTS_H

#include <stdatomic.h>
#include <uv.h>

#include "queue.h"
#include "remote.h"
#include "remote_line.h"

enum {
    REMOTE_CHORES = 4096,
    REMOTE_TOKEN_BYTES = 33, /* 32 hex digits */
    REMOTE_KEY_BYTES = 64,
    REMOTE_SHOWN_BYTES = REMOTE_HOST_BYTES + 64,
    REMOTE_COMMANDS = 64,
    REMOTE_WORDS = 6
};

/* The keeper's tasks besides storing. */
enum chore_kind { CHORE_RELEASE, CHORE_DELETE };

struct chore {
    struct digest key;
    uint64_t
        after; /* not before the queue has finished so many blobs: the entry comes before its lease goes */
    enum chore_kind kind;
};

struct remote_reader {
    _Alignas(64) struct line *line; /* NULL: to be opened; its thread's alone */
};

struct remote {
    /* Set by remote_open. */
    struct remote_url url;
    struct line_trust *trust; /* NULL: no TLS */
    char shown[REMOTE_SHOWN_BYTES];
    char token[REMOTE_TOKEN_BYTES]; /* in a lease: that it is this node's */
    char lease_ms[2][16];           /* of what is urgent or not: [urgent] */
    char expire_s[24];
    bool expires;
    uint64_t timeout_ns, retry_ns;
    int readers;
    struct remote_reader *reader;
    uv_thread_t keeper;

    uv_mutex_t mutex;
    uv_cond_t work; /* something to do for the keeper, or stop, or the breaker has opened */
    uv_cond_t idle; /* the keeper has ended a round, or the breaker has opened */

    /* Under the mutex. */
    struct queue queue;
    struct chore chore[REMOTE_CHORES];
    size_t chores;
    bool working, stop;
    uint64_t stop_ns; /* of stop: upper bound of all waits */
    struct line_place place;

    /* Any thread. */
    atomic_bool well;
    atomic_uint failures; /* the breaker's count: weighted failures, less successes since */
    _Atomic uint64_t said_damage_ns, said_refusal_ns, closed_ns;
    atomic_uint flaps;
    _Atomic uint64_t hits, misses, stores, dropped, damaged, errors, refused, leases[REMOTE_LEASES], opened,
        bytes_in, bytes_out;

    /* The keeper's. */
    struct line *line;
    struct lookup *lookup;
    bool met;              /* the store has answered, or its silence was logged */
    unsigned unstored;     /* times in a row that it took no store, but answered everything else */
    uint64_t said_lost_ns; /* when that was said */
};

static inline void remote_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* ---- remote.c: commands and replies -------------------------------------------------------------------- */

struct remote_command {
    struct line_word word[REMOTE_WORDS];
    size_t words;
};

/* "terrane:<digest>", and the lease's behind it where lease is set. */
void remote_key(char key[static REMOTE_KEY_BYTES], const struct digest *digest, bool lease);

/*
 * Sends commands, and gets as many replies, owned by the caller. Opens the line if there is none; reopens, once, a
 * line that the store closed while it was idle. Returns the fault, after telling the breaker; then there are no
 * replies and no line. LINE_TOO_LONG is not the store's fault: it holds a value that we do not accept. *twice: the
 * store may have done the commands twice; NULL if that does not matter.
 */
enum line_fault remote_exchange(struct remote *remote, struct line **line,
                                const struct remote_command *commands, size_t count, redisReply **replies,
                                uint64_t deadline_ns, bool *twice);

void remote_free_replies(redisReply **replies, size_t count);

/* True if a reply is this node's name, as in its leases. */
bool remote_is_token(const struct remote *remote, const redisReply *reply);

/*
 * Handles an error reply: counts it, logs it at intervals, and opens the breaker if it means that the store is
 * unwell.
 */
void remote_refusal(struct remote *remote, const redisReply *reply);

/* True if an error reply means that the store is unwell: it loads its data, has lost its master, is blocked by a script, or
 * requires a password that we do not have. */
bool remote_is_unwell(const redisReply *reply);

/* ---- remote_keeper.c: the thread that writes behind and looks after the breaker ------------------------ */

void keeper_main(void *remote);

#endif
