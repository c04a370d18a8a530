/*
 * Worlds that people change.
 *
 *     POST /world/{name}/edits, /undo ──► the world's writer, the connection suspended ──► it is on the disk: 201
 *     GET  /world/{name}/edits, /marks ──► a worker reads the file
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "edit_json.h"
#include "guard.h"
#include "http.h"
#include "route_way.h"

enum {
    PAGE = 1000, /* operations, as a key pays for them */
    MARKS_MAX = 10000,
    PAGE_BYTES = 8 << 20,  /* of a page as JSON, and what that is written from */
    MARKS_BYTES = 16 << 20 /* of so many marks */
};

struct work {
    struct request *request;
    struct shared_world *world;
    struct shared_write write; /* its operations are owned */
    struct edit_body body;     /* what they were read from; its operations are the write's */
    json_t *answer;            /* owned; NULL: it could not be made, or text has it */
    FILE *list;                /* of a page, or of marks, as JSON: a tree of all would take far more memory */
    size_t shown;              /* in it */
    bool failed;               /* memory was short */
    struct reply_text text;    /* of it */
    struct shared_box box;     /* that what is asked for touches */
    size_t cost;               /* of the page's operations so far */
    size_t room;               /* bytes that list may have before it ends */
    bool partial;              /* there are more marks */
    uint64_t begun_ns;         /* when it was handed to the writer */
    uint64_t next, count;      /* of the page; what there was when it was asked for */
    char error[SHARED_ERROR_BYTES];
};

static void work_free(void *context)
{
    struct work *work = context;
    json_decref(work->answer);
    free(work->text.data);
    free(work->write.edit);
    free(work);
}

/* NULL: memory is short. */
static struct work *work_begin(struct request *request, struct shared_world *world)
{
    struct work *work = request_work(request, sizeof *work, work_free);
    if (!work)
        return NULL;
    work->request = request;
    work->world = world;
    work->count = request->target.key.at;
    work->box = edit_json_box(world, &request->target);
    return work;
}

