/*
 * Relaxation in the document's sequential form.
 *
 * Samples are taken row by row, each constraint on heights as they stand. A procedure leaves its quadrant (roughness: its
 * sample) just as it should be and moves ground between the samples it looks at only. The three points of a quadrant are
 * solved at once: slopes become f times what they were and the mean of the three heights stays,
 *
 *     h_j += c,  h_x = h_j + f dx,  h_y = h_j + f dy,  c = (1 - f) (dx + dy) / 3
 *
 * Only held samples are looked at. An iteration in which nothing moves is the end, and is not counted: then every limit was
 * kept as it was looked at, or cannot be (roughness of level ground).
 */
#include "patch.h"

/* What a sample is held to, in lengths over a sample's spacing; infinite where it is not. */
struct held {
    uint32_t at;
    uint8_t quadrants;                /* that are there: as bits */
    bool rough;                       /* roughness is to be had */
    double gradient, gradient_moves2; /* the limit; what its square is compared with */
    double across, across_moves;
    double across_x, across_y;
};

struct relaxing {
    const struct terrane_patch *patch;
    const struct terrane_limits *limits;
    const struct terrane_relax *relax;
    double *heights;
    struct held *held;
    size_t count;
};

/* Slopes of both kinds are at most 2^40 / 2^-20 high: 2^62 stands for none, its square is finite. */
static double length_of(const float *limit, size_t at, double more, double spacing)
{
    const double slope = patch_holds(limit, at) ? (limit[at] + more) * spacing : 0x1p62;
    return slope < 0x1p62 ? slope : 0x1p62;
}

static void list_held(struct relaxing *r)
{
    const struct terrane_limits *limits = r->limits;
    const double spacing = r->patch->spacing, more = r->relax->slope_threshold;
    const int side = r->patch->side;
    r->count = 0;
    for (size_t at = 0; at < patch_samples(r->patch); at++) {
        const bool across = patch_holds(limits->across, at), rough = patch_holds(limits->roughness, at);
        if (!patch_holds(limits->gradient, at) && !across && !rough)
            continue;
        struct held *held = &r->held[r->count++];
        held->at = (uint32_t)at;
        held->quadrants = (uint8_t)patch_quadrants(r->patch, (int)at % side, (int)at / side);
        held->rough = rough;
        held->gradient = length_of(limits->gradient, at, 0, spacing);
        const double moves = length_of(limits->gradient, at, more, spacing);
        held->gradient_moves2 = moves * moves;
        held->across = length_of(limits->across, at, 0, spacing);
        held->across_moves = length_of(limits->across, at, more, spacing);
        held->across_x = across ? limits->across_x[at] : 0;
        held->across_y = across ? limits->across_y[at] : 0;
    }
}

static void scale_slopes(double *here, ptrdiff_t x, ptrdiff_t y, double f)
{
    const double dx = here[x] - here[0], dy = here[y] - here[0];
    here[0] += (1 - f) * (dx + dy) / 3;
    here[x] = here[0] + f * dx;
    here[y] = here[0] + f * dy;
}

static bool relax_gradient(const struct held *held, double *here, ptrdiff_t x, ptrdiff_t y)
{
    const double dx = here[x] - here[0], dy = here[y] - here[0];
    const double length2 = dx * dx + dy * dy;
    if (!(length2 > held->gradient_moves2))
        return false;
    scale_slopes(here, x, y, held->gradient / __builtin_sqrt(length2));
    return true;
}

static bool relax_across(const struct held *held, double *here, ptrdiff_t x, ptrdiff_t y, int quadrant)
{
    const double dx = here[x] - here[0], dy = here[y] - here[0];
    const double d =
        patch_quadrant_x(quadrant) * dx * held->across_x + patch_quadrant_y(quadrant) * dy * held->across_y;
    const double length = d < 0 ? -d : d;
    if (!(length > held->across_moves))
        return false;
    scale_slopes(here, x, y, held->across / length);
    return true;
}

