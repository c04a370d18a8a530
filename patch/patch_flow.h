/*
 * Least-cost flow of ground on a square grid: between neighbours, at 1 a unit and step.
 *
 * What lies too high somewhere is carried to where it lies too low. Of unequal amounts the lesser is carried
 * whole, from or to where that costs least.
 */
#ifndef TERRANE_PATCH_FLOW_H
#define TERRANE_PATCH_FLOW_H

#include <stddef.h>
#include <stdint.h>

size_t patch_flow_bytes(int side);

/* Rows with a sample on each side that belongs to none: sample (x, y) is at (y + 1) * stride + x + 1. */
struct patch_flow {
    int side;
    size_t stride;   /* side + 2 */
    int64_t *east;   /* carried from a sample to the next of its row; below 0: the other way */
    int64_t *south;  /* ... to the next of its column */
    int32_t *supply; /* what is there to be carried away; below 0: what is missing */
    int16_t *price;  /* of ground there: differs by 1 at most between neighbours */
    int32_t *level;  /* steps from the nearest supply on the ways that are open; below 0: cannot be reached */
    uint32_t *queue;
    uint8_t *turn; /* directions that have been tried */
};

/* No supply anywhere, and nothing carried. memory: patch_flow_bytes, aligned to TERRANE_SCRATCH_ALIGN. */
struct patch_flow patch_flow_new(int side, void *memory);

/*
 * Carries all that can be; supply is what remains, of one sign or none. |supply| <= 2^30, of a sum of 2^60 at
 * most. Cost: a look at every sample for each step of the longest way, and a few more where much is carried
 * equally far.
 */
void patch_flow_solve(struct patch_flow *flow);

#endif