static enum MHD_Result reply_answer(struct request *request, unsigned status, const json_t *answer)
{
    char *text = answer ? json_dumps(answer, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    return text ? reply_json(request, status, (unsigned char *)text, strlen(text), NULL)
                : reply_unmade(request, POOL_FAILED);
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

static void written(struct shared_write *write)
{
    struct work *work = (struct work *)((char *)write - offsetof(struct work, write));
    request_wake(&work->request->waiter);
}

static json_t *tell_written(const struct work *work)
{
    const struct shared_write *write = &work->write;
    json_t *list = json_array();
    for (size_t k = 0; k < write->count; k++)
        if (write->outcome == SHARED_WRITTEN)
            json_append(&list, edit_json_of(work->world, &write->edit[k]));
    return json_pack("{s:I, s:I, s:o}", "first", (json_int_t)write->first, "last", (json_int_t)write->last,
                     "edits", list);
}

static void count_batch(struct request *request, enum metric_batch result)
{
    metrics_add(&request->service->metrics.batches[result], 1);
}

/* Counted, and answered without anything written. */
static enum MHD_Result refuse(struct request *request, enum metric_batch result, unsigned status,
                              const char *parameter, const char *detail, int retry_after_s)
{
    count_batch(request, result);
    return reply_problem(request, status, parameter, detail, retry_after_s);
}

static struct shared_limit limit_of(const struct request *request)
{
    const struct key_edit *edit = &request->holder->edit;
    return (struct shared_limit){edit->per_second, edit->per_day};
}

static size_t cost_of(const struct shared_edit *edits, size_t count)
{
    size_t cost = 0;
    for (size_t k = 0; k < count; k++)
        cost += shared_edit_cost(&edits[k]);
    return cost;
}

static enum MHD_Result reply_done(struct request *request)
{
    struct work *work = request->work;
    const bool fresh = work->write.outcome == SHARED_WRITTEN;
    count_batch(request, fresh ? BATCH_WRITTEN : BATCH_KNOWN);
    if (fresh) {
        metrics_add(&request->service->metrics.edits, work->write.count);
        metrics_observe(&request->service->metrics.write, uv_hrtime() - work->begun_ns);
    }
    work->answer = tell_written(work);
    return reply_answer(request, fresh ? 201 : 200, work->answer);
}

static way_then write_all;

/* A way whose token nobody has used is routed. */
static enum MHD_Result route_way(struct request *request)
{
    struct work *work = request->work;
    const struct edit_body body = work->body;
    struct shared_write form = work->write;
    struct shared_world *world = work->world;
    form.asks = false;
    work->write.edit = NULL;
    work_free(work);
    request->work = NULL;
    request->work_free = NULL;
    return way_begin(request, world, &body, &form, write_all);
}

static enum MHD_Result reply_written(struct request *request)
{
    struct work *work = request->work;
    const struct shared_limit limit = limit_of(request);
    char detail[120];
    if (!work->write.asks && work->write.outcome != SHARED_WRITTEN && work->write.outcome != SHARED_UNKNOWN)
        shared_quota_give_back(shared_quota(request->settings->shared), request->holder->name, &limit,
                               cost_of(work->write.edit, work->write.count), shared_now_ms());
    switch (work->write.outcome) {
    case SHARED_WRITTEN:
    case SHARED_KNOWN:
        return reply_done(request);
    case SHARED_NEW:
        return route_way(request);
    case SHARED_CONFLICT:
        return refuse(request, BATCH_CONFLICT, 409, "token",
                      "Some of these tokens have been used, in another batch or order; nothing was written.",
                      0);
    case SHARED_CHANGED:
        snprintf(detail, sizeof detail,
                 "The world has %" PRIu64 " operations, not %" PRIu64 "; nothing was written.",
                 work->write.first, work->write.expected);
        return refuse(request, BATCH_CHANGED, 412, "If-Match", detail, 0);
    case SHARED_UNDONE:
        return refuse(request, BATCH_CONFLICT, 409, "seq",
                      "There is no such operation, or it is undone; nothing was written.", 0);
    case SHARED_SETTLED:
        snprintf(detail, sizeof detail,
                 "Of the last %" PRIu64 " operations each may be undone, and this is none of them.",
                 work->write.horizon);
        return refuse(request, BATCH_CONFLICT, 409, "seq", detail, 0);
    case SHARED_FULL:
        return refuse(request, BATCH_FULL, 507, NULL,
                      "The disk, or the world, has no room for more; nothing was written.", 0);
    case SHARED_UNKNOWN:
        return refuse(request, BATCH_FAILED, 503, NULL,
                      "The disk failed while this was written: all of it may have been, or nothing. Send it "
                      "again with the same tokens, which do it once, or look at the log.",
                      1);
    case SHARED_STOPPED:
        return refuse(request, BATCH_FAILED, 503, NULL,
                      "The server is stopping; nothing was written. Try again shortly.", 1);
    case SHARED_DIFFERS: /* of copies alone */
    case SHARED_FAILED:
        break;
    }
    return refuse(request, BATCH_FAILED, 503, NULL,
                  "The world cannot be written at the moment; nothing was. Try again shortly.", 1);
}

/* ---- Who may --------------------------------------------------------------------------------------------- */

/* true: answered. */
static bool may_not_write(struct request *request, enum MHD_Result *result)
{
    if (request->holder && request->holder->edit.may)
        return false;
    *result = request->holder
                  ? refuse(request, BATCH_FORBIDDEN, 403, "key", "This key may not change worlds.", 0)
                  : refuse(request, BATCH_FORBIDDEN, 401, "key",
                           "A key with the right to change worlds is needed: Authorization: Bearer KEY.", 0);
    return true;
}

/* Of what a key may do, whether one of the operations is more; true: answered. */
static bool goes_too_far(struct request *request, const struct shared_world *world,
                         const struct shared_edit *edits, size_t count, enum MHD_Result *result)
{
    const struct key_edit *may = &request->holder->edit;
    const struct shared_box box = edit_json_rectangle(world, may->x0, may->y0, may->x1, may->y1);
    const double part_m = world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    char detail[200] = "";
    for (size_t k = 0; k < count && !*detail; k++) {
        struct edit_entry own = edits[k].entry; /* what is undone counts, and not what read its ground */
        if (own.undoes && !edit_log_entry(world->log, own.undoes, &own)) {
            /* What is being written may not be undone by whoever guesses its number: where it lies is not known. */
            *result = refuse(request, BATCH_CONFLICT, 409, "seq",
                             "There is no such operation, or it is undone; nothing was written.", 0);
            return true;
        }
        const struct shared_box of = shared_box_of(world, &own, 0);
        const int64_t wide = of.x1 - of.x0, high = of.y1 - of.y0;
        if (may->has_box && !shared_box_holds(&box, &of))
            snprintf(detail, sizeof detail,
                     "operation %zu: this key may change nothing outside %.9g,%.9g,%.9g,%.9g (metres)", k,
                     may->x0, may->y0, may->x1, may->y1);
        else if (may->outer_max_m > 0 && !edits[k].entry.undoes &&
                 (double)(wide > high ? wide : high) / 2 * part_m > may->outer_max_m)
            snprintf(detail, sizeof detail,
                     "operation %zu: this key may have an outer radius of %.9g m at most", k,
                     may->outer_max_m);
    }
    if (*detail)
        *result = refuse(request, BATCH_FORBIDDEN, 403, "key", detail, 0);
    return *detail;
}

/* Takes them of what the key may write; true: answered. */
static bool is_over(struct request *request, size_t count, enum MHD_Result *result)
{
    const struct shared_limit limit = limit_of(request);
    unsigned wait_s = 1;
    char detail[120];
    const enum shared_over over =
        shared_quota_take(shared_quota(request->settings->shared), request->holder->name, &limit, count,
                          shared_now_ms(), &wait_s);
    switch (over) {
    case SHARED_OVER_NOTHING:
        return false;
    case SHARED_OVER_MEMORY:
        count_batch(request, BATCH_FAILED);
        *result = reply_unmade(request, POOL_FAILED);
        return true;
    case SHARED_OVER_SECOND:
    case SHARED_OVER_DAY:
        break;
    }
    const bool day = over == SHARED_OVER_DAY;
    snprintf(detail, sizeof detail, "Over this key's limit of %u operations a %s.",
             day ? limit.per_day : limit.per_second, day ? "day" : "second");
    *result = refuse(request, BATCH_LIMITED, 429, "key", detail, (int)wait_s);
    return true;
}

/* If-Match is the number of operations that the world is to have: 17 or "17"; or * for any. false: answered. */
static bool read_match(struct request *request, struct shared_write *write, enum MHD_Result *result)
{
    const char *match = request_header(request, "If-Match");
    char text[24];
    int64_t number;
    if (!match || strcmp(match, "*") == 0)
        return true;
    size_t bytes = strlen(match);
    const bool quoted = bytes > 2 && match[0] == '"' && match[bytes - 1] == '"';
    bytes -= quoted ? 2 : 0;
    snprintf(text, sizeof text, "%.*s", (int)(bytes < sizeof text ? bytes : 0), match + quoted);
    if (text_integer(text, &number) && number >= 0) {
        write->expects = true;
        write->expected = (uint64_t)number;
        return true;
    }
    *result =
        refuse(request, BATCH_INVALID, 400, "If-Match",
               "If-Match must be the number of operations that the world is to have, a plain decimal.", 0);
    return false;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* Hands operations, which it takes, to the world's writer. */
static enum MHD_Result submit(struct request *request, struct shared_world *world,
                              const struct edit_body *body, const struct shared_write *form)
{
    struct work *work = work_begin(request, world);
    if (!work) {
        free(body->edit);
        return reply_unmade(request, POOL_FAILED);
    }
    work->write = *form;
    work->body = *body;
    work->write.edit = body->edit;
    work->write.count = body->count;
    work->write.done = written;
    work->write.horizon = request->settings->config.worlds.undo_edits;
    work->begun_ns = uv_hrtime();
    request->woken = reply_written;
    request_sleep(request);
    shared_submit(world, &work->write);
    return MHD_YES;
}

static enum MHD_Result write_all(struct request *request, struct shared_world *world,
                                 const struct edit_body *body, const struct shared_write *form)
{
    enum MHD_Result result;
    if (goes_too_far(request, world, body->edit, body->count, &result) ||
        guard_take(request, BUCKET_TILES, cost_of(body->edit, body->count), &result) ||
        (request->stream_bytes == 0 && stream_room_take(request, body->bytes, &result)) ||
        is_over(request, cost_of(body->edit, body->count), &result)) {
        free(body->edit);
        return result;
    }
    return submit(request, world, body, form);
}

static enum MHD_Result write_edits(struct request *request, struct shared_world *world)
{
    struct body_complaint complaint = {0};
    struct edit_body body;
    struct shared_write form = {.expects = false};
    enum MHD_Result result;
    if (may_not_write(request, &result) || !read_match(request, &form, &result))
        return result;
    const char *text = request->body ? request->body : "", *by = request->holder->name;
    const bool good = request->target.route == ROUTE_UNDO
                          ? edit_json_read_undo(text, request->body_length, by, &body, &complaint)
                          : edit_json_read(text, request->body_length, world, by, &body, &complaint);
    if (!good)
        return refuse(request, complaint.status == 503 ? BATCH_FAILED : BATCH_INVALID, complaint.status,
                      complaint.parameter, complaint.detail, complaint.status == 503);
    if (body.way.places == 0)
        return write_all(request, world, &body, &form);
    form.asks = *body.edit->token != 0;
    return form.asks ? submit(request, world, &body, &form)
                     : way_begin(request, world, &body, &form, write_all);
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

static bool is_asked(const struct work *work, const struct shared_edit *edit)
{
    if (!work->request->target.box.given)
        return true;
    const struct shared_box box = shared_box_of(work->world, &edit->entry, edit->number);
    return shared_box_touches(&box, &work->box);
}

/* Takes the object; NULL: memory is short. false: the list ends. */
static bool show(struct work *work, json_t *object)
{
    if (work->shown++ > 0)
        fputc(',', work->list);
    work->failed = !object || json_dumpf(object, work->list, JSON_COMPACT | JSON_ENSURE_ASCII) != 0;
    json_decref(object);
    return !work->failed && ftello(work->list) < (off_t)work->room;
}

static bool show_edit(void *context, const struct shared_edit *edit)
{
    struct work *work = context;
    if (edit->number > work->count || work->cost >= PAGE)
        return false;
    work->next = edit->number;
    work->cost += shared_edit_cost(edit);
    return !is_asked(work, edit) || show(work, edit_json_of(work->world, edit));
}

static bool show_mark(void *context, const struct shared_edit *edit)
{
    struct work *work = context;
    if (edit->number > work->count)
        return false;
    if (edit_log_undone(work->world->log, edit->number, work->count) || !is_asked(work, edit))
        return true;
    work->partial = work->shown == MARKS_MAX || ftello(work->list) >= (off_t)work->room;
    if (!work->partial)
        show(work, edit_json_mark(work->world, edit));
    return !work->partial && !work->failed;
}

/* Which marks lie in a box the log in memory tells: of these alone rows are read, and one more, which tells that there are more. */
static int64_t read_marks(struct work *work, struct shared_store *store)
{
    const struct shared_box *box = &work->box;
    if (!work->request->target.box.given)
        return shared_store_marks(store, SHARED_ALL, show_mark, work, work->error, sizeof work->error);
    uint32_t *number = malloc((MARKS_MAX + 1) * sizeof *number);
    if (!number)
        return -1;
    const struct terrane_edit_box parts = {box->x0, box->y0, box->x1, box->y1};
    const size_t count = edit_log_marks(work->world->log, work->count, &parts, number, MARKS_MAX + 1);
    const int64_t read =
        shared_store_pick(store, number, count, show_mark, work, work->error, sizeof work->error);
    free(number);
    return read;
}

/* A worker's. */
static void read_log(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    struct work *work = request->work;
    const bool marks = request->target.route == ROUTE_MARKS;
    struct shared_store *store =
        shared_world_file(request->settings->shared, work->world, work->error, sizeof work->error);
    char *text = NULL;
    size_t bytes = 0;
    work->list = store ? open_memstream(&text, &bytes) : NULL;
    work->next = request->target.since;
    work->room = (size_t)(marks ? MARKS_BYTES : PAGE_BYTES) / 4 * 3;
    if (work->list) {
        fputs(marks ? "{\"type\":\"FeatureCollection\",\"features\":[" : "{\"edits\":[", work->list);
        const int64_t read = marks ? read_marks(work, store)
                                   : shared_store_read(store, request->target.since, PAGE, show_edit, work,
                                                       work->error, sizeof work->error);
        if (marks)
            fprintf(work->list, "],\"partial\":%s}", work->partial ? "true" : "false");
        else
            fprintf(work->list, "],\"next\":%" PRIu64 ",\"epoch\":\"%s\"}", work->next, work->world->epoch);
        char *whole = text_end(work->list, &text);
        if (whole && (work->failed || read < 0)) {
            free(whole);
            whole = NULL;
        }
        reply_text_take(&work->text, whole);
    }
    shared_store_close(store);
}

bool request_is_of_another(struct request *request, uint64_t since, const char *parameter,
                           enum MHD_Result *result)
{
    if (since <= request->target.key.at)
        return false;
    *result =
        reply_problem(request, 409, parameter,
                      "The world has no operation of that number: it is another one than that was of.", 0);
    return true;
}

static enum MHD_Result reply_log(struct request *request)
{
    struct work *work = request->work;
    if (request->waiter.outcome != POOL_DONE)
        return reply_unmade(request, request->waiter.outcome);
    if (work->text.data) {
        stream_room_keep(request, work->text.bytes);
        return reply_json_coded(request, 200, &work->text, NULL);
    }
    log_write(LOG_ERROR, "shared", "%s", work->error[0] ? work->error : "memory is short");
    return reply_unmade(request, POOL_FAILED);
}

enum MHD_Result route_edits(struct request *request)
{
    const struct target *target = &request->target;
    struct shared_world *world = shared_find(request->settings->shared, target->name, strlen(target->name));
    enum MHD_Result result;
    if (!world)
        return reply_problem(request, 404, "name", "This is no world that people change.", 0);
    if (target->route == ROUTE_UNDO || strcmp(request->method, "POST") == 0)
        return request->service->follow ? request_hand_on(request, world) : write_edits(request, world);
    if (request_is_of_another(request, target->since, "since", &result) ||
        guard_take(request, BUCKET_TILES, 1, &result) ||
        stream_room_take(request, target->route == ROUTE_MARKS ? MARKS_BYTES : PAGE_BYTES, &result))
        return result;
    struct work *work = work_begin(request, world);
    if (!work)
        return reply_unmade(request, POOL_FAILED);
    work->text.coding = reply_coding(request);
    return request_run(request, read_log, reply_log);
}
