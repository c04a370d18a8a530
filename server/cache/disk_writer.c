/*
 * The writer: the one thread that changes the store, and its handling of disk failures.
 *
 * It works in rounds. A round takes the oldest blobs of the queue, the damaged entries that readers met and
 * the notes of use, and makes one batch of them. There is a round when
 *
 *     - the oldest blob has waited for write_interval, so that a burst of regions is written once it is over, or many bytes wait,
 *     - a reader met damage, a caller waits in disk_flush, the quota was changed, or the disk is being closed,
 *     - a second has passed (it checks the files, and empties an idle log into the database),
 *     - the store is larger than the quota: round after round until it is not,
 *     - a caller waits in disk_purge: a step a round until nothing is left.
 *
 *  (1) Blobs stay in the queue until their round is over: there they can be found, are counted, and are
 *      referenced once.
 *  (2) Whatever the result of a round, its blobs leave the queue: stored, or dropped and counted. Nothing
 *      waits for a disk.
 *  (3) The mutex is never held while the disk is touched.
 *
 * The health of the tier:
 *
 *                disk_begin
 *      (closed) ───────────► WELL ──────── disk full, errors, busy, no memory: disk_fall_ill ───────► UNWELL
 *                             │ ▲                                                                      │
 *          damaged:           │ │ disk_begin                     every retry_interval: disk_retry      │
 *          disk_replace  ─────┤ │◄───────────────────────────────────────────────────────────────────┘
 *          gone or replaced:  │ │
 *          disk_look     ─────┴─┘
 *
 *  (4) UNWELL stores nothing, so puts are dropped. It reads as long as the store is open: a full disk can
 *      still be read.
 *  (5) The log has one line when it becomes unwell, with the directory and the cause, and one when it
 *      recovers.
 *  (6) It recovers after a blob has been written and removed, and the log emptied.
 *  (7) A database that is damaged or foreign is set aside, so that it can be looked at, and an empty one
 *      takes its place. It counts against the quota: one of more than a quarter of it is removed instead.
 *  (8) Before any file is renamed or removed, all connections are closed (readers under their mutexes),
 *      and readable is false until there is a database again. Nothing is written to files that are not ours
 *      any more.
 *
 * Everything here runs on the writer's thread, or before and after it.
 */
#include <string.h>

#include "../base/check.h"
#include "../base/turn.h"
#include "../observe/log.h"
#include "disk_parts.h"

#define LOOK_NS UINT64_C(1000000000)

/* ---- Health -------------------------------------------------------------------------------------------- */

static void disk_close_all(struct disk *disk, bool abandon)
{
    disk_close_readers(disk, abandon);
    store_close(&disk->store, abandon);
}

static void disk_set_accepting(struct disk *disk, bool accepting, uint64_t look_after_ns)
{
    uv_mutex_lock(&disk->mutex);
    disk->accepting = accepting;
    disk->look_ns = uv_hrtime() + look_after_ns;
    uv_mutex_unlock(&disk->mutex);
    atomic_store(&disk->degraded, !accepting);
}

/* what: words; cause: errno or 0. */
static void disk_fall_ill(struct disk *disk, const char *what, int cause)
{
    char text[128] = "";

    disk_count(&disk->errors, 1);
    if (cause != 0) {
        char buffer[96];

        snprintf(text, sizeof text, " (%s)", strerror_r(cause, buffer, sizeof buffer));
    }
    if (disk->well || disk->ill_ns == 0) {
        disk->ill_ns = uv_hrtime();
        log_write(LOG_WARNING, "cache",
                  "%s takes no tiles: %s%s; they are served without it, next try in %.1f s", disk->files.dir,
                  what, text, (double)disk->retry_interval_ns / 1e9);
    } else {
        log_write(LOG_DEBUG, "cache", "%s takes no tiles yet: %s%s", disk->files.dir, what, text);
    }
    disk->well = false;
    if (!disk->store.db)
        disk_close_readers(disk, false);
    disk_set_accepting(disk, false, disk->retry_interval_ns);
}

static void disk_publish(struct disk *disk)
{
    const bool open = disk->store.db != NULL;

    atomic_store_explicit(&disk->bytes, open ? store_bytes(&disk->store) : 0, memory_order_relaxed);
    atomic_store_explicit(&disk->rows, open ? disk->store.rows : 0, memory_order_relaxed);
    atomic_store_explicit(&disk->evicted, disk->store.evicted, memory_order_relaxed);
    atomic_store_explicit(&disk->stores, disk->store.stored, memory_order_relaxed);
}

