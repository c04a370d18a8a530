#include "river.h"
#include "drained.h"

#include "../base/hash.h"
#include "../base/min_max.h"
#include "../erosion/erosion.h"
#include "../kernel/erode.h"
#include "drain.h"

#define SINK 0.09375 /* cells */

/* ---- Which cells --------------------------------------------------------------------------------------- */

uint64_t river_min(const struct terrane_recipe *recipe)
{
    const struct terrane_rivers *rivers = &recipe->rivers;
    const double side_m = recipe->spacing_m * (double)(INT64_C(1) << rivers->bottom);
    const double mean_mm = rivers->runoff < 0 ? (double)rivers->runoff_mm : DRAIN_MEAN_MM;
    const double min = (double)rivers->sources_ha * 10000 / (side_m * side_m) * mean_mm;
    return min < 0x1p48 ? (uint64_t)min + 1 : UINT64_C(1) << 48;
}

uint64_t river_shown_min(const struct terrane_recipe *recipe, int level)
{
    const uint64_t min = river_min(recipe);
    const double cells = (double)(INT64_C(1) << 2 * (level - recipe->rivers.bottom)) * RIVER_SHOWN_CELLS *
                         (double)recipe->rivers.shown * (double)recipe_runoff_mm(recipe);
    return cells > (double)min ? (uint64_t)cells : min;
}

bool river_at(const struct terrane_drained *drained, size_t at, uint64_t min)
{
    return (terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY) < TERRANE_DRAIN_SEA &&
           terrane_drained_cell(drained, at).runoff >= min;
}

static size_t beside(const struct terrane_drained *drained, size_t at, int k)
{
    return (size_t)((ptrdiff_t)at + drain_dy[k] * drained->window.width + drain_dx[k]);
}

static size_t receiver(const struct terrane_drained *drained, size_t at)
{
    return beside(drained, at, terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY);
}

ptrdiff_t river_main(const struct terrane_drained *drained, size_t at, uint64_t min)
{
    ptrdiff_t max = -1;
    for (int k = 0; k < 8; k++) {
        const size_t other = beside(drained, at, k);
        if (river_at(drained, other, min) &&
            (terrane_drained_cell(drained, other).to & TERRANE_DRAIN_WAY) == ((k + 4) & 7) &&
            (max < 0 ||
             terrane_drained_cell(drained, other).runoff > terrane_drained_cell(drained, (size_t)max).runoff))
            max = (ptrdiff_t)other;
    }
    return max;
}

/* ---- Points and curves --------------------------------------------------------------------------------- */

/* A cell's water: a little under its ground, but no lower than what it drains into. Between its samples ground lies lower, too, and water
 * would stand over it. */
