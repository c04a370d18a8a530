/* Memory lent by the caller, or from C: the one file that calls malloc. */
#include "lend.h"

#include <stdlib.h>
#include <string.h>

static void *heap_alloc(void *user, size_t bytes)
{
    (void)user;
    const size_t more = TERRANE_SCRATCH_ALIGN - 1;
    return bytes <= SIZE_MAX - more ? aligned_alloc(TERRANE_SCRATCH_ALIGN, (bytes + more) & ~more) : NULL;
}

static void heap_free(void *user, void *block)
{
    (void)user;
    free(block);
}

static const struct terrane_memory heap = {.alloc = heap_alloc, .free = heap_free};

const struct terrane_memory *memory_lender(const struct terrane_memory *memory)
{
    return memory && memory->alloc ? memory : &heap;
}

void *memory_take(const struct terrane_memory *memory, size_t bytes)
{
    memory = memory_lender(memory);
    return memory->alloc(memory->user, bytes > 0 ? bytes : 1);
}

void *memory_zeros(const struct terrane_memory *memory, size_t bytes)
{
    void *block = memory_take(memory, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void memory_give(const struct terrane_memory *memory, void *block)
{
    memory = memory_lender(memory);
    if (block)
        memory->free(memory->user, block);
}
