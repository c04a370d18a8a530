/*
 * GET /world/{name}/events: what people do to a world, as server-sent events. feed.h says what is kept for whom.
 *
 *     response ──► greeting ──► pages of the file, made by workers ──► the feed's events ──► asleep ──► ...
 *                                       ▲                                   │
 *                                       └───────────── far behind ──────────┘
 *
 * A stream ends where its client resumes it: when the server stops, when the configuration was read anew (the key may be another now),
 * when a worker could not read. It is cut off where its client takes nothing: by the clock of every answer, and where so many operations
 * happen meanwhile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/check.h"
#include "edit_json.h"
#include "feed.h"
#include "guard.h"
#include "reply_parts.h"

enum {
    PAGE_EDITS = 1000,
    PAGE_BYTES = 64 << 10, /* a page ends with the event that reaches it */
    BLOCK_BYTES = 4096,    /* for libmicrohttpd, where it sends no chunks */
    RETRY_MS = 1000,       /* until a client asks again for a stream that has ended */
    FULL_RETRY_S = 5,
    GREETING_BYTES = 240
};

static const uint64_t LOOK_NS = 1000000000, /* between looks whether a client that sleeps is still there */
    STOP_NS = 1000000000;                   /* for who takes nothing when the server stops */

/* ---- Pages ----------------------------------------------------------------------------------------------- */

static void page_drop(struct listener *listener)
{
    free(listener->page);
    listener->page = NULL;
    listener->page_bytes = listener->page_at = 0;
}

static bool page_add(struct listener *listener, const char *text, size_t bytes)
{
    char *page = realloc(listener->page, listener->page_bytes + bytes);
    if (!page)
        return false;
    memcpy(page + listener->page_bytes, text, bytes);
    listener->page = page;
    listener->page_bytes += bytes;
    return true;
}

static bool show(void *context, const struct shared_edit *edit)
{
    struct listener *listener = context;
    const struct shared_world *world = listener->feed->world;
    const struct shared_box box = shared_box_of(world, &edit->entry, edit->number);
    if (edit->number > listener->count) /* on the disk, and in no tile yet */
        return false;
    if (listener->all || shared_box_touches(&box, &listener->box)) {
        struct feed_event *event = feed_event_of(world, edit);
        listener->page_failed = !event || !page_add(listener, event->text, event->bytes);
        listener->page_told = edit->number;
        listener->page_events++;
        free(event);
    }
    if (listener->page_failed)
        return false;
    listener->page_next = edit->number;
    return listener->page_bytes < PAGE_BYTES;
}

/* A worker's. */
static void read_page(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    struct listener *listener = request->work;
    char error[SHARED_ERROR_BYTES];
    struct shared_store *store =
        shared_world_file(request->settings->shared, listener->feed->world, error, sizeof error);
    listener->count = edit_log_count(listener->feed->world->log);
    if (!store ||
        shared_store_read(store, listener->since, PAGE_EDITS, show, listener, error, sizeof error) < 0) {
        log_write(LOG_ERROR, "shared", "%s", error);
        listener->page_failed = true;
    }
    shared_store_close(store);
}

static void ask_page(struct listener *listener)
{
    listener->reading = true;
    listener->page_failed = false;
    listener->page_events = 0;
    listener->page_next = listener->since;
    request_run(listener->request, read_page, NULL);
}

/* What a worker has made; false: nothing, nor will it. */
static bool take_page(struct listener *listener)
{
    const bool stuck = listener->page_next == listener->since;
    if (!listener->reading)
        return true;
    listener->reading = false;
    listener->since = listener->page_next;
    if (listener->page)
        listener->told = listener->page_told;
    metrics_add(&listener->request->service->metrics.events, listener->page_events);
    return listener->request->waiter.outcome == POOL_DONE && !listener->page_failed && !stuck;
}

static size_t copy_page(struct listener *listener, char *buffer, size_t max)
{
    const size_t left = listener->page_bytes - listener->page_at, bytes = left < max ? left : max;
    if (!listener->page)
        return 0;
    memcpy(buffer, listener->page + listener->page_at, bytes);
    listener->page_at += bytes;
    if (bytes == left)
        page_drop(listener);
    return bytes;
}

