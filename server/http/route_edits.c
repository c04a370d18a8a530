/*
 * Worlds that people change.
 *
 *     POST /world/{name}/edits, /undo ──► the world's writer, the connection suspended ──► it is on the disk: 201
 *     GET  /world/{name}/edits, /marks ──► a worker reads the file
 */
#include <stdlib.h>
#include <string.h>

#include "edit_json.h"
#include "guard.h"
#include "http.h"

enum { PAGE = 1000, MARKS_MOST = 10000 };

struct work {
    struct request *request;
    const struct shared_world *world;
    struct shared_write write; /* its operations are owned */
    json_t *answer;            /* owned; NULL: it could not be made */
    json_t *list;              /* of it, borrowed */
    struct shared_box box;     /* that what is asked for touches */
    uint64_t next, count;      /* of the page; what there was when it was asked for */
    char error[SHARED_ERROR_BYTES];
};

static void work_free(void *context)
{
    struct work *work = context;
    json_decref(work->answer);
    free(work->write.edit);
    free(work);
}

/* NULL: memory is short. */
static struct work *work_begin(struct request *request, const struct shared_world *world)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->request = request;
    work->world = world;
    work->count = request->target.key.at;
    work->box = edit_json_box(world, &request->target);
    request->work = work;
    request->work_free = work_free;
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
            json_array_append_new(list, edit_json_of(work->world, &write->edit[k]));
    return json_pack("{s:I, s:I, s:o}", "first", (json_int_t)write->first, "last", (json_int_t)write->last,
                     "edits", list);
}

static enum MHD_Result reply_written(struct request *request)
{
    struct work *work = request->work;
    switch (work->write.outcome) {
    case SHARED_WRITTEN:
    case SHARED_KNOWN:
        work->answer = tell_written(work);
        return reply_answer(request, work->write.outcome == SHARED_WRITTEN ? 201 : 200, work->answer);
    case SHARED_CONFLICT:
        return reply_problem(
            request, 409, "token",
            "Some of these tokens have been used, in another batch or order; nothing was written.", 0);
    case SHARED_UNDONE:
        return reply_problem(request, 409, "seq",
                             "There is no such operation, or it is undone; nothing was written.", 0);
    case SHARED_FULL:
        return reply_problem(request, 507, NULL,
                             "The disk, or the world, has no room for more; nothing was written.", 0);
    case SHARED_FAILED:
        break;
    }
    return reply_problem(request, 503, NULL, "The world could not be written; nothing is known to be.", 1);
}

/* true: answered. */
static bool may_not_write(struct request *request, enum MHD_Result *result)
{
    if (request->holder && request->holder->edit)
        return false;
    *result = request->holder
                  ? reply_problem(request, 403, "key", "This key may not change worlds.", 0)
                  : reply_problem(request, 401, "key",
                                  "To change a world wants a key that may: Authorization: Bearer KEY.", 0);
    return true;
}

static enum MHD_Result write_edits(struct request *request, struct shared_world *world)
{
    struct body_complaint complaint = {0};
    struct shared_edit *edits = NULL;
    enum MHD_Result result;
    if (may_not_write(request, &result))
        return result;
    const char *body = request->body ? request->body : "", *by = request->holder->name;
    const size_t count = request->target.route == ROUTE_UNDO
                             ? edit_json_read_undo(body, request->body_length, by, &edits, &complaint)
                             : edit_json_read(body, request->body_length, world, by, &edits, &complaint);
    if (count == 0)
        return reply_problem(request, complaint.status, complaint.parameter, complaint.detail,
                             complaint.status == 503);
    if (guard_take(request, BUCKET_TILES, count, &result) ||
        stream_room_take(request, count * sizeof *edits, &result)) {
        free(edits);
        return result;
    }
    struct work *work = work_begin(request, world);
    if (!work) {
        free(edits);
        return reply_unmade(request, POOL_FAILED);
    }
    work->write = (struct shared_write){.edit = edits, .count = count, .done = written};
    request->woken = reply_written;
    request_sleep(request);
    shared_submit(world, &work->write);
    return MHD_YES;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

static bool is_asked(const struct work *work, const struct shared_edit *edit)
{
    const struct shared_box box = shared_box_of(work->world, &edit->entry);
    return !work->request->target.box.given || shared_box_touches(&box, &work->box);
}

static bool show_edit(void *context, const struct shared_edit *edit)
{
    struct work *work = context;
    if (edit->number > work->count)
        return false;
    work->next = edit->number;
    if (is_asked(work, edit))
        json_array_append_new(work->list, edit_json_of(work->world, edit));
    return true;
}

static bool show_mark(void *context, const struct shared_edit *edit)
{
    struct work *work = context;
    if (edit->number > work->count)
        return false;
    if (!edit_log_undone(work->world->log, edit->number, work->count) && is_asked(work, edit))
        json_array_append_new(work->list, edit_json_mark(work->world, edit));
    return true;
}

/* A worker's. */
static void read_log(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    struct work *work = request->work;
    const bool marks = request->target.route == ROUTE_MARKS;
    const char *dir = shared_dir(request->settings->shared);
    struct shared_store *store =
        shared_store_open(dir, work->world->name, false, work->error, sizeof work->error);
    work->list = json_array();
    work->next = request->target.since;
    const int64_t read =
        !store || !work->list ? -1
        : marks ? shared_store_marks(store, MARKS_MOST, show_mark, work, work->error, sizeof work->error)
                : shared_store_read(store, request->target.since, PAGE, show_edit, work, work->error,
                                    sizeof work->error);
    shared_store_close(store);
    if (read < 0)
        json_decref(work->list);
    else if (marks)
        work->answer = json_pack("{s:s, s:o}", "type", "FeatureCollection", "features", work->list);
    else
        work->answer = json_pack("{s:o, s:I, s:s}", "edits", work->list, "next", (json_int_t)work->next,
                                 "epoch", work->world->epoch);
}

static enum MHD_Result reply_log(struct request *request)
{
    const struct work *work = request->work;
    if (request->waiter.outcome != POOL_DONE)
        return reply_unmade(request, request->waiter.outcome);
    if (!work->answer)
        log_write(LOG_ERROR, "shared", "%s", work->error);
    return reply_answer(request, 200, work->answer);
}

enum MHD_Result route_edits(struct request *request)
{
    const struct target *target = &request->target;
    struct shared_world *world = shared_find(request->settings->shared, target->name, strlen(target->name));
    enum MHD_Result result;
    if (!world)
        return reply_problem(request, 404, "name", "This is no world that people change.", 0);
    if (target->route == ROUTE_UNDO || strcmp(request->method, "POST") == 0)
        return write_edits(request, world);
    if (guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    if (!work_begin(request, world))
        return reply_unmade(request, POOL_FAILED);
    return request_run(request, read_log, reply_log);
}
