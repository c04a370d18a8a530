/*
 * The jobs of the render pool: the table by key, the queues, who rests on whom, and who waits.
 *
 * Plain data without a lock: every call is made under the pool's. pool.h tells what the states mean; jobs.c, jobs_queue.c
 * and jobs_wait.c what holds between calls.
 */
#ifndef TERRANE_SERVER_JOBS_H
#define TERRANE_SERVER_JOBS_H

#include "../metrics.h"
#include "pool.h"
#include "product.h"

enum { JOBS_TABLE = 4096, JOBS_ALL_CLASSES = (1 << CLASSES) - 1 };

enum job_queue {
    QUEUE_LOOKING, /* to be looked for on disk */
    QUEUE_ASKING,  /* to be asked for in the shared tier */
    QUEUE_ABROAD,  /* another node makes it: to be asked for again at its again_ns */
    QUEUE_READY,   /* begun, and all inputs are there */
    QUEUE_REGIONS, /* what others rest on and has not begun: regions, and tiles that are to be coded */
    QUEUE_TILES,   /* other tiles that have not begun */
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
    struct shared *owner;    /* a reference: key and world borrow from it */
    enum metric_class class; /* the most urgent one of those who want it */
    enum job_state state;
    enum job_queue queue; /* while JOB_QUEUED, and the last one while JOB_BUSY */
    struct waiter *waiters;
    struct edge *dependants;
    int inputs, missing; /* of the first inputs edges, how many have no blob */
    struct edge input[PRODUCT_INPUTS_MAX];
    struct job *chain;                             /* in the table */
    struct job *next, *previous;                   /* in a queue; next alone: among those that have ended */
    struct job *prefetch_next, *prefetch_previous; /* of those that a prefetch wants */
    uint64_t until_ns;                             /* a prefetch wants it until then; 0: none does */
    bool needed;       /* a job rests on it, or did: every region, and plain tiles to be coded */
    bool prefetched;   /* a prefetch asked for it first */
    bool asked;        /* somebody waits for it, or did */
    bool leased;       /* other nodes leave it to this one: whoever ends the job gives the lease back */
    uint64_t since_ns; /* when the tile was asked for that needed it first */
    uint64_t begun_ns;
    uint64_t asking_ns;       /* when it came into QUEUE_ASKING */
    uint64_t shared_ns;       /* spent on asking the shared tier */
    uint64_t abroad_until_ns; /* it waits for another node until then at the latest; 0: it never has */
    uint64_t again_ns;        /* while abroad: when to ask again */
    uint64_t pause_ns;        /* between the last two times */
};

struct jobs {
    struct metrics *metrics;
    struct job *table[JOBS_TABLE];
    struct {
        struct job *first, *last; /* by since_ns; of those abroad by again_ns */
    } queue[QUEUES][CLASSES];
    unsigned all; /* jobs in the table */
    unsigned parked;
    unsigned begun[CLASSES];      /* jobs that have begun, or were made for those, and that no worker has */
    unsigned places[CLASSES];     /* those of each class among tiles */
    uint64_t penalty_ns[CLASSES]; /* as if a job had come so much later */
    unsigned looking; /* tiles to be looked for, on disk or for the first time in the shared tier */
    unsigned tiles;   /* that have been looked for, and are queued or parked */
    unsigned waiting; /* waiters */
    struct waiter *soonest, *latest;            /* by deadline */
    struct waiter *asking;                      /* who is asked next whether he has left; NULL: the soonest */
    struct job *prefetch_first, *prefetch_last; /* of those that a prefetch wants, by until_ns */
};

void jobs_init(struct jobs *jobs, struct metrics *metrics);

struct job *jobs_find(struct jobs *jobs, const struct digest *digest);

/* What a job is made from. Borrows all; the job holds the owner. */
struct job_order {
    const struct product_key *key;
    const struct digest *digest;
    const struct terrane_world *world;
    struct shared *owner;
    enum metric_class class;
    uint64_t since_ns;
    bool needed;
};

/* A job of its maker's (JOB_BUSY), in the table; NULL when memory is short. */
struct job *jobs_create(struct jobs *jobs, const struct job_order *order);

/*
 * Ends a busy job, all that rest on it, and all that only those wanted: they leave the table, and hang in *ended by next
 * for jobs_free; their waiters in *waiters.
 */
void jobs_end(struct jobs *jobs, struct job *job, struct job **ended, struct waiter **waiters);

/* Drops what ended jobs hold, and frees them. Without the lock: the last of an owner frees it. */
void jobs_free(struct job *ended);

/* ---- Queues -------------------------------------------------------------------------------------------- */

/* A busy job, to where its age belongs among those of its class. */
void jobs_push(struct jobs *jobs, enum job_queue queue, struct job *job);

/* A queued or parked job, which is busy from here on. */
void jobs_take(struct jobs *jobs, struct job *job);

/* A busy job some of whose inputs are missing. */
void jobs_park(struct jobs *jobs, struct job *job);

/* Whose turn it is in a queue, among classes (1 << class, or'ed); NULL: nobody's. Of those abroad: who asks again first. */
struct job *jobs_first(const struct jobs *jobs, enum job_queue queue, unsigned classes);

/* The smaller, the earlier its turn: an order over all queues. */
uint64_t jobs_due_ns(const struct jobs *jobs, const struct job *job);

/* A job that no worker has is one that others rest on from now on: served like a region, however full the queue of tiles is. */
void jobs_need(struct jobs *jobs, struct job *job);

/* The job, and what it rests on, are wanted by somebody of that class, too. Returns whether that changed anything. */
bool jobs_raise(struct jobs *jobs, struct job *job, enum metric_class class);

/* ---- Who rests on whom --------------------------------------------------------------------------------- */

void jobs_give(struct job *job, struct blob *blob); /* the next input is there; takes the reference */
/* The next input is what another job will make; it is raised to the class of this one. */
void jobs_await(struct jobs *jobs, struct job *job, struct job *input);
void jobs_deliver(struct jobs *jobs, struct job *job,
                  struct blob *blob); /* to all that rest on it: who has all is ready */

/* ---- Who waits ----------------------------------------------------------------------------------------- */

void jobs_wait(struct jobs *jobs, struct job *job, struct waiter *waiter);

/* Takes a waiter out, in front of a chain by next. What nobody wants any more ends. */
void jobs_release(struct jobs *jobs, struct waiter *waiter, struct waiter **out, struct job **ended);

/* Asks some waiters, each in turn over calls, whether they have left, and releases those. Returns how many. */
unsigned jobs_ask_leavers(struct jobs *jobs, unsigned most, struct waiter **gone, struct job **ended);

/* A prefetch wants a new job until then: not before any that another one wants. */
void jobs_prefetch(struct jobs *jobs, struct job *job, uint64_t until_ns);

/* Prefetches want no more what they wanted until now. What nobody wants any more ends. */
void jobs_forget(struct jobs *jobs, uint64_t now_ns, struct job **ended);

/* Does anybody wait for the job, or rest on it, or has a prefetch asked for it? Constant time. */
bool jobs_wanted(const struct job *job);

/* Likewise, and is he still there? Asks waiters of the job, and of those that rest on it, until one is. */
bool jobs_present(const struct job *job);

/* Ends a job that nobody wants and no worker has. */
void jobs_collect(struct jobs *jobs, struct job *job, struct job **ended);

#endif
