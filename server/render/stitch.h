/*
 * Tiles that lie between tiles: the root of a pyramid whose middle is the world's origin, put together from the quarters or
 * halves of the tiles around it. Their samples are copied, so they are those tiles' own.
 */
#ifndef TERRANE_SERVER_STITCH_H
#define TERRANE_SERVER_STITCH_H

#include "produce.h"

enum { STITCH_INPUTS_MAX = 4 };

/* The keys of the tiles that a shifted key's tile is made of. Returns how many. */
int stitch_inputs(const struct tile_key *key, struct tile_key inputs[static STITCH_INPUTS_MAX]);

/* The blob, owned by the caller; NULL when memory is short, or an input is not a tile of its key. */
struct blob *stitch_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                         const struct terrane_world *world, struct blob *const *inputs,
                         struct produce_times *times);

#endif
