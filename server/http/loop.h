/*
 * The threads that talk to clients: one loop each, with connections of its own.
 *
 *     accept ──► IDLE ──request line──► REQUEST ──last byte──► WAIT (for the pool) ──► SEND ──last byte──► IDLE ...
 *                  │                       │                                             │
 *                  └── idle_timeout_s      └── request_timeout_s          send_timeout_s ┘  and the answer's length
 *                                                                                           at send_rate
 *
 * Every state but WAIT, whose clock is the pool's, has one absolute deadline: a client that trickles bytes moves none of
 * them. What is late is cut off.
 *
 * A loop accepts connections itself, so that they can be counted by address before they cost anything, and so that a lack
 * of descriptors is a pause, not a busy loop. libmicrohttpd does the rest on the same thread.
 *
 * Where there are as many connections as there may be, the loop in which some client has most, and one of them idle, closes that
 * for a new one. Where the new one comes to another loop, it is let in at once, one in 16 beyond the limit at most, and that
 * loop closes its one when it looks for late connections. Only where neither helps is a new one refused.
 */
#ifndef TERRANE_SERVER_LOOP_H
#define TERRANE_SERVER_LOOP_H

#include <microhttpd.h>

#include "../access/clients.h"
#include "../service/service.h"
#include "screen.h"

/* ---- Holders of connections (connection_table.c) ---------------------------------------------------------------------------- */

/*
 * Which client holds how many of a loop's connections, so that an idle one of that with most is found at once, however many there
 * are.
 *
 *     rank[n] ──► holder ──► holder ...                of about so many connections each, some of them idle
 *                   └──► connection ──► connection ...     the idle ones, longest idle first
 *
 * Idle is a connection that waits for its client: for a request's line, before the first one or between two, or for the rest of a
 * request; each anew. The loop's thread alone calls, but for holders_top; every call takes the same few steps, but for a chain
 * of the table by client, whose numbers nobody outside can choose.
 */

struct connection;

enum { HOLDER_CHAINS = 1024, HOLDER_RANKS = 72 };

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

/* ---- Connections ----------------------------------------------------------------------------------------------- */

enum { SEND_RATE = 16 * 1024 /* bytes a second that the slowest welcome client takes */ };

enum connection_phase { PHASE_IDLE, PHASE_REQUEST, PHASE_WAIT, PHASE_SEND };

/* One client's connection; the loop's. */
struct connection {
    struct loop *loop;
    struct connection *next, *previous;
    int socket;
    bool counted; /* in the table of clients */
    bool cut;
    bool holds_cr; /* a CR that has been read, but not been handed on */
    bool refused;  /* told 400 for what its screen found, with a body of refused_bytes */
    bool given_up; /* for another one: no longer among those that are open */
    bool left;     /* its client had, when it was last looked at */
    struct held held;
    enum connection_phase phase;
    uint64_t deadline_ns;
    uint64_t send_rate;      /* bytes a second, that an answer is taken at: SEND_RATE, or stream_room_rate */
    struct client_id client; /* by its address */
    struct sockaddr_storage peer;
    struct screen screen;               /* of what it sends (gate.h) */
    uint64_t answered;                  /* requests */
    size_t refused_bytes, unread;       /* unread: how much more it may send then */
    struct gnutls_session_int *session; /* NULL: no TLS, or nothing has been read */
    struct connection *next_wrong;
    struct request *request;   /* that has begun, and not ended; NULL: none has */
    struct listener *listener; /* of its request, where that is a stream of events (feed.h); else NULL */
};

/* Into a phase, whose deadline begins now. bytes: of the answer in PHASE_SEND. The loop's thread. */
void connection_enter(struct connection *connection, enum connection_phase phase, uint64_t bytes);

/*
 * Puts off the deadline of PHASE_SEND for so many bytes more, of an answer whose length was not known: no further than for
 * what sockets hold of it, so that a client that has read fast has not earned the right to stop. The loop's thread.
 */
void connection_extend(struct connection *connection, uint64_t bytes);

/* ---- Loops ----------------------------------------------------------------------------------------------------- */

struct loop {
    struct service *service;
    bool admin, encrypted, inherited; /* inherited: the listener is not ours alone */
    unsigned index;
    int listener;              /* borrowed */
    atomic_int_fast64_t *open; /* connections of all loops of the listener */
    struct loop *loops;        /* all of the listener's: their holders_top alone is anybody's */
    unsigned loops_count;
    struct MHD_Daemon *daemon;
    int epoll, event;
    bool listening;          /* the listener is in the epoll set */
    bool closed;             /* no more connections are taken, ever */
    bool started;            /* libmicrohttpd has taken the connection that is added */
    uint64_t accept_from_ns; /* there were no descriptors: not before then */
    uint64_t sweep_ns, warned_ns;
    struct connection *connections;
    struct connection **table; /* by their descriptors, table_room of them (gate.c) */
    size_t table_room;
    struct connection *wrong;  /* to be refused */
    struct request *spare;     /* the memory of one that has ended, for the next; NULL: none has */
    struct holders holders;    /* of those whose address is no proxy's */
    struct settings *settings; /* a reference; current at the last turn */
    unsigned settings_version;
    atomic_bool woken, closing, stopping;
    atomic_uint_fast64_t beat_ns; /* when it last went round */
    uv_thread_t thread;
};

/* Makes daemon and thread. 0, or -1 with nothing to undo. The service, the listener, and open are borrowed. */
int loop_start(struct loop *loop);

/* Accepts from now on: service->open is set. Any thread. */
void loop_open(struct loop *loop);

/* Takes no more connections than those that have arrived. Any thread. */
void loop_close(struct loop *loop);

/* Resumes a connection of the loop. Any thread. */
void loop_resume(struct loop *loop, struct MHD_Connection *connection);

/* Closes all connections and ends the thread. No request may wait in the pool. */
void loop_stop(struct loop *loop);

#endif
