/*
 * Where operations lie: cells of layers, one layer for each size of chunk. A cell knows its newest operation, and each the one before
 * it in the cell, so that who asks for the newest looks at no others.
 */
#ifndef TERRANE_SERVER_EDIT_INDEX_H
#define TERRANE_SERVER_EDIT_INDEX_H

#include "../../lib/terrane_edit.h"

enum {
    EDIT_LAYER_FIRST = 8,
    EDIT_LAYERS = TERRANE_EDIT_CHUNK_LOG2_MAX - EDIT_LAYER_FIRST + 1,
    EDIT_BLOCK_LOG2 = 14
};

/* An array that grows without being copied, in blocks of 2^EDIT_BLOCK_LOG2 items. */
struct edit_blocks {
    unsigned char **block;
    size_t blocks, room;
};

/* Makes room for so many items in all; false: memory is short. */
bool edit_blocks_grow(struct edit_blocks *blocks, size_t items, size_t item_bytes);
void edit_blocks_free(struct edit_blocks *blocks);

static inline void *edit_blocks_at(const struct edit_blocks *blocks, size_t k, size_t item_bytes)
{
    return blocks->block[k >> EDIT_BLOCK_LOG2] + (k & ((1 << EDIT_BLOCK_LOG2) - 1)) * item_bytes;
}

/* Numbers from 0 on; owned. */
struct edit_ids {
    uint32_t *id;
    size_t count, room;
};

/* Rising, each once. */
void edit_ids_sort(struct edit_ids *ids);

struct edit_index {
    struct edit_layer {
        struct edit_cell *cell;
        size_t cells, room;
        uint32_t *slot; /* 0: free; else a cell's index, and 1 */
        size_t slots;   /* a power of two, twice the cells at least */
    } layer[EDIT_LAYERS];
    struct edit_blocks postings;
    size_t count; /* postings */
};

/* Makes room for so many operations more, that edit_index_add then never lacks; false: memory is short. */
bool edit_index_reserve(struct edit_index *index, const struct terrane_edit_chunks *chunks, size_t count);

/* Ids have to rise. */
void edit_index_add(struct edit_index *index, const struct terrane_edit_chunks *chunks, uint32_t id);

/* Adds ids from .. at - 1 whose chunks a window touches, the newest first, some twice; false: memory is short. */
bool edit_index_find(const struct edit_index *index, const struct terrane_window *window, uint32_t from,
                     uint32_t at, struct edit_ids *ids);

/* Likewise, those before at whose chunks a box of parts touches. false as well where more would be added than left says: then that is 0. */
bool edit_index_within(const struct edit_index *index, const struct terrane_edit_box *box, uint32_t at,
                       size_t *left, struct edit_ids *ids);

void edit_index_free(struct edit_index *index);

#endif
