/*
 * Another server's worlds, followed: a copy of each log on this server's disk, read over HTTP, and served as its own.
 *
 *     home  GET /worlds ─────────────────► which worlds there are
 *           GET /world/{name}/events ────► something has happened ──┐
 *           GET /world/{name}/log?since=n ◄─────────────────────────┘ ──► the world's writer: checked, on the disk, in tiles
 *           POST /world/{name}/edits, /undo ◄──── writes of clients, handed on
 *
 * One thread does it all, and waits for nothing but its own connections. A copy is held against its home's digest of the whole log with
 * every page: it is that log or a prefix of it, or it is not served.
 */
#ifndef TERRANE_SERVER_FOLLOW_H
#define TERRANE_SERVER_FOLLOW_H

#include "../shared/shared.h"

struct follow;

struct follow_options {
    const char *home; /* its URL, without a slash at its end */
    const char *key;  /* that lets this server follow; NULL: none */
    struct shared *shared;
    /* Whether a name is another world's here, which is not followed then; the thread of follow asks. context is passed through. */
    bool (*is_taken)(void *context, const char *name);
    void *context;
    unsigned silent_s; /* after which a stream of events without so much as a heartbeat is taken for dead */
};

/* Begins nothing yet. Borrows the strings. Returns owned, or NULL with one line in error. */
struct follow *follow_open(const struct follow_options *options, char *error, size_t error_bytes);

/* Starts the thread, when worlds have their feeds. false: no thread is to be had. */
bool follow_start(struct follow *follow);

/* Ends it: nothing is copied from here on, and what waits for the home's answer is told FOLLOW_AWAY or FOLLOW_LOST. NULL is fine. */
void follow_stop(struct follow *follow);
void follow_close(struct follow *follow); /* NULL is fine */

const char *follow_home(const struct follow *follow);

/* Whether worlds are as their home had them when this server started, or, where there was no home to be asked, as they were here. */
bool follow_is_ready(const struct follow *follow);

/* How far a world is. Of all: worlds, the largest of behind, the longest silence. Any thread. */
struct follow_state {
    unsigned worlds, refused; /* of all alone: followed; those that differ from their home's */
    bool away;                /* no stream of events is open */
    uint64_t behind;          /* operations that the home is known to have, and this server has not */
    uint64_t silent_ms;       /* since something was heard from the home */
};
bool follow_tell(struct follow *follow, const char *name,
                 struct follow_state *state); /* false: there is no such world */
void follow_tell_all(struct follow *follow, struct follow_state *state);

enum follow_outcome {
    FOLLOW_ANSWERED,
    FOLLOW_AWAY, /* the home could not be reached: nothing was written */
    FOLLOW_LOST  /* it was reached and did not answer: what was sent may have been written, or not */
};

/* A write that is handed on: the caller's until done is called, once, from the thread of follow. Strings are borrowed until then. */
struct follow_ask {
    void (*done)(struct follow_ask *ask);
    struct shared_world *world;
    const char *route; /* behind the world's name: "edits" */
    const char *body;
    size_t body_bytes;
    const char *key, *match, *id; /* of the caller: its key, If-Match, X-Request-Id; NULL: none */
    bool harmless;                /* to send twice, since all of it has tokens */
    enum follow_outcome outcome;
    unsigned status; /* of an answer */
    int retry_after_s;
    char *text; /* likewise, owned by the caller (free); zero-terminated */
    size_t bytes;
    /* follow's */
    struct follow_ask *next;
    uint64_t last, until_ms; /* an answer is held until the copy has that operation, or until then */
};

/* false: as many as may be wait already, or follow has stopped; done is not called. Any thread. */
bool follow_hand_on(struct follow *follow, struct follow_ask *ask);

#endif
