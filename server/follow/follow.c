/*
 * The thread that follows: one set of connections, and what waits for them.
 */
#include "follow.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/minmax.h"
#include "../observe/log.h"
#include "follow_parts.h"

enum { POLL_MAX_MS = 1000, LIST_AGAIN_MS = 60000, CONNECTIONS_KEPT = 64 };

uint64_t follow_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

const char *follow_home(const struct follow *follow)
{
    return follow->options.home;
}

/* ---- Which worlds there are ------------------------------------------------------------------------------ */

static struct follow_world *find(const struct follow *follow, const char *name)
{
    struct follow_world *world = follow->first;
    while (world && strcmp(world->name, name) != 0)
        world = world->next;
    return world;
}

/* One that is here, or that the home has. NULL: memory is short, or there were too many. */
static struct follow_world *add(struct follow *follow, const char *name)
{
    struct follow_world *world = follow->names < FOLLOW_NAMES_MAX ? calloc(1, sizeof *world) : NULL;
    if (!world)
        return NULL;
    follow->names++;
    world->follow = follow;
    snprintf(world->name, sizeof world->name, "%s", name);
    world->world = shared_find(follow->options.shared, name, strlen(name));
    world->heard_ms = follow_now_ms();
    world->away = true;
    if (!world->world)
        shared_say_away(follow->options.shared, name, "This server is fetching the world from its home.");
    pthread_mutex_lock(&follow->lock);
    world->next = follow->first;
    follow->first = world;
    pthread_mutex_unlock(&follow->lock);
    return world;
}

/* A list is taken as a whole or not at all: one that is spoiled must not end what is followed. */
static bool list_is_good(const json_t *list)
{
    bool good = json_is_array(list) && json_array_size(list) <= SHARED_WORLDS_MAX;
    for (size_t k = 0; good && k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(one, "name"));
        good = name && text_name(name) && json_integer_value(json_object_get(one, "count")) >= 0;
    }
    return good;
}

/* {"worlds": [{"name": "commons", "count": 17, ...}, ...]}; false: it is none, or there is no room for all of it. */
static bool read_list(struct follow *follow, const char *text, size_t bytes)
{
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL),
           *list = json_object_get(root, "worlds");
    bool good = list_is_good(list);
    const size_t count = good ? json_array_size(list) : 0;
    for (struct follow_world *world = follow->first; good && world; world = world->next)
        world->listed = false;
    for (size_t k = 0; k < count; k++) {
        const json_t *one = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(one, "name"));
        struct follow_world *world = find(follow, name);
        if ((!world || !world->world) && follow->options.is_taken(follow->options.context, name)) {
            log_write(LOG_WARNING, "follow", "%s: it is not followed: worlds.named has a world of that name",
                      name);
            continue;
        }
        if (!world)
            world = add(follow, name);
        good = good && world;
        if (world) {
            world->wanted = world->listed = true;
            atomic_store(&world->count, (uint64_t)json_integer_value(json_object_get(one, "count")));
        }
    }
    json_decref(root);
    return good;
}

static void tell_missing(const struct follow *follow)
{
    for (const struct follow_world *world = follow->first; world; world = world->next)
        if (!world->listed && world->world)
            log_write(LOG_WARNING, "follow",
                      "%s: the home does not have it; the copy here is served as it is", world->name);
}

static void list_done(struct follow *follow, struct follow_transfer *list, CURLcode result)
{
    const unsigned status = follow_transfer_status(list, result);
    const bool good = status == 200 && list->text && read_list(follow, list->text, list->bytes);
    follow->list = NULL;
    if (good) {
        if (!follow->list_known)
            tell_missing(follow);
        follow->list_known = true;
        shared_say_away(follow->options.shared, "", NULL);
        follow->list_delay_ms = 0;
        follow->list_retry_ms = follow_now_ms() + LIST_AGAIN_MS;
        return;
    }
    log_write(follow->list_delay_ms == 0 ? LOG_WARNING : LOG_DEBUG, "follow",
              "%s does not tell its worlds%s: status %u %s", follow->options.home,
              follow->list_known ? "" : "; until it does, names that are no world's here are answered 503",
              status, list->why);
    follow_backoff(&follow->list_retry_ms, &follow->list_delay_ms);
    /* What was copied before is served as it is; whether other names are worlds of the home nobody knows. */
    if (follow->first)
        atomic_store(&follow->ready, true);
}

