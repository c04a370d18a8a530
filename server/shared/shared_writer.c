/*
 * The writer of a world: one thread, which takes all batches that wait into one transaction, and says so when it is on the disk.
 *
 *  (1) The log in memory follows the disk: what is not committed is in no tile.
 *  (2) Where the disk fails at a commit nobody knows what is in the file, and where memory is short after one, it is ahead of the log in
 *      memory. The batches are told so, and before anything more is written the file is opened anew and what it has is taken over: so no
 *      number is given twice.
 *  (3) A batch is looked at before anything of it is written, with what stands before it in its group; so a group's rows either all
 *      are there, or, where the disk fails, none are.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../edit/edit_ways.h"
#include "../observe/log.h"
#include "shared.h"

enum { GROUP_MAX = 4096 /* operations */ };

struct shared_writer {
    struct shared_world *world;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t come;
    struct shared_write *first, **last;
    bool stops;
    bool doubtful; /* memory and file may differ: nothing is written before the file has been looked at */
};

int64_t shared_now_ms(void)
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

/*
 * Whether an operation of a batch may undo what it says: nobody before it in the group may do so, either. A copy may undo what is in it;
 * count: operations before it.
 */
static bool may_undo(struct shared_world *world, const struct shared_write *group,
                     const struct shared_write *end, size_t before, uint64_t count_before)
{
    const uint64_t number = end->edit[before].entry.undoes;
    for (const struct shared_write *write = group;; write = write->next) {
        const size_t count = write == end ? before : write->count;
        for (size_t k = 0; k < count && (write == end || write->outcome == SHARED_WRITTEN); k++)
            if (write->edit[k].entry.undoes == number)
                return false;
        if (write == end)
            break;
    }
    if (end->chain && number > count_before)
        return number - count_before <= before && !end->edit[number - count_before - 1].entry.undoes;
    return edit_log_undoable(world->log, number);
}

/* Whether a world has no room for lines of ways of a group up to a batch. */
static bool has_too_many_points(struct shared_world *world, const struct shared_write *group,
                                const struct shared_write *end)
{
    size_t points = 0;
    for (const struct shared_write *write = group;; write = write->next) {
        for (size_t k = 0; k < write->count && (write == end || write->outcome == SHARED_WRITTEN); k++)
            points += (size_t)write->edit[k].entry.edit.points;
        if (write == end)
            break;
    }
    return points > 0 && edit_log_line_points(world->log) + points > SHARED_WORLD_POINTS_MAX;
}

/* Whether ways of a batch have room beside those that lie where they do; of what comes with it nobody asks. */
static bool has_room(struct shared_world *world, const struct shared_write *write)
{
    bool room = true;
    for (size_t k = 0; k < write->count && room; k++)
        room = write->edit[k].entry.edit.points == 0 ||
               edit_ways_have_room(world->log, &write->edit[k].entry.edit);
    return room;
}

static enum shared_outcome put_batch(struct shared_world *world, const struct shared_write *group,
                                     struct shared_write *write, uint64_t count)
{
    const int64_t at_ms = shared_now_ms();
    const bool copy = write->chain != NULL;
    enum shared_outcome outcome = copy ? SHARED_WRITTEN : look_at_tokens(world->store, write);
    if (outcome == SHARED_WRITTEN && write->asks)
        outcome = SHARED_NEW;
    if (outcome == SHARED_WRITTEN && write->expects && write->expected != count) {
        write->first = count;
        outcome = SHARED_CHANGED;
    }
    for (size_t k = 0; k < write->count && outcome == SHARED_WRITTEN; k++) {
        const uint64_t undoes = write->edit[k].entry.undoes;
        if (undoes && write->horizon && undoes + write->horizon <= count)
            outcome = SHARED_SETTLED;
        else if (undoes && !may_undo(world, group, write, k, count))
            outcome = SHARED_UNDONE;
    }
    if (outcome == SHARED_WRITTEN &&
        (count + write->count > SHARED_WORLD_EDITS_MAX || has_too_many_points(world, group, write) ||
         (!copy && !has_room(world, write))))
        return SHARED_FULL;
    if (outcome != SHARED_WRITTEN)
        return outcome;
    write->first = count + 1;
    write->last = count + write->count;
    for (size_t k = 0; k < write->count && outcome == SHARED_WRITTEN; k++) {
        write->edit[k].number = count + k + 1;
        write->edit[k].at_ms = copy ? write->edit[k].at_ms : at_ms;
        const int result = shared_store_put(world->store, &write->edit[k]);
        if (result != SQLITE_OK)
            outcome = shared_store_is_full(world->store, result) ? SHARED_FULL : SHARED_FAILED;
    }
    if (outcome == SHARED_WRITTEN && copy &&
        memcmp(shared_store_chain(world->store), write->chain, SHARED_CHAIN_BYTES) != 0)
        outcome = SHARED_DIFFERS;
    return outcome;
}

/* ---- A group --------------------------------------------------------------------------------------------- */

