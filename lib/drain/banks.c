/*
 * Banks of rivers: water is narrower here, wider there, and its banks are beaches or cuts. Both are noise of a place alone, of octaves
 * that every level below the lattices has: so they are the same at all of them.
 */
#include "../base/grain.h"
#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "drain.h"
#include "river.h"

enum { OCTAVES = 2 };

/* What a number is of the sum n of its octaves: middle + spread * n, n cut off at -1 and 1. */
struct bank_law {
    uint64_t key;
    int first; /* octave, whose cells are 2^first times as wide as those of the finest lattice */
    float middle, spread;
};
static const struct bank_law law[RIVER_BANKS] = {
    [RIVER_NARROW] = {UINT64_C(0x4E6172726F77), -1, 0.7f, 0.3f}, /* "Narrow" */
    [RIVER_WIDE] = {UINT64_C(0x57696465), 1, 0.75f, 0.25f},      /* "Wide" */
    [RIVER_SIDE] = {UINT64_C(0x53696465), 0, 0.26f, 0.18f},      /* "Side" */
};

static void law_row(const struct bank_law *of, int width, float *row)
{
    for (int i = 0; i < width; i++)
        row[i] = of->middle + of->spread * max_float(min_float(row[i], 1), -1);
}

int river_banks(const struct terrane_world *world, const struct terrane_window *window,
                const struct terrane_memory *memory, int which, float *values)
{
    const int first = world->recipe->rivers.bottom + law[which].first;
    const size_t width = (size_t)window->width, words = grain_words(window->width);
    uint32_t *room = memory_take(memory, OCTAVES * words * sizeof *room);
    struct grain grain[OCTAVES];
    if (!room)
        return TERRANE_EMEMORY;
    for (int q = 0; q < OCTAVES; q++)
        grain_begin(&grain[q], hash_absorb(world->seed, law[which].key), first + q, window,
                    room + (size_t)q * words);
    for (int j = 0; j < window->height; j++, values += width) {
        for (size_t i = 0; i < width; i++)
            values[i] = 0;
        for (int q = 0; q < OCTAVES; q++) {
            grain_row(&grain[q], window->gj + (int64_t)j * window->step);
            grain_add(&grain[q], (struct grain_part){0, window->width}, 1, values);
        }
        law_row(&law[which], window->width, values);
    }
    memory_give(memory, room);
    return 0;
}
