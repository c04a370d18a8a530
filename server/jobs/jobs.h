/*
 * The internals of the render pool, shared by pool.c (requests), pool_clock.c (time), pool_work.c (workers) and pool_find.c (lookups).
 *
 * Functions that begin with jobs_ handle the table by key, the queues, dependencies, waiters, and client queues (flows): plain
 * data without a lock, so every call is made under the pool's. pool.h explains the states; jobs.c, jobs_queue.c and jobs_flow.c
 * have the invariants.
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
    QUEUE_REMOTE,  /* remote in flight: another node makes it; asked for again at its again_ns */
    QUEUE_READY,   /* begun, and all inputs are there; from here on queues belong to flows */
    QUEUE_REGIONS, /* inputs of others that have not begun: regions, and tiles to be coded */
    QUEUE_TILES,   /* other tiles that have not begun */
    QUEUES,
    QUEUES_MADE = QUEUES - QUEUE_READY
};

enum job_state { JOB_QUEUED, JOB_BUSY, JOB_PARKED };

/* One input of a job. Until the blob is there it is in the list of the job that makes it. */
struct edge {
    struct job *owner, *input; /* input: NULL when the blob is there */
    struct blob *blob;         /* a reference */
    struct edge *next, *previous;
};

struct job_list {
    struct job *first, *last; /* by since_ns; in QUEUE_REMOTE by again_ns */
};

/*
 * A client queue: the client's jobs, and its share of the workers so far. An empty one is kept for a while, so that no client
 * resets its share by pausing.
 */
struct flow {
    struct payer payer;
    unsigned references;      /* of jobs, waiters and workers */
    unsigned queued;          /* jobs in its queues */
    unsigned tiles;           /* tiles that are looked for or wait to be made */
    unsigned places[CLASSES]; /* the latter */
    unsigned begun;           /* as jobs.begun, of all classes */
    unsigned in_hand;         /* jobs that workers make for it now */
    bool held;                /* jobs in hand may cost all its tokens: until one of these is done */
    uint64_t start_ns;        /* start of its turn, in virtual time: the earliest is served first ... */
    uint64_t drawn;           /* ... and of equal ones, the one set first */
    uint64_t used_ns;         /* CPU time used of its turn */
    uint64_t lead_ns;  /* of start_ns: what it was set back by when it came; the rest is what it has used */
    uint64_t moved_ns; /* when a worker last took or finished a job for it */
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
    struct flow *flow;                  /* a reference: it pays, and its turn decides */
    void (*run)(struct waiter *waiter); /* runs instead of making a product; NULL: a product is made */
    enum metric_class class;            /* the most urgent class that wants it */
    enum job_state state;
    enum job_queue queue; /* while JOB_QUEUED, and the last one while JOB_BUSY */
    struct waiter *waiters;
    struct edge *dependants;
    int inputs, missing; /* number of edges; of these without a blob */
    struct edge input[PRODUCT_INPUTS_MAX];
    struct job *chain;                             /* in the table */
    struct job *next, *previous;                   /* in a queue; next alone: among those that have ended */
    struct job *prefetch_next, *prefetch_previous; /* list of prefetched jobs */
    uint64_t until_ns;                             /* a prefetch wants it until then; 0: none does */
    bool root;                                     /* a tile that was begun for its own sake */
    bool needed;       /* a job depends on it, or did: every region, and plain tiles to be coded */
    bool prefetched;   /* a prefetch asked for it first */
    bool asked;        /* a request waits for it, or did */
    bool leased;       /* this node has the lease: ending the job returns it */
    struct payer lent; /* whose token of a render goes back when the job ends; clients NULL: nobody's */
    uint64_t since_ns; /* when the first tile that needs it was asked for */
    uint64_t begun_ns;
    uint64_t asking_ns;       /* when it entered QUEUE_LOOKING or QUEUE_ASKING last */
    uint64_t shared_ns;       /* spent on asking the shared tier */
    uint64_t remote_until_ns; /* latest end of waiting for another node; 0: it never waited */
    uint64_t again_ns;        /* in QUEUE_REMOTE: when to ask again */
    uint64_t pause_ns;        /* between the last two times */
};

