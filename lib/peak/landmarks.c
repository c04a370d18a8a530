/*
 * Landmarks: tops of a field of numbers (field.h), found from the coarsest lattice down, so that a mountain is one and the same at every level.
 *
 * Going down from a level to the next, what was found climbs to the highest of the 5 x 5 samples around it, and what the level finds is
 * left out where one of those stands. What is found of an area is right where all of the level above is known of an area around it,
 * wider by what a peak keeps free and by how far it climbs. The areas of all levels follow from the tile.
 */
#include <float.h>

#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "../terrane_features.h"
#include "around.h"
#include "field.h"

/* What kinds differ in. */
static const struct kind_row {
    uint64_t salt;
    int bottom; /* the finest level that has own ones */
    int above;  /* levels above a tile's own whose it shows at least, so that few are beside each other */
    bool stays; /* on its sample, from level to level */
} kind_row[TERRANE_LANDMARKS] = {
    [TERRANE_LANDMARK_PEAK] = {UINT64_C(0x5065616B), 0, 0, false},   /* "Peak" */
    [TERRANE_LANDMARK_SEA] = {UINT64_C(0x44656570), 4, 1, false},    /* "Deep" */
    [TERRANE_LANDMARK_RANGE] = {UINT64_C(0x52616E67), 10, 2, true},  /* "Rang" */
    [TERRANE_LANDMARK_CAPE] = {UINT64_C(0x43617065), 4, 1, false},   /* "Cape" */
    [TERRANE_LANDMARK_BAY] = {UINT64_C(0x42617920), 4, 1, false},    /* "Bay " */
    [TERRANE_LANDMARK_ISLAND] = {UINT64_C(0x49736C65), 2, 0, false}, /* "Isle" */
    [TERRANE_LANDMARK_TRACT] = {UINT64_C(0x54726163), 3, 2, true},   /* "Trac" */
    [TERRANE_LANDMARK_BANK] = {UINT64_C(0x42616E6B), 4, 1, false},   /* "Bank" */
};

enum {
    CELL_LOG2 = 5,
    CELL = 1 << CELL_LOG2,
    REACH = AROUND_REACH, /* samples around a peak without a higher one, and without another peak */
    DRIFT = 2,            /* ... that it climbs on a level at most */
    AROUND = 2 * DRIFT + 1,
    WIDE = 2 * (REACH + DRIFT + 1) + TERRANE_TILE_SAMPLES, /* an area's most */
    FOUND_MAX = (WIDE / CELL + 2) * (WIDE / CELL + 2) * (TERRANE_LANDMARK_TOP + 1),
    SIDE_MAX = (WIDE / CELL + 2) * CELL + 2 * REACH, /* of the window of an area's cells */
};

/* Samples of a level; those of east and south are the first beyond. */
struct area {
    int64_t west, north, east, south;
};

/* What was found of a kind, at samples of the level that is under work. */
struct found {
    int marks;
    struct terrane_landmark mark[FOUND_MAX];
};

struct search {
    struct field field;
    struct area area[TERRANE_LEVEL_MAX + 1];
    float *number; /* room for SIDE_MAX squared */
    unsigned kinds;
    int level, from[TERRANE_LANDMARKS]; /* whose each shows */
    struct found of[TERRANE_LANDMARKS];
};

static bool within(const struct area *area, int64_t gi, int64_t gj, int more)
{
    return gi >= area->west - more && gj >= area->north - more && gi < area->east + more &&
           gj < area->south + more;
}

/* What has to be known of the level above, for an area's peaks to be right. */
static struct area above(const struct area *area)
{
    const int more = REACH / 2 + DRIFT;
    return (struct area){
        .west = (area->west >> 1) - more,
        .north = (area->north >> 1) - more,
        .east = ((area->east + 1) >> 1) + more,
        .south = ((area->south + 1) >> 1) + more,
    };
}

/* ---- A level's own -------------------------------------------------------------------------------------- */

/* That a peak rises over all that lies REACH samples off: an eighth of a step, and less of steps so long that slopes are not. */
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
    float border = number[at - REACH * (width + 1)];
    for (int j = -REACH; j <= REACH; j++)
        for (int i = -REACH; i <= REACH; i++) {
            const float other = number[at + j * width + i];
            if (other >= number[at] && (i != 0 || j != 0))
                return false;
            if ((i == -REACH || i == REACH || j == -REACH || j == REACH) && other > border)
                border = other;
        }
    *rise = number[at] - border;
    return true;
}

/* What a top has to rise over its border, and what to be at least. */
struct needed {
    double rise, number;
};

