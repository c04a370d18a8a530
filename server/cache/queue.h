/*
 * What waits for the writer of a tier: blobs to be stored. Knows neither tier nor threads: it is its caller's
 * to lock.
 */
#ifndef TERRANE_SERVER_QUEUE_H
#define TERRANE_SERVER_QUEUE_H

#include "blob.h"

enum { QUEUE_BUCKETS = 1024 };

struct queue_node;

/* First in, first out; no key twice. Zero-initialised but for limit_bytes. */
struct queue {
    size_t limit_bytes; /* of payload and overhead, beyond which nothing is taken */
    size_t bytes;
    size_t count;
    uint64_t taken; /* blobs ever added */
    struct queue_node *first, **last;
    struct queue_node *bucket[QUEUE_BUCKETS];
};

enum queue_answer { QUEUE_ADDED, QUEUE_KNOWN, QUEUE_FULL, QUEUE_MEMORY };

void queue_init(struct queue *queue, size_t limit_bytes);

/* Adds a reference of its own, and notes the time. A key that is in the queue already is not added again. */
enum queue_answer queue_add(struct queue *queue, struct blob *blob, uint64_t now_ns);

/*
 * Fills out with the oldest blobs, up to max of them and about max_bytes of payload, but one at least. They
 * stay in the queue (so its references hold, its limit counts them and they are known) until queue_remove.
 */
size_t queue_peek(const struct queue *queue, struct blob **out, size_t max, size_t max_bytes);

/* Removes the count oldest blobs and their references. */
void queue_remove(struct queue *queue, size_t count);

/* Removes the blobs of a world, or all, and their references. Returns how many. Nothing may be peeked. */
size_t queue_purge(struct queue *queue, bool all, uint64_t world);

/* Whether of the blobs that were added first, so many, none is in the queue any more. */
bool queue_is_past(const struct queue *queue, uint64_t taken);

/* When the oldest blob was added. The queue must not be empty. */
uint64_t queue_time_ns(const struct queue *queue);

#endif
