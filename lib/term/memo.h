/*
 * What calls remember from one to the next: terrane_memory's memo.
 */
#ifndef TERRANE_MEMO_H
#define TERRANE_MEMO_H

#include "climate.h"
#include "plates.h"

enum {
    MEMO_SIDE_LOG2 = 4,
    MEMO_SIDE = 1 << MEMO_SIDE_LOG2, /* cells along a block of drained lattices' ground */
    MEMO_CELLS = MEMO_SIDE * MEMO_SIDE,
    MEMO_BLOCKS =
        1 << 13, /* that are remembered: those of 4 x 4 regions' fields, and what these are made of */
};

/* Whose a block's numbers are: aligned cells of a world's level. */
struct memo_block {
    uint64_t seed;
    struct terrane_digest recipe;
    int64_t column, row; /* of blocks */
    int level;
    unsigned made; /* bits: of ground, and of runoff */
    int32_t next;  /* 1 + that of another block with its chain, or 0 */
};

/* Ground and runoff of lattices (drain/recall.c), of which the oldest is forgotten: 13 MB, of which the machine gives what is
 * touched. */
struct memo_lattices {
    int32_t chain[MEMO_BLOCKS]; /* 1 + the first block of each, or 0 */
    int32_t oldest;
    struct memo_block block[MEMO_BLOCKS];
    int32_t ground[MEMO_BLOCKS][MEMO_CELLS];
    uint16_t runoff[MEMO_BLOCKS][MEMO_CELLS];
};

/* Which of its halos a level's windows begin with (drain/drain.c), how many have since, and what speaks for a wider one. */
struct memo_tries {
    uint64_t seed;
    struct terrane_digest recipe;
    int halo, since, doubts;
};

struct terrane_memo {
    struct climate_block climate[CLIMATE_BLOCKS];
    struct plates_kept plates;
    struct memo_lattices lattices;
    struct memo_tries tries[TERRANE_LEVEL_MAX + 1];
};

#endif
