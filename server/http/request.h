/*
 * One request, from its request line to its last byte.
 */
#ifndef TERRANE_SERVER_REQUEST_H
#define TERRANE_SERVER_REQUEST_H

#include <microhttpd.h>

#include "../service.h"
#include "target.h"

#define REQUEST_MAGIC 0x7E88A9E1u

struct request {
    unsigned magic;
    bool begun;    /* the handler has been called once: an answer any earlier would close the connection */
    bool waiting;  /* suspended at least once: the pool has answered when the handler is called again */
    bool too_long; /* the target */
    bool no_host;  /* HTTP/1.1 demands one */
    enum metric_tier tier;
    unsigned status;
    struct service *service;
    struct MHD_Connection *connection;
    MHD_socket socket;
    uint64_t start_ns;
    struct target target;
    struct terrane_world world; /* of a tile: borrows the target's recipe */
    struct waiter waiter;
    char etag[36]; /* of a tile: 32 hex digits in quotes */
};

/* Each queues one response and returns what MHD's handler has to return. */
enum MHD_Result reply_tile_view(struct request *request, struct blob *blob);
enum MHD_Result reply_tile_made(struct request *request);
enum MHD_Result reply_tile_head(struct request *request);
enum MHD_Result reply_not_modified(struct request *request, const char *etag);
enum MHD_Result reply_text(struct request *request, unsigned status, const char *type, const char *text);
enum MHD_Result reply_json(struct request *request, unsigned char *data, size_t bytes, const char *etag);
enum MHD_Result reply_preflight(struct request *request);

/* RFC 9457. parameter may be NULL. retry_after_s > 0 adds Retry-After and no-store. */
enum MHD_Result reply_problem(struct request *request, unsigned status, const char *parameter,
                              const char *detail, int retry_after_s);

/* Answers a request of the public listener (route_public) or of the operators' one. */
enum MHD_Result route_public(struct request *request, const char *method);
enum MHD_Result route_admin(struct request *request, const char *method);

/* Goes on with a request whose tile the pool has answered. */
enum MHD_Result route_woken(struct request *request);

#endif
