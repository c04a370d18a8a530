/*
 * The log in memory: 32 bytes an operation, and an index of where they lie (edit_index.c).
 *
 *  (1) entry k is written before count passes k, and of it undone_at alone changes later, to a number above the count of then.
 *  (2) Undos are listed apart, in their order: what took something out between two numbers is found without a look at the rest.
 */
#include "edit_log_parts.h"

#include <stdlib.h>
#include <string.h>

#include "../base/array.h"

enum {
    BATCH = 256,
    WITHIN_MAX = 4096,
    MARKS_LOOKED = 4096, /* operations at once, while others wait to append */
    MARGIN = TERRANE_EDIT_HALO +
             4, /* samples around a window that is read, and what strokes are seen to reach more */
};

struct edit_log *edit_log_create(void)
{
    struct edit_log *log = calloc(1, sizeof *log);
    if (log)
        log->states = edit_states_create();
    if (log && (!log->states || pthread_rwlock_init(&log->lock, NULL) != 0)) {
        edit_states_free(log->states);
        free(log);
        return NULL;
    }
    if (log)
        pthread_mutex_init(&log->telling, NULL);
    return log;
}

static struct line *line_at(const struct edit_log *log, size_t k)
{
    return edit_blocks_at(&log->lines, k, sizeof(struct line));
}

void edit_log_free(struct edit_log *log)
{
    if (!log)
        return;
    edit_states_free(log->states);
    edit_index_free(&log->index);
    edit_index_free(&log->ways);
    edit_blocks_free(&log->entries);
    for (size_t k = 0; k < log->line_count; k++)
        free(line_at(log, k)->point);
    edit_blocks_free(&log->lines);
    free(log->undo);
    pthread_mutex_destroy(&log->telling);
    pthread_rwlock_destroy(&log->lock);
    free(log);
}

uint64_t edit_log_count(const struct edit_log *log)
{
    return atomic_load_explicit(&log->count, memory_order_acquire);
}

struct edit_states *edit_log_states(struct edit_log *log)
{
    return log->states;
}

/* ---- Packing --------------------------------------------------------------------------------------------- */

static struct entry packed(const struct edit_entry *entry)
{
    const struct terrane_edit *edit = &entry->edit;
    const uint64_t mask = (1 << EDIT_HIGH_BITS) - 1;
    if (entry->undoes)
        return (struct entry){.brush = EDIT_UNDO, .height = (int32_t)entry->undoes};
    return (struct entry){.x = (uint32_t)edit->x,
                          .y = (uint32_t)edit->y,
                          .height = edit->brush == TERRANE_BRUSH_NOISE ? edit->term : edit->height,
                          .inner = (uint64_t)edit->inner & ((1 << 21) - 1),
                          .outer = (uint64_t)edit->outer & ((1 << 21) - 1),
                          .x_high = ((uint64_t)edit->x >> 32) & mask,
                          .strength = (uint64_t)edit->strength & ((1 << 27) - 1),
                          .y_high = ((uint64_t)edit->y >> 32) & mask,
                          .brush = (uint64_t)edit->brush & 15};
}

/* A number of 32 + EDIT_HIGH_BITS bits, the last of which is its sign. */
static int64_t place_of(uint64_t high, uint32_t low)
{
    const int64_t all = (int64_t)(high << 32 | low), sign = INT64_C(1) << (31 + EDIT_HIGH_BITS);
    return (all ^ sign) - sign;
}

struct terrane_edit entry_edit(const struct edit_log *log, const struct entry *entry)
{
    const bool noise = entry->brush == TERRANE_BRUSH_NOISE, way = entry->brush == TERRANE_BRUSH_WAY;
    const struct line none = {NULL, 0, 0}, *line = way ? line_at(log, (size_t)entry->height) : &none;
    return (struct terrane_edit){.x = place_of(entry->x_high, entry->x),
                                 .y = place_of(entry->y_high, entry->y),
                                 .brush = (enum terrane_brush)entry->brush,
                                 .inner = (int32_t)entry->inner,
                                 .outer = (int32_t)entry->outer,
                                 .strength = (int32_t)entry->strength,
                                 .height = noise || way ? 0 : entry->height,
                                 .term = noise ? entry->height : 0,
                                 .slope = line->slope,
                                 .points = line->points,
                                 .line = line->point};
}