static void list_step(struct follow *follow, uint64_t now_ms)
{
    const struct follow_transfer form = {.kind = FOLLOW_LIST, .max = FOLLOW_LIST_BYTES};
    if (follow->list || now_ms < follow->list_retry_ms)
        return;
    follow->list = follow_transfer_begin(follow->multi, &follow->options, &form, "/worlds");
    if (!follow->list)
        follow_backoff(&follow->list_retry_ms, &follow->list_delay_ms);
}

/* ---- The loop -------------------------------------------------------------------------------------------- */

static bool is_caught_up(const struct follow_world *world)
{
    return !world->listed || atomic_load(&world->refused) ||
           (world->world && edit_log_count(world->world->log) >= atomic_load(&world->count));
}

static void finish(struct follow *follow, struct follow_transfer *transfer, CURLcode result)
{
    switch (transfer->kind) {
    case FOLLOW_LIST:
        list_done(follow, transfer, result);
        break;
    case FOLLOW_PAGE:
        follow_page_done(transfer->world, transfer, result);
        break;
    case FOLLOW_STREAM:
        follow_stream_done(transfer->world, transfer, result);
        break;
    case FOLLOW_ASK:
        follow_ask_done(follow, transfer, result);
        return;
    }
    follow_transfer_end(follow->multi, transfer);
}

static void look_at_transfers(struct follow *follow)
{
    const CURLMsg *message;
    int left;
    curl_multi_perform(follow->multi, &left);
    while ((message = curl_multi_info_read(follow->multi, &left)) != NULL) {
        char *transfer = NULL;
        const CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        finish(follow, (struct follow_transfer *)(void *)transfer, result);
    }
}

/* false: follow stops. */
static bool take_copied(struct follow *follow)
{
    pthread_mutex_lock(&follow->lock);
    struct follow_copy *copy = follow->copied;
    const bool stops = follow->stops;
    follow->copied = NULL;
    pthread_mutex_unlock(&follow->lock);
    while (copy) {
        struct follow_copy *next = copy->next;
        follow_copied(copy);
        copy = next;
    }
    return !stops;
}

/* Everything there is to do now; when there is more. */
static uint64_t step(struct follow *follow)
{
    uint64_t now_ms = follow_now_ms(), due;
    bool caught_up = follow->list_known;
    list_step(follow, now_ms);
    follow_asks_begin(follow);
    look_at_transfers(follow);
    now_ms = follow_now_ms();
    due = min_uint64(now_ms + POLL_MAX_MS, follow->list ? UINT64_MAX : follow->list_retry_ms);
    due = min_uint64(due, follow_asks_held(follow, now_ms));
    for (struct follow_world *world = follow->first; world; world = world->next) {
        follow_world_step(world, now_ms);
        due = min_uint64(due, follow_world_due(world, now_ms));
        caught_up = caught_up && is_caught_up(world);
    }
    if (caught_up)
        atomic_store(&follow->ready, true);
    return due;
}

static bool is_writing(const struct follow *follow)
{
    for (const struct follow_world *world = follow->first; world; world = world->next)
        if (world->copy)
            return true;
    return false;
}

static void end_transfers(struct follow *follow)
{
    for (struct follow_world *world = follow->first; world; world = world->next) {
        follow_transfer_end(follow->multi, world->page);
        follow_transfer_end(follow->multi, world->stream);
        world->page = world->stream = NULL;
    }
    follow_transfer_end(follow->multi, follow->list);
    follow->list = NULL;
}

/* Answers of the home that are under way are waited for: they end by their own time. */
static void end_asks(struct follow *follow)
{
    follow_asks_end(follow);
    while (follow->asks > 0) { /* nobody adds one any more */
        curl_multi_poll(follow->multi, NULL, 0, POLL_MAX_MS, NULL);
        look_at_transfers(follow);
        follow_asks_held(follow, UINT64_MAX);
    }
}

