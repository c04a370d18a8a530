/*
 * Golden digests of edits: all brushes, on one place and at levels below and above their own. golden.c has the rest.
 */
#include <string.h>

#include "../../lib/edit/editing.h"
#include "golden.h"

enum { EDITS = 40 };

/* A brush after the other, over and under each other, of many sizes. */
static void make_edits(struct terrane_edit *edit)
{
    uint32_t draw = 1;
    for (int k = 0; k < EDITS; k++) {
        edit[k] = (struct terrane_edit){.brush = (enum terrane_brush)(k % TERRANE_BRUSH_MARK)};
        int32_t *const member[] = {&edit[k].inner, &edit[k].outer, &edit[k].strength, &edit[k].height};
        for (size_t m = 0; m < sizeof member / sizeof *member; m++)
            *member[m] = (int32_t)((draw = draw * 1664525 + 1013904223) >> 16);
        edit[k].outer = 1 + edit[k].outer % (1 << (6 + k % 8));
        edit[k].inner %= edit[k].outer;
        edit[k].strength = 1 + (edit[k].brush <= TERRANE_BRUSH_LOWER ? 4 : 1) * edit[k].strength;
        edit[k].height = edit[k].brush == TERRANE_BRUSH_LEVEL ? edit[k].height << 4 : 0;
        edit[k].x = (int32_t)(draw >> 8) % 2000 - 900;
        edit[k].y = (int32_t)(draw >> 12) % 2000 - 900;
    }
}

static void put_edited(const struct terrane_world *world, const struct terrane_window *window,
                       const struct terrane_edit *edit)
{
    struct terrane_edit_needs needs;
    struct terrane_editing *editing = NULL;
    const float *ground[TERRANE_EDIT_LATTICES];
    float *heights = ground_of(world, window);
    terrane_edit_needs(edit, EDITS, window, false, &needs);
    for (int k = 0; k < needs.count; k++)
        ground[k] = ground_of(world, &needs.window[k]);
    need(editing_open(world, window, heights, &needs, ground, NULL, &editing) == 0, "editing");
    need(editing_apply(editing, edit, EDITS) == 0, "edits");
    editing_heights(editing, heights);
    put_floats(heights, (size_t)window->width * (size_t)window->height);
    editing_close(editing);
}

/* A way that goes over and beside itself, routed over the ground, between other brushes. */
static void ways(const struct terrane_world *world, struct terrane_edit *edit)
{
    static struct terrane_path_point line[TERRANE_EDIT_WAY_POINTS];
    const struct terrane_way way = {.inner = 40,
                                    .outer = 150,
                                    .slope = 20000,
                                    .depth = 90 * TERRANE_EDIT_UNITS,
                                    .places = 4,
                                    .x = {-1800, 900, 1000, -900},
                                    .y = {-1500, -1000, 1300, 200}};
    struct terrane_window window;
    struct terrane_way_place why;
    struct terrane_digest digest = {{0}};
    need(terrane_way_needs(&way, &window), "a way's window");
    float *heights = ground_of(world, &window);
    need(terrane_way_route(world->recipe, &way, &window, heights, NULL, line, &edit[EDITS / 2], &why) == 0,
         "a way");
    terrane_edits_digest(&digest, edit, EDITS);
    put_octets(digest.byte, sizeof digest.byte);
    print("ways digest");
    for (int level = 0; level <= 9; level += 3) {
        const int from = -160 / (1 << level) - 9, side = 320 / (1 << level) + 24;
        put_edited(world, &(struct terrane_window){level, from, from, 1, side, side}, edit);
        print_as("ways, level %d", level);
    }
}

void edits(void)
{
    static struct terrane_recipe recipe;
    struct terrane_edit edit[EDITS];
    struct terrane_digest digest = {{0}};
    recipe = (struct terrane_recipe){.spacing_m = 1,
                                     .low_m = -1000,
                                     .high_m = 1000,
                                     .terms = 1,
                                     .partition = {.zones = 1, .zone = {{.name = "all", .term = -1}}}};
    recipe.term[0] = terrane_term_fractal(TERRANE_FBM);
    recipe.term[0].fractal.octaves = 8;
    recipe.term[0].fractal.cell = 512;
    recipe.term[0].fractal.amplitude_m = 120;
    recipe.term[0].fractal.gain = 0.5f;
    memset(recipe.term[0].fractal.base, TERRANE_PERLIN5, sizeof recipe.term[0].fractal.base);
    const struct terrane_world world = world_of(&recipe, 42);
    make_edits(edit);
    for (int k = 0; k < EDITS; k++)
        need(terrane_edit_check(&recipe, &edit[k], NULL) == 0, "an edit");
    terrane_edits_digest(&digest, edit, EDITS);
    put_octets(digest.byte, sizeof digest.byte);
    print("edits digest");
    for (int level = 0; level <= 8; level += 2) {
        const int from = -80 / (1 << level) - 9;
        put_edited(
            &world,
            &(struct terrane_window){level, from, from, 1, 160 / (1 << level) + 24, 160 / (1 << level) + 24},
            edit);
        print_as("edits, level %d", level);
    }
    ways(&world, edit);
}
