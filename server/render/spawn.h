/*
 * Where a world is worth seeing first: a coast or a valley with relief around it, and dry, gentle ground to stand on.
 */
#ifndef TERRANE_SERVER_SPAWN_H
#define TERRANE_SERVER_SPAWN_H

#include "../../lib/terrane.h"

struct spawn {
    double x_m, y_m; /* a sample of level 0: to the east, and to the south */
    double height_m; /* of the ground there as the noise made it */
    int level;       /* what there is to see is four tiles of it wide: 0 .. 8 */
};

/*
 * A function of the world alone, the same on every machine: samples of base ground, compared as whole numbers. A world in which no land with
 * relief is seen within 2^22 samples of level 0 has it by the origin. Makes SPAWN_SAMPLES_MOST samples at most, which is less than two and a half tiles' worth, and takes
 * terrane_scratch_bytes and 130 KB. Any thread. Returns 0, or -1 when memory is short.
 */
enum { SPAWN_SAMPLES_MOST = 7 * 128 * 128 + 6 * 65 * 65 + 1 };
int spawn_find(const struct terrane_world *world, struct spawn *spawn);

/* ---- What has been found ------------------------------------------------------------------------------- */

/* Of the last worlds that were asked about. Any thread. */
struct spawns;
struct spawns *spawns_create(void); /* owned; NULL: memory is short */
void spawns_free(struct spawns *spawns);
bool spawns_get(struct spawns *spawns, const struct terrane_digest *world, struct spawn *spawn);
void spawns_put(struct spawns *spawns, const struct terrane_digest *world, const struct spawn *spawn);

#endif
