/*
 * Makes regions: erosion and lakes by libterrane, into blobs.
 */
#ifndef TERRANE_SERVER_REGION_MAKE_H
#define TERRANE_SERVER_REGION_MAKE_H

#include "produce.h"
#include "region.h"

/* The region's blob, owned by the caller; NULL when memory is short. inputs[0] is the anchor's, where region_anchor
 * names one. */
struct blob *region_make(struct producer *producer, const struct region *region,
                         const struct terrane_world *world, struct blob *const *inputs,
                         const struct digest *digest);

#endif
