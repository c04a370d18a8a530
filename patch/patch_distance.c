/*
 * Earth mover's distance of two patches: see terrane_patch.h.
 *
 * The distance along rows and columns is the length of the shortest way on the grid, so moving ground between
 * any two samples is the same as a flow between neighbours: 4 arcs a sample, where the general problem has as
 * many as there are samples. Ground that stays takes no part, by the triangle inequality. Whether to make or to
 * lose ground is no choice either: a unit made and a unit lost cost 4 side together, and no way is longer than
 * 2 (side - 1); so what one patch has more than the other is lost, and all the rest is moved.
 *
 * Bounds: |supply| <= 2^29, their sum 2^29 2^21, a way 2^12: the distance stays below 2^62.
 */
#include "patch.h"
#include "patch_flow.h"

static bool height_fits(int32_t height)
{
    return height >= -TERRANE_PATCH_HEIGHT_MAX && height <= TERRANE_PATCH_HEIGHT_MAX;
}

size_t terrane_patch_distance_bytes(const struct terrane_patch *patch)
{
    return patch_valid(patch) ? patch_flow_bytes(patch->side) : 0;
}

int terrane_patch_distance(const struct terrane_patch *patch, const int32_t *from, const int32_t *to,
                           void *memory, double *distance)
{
    if (!patch_valid(patch))
        return TERRANE_EPATCH;
    const size_t side = (size_t)patch->side, samples = side * side;
    for (size_t i = 0; i < samples; i++)
        if (!height_fits(from[i]) || !height_fits(to[i]))
            return TERRANE_EPATCH;

    struct patch_flow flow = patch_flow_new(patch->side, memory);
    for (size_t i = 0; i < samples; i++)
        flow.supply[(i / side + 1) * flow.stride + i % side + 1] = from[i] - to[i];
    patch_flow_solve(&flow);

    int64_t moved = 0, rest = 0;
    for (size_t i = 0; i < samples; i++) {
        const size_t at = (i / side + 1) * flow.stride + i % side + 1;
        moved += (flow.east[at] < 0 ? -flow.east[at] : flow.east[at]) +
                 (flow.south[at] < 0 ? -flow.south[at] : flow.south[at]);
        rest += flow.supply[at] < 0 ? -(int64_t)flow.supply[at] : flow.supply[at];
    }
    *distance = patch->unit * patch->spacing * (double)(moved + rest * 2 * (int64_t)side);
    return 0;
}
