/*
 * Peaks: tops of the base surface, found from the coarsest lattice down, so that a mountain is one and the same at every level.
 * Deeps are those of the surface turned upside down, so all of this holds for them.
 *
 * Going down from a level to the next, what was found climbs to the highest of the 5 x 5 samples around it, and what the level finds is
 * left out where one of those stands. What is found of an area is right where all of the level above is known of an area around it,
 * wider by what a peak keeps free and by how far it climbs. The areas of all levels follow from the tile.
 */
#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/min_max.h"
#include "../base/window.h"
#include "../terrane_features.h"

enum {
    CELL_LOG2 = 5,
    CELL = 1 << CELL_LOG2,
    REACH = 16, /* samples around a peak without a higher one, and without another peak */
    DRIFT = 2,  /* ... that it climbs on a level at most */
    AROUND = 2 * DRIFT + 1,
    WIDE = 2 * (REACH + DRIFT + 1) + TERRANE_TILE_SAMPLES, /* an area's most */
    FOUND_MAX = (WIDE / CELL + 2) * (WIDE / CELL + 2) * (TERRANE_PEAK_TOP + 1),
    SIDE_MAX = (WIDE / CELL + 2) * CELL + 2 * REACH, /* of the window of an area's cells */
};

/* Samples of a level; those of east and south are the first beyond. */
struct area {
    int64_t west, north, east, south;
};

