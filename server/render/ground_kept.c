/*
 * The layers of the last tile, for the next.
 *
 * Regions are not kept: whoever takes the layers has opened his own, which are the same, being those of the same plan.
 */
#include "ground_kept.h"

#include <string.h>

static bool same_region(const struct terrane_region *a, const struct terrane_region *b)
{
    return a->kind == b->kind && a->level == b->level && a->x == b->x && a->y == b->y &&
           a->variant == b->variant;
}

static bool same_place(const struct terrane_window *a, const struct terrane_window *b)
{
    return a->level == b->level && a->gi == b->gi && a->gj == b->gj && a->step == b->step;
}

static bool same_size(const struct terrane_window *a, const struct terrane_window *b)
{
    return a->width == b->width && a->height == b->height;
}

/* Whether all layers are, where windows are: what a plan leaves out its layers do not have. */
static bool same_regions(const struct terrane_plan *a, const struct terrane_plan *b)
{
    bool same = a->carved == b->carved && a->regions == b->regions;
    for (int k = 0; k < a->regions && same; k++)
        same = same_region(&a->region[k], &b->region[k]);
    return same;
}

void ground_kept_drop(struct ground_kept *kept, const struct terrane_memory *memory)
{
    for (int layer = 0; layer < TERRANE_LAYERS && kept->bytes > 0; layer++)
        if (kept->layer[layer])
            memory->free(memory->user, kept->layer[layer]);
    if (kept->bytes > 0 && kept->around)
        memory->free(memory->user, kept->around);
    *kept = (struct ground_kept){.bytes = 0};
}

/* The ground around a window that lies in the corner of what is kept: false where there is none. */
static bool copy_around(const struct ground_kept *kept, struct terrane_ground *ground)
{
    const struct terrane_window *whole = &kept->plan.window, *part = &ground->plan->window;
    if (!kept->around || part->step != 1 || part->width > whole->width || part->height > whole->height)
        return false;
    const size_t stride = (size_t)whole->width + 2, width = (size_t)part->width + 2,
                 height = (size_t)part->height + 2;
    ground->around = ground->memory->alloc(ground->memory->user, width * height * sizeof *ground->around);
    for (size_t j = 0; j < height && ground->around; j++)
        memcpy(ground->around + j * width, kept->around + j * stride, width * sizeof *ground->around);
    return true;
}

/* What names the operations over a ground: zeros where there are none. */
static struct terrane_digest edits_of(const struct terrane_ground *ground)
{
    return ground->edits ? ground->edits->digest : (struct terrane_digest){{0}};
}

void ground_take(struct ground_kept *kept, struct terrane_ground *ground)
{
    const struct terrane_digest edits = edits_of(ground);
    const bool same = kept->bytes > 0 && memcmp(&kept->edits, &edits, sizeof edits) == 0 &&
                      memcmp(&kept->world, &ground->world->digest, sizeof kept->world) == 0 &&
                      same_place(&kept->plan.window, &ground->plan->window) &&
                      same_regions(&kept->plan, ground->plan);
    if (same && same_size(&kept->plan.window, &ground->plan->window)) {
        ground->around = kept->around;
        memcpy(ground->layer, kept->layer, sizeof ground->layer);
        kept->bytes = 0;
    } else if (same && copy_around(kept, ground))
        return;
    ground_kept_drop(kept, ground->memory);
}

static size_t bytes_of(const struct terrane_ground *ground)
{
    const struct terrane_window *window = &ground->plan->window;
    const size_t step = (size_t)window->step;
    size_t numbers = 0;
    for (int layer = 0; layer < TERRANE_LAYERS; layer++)
        if (ground->layer[layer])
            numbers += (size_t)terrane_layer_values(ground->world->recipe, (enum terrane_layer)layer);
    const size_t around =
        ground->around ? (((size_t)window->width - 1) * step + 3) * (((size_t)window->height - 1) * step + 3)
                       : 0;
    return (ground->count * numbers + around) * sizeof(float);
}

void ground_keep(struct ground_kept *kept, struct terrane_ground *ground)
{
    const size_t bytes = ground->world ? bytes_of(ground) : 0;
    if (bytes == 0 || bytes > GROUND_KEPT_BYTES || kept->bytes > 0)
        return;
    *kept = (struct ground_kept){.world = ground->world->digest,
                                 .edits = edits_of(ground),
                                 .plan = *ground->plan,
                                 .around = ground->around,
                                 .bytes = bytes};
    memcpy(kept->layer, ground->layer, sizeof kept->layer);
    memset(ground->layer, 0, sizeof ground->layer);
    ground->around = NULL;
}
