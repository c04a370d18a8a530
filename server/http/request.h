/*
 * One request, from its request line to its last byte.
 */
#ifndef TERRANE_SERVER_REQUEST_H
#define TERRANE_SERVER_REQUEST_H

#include <microhttpd.h>

#include "../render/spawn.h"
#include "../service/service.h"
#include "../tile/target.h"
#include "loop.h"
#include "request_text.h"

#define REQUEST_MAGIC 0x7E88A9E1u

enum {
    REQUEST_ID_BYTES = 64,
    REQUEST_LIST_BYTES = 8192,
    REQUEST_BODY_BYTES = 65536 /* of a request's body, at most */
};

struct request {
    unsigned magic;
    bool begun;       /* the handler has been called once: an answer any earlier would close the connection */
    bool waiting;     /* suspended at least once: the pool has answered when the handler is called again */
    bool too_long;    /* the target, or its list of parameters */
    bool no_host;     /* HTTP/1.1 demands one */
    bool too_large;   /* the body */
    bool no_room;     /* headers leave none for it */
    bool vary_coding; /* Accept-Encoding chose the tile's coding, or could have */
    bool vary_prefix; /* X-Forwarded-Prefix chose the links' prefix, or could have */
    enum metric_tier tier;
    unsigned status;
    unsigned paid[BUCKETS]; /* tokens that it took */
    int retry_after_s;      /* of one that is refused, and told so later (reply_problem) */
    struct service *service;
    struct settings *settings; /* a reference */
    unsigned settings_version;
    struct MHD_Connection *connection;
    struct connection *link;
    uint64_t start_ns;
    uint64_t run_ns,
        ran_ns; /* when a worker was last asked to run something, 0: it has; and how long that has taken so far */
    uint64_t body_bytes;   /* of the answer */
    uint64_t stream_bytes; /* booked for it (guard.h) */
    char method[8];        /* cut; for the log */
    char *body;            /* of the request: owned, body_length of body_room bytes used; NULL: none */
    size_t body_length, body_room;
    const struct key_holder *holder; /* of the key that came with it; NULL: none did */
    bool identified;                 /* client is known */
    struct client_id client;         /* whose tokens and room it takes; set in guard.c */
    char id[REQUEST_ID_BYTES + 1];   /* X-Request-Id; "" where there is no access log */
    struct target target;
    struct terrane_world world; /* of a tile: borrows the target's recipe */
    struct waiter waiter;
    struct gather *gather; /* of many tiles (gather.h); dropped at the end */
    /* Goes on after a gather's wait where no response has been queued; NULL: route_woken. */
    enum MHD_Result (*woken)(struct request *request);
    void *work; /* the route's own; work_free at the end, after the gather's drop */
    void (*work_free)(void *work);
    char prefix[BASE_URL_PREFIX_BYTES]; /* of the answer's links: base_path_of */
    char etag[36];                      /* of a tile: 32 hex digits in quotes */
    char text[];                        /* the target as it came; cut where it is too long */
};

/* ---- Its life (handler.c) ------------------------------------------------------------------------------------ */

/*
 * libmicrohttpd's callbacks over the life of a request; cls is the loop.
 *
 *   handler_target      the request line is there: the request is made and its target parsed
 *   handler_call        headers are there, then what comes of a body, then its end: answered, or suspended; called again
 *                       after the pool's wake
 *   handler_completed   the last byte is out, or the connection is gone: counted, logged and freed
 *
 * All three are called on the loop's thread. A suspended connection neither times out nor completes, so a waiting request
 * lives until the pool has woken it.
 */

/* Returns what becomes *context of the other two; NULL when memory is short, which closes the connection. */
void *handler_target(void *cls, const char *target, struct MHD_Connection *connection);

enum MHD_Result handler_call(void *cls, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_bytes, void **context);

void handler_completed(void *cls, struct MHD_Connection *connection, void **context,
                       enum MHD_RequestTerminationCode code);

