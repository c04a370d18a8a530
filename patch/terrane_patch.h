/*
 * Natural paths through one patch of ground (Velzel, "Natural Path Generation", corrected): a graph is led over a patch L
 * along lines that avoid steep ground, the lines say which samples are held to what, and the patch is changed until they
 * are, by moving as little ground as possible over distances as short as possible.
 *
 *     terrane_patch_check ─> terrane_patch_lines ─> limits ─┬─> terrane_patch_relax            as the document has it
 *                                                           └─> terrane_patch_carve            the fast way
 *                                          terrane_patch_distance: earth mover's, of what came out and L
 *
 * A patch is square: side x side samples, row by row, spacing apart (delta of the document); heights have the same unit of
 * length. x grows with the column, y with the row. Slopes at a sample are the four pairs of differences to its neighbours
 * along x and y, one pair a quadrant; where a neighbour is missing so is its quadrant.
 *
 * Memory, threads and errors are as in terrane.h.
 */
#ifndef TERRANE_PATCH_H
#define TERRANE_PATCH_H

#include "../lib/terrane.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_PATCH_SIDE_MAX   1025
#define TERRANE_GRAPH_NODES_MAX  256
#define TERRANE_GRAPH_EDGES_MAX  512
#define TERRANE_PATCH_HEIGHT_MAX (1 << 28) /* of integer heights, in units, above or below 0 */

struct terrane_patch {
    int side;       /* 3 .. 1025 */
    double spacing; /* between samples: 2^-20 .. 2^20 */
    double unit;    /* of integer heights: a power of two, spacing * 2^-30 .. spacing */
};

/* ---- Graphs -------------------------------------------------------------------------------------------- */

struct terrane_graph_node {
    int x, y;     /* sample: 0 .. side - 1 */
    double width; /* of the disc around it that is path, in samples: above 0 */
};

struct terrane_graph_edge {
    int from, to;  /* nodes */
    double width;  /* of the path, in samples: above 0 */
    double slope;  /* most gradient on it (g): 0 or more */
    double border; /* samples beside it that lead over to the ground (b): 0 or more */
};

struct terrane_graph {
    int nodes, edges;
    const struct terrane_graph_node *node;
    const struct terrane_graph_edge *edge;
    double node_slope; /* g on nodes */
};

/*
 * terrane_patch_check - is the graph one that can be led over the patch?
 *
 * Returns 0, TERRANE_EPATCH, TERRANE_ENODE, TERRANE_EWIDTH, TERRANE_EEDGE or TERRANE_ECROSSING: straight edges that meet
 * elsewhere than at a common node; *where (or NULL) receives the index of the node or edge, of two the later one.
 */
int terrane_patch_check(const struct terrane_patch *patch, const struct terrane_graph *graph,
                        int *where) TERRANE_MUST_CHECK;

/* ---- Limits -------------------------------------------------------------------------------------------- */

/*
 * What samples are held to, side * side values each; a whole array may be NULL: no sample is held to it. Where several edges
 * claim a sample the lowest slope counts; gradient comes before across and roughness.
 */
struct terrane_limits {
    float *gradient; /* most |gradient|, in each quadrant (g); below 0: none */
    float *across;   /* most |derivative| along (across_x, across_y) (g with a ring); below 0: none */
    float *across_x, *across_y; /* unit vector, square to the path */
    float
        *roughness; /* to be had: root of the sum of squared slopes to the 8 neighbours (r); below 0: none */
    double *position; /* the height (p); NaN: none */
};

enum terrane_beside {
    TERRANE_BESIDE_NOTHING,   /* the path alone is held */
    TERRANE_BESIDE_ACROSS,    /* across: g + gamma sqrt(d / border) at distance d from the path */
    TERRANE_BESIDE_ROUGHNESS, /* roughness: that of L, within border of the path */
};

struct terrane_shape {
    double alpha, beta; /* a step of length d costs d + d alpha |rise / d|^beta: 0 .. 2^20, 0.25 .. 4 */
    double steepest;    /* steps that rise by more for each length are not taken: 0 .. 2^20; 0: all are */
    double gamma;       /* of TERRANE_BESIDE_ACROSS */
    enum terrane_beside beside;
    bool
        stitch; /* positions of L's outermost samples, and its roughness everywhere that nothing else holds */
};

/* alpha 10,000, beta 1.8, gamma 0.05, across, not stitched: the document's. */
struct terrane_shape terrane_shape_default(void);

/* Bytes of memory that each call below needs for a patch, aligned to TERRANE_SCRATCH_ALIGN; 0: it is none. */
size_t terrane_patch_bytes(const struct terrane_patch *patch);

