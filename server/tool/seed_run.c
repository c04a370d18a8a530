/*
 * Seeding.
 *
 *      plan ──► this thread ──has it?──► pool ──► wake ──► this thread ──► sink
 *
 * This thread alone knows the sink: it asks for what is missing, a bounded number of tiles ahead, and stores
 * what has come. So the pool waits when the sink is slow. The pool makes what several tiles rest on once, and
 * keeps it while it lasts; it has no disk of its own here: what it would look for there is looked for before it
 * is asked, and regions stay out of the cache, whose quota is for tiles.
 *
 * Tiles ahead: those of several regions, or all threads but one would wait while the one region is made that
 * all tiles rest on.
 */
#include "seed_run.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "../encode/encode.h"
#include "errands.h"

#define SECOND_NS UINT64_C(1000000000)

enum {
    AHEAD_PER_THREAD = 32, /* tiles: two regions of 4 x 4 */
    LOOKS_AT_ONCE = 1000,  /* tiles looked for before anything else gets a turn */
    SLICE_MS = 100,
    STOPPED_STATUS = 3,
};

static atomic_bool stop_wanted;

static void on_signal(int number)
{
    (void)number;
    if (atomic_exchange(&stop_wanted, true))
        _exit(STOPPED_STATUS);
}

void seed_run_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* whoever listened is gone: the work is not */
}

bool seed_run_is_stopped(void)
{
    return atomic_load(&stop_wanted);
}

/* ---- Jobs ---------------------------------------------------------------------------------------------- */

struct work {
    const struct seed_run *run;
    struct seed_sink *sink;
    struct seed_progress *progress;
    struct errands errands;
    struct seed_cursor cursor;
    bool pending, asked_all;    /* a key waits for its turn; the plan has no more */
    struct tile_key key;        /* that one */
    uint64_t due_ns, commit_ns; /* when the rate allows a tile, and the sink is to be committed */
    uint64_t load_ns;           /* when the load average is read next */
    bool loaded;
    const char *error;
};

/* Stores a tile that has come. */
static void take(struct errand *errand)
{
    struct work *work = errand->errands->user;
    const struct waiter *waiter = &errand->waiter;
    if (waiter->outcome == POOL_DONE) {
        if (!work->error && seed_sink_put(work->sink, &errand->key, waiter->blob) != 0)
            work->error = seed_sink_error(work->sink);
        blob_release(waiter->blob);
    } else if (waiter->outcome != POOL_STOPPED && !work->error) {
        work->error = "out of memory";
    }
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

/* Whether the rate and the machine's load allow another tile now. */
static bool may_ask(struct work *work, uint64_t now)
{
    double average = 0;
    if (work->run->load > 0 && now >= work->load_ns) {
        work->load_ns = now + SECOND_NS;
        work->loaded = getloadavg(&average, 1) == 1 && average > work->run->load;
    }
    work->progress->waits = work->loaded ? "waits for the load to fall" : NULL;
    return !work->loaded && (work->run->rate <= 0 || now >= work->due_ns);
}

/* At the rate's pace; what was missed is not made up for. */
static void pace(struct work *work, uint64_t now)
{
    if (work->run->rate <= 0)
        return;
    const uint64_t step = (uint64_t)(1e9 / work->run->rate);
    work->due_ns = (work->due_ns + SECOND_NS < now ? now : work->due_ns) + step;
}

/* Goes on in the plan as far as rate, load and the number of tiles ahead allow. */
static void ask_more(struct work *work)
{
    for (int looks = 0; looks < LOOKS_AT_ONCE && !work->error; looks++) {
        const uint64_t now = uv_hrtime();
        if (!work->pending) {
            work->pending = seed_plan_next(work->run->plan, &work->cursor, &work->key);
            work->asked_all = !work->pending;
            if (work->asked_all)
                return;
        }
        const struct digest digest = tile_key_digest(&work->key, work->run->world);
        const int has = seed_sink_has(work->sink, &work->key, &digest);
        if (has < 0) {
            work->error = seed_sink_error(work->sink);
        } else if (has > 0) {
            work->progress->found++;
            work->pending = false;
        } else {
            struct errand *errand = may_ask(work, now) ? errands_next(&work->errands) : NULL;
            if (!errand)
                return;
            pace(work, now);
            errand->key = work->key;
            errands_ask(&work->errands, errand, &digest, work->run->world);
            work->pending = false;
        }
    }
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static void commit(struct work *work)
{
    if (!work->error && seed_sink_commit(work->sink) != 0)
        work->error = seed_sink_error(work->sink);
    work->commit_ns = uv_hrtime() + SECOND_NS / 2;
}

static void tell(struct work *work)
{
    seed_sink_stored(work->sink, &work->progress->made, &work->progress->bytes);
    seed_progress_tell(work->progress);
}

/* Until all is made, or something ends it. What has come by then is stored; tiles that are being made are forgotten. */
static void make_all(struct work *work)
{
    commit(work);
    while (!work->error && !seed_run_is_stopped() && (!work->asked_all || work->errands.under_way > 0)) {
        ask_more(work);
        const bool waits = work->errands.under_way > 0 || work->pending;
        errands_take(&work->errands, waits ? work->run->rate > 0 ? 1 + SLICE_MS / 10 : SLICE_MS : 0);
        if (uv_hrtime() >= work->commit_ns)
            commit(work);
        tell(work);
    }
    errands_end(&work->errands); /* or tiles would still come while the others are committed */
    commit(work);
    tell(work);
}

const char *const seed_result_name[] = {"done", "failed", "stopped"};

enum seed_result seed_run(const struct seed_run *run, struct seed_sink *sink, struct seed_progress *progress,
                          char error[SEED_SINK_ERROR_BYTES])
{
    struct work work = {.run = run,
                        .sink = sink,
                        .progress = progress,
                        .errands = {.taken = take, .user = &work},
                        .cursor.level = run->plan->coarsest};
    enum seed_result result = SEED_FAILED;
    seed_progress_tell(progress);
    if (errands_open(&work.errands, run->threads, AHEAD_PER_THREAD * run->threads, run->memory_bytes, false))
        make_all(&work);
    else
        work.error = "out of memory, or threads";
    if (seed_run_is_stopped() && (!work.error || seed_sink_was_stopped(sink)))
        result = SEED_STOPPED;
    if (!work.error && result != SEED_STOPPED) {
        progress->waits = "writes the archive";
        const int finished = seed_sink_finish(sink, seed_run_is_stopped);
        result = finished == 0 ? SEED_DONE : finished > 0 ? SEED_STOPPED : SEED_FAILED;
        if (finished < 0)
            work.error = seed_sink_error(sink);
    }
    if (result == SEED_FAILED)
        snprintf(error, SEED_SINK_ERROR_BYTES, "%s", work.error);
    errands_close(&work.errands);
    seed_progress_end(progress, seed_result_name[result]);
    return result;
}
