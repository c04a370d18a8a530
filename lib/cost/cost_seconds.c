/*
 * How long a tile of the dearest layer takes where nothing is kept: seconds of one core.
 *
 * That is relief, which rests on a region each of erosion, lakes and paths, or caves, which rest on one of theirs; and on the
 * anchors below those. Each is counted as lib/product makes it: in its window, with halos, in as many pieces. A description
 * (json) shows all of it at once, and takes up to the sum; a tile of size 512 that lies in four regions of a kind takes longer. What has names
 * of lakes (json, vectors) asks three lattices more (server/render/tile_make.c): where nothing is kept 0.1 to 0.2 s, with scalar kernels
 * 0.3 to 0.4, which is not told.
 *
 * The weights are nanoseconds a sample with scalar kernels; where kinds and bases differ, of the dearer. What has kernels takes the
 * less the wider they are (paces), all else takes as long. `make bench-told` and tests/survive/test_row23_recipes.py hold them
 * against a clock. They do not know that octaves end at coarse levels, and that droplets die in the sea.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../drain/drain.h"
#include "../product/region.h"
#include "../recipe/kinds.h"
#include "../recipe/recipe.h"
#include "../water/water.h"
#include "cost.h"

/* Octaves: on the lattice, of fbm, of folds of it, of other kinds; off it; and what two kinds do besides. */
static const double ns_smooth = 1.4, ns_folded = 2.2, ns_fed = 4.4, ns_point = 18, ns_swiss = 26,
                    ns_jordan = 35;
static const double ns_cellular[2] = {28, 100}, ns_wild[2] = {95, 185}; /* on the lattice, off it */
static const double ns_midpoint = 4.5, ns_zone = 1.8, ns_voronoi = 11, ns_lloyd = 2;
static const double ns_level = 9, ns_step = 34, ns_phase = 3.5, ns_slide = 6; /* of erosion */
static const double ns_flood = 175, ns_search = 175, ns_dig = 60, ns_drain = 92, ns_run = 480, ns_ways = 440;
static const double ocean_m = 9000;
/* Of a lattice's ground what has to be made: fields overlap, and blocks of it are remembered. */
static const double again = 0.55;
/* A tile's own: layers and text, and its heights with those around, more than once. */
static const double ns_tile = 350, times_tile = 2, times_nodes = 4; /* nodes are forgotten */

/* How long what has kernels takes with an instruction set's, of scalar ones; all else takes as long. Measured by `make bench-told`. */
static const struct pace {
    const char *isa;
    double noise, erosion;
} paces[] = {
    {"scalar", 1, 1},       {"sse2", 0.4, 0.35},  {"neon", 0.4, 0.35},
    {"simd128", 0.4, 0.35}, {"avx2", 0.21, 0.28}, {"avx512", 0.07, 0.21},
};

/* Scalar kernels' for NULL, and where a name is unknown. */
static const struct pace *pace_of(const char *isa)
{
    size_t k = sizeof paces / sizeof *paces - 1;
    while (k > 0 && (!isa || strcmp(isa, paces[k].isa) != 0))
        k--;
    return &paces[k];
}

/* ---- Ground -------------------------------------------------------------------------------------------- */

static double octave_ns(const struct terrane_fractal *fractal, enum terrane_base base)
{
    const enum base_grid grid = base_rows[base].grid;
    const bool displaced = fractal->warp_term[0] >= 0 || fractal->warp_term[1] >= 0;
    const bool sloped =
        fractal->kind == TERRANE_SWISS || fractal->kind == TERRANE_JORDAN; /* point by point */
    const bool off = displaced || sloped || fractal->lacunarity != 2 || !is_power_of_two(fractal->cell);
    const bool folded = fractal->kind == TERRANE_RIDGED || fractal->kind == TERRANE_DOUBLE_RIDGED;
    const bool smooth = fractal->kind == TERRANE_FBM || fractal->kind == TERRANE_BILLOW;
    double ns = smooth ? ns_smooth : folded ? ns_folded : ns_fed;
    if (grid == GRID_CELLS)
        ns = fractal->jitter > 0.65f ? ns_wild[off] : ns_cellular[off];
    else if (grid == GRID_TRIANGULAR || off)
        ns = ns_point * (1 + base_rows[base].dearer);
    return ns + (fractal->kind == TERRANE_SWISS ? ns_swiss : fractal->kind == TERRANE_JORDAN ? ns_jordan : 0);
}

