/*
 * What a gather is made of, for gather*.c alone: gather.c begins, hands over and ends, gather_ask.c asks for tiles,
 * gather_wake.c is woken and wakes.
 *
 *     FREE ──a tile of the plan──► ASK ──► ASKED (the pool has its waiter) ──► CAME ──taken──► FREE
 *                                   ▲  └────────── in memory, or refused ───────▲ │
 *                                   └──────────── full or late, and not yet out of patience
 *
 * Invariants.
 *   (1) The lock guards states, sleeping, stirred, napping, turn, moved_ns and references. Of a slot that is ASKED everything
 *       else is the pool's; of others it is the loop's thread's.
 *   (2) A gather that is not dropped and has not ended has a slot that CAME and may be taken, one that is ASKED, or naps:
 *       whoever waits will be woken.
 *   (3) sleeping is set together with the suspension, under the lock, and whoever clears it resumes, once. A connection
 *       that is suspended does not end, so it is there to be resumed.
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
    bool sleeping; /* the connection is suspended */
    bool stirred;  /* the loop's thread has to look: something may be asked for again */
    bool napping;  /* nap is the pool's */
    bool turn;     /* the pool has room, and it is this one's turn to ask */
    uint64_t moved_ns;
    struct payer payer; /* since the drop */

    /* the loop's thread's */
    struct request *request; /* not after the drop */
    struct loop *loop;
    struct MHD_Connection *connection;
    int socket;
    struct gather_plan plan;
    size_t next, taken; /* tiles that have a slot or had one, those taken */
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

/* ---- gather_ask.c: the loop's thread's ------------------------------------------------------------------------ */

/* Asks for as many as may be asked for. */
void gather_fill(struct gather *gather);

/* What came without a tile, and may be asked for again, will be; or not, when the patience with it has ended. */
void gather_mend(struct gather *gather);

/* Gives a slot's render's token back where nothing was made for it. */
void gather_settle(struct gather *gather, struct slot *slot, bool made);

/* ---- gather_wake.c -------------------------------------------------------------------------------------------- */

/* Drops a reference; the last one frees. */
void gather_release(struct gather *gather);

/* Whether a tile was made for this waiter, which then costs its token, whether its client is still there or not. */
bool gather_was_made(const struct waiter *waiter);

/* Whether an outcome is one of a moment, so that asking again makes sense. */
bool gather_is_passing(enum pool_outcome outcome);

/* Under the lock: the slot to take next; NULL: none. What may be asked for again is not taken before gather_mend has
 * decided. */
struct slot *gather_takeable(struct gather *gather);

/* Of waiters: of a slot's, and of the nap's. Any thread. */
void gather_slot_wake(struct waiter *waiter);
bool gather_slot_left(struct waiter *waiter);
void gather_nap_wake(struct waiter *waiter);

/* The clock that gather_wait stopped goes on. */
void gather_awake(struct gather *gather);

#endif
