/*
 * Golden digests of drainage and of what stands on it. A window is drained from nothing and from the lattice above, which gives
 * the same.
 */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_make.h"

static struct terrane_drained drain_from(const struct terrane_world *world,
                                         const struct terrane_window *window,
                                         const struct terrane_drained *from)
{
    const size_t count = samples_of(window);
    struct terrane_drained out = {.window = *window, .z = need_memory(3 * count * sizeof *out.z)};
    out.low = (uint32_t *)out.z + count;
    out.high = out.low + count;
    need(terrane_drain(world, from, NULL, &out) == 0, "drainage");
    return out;
}

static void print_drained(const struct terrane_world *world, const char *title, int level, int64_t gi,
                          int64_t gj)
{
    const struct terrane_window window = {
        .level = level, .gi = gi, .gj = gj, .step = 1, .width = 40, .height = 30};
    const size_t words = 3 * samples_of(&window);
    struct terrane_drained drained = drain_from(world, &window, NULL);
    struct terrane_window needed;
    char name[160];
    if (terrane_drain_needs(world->recipe, &window, &needed)) {
        struct terrane_drained above = drain_from(world, &needed, NULL),
                               same = drain_from(world, &window, &above);
        need(memcmp(same.z, drained.z, words * sizeof *drained.z) == 0,
             "the same by way of the lattice above");
        free(above.z);
        free(same.z);
    }
    for (size_t i = 0; i < words; i++) {
        const uint32_t word = ((const uint32_t *)drained.z)[i];
        put_octets((const uint8_t[4]){(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                      (uint8_t)(word >> 24)},
                   4);
    }
    snprintf(name, sizeof name, "drainage %s, level %d at %lld %lld", title, level, (long long)gi,
             (long long)gj);
    print(name);
    free(drained.z);
}

/* Ground, water and rivers of a window, which rests on regions. */
static void print_layers(const struct terrane_world *world, const char *title, int level, int64_t gi,
                         int64_t gj)
{
    static const enum terrane_layer layer[] = {TERRANE_LAYER_SURFACE, TERRANE_LAYER_WATER,
                                               TERRANE_LAYER_RIVER};
    const struct terrane_window window = {
        .level = level, .gi = gi, .gj = gj, .step = 1, .width = 33, .height = 33};
    const size_t count = samples_of(&window);
    float *out = need_memory(count * sizeof *out);
    char name[160];
    for (size_t k = 0; k < sizeof layer / sizeof *layer; k++) {
        need(terrane_make(world, &window, layer[k], TERRANE_VARIANT_ERODED, NULL, NULL, out) == 0, "a layer");
        put_floats(out, count);
    }
    snprintf(name, sizeof name, "rivers %s, level %d at %lld %lld", title, level, (long long)gi,
             (long long)gj);
    print(name);
    free(out);
}

void shipped_rivers(const struct terrane_world *world, const char *title, bool finest)
{
    const struct terrane_rivers *rivers = &world->recipe->rivers;
    if (rivers->top == 0)
        return;
    print_drained(world, title, rivers->top, -37, 20);
    print_drained(world, title, rivers->bottom, 18100, 12100);
    print_drained(world, title, rivers->bottom + 1, -700, -INT64_C(281474976710400));
    print_layers(world, title, rivers->bottom + 2, 5000, 3000);
    if (finest)
        print_layers(world, title, 3, 72500, 48500);
}