static double term_ns(const struct terrane_term *term)
{
    const struct terrane_fractal *fractal = &term->fractal;
    double ns = op_rows[term->op].ns;
    if (term->op != TERRANE_OP_FRACTAL)
        return ns;
    if (fractal_is_midpoint(fractal))
        return ns_midpoint;
    for (int i = 0; i < fractal->octaves; i++)
        ns += octave_ns(fractal, (enum terrane_base)fractal->base[i]);
    return ns;
}

static bool has_kernel(const struct terrane_term *term)
{
    return term->op == TERRANE_OP_FRACTAL ? !fractal_is_midpoint(&term->fractal)
                                          : term->op != TERRANE_OP_RASTER;
}

/* Of a sample of a level. */
static double heights_ns(const struct terrane_recipe *recipe, const struct pace *pace, int level)
{
    const struct terrane_partition *partition = &recipe->partition;
    const uint64_t made = terms_at_samples(recipe);
    const double nodes = nodes_a_sample(recipe, level);
    double ns = nodes_ns(recipe, level);
    for (int i = 0; i < recipe->terms; i++)
        ns += (has_kernel(&recipe->term[i]) ? pace->noise : 1) * (made >> i & 1 ? 1 : nodes) *
              term_ns(&recipe->term[i]);
    if (partition->zones > 1)
        ns += pace->noise * partition->zones * ns_zone;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_VORONOI)
        ns += ns_voronoi + partition->rounds * ns_lloyd;
    return ns;
}

static double level_ns(const struct terrane_recipe *recipe, const struct pace *pace, int level)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    const double phase = ns_phase + ns_step * steps_of_phase(recipe, erosion->steps[level]);
    return pace->erosion *
           (ns_level + erosion->phases[level] * phase + erosion_slides(erosion, level) * ns_slide);
}

/* Of what erosion does to a window, down from an anchor's level, or from -1: from the top. Every level makes its heights. */
static double erode_ns(const struct terrane_recipe *recipe, const struct pace *pace,
                       const struct terrane_window *window, int from)
{
    double width = window->width, height = window->height, ns = 0;
    for (int level = window->level; level < recipe->erosion.levels && level != from; level++) {
        const double around = 2.0 * terrane_erosion_halo(recipe, level);
        width += around;
        height += around;
        ns += width * height * (heights_ns(recipe, pace, level) + level_ns(recipe, pace, level));
        width = width / 2 + 3; /* and what interpolation reads */
        height = height / 2 + 3;
    }
    return ns;
}

