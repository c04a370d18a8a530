/* Scratch memory for a call: the caller's, or allocated for the call. */
#include "scratch.h"

bool memory_lend(const struct terrane_memory *memory, struct terrane_memory *lent)
{
    *lent = *memory_lender(memory);
    lent->memo = memory ? memory->memo : NULL;
    lent->scratch = memory && memory->scratch ? memory->scratch : memory_take(memory, terrane_scratch_bytes);
    return lent->scratch != NULL;
}

void memory_lend_end(const struct terrane_memory *memory, const struct terrane_memory *lent)
{
    if (!memory || !memory->scratch)
        memory_give(memory, lent->scratch);
}
