/*
 * A listener: socket, libmicrohttpd daemon, and the life of a request.
 *
 *   target_arrived      the request line is there: the request is made and its target parsed
 *   handle              headers are there: answered, or suspended; called again after the pool's wake
 *   request_completed   the last byte is out, or the connection is gone: counted and freed
 *
 * libmicrohttpd calls all three on the connection's own thread. A suspended connection neither times out nor
 * completes, so a waiting request lives until the pool has woken it.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "../check.h"
#include "http.h"
#include "request.h"

struct http {
    struct service *service;
    bool admin;
    struct MHD_Daemon *daemon;
    MHD_socket quiesced; /* the listening socket after http_quiesce */
    char url[300];
    struct target_names names;
};

/* ---- Requests ------------------------------------------------------------------------------------------ */

/* Returns what becomes *context of the other two; NULL when memory is short, which closes the connection. */
static void *target_arrived(void *cls, const char *target, struct MHD_Connection *connection)
{
    struct http *http = cls;
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    const size_t bytes = strlen(target);
    request->magic = REQUEST_MAGIC;
    request->service = http->service;
    request->connection = connection;
    request->tier = TIER_NONE;
    request->start_ns = uv_hrtime();
    request->too_long = bytes > http->service->config.http.target_bytes;
    if (request->too_long)
        request->target.route = ROUTE_UNKNOWN;
    else
        target_parse(&request->target, target, bytes, &http->names);
    request->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    metrics_move(&http->service->active, 1);
    return request;
}

/*
 * A body, which nothing here takes. It is not read: its request is answered at once and its connection
 * closed, so that no upload holds a connection, and two ideas of where a body ends cannot part.
 */
static bool has_body(struct MHD_Connection *connection)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return (length && strcmp(length, "0") != 0) ||
           MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **context)
{
    const struct http *http = cls;
    struct request *request = *context;
    (void)url, (void)upload, (void)upload_bytes;
    if (!request)
        return MHD_NO;
    CHECK(request->magic == REQUEST_MAGIC);
    if (!request->begun) {
        request->begun = true;
        request->no_host = strcmp(version, MHD_HTTP_VERSION_1_1) == 0 &&
                           !MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
        if (!request->no_host && !has_body(connection))
            return MHD_YES; /* libmicrohttpd keeps a connection only when it is answered after this call */
    }
    if (request->waiting)
        return route_woken(request);
    return http->admin ? route_admin(request, method) : route_public(request, method);
}

static void request_completed(void *cls, struct MHD_Connection *connection, void **context,
                              enum MHD_RequestTerminationCode code)
{
    struct http *http = cls;
    struct request *request = *context;
    (void)connection, (void)code;
    if (!request)
        return;
    CHECK(request->magic == REQUEST_MAGIC);
    blob_release(request->waiter.blob); /* woken, but closed before it was answered */
    if (request->status) {
        metrics_request(&http->service->metrics, request->target.route, request->status);
        if (request->target.route == ROUTE_TILE)
            metrics_observe(&http->service->metrics.latency[request->tier], uv_hrtime() - request->start_ns);
    }
    metrics_move(&http->service->active, -1);
    request->magic = 0;
    free(request);
    *context = NULL;
}

static void connection_changed(void *cls, struct MHD_Connection *connection, void **context,
                               enum MHD_ConnectionNotificationCode code)
{
    struct http *http = cls;
    (void)connection, (void)context;
    metrics_move(&http->service->metrics.connections, code == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1);
}

static void mhd_log(void *cls, const char *format, va_list arguments)
{
    char text[400];
    (void)cls;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    vsnprintf(text, sizeof text, format, arguments);
#pragma GCC diagnostic pop
    log_write(LOG_DEBUG, "http", "%s", text);
}

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
                        bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, 1024) != 0)) {
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

static void url_of(int fd, char *url, size_t bytes)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[NI_MAXHOST] = "?", service[NI_MAXSERV] = "?";
    if (getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(url, bytes, strchr(host, ':') ? "http://[%.200s]:%s" : "http://%.200s:%s", host, service);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

static struct MHD_Daemon *daemon_start(struct http *http, int fd)
{
    const struct config_http *config = &http->service->config.http;
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    const unsigned threads = http->admin ? 1 : config->threads;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, mhd_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE, threads > 1 ? threads : 0u,
        MHD_OPTION_CONNECTION_LIMIT, http->admin ? 64u : config->connections, MHD_OPTION_CONNECTION_TIMEOUT,
        config->idle_timeout_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)config->connection_memory_bytes,
        MHD_OPTION_URI_LOG_CALLBACK, target_arrived, http, MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_NOTIFY_COMPLETED, request_completed, http, MHD_OPTION_NOTIFY_CONNECTION,
        connection_changed, http, MHD_OPTION_END);
}

struct http *http_start(struct service *service, const char *address, bool admin, char *error,
                        size_t error_bytes)
{
    char host[CONFIG_HOST_BYTES];
    uint16_t port;
    int resolve = 0;
    struct http *http = calloc(1, sizeof *http);
    if (!http) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    http->service = service;
    http->admin = admin;
    http->quiesced = MHD_INVALID_SOCKET;
    http->names = (struct target_names){
        .world = worlds_named,
        .recipe = worlds_recipe,
        .context = &service->worlds,
        .standard = service->worlds.standard,
    };
    CHECK(config_split_address(address, host, sizeof host, &port));
    const int fd = listen_on(host, port, &resolve);
    if (fd < 0) {
        snprintf(error, error_bytes, "cannot listen on %s: %s", address,
                 resolve ? gai_strerror(resolve) : strerror(errno));
        free(http);
        return NULL;
    }
    url_of(fd, http->url, sizeof http->url);
    http->daemon = daemon_start(http, fd);
    if (!http->daemon) {
        snprintf(error, error_bytes, "cannot serve on %s: threads, memory or descriptors are short", address);
        close(fd);
        free(http);
        return NULL;
    }
    return http;
}

const char *http_url(const struct http *http)
{
    return http->url;
}

void http_quiesce(struct http *http)
{
    if (http->quiesced != MHD_INVALID_SOCKET)
        return;
    http->quiesced = MHD_quiesce_daemon(http->daemon);
    if (http->quiesced != MHD_INVALID_SOCKET)
        shutdown(http->quiesced, SHUT_RDWR); /* who comes now is refused, and can go elsewhere */
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    MHD_stop_daemon(http->daemon);
    if (http->quiesced != MHD_INVALID_SOCKET)
        close(http->quiesced); /* not before: a thread may still name it to epoll */
    free(http);
}
