/*
 * Reference counts, for objects that many requests and jobs borrow and a reload replaces.
 *
 * Embed a struct refcount as first member and give refcount_init the function that frees the whole. Any
 * thread may hold and release.
 */
#ifndef TERRANE_SERVER_REFCOUNT_H
#define TERRANE_SERVER_REFCOUNT_H

#include <stdatomic.h>
#include <stddef.h>

struct refcount {
    atomic_uint references;
    void (*free)(struct refcount *refcount);
};

/* One reference, the caller's. */
static inline void refcount_init(struct refcount *refcount, void (*free_whole)(struct refcount *refcount))
{
    atomic_init(&refcount->references, 1);
    refcount->free = free_whole;
}

/* Adds a reference. NULL is fine. */
static inline void refcount_hold(struct refcount *refcount)
{
    if (refcount)
        atomic_fetch_add_explicit(&refcount->references, 1, memory_order_relaxed);
}

/* Drops a reference; the last one frees the whole. NULL is fine. */
static inline void refcount_release(struct refcount *refcount)
{
    if (refcount && atomic_fetch_sub_explicit(&refcount->references, 1, memory_order_acq_rel) == 1)
        refcount->free(refcount);
}

#endif
