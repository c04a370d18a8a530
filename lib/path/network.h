/* Networks of paths: nodes and edges, their lines, and their effect on the ground. */
#ifndef TERRANE_NETWORK_H
#define TERRANE_NETWORK_H

#include "../recipe/numbers.h"
#include "../terrane_features.h"

/* True if a level shows paths: 0 .. paths.level, in recipes that have any. */
bool terrane_paths_shown(const struct terrane_recipe *recipe, int level);

/* True if a level's ground is carved: of the levels that show paths, 0 .. paths.level, those with a spacing no larger than the
 * reach of the widest path and its border. */
bool terrane_paths_carved(const struct terrane_recipe *recipe, int level);

/* Max difference of carved heights from the ground, at any level, in metres. */
double terrane_paths_bound_m(const struct terrane_recipe *recipe);

/* Max side of the window of ground that the lines of a region read, in samples of the paths' level. */
int terrane_paths_needs_side(const struct terrane_recipe *recipe);

/* True if the network's region, with all that is around it, is on the lattice. */
static inline bool network_exists(const struct terrane_path_network *network)
{
    const int64_t limit = INT64_C(1) << 41, x = network->x, y = network->y;
    return x >= -limit && x < limit && y >= -limit && y < limit;
}

/* True if there is room for as much as it counts. */
static inline bool network_fits(const struct terrane_path_network *network)
{
    return network->nodes >= 0 && network->nodes <= TERRANE_PATHS_NODES_MAX && network->edges >= 0 &&
           network->edges <= TERRANE_PATHS_EDGES_MAX && network->points >= 0 &&
           network->points <= TERRANE_PATHS_POINTS_MAX;
}

/* ---- The network --------------------------------------------------------------------------------------- */

/*
 * terrane_paths_graph - the nodes and edges of a region; no lines yet.
 *
 *   network  x, y and arrays; becomes nodes and edges, of state OPEN, without points
 *   needs    receives the window of the paths' level whose ground terrane_paths_lines reads, at most
 *            terrane_paths_needs_side wide and high; width 0: none, no edge reaches the region
 *
 * Returns 0, TERRANE_EMEMORY or TERRANE_EWINDOW: the region is beyond the lattice. Cost: a window of heights for each cell
 * around.
 */
int terrane_paths_graph(const struct terrane_world *world, const struct terrane_memory *memory,
                        struct terrane_path_network *network,
                        struct terrane_window *needs) TERRANE_MUST_CHECK;

/*
 * terrane_paths_lines - lines and their heights.
 *
 *   needs    as terrane_paths_graph filled it
 *   ground   of that window: eroded heights where the recipe erodes at that level, else base; as terrane_rivers_apply leaves them
 *   depth_m  of water over it, as terrane_water makes it, but of rivers
 *   drained  of a recipe with rivers: of the level rivers.bottom, covers needs with TERRANE_RIVERS_MARGIN cells around; else NULL
 *   network  of the graph; receives points, heights of its nodes and states of its edges
 *
 * Returns 0, TERRANE_ELEVEL (drained is of another), TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_paths_lines(const struct terrane_world *world, const struct terrane_window *needs,
                        const float *ground, const float *depth_m, const struct terrane_drained *drained,
                        const struct terrane_memory *memory,
                        struct terrane_path_network *network) TERRANE_MUST_CHECK;

/* True if an untrusted stored network is valid for the calls below: counts, indices, ranges, order, and segments as
 * short as those of lines. */
bool terrane_paths_valid(const struct terrane_recipe *recipe, const struct terrane_path_network *network);

/* ---- Samples ------------------------------------------------------------------------------------------- */

/*
 * terrane_paths_apply - paths over a window (any step) of a level that shows them.
 *
 *   network     of the region that holds the window's samples (the sample of the paths' level that each lies on or after,
 *               to the north-west of it), or of a region that ends where they do: a window may reach 2 samples of its level
 *               beyond the region on every side
 *   heights     may be NULL; ground, becomes carved where the level is
 *   kind        may be NULL; enum terrane_path_class of each sample
 *   distance_m  may be NULL; to the middle of the nearest path or node; TERRANE_PATHS_FAR beyond the reach
 *
 * Returns 0, TERRANE_ELEVEL, TERRANE_EWINDOW or TERRANE_EMEMORY.
 */
int terrane_paths_apply(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        const struct terrane_path_network *network, const struct terrane_memory *memory,
                        float *heights, uint8_t *kind, float *distance_m) TERRANE_MUST_CHECK;

/* Paints the paths' colour over relief: rgb[3 * i + c], in the light of shade (terrane_hillshade's). */
void terrane_paths_paint(const struct terrane_recipe *recipe, const uint8_t *kind, const uint8_t *shade,
                         size_t count, uint8_t *rgb);

#endif