/* ---- Sending --------------------------------------------------------------------------------------------- */

/* Whether a stream ends so that its client asks anew, or because it must. */
static bool is_over(const struct request *request)
{
    const struct key_holder *holder = request->holder;
    const struct listener *listener = request->work;
    return atomic_load(&request->service->draining) || atomic_load(&listener->feed->world->ended) ||
           atomic_load_explicit(&request->service->settings_version, memory_order_relaxed) !=
               request->settings_version ||
           (holder && holder->expires_s <= time(NULL));
}

static uint64_t heartbeat_ns(const struct request *request)
{
    return (uint64_t)request->settings->config.worlds.heartbeat_s * 1000000000;
}

/* A comment; with the number that the client may resume from, where operations have passed its box by. */
static size_t beat(struct listener *listener, char *buffer, size_t max)
{
    char text[40];
    int bytes = snprintf(text, sizeof text, ":\n\n");
    if (listener->told != listener->since)
        bytes = snprintf(text, sizeof text, ":\nid: %" PRIu64 "\n\n", listener->since);
    if ((size_t)bytes > max)
        return 0;
    memcpy(buffer, text, (size_t)bytes);
    listener->told = listener->since;
    return (size_t)bytes;
}

/* Of what is there, as much as fits; 0: the listener sleeps, or a worker reads for it. -1: memory is short. */
static ssize_t send_some(struct listener *listener, char *buffer, size_t max)
{
    uint64_t events;
    size_t bytes;
    for (;;) {
        if (listener->page)
            return (ssize_t)copy_page(listener, buffer, max);
        const enum feed_state state = feed_take(listener, buffer, max, &bytes, &events);
        metrics_add(&listener->request->service->metrics.events, events);
        switch (state) {
        case FEED_EVENT:
            return (ssize_t)bytes;
        case FEED_LARGE:
            continue;
        case FEED_SHORT:
            return -1;
        case FEED_FILE:
            if (uv_hrtime() >= listener->beat_ns)
                return (ssize_t)beat(listener, buffer, max);
            ask_page(listener);
            return 0;
        case FEED_NOTHING:
            break;
        }
        if (uv_hrtime() >= listener->beat_ns)
            return (ssize_t)beat(listener, buffer, max);
        connection_enter(listener->request->link, PHASE_WAIT, 0);
        if (feed_sleep(listener))
            return 0;
    }
}

