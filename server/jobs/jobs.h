/*
 * The render pool from inside: its jobs, and what asking (pool.c), working (pool_work.c) and finding (pool_find.c) share.
 *
 * The jobs, whose functions begin with jobs_, are the table by key, the queues, what rests on what, what waits, and whose turn it
 * is: plain data without a lock, and every call is made under the pool's. pool.h tells what the states mean; jobs.c,
 * jobs_queue.c and jobs_flow.c what holds between calls.
 */
#ifndef TERRANE_SERVER_JOBS_H
#define TERRANE_SERVER_JOBS_H

#include <uv.h>

#include "../observe/metrics.h"
#include "../render/product.h"
#include "pool.h"

enum { JOBS_TABLE = 4096, JOBS_FLOWS = 1024, JOBS_ALL_CLASSES = (1 << CLASSES) - 1 };

enum job_queue {
    QUEUE_LOOKING, /* to be looked for on disk */
    QUEUE_ASKING,  /* to be asked for in the shared tier */
    QUEUE_ABROAD,  /* another node makes it: to be asked for again at its again_ns */
    QUEUE_READY,   /* begun, and all inputs are there; from here on to be made, and of its flow's */
    QUEUE_REGIONS, /* what others rest on and has not begun: regions, and tiles that are to be coded */
    QUEUE_TILES,   /* other tiles that have not begun */
    QUEUES,
    QUEUES_MADE = QUEUES - QUEUE_READY
};

enum job_state { JOB_QUEUED, JOB_BUSY, JOB_PARKED };

/* One input of a job. Until the blob is there it hangs in the list of the job that makes it. */
struct edge {
    struct job *owner, *input; /* input: NULL when the blob is there */
    struct blob *blob;         /* a reference */
    struct edge *next, *previous;
};

struct job_list {
    struct job *first, *last; /* by since_ns; of those abroad by again_ns */
};

/*
 * A client's share of the workers: its jobs that are to be made, and what it has had. While it has none it is kept for a while,
 * so that no client begins anew by stopping.
 */
struct flow {
    struct payer payer;
    unsigned references;      /* of jobs, waiters and workers */
    unsigned queued;          /* jobs in its queues */
    unsigned tiles;           /* those that are looked for and those that wait to be made */
    unsigned places[CLASSES]; /* the latter */
    unsigned begun;           /* as jobs.begun, of all classes */
    unsigned in_hand;         /* jobs that workers make for it now */
    bool held;                /* what is in hand may cost all that it has: until one of these is done */
    uint64_t start_ns;        /* of its turn, in virtual time: whose is earlier is served first ... */
    uint64_t drawn;           /* ... and of equal ones, whose was set first */
    uint64_t used_ns;         /* CPU time that it has had of its turn */
    uint64_t moved_ns;        /* when a worker last took a job for it, or had done with one */
    struct job_list queue[QUEUES_MADE][CLASSES];
    struct flow *chain;           /* in the table */
    struct flow *next, *previous; /* among those with jobs queued, or among the idle */
};

struct job {
    struct digest digest;
    struct product_key key;
    struct product_plan plan; /* once it has begun */
    struct terrane_world world;
    struct refcount *owner;             /* a reference: key and world borrow from it */
    struct flow *flow;                  /* a reference: it pays, and it has to be its turn */
    void (*run)(struct waiter *waiter); /* what is done instead of a product; NULL: a product is made */
    enum metric_class class;            /* the most urgent one of those that want it */
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
    bool root;                                     /* a tile that has been begun for itself */
    bool needed;       /* a job rests on it, or did: every region, and plain tiles to be coded */
    bool prefetched;   /* a prefetch asked for it first */
    bool asked;        /* a request waits for it, or did */
    bool leased;       /* other nodes leave it to this one: ending the job gives the lease back */
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
    struct job_list queue[QUEUE_READY][CLASSES]; /* of all flows */
    struct flow *flow[JOBS_FLOWS];               /* the table */
    struct flow *runnable;                       /* with jobs queued, by next */
    struct flow *idle_first, *idle_last;         /* without references, by when they lost the last one */
    unsigned idle;                               /* so many */
    unsigned askers;                             /* flows with tiles */
    uint64_t askers_ns;                          /* when there last was more than one, at a tick; 0: never */
    uint64_t clock_ns;                   /* virtual time: the latest start of a flow that was served */
    uint64_t draws;                      /* starts set so far */
    uint64_t tile_ns;                    /* what a tile costs with all that is made for it, about */
    uint64_t spent_ns;                   /* since a tile was made last */
    uint64_t real_ns;                    /* when the workers last had to do what is not CLASS_IDLE */
    unsigned real_in_hand, idle_in_hand; /* jobs that workers make, by that */
    unsigned length[QUEUES][CLASSES];
    unsigned all; /* jobs in the table */
    unsigned parked;
    unsigned begun[CLASSES];      /* jobs that have begun, or were made for those, and that no worker has */
    unsigned places[CLASSES];     /* those of each class among tiles */
    uint64_t penalty_ns[CLASSES]; /* as if a job had come so much later */
    unsigned looking; /* tiles to be looked for, on disk or for the first time in the shared tier */
    unsigned tiles;   /* that have been looked for, and are queued or parked */
    unsigned waiting; /* waiters */
    struct waiter *soonest, *latest;            /* by deadline */
    struct waiter *asking;                      /* asked next if its client left; NULL: the soonest */
    struct job *prefetch_first, *prefetch_last; /* of those that a prefetch wants, by until_ns */
};

