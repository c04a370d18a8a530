/*
 * From a tile's key to its blob: samples by libterrane, bytes by encode/.
 */
#ifndef TERRANE_SERVER_TILE_MAKE_H
#define TERRANE_SERVER_TILE_MAKE_H

#include "produce.h"

/* What a tile is made of, by its key and recipe alone. */
struct tile_plan {
    struct terrane_plan ground; /* its regions are what the tile reads */
    bool holed;                 /* its mesh leaves out where caves open */
};

/* Of a finished key that is not shifted. */
void tile_plan_make(const struct tile_key *key, const struct terrane_recipe *recipe, struct tile_plan *plan);

/* The blob, owned by the caller; NULL when memory is short. key is canonical (tile_key_finish) and names this world's
 * seed; inputs are the blobs of the plan's regions. */
struct blob *tile_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                       const struct terrane_world *world, const struct tile_plan *plan,
                       struct blob *const *inputs, struct produce_times *times);

#endif
