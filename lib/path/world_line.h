/*
 * Paths of a world: declarations shared by the files that make lines. world_line.c finds a line's course,
 * world_profile.c its heights.
 */
#ifndef TERRANE_PATH_WORLD_LINE_H
#define TERRANE_PATH_WORLD_LINE_H

#include "astar.h"
#include "course.h"
#include "world.h"

/* A line takes every second sample of a way, and cutting corners doubles that twice. */
enum { WAY_MAX = 2000, POINTS_MAX = 2 * WAY_MAX + 16 };

/* A part of a line over a river: lengths along the line from its first point. */
struct crossing {
    double from, to, breadth; /* breadth: the river's */
    double water;             /* its highest, units */
};

enum { CROSSINGS_MAX = 64 };

#define PATH_NO_WATER -0x1p60
#define PATH_NO_FORD  0x1p60

/* The work of one call. height has three times POINTS_MAX: profile, line, water. */
struct lines {
    const struct terrane_world *world;
    const struct terrane_recipe *recipe;
    const struct terrane_drained *drained; /* NULL: no rivers */
    struct path_scale scale;
    double river_units; /* units that one of rivers' heights has */
    struct astar_cost cost;
    struct terrane_path_network *network;
    const struct terrane_window *needs;
    const float *ground, *depth_m;
    int points_max, shore;
    /* of one line, with rivers: its node, from needs; the current segment; its river crossings */
    struct place origin;
    int leg, crossings;
    bool low; /* it goes down to the water there */
    struct crossing crossing[CROSSINGS_MAX];
    /* memory */
    int32_t *box_ground;
    uint8_t *wet, *blocked;
    float *level; /* of needs, with rivers: the ground, or their water over it; and as many to work in */
    uint8_t *toll, *box_toll; /* ... : of samples beside rivers, and in them */
    uint32_t *way;
    struct place *place, *other;
    double *height;
    double *cap, *climb; /* of a steep line, by its segments: its slope; max height at their ends */
    uint8_t *mark;       /* ... : segments to check, and segments too steep */
    /* with rivers, of a line's points: distance along it; min height, and max height at a ford; whether the next part crosses one */
    double *along, *deck, *ford;
    uint8_t *over;
    struct terrane_path_point *point;
    void *surface, *astar;
};

/* True if a crossing begins at a point, ends there, or continues; and the line goes down to it. */
static inline bool path_crosses(const struct lines *lines, int k)
{
    return lines->over[k] || (k > 0 && lines->over[k - 1]);
}

static inline bool path_goes_down(const struct lines *lines, int k)
{
    return lines->low && path_crosses(lines, k);
}

/* The index of a sample of needs; coordinates are its window's. */
static inline size_t index_of(const struct lines *lines, int64_t x, int64_t y)
{
    return (size_t)(y * lines->needs->width + x);
}

static inline bool inside(const struct lines *lines, int64_t x, int64_t y)
{
    return x >= 0 && x < lines->needs->width && y >= 0 && y < lines->needs->height;
}

/* The place between two, t in 0 .. 1. */
static inline struct place place_at(struct place a, struct place b, double t)
{
    return (struct place){a.x + path_floor((double)(b.x - a.x) * t + 0.5),
                          a.y + path_floor((double)(b.y - a.y) * t + 0.5)};
}

/* Distance of a beyond disc b. */
static inline double beyond(struct place a, struct place b, double disc)
{
    const double d = __builtin_sqrt(length2(a, b)) - disc;
    return d > 0 ? d : 0;
}

/* Marks samples that are under water with 3, those around them with 2: half a path and a sample to each side. */
void path_wet_mark(struct lines *lines);

/* A node's height: the mean of the ground on a square around its disc. It has no open edge yet. */
void path_node_height(const struct lines *lines, struct terrane_path_node *node);

/* The ground along the n points of p's line; then lines->point with them and their heights, between those of p and q. climb:
 * of a steep line; NULL: it is gentle. */
void path_profile_ground(struct lines *lines, const struct terrane_path_node *p, const struct place *place,
                         int n);
void path_profile(struct lines *lines, const struct terrane_path_node *p, const struct terrane_path_node *q,
                  const struct place *place, int n, const double *climb);

/* The same for a line that is as steep as may be; false: there is none, or no need of one. */
bool path_steep(struct lines *lines, const struct terrane_path_node *p, const struct terrane_path_node *q,
                const struct place *place, int n);

/* Fills tolls of needs, and the ground of lines, from the rivers over it. Returns 0 or an error. */
int path_tolls(struct lines *lines, const float *ground, const struct terrane_memory *memory);

/* Adds points where p's line, n points in lines->other, crosses rivers. Returns the new number; 0: it runs along one.
 * path_bridges, once heights are known: classifies fords and bridges. */
int path_rivers(struct lines *lines, const struct terrane_path_node *p, int n);
void path_bridges(struct lines *lines, int n);

/* True if no point of a line is in water or lower than water beside it; and if all of it and a node's disc are within
 * depth_m of the ground. */
bool path_line_is_dry(const struct lines *lines, struct place origin, const struct place *place, int n);
bool path_line_fits(const struct lines *lines, struct place origin, int n);
bool path_node_fits(const struct lines *lines, const struct terrane_path_node *node);

/* A node's place: fine units from the north-west of needs. */
static inline struct place place_of(const struct lines *lines, const struct terrane_path_node *node)
{
    const int64_t sample = INT64_C(1) << lines->scale.sample_log2;
    return (struct place){(node->gi - lines->needs->gi) * sample, (node->gj - lines->needs->gj) * sample};
}

#endif
