/*
 * The worker's side.
 */
#include "seed_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/check.h"

#define MS UINT64_C(1000000)

enum {
    BEAT_MS = 1000,
    LOOK_MS = 300, /* while others are at the last blocks */
    RETRY_FIRST_MS = 200,
    RETRY_MOST_MS = 3000,
    ANSWERS_MAX = 1000, /* of the store to one take: nonsense that it takes out, levels that are done */
};

struct seed_cluster {
    struct seed_queue *queue;
    struct seed_block block[SEED_HELD_MAX];
    double patience_s;
    bool anew, quiet;          /* anew: still to be told */
    uint64_t look_ns, beat_ns; /* when the store is asked, and told, next */
    uint64_t away_ns, retry_ns,
        pause_ns; /* since when it has been away, or 0; when it is tried next; the pause after that */
    bool refused, all, shared;
    int64_t claimed, total;
    char error[SEED_QUEUE_ERROR_BYTES + 64];
};

struct seed_cluster *seed_cluster_open(const struct seed_cluster_options *options,
                                       char error[SEED_QUEUE_ERROR_BYTES])
{
    struct seed_cluster *cluster = calloc(1, sizeof *cluster);
    snprintf(error, SEED_QUEUE_ERROR_BYTES, "out of memory");
    if (!cluster)
        return NULL;
    cluster->patience_s = options->patience_s;
    cluster->anew = options->anew;
    cluster->quiet = options->quiet;
    cluster->shared = options->queue.shared;
    cluster->total = seed_plan_tiles(options->queue.plan);
    cluster->queue = seed_queue_open(&options->queue, error);
    if (cluster->queue)
        return cluster;
    free(cluster);
    return NULL;
}

void seed_cluster_close(struct seed_cluster *cluster)
{
    if (!cluster)
        return;
    seed_queue_close(cluster->queue);
    free(cluster);
}

/* ---- The store comes and goes -------------------------------------------------------------------------- */

static bool is_away(const struct seed_cluster *cluster)
{
    return cluster->refused || (cluster->away_ns > 0 && uv_hrtime() < cluster->retry_ns);
}

/* Takes note of how a call ended; returns whether it was answered. */
static bool note(struct seed_cluster *cluster, enum seed_queue_answer answer)
{
    const uint64_t now = uv_hrtime();
    if (answer == QUEUE_REFUSED) {
        cluster->refused = true;
        snprintf(cluster->error, sizeof cluster->error, "%s", seed_queue_error(cluster->queue));
        return false;
    }
    if (answer != QUEUE_AWAY) {
        if (cluster->away_ns > 0 && !cluster->quiet)
            fprintf(stderr, "terrane seed: %s: is back\n", seed_queue_place(cluster->queue));
        cluster->away_ns = 0;
        return true;
    }
    if (cluster->away_ns == 0) {
        cluster->away_ns = now;
        cluster->pause_ns = RETRY_FIRST_MS * MS;
        if (!cluster->quiet && cluster->patience_s > 0)
            fprintf(stderr, "terrane seed: %s; trying again for %.0f s\n", seed_queue_error(cluster->queue),
                    cluster->patience_s);
    }
    snprintf(cluster->error, sizeof cluster->error, "%s; given up after %.0f s",
             seed_queue_error(cluster->queue), (double)(now - cluster->away_ns) / 1e9);
    cluster->retry_ns = now + cluster->pause_ns;
    cluster->pause_ns =
        cluster->pause_ns * 2 < RETRY_MOST_MS * MS ? cluster->pause_ns * 2 : RETRY_MOST_MS * MS;
    return false;
}