struct jobs {
    struct metrics *metrics;
    struct job *table[JOBS_TABLE];
    struct job_list queue[QUEUE_READY][CLASSES]; /* of all flows */
    struct flow *flow[JOBS_FLOWS];               /* the table */
    struct flow *runnable;                       /* with jobs queued, by next */
    struct flow *idle_first, *idle_last;         /* without references, by the time they lost the last one */
    unsigned idle;                               /* idle flows */
    unsigned askers;                             /* flows with tiles */
    uint64_t askers_ns;                          /* last tick with more than one; 0: never */
    uint64_t clock_ns;                   /* virtual time: the latest start of a flow that was served */
    uint64_t draws;                      /* starts set so far */
    uint64_t tile_ns;                    /* average cost of a tile with everything made for it */
    uint64_t spent_ns;                   /* on tiles and regions since a tile was made last */
    uint64_t real_ns;                    /* when workers last had work other than CLASS_IDLE */
    unsigned real_in_hand, idle_in_hand; /* jobs in workers' hands, by that */
    unsigned length[QUEUES][CLASSES];
    unsigned all; /* jobs in the table */
    unsigned parked;
    unsigned begun[CLASSES];      /* begun jobs, and jobs made for those, that no worker has */
    unsigned places[CLASSES];     /* those of each class among tiles */
    uint64_t penalty_ns[CLASSES]; /* a job counts as if it had come so much later */
    unsigned looking; /* tiles to be looked up, on disk or for the first time in the shared tier */
    unsigned tiles;   /* tiles that were looked up, and are queued or parked */
    unsigned waiting; /* waiters */
    struct waiter *soonest, *latest;            /* by deadline */
    struct waiter *asking;                      /* next to check for a left client; NULL: the soonest */
    struct job *prefetch_first, *prefetch_last; /* prefetched jobs, by until_ns */
};

void jobs_init(struct jobs *jobs, struct metrics *metrics);

struct job *jobs_find(struct jobs *jobs, const struct digest *digest);

/* The parameters of a new job. Borrows all; the job holds the owner. */
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

/* Makes a job, held by the caller (JOB_BUSY), in the table; NULL when memory is short. */
struct job *jobs_create(struct jobs *jobs, const struct job_order *order);

/*
 * Ends a busy job, all its dependents, and all jobs that only those wanted. They leave the table and are chained in
 * *ended by next for jobs_free; their waiters in *waiters.
 */
void jobs_end(struct jobs *jobs, struct job *job, struct job **ended, struct waiter **waiters);

/* Drops the references of ended jobs, and frees them. Without the lock, since the last reference frees an owner. */
void jobs_free(struct job *ended);

/* ---- Queues -------------------------------------------------------------------------------------------- */

/* Queues a busy job, by age among those of its class. */
void jobs_push(struct jobs *jobs, enum job_queue queue, struct job *job);

/* Takes a queued or parked job: it is busy from now on. */
void jobs_take(struct jobs *jobs, struct job *job);

/* Parks a busy job with missing inputs. */
void jobs_park(struct jobs *jobs, struct job *job);

/* The first job in a queue of all flows (before QUEUE_READY); NULL: none. In QUEUE_REMOTE: the one that asks again first. */
struct job *jobs_first(const struct jobs *jobs, enum job_queue queue);

/* Number of jobs in a queue, of all classes. */
unsigned jobs_length(const struct jobs *jobs, enum job_queue queue);

/* The due time of a job: an order over all queues. */
uint64_t jobs_due_ns(const struct jobs *jobs, const struct job *job);

/* Raises a job and its inputs to a request's class. Returns whether that changed anything. */
bool jobs_raise(struct jobs *jobs, struct job *job, enum metric_class class);

/* Marks a job that no worker has as an input of others. */
void jobs_need(struct jobs *jobs, struct job *job);

/* Moves a job that no worker has to another flow. */
void jobs_move(struct jobs *jobs, struct job *job, struct flow *flow);

/* A flow also wants a job that no worker has: moves it there if its turn comes sooner. Returns whether it moved. */
bool jobs_share(struct jobs *jobs, struct job *job, struct flow *flow);

/* ---- Flows --------------------------------------------------------------------------------------------- */

/* The flow of a client, with a reference for the caller; takes the payer's rate. NULL: memory is short. */
struct flow *jobs_flow(struct jobs *jobs, const struct payer *payer);
void jobs_flow_hold(struct jobs *jobs, struct flow *flow);
void jobs_flow_drop(struct jobs *jobs, struct flow *flow); /* NULL is fine */

/* Frees all flows; nobody may hold one. */
void jobs_free_flows(struct jobs *jobs);

/* True if a flow's turn is before another's. */
bool jobs_flow_before(const struct flow *flow, const struct flow *other);

