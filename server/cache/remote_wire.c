/*
 * Wires: non-blocking sockets, and waits with poll().
 *
 *  (1) The deadline is checked before each wait and between pieces, so a store that trickles bytes is waited for no
 *      longer than a silent one.
 *  (2) A TLS wire sends records of up to 16 KiB out of a buffer of its own: encryption copies anyway, and a record
 *      for each small piece would cost more. A plain one gathers the pieces where they are.
 *  (3) The other end cannot cause a signal.
 *  (4) TLS is of version 1.2 or later. The certificate has to name the host (as a DNS name, or as the URL's
 *      address), be valid now, and be signed by a trusted authority. Otherwise the handshake fails, before anything
 *      is sent.
 */
#include "remote_line_parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "../base/check.h"
#include "../base/text.h"

enum {
    RECORD_BYTES = 16384,
    WIRE_RECEIVE_BYTES = 1 << 20 /* requested; systems give less, at most twice their limit */
};

struct line_trust {
    gnutls_certificate_credentials_t credentials;
};

void wire_init(struct wire *wire)
{
    *wire = (struct wire){.fd = -1};
}

int wire_fail(struct wire *wire, enum line_fault fault, const char *format, ...)
{
    va_list arguments;

    if (wire->fault != LINE_FINE)
        return -1;
    wire->fault = fault;
    va_start(arguments, format);
    text_print_list(wire->error, sizeof wire->error, format, arguments);
    va_end(arguments);
    return -1;
}

static int fail_errno(struct wire *wire, const char *what, int number)
{
    char text[64];
    const bool closed = number == ECONNRESET || number == EPIPE;

    return wire_fail(wire, closed ? LINE_CLOSED : LINE_UNREACHABLE, "%s: %s", what,
                     strerror_r(number, text, sizeof text));
}

/* Waits until the socket can be read or written, or broke. 0, or -1: too late. */
static int wire_wait(struct wire *wire, short events, const char *what, uint64_t deadline_ns)
{
    for (;;) {
        const uint64_t now_ns = uv_hrtime();
        struct pollfd poll_fd = {.fd = wire->fd, .events = events};

        if (now_ns >= deadline_ns)
            return wire_fail(wire, LINE_LATE, "%s takes too long", what);
        const uint64_t left_ns = deadline_ns - now_ns;
        const struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000),
                                      .tv_nsec = (long)(left_ns % 1000000000)};
        const int ready = ppoll(&poll_fd, 1, &left, NULL);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return fail_errno(wire, "poll", errno);
    }
}

int wire_connect(struct wire *wire, const struct sockaddr *address, socklen_t bytes, uint64_t deadline_ns)
{
    const int on = 1, receive_bytes = WIRE_RECEIVE_BYTES;
    int result = -1;
    socklen_t result_bytes = sizeof result;

    wire_init(wire);
    wire->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (wire->fd < 0)
        return fail_errno(wire, "socket", errno);
    /* Requests are short, and wait for their answer. A failure does no harm. */
    if (address->sa_family != AF_UNIX)
        setsockopt(wire->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    /* Makes room for a tile from the first byte on. The system's default begins below that: the window closes in the middle
     * of an answer, and sometimes opens only when the store probes, 20 ms later. */
    setsockopt(wire->fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    /* A local socket whose backlog is full says EAGAIN, and there is nothing to wait for: as good as refused. */
    if (connect(wire->fd, address, bytes) < 0 && errno != EINPROGRESS) {
        fail_errno(wire, "connecting", errno);
    } else if (wire_wait(wire, POLLOUT, "connecting", deadline_ns) == 0) {
        if (getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &result, &result_bytes) < 0)
            result = errno;
        if (result == 0)
            return 0;
        fail_errno(wire, "connecting", result);
    }
    wire_close(wire);
    return -1;
}

/* Waits after a call of GnuTLS that would block. -1: do not call again. */
static int tls_wait(struct wire *wire, long result, const char *what, uint64_t deadline_ns)
{
    if (result == GNUTLS_E_AGAIN || result == GNUTLS_E_INTERRUPTED)
        return wire_wait(wire, gnutls_record_get_direction(wire->tls) ? POLLOUT : POLLIN, what, deadline_ns);
    if (result == GNUTLS_E_PREMATURE_TERMINATION || result == GNUTLS_E_PUSH_ERROR ||
        result == GNUTLS_E_PULL_ERROR)
        return wire_fail(wire, LINE_CLOSED, "%s: the connection was closed", what);
    return wire_fail(wire, LINE_NONSENSE, "%s: TLS: %s", what, gnutls_strerror((int)result));
}

/* "the certificate is NOT trusted. The name in the certificate does not match ..." */
static int fail_certificate(struct wire *wire)
{
    gnutls_datum_t text;
    const unsigned status = gnutls_session_get_verify_cert_status(wire->tls);

    if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) < 0)
        return wire_fail(wire, LINE_NONSENSE, "TLS: the certificate cannot be verified");
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\0'))
        text.size--;
    wire_fail(wire, LINE_NONSENSE, "TLS: %.*s", (int)text.size, (const char *)text.data);
    gnutls_free(text.data);
    return -1;
}