/* Likewise of a request whose connection has ended without libmicrohttpd's word, as after some faults of its own. */
void handler_lost(struct loop *loop, struct request *request);

/* The names that targets may use under these settings, which they borrow. */
struct target_names request_names(const struct settings *settings);

const char *request_header(const struct request *request, const char *name); /* or NULL */
/* Of a header that is a list, which may stand in several lines: all of it, in text where there are such. NULL: there is none. */
const char *request_list(const struct request *request, const char *name,
                         char text[static REQUEST_LIST_BYTES]);
enum tile_coding request_coding(const struct request *request);                /* that it would like best */
const char *request_argument(const struct request *request, const char *name); /* of the query; or NULL */

/* Zeros for a route's own work, which are freed at the request's end; NULL: memory is short. */
void *request_work(struct request *request, size_t bytes, void (*work_free)(void *work));

/* Whether If-None-Match names the ETag: the client has the answer. */
bool request_knows(const struct request *request, const char *etag);
/* Whether it wants what has another ETag (If-Match): true: answered, 412. */
bool request_is_of_other(struct request *request, const char *etag, enum MHD_Result *result);

/*
 * Whether the disk has a tile or a region, and how many bytes. One look into an indexed table, on the loop's thread: microseconds, but
 * as long as the disk takes where the table's page is not in memory. For /status, for what is made ahead, and for clients without tokens,
 * which would take places of others' tiles as jobs of the pool.
 */
bool request_on_disk(const struct request *request, const struct digest *digest, uint64_t *bytes);

/* How much people did, to which world of its name: what the ETag of many tiles says beside the name of one. 0: of another world. */
uint64_t request_moment(const struct request *request);

/* The digest of a tile. Of what many operations were done to it is looked for among all of them; of now it is mostly known, but of any moment before a client
 * can ask anew, for nothing, since no tile may come of it: it pays in CPU time. */
struct digest request_digest(struct request *request, const struct tile_key *key,
                             const struct terrane_world *world);

/* Whether a tile costs no render: it is on disk, or made for another request already. For a client that has no token left, or keeps it for others. */
bool request_is_made(const struct request *request, const struct digest *digest);

/* ---- Waiting for the pool (route.c) ----------------------------------------------------------------------------- */

struct request *request_of(struct waiter *waiter);

/* Suspends the connection until request->waiter is woken; to be called before the pool has it, which may wake it at once. */
void request_sleep(struct request *request);
void request_wake(struct waiter *waiter); /* any thread */
bool request_left(struct waiter *waiter); /* whether its client has: likewise */

/* When render.deadline_ms has passed since the request's line, by uv_hrtime, besides what request_run has taken: as long does a
 * request wait that is answered whole. What is there is read however long that takes, so that who asks again gets on. */
uint64_t request_until_ns(const struct request *request);

/*
 * Has a worker of the pool run something that would keep the loop's thread; then woken goes on, whatever the pool says:
 * request->waiter.outcome is POOL_DONE where it has run. What it works on is the worker's meanwhile.
 */
enum MHD_Result request_run(struct request *request, void (*run)(struct waiter *waiter),
                            enum MHD_Result (*woken)(struct request *request));

/*
 * The spawn of the target's world (route_spawn.c). Where nobody has asked for it lately, a worker looks for it and tiles are gathered;
 * again is called once more after each wait, and asks once more. It uses request->work and request->gather, which has ended when this
 * returns true. false: that is under way, or it has failed, and *result is what to return.
 */
bool request_spawn(struct request *request, enum MHD_Result (*again)(struct request *), struct spawn *spawn,
                   enum MHD_Result *result);

/* ---- Replies: each queues one response and returns what MHD's handler has to return -------------------------- */

enum MHD_Result reply_tile_view(struct request *request, struct blob *blob);
enum MHD_Result reply_tile_made(struct request *request);
enum MHD_Result reply_tile_head(struct request *request);
/* What answers HEAD where nothing is made, owned; NULL: memory is short. bytes: Content-Length; 0: it is not known, and the
 * connection ends with the answer. */