static struct needed needed_of(const struct search *search, enum terrane_landmark_kind kind, int level)
{
    const double rise_m = min_rise_m(terrane_lattice_m(search->field.world, level, 1)),
                 sea_m = (double)search->field.world->recipe->sea_m;
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

static bool is_near_another(const struct found *found, int before, int64_t gi, int64_t gj)
{
    for (int k = 0; k < before; k++) {
        const struct terrane_landmark *mark = &found->mark[k];
        if (mark->gi >= gi - REACH && mark->gi <= gi + REACH && mark->gj >= gj - REACH &&
            mark->gj <= gj + REACH)
            return true;
    }
    return false;
}

/* The highest sample of a cell, the first of them, as a place in the window. */
static int highest_of(const float *number, int width, int at)
{
    int best = at;
    for (int j = 0; j < CELL; j++)
        for (int i = 0; i < CELL; i++)
            if (number[at + j * width + i] > number[best])
                best = at + j * width + i;
    return best;
}

/* The landmark at a sample of the window whose numbers are a kind's; false: it is none. */
static bool mark_at(const struct search *search, enum terrane_landmark_kind kind, int at,
                    struct terrane_landmark *mark)
{
    const struct field *field = &search->field;
    const int width = field->window.width;
    const struct needed needed = needed_of(search, kind, field->window.level);
    *mark = (struct terrane_landmark){.kind = kind,
                                      .level = field->window.level,
                                      .gi = field->window.gi + at % width,
                                      .gj = field->window.gj + at / width};
    mark->cx = mark->gi >> CELL_LOG2;
    mark->cy = mark->gj >> CELL_LOG2;
    if ((double)search->number[at] < needed.number || !stands_out(search->number, width, at, &mark->rise) ||
        (double)mark->rise < needed.rise ||
        (kind == TERRANE_LANDMARK_BANK && search->number[at] > search->field.world->recipe->sea_m))
        return false;
    if (kind == TERRANE_LANDMARK_RANGE)
        around_run(search->number, width, at, mark->run);
    if (kind == TERRANE_LANDMARK_TRACT)
        mark->zone = field_zone(field, at);
    return kind != TERRANE_LANDMARK_ISLAND || around_is_island(search->number, width, at);
}

/* A kind's landmarks of the level's cells that are looked at, beside which no coarser one stands: those are found already. */
static void find_kind(struct search *search, enum terrane_landmark_kind kind)
{
    const struct terrane_window *window = &search->field.window;
    struct found *found = &search->of[kind];
    const int before = found->marks;
    field_numbers(&search->field, kind, search->number);
    for (int j = REACH; j + REACH < window->height; j += CELL)
        for (int i = REACH; i + REACH < window->width; i += CELL) {
            const int at = highest_of(search->number, window->width, j * window->width + i);
            const int64_t gi = window->gi + at % window->width, gj = window->gj + at / window->width;
            if (within(&search->area[window->level], gi, gj, 0) && !is_near_another(found, before, gi, gj) &&
                mark_at(search, kind, at, &found->mark[found->marks]))
                found->marks++;
        }
}

static bool is_due(const struct search *search, int kind, int level)
{
    return search->kinds >> kind & 1 && level >= search->from[kind];
}

/* All that a level adds. */
static int find_level(struct search *search, int level)
{
    const struct area *area = &search->area[level];
    const int64_t west = area->west >> CELL_LOG2, north = area->north >> CELL_LOG2,
                  east = (area->east - 1) >> CELL_LOG2, south = (area->south - 1) >> CELL_LOG2;
    const struct terrane_window window = {.level = level,
                                          .gi = west * CELL - REACH,
                                          .gj = north * CELL - REACH,
                                          .step = 1,
                                          .width = (int)(east - west + 1) * CELL + 2 * REACH,
                                          .height = (int)(south - north + 1) * CELL + 2 * REACH};
    int reach = -1;
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++)
        if (is_due(search, kind, level))
            reach = max_int(reach, field_reach((enum terrane_landmark_kind)kind));
    const int error =
        reach >= 0 ? field_look(&search->field, &window, reach, is_due(search, TERRANE_LANDMARK_TRACT, level))
                   : 0;
    for (int kind = 0; kind < TERRANE_LANDMARKS && error == 0; kind++)
        if (is_due(search, kind, level))
            find_kind(search, (enum terrane_landmark_kind)kind);
    return error;
}

/* ---- From a level to the next ---------------------------------------------------------------------------- */

