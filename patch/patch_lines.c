/*
 * Leads a graph over a patch, and says what samples are held to.
 *
 * The path is what lies within half a width of a line's samples, or of a node. What lies beside it goes by the nearest
 * sample of the path: how far away that is, what it is held to, and the direction to it, which is square to the path.
 */
#include "../lib/path/astar.h"
#include "patch.h"

#include <float.h>
#include <string.h>

struct leading {
    const struct terrane_patch *patch;
    const struct terrane_graph *graph;
    const struct terrane_shape *shape;
    const double *ground;
    struct astar_grid grid;
    struct astar_cost cost;

    float *gradient; /* least slope of the paths that a sample belongs to; -1: none */
    float *border;   /* their widest */
    uint8_t *mark;
    int32_t *rows;
    uint32_t *nearest;
    uint32_t *way;
    void *search;
};

struct terrane_shape terrane_shape_default(void)
{
    return (struct terrane_shape){
        .alpha = 10000, .beta = 1.8, .gamma = 0.05, .beside = TERRANE_BESIDE_ACROSS};
}

size_t terrane_patch_bytes(const struct terrane_patch *patch)
{
    return patch_valid(patch) ? patch_padded(patch) * PATCH_BYTES + PATCH_BYTES : 0;
}

static bool shape_valid(const struct terrane_shape *shape)
{
    return shape->alpha >= 0 && shape->alpha <= 0x1p20 && shape->beta >= 0.25 && shape->beta <= 4 &&
           shape->steepest >= 0 && shape->steepest <= 0x1p20 && shape->gamma >= 0 && shape->gamma <= 0x1p20 &&
           (shape->beside == TERRANE_BESIDE_NOTHING || shape->beside == TERRANE_BESIDE_ACROSS ||
            shape->beside == TERRANE_BESIDE_ROUGHNESS);
}

