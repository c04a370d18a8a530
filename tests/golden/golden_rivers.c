/*
 * Golden digests of drainage and of what stands on it. From the lattice above, which has to give the same: tests/unit/drain.
 */
#include "../../lib/cover/cover.h"
#include "golden.h"

#include <string.h>

#include "../../lib/drain/drained.h"
#include "shipped.h"

static void print_drained(const struct terrane_world *world, const char *title, int level, int64_t gi,
                          int64_t gj)
{
    const struct terrane_window window = {level, gi, gj, 1, 40, 30};
    const size_t count = samples_of(&window);
    struct terrane_drained drained = {.window = window, .z = lend(4 * count * sizeof *drained.z)};
    drained.low = (uint32_t *)drained.z + count;
    drained.high = drained.low + count;
    drained.stem = drained.high + count;
    need(terrane_drain(world, NULL, NULL, &drained) == 0, "drainage");
    for (size_t i = 0; i < 3 * count; i++)
        put(((const uint32_t *)drained.z)[i], 4);
    print_as("drainage %s, level %d at %lld %lld", title, level, (long long)gi, (long long)gj);
}

/* Ground, water and rivers of a window, which rests on regions. */
static void print_layers(const struct terrane_world *world, const char *title, int level, int64_t gi,
                         int64_t gj)
{
    static const enum terrane_layer layer[] = {TERRANE_LAYER_SURFACE, TERRANE_LAYER_WATER,
                                               TERRANE_LAYER_RIVER};
    const struct terrane_window window = {level, gi, gj, 1, 33, 33};
    const size_t count = samples_of(&window);
    float *out = lend(count * sizeof *out);
    for (size_t k = 0; k < sizeof layer / sizeof *layer; k++) {
        need(terrane_make(world, &window, layer[k], TERRANE_VARIANT_ERODED, NULL, NULL, out) == 0, "a layer");
        put_floats(out, count);
    }
    print_as("rivers %s, level %d at %lld %lld", title, level, (long long)gi, (long long)gj);
}

void shipped_rivers(const struct terrane_world *world, const char *title, bool finest, bool layers)
{
    const struct terrane_rivers *rivers = &world->recipe->rivers;
    if (rivers->top == 0)
        return;
    print_drained(world, title, rivers->top, -37, 20);
    print_drained(world, title, rivers->bottom, 18100, 12100);
    if (finest) /* a chain of lattices of its own, as dear as the other */
        print_drained(world, title, rivers->bottom + 1, -700, -INT64_C(281474976710400));
    if (layers) /* dearer than all the rest of what ships */
        print_layers(world, title, rivers->bottom + 2, 5000, 3000);
    if (finest)
        print_layers(world, title, 3, 72500, 48500);
}

/* Relief below the lattices and on them: from generator 17 on, which has banks. Of continents brooks alone are near. */
void shipped_relief(const struct terrane_world *world, const char *title, bool broad)
{
    static const struct terrane_window place[2][2] = {
        {{3, 72500, 48500, 1, 33, 33}, {7, 5000, 3000, 1, 33, 33}},
        {{0, -479480, 242860, 1, 80, 60}, {7, -3762, 1881, 1, 33, 33}},
    };
    for (size_t k = 0; k < 2; k++) {
        const struct terrane_window *window = &place[broad][k];
        const size_t count = samples_of(window) * 3;
        float *out = lend(count * sizeof *out);
        need(terrane_make(world, window, TERRANE_LAYER_RELIEF, TERRANE_VARIANT_ERODED, NULL, NULL, out) == 0,
             "relief");
        put_floats(out, count);
    }
    print(title);
}

/* Carved ground around a bridge over a broad river: from generator 16 on, which has them from bank to bank. */
void shipped_bridge(const struct terrane_world *world)
{
    const struct terrane_window window = {0, -479560, 242810, 1, 240, 180};
    const size_t count = samples_of(&window);
    float *out = lend(count * sizeof *out);
    need(terrane_make(world, &window, TERRANE_LAYER_HEIGHT, TERRANE_VARIANT_CARVED, NULL, NULL, out) == 0,
         "a bridge");
    put_floats(out, count);
    print("a bridge of wayfarer");
}

