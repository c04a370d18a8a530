/*
 * What a recipe costs, in octaves of lattice noise a sample.
 *
 * The weights are round numbers from a tile of 257 x 257 heights with AVX-512, where an octave of PERLIN5 on the lattice
 * takes about 14 us; config/worlds/README.md lists them. An octave on the lattice is two or three multiply-adds a
 * sample; one that is displaced or stretched is evaluated point by point, hashes and all; cellular noise looks at the
 * points of nine cells, and of more where jitter lets a farther one be nearer.
 */
#include <stdbool.h>

#include "recipe_build.h"

static const double cost_lattice = 1, cost_point = 16, cost_cellular = 80, cost_cellular_wild = 120;
static const double cost_swiss = 60, cost_jordan = 25, cost_midpoint = 10;
static const double cost_term = 1, cost_curve = 12, cost_zone = 3;
static const double cost_voronoi = 150, cost_lloyd = 50; /* of the partition, and of each of its rounds */

static double octave_cost(const struct terrane_fractal *fractal, enum terrane_base base)
{
    const bool displaced = fractal->warp_term[0] >= 0 || fractal->warp_term[1] >= 0;
    double cost = cost_lattice;
    if (base >= TERRANE_CELLULAR_F1)
        cost = fractal->jitter > 0.7f ? cost_cellular_wild : cost_cellular;
    else if (base == TERRANE_SIMPLEX || displaced || fractal->lacunarity != 2 ||
             !is_power_of_two(fractal->cell))
        cost = cost_point;
    if (fractal->kind == TERRANE_SWISS && cost < cost_swiss)
        cost = cost_swiss;
    if (fractal->kind == TERRANE_JORDAN && cost < cost_jordan)
        cost = cost_jordan;
    return cost;
}

static double fractal_cost(const struct terrane_fractal *fractal)
{
    double cost = 0;
    if (fractal->kind == TERRANE_MIDPOINT || fractal->kind == TERRANE_MIDPOINT_SMOOTHED)
        return cost_midpoint;
    for (int i = 0; i < fractal->octaves; i++)
        cost += octave_cost(fractal, (enum terrane_base)fractal->base[i]);
    return cost;
}

static double term_cost(const struct terrane_term *term)
{
    return term->op == TERRANE_OP_FRACTAL ? fractal_cost(&term->fractal)
           : term->op == TERRANE_OP_CURVE ? cost_curve
                                          : cost_term;
}

double recipe_cost(const struct terrane_recipe *recipe)
{
    const struct terrane_partition *partition = &recipe->partition;
    double cost = 0;
    for (int i = 0; i < recipe->terms; i++)
        cost += term_cost(&recipe->term[i]);
    if (partition->zones > 1)
        cost += partition->zones * cost_zone;
    if (partition->zones > 1 && partition->kind == TERRANE_PARTITION_VORONOI)
        cost += cost_voronoi + partition->rounds * cost_lloyd;
    return cost;
}
