/*
 * Reading for libmicrohttpd, and refusing in its stead.
 *
 * Invariants: a connection is in its loop's table, under its descriptor, from gate_open to gate_close, and libmicrohttpd closes
 * the descriptor after that; only the loop's thread reads or changes the table. A connection is in the list `wrong` where its
 * screen has a fault, all requests before are answered, and it has not been refused.
 */
#include "gate.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "request.h"

#if MHD_VERSION >= 0x01000000
#pragma message "libmicrohttpd 1.0: try whether gate.c and screen.c can go, as screen.h says"
#endif

enum {
    TABLE_FIRST = 256,
    HEAD_BYTES = 512,
    UNREAD_BYTES = 1 << 18 /* that are thrown away, so that the answer is not lost in a reset, */
};

static const uint64_t UNREAD_NS = 1000000000; /* for so long */

static _Thread_local struct loop *here;

/* By names that no header and no compiler knows anything about. */
ssize_t gate_recv(int fd, void *buffer, size_t bytes, int flags) __asm__("recv");
ssize_t gate_record_recv(gnutls_session_t session, void *buffer, size_t bytes) __asm__("gnutls_record_recv");

bool gate_holds(void)
{
    ssize_t (*const plain)(int, void *, size_t, int) = gate_recv;
    ssize_t (*const record)(gnutls_session_t, void *, size_t) = gate_record_recv;
    return dlsym(RTLD_DEFAULT, "recv") == (void *)plain &&
           dlsym(RTLD_DEFAULT, "gnutls_record_recv") == (void *)record;
}

/* ---- Connections --------------------------------------------------------------------------------------- */

void gate_thread(struct loop *loop)
{
    here = loop;
}

bool gate_open(struct connection *connection)
{
    struct loop *loop = connection->loop;
    const size_t fd = (size_t)connection->socket;
    size_t room = loop->table_room ? loop->table_room : TABLE_FIRST;
    while (room <= fd)
        room *= 2;
    if (room > loop->table_room) {
        struct connection **table = realloc(loop->table, room * sizeof(struct connection *));
        if (!table)
            return false;
        memset(table + loop->table_room, 0, (room - loop->table_room) * sizeof(struct connection *));
        loop->table = table;
        loop->table_room = room;
    }
    loop->table[fd] = connection;
    return true;
}

void gate_close(struct connection *connection)
{
    struct loop *loop = connection->loop;
    loop->table[connection->socket] = NULL;
    for (struct connection **at = &loop->wrong; *at; at = &(*at)->next_wrong)
        if (*at == connection) {
            *at = connection->next_wrong;
            return;
        }
}

void gate_free(struct loop *loop)
{
    free(loop->table);
    loop->table = NULL;
    loop->table_room = 0;
}

bool gate_wrong(const struct connection *connection)
{
    return connection->screen.fault && connection->screen.requests == connection->answered;
}

static void wrong_add(struct connection *connection)
{
    if (!gate_wrong(connection) || connection->refused)
        return;
    connection->next_wrong = connection->loop->wrong;
    connection->loop->wrong = connection;
}

