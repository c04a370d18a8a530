/*
 * A listener: its socket and its loops.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/check.h"
#include "feed.h"
#include "gate.h"
#include "http.h"
#include "loop.h"

enum {
    BACKLOG = 4096,
    DEAD_MS = 2000,
    ADMIN_THREADS = 2 /* a purge may keep one for seconds */
};

struct http {
    int fd;
    char url[300];
    atomic_int_fast64_t open;
    unsigned started;
    struct loop loop[]; /* as many as threads */
};

/* ---- Sockets ------------------------------------------------------------------------------------------- */

/* A listening socket, or -1 with errno or *resolve set. */
static int listen_on(const char *host, uint16_t port, int *resolve)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    char service[8];
    int fd = -1, saved = 0;
    snprintf(service, sizeof service, "%u", port);
    *resolve = getaddrinfo(*host ? host : NULL, service, &hints, &list);
    for (struct addrinfo *at = list; *resolve == 0 && at && fd < 0; at = at->ai_next) {
        const int on = 1;
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
        if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
                        bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)) {
            saved = errno;
            close(fd);
            fd = -1;
        } else if (fd < 0) {
            saved = errno;
        }
    }
    if (list)
        freeaddrinfo(list);
    errno = saved;
    return fd;
}

static void url_of(int fd, bool encrypted, char *url, size_t bytes)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[NI_MAXHOST] = "?", service[NI_MAXSERV] = "?";
    if (getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(url, bytes, strchr(host, ':') ? "http%s://[%.200s]:%s" : "http%s://%.200s:%s",
             encrypted ? "s" : "", host, service);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

static bool loops_start(struct http *http, const struct loop *form, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        http->loop[i] = *form;
        http->loop[i].index = i;
    }
    for (unsigned i = 0; i < threads; i++) {
        if (loop_start(&http->loop[i]) != 0)
            return false;
        http->started++;
    }
    return true;
}

struct http *http_start(struct service *service, const char *address, int fd, bool admin, char *error,
                        size_t error_bytes)
{
    const struct config_http *config = &service->settings->config.http;
    const unsigned threads = admin ? ADMIN_THREADS : config->threads;
    const bool encrypted = !admin && *config->tls.certificate;
    char host[TEXT_HOST_BYTES];
    uint16_t port;
    int resolve = 0;
    if (!gate_holds()) {
        snprintf(error, error_bytes,
                 "cannot serve: libmicrohttpd would read past terrane's own recv and gnutls_record_recv, "
                 "so nothing would be screened; link as the Makefile does");
        return NULL;
    }
    struct http *http = calloc(1, sizeof *http + threads * sizeof *http->loop);
    if (!http) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    CHECK(text_split_address(address, host, sizeof host, &port));
    http->fd = fd >= 0 ? fd : listen_on(host, port, &resolve);
    if (http->fd < 0) {
        snprintf(error, error_bytes, "cannot listen on %s: %s", address,
                 resolve ? gai_strerror(resolve) : strerror(errno));
        free(http);
        return NULL;
    }
    url_of(http->fd, encrypted, http->url, sizeof http->url);
    if (!feeds_open(service->shared)) {
        snprintf(error, error_bytes, "out of memory");
        http_stop(http);
        return NULL;
    }
    const struct loop form = {.service = service,
                              .admin = admin,
                              .encrypted = encrypted,
                              .inherited = fd >= 0,
                              .listener = http->fd,
                              .open = &http->open,
                              .loops = http->loop,
                              .loops_count = threads};
    if (!loops_start(http, &form, threads)) {
        snprintf(error, error_bytes, "cannot serve on %s: threads, memory or descriptors are short", address);
        http_stop(http);
        return NULL;
    }
    return http;
}

const char *http_url(const struct http *http)
{
    return http->url;
}

bool http_alive(const struct http *http)
{
    const uint64_t now = uv_hrtime();
    for (unsigned i = 0; http && i < http->started; i++) {
        const uint64_t beat = atomic_load_explicit(&http->loop[i].beat_ns, memory_order_relaxed);
        if (now > beat && now - beat > (uint64_t)DEAD_MS * 1000000)
            return false;
    }
    return true;
}

bool http_ready(const struct service *service)
{
    return atomic_load(&service->ready) && !atomic_load(&service->draining) &&
           (!service->follow || follow_is_ready(service->follow)) && http_alive(atomic_load(&service->front));
}

void http_open(struct http *http)
{
    atomic_store(&http->loop[0].service->open, true);
    for (unsigned i = 0; i < http->started; i++)
        loop_open(&http->loop[i]);
}

void http_quiesce(struct http *http)
{
    for (unsigned i = 0; i < http->started; i++)
        loop_close(&http->loop[i]);
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    for (unsigned i = 0; i < http->started; i++)
        loop_stop(&http->loop[i]);
    close(http->fd);
    free(http);
}