/* Moves a landmark of the level above to this one's samples. */
static int climb(struct search *search, int level, struct terrane_landmark *mark)
{
    float number[AROUND * AROUND];
    const struct terrane_window window = {.level = level,
                                          .gi = 2 * mark->gi - DRIFT,
                                          .gj = 2 * mark->gj - DRIFT,
                                          .step = 1,
                                          .width = AROUND,
                                          .height = AROUND};
    int best = DRIFT * AROUND + DRIFT, error = 0; /* where it is, unless others are higher */
    if (!kind_row[mark->kind].stays) {
        error = field_look(&search->field, &window, field_reach(mark->kind), false);
        if (error)
            return error;
        field_numbers(&search->field, mark->kind, number);
        for (int at = 0; at < AROUND * AROUND; at++)
            if (number[at] > number[best])
                best = at;
    }
    mark->gi = window.gi + best % AROUND;
    mark->gj = window.gj + best / AROUND;
    return error;
}

/* All of a kind that were found, but what can be of no use from here on. */
static int climb_all(struct search *search, int level, struct found *found)
{
    int kept = 0;
    for (int k = 0; k < found->marks; k++) {
        struct terrane_landmark mark = found->mark[k];
        const int error = climb(search, level, &mark);
        if (error)
            return error;
        if (within(&search->area[level], mark.gi, mark.gj, REACH))
            found->mark[kept++] = mark;
    }
    found->marks = kept;
    return 0;
}

/* Down from the coarsest level to the tile's. */
static int search_down(struct search *search)
{
    int error = 0;
    for (int at = TERRANE_LANDMARK_TOP; at >= search->level && error == 0; at--) {
        for (int kind = 0; kind < TERRANE_LANDMARKS && at < TERRANE_LANDMARK_TOP && error == 0; kind++)
            error = climb_all(search, at, &search->of[kind]);
        if (error == 0)
            error = find_level(search, at);
    }
    return error;
}

static void begin(struct search *search, unsigned kinds, int level, const struct area *area)
{
    search->kinds = kinds;
    search->level = level;
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++) {
        const struct kind_row *row = &kind_row[kind];
        search->from[kind] = max_int(min_int(level + row->above, TERRANE_LANDMARK_TOP), row->bottom);
        search->of[kind].marks = 0;
    }
    search->area[level] = *area;
    for (int at = level; at < TERRANE_LANDMARK_TOP; at++)
        search->area[at + 1] = above(&search->area[at]);
}

static uint64_t id_of(const struct terrane_world *world, const struct terrane_landmark *mark)
{
    const uint64_t key = hash_absorb(world->ids, kind_row[mark->kind].salt);
    return hash_absorb(hash_absorb(hash_absorb(key, (uint64_t)mark->level), (uint64_t)mark->cx),
                       (uint64_t)mark->cy);
}

/* Of an area that is no wider than a tile. */
static int find_all(const struct terrane_world *world, unsigned kinds, int level, const struct area *area,
                    const struct terrane_memory *memory, struct terrane_landmark *mark, int *marks)
{
    struct search *search = memory_take(memory, sizeof *search);
    float *number = memory_take(memory, (size_t)SIDE_MAX * SIDE_MAX * sizeof *number);
    if (!search || !number || !field_open(&search->field, world, memory, SIDE_MAX)) {
        memory_give(memory, number);
        memory_give(memory, search);
        return TERRANE_EMEMORY;
    }
    search->number = number;
    begin(search, kinds, level, area);
    const int error = search_down(search);
    for (int kind = 0; kind < TERRANE_LANDMARKS && error == 0; kind++)
        for (int k = 0; k < search->of[kind].marks; k++)
            if (within(area, search->of[kind].mark[k].gi, search->of[kind].mark[k].gj, 0))
                mark[(*marks)++] = search->of[kind].mark[k];
    for (int k = 0; k < *marks; k++)
        mark[k].id = id_of(world, &mark[k]);
    field_close(&search->field);
    memory_give(memory, number);
    memory_give(memory, search);
    return error;
}

int terrane_landmarks(const struct terrane_world *world, unsigned kinds, const struct terrane_window *window,
                      const struct terrane_memory *memory, struct terrane_landmark *mark, int *marks)
{
    const int64_t max = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES, side = TERRANE_TILE_SAMPLES;
    const struct area area = {window->gi, window->gj, window->gi + window->width,
                              window->gj + window->height};
    *marks = 0;
    if (window->level < 0 || window->level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    if (!window_valid(window) || window->step != 1 || window->width > side || window->height > side ||
        window->gi < -max - side || window->gj < -max - side || window->gi > max || window->gj > max)
        return TERRANE_EWINDOW;
    if (window->level > TERRANE_LANDMARK_TOP)
        return 0;
    return find_all(world, kinds, window->level, &area, memory, mark, marks);
}
