/*
 * The health of the disk tier.
 *
 *                disk_begin
 *      (closed) ───────────► WELL ──────── disk full, errors, busy, no memory: disk_fall_ill ───────► UNWELL
 *                             │ ▲                                                                      │
 *          damaged:           │ │ disk_begin                     every retry_interval: disk_retry      │
 *          disk_replace  ─────┤ │◄───────────────────────────────────────────────────────────────────┘
 *          gone or replaced:  │ │
 *          disk_look     ─────┴─┘
 *
 *  (1) UNWELL stores nothing, so puts are dropped. It reads as long as the store is open: a full disk
 *      has what it has.
 *  (2) It is said once in the log when it falls ill, with the directory and the cause, and once when it
 *      is well again.
 *  (3) Well again means that a blob has been written and removed, and the log emptied: the disk does
 *      what it is for.
 *  (4) A database that is damaged or foreign is set aside, so that it can be looked at, and an empty one
 *      takes its place. It counts against the quota: one of more than a quarter of it is removed instead.
 *  (5) Before any file is renamed or removed, all connections are closed (readers under their mutexes),
 *      and readable is false until there is a database again. Nothing is written to files that are not ours
 *      any more.
 *
 * Everything here runs on the writer's thread, or before and after it.
 */
#include <string.h>

#include "../base/check.h"
#include "../observe/log.h"
#include "disk_state.h"

#define LOOK_NS UINT64_C(1000000000)

/* Closes every reader's connection; none opens one until readable is true again. */
static void disk_close_readers(struct disk *disk, bool abandon)
{
    atomic_store(&disk->readable, false);
    for (int i = 0; i < disk->readers; i++) {
        struct disk_reader *const slot = &disk->reader[i];

        uv_mutex_lock(&slot->mutex);
        reader_close(&slot->reader, abandon);
        slot->retry_ns = 0;
        uv_mutex_unlock(&slot->mutex);
    }
    /* What they had to say was about the database that is being closed. */
    uv_mutex_lock(&disk->mutex);
    disk->suspect = false;
    disk->drops = 0;
    uv_mutex_unlock(&disk->mutex);
}

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

void disk_publish(struct disk *disk)
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

/* What the quota leaves for the store. */
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

/* The store open, or not: then *what and *cause say why, and FILES_HELD or FILES_FAILED is returned. */
static enum files_result disk_try(struct disk *disk, const char **what, int *cause)
{
    enum files_result prepared = files_prepare(&disk->files, disk->damaged_max_bytes);
    enum store_result opened = STORE_UNWELL;

    if (prepared == FILES_OK) {
        opened = disk_open_store(disk);
        if (opened == STORE_DAMAGED)
            prepared = disk_set_aside(disk, disk->store.what);
    }
    if (prepared != FILES_OK) {
        *cause = prepared == FILES_HELD ? 0 : errno;
        *what = prepared == FILES_HELD ? "another process uses the directory" : "its files cannot be opened";
        return prepared;
    }
    if (opened == STORE_DAMAGED)
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

void disk_replace(struct disk *disk, const char *what)
{
    const uint64_t before_ns = disk->damaged_ns;
    const enum files_result result = disk_set_aside(disk, what);

    if (result != FILES_OK)
        disk_fall_ill(disk, "a damaged database cannot be removed", errno);
    else if (before_ns != 0 && disk->damaged_ns - before_ns < disk->retry_interval_ns)
        disk_fall_ill(disk, "what is written there does not last", 0); /* no endless loop of new databases */
    else
        disk_begin(disk);
}

void disk_judge(struct disk *disk, enum store_result result)
{
    if (result == STORE_UNWELL)
        disk_fall_ill(disk, disk->store.what, disk->store.cause);
    else if (result == STORE_DAMAGED)
        disk_replace(disk, disk->store.what);
}

void disk_resize(struct disk *disk, uint64_t quota_bytes, uint64_t quota_rows)
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

bool disk_empty(struct disk *disk)
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
    result = store_probe(&disk->store);
    if (result == STORE_OK)
        disk_get_well(disk);
    else
        disk_judge(disk, result);
}

void disk_look(struct disk *disk)
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
