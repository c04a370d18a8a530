/*
 * Regions: their windows.
 *
 *  (1) A region's window covers what tiles on it read, an anchor's what terrane_erode_needs names for each region that rests
 *      on it, with their margins.
 *  (2) A region lies on one anchor. Needs move with their window, by 2^-k of it k levels above, as long as it moves by
 *      whole anchors: what holds for the regions on anchor 0, 0 holds for all.
 *  (3) Margins stay small: k levels above a region with margin m, erosion of halo h needs (m + (2^k - 1) h) / 2^k + 4
 *      samples at most beyond the region's edge. With h up to TERRANE_HALO_MAX + 7, and m up to 2 + 2 TERRANE_LAKE_RADIUS_MAX
 *      under lakes, none passes 247. Networks and caves reach farther, and rest on anchors two levels above them at least,
 *      or on one of their own level, where SHARED_MAX lets them, with lakes of a finer one 230 beyond that: none passes 512. Under rivers
 *      they may rest on rivers.bottom one level above: none passes 290, which TERRANE_DRAIN_SIDE_MAX holds.
 *  (4) Memory: ground and water of networks and caves are made in pieces, which changes no sample.
 */
#include "region.h"
#include "../cave/cave_shown.h"
#include "../path/network.h"

#include "../base/min_max.h"
#include "../cave/dig.h"
#include "../drain/drained.h"
#include "../erosion/erosion.h"
#include "../objects/candidates.h"
#include "../path/world.h"
#include "../water/flood.h"
#include "../water/water.h"

enum {
    SHARED_MAX = 256,
    RIVER_MARGIN = TERRANE_RIVERS_MARGIN +
                   1 /* cells around a region of drainage that lines of rivers and shores look at, at least */
};

#define NAME(id, name, ...) [TERRANE_REGION_##id] = name,
const char *const terrane_region_name[TERRANE_REGIONS] = {TERRANE_REGION_ROWS(NAME)};

#define WIDE(id, name, words, log2) [TERRANE_REGION_##id] = log2,
static const int wide_log2[TERRANE_REGIONS] = {TERRANE_REGION_ROWS(WIDE)};

int terrane_region_log2(enum terrane_region_kind kind, int level)
{
    /* one below an anchor level, 2^9 lie in its 2^8 */
    return wide_log2[kind] + (kind == TERRANE_REGION_EROSION && level < TERRANE_ANCHOR_LEVELS - 1);
}

