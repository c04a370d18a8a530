/*
 * Exporting.
 *
 *      set ──► this thread ──► pool ──► workers: tile ──► sheets ──the last tile──► file
 *
 * Tiles of the world are asked for in the order of the set's tiles that they lie in, all layers of one after the other, so that what they
 * rest on is made once. The worker that has made a tile puts it into the sheets, and the one that brings a sheet's last tile writes its
 * files: this thread asks and tells alone. Heights that wait for the range are written by workers, too.
 */
#include "export_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "../jobs/pool.h"

enum {
    AHEAD_PER_THREAD = 64, /* tiles, of all layers: those of several regions */
    SLICE_MS = 100,
    SPARE_PLACES = 16
};

struct errand {
    struct waiter waiter; /* first */
    struct work *work;
    struct tile_key key;
    enum export_layer layer;
    int tile; /* of the set: whose heights are to be written; below 0: key is asked for */
    struct errand *next;
};

struct work {
    const struct export_run *run;
    const struct export_set *set;
    struct export_sheets sheets;
    struct seed_progress *progress;
    struct metrics *metrics;
    struct memory *memory;
    struct pool *pool;
    bool *asked; /* tiles of the world, layer by layer */
    struct export_rect all;
    struct errand *job, *free;
    unsigned ahead, under_way;
    uv_mutex_t lock;
    uv_cond_t some;
    struct errand *come; /* under the lock */
};

/* ---- Jobs ---------------------------------------------------------------------------------------------- */

/* What has come: on a worker, but for what was at hand. */
static void receive(struct errand *job)
{
    struct work *work = job->work;
    struct waiter *waiter = &job->waiter;
    if (job->tile >= 0)
        return;
    if (waiter->outcome == POOL_DONE) {
        if (!atomic_load(&work->sheets.failed))
            export_sheets_fill(&work->sheets, job->layer, &job->key, waiter->blob);
        blob_release(waiter->blob);
    } else if (waiter->outcome != POOL_STOPPED) {
        export_sheets_fail(&work->sheets, "out of memory");
    }
}

static void wake(struct waiter *waiter)
{
    struct errand *job = (struct errand *)waiter;
    struct work *work = job->work;
    receive(job);
    uv_mutex_lock(&work->lock);
    job->next = work->come;
    work->come = job;
    uv_cond_signal(&work->some);
    uv_mutex_unlock(&work->lock);
}

static bool left(struct waiter *waiter)
{
    (void)waiter;
    return false;
}

static void give_back(struct work *work, struct errand *job)
{
    job->next = work->free;
    work->free = job;
    work->under_way--;
}

/* Takes back the errands that are done. wait_ms: for as long where none is. */
static void take_all(struct work *work, unsigned wait_ms)
{
    uv_mutex_lock(&work->lock);
    if (!work->come && wait_ms > 0)
        uv_cond_timedwait(&work->some, &work->lock, wait_ms * UINT64_C(1000000));
    struct errand *come = work->come;
    work->come = NULL;
    uv_mutex_unlock(&work->lock);
    for (struct errand *next; come; come = next) {
        next = come->next;
        give_back(work, come);
    }
}

static bool goes_on(const struct work *work)
{
    return !atomic_load(&work->sheets.failed) && !seed_run_is_stopped();
}

static void tell(struct work *work)
{
    work->progress->made = atomic_load(&work->sheets.made);
    work->progress->bytes = (uint64_t)atomic_load(&work->sheets.bytes);
    seed_progress_tell(work->progress);
}

/* An errand that is free; NULL: the run ends. */
static struct errand *next_errand(struct work *work, enum export_layer layer, int tile)
{
    while (work->under_way == work->ahead && goes_on(work)) {
        take_all(work, SLICE_MS);
        tell(work);
    }
    if (!goes_on(work))
        return NULL;
    take_all(work, 0);
    tell(work);
    struct errand *job = work->free;
    work->free = job->next;
    *job =
        (struct errand){.waiter = {.wake = wake, .left = left}, .work = work, .layer = layer, .tile = tile};
    work->under_way++;
    return job;
}

