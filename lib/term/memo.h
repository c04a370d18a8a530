/*
 * What calls remember from one to the next: terrane_memory's memo.
 */
#ifndef TERRANE_MEMO_H
#define TERRANE_MEMO_H

#include "climate.h"
#include "plates.h"

enum {
    MEMO_LATTICES = 7,        /* of drainage: the coarsest and those below it */
    MEMO_TOP_CELLS = 1 << 20, /* of a field of the coarsest that is remembered, at most */
    MEMO_CELLS = 1 << 18,     /* ... of a finer one */
    MEMO_ALL = MEMO_TOP_CELLS + (MEMO_LATTICES - 1) * MEMO_CELLS
};

/* What numbers that are remembered are of. */
struct kept_window {
    bool made;
    uint64_t seed;
    struct terrane_digest recipe;
    struct terrane_window window;
};

/* Ground and runoff are the last field's of each lattice (drain/recall.c), the coarsest first: 15 MB, of which the machine gives
 * what is touched. */
struct terrane_memo {
    struct climate_block climate[CLIMATE_BLOCKS];
    struct plates_kept plates;
    struct kept_window kept[MEMO_LATTICES][2];
    int32_t ground[MEMO_ALL];
    uint16_t runoff[MEMO_ALL];
};

#endif
