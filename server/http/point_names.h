/*
 * What a place is called, by tiles that name it: its river or lake; the peak and the range that it stands on.
 */
#ifndef TERRANE_SERVER_POINT_NAMES_H
#define TERRANE_SERVER_POINT_NAMES_H

#include "../render/name_near.h"
#include "../tile/tile.h"
#include "places.h"

struct point_names {
    bool asked;  /* the tile of its water */
    bool listed; /* then the one whose json lists what has a name */
    struct near_name river, lake, peak, range;
};

/* Whether another tile may name the place, which is looked at on a level: that one is asked for next. */
bool point_names_ask(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level);

/* Its key, from that of the level's tile that the place lies in. */
void point_names_key(const struct point_names *names, const struct terrane_world *world,
                     const struct point *point, struct tile_key *key);

/* Reads it. -1: it is no such tile, or memory is short. */
int point_names_read(struct point_names *names, const struct terrane_world *world, const struct point *point,
                     int level, const unsigned char *text, size_t bytes);

/* Tells those that there are, as json_put does. */
void point_names_tell(const struct point_names *names, json_t **object);

#endif