static bool append(struct shared_world *world, const struct shared_write *write)
{
    struct edit_entry entry[SHARED_BATCH_MAX];
    size_t count = 0;
    bool good = true;
    for (size_t k = 0; k < write->count && good; k++) {
        if (write->edit[k].entry.undoes && count > 0) { /* it may be one of these */
            good = edit_log_append(world->log, entry, count) == 0;
            count = 0;
        }
        entry[count++] = write->edit[k].entry;
    }
    return good && edit_log_append(world->log, entry, count) == 0;
}

static void fail_all(struct shared_write *group, enum shared_outcome outcome)
{
    for (struct shared_write *write = group; write; write = write->next)
        if (write->outcome == SHARED_WRITTEN ||
            write->outcome == SHARED_KNOWN) /* by rows of this group, maybe */
            write->outcome = outcome;
}

/* Takes over what the file has, where that is in doubt. */
static bool is_sure(struct shared_world *world)
{
    struct shared_writer *writer = world->writer;
    char error[SHARED_ERROR_BYTES];
    if (!writer->doubtful)
        return true;
    const bool opened = shared_store_again(world->store, error, sizeof error) == 0,
               whole = opened && shared_store_count(world->store) >= edit_log_count(world->log);
    if (opened && !whole)
        text_print(error, sizeof error, "the file has lost what was in it: it ends with operation %llu",
                   (unsigned long long)shared_store_count(world->store));
    writer->doubtful = !whole || !shared_world_fill(world, NULL, error, sizeof error);
    if (writer->doubtful)
        log_write(LOG_ERROR, "shared", "%s: nothing can be written: %s", world->name, error);
    else
        log_write(LOG_INFO, "shared", "%s: written again, from operation %llu on", world->name,
                  (unsigned long long)edit_log_count(world->log) + 1);
    return !writer->doubtful;
}

/* Writes a group's batches into one transaction, and what becomes of it. */
static enum shared_outcome write_all(struct shared_world *world, struct shared_write *group)
{
    uint64_t count = edit_log_count(world->log);
    if (shared_store_begin(world->store) != SQLITE_OK)
        return SHARED_FAILED;
    for (struct shared_write *write = group; write; write = write->next) {
        write->outcome = put_batch(world, group, write, count);
        count += write->outcome == SHARED_WRITTEN ? write->count : 0;
        if (write->outcome == SHARED_FAILED || write->outcome == SHARED_DIFFERS ||
            (write->outcome == SHARED_FULL && write->first > 0))
            return write->outcome; /* the disk's word, after which nothing of the transaction is good */
    }
    const int result = shared_store_commit(world->store);
    return result == SQLITE_OK                          ? SHARED_WRITTEN
           : shared_store_is_full(world->store, result) ? SHARED_FULL
                                                        : SHARED_UNKNOWN;
}

/* Writes what may be written of a group; then the outcome of each is known. */
static void write_group(struct shared_world *world, struct shared_write *group)
{
    struct shared_writer *writer = world->writer;
    const uint64_t before = edit_log_count(world->log);
    const enum shared_outcome whole = is_sure(world) ? write_all(world, group) : SHARED_FAILED;
    if (whole != SHARED_WRITTEN) {
        shared_store_rollback(world->store);
        fail_all(group, whole);
        writer->doubtful = writer->doubtful || whole == SHARED_UNKNOWN;
        log_write(LOG_ERROR, "shared", "%s: a change of the world could not be written", world->name);
    }
    for (struct shared_write *write = group; write; write = write->next)
        if (write->outcome == SHARED_WRITTEN && (writer->doubtful || !append(world, write))) {
            writer->doubtful = true;
            write->outcome = SHARED_UNKNOWN;
        }
    if (world->feed && edit_log_count(world->log) > before)
        world->feed->told(world->feed, group);
}

/* All that waits, up to GROUP_MAX operations; NULL: the writer stops. */
static struct shared_write *take_group(struct shared_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    while (!writer->first && !writer->stops)
        pthread_cond_wait(&writer->come, &writer->lock);
    struct shared_write *group = writer->first, **end = &writer->first;
    size_t count = 0;
    for (; *end && (count == 0 || count + (*end)->count <= GROUP_MAX); end = &(*end)->next)
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

void shared_writer_quiesce(struct shared_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    const bool running = !writer->stops;
    writer->stops = true;
    pthread_cond_signal(&writer->come);
    pthread_mutex_unlock(&writer->lock);
    if (running)
        pthread_join(writer->thread, NULL);
}

void shared_writer_stop(struct shared_writer *writer)
{
    if (!writer)
        return;
    shared_writer_quiesce(writer);
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
    const bool stops = writer->stops;
    if (stops) {
        write->outcome = SHARED_STOPPED;
    } else {
        *writer->last = write;
        writer->last = &write->next;
        pthread_cond_signal(&writer->come);
    }
    pthread_mutex_unlock(&writer->lock);
    if (stops)
        write->done(write);
}
