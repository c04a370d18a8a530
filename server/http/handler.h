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
#ifndef TERRANE_SERVER_HANDLER_H
#define TERRANE_SERVER_HANDLER_H

#include <microhttpd.h>

/* Returns what becomes *context of the other two; NULL when memory is short, which closes the connection. */
void *handler_target(void *cls, const char *target, struct MHD_Connection *connection);

enum MHD_Result handler_call(void *cls, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_bytes, void **context);

void handler_completed(void *cls, struct MHD_Connection *connection, void **context,
                       enum MHD_RequestTerminationCode code);

#endif
