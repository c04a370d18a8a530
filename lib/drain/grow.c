/*
 * Trees of least cost: Dijkstra's way over integers, with a bucket for each cost (Dial 1969).
 *
 * What a cell ends with does not rest on the order in which cells of one cost are taken: its cost is the least, its way the
 * least of the directions that have it, and it is unsure if any of these leads to an unsure cell.
 */
#include <string.h>

#include "../hash.h"
#include "drain.h"

enum { BUCKETS = 128, NOBODY = -1, FAR_OFF = UINT16_MAX };
_Static_assert((int)BUCKETS > (int)DRAIN_COST_MOST, "a bucket for each cost that may be waiting");

/* ---- Costs --------------------------------------------------------------------------------------------- */

/* What it costs to run into each cell of a row from those beside it: from, with their grain. */
static void costs_from(const struct drain_law *law, const int32_t *ground, const int32_t *from,
                       const uint8_t *grain, bool diagonal, int count, uint8_t *restrict cost)
{
    const int length = diagonal ? 24 : 16, climb = diagonal ? 17 : 12;
    const float inverse = law->inverse;
    for (int i = 0; i < count; i++) {
        const float slope = (float)(from[i] - ground[i]) * inverse;
        const float bound = slope > 1024.0f ? 1024.0f : slope < -1024.0f ? -1024.0f : slope;
        const int q = (int)bound;
        int w = q >= 0 ? length - (q * 5 >> 5) : length - (q * climb >> 3);
        w = w < DRAIN_COST_LEAST                    ? DRAIN_COST_LEAST
            : w > DRAIN_COST_MOST - DRAIN_GRAIN + 1 ? DRAIN_COST_MOST - DRAIN_GRAIN + 1
                                                    : w;
        cost[i] = (uint8_t)(w + grain[i]);
    }
}

static void grain_row(const struct drain_field *field, int y, uint8_t *grain)
{
    const uint64_t key = field->law->key;
    const struct hash_row row = hash_row(key, field->window.gj + y);
    for (int x = 0; x < field->width; x++)
        grain[x] = hash_corner(hash_column(key, field->window.gi + x), row) & (DRAIN_GRAIN - 1);
}

static void costs_row(struct drain_field *field, int y)
{
    const int width = field->width, count = width - 2;
    const size_t row = (size_t)y * (size_t)width + 1;
    uint8_t *plane = field->grain + 3 * (size_t)width;
    for (int k = 0; k < 8; k++) {
        const uint8_t *grain =
            field->grain + (size_t)((y + drain_dy[k]) % 3) * (size_t)width + 1 + drain_dx[k];
        const int32_t *ground = field->ground + row;
        costs_from(field->law, ground, ground + field->off[k], grain, k & 1, count,
                   plane + (size_t)k * (size_t)width);
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 8; k++)
            field->cost[row + (size_t)i].into[k] = plane[(size_t)k * (size_t)width + (size_t)i];
}

static void costs_fill(struct drain_field *field)
{
    for (int y = 0; y < field->height; y++) {
        grain_row(field, y, field->grain + (size_t)(y % 3) * (size_t)field->width);
        if (y >= 2)
            costs_row(field, y - 1);
    }
}

/* ---- Growth -------------------------------------------------------------------------------------------- */

struct queue {
    union drain_link *link;
    int32_t head[BUCKETS];
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

/* Offers the ways by a cell that is known to its neighbours. */
static inline void offer(struct drain_field *field, struct queue *queue, int32_t u, int most)
{
    const int d = field->d[u];
    const uint8_t unsure = field->mark[u] & DRAIN_UNSURE;
    for (int k = 0; k < 8; k++) {
        const int32_t c = u + field->off[k];
        const int by = d + field->cost[u].into[k], was = field->d[c];
        const uint8_t way = (uint8_t)((k + 4) & 7);
        if (by > was || by > most)
            continue;
        if (by == was) {
            field->mark[c] |= unsure;
            field->to[c] = way < field->to[c] ? way : field->to[c];
            continue;
        }
        if (was != FAR_OFF)
            queue_drop(queue, c, was);
        else
            queue->waiting++;
        field->d[c] = (uint16_t)by;
        field->to[c] = way;
        field->mark[c] = unsure;
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
    const int width = field->width, height = field->height;
    for (int k = 0; k < BUCKETS; k++)
        queue.head[k] = NOBODY;
    costs_fill(field);
    for (int c = 0; c < field->cells; c++)
        field->d[c] = field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE) ? 0 : FAR_OFF;
    field->ordered = 0;
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
            field->order[field->ordered++] = u;
            offer(field, &queue, u, most);
        }
    }
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            if (field->mark[y * width + x] & DRAIN_UNSURE)
                spoil(field, y * width + x);
}
