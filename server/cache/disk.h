/*
 * The disk tier: blobs in one SQLite file, least recently used first out, within a quota of bytes and rows.
 *
 * Reads come from any thread, each with a reader of its own. Writes go behind: disk_put queues a reference,
 * one writer thread stores the queue in batches, together with the uses that readers noted. It never fails a
 * request: while the disk is full, read-only or gone, every look is a miss.
 */
#ifndef TERRANE_SERVER_DISK_H
#define TERRANE_SERVER_DISK_H

#include "../observe/tier_stats.h"
#include "blob.h"

struct disk;

/* Makes all databases of the process take names literally, "file:a.mbtiles" too. Call before the first is opened. */
void disk_take_plain_names(void);

struct disk_options {
    const char *dir;            /* created with its parents (0700) where missing; borrowed for the call */
    uint64_t quota_bytes;       /* for all files in dir together, at least 4 MiB */
    uint64_t quota_rows;        /* entries */
    size_t write_behind_bytes;  /* queued payload beyond which puts are dropped */
    unsigned write_interval_ms; /* a batch is written at the latest this long after its first entry */
    unsigned retry_interval_ms; /* between attempts while the disk is unwell */
    int readers;                /* threads that will read: reader indices 0 .. readers - 1 */
    bool looks; /* what cannot be used stays where it is, and the tier degraded: a look takes nothing away */
};

/*
 * Opens (or creates, or repairs by setting a damaged file aside) the store and starts the writer. Returns owned. NULL
 * only when memory or threads are short, or another process holds the directory: *why (static storage) says which. An
 * unusable disk is no error: the tier starts degraded, logs that and tries again.
 */
struct disk *disk_open(const struct disk_options *options, const char **why);

/* The blob of a key, owned by the caller, or NULL. reader: this thread's index. A damaged entry is dropped:
 * NULL. */
struct blob *disk_get(struct disk *disk, int reader, const struct digest *key);

/* Drops an intact entry that its caller cannot use; counted as damaged. Any thread. */
void disk_reject(struct disk *disk, const struct digest *key);

/* Queues a blob to be stored; holds its own reference. Never blocks on the disk. Any thread. */
void disk_put(struct disk *disk, struct blob *blob);

/* Waits until everything queued before the call is stored or given up. For tests and shutdown. */
void disk_flush(struct disk *disk);

/* True if an entry of the key is stored, and its size. Verifies nothing and counts no use. reader: as disk_get. */
bool disk_has(struct disk *disk, int reader, const struct digest *key, uint64_t *bytes);

/* Changes the quotas. If the store exceeds them, the writer evicts at once, oldest first. Any thread; does not wait. */
void disk_set_quota(struct disk *disk, uint64_t bytes, uint64_t rows);

/*
 * Drops every entry of a world (struct blob: world), or with all every entry; also those queued. Waits until it is done,
 * for seconds if there are many. Returns how many it dropped, or -1 if the disk is unwell. Any thread.
 */
int64_t disk_purge(struct disk *disk, bool all, uint64_t world);

void disk_stats(struct disk *disk, struct disk_stats *out);

/* Flushes, stops the writer, frees. No other call may be in progress. NULL is fine. */
void disk_close(struct disk *disk);

#endif