static void wait_for_all(struct work *work)
{
    while (work->under_way > 0 && goes_on(work)) {
        take_all(work, SLICE_MS);
        tell(work);
    }
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static void ask(struct work *work, enum export_layer layer, int64_t x, int64_t y)
{
    struct errand *job = next_errand(work, layer, -1);
    if (!job)
        return;
    job->key = export_set_key(work->set, work->run->key, layer, x, y);
    const struct digest digest = tile_key_digest(&job->key, work->run->world);
    const struct pool_ask asked = {
        .key = &job->key, .digest = &digest, .world = work->run->world, .class = CLASS_WAITING};
    if (pool_submit(work->pool, &asked, &job->waiter))
        return;
    receive(job);
    give_back(work, job);
}

/* Asks for what a tile of the set lacks, and nobody has asked for. */
static void ask_for_tile(struct work *work, int tile)
{
    const struct export_set *set = work->set;
    const struct export_rect rect = export_set_touched(set, tile % set->across, tile / set->across),
                             *all = &work->all;
    const int64_t across = all->x1 - all->x0, count = across * (all->y1 - all->y0);
    for (int64_t y = rect.y0; y < rect.y1; y++)
        for (int64_t x = rect.x0; x < rect.x1; x++)
            for (int layer = 0; layer < EXPORT_LAYERS; layer++) {
                bool *asked = &work->asked[layer * count + (y - all->y0) * across + x - all->x0];
                if (!export_sheets_want(&work->sheets, (enum export_layer)layer, tile) || *asked ||
                    !goes_on(work))
                    continue;
                *asked = true;
                ask(work, (enum export_layer)layer, x, y);
            }
}

static void make_all(struct work *work)
{
    for (int tile = 0; tile < work->sheets.tiles && goes_on(work); tile++)
        ask_for_tile(work, tile);
    wait_for_all(work);
}

/* ---- Heights that wait for the range ------------------------------------------------------------------- */

static void write_waiting(struct waiter *waiter)
{
    struct errand *job = (struct errand *)waiter;
    if (goes_on(job->work))
        export_sheets_write(&job->work->sheets, job->layer, job->tile);
}

static void write_all(struct work *work)
{
    const struct payer payer = {0};
    const int tiles = work->sheets.tiles;
    if (!work->sheets.ranged)
        export_sheets_find_range(&work->sheets);
    for (int i = 0; i < tiles * EXPORT_LAYERS && goes_on(work); i++) {
        const enum export_layer layer = (enum export_layer)(i / tiles);
        if (!export_sheets_wait(&work->sheets, layer, i % tiles))
            continue;
        struct errand *job = next_errand(work, layer, i % tiles);
        if (job && !pool_run(work->pool, &payer, CLASS_WAITING, write_waiting, &job->waiter)) {
            export_sheets_fail(&work->sheets, "out of memory");
            give_back(work, job);
        }
    }
    wait_for_all(work);
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static bool work_open(struct work *work, struct export_folder *folder, const enum export_state *state)
{
    const struct export_run *run = work->run;
    const struct export_rect *all = &work->all;
    const size_t count = (size_t)((all->x1 - all->x0) * (all->y1 - all->y0)) * EXPORT_LAYERS;
    work->ahead = AHEAD_PER_THREAD * run->threads;
    uv_mutex_init(&work->lock);
    uv_cond_init(&work->some);
    work->metrics = calloc(1, sizeof *work->metrics);
    work->memory = memory_create(run->memory_bytes);
    work->asked = calloc(count, sizeof *work->asked);
    work->job = calloc(work->ahead, sizeof *work->job);
    if (export_sheets_open(&work->sheets, work->set, folder, state) != 0 || !work->metrics || !work->memory ||
        !work->asked || !work->job)
        return false;
    for (unsigned i = 0; i < work->ahead; i++) {
        work->job[i].next = work->free;
        work->free = &work->job[i];
    }
    work->pool = pool_start(&(struct pool_options){.threads = run->threads,
                                                   .queue = work->ahead + SPARE_PLACES,
                                                   .deadline_ms = UINT32_MAX,
                                                   .memory = work->memory,
                                                   .metrics = work->metrics});
    return work->pool != NULL;
}

static void work_close(struct work *work)
{
    pool_free(work->pool);
    memory_free(work->memory);
    free(work->metrics);
    export_sheets_close(&work->sheets);
    free(work->asked);
    free(work->job);
    uv_cond_destroy(&work->some);
    uv_mutex_destroy(&work->lock);
}

static void make(struct work *work)
{
    make_all(work);
    if (goes_on(work) && export_set_waits(work->set)) {
        work->progress->waits = "writes heights";
        write_all(work);
    }
    pool_join(work->pool); /* what is under way ends */
    take_all(work, 0);
    CHECK(work->under_way == 0);
    tell(work);
    work->progress->waits = NULL;
}

enum seed_result export_run(const struct export_run *run, struct export_folder *folder,
                            const enum export_state *state, struct seed_progress *progress, float *low_m,
                            float *high_m, char error[static EXPORT_ERROR_BYTES])
{
    struct work work = {.run = run, .set = run->set, .progress = progress, .all = export_set_all(run->set)};
    seed_progress_tell(progress);
    if (work_open(&work, folder, state))
        make(&work);
    else
        export_sheets_fail(&work.sheets, "out of memory, or threads");
    *low_m = work.sheets.low_m;
    *high_m = work.sheets.high_m;
    snprintf(error, EXPORT_ERROR_BYTES, "%s", work.sheets.error);
    const bool failed = atomic_load(&work.sheets.failed);
    work_close(&work);
    return failed ? SEED_FAILED : seed_run_is_stopped() ? SEED_STOPPED : SEED_DONE;
}
