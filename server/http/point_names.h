/*
 * What a place is called: its river or lake, by tiles that name them; the peak and the range that it stands on.
 */
#ifndef TERRANE_SERVER_POINT_NAMES_H
#define TERRANE_SERVER_POINT_NAMES_H

#include "../render/name_near.h"
#include "../tile/tile.h"
#include "places.h"

struct point_names {
    int asked; /* tiles, so far */
    struct near_name river, lake, peak, range;
};

/* Whether a tile may name the place's water, which lies at a level: that one is asked for next. world: that of rivers. */
bool point_names_ask(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level);

/* Its key, from that of the level's tile that the place lies in. */
void point_names_key(const struct point_names *names, const struct terrane_world *world,
                     const struct point *point, struct tile_key *key);

/* Reads it. -1: it is no such tile, or memory is short. */
int point_names_read(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level, const unsigned char *text, size_t bytes);

/* Whether it may stand on a peak or a range: point_names_find, which takes milliseconds, then finds them. -1: memory is short. */
bool point_names_stands(const struct terrane_world *world, const struct point *point);
int point_names_find(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level);

/* Tells those that there are. -1: memory is short. */
int point_names_tell(const struct point_names *names, json_t *object);

#endif
