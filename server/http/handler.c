/*
 * Requests' lives.
 */
#include "request.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "gate.h"
#include "gather.h"
#include "guard.h"
#include "prefetch.h"

enum {
    BODY_ROOM = 4096,
    TEXT_ROOM = 255,
    PARAMETERS_MAX = 32, /* of a query: each takes of the connection's memory */
    PARAMETER_BYTES = 64 /* so much, as a header does */
};

/* ---- Beginning ----------------------------------------------------------------------------------------- */

/* A reload can ask for longer targets than the connections' memory, which stays as it was at the start, has room for. */
static size_t target_max(const struct loop *loop)
{
    const size_t max = loop->settings->config.http.target_bytes;
    const size_t room = loop->service->begun->config.http.connection_memory_bytes / 2;
    return max < room ? max : room;
}

/* A named world: the configuration's, or one that people change. */
static bool named_world(const void *context, const char *name, size_t bytes, struct tile_key *key,
                        const struct recipe **recipe)
{
    const struct settings *settings = context;
    if (worlds_named(&settings->worlds, name, bytes, key, recipe))
        return true;
    const struct shared_world *world = shared_find(settings->shared, name, bytes);
    if (!world)
        return false;
    key->seed = world->seed;
    key->alias = &world->alias;
    key->edits = world->log;
    key->at = edit_log_count(world->log);
    *recipe = &world->recipe;
    return true;
}

static const struct recipe *named_recipe(const void *context, const char *name, size_t bytes)
{
    return worlds_recipe(&((const struct settings *)context)->worlds, name, bytes);
}

static const char *away_world(const void *context, const char *name, size_t bytes)
{
    return shared_away(((const struct settings *)context)->shared, name, bytes);
}

struct target_names request_names(const struct settings *settings)
{
    return (struct target_names){.world = named_world,
                                 .recipe = named_recipe,
                                 .away = away_world,
                                 .context = settings,
                                 .standard = settings->worlds.standard};
}

/*
 * All zero, with room for a target of so many bytes. Most requests of a loop end before its next begins, and their memory is too much for the
 * allocator's quick lists.
 */
static struct request *request_make(struct loop *loop, size_t bytes)
{
    struct request *request = bytes <= TEXT_ROOM ? loop->spare : NULL;
    if (!request)
        return calloc(1, sizeof *request + (bytes <= TEXT_ROOM ? TEXT_ROOM : bytes) + 1);
    loop->spare = NULL;
    return memset(request, 0, sizeof *request + bytes + 1);
}

static void request_free(struct loop *loop, struct request *request)
{
    request->magic = 0;
    if (loop->spare || strlen(request->text) > TEXT_ROOM)
        free(request);
    else
        loop->spare = request;
}

static bool has_many_parameters(const char *query)
{
    int count = 1;
    for (; query && count <= PARAMETERS_MAX && (query = strchr(query, '&')); query++)
        count++;
    return count > PARAMETERS_MAX;
}

void *handler_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct loop *loop = cls;
    struct connection *link =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    const size_t bytes = strlen(target), max = target_max(loop);
    const size_t kept = bytes < max ? bytes : max;
    const bool screened = link && (link->screen.state || link->screen.requests); /* else there is no answer */
    struct request *request = screened ? request_make(loop, kept) : NULL;
    if (!request)
        return NULL;
    const struct target_names names = request_names(loop->settings);
    request->magic = REQUEST_MAGIC;
    request->service = loop->service;
    request->settings = loop->settings;
    request->settings_version = loop->settings_version;
    refcount_hold(&request->settings->references);
    request->connection = mhd;
    request->link = link;
    request->tier = TIER_NONE;
    request->start_ns = uv_hrtime();
    memcpy(request->text, target, kept);
    const char *query = strchr(target, '?');
    request->too_long = bytes > max || has_many_parameters(query);
    if (request->too_long)
        request->target.route = ROUTE_UNKNOWN;
    else
        target_parse(&request->target, target, bytes, &names);
    if (request->too_long &&
        query) /* libmicrohttpd 0.9.75, whose buffer this is, hangs where it has no memory for a query */
        ((char *)(uintptr_t)query)[1] = '\0';
    metrics_move(&loop->service->active, 1);
    link->request = request;
    connection_enter(link, PHASE_REQUEST, 0);
    return request;
}

const char *request_header(const struct request *request, const char *name)
{
    return request->connection ? MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name)
                               : NULL;
}

const char *request_list(const struct request *request, const char *name,
                         char text[static REQUEST_LIST_BYTES])
{
    const char *first = request_header(request, name);
    if (!first)
        return NULL;
    header_list(request, name, text, REQUEST_LIST_BYTES);
    return strlen(text) > strlen(first) ? text : first;
}

