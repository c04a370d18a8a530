/* A world's paths: nodes and edges (lib/path/world_node.c, world_graph.c), many regions together. */
#include "paths_kit.h"

enum { UNION_MAX = 8192 };

struct joint {
    uint64_t id;
    int from, to; /* nodes of the union */
    enum terrane_path_road road;
};

/* Regions put together. */
struct whole {
    int nodes, edges;
    struct terrane_path_node node[UNION_MAX];
    struct joint edge[UNION_MAX];
};

static int whole_node(struct whole *whole, const struct terrane_path_node *node)
{
    for (int k = 0; k < whole->nodes; k++)
        if (whole->node[k].cx == node->cx && whole->node[k].cy == node->cy) {
            assert_true(whole->node[k].gi == node->gi && whole->node[k].gj == node->gj &&
                        whole->node[k].town == node->town);
            return k;
        }
    assert_true(whole->nodes < UNION_MAX);
    whole->node[whole->nodes] = *node;
    return whole->nodes++;
}

/* An edge that is there by its id has the same nodes. */
static void whole_edge(struct whole *whole, uint64_t id, int from, int to, enum terrane_path_road road)
{
    for (int k = 0; k < whole->edges; k++)
        if (whole->edge[k].id == id) {
            assert_true(whole->edge[k].from == from && whole->edge[k].to == to &&
                        whole->edge[k].road == road);
            return;
        }
    assert_true(whole->edges < UNION_MAX);
    whole->edge[whole->edges++] = (struct joint){id, from, to, road};
}

static void whole_add(struct whole *whole, const struct terrane_path_network *network)
{
    for (int e = 0; e < network->edges; e++) {
        const struct terrane_path_edge *edge = &network->edge[e];
        const int from = whole_node(whole, &network->node[edge->from]);
        const int to = whole_node(whole, &network->node[edge->to]);
        whole_edge(whole, edge->id, from, to, edge->road);
    }
}

static struct whole *whole_new(struct paths *paths, int64_t x, int64_t y, int regions)
{
    struct whole *whole = calloc(1, sizeof *whole);
    assert_non_null(whole);
    for (int64_t j = 0; j < regions; j++)
        for (int64_t i = 0; i < regions; i++) {
            assert_int_equal(paths_graph(paths, x + i, y + j), 0);
            whole_add(whole, &paths->network);
        }
    return whole;
}

static struct path_diamond diamond(const struct whole *whole, int p, int q)
{
    const struct terrane_path_node *node = whole->node;
    return path_diamond_of(node[p].gi - node->gi, node[p].gj - node->gj, node[q].gi - node->gi,
                           node[q].gj - node->gj);
}

/*
 * Every edge whose diamond, or the pad of whose node, comes near a region is known there: two samples and a pad around. And the
 * window that it needs is no larger than is said, and has all nodes.
 */
TEST(regions_know_all_that_reaches_them)
{
    for (int kind = 0; kind < PATHS_KINDS; kind++) {
        struct paths *paths = paths_new(kind, 31);
        const struct path_scale scale = path_scale_of(&paths->recipe);
        static const int sides[PATHS_KINDS] = {5, 3, 4, 7, 4};
        const int regions = sides[kind], side = terrane_paths_needs_side(&paths->recipe);
        struct whole *whole = whole_new(paths, 0, 0, regions);
        int near = 0;
        assert_true(side <= TERRANE_WINDOW_MAX);
        for (int64_t at = 1; at < regions - 1; at++) {
            struct terrane_path_network *network = &paths->network;
            const int64_t around = (int64_t)(scale.pad / (double)(INT64_C(1) << scale.sample_log2)) + 3;
            const int64_t low = 256 * at - around, high = 256 * (at + 1) + around;
            const int64_t x0 = 14 * (low - whole->node->gi), x1 = 14 * (high - whole->node->gi);
            const int64_t y0 = 14 * (low - whole->node->gj), y1 = 14 * (high - whole->node->gj);
            const struct path_diamond square = {{x0, x1, x1, x0}, {y0, y0, y1, y1}};
            assert_int_equal(paths_graph(paths, at, at), 0);
            assert_int_equal(paths->needs.level, paths->recipe.paths.level);
            assert_in_range(paths->needs.width, 1, side);
            assert_in_range(paths->needs.height, 1, side);
            for (int n = 0; n < network->nodes; n++) {
                assert_in_range(network->node[n].gi - paths->needs.gi, 0, paths->needs.width - 1);
                assert_in_range(network->node[n].gj - paths->needs.gj, 0, paths->needs.height - 1);
            }
            for (int e = 0; e < whole->edges; e++) {
                const struct path_diamond own = diamond(whole, whole->edge[e].from, whole->edge[e].to);
                if (!path_diamonds_overlap(&own, &square))
                    continue;
                assert_non_null(paths_edge(network, whole->edge[e].id));
                near++;
            }
        }
        assert_true(near > 20);
        free(whole);
        paths_free(paths);
    }
}

TEST(regions_end_where_the_lattice_does)
{
    struct paths *paths = paths_new(PATHS_HILLS, 1);
    const int64_t far[] = {TERRANE_TILE_LIMIT - 1, -TERRANE_TILE_LIMIT}, beyond = INT64_C(1) << 41;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(paths_graph(paths, far[k], far[1 - k]), 0);
        assert_true(paths->network.edges > 10);
    }
    const int64_t bad[] = {beyond, -beyond - 1, INT64_MAX, INT64_MIN};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(paths_graph(paths, bad[k], 0), TERRANE_EWINDOW);
        assert_int_equal(paths_graph(paths, 0, bad[k]), TERRANE_EWINDOW);
    }
    /* Where fine units end there are no nodes. */
    paths->recipe.paths.level = 24;
    paths->recipe.lakes.share = 0;
    assert_int_equal(paths_graph(paths, INT64_C(1) << 39, 0), 0);
    assert_int_equal(paths->network.nodes, 0);
    assert_int_equal(paths->needs.width, 0);
    paths_free(paths);
}

GROUP(paths_graph);
