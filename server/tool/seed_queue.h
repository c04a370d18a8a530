/*
 * A plan that machines share out: its blocks in a stream of a Valkey or Redis (the store), which workers take one by one.
 *
 *     terrane:seed:<plan>          hash: cursor, blocks, made, found, bytes, plan
 *     terrane:seed:<plan>:blocks   stream of block=<number>, with the consumer group "workers"
 *     terrane:seed:<plan>:done     a bit a block
 *
 * <plan> is a digest of the plan, of all that its tiles' bytes depend on, and of whether they go into the shared tier:
 * workers of one name make the same.
 * Nothing coordinates. A worker that finds nothing new to take puts the next blocks into the stream, up to the cursor; what a
 * worker has taken and not looked after for some time is taken by another. Each step is one script, so it happens whole or
 * not at all, wherever a worker dies.
 *
 * The bits alone say what is done: a block counts once, whichever worker made it, and however often it says so. Where the
 * stream is at its end and bits are missing (the store has lost something: it was full, restarted, or somebody deleted keys),
 * the missing blocks are put into it again. The keys are forgotten a week after they were last used.
 *
 * Each call is one attempt, of a few seconds at most but for looking a host's name up. One thread at a time.
 */
#ifndef TERRANE_SERVER_SEED_QUEUE_H
#define TERRANE_SERVER_SEED_QUEUE_H

#include "seed_plan.h"
#include "seed_progress.h"

enum { SEED_QUEUE_ERROR_BYTES = 512, SEED_ENTRY_BYTES = 44 };

struct seed_queue;

/* A block that was taken. */
struct seed_entry {
    int64_t number;
    char id[SEED_ENTRY_BYTES]; /* of the stream's entry */
    bool claimed;              /* from another worker, which was silent */
};

enum seed_queue_answer {
    QUEUE_OK,
    QUEUE_WAIT,   /* nothing to take: others are at the last blocks */
    QUEUE_AGAIN,  /* ask once more, at once */
    QUEUE_END,    /* all blocks are done */
    QUEUE_AWAY,   /* the store cannot be reached, or not now: try again later */
    QUEUE_REFUSED /* it will not do: wrong password, wrong kind of key ... */
};

struct seed_queue_options {
    const char *url;              /* remote_url.h; borrowed for the call */
    const char *ca;               /* as struct remote_options has it */
    const struct seed_plan *plan; /* borrowed for the call, as world is */
    const struct terrane_world *world;
    unsigned claim_ms;   /* a block that nobody has looked after for so long is anybody's */
    unsigned timeout_ms; /* of a call */
    bool shared;         /* the tiles go into the shared tier, not into each worker's own cache */
};

/* Does not connect yet. Owned; NULL with one line in error: a wrong URL, or memory is short. */
struct seed_queue *seed_queue_open(const struct seed_queue_options *options,
                                   char error[SEED_QUEUE_ERROR_BYTES]);

/* Takes a block, by a worker that holds so many already: up to SEED_HELD_MAX. QUEUE_OK: entry is filled. Nonsense in the stream
 * is taken out of it, with a line on standard error. */
enum { SEED_HELD_MAX = 64 };
enum seed_queue_answer seed_queue_take(struct seed_queue *queue, const struct seed_entry *const *held,
                                       int count, struct seed_entry *entry);

/* A block is done, by so many tiles; it counts unless it was done before, or the shared tier has lost its entry meanwhile. */
enum seed_queue_answer seed_queue_done(struct seed_queue *queue, const struct seed_entry *entry,
                                       const struct seed_counts *counts);

/* Gives a block back, for others to take at once, unless another has it by now. */
enum seed_queue_answer seed_queue_back(struct seed_queue *queue, const struct seed_entry *entry);

/* An entry is of no use, since another of its block is held. */
enum seed_queue_answer seed_queue_drop(struct seed_queue *queue, const struct seed_entry *entry);

/* Says that entries taken are looked after, unless another has them by now, and reads how far all have come. */
enum seed_queue_answer seed_queue_beat(struct seed_queue *queue, const struct seed_entry *const *held,
                                       int count);

/* Where all blocks are done, forgets that: the plan begins anew. */
enum seed_queue_answer seed_queue_anew(struct seed_queue *queue);

/* Leaves the group, where nothing is held. */
enum seed_queue_answer seed_queue_leave(struct seed_queue *queue);

/* Adds the tiles of each level that are in blocks which are done; found[level] for 0 .. TERRANE_LEVEL_MAX. */
enum seed_queue_answer seed_queue_found(struct seed_queue *queue, int64_t found[TERRANE_LEVEL_MAX + 1]);

/* How far all workers have come, as the store last said; false: it has said nothing yet. */
bool seed_queue_whole(const struct seed_queue *queue, struct seed_counts *counts);

/* The tiles of a block. */
void seed_queue_cut(const struct seed_queue *queue, int64_t number, struct seed_plan *block);

/* Where it is, without secrets. */
const char *seed_queue_place(const struct seed_queue *queue);

/* Why the last call was QUEUE_AWAY or QUEUE_REFUSED: one line. */
const char *seed_queue_error(const struct seed_queue *queue);

/* Ends the connection; nothing else. NULL is fine. */
void seed_queue_close(struct seed_queue *queue);

#endif
