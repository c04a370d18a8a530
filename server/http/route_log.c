/*
 * For servers that follow this one (follow/follow.h): which worlds there are, and logs in integers, a page at a time.
 *
 *     {"terrane_world": 1, "epoch": "9f86d081884c7d65", "count": 1234}     and seed, generator, recipe where since is 0
 *     {"seq": 1, "brush": 0, ...}                                          as `terrane world export` writes it
 *     {"next": 256, "chain": "0123..."}                                    the digest of all up to there
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "guard.h"
#include "http.h"

enum {
    PAGE_BYTES = 4 << 20 /* operations as lines, up to half of it and one more, and a recipe */,
    HEX_BYTES = 2 * SHARED_CHAIN_BYTES + 1
};

struct page {
    struct shared_world *world;
    uint64_t since, next, count;
    char *text; /* owned, with a zero behind it */
    size_t bytes, room;
    bool failed;
    struct reply_text sent; /* it, coded */
};

static void page_free(void *context)
{
    struct page *page = context;
    free(page->text);
    free(page->sent.data);
    free(page);
}

/* Takes the line; NULL: memory is short. */
static void put(struct page *page, char *line)
{
    const size_t bytes = line ? strlen(line) + 1 : 0;
    if (line && page->bytes + bytes >= page->room) {
        const size_t room = 2 * page->room + bytes + 4096;
        char *text = realloc(page->text, room);
        if (text) {
            page->text = text;
            page->room = room;
        }
    }
    page->failed = page->failed || !line || page->bytes + bytes >= page->room;
    if (!page->failed) {
        snprintf(page->text + page->bytes, bytes + 1, "%s\n", line);
        page->bytes += bytes;
    }
    free(line);
}

static char *line_of(json_t *object)
{
    char *line = object ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(object);
    return line;
}

static bool show(void *context, const struct shared_edit *edit)
{
    struct page *page = context;
    if (edit->number > page->count) /* on the disk, and in no tile yet */
        return false;
    page->next = edit->number;
    put(page, shared_line(edit));
    return !page->failed && page->bytes < PAGE_BYTES / 2;
}

static void put_head(struct page *page, const struct shared_store *store)
{
    json_t *head = json_pack("{s:i, s:s, s:I}", "terrane_world", 1, "epoch", page->world->epoch, "count",
                             (json_int_t)page->count);
    const struct shared_seed *seed = shared_store_seed(store);
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, seed->seed);
    if (page->since == 0)
        json_put_all(&head, json_pack("{s:s, s:i, s:s}", "seed", number, "generator", seed->generator,
                                      "recipe", seed->text));
    put(page, line_of(head));
}

static void put_end(struct page *page, const unsigned char chain[static SHARED_CHAIN_BYTES])
{
    char hex[HEX_BYTES];
    text_hex(hex, chain, SHARED_CHAIN_BYTES);
    put(page, line_of(json_pack("{s:I, s:s}", "next", (json_int_t)page->next, "chain", hex)));
}

/* A worker's. */
static void read_log(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    struct page *page = request->work;
    unsigned char chain[SHARED_CHAIN_BYTES];
    char error[SHARED_ERROR_BYTES] = "";
    struct shared_store *store =
        shared_world_file(request->settings->shared, page->world, error, sizeof error);
    if (store)
        put_head(page, store);
    page->failed = page->failed || !store ||
                   (page->since < page->count && shared_store_read(store, page->since, SHARED_BATCH_MAX, show,
                                                                   page, error, sizeof error) < 0) ||
                   !shared_store_chain_at(store, page->next, chain);
    if (!page->failed)
        put_end(page, chain);
    else
        log_write(LOG_ERROR, "shared", "%s: its log cannot be read: %s", page->world->name, error);
    shared_store_close(store);
    if (!page->failed) {
        reply_text_take(&page->sent, page->text);
        page->text = NULL;
    }
}

static enum MHD_Result reply_page(struct request *request)
{
    struct page *page = request->work;
    if (request->waiter.outcome != POOL_DONE || page->failed)
        return reply_unmade(request,
                            request->waiter.outcome == POOL_DONE ? POOL_FAILED : request->waiter.outcome);
    struct reply_text sent = page->sent;
    page->sent.data = NULL;
    return reply_typed(request, reply_coded_as(request, sent.data, sent.bytes, sent.coding),
                       "application/x-ndjson", NULL);
}

/* true: answered. */
static bool may_not_follow(struct request *request, enum MHD_Result *result)
{
    if (request->holder && request->holder->follow)
        return false;
    *result = request->holder
                  ? reply_problem(request, 403, "key", "This key may not copy worlds.", 0)
                  : reply_problem(request, 401, "key",
                                  "A key with the right to follow is needed: Authorization: Bearer KEY.", 0);
    return true;
}

enum MHD_Result route_log(struct request *request)
{
    const struct target *target = &request->target;
    enum MHD_Result result;
    if (may_not_follow(request, &result))
        return result;
    if (strcmp(request->method, "HEAD") == 0)
        return reply_typed(request, reply_bodiless(0), "application/x-ndjson", NULL);
    if (guard_take(request, BUCKET_TILES, 1, &result) || stream_room_take(request, PAGE_BYTES, &result))
        return result;
    struct page *page = request_work(request, sizeof *page, page_free);
    if (!page)
        return reply_unmade(request, POOL_FAILED);
    page->world = shared_find(request->settings->shared, target->name, strlen(target->name));
    if (!page->world)
        return reply_problem(request, 404, "name", "This is no world that people change.", 0);
    page->count = edit_log_count(page->world->log);
    page->since = target->since;
    page->next = page->since < page->count ? page->since : page->count;
    page->sent.coding = reply_coding(request);
    return request_run(request, read_log, reply_page);
}

enum MHD_Result route_worlds(struct request *request)
{
    const struct shared_world *world;
    enum MHD_Result result;
    json_t *list = json_array();
    char *text;
    if (may_not_follow(request, &result)) {
        json_decref(list);
        return result;
    }
    for (size_t k = 0; list && (world = shared_at(request->settings->shared, k)) != NULL; k++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "name", world->name, "epoch", world->epoch,
                                              "count", (json_int_t)edit_log_count(world->log)));
    text = line_of(json_pack("{s:o}", "worlds", list));
    return text ? reply_json(request, 200, (unsigned char *)text, strlen(text), NULL)
                : reply_unmade(request, POOL_FAILED);
}