/* Of a window of ground, which is made once more when what erosion does to it is there. */
static double ground_ns(const struct terrane_recipe *recipe, const struct pace *pace,
                        const struct terrane_window *window, int from)
{
    return (double)samples_of(window) * heights_ns(recipe, pace, window->level) +
           erode_ns(recipe, pace, window, from);
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static double flood_ns(const struct terrane_recipe *recipe, const struct terrane_window *window)
{
    const struct terrane_lakes *lakes = &recipe->lakes;
    const double reach = (2.0 * lakes->radius + 1) / (double)(1 << lakes->cell_log2);
    return (double)samples_of(window) * (double)lakes->share * reach * reach * ns_flood;
}

/* Of lakes under a window of their level. */
static double lakes_ns(const struct terrane_recipe *recipe, const struct pace *pace,
                       const struct terrane_window *window, int from)
{
    struct terrane_window ground;
    terrane_lakes_needs(recipe, window, &ground);
    return ground_ns(recipe, pace, &ground, from) + flood_ns(recipe, window);
}

/* Of a network's or caves' ground, and of the water on it, piece by piece. */
static double field_ns(const struct terrane_recipe *recipe, const struct pace *pace,
                       const struct terrane_window *window, int from, int lakes_from)
{
    struct terrane_window lakes, piece;
    double ns = 0;
    for (int wet = 0; wet < 2; wet++) {
        const int pieces = terrane_region_pieces(recipe, window, wet, wet ? lakes_from : from);
        piece = *window;
        piece.width = piece.height = (window->width + pieces - 1) / pieces;
        if (!wet)
            ns += pieces * pieces * ground_ns(recipe, pace, &piece, from);
        else if (terrane_region_lakes(recipe, &piece, &lakes))
            ns += pieces * pieces * lakes_ns(recipe, pace, &lakes, lakes_from);
    }
    return ns;
}

/* The share of land, guessed: worlds whose floors may lie deep under the sea have oceans. */
static double land_share(const struct terrane_recipe *recipe)
{
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(recipe, &bounds);
    return ocean_m / (ocean_m + max_double(recipe->sea_m - bounds.low_m, 0));
}

/* Of a lattice's field, as wide as the first that is tried: water runs on land. */
static double drain_ns(const struct terrane_recipe *recipe, const struct pace *pace,
                       const struct terrane_window *window)
{
    const struct terrane_window field = drain_first_field(recipe, window);
    const double ns = ns_drain + land_share(recipe) * (ns_run + pace->noise * ns_ways);
    return (double)samples_of(&field) * (again * heights_ns(recipe, pace, window->level) + ns);
}

/* Of a region beyond the anchors below it, whose levels are marked in *anchors. */
static double region_ns(const struct terrane_recipe *recipe, const struct pace *pace,
                        const struct terrane_region *region, uint32_t *anchors)
{
    struct terrane_region_needs needs;
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    terrane_region_needs(recipe, region, &needs);
    const int from = needs.ground < 0 ? -1 : needs.region[needs.ground].level,
              lakes_from = needs.lakes < 0 ? -1 : needs.region[needs.lakes].level;
    for (int k = 0; k < needs.count; k++)
        *anchors |= UINT32_C(1) << needs.region[k].level;
    terrane_region_grounds(recipe, region, &needs.window, ground);
    switch (region->kind) {
    case TERRANE_REGION_DRAINAGE:
    case TERRANE_REGION_RIVERS:
    case TERRANE_REGION_LATTICE:
        return drain_ns(recipe, pace, &needs.window);
    case TERRANE_REGION_LAKES:
        return ground_ns(recipe, pace, &ground[0], from) + flood_ns(recipe, &needs.window);
    case TERRANE_REGION_PATHS:
    case TERRANE_REGION_CAVES:
        return field_ns(recipe, pace, &ground[0], from, lakes_from) +
               (double)samples_of(&ground[0]) *
                   (region->kind == TERRANE_REGION_PATHS ? ns_search : (double)recipe->caves.share * ns_dig);
    case TERRANE_REGION_EROSION:
    case TERRANE_REGION_ANCHOR:
    case TERRANE_REGIONS:
        break;
    }
    return erode_ns(recipe, pace, &needs.window, from);
}

static enum terrane_variant variant_at(const struct terrane_recipe *recipe, int level)
{
    return level < recipe->erosion.levels ? TERRANE_VARIANT_ERODED : TERRANE_VARIANT_BASE;
}

/* Of a tile's own sample. */
static double tile_ns(const struct terrane_recipe *recipe, const struct pace *pace, int level)
{
    return times_tile * heights_ns(recipe, pace, level) +
           (times_nodes - times_tile) * nodes_ns(recipe, level) + ns_tile;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

const char *const terrane_part_name[TERRANE_PARTS] = {
    [TERRANE_PART_TERMS] = "terms", [TERRANE_PART_EROSION] = "erosion", [TERRANE_PART_LAKES] = "lakes",
    [TERRANE_PART_PATHS] = "paths", [TERRANE_PART_CAVES] = "caves",     [TERRANE_PART_RIVERS] = "rivers",
};

/* Of what a tile of a level has of lattices: its own, and those above that this rests on. */
static double rivers_ns(const struct terrane_recipe *recipe, const struct pace *pace, int tile)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    struct terrane_region region = {.kind = tile <= rivers->bottom ? TERRANE_REGION_DRAINAGE
                                                                   : TERRANE_REGION_RIVERS,
                                    .level = max_int(tile, rivers->bottom),
                                    .variant = TERRANE_VARIANT_ERODED};
    double ns = 0;
    uint32_t none = 0;
    for (int up = 1; rivers->top > 0 && region.level <= rivers->top && up > 0; region.level += up) {
        ns += region_ns(recipe, pace, &region, &none);
        up = drain_shift(rivers, region.level);
        region.kind = TERRANE_REGION_LATTICE;
    }
    return ns;
}

double terrane_recipe_seconds(const struct terrane_recipe *recipe, const char *isa,
                              double seconds[TERRANE_PARTS])
{
    const struct pace *const pace = pace_of(isa);
    const int wet = recipe->lakes.share > 0 ? recipe->lakes.level : TERRANE_LEVEL_MAX;
    const int paths_on = wet < recipe->paths.level ? wet : recipe->paths.level,
              caves_on = wet < recipe->caves.level ? wet : recipe->caves.level;
    const struct {
        enum terrane_part part;
        bool there;
        struct terrane_region region;
    } other[] = {
        {TERRANE_PART_LAKES,
         recipe->lakes.share > 0,
         {.kind = TERRANE_REGION_LAKES,
          .level = recipe->lakes.level,
          .variant = variant_at(recipe, recipe->lakes.level)}},
        {TERRANE_PART_PATHS,
         recipe->paths.width_m > 0,
         {.kind = TERRANE_REGION_PATHS,
          .level = recipe->paths.level,
          .variant = variant_at(recipe, paths_on)}},
        {TERRANE_PART_CAVES,
         recipe->caves.share > 0,
         {.kind = TERRANE_REGION_CAVES,
          .level = recipe->caves.level,
          .variant = variant_at(recipe, caves_on)}},
    };
    const double side = TERRANE_TILE_SAMPLES + 3;
    const int fine = recipe->erosion.levels > 1 ? recipe->erosion.levels : 1; /* levels that have regions */
    uint32_t anchors = 0;
    double below = 0; /* in anchors */
    memset(seconds, 0, TERRANE_PARTS * sizeof *seconds);
    for (int level = 0; level < fine; level++)
        seconds[TERRANE_PART_TERMS] =
            max_double(seconds[TERRANE_PART_TERMS], side * side * tile_ns(recipe, pace, level));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].there)
            seconds[other[i].part] = region_ns(recipe, pace, &other[i].region, &anchors);
    for (int level = 0; level < recipe->erosion.levels; level++) {
        const struct terrane_region region = {
            .kind = TERRANE_REGION_EROSION, .level = level, .variant = TERRANE_VARIANT_ERODED};
        seconds[TERRANE_PART_EROSION] =
            max_double(seconds[TERRANE_PART_EROSION], region_ns(recipe, pace, &region, &anchors));
    }
    for (int level = TERRANE_ANCHOR_LEVELS; level < recipe->erosion.levels; level += TERRANE_ANCHOR_LEVELS) {
        const struct terrane_region region = {
            .kind = TERRANE_REGION_ANCHOR, .level = level, .variant = TERRANE_VARIANT_ERODED};
        if (anchors >> level & 1)
            below += region_ns(recipe, pace, &region, &anchors);
    }
    seconds[TERRANE_PART_EROSION] += below;
    seconds[TERRANE_PART_RIVERS] = rivers_ns(recipe, pace, 0);
    const double relief = seconds[TERRANE_PART_TERMS] + seconds[TERRANE_PART_EROSION] +
                          seconds[TERRANE_PART_LAKES] + seconds[TERRANE_PART_PATHS];
    const double hollow =
        recipe->caves.share > 0 ? seconds[TERRANE_PART_TERMS] + seconds[TERRANE_PART_CAVES] + below : 0;
    double whole = max_double(relief, hollow) + seconds[TERRANE_PART_RIVERS];
    for (int level = fine; level <= TERRANE_LEVEL_MAX; level++) {
        const double terms = side * side * tile_ns(recipe, pace, level),
                     rivers = rivers_ns(recipe, pace, level);
        if (terms + rivers <= whole)
            continue;
        memset(seconds, 0, TERRANE_PARTS * sizeof *seconds);
        seconds[TERRANE_PART_TERMS] = terms;
        seconds[TERRANE_PART_RIVERS] = rivers;
        whole = terms + rivers;
    }
    for (int part = 0; part < TERRANE_PARTS; part++)
        seconds[part] *= 1e-9;
    return whole * 1e-9;
}