/* ---- Appending ------------------------------------------------------------------------------------------- */

/* Keeps copies of the lines of a batch behind those there are, which do not count yet; false: memory is short, and it has kept none. */
static bool keep_lines(struct edit_log *log, const struct edit_entry *entry, size_t count)
{
    size_t kept = log->line_count;
    for (size_t k = 0; k < count; k++) {
        const struct terrane_edit *edit = &entry[k].edit;
        const size_t bytes = (size_t)edit->points * sizeof *edit->line;
        if (edit->points == 0)
            continue;
        struct terrane_path_point *point =
            edit_blocks_grow(&log->lines, kept + 1, sizeof(struct line)) ? malloc(bytes) : NULL;
        if (!point) {
            while (kept > log->line_count)
                free(line_at(log, --kept)->point);
            return false;
        }
        memcpy(point, edit->line, bytes);
        *line_at(log, kept++) = (struct line){point, edit->points, edit->slope};
    }
    return true;
}

static bool lies_somewhere(const struct edit_entry *entry)
{
    return !entry->undoes && entry->edit.brush != TERRANE_BRUSH_MARK;
}

/* Room for a batch; false: memory is short. */
static bool reserve(struct edit_log *log, const struct edit_entry *entry, size_t count)
{
    struct terrane_edit_chunks chunks[BATCH], ways[BATCH];
    size_t placed = 0, laid = 0;
    for (size_t k = 0; k < count; k++) {
        if (!lies_somewhere(&entry[k]))
            continue;
        terrane_edit_chunks(&entry[k].edit, &chunks[placed++]);
        if (entry[k].edit.points > 0)
            ways[laid++] = chunks[placed - 1];
    }
    return edit_index_reserve(&log->index, chunks, placed) && edit_index_reserve(&log->ways, ways, laid);
}

/* Where it lies. */
static void place(struct edit_log *log, const struct terrane_edit *edit, uint32_t id)
{
    struct terrane_edit_chunks chunks;
    terrane_edit_chunks(edit, &chunks);
    edit_index_add(&log->index, &chunks, id);
    if (edit->points > 0)
        edit_index_add(&log->ways, &chunks, id);
}

/* A part of a batch; what lies nowhere has no chunks. */
static bool append_some(struct edit_log *log, const struct edit_entry *entry, size_t count, uint64_t before)
{
    size_t undos = 0;
    for (size_t k = 0; k < count; k++)
        undos += entry[k].undoes != 0;
    struct undo *undo =
        undos > 0 ? array_room(log->undo, log->undos, undos, &log->undo_room, 16, sizeof *undo) : log->undo;
    log->undo = undo ? undo : log->undo;
    if ((undos > 0 && !undo) ||
        !edit_blocks_grow(&log->entries, (size_t)before + count, sizeof(struct entry)) ||
        !reserve(log, entry, count) || !keep_lines(log, entry, count))
        return false;
    for (size_t k = 0; k < count; k++) {
        const uint32_t id = (uint32_t)(before + k);
        *entry_at(log, id) = packed(&entry[k]);
        if (entry[k].edit.points > 0) {
            entry_at(log, id)->height = (int32_t)log->line_count++;
            log->line_points += (size_t)entry[k].edit.points;
        }
        if (entry[k].undoes) {
            log->undo[log->undos++] = (struct undo){id + 1, (uint32_t)entry[k].undoes};
            entry_at(log, entry[k].undoes - 1)->undone_at = id + 1;
        }
        if (lies_somewhere(&entry[k]))
            place(log, &entry[k].edit, id);
        if (!entry[k].undoes)
            edit_errors_add(&log->errors, &entry[k].edit);
    }
    return true;
}

int edit_log_append(struct edit_log *log, const struct edit_entry *entry, size_t count)
{
    const uint64_t before = edit_log_count(log);
    bool whole = count <= BATCH && before + count < INT32_MAX;
    pthread_rwlock_wrlock(&log->lock);
    whole = whole && append_some(log, entry, count, before);
    if (whole)
        atomic_store_explicit(&log->count, before + count, memory_order_release);
    pthread_rwlock_unlock(&log->lock);
    return whole ? 0 : -1;
}

