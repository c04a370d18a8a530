/*
 * Ground and runoff of a lattice's field, of which blocks are remembered: fields of neighbours overlap by more than half, and a wider
 * try holds the one before.
 */
#include "../base/window.h"
#include "../term/memo.h"
#include "drain.h"

#define RUNOFF_MAX 16384.0f /* mm a year */

enum kind { GROUND, RUNOFF }; /* planes of the memo's lattices */

enum { WIDEST = TERRANE_WINDOW_MAX };

/* Makes numbers of a field's lattice. */
struct making {
    const struct drain_field *field;
    enum kind kind;
    const struct terrane_memory *memory;
    float *room; /* of a window, row by row */
    int width;
    float to_units; /* from metres */
    union {
        int32_t ground[WIDEST];
        uint16_t runoff[WIDEST];
    } row;
};

static int make(void *context, const struct terrane_window *window)
{
    struct making *making = context;
    const struct terrane_world *world = making->field->world;
    making->width = window->width;
    return making->kind == GROUND
               ? terrane_heights(world, window, making->memory, making->room)
               : window_term(world, window, world->recipe->rivers.runoff, making->memory, making->room);
}

/* A row of what was made, as fields have it. */
static const void *row(void *context, int k, int y)
{
    struct making *making = context;
    const float *made = making->room + (size_t)y * (size_t)making->width;
    uint16_t *mm = making->row.runoff;
    (void)k;
    if (making->kind == GROUND)
        erode_kernels_current()->units_row(making->width, made, making->to_units, making->row.ground);
    for (int x = 0; making->kind == RUNOFF && x < making->width; x++)
        mm[x] = (uint16_t)(made[x] > 0 ? (made[x] < RUNOFF_MAX ? made[x] : RUNOFF_MAX) : 0);
    return &making->row;
}

static int recall(struct drain_field *field, enum kind kind, const struct terrane_memory *memory)
{
    const struct terrane_window *window = &field->window, around = blocks_over(window);
    float *const room = (float *)(void *)field->cost; /* which comes later, and has eight bytes a cell */
    struct making making = {.field = field,
                            .kind = kind,
                            .memory = memory,
                            .room = room,
                            .to_units = (float)(1 / terrane_erosion_unit_m(field->world->recipe))};
    const struct blocks_maker maker = {
        .first = (int)kind,
        .count = 1,
        .bytes = kind == GROUND ? sizeof *field->ground : sizeof *field->mm,
        .context = &making,
        .make = make,
        .row = row,
    };
    struct blocks blocks;
    const bool remembers = memory->memo && samples_of(&around) <= 2 * samples_of(window);
    if (remembers)
        blocks = memo_lattice_blocks(memory->memo);
    void *const out = kind == GROUND ? (void *)field->ground : (void *)field->mm;
    return blocks_fill(remembers ? &blocks : NULL, field->world, window, &maker, memory, &out);
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
