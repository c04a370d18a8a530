/*
 * Paths of a world: declarations shared by its parts.
 *
 *     world_node.c ──> world_graph.c ──> world_line.c, world_profile.c ──┐
 *     scale, nodes     edges, diamonds   lines, heights, world_steep.c,  ├─> world_apply.c, world_valid.c
 *                                       world_lone.c                    │
 *                      world_surface.c ──────────────────────────────────┘
 *                      distances, the surface of an edge
 *
 * Lengths are counted in fine units, 2^-4 samples of level 0, and heights in units of terrane_paths_unit_m. Everything
 * of an edge is relative to its first node, so it does not depend on the region that asks.
 */
#ifndef TERRANE_PATH_WORLD_H
#define TERRANE_PATH_WORLD_H

#include "../recipe/numbers.h"
#include "../terrane_features.h"

enum {
    PATH_FINE_LOG2 = 4,
    PATH_RINGS = 3,        /* cells around a region's own that its edges end in: world_graph.c */
    PATH_LATTICE_LOG2 = 4, /* fractional bits of heights on a surface's lattice */
    PATH_LATTICE_MAX = 16, /* max lattice_log2: heights of 29 bits times its square fit an int64 */
};

struct path_scale {
    int level, cell_log2;
    int sample_log2; /* fine units a sample of the paths' level */
    int64_t cell;    /* samples */
    bool spread;     /* nodes stand nearly anywhere in their cells */
    int64_t longest; /* of edges, in samples: no less */
    double unit_m;
    double steepest;    /* of differences on a surface's lattice: sixteenths of units for each fine unit */
    double steep;       /* of steep lines' surfaces: units for each fine unit; 0 or less: no path is open */
    double slope;       /* of other surfaces, which keep the limit whatever their line is */
    double line_slope;  /* of their lines */
    double half, reach; /* of the widest path; with its border: fine units, as all that follows */
    double pad;         /* of nodes: two reaches */
    double margin;      /* from a line to its diamond's sides, beyond the level disc around a node ... */
    double disc;        /* ... of this radius */
    int64_t coarsest;   /* of carved samples: fine units */
    int lattice_log2;   /* of surfaces: level-0 samples */
    int32_t sea, depth; /* units: min height of dry ground; max that it is cut or raised */
};

struct path_scale path_scale_of(const struct terrane_recipe *recipe);

/* v / unit_m, rounded, within PATH_HEIGHT_MAX. */
int32_t path_units(const struct path_scale *scale, double v);

/* Samples of the paths' level: around a region, within which its edges are known; around the diamonds, which lines read. */
int path_reach_samples(const struct path_scale *scale);
int path_needs_margin(const struct terrane_recipe *recipe, const struct path_scale *scale);

/* ... around a place on a line that must not be lake, so that the line stays above water. */
int path_shore_samples(const struct terrane_recipe *recipe);

/* Max points of a line: all fit with as many edges as a region can have. */
int path_points_max(int cell_log2);

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* True if a cell has a node: its fine units fit an int64 and its samples are on the lattice. */
bool path_cell_exists(const struct path_scale *scale, int64_t cx, int64_t cy);

/* The start of the search for a node; the node is at most so many samples away along each axis, and in its cell. */
static inline int64_t path_node_slack(const struct path_scale *scale)
{
    return scale->cell / (scale->spread ? 16 : 8);
}

void path_node_start(const struct path_scale *scale, uint64_t seed, int64_t cx, int64_t cy, int64_t *gi,
                     int64_t *gj);

/* A node's base ground: its height, in units, and the mean slope there and around it, a fine unit. */
struct path_ground {
    int32_t height;
    double steep;
};

/* What is kept of a cell, which is its own from now on; NULL: nothing is. */
struct memo_path *path_kept(const struct terrane_world *world, const struct path_scale *scale,
                            const struct terrane_memory *memory, int64_t cx, int64_t cy);

/* A cell's node: the start, moved. */
int path_node_find(const struct terrane_world *world, const struct path_scale *scale,
                   const struct terrane_memory *memory, int64_t cx, int64_t cy, int64_t *gi, int64_t *gj,
                   struct path_ground *ground) TERRANE_MUST_CHECK;

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* Closes open edges of pieces that lead nowhere: world_lone.c. */
void path_lone_close(const struct path_scale *scale, struct terrane_path_network *network);

/* Bytes that terrane_paths_lines needs. */
size_t path_lines_bytes(const struct terrane_recipe *recipe, const struct terrane_window *needs);

/* ---- Diamonds ------------------------------------------------------------------------------------------ */

/* The rhombus over an edge, its sides at atan(4/7) = 29.74 degrees from it. Coordinates are 14 times those of samples. */
struct path_diamond {
    int64_t x[4], y[4];
};

struct path_diamond path_diamond_of(int64_t px, int64_t py, int64_t qx, int64_t qy);

/* True if no region but the one whose north-west a diamond is counted from knows its edge. */
bool path_diamond_is_inner(const struct path_scale *scale, const struct path_diamond *diamond);

/* True if the interiors of two convex quadrangles intersect. */
bool path_diamonds_overlap(const struct path_diamond *a, const struct path_diamond *b);

/* ---- Surfaces ------------------------------------------------------------------------------------------ */

/* A straight piece of a line; x, y from the line's first point. */
struct path_segment {
    double x, y, ux, uy, length; /* from (x, y) along the unit vector (ux, uy) */
    double z, rise;              /* units; units for each fine unit */
    double lean, fall; /* position along it of the cones for a sample, and their slope, by its distance */
};

/* PATH_BLOCK segments, in a circle and between two heights. */
struct path_block {
    double x, y, radius, low, high;
};

enum { PATH_BLOCK = 6 };

struct path_surface {
    int segments, blocks;
    double slope, disc;
    struct path_segment *segment;
    struct path_block *block;
    double end_x[2], end_y[2], end_z[2]; /* nodes */
};

size_t path_surface_bytes(int points);

/* Makes the surface of a line of at least 2 points, no two neighbours equal; memory: path_surface_bytes. */
void path_surface_make(struct path_surface *surface, const struct path_scale *scale,
                       const struct terrane_path_point *point, int points, void *memory);

/* Its height at a place, in units; in sixteenths, rounded, as its lattice has them. */
double path_surface_at(const struct path_surface *surface, double x, double y);
int32_t path_surface_lattice(const struct path_surface *surface, double x, double y);

/* Segments that count for places in a circle: those that may be the nearest within reach, and those that the height may rest on. */
struct path_around {
    int near, high; /* how many */
    uint16_t *near_segment, *high_segment;
};

size_t path_around_bytes(int points);
void path_around_begin(struct path_around *around, int points, void *memory); /* path_around_bytes */
void path_around_find(struct path_around *around, const struct path_surface *surface, double x, double y,
                      double radius, double reach);

/* The surface's height at a place of the circle: that of path_surface_at, to the bit. */
double path_around_at(const struct path_around *around, const struct path_surface *surface, double x,
                      double y);

/* d2[i] becomes min of itself and the squared distance of (x + i * step, y) to the segment. */
void path_segment_near(const struct path_segment *segment, double x, double y, double step, int count,
                       double *d2);

/* How far apart two heights are. */
static inline int64_t path_rise(int32_t a, int32_t b)
{
    return a > b ? (int64_t)a - b : (int64_t)b - a;
}

static inline double path_length(double x, double y)
{
    return __builtin_sqrt(x * x + y * y);
}

/* floor(v), of |v| < 2^62. */
static inline int64_t path_floor(double v)
{
    const int64_t cut = (int64_t)v;
    return cut - ((double)cut > v);
}

#endif
