/*
 * The disk tier from inside: what disk.c (the interface), disk_writer.c (the thread) and disk_health.c (what
 * happens when the disk does not do as it should) share. Nobody else includes this.
 */
#ifndef TERRANE_SERVER_DISK_STATE_H
#define TERRANE_SERVER_DISK_STATE_H

#include <stdatomic.h>
#include <uv.h>

#include "disk.h"
#include "disk_files.h"
#include "disk_queue.h"
#include "disk_reader.h"
#include "disk_store.h"

enum { DISK_MAGIC = 0x6469736b, DISK_DROPS = 64 };

enum disk_purge_state { PURGE_NONE, PURGE_WANTED, PURGE_DONE };

/* One thread's place to read from. */
struct disk_reader {
    _Alignas(64) uv_mutex_t mutex; /* its thread while it reads; the writer to close the connection */
    struct reader reader;
    uint64_t retry_ns; /* a connection that failed is not opened again before */
};

struct disk {
    uint32_t magic;

    /* Constant while the disk is open. */
    uint64_t write_interval_ns, retry_interval_ns;
    size_t batch_bytes;
    int readers;
    struct disk_reader *reader;
    uv_thread_t writer;

    /* The writer's (before it runs: disk_open's, after: disk_close's). */
    struct files files;
    struct store store;
    uint64_t quota_bytes, quota_rows, damaged_max_bytes;
    struct store_purge purge_walk;
    bool purging;       /* purge_walk is under way */
    int64_t purge_gone; /* so far, or -1 */
    bool begun, well;
    uint64_t ill_ns, damaged_ns; /* since when; when a database was last set aside, 0: never */
    uint64_t use[USES];

    /* Under the mutex. */
    uv_mutex_t mutex;
    uv_cond_t work, done; /* for the writer; for disk_flush and disk_purge */
    struct queue queue;
    uint64_t drop[DISK_DROPS]; /* damaged entries */
    size_t drops;
    uint64_t round_wanted, round_done;
    uint64_t look_ns; /* when to look at the files, or to try again */
    bool accepting, suspect, stop;
    bool quota_changed;
    uint64_t quota_bytes_next, quota_rows_next;
    struct {
        enum disk_purge_state state;
        bool all;
        uint64_t world;
        int64_t gone; /* when done */
    } purge;

    /* Everybody's. */
    struct uses uses;
    atomic_bool readable;
    atomic_bool degraded;
    _Atomic uint64_t hits, misses, stores, dropped, evicted, damaged, errors, bytes, rows;
    _Atomic uint64_t warn_ns; /* the next warning about a damaged entry is not due before */
};

static inline void disk_count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* ---- disk_writer.c ------------------------------------------------------------------------------------- */

/* The writer thread: takes what waits, until disk->stop. argument: the disk. */
void disk_writer_run(void *argument);

/* ---- disk_health.c: called by the writer --------------------------------------------------------------- */

/* Opens the store, making or replacing what has to be. FILES_HELD: another process has it; else FILES_OK. */
enum files_result disk_begin(struct disk *disk);

/* Does what a result of the store asks for. */
void disk_judge(struct disk *disk, enum store_result result);

/* Once a batch and once a second: are the files still ours, and in order? If it is unwell: tries again. */
void disk_look(struct disk *disk);

/* A reader found the database to be damaged. */
void disk_replace(struct disk *disk, const char *what);

/* Takes another quota over: now where the store is open, else when it will be. */
void disk_resize(struct disk *disk, uint64_t quota_bytes, uint64_t quota_rows);

/* Removes the whole database and begins an empty one. Whether it did. The disk must be well. */
bool disk_empty(struct disk *disk);

/* What disk_stats says about the store. */
void disk_publish(struct disk *disk);

/* Ends all use of the files. */
void disk_end(struct disk *disk);

#endif
