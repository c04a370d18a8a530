/*
 * Paths of a world: a network that is the same whichever part of it is asked for first.
 *
 * Nodes. Each square cell of 2^cell_log2 samples of the paths' level has one: a hashed sample in its middle half, moved to
 * the flattest ground near it that is not under the sea. All of this reads the level's base surface. In recipes with towns
 * nodes stand nearly anywhere in their cells, and they are villages; one of a block of cells is a town.
 *
 * Graph. Two nodes are joined where no third one is nearer to both than they are to each other: the relative neighbourhood
 * graph, which is connected and planar; 7 x 7 cells decide it. Of two edges whose diamonds overlap one is left out, which
 * leaves the graph connected.
 *
 * Roads. Towns are neighbours as nodes are, and trunk roads lead from one to the next over the graph's edges, the shortest way
 * that is not steep. All others are lanes.
 *
 * Lines. An edge's line is found by A* on the level's ground (eroded where the recipe erodes) inside the edge's own
 * diamond: a little under 30 degrees to both sides at both ends, less a margin. Diamonds of two edges do not overlap, so
 * lines meet at nodes only. It keeps out of sea and lakes. There is none where these, or a rise that the slope does not allow,
 * are in the way.
 *
 * Rivers. A line crosses them, at fords where they are narrow and on bridges where they are not; there is none that would run
 * along one.
 *
 * Surface. Along a line the path's height is the ground's, held to the slope, and level on a pad around each node. At a
 * sample it is half-way between the two cones' envelopes (the least and the greatest surface through the line that rises
 * nowhere by more than the slope). A line that uses at most two thirds of the slope has one that is held to it whatever the
 * line's shape; of a steeper one it is looked at when the line is made, and the line is made gentler where it bends too much.
 * On the path the ground is that surface, to the unit; over the border it passes into the ground as it was.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_PATHS_H
#define TERRANE_PATHS_H

#include "terrane_rivers.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_PATHS_LOG2       8    /* a region of the network: 256 x 256 samples of the paths' level */
#define TERRANE_PATHS_NODES_MAX  1024 /* of a region */
#define TERRANE_PATHS_EDGES_MAX  2048 /* ... */
#define TERRANE_PATHS_POINTS_MAX (1 << 17)  /* ... of all of its lines */
#define TERRANE_PATHS_FAR        1048576.0f /* as a distance: no path is within reach */

enum terrane_path_class {
    TERRANE_PATH_NONE = 0,
    TERRANE_PATH_BORDER = 1, /* ground that passes into the path */
    TERRANE_PATH_WAY = 2,    /* the path: held to the slope */
    TERRANE_PATH_NODE = 3,   /* ... of a node */
    TERRANE_PATH_CLASSES
};

/* Why an edge has no line. */
enum terrane_path_state {
    TERRANE_PATH_OPEN = 0,
    TERRANE_PATH_WET = 1, /* a node is under water, or water is in the way, or it would run along a river */
    TERRANE_PATH_STEEP =
        2, /* it would rise more than the slope allows, or be cut or raised by more than depth_m */
    TERRANE_PATH_STATES
};

/* What an edge is, in recipes with towns; in others all are lanes. */
enum terrane_path_road { TERRANE_PATH_LANE = 0, TERRANE_PATH_TRUNK, TERRANE_PATH_ROADS };

struct terrane_path_node {
    int64_t cx, cy; /* cell */
    int64_t gi, gj; /* sample of the paths' level */
    int32_t height; /* of its pad, in terrane_paths_unit_m; 0 before terrane_paths_lines */
    uint32_t open;  /* edges with a line that end here, of those the network holds */
    bool town;      /* where there are any; else it is a village */
};

/* What lies under a line from one of its points to the next. */
enum terrane_path_over {
    TERRANE_PATH_LAND = 0,
    TERRANE_PATH_FORD = 1, /* a river at most TERRANE_PATH_FORD_M broad, which the line meets at its water */
    TERRANE_PATH_BRIDGE = 2, /* any other: the line is above the water, and the bed stays open */
    TERRANE_PATH_OVERS
};
#define TERRANE_PATH_FORD_M 5

struct terrane_path_point {
    int64_t x, y;   /* 2^-4 samples of level 0 */
    int32_t height; /* units */
    enum terrane_path_over over;
};

struct terrane_path_edge {
    uint64_t id;      /* a hash of its cells and nothing else; never 0 */
    int32_t from, to; /* nodes of the network; the cell of from is the lesser by (cy, cx) */
    enum terrane_path_state state;
    enum terrane_path_road road;
    int32_t points, first; /* of its line, from node to node, in network->point; 0 where it has none */
};

/* All that reaches a region of the paths' level. Arrays are the caller's, of TERRANE_PATHS_..._MAX elements. Ordered: nodes
 * by (cy, cx), edges by (from, to), points by the edges: lines follow each other without gaps. */
struct terrane_path_network {
    int64_t x, y; /* of the region: samples from 256 x, 256 y on of the paths' level */
    int nodes, edges, points;
    struct terrane_path_node *node;
    struct terrane_path_edge *edge;
    struct terrane_path_point *point;
};

/* The step in which path heights are counted: a power of two of metres, at most 2^-8 of what the slope allows over a
 * level-0 sample, if heights then stay below 2^24 units. */
double terrane_paths_unit_m(const struct terrane_recipe *recipe);

/* Width of a road: width_m, but of a recipe with towns a lane's lane_m. */
float terrane_paths_width_m(const struct terrane_recipe *recipe, enum terrane_path_road road);

/* Whether a level shows paths: 0 .. paths.level, in recipes that have any; and whether its ground is carved: up to the last
 * of them whose samples are no further apart than the reach. */
bool terrane_paths_shown(const struct terrane_recipe *recipe, int level);
bool terrane_paths_carved(const struct terrane_recipe *recipe, int level);

/* No carved height differs from the ground by more, at any level, in metres. */
double terrane_paths_bound_m(const struct terrane_recipe *recipe);

/* The widest window of ground that the lines of a region read, in samples of the paths' level. */
int terrane_paths_needs_side(const struct terrane_recipe *recipe);

/* Paints the paths' colour over relief: rgb[3 * i + c], in the light of shade (terrane_hillshade's). */
void terrane_paths_paint(const struct terrane_recipe *recipe, const uint8_t *kind, const uint8_t *shade,
                         size_t count, uint8_t *rgb);

#ifdef __cplusplus
}
#endif
#endif
