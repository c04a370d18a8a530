/*
 * The store: the writer's side of tiles.db. Batches in, the least recently used out, within the quota.
 *
 * Used by one thread at a time. Every call that can fail returns what the caller has to do about it; the
 * store then says in words what went wrong, until the next call.
 */
#ifndef TERRANE_SERVER_DISK_STORE_H
#define TERRANE_SERVER_DISK_STORE_H

#include <sqlite3.h>

#include "blob.h"

enum store_result {
    STORE_OK,
    STORE_UNWELL, /* not now: the disk is full, fails, is busy, memory is short */
    STORE_DAMAGED /* never again with this file */
};

enum { STORE_STATEMENTS = 16 };

struct store {
    sqlite3 *db; /* NULL: not open */
    sqlite3_stmt *statement[STORE_STATEMENTS];

    /* The quota, in pages of the database, frames of its log, and rows. Changed by store_set_quota. */
    uint64_t pages_max, frames_max, frames_soft, rows_max;
    uint64_t step_pages;      /* what one change of the tables may touch besides a blob's own pages */
    uint64_t entry_bytes_max; /* larger entries do not fit into a batch */

    uint64_t pages, pages_free, frames, rows; /* now; the first two as of the last commit */
    uint64_t log_frames;                      /* at most so long is the log's file */
    int64_t clock;                            /* the last use */
    uint64_t stored, evicted;                 /* since the store was made */
    uint64_t stored_open, evicted_open;       /* ... in this transaction, not counted yet */
    uint64_t rows_committed;
    unsigned char *buffer;
    size_t buffer_bytes;

    const char *what; /* went wrong last, in words, */
    int cause;        /* and errno, or 0 */
    bool reopen;      /* another connection might help: it was not the disk that said no */
};

/* What one call of store_write does, in this order. */
struct store_batch {
    const uint64_t *drop; /* entries to be removed */
    size_t drops;
    const uint64_t *use; /* entries that were read */
    size_t uses;
    struct blob *const *blob; /* blobs to be stored; those that can never be are passed over */
    size_t blobs;
};

/* Opens or makes the database at path. quota_bytes is for the database, its log and its index together. */
enum store_result store_open(struct store *store, const char *path, uint64_t quota_bytes,
                             uint64_t quota_rows);

/* Ends every use of the files; a closed store is fine. abandon: they are not ours any more, write nothing. */
void store_close(struct store *store, bool abandon);

enum store_result store_write(struct store *store, const struct store_batch *batch);

/* Writes and removes a blob that nobody asks for, and empties the log: the disk takes what is written. */
enum store_result store_probe(struct store *store);

/* Empties the log into the database, if there is anything in it and no other process is in the way. */
enum store_result store_settle(struct store *store);

/* Changes the quota. What is too much goes by store_shrink; until then the database grows no further. */
enum store_result store_set_quota(struct store *store, uint64_t quota_bytes, uint64_t quota_rows);

/* True when the database is larger than the quota, which was larger once. */
bool store_is_over(const struct store *store);

/* Takes a bounded step towards the quota. */
enum store_result store_shrink(struct store *store);

/* A walk over the entries of a world that removes them. Begins with from = INT64_MIN. */
struct store_purge {
    uint64_t world;
    int64_t from;  /* where to go on, in the order of ids as the database has it: signed */
    uint64_t gone; /* entries removed, and that for good */
    bool done;
};

/* Takes a bounded step. What was stored meanwhile, behind where the walk is, stays. */
enum store_result store_purge(struct store *store, struct store_purge *purge);

/* Bytes of the pages in use. */
uint64_t store_bytes(const struct store *store);

#endif