static void disk_get_well(struct disk *disk)
{
    files_note(&disk->files);
    if (disk->ill_ns != 0)
        log_write(LOG_INFO, "cache", "%s takes tiles again, after %.1f s", disk->files.dir,
                  (double)(uv_hrtime() - disk->ill_ns) / 1e9);
    disk->ill_ns = 0;
    disk->well = true;
    disk_publish(disk);
    disk_set_accepting(disk, true, 0);
    atomic_store(&disk->readable, true);
}

/* Closes everything and takes the database out of the way. */
static enum files_result disk_set_aside(struct disk *disk, const char *what)
{
    enum files_result result;
    bool kept = false;

    disk_close_all(disk, true);
    if (disk->looks) {
        errno = EPERM;
        return FILES_FAILED;
    }
    disk_count(&disk->damaged, 1);
    disk->damaged_ns = uv_hrtime();
    result = files_set_aside(&disk->files, disk->damaged_max_bytes, &kept);
    if (result == FILES_OK)
        log_write(LOG_WARNING, "cache", "%s is not usable: %s; it is %s%s, and a new one begun",
                  disk->files.path[FILE_DB], what,
                  kept ? "kept as " : "removed, having more than a quarter of the quota",
                  kept ? disk->files.path[FILE_DAMAGED] : "");
    return result;
}

/* The part of the quota for the store. */
static uint64_t disk_store_bytes(const struct disk *disk)
{
    const uint64_t found =
        files_bytes(&disk->files, FILE_DAMAGED); /* it may have grown since it was looked at */

    return disk->quota_bytes - (found < disk->damaged_max_bytes ? found : disk->damaged_max_bytes);
}

static enum store_result disk_open_store(struct disk *disk)
{
    const enum store_result result =
        store_open(&disk->store, disk->files.path[FILE_DB], disk_store_bytes(disk), disk->quota_rows);

    if (result != STORE_OK)
        store_close(&disk->store, result == STORE_DAMAGED);
    return result;
}

/* Tries to open the store. On failure *what and *cause say why, and it returns FILES_HELD or FILES_FAILED. */
static enum files_result disk_try(struct disk *disk, const char **what, int *cause)
{
    enum files_result prepared = files_prepare(&disk->files, disk->damaged_max_bytes, disk->looks);
    enum store_result opened = STORE_UNWELL;

    if (prepared == FILES_OK) {
        opened = disk_open_store(disk);
        if (opened == STORE_DAMAGED && !disk->looks)
            prepared = disk_set_aside(disk, disk->store.what);
    }
    if (prepared != FILES_OK) {
        *cause = prepared == FILES_HELD ? 0 : errno;
        *what = prepared == FILES_HELD ? "another process uses the directory" : "its files cannot be opened";
        return prepared;
    }
    if (opened == STORE_DAMAGED && !disk->looks)
        opened = disk_open_store(disk);
    *what = disk->store.what;
    *cause = disk->store.cause;
    return opened == STORE_OK ? FILES_OK : FILES_FAILED;
}

enum files_result disk_begin(struct disk *disk)
{
    const char *what = NULL;
    int cause = 0;
    const enum files_result result = disk_try(disk, &what, &cause);

    if (result == FILES_OK)
        disk_get_well(disk);
    else if (result != FILES_HELD || disk->begun) /* else there will be no tier that could be ill */
        disk_fall_ill(disk, what, cause);
    disk->begun = true;
    return result == FILES_HELD ? FILES_HELD : FILES_OK;
}

static void disk_replace(struct disk *disk, const char *what)
{
    const uint64_t before_ns = disk->damaged_ns;
    const enum files_result result = disk_set_aside(disk, what);

    if (disk->looks)
        disk_fall_ill(disk, what, 0);
    else if (result != FILES_OK)
        disk_fall_ill(disk, "a damaged database cannot be removed", errno);
    else if (before_ns != 0 && disk->damaged_ns - before_ns < disk->retry_interval_ns)
        disk_fall_ill(disk, "what is written there does not last", 0); /* no endless loop of new databases */
    else
        disk_begin(disk);
}

static void disk_judge(struct disk *disk, enum store_result result)
{
    if (result == STORE_UNWELL)
        disk_fall_ill(disk, disk->store.what, disk->store.cause);
    else if (result == STORE_DAMAGED)
        disk_replace(disk, disk->store.what);
}