void gate_answered(struct connection *connection)
{
    connection->answered++;
    wrong_add(connection);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static struct connection *connection_of(int fd, bool encrypted)
{
    return here && here->encrypted == encrypted && fd >= 0 && (size_t)fd < here->table_room ? here->table[fd]
                                                                                            : NULL;
}

/*
 * Of `bytes` that have been read into a buffer behind what was held back, how many libmicrohttpd may have. A connection that
 * sent a fault gets no more.
 *
 * A last chunk's CR that comes last (screen_between) is held back, and another 0 stands for it: as many are handed on as were
 * read, since libmicrohttpd believes that no more is there where it gets less than it has room for, and is not woken again.
 */
static size_t screen_read(struct connection *connection, unsigned char *buffer, size_t bytes)
{
    struct screen *screen = &connection->screen;
    const size_t held = connection->holds_cr;
    const size_t fine = held + screen_feed(screen, buffer + held, bytes);
    if (held)
        buffer[0] = '\r';
    connection->holds_cr = !screen->fault && screen_between(screen);
    if (connection->holds_cr)
        buffer[fine - 1] = '0';
    wrong_add(connection);
    return fine;
}

/* Whether what was held back is all that there is room for: behind "00" it is safe by itself. */
static bool only_held(struct connection *connection, unsigned char *buffer, size_t bytes)
{
    if (bytes != 1 || !connection->holds_cr)
        return false;
    *buffer = '\r';
    connection->holds_cr = false;
    return true;
}

/* Throws away what comes behind a refusal. false: it has ended, or is too much. */
static bool throw_away(struct connection *connection)
{
    char unread[4096];
    ssize_t got = 0;
    while (connection->unread >= sizeof unread &&
           (got = recvfrom(connection->socket, unread, sizeof unread, MSG_DONTWAIT, NULL, NULL)) > 0)
        connection->unread -= (size_t)got;
    return got < 0 && errno == EAGAIN;
}

/* Where nothing is to be read: its end where it has been cut off, else nothing yet. */
static ssize_t nothing(struct connection *connection, ssize_t yet)
{
    return connection->cut || (connection->refused && !throw_away(connection)) ? 0 : yet;
}

ssize_t gate_recv(int fd, void *buffer, size_t bytes, int flags)
{
    struct connection *connection = connection_of(fd, false);
    if (!connection)
        return recvfrom(fd, buffer, bytes, flags, NULL, NULL);
    errno = EAGAIN;
    if (connection->screen.fault)
        return nothing(connection, -1);
    if (only_held(connection, buffer, bytes))
        return 1;
    const ssize_t got = recvfrom(fd, (unsigned char *)buffer + connection->holds_cr,
                                 bytes - connection->holds_cr, flags, NULL, NULL);
    if (got <= 0)
        return got;
    const size_t fine = screen_read(connection, buffer, (size_t)got);
    errno = EAGAIN;
    return fine ? (ssize_t)fine : -1;
}

/* gnutls_record_recv_seq is the same function by another name, with a parameter that may be NULL. */
ssize_t gate_record_recv(gnutls_session_t session, void *buffer, size_t bytes)
{
    struct connection *connection = here ? connection_of(gnutls_transport_get_int(session), true) : NULL;
    if (!connection)
        return gnutls_record_recv_seq(session, buffer, bytes, NULL);
    if (connection->screen.fault)
        return nothing(connection, GNUTLS_E_AGAIN);
    connection->session = session;
    if (only_held(connection, buffer, bytes))
        return 1;
    const ssize_t got = gnutls_record_recv_seq(session, (unsigned char *)buffer + connection->holds_cr,
                                               bytes - connection->holds_cr, NULL);
    if (got <= 0)
        return got;
    const size_t fine = screen_read(connection, buffer, (size_t)got);
    return fine ? (ssize_t)fine : GNUTLS_E_AGAIN;
}

/* ---- Refusing ------------------------------------------------------------------------------------------ */

static void send_some(struct connection *connection, const char *text, size_t bytes)
{
    if (connection->session)
        (void)gnutls_record_send(connection->session, text, bytes);
    else
        (void)send(connection->socket, text, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* As reply_problem's, of a connection that has no request libmicrohttpd would answer. What does not fit is lost. */
static void answer(struct connection *connection)
{
    const enum screen_fault fault = (enum screen_fault)connection->screen.fault;
    char head[HEAD_BYTES], date[40];
    const time_t now = time(NULL);
    struct tm utc;
    size_t bytes = 0;
    char *text = reply_problem_text(400, screen_parameter(fault), screen_sentence(fault), &bytes);
    if (!text || !gmtime_r(&now, &utc) || !strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc)) {
        free(text);
        return;
    }
    const int length = snprintf(head, sizeof head,
                                "HTTP/1.1 400 Bad Request\r\nDate: %s\r\nConnection: close\r\n"
                                "Content-Type: application/problem+json\r\nContent-Length: %zu\r\n"
                                "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s\r\n",
                                date, bytes,
                                connection->loop->admin ? ""
                                                        : "Access-Control-Allow-Origin: *\r\n"
                                                          "Timing-Allow-Origin: *\r\n"
                                                          "Access-Control-Expose-Headers: *\r\n"
                                                          "Cross-Origin-Resource-Policy: cross-origin\r\n");
    send_some(connection, head, (size_t)length);
    send_some(connection, text, bytes);
    connection->refused_bytes = bytes;
    free(text);
}

/* The client's end of stream makes libmicrohttpd close, or ours: when it is late, or goes on for too long. */
static void refuse(struct connection *connection)
{
    connection->refused = true;
    connection->unread = UNREAD_BYTES;
    connection->deadline_ns = uv_hrtime() + UNREAD_NS;
    answer(connection);
    if (connection->phase == PHASE_IDLE) /* not even its first line was read: no request of libmicrohttpd's */
        metrics_request(&connection->loop->service->metrics, ROUTE_UNKNOWN, 400);
    if (connection->session)
        (void)gnutls_bye(connection->session, GNUTLS_SHUT_WR);
    connection->cut = !throw_away(connection);
    shutdown(connection->socket, connection->cut ? SHUT_RDWR : SHUT_WR);
}

void gate_refuse(struct loop *loop)
{
    while (loop->wrong) {
        struct connection *connection = loop->wrong;
        loop->wrong = connection->next_wrong;
        /* A request whose body nobody takes is answered, and its connection closed, before the body is there. */
        if (!connection->cut && (connection->phase == PHASE_IDLE || connection->phase == PHASE_REQUEST))
            refuse(connection);
    }
}