static int tls_begin(struct wire *wire, const struct line_trust *trust, const char *host)
{
    struct in6_addr address;
    gnutls_session_t session;
    int failed;

    wire->out = malloc(RECORD_BYTES);
    if (!wire->out)
        return wire_fail(wire, LINE_MEMORY, "memory is short");
    failed = gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
    if (failed < 0)
        return wire_fail(wire, LINE_MEMORY, "TLS: %s", gnutls_strerror(failed));
    wire->tls = session;
    failed = gnutls_priority_set_direct(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", NULL);
    if (failed == 0)
        failed = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, trust->credentials);
    /* The server name extension takes a name, not an address (RFC 6066). */
    if (failed == 0 && inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1)
        failed = gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, strlen(host));
    if (failed < 0)
        return wire_fail(wire, LINE_MEMORY, "TLS: %s", gnutls_strerror(failed));
    gnutls_session_set_verify_cert(session, host, 0);
    gnutls_transport_set_int(session, wire->fd);
    gnutls_handshake_set_timeout(session, GNUTLS_INDEFINITE_TIMEOUT); /* the deadline is ours */
    return 0;
}

int wire_encrypt(struct wire *wire, const struct line_trust *trust, const char *host, uint64_t deadline_ns)
{
    CHECK(trust != NULL && !wire->tls);
    if (tls_begin(wire, trust, host) < 0)
        return -1;
    for (;;) {
        const int result = gnutls_handshake(wire->tls);

        if (result == 0)
            return 0;
        if (result == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR)
            return fail_certificate(wire);
        /* Warnings are no end of a handshake. */
        if (result == GNUTLS_E_WARNING_ALERT_RECEIVED && uv_hrtime() < deadline_ns)
            continue;
        if (tls_wait(wire, result, "the TLS handshake", deadline_ns) < 0)
            return -1;
    }
}

/* Sends the buffer as one record. */
static int tls_flush(struct wire *wire, uint64_t deadline_ns)
{
    size_t sent = 0;

    while (sent < wire->out_bytes) {
        const ssize_t count = gnutls_record_send(wire->tls, wire->out + sent, wire->out_bytes - sent);

        if (count > 0)
            sent += (size_t)count;
        else if (tls_wait(wire, (long)count, "sending", deadline_ns) < 0)
            return -1;
    }
    wire->out_bytes = 0;
    return 0;
}

static int tls_send(struct wire *wire, const struct iovec *pieces, size_t count, uint64_t deadline_ns)
{
    for (size_t i = 0; i < count; i++) {
        const char *from = pieces[i].iov_base;
        size_t left = pieces[i].iov_len;

        while (left > 0) {
            const size_t room = RECORD_BYTES - wire->out_bytes;
            const size_t step = left < room ? left : room;

            memcpy(wire->out + wire->out_bytes, from, step);
            wire->out_bytes += step;
            from += step;
            left -= step;
            if (wire->out_bytes == RECORD_BYTES && tls_flush(wire, deadline_ns) < 0)
                return -1;
        }
    }
    return tls_flush(wire, deadline_ns);
}

