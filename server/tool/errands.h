/*
 * What seed and export ask of a pool of their own: a bounded number of errands, each for a tile, or for other work of its workers.
 */
#ifndef TERRANE_SERVER_ERRANDS_H
#define TERRANE_SERVER_ERRANDS_H

#include <uv.h>

#include "../jobs/pool.h"

struct errand {
    struct waiter waiter; /* first */
    struct errands *errands;
    struct tile_key key;
    int what, which; /* the run's own */
    struct errand *next;
};

struct errands {
    /* What has come is received; NULL: not there. On a worker, but for what is at hand ... */
    void (*received)(struct errand *errand);
    /* ... and on the thread that asks, from errands_take, oldest first. It sees each once, and then it is free again. */
    void (*taken)(struct errand *errand);
    void *user;
    struct pool *pool;
    unsigned under_way;
    /* ---- its own ---- */
    struct metrics *metrics;
    struct memory *memory;
    struct errand *errand, *free;
    uv_mutex_t lock;
    uv_cond_t some;
    struct errand *come; /* under the lock */
};

/* A pool of so many threads, and errands; memory_bytes are for what several tiles are made from; untold as of struct pool_options. received, taken and user stand. false: memory or
 * threads are short; errands_close all the same. */
bool errands_open(struct errands *errands, unsigned threads, unsigned count, uint64_t memory_bytes,
                  bool untold);
void errands_close(struct errands *errands);

/* One that is free, under way from now on; NULL: there is none. */
struct errand *errands_next(struct errands *errands);

/* Asks for its key. */
void errands_ask(struct errands *errands, struct errand *errand, const struct digest *digest,
                 const struct terrane_world *world);

/* Has a worker run its work. false: memory is short, and the errand is free again. */
bool errands_run(struct errands *errands, struct errand *errand, void (*work)(struct waiter *waiter));

/* Takes those that have come. wait_ms: for as long where none has. */
void errands_take(struct errands *errands, unsigned wait_ms);

/* Lets what workers have in hand end, forgets the rest, and takes all. */
void errands_end(struct errands *errands);

#endif
