/*
 * Allocations that fail when a test says so: of all of a process but SQLite's, which have a switch of their own.
 *
 * The hooks are glibc's; sanitizers have allocators of their own, and there SHORTAGE_HOOKED is not defined. To be
 * included once in a program. Allocations of a thread that is spared are neither counted nor failed; a test spares
 * its own thread but for the calls that it is about.
 */
#ifndef TERRANE_TESTS_SHORTAGE_KIT_H
#define TERRANE_TESTS_SHORTAGE_KIT_H

#include "unit.h"

#include <stdatomic.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SHORTAGE_SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(SHORTAGE_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SHORTAGE_HOOKED 1
#endif

/* Of the heap: fail allocations number from .. to - 1 of those since count was 0; living: not freed yet. */
struct heap {
    atomic_long count, from, to, living;
};
SHARED struct heap heap;
SHARED _Thread_local int heap_spared;

static inline void heap_fail(long from, long to)
{
    atomic_store(&heap.count, 0);
    atomic_store(&heap.from, from);
    atomic_store(&heap.to, to);
}

static inline bool heap_due(void)
{
    if (heap_spared > 0)
        return false;
    const long count = atomic_fetch_add(&heap.count, 1);
    return count >= atomic_load(&heap.from) && count < atomic_load(&heap.to);
}

static inline void *heap_made(void *memory)
{
    if (memory)
        atomic_fetch_add(&heap.living, 1);
    return memory;
}

#ifdef SHORTAGE_HOOKED
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

SHARED void *malloc(size_t bytes)
{
    return heap_due() ? NULL : heap_made(__libc_malloc(bytes));
}

SHARED void *calloc(size_t count, size_t bytes)
{
    return heap_due() ? NULL : heap_made(__libc_calloc(count, bytes));
}

SHARED void *realloc(void *memory, size_t bytes)
{
    if (heap_due())
        return NULL;
    return memory ? __libc_realloc(memory, bytes) : heap_made(__libc_malloc(bytes));
}

SHARED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return heap_due() ? NULL : heap_made(__libc_memalign(alignment, bytes));
}

SHARED void free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&heap.living, 1);
    __libc_free(memory);
}

/* Lives in which the k-th allocation fails, and lives in which all after it do, too: nothing of them is left. A life says how many it took. */
static inline void shortage_each(long (*life)(long from, long to), long min, const char *what)
{
    heap_spared++;
    life(0, 0); /* what is allocated once a process is */
    const long allocations = life(0, 0), living = atomic_load(&heap.living);
    assert_true(allocations > min);
    for (long k = 0; k < 2 * allocations; k++) {
        life(k / 2, k / 2 + (k % 2 ? 1000000 : 1));
        assert_int_equal(atomic_load(&heap.living), living);
    }
    heap_fail(0, 0);
    heap_spared--;
    print_message("row 6: the k-th of %ld allocations of the %s fails, every k: no wrong blob, no leak\n",
                  allocations, what);
}
#else
/* For libraries that take a pair of functions: theirs at least. */
static inline void *heap_lend(size_t bytes)
{
    return heap_due() ? NULL : heap_made(malloc(bytes));
}

static inline void heap_take_back(void *memory)
{
    if (memory)
        atomic_fetch_sub(&heap.living, 1);
    free(memory);
}
#endif

#endif
