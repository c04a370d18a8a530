/*
 * Who listens to a world that people change.
 *
 *     the world's writer ──told──► feed: the newest events, as text, made once ──► wakes those who sleep
 *                                    ▲ copied out while they are sent                     │
 *     the world's file ──a page──► listener ◄─────────────────────────────────────────────┘
 *
 * A listener is a number, that of the last operation it was sent, and a page of the file where it is further behind than the feed's
 * events go back. So however many listen, and however slowly, nothing is kept for them but their pages.
 */
#ifndef TERRANE_SERVER_FEED_H
#define TERRANE_SERVER_FEED_H

#include "../shared/shared.h"
#include "loop.h"

enum {
    FEED_EVENTS = 1024,    /* that a feed keeps at most, */
    FEED_BYTES = 1 << 20,  /* and bytes of theirs */
    FEED_BEHIND_MAX = 4096 /* operations that happen while a listener takes nothing: then it is cut off */
};

/* One event, as it is sent. */
struct feed_event {
    struct feed_event *next; /* while it is on its way into the feed */
    uint64_t number;
    struct shared_box box;
    size_t bytes;
    char text[];
};

struct listener;

/* All of it is under the lock but for world and listening. */
struct feed {
    struct shared_feed base;
    struct shared_world *world;
    uv_mutex_t lock;
    struct listener *first;                /* those who listen */
    atomic_uint listening;                 /* how many they are */
    struct feed_event *event[FEED_EVENTS]; /* by number, kept .. last */
    uint64_t kept, last;                   /* kept is last + 1 where there are none */
    size_t bytes;
};

struct listener {
    struct feed *feed;
    struct listener *next, **at; /* of the feed's */
    struct loop *loop;
    struct MHD_Connection *connection;
    struct shared_box box;
    bool all;       /* the box is everything */
    bool sleeping;  /* under the lock: suspended; who clears it resumes, once */
    uint64_t since; /* the operation behind which it goes on: the feed's, under the lock, while it sleeps */
    uint64_t told;  /* the number that its client knows */
    bool reading;   /* a worker makes its page */
    char *page;     /* owned; NULL: none */
    size_t page_bytes, page_at;
    uint64_t page_next, page_told; /* what it goes up to, and the last of it that is shown */
    uint64_t page_events;
    bool page_failed;
    uint64_t count;   /* operations there were when its connection last took something */
    uint64_t sent_ns; /* when that was */
    uint64_t beat_ns, look_ns;
    struct request *request;
};

/* Gives every world a feed, before anybody writes; shared_close frees them. false: memory is short. */
bool feeds_open(const struct shared *shared);

/* Begins to listen behind since. A feed's listeners are all of requests that are under way. */
void feed_enter(struct feed *feed, struct listener *listener);
void feed_leave(struct listener *listener); /* one that is awake */

/* An event of an operation that is stored. Owned; NULL: memory is short. */
struct feed_event *feed_event_of(const struct shared_world *world, const struct shared_edit *edit);

/*
 * What comes next of what the feed keeps, in whole events, as many as there is room for. FEED_FILE: it does not go back as far.
 * FEED_LARGE: the next one does not fit, and is the listener's page now. FEED_NOTHING: it has been sent all there is.
 */
enum feed_state { FEED_EVENT, FEED_LARGE, FEED_FILE, FEED_NOTHING, FEED_SHORT /* of memory */ };
enum feed_state feed_take(struct listener *listener, char *buffer, size_t max, size_t *bytes,
                          uint64_t *events);

/* Suspends the connection until something happens; false: it has, meanwhile. */
bool feed_sleep(struct listener *listener);

/* Resumes one that sleeps. */
void feed_wake(struct listener *listener);

/* The loop's look at one of its listeners (route_events.c): wakes it where there is something to do; true: it is to be cut off. */
bool listener_swept(struct listener *listener, uint64_t now);

#endif
