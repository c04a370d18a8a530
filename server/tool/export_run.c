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

#include "../encode/encode.h"
#include "errands.h"

enum {
    AHEAD_PER_THREAD = 64, /* tiles, of all layers: those of several regions */
    SLICE_MS = 100
};

/* An errand's `what` is its layer, `which` the tile of the set whose heights are to be written; below 0: its key is asked for. */
struct work {
    const struct export_run *run;
    const struct export_set *set;
    struct export_sheets sheets;
    struct seed_progress *progress;
    struct errands errands;
    bool *asked; /* tiles of the world, layer by layer */
    struct export_rect all;
};

/* ---- Jobs ---------------------------------------------------------------------------------------------- */

static void receive(struct errand *errand)
{
    struct work *work = errand->errands->user;
    const struct waiter *waiter = &errand->waiter;
    if (errand->which >= 0)
        return;
    if (waiter->outcome == POOL_DONE) {
        if (!atomic_load(&work->sheets.failed))
            export_sheets_fill(&work->sheets, (enum export_layer)errand->what, &errand->key, waiter->blob);
        blob_release(waiter->blob);
    } else if (waiter->outcome != POOL_STOPPED) {
        export_sheets_fail(&work->sheets, "out of memory");
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
    struct errand *errand = NULL;
    for (unsigned wait_ms = 0; goes_on(work) && !(errand = errands_next(&work->errands));
         wait_ms = SLICE_MS) {
        errands_take(&work->errands, wait_ms);
        tell(work);
    }
    if (errand) {
        errand->what = (int)layer;
        errand->which = tile;
    }
    return errand;
}

static void wait_for_all(struct work *work)
{
    while (work->errands.under_way > 0 && goes_on(work)) {
        errands_take(&work->errands, SLICE_MS);
        tell(work);
    }
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static void ask(struct work *work, enum export_layer layer, int64_t x, int64_t y)
{
    struct errand *errand = next_errand(work, layer, -1);
    if (!errand)
        return;
    errand->key = export_set_key(work->set, work->run->key, layer, x, y);
    const struct digest digest = tile_key_digest(&errand->key, work->run->world);
    errands_ask(&work->errands, errand, &digest, work->run->world);
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
    struct errand *errand = (struct errand *)waiter;
    struct work *work = errand->errands->user;
    if (goes_on(work))
        export_sheets_write(&work->sheets, (enum export_layer)errand->what, errand->which);
}

static void write_all(struct work *work)
{
    const int tiles = work->sheets.tiles;
    if (!work->sheets.ranged)
        export_sheets_find_range(&work->sheets);
    for (int i = 0; i < tiles * EXPORT_LAYERS && goes_on(work); i++) {
        const enum export_layer layer = (enum export_layer)(i / tiles);
        if (!export_sheets_wait(&work->sheets, layer, i % tiles))
            continue;
        struct errand *errand = next_errand(work, layer, i % tiles);
        if (errand && !errands_run(&work->errands, errand, write_waiting))
            export_sheets_fail(&work->sheets, "out of memory");
    }
    wait_for_all(work);
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static bool work_open(struct work *work, struct export_folder *folder, const enum export_state *state)
{
    const struct export_run *run = work->run;
    const struct export_rect *all = &work->all;
    const size_t count = (size_t)((all->x1 - all->x0) * (all->y1 - all->y0)) * EXPORT_LAYERS;
    const bool opened = export_sheets_open(&work->sheets, work->set, folder, state) == 0;
    work->asked = calloc(count, sizeof *work->asked);
    return errands_open(&work->errands, run->threads, AHEAD_PER_THREAD * run->threads, run->memory_bytes,
                        true) &&
           opened && work->asked;
}

static void work_close(struct work *work)
{
    errands_close(&work->errands);
    export_sheets_close(&work->sheets);
    free(work->asked);
}

static void make(struct work *work)
{
    make_all(work);
    if (goes_on(work) && export_set_waits(work->set)) {
        work->progress->waits = "writes heights";
        write_all(work);
    }
    errands_end(&work->errands);
    tell(work);
    work->progress->waits = NULL;
}

enum seed_result export_run(const struct export_run *run, struct export_folder *folder,
                            const enum export_state *state, struct seed_progress *progress, float *low_m,
                            float *high_m, char error[static EXPORT_ERROR_BYTES])
{
    struct work work = {.run = run,
                        .set = run->set,
                        .progress = progress,
                        .errands = {.received = receive, .user = &work},
                        .all = export_set_all(run->set)};
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
