/*
 * Trees of least cost: Dijkstra's way over integers, with a bucket for each cost (Dial 1969).
 *
 * What a cell ends with does not rest on the order in which cells of one cost are taken: its cost is the least, its way the
 * least of the directions that have it, and it is unsure if any of these leads to an unsure cell.
 */
#include <string.h>

#include "drain.h"

enum { BUCKETS = 128, NOBODY = -1, FAR_OFF = UINT16_MAX };
_Static_assert((int)BUCKETS > (int)DRAIN_COST_MAX, "a bucket for each cost that may be waiting");

/* ---- Growth -------------------------------------------------------------------------------------------- */

struct queue {
    union drain_link *link;
    int32_t head[BUCKETS];
    int32_t off[8];
    int waiting;
};

static inline void queue_put(struct queue *queue, int32_t c, int d)
{
    int32_t *head = &queue->head[d % BUCKETS];
    queue->link[c].next = *head;
    queue->link[c].prev = NOBODY;
    if (*head != NOBODY)
        queue->link[*head].prev = c;
    *head = c;
}

static inline void queue_drop(struct queue *queue, int32_t c, int d)
{
    const int32_t next = queue->link[c].next, prev = queue->link[c].prev;
    if (prev != NOBODY)
        queue->link[prev].next = next;
    else
        queue->head[d % BUCKETS] = next;
    if (next != NOBODY)
        queue->link[next].prev = prev;
}

/* Directions in which the way by a cell is not longer than what is known there, as bits: without branches, of which half would be
 * guessed wrong. */
static inline unsigned worth(const struct drain_field *field, const struct queue *queue, int32_t u,
                             uint64_t cost, int max)
{
    const int from = field->d[u];
    unsigned found = 0;
    for (int k = 0; k < 8; k++) {
        const int by = from + (int)(cost >> 8 * k & 255), was = field->d[u + queue->off[k]];
        found |= (unsigned)((by <= was) & (by <= max)) << k;
    }
    return found;
}

/* Offers the ways by a cell that is known to its neighbours. waits: which cells are in the queue, where others have a cost, too; or
 * NULL. */
static inline void offer(const struct drain_field *field, struct queue *queue, int32_t u, int max,
                         uint8_t *waits)
{
    uint16_t *const d = field->d;
    uint8_t *const to = field->to, *const mark = field->mark;
    const uint8_t unsure = mark[u] & DRAIN_UNSURE;
    const uint64_t cost = field->cost[u].into[0] | (uint64_t)field->cost[u].into[1] << 32;
    for (unsigned rest = worth(field, queue, u, cost, max); rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        const int32_t c = u + queue->off[k];
        const int by = d[u] + (int)(cost >> 8 * k & 255), was = d[c];
        const uint8_t way = (uint8_t)((k + 4) & 7);
        const bool waiting = waits ? waits[c] : was != FAR_OFF;
        if (by == was) {
            const bool doubt = waits && unsure & ~mark[c]; /* that it has to pass on */
            mark[c] |= unsure;
            to[c] = way < to[c] ? way : to[c];
            if (!doubt || waiting)
                continue;
        } else {
            if (waiting)
                queue_drop(queue, c, was);
            d[c] = (uint16_t)by;
            to[c] = way;
            mark[c] = unsure;
        }
        if (waits)
            waits[c] = true;
        queue->waiting += !waiting;
        queue_put(queue, c, by);
    }
}

/* Offers the ways by all cells of a cost that wait. */
static inline void offer_waiting(const struct drain_field *field, struct queue *queue, int d, int max,
                                 uint8_t *waits)
{
    int32_t *head = &queue->head[d % BUCKETS];
    while (*head != NOBODY) {
        const int32_t u = *head;
        queue_drop(queue, u, d);
        queue->waiting--;
        if (waits)
            waits[u] = false;
        if (*head != NOBODY) { /* what comes next is anywhere */
            __builtin_prefetch(&field->cost[*head]);
            __builtin_prefetch(&field->d[*head - field->width]);
            __builtin_prefetch(&field->d[*head + field->width]);
        }
        offer(field, queue, u, max, waits);
    }
}

static void queue_open(const struct drain_field *field, struct queue *queue)
{
    queue->link = field->link;
    queue->waiting = 0;
    memcpy(queue->off, field->off, sizeof queue->off);
    for (int k = 0; k < BUCKETS; k++)
        queue->head[k] = NOBODY;
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
    queue_open(field, &queue);
    drain_costs(field);
    for (int c = 0; c < field->cells; c++)
        field->d[c] = field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE) ? 0 : FAR_OFF;
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (field->d[c] == 0)
                offer(field, &queue, c, max, NULL);
    for (int d = 0; queue.waiting > 0; d++)
        offer_waiting(field, &queue, d, max, NULL);
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
    int32_t first[DRAIN_TOP_FAR + 1], *next = field->order; /* of those that offer at each cost */
    queue_open(field, &queue);
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
    for (int d = 0; d <= before || queue.waiting > 0; d++) {
        for (int32_t c = d <= before ? first[d] : NOBODY; c != NOBODY; c = next[c])
            if (field->d[c] == d)
                offer(field, &queue, c, max, field->count);
        offer_waiting(field, &queue, d, max, field->count);
    }
    spoil_all(field);
}
