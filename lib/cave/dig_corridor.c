/* Corridors: the way from a room to the open, and digging along it. See dig.h. */
#include "dig.h"

/* Ground at most this share of the standing height over the floor counts as low as the floor. */
#define LEVEL 0.25f
/* The last sample of a corridor is opened upwards where it must be, to so many standing heights. */
#define OPENED 2.5f
/* Ratio of a slope along steps of 5 and 7 to the real slope: 7 / 5 is below sqrt(2), plus rounding. */
#define EVEN 0.98

enum { FAR = INT32_MAX };

/* Min length of a step in a direction, in metres, times the slope that can be walked. */
static float walkable_m(const struct dig *dig, int direction)
{
    const double step_m = direction & 1 ? dig->sample_m * 1.4142135623730950 : dig->sample_m;
    return (float)(step_m * (double)dig->world->recipe->caves.slope);
}

/* ---- Entrance ------------------------------------------------------------------------------------------ */

/* True if the samples beyond a place in a direction can be walked. */
static bool leads_on(const struct dig *dig, uint32_t place, int direction)
{
    int x = (int)place % dig->side, y = (int)place / dig->side;
    const float max_m = walkable_m(dig, direction), sea_m = dig->world->recipe->sea_m;
    for (int k = 0; k < DIG_APPROACH; k++) {
        const float here_m = dig->ground[y * dig->side + x];
        x += dig_dx[direction], y += dig_dy[direction];
        if (!dig_inside(dig, x, y, 0))
            return false;
        const uint32_t next = (uint32_t)(y * dig->side + x);
        const float rise_m = dig->ground[next] - here_m;
        if (!(rise_m <= max_m && rise_m >= -max_m) || dig->wet[next] || !(dig->ground[next] > sea_m) ||
            dig->mark[next] >= DIG_ROOM)
            return false;
    }
    return true;
}

/* The step before, along the way from the room. */
static uint32_t before(const struct dig *dig, uint32_t place)
{
    const int d = dig->from[place];
    return (uint32_t)((int)place - dig_dy[d] * dig->side - dig_dx[d]);
}

/* The floor of the corridor, sloping evenly from the room's to the ground of the entrance. */
static float floor_at(const struct dig *dig, uint32_t place, float floor_m)
{
    const float share = (float)dig->way[place] / (float)dig->way[dig->entrance];
    return floor_m + (dig->ground[dig->entrance] - floor_m) * share;
}

/* True if a sample as low as the floor, reached from the rock, is the entrance. */
static bool is_entrance(struct dig *dig, uint32_t place, float floor_m)
{
    const uint32_t last = before(dig, place);
    const float ground_m = dig->ground[place], fall_m = floor_m - ground_m;
    const double max_m =
        (double)dig->world->recipe->caves.slope * dig->sample_m * dig->way[place] / DIG_WAY * EVEN;
    if ((double)fall_m > max_m || (double)fall_m < -max_m || fall_m > dig->world->recipe->caves.height_m ||
        dig->mark[last] >= DIG_ROOM || dig->wet[place] || !(ground_m > dig->world->recipe->sea_m))
        return false;
    dig->entrance = place;
    if (dig->ground[last] - floor_at(dig, last, floor_m) > OPENED * dig->standing_m)
        return false;
    static const int turn[3] = {0, 1, 7};
    for (int k = 0; k < 3; k++)
        if (leads_on(dig, place, (dig->from[place] + turn[k]) & 7))
            return true;
    return false;
}

/* ---- Way ----------------------------------------------------------------------------------------------- */

static void step_on(struct dig *dig, uint32_t place)
{
    const int x = (int)place % dig->side, y = (int)place / dig->side;
    for (int d = 0; d < 8; d++) {
        const int i = x + dig_dx[d], j = y + dig_dy[d];
        const uint32_t next = (uint32_t)(j * dig->side + i), way = dig->way[place] + (d & 1 ? 7 : DIG_WAY);
        if (!dig_inside(dig, i, j, DIG_EDGE) || dig->mark[next] >= DIG_ROOM || way > DIG_WAY_MAX ||
            way >= dig->way[next])
            continue;
        dig->way[next] = way;
        dig->from[next] = (uint8_t)d;
        heap_push(&dig->heap, (uint64_t)way << 32 | next);
    }
}