int64_t terrane_region_of(enum terrane_region_kind kind, int level, int64_t g)
{
    return g >> terrane_region_log2(kind, level);
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

int region_anchor_above(const struct terrane_recipe *recipe, int level)
{
    const int anchor = (level / TERRANE_ANCHOR_LEVELS + 1) * TERRANE_ANCHOR_LEVELS;
    if (anchor < recipe->erosion.levels)
        return anchor;
    return recipe->rivers.top > 0 && level < recipe->rivers.bottom ? recipe->rivers.bottom : -1;
}

static int size_of(enum terrane_region_kind kind, int level)
{
    return 1 << terrane_region_log2(kind, level);
}

/* Wherever terrane_paths_graph's needs lie, they lie in it: around the region, as far on all sides. */
static struct terrane_window network_ground(const struct terrane_recipe *recipe,
                                            const struct terrane_window *window)
{
    return window_grown(window, max_int(terrane_paths_needs_side(recipe) - window->width + 1, 0) / 2);
}

/* Networks and caves look at the ground around them, and at the water on it. */
static bool is_hollow(enum terrane_region_kind kind)
{
    return kind == TERRANE_REGION_PATHS || kind == TERRANE_REGION_CAVES;
}

bool terrane_region_lakes(const struct terrane_recipe *recipe, const struct terrane_window *ground,
                          struct terrane_window *lakes)
{
    return recipe->lakes.share > 0 && terrane_water_needs(recipe, ground, lakes);
}

int terrane_region_grounds(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           const struct terrane_window *window, struct terrane_window *ground)
{
    struct terrane_window lakes;
    ground[0] = *window;
    if (region->kind == TERRANE_REGION_LAKES)
        terrane_lakes_needs(recipe, window, &ground[0]);
    else if (region->kind == TERRANE_REGION_PATHS)
        ground[0] = network_ground(recipe, window);
    else if (region->kind == TERRANE_REGION_CAVES)
        terrane_caves_needs(recipe, window, &ground[0]);
    if (!is_hollow(region->kind))
        return 1;
    if (recipe->rivers.top > 0) {
        ground[1] = window_around(&ground[0], max_int(recipe->rivers.bottom, ground[0].level));
        return 2;
    }
    if (!terrane_region_lakes(recipe, &ground[0], &lakes))
        return 1;
    terrane_lakes_needs(recipe, &lakes, &ground[1]);
    return 2;
}

/* Whether there are lakes on ground that erodes. */
static bool lakes_erode(const struct terrane_recipe *recipe)
{
    return recipe->lakes.share > 0 && recipe->lakes.level < recipe->erosion.levels;
}

bool region_shares(const struct terrane_recipe *recipe, const struct terrane_region *region)
{
    const int level = region->level;
    if (region->kind != TERRANE_REGION_PATHS || level == 0 || level % TERRANE_ANCHOR_LEVELS != 0 ||
        level >= recipe->erosion.levels)
        return false;
    const struct terrane_region first = {TERRANE_REGION_PATHS, level, 0, 0, TERRANE_VARIANT_ERODED};
    struct terrane_window ground[TERRANE_REGION_GROUNDS], window;
    terrane_region_window(recipe, &first, &window);
    const int count = terrane_region_grounds(recipe, &first, &window, ground);
    int64_t margin = -ground[0].gi;
    if (count > 1 && ground[1].level == level)
        margin = -ground[1].gi;
    return margin <= SHARED_MAX;
}

/* The levels of the anchors that the grounds of a region rest on: terrane_region_grounds' own, and the lakes'; -1: on none. */
struct rests {
    int level[TERRANE_REGION_GROUNDS];
};

static struct rests rests_on(const struct terrane_recipe *recipe, const struct terrane_region *region)
{
    int level = region->level;
    if (recipe->rivers.top > 0) {
        const bool shares = region_shares(recipe, region);
        return (struct rests){{shares ? level : region_anchor_above(recipe, level),
                               is_hollow(region->kind) ? recipe->rivers.bottom
                               : shares                ? level
                                                       : region_anchor_above(recipe, level)}};
    }
    if (region_shares(recipe, region)) {
        const bool coarser = lakes_erode(recipe) && recipe->lakes.level > level;
        return (struct rests){
            {level, coarser ? region_anchor_above(recipe, recipe->lakes.level + 1) : level}};
    }
    if (is_hollow(region->kind))
        level = max_int(level, lakes_erode(recipe) ? recipe->lakes.level : 0) + 1;
    level = region_anchor_above(recipe, level);
    return (struct rests){{level, level}};
}

/* The margin that anchor 0, 0 needs for a region that rests on it. */
static int margin_for(const struct terrane_recipe *recipe, int anchor, const struct terrane_region *below)
{
    const struct rests rests = rests_on(recipe, below);
    struct terrane_window ground[TERRANE_REGION_GROUNDS], window, needed;
    terrane_region_window(recipe, below, &window);
    const int count = terrane_region_grounds(recipe, below, &window, ground);
    int margin = 0;
    for (int k = 0; k < count; k++) {
        const bool water = recipe->rivers.top > 0 && k == 1;
        if (rests.level[k] != anchor || (ground[k].level >= recipe->erosion.levels && !water))
            continue;
        if (water)
            needed = window_grown(&ground[k], rivers_margin(recipe));
        else
            terrane_erode_needs(recipe, &ground[k], anchor, &needed);
        const int far = (int)(needed.gi + needed.width) - (size_of(TERRANE_REGION_ANCHOR, anchor) + 1);
        margin = max_int(margin, max_int(-(int)needed.gi, far));
    }
    return margin;
}

/* Of all regions of a kind and level, where they rest on the anchor: the first and the last bound those between. */
static int margin_below(const struct terrane_recipe *recipe, int anchor, enum terrane_region_kind kind,
                        int level)
{
    const struct terrane_region first = {kind, level, 0, 0, TERRANE_VARIANT_ERODED};
    const struct rests rests = rests_on(recipe, &first);
    if (rests.level[0] != anchor && rests.level[1] != anchor)
        return 0;
    const int64_t edge = (INT64_C(1) << (anchor - level)) * size_of(TERRANE_REGION_ANCHOR, anchor);
    const int64_t last = terrane_region_of(kind, level, edge - 1);
    const struct terrane_region end = {kind, level, last, last, TERRANE_VARIANT_ERODED};
    return max_int(margin_for(recipe, anchor, &first), margin_for(recipe, anchor, &end));
}

static int anchor_margin(const struct terrane_recipe *recipe, int anchor)
{
    int margin = TERRANE_REGION_MARGIN;
    for (int level = max_int(anchor - TERRANE_ANCHOR_LEVELS, 0); level < anchor; level++) {
        margin = max_int(margin, margin_below(recipe, anchor, TERRANE_REGION_EROSION, level));
        if (level > 0 && level % TERRANE_ANCHOR_LEVELS == 0)
            margin = max_int(margin, margin_below(recipe, anchor, TERRANE_REGION_ANCHOR, level));
    }
    if (recipe->lakes.share > 0)
        margin = max_int(margin, margin_below(recipe, anchor, TERRANE_REGION_LAKES, recipe->lakes.level));
    if (recipe->paths.width_m > 0)
        margin = max_int(margin, margin_below(recipe, anchor, TERRANE_REGION_PATHS, recipe->paths.level));
    if (recipe->caves.share > 0)
        margin = max_int(margin, margin_below(recipe, anchor, TERRANE_REGION_CAVES, recipe->caves.level));
    return margin;
}

/* Cells of the finest lattice that nodes of objects around a tile lie in, beyond it: their halo, a node beyond it and one of normals,
 * and what a node is off a cell. */
static int objects_margin(const struct terrane_recipe *recipe)
{
    const int nodes = (objects_halo(recipe) >> OBJECTS_NODE_LOG2) + 3,
              up = recipe->rivers.bottom - TERRANE_OBJECTS_COVER;
    return recipe->objects.classes > 0 ? (nodes >> up) + 1 : 0;
}

/* A region's own samples, and the far edge. */
static struct terrane_window own_window(const struct terrane_region *region)
{
    const int size = size_of(region->kind, region->level);
    return (struct terrane_window){
        .level = region->level,
        .gi = region->x * size,
        .gj = region->y * size,
        .width = size + 1,
        .height = size + 1,
    };
}

/* Cells that tiles of the level, and on the finest lattice objects of finer ones, read beyond a region's edge. */
static int rivers_region_margin(const struct terrane_recipe *recipe, int level)
{
    return RIVER_MARGIN + (level == recipe->rivers.bottom ? objects_margin(recipe) : 0);
}

/* What a kind of a finer lattice's regions, with their margin, need of one beyond its region's edge; 0: they rest on another. */
static int margin_finer(const struct terrane_recipe *recipe, int level, enum terrane_region_kind kind,
                        int finer, int margin)
{
    const struct terrane_region first = {kind, finer, 0, 0, TERRANE_VARIANT_ERODED};
    const struct terrane_window own = own_window(&first), window = window_grown(&own, margin);
    struct terrane_window needed;
    if (!terrane_drain_needs(recipe, &window, &needed) || needed.level != level)
        return 0;
    return max_int(-(int)needed.gi,
                   (int)(needed.gi + needed.width) - (size_of(kind, finer) >> (level - finer)));
}

/*
 * What regions of drainage store beyond their edge, from the finest up. Those of a lattice all rest on the one above: what regions of
 * drainage as wide would need of it is what those have, too, and where lakes are looked at that go on beyond an edge; smaller regions
 * of lattices have what is needed by both.
 */
static int drainage_margin(const struct terrane_recipe *recipe, enum terrane_region_kind kind, int level)
{
    const int bottom = recipe->rivers.bottom;
    int wide[TERRANE_LEVEL_MAX + 1], lattice[TERRANE_LEVEL_MAX + 1];
    if (level < bottom)
        return RIVER_MARGIN;
    wide[bottom] = lattice[bottom] =
        max_int(rivers_region_margin(recipe, bottom), anchor_margin(recipe, bottom));
    for (int at = bottom + 1; at <= level; at++) {
        wide[at] = RIVER_MARGIN;
        lattice[at] = RIVER_MARGIN;
        for (int finer = max_int(bottom, at - 2); finer < at; finer++) {
            const int needed = margin_finer(recipe, at, TERRANE_REGION_DRAINAGE, finer, wide[finer]);
            wide[at] = max_int(wide[at], needed);
            lattice[at] = max_int(
                max_int(lattice[at], needed),
                finer > bottom ? margin_finer(recipe, at, TERRANE_REGION_LATTICE, finer, lattice[finer]) : 0);
        }
    }
    return kind == TERRANE_REGION_LATTICE ? lattice[level] : wide[level];
}

int region_margin(const struct terrane_recipe *recipe, enum terrane_region_kind kind, int level)
{
    switch (kind) {
    case TERRANE_REGION_DRAINAGE:
    case TERRANE_REGION_LATTICE:
        return drainage_margin(recipe, kind, level);
    case TERRANE_REGION_RIVERS:
        return rivers_region_margin(recipe, level);
    case TERRANE_REGION_ANCHOR:
        return anchor_margin(recipe, level);
    case TERRANE_REGION_PATHS:
        return 0;
    case TERRANE_REGION_CAVES:
        return recipe->caves.radius + TERRANE_REGION_MARGIN;
    case TERRANE_REGION_EROSION:
    case TERRANE_REGION_LAKES:
    case TERRANE_REGIONS:
        break;
    }
    return TERRANE_REGION_MARGIN;
}

void terrane_region_window(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           struct terrane_window *window)
{
    const struct terrane_window own = own_window(region);
    *window = window_grown(&own, region_margin(recipe, region->kind, region->level));
}

bool region_inside(const struct terrane_recipe *recipe, const struct terrane_region *region,
                   const struct terrane_window *window)
{
    const int64_t limit = INT64_C(1) << 50;
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    const int count = terrane_region_grounds(recipe, region, window, ground);
    for (int k = 0; k < count; k++) {
        const struct terrane_window read =
            window_grown(&ground[k], terrane_erosion_halo(recipe, ground[k].level));
        if (read.gi < -limit || read.gj < -limit || read.gi + read.width > limit ||
            read.gj + read.height > limit)
            return false;
    }
    return true;
}

/* The anchor of a level that holds a region. */
static bool anchor_over(const struct terrane_recipe *recipe, const struct terrane_region *region, int level,
                        const struct terrane_window *window, struct terrane_region *anchor)
{
    if (region->variant != TERRANE_VARIANT_ERODED || level < 0 || !region_inside(recipe, region, window))
        return false;
    const int up = level - region->level + terrane_region_log2(TERRANE_REGION_ANCHOR, level) -
                   terrane_region_log2(region->kind, region->level);
    *anchor = (struct terrane_region){TERRANE_REGION_ANCHOR, level, region->x >> up, region->y >> up,
                                      TERRANE_VARIANT_ERODED};
    return true;
}

/* The region of drainage that holds another region: of the lattice above, or of the finest one. */
static bool drainage_over(const struct terrane_recipe *recipe, const struct terrane_region *region,
                          const struct terrane_window *window, struct terrane_region *over)
{
    struct terrane_window needed;
    enum terrane_region_kind kind = TERRANE_REGION_DRAINAGE;
    int level = recipe->rivers.bottom;
    if (region->variant != TERRANE_VARIANT_ERODED || !region_inside(recipe, region, window))
        return false;
    if (region_is_drained(region->kind)) {
        if (!terrane_drain_needs(recipe, window, &needed))
            return false;
        kind = TERRANE_REGION_LATTICE;
        level = needed.level;
    }
    const int up = level - region->level + terrane_region_log2(kind, level) -
                   terrane_region_log2(region->kind, region->level);
    *over = (struct terrane_region){kind, level, region->x >> up, region->y >> up, TERRANE_VARIANT_ERODED};
    return true;
}

/* Of a recipe with rivers: an anchor, if there is one below the lattices; and drainage, of what is made from it, or looks at
 * its water. */
static void drained_needs(const struct terrane_recipe *recipe, const struct terrane_region *region,
                          const struct rests *rests, struct terrane_region_needs *needs)
{
    const int bottom = recipe->rivers.bottom;
    const bool anchored = !region_is_drained(region->kind) && rests->level[0] < bottom;
    if (anchored && anchor_over(recipe, region, rests->level[0], &needs->window, &needs->region[0]))
        needs->ground = needs->lakes = needs->count++;
    if ((!anchored || rests->level[1] == bottom) &&
        drainage_over(recipe, region, &needs->window, &needs->region[needs->count]))
        needs->drainage = needs->count++;
}

void terrane_region_needs(const struct terrane_recipe *recipe, const struct terrane_region *region,
                          struct terrane_region_needs *needs)
{
    const struct rests rests = rests_on(recipe, region);
    *needs = (struct terrane_region_needs){.ground = -1, .lakes = -1, .drainage = -1};
    terrane_region_window(recipe, region, &needs->window);
    needs->bytes = region_packed_bytes(region->kind, &needs->window);
    if (recipe->rivers.top > 0) {
        drained_needs(recipe, region, &rests, needs);
        return;
    }
    if (anchor_over(recipe, region, rests.level[0], &needs->window, &needs->region[0]))
        needs->ground = needs->count++;
    if (rests.level[1] == rests.level[0])
        needs->lakes = rests.level[0] >= recipe->lakes.level ? needs->ground : -1;
    else if (anchor_over(recipe, region, rests.level[1], &needs->window, &needs->region[needs->count]))
        needs->lakes = needs->count++;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* Of eroding a window: a delta and a flow beside what terrane_erode takes; or of its heights, when those are gone, or where
 * it has been eroded before. */
static size_t ground_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window, int from)
{
    const bool eroded = window->level < recipe->erosion.levels && window->level != from;
    const size_t arrays = samples_of(window) * 2 * sizeof(int32_t);
    return arrays + (eroded ? erosion_bytes(recipe, window, from) : 0);
}

/* Of the ground of a window, or, where it is wet, of the ground that the lakes in it lie on. */
static size_t piece_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window, bool wet,
                          int from)
{
    struct terrane_window lakes, ground;
    if (!wet)
        return ground_bytes(recipe, window, from);
    if (!terrane_region_lakes(recipe, window, &lakes))
        return 0;
    terrane_lakes_needs(recipe, &lakes, &ground);
    ground = window_grown(&ground, 1); /* other pieces' may be rounded otherwise */
    return ground_bytes(recipe, &ground, from) + samples_of(&lakes) * sizeof(float) +
           3 * samples_of(window) * sizeof(float);
}