static bool is_given_up(const struct seed_cluster *cluster)
{
    return cluster->refused ||
           (cluster->away_ns > 0 && (double)(uv_hrtime() - cluster->away_ns) / 1e9 >= cluster->patience_s);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static struct seed_block *free_block(struct seed_cluster *cluster)
{
    for (int i = 0; i < SEED_HELD_MAX; i++)
        if (cluster->block[i].state == BLOCK_FREE)
            return &cluster->block[i];
    return NULL;
}

/* Whether an entry is of a block that is held already: the store had lost it, or the worker was silent. The new entry is
 * the one to look after then. */
static bool holds(struct seed_cluster *cluster, const struct seed_entry *entry)
{
    for (int i = 0; i < SEED_HELD_MAX; i++) {
        struct seed_block *block = &cluster->block[i];
        if (block->state == BLOCK_FREE || block->entry.number != entry->number)
            continue;
        if (strcmp(block->entry.id, entry->id) != 0) {
            seed_queue_drop(cluster->queue, &block->entry); /* where that fails, it is taken over in time */
            block->lost = cluster->shared;
        }
        block->entry = *entry;
        return true;
    }
    return false;
}

/* The entries of the blocks that are held; returns how many. */
static int list_held(const struct seed_cluster *cluster, const struct seed_entry *held[SEED_HELD_MAX])
{
    int count = 0;
    for (int i = 0; i < SEED_HELD_MAX; i++)
        if (cluster->block[i].state != BLOCK_FREE)
            held[count++] = &cluster->block[i].entry;
    return count;
}

/* Asks until there is something: at most ANSWERS_MAX times. */
static enum seed_queue_answer ask(struct seed_cluster *cluster, struct seed_entry *entry)
{
    const struct seed_entry *held[SEED_HELD_MAX];
    const int count = list_held(cluster, held);
    enum seed_queue_answer answer = QUEUE_OK;
    if (cluster->anew)
        answer = seed_queue_anew(cluster->queue);
    if (answer != QUEUE_OK)
        return answer;
    cluster->anew = false;
    answer = QUEUE_AGAIN;
    for (int i = 0; i < ANSWERS_MAX && answer == QUEUE_AGAIN; i++) {
        answer = seed_queue_take(cluster->queue, held, count, entry);
        if (answer == QUEUE_OK && holds(cluster, entry))
            answer = QUEUE_AGAIN;
    }
    return answer;
}

enum seed_taken seed_cluster_take(struct seed_cluster *cluster, struct seed_block **block)
{
    struct seed_entry entry;
    const uint64_t now = uv_hrtime();
    *block = NULL;
    if (cluster->all)
        return TAKEN_ALL;
    if (is_given_up(cluster))
        return TAKEN_FAILED;
    struct seed_block *empty = free_block(cluster);
    if (!empty || is_away(cluster) || now < cluster->look_ns)
        return TAKEN_LATER;
    const enum seed_queue_answer answer = ask(cluster, &entry);
    if (!note(cluster, answer))
        return is_given_up(cluster) ? TAKEN_FAILED : TAKEN_LATER;
    cluster->all = answer == QUEUE_END;
    if (cluster->all)
        return TAKEN_ALL;
    if (answer != QUEUE_OK) {
        cluster->look_ns = now + LOOK_MS * MS;
        return TAKEN_LATER;
    }
    *empty = (struct seed_block){.state = BLOCK_MAKING, .entry = entry};
    seed_queue_cut(cluster->queue, entry.number, &empty->plan);
    cluster->claimed += entry.claimed;
    *block = empty;
    return TAKEN_BLOCK;
}

static bool is_whole(const struct seed_block *block)
{
    return block->state == BLOCK_MAKING && block->asked && block->open == 0;
}

bool seed_cluster_is_ready(const struct seed_cluster *cluster)
{
    for (int i = 0; i < SEED_HELD_MAX; i++)
        if (is_whole(&cluster->block[i]))
            return true;
    return false;
}

void seed_cluster_committed(struct seed_cluster *cluster)
{
    for (int i = 0; i < SEED_HELD_MAX; i++)
        if (is_whole(&cluster->block[i]))
            cluster->block[i].state = BLOCK_MADE;
}

/* ---- Telling ------------------------------------------------------------------------------------------- */

static void tell_made(struct seed_cluster *cluster)
{
    for (int i = 0; i < SEED_HELD_MAX && !is_away(cluster); i++) {
        struct seed_block *block = &cluster->block[i];
        if (block->state != BLOCK_MADE ||
            !note(cluster, block->lost ? seed_queue_back(cluster->queue, &block->entry)
                                       : seed_queue_done(cluster->queue, &block->entry, &block->counts)))
            continue;
        block->state = BLOCK_FREE;
        cluster->look_ns = 0; /* that may have been the last */
    }
}

static void beat(struct seed_cluster *cluster, bool idles)
{
    const struct seed_entry *held[SEED_HELD_MAX];
    const uint64_t now = uv_hrtime();
    if (now < cluster->beat_ns || is_away(cluster))
        return;
    cluster->beat_ns = now + BEAT_MS * MS;
    note(cluster, seed_queue_beat(cluster->queue, held, idles ? 0 : list_held(cluster, held)));
}

/* Counters are for people: whatever they say, what is done is no more than there is, and at the end is all. */
static void fill(const struct seed_cluster *cluster, struct seed_progress *progress)
{
    struct seed_counts whole;
    if (!seed_queue_whole(cluster->queue, &whole))
        return;
    whole.made = whole.made < cluster->total ? whole.made : cluster->total;
    const int64_t rest = cluster->total - whole.made;
    whole.found = cluster->all || whole.found > rest ? rest : whole.found;
    progress->whole = whole;
    if (!progress->shared)
        progress->made_before = whole.made;
    progress->shared = true;
    progress->claimed = cluster->claimed;
}

void seed_cluster_tick(struct seed_cluster *cluster, bool idles, struct seed_progress *progress)
{
    static const char for_store[] = "waits for the store", for_others[] = "waits for other workers";
    const struct seed_entry *held[SEED_HELD_MAX];
    if (progress->waits == for_store || progress->waits == for_others)
        progress->waits = NULL;
    tell_made(cluster);
    beat(cluster, idles);
    fill(cluster, progress);
    if (cluster->away_ns > 0)
        progress->waits = for_store;
    else if (!progress->waits && !cluster->all && uv_hrtime() < cluster->look_ns &&
             list_held(cluster, held) == 0)
        progress->waits = for_others;
}

void seed_cluster_leave(struct seed_cluster *cluster, struct seed_progress *progress)
{
    if (cluster->away_ns > 0)
        cluster->retry_ns = 0; /* once more, now */
    tell_made(cluster);
    for (int i = 0; i < SEED_HELD_MAX && !is_away(cluster); i++) {
        struct seed_block *block = &cluster->block[i];
        if (block->state == BLOCK_MAKING && note(cluster, seed_queue_back(cluster->queue, &block->entry)))
            block->state = BLOCK_FREE;
    }
    if (!is_away(cluster))
        note(cluster, seed_queue_leave(cluster->queue));
    fill(cluster, progress);
}

const char *seed_cluster_place(const struct seed_cluster *cluster)
{
    return seed_queue_place(cluster->queue);
}

const char *seed_cluster_error(const struct seed_cluster *cluster)
{
    return cluster->error;
}
