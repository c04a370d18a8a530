/* Memory with a scratch, for making terms of a window. */
#ifndef TERRANE_SCRATCH_H
#define TERRANE_SCRATCH_H

#include "../base/lend.h"

/* Fills *lent: the same memory with a scratch, allocated if there is none. false: memory is short. */
bool memory_lend(const struct terrane_memory *memory, struct terrane_memory *lent);
void memory_lend_end(const struct terrane_memory *memory, const struct terrane_memory *lent);

#endif