static void disk_resize(struct disk *disk, uint64_t quota_bytes, uint64_t quota_rows)
{
    disk->quota_bytes = quota_bytes;
    disk->quota_rows = quota_rows;
    disk->damaged_max_bytes = quota_bytes / 4;
    if (!disk->store.db)
        return;
    if (files_trim(&disk->files, disk->damaged_max_bytes) != 0) {
        disk_fall_ill(disk, "a damaged database cannot be removed", errno);
        disk->store.reopen = true; /* which insists on it */
        return;
    }
    disk_judge(disk, store_set_quota(&disk->store, disk_store_bytes(disk), quota_rows));
}

static bool disk_empty(struct disk *disk)
{
    disk_close_all(disk, true);
    if (files_remove(&disk->files) != 0) {
        disk_fall_ill(disk, "its database cannot be removed", errno);
        return false;
    }
    disk_begin(disk);
    return disk->well;
}

/* UNWELL: another attempt. */
static void disk_retry(struct disk *disk)
{
    const char *what = NULL;
    int cause = 0;
    enum store_result result;

    if (disk->store.db && (disk->store.reopen || !files_same(&disk->files)))
        disk_close_all(disk, !files_same(&disk->files));
    if (!disk->store.db && disk_try(disk, &what, &cause) != FILES_OK) {
        disk_fall_ill(disk, what, cause);
        return;
    }
    files_note(&disk->files);
    atomic_store(&disk->readable, true); /* whether or not it can be written */
    result = store_probe(&disk->store);
    if (result == STORE_OK)
        disk_get_well(disk);
    else
        disk_judge(disk, result);
}

static void disk_look(struct disk *disk)
{
    if (!disk->well) {
        disk_retry(disk);
        return;
    }
    if (files_same(&disk->files)) {
        disk_set_accepting(disk, true, LOOK_NS);
        return;
    }
    log_write(LOG_WARNING, "cache", "%s was removed or replaced by another program; it is begun anew",
              disk->files.path[FILE_DB]);
    disk_close_all(disk, true);
    disk_begin(disk);
}

void disk_end(struct disk *disk)
{
    disk_close_all(disk, disk->store.db && !files_same(&disk->files));
    files_close(&disk->files);
}

/* ---- Rounds -------------------------------------------------------------------------------------------- */

enum { ROUND_BLOBS = 256 };

struct round {
    struct blob *blob[ROUND_BLOBS];
    uint64_t drop[DISK_DROPS];
    size_t blobs, drops;
    uint64_t wanted; /* by disk_flush */
    uint64_t quota_bytes, quota_rows;
    bool look, suspect, urgent, quota, purge, purge_all;
    bool idle; /* nothing is queued */
};

/* Under the mutex: the time of the next work; 0 is now, UINT64_MAX is not yet known. */
static uint64_t writer_work_ns(const struct disk *disk)
{
    if (disk->stop || disk->suspect || disk->drops > 0 || disk->round_wanted != disk->round_done ||
        disk->quota_changed || disk->purge.state == PURGE_WANTED || disk->queue.bytes >= disk->full_bytes ||
        disk->queue.count >= ROUND_BLOBS || !queue_is_past(&disk->queue, disk->flush_taken))
        return 0;
    return disk->queue.count > 0 ? queue_time_ns(&disk->queue) + disk->write_interval_ns : UINT64_MAX;
}

/* Under the mutex: takes the orders of disk_set_quota and disk_purge. Purges the queue here, where nothing of
 * it is peeked. */
static void writer_take_orders(struct disk *disk, struct round *round)
{
    round->quota = disk->quota_changed;
    round->quota_bytes = disk->quota_bytes_next;
    round->quota_rows = disk->quota_rows_next;
    disk->quota_changed = false;
    round->purge = disk->purge.state == PURGE_WANTED;
    round->purge_all = disk->purge.all;
    if (!round->purge || disk->purging)
        return;
    disk->purging = true;
    disk->purge_walk = (struct store_purge){.world = disk->purge.world, .from = INT64_MIN};
    disk->purge_gone = (int64_t)queue_purge(&disk->queue, disk->purge.all, disk->purge.world);
    disk_count(&disk->dropped, (uint64_t)disk->purge_gone);
}

/* Under the mutex: waits until a round is due, and takes its work. A round that only checks the files leaves
 * the blobs for their batch. */
