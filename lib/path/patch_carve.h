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

struct carve {
    int side;
    int32_t *heights;
    uint8_t *path; /* samples of quadrants that are held to a gradient */
    uint8_t *held; /* samples of any held quadrant */
    uint8_t *
        dirty; /* held samples by 1 << kind: those about which something has moved; a row before and after it */
    int64_t *owed; /* ground that was taken there and is to be put elsewhere */
    struct carve_held *list;
    int gradients, count; /* those of the gradient first, then those across, from the path outwards */
    int halfwidth;        /* samples from the path's middle to its sides */
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

#endif
