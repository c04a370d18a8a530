/*
 * Paths of a world: its scale, and the nodes.
 *
 * A cell's node stands in the middle three quarters of it: a hashed start in its middle half, moved by an eighth of the
 * cell at most. So nodes are a quarter of a cell apart, which is eight reaches. With towns they are spread over the cell except a
 * sixteenth on each side, moved by a sixteenth: otherwise most edges would run along the axes. An eighth of a cell is four
 * reaches, two pads. A node that is none of an edge's ends is 60 degrees off it there, four reaches away: its pad ends where the
 * edge's diamond begins.
 */
#include "../base/hash.h"
#include "../base/min_max.h"
#include "../recipe/bounds.h"
#include "../term/memo.h"
#include "network.h"
#include "world.h"

/* ---- Scale --------------------------------------------------------------------------------------------- */

float terrane_paths_width_m(const struct terrane_recipe *recipe, enum terrane_path_road road)
{
    const struct terrane_paths *paths = &recipe->paths;
    return paths->towns.block_log2 > 0 && road == TERRANE_PATH_LANE ? paths->towns.lane_m : paths->width_m;
}

static double level_spacing_m(const struct terrane_recipe *recipe, int level)
{
    return recipe->spacing_m * (double)(INT64_C(1) << level);
}

bool terrane_paths_shown(const struct terrane_recipe *recipe, int level)
{
    return recipe->paths.width_m > 0 && level >= 0 && level <= recipe->paths.level;
}

bool terrane_paths_carved(const struct terrane_recipe *recipe, int level)
{
    return terrane_paths_shown(recipe, level) &&
           level_spacing_m(recipe, level) <= terrane_paths_reach_m(recipe);
}

/*
 * At samples of the paths' level a path keeps within depth_m of the ground (world_line.c), and finer levels differ from it
 * by the errors; between its samples the level is known as well as one above it is. The last part is rounding.
 */
double terrane_paths_bound_m(const struct terrane_recipe *recipe)
{
    const int level = recipe->paths.level, above = level < TERRANE_LEVEL_MAX ? level + 1 : level;
    return (double)recipe->paths.depth_m + terrane_level_error_m(recipe, above) +
           terrane_erosion_error_m(recipe, level) + 0x1p-22 * paths_height_max_m(recipe);
}

/*
 * slope: surfaces of gentle lines are held to it in every direction, so differences along both axes are at most slope *
 * spacing, plus rounding of one unit and a sixteenth each; the root of their squares' sum is then below limit * spacing. Those
 * of steep lines are held to steep, with the same room for rounding, and checked: world_steep.c.
 *
 * margin: the reach, so that no ground belongs to two edges; and as much that no two samples side by side, at the
 * coarsest carved level, lie on paths of two edges. Rounding of lines to fine units is in it. A line that leaves its node
 * along the edge is so far from the diamond's sides where it is 65^(1/2) / 4 = 2.0156 margins from the node.
 */
struct path_scale path_scale_of(const struct terrane_recipe *recipe)
{
    const struct terrane_paths *paths = &recipe->paths;
    const double fine_m = recipe->spacing_m * (1.0 / (1 << PATH_FINE_LOG2));
    struct path_scale scale = {
        .level = paths->level,
        .cell_log2 = paths->cell_log2,
        .sample_log2 = paths->level + PATH_FINE_LOG2,
        .cell = INT64_C(1) << paths->cell_log2,
        .spread = paths->towns.block_log2 > 0,
        .unit_m = terrane_paths_unit_m(recipe),
        .half = (double)paths->width_m / 2 / fine_m,
        .reach = terrane_paths_reach_m(recipe) / fine_m,
    };
    scale.longest = scale.cell * (scale.spread ? 11 : 10) / 4; /* 2.652 or 2.475 cells: world_graph.c */
    const double rise_m = (double)paths->slope * recipe->spacing_m - 2 * scale.unit_m;
    scale.steepest = (double)paths->slope * recipe->spacing_m / scale.unit_m - 1.5;
    scale.steep = rise_m / scale.unit_m / (1 << PATH_FINE_LOG2);
    scale.slope = rise_m / 1.4142135623730951 / scale.unit_m / (1 << PATH_FINE_LOG2);
    scale.line_slope = 0.9375 * scale.slope;
    scale.pad = 2 * scale.reach;

