#include "edit_index.h"

#include <stdlib.h>

#include "../base/array.h"

enum {
    PARTS_LOG2 = 4,
    PLACE_LOG2 = 53, /* parts that anything of an operation is within, at level 0 */
    UNSEEN_LOG2 = 8, /* a level sees nothing of a radius that is this much below two samples */
    WIDE = 2,        /* samples that a stroke is seen to reach at least */
    CHUNKS_MAX = 4   /* of an operation */
};
_Static_assert(1 << PARTS_LOG2 == TERRANE_EDIT_PARTS, "as the shifts have it");

struct edit_cell {
    int64_t x, y;
    uint32_t last; /* posting: its index, and 1 */
};

/* An operation in a cell. */
struct posting {
    uint32_t id, before; /* as last; 0: none */
};

/* ---- Arrays ---------------------------------------------------------------------------------------------- */

bool edit_blocks_grow(struct edit_blocks *blocks, size_t items, size_t item_bytes)
{
    const size_t wanted = (items + (1 << EDIT_BLOCK_LOG2) - 1) >> EDIT_BLOCK_LOG2;
    while (blocks->blocks < wanted) {
        void *all = array_grown(blocks->block, blocks->blocks, &blocks->room, 16, sizeof *blocks->block);
        if (!all)
            return false;
        blocks->block = all;
        blocks->block[blocks->blocks] = malloc(item_bytes << EDIT_BLOCK_LOG2);
        if (!blocks->block[blocks->blocks])
            return false;
        blocks->blocks++;
    }
    return true;
}

void edit_blocks_free(struct edit_blocks *blocks)
{
    for (size_t k = 0; k < blocks->blocks; k++)
        free(blocks->block[k]);
    free(blocks->block);
}

static bool add_id(struct edit_ids *ids, uint32_t id)
{
    void *array = array_grown(ids->id, ids->count, &ids->room, 16, sizeof *ids->id);
    if (!array)
        return false;
    ids->id = array;
    ids->id[ids->count++] = id;
    return true;
}

static int id_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void edit_ids_sort(struct edit_ids *ids)
{
    size_t count = 0;
    if (ids->count > 1)
        qsort(ids->id, ids->count, sizeof *ids->id, id_compare);
    for (size_t k = 0; k < ids->count; k++)
        if (k == 0 || ids->id[k] != ids->id[k - 1])
            ids->id[count++] = ids->id[k];
    ids->count = count;
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

static size_t hash_of(int64_t x, int64_t y)
{
    uint64_t h = (uint64_t)x * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)y * UINT64_C(0xC2B2AE3D27D4EB4F);
    h ^= h >> 29;
    return (size_t)(h * UINT64_C(0x94D049BB133111EB) >> 17);
}

/* The slot of a cell, or the free one where it would be. */
static uint32_t *slot_of(const struct edit_layer *layer, int64_t x, int64_t y)
{
    for (size_t k = hash_of(x, y);; k++) {
        uint32_t *slot = &layer->slot[k & (layer->slots - 1)];
        if (*slot == 0 || (layer->cell[*slot - 1].x == x && layer->cell[*slot - 1].y == y))
            return slot;
    }
}

static bool have_slots(struct edit_layer *layer, size_t more)
{
    struct edit_layer wider = *layer;
    if (wider.slots == 0)
        wider.slots = 64;
    while (2 * (layer->cells + more) > wider.slots)
        wider.slots *= 2;
    if (wider.slots == layer->slots)
        return true;
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return false;
    for (size_t k = 0; k < layer->cells; k++)
        *slot_of(&wider, layer->cell[k].x, layer->cell[k].y) = (uint32_t)k + 1;
    free(layer->slot);
    *layer = wider;
    return true;
}

static struct edit_cell *cell_at(struct edit_layer *layer, int64_t x, int64_t y)
{
    uint32_t *slot = slot_of(layer, x, y);
    if (*slot == 0) {
        layer->cell[layer->cells] = (struct edit_cell){.x = x, .y = y};
        *slot = (uint32_t)++layer->cells;
    }
    return &layer->cell[*slot - 1];
}

/* ---- Adding ---------------------------------------------------------------------------------------------- */

bool edit_index_reserve(struct edit_index *index, const struct terrane_edit_chunks *chunks, size_t count)
{
    size_t more[EDIT_LAYERS] = {0}, all = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t cells = (size_t)chunks[k].columns * (size_t)chunks[k].rows;
        more[chunks[k].log2 - EDIT_LAYER_FIRST] += cells;
        all += cells;
    }
    bool whole = index->count + all < UINT32_MAX &&
                 edit_blocks_grow(&index->postings, index->count + all, sizeof(struct posting));
    for (int k = 0; k < EDIT_LAYERS && whole; k++) {
        struct edit_layer *layer = &index->layer[k];
        if (more[k] == 0)
            continue;
        void *cells = array_room(layer->cell, layer->cells, more[k], &layer->room, 16, sizeof *layer->cell);
        layer->cell = cells ? cells : layer->cell;
        whole = cells && have_slots(layer, more[k]);
    }
    return whole;
}

