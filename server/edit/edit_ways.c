/*
 * How many ways may lie over one place. Each sample under a way costs a look at its points, where a stroke costs one; so what a tile
 * costs is bounded by points, and a way is held to that where it lies, in tiles along its own line. Ways that reach beyond their
 * lines may meet where none of them was looked at: there are a few times as many at most.
 */
#include "edit_ways.h"

#include <stdlib.h>

enum { PLACES = 64, SIDE = 257 };

/* Of ways over the tile's worth of samples around a place; 0, too: memory is short. */
static size_t points_at(struct edit_log *log, const struct terrane_path_point *place)
{
    const struct terrane_window window = {.gi = place->x / TERRANE_EDIT_PARTS - SIDE / 2,
                                          .gj = place->y / TERRANE_EDIT_PARTS - SIDE / 2,
                                          .step = 1,
                                          .width = SIDE,
                                          .height = SIDE};
    struct terrane_edit *edits;
    const size_t count = edit_log_touching(log, edit_log_count(log), &window, &edits);
    size_t points = 0;
    for (size_t k = 0; count != EDIT_LOG_FAILED && k < count; k++)
        points += (size_t)edits[k].points;
    free(edits);
    return points;
}

bool edit_ways_have_room(struct edit_log *log, const struct terrane_edit *way)
{
    const int step = way->points > PLACES ? way->points / PLACES : 1;
    for (int k = 0; k < way->points; k += step)
        if (points_at(log, &way->line[k]) + (size_t)way->points > EDIT_WAYS_POINTS_MAX)
            return false;
    return true;
}
