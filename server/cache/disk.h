/*
 * The disk tier: blobs in one SQLite file, least recently used first out, within a quota of bytes and rows.
 *
 * Reads come from any thread, each with a reader of its own. Writes go behind: disk_put queues a reference,
 * one writer thread stores the queue in batches, together with the uses that readers noted. Nothing here ever
 * fails a request: a disk that is full, read-only or gone turns the tier into a miss until it is well again.
 */
#ifndef TERRANE_SERVER_DISK_H
#define TERRANE_SERVER_DISK_H

#include "blob.h"

struct disk;

/* For all databases of the process, before the first is opened: a name is a file's name, "file:a.mbtiles" too. */
void disk_take_plain_names(void);

struct disk_options {
    const char *dir;            /* created with its parents (0700) where missing; borrowed for the call */
    uint64_t quota_bytes;       /* of all files in dir together, at least 4 MiB */
    uint64_t quota_rows;        /* entries */
    size_t write_behind_bytes;  /* queued payload beyond which puts are dropped */
    unsigned write_interval_ms; /* a batch is written at the latest this long after its first entry */
    unsigned retry_interval_ms; /* between attempts while the disk is unwell */
    int readers;                /* threads that will read: reader indices 0 .. readers - 1 */
};

/* Counters and gauges; a snapshot by disk_stats. */
struct disk_stats {
    uint64_t hits, misses, stores, dropped, evicted, damaged;
    uint64_t errors;      /* failed operations of the file system or SQLite */
    uint64_t bytes, rows; /* stored now */
    int degraded;         /* 1: not serving or not storing at the moment */
};

/*
 * Opens (or makes, or repairs by setting aside) the store and starts the writer. Returns owned.
 * NULL only when memory or threads are short, or another process holds the directory: *why (static storage) says which. A
 * disk that cannot be used now is no error: the tier starts degraded, says so in the log and tries again.
 */
struct disk *disk_open(const struct disk_options *options, const char **why);

/* The blob of a key, owned by the caller, or NULL. reader: this thread's index. A damaged entry is dropped:
 * NULL. */
struct blob *disk_get(struct disk *disk, int reader, const struct digest *key);

/* Drops an entry that was intact and is of no use to its caller; counted as damaged. Any thread. */
void disk_reject(struct disk *disk, const struct digest *key);

/* Queues a blob to be stored; holds its own reference. Never blocks on the disk. Any thread. */
void disk_put(struct disk *disk, struct blob *blob);

/* Waits until all that was queued before the call is stored or given up. For tests and shutdown. */
void disk_flush(struct disk *disk);

/* Whether an entry of the key is stored, and of how many bytes. Verifies nothing and counts no use. reader: as disk_get. */
bool disk_has(struct disk *disk, int reader, const struct digest *key, uint64_t *bytes);

/* Changes the quotas. Where there is more, the writer evicts at once, oldest first. Any thread; does not wait. */
void disk_set_quota(struct disk *disk, uint64_t bytes, uint64_t rows);

/*
 * Drops every entry of a world (struct blob: world), or with all every entry there is; also those queued. Waits until it is
 * done, for seconds where there are many. Returns how many went, or -1 where the disk is unwell. Any thread.
 */
int64_t disk_purge(struct disk *disk, bool all, uint64_t world);

void disk_stats(struct disk *disk, struct disk_stats *out);

/* Flushes, stops the writer, frees. No other call may be in progress. NULL is fine. */
void disk_close(struct disk *disk);

#endif
