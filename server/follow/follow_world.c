/*
 * One world that is followed.
 *
 *     events of the home: something has come ──► wanted ──► a page behind what is here ──► copy: with the writer ──► wanted, if there is more
 *
 *  (1) A page is asked for, or a copy with the writer, never both; so what is here stays while a page is under way.
 *  (2) A page of another epoch is of another world: what is here is set aside, and the new one begun from its first operation; each time
 *      later than the time before, since every copy that is set aside stays on the disk.
 *  (3) Each page has the home's digest of its log up to the page's end. The writer commits operations that lead there, and nothing else;
 *      a page without operations is held against what is here. Where they differ, the world is set aside until this server starts again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../observe/log.h"
#include "follow_parts.h"

enum { DELAY_MIN_MS = 200, DELAY_MAX_MS = 30000 };

/* Each time twice as long, and somewhere between half of that and all: those that follow one home do not come all at once. */
void follow_backoff(uint64_t *retry_ms, uint64_t *delay_ms)
{
    uint32_t dice = 0;
    const uint64_t delay = *delay_ms < DELAY_MIN_MS ? DELAY_MIN_MS : *delay_ms;
    (void)!getrandom(&dice, sizeof dice, GRND_NONBLOCK);
    *retry_ms = follow_now_ms() + delay / 2 + (delay / 2 * (dice >> 16) >> 16);
    *delay_ms = 2 * delay < DELAY_MAX_MS ? 2 * delay : DELAY_MAX_MS;
}

static void heard(struct follow_world *world)
{
    atomic_store(&world->heard_ms, follow_now_ms());
}

/* By the stream, which is dead where pages alone are heard. */
static void heard_stream(struct follow_world *world)
{
    heard(world);
    world->stream_ms = atomic_load(&world->heard_ms);
}

/* What was asked of the home has failed. */
static void failed(struct follow_world *world, const char *what, const char *why)
{
    const bool first = world->delay_ms == 0;
    log_write(first ? LOG_WARNING : LOG_DEBUG, "follow", "%s: %s: %s", world->name, what, why);
    follow_backoff(&world->retry_ms, &world->delay_ms);
}

/* ---- Worlds that are here -------------------------------------------------------------------------------- */

static uint64_t count_of(const struct follow_world *world)
{
    return world->world ? edit_log_count(world->world->log) : 0;
}

static void set_aside(struct follow_world *world, const char *told)
{
    struct shared *shared = world->follow->options.shared;
    char error[SHARED_ERROR_BYTES];
    shared_say_away(shared, world->name, told);
    world->world = NULL;
    if (shared_set_aside(shared, world->name, error, sizeof error) != 0)
        log_write(LOG_ERROR, "follow", "%s", error);
}

static void refuse(struct follow_world *world, const char *why)
{
    log_write(LOG_ERROR, "follow",
              "%s: it is not served any more: %s; its copy is set aside, and a restart begins another",
              world->name, why);
    atomic_store(&world->refused, true);
    set_aside(world, "This server's copy of the world is another one than its home has: it is not served.");
}

/* Begins a copy of what the home has. */
static bool begin(struct follow_world *world, const struct follow_page *page)
{
    struct shared *shared = world->follow->options.shared;
    char error[SHARED_ERROR_BYTES];
    struct shared_seed seed = page->seed;
    seed.epoch = page->epoch;
    if (world->follow->options.is_taken(world->follow->options.context, world->name)) {
        world->listed = false; /* until the home's next list, and while the name is taken */
        failed(world, "it cannot be copied", "worlds.named has a world of that name");
        return false;
    }
    bool begun = shared_create(shared_dir(shared), world->name, &seed, error, sizeof error) == 0;
    if (begun && shared_serve(shared, world->name, error, sizeof error) != 0) {
        shared_remove(shared_dir(shared), world->name); /* with which no server would start */
        begun = false;
    }
    if (!begun) {
        failed(world, "it cannot be copied", error);
        shared_say_away(shared, world->name, "This server cannot copy the world from its home.");
        return false;
    }
    world->world = shared_find(shared, world->name, strlen(world->name));
    if (world->follow->options.is_taken(world->follow->options.context,
                                        world->name)) { /* by a reload meanwhile */
        set_aside(world, "This server has another world of that name.");
        world->listed = false;
        failed(world, "it cannot be copied", "worlds.named has a world of that name");
        return false;
    }
    log_write(LOG_INFO, "follow", "%s: a copy is begun, of %" PRIu64 " operations", world->name, page->count);
    return true;
}