bool edit_log_undone(struct edit_log *log, uint64_t number, uint64_t at)
{
    pthread_rwlock_rdlock(&log->lock);
    const bool is =
        number >= 1 && number <= edit_log_count(log) && entry_undone(entry_at(log, number - 1), at);
    pthread_rwlock_unlock(&log->lock);
    return is;
}

bool edit_log_entry(struct edit_log *log, uint64_t number, struct edit_entry *entry)
{
    pthread_rwlock_rdlock(&log->lock);
    const bool is = number >= 1 && number <= edit_log_count(log);
    if (is && entry_at(log, number - 1)->brush == EDIT_UNDO)
        *entry = (struct edit_entry){.undoes = (uint32_t)entry_at(log, number - 1)->height};
    else if (is)
        *entry = (struct edit_entry){.edit = entry_edit(log, entry_at(log, number - 1))};
    pthread_rwlock_unlock(&log->lock);
    return is;
}

size_t edit_log_line_points(struct edit_log *log)
{
    pthread_rwlock_rdlock(&log->lock);
    const size_t points = log->line_points;
    pthread_rwlock_unlock(&log->lock);
    return points;
}

struct edit_errors edit_log_errors(struct edit_log *log)
{
    pthread_rwlock_rdlock(&log->lock);
    const struct edit_errors errors = log->errors;
    pthread_rwlock_unlock(&log->lock);
    return errors;
}

bool edit_log_undoable(struct edit_log *log, uint64_t number)
{
    pthread_rwlock_rdlock(&log->lock);
    const bool is = number >= 1 && number <= edit_log_count(log) &&
                    entry_at(log, number - 1)->brush != EDIT_UNDO &&
                    entry_at(log, number - 1)->undone_at == 0;
    pthread_rwlock_unlock(&log->lock);
    return is;
}

/* ---- Asking ---------------------------------------------------------------------------------------------- */

/* Their operations in order, each once, but for those that are undone; owned; NULL: memory is short. ids->count becomes how many. */
static struct terrane_edit *edits_of(const struct edit_log *log, uint64_t at, struct edit_ids *ids)
{
    size_t count = 0;
    edit_ids_sort(ids);
    struct terrane_edit *edits = malloc((ids->count + 1) * sizeof *edits);
    for (size_t k = 0; k < ids->count && edits; k++) {
        const struct entry *entry = entry_at(log, ids->id[k]);
        if (entry_undone(entry, at))
            continue;
        ids->id[count] = ids->id[k];
        edits[count++] = entry_edit(log, entry);
    }
    ids->count = count;
    return edits;
}

/* Under the lock: operations behind the first from ones that windows may touch. */
static struct terrane_edit *collect(const struct edit_log *log, uint64_t from, uint64_t at,
                                    const struct terrane_window *window, int windows, struct edit_ids *ids)
{
    const uint64_t count = edit_log_count(log), end = at < count ? at : count;
    bool whole = true;
    for (int k = 0; k < windows && whole; k++)
        whole =
            edit_index_find(&log->index, &window[k], (uint32_t)(from < end ? from : end), (uint32_t)end, ids);
    return whole ? edits_of(log, at, ids) : NULL;
}

/* Under the lock: all that may matter to a window. */
static struct terrane_edit *collect_all(const struct edit_log *log, uint64_t at,
                                        const struct terrane_window *window, struct edit_ids *ids,
                                        struct terrane_edit_needs *needs)
{
    struct terrane_edit *edits = collect(log, 0, at, window, 1, ids);
    if (!edits)
        return NULL;
    terrane_edit_needs(edits, ids->count, window, false, needs);
    if (needs->count == 0)
        return edits;
    free(edits);
    return collect(log, 0, at, needs->window, needs->count, ids);
}

/* Moves those that are kept to the front. */
static size_t choose(struct terrane_edit *edits, size_t count, const struct terrane_window *window)
{
    uint8_t *keep = malloc(count);
    size_t kept = 0;
    if (!keep)
        return EDIT_LOG_FAILED;
    terrane_edits_touching(edits, count, window, keep);
    for (size_t k = 0; k < count; k++)
        if (keep[k])
            edits[kept++] = edits[k];
    free(keep);
    return kept;
}

