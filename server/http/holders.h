/*
 * Who holds how many of a loop's connections, so that an idle one of whoever holds most is found at once, however many there
 * are.
 *
 *     rank[n] ──► holder ──► holder ...                of about so many connections each, some of them idle
 *                   └──► connection ──► connection ...     the idle ones, longest idle first
 *
 * Idle is who waits for a request's line: before the first one, or between two. The loop's thread alone calls, but for
 * holders_top; every call takes the same few steps, but for a chain of the table by client, whose numbers nobody outside can
 * choose.
 */
#ifndef TERRANE_SERVER_HOLDERS_H
#define TERRANE_SERVER_HOLDERS_H

#include <stdatomic.h>

#include "../access/clients.h"

enum { HOLDER_CHAINS = 1024, HOLDER_RANKS = 72 };

struct connection;

struct holder {
    struct client_id client;
    struct holder *next;             /* in its chain */
    struct holder *before, *behind;  /* of its rank */
    struct connection *first, *last; /* idle */
    unsigned connections;
};

/* All zero: empty. */
struct holders {
    struct holder *chain[HOLDER_CHAINS];
    struct holder *first[HOLDER_RANKS], *last[HOLDER_RANKS]; /* of each rank */
    atomic_int top;                                          /* the highest rank that has one; 0: none has */
};

/* A connection's part of it. */
struct held {
    struct holder *holder; /* NULL: nobody's, and so never found */
    struct connection *next, *previous;
    bool idle;
};

/* A new connection of its client's, not idle. Without memory it stays nobody's. */
void holders_add(struct holders *holders, struct connection *connection);
void holders_remove(struct holders *holders, struct connection *connection);

/* Says whether a connection is idle now: the last one to be so. */
void holders_set_idle(struct holders *holders, struct connection *connection, bool idle);

/* How many connections the greatest holder of idle ones has, as a rank: to a quarter. 0: none is idle. Any thread. */
int holders_top(const struct holders *holders);

/* Of a greatest holder's connections the one that has been idle longest; NULL: none is idle. */
struct connection *holders_first(const struct holders *holders);

#endif
