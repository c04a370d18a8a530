/*
 * What the parts of terrane_patch_carve share.
 */
#ifndef TERRANE_PATCH_CARVE_H
#define TERRANE_PATCH_CARVE_H

#include "patch.h"

enum carve_kind { CARVE_GRADIENT, CARVE_ACROSS };

/* One sample that is held, by one kind of limit; in units over a sample's spacing. */
struct carve_held {
    uint32_t at;
    uint8_t kind, quadrants; /* patch_quadrants */
    float across_x, across_y;
    double limit, aim; /* what is allowed, and what is aimed at: less, so that whole units do not matter */
};

/* Samples in a row: 3 at least, as terrane_patch_carve sees to. */
static inline uint32_t carve_row(int side)
{
    return side > 3 ? (uint32_t)side : 3;
}

/* Right, left, below and above a sample in rows of that length; itself where there is none. */
static inline void carve_neighbours(uint32_t row, uint32_t at, uint32_t to[4])
{
    const uint32_t x = at % row;
    to[0] = x + 1 < row ? at + 1 : at;
    to[1] = x > 0 ? at - 1 : at;
    to[2] = at + row < row * row ? at + row : at;
    to[3] = at >= row ? at - row : at;
}

static inline int64_t carve_clamp(int64_t value, int64_t min, int64_t max)
{
    return value < min ? min : value > max ? max : value;
}

struct carve {
    int side;
    int32_t *heights;
    int32_t *ground; /* heights as they were */
    uint8_t *path;   /* samples of quadrants that are held to a gradient */
    uint8_t *held;   /* samples of any held quadrant */
    uint8_t *
        dirty; /* held samples by 1 << kind: those about which something has moved; a row before and after it */
    int64_t *owed; /* ground that was taken there and is to be put elsewhere */
    struct carve_held *list;
    int gradients, count; /* those of the gradient first, then those across, from the path outwards */
    int halfwidth;        /* samples from the path's middle to its sides */
    int64_t step;         /* that neighbours that are not held may differ by in what they were moved by */
    void *scratch;        /* CARVE_SCRATCH for each sample */
};

enum { CARVE_SCRATCH = 48 };

/* Brings the path near its limits: from coarse grids to finer ones, each by how far ground moved on the one before. */
void carve_levels(struct carve *carve);

/*
 * Puts what is owed beside the samples that are inside: nearest, spread over depth samples from there on, and
 * no more than rise on any as long as there is room within the patch. Nothing is owed then. Returns what found
 * no place at all.
 */
int64_t carve_beside(struct carve *carve, const uint8_t *inside, int depth, int64_t rise);

/* All samples by their distance from those in mask (or, not outwards, from all others), those first; how many there
 * are to be had. seen: scratch; steps: the distance of the last. */
uint32_t carve_outwards(int side, const uint8_t *mask, bool outwards, uint32_t *order, uint8_t *seen,
                        int *steps);

/* Finds step: what neighbours differ by in the ground, in the mean. */
void carve_find_step(struct carve *carve);

/* Neighbours that are not fixed come to be moved by the same but for a step, in so many sweeps at most. */
void carve_slide(struct carve *carve, const uint8_t *fixed, int max);

/* Ground beside what is held does so, too, and comes to be moved by what the held samples next to it are. */
void carve_hem(struct carve *carve);

#endif