struct MHD_Response *reply_bodiless(uint64_t bytes);
/* Takes a response of a route's own (NULL: memory was short), whose own headers are in it (ok: all of them), and adds what a
 * tile of the target's says: type, validators, seed, and what every answer says. */
enum MHD_Result reply_own(struct request *request, unsigned status, struct MHD_Response *response, bool ok);
/* Terrane-Width to Terrane-Nodata: where numbers of the target's world and layer lie that say nothing of it themselves. */
bool reply_add_samples(struct MHD_Response *response, const struct request *request,
                       const struct terrane_window *window);
enum MHD_Result reply_unsatisfiable(struct request *request, uint64_t bytes); /* 416: there are so many */
enum MHD_Result reply_not_modified(struct request *request, const char *etag);
/* A response of a route's text, which it takes, coded as Accept-Encoding wants it. Counts its bytes. NULL: memory is short. */
struct MHD_Response *reply_coded(struct request *request, char *text, size_t bytes);
/* Of data (malloc'ed) that are coded already: likewise. */
struct MHD_Response *reply_coded_as(struct request *request, void *data, size_t bytes,
                                    enum tile_coding coding);
enum MHD_Result reply_text(struct request *request, unsigned status, const char *type, const char *text);
/* Takes data (malloc'ed). etag: or NULL, then nobody may keep it. */
enum MHD_Result reply_json(struct request *request, unsigned status, unsigned char *data, size_t bytes,
                           const char *etag);
/* A JSON text that a worker writes and codes: where it may be long, neither is a loop's. coding: reply_coding, before; then the text's own. */
struct reply_text {
    unsigned char *data; /* owned */
    size_t bytes;
    enum tile_coding coding;
};
enum tile_coding reply_coding(const struct request *request);
bool reply_text_write(struct reply_text *text,
                      const json_t *value);                /* false: value is NULL, or memory is short */
bool reply_text_take(struct reply_text *text, char *data); /* likewise of a text (malloc'ed; NULL: none) */
/* Takes the text's data. etag: as above. */
enum MHD_Result reply_json_coded(struct request *request, unsigned status, struct reply_text *text,
                                 const char *etag);
/* Likewise 200, with the ETag of what it says; or 304. */
enum MHD_Result reply_json_known(struct request *request, char *text, size_t bytes);
/* A text that stays as it is, with each of its codings made once: they take longer than all else of an answer. */
struct static_text {
    char etag[36];
    struct static_form {
        unsigned char *data; /* NULL: memory was short, or it does not pay */
        size_t bytes;
    } form[CODINGS];
};
void static_text_init(struct static_text *text, const char *data, size_t bytes); /* data is borrowed */
enum MHD_Result reply_static_json(struct request *request, const struct static_text *text);
/* A document of a minute's life; takes text (malloc'ed), NULL: 304. vary: or NULL. personal: nobody else's to keep. */
enum MHD_Result reply_document(struct request *request, const char *type, char *text, size_t bytes,
                               const char *etag, const char *vary, bool personal);
enum MHD_Result reply_preflight(struct request *request, const char *allow);
/* Takes a response of no tile (NULL: memory was short), and adds what every answer says. etag: or NULL, as above. */
enum MHD_Result reply_typed(struct request *request, struct MHD_Response *response, const char *type,
                            const char *etag);

/*
 * RFC 9457. parameter (static, or of the request) may be NULL. retry_after_s > 0 adds Retry-After and no-store.
 *
 * 429 and 503 are sent after a while, the connection suspended: a client that asks again at once, and again, on all connections
 * that it may have, is not to take the processors from those that wait for tiles. The request's waiter may wait for nothing else.
 */
enum MHD_Result reply_problem(struct request *request, unsigned status, const char *parameter,
                              const char *detail, int retry_after_s);
