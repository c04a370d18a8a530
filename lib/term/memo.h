/* The cache between calls: terrane_memory's memo. */
#ifndef TERRANE_MEMO_H
#define TERRANE_MEMO_H

#include <stddef.h>

#include "../terrane_features.h"
#include "blocks.h"
#include "climate.h"
#include "plates.h"

enum {
    MEMO_LATTICE_BLOCKS = 1 << 13, /* blocks of 4 x 4 regions' fields, and of their inputs */
    MEMO_CLIMATE_BLOCKS = 1 << 12, /* blocks of the nodes of a row of such fields on the coarsest lattice */
    MEMO_TOPS = 1 << 13,           /* cells' landmarks: 2 MB */
    MEMO_CLIMBS = 1 << 12,         /* ... steps of some from a level to the next */
    MEMO_PATHS_LOG2 = 6,           /* cells of paths along a side of what is kept */
    MEMO_KEPT = 3,                 /* lattices whose drained cells are kept, 5 MB each */
    MEMO_SQUARE_LOG2 = 3,
    MEMO_SQUARE = 1 << MEMO_SQUARE_LOG2, /* cells along a square of these */
    MEMO_KEPT_ROWS = 36,                 /* squares: a region with its margins ... */
    MEMO_KEPT_COLUMNS = 144,             /* ... and eight of them that overlap by half */
    MEMO_KEPT_CELLS = MEMO_KEPT_ROWS * MEMO_KEPT_COLUMNS * MEMO_SQUARE * MEMO_SQUARE,
};

/* Ground and runoff of lattices (drain/ground.c): 13 MB, allocated as touched. */
struct memo_lattices {
    int32_t oldest, chain[MEMO_LATTICE_BLOCKS];
    struct memo_block block[MEMO_LATTICE_BLOCKS];
    struct memo_cells {
        int32_t ground[BLOCKS_CELLS];
        uint16_t runoff[BLOCKS_CELLS];
    } cells[MEMO_LATTICE_BLOCKS];
};

/* The ground at a level's nodes, and their weather (climate.c): 13 MB, likewise. */
struct memo_climates {
    int32_t oldest, chain[MEMO_CLIMATE_BLOCKS];
    struct memo_block block[MEMO_CLIMATE_BLOCKS];
    struct memo_nodes {
        float ground[BLOCKS_CELLS], warmth[BLOCKS_CELLS], rain[BLOCKS_CELLS];
    } nodes[MEMO_CLIMATE_BLOCKS];
};

/* The first halo of a level's windows (drain/drain.c), how many used it since, and evidence for a wider one. */
struct memo_tries {
    uint64_t seed;
    struct terrane_digest recipe;
    int halo, since, doubts;
};

/* The rows in which windows of a level's lattice are requested (drain/sweep.c). */
struct memo_sweep {
    uint64_t seed;
    struct terrane_digest recipe;
    struct terrane_window window; /* the last one */
    int64_t stride;               /* from one to the next; 0: none was beside the one before it */
    int64_t first, end;           /* columns of the row's first, and of the last of the row before */
    bool again;                   /* there is a row before */
    int steps;                    /* to the last one in its row */
    int ahead;                    /* that are to come behind it */
};

/* Drained cells of a level's lattice (drain/kept.c). */
struct memo_square {
    int64_t column, row; /* of squares */
    uint64_t known;      /* bits of its cells, row by row */
};
struct memo_kept {
    uint64_t seed;
    struct terrane_digest recipe;
    int level;
    uint64_t since; /* 0: there are none */
    struct memo_square square[MEMO_KEPT_ROWS * MEMO_KEPT_COLUMNS];
    int32_t z[MEMO_KEPT_CELLS];
    uint32_t low[MEMO_KEPT_CELLS], high[MEMO_KEPT_CELLS], stem[MEMO_KEPT_CELLS];
};

/* What a cell of a level has of its own kinds of landmarks (peak/tops.c). */
struct memo_top {
    struct memo_block owner; /* made: bits of kinds that are known */
    unsigned is;             /* ... that have one */
    struct memo_mark {
        uint8_t column, row, zone; /* in the cell; of a tract */
        float rise, run[2];
    } mark[TERRANE_LANDMARKS];
};

/* Where a landmark goes from a sample of the level above. */
struct memo_climb {
    struct memo_block owner; /* its sample; made: the bit of its kind */
    int best;                /* which of the samples there */
};

/* What base ground says of a cell of paths (path/world_node.c, world_town.c). */
enum { MEMO_PATH_NODE = 1, MEMO_PATH_WORTH = 2 };
struct memo_path {
    struct memo_block owner; /* the cell; made: which of both are known */
    int64_t gi, gj;          /* of its node */
    int32_t height;
    double steep;
    int64_t worth; /* to a town */
};

struct terrane_memo {
    struct plates_kept plates;
    struct memo_climates climates;
    struct memo_lattices lattices;
    struct memo_tries tries[TERRANE_LEVEL_MAX + 1];
    struct memo_sweep sweep[TERRANE_LEVEL_MAX + 1];
    uint64_t now; /* counts what is kept */
    struct memo_kept kept[MEMO_KEPT];
    struct memo_top top[MEMO_TOPS];
    struct memo_climb climb[MEMO_CLIMBS];
    struct memo_path path[1 << 2 * MEMO_PATHS_LOG2]; /* by the low bits of column and row: 0.5 MB */
};

static inline struct blocks memo_lattice_blocks(struct terrane_memo *memo)
{
    struct memo_lattices *of = &memo->lattices;
    return (struct blocks){
        .count = MEMO_LATTICE_BLOCKS,
        .oldest = &of->oldest,
        .chain = of->chain,
        .block = of->block,
        .numbers = of->cells,
        .stride = sizeof *of->cells,
        .at = {offsetof(struct memo_cells, ground), offsetof(struct memo_cells, runoff)},
    };
}

static inline struct blocks memo_climate_blocks(struct terrane_memo *memo)
{
    struct memo_climates *of = &memo->climates;
    return (struct blocks){
        .count = MEMO_CLIMATE_BLOCKS,
        .oldest = &of->oldest,
        .chain = of->chain,
        .block = of->block,
        .numbers = of->nodes,
        .stride = sizeof *of->nodes,
        .at = {offsetof(struct memo_nodes, ground), offsetof(struct memo_nodes, warmth),
               offsetof(struct memo_nodes, rain)},
    };
}

#endif
