/*
 * What a thread keeps of the ground of its last tile: struct ground_kept (tile_make.h).
 */
#ifndef TERRANE_SERVER_GROUND_KEPT_H
#define TERRANE_SERVER_GROUND_KEPT_H

#include "tile_make.h"

/* Moves what is kept into a ground that has been opened, and has no layers yet, where it is of the same world and plan. Of a part that
 * begins at the same sample (pictures have no far edge) the heights around it are copied, and the rest stays. Else drops it,
 * so that it takes no memory beside another. */
void ground_take(struct ground_kept *kept, struct terrane_ground *ground);

/* Moves a ground's layers, before it is closed, into what is kept, where they are no more than may be, and nothing has stayed. */
void ground_keep(struct ground_kept *kept, struct terrane_ground *ground);

#endif
