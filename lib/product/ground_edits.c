/*
 * Edits of a ground, over whatever else made it. What smooth and sharpen read beside the window is made by a call of its own,
 * without edits.
 */
#include "../edit/editing.h"
#include "ground_layers.h"
#include "region.h"

/* The variant whose ground the plan makes; coarser levels have it or less. */
static enum terrane_variant variant_of(const struct terrane_plan *plan)
{
    if (plan->carved)
        return TERRANE_VARIANT_CARVED;
    return plan->eroded || plan->drainage.count > 0 ? TERRANE_VARIANT_ERODED : TERRANE_VARIANT_BASE;
}

int terrane_edit_regions(const struct terrane_recipe *recipe, const struct terrane_plan *plan,
                         const struct terrane_edit_needs *needs, struct terrane_region_list *list)
{
    int error = 0;
    for (int k = 0; k < needs->count && error == 0; k++)
        error = make_regions(recipe, &needs->window[k], TERRANE_LAYER_HEIGHT, variant_of(plan), list);
    return error;
}

static int make_read(const struct terrane_ground *ground, const struct terrane_edit_needs *needs,
                     float *read[TERRANE_EDIT_LATTICES])
{
    int error = 0;
    for (int k = 0; k < needs->count && error == 0; k++) {
        read[k] = ground_floats(ground, samples_of(&needs->window[k]));
        error = read[k]
                    ? terrane_make(ground->world, &needs->window[k], TERRANE_LAYER_HEIGHT,
                                   variant_of(ground->plan), ground->edits->store, ground->memory, read[k])
                    : TERRANE_EMEMORY;
    }
    return error;
}

static int begin(const struct terrane_ground *ground, const struct terrane_window *window,
                 const float *heights, const struct terrane_edit_found *found,
                 struct terrane_editing **editing)
{
    float *read[TERRANE_EDIT_LATTICES] = {NULL};
    if (found->packed)
        return editing_resume(ground->world, window, heights, found->packed, found->packed_bytes,
                              ground->memory, editing);
    int error = make_read(ground, &found->needs, read);
    if (error == 0)
        error = editing_open(ground->world, window, heights, &found->needs, (const float *const *)read,
                             ground->memory, editing);
    for (int k = 0; k < found->needs.count; k++)
        memory_give(ground->memory, read[k]);
    return error;
}

static int edit(const struct terrane_ground *ground, const struct terrane_window *window, float *heights,
                const struct terrane_edit_found *found)
{
    struct terrane_editing *editing = NULL;
    const size_t first = found->keep_at;
    int error = begin(ground, window, heights, found, &editing);
    if (error == 0)
        error = editing_apply(editing, found->edits, first);
    if (error == 0 && first > 0)
        ground->edits->keep(ground->edits->user, editing);
    if (error == 0)
        error = editing_apply(editing, found->edits + first, found->count - first);
    if (error == 0)
        editing_heights(editing, heights);
    editing_close(editing);
    return error;
}

int ground_edit(const struct terrane_ground *ground, const struct terrane_window *window, float *heights)
{
    const struct terrane_plan *plan = ground->plan;
    const struct terrane_edit_source *source = ground->edits;
    const bool drained = plan->drainage.count > 0;
    struct terrane_edit_found found = {.count = 0};
    if (!source)
        return 0;
    int error = source->find(source->user, window,
                             plan->eroded | (unsigned)plan->carved << 1 | (unsigned)drained << 2 |
                                 (unsigned)ground_on_lattice(ground) << 3,
                             &found);
    if (error == 0 && (found.count > 0 || found.packed))
        error = edit(ground, window, heights, &found);
    if (source->done)
        source->done(source->user);
    return error;
}
