/*
 * Golden digests of paths: networks with all of their lines, and what they make of samples. golden.c has the rest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/path/network.h"
#include "../../lib/terrane_features.h"
#include "cases_paths.h"
#include "golden.h"

static void network_make(const struct terrane_world *world, struct terrane_path_network *network)
{
    struct terrane_window needs;
    need(terrane_paths_graph(world, NULL, network, &needs) == 0, "graph of paths");
    float *ground = NULL, *depth_m = NULL;
    if (needs.width > 0) {
        ground = ground_of(world, &needs);
        depth_m = depth_of(world, &needs, ground);
    }
    need(terrane_paths_lines(world, &needs, ground, depth_m, NULL, NULL, network) == 0, "lines of paths");
    need(terrane_paths_valid(world->recipe, network), "a valid network");
    free(ground);
    free(depth_m);
}

static void put_network(const struct terrane_path_network *network)
{
    for (int n = 0; n < network->nodes; n++) {
        const struct terrane_path_node *node = &network->node[n];
        put((uint64_t)node->gi, 8);
        put((uint64_t)node->gj, 8);
        put((uint64_t)node->height, 4);
        put(node->open, 4);
        put(node->town, 1);
    }
    for (int e = 0; e < network->edges; e++) {
        const struct terrane_path_edge *edge = &network->edge[e];
        put(edge->id, 8);
        put((uint64_t)edge->from, 4);
        put((uint64_t)edge->to, 4);
        put((uint64_t)edge->state, 4);
        put((uint64_t)edge->road, 4);
        put((uint64_t)edge->points, 4);
    }
    for (int p = 0; p < network->points; p++) {
        put((uint64_t)network->point[p].x, 8);
        put((uint64_t)network->point[p].y, 8);
        put((uint64_t)network->point[p].height, 4);
    }
}

/* Around the first open node that is inside the region, at a level. */
static struct terrane_window window_at(const struct terrane_recipe *recipe,
                                       const struct terrane_path_network *network, int level)
{
    const int finer = recipe->paths.level - level;
    struct terrane_window window = {.level = level, .step = 1, .width = 60, .height = 50};
    for (int n = 0; n < network->nodes; n++) {
        const struct terrane_path_node *node = &network->node[n];
        const int64_t x = node->gi - 256 * network->x, y = node->gj - 256 * network->y;
        if (node->open == 0 || x < 64 || x > 192 || y < 64 || y > 192)
            continue;
        window.gi = node->gi * (1 << finer) - 23;
        window.gj = node->gj * (1 << finer) - 20;
        return window;
    }
    need(0, "an open node");
    return window;
}

static void put_samples(const struct terrane_world *world, const struct terrane_path_network *network,
                        const struct terrane_window *window)
{
    const size_t count = samples_of(window);
    float *heights = ground_of(world, window), *distance_m = need_memory(count * sizeof *distance_m);
    uint8_t *kind = need_memory(count), *shade = need_memory(count), *rgb = need_memory(3 * count);
    need(terrane_paths_apply(world->recipe, window, network, NULL, heights, kind, distance_m) == 0, "paths");
    put_floats(heights, count);
    put_floats(distance_m, count);
    put_octets(kind, count);
    for (size_t k = 0; k < count; k++) {
        shade[k] = (uint8_t)(k * 7);
        rgb[3 * k] = rgb[3 * k + 1] = rgb[3 * k + 2] = (uint8_t)(k * 13);
    }
    terrane_paths_paint(world->recipe, kind, shade, count, rgb);
    put_octets(rgb, 3 * count);
    free(rgb);
    free(shade);
    free(kind);
    free(distance_m);
    free(heights);
}

void paths(void)
{
    struct terrane_path_network network = {
        .node = need_memory(TERRANE_PATHS_NODES_MAX * sizeof *network.node),
        .edge = need_memory(TERRANE_PATHS_EDGES_MAX * sizeof *network.edge),
        .point = need_memory(TERRANE_PATHS_POINTS_MAX * sizeof *network.point),
    };
    for (int turn = 0; turn < CASE_PATHS; turn++) {
        struct terrane_recipe recipe;
        struct terrane_world world;
        case_paths(&recipe, turn);
        world_of(&world, &recipe, (uint64_t)turn + 61);
        network.x = turn ? -turn : 2;
        network.y = turn == 1 ? INT64_C(1) << 38 : 1;
        network_make(&world, &network);
        put_network(&network);
        for (int level = 0; level <= recipe.paths.level; level++) {
            const struct terrane_window window = window_at(&recipe, &network, level);
            put_samples(&world, &network, &window);
        }
        print_as("paths %d", turn);
    }
    free(network.node);
    free(network.edge);
    free(network.point);
}
