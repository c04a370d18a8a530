/* The queue of blobs for the writer of a tier. Knows neither tier nor threads: its caller has to lock it. */
#ifndef TERRANE_SERVER_QUEUE_H
#define TERRANE_SERVER_QUEUE_H

#include "blob.h"

enum { QUEUE_BUCKETS = 1024 };

struct queue_node;

/* First in, first out; no key twice. Zero-initialised except limit_bytes. */
struct queue {
    size_t limit_bytes; /* max of payload and overhead */
    size_t bytes;
    size_t count;
    uint64_t taken; /* blobs ever added */
    struct queue_node *first, **last;
    struct queue_node *bucket[QUEUE_BUCKETS];
};

enum queue_answer { QUEUE_ADDED, QUEUE_KNOWN, QUEUE_FULL, QUEUE_MEMORY };

void queue_init(struct queue *queue, size_t limit_bytes);

/* Adds a reference of its own, and notes the time. A key that is already in the queue is not added again. */
enum queue_answer queue_add(struct queue *queue, struct blob *blob, uint64_t now_ns);

/*
 * Fills out with the oldest blobs, up to max of them and about max_bytes of payload, but at least one. They
 * stay in the queue (its references hold, its limit counts them and they can be found) until queue_remove.
 */
size_t queue_peek(const struct queue *queue, struct blob **out, size_t max, size_t max_bytes);

/* Removes the count oldest blobs and their references. */
void queue_remove(struct queue *queue, size_t count);

/* Removes the blobs of a world, or all, and their references. Returns how many. Nothing may be peeked. */
size_t queue_purge(struct queue *queue, bool all, uint64_t world);

/* True if none of the first `taken` blobs ever added is still in the queue. */
bool queue_is_past(const struct queue *queue, uint64_t taken);

/* When the oldest blob was added. The queue must not be empty. */
uint64_t queue_time_ns(const struct queue *queue);

#endif