/*
 * terrane_patch_lines - lead the graph over ground, and say what the samples beside its lines are held to.
 *
 *   ground  L
 *   limits  the arrays to fill; NULL ones are left out
 *   line    line[e] receives how many samples edge e's line has, from its first node to its last, and sample[], of room
 *           samples, their indices, edge by edge; both may be NULL. What does not fit is not written.
 *
 * Lines: A* over the eight neighbours with integer costs, ties by (f, g, y, x). Returns 0, what terrane_patch_check
 * returns, or TERRANE_EUNREACHABLE (with a steepest). Cost: O(side^2 log side) an edge.
 */
int terrane_patch_lines(const struct terrane_patch *patch, const struct terrane_graph *graph,
                        const struct terrane_shape *shape, const double *ground, void *memory,
                        struct terrane_limits *limits, int *line, int *sample, int room,
                        int *where) TERRANE_MUST_CHECK;

/* ---- Relaxation ---------------------------------------------------------------------------------------- */

enum {
    TERRANE_HOLD_GRADIENT,
    TERRANE_HOLD_ACROSS,
    TERRANE_HOLD_ROUGHNESS,
    TERRANE_HOLD_POSITION,
    TERRANE_HOLDS
};

struct terrane_relax {
    double slope_threshold;     /* T_s: how far slopes may be over their limit */
    double roughness_threshold; /* T_r: how far roughness may be from what it should be */
    int64_t iterations_max;     /* I_max */
    /* NULL, or called every so many iterations; false: stop. For progress on long work. */
    bool (*progress)(void *context, int64_t iterations, int64_t unsatisfied);
    void *context;
};

/* T_s 1e-5, T_r 0.04, I_max 1,000,000: the document's. */
struct terrane_relax terrane_relax_default(void);

enum terrane_relaxed {
    TERRANE_RELAXED_ALL,     /* every limit is kept within its threshold */
    TERRANE_RELAXED_MAX,     /* I_max was reached */
    TERRANE_RELAXED_CYCLE,   /* the patch is as it was some iterations ago: it never ends */
    TERRANE_RELAXED_STOPPED, /* by progress */
};

struct terrane_relax_report {
    enum terrane_relaxed how;
    int64_t iterations;
    int64_t held[TERRANE_HOLDS]; /* constraints of each kind: quadrants of samples; samples of the last two */
    int64_t unsatisfied[TERRANE_HOLDS]; /* of those, by more than the threshold */
    double distance[TERRANE_HOLDS];     /* mean of how far those are off; 0 where there are none */
};

/*
 * terrane_patch_relax - the document's sequential form: samples row by row, gradient, derivative across and roughness of
 * each in turn on heights as they stand, positions last. Each procedure leaves its own sample satisfied and moves ground
 * between neighbours only: mass is kept but for positions.
 *
 * heights: L, becomes H. Returns 0 or TERRANE_EPATCH. Cost: 20 to 100 ns a held sample and iteration.
 */
int terrane_patch_relax(const struct terrane_patch *patch, const struct terrane_limits *limits,
                        const struct terrane_relax *relax, void *memory, double *heights,
                        struct terrane_relax_report *report) TERRANE_MUST_CHECK;

/* What a patch of heights keeps of its limits: iterations is 0, how is TERRANE_RELAXED_ALL or _MAX. */
int terrane_patch_report(const struct terrane_patch *patch, const struct terrane_limits *limits,
                         const struct terrane_relax *relax, const double *heights,
                         struct terrane_relax_report *report) TERRANE_MUST_CHECK;

/* ---- The fast way -------------------------------------------------------------------------------------- */

/*
 * terrane_patch_carve - a patch near L that keeps all of its gradient and across limits exactly, in O(side^2) or close.
 *
 * Roughness and positions are not looked at. heights: L in patch->unit, becomes H: the squared slopes of every held
 * quadrant, in units, are at most the squared limit, in integers. Returns 0 or TERRANE_EPATCH.
 */
int terrane_patch_carve(const struct terrane_patch *patch, const struct terrane_limits *limits, void *memory,
                        int32_t *heights) TERRANE_MUST_CHECK;

/* ---- Distance ------------------------------------------------------------------------------------------ */

/*
 * terrane_patch_distance - EMD(L, H): the least sum of ground moved times the way it goes, along rows and columns, and
 * 2 side spacing for what is made or lost altogether; a minimum-cost flow on the grid's own edges.
 *
 *   from, to  L and H, in patch->unit
 *   memory    terrane_patch_distance_bytes
 *   distance  in units of length squared: unit * spacing times the integer optimum
 *
 * Exact. Returns 0 or TERRANE_EPATCH. Cost: depends on how far ground moves.
 */
size_t terrane_patch_distance_bytes(const struct terrane_patch *patch);
int terrane_patch_distance(const struct terrane_patch *patch, const int32_t *from, const int32_t *to,
                           void *memory, double *distance) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