static struct terrane_window piece_of(const struct terrane_window *window, int pieces)
{
    struct terrane_window piece = *window;
    piece.width = (window->width + pieces - 1) / pieces;
    piece.height = (window->height + pieces - 1) / pieces;
    return piece;
}

int terrane_region_pieces(const struct terrane_recipe *recipe, const struct terrane_window *window, bool wet,
                          int from)
{
    int pieces = 1;
    for (struct terrane_window piece = *window;
         piece.width > TERRANE_PIECE_MIN && piece_bytes(recipe, &piece, wet, from) > TERRANE_PIECE_BYTES;
         piece = piece_of(window, ++pieces))
        ;
    return pieces;
}

/* Of networks and caves: the ground, in pieces; its water, likewise, on the lakes' ground; then what the library works in, and
 * what comes out, in arrays and packed. */
static size_t hollow_bytes(const struct terrane_recipe *recipe, const struct terrane_region *region,
                           const struct terrane_region_needs *needs, const struct rests *from)
{
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    terrane_region_grounds(recipe, region, &needs->window, ground);
    const size_t floats = samples_of(&ground[0]) * sizeof(float), out = 2 * needs->bytes;
    size_t piece = 0;
    for (int wet = 0; wet < 2; wet++) {
        const struct terrane_window part =
            piece_of(&ground[0], terrane_region_pieces(recipe, &ground[0], wet, from->level[wet]));
        piece = max_size(piece, piece_bytes(recipe, &part, wet, from->level[wet]));
    }
    if (recipe->rivers.top > 0)
        piece = max_size(piece, 4 * floats);
    const size_t lakes = recipe->lakes.share > 0 ? flood_bytes(recipe->lakes.radius) : 0;
    const size_t work = region->kind == TERRANE_REGION_PATHS ? path_lines_bytes(recipe, &ground[0])
                                                             : caves_work_bytes(recipe, &needs->window);
    return 2 * floats + max_size(piece + lakes, work + out);
}

