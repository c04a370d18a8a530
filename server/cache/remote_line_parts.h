/*
 * The parts of a line: the wire (remote_wire.c), which does not interpret its bytes, and the guard in front of the reply
 * parser (remote_guard.c), which knows no socket.
 */
#ifndef TERRANE_SERVER_REMOTE_LINE_PARTS_H
#define TERRANE_SERVER_REMOTE_LINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "remote_line.h"

/*
 * The bytes of one connection, by TCP, TLS or a local socket, with a deadline for every wait: absolute, in uv_hrtime's
 * nanoseconds. Failures are final. One thread at a time.
 */
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

/* Records the first failure; returns -1. */
int wire_fail(struct wire *wire, enum line_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does not wait. Keeps fault and error. */
void wire_close(struct wire *wire);

/*
 * The guard inspects the bytes of a store and reports the end of a reply, or that it is not acceptable. Stores no bytes.
 *
 * hiredis allocates what a reply announces, and rescans a line from its beginning with each piece. Behind this guard it
 * gets only complete replies of bounded size: lines of at most GUARD_LINE_BYTES, at most GUARD_ELEMENTS in all arrays
 * together, at most GUARD_DEPTH nested arrays, and at most the caller's limit of bytes. RESP version 2; version 3 would
 * need a HELLO.
 */
enum { GUARD_LINE_BYTES = 4096, GUARD_ELEMENTS = 65536, GUARD_DEPTH = 7, GUARD_NUMBER_BYTES = 20 };

struct guard {
    size_t limit_bytes;
    size_t bytes;   /* of this reply, so far */
    size_t payload; /* bytes of a bulk string that are still to come, its line's end included; 0: in a line */
    size_t line;    /* bytes of this line, so far */
    size_t announced;                /* elements in all arrays of this reply */
    unsigned depth;                  /* arrays that are open */
    uint32_t left[GUARD_DEPTH];      /* elements that an open array has still to get */
    bool ending;                     /* the line's CR was there */
    char type;                       /* first byte of the line */
    char number[GUARD_NUMBER_BYTES]; /* the beginning of what follows it */
};

enum guard_answer {
    GUARD_MORE,     /* all bytes were taken, the reply goes on */
    GUARD_WHOLE,    /* the reply ends */
    GUARD_STRING,   /* the reply is one string, of which payload bytes follow; its receiver checks the end */
    GUARD_NONSENSE, /* no reply */
    GUARD_TOO_LONG  /* a reply larger than acceptable */
};

/* Begins a reply of at most so many bytes. */
void guard_begin(struct guard *guard, size_t limit_bytes);

/* Looks at the next bytes; *taken of them belong to the reply. After another answer than GUARD_MORE: guard_begin. */
enum guard_answer guard_look(struct guard *guard, const char *bytes, size_t count, size_t *taken);

#endif
