/*
 * Trees of least cost: Dijkstra's way over integers, with a bucket for each cost (Dial 1969).
 *
 * What a cell ends with does not rest on the order in which cells of one cost are taken: its cost is the least, its way the
 * least of the directions that have it, and it is unsure if any of these leads to an unsure cell.
 */
#include <string.h>

#include "../base/min_max.h"
#include "drain.h"

enum { BUCKETS = 128, NOBODY = -1, FAR_OFF = UINT16_MAX, AHEAD = 6 };
_Static_assert((int)BUCKETS > (int)DRAIN_COST_MAX, "a bucket for each cost that may be waiting");

/* ---- The queue ----------------------------------------------------------------------------------------- */

/*
 * Cells wait in chunks, a list of these for each cost, and are taken in the order in which they came: nearly that of rows. One that becomes
 * cheaper is put behind another list, too, and passed over where it was. When no chunk is left, those that still wait are put
 * anew: each of them is beside one that does not, so they are 8 of 9 cells at most, and there are as many words in field->order
 * as cells, beside a chunk for each cost that is not full and one that is being taken.
 */
enum { CHUNK = DRAIN_QUEUE_CHUNK, ENTRIES = CHUNK - 1 };
_Static_assert((BUCKETS + 2) * CHUNK <= DRAIN_QUEUE_MORE, "chunks that are not full");
_Static_assert(8 * CHUNK <= 9 * ENTRIES, "room for all cells that wait");

#ifndef DRAIN_QUEUE_CHUNKS /* a test has fewer */
#define DRAIN_QUEUE_CHUNKS(cells) (((cells) + DRAIN_QUEUE_MORE) / CHUNK)
#endif

struct chunk {
    int32_t next, cell[ENTRIES];
};

struct bucket {
    int32_t first, last; /* chunks; last is full, or there is none, where used is ENTRIES */
    int used, entries;
};

struct queue {
    const struct drain_field *field;
    uint8_t *waits; /* which cells are in the queue, where others have a cost, too; or NULL */
    struct chunk *chunk;
    int32_t chunks, fresh,
        free; /* how many there are, and of which none was taken; a list of those that were given back */
    int32_t off[8];
    int d;       /* the cost that is being taken */
    int entries; /* of all buckets, those that are passed over, too */
    struct bucket bucket[BUCKETS];
};

static void queue_clear(struct queue *queue)
{
    queue->entries = 0;
    for (int k = 0; k < BUCKETS; k++)
        queue->bucket[k] = (struct bucket){NOBODY, NOBODY, ENTRIES, 0};
}

static void queue_open(struct drain_field *field, struct queue *queue, uint8_t *waits)
{
    queue->field = field;
    queue->waits = waits;
    queue->chunk = (struct chunk *)(void *)field->order;
    queue->chunks = DRAIN_QUEUE_CHUNKS(field->cells);
    queue->fresh = 0;
    queue->free = NOBODY;
    queue->d = 0;
    memcpy(queue->off, field->off, sizeof queue->off);
    queue_clear(queue);
}

/* A chunk behind a bucket's last one. false: none is left. */
static bool add_chunk(struct queue *queue, struct bucket *bucket)
{
    int32_t at = queue->free;
    if (at != NOBODY)
        queue->free = queue->chunk[at].next;
    else if (queue->fresh < queue->chunks)
        at = queue->fresh++;
    else
        return false;
    queue->chunk[at].next = NOBODY;
    if (bucket->last != NOBODY)
        queue->chunk[bucket->last].next = at;
    else
        bucket->first = at;
    bucket->last = at;
    bucket->used = 0;
    return true;
}

static bool queue_add(struct queue *queue, int32_t c, int d)
{
    struct bucket *const bucket = &queue->bucket[d % BUCKETS];
    if (bucket->used == ENTRIES && !add_chunk(queue, bucket))
        return false;
    queue->chunk[bucket->last].cell[bucket->used++] = c;
    bucket->entries++;
    queue->entries++;
    return true;
}

/* Gives a bucket's chunks back. */
static void give_chunks(struct queue *queue, struct bucket *bucket)
{
    if (bucket->last != NOBODY) {
        queue->chunk[bucket->last].next = queue->free;
        queue->free = bucket->first;
    }
    *bucket = (struct bucket){NOBODY, NOBODY, ENTRIES, 0};
}

/* All that waits, each once. */
static void queue_renew(struct queue *queue)
{
    const struct drain_field *field = queue->field;
    for (int k = 0; k < BUCKETS; k++)
        give_chunks(queue, &queue->bucket[k]);
    queue->entries = 0;
    for (int32_t c = 0; c < field->cells; c++)
        if (field->d[c] > queue->d && field->d[c] != FAR_OFF && (!queue->waits || queue->waits[c]))
            (void)queue_add(queue, c, field->d[c]); /* there is room */
}

static inline void queue_put(struct queue *queue, int32_t c, int d)
{
    if (!queue_add(queue, c, d))
        queue_renew(queue);
}

/* ---- Growth -------------------------------------------------------------------------------------------- */

typedef uint16_t costs_of_8 __attribute__((vector_size(16)));
typedef uint8_t bytes_of_8 __attribute__((vector_size(8)));

/* The direction of the neighbour in each byte of a cell's costs. */
static const uint8_t way_of[8] = {4, 5, 6, 7, 3, 2, 1, 0};

/* Of a word whose first byte is the lowest, one whose first byte is that in memory, and back. */
static inline uint64_t as_in_memory(uint64_t word)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* Neighbours to which the way by a cell is not longer than what is known there: the uppermost bit of the byte of each, without branches,
 * of which half would be guessed wrong. */
