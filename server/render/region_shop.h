/*
 * Regions under way: what the files that make them share.
 */
#ifndef TERRANE_SERVER_REGION_SHOP_H
#define TERRANE_SERVER_REGION_SHOP_H

#include "produce.h"
#include "region.h"

/* One region under way. */
struct shop {
    struct producer *producer;
    const struct terrane_world *world;
    const struct terrane_eroded *from,
        *lakes_from; /* what its ground, and its lakes', are made from; or NULL */
};

/* Aligned memory, to be freed; NULL when it is short. */
void *shop_room(size_t bytes);

/* The ground of a window, owned; NULL when memory is short. from: an anchor that covers what it needs, or the window, if it is
 * of the same level; or NULL. */
float *shop_ground(const struct shop *shop, const struct terrane_eroded *from,
                   const struct terrane_window *window, bool eroded);

/* Networks of paths, and caves. The room is empty before; 0, or -1 when memory is short. */
int shop_paths(const struct shop *shop, const struct region *region, struct region_room *room);
int shop_caves(const struct shop *shop, const struct region *region, struct region_room *room);

#endif
