/*
 * How many ways may lie over one place. Each sample under a way costs a look at its points, where a stroke costs one; so what a tile
 * costs is bounded by points, and a way is held to that where it lies, in tiles along its own line. Ways that reach beyond their
 * lines may meet where none of them was looked at: there are a few times as many at most.
 */
#include "edit_ways.h"

enum { PLACES = 64, SIDE = 257 };

/* Of ways over the tile's worth of samples around a place. */
static size_t points_at(struct edit_log *log, const struct terrane_path_point *place)
{
    const struct terrane_window window = {.gi = place->x / TERRANE_EDIT_PARTS - SIDE / 2,
                                          .gj = place->y / TERRANE_EDIT_PARTS - SIDE / 2,
                                          .step = 1,
                                          .width = SIDE,
                                          .height = SIDE};
    return edit_log_way_points(log, &window);
}

bool edit_ways_have_room(struct edit_log *log, const struct terrane_edit *way)
{
    const int step = way->points > PLACES ? way->points / PLACES : 1;
    for (int k = 0; k < way->points; k += step)
        if (points_at(log, &way->line[k]) + (size_t)way->points > EDIT_WAYS_POINTS_MAX)
            return false;
    return true;
}
