/*
 * Paths of a world: what the parts that make lines share. world_line.c says where a line runs, world_profile.c how high.
 */
#ifndef TERRANE_PATH_WORLD_LINE_H
#define TERRANE_PATH_WORLD_LINE_H

#include "astar.h"
#include "world.h"

/* Of a way every second sample is taken, and cutting corners doubles that twice. */
enum { WAY_MAX = 2000, POINTS_MAX = 2 * WAY_MAX + 16 };

/* Fine units, from a line's first point where nothing else is said. */
struct place {
    int64_t x, y;
};

/* The work of one call. Of height there are three times POINTS_MAX: heights of the profile, of the line, of water. */
struct lines {
    const struct terrane_recipe *recipe;
    struct path_scale scale;
    struct astar_cost cost;
    struct terrane_path_network *network;
    const struct terrane_window *needs;
    const float *ground, *depth_m;
    int points_max, shore;
    /* memory */
    int32_t *box_ground;
    uint8_t *wet, *blocked;
    uint32_t *way;
    struct place *place, *other;
    double *height;
    double *cap, *climb; /* of a steep line, by its segments: its slope; how high it can be at their ends */
    uint8_t *mark;       /* ... : what is to be looked at, and what is too steep */
    struct terrane_path_point *point;
    void *surface, *astar;
};

/* Of a sample of needs; coordinates are its window's. */
static inline size_t index_of(const struct lines *lines, int64_t x, int64_t y)
{
    return (size_t)(y * lines->needs->width + x);
}

static inline bool inside(const struct lines *lines, int64_t x, int64_t y)
{
    return x >= 0 && x < lines->needs->width && y >= 0 && y < lines->needs->height;
}

static inline double length2(struct place a, struct place b)
{
    const double x = (double)(b.x - a.x), y = (double)(b.y - a.y);
    return x * x + y * y;
}

/* How much further than disc b is from a. */
static inline double beyond(struct place a, struct place b, double disc)
{
    const double d = __builtin_sqrt(length2(a, b)) - disc;
    return d > 0 ? d : 0;
}

/* Marks samples that are under water with 3, those around them with 2: half a path and a sample to each side. */
void path_wet_mark(struct lines *lines);

/* A node's height: the mean of the ground on its disc, that of a square. It has no open edge yet. */
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

/* Whether no point of a line lies in water or lower than water beside it; whether all of it and a node's disc are no further
 * from the ground than depth_m. */
bool path_line_is_dry(const struct lines *lines, struct place origin, const struct place *place, int n);
bool path_line_fits(const struct lines *lines, struct place origin, int n);
bool path_node_fits(const struct lines *lines, const struct terrane_path_node *node);

/* Where a node is: fine units from the north-west of needs. */
static inline struct place place_of(const struct lines *lines, const struct terrane_path_node *node)
{
    const int64_t sample = INT64_C(1) << lines->scale.sample_log2;
    return (struct place){(node->gi - lines->needs->gi) * sample, (node->gj - lines->needs->gj) * sample};
}

#endif