struct search {
    const struct terrane_world *world;
    const struct terrane_memory *memory;
    bool deep; /* deeps are looked for: heights are turned upside down */
    struct area area[TERRANE_LEVEL_MAX + 1];
    float *height; /* room for SIDE_MAX squared */
    int found;
    struct terrane_peak peak[FOUND_MAX]; /* at samples of the level that is under work */
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

static int make_heights(const struct search *search, const struct terrane_window *window, float *height)
{
    const int error = terrane_heights(search->world, window, search->memory, height);
    for (int k = 0; search->deep && error == 0 && k < window->width * window->height; k++)
        height[k] = -height[k];
    return error;
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

/* Heights around a sample of a window: whether none is as high, and by how much it is above those at the border. */
static bool stands_out(const float *height, int width, int at, float *rise_m)
{
    float border = height[at - REACH * (width + 1)];
    for (int j = -REACH; j <= REACH; j++)
        for (int i = -REACH; i <= REACH; i++) {
            const float other = height[at + j * width + i];
            if (other >= height[at] && (i != 0 || j != 0))
                return false;
            if ((i == -REACH || i == REACH || j == -REACH || j == REACH) && other > border)
                border = other;
        }
    *rise_m = height[at] - border;
    return true;
}

static bool is_near_another(const struct search *search, int before, int64_t gi, int64_t gj)
{
    for (int k = 0; k < before; k++) {
        const struct terrane_peak *peak = &search->peak[k];
        if (peak->gi >= gi - REACH && peak->gi <= gi + REACH && peak->gj >= gj - REACH &&
            peak->gj <= gj + REACH)
            return true;
    }
    return false;
}

/* The highest sample of a cell, the first of them, as a place in the window. */
static int highest_of(const float *height, int width, int at)
{
    int best = at;
    for (int j = 0; j < CELL; j++)
        for (int i = 0; i < CELL; i++)
            if (height[at + j * width + i] > height[best])
                best = at + j * width + i;
    return best;
}

/* Peaks of a level's cells, beside which no coarser one stands; those are the first `before`. */
static int find_peaks(struct search *search, int level)
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
    const double min_m = min_rise_m(terrane_lattice_m(search->world, level, 1)),
                 low_m = (search->deep ? -1 : 1) * search->world->recipe->sea_m + min_m;
    const int before = search->found;
    const int error = make_heights(search, &window, search->height);
    if (error)
        return error;
    for (int64_t cy = north; cy <= south; cy++)
        for (int64_t cx = west; cx <= east; cx++) {
            const int corner =
                ((int)(cy - north) * CELL + REACH) * window.width + (int)(cx - west) * CELL + REACH;
            const int at = highest_of(search->height, window.width, corner);
            const int64_t gi = window.gi + at % window.width, gj = window.gj + at / window.width;
            float rise_m;
            if (within(area, gi, gj, 0) && (double)search->height[at] >= low_m &&
                stands_out(search->height, window.width, at, &rise_m) && (double)rise_m >= min_m &&
                !is_near_another(search, before, gi, gj))
                search->peak[search->found++] = (struct terrane_peak){
                    .level = level, .cx = cx, .cy = cy, .gi = gi, .gj = gj, .rise_m = rise_m};
        }
    return 0;
}

/* ---- From a level to the next ---------------------------------------------------------------------------- */

/* Moves a peak of the level above to this one's samples. */
static int climb(struct search *search, int level, struct terrane_peak *peak)
{
    float height[AROUND * AROUND];
    const struct terrane_window window = {.level = level,
                                          .gi = 2 * peak->gi - DRIFT,
                                          .gj = 2 * peak->gj - DRIFT,
                                          .step = 1,
                                          .width = AROUND,
                                          .height = AROUND};
    const int error = make_heights(search, &window, height);
    int best = DRIFT * AROUND + DRIFT; /* where it is, unless others are higher */
    for (int at = 0; at < AROUND * AROUND; at++)
        if (error == 0 && height[at] > height[best])
            best = at;
    peak->gi = window.gi + best % AROUND;
    peak->gj = window.gj + best / AROUND;
    return error;
}

/* All that were found, but what can be of no use from here on. more: beyond the area. */
static int climb_all(struct search *search, int level, int more)
{
    int kept = 0;
    for (int k = 0; k < search->found; k++) {
        struct terrane_peak peak = search->peak[k];
        const int error = climb(search, level, &peak);
        if (error)
            return error;
        if (within(&search->area[level], peak.gi, peak.gj, more))
            search->peak[kept++] = peak;
    }
    search->found = kept;
    return 0;
}

/* Of a tile those of level `from` and above. */
static int search_tile(const struct terrane_world *world, int level, int from, int64_t x, int64_t y,
                       bool deep, const struct terrane_memory *memory, struct terrane_peak *peak, int *peaks)
{
    struct terrane_window tile;
    int error = terrane_window_tile(&tile, level, x, y, TERRANE_TILE_SAMPLES);
    *peaks = 0;
    if (error || level > TERRANE_PEAK_TOP)
        return error;
    struct search *search = memory_take(memory, sizeof *search);
    float *height = memory_take(memory, (size_t)SIDE_MAX * SIDE_MAX * sizeof *height);
    if (!search || !height) {
        memory_give(memory, height);
        memory_give(memory, search);
        return TERRANE_EMEMORY;
    }
    search->world = world;
    search->memory = memory;
    search->deep = deep;
    search->height = height;
    search->found = 0;
    search->area[level] =
        (struct area){tile.gi, tile.gj, tile.gi + TERRANE_TILE_SAMPLES, tile.gj + TERRANE_TILE_SAMPLES};
    for (int at = level; at < TERRANE_PEAK_TOP; at++)
        search->area[at + 1] = above(&search->area[at]);
    for (int at = TERRANE_PEAK_TOP; at >= level && error == 0; at--) {
        if (at < TERRANE_PEAK_TOP)
            error = climb_all(search, at, at == level ? 0 : REACH);
        if (error == 0 && at >= from)
            error = find_peaks(search, at);
    }
    for (int k = 0; k < search->found && error == 0; k++)
        peak[k] = search->peak[k];
    *peaks = error ? 0 : search->found;
    memory_give(memory, height);
    memory_give(memory, search);
    return error;
}

int terrane_peaks(const struct terrane_world *world, int level, int64_t x, int64_t y,
                  const struct terrane_memory *memory, struct terrane_peak *peak, int *peaks)
{
    return search_tile(world, level, level, x, y, false, memory, peak, peaks);
}

int terrane_deeps(const struct terrane_world *world, int level, int64_t x, int64_t y,
                  const struct terrane_memory *memory, struct terrane_peak *deep, int *deeps)
{
    const int wide = min_int(level + TERRANE_DEEP_ABOVE, TERRANE_PEAK_TOP);
    return search_tile(world, level, max_int(wide, TERRANE_DEEP_BOTTOM), x, y, true, memory, deep, deeps);
}

static uint64_t id_of(const struct terrane_world *world, uint64_t kind, const struct terrane_peak *peak)
{
    const uint64_t key = hash_absorb(world->ids, kind);
    return hash_absorb(hash_absorb(hash_absorb(key, (uint64_t)peak->level), (uint64_t)peak->cx),
                       (uint64_t)peak->cy);
}

uint64_t terrane_peak_id(const struct terrane_world *world, const struct terrane_peak *peak)
{
    return id_of(world, UINT64_C(0x5065616B), peak); /* "Peak" */
}

uint64_t terrane_deep_id(const struct terrane_world *world, const struct terrane_peak *deep)
{
    return id_of(world, UINT64_C(0x44656570), deep); /* "Deep" */
}
