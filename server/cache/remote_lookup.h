/*
 * Looking a store's name up without waiting for it: resolvers may take half a minute, and cannot be told to stop. A
 * thread of its own does it, and is left alone with it by whoever has no more time.
 */
#ifndef TERRANE_SERVER_REMOTE_LOOKUP_H
#define TERRANE_SERVER_REMOTE_LOOKUP_H

#include "remote_line.h"

struct lookup;

enum lookup_answer { LOOKUP_WAIT, LOOKUP_FOUND, LOOKUP_FAILED };

/* Begins. Copies the URL. Owned; NULL where memory or threads are short. */
struct lookup *lookup_start(const struct remote_url *url);

/* Waits for wait_ns at most. Found: place is filled; failed: one line in error. */
enum lookup_answer lookup_wait(struct lookup *lookup, uint64_t wait_ns, struct line_place *place, char *error,
                               size_t error_bytes);

/* Ends it, or leaves it to end by itself. Does not wait. NULL is fine. */
void lookup_end(struct lookup *lookup);

#endif
