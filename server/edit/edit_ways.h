/*
 * How many ways may lie over one place.
 */
#ifndef TERRANE_SERVER_EDIT_WAYS_H
#define TERRANE_SERVER_EDIT_WAYS_H

#include "edit_log.h"

enum {
    EDIT_WAYS_POINTS_MAX = 16 * TERRANE_EDIT_WAY_POINTS
}; /* of ways over a tile along a new one's line, with its own */

/* Whether a way may be laid over those that lie where it does now. */
bool edit_ways_have_room(struct edit_log *log, const struct terrane_edit *way);

#endif
