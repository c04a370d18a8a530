/*
 * What replies of tiles and of texts share (reply.c); nobody else calls these. Those that add headers return false where memory is
 * short.
 */
#ifndef TERRANE_SERVER_REPLY_PARTS_H
#define TERRANE_SERVER_REPLY_PARTS_H

#include "request.h"

static inline bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* What every answer says. */
bool reply_add_common(struct MHD_Response *response, const struct request *request);

/* ETag, Cache-Control, and what the answer varies by. */
bool reply_add_validators(struct MHD_Response *response, const struct request *request, const char *etag);

/* The canonical form of the seed that was asked for, where it is no secret. */
bool reply_add_seed(struct MHD_Response *response, const struct request *request);

/* Of a world that this server follows: how many of its operations are in what is told. At its home that is all there are. */
bool reply_tells_edit(const struct request *request);
bool reply_add_edit(struct MHD_Response *response, const struct request *request);

/* Whether what is kept is kept by the client alone. */
bool reply_is_private(const struct request *request);

/* Whether Accept chose, or could have. */
bool reply_is_negotiated(const struct target *target);

/* Queues a response once and lets go of it; NULL and half-made ones (ok false) close the connection. */
enum MHD_Result reply_send(struct request *request, unsigned status, struct MHD_Response *response, bool ok);

#endif
