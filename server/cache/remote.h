/*
 * The shared tier: entries that nodes make for each other, in a Valkey or Redis (called the store here) that all of
 * them know.
 *
 * A node looks there for what neither its memory nor its disk has, before it makes it, and puts there what it has
 * made. Whatever the store does, a call ends by its deadline, and a wrong, slow, full or dead store is a miss:
 * entries carry their checksum (blob.h) and are checked like those of the disk. After some failures in a row
 * the breaker opens: calls return at once, and one thread of the tier's own tries, every so often, whether the store
 * is back.
 *
 * Single flight over nodes: a node that is about to make a product takes a lease on its key, for so many milliseconds. One
 * that finds that another has it waits, and looks again; a node that dies with a lease costs others no longer than that. A
 * lease is a saving, never a lock: without the store, or past the wait, every node makes what it needs, to the same
 * bytes.
 *
 *     terrane:<version>:<32 hex digits of the digest>          the entry, as on the disk
 *     terrane:<version>:<32 hex digits of the digest>:lease    whose it is to make: a name of the node's
 *
 * The version is that of the entry's form, so that nodes of two versions leave each other's entries alone.
 *
 * Threads: those that ask have an index each, as readers of the disk do, and a connection; one more writes behind,
 * and looks after the breaker. All calls from any thread but that an index is one thread's at a time.
 */
#ifndef TERRANE_SERVER_REMOTE_H
#define TERRANE_SERVER_REMOTE_H

#include "blob.h"

enum {
    REMOTE_ERROR_BYTES = 512,
    REMOTE_BYTES_A_MS = 16384,    /* of what is large: 16 MiB a second is slow for any network */
    REMOTE_LARGE_BYTES = 16 << 20 /* so nobody is waited for for longer than another second */
};

struct remote;

struct remote_options {
    const char *url;           /* remote_url.h; borrowed for the call, as ca is */
    const char *ca;            /* PEM file of authorities for a TLS store; "": those the system trusts */
    unsigned timeout_ms;       /* of one operation, connecting included */
    unsigned lease_ms;         /* a lease of what is urgent ends by itself after this */
    unsigned retry_ms;         /* between attempts while the breaker is open */
    uint64_t expire_s;         /* entries are forgotten after this; 0: when the store needs room */
    size_t write_behind_bytes; /* queued payload beyond which puts are dropped */
    int readers;               /* threads that ask: indices 0 .. readers - 1 */
};

enum remote_lease {
    LEASE_OURS,   /* make it; remote_put or remote_release ends the lease */
    LEASE_THEIRS, /* another node makes it: look again soon */
    LEASE_FOUND,  /* it has come meanwhile */
    LEASE_NONE    /* the store cannot tell: make it */
};

/* What is known of what a lease is for. */
struct remote_want {
    size_t bytes; /* as of remote_get */
    bool urgent;
};

struct remote_stats {
    uint64_t hits,
        misses; /* of remote_get, failures among the misses; what an open breaker spares is neither */
    uint64_t stores, dropped, damaged;
    uint64_t errors;    /* operations that failed: connection, deadline, protocol */
    uint64_t refused;   /* commands that the store answered with an error: full, read-only, no permission */
    uint64_t leases[4]; /* answers of remote_lease, by enum remote_lease */
    uint64_t opened;    /* times that the breaker opened, or did not close at the start */
    int open;           /* 1: the breaker is open now: nothing is asked */
    uint64_t bytes_in, bytes_out; /* payload of entries that came, and went */
};

/*
 * Starts the tier; does not wait for the store: the breaker is open until it first answered. Owned; NULL with one
 * line in error: a wrong URL or certificate file, or memory is short.
 */
struct remote *remote_open(const struct remote_options *options, char *error, size_t error_bytes);

/* Whether it is of use to ask now: the breaker is closed. No lock, no wait. */
bool remote_is_well(const struct remote *remote);

/*
 * The blob of a key, owned by the caller, or NULL. A damaged entry is deleted and counted: NULL. At most timeout_ms,
 * one round trip; no time where the breaker is open. What is known to be of so many bytes (else 0) has a millisecond
 * longer for each REMOTE_BYTES_A_MS of them, of REMOTE_LARGE_BYTES at most.
 */
struct blob *remote_get(struct remote *remote, int reader, const struct digest *key, size_t bytes);

/* Drops an entry that was intact and is of no use to its caller; counted as damaged. */
void remote_reject(struct remote *remote, const struct digest *key);

/*
 * Takes the lease of a key, or finds out that another node has it, and looks once more for the entry, in one round trip
 * and the time that remote_get has. A lease of what is not urgent ends after an eighth of the time: the node that has it may be
 * long in coming to it, and a client may wait for it elsewhere.
 * LEASE_FOUND: *blob is set, owned by the caller; else NULL.
 */
enum remote_lease remote_lease(struct remote *remote, int reader, const struct digest *key,
                               const struct remote_want *want, struct blob **blob);

/*
 * Queues a blob to be stored, and its lease to be given back after that where leased; holds its own reference. Never
 * waits. Dropped where too much is queued, where the breaker is open, and where it is no entry (entry_fits).
 */
void remote_put(struct remote *remote, struct blob *blob, bool leased);

/* Gives a lease back of which nothing came. Never waits. */
void remote_release(struct remote *remote, const struct digest *key);

/* Waits until nothing is queued any more: stored or given up, leases given back. For tests and shutdown. */
void remote_flush(struct remote *remote);

void remote_stats(const struct remote *remote, struct remote_stats *out);

/*
 * Writes what is queued (for timeout_ms at most, and what is on its way), stops, frees. No other call may be in
 * progress. NULL is fine.
 */
void remote_close(struct remote *remote);

#endif