    double sample = 1 << PATH_FINE_LOG2; /* of the lattice */
    for (; sample * 2 <= scale.reach / 2 && scale.lattice_log2 < PATH_LATTICE_MAX; sample *= 2)
        scale.lattice_log2++;
    scale.coarsest = 1 << PATH_FINE_LOG2;
    for (int l = 1; terrane_paths_carved(recipe, l); l++)
        scale.coarsest *= 2;
    scale.margin = max_double(scale.reach, scale.half + (double)scale.coarsest / 2) + 4;
    scale.disc = max_double(scale.pad, 2.0157 * scale.margin) + 1.5 * sample;

    const double clear_m = (double)paths->slope * terrane_paths_reach_m(recipe) / 2;
    scale.sea = path_units(&scale, (double)recipe->sea_m + clear_m) + 1;
    scale.depth = path_units(&scale, (double)paths->depth_m);
    return scale;
}

int32_t path_units(const struct path_scale *scale, double v)
{
    const double units = v / scale->unit_m;
    if (!(units > -PATH_HEIGHT_MAX))
        return -PATH_HEIGHT_MAX;
    return units < PATH_HEIGHT_MAX ? (int32_t)path_floor(units + 0.5) : PATH_HEIGHT_MAX;
}

static int whole_samples(const struct path_scale *scale, double fine)
{
    return (int)(fine / (double)(INT64_C(1) << scale->sample_log2)) + 1;
}

/* Windows extend 2 samples beyond their region, and pads of nodes there. */
int path_reach_samples(const struct path_scale *scale)
{
    return whole_samples(scale, scale->pad) + 3;
}

/* Shores of lakes are 3 samples of the lakes' level wide. */
int path_shore_samples(const struct terrane_recipe *recipe)
{
    const bool rivers = recipe->rivers.top > 0;
    const int finer = (rivers ? recipe->rivers.bottom : recipe->lakes.level) - recipe->paths.level;
    if (!(recipe->lakes.share > 0) && !rivers)
        return 0;
    return finer <= 0 ? 3 : finer == 1 ? 6 : 12;
}

int path_needs_margin(const struct terrane_recipe *recipe, const struct path_scale *scale)
{
    const int disc = whole_samples(scale, scale->disc), shore = path_shore_samples(recipe);
    return (disc > shore ? disc : shore) + 3;
}

