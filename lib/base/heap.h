/* A min-heap of 64-bit entries, whose high half may be a height. */
#ifndef TERRANE_HEAP_H
#define TERRANE_HEAP_H

#include <stdint.h>
#include <string.h>

/* Maps a height to an integer in the same order, -0 as +0. */
static inline uint32_t heap_key(float height_m)
{
    const float value = height_m + 0.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(0x80000000);
}

struct heap {
    uint64_t *entry; /* room for all that are in it at once */
    int count;
};

static inline void heap_rise(struct heap *heap, int at, uint64_t entry)
{
    for (; at > 0 && heap->entry[(at - 1) / 2] > entry; at = (at - 1) / 2)
        heap->entry[at] = heap->entry[(at - 1) / 2];
    heap->entry[at] = entry;
}

static inline void heap_push(struct heap *heap, uint64_t entry)
{
    heap_rise(heap, heap->count++, entry);
}

/* The hole of the first entry sinks to the bottom; the last entry fills it and seldom rises far. */
static inline uint64_t heap_pop(struct heap *heap)
{
    const uint64_t first = heap->entry[0];
    const int count = --heap->count;
    int at = 0;
    for (int child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap->entry[child + 1] < heap->entry[child];
        heap->entry[at] = heap->entry[child];
        at = child;
    }
    heap_rise(heap, at, heap->entry[count]);
    return first;
}

#endif
