/*
 * The jobs of the render pool: the table by key, the queues, who rests on whom, and who waits.
 *
 * Plain data without a lock: every call is made under the pool's. pool.h tells what the states mean.
 */
#ifndef TERRANE_SERVER_JOBS_H
#define TERRANE_SERVER_JOBS_H

#include "../metrics.h"
#include "pool.h"
#include "product.h"

enum { JOBS_TABLE = 4096 };

/* Workers serve them in this order. */
enum job_queue {
    QUEUE_LOOKING, /* to be looked for on disk */
    QUEUE_READY,   /* begun, and all inputs are there */
    QUEUE_REGIONS, /* regions that have not begun */
    QUEUE_TILES,   /* tiles that have not begun */
    QUEUES
};

enum job_state { JOB_QUEUED, JOB_BUSY, JOB_PARKED };

/* One input of a job. Until the blob is there it hangs in the list of the job that makes it. */
struct edge {
    struct job *owner, *input; /* input: NULL when the blob is there */
    struct blob *blob;         /* a reference */
    struct edge *next, *previous;
};

struct job {
    struct digest digest;
    struct product_key key;
    struct terrane_world world;
    enum job_state state;
    enum job_queue queue; /* while JOB_QUEUED */
    struct waiter *waiters;
    struct edge *dependants;
    int inputs, missing; /* of the first inputs edges, how many have no blob */
    struct edge input[PRODUCT_INPUTS_MAX];
    struct job *chain; /* in the table */
    struct job *next;  /* in a queue, or among those that have ended */
    uint64_t since_ns, begun_ns;
};

struct jobs {
    struct metrics *metrics;
    struct job *table[JOBS_TABLE];
    struct {
        struct job *first, **last;
        unsigned count;
    } queue[QUEUES];
    unsigned parked;
    unsigned tiles;                  /* that have been looked for, and are queued or parked */
    unsigned all;                    /* jobs in the table */
    struct waiter *soonest, *latest; /* by deadline */
};

void jobs_init(struct jobs *jobs, struct metrics *metrics);

struct job *jobs_find(struct jobs *jobs, const struct digest *digest);

/* A job of its maker's (JOB_BUSY), in the table; NULL when memory is short. */
struct job *jobs_create(struct jobs *jobs, const struct product_key *key, const struct digest *digest,
                        const struct terrane_world *world);

void jobs_push(struct jobs *jobs, enum job_queue queue, struct job *job);
struct job *jobs_pop(struct jobs *jobs,
                     enum job_queue queue); /* the first, JOB_BUSY now; NULL: the queue is empty */

/* Jobs that have begun, or were created for those, and that no worker has. */
unsigned jobs_begun(const struct jobs *jobs);

/* ---- Who rests on whom --------------------------------------------------------------------------------- */

void jobs_give(struct job *job, struct blob *blob);  /* the next input is there; takes the reference */
void jobs_await(struct job *job, struct job *input); /* the next input is what another job will make */
void jobs_park(struct jobs *jobs, struct job *job);  /* a busy job some of whose inputs are missing */
void jobs_deliver(struct jobs *jobs, struct job *job,
                  struct blob *blob); /* to all that rest on it: who has all is ready */

/*
 * Ends a busy job and all that rest on it: they leave the table, and hang in *ended by next for jobs_free; their waiters
 * in *waiters.
 */
void jobs_end(struct jobs *jobs, struct job *job, struct job **ended, struct waiter **waiters);

/* Drops what ended jobs hold, and frees them. The lock need not be held. Returns how many there were. */
unsigned jobs_free(struct job *ended);

/* ---- Who waits ----------------------------------------------------------------------------------------- */

void jobs_wait(struct jobs *jobs, struct job *job, struct waiter *waiter);

/* Takes a waiter out, in front of a chain by next. */
void jobs_release(struct jobs *jobs, struct waiter *waiter, struct waiter **out);

/* Is anybody still there who waits for the job, or for one that rests on it? Those found to have left go into *gone. */
bool jobs_wanted(struct jobs *jobs, struct job *job, struct waiter **gone);

#endif
