/*
 * The log in memory. Operations lie in cells of layers, one for each size of chunk: a question looks at the cells of its area in each
 * layer, or at all cells of a layer where these are fewer.
 *
 *  (1) An operation is in the cells of its chunks, four at most, of one layer.
 *  (2) entry[k] is written before count passes k, and of it undone_at alone changes later, to a number above the count of then.
 */
#include "edit_log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAYER_FIRST = 8,
    LAYERS_MOST = TERRANE_EDIT_CHUNK_LOG2_MOST - LAYER_FIRST + 1,
    PARTS_LOG2 = 4,
    PLACE_LOG2 = 53, /* parts that anything of an operation is within, at level 0 */
    TOLD = 256,
    UNSEEN_LOG2 = 8, /* a level sees nothing of a radius that is this much below two samples */
    AGAIN_MOST = 4096,
    WIDE = 2 /* samples that a stroke is seen to reach at least */
};
_Static_assert(1 << PARTS_LOG2 == TERRANE_EDIT_PARTS, "as the shifts have it");

struct cell {
    int64_t x, y;
    uint32_t count, room;
    uint32_t *id; /* rising */
};

struct layer {
    struct cell *cell;
    size_t cells, room;
    uint32_t *slot; /* 0: free; else a cell's index, and 1 */
    size_t slots;   /* a power of two, twice the cells at least */
};

struct entry {
    struct terrane_edit edit;
    uint64_t undoes, undone_at; /* numbers; 0: none */
};

/* A window's digest, after so many operations. */
struct told {
    struct terrane_window window;
    uint64_t at;
    struct terrane_digest digest;
};

struct edit_log {
    pthread_mutex_t telling; /* over told */
    struct told told[TOLD];
    pthread_rwlock_t lock;
    struct entry *entry;
    size_t room;
    atomic_uint_fast64_t count;
    struct layer layer[LAYERS_MOST];
};

struct edit_log *edit_log_create(void)
{
    struct edit_log *log = calloc(1, sizeof *log);
    if (log && pthread_rwlock_init(&log->lock, NULL) != 0) {
        free(log);
        return NULL;
    }
    if (log)
        pthread_mutex_init(&log->telling, NULL);
    return log;
}

void edit_log_free(struct edit_log *log)
{
    if (!log)
        return;
    for (struct layer *layer = log->layer; layer < log->layer + LAYERS_MOST; layer++) {
        for (size_t k = 0; k < layer->cells; k++)
            free(layer->cell[k].id);
        free(layer->cell);
        free(layer->slot);
    }
    free(log->entry);
    pthread_mutex_destroy(&log->telling);
    pthread_rwlock_destroy(&log->lock);
    free(log);
}

uint64_t edit_log_count(const struct edit_log *log)
{
    return atomic_load_explicit(&log->count, memory_order_acquire);
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

static size_t hash_of(int64_t x, int64_t y)
{
    uint64_t h = (uint64_t)x * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)y * UINT64_C(0xC2B2AE3D27D4EB4F);
    h ^= h >> 29;
    return (size_t)(h * UINT64_C(0x94D049BB133111EB) >> 17);
}

/* The slot of a cell, or the free one where it would be. */
static uint32_t *slot_of(const struct layer *layer, int64_t x, int64_t y)
{
    for (size_t k = hash_of(x, y);; k++) {
        uint32_t *slot = &layer->slot[k & (layer->slots - 1)];
        if (*slot == 0 || (layer->cell[*slot - 1].x == x && layer->cell[*slot - 1].y == y))
            return slot;
    }
}