static void *work(void *context)
{
    struct follow *follow = context;
    while (take_copied(follow)) {
        const uint64_t due = step(follow), now_ms = follow_now_ms();
        curl_multi_poll(follow->multi, NULL, 0, due > now_ms ? (int)(due - now_ms) : 0, NULL);
    }
    end_transfers(follow);
    while (is_writing(follow)) {
        curl_multi_poll(follow->multi, NULL, 0, POLL_MAX_MS, NULL);
        take_copied(follow);
    }
    end_asks(follow);
    return NULL;
}

/* ---- Its life -------------------------------------------------------------------------------------------- */

struct follow *follow_open(const struct follow_options *options, char *error, size_t error_bytes)
{
    struct follow *follow = calloc(1, sizeof *follow);
    const struct shared_world *world;
    bool good = follow && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    if (follow) {
        pthread_mutex_init(&follow->lock, NULL);
        follow->options = *options;
        follow->ask_end = &follow->ask;
        follow->multi = good ? curl_multi_init() : NULL;
        good = follow->multi &&
               curl_multi_setopt(follow->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT) == CURLM_OK;
    }
    for (size_t k = 0; good && (world = shared_at(options->shared, k)) != NULL; k++)
        good = add(follow, world->name) != NULL;
    if (good) {
        shared_say_away(options->shared, "", "This server is asking its home which worlds there are.");
        return follow;
    }
    text_print(error, error_bytes, "worlds.follow: out of memory");
    follow_close(follow);
    return NULL;
}

bool follow_start(struct follow *follow)
{
    pthread_mutex_lock(&follow->lock);
    follow->started = pthread_create(&follow->thread, NULL, work, follow) == 0;
    pthread_mutex_unlock(&follow->lock);
    return follow->started;
}

void follow_stop(struct follow *follow)
{
    if (!follow)
        return;
    pthread_mutex_lock(&follow->lock);
    const bool running = follow->started && !follow->stops;
    follow->stops = true;
    pthread_mutex_unlock(&follow->lock);
    if (!running)
        return;
    curl_multi_wakeup(follow->multi);
    pthread_join(follow->thread, NULL);
}

void follow_close(struct follow *follow)
{
    if (!follow)
        return;
    follow_stop(follow);
    while (follow->first) {
        struct follow_world *world = follow->first;
        follow->first = world->next;
        free(world);
    }
    curl_multi_cleanup(follow->multi);
    pthread_mutex_destroy(&follow->lock);
    free(follow);
    curl_global_cleanup();
}

/* ---- How far it is --------------------------------------------------------------------------------------- */

bool follow_is_ready(const struct follow *follow)
{
    return atomic_load(&follow->ready);
}

static void tell(const struct follow_world *world, struct follow_state *state)
{
    const uint64_t count = atomic_load(&world->count), heard_ms = atomic_load(&world->heard_ms),
                   now_ms = follow_now_ms();
    const struct shared_world *served =
        shared_find(world->follow->options.shared, world->name, strlen(world->name));
    const uint64_t own = served ? edit_log_count(served->log) : 0, behind = count > own ? count - own : 0;
    const uint64_t silent_ms = now_ms > heard_ms ? now_ms - heard_ms : 0;
    const bool refused = atomic_load(&world->refused);
    state->worlds++;
    state->refused += refused;
    state->away = state->away || (atomic_load(&world->away) && !refused);
    state->behind = behind > state->behind ? behind : state->behind;
    if (!refused && silent_ms > state->silent_ms)
        state->silent_ms = silent_ms;
}

bool follow_tell(struct follow *follow, const char *name, struct follow_state *state)
{
    *state = (struct follow_state){.worlds = 0};
    pthread_mutex_lock(&follow->lock);
    const struct follow_world *world = find(follow, name);
    if (world)
        tell(world, state);
    pthread_mutex_unlock(&follow->lock);
    return world != NULL;
}

void follow_tell_all(struct follow *follow, struct follow_state *state)
{
    *state = (struct follow_state){.worlds = 0};
    pthread_mutex_lock(&follow->lock);
    for (const struct follow_world *world = follow->first; world; world = world->next)
        tell(world, state);
    pthread_mutex_unlock(&follow->lock);
}