static inline uint64_t worth(const uint16_t *d, int width, uint64_t cost, int max)
{
    const uint16_t *const north = d - width, *const south = d + width;
    const costs_of_8 was = {d[-1], north[-1], north[0], north[1], south[-1], south[0], south[1], d[1]};
    bytes_of_8 more;
    const uint64_t bytes = as_in_memory(cost);
    memcpy(&more, &bytes, sizeof more);
    const costs_of_8 by = __builtin_convertvector(more, costs_of_8) + *d;
    const bytes_of_8 found = __builtin_convertvector((by <= was) & (by <= (uint16_t)max), bytes_of_8);
    uint64_t all;
    memcpy(&all, &found, sizeof all);
    return as_in_memory(all) & UINT64_C(0x8080808080808080);
}

/* Offers the ways by a cell that is known to its neighbours. */
static inline void offer(const struct drain_field *field, struct queue *queue, int32_t u, int max,
                         uint8_t *waits)
{
    uint16_t *const d = field->d;
    uint8_t *const to = field->to, *const mark = field->mark;
    const uint8_t unsure = mark[u] & DRAIN_UNSURE;
    const uint64_t cost = field->cost[u].into[0] | (uint64_t)field->cost[u].into[1] << 32;
    for (uint64_t rest = worth(d + u, field->width, cost, max); rest; rest &= rest - 1) {
        const int at = __builtin_ctzll(rest) >> 3, k = way_of[at];
        const int32_t c = u + queue->off[k];
        const int by = d[u] + (int)(cost >> 8 * at & 255), was = d[c];
        const uint8_t way = (uint8_t)((k + 4) & 7);
        if (by == was) {
            const bool doubt = waits && unsure & ~mark[c]; /* that it has to pass on */
            mark[c] |= unsure;
            to[c] = way < to[c] ? way : to[c];
            if (!doubt || waits[c])
                continue;
        } else {
            d[c] = (uint16_t)by;
            to[c] = way;
            mark[c] = unsure;
        }
        if (waits)
            waits[c] = true;
        queue_put(queue, c, by);
    }
}

/* Offers the ways by all cells of a cost that wait. */
static inline void offer_waiting(const struct drain_field *field, struct queue *queue, int d, int max,
                                 uint8_t *waits)
{
    struct bucket taken = queue->bucket[d % BUCKETS];
    queue->bucket[d % BUCKETS] = (struct bucket){NOBODY, NOBODY, ENTRIES, 0};
    queue->entries -= taken.entries;
    for (int32_t at = taken.first; at != NOBODY; at = queue->chunk[at].next) {
        const int32_t *const cell = queue->chunk[at].cell;
        const int count = at == taken.last ? taken.used : ENTRIES;
        for (int k = 0; k < count; k++) {
            const int32_t u = cell[k], ahead = cell[min_int(k + AHEAD, count - 1)];
            __builtin_prefetch(&field->cost[ahead]);
            __builtin_prefetch(&field->d[ahead - field->width]);
            __builtin_prefetch(&field->d[ahead + field->width]);
            if (field->d[u] != d)
                continue;
            if (waits)
                waits[u] = false;
            offer(field, queue, u, max, waits);
        }
    }
    give_chunks(queue, &taken);
}

/* What an unsure cell may drain into is dirty. */
static void spoil(struct drain_field *field, int32_t u)
{
    for (int k = 0; k < 8; k++)
        field->mark[u + field->off[k]] |= DRAIN_DIRTY;
}

static void spoil_all(struct drain_field *field)
{
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (field->mark[c] & DRAIN_UNSURE)
                spoil(field, c);
}

void drain_grow(struct drain_field *field, int max)
{
    struct queue queue;
    drain_costs(field);
    queue_open(field, &queue, NULL);
    for (int c = 0; c < field->cells; c++)
        field->d[c] = field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE) ? 0 : FAR_OFF;
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (field->d[c] == 0)
                offer(field, &queue, c, max, NULL);
    for (; queue.entries > 0; queue.d++)
        offer_waiting(field, &queue, queue.d, max, NULL);
    spoil_all(field);
}

/* ---- Growth that goes on ------------------------------------------------------------------------------- */

/* Whether a cell with a cost may offer what it has not: it is a new source, or ended at the most that a cost could be. */
static bool offers_more(const struct drain_field *field, int32_t c)
{
    bool more = field->count[c];
    for (int k = 0; k < 8; k++)
        more |= field->d[c + field->off[k]] == FAR_OFF;
    return more;
}

/* Ways by what was known before are as long as they were, or longer than others: a cell that keeps its cost keeps its ways, and may
 * get more. */
void drain_grow_on(struct drain_field *field, int before, int max)
{
    struct queue queue;
    int32_t first[DRAIN_TOP_FAR + 1];
    int32_t *const next = (int32_t *)field->stem; /* of those that offer at each cost; stems come later */
    queue_open(field, &queue, field->count);
    for (int d = 0; d <= before; d++)
        first[d] = NOBODY;
    for (int c = 0; c < field->cells; c++)
        field->d[c] = field->count[c] ? 0 : field->d[c];
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (field->d[c] != FAR_OFF && offers_more(field, c)) {
                next[c] = first[field->d[c]];
                first[field->d[c]] = c;
            }
    memset(field->count, false, (size_t)field->cells);
    for (; queue.d <= before || queue.entries > 0; queue.d++) {
        const int d = queue.d;
        for (int32_t c = d <= before ? first[d] : NOBODY; c != NOBODY; c = next[c])
            if (field->d[c] == d)
                offer(field, &queue, c, max, field->count);
        offer_waiting(field, &queue, d, max, field->count);
    }
    spoil_all(field);
}