/* Room for one more of so many; false: memory is short. */
static bool have_room(void **array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    const size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

static bool have_slots(struct layer *layer)
{
    if (2 * (layer->cells + 1) <= layer->slots)
        return true;
    struct layer wider = *layer;
    wider.slots = layer->slots ? 2 * layer->slots : 64;
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return false;
    for (size_t k = 0; k < layer->cells; k++)
        *slot_of(&wider, layer->cell[k].x, layer->cell[k].y) = (uint32_t)k + 1;
    free(layer->slot);
    *layer = wider;
    return true;
}

static struct cell *cell_at(struct layer *layer, int64_t x, int64_t y)
{
    void *cells = layer->cell;
    if (!have_slots(layer))
        return NULL;
    uint32_t *slot = slot_of(layer, x, y);
    if (*slot)
        return &layer->cell[*slot - 1];
    if (!have_room(&cells, &layer->room, layer->cells, sizeof *layer->cell))
        return NULL;
    layer->cell = cells;
    layer->cell[layer->cells] = (struct cell){.x = x, .y = y};
    *slot = (uint32_t)++layer->cells;
    return &layer->cell[layer->cells - 1];
}

static bool cell_add(struct cell *cell, uint32_t id)
{
    void *ids = cell->id;
    size_t room = cell->room;
    if (!have_room(&ids, &room, cell->count, sizeof *cell->id))
        return false;
    cell->id = ids;
    cell->room = (uint32_t)room;
    cell->id[cell->count++] = id;
    return true;
}

/* ---- Appending ------------------------------------------------------------------------------------------- */

static bool moves(const struct edit_entry *entry)
{
    return entry->undoes == 0 && entry->edit.brush != TERRANE_BRUSH_MARK;
}

/* false: memory is short, and some cells may have it: they do no harm, since ids at or above the count are passed over. */
static bool place(struct edit_log *log, const struct edit_entry *entry, uint32_t id)
{
    struct terrane_edit_chunks chunks;
    if (!moves(entry))
        return true;
    terrane_edit_chunks(&entry->edit, &chunks);
    struct layer *layer = &log->layer[chunks.log2 - LAYER_FIRST];
    for (int k = 0; k < chunks.columns * chunks.rows; k++) {
        struct cell *cell = cell_at(layer, chunks.x + k % chunks.columns, chunks.y + k / chunks.columns);
        if (!cell || !cell_add(cell, id))
            return false;
    }
    return true;
}

/* Takes ids from so many on out of all cells again. */
static void take_back(struct edit_log *log, uint64_t count)
{
    for (struct layer *layer = log->layer; layer < log->layer + LAYERS_MOST; layer++)
        for (struct cell *cell = layer->cell; cell < layer->cell + layer->cells; cell++)
            while (cell->count > 0 && cell->id[cell->count - 1] >= count)
                cell->count--;
}

int edit_log_append(struct edit_log *log, const struct edit_entry *entry, size_t count)
{
    const uint64_t before = edit_log_count(log);
    bool whole = true;
    pthread_rwlock_wrlock(&log->lock);
    for (size_t k = 0; k < count && whole; k++) {
        void *entries = log->entry;
        whole = before + k < UINT32_MAX &&
                have_room(&entries, &log->room, (size_t)before + k, sizeof *log->entry);
        log->entry = entries;
        if (!whole)
            break;
        log->entry[before + k] = (struct entry){.edit = entry[k].edit, .undoes = entry[k].undoes};
        whole = place(log, &entry[k], (uint32_t)(before + k));
    }
    if (!whole)
        take_back(log, before);
    for (size_t k = 0; k < count && whole; k++)
        if (entry[k].undoes)
            log->entry[entry[k].undoes - 1].undone_at = before + k + 1;
    if (whole)
        atomic_store_explicit(&log->count, before + count, memory_order_release);
    pthread_rwlock_unlock(&log->lock);
    return whole ? 0 : -1;
}

static bool undone(const struct entry *entry, uint64_t at)
{
    return entry->undone_at != 0 && entry->undone_at <= at;
}

bool edit_log_undone(struct edit_log *log, uint64_t number, uint64_t at)
{
    pthread_rwlock_rdlock(&log->lock);
    const bool is = number >= 1 && number <= edit_log_count(log) && undone(&log->entry[number - 1], at);
    pthread_rwlock_unlock(&log->lock);
    return is;
}

bool edit_log_entry(struct edit_log *log, uint64_t number, struct edit_entry *entry)
{
    pthread_rwlock_rdlock(&log->lock);
    const bool is = number >= 1 && number <= edit_log_count(log);
    if (is)
        *entry =
            (struct edit_entry){.edit = log->entry[number - 1].edit, .undoes = log->entry[number - 1].undoes};
    pthread_rwlock_unlock(&log->lock);
    return is;
}

bool edit_log_undoable(struct edit_log *log, uint64_t number)
{
    pthread_rwlock_rdlock(&log->lock);
    const uint64_t count = edit_log_count(log);
    const bool is = number >= 1 && number <= count && log->entry[number - 1].undoes == 0 &&
                    log->entry[number - 1].undone_at == 0;
    pthread_rwlock_unlock(&log->lock);
    return is;
}

/* ---- Asking ---------------------------------------------------------------------------------------------- */

struct ids {
    uint32_t *id;
    size_t count, room;
};

struct range {
    int64_t low, high;
};

/* Parts that so many samples from one of a level on span, with what strokes are seen to reach more. */
static struct range parts_of(int64_t first, int64_t samples, int level)
{
    const int log2 = level + PARTS_LOG2;
    const int64_t most = (INT64_C(1) << PLACE_LOG2 >> log2) + 1;
    int64_t low = first - WIDE, high = first + samples - 1 + WIDE;
    low = low < -most ? -most : low > most ? most : low;
    high = high < -most ? -most : high > most ? most : high;
    return (struct range){low * (INT64_C(1) << log2), high * (INT64_C(1) << log2)};
}

static bool take_cell(const struct edit_log *log, const struct cell *cell, uint64_t at, struct ids *ids)
{
    for (uint32_t k = 0; k < cell->count && cell->id[k] < at; k++) {
        void *array = ids->id;
        if (undone(&log->entry[cell->id[k]], at))
            continue;
        if (!have_room(&array, &ids->room, ids->count, sizeof *ids->id))
            return false;
        ids->id = array;
        ids->id[ids->count++] = cell->id[k];
    }
    return true;
}

/* Of one layer, cells of chunks in x and y. */
static bool take_layer(const struct edit_log *log, const struct layer *layer, struct range x, struct range y,
                       uint64_t at, struct ids *ids)
{
    const uint64_t columns = (uint64_t)(x.high - x.low) + 1, rows = (uint64_t)(y.high - y.low) + 1;
    bool whole = true;
    if (layer->cells == 0)
        return true;
    if (columns > layer->cells || rows > layer->cells || columns * rows > layer->cells) {
        for (const struct cell *cell = layer->cell; cell < layer->cell + layer->cells && whole; cell++)
            if (cell->x >= x.low && cell->x <= x.high && cell->y >= y.low && cell->y <= y.high)
                whole = take_cell(log, cell, at, ids);
        return whole;
    }
    for (int64_t j = y.low; j <= y.high && whole; j++)
        for (int64_t i = x.low; i <= x.high && whole; i++) {
            const uint32_t slot = *slot_of(layer, i, j);
            whole = slot == 0 || take_cell(log, &layer->cell[slot - 1], at, ids);
        }
    return whole;
}

/* Adds those whose chunks a window touches. */
static bool take_window(const struct edit_log *log, const struct terrane_window *window, uint64_t at,
                        struct ids *ids)
{
    const struct range x =
        parts_of(window->gi, (int64_t)(window->width - 1) * window->step + 1, window->level);
    const struct range y =
        parts_of(window->gj, (int64_t)(window->height - 1) * window->step + 1, window->level);
    bool whole = true;
    for (int k = 0; k < LAYERS_MOST && whole; k++) {
        const int log2 = LAYER_FIRST + k + PARTS_LOG2;
        if (log2 - 1 <
            window->level + PARTS_LOG2 + 1 - UNSEEN_LOG2) /* half as wide is the largest radius there */
            continue;
        whole = take_layer(log, &log->layer[k], (struct range){x.low >> log2, x.high >> log2},
                           (struct range){y.low >> log2, y.high >> log2}, at, ids);
    }
    return whole;
}

static int id_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Their operations in order, each once; owned; NULL: memory is short. ids->count becomes how many. */
static struct terrane_edit *edits_of(const struct edit_log *log, struct ids *ids)
{
    size_t count = 0;
    qsort(ids->id, ids->count, sizeof *ids->id, id_compare);
    for (size_t k = 0; k < ids->count; k++)
        if (k == 0 || ids->id[k] != ids->id[k - 1])
            ids->id[count++] = ids->id[k];
    ids->count = count;
    struct terrane_edit *edits = malloc((count + 1) * sizeof *edits);
    for (size_t k = 0; k < count && edits; k++)
        edits[k] = log->entry[ids->id[k]].edit;
    return edits;
}

/* Under the lock: all that may matter to a window. */
static struct terrane_edit *collect(const struct edit_log *log, uint64_t at,
                                    const struct terrane_window *window, struct ids *ids)
{
    struct terrane_edit_needs needs;
    if (!take_window(log, window, at, ids))
        return NULL;
    struct terrane_edit *edits = ids->count > 0 ? edits_of(log, ids) : malloc(sizeof *edits);
    if (!edits)
        return NULL;
    terrane_edit_needs(edits, ids->count, window, &needs);
    if (needs.count == 0)
        return edits;
    bool whole = true;
    for (int k = 0; k < needs.count && whole; k++)
        whole = take_window(log, &needs.window[k], at, ids);
    free(edits);
    return whole ? edits_of(log, ids) : NULL;
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

size_t edit_log_touching(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                         struct terrane_edit **edits)
{
    struct ids ids = {NULL, 0, 0};
    *edits = NULL;
    if (at == 0)
        return 0;
    pthread_rwlock_rdlock(&log->lock);
    struct terrane_edit *found = collect(log, at, window, &ids);
    pthread_rwlock_unlock(&log->lock);
    size_t count = !found ? EDIT_LOG_FAILED : ids.count > 0 ? choose(found, ids.count, window) : 0;
    free(ids.id);
    if (count == 0 || count == EDIT_LOG_FAILED)
        free(found);
    else
        *edits = found;
    return count;
}

/* ---- Digests --------------------------------------------------------------------------------------------- */

static bool same_window(const struct terrane_window *a, const struct terrane_window *b)
{
    return a->level == b->level && a->gi == b->gi && a->gj == b->gj && a->step == b->step &&
           a->width == b->width && a->height == b->height;
}

static bool reads(const struct terrane_edit *edit)
{
    return edit->brush == TERRANE_BRUSH_SMOOTH || edit->brush == TERRANE_BRUSH_SHARPEN;
}

/* Goes on from the digest after before operations to that after at, where what came between touches the window for itself alone: neither
 * does it take anything out, nor read what was there. false: it does, or is much. */
static bool go_on(struct edit_log *log, uint64_t before, uint64_t at, const struct terrane_window *window,
                  struct terrane_digest *digest)
{
    bool can = before <= at && at - before <= AGAIN_MOST;
    pthread_rwlock_rdlock(&log->lock);
    for (uint64_t k = before; k < at && can; k++) {
        const struct entry *entry = &log->entry[k];
        uint8_t keep = 0;
        if (entry->undoes == 0)
            terrane_edits_touching(&entry->edit, 1, window, &keep);
        can = entry->undoes == 0 && !(keep && reads(&entry->edit));
        if (can && keep)
            terrane_edits_digest(digest, &entry->edit, 1);
    }
    pthread_rwlock_unlock(&log->lock);
    return can;
}

bool edit_log_digest(struct edit_log *log, uint64_t at, const struct terrane_window *window,
                     struct terrane_digest *digest)
{
    struct told *told = &log->told[hash_of(window->gi * 32 + window->level, window->gj) % TOLD];
    struct terrane_edit *edits;
    struct told last;
    *digest = (struct terrane_digest){{0}};
    if (at == 0)
        return true;
    pthread_mutex_lock(&log->telling);
    last = *told;
    pthread_mutex_unlock(&log->telling);
    const bool known = last.at > 0 && same_window(&last.window, window);
    if (known && last.at == at) {
        *digest = last.digest;
        return true;
    }
    if (!known || !go_on(log, last.at, at, window, &last.digest)) {
        const size_t count = edit_log_touching(log, at, window, &edits);
        if (count == EDIT_LOG_FAILED)
            return false;
        last.digest = *digest;
        terrane_edits_digest(&last.digest, edits, count);
        free(edits);
    }
    *digest = last.digest;
    pthread_mutex_lock(&log->telling);
    *told = (struct told){*window, at, *digest};
    pthread_mutex_unlock(&log->telling);
    return true;
}
