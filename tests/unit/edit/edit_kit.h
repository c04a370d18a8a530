/* Operations that dice throw, and windows that are edited by them. */
#ifndef TERRANE_TESTS_EDIT_KIT_H
#define TERRANE_TESTS_EDIT_KIT_H

#include "../../../lib/edit/editing.h"
#include "../lib_fixture.h"

enum { UNIT = TERRANE_EDIT_UNITS, PARTS = TERRANE_EDIT_PARTS };

/* Hills of two fractals, the second of which noise may name; recipe is the caller's. */
static inline void edit_world(struct terrane_world *world, struct terrane_recipe *recipe)
{
    *recipe = recipe_fractal(TERRANE_PERLIN5, 8, 9, 90, 0.5f);
    recipe_add(recipe, term_fractal(TERRANE_RIDGED, TERRANE_PERLIN3, 3, 16, 4, 0.5f));
    recipe_add(recipe, (struct terrane_term){
                           .name = "sum", .op = TERRANE_OP_SUM, .inputs = 1, .in = {0}, .factor = {1}});
    make_world(world, recipe, 20);
}

/* A way's line from its place on, of some of 8 points, near itself or not; and whether it keeps its slope is chance. */
static inline void dice_line(struct dice *dice, struct terrane_edit *edit, int around)
{
    static struct terrane_path_point room[1 << 13];
    static int used;
    struct terrane_path_point *line = &room[used = (used + 8) % (1 << 13)];
    line[0] =
        (struct terrane_path_point){.x = edit->x, .y = edit->y, .height = dice_int(dice, -50, 50) * UNIT};
    edit->line = line;
    edit->points = dice_int(dice, 2, 8);
    edit->slope = dice_int(dice, 1, 65536);
    for (int k = 1; k < edit->points; k++)
        line[k] = (struct terrane_path_point){.x = line[k - 1].x + dice_int(dice, 1, around / 2),
                                              .y = line[k - 1].y + dice_int(dice, -around / 2, around / 2),
                                              .height = dice_int(dice, -50, 50) * UNIT};
}

/* Within so many parts of a place. */
static inline struct terrane_edit dice_edit(struct dice *dice, int64_t x, int64_t y, int around)
{
    static const int32_t max[TERRANE_BRUSHES] = {40 * UNIT, 40 * UNIT, 65536, 65536, 20000,
                                                 131072,    65536,     0,     65536};
    struct terrane_edit edit = {.x = x + dice_whole(dice, -around, around),
                                .y = y + dice_whole(dice, -around, around),
                                .brush = (enum terrane_brush)dice_int(dice, 0, TERRANE_BRUSHES - 1)};
    if (edit.brush == TERRANE_BRUSH_MARK)
        return edit;
    edit.outer = 1 << dice_int(dice, 0, 11);
    edit.outer += dice_int(dice, 0, edit.outer - 1);
    edit.inner = dice_chance(dice, 0.1) ? edit.outer : dice_int(dice, 0, edit.outer);
    edit.strength = dice_chance(dice, 0.2) ? max[edit.brush] : dice_int(dice, 1, max[edit.brush]);
    edit.height = edit.brush == TERRANE_BRUSH_LEVEL ? dice_int(dice, -50, 50) * UNIT : 0;
    edit.term = edit.brush == TERRANE_BRUSH_NOISE ? dice_int(dice, 0, 1) : 0;
    if (edit.brush == TERRANE_BRUSH_WAY)
        dice_line(dice, &edit, around);
    return edit;
}

/* Begins to edit a window that has these heights. */
static inline struct terrane_editing *edit_begin(const struct terrane_world *world,
                                                 const struct terrane_window *window,
                                                 const struct terrane_edit *edits, size_t count,
                                                 const float *heights)
{
    struct terrane_edit_needs needs;
    float *ground[TERRANE_EDIT_LATTICES];
    struct terrane_editing *editing;
    terrane_edit_needs(edits, count, window, false, &needs);
    for (int k = 0; k < needs.count; k++)
        ground[k] = layer_new(world, LAYER_HEIGHTS, &needs.window[k], scratch);
    assert_int_equal(
        editing_open(world, window, heights, &needs, (const float *const *)ground, scratch, &editing), 0);
    while (needs.count-- > 0)
        free(ground[needs.count]);
    return editing;
}

/* Returns owned: heights of a window after all operations. */
static inline float *edited_new(const struct terrane_world *world, const struct terrane_window *window,
                                const struct terrane_edit *edits, size_t count)
{
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    struct terrane_editing *editing = edit_begin(world, window, edits, count, heights);
    assert_int_equal(editing_apply(editing, edits, count), 0);
    editing_heights(editing, heights);
    editing_close(editing);
    return heights;
}

#endif
