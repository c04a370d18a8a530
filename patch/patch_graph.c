/*
 * Whether a patch, a graph and limits are what they should be.
 *
 * Edges are compared in pairs, straight, in integers: coordinates are below 2^11, products below 2^23.
 */
#include "patch.h"

#include <float.h>
#include <string.h>

static bool finite_above(double v, double min)
{
    return v >= min && v <= DBL_MAX;
}

static bool power_of_two(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits & 0xFFFFFFFFFFFFF) == 0; /* of a normal number */
}

bool patch_valid(const struct terrane_patch *patch)
{
    return patch->side >= 3 && patch->side <= TERRANE_PATCH_SIDE_MAX && patch->spacing >= 0x1p-20 &&
           patch->spacing <= 0x1p20 && patch->unit >= patch->spacing * 0x1p-30 &&
           patch->unit <= patch->spacing && power_of_two(patch->unit);
}

static int check_nodes(const struct terrane_patch *patch, const struct terrane_graph *graph, int *at)
{
    *at = TERRANE_GRAPH_NODES_MAX;
    if (graph->nodes < 0 || graph->nodes > TERRANE_GRAPH_NODES_MAX)
        return TERRANE_ENODE;
    for (int i = 0; i < graph->nodes; i++) {
        const struct terrane_graph_node *node = &graph->node[i];
        *at = i;
        if (node->x < 0 || node->x >= patch->side || node->y < 0 || node->y >= patch->side)
            return TERRANE_ENODE;
        if (!finite_above(node->width, DBL_MIN) || !finite_above(graph->node_slope, 0))
            return TERRANE_EWIDTH;
    }
    return 0;
}

static bool same_place(const struct terrane_graph *graph, int a, int b)
{
    return graph->node[a].x == graph->node[b].x && graph->node[a].y == graph->node[b].y;
}

static bool same_ends(const struct terrane_graph_edge *a, const struct terrane_graph_edge *b)
{
    return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

static int check_edges(const struct terrane_graph *graph, int *at)
{
    *at = TERRANE_GRAPH_EDGES_MAX;
    if (graph->edges < 0 || graph->edges > TERRANE_GRAPH_EDGES_MAX)
        return TERRANE_EEDGE;
    for (int i = 0; i < graph->edges; i++) {
        const struct terrane_graph_edge *edge = &graph->edge[i];
        *at = i;
        if (edge->from < 0 || edge->from >= graph->nodes || edge->to < 0 || edge->to >= graph->nodes ||
            same_place(graph, edge->from, edge->to))
            return TERRANE_EEDGE;
        for (int k = 0; k < i; k++)
            if (same_ends(edge, &graph->edge[k]))
                return TERRANE_EEDGE;
        if (!finite_above(edge->width, DBL_MIN) || !finite_above(edge->slope, 0) ||
            !finite_above(edge->border, 0))
            return TERRANE_EWIDTH;
    }
    return 0;
}

/* ---- Crossings ----------------------------------------------------------------------------------------- */

/* Which side of a -> b c lies on: -1, 0 or 1. */
static int side_of(const struct terrane_graph_node *a, const struct terrane_graph_node *b,
                   const struct terrane_graph_node *c)
{
    const int cross = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
    return (cross > 0) - (cross < 0);
}

static bool between(int v, int a, int b)
{
    return a < b ? v >= a && v <= b : v >= b && v <= a;
}

/* Whether c, on the line through a and b, lies on the segment. */
static bool in_box(const struct terrane_graph_node *a, const struct terrane_graph_node *b,
                   const struct terrane_graph_node *c)
{
    return between(c->x, a->x, b->x) && between(c->y, a->y, b->y);
}

static bool meet(const struct terrane_graph_node *a, const struct terrane_graph_node *b,
                 const struct terrane_graph_node *c, const struct terrane_graph_node *d)
{
    const int abc = side_of(a, b, c), abd = side_of(a, b, d);
    const int cda = side_of(c, d, a), cdb = side_of(c, d, b);
    if (abc * abd < 0 && cda * cdb < 0)
        return true;
    return (abc == 0 && in_box(a, b, c)) || (abd == 0 && in_box(a, b, d)) || (cda == 0 && in_box(c, d, a)) ||
           (cdb == 0 && in_box(c, d, b));
}

/* Whether edges that share a node leave it the same way. */
static bool same_way(const struct terrane_graph_node *from, const struct terrane_graph_node *a,
                     const struct terrane_graph_node *b)
{
    const int dot = (a->x - from->x) * (b->x - from->x) + (a->y - from->y) * (b->y - from->y);
    return side_of(from, a, b) == 0 && dot > 0;
}

static bool cross(const struct terrane_graph *graph, const struct terrane_graph_edge *p,
                  const struct terrane_graph_edge *q)
{
    const struct terrane_graph_node *node = graph->node;
    if (p->from == q->from)
        return same_way(&node[p->from], &node[p->to], &node[q->to]);
    if (p->from == q->to)
        return same_way(&node[p->from], &node[p->to], &node[q->from]);
    if (p->to == q->from)
        return same_way(&node[p->to], &node[p->from], &node[q->to]);
    if (p->to == q->to)
        return same_way(&node[p->to], &node[p->from], &node[q->from]);
    return meet(&node[p->from], &node[p->to], &node[q->from], &node[q->to]);
}

static int check_crossings(const struct terrane_graph *graph, int *at)
{
    for (int i = 0; i < graph->edges; i++)
        for (int k = 0; k < i; k++)
            if (cross(graph, &graph->edge[i], &graph->edge[k])) {
                *at = i;
                return TERRANE_ECROSSING;
            }
    return 0;
}

int terrane_patch_check(const struct terrane_patch *patch, const struct terrane_graph *graph, int *where)
{
    if (!patch_valid(patch))
        return TERRANE_EPATCH;
    int at = 0;
    int e = check_nodes(patch, graph, &at);
    if (e == 0)
        e = check_edges(graph, &at);
    if (e == 0)
        e = check_crossings(graph, &at);
    if (e != 0 && where)
        *where = at;
    return e;
}

/* ---- Heights and limits -------------------------------------------------------------------------------- */

bool patch_heights_valid(const struct terrane_patch *patch, const double *heights)
{
    for (size_t i = 0; i < patch_samples(patch); i++)
        if (!(heights[i] >= -PATCH_RANGE_MAX && heights[i] <= PATCH_RANGE_MAX))
            return false;
    return true;
}

bool patch_limits_valid(const struct terrane_patch *patch, const struct terrane_limits *limits,
                        const struct terrane_relax *relax)
{
    if (!finite_above(relax->slope_threshold, 0) || !finite_above(relax->roughness_threshold, 0) ||
        (limits->across && (!limits->across_x || !limits->across_y)))
        return false;
    for (size_t i = 0; i < patch_samples(patch); i++) {
        if (limits->roughness && limits->roughness[i] > (float)PATCH_RANGE_MAX)
            return false;
        if (patch_holds_position(limits->position, i) &&
            !(limits->position[i] >= -PATCH_RANGE_MAX && limits->position[i] <= PATCH_RANGE_MAX))
            return false;
    }
    return true;
}
