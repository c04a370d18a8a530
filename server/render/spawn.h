/*
 * Where a world is worth seeing first: a coast or a valley with relief around it, and dry, gentle ground to stand on.
 */
#ifndef TERRANE_SERVER_SPAWN_H
#define TERRANE_SERVER_SPAWN_H

#include "../../lib/terrane.h"

struct spawn {
    double x_m, y_m; /* a sample of level 0: to the east, and to the south */
    double height_m; /* of the ground there: as the noise made it, and once it is settled as it is served */
    int level;       /* what there is to see is four tiles of it wide: 0 .. 8 */
};

/* terrane_spawn, with memory of its own: 130 KB and terrane_scratch_bytes. Any thread. Returns 0, or -1 when memory is short. */
int spawn_find(const struct terrane_world *world, struct spawn *spawn);

/* ---- On the ground as it is served (spawn_settle.c) ------------------------------------------------------ */

/*
 * Rivers cut deep where noise is low and gentle, and lakes fill it: so the place is looked for again in a tile of level 0, and where that
 * has none, in one that is 16 times as wide, and in one of level 0 there. Where a lake fills the wide one, too, one is looked at that
 * is wider by 16 again.
 */
enum { SPAWN_STAGES = 5 };
extern const int spawn_stage_level[SPAWN_STAGES];

/* The tile of a stage's level that a spawn lies in. */
void spawn_tile(const struct spawn *spawn, const struct terrane_world *world, int stage, int64_t *x,
                int64_t *y);

/*
 * Goes to the best place in that tile: dry, gentle all around, near; it stays where none is dry. height and water: the tile's f32 of
 * size 257, of ground and of the depth of water over it. Looks at a place in four along each axis: a tenth of a millisecond. Returns the
 * next stage, SPAWN_STAGES where the place will do.
 */
int spawn_settle(struct spawn *spawn, const struct terrane_world *world, int stage,
                 const unsigned char *height, const unsigned char *water);

/* ---- What has been found ------------------------------------------------------------------------------- */

/* Of the last worlds that were asked about; coarse: where the look at base ground leads. Any thread. */
struct spawns;
struct spawns *spawns_create(void); /* owned; NULL: memory is short */
void spawns_free(struct spawns *spawns);
bool spawns_get(struct spawns *spawns, const struct terrane_digest *world, bool coarse, struct spawn *spawn);
void spawns_put(struct spawns *spawns, const struct terrane_digest *world, bool coarse,
                const struct spawn *spawn);

#endif
