/*
 * Landmarks: tops of a field of numbers (field.h), found from the coarsest lattice down, so that a mountain is one and the same at every level.
 *
 * Going down from a level to the next, what was found climbs to the highest of the 5 x 5 samples around it, and what the level finds is
 * left out where one of those stands. What is found of an area is right where all of the level above is known of an area around it,
 * wider by what a peak keeps free and by how far it climbs. The areas of all levels follow from the tile.
 */
#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "tops.h"

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
    REACH = TOPS_REACH, /* samples around a peak without another */
    DRIFT = TOPS_DRIFT,
    WIDE = 2 * (REACH + DRIFT + 1) + TERRANE_TILE_SAMPLES, /* an area's most */
    FOUND_MAX = (WIDE / TOPS_CELL + 2) * (WIDE / TOPS_CELL + 2) * (TERRANE_LANDMARK_TOP + 1)
};
_Static_assert(WIDE / TOPS_CELL + 2 <= TOPS_ACROSS, "cells of an area");

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
    struct tops tops;
    struct area area[TERRANE_LEVEL_MAX + 1];
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

/* A kind's landmarks of the level's cells that are looked at, beside which no coarser one stands: those are found already. */
static void find_kind(struct search *search, int level, enum terrane_landmark_kind kind)
{
    struct found *found = &search->of[kind];
    const int before = found->marks;
    for (int cell = 0; cell < search->tops.across * search->tops.down; cell++) {
        struct terrane_landmark *mark = &found->mark[found->marks];
        if (tops_mark(&search->tops, cell, kind, mark) &&
            within(&search->area[level], mark->gi, mark->gj, 0) &&
            !is_near_another(found, before, mark->gi, mark->gj))
            found->marks++;
    }
}

/* All that a level adds. */
static int find_level(struct search *search, int level)
{
    const struct area *area = &search->area[level];
    struct tops *tops = &search->tops;
    unsigned kinds = 0;
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++)
        if (search->kinds >> kind & 1 && level >= search->from[kind])
            kinds |= 1U << kind;
    if (kinds == 0)
        return 0;
    tops->west = area->west >> TOPS_CELL_LOG2;
    tops->north = area->north >> TOPS_CELL_LOG2;
    tops->across = (int)(((area->east - 1) >> TOPS_CELL_LOG2) - tops->west) + 1;
    tops->down = (int)(((area->south - 1) >> TOPS_CELL_LOG2) - tops->north) + 1;
    const int error = tops_look(tops, level, kinds);
    for (int kind = 0; kind < TERRANE_LANDMARKS && error == 0; kind++)
        if (kinds >> kind & 1)
            find_kind(search, level, (enum terrane_landmark_kind)kind);
    return error;
}

/* ---- From a level to the next ---------------------------------------------------------------------------- */

/* Moves a landmark of the level above to this one's samples. */
static int climb(struct search *search, int level, struct terrane_landmark *mark)
{
    if (!kind_row[mark->kind].stays)
        return tops_climb(&search->tops, level, mark);
    mark->gi *= 2;
    mark->gj *= 2;
    return 0;
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
    if (!search || !tops_open(&search->tops, world, memory)) {
        memory_give(memory, search);
        return TERRANE_EMEMORY;
    }
    begin(search, kinds, level, area);
    const int error = search_down(search);
    for (int kind = 0; kind < TERRANE_LANDMARKS && error == 0; kind++)
        for (int k = 0; k < search->of[kind].marks; k++)
            if (within(area, search->of[kind].mark[k].gi, search->of[kind].mark[k].gj, 0))
                mark[(*marks)++] = search->of[kind].mark[k];
    for (int k = 0; k < *marks; k++)
        mark[k].id = id_of(world, &mark[k]);
    tops_close(&search->tops);
    memory_give(memory, search);
    return error;
}

int terrane_landmarks(const struct terrane_world *world, unsigned kinds, const struct terrane_window *window,
                      const struct terrane_memory *memory, struct terrane_landmark *mark, int *marks)
{
    const int64_t max = TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES, side = TERRANE_TILE_SAMPLES;
    *marks = 0;
    if (window->level < 0 || window->level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    if (!window_valid(window) || window->step != 1 || window->width > side || window->height > side ||
        window->gi < -max - side || window->gj < -max - side || window->gi > max || window->gj > max)
        return TERRANE_EWINDOW;
    if (window->level > TERRANE_LANDMARK_TOP)
        return 0;
    const struct area area = {window->gi, window->gj, window->gi + window->width,
                              window->gj + window->height};
    return find_all(world, kinds, window->level, &area, memory, mark, marks);
}
