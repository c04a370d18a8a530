/*
 * Trees of least cost: Dijkstra's way over integers, with a bucket for each cost (Dial 1969).
 *
 * What a cell ends with does not rest on the order in which cells of one cost are taken: its cost is the least, its way the
 * least of the directions that have it, and it is unsure if any of these leads to an unsure cell.
 */
#include <string.h>

#include "drain.h"

enum { BUCKETS = 128, NOBODY = -1, FAR_OFF = UINT16_MAX };
_Static_assert((int)BUCKETS > (int)DRAIN_COST_MOST, "a bucket for each cost that may be waiting");

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
                             uint64_t cost, int most)
{
    const int from = field->d[u];
    unsigned found = 0;
    for (int k = 0; k < 8; k++) {
        const int by = from + (int)(cost >> 8 * k & 255), was = field->d[u + queue->off[k]];
        found |= (unsigned)((by <= was) & (by <= most)) << k;
    }
    return found;
}

/* Offers the ways by a cell that is known to its neighbours. */
static inline void offer(const struct drain_field *field, struct queue *queue, int32_t u, int most)
{
    uint16_t *const d = field->d;
    uint8_t *const to = field->to, *const mark = field->mark;
    const uint8_t unsure = mark[u] & DRAIN_UNSURE;
    const uint64_t cost = field->cost[u].into[0] | (uint64_t)field->cost[u].into[1] << 32;
    for (unsigned rest = worth(field, queue, u, cost, most); rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        const int32_t c = u + queue->off[k];
        const int by = d[u] + (int)(cost >> 8 * k & 255), was = d[c];
        const uint8_t way = (uint8_t)((k + 4) & 7);
        if (by == was) {
            mark[c] |= unsure;
            to[c] = way < to[c] ? way : to[c];
            continue;
        }
        if (was != FAR_OFF)
            queue_drop(queue, c, was);
        else
            queue->waiting++;
        d[c] = (uint16_t)by;
        to[c] = way;
        mark[c] = unsure;
        queue_put(queue, c, by);
    }
}

/* What an unsure cell may drain into is dirty. */
static void spoil(struct drain_field *field, int32_t u)
{
    for (int k = 0; k < 8; k++)
        field->mark[u + field->off[k]] |= DRAIN_DIRTY;
}

void drain_grow(struct drain_field *field, int most)
{
    struct queue queue = {.link = field->link};
    memcpy(queue.off, field->off, sizeof queue.off);
    const int width = field->width, height = field->height;
    for (int k = 0; k < BUCKETS; k++)
        queue.head[k] = NOBODY;
    drain_costs(field);
    for (int c = 0; c < field->cells; c++)
        field->d[c] = field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE) ? 0 : FAR_OFF;
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const int32_t u = y * width + x;
            if (field->d[u] == 0)
                offer(field, &queue, u, most);
        }
    for (int d = 0; queue.waiting > 0; d++) {
        int32_t *head = &queue.head[d % BUCKETS];
        while (*head != NOBODY) {
            const int32_t u = *head;
            queue_drop(&queue, u, d);
            queue.waiting--;
            if (*head != NOBODY) { /* what comes next is anywhere */
                __builtin_prefetch(&field->cost[*head]);
                __builtin_prefetch(&field->d[*head - width]);
                __builtin_prefetch(&field->d[*head + width]);
            }
            offer(field, &queue, u, most);
        }
    }
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            if (field->mark[y * width + x] & DRAIN_UNSURE)
                spoil(field, y * width + x);
}