/* Counts one more job, or one fewer, in its queues. */
void jobs_flow_grows(struct jobs *jobs, struct flow *flow);
void jobs_flow_shrinks(struct jobs *jobs, struct flow *flow);

struct jobs_may {
    uint64_t now_ns;
    unsigned classes; /* that may begin a tile (1 << class, or'ed); a flow without begun ones may begin any */
    bool idle;        /* CLASS_IDLE, too */
};

/*
 * The next job to make; NULL: none. Among flows the earliest start comes first, of those whose most urgent job is due (or, if
 * there is none, of all); within a flow a job with all its inputs comes first, then the one due first. Linear in the flows with
 * jobs queued.
 */
struct job *jobs_next(const struct jobs *jobs, const struct jobs_may *may);

/* A worker has taken a job of QUEUE_READY or later. Holds the flow. */
void jobs_begin(struct jobs *jobs, struct job *job, uint64_t now_ns);

/* ... and has finished it, at a cost: a flow whose turn is over goes behind all others. Drops the flow. Of a tile and what it rests
 * on the caller adds the cost to spent_ns. */
void jobs_done(struct jobs *jobs, struct flow *flow, enum metric_class class, uint64_t cost_ns,
               uint64_t now_ns);

/* A root has ended: the cost since the last one goes into the average. */
void jobs_root_ends(struct jobs *jobs, struct job *job);

/* The flow with the most places of a class, or (CLASSES) of tiles; NULL: none. Linear in the flows. */
struct flow *jobs_largest(const struct jobs *jobs, enum metric_class class);

/*
 * Sheds the youngest waiting tile of a flow, of a class or (CLASSES) of any, that no other client wants: it has ended, its
 * waiters are in *waiters. False: there is none.
 */
bool jobs_push_out(struct jobs *jobs, struct flow *flow, enum metric_class class, struct job **ended,
                   struct waiter **waiters);

/* Releases all of a flow's waiters whose jobs no worker has, and its prefetches. Jobs that others want become theirs. */
void jobs_refuse(struct jobs *jobs, struct flow *flow, struct job **ended, struct waiter **waiters);

/* ---- What rests on what -------------------------------------------------------------------------------- */

void jobs_give(struct job *job, struct blob *blob); /* the next input is there; takes the reference */
/* The next input is the product of another job, which is raised to the class of this one. */
void jobs_await(struct jobs *jobs, struct job *job, struct job *input);
void jobs_deliver(struct jobs *jobs, struct job *job,
                  struct blob *blob); /* gives a blob to all dependents: a job that has all inputs is ready */

/* ---- Waiters ------------------------------------------------------------------------------------------- */

void jobs_wait(struct jobs *jobs, struct job *job, struct waiter *waiter, struct flow *flow);

/*
 * The first expired waiter; NULL: none. One past its deadline keeps waiting while its client is served: until its until_ns, or
 * until workers have begun and ended no job of its client for patience_ns, or POOL_IN_HAND times that while they have one in
 * hand. If its own job has begun, or is an input of others, it waits as long as workers begin or end anything within the latter
 * time, since the job will be finished.
 */
struct waiter *jobs_late(struct jobs *jobs, uint64_t now_ns, uint64_t patience_ns);

/* Moves a waiter to the front of a chain by next. Ends jobs that nobody wants any more. */
void jobs_release(struct jobs *jobs, struct waiter *waiter, struct waiter **out, struct job **ended);

/* Checks some waiters, each in turn over calls, for clients that left, and releases those. Returns how many. */
unsigned jobs_ask_leavers(struct jobs *jobs, unsigned max, struct waiter **gone, struct job **ended);

/* A prefetch wants a new job until then: not earlier than that of any other prefetch. */
void jobs_prefetch(struct jobs *jobs, struct job *job, uint64_t until_ns);

/* Expires prefetches. Ends jobs that nobody wants any more. */
void jobs_forget(struct jobs *jobs, uint64_t now_ns, struct job **ended);

/* True if anybody waits for the job, or depends on it, or a prefetch asked for it. Constant time. */
bool jobs_wanted(const struct job *job);

/* Likewise, and a client is still there. Asks waiters of the job, and of its dependents, until one is. */
bool jobs_present(const struct job *job);

/* Ends a job that nobody wants and no worker has. */
void jobs_collect(struct jobs *jobs, struct job *job, struct job **ended);

/* ---- The pool ------------------------------------------------------------------------------------------ */

