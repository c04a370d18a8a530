/* Internal memory allocation: from the caller, if it lends any, or from C (struct terrane_memory decides). */
#ifndef TERRANE_LEND_H
#define TERRANE_LEND_H

#include "../terrane.h"

/* The source of a call's memory: the caller, or C. Never NULL. */
const struct terrane_memory *memory_lender(const struct terrane_memory *memory);

/* Allocates any number of bytes; NULL: memory is short. */
void *memory_take(const struct terrane_memory *memory, size_t bytes);
void *memory_zeros(const struct terrane_memory *memory, size_t bytes);

/* NULL is fine. */
void memory_give(const struct terrane_memory *memory, void *block);

/* ---- A block dealt out --------------------------------------------------------------------------------- */

/* start NULL: only counts. */
struct room {
    unsigned char *start;
    size_t taken;
};

static inline void *room_take(struct room *room, size_t bytes)
{
    unsigned char *at = room->start ? room->start + room->taken : NULL;
    room->taken += (bytes + TERRANE_SCRATCH_ALIGN - 1) & -(size_t)TERRANE_SCRATCH_ALIGN;
    return at;
}

#endif
