/*
 * Feeds.
 *
 * Invariants.
 *   (1) kept .. last are in event[], each under its number; last is what the writer has told, and no more than the log has.
 *   (2) A listener that sleeps has been sent everything up to last that touches its box, and its connection is suspended.
 */
#include "feed.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "edit_json.h"
#include "request.h"

/* ---- Events ---------------------------------------------------------------------------------------------- */

struct feed_event *feed_event_of(const struct shared_world *world, const struct shared_edit *edit)
{
    json_t *object = edit_json_event(world, edit);
    char *json = object ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    const size_t room = json ? strlen(json) + 48 : 0;
    struct feed_event *event = json ? malloc(sizeof *event + room) : NULL;
    if (event) {
        event->next = NULL;
        event->number = edit->number;
        event->box = shared_box_of(world, &edit->entry, edit->number);
        event->bytes = (size_t)snprintf(event->text, room, "id: %llu\ndata: %s\n\n",
                                        (unsigned long long)edit->number, json);
        CHECK(event->bytes < room);
    }
    json_decref(object);
    free(json);
    return event;
}

static struct feed_event **place_of(struct feed *feed, uint64_t number)
{
    return &feed->event[number % FEED_EVENTS];
}

static void drop_first(struct feed *feed)
{
    struct feed_event **place = place_of(feed, feed->kept++);
    feed->bytes -= (*place)->bytes;
    free(*place);
    *place = NULL;
}

static void drop_all(struct feed *feed)
{
    while (feed->kept <= feed->last)
        drop_first(feed);
}

static void put(struct feed *feed, struct feed_event *event)
{
    if (event->number != feed->last + 1) { /* there was no memory for one before it */
        drop_all(feed);
        feed->kept = event->number;
    }
    while (feed->kept <= feed->last &&
           (feed->last + 1 - feed->kept == FEED_EVENTS || feed->bytes + event->bytes > FEED_BYTES))
        drop_first(feed);
    feed->last = event->number;
    feed->bytes += event->bytes;
    *place_of(feed, event->number) = event;
}

/* The last of a group's events, as many as are kept at most, in their order. */
static struct feed_event *events_of(const struct feed *feed, const struct shared_write *group, uint64_t last)
{
    struct feed_event *first = NULL, **end = &first;
    for (const struct shared_write *write = group; write; write = write->next)
        for (size_t k = 0; k < write->count && write->outcome == SHARED_WRITTEN; k++) {
            if (write->edit[k].number + FEED_EVENTS <= last)
                continue;
            *end = feed_event_of(feed->world, &write->edit[k]);
            if (*end)
                end = &(*end)->next;
        }
    return first;
}

/* ---- Waking ---------------------------------------------------------------------------------------------- */

/* Under the lock. */
static void wake(struct listener *listener)
{
    listener->sleeping = false;
    loop_resume(listener->loop, listener->connection);
}

static bool wants(const struct listener *listener, const struct feed_event *event)
{
    return listener->all || shared_box_touches(&listener->box, &event->box);
}

/* Under the lock, of one that sleeps: whether there is something for it. Where there is not, it has got on. */
static bool has_news(struct listener *listener)
{
    struct feed *feed = listener->feed;
    bool news = listener->since + 1 < feed->kept;
    for (uint64_t number = listener->since + 1; number <= feed->last && !news; number++)
        news = wants(listener, *place_of(feed, number));
    if (!news)
        listener->since = feed->last;
    return news;
}

static void told(struct shared_feed *base, const struct shared_write *group)
{
    struct feed *feed = (struct feed *)base;
    const uint64_t last = edit_log_count(feed->world->log);
    struct feed_event *event = atomic_load(&feed->listening) ? events_of(feed, group, last) : NULL;
    uv_mutex_lock(&feed->lock);
    while (event) {
        struct feed_event *next = event->next;
        put(feed, event);
        event = next;
    }
    if (feed->last < last) {
        drop_all(feed);
        feed->last = last;
        feed->kept = last + 1;
    }
    for (struct listener *listener = feed->first; listener; listener = listener->next)
        if (listener->sleeping && listener->since < feed->last && has_news(listener))
            wake(listener);
    uv_mutex_unlock(&feed->lock);
}

