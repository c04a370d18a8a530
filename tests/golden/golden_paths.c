/*
 * Golden digests of paths: networks with all of their lines, and what they make of samples. golden.c has the rest.
 */
#include "../../lib/path/network.h"
#include "cases.h"
#include "golden.h"

/* Eroded hills with lakes and a sea; no border, smallest cells; an odd spacing; towns; and lanes that lead nowhere. */
enum { CASE_PATHS = 5 };

static void case_paths(struct terrane_recipe *recipe, int turn)
{
    static const struct terrane_paths paths[CASE_PATHS] = {
        {6, 4, 6, 0.25f, 12, 12, {206, 180, 138}, {0}},       {1, 2, 4, 0.5f, 0, 1, {1, 2, 3}, {0}},
        {0.8f, 2, 5, 0.4f, 0.9f, 2, {255, 0, 9}, {0}},        {1, 2, 5, 0.5f, 0.25f, 2, {9, 8, 7}, {2, 0.5f}},
        {1, 2, 5, 0.11f, 0.25f, 0.25f, {9, 8, 7}, {2, 0.5f}},
    };
    static const double spacing_m[CASE_PATHS] = {1, 0.5, 1.0 / 3, 0.25, 0.25};
    case_empty(recipe);
    recipe->spacing_m = spacing_m[turn];
    recipe->sea_m = -4000;
    recipe->paths = paths[turn];
    const double cell = (double)(INT64_C(1) << (paths[turn].level + paths[turn].cell_log2));
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 5, 2 * cell, (float)(cell * 0.08 * spacing_m[turn]),
             CASE_LATTICE);
    if (turn > 0)
        return;
    recipe->sea_m = -25;
    recipe->erosion = (struct terrane_erosion){
        .levels = 6, .phases = {1, 1, 1, 1, 1, 1}, .steps = {6, 6, 6, 6, 6, 6}, .limit = 0.25f};
    recipe->erosion.zone[0] =
        (struct terrane_droplets){0.05f, 30, 0.1f, 8, 0.01f, 0.05f, 0.05f, 0.01f, 1, 1, 1, 40};
    recipe->lakes = (struct terrane_lakes){
        .share = 0.7f, .level = 4, .cell_log2 = 5, .radius = 16, .depth_m = 50, .shallow_m = 0.5f};
}

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
static struct terrane_window window_near(const struct terrane_recipe *recipe,
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
    float *heights = ground_of(world, window), *distance_m = lend(count * sizeof *distance_m);
    uint8_t *kind = lend(count), *shade = lend(count), *rgb = lend(3 * count);
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
}

void paths(void)
{
    for (int turn = 0; turn < CASE_PATHS; turn++) {
        struct terrane_path_network network = {
            .x = turn ? -turn : 2,
            .y = turn == 1 ? INT64_C(1) << 38 : 1,
            .node = lend(TERRANE_PATHS_NODES_MAX * sizeof *network.node),
            .edge = lend(TERRANE_PATHS_EDGES_MAX * sizeof *network.edge),
            .point = lend(TERRANE_PATHS_POINTS_MAX * sizeof *network.point),
        };
        struct terrane_recipe recipe;
        case_paths(&recipe, turn);
        const struct terrane_world world = world_of(&recipe, (uint64_t)turn + 61);
        network_make(&world, &network);
        put_network(&network);
        for (int level = 0; level <= recipe.paths.level; level++) {
            const struct terrane_window window = window_near(&recipe, &network, level);
            put_samples(&world, &network, &window);
        }
        print_as("paths %d", turn);
    }
}