int wire_send(struct wire *wire, struct iovec *pieces, size_t count, uint64_t deadline_ns)
{
    if (wire->fault != LINE_FINE)
        return -1;
    CHECK(wire->fd >= 0 && count <= WIRE_VECTORS);
    if (wire->tls)
        return tls_send(wire, pieces, count, deadline_ns);
    while (count > 0) {
        const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
        const ssize_t sent = sendmsg(wire->fd, &message, MSG_NOSIGNAL);
        size_t bytes = sent > 0 ? (size_t)sent : 0;

        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return fail_errno(wire, "sending", errno);
        for (; count > 0 && bytes >= pieces->iov_len; pieces++, count--)
            bytes -= pieces->iov_len;
        if (count == 0)
            break;
        pieces->iov_base = (char *)pieces->iov_base + bytes;
        pieces->iov_len -= bytes;
        if (wire_wait(wire, POLLOUT, "sending", deadline_ns) < 0)
            return -1;
    }
    return 0;
}

ssize_t wire_receive(struct wire *wire, char *bytes, size_t room, uint64_t deadline_ns)
{
    if (wire->fault != LINE_FINE)
        return -1;
    CHECK(wire->fd >= 0 && room > 0);
    for (;;) {
        const ssize_t count =
            wire->tls ? gnutls_record_recv(wire->tls, bytes, room) : recv(wire->fd, bytes, room, 0);

        if (count > 0)
            return count;
        if (count == 0)
            return wire_fail(wire, LINE_CLOSED, "the store closed the connection");
        if (wire->tls) {
            if (tls_wait(wire, (long)count, "the answer", deadline_ns) < 0)
                return -1;
        } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            return fail_errno(wire, "receiving", errno);
        } else if (wire_wait(wire, POLLIN, "the answer", deadline_ns) < 0) {
            return -1;
        }
    }
}

void wire_close(struct wire *wire)
{
    /* Sends the closing alert if the socket has room; does not wait. */
    if (wire->tls && wire->fault == LINE_FINE)
        gnutls_bye(wire->tls, GNUTLS_SHUT_WR);
    if (wire->tls)
        gnutls_deinit(wire->tls);
    if (wire->fd >= 0)
        close(wire->fd);
    free(wire->out);
    wire->fd = -1;
    wire->tls = NULL;
    wire->out = NULL;
    wire->out_bytes = 0;
}

struct line_trust *line_trust_load(const char *file, char *error, size_t error_bytes)
{
    struct line_trust *const trust = malloc(sizeof *trust);
    int count = trust ? gnutls_certificate_allocate_credentials(&trust->credentials) : GNUTLS_E_MEMORY_ERROR;

    if (count < 0) {
        snprintf(error, error_bytes, "%s", gnutls_strerror(count));
        free(trust);
        return NULL;
    }
    if (file[0] == '\0')
        count = gnutls_certificate_set_x509_system_trust(trust->credentials);
    else
        count = gnutls_certificate_set_x509_trust_file(trust->credentials, file, GNUTLS_X509_FMT_PEM);
    if (count > 0)
        return trust;
    if (file[0] == '\0')
        snprintf(error, error_bytes, "the system has no certificates to trust (package ca-certificates)%s%s",
                 count < 0 ? ": " : "", count < 0 ? gnutls_strerror(count) : "");
    else
        text_print(error, error_bytes, "%.*s: %s", text_cut(file, 200), file,
                   count < 0 ? gnutls_strerror(count) : "there is no certificate (PEM) in it");
    line_trust_free(trust);
    return NULL;
}

void line_trust_free(struct line_trust *trust)
{
    if (!trust)
        return;
    gnutls_certificate_free_credentials(trust->credentials);
    free(trust);
}
