/*
 * A line: one connection to a Valkey or Redis, over TCP, TLS or a local socket, on which every wait has an end.
 *
 * hiredis parses the replies. The socket is ours, since hiredis bounds each read but not an operation, and so are
 * large strings: a string reply is received into its final place, and a command is sent from its own memory.
 * Deadlines are absolute, in uv_hrtime's nanoseconds. After any failure the line is broken for good: nobody can tell
 * which reply would come next.
 *
 * Threads: one at a time.
 */
#ifndef TERRANE_SERVER_REMOTE_LINE_H
#define TERRANE_SERVER_REMOTE_LINE_H

#include <hiredis/hiredis.h>
#include <string.h>
#include <sys/socket.h>

#include "../base/remote_url.h"

enum {
    LINE_ERROR_BYTES = 256,
    LINE_ADDRESSES = 8,
    LINE_REPLY_BYTES =
        (64 << 20) + 4096, /* of one reply, all in all; more breaks the line before it is stored */
    LINE_WORDS = 32        /* of a command */
};

/* Why a line is broken. */
enum line_fault {
    LINE_FINE,
    LINE_UNREACHABLE, /* not connected, not let in, or the network broke */
    LINE_CLOSED,      /* the other end closed it: it restarts, or the line was idle for long */
    LINE_LATE,        /* the deadline passed */
    LINE_NONSENSE,    /* the bytes are no reply, no TLS, or from the wrong store */
    LINE_TOO_LONG,    /* a reply beyond LINE_REPLY_BYTES, or an oversized array or line (remote_guard.c) */
    LINE_MEMORY
};

/* The addresses of a host name. The lookup is the one unbounded wait: not for threads that answer. */
struct line_place {
    size_t count; /* 0: not looked up */
    struct {
        struct sockaddr_storage address;
        socklen_t bytes;
    } at[LINE_ADDRESSES];
};

/* Looks the name up, for as long as that takes. 0, or -1 with one line in error. */
int line_find(struct line_place *place, const struct remote_url *url, char *error, size_t error_bytes);

struct line;

/*
 * The authorities that TLS lines trust: a PEM file, or "" for the system's. Owned by the caller; NULL with error.
 * Shared by lines.
 */
struct line_trust;
struct line_trust *line_trust_load(const char *file, char *error, size_t error_bytes);
void line_trust_free(struct line_trust *trust); /* NULL is fine */

/*
 * Connects (to the first address that answers), encrypts and verifies if the URL says so, signs in, selects the
 * database. trust: for TLS, else NULL. Borrows url and trust for its lifetime. Owned; NULL with one line in error,
 * which holds no secret.
 */
struct line *line_open(const struct remote_url *url, const struct line_place *place,
                       const struct line_trust *trust, uint64_t deadline_ns, char *error, size_t error_bytes);

/* A word of a command: data followed by tail, so two pieces need not be copied together. */
struct line_word {
    const void *data;
    size_t bytes;
    const void *tail;
    size_t tail_bytes; /* mostly 0 */
};

/*
 * Sends a command of count words (1 .. LINE_WORDS), and waits only for room in the socket. 0, or -1: broken. The
 * replies of several come in their order.
 */
int line_send(struct line *line, const struct line_word *words, size_t count, uint64_t deadline_ns);

/*
 * The next reply: owned (freeReplyObject). The text of a string reply is malloc'ed, and may be taken (str = NULL).
 * An error of the server (REDIS_REPLY_ERROR) is a reply, too. NULL: broken. Replies are untrusted: check type
 * before str, elements and integer.
 */
redisReply *line_receive(struct line *line, uint64_t deadline_ns);

/* Both. */
redisReply *line_call(struct line *line, const struct line_word *words, size_t count, uint64_t deadline_ns);

/* Why it is broken: one line, without secrets or control characters; "" where it is not. */
const char *line_error(const struct line *line);
enum line_fault line_fault(const struct line *line);

/* The text of an error reply, for a log: at most bytes, zero-terminated, without control characters. */
void line_clean(char *text, size_t bytes, const redisReply *reply);

/* NULL is fine. */
void line_close(struct line *line);

/* A word of a string, or of anything. */
#define LINE_WORD(text)         ((struct line_word){(text), strlen(text), NULL, 0})
#define LINE_BYTES(data, bytes) ((struct line_word){(data), (bytes), NULL, 0})

#endif