static size_t touching(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                       struct terrane_edit **edits, struct terrane_edit_needs *needs)
{
    struct edit_ids ids = {NULL, 0, 0};
    *edits = NULL;
    needs->count = 0;
    if (at == 0)
        return 0;
    pthread_rwlock_rdlock(&log->lock);
    struct terrane_edit *found = collect_all(log, at, window, &ids, needs);
    pthread_rwlock_unlock(&log->lock);
    size_t count = !found ? EDIT_LOG_FAILED : ids.count > 0 ? choose(found, ids.count, window) : 0;
    free(ids.id);
    if (count == 0 || count == EDIT_LOG_FAILED)
        free(found);
    else
        *edits = found;
    return count;
}

size_t edit_log_way_points(struct edit_log *log, const struct terrane_window *window)
{
    struct edit_ids ids = {NULL, 0, 0};
    size_t points = 0;
    pthread_rwlock_rdlock(&log->lock);
    const uint64_t at = edit_log_count(log);
    const bool whole = edit_index_find(&log->ways, window, 0, (uint32_t)at, &ids);
    struct terrane_edit *ways = whole ? edits_of(log, at, &ids) : NULL;
    pthread_rwlock_unlock(&log->lock);
    for (size_t k = 0; ways && k < ids.count; k++) {
        uint8_t keep;
        if (terrane_edits_touching(&ways[k], 1, window, &keep) > 0)
            points += (size_t)ways[k].points;
    }
    free(ids.id);
    free(ways);
    return points;
}

size_t edit_log_touching(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                         struct terrane_edit **edits)
{
    struct terrane_edit_needs needs;
    return touching(log, at, window, edits, &needs);
}

size_t edit_log_between(struct edit_log *log, uint64_t from, uint64_t at, const struct terrane_window *window,
                        int windows, struct terrane_edit **edits, uint32_t **number)
{
    struct edit_ids ids = {NULL, 0, 0};
    pthread_rwlock_rdlock(&log->lock);
    *edits = collect(log, from, at, window, windows, &ids);
    pthread_rwlock_unlock(&log->lock);
    for (size_t k = 0; k < ids.count; k++)
        ids.id[k]++;
    *number = ids.id;
    if (*edits)
        return ids.count;
    free(ids.id);
    *number = NULL;
    return EDIT_LOG_FAILED;
}

static bool lies_in(const struct terrane_edit *edit, const struct terrane_edit_box *box)
{
    const struct terrane_edit_box own = terrane_edit_parts(edit);
    return own.west <= box->east && own.east >= box->west && own.north <= box->south &&
           own.south >= box->north;
}

size_t edit_log_marks(struct edit_log *log, uint64_t at, const struct terrane_edit_box *box, uint32_t *number,
                      size_t most)
{
    const uint64_t count = edit_log_count(log), end = at < count ? at : count;
    size_t found = 0;
    for (uint64_t k = 0; k < end && found < most;) {
        pthread_rwlock_rdlock(&log->lock);
        for (const uint64_t stop = k + MARKS_LOOKED; k < end && k < stop && found < most; k++) {
            const struct entry *entry = entry_at(log, k);
            if (entry->brush != TERRANE_BRUSH_MARK || entry_undone(entry, at))
                continue;
            const struct terrane_edit mark = entry_edit(log, entry);
            if (lies_in(&mark, box))
                number[found++] = (uint32_t)(k + 1);
        }
        pthread_rwlock_unlock(&log->lock);
    }
    return found;
}

size_t edit_log_within(struct edit_log *log, uint64_t at, const struct terrane_edit_box *box,
                       struct terrane_edit **edits)
{
    struct edit_ids ids = {NULL, 0, 0};
    size_t kept = 0, left = WITHIN_MAX;
    pthread_rwlock_rdlock(&log->lock);
    const uint64_t count = edit_log_count(log), end = at < count ? at : count;
    const bool whole = edit_index_within(&log->index, box, (uint32_t)end, &left, &ids);
    *edits = whole ? edits_of(log, at, &ids) : NULL;
    pthread_rwlock_unlock(&log->lock);
    for (size_t k = 0; *edits && k < ids.count; k++)
        if (lies_in(&(*edits)[k], box))
            (*edits)[kept++] = (*edits)[k];
    free(ids.id);
    return *edits ? kept : !whole && left == 0 ? EDIT_LOG_MANY : EDIT_LOG_FAILED;
}