static void print_cover(const struct terrane_world *world, enum terrane_variant variant, int level,
                        int64_t gi, int64_t gj)
{
    const struct terrane_window window = {level, gi, gj, 1, 33, 33};
    const size_t count = samples_of(&window) * (size_t)world->recipe->cover.materials;
    float *out = lend(count * sizeof *out);
    need(terrane_make(world, &window, TERRANE_LAYER_COVER, variant, NULL, NULL, out) == 0, "cover");
    put_floats(out, count);
    print_as("cover %s, level %d at %lld %lld", terrane_variant_name[variant], level, (long long)gi,
             (long long)gj);
}

/* Colours of base ground with their textures. */
static void print_texture(const struct terrane_world *world, int level, int64_t gi, int64_t gj)
{
    static const enum terrane_layer layer[] = {TERRANE_LAYER_HEIGHT, TERRANE_LAYER_NORMAL,
                                               TERRANE_LAYER_COVER};
    const struct terrane_window window = {level, gi, gj, 1, 33, 33};
    const size_t count = samples_of(&window);
    float *out[3], *colour = lend(count * 3 * sizeof *colour);
    for (int k = 0; k < 3; k++) {
        out[k] = lend(count * (size_t)terrane_layer_values(world->recipe, layer[k]) * sizeof **out);
        need(terrane_make(world, &window, layer[k], TERRANE_VARIANT_BASE, NULL, NULL, out[k]) == 0,
             "texture");
    }
    terrane_cover_colours(world->recipe, out[2], count, colour);
    need(terrane_cover_texture(world, &window, NULL, out[0], out[1], out[2], colour) == 0, "texture");
    put_floats(colour, count * 3);
    print_as("texture, level %d at %lld %lld", level, (long long)gi, (long long)gj);
}

/* Every kind, all of them everywhere. */
static void textures(void)
{
    static const int kind[] = {TERRANE_STIPPLE, TERRANE_STRATA, TERRANE_DUNES, TERRANE_SPECKLE};
    struct terrane_recipe recipe;
    recipe_shipped(&recipe, "continents", generator);
    recipe.cover.materials = 4;
    for (int m = 0; m < 4; m++)
        recipe.cover.material[m] =
            (struct terrane_material){.colour = {150, 120, 90},
                                      .share = m < 3 ? 0.5f : 1,
                                      .texture = {.kind = kind[m],
                                                  .size_m = {4, 512},
                                                  .strength = 0.5f,
                                                  .wind = kind[m] == TERRANE_DUNES ? 37 : 0}};
    const struct terrane_world world = world_of(&recipe, 42);
    print_texture(&world, 0, 72500, -48500);
    print_texture(&world, 3, 7250, INT64_C(1) << 40);
}

void covers(void)
{
    /* Of each quantity, and of the first term: from where a material begins to where it is whole. */
    static const float rise[TERRANE_COVER_QUANTITIES + 1][2] = {
        {0.1f, 0.6f}, {-0.01f, 0.02f}, {200, 1500}, {0, 4}, {3, 12}, {0, 60}, {0, 3000}, {-0.5f, 0.5f}};
    struct terrane_recipe recipe;
    recipe_shipped(&recipe, "continents", generator);
    recipe.cover.materials = TERRANE_MATERIALS_MAX;
    for (int m = 0; m < TERRANE_MATERIALS_MAX; m++) {
        struct terrane_material *material = &recipe.cover.material[m];
        *material = (struct terrane_material){.share = 0.3f, .conditions = 2};
        for (int k = 0; k < 2; k++) { /* itself, and the next one the other way round */
            const int of = (m + k) % (TERRANE_COVER_QUANTITIES + 1);
            material->condition[k] = (struct terrane_condition){.of = of, .rises = k == 0, .falls = k == 1};
            memcpy(k == 0 ? material->condition[k].rise : material->condition[k].fall, rise[of],
                   sizeof rise[of]);
        }
    }
    const struct terrane_world world = world_of(&recipe, 42);
    print_cover(&world, TERRANE_VARIANT_ERODED, recipe.rivers.bottom + 2, 5000, 3000);
    print_cover(&world, TERRANE_VARIANT_ERODED, 3, 72500, 48500);
    print_cover(&world, TERRANE_VARIANT_BASE, 1, -17, 1 << 20);
    textures();
}
