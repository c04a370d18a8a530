#include "summit.h"

#include <float.h>
#include <string.h>

#include "../base/window.h"

/* That a peak rises over all that lies TOPS_REACH samples off: an eighth of a step, and less of steps so long that slopes are not. */
static double min_rise_m(double step_m)
{
    const double steep_m = 64, max_m = 400, rise_m = step_m / 8;
    if (step_m <= steep_m)
        return rise_m;
    const double gentle_m = (steep_m + (step_m - steep_m) / 8) / 8;
    return gentle_m < max_m ? gentle_m : max_m;
}

/* Numbers around a sample of a window: whether none is as high, and by how much it is above those at the border. */
static bool stands_out(const float *number, int width, int at, float *rise)
{
    float border = number[at - TOPS_REACH * (width + 1)];
    for (int j = -TOPS_REACH; j <= TOPS_REACH; j++)
        for (int i = -TOPS_REACH; i <= TOPS_REACH; i++) {
            const float other = number[at + j * width + i];
            if (other >= number[at] && (i != 0 || j != 0))
                return false;
            if ((i == -TOPS_REACH || i == TOPS_REACH || j == -TOPS_REACH || j == TOPS_REACH) &&
                other > border)
                border = other;
        }
    *rise = number[at] - border;
    return true;
}

/* What a top has to rise over its border, and what to be at least. */
struct needed {
    double rise, number;
};

static struct needed needed_of(const struct terrane_world *world, enum terrane_landmark_kind kind, int level)
{
    const double rise_m = min_rise_m(terrane_lattice_m(world, level, 1)),
                 sea_m = (double)world->recipe->sea_m;
    switch (kind) {
    case TERRANE_LANDMARK_PEAK:
        return (struct needed){rise_m, sea_m + rise_m};
    case TERRANE_LANDMARK_SEA:
        return (struct needed){rise_m, -sea_m + rise_m};
    case TERRANE_LANDMARK_RANGE: /* means over a square rise less than its ground */
        return (struct needed){rise_m / 2, rise_m};
    case TERRANE_LANDMARK_ISLAND:
        return (struct needed){0, rise_m / 4};
    case TERRANE_LANDMARK_BANK:
        return (struct needed){rise_m / 2, -DBL_MAX};
    case TERRANE_LANDMARK_CAPE:
    case TERRANE_LANDMARK_BAY:
    case TERRANE_LANDMARK_TRACT:
    case TERRANE_LANDMARKS:
        break;
    }
    return (struct needed){0, 0};
}

/* Columns are compared side by side. */
int top_highest(const float *number, int width, int at)
{
    float most[TOPS_CELL], best;
    memcpy(most, number + at, sizeof most);
    for (int j = 1; j < TOPS_CELL; j++)
        for (int i = 0; i < TOPS_CELL; i++)
            most[i] = most[i] > number[at + j * width + i] ? most[i] : number[at + j * width + i];
    best = most[0];
    for (int i = 1; i < TOPS_CELL; i++)
        best = most[i] > best ? most[i] : best;
    for (int i = 0; i < TOPS_CELL * TOPS_CELL; i++)
        if (number[at + i / TOPS_CELL * width + i % TOPS_CELL] >= best)
            return at + i / TOPS_CELL * width + i % TOPS_CELL;
    return at;
}

bool top_is(const struct numbers *field, const float *number, enum terrane_landmark_kind kind, int at,
            struct memo_mark *mark)
{
    const int width = field->window.width;
    const struct needed needed = needed_of(field->world, kind, field->window.level);
    *mark = (struct memo_mark){.column = (uint8_t)((field->window.gi + at % width) & (TOPS_CELL - 1)),
                               .row = (uint8_t)((field->window.gj + at / width) & (TOPS_CELL - 1))};
    if ((double)number[at] < needed.number || !stands_out(number, width, at, &mark->rise) ||
        (double)mark->rise < needed.rise ||
        (kind == TERRANE_LANDMARK_BANK && number[at] > field->world->recipe->sea_m))
        return false;
    if (kind == TERRANE_LANDMARK_RANGE)
        around_run(number, width, at, mark->run);
    if (kind == TERRANE_LANDMARK_TRACT)
        mark->zone = (uint8_t)field_zone(field, at);
    return kind != TERRANE_LANDMARK_ISLAND || around_is_island(number, width, at);
}
