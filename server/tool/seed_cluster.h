/*
 * One worker of a plan that is shared out (seed_queue.h): the blocks that it holds, and patience with the store.
 *
 *     take ──► MAKING ──all its tiles are in the sink to stay──► MADE ──the store was told──► free
 *                 │
 *                 └── the run ends ──► given back
 *
 * While the store is away nothing is taken; what is at hand is made, and told of when the store is back. Blocks that have
 * been taken by others meanwhile are made all the same: it is to the same bytes, and counts once.
 *
 * One thread.
 */
#ifndef TERRANE_SERVER_SEED_CLUSTER_H
#define TERRANE_SERVER_SEED_CLUSTER_H

#include "seed_queue.h"

struct seed_cluster;

struct seed_cluster_options {
    struct seed_queue_options queue;
    double patience_s; /* with a store that is away, until it is given up */
    bool anew;         /* where all is done already, begin once more */
    bool quiet;
};

struct seed_block {
    struct seed_plan plan;     /* its tiles */
    int64_t open;              /* the holder's: tiles that were asked for, and are not in the sink yet */
    bool asked;                /* the holder's: for all that it has not found */
    struct seed_counts counts; /* the holder's */
    /* the cluster's */
    enum { BLOCK_FREE, BLOCK_MAKING, BLOCK_MADE } state;
    struct seed_entry entry;
    bool
        lost; /* the shared tier lost its first entry, and perhaps tiles: it is to be looked through once more */
};

/* Owned; NULL with one line in error. Borrows what the options name for the call alone. */
struct seed_cluster *seed_cluster_open(const struct seed_cluster_options *options,
                                       char error[SEED_QUEUE_ERROR_BYTES]);

enum seed_taken {
    TAKEN_BLOCK,
    TAKEN_LATER, /* there is none now: tick, and ask again in a while */
    TAKEN_ALL,   /* everything is done */
    TAKEN_FAILED /* seed_cluster_error says why */
};

/* The next block to make. Does not ask the store more often than it makes sense to. */
enum seed_taken seed_cluster_take(struct seed_cluster *cluster, struct seed_block **block);

/* Whether some block waits only for the sink to commit. */
bool seed_cluster_is_ready(const struct seed_cluster *cluster);

/* All that was put into the sink is there to stay: blocks whose tiles have all come are made. */
void seed_cluster_committed(struct seed_cluster *cluster);

/* Tells the store what was made, and once a second that the worker lives, unless it idles (waits for its machine's load):
 * others may take its blocks then. Fills the part of progress that is about all workers. Often. */
void seed_cluster_tick(struct seed_cluster *cluster, bool idles, struct seed_progress *progress);

/* Gives back what is not made, and leaves. Once no more is taken. */
void seed_cluster_leave(struct seed_cluster *cluster, struct seed_progress *progress);

/* Where the store is, without secrets. */
const char *seed_cluster_place(const struct seed_cluster *cluster);
const char *seed_cluster_error(const struct seed_cluster *cluster);

/* NULL is fine. */
void seed_cluster_close(struct seed_cluster *cluster);

#endif