static void writer_wait(struct disk *disk, bool at_once, struct round *round)
{
    uint64_t now_ns = uv_hrtime(), work_ns = at_once ? 0 : writer_work_ns(disk);

    while (work_ns > now_ns && disk->look_ns > now_ns) {
        uv_cond_timedwait(&disk->work, &disk->mutex,
                          (work_ns < disk->look_ns ? work_ns : disk->look_ns) - now_ns);
        now_ns = uv_hrtime();
        work_ns = writer_work_ns(disk);
    }
    round->look = now_ns >= disk->look_ns;
    round->suspect = disk->suspect;
    round->urgent = disk->stop || disk->round_wanted != disk->round_done;
    round->wanted = disk->round_wanted;
    writer_take_orders(disk, round);
    round->idle = disk->queue.count == 0;
    round->blobs =
        work_ns <= now_ns ? queue_peek(&disk->queue, round->blob, ROUND_BLOBS, disk->batch_bytes) : 0;
    round->drops = disk->drops;
    for (size_t i = 0; i < disk->drops; i++)
        round->drop[i] = disk->drop[i];
    disk->drops = 0;
}

static void writer_write(struct disk *disk, const struct round *round)
{
    struct store_batch batch = {.drop = round->drop,
                                .drops = round->drops,
                                .use = disk->use,
                                .blob = round->blob,
                                .blobs = round->blobs};

    if (round->blobs == 0 && round->drops == 0 && !round->urgent) {
        if (round->look && round->idle)
            disk_judge(disk, store_empty_log(&disk->store));
        return;
    }
    batch.uses = uses_take(&disk->uses, disk->use);
    if (batch.blobs + batch.drops + batch.uses > 0)
        disk_judge(disk, store_write(&disk->store, &batch));
}

/* A step of a purge; the last one leaves purging false. Failures end it: an unwell disk may be so for long. */
static void writer_purge(struct disk *disk, bool all)
{
    const uint64_t rows = disk->store.rows;
    enum store_result result = STORE_UNWELL;

    if (disk->well && all) {
        result = disk_empty(disk) ? STORE_OK : STORE_UNWELL;
        disk->purge_walk.gone = rows;
        disk->purge_walk.done = true;
    } else if (disk->well) {
        result = store_purge(&disk->store, &disk->purge_walk);
        disk_judge(disk, result);
    }
    disk->purging = result == STORE_OK && !disk->purge_walk.done;
    if (result != STORE_OK)
        disk->purge_gone = -1;
    else if (disk->purge_walk.done)
        disk->purge_gone += (int64_t)disk->purge_walk.gone;
}

/* Without the mutex. True: the next round is due at once. */
static bool writer_round(struct disk *disk, const struct round *round)
{
    const uint64_t stored = disk->store.stored;

    if (round->suspect)
        disk_replace(disk, "it is damaged");
    else if (round->look || (disk->well && round->blobs + round->drops > 0))
        disk_look(disk);
    if (round->quota)
        disk_resize(disk, round->quota_bytes, round->quota_rows);
    if (disk->well)
        writer_write(disk, round);
    if (round->purge)
        writer_purge(disk, round->purge_all);
    if (disk->well && store_is_over(&disk->store))
        disk_judge(disk, store_shrink(&disk->store));
    CHECK(disk->store.stored - stored <= round->blobs);
    disk_count(&disk->dropped, round->blobs - (disk->store.stored - stored));
    disk_publish(disk);
    return disk->well && store_is_over(&disk->store);
}

void disk_writer_run(void *argument)
{
    struct disk *const disk = argument;
    struct round round;
    bool again = false;

    CHECK(disk->magic == DISK_MAGIC);
    turn_last();
    uv_mutex_lock(&disk->mutex);
    while (!disk->stop || disk->queue.count > 0 || disk->round_wanted != disk->round_done) {
        writer_wait(disk, again, &round);
        uv_mutex_unlock(&disk->mutex);
        again = writer_round(disk, &round);
        uv_mutex_lock(&disk->mutex);
        queue_remove(&disk->queue, round.blobs);
        disk->round_done = round.wanted;
        if (round.purge && !disk->purging) {
            disk->purge.gone = disk->purge_gone;
            disk->purge.state = PURGE_DONE;
        }
        uv_cond_broadcast(&disk->done);
    }
    uv_mutex_unlock(&disk->mutex);
}
