/*
 * The writer: the one thread that changes the store.
 *
 * It works in rounds. A round takes the oldest blobs of the queue, the damaged entries that readers met and
 * the notes of use, and makes one batch of them. There is a round when
 *
 *     - the oldest blob has waited for write_interval, or a batch is full,
 *     - a reader met damage, somebody waits in disk_flush, the quota was changed, or the disk is being closed,
 *     - a second has passed (then the files are looked at, and an idle log is emptied into the database),
 *     - the store is larger than the quota: round after round until it is not,
 *     - somebody waits in disk_purge: a step a round until nothing is left.
 *
 *  (1) Blobs stay in the queue until their round is over: they are known there, counted, and referenced
 *      once.
 *  (2) Whatever becomes of a round, its blobs leave the queue: stored, or dropped and counted. Nothing
 *      waits for a disk.
 *  (3) The mutex is never held while the disk is touched.
 */
#include "../base/check.h"
#include "../base/turn.h"
#include "disk_state.h"

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

/* Under the mutex: when there is something to write or to do; 0 is now, UINT64_MAX is not yet known. */
static uint64_t writer_work_ns(const struct disk *disk)
{
    if (disk->stop || disk->suspect || disk->drops > 0 || disk->round_wanted != disk->round_done ||
        disk->quota_changed || disk->purge.state == PURGE_WANTED || disk->queue.bytes >= disk->batch_bytes ||
        disk->queue.count >= ROUND_BLOBS)
        return 0;
    return disk->queue.count > 0 ? queue_time_ns(&disk->queue) + disk->write_interval_ns : UINT64_MAX;
}

/* Under the mutex: what disk_set_quota and disk_purge asked for. The queue is purged here, where nothing of it
 * is peeked. */
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

/* Under the mutex: waits until a round is due, and takes what it is about. A mere look leaves the blobs where
 * they are: they wait for their batch. */
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
            disk_judge(disk, store_settle(&disk->store));
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
