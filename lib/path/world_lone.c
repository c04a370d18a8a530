/*
 * Paths of a world: lanes that lead nowhere.
 *
 * Each edge has a line or none by itself. Where most have none, as in steep woods, those that are left are pieces of one or two lanes
 * that join nothing. A piece is what open edges join; it is closed where it has no trunk road, no town and few lanes, but only where
 * all of it is inside of one region (path_diamond_is_inner): that region knows all edges of its nodes, and no other one knows any of it.
 * A piece with an edge that another region may know stays, and all regions that know the edge say so.
 */
#include <string.h>

#include "network.h"
#include "world.h"

enum { PIECE = 6 /* edges of a piece that is worth a walk by itself */ };

struct pieces {
    int16_t root[TERRANE_PATHS_NODES_MAX];  /* a node of the same piece, itself at last */
    int16_t edges[TERRANE_PATHS_NODES_MAX]; /* of a root: those of the piece */
    bool leads[TERRANE_PATHS_NODES_MAX];    /* ... : it leads somewhere */
};
_Static_assert(TERRANE_PATHS_NODES_MAX <= INT16_MAX && TERRANE_PATHS_EDGES_MAX <= INT16_MAX, "numbers fit");

static int root_of(struct pieces *pieces, int n)
{
    while (pieces->root[n] != n) {
        pieces->root[n] = pieces->root[pieces->root[n]];
        n = pieces->root[n];
    }
    return n;
}

/* True if an edge is a trunk road, ends in a town, or may be known to another region. */
static bool leads(const struct path_scale *scale, const struct terrane_path_network *network,
                  const struct terrane_path_edge *edge)
{
    const struct terrane_path_node *p = &network->node[edge->from], *q = &network->node[edge->to];
    const int64_t gi = network->x * (1 << TERRANE_PATHS_LOG2), gj = network->y * (1 << TERRANE_PATHS_LOG2);
    const struct path_diamond diamond = path_diamond_of(p->gi - gi, p->gj - gj, q->gi - gi, q->gj - gj);
    return edge->road == TERRANE_PATH_TRUNK || p->town || q->town || !path_diamond_is_inner(scale, &diamond);
}

static void pieces_find(struct pieces *pieces, const struct path_scale *scale,
                        const struct terrane_path_network *network)
{
    for (int n = 0; n < network->nodes; n++) {
        pieces->root[n] = (int16_t)n;
        pieces->edges[n] = 0;
        pieces->leads[n] = false;
    }
    for (int e = 0; e < network->edges; e++)
        if (network->edge[e].state == TERRANE_PATH_OPEN)
            pieces->root[root_of(pieces, network->edge[e].from)] =
                (int16_t)root_of(pieces, network->edge[e].to);
    for (int e = 0; e < network->edges; e++) {
        const struct terrane_path_edge *edge = &network->edge[e];
        const int root = root_of(pieces, edge->from);
        if (edge->state != TERRANE_PATH_OPEN)
            continue;
        pieces->edges[root]++;
        pieces->leads[root] = pieces->leads[root] || leads(scale, network, edge);
    }
}

void path_lone_close(const struct path_scale *scale, struct terrane_path_network *network)
{
    struct pieces pieces;
    int points = 0;
    pieces_find(&pieces, scale, network);
    for (int e = 0; e < network->edges; e++) {
        struct terrane_path_edge *edge = &network->edge[e];
        const int root = root_of(&pieces, edge->from);
        if (edge->state != TERRANE_PATH_OPEN)
            continue;
        if (pieces.leads[root] || pieces.edges[root] >= PIECE) {
            memmove(network->point + points, network->point + edge->first,
                    (size_t)edge->points * sizeof *network->point);
            edge->first = points;
            points += edge->points;
            continue;
        }
        network->node[edge->from].open--;
        network->node[edge->to].open--;
        edge->state = TERRANE_PATH_LONE;
        edge->first = edge->points = 0;
    }
    network->points = points;
}
