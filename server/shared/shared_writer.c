/*
 * The writer of a world: one thread, which takes all batches that wait into one transaction, and says so when it is on the disk.
 *
 *  (1) The log in memory follows the disk: what is not committed is in no tile.
 *  (2) A batch is looked at before anything of it is written, with what stands before it in its group; so a group's rows either all
 *      are there, or, where the disk fails, none are.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../observe/log.h"
#include "shared.h"

enum { GROUP_MOST = 4096 /* operations */ };

struct shared_writer {
    struct shared_world *world;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t come;
    struct shared_write *first, **last;
    bool stops;
    bool behind; /* memory, behind the disk, whose numbers it would give again: nothing more is written */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- One batch ------------------------------------------------------------------------------------------- */

/* What its tokens say: SHARED_WRITTEN where none is there. */
static enum shared_outcome look_at_tokens(struct shared_store *store, struct shared_write *write)
{
    size_t known = 0, given = 0;
    for (size_t k = 0; k < write->count; k++) {
        const struct shared_edit *edit = &write->edit[k];
        if (!*edit->token)
            continue;
        for (size_t j = 0; j < k; j++)
            if (strcmp(write->edit[j].token, edit->token) == 0)
                return SHARED_CONFLICT;
        const int64_t number = shared_store_token(store, edit->by, edit->token);
        if (number < 0)
            return SHARED_FAILED;
        if (number > 0 && k > 0 && (uint64_t)number != write->first + k)
            return SHARED_CONFLICT;
        write->first = number > 0 && k == 0 ? (uint64_t)number : write->first;
        known += number > 0;
        given++;
    }
    if (known == 0)
        return SHARED_WRITTEN;
    write->last = write->first + write->count - 1;
    return known == write->count && given == write->count ? SHARED_KNOWN : SHARED_CONFLICT;
}

/* Whether an operation of a batch may undo what it says: nobody before it in the group may do so, either. */
static bool may_undo(struct shared_world *world, const struct shared_write *group,
                     const struct shared_write *end, size_t before, uint64_t number)
{
    for (const struct shared_write *write = group;; write = write->next) {
        const size_t count = write == end ? before : write->count;
        for (size_t k = 0; k < count && (write == end || write->outcome == SHARED_WRITTEN); k++)
            if (write->edit[k].entry.undoes == number)
                return false;
        if (write == end)
            break;
    }
    return edit_log_undoable(world->log, number);
}

static enum shared_outcome put_batch(struct shared_world *world, const struct shared_write *group,
                                     struct shared_write *write, uint64_t count)
{
    const int64_t at_ms = now_ms();
    enum shared_outcome outcome = look_at_tokens(world->store, write);
    for (size_t k = 0; k < write->count && outcome == SHARED_WRITTEN; k++)
        if (write->edit[k].entry.undoes && !may_undo(world, group, write, k, write->edit[k].entry.undoes))
            outcome = SHARED_UNDONE;
    if (outcome == SHARED_WRITTEN && count + write->count > SHARED_WORLD_EDITS_MOST)
        outcome = SHARED_FULL;
    if (outcome != SHARED_WRITTEN)
        return outcome;
    write->first = count + 1;
    write->last = count + write->count;
    for (size_t k = 0; k < write->count && outcome == SHARED_WRITTEN; k++) {
        write->edit[k].number = count + k + 1;
        write->edit[k].at_ms = at_ms;
        const int result = shared_store_put(world->store, &write->edit[k]);
        if (result != SQLITE_OK)
            outcome = (result & 0xff) == SQLITE_FULL || (result & 0xff) == SQLITE_IOERR ? SHARED_FULL
                                                                                        : SHARED_FAILED;
    }
    return outcome;
}

/* ---- A group --------------------------------------------------------------------------------------------- */

static bool append(struct shared_world *world, const struct shared_write *write)
{
    struct edit_entry entry[SHARED_BATCH_MOST];
    for (size_t k = 0; k < write->count; k++)
        entry[k] = write->edit[k].entry;
    return edit_log_append(world->log, entry, write->count) == 0;
}

static void fail_all(struct shared_write *group, enum shared_outcome outcome)
{
    for (struct shared_write *write = group; write; write = write->next)
        if (write->outcome == SHARED_WRITTEN ||
            write->outcome == SHARED_KNOWN) /* by rows of this group, maybe */
            write->outcome = outcome;
}

/* Writes what may be written of a group; then the outcome of each is known. */
static void write_group(struct shared_world *world, struct shared_write *group)
{
    uint64_t count = edit_log_count(world->log);
    enum shared_outcome whole = !world->writer->behind && shared_store_begin(world->store) == SQLITE_OK
                                    ? SHARED_WRITTEN
                                    : SHARED_FAILED;
    for (struct shared_write *write = group; write && whole == SHARED_WRITTEN; write = write->next) {
        write->outcome = put_batch(world, group, write, count);
        count += write->outcome == SHARED_WRITTEN ? write->count : 0;
        if (write->outcome == SHARED_FAILED ||
            (write->outcome == SHARED_FULL && count + write->count <= SHARED_WORLD_EDITS_MOST))
            whole = write->outcome; /* the disk's word, after which nothing of the transaction is good */
    }
    if (whole == SHARED_WRITTEN) {
        const int result = shared_store_commit(world->store);
        if (result != SQLITE_OK)
            whole = (result & 0xff) == SQLITE_FULL || (result & 0xff) == SQLITE_IOERR ? SHARED_FULL
                                                                                      : SHARED_FAILED;
    }
    if (whole != SHARED_WRITTEN) {
        shared_store_rollback(world->store);
        fail_all(group, whole);
        log_write(LOG_ERROR, "shared", "%s: a change of the world could not be written", world->name);
        return;
    }
    for (struct shared_write *write = group; write; write = write->next)
        if (write->outcome == SHARED_WRITTEN && (world->writer->behind || !append(world, write))) {
            world->writer->behind = true;
            write->outcome = SHARED_FAILED;
        }
    if (world->feed)
        world->feed->told(world->feed, group);
    if (world->writer->behind)
        log_write(LOG_ERROR, "shared", "%s: memory is short: nothing is written until a start", world->name);
}

/* All that waits, up to GROUP_MOST operations; NULL: the writer stops. */
static struct shared_write *take_group(struct shared_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    while (!writer->first && !writer->stops)
        pthread_cond_wait(&writer->come, &writer->lock);
    struct shared_write *group = writer->first, **end = &writer->first;
    size_t count = 0;
    for (; *end && (count == 0 || count + (*end)->count <= GROUP_MOST); end = &(*end)->next)
        count += (*end)->count;
    writer->first = *end;
    if (group)
        *end = NULL;
    if (!writer->first)
        writer->last = &writer->first;
    pthread_mutex_unlock(&writer->lock);
    return group;
}

static void *work(void *context)
{
    struct shared_writer *writer = context;
    for (struct shared_write *group; (group = take_group(writer)) != NULL;) {
        write_group(writer->world, group);
        while (group) {
            struct shared_write *write = group;
            group = write->next; /* done may free it */
            write->done(write);
        }
    }
    return NULL;
}

/* ---- The thread ------------------------------------------------------------------------------------------ */

struct shared_writer *shared_writer_start(struct shared_world *world)
{
    struct shared_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->world = world;
    writer->last = &writer->first;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->come, NULL);
    if (pthread_create(&writer->thread, NULL, work, writer) == 0)
        return writer;
    pthread_cond_destroy(&writer->come);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
    return NULL;
}

void shared_writer_stop(struct shared_writer *writer)
{
    if (!writer)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->stops = true;
    pthread_cond_signal(&writer->come);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->come);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

void shared_submit(struct shared_world *world, struct shared_write *write)
{
    struct shared_writer *writer = world->writer;
    write->outcome = SHARED_WRITTEN;
    write->next = NULL;
    write->first = write->last = 0;
    pthread_mutex_lock(&writer->lock);
    *writer->last = write;
    writer->last = &write->next;
    pthread_cond_signal(&writer->come);
    pthread_mutex_unlock(&writer->lock);
}