int64_t edit_log_margin(const struct terrane_window *window, const struct terrane_edit_needs *needs)
{
    int64_t margin = MARGIN;
    for (int k = 0; k < needs->count; k++)
        margin = (INT64_C(1) << (needs->window[k].level - window->level)) * 2 *
                 MARGIN; /* the last is the coarsest */
    return margin;
}

/* The first undo behind so many operations. */
static size_t undo_behind(const struct edit_log *log, uint64_t number)
{
    size_t low = 0, high = log->undos;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (log->undo[middle].number <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool edit_log_stays(struct edit_log *log, uint64_t from, uint64_t seen, uint64_t at,
                    const struct terrane_window *window, int64_t margin)
{
    const struct terrane_window around = {.level = window->level,
                                          .gi = window->gi - margin,
                                          .gj = window->gj - margin,
                                          .step = 1,
                                          .width = (int)((window->width - 1) * window->step + 1 + 2 * margin),
                                          .height =
                                              (int)((window->height - 1) * window->step + 1 + 2 * margin)};
    bool stays = true;
    pthread_rwlock_rdlock(&log->lock);
    for (size_t k = undo_behind(log, seen); k < log->undos && log->undo[k].number <= at && stays; k++)
        if (log->undo[k].undoes <= from) {
            const struct terrane_edit edit = entry_edit(log, entry_at(log, log->undo[k].undoes - 1));
            uint8_t keep;
            stays = terrane_edits_touching(&edit, 1, &around, &keep) == 0;
        }
    pthread_rwlock_unlock(&log->lock);
    return stays;
}

/* ---- Digests --------------------------------------------------------------------------------------------- */

/* Goes on from what was told after fewer operations to the digest after at, where what came between touches the window for itself
 * alone: neither does it take anything out, nor read what was there. false: it does, or memory is short. */
static bool go_on(struct edit_log *log, uint64_t at, struct told *told)
{
    struct terrane_edit *edits;
    uint32_t *number;
    if (told->at > at || !edit_log_stays(log, told->at, told->at, at, &told->window, told->margin))
        return false;
    const size_t count = edit_log_between(log, told->at, at, &told->window, 1, &edits, &number);
    bool can = count != EDIT_LOG_FAILED;
    for (size_t k = 0; k < count && can; k++) {
        uint8_t keep;
        if (terrane_edits_touching(&edits[k], 1, &told->window, &keep) == 0)
            continue;
        can = !edit_reads(&edits[k]);
        if (can)
            terrane_edits_digest(&told->digest, &edits[k], 1);
    }
    free(edits);
    free(number);
    return can;
}

bool edit_log_digest(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                     struct terrane_digest *digest)
{
    const uint64_t place = (uint64_t)window->gi * UINT64_C(0x9E3779B97F4A7C15) ^
                           (uint64_t)(window->gj * 32 + window->level) * UINT64_C(0xC2B2AE3D27D4EB4F);
    struct told *told = &log->told[(place >> 40) % EDIT_TOLD];
    struct terrane_edit *edits;
    struct terrane_edit_needs needs;
    *digest = (struct terrane_digest){{0}};
    if (at == 0)
        return true;
    pthread_mutex_lock(&log->telling);
    struct told last = *told;
    pthread_mutex_unlock(&log->telling);
    const bool known = last.at > 0 && edit_same_window(&last.window, window);
    if (known && last.at == at) {
        *digest = last.digest;
        return true;
    }
    if (!known || !go_on(log, at, &last)) {
        const size_t count = touching(log, at, window, &edits, &needs);
        if (count == EDIT_LOG_FAILED)
            return false;
        last = (struct told){.window = *window, .margin = edit_log_margin(window, &needs)};
        terrane_edits_digest(&last.digest, edits, count);
        free(edits);
    }
    last.at = at;
    *digest = last.digest;
    pthread_mutex_lock(&log->telling);
    *told = last;
    pthread_mutex_unlock(&log->telling);
    return true;
}
