/* A cache of squares: found by hashes of their places, evicted first in, first out. */
#include "blocks.h"

#include "../base/hash.h"
#include "../base/min_max.h"
#include "../base/window.h"

enum { ROW_BLOCKS = 256 }; /* along the widest cached window */

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static int32_t *chain_of(const struct blocks *blocks, int level, int64_t column, int64_t row)
{
    const uint64_t place = hash_mix((uint64_t)column ^ hash_mix((uint64_t)row ^ (uint64_t)level << 58));
    return &blocks->chain[place % (uint64_t)blocks->count];
}

/* The block at a place, or -1. */
static int32_t block_find(const struct blocks *blocks, const struct terrane_world *world, int level,
                          int64_t column, int64_t row)
{
    for (int32_t k = *chain_of(blocks, level, column, row) - 1; k >= 0; k = blocks->block[k].next - 1)
        if (memo_owns(&blocks->block[k], world, level, column, row))
            return k;
    return -1;
}

static void block_forget(const struct blocks *blocks, int32_t k)
{
    const struct memo_block *block = &blocks->block[k];
    int32_t *at = chain_of(blocks, block->level, block->column, block->row);
    while (*at != k + 1)
        at = &blocks->block[*at - 1].next;
    *at = block->next;
}

/* The same; if there is none, reuses the oldest. */
static int32_t block_take(const struct blocks *blocks, const struct terrane_world *world, int level,
                          int64_t column, int64_t row)
{
    int32_t k = block_find(blocks, world, level, column, row);
    if (k >= 0)
        return k;
    k = *blocks->oldest;
    *blocks->oldest = (k + 1) % blocks->count;
    if (blocks->block[k].made)
        block_forget(blocks, k);
    int32_t *chain = chain_of(blocks, level, column, row);
    blocks->block[k] = memo_owner(world, level, column, row);
    blocks->block[k].next = *chain;
    *chain = k + 1;
    return k;
}

/* ---- Windows of blocks --------------------------------------------------------------------------------- */

/* A window being filled, and the blocks that it touches. */
struct filling {
    const struct blocks *blocks;
    const struct terrane_world *world;
    const struct terrane_window *window;
    const struct blocks_maker *maker;
    void *const *out;
    int64_t column, row;
    int columns, rows;
    bool *missing; /* of each */
};

/* Row y of a block in the k-th filled plane. */
static unsigned char *numbers_at(const struct filling *filling, int k, int32_t block, int y)
{
    const struct blocks *blocks = filling->blocks;
    const size_t row = (size_t)y * BLOCKS_SIDE * filling->maker->bytes;
    return (unsigned char *)blocks->numbers + (size_t)block * blocks->stride +
           blocks->at[filling->maker->first + k] + row;
}

static unsigned planes_of(const struct filling *filling)
{
    return ((1u << filling->maker->count) - 1) << filling->maker->first;
}

/* Copies the window's part of a row of numbers into it. */
static void put(const struct filling *filling, int k, int64_t gi, int64_t gj, int count,
                const unsigned char *numbers)
{
    const struct terrane_window *whole = filling->window;
    const int64_t west = max_int64(gi, whole->gi), east = min_int64(gi + count, whole->gi + whole->width);
    const size_t bytes = filling->maker->bytes;
    if (gj < whole->gj || gj >= whole->gj + whole->height || west >= east)
        return;
    const size_t at = (size_t)(gj - whole->gj) * (size_t)whole->width + (size_t)(west - whole->gi);
    memcpy((unsigned char *)filling->out[k] + at * bytes, numbers + (size_t)(west - gi) * bytes,
           (size_t)(east - west) * bytes);
}

static void recall_block(const struct filling *filling, int32_t block, int64_t gi, int64_t gj)
{
    for (int k = 0; k < filling->maker->count; k++)
        for (int y = 0; y < BLOCKS_SIDE; y++)
            put(filling, k, gi, gj + y, BLOCKS_SIDE, numbers_at(filling, k, block, y));
}

static void recall_blocks(const struct filling *filling)
{
    const unsigned planes = planes_of(filling);
    for (int r = 0; r < filling->rows; r++)
        for (int c = 0; c < filling->columns; c++) {
            const int64_t column = filling->column + c, row = filling->row + r;
            const int32_t block =
                block_find(filling->blocks, filling->world, filling->window->level, column, row);
            const bool made = block >= 0 && (filling->blocks->block[block].made & planes) == planes;
            filling->missing[r * filling->columns + c] = !made;
            if (made)
                recall_block(filling, block, column * BLOCKS_SIDE, row * BLOCKS_SIDE);
        }
}