static ssize_t read_events(void *context, uint64_t position, char *buffer, size_t max)
{
    struct listener *listener = context;
    struct request *request = listener->request;
    (void)position;
    if (is_over(request) || !take_page(listener) || request_left(&request->waiter)) {
        connection_enter(request->link, PHASE_SEND, 0); /* its end is taken in time, too */
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    const ssize_t bytes = send_some(listener, buffer, max);
    if (bytes <= 0)
        return bytes == 0 ? 0 : MHD_CONTENT_READER_END_WITH_ERROR;
    request->body_bytes += (uint64_t)bytes;
    listener->count = edit_log_count(listener->feed->world->log);
    listener->sent_ns = uv_hrtime();
    listener->beat_ns = listener->sent_ns + heartbeat_ns(request);
    connection_enter(request->link, PHASE_SEND, 0);
    return bytes;
}

bool listener_swept(struct listener *listener, uint64_t now)
{
    struct request *request = listener->request;
    bool look = now >= listener->beat_ns || is_over(request);
    if (now >= listener->look_ns) {
        listener->look_ns = now + LOOK_NS;
        look = look || request_left(&request->waiter);
    }
    if (look)
        feed_wake(listener);
    if (request->link->phase != PHASE_SEND)
        return false;
    if (atomic_load(&request->service->draining) && now >= listener->sent_ns + STOP_NS)
        return true;
    if (edit_log_count(listener->feed->world->log) - listener->count <= FEED_BEHIND_MAX)
        return false;
    log_write(LOG_WARNING, "events", "%s: a listener that takes nothing is cut off",
              listener->feed->world->name);
    return true;
}

/* ---- The route ------------------------------------------------------------------------------------------- */

static void listener_free(void *context)
{
    struct listener *listener = context;
    listener->request->link->listener = NULL;
    feed_leave(listener);
    page_drop(listener);
    metrics_move(&listener->request->service->metrics.listeners, -1);
    free(listener);
}

/* One more; false: there are as many as there may be. */
static bool find_room(const struct request *request)
{
    atomic_int_fast64_t *listeners = &request->service->metrics.listeners;
    if (atomic_fetch_add(listeners, 1) < (int64_t)request->settings->config.worlds.listeners)
        return true;
    metrics_move(listeners, -1);
    return false;
}

/* What comes first: how to resume, from where, and which world this is. */
static bool greet(struct listener *listener)
{
    const struct shared_world *world = listener->feed->world;
    char text[GREETING_BYTES];
    const int bytes =
        snprintf(text, sizeof text,
                 "retry: %d\nid: %" PRIu64
                 "\nevent: world\ndata: {\"name\":\"%s\",\"epoch\":\"%s\",\"count\":%" PRIu64 "}\n\n",
                 RETRY_MS, listener->since, world->name, world->epoch, listener->count);
    CHECK(bytes > 0 && (size_t)bytes < sizeof text);
    return page_add(listener, text, (size_t)bytes);
}

static struct listener *listen_to(struct request *request, const struct shared_world *world, uint64_t since)
{
    struct listener *listener = calloc(1, sizeof *listener);
    if (!listener)
        return NULL;
    listener->request = request;
    listener->loop = request->link->loop;
    listener->connection = request->connection;
    listener->since = listener->told = since;
    listener->count = request->target.key.at;
    listener->all = !request->target.box.given;
    listener->box = edit_json_box(world, &request->target);
    listener->beat_ns = uv_hrtime() + heartbeat_ns(request);
    feed_enter((struct feed *)world->feed, listener);
    request->link->listener = listener;
    request->work = listener;
    request->work_free = listener_free;
    return listener;
}

static enum MHD_Result reply_events(struct request *request, struct MHD_Response *response)
{
    if (response && !add(response, "X-Accel-Buffering", "no")) {
        MHD_destroy_response(response);
        response = NULL;
    }
    return reply_typed(request, response, "text/event-stream", NULL);
}

/* Where a stream begins: what its client has already, or now. false: answered. */
static bool read_since(struct request *request, uint64_t *since, enum MHD_Result *result)
{
    const char *last = request_header(request, "Last-Event-ID");
    int64_t number = 0;
    const bool given = last && *last;
    if (given && (!text_integer(last, &number) || number < 0)) {
        *result = reply_problem(request, 400, "Last-Event-ID",
                                "Last-Event-ID must be the number of an operation, a plain decimal.", 0);
        return false;
    }
    *since = given                       ? (uint64_t)number
             : request->target.has_since ? request->target.since
                                         : request->target.key.at;
    return !request_is_of_another(request, *since, given ? "Last-Event-ID" : "since", result);
}

enum MHD_Result route_events(struct request *request)
{
    const struct target *target = &request->target;
    const struct shared_world *world =
        shared_find(request->settings->shared, target->name, strlen(target->name));
    enum MHD_Result result;
    uint64_t since;
    if (!world)
        return reply_problem(request, 404, "name", "This is no world that people change.", 0);
    if (!read_since(request, &since, &result))
        return result;
    if (strcmp(request->method, "HEAD") == 0)
        return reply_events(request, reply_bodiless(0));
    if (guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    if (!find_room(request))
        return reply_problem(request, 503, NULL,
                             "There are as many streams of events as may be; try again later.", FULL_RETRY_S);
    struct listener *listener = listen_to(request, world, since);
    if (!listener) {
        metrics_move(&request->service->metrics.listeners, -1);
        return reply_unmade(request, POOL_FAILED);
    }
    if (!greet(listener))
        return MHD_NO;
    return reply_events(request, MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_events,
                                                                   listener, NULL));
}
