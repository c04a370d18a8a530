/*
 * A gather from inside: what waking and taking (gather.c) and asking (gather_ask.c) share. Invariants: gather.c.
 */
#ifndef TERRANE_SERVER_GATHER_PARTS_H
#define TERRANE_SERVER_GATHER_PARTS_H

#include "gather.h"

enum slot_state { SLOT_FREE, SLOT_ASK, SLOT_ASKED, SLOT_CAME };

struct slot {
    struct waiter waiter;
    struct gather *gather;
    enum slot_state state;
    size_t index;
    uint64_t since_ns; /* when it was first asked for */
    bool tried;        /* it has been counted */
    bool paid;         /* a render's token */
    bool final;        /* full or late, and the patience with it has ended */
};

struct gather {
    uv_mutex_t lock;
    unsigned references; /* the request's, one a slot that is ASKED, one of the nap */
    atomic_bool dropped;
    bool sleeping;      /* the connection is suspended */
    bool stirred;       /* the loop's thread has to look: something may be asked for again */
    bool backpressured; /* nap is the pool's */
    bool turn;          /* the pool has room, and it is this one's turn to ask */
    uint64_t moved_ns;
    struct payer payer; /* since the drop */

    /* the loop's thread's */
    struct request *request; /* not after the drop */
    struct loop *loop;
    struct MHD_Connection *connection;
    int socket;
    struct gather_plan plan;
    size_t next, taken; /* tiles that have a slot or had one, those taken but for spare ones */
    size_t before;      /* tiles that the request had paid for when this one began */
    bool let_in;        /* it has had a render's token, and may owe others */
    bool over;          /* it has lost patience for want of one: without one there is nothing more */
    bool waited;        /* since the last gather_take */
    bool paused;        /* in the midst of PHASE_SEND, of which left_ns were left */
    uint64_t left_ns;
    uint64_t patience_ns;
    uint64_t refused_ns; /* since when it has been refused; 0: the last one was not */
    enum metric_class class;
    struct waiter nap;
    unsigned slots;
    struct slot slot[];
};

/* ---- Waking: any thread ---------------------------------------------------------------------------------- */

/* Whether an outcome is one of a moment, so that asking again makes sense. */
bool gather_is_passing(enum pool_outcome outcome);

/* Whether a tile is one that is not waited for. */
static inline bool gather_is_spare(const struct gather *gather, size_t index)
{
    return index >= gather->plan.count - gather->plan.spare;
}

/* Of the waiters of slots and of the nap. */
void gather_slot_wake(struct waiter *waiter);
void gather_pause_wake(struct waiter *waiter);
bool gather_slot_left(struct waiter *waiter);

/* ---- Asking: the loop's thread --------------------------------------------------------------------------- */

/* Asks for as many as may be asked for. */
void gather_fill(struct gather *gather);

/* What came without a tile, and may be asked for again, will be; or not, when the patience with it has ended. */
void gather_mend(struct gather *gather);

/* Gives a slot's render's token back where nothing was made for it. */
void gather_refund(struct gather *gather, struct slot *slot, bool made);

#endif
