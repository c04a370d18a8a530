/*
 * What a recipe costs, in octaves of lattice noise a sample.
 *
 * The weights are round numbers from a tile of 257 x 257 heights with AVX-512, where an octave of PERLIN5 on the lattice
 * takes about 14 us; config/worlds/README.md lists them. An octave on the lattice is two or three multiply-adds a
 * sample; one that is displaced or stretched is evaluated point by point, hashes and all; cellular noise looks at the
 * points of nine cells, and of more where jitter lets a farther one be nearer.
 *
 * A level of erosion takes over the level above it and runs its phases and slides. Where regions are kept, a region
 * serves four of the next finer level, so level k + n counts 4^-n in a sample of level k. Where nothing is kept, every level is
 * made anew, on a window as wide as the finer level's, halved, and its own halo on either side.
 *
 * What is made at nodes counts nothing here: levels that are as coarse as these are few, and terrane_recipe_seconds knows them.
 *
 * A network of paths, and a region of caves, are made on ground far around them, and with the lakes there.
 */
#include <stdbool.h>

#include "../base/min_max.h"
#include "../cave/cave_shown.h"
#include "../path/network.h"
#include "../recipe/kinds.h"
#include "../recipe/recipe.h"
#include "cost.h"

static const double cost_lattice = 1, cost_point = 16, cost_cellular = 80, cost_cellular_wild = 120;
static const double cost_swiss = 60, cost_jordan = 25, cost_midpoint = 10;
static const double cost_zone = 3;
static const double cost_condition = 2;                  /* of cover */
static const double cost_plates = 10, cost_climate = 10; /* of all nodes of a tile */
static const double cost_cell = 1.0 / 3000;              /* that a candidate of objects looks at */
static const double cost_voronoi = 150, cost_lloyd = 50; /* of the partition, and of each of its rounds */

static const double cost_level = 10, cost_step = 20, cost_phase = 8, cost_slide = 10; /* of erosion */
static const double cost_flood = 200;                  /* of a sample that a lake floods */
static const double cost_path = 30;                    /* of a tile with some paths in it */
static const double cost_drain = 60;                   /* of a lattice of drainage */
static const double cost_search = 200, cost_dig = 150; /* of ground that lines, or caves, are looked for in */

static double octave_cost(const struct terrane_fractal *fractal, enum terrane_base base)
{
    const enum base_grid grid = base_rows[base].grid;
    const bool displaced = fractal->warp_term[0] >= 0 || fractal->warp_term[1] >= 0;
    double cost = cost_lattice;
    if (grid == GRID_CELLS)
        cost = fractal->jitter > 0.7f ? cost_cellular_wild : cost_cellular;
    else if (grid == GRID_TRIANGULAR || displaced || fractal->lacunarity != 2 ||
             !is_power_of_two(fractal->cell))
        cost = cost_point * (1 + base_rows[base].dearer);
    if (fractal->kind == TERRANE_SWISS && cost < cost_swiss)
        cost = cost_swiss;
    if (fractal->kind == TERRANE_JORDAN && cost < cost_jordan)
        cost = cost_jordan;
    return cost;
}

static double fractal_cost(const struct terrane_fractal *fractal)
{
    double cost = 0;
    if (fractal_is_midpoint(fractal))
        return cost_midpoint;
    for (int i = 0; i < fractal->octaves; i++)
        cost += octave_cost(fractal, (enum terrane_base)fractal->base[i]);
    return cost;
}

static double term_cost(const struct terrane_term *term)
{
    return op_rows[term->op].octaves + (term->op == TERRANE_OP_FRACTAL ? fractal_cost(&term->fractal) : 0);
}

/* ---- Erosion and lakes --------------------------------------------------------------------------------- */

enum { REGION = 512 };

/* Steps of droplets a sample in a phase of at most so many steps: where they are most and live longest. */
double steps_of_phase(const struct terrane_recipe *recipe, int steps)
{
    double density = 0, lifetime = 0;
    for (int k = 0; k < recipe->partition.zones; k++) {
        const struct terrane_droplets *droplets = &recipe->erosion.zone[k];
        density = (double)droplets->density > density ? (double)droplets->density : density;
        lifetime = (double)droplets->lifetime > lifetime ? (double)droplets->lifetime : lifetime;
    }
    return density * (lifetime < steps ? lifetime : steps);
}

static double level_cost(const struct terrane_recipe *recipe, int level)
{
    const struct terrane_erosion *erosion = &recipe->erosion;
    const double phase = cost_phase + cost_step * steps_of_phase(recipe, erosion->steps[level]);
    return cost_level + erosion->phases[level] * phase + erosion_slides(erosion, level) * cost_slide;
}

/* Of the level where it is dearest. */
static double cost_of_erosion(const struct terrane_recipe *recipe)
{
    double max = 0, cost = 0;
    for (int level = recipe->erosion.levels - 1; level >= 0; level--) {
        cost = level_cost(recipe, level) + cost / 4;
        max = cost > max ? cost : max;
    }
    return max;
}

