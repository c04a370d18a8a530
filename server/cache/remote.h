/*
 * The shared tier: entries that nodes make for each other, in a Valkey or Redis (called the store here) that all of them
 * use.
 *
 * A node looks there for entries that are neither in memory nor on disk before it makes them, and stores there what it
 * made. Whatever the store does, a call ends by its deadline, and a wrong, slow, full or dead store is a miss: entries
 * carry their checksum (blob.h) and are checked like those of the disk. After some failures in a row the breaker opens:
 * calls return at once, and the tier's own thread checks, at intervals, whether the store is back.
 *
 * Single flight over nodes: before a node makes a product it takes a lease on its key, for some milliseconds. If another
 * node has it, the node waits and looks again; a node that dies with a lease delays others no longer than that. A lease
 * saves work and is never a lock: without the store, or after the wait, every node makes what it needs, with the same
 * bytes.
 *
 *     terrane:<version>:<32 hex digits of the digest>          the entry, as on the disk
 *     terrane:<version>:<32 hex digits of the digest>:lease    whose it is to make: a name of the node's
 *
 * The version is that of the entry format, so nodes of two versions ignore each other's entries.
 *
 * Threads: each thread that asks has an index, as readers of the disk do, and a connection; one more writes behind, and
 * runs the breaker. Any thread may call; an index is used by one thread at a time.
 */
#ifndef TERRANE_SERVER_REMOTE_H
#define TERRANE_SERVER_REMOTE_H

#include "../observe/tier_stats.h"
#include "blob.h"

enum {
    REMOTE_ERROR_BYTES = 512,
    REMOTE_BYTES_A_MS = 16384,    /* for large entries: 16 MiB a second is slow for any network */
    REMOTE_LARGE_BYTES = 16 << 20 /* so no call waits more than an additional second */
};

struct remote;

struct remote_options {
    const char *url;           /* remote_url.h; borrowed for the call, as ca is */
    const char *ca;            /* PEM file of authorities for a TLS store; "": those the system trusts */
    unsigned timeout_ms;       /* of one operation, connecting included */
    unsigned lease_ms;         /* an urgent lease expires after this */
    unsigned retry_ms;         /* between attempts while the breaker is open */
    uint64_t expire_s;         /* entries are forgotten after this; 0: when the store needs room */
    size_t write_behind_bytes; /* queued payload beyond which puts are dropped */
    int readers;               /* threads that ask: indices 0 .. readers - 1 */
};

/* In the order of their names in metrics (observe/metrics_text.c). */
enum remote_lease {
    LEASE_OURS,   /* make it; remote_put or remote_release ends the lease */
    LEASE_THEIRS, /* another node makes it: look again soon */
    LEASE_FOUND,  /* it has come meanwhile */
    LEASE_NONE    /* the store cannot tell: make it */
};

/* The product that a lease is for. */
struct remote_want {
    size_t bytes; /* as of remote_get */
    bool urgent;
};

/*
 * Starts the tier without waiting for the store: the breaker is open until the store first answers. Owned; NULL
 * with one line in error: a wrong URL or certificate file, or memory is short.
 */
struct remote *remote_open(const struct remote_options *options, char *error, size_t error_bytes);

/* True if the breaker is closed. No lock, no wait. */
bool remote_is_well(const struct remote *remote);

/*
 * The blob of a key, owned by the caller, or NULL. A damaged entry is deleted and counted: NULL. Takes one round
 * trip, at most timeout_ms; no time if the breaker is open. bytes: the known size, else 0; it adds a millisecond for
 * each REMOTE_BYTES_A_MS, up to REMOTE_LARGE_BYTES.
 */
struct blob *remote_get(struct remote *remote, int reader, const struct digest *key, size_t bytes);

/* Drops an intact entry that its caller cannot use; counted as damaged. */
void remote_reject(struct remote *remote, const struct digest *key);

/*
 * Takes the lease of a key, or finds out that another node has it, and looks once more for the entry, in one round trip
 * and the time that remote_get has. A lease that is not urgent expires after an eighth of the time: its node may take long to
 * begin, and a client may wait for the product elsewhere. LEASE_FOUND: *blob is set, owned by the caller; else NULL.
 */
enum remote_lease remote_lease(struct remote *remote, int reader, const struct digest *key,
                               const struct remote_want *want, struct blob **blob);

/*
 * Queues a blob to be stored, and if leased the return of its lease after that; holds its own reference. Never
 * waits. Drops the blob if too much is queued, the breaker is open, or it is no entry (entry_fits).
 */
void remote_put(struct remote *remote, struct blob *blob, bool leased);

/* Returns an unused lease. Never waits. */
void remote_release(struct remote *remote, const struct digest *key);

/* Waits until the queue is empty: stored or given up, leases returned. For tests and shutdown. */
void remote_flush(struct remote *remote);

void remote_stats(const struct remote *remote, struct remote_stats *out);

/*
 * Writes the queue (for at most timeout_ms, besides a write in progress), stops, frees. No other call may be in
 * progress. NULL is fine.
 */
void remote_close(struct remote *remote);

#endif