/* The nearest entrance. Of equally long ways to a sample the first one found wins: they are found in order of places. */
static bool find_entrance(struct dig *dig, float floor_m)
{
    const uint32_t samples = (uint32_t)(dig->side * dig->side);
    const float low_m = floor_m + LEVEL * dig->standing_m;
    dig->heap.count = 0;
    for (uint32_t k = 0; k < samples; k++)
        dig->way[k] = dig->mark[k] >= DIG_ROOM ? 0 : FAR;
    for (uint32_t k = 0; k < samples; k++)
        if (dig->mark[k] == DIG_ROOM) /* at the wall */
            step_on(dig, k);
    while (dig->heap.count > 0) {
        const uint64_t entry = heap_pop(&dig->heap);
        const uint32_t place = (uint32_t)entry;
        if (entry >> 32 != dig->way[place] || dig->wet[place])
            continue;
        if (dig->ground[place] > low_m)
            step_on(dig, place);
        else if (is_entrance(dig, place, floor_m))
            return true;
    }
    return false;
}

/* ---- Digging ------------------------------------------------------------------------------------------- */

/* Digs a sample of the way. */
static void dig_middle(struct dig *dig, uint32_t place, float floor_m, bool last)
{
    const float here_m = floor_at(dig, place, floor_m);
    const float level_m = dig->ground[place] + LEVEL * dig->standing_m;
    float ceiling_m = here_m + dig->standing_m;
    ceiling_m = last && ceiling_m < level_m ? level_m : ceiling_m;
    dig->floor[place] = here_m;
    dig->ceiling[place] = ceiling_m;
}

/* Digs beside a sample of the way, where the rock over it holds, and at the mouth. */
static void dig_side(struct dig *dig, uint32_t middle, int direction, float floor_m)
{
    const int place = (int)middle + dig_dy[direction] * dig->side + dig_dx[direction];
    const float here_m = floor_at(dig, middle, floor_m), ceiling_m = here_m + dig->standing_m;
    const bool open = dig->ground[middle] < dig->ceiling[middle];
    const float min_m = open ? here_m + LEVEL * 0.5f * dig->standing_m : ceiling_m;
    if (dig->floor[place] != TERRANE_ROCK || !(dig->ground[place] > min_m) || dig->wet[place] ||
        !dig_inside(dig, place % dig->side, place / dig->side, DIG_EDGE - 1))
        return;
    dig->floor[place] = here_m;
    dig->ceiling[place] = ceiling_m;
}

/*
 * Widens the mouth beside the last sample and the entrance, across the way; ground before it that is about as high as the
 * entrance becomes its sill.
 */
static void widen_mouth(struct dig *dig, uint32_t last, int direction)
{
    const float entrance_m = dig->ground[dig->entrance], max_m = walkable_m(dig, direction);
    const int across = dig_dy[direction] * dig->side + dig_dx[direction];
    const int side = (int)last + across, sill = (int)dig->entrance + across;
    const float level_m = dig->ground[side] + LEVEL * dig->standing_m;
    if (dig->floor[side] == TERRANE_ROCK || dig->mark[side] >= DIG_ROOM ||
        dig->ground[side] - dig->floor[side] > OPENED * dig->standing_m)
        return;
    dig->ceiling[side] = dig->ceiling[side] < level_m ? level_m : dig->ceiling[side];
    const float rise_m = dig->ground[sill] - entrance_m;
    if (dig->floor[sill] != TERRANE_ROCK || dig->wet[sill] || rise_m > max_m || rise_m < -max_m)
        return;
    dig->floor[sill] = dig->ground[sill];
    dig->ceiling[sill] = dig->ground[sill] + dig->standing_m;
}

bool dig_corridor(struct dig *dig, float floor_m)
{
    if (!find_entrance(dig, floor_m))
        return false;
    const uint32_t last = before(dig, dig->entrance);
    dig->floor[dig->entrance] = dig->ground[dig->entrance];
    dig->ceiling[dig->entrance] = dig->ground[dig->entrance] + dig->standing_m;
    for (uint32_t k = last; dig->mark[k] < DIG_ROOM; k = before(dig, k))
        dig_middle(dig, k, floor_m, k == last);
    for (int odd = 0; odd < 2; odd++) /* those beside it first, then those at its corners */
        for (uint32_t k = last; dig->mark[k] < DIG_ROOM; k = before(dig, k))
            for (int d = odd; d < 8; d += 2)
                dig_side(dig, k, d, floor_m);
    widen_mouth(dig, last, (dig->from[dig->entrance] + 2) & 7);
    widen_mouth(dig, last, (dig->from[dig->entrance] + 6) & 7);
    return true;
}