/* Of a sample of the lakes' level: as if every lake flooded all that it may reach. */
static double cost_of_lakes(const struct terrane_recipe *recipe)
{
    const struct terrane_lakes *lakes = &recipe->lakes;
    const double reach = lakes->share > 0 ? (2.0 * lakes->radius + 1) / (double)(1 << lakes->cell_log2) : 0;
    return (double)lakes->share * reach * reach * cost_flood;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* Without what needs a region. */
static double base_cost(const struct terrane_recipe *recipe)
{
    const struct terrane_partition *partition = &recipe->partition;
    const uint64_t made = terms_at_samples(recipe);
    double cost = (recipe_terms_of(recipe, TERRANE_OP_PLATES) ? cost_plates : 0) +
                  (recipe_terms_of(recipe, TERRANE_OP_CLIMATE) ? cost_climate : 0);
    for (int i = 0; i < recipe->terms; i++)
        cost += made >> i & 1 ? term_cost(&recipe->term[i]) : 0;
    if (partition->zones > 1)
        cost += partition->zones * cost_zone;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_VORONOI)
        cost += cost_voronoi + partition->rounds * cost_lloyd;
    return cost;
}

static double cost_of_cover(const struct terrane_recipe *recipe)
{
    double cost = 0;
    for (int m = 0; m < recipe->cover.materials; m++)
        cost += recipe->cover.material[m].conditions * cost_condition;
    return cost;
}

/* A tile's candidates look at cells of every class that are within the larger radius: lib/objects. */
static double cost_of_objects(const struct terrane_recipe *recipe)
{
    const struct terrane_objects *objects = &recipe->objects;
    double cells = 0;
    for (int c = 0; c < objects->classes; c++) {
        const double radius = (double)objects->of[c].radius_m / recipe->spacing_m;
        const double across = TERRANE_TILE_SAMPLES / radius;
        for (int b = 0; b < objects->classes; b++) {
            const double other = (double)objects->of[b].radius_m / recipe->spacing_m;
            const double reach = 1 + 2 * max_double(radius, other) / other;
            cells += across * across * 4 / 3 * reach * reach;
        }
    }
    return cells * cost_cell;
}

/* Of a window of ground, with all levels that it is eroded from. */
static double ground_cost(const struct terrane_recipe *recipe, int level, double width)
{
    const double base = base_cost(recipe);
    double cost = level >= recipe->erosion.levels ? width * width * base : 0;
    for (; level < recipe->erosion.levels; level++) {
        width += 2.0 * terrane_erosion_halo(recipe, level);
        cost += width * width * (base + level_cost(recipe, level));
        width = width / 2 + 3; /* and what interpolation reads */
    }
    return cost;
}

/* Of ground and the lakes on it, with what each of its samples costs besides. */
static double hollow_cost(const struct terrane_recipe *recipe, int level, double width, double search)
{
    double cost = ground_cost(recipe, level, width) + width * width * search;
    if (recipe->lakes.share > 0) {
        const double wet = width * power_of_two(level - recipe->lakes.level);
        cost += ground_cost(recipe, recipe->lakes.level, wet + 4.0 * recipe->lakes.radius) +
                wet * wet * cost_of_lakes(recipe);
    }
    return cost;
}

/* Of the dearer one of a network and a region of caves. */
static double hollows_cost(const struct terrane_recipe *recipe)
{
    const struct terrane_paths *paths = &recipe->paths;
    const struct terrane_caves *caves = &recipe->caves;
    const struct terrane_window own = {.level = caves->level,
                                       .step = 1,
                                       .width = REGION + 2 * caves->radius,
                                       .height = REGION + 2 * caves->radius};
    struct terrane_window ground;
    double max = 0;
    if (paths->width_m > 0)
        max = hollow_cost(recipe, paths->level, terrane_paths_needs_side(recipe), cost_search);
    if (caves->share > 0) {
        terrane_caves_needs(recipe, &own, &ground);
        const double tried = (double)caves->share * cost_dig;
        max = max_double(max, hollow_cost(recipe, caves->level, ground.width, tried));
    }
    return max;
}

/* Of the lattices that drained ground rests on, each with what finer ones need of it and its halo. */
static double drainage_cost(const struct terrane_recipe *recipe)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    const int lattices = rivers->top > 0 ? 1 + (rivers->top - rivers->bottom) / 2 : 0;
    return lattices * (double)REGION * REGION * (base_cost(recipe) + cost_drain);
}

static double region_cost(const struct terrane_recipe *recipe)
{
    const double ground = REGION + 4.0 * recipe->lakes.radius; /* that lakes look at */
    double max = recipe->lakes.share > 0 ? ground * ground * base_cost(recipe) : 0;
    for (int finest = 0; finest < recipe->erosion.levels; finest++)
        max = max_double(max, ground_cost(recipe, finest, ground));
    max += ground * ground * cost_of_lakes(recipe);
    return (max_double(max, hollows_cost(recipe)) + drainage_cost(recipe)) / ((double)REGION * REGION);
}

void terrane_recipe_cost(const struct terrane_recipe *recipe, struct terrane_cost *cost)
{
    *cost = (struct terrane_cost){
        .erosion = cost_of_erosion(recipe),
        .lakes = cost_of_lakes(recipe),
        .objects = cost_of_objects(recipe),
        .region = region_cost(recipe),
    };
    cost->sample = base_cost(recipe) + cost_of_cover(recipe) + cost->objects + cost->erosion + cost->lakes +
                   (recipe->paths.width_m > 0 ? cost_path : 0);
}