/* The document of a problem, owned (free); NULL: memory is short. */
char *reply_problem_text(unsigned status, const char *parameter, const char *detail, size_t *bytes);
/* A tile, or tiles, that the pool did not make: 503 and when to ask again, or nothing to a client that has gone. */
enum MHD_Result reply_unmade(struct request *request, enum pool_outcome outcome);
enum MHD_Result reply_method(struct request *request, const char *allow); /* 405 */

/* ---- Routes --------------------------------------------------------------------------------------------------- */

enum MHD_Result route_public(struct request *request, const char *method);

/* Methods, once the path is known to lead somewhere. true: answered, *result says how. */
bool method_check(struct request *request, const char *method, enum MHD_Result *result);

enum MHD_Result route_admin(struct request *request, const char *method); /* admin.c */
enum MHD_Result route_openapi(struct request *request);                   /* openapi.c */
enum MHD_Result route_prefetch(struct request *request);                  /* route_prefetch.c */
enum MHD_Result route_status(struct request *request);                    /* route_status.c */
enum MHD_Result route_document(struct request *request);                  /* route_document.c */
enum MHD_Result route_viewer(struct request *request);                    /* route_viewer.c */
enum MHD_Result route_point(struct request *request);                     /* route_point.c */
enum MHD_Result route_region(struct request *request);                    /* route_region.c */
enum MHD_Result route_path(struct request *request);                      /* route_path.c */
enum MHD_Result route_downstream(struct request *request);                /* route_downstream.c */
enum MHD_Result route_find(struct request *request);                      /* route_find.c */
enum MHD_Result route_batch(struct request *request);                     /* route_batch.c */
enum MHD_Result route_edits(struct request *request);                     /* route_edits.c */
enum MHD_Result route_events(struct request *request);                    /* route_events.c */
enum MHD_Result route_log(struct request *request);                       /* route_log.c */
enum MHD_Result route_worlds(struct request *request);                    /* route_log.c */

/* A write to a world of another server's that this one follows: handed on to it. route_hand_on.c */
enum MHD_Result request_hand_on(struct request *request, struct shared_world *world);

/* Of a world that people change: whether it has fewer operations than a client has seen; then that is answered (409). route_edits.c */
bool request_is_of_another(struct request *request, uint64_t since, const char *parameter,
                           enum MHD_Result *result);

enum MHD_Result route_model(struct request *request); /* route_model.c */

/* /healthz and /readyz, of both listeners. */
enum MHD_Result route_health(struct request *request);

/* Goes on with a request whose tile the pool has answered. */
enum MHD_Result route_woken(struct request *request);

/* Sets the world, format, coding and ETag of a tile's target; true where it was answered (it is no tile). */
bool route_tile_resolve(struct request *request, struct digest *digest, enum MHD_Result *result);

/* The same of what is made of several tiles of a layer: what these have in common, none of them coded. */
bool route_tiles_resolve(struct request *request, enum tile_layer layer, enum tile_format format,
                         enum MHD_Result *result);

/* Whether a request, whose world is set, names no place of it; then it is answered. */
bool request_lacks_place(struct request *request, enum MHD_Result *result);

/* The ETag of what a route says of a place of a world: of the route's name, of what people did to it so far, the version of its text, the place, and what else the question says.
 * true: it was answered, by 304, or a HEAD's headers. */
bool request_place_answered(struct request *request, const char *route, int version, const char *more,
                            enum MHD_Result *result);

/* The world that a target names; the last one of this thread is kept. Borrows the request's settings. */
const struct terrane_world *request_world(const struct request *request);

/* An ETag, 32 hexadecimal digits in quotes, of bytes; another seed gives another one. */
void etag_of(char etag[static 36], const void *data, size_t bytes, uint64_t seed);

/* A tile as this request gets it: a description's links have its prefix (base_path_of). Takes the blob; NULL: memory is short. */
struct blob *reply_blob(const struct request *request, struct blob *blob);

#endif
