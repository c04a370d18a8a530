/*
 * Shared ownership by counting: what many requests and jobs borrow from at once, and what a reload replaces.
 *
 * Embed a struct shared first and give shared_init what frees the whole. Any thread may hold and release.
 */
#ifndef TERRANE_SERVER_REFCOUNT_H
#define TERRANE_SERVER_REFCOUNT_H

#include <stdatomic.h>
#include <stddef.h>

struct shared {
    atomic_uint references;
    void (*free)(struct shared *shared);
};

/* One reference, the caller's. */
static inline void shared_init(struct shared *shared, void (*free_whole)(struct shared *shared))
{
    atomic_init(&shared->references, 1);
    shared->free = free_whole;
}

/* Adds a reference. NULL is fine. */
static inline void shared_hold(struct shared *shared)
{
    if (shared)
        atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
}

/* Drops a reference; the last one frees the whole. NULL is fine. */
static inline void shared_release(struct shared *shared)
{
    if (shared && atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) == 1)
        shared->free(shared);
}

#endif