/* Ground in units, to the nearest; false: a height is out of range. */
static bool count_units(const struct terrane_patch *patch, const double *ground, int32_t *units)
{
    for (size_t i = 0; i < patch_samples(patch); i++) {
        const double v = ground[i] / patch->unit;
        if (!(v >= -TERRANE_PATCH_HEIGHT_MAX && v <= TERRANE_PATCH_HEIGHT_MAX))
            return false;
        units[i] = (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
    }
    return true;
}

/* Parts of memory, those of the widest elements first. */
static void lay_out(struct leading *l, int32_t *units, void *memory)
{
    const size_t samples = patch_samples(l->patch);
    l->grid = (struct astar_grid){l->patch->side, l->patch->side, units, NULL, NULL};
    l->gradient = (float *)(void *)(units + samples);
    l->border = l->gradient + samples;
    l->rows = (int32_t *)(void *)(l->border + samples);
    l->nearest = (uint32_t *)(void *)(l->rows + samples);
    l->way = l->nearest + samples;
    l->mark = (uint8_t *)(void *)(l->way + samples);
    const size_t used = (size_t)(l->mark + samples - (uint8_t *)memory);
    l->search = (uint8_t *)memory + (used + 63) / 64 * 64;
}

static int find_way(const struct leading *l, const struct terrane_graph_edge *edge)
{
    const uint32_t side = (uint32_t)l->patch->side;
    const struct terrane_graph_node *a = &l->graph->node[edge->from], *b = &l->graph->node[edge->to];
    return astar_find(&l->grid, &l->cost, (uint32_t)a->y * side + (uint32_t)a->x,
                      (uint32_t)b->y * side + (uint32_t)b->x, l->search, l->way,
                      (int)patch_samples(l->patch));
}

/* ---- The path ------------------------------------------------------------------------------------------ */

static float min(float a, double b)
{
    const float slope = b < (double)FLT_MAX ? (float)b : FLT_MAX;
    return a < 0 || slope < a ? slope : a;
}

static void claim(struct leading *l, size_t at, double slope, double border)
{
    l->gradient[at] = min(l->gradient[at], slope);
    const float wide = border < 0x1p20 ? (float)border : 0x1p20f;
    l->border[at] = wide > l->border[at] ? wide : l->border[at];
}

static void claim_node(struct leading *l, int index)
{
    const struct terrane_graph_node *node = &l->graph->node[index];
    double border = 0;
    for (int e = 0; e < l->graph->edges; e++) {
        const struct terrane_graph_edge *edge = &l->graph->edge[e];
        if ((edge->from == index || edge->to == index) && edge->border > border)
            border = edge->border;
    }
    const double reach2 = node->width * node->width / 4;
    const size_t middle = (size_t)node->y * (size_t)l->patch->side + (size_t)node->x;
    for (size_t at = 0; at < patch_samples(l->patch); at++)
        if ((double)patch_distance2(l->patch, at, middle) <= reach2)
            claim(l, at, l->graph->node_slope, border);
}

static void claim_way(struct leading *l, const struct terrane_graph_edge *edge, int length)
{
    memset(l->mark, 0, patch_samples(l->patch));
    for (int i = 0; i < length; i++)
        l->mark[l->way[i]] = 1;
    patch_nearest(l->patch, l->mark, l->rows, l->nearest);
    const double reach2 = edge->width * edge->width / 4;
    for (size_t at = 0; at < patch_samples(l->patch); at++)
        if ((double)patch_distance2(l->patch, at, l->nearest[at]) <= reach2)
            claim(l, at, edge->slope, edge->border);
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

static void set(float *limit, size_t at, double value)
{
    if (limit)
        limit[at] = value < (double)FLT_MAX ? (float)value : FLT_MAX;
}

static void hold_roughness(const struct leading *l, struct terrane_limits *limits, size_t at)
{
    const int side = l->patch->side;
    if (limits->roughness)
        limits->roughness[at] = (float)patch_roughness(l->patch, l->ground, (int)at % side, (int)at / side);
}

/* What a sample off the path is held to; false: nothing. */
static bool hold_beside(const struct leading *l, struct terrane_limits *limits, size_t at)
{
    const size_t from = l->nearest[at];
    if (l->shape->beside == TERRANE_BESIDE_NOTHING || l->nearest[at] == UINT32_MAX)
        return false;
    const double d = __builtin_sqrt((double)patch_distance2(l->patch, at, from)), border = l->border[from];
    if (!(d <= border))
        return false;
    if (l->shape->beside == TERRANE_BESIDE_ROUGHNESS) {
        hold_roughness(l, limits, at);
        return true;
    }
    const int side = l->patch->side;
    const int east = (int)at % side - (int)from % side, south = (int)at / side - (int)from / side;
    set(limits->across, at, l->gradient[from] + l->shape->gamma * __builtin_sqrt(d / border));
    set(limits->across_x, at, east / d);
    set(limits->across_y, at, south / d);
    return true;
}

static void fill_limits(struct leading *l, struct terrane_limits *limits)
{
    const double no_position = __builtin_nan("");
    const int side = l->patch->side;
    for (size_t at = 0; at < patch_samples(l->patch); at++)
        l->mark[at] = l->gradient[at] >= 0;
    patch_nearest(l->patch, l->mark, l->rows, l->nearest);
    for (size_t at = 0; at < patch_samples(l->patch); at++) {
        set(limits->gradient, at, l->gradient[at]);
        set(limits->across, at, -1);
        set(limits->across_x, at, 0);
        set(limits->across_y, at, 0);
        set(limits->roughness, at, -1);
        const int x = (int)at % side, y = (int)at / side;
        const bool edge = l->shape->stitch && (x == 0 || y == 0 || x == side - 1 || y == side - 1);
        if (limits->position)
            limits->position[at] = edge ? l->ground[at] : no_position;
        if (!l->mark[at] && !hold_beside(l, limits, at) && l->shape->stitch && !edge)
            hold_roughness(l, limits, at);
    }
}

int terrane_patch_lines(const struct terrane_patch *patch, const struct terrane_graph *graph,
                        const struct terrane_shape *shape, const double *ground, void *memory,
                        struct terrane_limits *limits, int *line, int *sample, int room, int *where)
{
    const int e = terrane_patch_check(patch, graph, where);
    if (e != 0)
        return e;
    if (!shape_valid(shape) || !count_units(patch, ground, memory))
        return TERRANE_EPATCH;
    struct leading l = {.patch = patch, .graph = graph, .shape = shape, .ground = ground};
    l.cost = (struct astar_cost){shape->alpha, shape->beta, patch->unit / patch->spacing, shape->steepest};
    lay_out(&l, memory, memory);

    /* All edges before anything is written. */
    for (int i = 0; shape->steepest > 0 && i < graph->edges; i++)
        if (find_way(&l, &graph->edge[i]) == 0) {
            if (where)
                *where = i;
            return TERRANE_EUNREACHABLE;
        }
    for (size_t at = 0; at < patch_samples(patch); at++) {
        l.gradient[at] = -1;
        l.border[at] = 0;
    }
    for (int i = 0; i < graph->nodes; i++)
        claim_node(&l, i);
    int written = 0;
    for (int i = 0; i < graph->edges; i++) {
        const int length = find_way(&l, &graph->edge[i]);
        if (line)
            line[i] = length;
        for (int k = 0; sample && k < length && written < room; k++)
            sample[written++] = (int)l.way[k];
        claim_way(&l, &graph->edge[i], length);
    }
    if (limits)
        fill_limits(&l, limits);
    return 0;
}