/* Shed waiters and jobs, to be woken and freed without the lock (pool_wake_shed). */
struct shed {
    struct waiter *waiters;
    struct job *ended;
};

enum work { WORK_MAKE, WORK_LOOK, WORK_ASK, WORKS };

struct pool {
    struct pool_options options; /* queue and deadline_ms under the lock: pool_limit changes them */
    uv_mutex_t lock;
    uv_cond_t to_do[WORKS]; /* workers sleep on these */
    struct jobs jobs;
    struct waiter *backpressured;          /* backpressure waits, by next; the longest waiting is first */
    struct waiter *resting, *resting_last; /* until a time, by that */
    uint64_t runs;                         /* names of jobs that run something */
    struct job *looking;                   /* the job that the disk is asked for; NULL: it has gone on */
    uint64_t looking_ns;                   /* since when the disk has been asked for it; 0: it is not */
    bool refusing, stopping;
    unsigned started;
    struct worker
        *worker; /* options.threads that make; POOL_LOOKERS and POOL_ASKERS if there are these tiers */
};

struct worker {
    struct pool *pool;
    enum work work;
    int index;                 /* its reader index in its tier */
    struct producer *producer; /* of those that make */
    uv_thread_t thread;
};

/* ---- pool.c -------------------------------------------------------------------------------------------- */

/* A class's part of a limit that CLASS_WAITING may use up. */
unsigned pool_part(unsigned all, enum metric_class class);

/*
 * Under the lock: true if there is room for another tile. Each class except the first has a share, so the first always finds
 * room, and the limit of the whole queue holds for all. Adds the given numbers of expected tiles, in all and of the class, to
 * those that wait.
 */
bool pool_has_room(const struct pool *pool, enum metric_class class, unsigned all, unsigned of_class);

/* Under the lock: true if a job that was not found is still wanted, and there is room for it or another one is shed. */
bool pool_may_go_on(struct pool *pool, const struct job *job, struct shed *shed);

/* Wakes with POOL_OVER, and frees. The lock is not held. */
void pool_wake_shed(struct pool *pool, const struct shed *shed);

/* Under the lock: the refusal for a flow without room: POOL_OVER if it holds more than its share, else POOL_FULL. */
enum pool_outcome pool_no_room(const struct pool *pool, const struct flow *flow, enum metric_class class);

/* Under the lock, after jobs have ended, were raised or moved: wakes workers for jobs that may be made now. */
void pool_stir(struct pool *pool);

/* Wakes a chain of waiters. The lock is not held. */
void pool_wake(struct waiter *waiters, enum pool_outcome outcome);

/* Frees jobs that have ended because nobody wants them, and counts them. The lock is not held. */
void pool_drop(struct pool *pool, struct job *ended);

/* ---- pool_work.c --------------------------------------------------------------------------------------- */

/* Details for a job's waiters besides the blob. */
struct answer {
    enum metric_tier tier;
    uint64_t queue_ns, region_ns;
    struct produce_times times;
};

/*
 * Answers a job's waiters and its dependents, and frees it. Takes the blob. Returns whether somebody's token of a render pays for it.
 * The lock is not held.
 */
bool pool_answer(struct pool *pool, struct job *job, struct blob *blob, const struct answer *answer);

/* Under the lock: true if there was no work but CLASS_IDLE for POOL_QUIET_MS, and there is some of that. */
bool pool_is_quiet(const struct pool *pool, uint64_t now_ns);

/* ---- pool_find.c --------------------------------------------------------------------------------------- */

/* Under the lock: puts a job into the first of its queues. */
void pool_start_job(struct pool *pool, struct job *job);

/* Looks for the product of a job of QUEUE_LOOKING on the disk. The lock is not held. */
void pool_look(struct worker *worker, struct job *job);

/* Jobs that wait for a disk that hangs, or is too slow, go on without it. The lock is not held. */
void pool_pass_by_disk(struct pool *pool, uint64_t now_ns);

/* Asks the shared tier for the product of a job of QUEUE_ASKING. The lock is not held. */
void pool_ask_for(struct worker *worker, struct job *job);

/* Under the lock: due jobs of QUEUE_REMOTE ask again, or are made. */
void pool_recall(struct pool *pool, uint64_t now_ns);

/* Stores a job's product, and then returns its lease. The job is the caller's. */
void pool_share(struct pool *pool, struct job *job, struct blob *blob);

/* Returns leases and tokens of ended jobs, and frees them. The lock is not held. */
void pool_free_jobs(struct pool *pool, struct job *ended);

#endif