/* Of lakes on eroded ground the most is taken while that is eroded; heights, lakes and what comes out take less, when that is
 * gone. */
size_t terrane_region_bytes(const struct terrane_recipe *recipe, const struct terrane_region *region)
{
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    struct terrane_region_needs needs;
    const bool eroded = region->variant == TERRANE_VARIANT_ERODED;
    size_t bytes = 0;
    terrane_region_needs(recipe, region, &needs);
    const int from = needs.ground < 0 ? -1 : needs.region[needs.ground].level;
    for (int k = 0; k < needs.count; k++) {
        struct terrane_window window;
        terrane_region_window(recipe, &needs.region[k], &window);
        bytes += region_packed_bytes(needs.region[k].kind, &window);
    }
    const struct rests all = rests_on(recipe, region), none = {{-1, -1}};
    terrane_region_grounds(recipe, region, &needs.window, ground);
    switch (region->kind) {
    case TERRANE_REGION_DRAINAGE:
    case TERRANE_REGION_RIVERS:
    case TERRANE_REGION_LATTICE:
        return bytes + terrane_drain_bytes(recipe, &ground[0]) + needs.bytes;
    case TERRANE_REGION_PATHS:
    case TERRANE_REGION_CAVES:
        return bytes + hollow_bytes(recipe, region, &needs, from < 0 ? &none : &all);
    case TERRANE_REGION_LAKES:
        return bytes + (eroded ? ground_bytes(recipe, &ground[0], from)
                               : samples_of(&ground[0]) * sizeof(float) + flood_bytes(recipe->lakes.radius) +
                                     needs.bytes);
    case TERRANE_REGION_EROSION:
    case TERRANE_REGION_ANCHOR:
    case TERRANE_REGIONS:
        break;
    }
    return bytes + erosion_bytes(recipe, &ground[0], from) + needs.bytes;
}