static int32_t water_of(const struct terrane_world *world, const struct terrane_drained *drained, size_t at)
{
    const struct terrane_recipe *recipe = world->recipe;
    const double unit_m = terrane_erosion_unit_m(recipe);
    const int32_t sea = within_units((double)recipe->sea_m / unit_m, INT32_MAX), z = drained->z[at];
    const int to = terrane_drained_cell(drained, at).to, way = to & TERRANE_DRAIN_WAY;
    if (way == TERRANE_DRAIN_SEA)
        return sea;
    if (recipe->generator < 12 || way > TERRANE_DRAIN_SEA || to & TERRANE_DRAIN_LAKE ||
        drained->window.level != recipe->rivers.bottom)
        return z;
    const double cell_m = recipe->spacing_m * (double)(INT64_C(1) << recipe->rivers.bottom);
    const size_t next = receiver(drained, at);
    const bool ends = (terrane_drained_cell(drained, next).to & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
    const int64_t low = (int64_t)z - within_units(SINK * cell_m / unit_m, INT32_MAX),
                  min = ends ? sea : drained->z[next];
    return (int32_t)(min > z ? z : low > min ? low : min);
}

/* Places are numbers modulo 2^64: those of coarse levels far out go beyond. */
static int64_t moved(int64_t from, int64_t by, int bits)
{
    return (int64_t)((uint64_t)from + ((uint64_t)by << bits));
}

static int64_t way_to(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

struct river_point river_point_of(const struct terrane_world *world, const struct terrane_drained *drained,
                                  size_t at)
{
    const struct terrane_window *window = &drained->window;
    const int bits = window->level + RIVER_FINE_LOG2;
    const int64_t gi = window->gi + (int64_t)(at % (size_t)window->width),
                  gj = window->gj + (int64_t)(at / (size_t)window->width);
    const uint64_t key = hash_absorb(world->seed, UINT64_C(0x5269766572)); /* "River" */
    const uint32_t hash = hash_corner(hash_column(key, gi), hash_row(key, gj));
    const int64_t span = INT64_C(1) << (bits - 1); /* half a cell */
    return (struct river_point){
        .x = moved(moved(0, gi, bits), ((int64_t)(hash & 0xFFFF) * span >> 16) - span / 2, 0),
        .y = moved(moved(0, gj, bits), ((int64_t)(hash >> 16) * span >> 16) - span / 2, 0),
        .z = water_of(world, drained, at),
    };
}

/* A quarter of a way, a quarter of a cell at most. */
static int64_t aside(int level, int64_t way)
{
    const int64_t max = INT64_C(1) << (level + RIVER_FINE_LOG2 - 2);
    return min_int64(max_int64(way >> 2, -max), max);
}

/* Where a channel passes a cell: between the points of its main stream, its receiver and twice its own, so that it turns over some cells where
 * ways turn from one to the next. Heights are the cell's own. */
static struct river_point bend_of(const struct terrane_world *world, const struct terrane_drained *drained,
                                  size_t at, uint64_t min)
{
    struct river_point bend = river_point_of(world, drained, at);
    const ptrdiff_t from = river_main(drained, at, min);
    if (world->recipe->generator < 12 || from < 0 || !river_at(drained, at, min) ||
        terrane_drained_cell(drained, at).to & TERRANE_DRAIN_LAKE)
        return bend;
    const struct river_point above = river_point_of(world, drained, (size_t)from),
                             below = river_point_of(world, drained, receiver(drained, at));
    const int64_t x = way_to(bend.x, above.x) + way_to(bend.x, below.x),
                  y = way_to(bend.y, above.y) + way_to(bend.y, below.y);
    bend.x = moved(bend.x, aside(drained->window.level, x), 0);
    bend.y = moved(bend.y, aside(drained->window.level, y), 0);
    return bend;
}

static struct river_point middle(struct river_point a, struct river_point b)
{
    return (struct river_point){moved(a.x, way_to(a.x, b.x) >> 1, 0), moved(a.y, way_to(a.y, b.y) >> 1, 0),
                                (int32_t)(((int64_t)a.z + b.z) >> 1)};
}

/* A number of the parabola from a by b to c, at t of RIVER_PIECES. */
static int64_t along(int64_t a, int64_t b, int64_t c, int t)
{
    const int n = RIVER_PIECES, s = n - t;
    return (a * (s * s) + b * (2 * s * t) + c * (t * t)) >> 4;
}
_Static_assert(RIVER_PIECES *RIVER_PIECES == 1 << 4, "along");

void river_curve(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                 uint64_t min, struct river_point point[RIVER_PIECES + 1])
{
    const struct river_point here = bend_of(world, drained, at, min);
    const size_t to = receiver(drained, at);
    const struct river_point next = bend_of(world, drained, to, min);
    const ptrdiff_t from = river_main(drained, at, min);
    const int there = terrane_drained_cell(drained, to).to;
    const bool sea = (there & TERRANE_DRAIN_WAY) >= TERRANE_DRAIN_SEA || there & TERRANE_DRAIN_LAKE;
    const struct river_point first =
        from < 0 ? here : middle(bend_of(world, drained, (size_t)from, min), here);
    const struct river_point last = sea ? next : middle(here, next);
    for (int t = 0; t <= RIVER_PIECES; t++)
        point[t] = (struct river_point){
            /* whole differences: coordinates times 16 would not fit far out */
            moved(first.x, along(0, way_to(first.x, here.x), way_to(first.x, last.x), t), 0),
            moved(first.y, along(0, way_to(first.y, here.y), way_to(first.y, last.y), t), 0),
            (int32_t)along(first.z, here.z, last.z, t),
        };
}

void river_join(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                uint64_t min, struct river_point point[2])
{
    struct river_point curve[RIVER_PIECES + 1];
    const size_t to = receiver(drained, at);
    river_curve(world, drained, to, min, curve);
    point[0] = middle(bend_of(world, drained, at, min), bend_of(world, drained, to, min));
    point[1] = curve[RIVER_PIECES / 2];
}

int river_pieces(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                 uint64_t min, struct river_piece piece[RIVER_PIECES + 1])
{
    struct river_point point[RIVER_PIECES + 1];
    const size_t to = receiver(drained, at);
    river_curve(world, drained, at, min, point);
    for (int k = 0; k < RIVER_PIECES; k++)
        piece[k] = (struct river_piece){point[k], point[k + 1]};
    if (!river_at(drained, to, min) || terrane_drained_cell(drained, to).to & TERRANE_DRAIN_LAKE ||
        river_main(drained, to, min) == (ptrdiff_t)at)
        return RIVER_PIECES;
    river_join(world, drained, at, min, point);
    piece[RIVER_PIECES] = (struct river_piece){point[0], point[1]};
    return RIVER_PIECES + 1;
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

float river_width_m(const struct terrane_recipe *recipe, uint64_t runoff)
{
    return recipe->rivers.width * (float)__builtin_sqrt(river_discharge(recipe, runoff));
}

float river_more_m(const struct terrane_recipe *recipe)
{
    const float cell_m = (float)(recipe->spacing_m * (double)(INT64_C(1) << recipe->rivers.bottom));
    return 0.1875f * cell_m + 2 * CARVE_BANK_M;
}

/* x^0.4 = x^(1/4 + 1/8 + 1/64 + 1/128 + 1/1024 ..), by square roots. */
float river_depth_m(const struct terrane_recipe *recipe, uint64_t runoff)
{
    double root = river_discharge(recipe, runoff), power = 1;
    for (int k = 1; k <= 16; k++) {
        root = __builtin_sqrt(root);
        if (0x6666 >> (16 - k) & 1)
            power *= root;
    }
    return recipe->rivers.depth * (float)power;
}
