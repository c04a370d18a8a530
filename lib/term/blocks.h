/*
 * A cache of numbers of a world's levels in aligned squares: known squares are copied, and missing ones made whole. The numbers
 * are functions of their places, so only the time differs.
 */
#ifndef TERRANE_BLOCKS_H
#define TERRANE_BLOCKS_H

#include <string.h>

#include "../base/lend.h"

enum {
    BLOCKS_SIDE_LOG2 = 4,
    BLOCKS_SIDE = 1 << BLOCKS_SIDE_LOG2, /* numbers along one */
    BLOCKS_CELLS = BLOCKS_SIDE * BLOCKS_SIDE,
    BLOCKS_PLANES = 3 /* kinds of numbers that a store has, at most */
};

/* The owner of a block's numbers. */
struct memo_block {
    uint64_t seed;
    struct terrane_digest recipe;
    int64_t column, row; /* of blocks */
    int level;
    unsigned made; /* bits: of planes */
    int32_t next;  /* 1 + the next block of its chain, or 0 */
};

/* True if cached data of a seed and a recipe belong to a world. */
static inline bool memo_is_of(uint64_t seed, const struct terrane_digest *recipe,
                              const struct terrane_world *world)
{
    return seed == world->seed && memcmp(recipe, &world->recipe->digest, sizeof *recipe) == 0;
}

/* Whether an entry is of a place of a level, and whose it is from now on. */
static inline bool memo_owns(const struct memo_block *owner, const struct terrane_world *world, int level,
                             int64_t column, int64_t row)
{
    return owner->made && owner->level == level && owner->column == column && owner->row == row &&
           memo_is_of(owner->seed, &owner->recipe, world);
}

static inline struct memo_block memo_owner(const struct terrane_world *world, int level, int64_t column,
                                           int64_t row)
{
    return (struct memo_block){
        .seed = world->seed, .recipe = world->recipe->digest, .column = column, .row = row, .level = level};
}

/* A store, whose arrays belong to the memo: the oldest of count blocks is evicted. All are zeros at first. */
struct blocks {
    int32_t count, *oldest;
    int32_t *chain; /* 1 + the first block of each, or 0 */
    struct memo_block *block;
    void *numbers; /* the planes of a block are adjacent, BLOCKS_CELLS of a size that their maker knows */
    size_t stride; /* bytes of a block */
    size_t at[BLOCKS_PLANES]; /* start of each plane in it */
};

/* The maker of missing numbers: of count planes from a given one on, together. */
struct blocks_maker {
    int first, count;
    size_t bytes; /* of a number */
    void *context;
    int (*make)(void *context, const struct terrane_window *window); /* 0 or an error */
    /* Row y of the last made window, y = 0, 1 ... once each, for the k-th of these planes; valid until the next row. */
    const void *(*row)(void *context, int k, int y);
};

/* The squares that a window touches, as a window. */
struct terrane_window blocks_over(const struct terrane_window *window);

/*
 * Fills out[k], row by row, with numbers of a window of step 1. The maker makes windows within blocks_over the window or, if
 * there is no store or that would leave the world, the window itself. Returns 0, the maker's error, or TERRANE_EMEMORY.
 */
int blocks_fill(const struct blocks *blocks, const struct terrane_world *world,
                const struct terrane_window *window, const struct blocks_maker *maker,
                const struct terrane_memory *memory, void *const *out);

#endif