/* ---- Copying --------------------------------------------------------------------------------------------- */

/* The writer's thread. */
static void written(struct shared_write *write)
{
    struct follow_copy *copy = (struct follow_copy *)((char *)write - offsetof(struct follow_copy, write));
    struct follow *follow = copy->world->follow;
    pthread_mutex_lock(&follow->lock);
    copy->next = follow->copied;
    follow->copied = copy;
    pthread_mutex_unlock(&follow->lock);
    curl_multi_wakeup(follow->multi);
}

/* Takes the page, which has operations. */
static void submit(struct follow_world *world, struct follow_page *page, uint64_t since)
{
    struct follow_copy *copy = calloc(1, sizeof *copy);
    for (size_t k = 0; copy && k < page->edits; k++)
        if (!shared_world_takes(world->world, &page->edit[k])) {
            free(copy);
            copy = NULL;
        }
    if (!copy) {
        failed(world, "what the home sent is not taken",
               "an operation is none of this world's, or memory is short");
        follow_page_free(page);
        return;
    }
    copy->page = *page;
    copy->world = world;
    copy->write = (struct shared_write){.edit = copy->page.edit,
                                        .count = copy->page.edits,
                                        .done = written,
                                        .expects = true,
                                        .expected = since,
                                        .chain = copy->page.chain};
    world->copy = copy;
    shared_submit(world->world, &copy->write);
}

void follow_copied(struct follow_copy *copy)
{
    struct follow_world *world = copy->world;
    world->copy = NULL;
    world->wanted = world->wanted || copy->page.count > count_of(world);
    switch (copy->write.outcome) {
    case SHARED_WRITTEN:
        world->delay_ms = 0;
        break;
    case SHARED_DIFFERS:
        refuse(world, "the digest of its home's log is another one");
        break;
    case SHARED_NEW:
    case SHARED_KNOWN:
    case SHARED_CONFLICT:
    case SHARED_CHANGED:
    case SHARED_UNDONE:
    case SHARED_SETTLED:
    case SHARED_FULL:
    case SHARED_FAILED:
    case SHARED_UNKNOWN:
    case SHARED_STOPPED:
        world->wanted = true;
        failed(world, "what the home sent is not taken", "it could not be written");
        break;
    }
    follow_page_free(&copy->page);
    free(copy);
}

/* Takes the page. */
static void take(struct follow_world *world, struct follow_page *page, uint64_t since)
{
    if (world->world && strcmp(page->epoch, world->world->epoch) != 0) {
        log_write(LOG_WARNING, "follow",
                  "%s: the home has made it anew: the copy of the old one is set aside", world->name);
        set_aside(world, "The world was made anew; this server is fetching it.");
        follow_backoff(&world->retry_ms, &world->anew_ms);
    }
    atomic_store(&world->count, page->count);
    const bool missing = !world->world && (!page->seed.text || !begin(world, page));
    /* What was heard of while the page was under way may have come after it was made. */
    world->wanted = world->wanted || missing || page->count > page->next;
    if (world->world && page->edits > 0 && page->next == since + page->edits) {
        submit(world, page, since);
        return;
    }
    if (world->world && since > 0 && page->next < since)
        refuse(world, "its home has lost operations that it has");
    else if (world->world && since > 0 &&
             memcmp(page->chain, shared_store_chain(world->world->store), SHARED_CHAIN_BYTES) != 0)
        refuse(world, "the digest of its home's log is another one");
    else if (world->world && page->count > since && page->edits == 0)
        failed(world, "its log", "the home says that there is more, and sends nothing of it");
    else if (world->world)
        world->delay_ms = 0;
    follow_page_free(page);
}