static bool relax_roughness(const struct relaxing *r, const struct held *held)
{
    const int side = r->patch->side, x = (int)held->at % side, y = (int)held->at / side;
    const double roughness = patch_roughness(r->patch, r->heights, x, y),
                 aim = r->limits->roughness[held->at];
    const double off = roughness - aim, threshold = r->relax->roughness_threshold;
    if (!(off > threshold || off < -threshold) || roughness < 0x1p-60)
        return false;
    const int x0 = x > 0 ? -1 : 0, x1 = x < side - 1 ? 1 : 0;
    const int y0 = y > 0 ? -1 : 0, y1 = y < side - 1 ? 1 : 0;
    double *here = &r->heights[held->at];
    const double middle = here[0], more = aim / roughness - 1;
    double moved = 0;
    for (int dy = y0; dy <= y1; dy++)
        for (int dx = x0; dx <= x1; dx++) {
            const double move = more * (here[dy * side + dx] - middle);
            here[dy * side + dx] += move; /* of the middle: 0 */
            moved += move;
        }
    const double back = moved / ((x1 - x0 + 1) * (y1 - y0 + 1));
    for (int dy = y0; dy <= y1; dy++)
        for (int dx = x0; dx <= x1; dx++)
            here[dy * side + dx] -= back;
    return true;
}

/* All samples once. Returns how many constraints were not kept. */
static int64_t sweep(const struct relaxing *r)
{
    const int side = r->patch->side;
    int64_t moved = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct held *held = &r->held[i];
        double *here = &r->heights[held->at];
        if (held->gradient < 0x1p62)
            for (int q = 0; q < 4; q++)
                if (held->quadrants >> q & 1)
                    moved += relax_gradient(held, here, patch_quadrant_x(q), patch_quadrant_y(q) * side);
        if (held->across < 0x1p62)
            for (int q = 0; q < 4; q++)
                if (held->quadrants >> q & 1)
                    moved += relax_across(held, here, patch_quadrant_x(q), patch_quadrant_y(q) * side, q);
        if (held->rough)
            moved += relax_roughness(r, held);
    }
    return moved;
}

/* Returns whether a height changed. */
static bool set_positions(const struct relaxing *r)
{
    if (!r->limits->position)
        return false;
    bool changed = false;
    for (size_t at = 0; at < patch_samples(r->patch); at++)
        if (patch_holds_position(r->limits->position, at) && r->heights[at] != r->limits->position[at]) {
            r->heights[at] = r->limits->position[at];
            changed = true;
        }
    return changed;
}

static enum terrane_relaxed iterate(const struct relaxing *r, struct patch_cycle *cycle, int64_t *iterations)
{
    const int64_t every = patch_progress_every(r->count);
    for (int64_t n = 0;; n++) {
        *iterations = n;
        if (n >= r->relax->iterations_max)
            return TERRANE_RELAXED_MAX;
        const int64_t moved = sweep(r);
        const bool set = set_positions(r);
        if (moved == 0 && !set)
            return TERRANE_RELAXED_ALL;
        *iterations = n + 1;
        if (patch_cycle_seen(cycle, r->heights, n + 1))
            return TERRANE_RELAXED_CYCLE;
        if (r->relax->progress && (n + 1) % every == 0 &&
            !r->relax->progress(r->relax->context, n + 1, moved))
            return TERRANE_RELAXED_STOPPED;
    }
}

int terrane_patch_relax(const struct terrane_patch *patch, const struct terrane_limits *limits,
                        const struct terrane_relax *relax, void *memory, double *heights,
                        struct terrane_relax_report *report)
{
    if (!patch_valid(patch) || !patch_heights_valid(patch, heights) ||
        !patch_limits_valid(patch, limits, relax))
        return TERRANE_EPATCH;
    const size_t samples = patch_samples(patch);
    struct relaxing r = {.patch = patch, .limits = limits, .relax = relax, .heights = heights};
    double *copy = memory;
    r.held = (struct held *)(void *)(copy + samples);
    list_held(&r);

    struct patch_cycle cycle;
    patch_cycle_start(&cycle, copy, heights, samples);
    int64_t iterations = 0;
    const enum terrane_relaxed how = iterate(&r, &cycle, &iterations);
    patch_report(patch, limits, relax, heights, iterations, how, report);
    return 0;
}
_Static_assert(sizeof(struct held) + sizeof(double) <= PATCH_BYTES, "what a sample takes of memory");
