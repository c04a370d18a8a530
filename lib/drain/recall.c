/*
 * Ground and runoff of a lattice's field: blocks that earlier fields had are copied, and the rest made. Fields of neighbours
 * overlap by more than half, and a wider try holds the one before. The numbers are functions of their cells, so nothing shows
 * but the time.
 */
#include <string.h>

#include "../base/hash.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "../term/memo.h"
#include "drain.h"

#define RUNOFF_MOST 16384.0f /* mm a year */

enum kind { GROUND, RUNOFF };

enum { ROW_BLOCKS = 256 }; /* along the widest field, and more */

static void *numbers_of(const struct drain_field *field, enum kind kind)
{
    return kind == GROUND ? (void *)field->ground : (void *)field->mm;
}

static size_t bytes_of(enum kind kind)
{
    return kind == GROUND ? sizeof(int32_t) : sizeof(uint16_t);
}

/* ---- Making -------------------------------------------------------------------------------------------- */

/* A window's numbers, row by row, into a room of a float each. */
static int make(const struct drain_field *field, enum kind kind, const struct terrane_window *window,
                const struct terrane_memory *memory, float *room)
{
    const struct terrane_world *world = field->world;
    return kind == GROUND ? terrane_heights(world, window, memory, room)
                          : window_term(world, window, world->recipe->rivers.runoff, memory, room);
}

