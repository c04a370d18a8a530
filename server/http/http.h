/*
 * The HTTP listeners. The only folder that knows libmicrohttpd.
 */
#ifndef TERRANE_SERVER_HTTP_H
#define TERRANE_SERVER_HTTP_H

#include "../service.h"

struct http;

/* What blob_set_view_free needs: views are responses. */
void http_view_free(void *view);

/*
 * Binds and serves. admin: the operators' listener (/metrics, /healthz, /readyz) instead of the public one.
 * Returns owned, or NULL with one line in error. Borrows the service.
 */
struct http *http_start(struct service *service, const char *address, bool admin, char *error,
                        size_t error_bytes);

/* Where it listens, as "http://host:port" with the port that was chosen. Borrowed. */
const char *http_url(const struct http *http);

/* Refuses new connections; those that are there go on. */
void http_quiesce(struct http *http);

/* Closes all connections and frees. Nobody may wait in the pool. NULL is fine. */
void http_stop(struct http *http);

#endif