void follow_page_done(struct follow_world *world, struct follow_transfer *page, CURLcode result)
{
    const unsigned status = follow_transfer_status(page, result);
    struct follow_page read;
    char why[CURL_ERROR_SIZE + 80] = "";
    world->page = NULL;
    if (status != 200 || !page->text) {
        snprintf(why, sizeof why, "status %u %s", status, page->why);
        failed(world, "the home does not send its log", why);
        world->wanted = true;
    } else if (!follow_page_read(&read, page->text, page->bytes, page->since, why, sizeof why)) {
        failed(world, "its log", why);
        follow_page_free(&read);
        world->wanted = true;
    } else {
        heard(world);
        take(world, &read, page->since);
    }
}

/* ---- Listening ------------------------------------------------------------------------------------------- */

static void heard_events(struct follow_transfer *stream, const char *text, size_t bytes)
{
    static const char heartbeat[] = ":\n\n";
    struct follow_world *world = stream->world;
    heard_stream(world);
    atomic_store(&world->away, false);
    if (bytes != sizeof heartbeat - 1 || memcmp(text, heartbeat, bytes) != 0)
        world->wanted = true;
}

void follow_stream_done(struct follow_world *world, struct follow_transfer *stream, CURLcode result)
{
    char why[CURL_ERROR_SIZE + 40];
    long status = 0;
    curl_easy_getinfo(stream->easy, CURLINFO_RESPONSE_CODE, &status);
    snprintf(why, sizeof why, "status %ld %s", status, result == CURLE_OK ? "it has ended" : stream->why);
    world->stream = NULL;
    atomic_store(&world->away, true);
    failed(world, "the home's events", why);
}

static void listen_to(struct follow_world *world)
{
    char path[120];
    const struct follow_transfer form = {.kind = FOLLOW_STREAM, .world = world, .heard = heard_events};
    snprintf(path, sizeof path, "/world/%s/events", world->name);
    heard_stream(world);
    world->stream = follow_transfer_begin(world->follow->multi, &world->follow->options, &form, path);
    if (!world->stream)
        failed(world, "the home's events", "memory is short");
}

static void ask_page(struct follow_world *world)
{
    char path[120];
    const struct follow_transfer form = {
        .kind = FOLLOW_PAGE, .world = world, .since = count_of(world), .max = FOLLOW_PAGE_BYTES};
    snprintf(path, sizeof path, "/world/%s/log?since=%" PRIu64, world->name, form.since);
    world->wanted = false;
    world->page = follow_transfer_begin(world->follow->multi, &world->follow->options, &form, path);
    if (!world->page) {
        world->wanted = true;
        failed(world, "the home's log", "memory is short");
    }
}

static uint64_t silent_ms(const struct follow_world *world)
{
    return (uint64_t)world->follow->options.silent_s * 1000;
}

void follow_world_step(struct follow_world *world, uint64_t now_ms)
{
    if (atomic_load(&world->refused))
        return;
    if (world->stream && now_ms > world->stream_ms + silent_ms(world)) {
        struct follow_transfer *stream = world->stream;
        snprintf(stream->why, sizeof stream->why, "not so much as a heartbeat");
        follow_stream_done(world, stream, CURLE_OPERATION_TIMEDOUT);
        follow_transfer_end(world->follow->multi, stream);
    }
    if (now_ms < world->retry_ms || !world->listed)
        return;
    if (!world->stream)
        listen_to(world);
    if (world->wanted && !world->page && !world->copy)
        ask_page(world);
}

uint64_t follow_world_due(const struct follow_world *world, uint64_t now_ms)
{
    if (atomic_load(&world->refused))
        return UINT64_MAX;
    if (world->retry_ms > now_ms)
        return world->retry_ms;
    return world->stream ? world->stream_ms + silent_ms(world) : UINT64_MAX;
}
