/*
 * Ground and runoff of a lattice's field: what the last field of that lattice had is copied, and the rest made. Fields of neighbours
 * overlap by more than half, and a wider try holds the one before. The numbers are functions of their cells, so nothing shows
 * but the time.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "../term/memo.h"
#include "drain.h"

#define RUNOFF_MOST 16384.0f /* mm a year */

enum { GROUND, RUNOFF };

/* Cells of the field's array up to a place of its window. */
static size_t cell_of(const struct terrane_window *whole, int64_t gi, int64_t gj)
{
    return (size_t)(gj - whole->gj) * (size_t)whole->width + (size_t)(gi - whole->gi);
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static int make_ground(struct drain_field *field, const struct terrane_window *part,
                       const struct terrane_memory *memory)
{
    float *heights = (float *)(void *)field->cost; /* which comes later */
    const float inverse = (float)(1 / terrane_erosion_unit_m(field->world->recipe));
    const int error = terrane_heights(field->world, part, memory, heights);
    for (int y = 0; y < part->height && error == 0; y++)
        erode_kernels_current()->units_row(part->width, heights + (size_t)y * (size_t)part->width, inverse,
                                           field->ground + cell_of(&field->window, part->gi, part->gj + y));
    return error;
}

static int make_runoff(struct drain_field *field, const struct terrane_window *part,
                       const struct terrane_memory *memory)
{
    float *runoff = (float *)(void *)field->cost;
    const int error = window_term(field->world, part, field->world->recipe->rivers.runoff, memory, runoff);
    for (int y = 0; y < part->height && error == 0; y++) {
        uint16_t *mm = field->mm + cell_of(&field->window, part->gi, part->gj + y);
        for (int x = 0; x < part->width; x++, runoff++)
            mm[x] = (uint16_t)(*runoff > 0 ? (*runoff < RUNOFF_MOST ? *runoff : RUNOFF_MOST) : 0);
    }
    return error;
}

static int make(struct drain_field *field, int kind, int64_t west, int64_t north, int64_t east, int64_t south,
                const struct terrane_memory *memory)
{
    const struct terrane_window part = {.level = field->window.level,
                                        .gi = west,
                                        .gj = north,
                                        .step = 1,
                                        .width = (int)(east - west),
                                        .height = (int)(south - north)};
    if (part.width <= 0 || part.height <= 0)
        return 0;
    return kind == GROUND ? make_ground(field, &part, memory) : make_runoff(field, &part, memory);
}

/* ---- Recalling ----------------------------------------------------------------------------------------- */

/* What is remembered of a field, and where: NULL without a memo. */
struct store {
    struct kept_window *kept;
    unsigned char *numbers;
    size_t size, most; /* bytes a number, numbers */
};

static struct store store_of(const struct drain_field *field, int kind, const struct terrane_memory *memory)
{
    struct terrane_memo *memo = memory->memo;
    const int lattice = (field->world->recipe->rivers.top - field->window.level + 1) / 2;
    if (!memo)
        return (struct store){.kept = NULL};
    const size_t first = lattice == 0 ? 0 : MEMO_TOP_CELLS + (size_t)(lattice - 1) * MEMO_CELLS,
                 most = lattice == 0 ? MEMO_TOP_CELLS : MEMO_CELLS;
    return (struct store){.kept = &memo->kept[lattice][kind],
                          .numbers = kind == GROUND ? (unsigned char *)(memo->ground + first)
                                                    : (unsigned char *)(memo->runoff + first),
                          .size = kind == GROUND ? sizeof *memo->ground : sizeof *memo->runoff,
                          .most = most};
}

static bool is_of(const struct kept_window *kept, const struct terrane_world *world, int level)
{
    return kept && kept->made && kept->seed == world->seed && kept->window.level == level &&
           memcmp(&kept->recipe, &world->recipe->digest, sizeof kept->recipe) == 0;
}

static void keep(const struct store *store, const struct drain_field *field, const void *numbers)
{
    if (!store->kept || (size_t)field->cells > store->most)
        return;
    memcpy(store->numbers, numbers, (size_t)field->cells * store->size);
    *store->kept = (struct kept_window){.made = true,
                                        .seed = field->world->seed,
                                        .recipe = field->world->recipe->digest,
                                        .window = field->window};
}

static int recall(struct drain_field *field, int kind, const struct terrane_memory *memory)
{
    const struct terrane_window *whole = &field->window;
    const struct store store = store_of(field, kind, memory);
    unsigned char *numbers = kind == GROUND ? (unsigned char *)field->ground : (unsigned char *)field->mm;
    const int64_t east = whole->gi + whole->width, south = whole->gj + whole->height;
    int64_t w = east, e = east, n = south, s = south; /* the part that is known: nothing */
    if (is_of(store.kept, field->world, whole->level)) {
        const struct terrane_window *had = &store.kept->window;
        w = max_int64(whole->gi, had->gi), e = min_int64(east, had->gi + had->width);
        n = max_int64(whole->gj, had->gj), s = min_int64(south, had->gj + had->height);
        if (w >= e || n >= s)
            w = e = east, n = s = south;
        for (int64_t gj = n; gj < s; gj++)
            memcpy(numbers + cell_of(whole, w, gj) * store.size,
                   store.numbers + cell_of(had, w, gj) * store.size, (size_t)(e - w) * store.size);
    }
    int error = make(field, kind, whole->gi, whole->gj, east, n, memory);
    error = error ? error : make(field, kind, whole->gi, s, east, south, memory);
    error = error ? error : make(field, kind, whole->gi, n, w, s, memory);
    error = error ? error : make(field, kind, e, n, east, s, memory);
    if (error == 0)
        keep(&store, field, numbers);
    return error;
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
