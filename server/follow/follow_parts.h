/* Between the files of this room. All of it is the thread's of follow, but where it says so. */
#ifndef TERRANE_SERVER_FOLLOW_PARTS_H
#define TERRANE_SERVER_FOLLOW_PARTS_H

#include <curl/curl.h>
#include <pthread.h>

#include "follow.h"

enum {
    FOLLOW_ASKS_MAX = 256,                    /* writes that are handed on at once */
    FOLLOW_NAMES_MAX = 2 * SHARED_WORLDS_MAX, /* worlds that the home has had while this server runs */
    FOLLOW_PAGE_BYTES =
        32 << 20, /* of a page at most: 256 operations, each with a line of 1,024 points, and a recipe */
    FOLLOW_LIST_BYTES = 1 << 20,     /* of the list of worlds */
    FOLLOW_ANSWER_BYTES = 512 << 10, /* of an answer to a write: what a body of 64 KiB comes to */
    FOLLOW_URL_BYTES = 2300
};

/* ---- What the home says of a log (follow_page.c) --------------------------------------------------------- */

struct follow_page {
    char epoch[SHARED_EPOCH_BYTES + 1];
    uint64_t count;           /* operations that the home has */
    struct shared_seed seed;  /* .text: owned, NULL where the page does not begin the log */
    struct shared_edit *edit; /* owned: those behind since, in their order */
    size_t edits;
    uint64_t next; /* the last of them; where there are none, where the home's log ends, or since */
    unsigned char chain[SHARED_CHAIN_BYTES]; /* behind that */
};

/* Reads a page of operations behind since. false, with one line in why: it is none. */
bool follow_page_read(struct follow_page *page, const char *text, size_t bytes, uint64_t since, char *why,
                      size_t why_bytes);
void follow_page_free(struct follow_page *page);

/* ---- Transfers (follow_wire.c) --------------------------------------------------------------------------- */

enum follow_kind { FOLLOW_LIST, FOLLOW_PAGE, FOLLOW_STREAM, FOLLOW_ASK };

struct follow_world;
struct follow_transfer {
    enum follow_kind kind;
    CURL *easy;
    struct curl_slist *headers;
    struct follow_world *world; /* of FOLLOW_PAGE and FOLLOW_STREAM */
    struct follow_ask *ask;     /* of FOLLOW_ASK */
    uint64_t since;             /* of FOLLOW_PAGE */
    char *text;                 /* owned: what has come */
    size_t bytes, room, max;
    void (*heard)(struct follow_transfer *transfer, const char *text,
                  size_t bytes); /* in place of text, or NULL */
    char why[CURL_ERROR_SIZE];
};

/* Begins one in multi: path is behind the home's URL. ask: a POST of it; NULL: a GET with this server's key. NULL: memory is short. */
struct follow_transfer *follow_transfer_begin(CURLM *multi, const struct follow_options *options,
                                              const struct follow_transfer *form, const char *path);
void follow_transfer_end(CURLM *multi, struct follow_transfer *transfer); /* whether it is done or not */

/* The status of one that is done; 0: it failed, or no answer has come. */
unsigned follow_transfer_status(const struct follow_transfer *transfer, CURLcode result);

/* ---- The worlds (follow.c) ------------------------------------------------------------------------------- */

/* Operations on their way to the writer. */
struct follow_copy {
    struct shared_write write;
    struct follow_page page;
    struct follow_world *world;
    struct follow_copy *next; /* under the lock: those that are done */
};

struct follow_world {
    struct follow *follow;
    struct follow_world *next;
    char name[TEXT_NAME_BYTES + 1];
    struct shared_world *world; /* that is served; NULL: none yet */
    struct follow_transfer *page, *stream;
    struct follow_copy *copy;   /* that is with the writer */
    bool wanted;                /* there may be more */
    bool listed;                /* the home has it */
    _Atomic(uint64_t) count;    /* that the home is known to have */
    _Atomic(uint64_t) heard_ms; /* when something was heard */
    uint64_t stream_ms;         /* by the stream; the thread's own */
    atomic_bool away, refused;
    uint64_t retry_ms, delay_ms; /* nothing is asked before; the next delay */
    uint64_t anew_ms;            /* likewise, where it is made anew once more */
};

struct follow {
    struct follow_options options;
    CURLM *multi;
    pthread_t thread;
    bool started;
    size_t names;
    struct follow_transfer *list;
    uint64_t list_retry_ms, list_delay_ms;
    bool list_known;
    struct follow_ask *held; /* answered, until the copy has got there */
    atomic_bool ready;
    pthread_mutex_t lock; /* over the following */
    struct follow_world *first;
    struct follow_copy *copied;
    struct follow_ask *ask, **ask_end;
    size_t asks; /* that wait or are under way */
    bool stops;
};

uint64_t follow_now_ms(void);

/* Writes that wait, into transfers; one that is done; answers that are held (follow_ask.c). */
void follow_asks_begin(struct follow *follow);
void follow_ask_done(struct follow *follow, struct follow_transfer *transfer, CURLcode result);
uint64_t follow_asks_held(struct follow *follow, uint64_t now_ms); /* when to look again */
void follow_asks_end(struct follow *follow);                       /* all that wait, at the end */

/* Steps of the worlds (follow_world.c). */
void follow_world_step(struct follow_world *world, uint64_t now_ms);
uint64_t follow_world_due(const struct follow_world *world, uint64_t now_ms);
void follow_page_done(struct follow_world *world, struct follow_transfer *page, CURLcode result);
void follow_stream_done(struct follow_world *world, struct follow_transfer *stream, CURLcode result);
void follow_copied(struct follow_copy *copy);
void follow_backoff(uint64_t *retry_ms, uint64_t *delay_ms);

#endif
