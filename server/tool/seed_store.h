/*
 * Reaching a Valkey or Redis (the store) from a tool, and what is to be thought of its errors: those that pass are waited
 * for, the others are said at once.
 */
#ifndef TERRANE_SERVER_SEED_STORE_H
#define TERRANE_SERVER_SEED_STORE_H

#include "../cache/remote_line.h"

/* Whether an error reply will be another one by and by: the store loads, is full, is no master at the moment. */
bool seed_store_error_passes(const char *text);

enum seed_store_answer {
    STORE_REACHED,
    STORE_AWAY,   /* cannot be reached, or not now */
    STORE_FORBIDS /* will not let us in: a wrong password or none, no such database */
};

/*
 * Looks the host up (for as long as that takes: a store that comes back may be elsewhere), connects, signs in, and has a
 * PING answered: a client that has to sign in is told so by the first command alone, and by a short one, since to strangers the
 * store listens no longer. *line: owned; NULL with why, which holds no secret.
 */
enum seed_store_answer seed_store_reach(struct line **line, const struct remote_url *url,
                                        const struct line_trust *trust, uint64_t deadline_ns,
                                        char why[LINE_ERROR_BYTES]);

/*
 * What the store itself does for a shared plan (seed_queue.h): one script a step, run whole or not at all.
 *
 * All take the keys stream, state and bits (seed_queue.h), in this order, and answer an array whose last three elements are
 * the tiles made, found and the bytes made, as decimals. "workers" is the group.
 */

/*
 * worker, blocks, claim_ms, what the plan is, ids that the worker holds with a space before and after each: takes a new entry,
 * puts the next blocks into the stream where there is none, takes over a silent worker's where there are no more. {answer, id,
 * number, "1": taken over, ...}; answer is work, wait, again or end; number is "" where the entry holds none.
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
