/*
 * Between the sockets and libmicrohttpd: what it reads goes through the screen of its connection first (screen.h).
 *
 * libmicrohttpd has no hook for that. It reads with recv and, of TLS, gnutls_record_recv, which as a shared library it finds by
 * their names; the program's own come first. On threads of loops these screen what comes in, and hand on what is fine; all
 * others read as ever. So libmicrohttpd never sees a byte that is not, nor any behind it: requests before are answered, then
 * its client is told 400, and cut off once it has ended, too, or goes on for too long. What libmicrohttpd makes of the
 * request's beginning is not answered.
 *
 * What calls recv in this program calls the gate's; the kernel's is recvfrom.
 */
#ifndef TERRANE_SERVER_GATE_H
#define TERRANE_SERVER_GATE_H

#include "loop.h"

/* Whether libmicrohttpd finds our functions. Nothing may be served where it does not. */
bool gate_holds(void);

/* From now on this thread reads for the loop's connections. */
void gate_thread(struct loop *loop);

/* A connection begins; false: memory is short. */
bool gate_open(struct connection *connection);

/* It ends. */
void gate_close(struct connection *connection);

/* Whether the request that is being read is the wrong one: it will be refused. */
bool gate_wrong(const struct connection *connection);

/* One of its requests has been answered, or given up. */
void gate_answered(struct connection *connection);

/* Refuses whose turn it is, once libmicrohttpd has run. */
void gate_refuse(struct loop *loop);

/* The table of connections, at the loop's end. */
void gate_free(struct loop *loop);

#endif
