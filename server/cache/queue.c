/*
 * The queue is a list with a hash table of its keys. Putting a key that waits already, or is being written,
 * adds nothing: equal keys have equal bytes. Memory is bounded by bytes: each blob counts with its payload
 * and the overhead of malloc and SQLite, so a flood of tiny blobs is bounded as well.
 *
 *  (1) count blobs hang in the list, each in exactly one bucket; bytes is the sum of their costs, at
 *      most limit_bytes.
 *  (2) Each has a serial number, the value of taken when it was added: they rise from first to last.
 */
#include "queue.h"

#include <stdlib.h>

#include "../base/check.h"

enum { BLOB_COST = 512 };

_Static_assert((QUEUE_BUCKETS & (QUEUE_BUCKETS - 1)) == 0, "a power of two");

struct queue_node {
    struct queue_node *next;
    struct queue_node *chain; /* next in the bucket */
    struct blob *blob;        /* one reference */
    uint64_t time_ns, number;
};

static size_t blob_cost(const struct blob *blob)
{
    return blob->bytes + BLOB_COST;
}

static struct queue_node **queue_bucket(struct queue *queue, const struct digest *key)
{
    return &queue->bucket[key->low & (QUEUE_BUCKETS - 1)];
}

void queue_init(struct queue *queue, size_t limit_bytes)
{
    *queue = (struct queue){.limit_bytes = limit_bytes};
    queue->last = &queue->first;
}

enum queue_answer queue_add(struct queue *queue, struct blob *blob, uint64_t now_ns)
{
    struct queue_node **const bucket = queue_bucket(queue, &blob->key);
    struct queue_node *node;

    for (node = *bucket; node; node = node->chain)
        if (digest_equal(&node->blob->key, &blob->key))
            return QUEUE_KNOWN;
    if (queue->bytes + blob_cost(blob) > queue->limit_bytes)
        return QUEUE_FULL;
    node = malloc(sizeof *node);
    if (!node)
        return QUEUE_MEMORY;
    *node = (struct queue_node){
        .chain = *bucket, .blob = blob_hold(blob), .time_ns = now_ns, .number = ++queue->taken};
    *bucket = node;
    *queue->last = node;
    queue->last = &node->next;
    queue->bytes += blob_cost(blob);
    queue->count++;
    return QUEUE_ADDED;
}

size_t queue_peek(const struct queue *queue, struct blob **out, size_t max, size_t max_bytes)
{
    size_t count = 0, bytes = 0;

    for (const struct queue_node *node = queue->first; node && count < max; node = node->next) {
        if (count > 0 && bytes + node->blob->bytes > max_bytes)
            break;
        bytes += node->blob->bytes;
        out[count++] = node->blob;
    }
    return count;
}

static void queue_unchain(struct queue *queue, const struct queue_node *node)
{
    struct queue_node **link = queue_bucket(queue, &node->blob->key);

    while (*link != node) {
        CHECK(*link != NULL);
        link = &(*link)->chain;
    }
    *link = node->chain;
}

/* Removes the node that link, in the list, points to. */
static void queue_unlink(struct queue *queue, struct queue_node **link)
{
    struct queue_node *const node = *link;

    CHECK(node != NULL);
    queue_unchain(queue, node);
    *link = node->next;
    if (!*link)
        queue->last = link;
    queue->bytes -= blob_cost(node->blob);
    queue->count--;
    blob_release(node->blob);
    free(node);
}

void queue_remove(struct queue *queue, size_t count)
{
    CHECK(count <= queue->count);
    for (size_t i = 0; i < count; i++)
        queue_unlink(queue, &queue->first);
    CHECK((queue->first == NULL) == (queue->count == 0));
}

size_t queue_purge(struct queue *queue, bool all, uint64_t world)
{
    const size_t count = queue->count;
    struct queue_node **link = &queue->first;

    while (*link) {
        if (all || (*link)->blob->world == world)
            queue_unlink(queue, link);
        else
            link = &(*link)->next;
    }
    return count - queue->count;
}

bool queue_is_past(const struct queue *queue, uint64_t taken)
{
    return !queue->first || queue->first->number > taken;
}

uint64_t queue_time_ns(const struct queue *queue)
{
    CHECK(queue->first != NULL);
    return queue->first->time_ns;
}