void jobs_init(struct jobs *jobs, struct metrics *metrics);

struct job *jobs_find(struct jobs *jobs, const struct digest *digest);

/* What a job is made from. Borrows all; the job holds the owner. */
struct job_order {
    const struct product_key *key;
    const struct digest *digest;
    const struct terrane_world *world;
    struct refcount *owner;
    struct flow *flow; /* the job holds it, too */
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

/* Whose turn it is in a queue of all flows (before QUEUE_READY); NULL: nobody's. Of those abroad: the one that asks again first. */
struct job *jobs_first(const struct jobs *jobs, enum job_queue queue);

/* How many are in a queue, of all classes. */
unsigned jobs_length(const struct jobs *jobs, enum job_queue queue);

/* The smaller, the earlier its turn: an order over all queues. */
uint64_t jobs_due_ns(const struct jobs *jobs, const struct job *job);

/* The job, and what it rests on, are wanted by a request of that class, too. Returns whether that changed anything. */
bool jobs_raise(struct jobs *jobs, struct job *job, enum metric_class class);

/* A job that no worker has is one that others rest on from now on. */
void jobs_need(struct jobs *jobs, struct job *job);

/* A job that no worker has goes to another flow. */
void jobs_move(struct jobs *jobs, struct job *job, struct flow *flow);

/* A job that no worker has is wanted by a flow, too: it goes there where its turn comes sooner. Returns whether it has. */
bool jobs_share(struct jobs *jobs, struct job *job, struct flow *flow);

/* ---- Flows --------------------------------------------------------------------------------------------- */

/* A client's flow, with a reference for the caller; its rate is the payer's from now on. NULL: memory is short. */
struct flow *jobs_flow(struct jobs *jobs, const struct payer *payer);
void jobs_flow_hold(struct jobs *jobs, struct flow *flow);
void jobs_flow_drop(struct jobs *jobs, struct flow *flow); /* NULL is fine */

/* Frees all flows, which nobody holds any more. */
void jobs_free_flows(struct jobs *jobs);

/* Is a flow's turn before another's? */
bool jobs_flow_before(const struct flow *flow, const struct flow *other);

/* One more job, or one fewer, in its queues. */
void jobs_flow_grows(struct jobs *jobs, struct flow *flow);
void jobs_flow_shrinks(struct jobs *jobs, struct flow *flow);

struct jobs_may {
    uint64_t now_ns;
    unsigned classes; /* that may be begun (1 << class, or'ed); a flow that has begun none may begin any */
    bool idle;        /* CLASS_IDLE, too */
};

/*
 * What is to be made next; NULL: nothing. Among flows the earliest start is first, of those whose most urgent job is due (or,
 * where there is none, of all); in a flow what has all its inputs comes first, then what is due first. Linear in the flows with
 * jobs queued.
 */
struct job *jobs_next(const struct jobs *jobs, const struct jobs_may *may);

/* A worker has taken a job of QUEUE_READY or later. Holds the flow. */
void jobs_begin(struct jobs *jobs, struct job *job, uint64_t now_ns);

/* ... and has done with it, at a cost: whose turn is over goes behind all others. Drops the flow. */
void jobs_done(struct jobs *jobs, struct flow *flow, enum metric_class class, uint64_t cost_ns,
               uint64_t now_ns);

/* A root has ended: what was spent since the last one goes into the average. */
void jobs_root_ends(struct jobs *jobs, struct job *job);

/* The flow that holds most places of a class, or (CLASSES) most tiles; NULL: none. Linear in the flows. */
struct flow *jobs_greatest(const struct jobs *jobs, enum metric_class class);

/*
 * Takes the youngest tile of a flow, of a class or (CLASSES) of any, that waits for its turn and for nobody else's client: it has
 * ended, its waiters are in *waiters. false: there is none.
 */
bool jobs_push_out(struct jobs *jobs, struct flow *flow, enum metric_class class, struct job **ended,
                   struct waiter **waiters);

/* Releases all of a flow's waiters whose jobs no worker has, and its prefetches. What others want is theirs from now on. */
void jobs_refuse(struct jobs *jobs, struct flow *flow, struct job **ended, struct waiter **waiters);

/* ---- What rests on what -------------------------------------------------------------------------------- */

void jobs_give(struct job *job, struct blob *blob); /* the next input is there; takes the reference */
/* The next input is what another job will make; it is raised to the class of this one. */
void jobs_await(struct jobs *jobs, struct job *job, struct job *input);
void jobs_deliver(struct jobs *jobs, struct job *job,
                  struct blob *blob); /* to all that rest on it: a job that has all is ready */

/* ---- Waiters ------------------------------------------------------------------------------------------- */

void jobs_wait(struct jobs *jobs, struct job *job, struct waiter *waiter, struct flow *flow);

/*
 * The soonest waiter that is late; NULL: none is. One whose deadline has passed waits on as long as its client is being served: until
 * its until_ns, or until workers have begun and ended nothing of its client's for patience_ns, or, while they have something of it in
 * hand, POOL_IN_HAND times that. One whose own job has begun, or others rest on it, waits on as long as they begin and end anything in
 * the latter time, since that will be finished.
 */
struct waiter *jobs_late(struct jobs *jobs, uint64_t now_ns, uint64_t patience_ns);

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

/* Likewise, and is a client still there? Asks waiters of the job, and of those that rest on it, until one is. */
bool jobs_present(const struct job *job);

/* Ends a job that nobody wants and no worker has. */
void jobs_collect(struct jobs *jobs, struct job *job, struct job **ended);

/* ---- The pool ------------------------------------------------------------------------------------------ */

/* What had to go, to be woken and freed without the lock (pool_oust). */
struct ousted {
    struct waiter *waiters;
    struct job *ended;
};

enum work { WORK_MAKE, WORK_LOOK, WORK_ASK, WORKS };

struct pool {
    struct pool_options options; /* queue and deadline_ms under the lock: pool_limit changes them */
    uv_mutex_t lock;
    uv_cond_t to_do[WORKS]; /* what workers sleep on */
    struct jobs jobs;
    struct waiter *napping;                /* for room, by next; the longest waiting is the first */
    struct waiter *resting, *resting_last; /* until a time, by that */
    uint64_t runs;                         /* names of jobs that run something */
    bool refusing, stopping;
    unsigned started;
    struct worker
        *worker; /* options.threads that make; one that looks and some that ask, where there is where */
};

struct worker {
    struct pool *pool;
    enum work work;
    int index;                 /* among readers of the tier that it looks in */
    struct producer *producer; /* of those that make */
    uv_thread_t thread;
};

/* ---- pool.c -------------------------------------------------------------------------------------------- */

/* A class's part of what CLASS_WAITING may have all of. */
unsigned pool_part(unsigned all, enum metric_class class);

/* Under the lock: is a job that was not found still wanted, and is there room for it, or does another one give way to it? */
bool pool_may_go_on(struct pool *pool, const struct job *job, struct ousted *ousted);

/* Wakes with POOL_OVER, and frees. The lock is not held. */
void pool_oust(struct pool *pool, const struct ousted *ousted);

/* Under the lock: what a flow is told for which there is no room: whether it holds more than its share. */
enum pool_outcome pool_no_room(const struct pool *pool, const struct flow *flow, enum metric_class class);

/* Under the lock, after jobs have ended, were raised or moved: others may be made now. */
void pool_stir(struct pool *pool);

/* Wakes a chain of waiters. The lock is not held. */
void pool_wake(struct waiter *waiters, enum pool_outcome outcome);

/* Frees jobs that have ended because nobody wants them, and counts them. The lock is not held. */
void pool_drop(struct pool *pool, struct job *ended);

/* ---- pool_work.c --------------------------------------------------------------------------------------- */

/* What a job's waiters are told besides the blob. */
struct answer {
    enum metric_tier tier;
    uint64_t queue_ns, region_ns;
    struct produce_times times;
};

/* Answers a job's waiters and the jobs that rest on it, and frees it. Takes the blob. The lock is not held. */
void pool_answer(struct pool *pool, struct job *job, struct blob *blob, const struct answer *answer);

/* Under the lock: has there been nothing to do but CLASS_IDLE for POOL_QUIET_MS, and is there that? */
bool pool_is_quiet(const struct pool *pool, uint64_t now_ns);

/* ---- pool_find.c --------------------------------------------------------------------------------------- */

/* Under the lock: into the first of its queues. */
void pool_start_job(struct pool *pool, struct job *job);

/* Looks for a job of QUEUE_LOOKING on the disk. The lock is not held. */
void pool_look(struct worker *worker, struct job *job);

/* Asks for a job of QUEUE_ASKING. The lock is not held. */
void pool_ask_for(struct worker *worker, struct job *job);

/* Under the lock: those abroad whose time has come ask again, or are made. */
void pool_recall(struct pool *pool, uint64_t now_ns);

/* Stores what a job has made, and its lease goes back after that. The job is the caller's. */
void pool_share(struct pool *pool, struct job *job, struct blob *blob);

/* Gives back the leases of jobs that have ended, and frees them. The lock is not held. */
void pool_free_jobs(struct pool *pool, struct job *ended);

#endif