int path_points_max(int cell_log2)
{
    const int side = (1 << (TERRANE_PATHS_LOG2 - cell_log2)) + 2 * PATH_RINGS;
    return TERRANE_PATHS_POINTS_MAX / (3 * side * side);
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

bool path_cell_exists(const struct path_scale *scale, int64_t cx, int64_t cy)
{
    const int bits = (57 - scale->level < 49 ? 57 - scale->level : 49) - scale->cell_log2;
    const int64_t limit = INT64_C(1) << bits;
    return cx >= -limit && cx < limit && cy >= -limit && cy < limit;
}

static int64_t middle(int64_t n, int64_t hash)
{
    return n / 4 + (hash & (n / 2 - 1));
}

/* Maps a 32-bit hash to a place that is more often at the sides than in the middle. */
static int64_t spread(int64_t n, int64_t hash)
{
    const int64_t last = 0xFFFFFFFF, half = INT64_C(1) << 31, back = last - hash;
    const int64_t place = hash < half ? hash * hash >> 31 : last - (back * back >> 31);
    return n / 8 + (place * (3 * n / 4) >> 32);
}

void path_node_start(const struct path_scale *scale, uint64_t seed, int64_t cx, int64_t cy, int64_t *gi,
                     int64_t *gj)
{
    const uint64_t key = hash_absorb(seed, UINT64_C(0x5061746873)); /* "Paths" */
    const uint64_t hash = hash_absorb(hash_absorb(key, (uint64_t)cx), (uint64_t)cy);
    const int64_t x = (int64_t)(hash & 0xFFFFFFFF), y = (int64_t)(hash >> 32);
    *gi = cx * scale->cell + (scale->spread ? spread(scale->cell, x) : middle(scale->cell, x));
    *gj = cy * scale->cell + (scale->spread ? spread(scale->cell, y) : middle(scale->cell, y));
}

enum { SIDE = 2 * 4 + 3 /* of the inspected samples */ };

/* Chooses an inner sample of a grid: dry before wet, then the flattest, then the first one. */
static int flattest(const int32_t *height, int side, int32_t sea)
{
    int best = side + 1;
    bool best_dry = false;
    int64_t best_rise = INT64_MAX;
    for (int j = 1; j < side - 1; j++)
        for (int i = 1; i < side - 1; i++) {
            const int k = j * side + i;
            const int32_t h = height[k];
            const int64_t r = path_rise(h, height[k - 1]) + path_rise(h, height[k + 1]) +
                              path_rise(h, height[k - side]) + path_rise(h, height[k + side]);
            const bool dry = h >= sea;
            if ((dry && !best_dry) || (dry == best_dry && r < best_rise)) {
                best = k;
                best_dry = dry;
                best_rise = r;
            }
        }
    return best;
}

/* Half the difference of a place and its four neighbours, mean over a grid: a slope's rise over a step. */
static double steepness(const int32_t *height, int side)
{
    int64_t sum = 0;
    for (int j = 1; j < side - 1; j++)
        for (int i = 1; i < side - 1; i++) {
            const int32_t *h = &height[j * side + i];
            sum +=
                path_rise(*h, h[-1]) + path_rise(*h, h[1]) + path_rise(*h, h[-side]) + path_rise(*h, h[side]);
        }
    return (double)sum / (2 * (side - 2) * (side - 2));
}

struct memo_path *path_kept(const struct terrane_world *world, const struct path_scale *scale,
                            const struct terrane_memory *memory, int64_t cx, int64_t cy)
{
    enum { LAST = (1 << MEMO_PATHS_LOG2) - 1 };
    if (!memory->memo)
        return NULL;
    struct memo_path *kept = &memory->memo->path[(cy & LAST) << MEMO_PATHS_LOG2 | (cx & LAST)];
    if (!memo_owns(&kept->owner, world, scale->level, cx, cy))
        *kept = (struct memo_path){.owner = memo_owner(world, scale->level, cx, cy)};
    return kept;
}

static int find_node(const struct terrane_world *world, const struct path_scale *scale,
                     const struct terrane_memory *memory, int64_t cx, int64_t cy, struct memo_path *found)
{
    const int stride = scale->cell >= 64 ? (int)(scale->cell / 32) : 1;
    const int choices = (int)path_node_slack(scale) / stride; /* 1, 2 or 4 */
    const int side = 2 * choices + 3;
    struct terrane_window window = {.level = scale->level, .step = stride, .width = side, .height = side};
    float height_m[SIDE * SIDE];
    int32_t height[SIDE * SIDE] = {0};
    path_node_start(scale, world->seed, cx, cy, &window.gi, &window.gj);
    window.gi -= (choices + 1) * stride;
    window.gj -= (choices + 1) * stride;
    const int error = terrane_heights(world, &window, memory, height_m);
    if (error)
        return error;
    for (int k = 0; k < side * side; k++)
        height[k] = path_units(scale, (double)height_m[k]);
    const int best = flattest(height, side, scale->sea);
    found->gi = window.gi + best % side * stride;
    found->gj = window.gj + best / side * stride;
    found->height = height[best];
    found->steep = steepness(height, side) / (double)((int64_t)stride << scale->sample_log2);
    return 0;
}

int path_node_find(const struct terrane_world *world, const struct path_scale *scale,
                   const struct terrane_memory *memory, int64_t cx, int64_t cy, int64_t *gi, int64_t *gj,
                   struct path_ground *ground)
{
    struct memo_path own = {.gi = 0}, *kept = path_kept(world, scale, memory, cx, cy),
                     *found = kept ? kept : &own;
    if (!kept || !(kept->owner.made & MEMO_PATH_NODE)) {
        const int error = find_node(world, scale, memory, cx, cy, found);
        if (error)
            return error;
    }
    if (kept)
        kept->owner.made |= MEMO_PATH_NODE;
    *gi = found->gi;
    *gj = found->gj;
    *ground = (struct path_ground){found->height, found->steep};
    return 0;
}