const char *request_argument(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

void *request_work(struct request *request, size_t bytes, void (*work_free)(void *work))
{
    request->work = calloc(1, bytes);
    request->work_free = request->work ? work_free : NULL;
    return request->work;
}

bool request_knows(const struct request *request, const char *etag)
{
    char text[REQUEST_LIST_BYTES];
    const char *known = request_list(request, "If-None-Match", text);
    return known && etag_matches(known, etag, false);
}

bool request_is_of_other(struct request *request, const char *etag, enum MHD_Result *result)
{
    char text[REQUEST_LIST_BYTES];
    const char *wanted = request_list(request, "If-Match", text);
    if (!wanted || etag_matches(wanted, etag, true))
        return false;
    *result = reply_problem(request, 412, "If-Match", "What is there has another ETag.", 0);
    return true;
}

/* ---- Bodies -------------------------------------------------------------------------------------------- */

/* What takes a body of at most REQUEST_BODY_BYTES: POST and PUT to where they are known. */
static bool takes_body(const struct request *request, const char *method)
{
    const enum route route = request->target.route;
    const bool off = route == ROUTE_PREFETCH && request->settings->config.prefetch.tiles == 0;
    return route_row[route].body && route_row[route].admin == request->link->loop->admin && !off &&
           (strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0);
}

/*
 * A body that nothing here takes is not read: its request is answered at once and its connection closed, so that no upload
 * holds a connection, and two ideas of where a body ends cannot part.
 */
static bool has_body(const struct request *request)
{
    const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return (length && strcmp(length, "0") != 0) || request_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/* Whether headers leave libmicrohttpd 0.9.75, which spins where it cannot read on, memory for a piece of a body. */
static bool has_room(const struct request *request)
{
    enum { PIECE_BYTES = 1024 };
    const union MHD_ConnectionInfo *head =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const int kinds = MHD_HEADER_KIND | MHD_COOKIE_KIND | MHD_GET_ARGUMENT_KIND;
    const char *cookie = request_header(request, "Cookie"); /* of which it keeps a copy */
    const int values = MHD_get_connection_values(request->connection, (enum MHD_ValueKind)kinds, NULL, NULL);
    return head->header_size + (size_t)values * PARAMETER_BYTES + (cookie ? strlen(cookie) + 16 : 0) +
               PIECE_BYTES <=
           request->service->begun->config.http.connection_memory_bytes;
}

static bool body_too_large(const struct request *request)
{
    const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length && strtoull(length, NULL, 10) > REQUEST_BODY_BYTES;
}

/* Keeps a piece of the body; the whole of it is let go of where it is too large. */
static void body_add(struct request *request, const char *piece, size_t bytes)
{
    if (request->too_large || bytes > REQUEST_BODY_BYTES - request->body_length) {
        request->too_large = true;
        return;
    }
    size_t room = request->body_room ? request->body_room : BODY_ROOM;
    while (room < request->body_length + bytes)
        room *= 2;
    if (room > request->body_room) {
        char *body = realloc(request->body, room);
        if (!body) {
            request->too_large = true;
            return;
        }
        request->body = body;
        request->body_room = room;
    }
    memcpy(request->body + request->body_length, piece, bytes);
    request->body_length += bytes;
}

/* ---- Answering ----------------------------------------------------------------------------------------- */

/* The client's name for the request where it is a plain one, else one of ours. For the access log and the answer. */
static void name_request(struct request *request)
{
    static atomic_uint_fast64_t count;
    const char *given = request_header(request, "X-Request-Id");
    size_t n = 0;
    if (!atomic_load_explicit(&request->service->log, memory_order_relaxed))
        return;
    while (given && given[n] > ' ' && given[n] <= '~' && given[n] != '"' && given[n] != '\\' &&
           n < REQUEST_ID_BYTES)
        n++;
    if (given && n > 0 && given[n] == 0) {
        memcpy(request->id, given, n + 1);
        return;
    }
    const uint64_t number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    snprintf(request->id, sizeof request->id, "%016llx%08llx", (unsigned long long)request->start_ns,
             (unsigned long long)(number & 0xffffffff));
}

/* The first call: true where there is more to come before it can be answered. */
static bool begin(struct request *request, const char *method, const char *version)
{
    request->begun = true;
    snprintf(request->method, sizeof request->method, "%s", method);
    request->no_host =
        strcmp(version, MHD_HTTP_VERSION_1_1) == 0 && !request_header(request, MHD_HTTP_HEADER_HOST);
    name_request(request);
    if (gate_wrong(request->link))
        return true;
    if (!has_body(request))
        return !request
                    ->no_host; /* libmicrohttpd keeps a connection only when it is answered after this call */
    if (!takes_body(request, method))
        return false;
    request->too_large = body_too_large(request);
    request->no_room = !has_room(request);
    return !request->too_large && !request->no_room;
}

static enum MHD_Result answer(struct request *request, const char *method)
{
    if (request->run_ns) {
        request->ran_ns += uv_hrtime() - request->run_ns;
        request->run_ns = 0;
    }
    if (request->woken)
        return request->woken(request);
    if (request->waiting)
        return route_woken(request);
    return request->link->loop->admin ? route_admin(request, method) : route_public(request, method);
}

enum MHD_Result handler_call(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                             const char *version, const char *upload, size_t *upload_bytes, void **context)
{
    struct request *request = *context;
    (void)cls, (void)mhd, (void)url;
    if (!request)
        return MHD_NO;
    CHECK(request->magic == REQUEST_MAGIC);
    if (!request->begun && begin(request, method, version))
        return MHD_YES;
    if (*upload_bytes > 0) {
        body_add(request, upload, *upload_bytes);
        *upload_bytes = 0;
        return MHD_YES;
    }
    const enum MHD_Result result = answer(request, method);
    if (request->status)
        connection_enter(request->link, PHASE_SEND, request->body_bytes);
    return result;
}

/* ---- The end ------------------------------------------------------------------------------------------- */

static void log_access(struct request *request, uint64_t total_ns)
{
    struct access_log *log = atomic_load_explicit(&request->service->log, memory_order_acquire);
    struct sockaddr_storage client;
    char host[NI_MAXHOST] = "";
    if (!log)
        return;
    guard_client(request, &client);
    getnameinfo((struct sockaddr *)&client, sizeof client, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    const struct waiter *waiter = &request->waiter;
    const struct access_entry entry = {
        .id = request->id,
        .client = host,
        .key = request->holder ? request->holder->name : NULL,
        .method = request->method,
        .target = request->text,
        .agent = request_header(request, "User-Agent"),
        .route = request->target.route,
        .status = request->status,
        .bytes = request->body_bytes,
        .tier = request->tier,
        .queue_ns = waiter->queue_ns,
        .region_ns = waiter->region_ns,
        .render_ns = waiter->surface_ns + waiter->encode_ns,
        .total_ns = total_ns,
    };
    access_log_write(log, &entry);
}

/* Without the query: it may hold a key. */
static void log_slow(const struct request *request, uint64_t total_ns)
{
    const unsigned slow_ms = request->settings->config.log.slow_ms;
    const struct waiter *waiter = &request->waiter;
    if (!slow_ms || total_ns < (uint64_t)slow_ms * 1000000 || !request->waiting)
        return;
    log_write(LOG_WARNING, "slow",
              "%.*s: %u after %.0f ms: queue %.1f, regions %.1f, surface %.1f, encode %.1f",
              (int)strcspn(request->text, "?"), request->text, request->status, (double)total_ns / 1e6,
              (double)waiter->queue_ns / 1e6, (double)waiter->region_ns / 1e6,
              (double)waiter->surface_ns / 1e6, (double)waiter->encode_ns / 1e6);
}

static void complete(struct loop *loop, struct request *request)
{
    const uint64_t total_ns = uv_hrtime() - request->start_ns;
    struct metrics *metrics = &loop->service->metrics;
    blob_release(request->waiter.blob); /* woken, but closed before it was answered */
    if (request->link->refused && !request->status) {
        request->status = MHD_HTTP_BAD_REQUEST;
        request->body_bytes = request->link->refused_bytes;
    }
    gather_drop(request->gather);
    if (request->work_free)
        request->work_free(request->work);
    stream_room_free(request);
    if (strcmp(request->method, MHD_HTTP_METHOD_HEAD) == 0)
        request->body_bytes = 0; /* which says what another would have */
    if (request->status) {
        metrics_request(metrics, request->target.route, request->status);
        metrics_add(&metrics->response_bytes, request->body_bytes);
        if (target_is_tile(&request->target)) {
            metrics_observe(&metrics->latency[request->tier], total_ns);
            log_slow(request, total_ns);
        }
    }
    log_access(request, total_ns);
    request->link->request = NULL;
    connection_enter(request->link, PHASE_IDLE, 0);
    gate_answered(request->link);
    metrics_move(&loop->service->active, -1);
    refcount_release(&request->settings->references);
    free(request->body);
    request_free(loop, request);
}

void handler_completed(void *cls, struct MHD_Connection *mhd, void **context,
                       enum MHD_RequestTerminationCode code)
{
    struct request *request = *context;
    (void)mhd, (void)code;
    if (!request)
        return;
    CHECK(request->magic == REQUEST_MAGIC);
    complete(cls, request);
    *context = NULL;
}

void handler_lost(struct loop *loop, struct request *request)
{
    request->connection = NULL; /* its headers are gone */
    complete(loop, request);
}
