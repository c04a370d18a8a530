/*
 * What the store itself does for a shared plan: one script a step, run whole or not at all.
 *
 * All take the keys stream, state and bits (seed_queue.h), in this order, and answer an array whose last three elements are
 * the tiles made, found and the bytes made, as decimals. "workers" is the group.
 */
#ifndef TERRANE_SERVER_SEED_SCRIPTS_H
#define TERRANE_SERVER_SEED_SCRIPTS_H

/*
 * worker, blocks, claim_ms, what the plan is, ids that the worker holds with a space before and after each: takes a new entry, puts the next blocks into the stream where there is none, takes
 * over a silent worker's where there are no more. {answer, id, number, "1": taken over, ...}; answer is work, wait, again
 * or end; number is "" where the entry holds none.
 */
extern const char seed_script_take[];

/* id, number, made, found, bytes: the entry goes, the block is done. {"1": it was not before, ...} */
extern const char seed_script_done[];

/* id: the entry goes, for nothing. {"", ...} */
extern const char seed_script_drop[];

/* worker, id, number: the block becomes a new entry where the worker has the old one still. {"", ...} */
extern const char seed_script_back[];

/* worker, ids as in take: those that the worker still has are fresh again. {"", ...} */
extern const char seed_script_beat[];

/* blocks: where all are done, nothing is. {"", ...} */
extern const char seed_script_anew[];

/* worker: leaves the group, where it holds nothing. {"", ...} */
extern const char seed_script_leave[];

#endif