void feed_wake(struct listener *listener)
{
    uv_mutex_lock(&listener->feed->lock);
    if (listener->sleeping)
        wake(listener);
    uv_mutex_unlock(&listener->feed->lock);
}

/* ---- Listening ------------------------------------------------------------------------------------------- */

void feed_enter(struct feed *feed, struct listener *listener)
{
    uv_mutex_lock(&feed->lock);
    listener->feed = feed;
    listener->next = feed->first;
    listener->at = &feed->first;
    if (listener->next)
        listener->next->at = &listener->next;
    feed->first = listener;
    atomic_fetch_add(&feed->listening, 1);
    uv_mutex_unlock(&feed->lock);
}

void feed_leave(struct listener *listener)
{
    struct feed *feed = listener->feed;
    uv_mutex_lock(&feed->lock);
    CHECK(!listener->sleeping);
    *listener->at = listener->next;
    if (listener->next)
        listener->next->at = listener->at;
    if (atomic_fetch_sub(&feed->listening, 1) == 1)
        drop_all(feed);
    uv_mutex_unlock(&feed->lock);
}

/* Under the lock: an event that there is no room for anywhere becomes the listener's page. */
static enum feed_state take_whole(struct listener *listener, const struct feed_event *event)
{
    listener->page = malloc(event->bytes);
    if (!listener->page)
        return FEED_SHORT;
    memcpy(listener->page, event->text, event->bytes);
    listener->page_bytes = event->bytes;
    listener->page_at = 0;
    listener->since = listener->told = event->number;
    return FEED_LARGE;
}

enum feed_state feed_take(struct listener *listener, char *buffer, size_t max, size_t *bytes,
                          uint64_t *events)
{
    struct feed *feed = listener->feed;
    enum feed_state state = FEED_NOTHING;
    *bytes = 0;
    *events = 0;
    uv_mutex_lock(&feed->lock);
    if (listener->since < feed->last && listener->since + 1 < feed->kept)
        state = FEED_FILE;
    while (state != FEED_FILE && listener->since < feed->last) {
        const struct feed_event *event = *place_of(feed, listener->since + 1);
        const bool wanted = wants(listener, event);
        if (wanted && event->bytes > max - *bytes)
            break;
        if (wanted) {
            memcpy(buffer + *bytes, event->text, event->bytes);
            *bytes += event->bytes;
            ++*events;
            listener->told = event->number;
        }
        listener->since++;
    }
    if (*bytes > 0) {
        state = FEED_EVENT;
    } else if (state != FEED_FILE && listener->since < feed->last) {
        state = take_whole(listener, *place_of(feed, listener->since + 1));
        *events = 1;
    }
    uv_mutex_unlock(&feed->lock);
    return state;
}

bool feed_sleep(struct listener *listener)
{
    struct feed *feed = listener->feed;
    uv_mutex_lock(&feed->lock);
    const bool sleeps = listener->since >= feed->last;
    if ((listener->sleeping = sleeps))
        MHD_suspend_connection(listener->connection);
    uv_mutex_unlock(&feed->lock); /* from here on it may be woken */
    return sleeps;
}

/* ---- All feeds ------------------------------------------------------------------------------------------- */

static void feed_free(struct shared_feed *base)
{
    struct feed *feed = (struct feed *)base;
    CHECK(!feed->first);
    drop_all(feed);
    uv_mutex_destroy(&feed->lock);
    free(feed);
}

static struct shared_feed *feed_create(struct shared_world *world)
{
    struct feed *feed = calloc(1, sizeof *feed);
    if (!feed || uv_mutex_init(&feed->lock) != 0) {
        free(feed);
        return NULL;
    }
    feed->base = (struct shared_feed){told, feed_free};
    feed->world = world;
    feed->last = edit_log_count(world->log);
    feed->kept = feed->last + 1;
    return &feed->base;
}

bool feeds_open(struct shared *shared)
{
    return !shared || shared_feed_by(shared, feed_create);
}
