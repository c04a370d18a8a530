/*
 * A wire: the bytes of one connection, by TCP, TLS or a local socket, with a deadline for every wait. Knows nothing
 * of what the bytes say.
 *
 * Deadlines are absolute, in uv_hrtime's nanoseconds. Whatever fails once has failed for good. One thread at a time.
 */
#ifndef TERRANE_SERVER_REMOTE_WIRE_H
#define TERRANE_SERVER_REMOTE_WIRE_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "remote_line.h"

struct wire {
    int fd;    /* -1: closed */
    void *tls; /* gnutls_session_t; NULL: bytes go as they are */
    char *out; /* of TLS: what goes as one record */
    size_t out_bytes;
    enum line_fault fault;
    char error[LINE_ERROR_BYTES];
};

enum { WIRE_VECTORS = 1024 }; /* most of a call of wire_send; the kernel's limit */

void wire_init(struct wire *wire);

/* Connects. 0, or -1 with the wire's error; it may then be tried with another address. */
int wire_connect(struct wire *wire, const struct sockaddr *address, socklen_t bytes, uint64_t deadline_ns);

/* Shakes hands over TLS, and verifies that the other end is host. Borrows trust until wire_close. */
int wire_encrypt(struct wire *wire, const struct line_trust *trust, const char *host, uint64_t deadline_ns);

/* Sends all of count (up to WIRE_VECTORS) pieces; uses up the array. */
int wire_send(struct wire *wire, struct iovec *pieces, size_t count, uint64_t deadline_ns);

/* At least 1 byte, at most room. Returns how many, or -1. */
ssize_t wire_receive(struct wire *wire, char *bytes, size_t room, uint64_t deadline_ns);

/* Notes why it is of no use any more, unless something was noted before; returns -1. */
int wire_fail(struct wire *wire, enum line_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does not wait. Keeps fault and error. */
void wire_close(struct wire *wire);

#endif
