/*
 * Writes to a world that this server follows: handed on to its home with the caller's key, and answered as that answers. Who may write, and
 * how much, the home knows.
 */
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "http.h"

enum { HELD_BYTES = 640 << 10 /* of a body, and of what its answer comes to */, AWAY_RETRY_S = 2 };

struct work {
    struct request *request;
    struct follow_ask ask;
    char parameter[32];
};

static void work_free(void *context)
{
    struct work *work = context;
    free(work->ask.text);
    free(work);
}

/* Whether all of a body's operations have tokens, so that it may be sent twice. */
static bool has_tokens(const char *body, size_t bytes)
{
    json_t *root = json_loadb(body, bytes, 0, NULL);
    const size_t count = json_is_array(root) ? json_array_size(root) : 1;
    bool all = root && count > 0;
    for (size_t k = 0; k < count && all; k++)
        all = json_object_get(json_is_array(root) ? json_array_get(root, k) : root, "token") != NULL;
    json_decref(root);
    return all;
}

static void answered(struct follow_ask *ask)
{
    struct work *work = (struct work *)((char *)ask - offsetof(struct work, ask));
    request_wake(&work->request->waiter);
}

static void count(struct request *request, enum metric_handed handed)
{
    metrics_add(&request->service->metrics.handed_on[handed], 1);
}

/* What the home refused, in its words. */
static enum MHD_Result reply_refused(struct request *request)
{
    struct work *work = request->work;
    json_t *problem = json_loadb(work->ask.text, work->ask.bytes, 0, NULL);
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    const char *parameter = json_string_value(json_object_get(problem, "parameter"));
    text_print(work->parameter, sizeof work->parameter, "%s", parameter ? parameter : "");
    const enum MHD_Result result =
        reply_problem(request, work->ask.status, *work->parameter ? work->parameter : NULL,
                      detail ? detail : "The world's home refuses it.", work->ask.retry_after_s);
    json_decref(problem);
    return result;
}

static enum MHD_Result reply_handed_on(struct request *request)
{
    struct work *work = request->work;
    char *text = work->ask.text;
    switch (work->ask.outcome) {
    case FOLLOW_ANSWERED:
        break;
    case FOLLOW_AWAY:
        count(request, HANDED_AWAY);
        return reply_problem(
            request, 503, NULL,
            "The world's home is away: nothing was written. Reading goes on; try again shortly.",
            AWAY_RETRY_S);
    case FOLLOW_LOST:
        count(request, HANDED_AWAY);
        return reply_problem(
            request, 503, NULL,
            "The world's home has not answered: all of it may have been written, or nothing. Send it "
            "again with the same tokens, which do it once, or look at the log.",
            AWAY_RETRY_S);
    }
    count(request, HANDED_ON);
    if (work->ask.status >= 300)
        return reply_refused(request);
    work->ask.text = NULL;
    return reply_json(request, work->ask.status, (unsigned char *)text, work->ask.bytes, NULL);
}

enum MHD_Result request_hand_on(struct request *request, struct shared_world *world)
{
    const char *key = guard_key(request);
    enum MHD_Result result;
    if (guard_take(request, BUCKET_TILES, 1, &result) || stream_room_take(request, HELD_BYTES, &result))
        return result;
    struct work *work = request_work(request, sizeof *work, work_free);
    if (!work)
        return reply_unmade(request, POOL_FAILED);
    work->request = request;
    work->ask =
        (struct follow_ask){.done = answered,
                            .world = world,
                            .route = request->target.route == ROUTE_UNDO ? "undo" : "edits",
                            .body = request->body,
                            .body_bytes = request->body_length,
                            .key = key && key_text_allowed(key, strlen(key)) ? key : NULL,
                            .match = request_header(request, "If-Match"),
                            .id = request->id[0] ? request->id : NULL,
                            .harmless = has_tokens(request->body ? request->body : "", request->body_length)};
    request->woken = reply_handed_on;
    request_sleep(request);
    if (!follow_hand_on(request->service->follow, &work->ask)) {
        work->ask.outcome = FOLLOW_AWAY;
        request_wake(&request->waiter);
    }
    return MHD_YES;
}