/* Copies a made row into the window, and into blocks. */
static void keep_row(const struct filling *filling, const struct terrane_window *part, const int32_t *block,
                     int y)
{
    const size_t bytes = BLOCKS_SIDE * filling->maker->bytes;
    for (int k = 0; k < filling->maker->count; k++) {
        const unsigned char *row = filling->maker->row(filling->maker->context, k, y);
        put(filling, k, part->gi, part->gj + y, part->width, row);
        for (int c = 0; c < part->width >> BLOCKS_SIDE_LOG2; c++, row += bytes)
            memcpy(numbers_at(filling, k, block[c], y % BLOCKS_SIDE), row, bytes);
    }
}

/* Makes a rectangle of blocks, for the window and for others. */
static int make_blocks(const struct filling *filling, const struct terrane_window *part)
{
    const int error = filling->maker->make(filling->maker->context, part);
    int32_t block[ROW_BLOCKS];
    for (int y = 0; y < part->height && error == 0; y++) {
        for (int c = 0; c < part->width >> BLOCKS_SIDE_LOG2 && y % BLOCKS_SIDE == 0; c++) {
            block[c] = block_take(filling->blocks, filling->world, part->level,
                                  (part->gi >> BLOCKS_SIDE_LOG2) + c, (part->gj + y) >> BLOCKS_SIDE_LOG2);
            filling->blocks->block[block[c]].made |= planes_of(filling);
        }
        keep_row(filling, part, block, y);
    }
    return error;
}

/* Makes missing blocks, in rectangles as large as possible, so that the surroundings they need are made once. */
static int make_missing(const struct filling *filling)
{
    int error = 0;
    for (int at = 0; at < filling->rows * filling->columns && error == 0; at++) {
        const int r = at / filling->columns, c = at % filling->columns;
        int across = 0, down = 0;
        while (c + across < filling->columns && filling->missing[at + across])
            across++;
        for (bool all = across > 0; all && r + down < filling->rows; down += all) {
            bool *const row = filling->missing + at + down * filling->columns;
            for (int k = 0; k < across; k++)
                all = all && row[k];
            if (all)
                memset(row, 0, (size_t)across * sizeof *row);
        }
        const struct terrane_window part = {.level = filling->window->level,
                                            .gi = (filling->column + c) * BLOCKS_SIDE,
                                            .gj = (filling->row + r) * BLOCKS_SIDE,
                                            .step = 1,
                                            .width = across * BLOCKS_SIDE,
                                            .height = down * BLOCKS_SIDE};
        if (across > 0)
            error = make_blocks(filling, &part);
    }
    return error;
}

static int make_all(const struct filling *filling)
{
    const struct terrane_window *window = filling->window;
    const int error = filling->maker->make(filling->maker->context, window);
    for (int y = 0; y < window->height && error == 0; y++)
        for (int k = 0; k < filling->maker->count; k++)
            put(filling, k, window->gi, window->gj + y, window->width,
                filling->maker->row(filling->maker->context, k, y));
    return error;
}

struct terrane_window blocks_over(const struct terrane_window *window)
{
    const int64_t column = window->gi >> BLOCKS_SIDE_LOG2, row = window->gj >> BLOCKS_SIDE_LOG2;
    const int64_t columns = ((window->gi + window->width - 1) >> BLOCKS_SIDE_LOG2) - column + 1,
                  rows = ((window->gj + window->height - 1) >> BLOCKS_SIDE_LOG2) - row + 1;
    return (struct terrane_window){.level = window->level,
                                   .gi = column * BLOCKS_SIDE,
                                   .gj = row * BLOCKS_SIDE,
                                   .step = 1,
                                   .width = (int)(columns * BLOCKS_SIDE),
                                   .height = (int)(rows * BLOCKS_SIDE)};
}

int blocks_fill(const struct blocks *blocks, const struct terrane_world *world,
                const struct terrane_window *window, const struct blocks_maker *maker,
                const struct terrane_memory *memory, void *const *out)
{
    const struct terrane_window around = blocks_over(window);
    struct filling filling = {.blocks = blocks,
                              .world = world,
                              .window = window,
                              .maker = maker,
                              .out = out,
                              .column = around.gi >> BLOCKS_SIDE_LOG2,
                              .row = around.gj >> BLOCKS_SIDE_LOG2,
                              .columns = around.width >> BLOCKS_SIDE_LOG2,
                              .rows = around.height >> BLOCKS_SIDE_LOG2};
    if (!blocks || !window_valid(&around) || filling.columns > ROW_BLOCKS)
        return make_all(&filling);
    filling.missing = memory_take(memory, (size_t)filling.columns * (size_t)filling.rows);
    if (!filling.missing)
        return TERRANE_EMEMORY;
    recall_blocks(&filling);
    const int error = make_missing(&filling);
    memory_give(memory, filling.missing);
    return error;
}
