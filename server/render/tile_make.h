/*
 * From a tile's key to its blob: samples by libterrane, bytes by encode/.
 */
#ifndef TERRANE_SERVER_TILE_MAKE_H
#define TERRANE_SERVER_TILE_MAKE_H

#include "produce.h"
#include "region.h"

/* Erosion; and 2 x 2 regions each of lakes, networks and caves, of tiles of size 512 whose samples are as coarse as those are
 * shown: those of size 256 or 257 cover a quarter of it. */
enum { TILE_REGIONS_MAX = 1 + 3 * 4 };

/* The regions that a finished key's tile reads: of erosion, where its variant and layer have any, then of lakes, of networks
 * and of caves, each row by row. Returns how many. */
int tile_regions(const struct tile_key *key, const struct terrane_recipe *recipe,
                 struct region region[static TILE_REGIONS_MAX]);

/* The blob, owned by the caller; NULL when memory is short. key is canonical (tile_key_finish) and names this world's
 * seed; inputs are the blobs of tile_regions. */
struct blob *tile_make(struct producer *producer, const struct tile_key *key,
                       const struct terrane_world *world, struct blob *const *inputs,
                       struct produce_times *times);

#endif
