/*
 * Edits of a ground, over whatever else made it. What smooth and sharpen read beside the window is made by a call of its own,
 * without edits.
 */
#include "ground_layers.h"

/* The variant whose ground the plan makes; coarser levels have it or less. */
static enum terrane_variant variant_of(const struct terrane_plan *plan)
{
    if (plan->carved)
        return TERRANE_VARIANT_CARVED;
    return plan->eroded || terrane_region_grid_count(&plan->drainage) > 0 ? TERRANE_VARIANT_ERODED
                                                                          : TERRANE_VARIANT_BASE;
}

static int make_read(const struct terrane_ground *ground, const struct terrane_edit_needs *needs,
                     float *read[TERRANE_EDIT_LATTICES])
{
    int error = 0;
    for (int k = 0; k < needs->count && error == 0; k++) {
        read[k] = ground_floats(ground, samples_of(&needs->window[k]));
        error = read[k] ? terrane_make(ground->world, &needs->window[k], TERRANE_LAYER_HEIGHT,
                                       variant_of(ground->plan), NULL, ground->memory, read[k])
                        : TERRANE_EMEMORY;
    }
    return error;
}

int ground_edit(const struct terrane_ground *ground, const struct terrane_window *window, float *heights)
{
    struct terrane_edit_needs needs;
    struct terrane_editing *editing = NULL;
    float *read[TERRANE_EDIT_LATTICES] = {NULL};
    if (ground->edits_count == 0)
        return 0;
    terrane_edit_needs(ground->edits, ground->edits_count, window, &needs);
    int error = make_read(ground, &needs, read);
    if (error == 0)
        error = terrane_edit_open(ground->world, window, heights, &needs, (const float *const *)read,
                                  ground->memory, &editing);
    if (error == 0)
        error = terrane_edit_apply(editing, ground->edits, ground->edits_count);
    if (error == 0)
        terrane_edit_heights(editing, heights);
    terrane_edit_close(editing);
    for (int k = 0; k < needs.count; k++)
        memory_give(ground->memory, read[k]);
    return error;
}