/* A row of what was made, as fields have it. */
static void finish(const struct drain_field *field, enum kind kind, const float *made, int count, void *row)
{
    uint16_t *mm = row;
    if (kind == GROUND)
        erode_kernels_current()->units_row(
            count, made, (float)(1 / terrane_erosion_unit_m(field->world->recipe)), (int32_t *)row);
    for (int x = 0; kind == RUNOFF && x < count; x++)
        mm[x] = (uint16_t)(made[x] > 0 ? (made[x] < RUNOFF_MOST ? made[x] : RUNOFF_MOST) : 0);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static int32_t *chain_of(struct memo_lattices *lattices, int level, int64_t column, int64_t row)
{
    const uint64_t place = hash_mix((uint64_t)column ^ hash_mix((uint64_t)row ^ (uint64_t)level << 58));
    return &lattices->chain[place % MEMO_BLOCKS];
}

/* The block at a place of the field's lattice, or -1. */
static int32_t block_find(struct memo_lattices *lattices, const struct drain_field *field, int64_t column,
                          int64_t row)
{
    const int level = field->window.level;
    for (int32_t k = *chain_of(lattices, level, column, row) - 1; k >= 0; k = lattices->block[k].next - 1) {
        const struct memo_block *block = &lattices->block[k];
        if (block->column == column && block->row == row && block->level == level &&
            block->seed == field->world->seed &&
            memcmp(&block->recipe, &field->world->recipe->digest, sizeof block->recipe) == 0)
            return k;
    }
    return -1;
}

static void block_forget(struct memo_lattices *lattices, int32_t k)
{
    const struct memo_block *block = &lattices->block[k];
    int32_t *at = chain_of(lattices, block->level, block->column, block->row);
    while (*at != k + 1)
        at = &lattices->block[*at - 1].next;
    *at = block->next;
}

/* The same, in the place of the oldest where there is none. */
static int32_t block_take(struct memo_lattices *lattices, const struct drain_field *field, int64_t column,
                          int64_t row)
{
    int32_t k = block_find(lattices, field, column, row);
    if (k >= 0)
        return k;
    k = lattices->oldest;
    lattices->oldest = (k + 1) % MEMO_BLOCKS;
    if (lattices->block[k].made)
        block_forget(lattices, k);
    int32_t *chain = chain_of(lattices, field->window.level, column, row);
    lattices->block[k] = (struct memo_block){.seed = field->world->seed,
                                             .recipe = field->world->recipe->digest,
                                             .column = column,
                                             .row = row,
                                             .level = field->window.level,
                                             .next = *chain};
    *chain = k + 1;
    return k;
}

static unsigned char *block_numbers(struct memo_lattices *lattices, enum kind kind, int32_t k, int y)
{
    return kind == GROUND ? (unsigned char *)&lattices->ground[k][y * MEMO_SIDE]
                          : (unsigned char *)&lattices->runoff[k][y * MEMO_SIDE];
}

/* ---- Fields of blocks ---------------------------------------------------------------------------------- */

/* The blocks that a field touches. */
struct cover {
    struct memo_lattices *lattices;
    int64_t column, row;
    int columns, rows;
    bool *missing; /* of each */
};

/* Cells of a row from one on, as bytes: what the field has of them is copied into it. */
static void put(struct drain_field *field, enum kind kind, int64_t gi, int64_t gj, int count,
                const unsigned char *numbers)
{
    const struct terrane_window *whole = &field->window;
    const int64_t west = max_int64(gi, whole->gi), east = min_int64(gi + count, whole->gi + whole->width);
    const size_t size = bytes_of(kind);
    if (gj < whole->gj || gj >= whole->gj + whole->height || west >= east)
        return;
    const size_t at = (size_t)(gj - whole->gj) * (size_t)whole->width + (size_t)(west - whole->gi);
    memcpy((unsigned char *)numbers_of(field, kind) + at * size, numbers + (size_t)(west - gi) * size,
           (size_t)(east - west) * size);
}

static void recall_blocks(struct drain_field *field, enum kind kind, const struct cover *cover)
{
    for (int r = 0; r < cover->rows; r++)
        for (int c = 0; c < cover->columns; c++) {
            const int64_t column = cover->column + c, row = cover->row + r;
            const int32_t k = block_find(cover->lattices, field, column, row);
            const bool made = k >= 0 && cover->lattices->block[k].made >> kind & 1;
            cover->missing[r * cover->columns + c] = !made;
            for (int y = 0; made && y < MEMO_SIDE; y++)
                put(field, kind, column * MEMO_SIDE, row * MEMO_SIDE + y, MEMO_SIDE,
                    block_numbers(cover->lattices, kind, k, y));
        }
}

/* Makes a rectangle of blocks, for the field and for others. */
static int make_blocks(struct drain_field *field, enum kind kind, const struct cover *cover,
                       const struct terrane_window *part, const struct terrane_memory *memory)
{
    float *const room = (float *)(void *)field->cost; /* which comes later, and has eight bytes a cell */
    const int error = make(field, kind, part, memory, room);
    const size_t size = bytes_of(kind);
    int32_t block[ROW_BLOCKS], row[ROW_BLOCKS * MEMO_SIDE];
    for (int y = 0; y < part->height && error == 0; y++) {
        const int64_t gj = part->gj + y;
        finish(field, kind, room + (size_t)y * (size_t)part->width, part->width, row);
        put(field, kind, part->gi, gj, part->width, (const unsigned char *)row);
        for (int c = 0; c < part->width >> MEMO_SIDE_LOG2; c++) {
            if (y % MEMO_SIDE == 0)
                block[c] = block_take(cover->lattices, field, (part->gi >> MEMO_SIDE_LOG2) + c,
                                      gj >> MEMO_SIDE_LOG2);
            memcpy(block_numbers(cover->lattices, kind, block[c], y % MEMO_SIDE),
                   (const unsigned char *)row + (size_t)c * MEMO_SIDE * size, MEMO_SIDE * size);
            cover->lattices->block[block[c]].made |= 1u << kind;
        }
    }
    return error;
}

/* Makes what is missing, in rectangles: as many as there are lie together, so that what a window rests on around it is made once. */
static int make_missing(struct drain_field *field, enum kind kind, const struct cover *cover,
                        const struct terrane_memory *memory)
{
    int error = 0;
    for (int at = 0; at < cover->rows * cover->columns && error == 0; at++) {
        const int r = at / cover->columns, c = at % cover->columns;
        int across = 0, down = 0;
        while (c + across < cover->columns && cover->missing[at + across])
            across++;
        for (bool all = across > 0; all && r + down < cover->rows; down += all) {
            bool *const row = cover->missing + at + down * cover->columns;
            for (int k = 0; k < across; k++)
                all = all && row[k];
            if (all)
                memset(row, 0, (size_t)across * sizeof *row);
        }
        const struct terrane_window part = {.level = field->window.level,
                                            .gi = (cover->column + c) * MEMO_SIDE,
                                            .gj = (cover->row + r) * MEMO_SIDE,
                                            .step = 1,
                                            .width = across * MEMO_SIDE,
                                            .height = down * MEMO_SIDE};
        if (across > 0)
            error = make_blocks(field, kind, cover, &part, memory);
    }
    return error;
}

/* Without a memo, and where blocks would end beyond the world. */
static int make_all(struct drain_field *field, enum kind kind, const struct terrane_memory *memory)
{
    const struct terrane_window *whole = &field->window;
    const size_t width = (size_t)whole->width;
    float *const room = (float *)(void *)field->cost;
    const int error = make(field, kind, whole, memory, room);
    for (size_t y = 0; y < (size_t)whole->height && error == 0; y++)
        finish(field, kind, room + y * width, whole->width,
               (unsigned char *)numbers_of(field, kind) + y * width * bytes_of(kind));
    return error;
}

static int recall(struct drain_field *field, enum kind kind, const struct terrane_memory *memory)
{
    const struct terrane_window *window = &field->window;
    const int64_t column = window->gi >> MEMO_SIDE_LOG2, row = window->gj >> MEMO_SIDE_LOG2;
    const struct cover cover = {
        .lattices = memory->memo ? &memory->memo->lattices : NULL,
        .column = column,
        .row = row,
        .columns = (int)(((window->gi + window->width - 1) >> MEMO_SIDE_LOG2) - column) + 1,
        .rows = (int)(((window->gj + window->height - 1) >> MEMO_SIDE_LOG2) - row) + 1,
        .missing = (bool *)field->order, /* nobody's */
    };
    const struct terrane_window blocks = {.level = window->level,
                                          .gi = column * MEMO_SIDE,
                                          .gj = row * MEMO_SIDE,
                                          .step = 1,
                                          .width = cover.columns * MEMO_SIDE,
                                          .height = cover.rows * MEMO_SIDE};
    if (!cover.lattices || !window_valid(&blocks) || cover.columns > ROW_BLOCKS ||
        samples_of(&blocks) > 2 * samples_of(window))
        return make_all(field, kind, memory);
    recall_blocks(field, kind, &cover);
    return make_missing(field, kind, &cover, memory);
}

int drain_ground(struct drain_field *field, const struct terrane_memory *memory)
{
    return recall(field, GROUND, memory);
}

int drain_spring(struct drain_field *field, const struct terrane_memory *memory)
{
    if (field->world->recipe->rivers.runoff >= 0)
        return recall(field, RUNOFF, memory);
    for (int c = 0; c < field->cells; c++)
        field->mm[c] = (uint16_t)field->law->runoff;
    return 0;
}