void edit_index_add(struct edit_index *index, const struct terrane_edit_chunks *chunks, uint32_t id)
{
    struct edit_layer *layer = &index->layer[chunks->log2 - EDIT_LAYER_FIRST];
    for (int k = 0; k < chunks->columns * chunks->rows; k++) {
        struct edit_cell *cell =
            cell_at(layer, chunks->x + k % chunks->columns, chunks->y + k / chunks->columns);
        struct posting *posting = edit_blocks_at(&index->postings, index->count, sizeof *posting);
        *posting = (struct posting){id, cell->last};
        cell->last = (uint32_t)++index->count;
    }
}

void edit_index_free(struct edit_index *index)
{
    for (struct edit_layer *layer = index->layer; layer < index->layer + EDIT_LAYERS; layer++) {
        free(layer->cell);
        free(layer->slot);
    }
    edit_blocks_free(&index->postings);
}

/* ---- Asking ---------------------------------------------------------------------------------------------- */

struct question {
    const struct edit_index *index;
    uint32_t from, at;
    size_t *left; /* postings that may be taken; NULL: any */
    struct edit_ids *ids;
};

struct range {
    int64_t low, high;
};

/* Parts that so many samples from one of a level on span, with what strokes are seen to reach more. */
static struct range parts_of(int64_t first, int64_t samples, int level)
{
    const int log2 = level + PARTS_LOG2;
    const int64_t max = (INT64_C(1) << PLACE_LOG2 >> log2) + 1;
    int64_t low = first - WIDE, high = first + samples - 1 + WIDE;
    low = low < -max ? -max : low > max ? max : low;
    high = high < -max ? -max : high > max ? max : high;
    return (struct range){low * (INT64_C(1) << log2), high * (INT64_C(1) << log2)};
}

static bool take_cell(const struct question *question, const struct edit_cell *cell)
{
    for (uint32_t last = cell->last; last != 0;) {
        const struct posting *posting = edit_blocks_at(&question->index->postings, last - 1, sizeof *posting);
        if (posting->id < question->from)
            break;
        last = posting->before;
        if (posting->id >= question->at) /* not counted: what is said of a past stays so */
            continue;
        if ((question->left && *question->left == 0) || !add_id(question->ids, posting->id))
            return false;
        if (question->left)
            --*question->left;
    }
    return true;
}

/* Of one layer, cells of chunks in x and y: at those of the area, or at all where these are fewer. */
static bool take_layer(const struct question *question, const struct edit_layer *layer, struct range x,
                       struct range y)
{
    const uint64_t columns = (uint64_t)(x.high - x.low) + 1, rows = (uint64_t)(y.high - y.low) + 1;
    bool whole = true;
    if (layer->cells == 0)
        return true;
    if (columns > layer->cells || rows > layer->cells || columns * rows > layer->cells) {
        for (const struct edit_cell *cell = layer->cell; cell < layer->cell + layer->cells && whole; cell++)
            if (cell->x >= x.low && cell->x <= x.high && cell->y >= y.low && cell->y <= y.high)
                whole = take_cell(question, cell);
        return whole;
    }
    for (int64_t j = y.low; j <= y.high && whole; j++)
        for (int64_t i = x.low; i <= x.high && whole; i++) {
            const uint32_t slot = *slot_of(layer, i, j);
            whole = slot == 0 || take_cell(question, &layer->cell[slot - 1]);
        }
    return whole;
}

bool edit_index_find(const struct edit_index *index, const struct terrane_window *window, uint32_t from,
                     uint32_t at, struct edit_ids *ids)
{
    const struct question question = {index, from, at, NULL, ids};
    const struct range x =
        parts_of(window->gi, (int64_t)(window->width - 1) * window->step + 1, window->level);
    const struct range y =
        parts_of(window->gj, (int64_t)(window->height - 1) * window->step + 1, window->level);
    bool whole = true;
    for (int k = 0; k < EDIT_LAYERS && whole; k++) {
        const int log2 = EDIT_LAYER_FIRST + k + PARTS_LOG2;
        if (log2 - 1 <
            window->level + PARTS_LOG2 + 1 - UNSEEN_LOG2) /* half as wide is the largest radius there */
            continue;
        whole = take_layer(&question, &index->layer[k], (struct range){x.low >> log2, x.high >> log2},
                           (struct range){y.low >> log2, y.high >> log2});
    }
    return whole;
}

bool edit_index_within(const struct edit_index *index, const struct terrane_edit_box *box, uint32_t at,
                       size_t *left, struct edit_ids *ids)
{
    const struct question question = {index, 0, at, left, ids};
    bool whole = true;
    for (int k = 0; k < EDIT_LAYERS && whole; k++) {
        const int log2 = EDIT_LAYER_FIRST + k + PARTS_LOG2;
        whole = take_layer(&question, &index->layer[k], (struct range){box->west >> log2, box->east >> log2},
                           (struct range){box->north >> log2, box->south >> log2});
    }
    return whole;
}
