/*
 * The HTTP listeners. The only folder that knows libmicrohttpd.
 */
#ifndef TERRANE_SERVER_HTTP_H
#define TERRANE_SERVER_HTTP_H

#include "../service/service.h"

struct http;

/* What blob_set_view_free needs: views are responses. */
void http_view_free(void *view);

/*
 * Serves on an address, or on a listening socket that was handed over (fd, which it takes; -1: none, it binds). admin: the
 * operators' listener instead of the public one. Returns owned, or NULL with one line in error. Borrows the service.
 */
struct http *http_start(struct service *service, const char *address, int fd, bool admin, char *error,
                        size_t error_bytes);

/* Where it listens, as "http://host:port" with the port that was chosen. Borrowed. */
const char *http_url(const struct http *http);

/* Whether every thread of it has gone round within the last two seconds. Any thread. NULL: true. */
bool http_alive(const struct http *http);

/* What /readyz says: up, not stopping, and the public listener is alive. Any thread. */
bool http_ready(const struct service *service);

/* Accepts from now on, once all listeners are there: one that could not begin must not leave another with requests. */
void http_open(struct http *http);

/* Serves what has arrived, and refuses new connections. Those that are there go on. */
void http_quiesce(struct http *http);

/* Closes all connections and frees. No request may wait in the pool. NULL is fine. */
void http_stop(struct http *http);

#endif
