/*
 * The terrains and the graph of all experiments.
 *
 * Terrain t is world t of a recipe of one term, midpoint displacement of one cell that is the patch: the corners are
 * drawn, and each of eight subdivisions adds half the displacement of the one before. Heights are 1/2 with an amplitude
 * of 1/2, so that most are in 0 .. 1 and flat terrains stay flat. Patches of all sizes are every so manieth of the same
 * 257 x 257 samples: the same ground, seen less closely.
 *
 * The document's delta is 80 / (side - 1) here: patches are 80 wide and 1 high. It does not say what it was; with 80 its
 * table 1 comes out, and iterations depend on this number more than on anything else.
 */
#include <math.h>
#include <string.h>

#include "path_paper.h"

#define PATH_WIDTH  (12.0 / 256) /* of the patch's side: of the path, and of the border on each side of it */
#define PATH_BORDER (24.0 / 256)

struct terrane_patch path_patch(int side)
{
    return (struct terrane_patch){.side = side, .spacing = PATH_EXTENT / (side - 1), .unit = PATH_UNIT};
}

static int ground_recipe(struct terrane_recipe *recipe)
{
    memset(recipe, 0, sizeof *recipe);
    recipe->spacing_m = 1;
    recipe->low_m = -16;
    recipe->high_m = 16;
    recipe->terms = 1;
    recipe->term[0] = terrane_term_fractal(TERRANE_MIDPOINT);
    recipe->term[0].fractal.octaves = 8;
    recipe->term[0].fractal.cell = PATH_SIDE - 1;
    recipe->term[0].fractal.gain = 0.5f;
    recipe->partition.zones = 1;
    recipe->partition.zone[0] = (struct terrane_zone){.name = "all", .term = -1, .amplitude = 1};
    recipe->steep_low = 1;
    recipe->steep_high = 2;
    return terrane_recipe_init(recipe, NULL);
}

int path_ground(int terrain, int side, void *scratch, double *heights)
{
    static _Thread_local struct terrane_recipe recipe;
    static _Thread_local float all[PATH_SIDE * PATH_SIDE];
    const struct terrane_window window = {.step = 1, .width = PATH_SIDE, .height = PATH_SIDE};
    const int step = (PATH_SIDE - 1) / (side - 1);
    struct terrane_world world;
    int status = ground_recipe(&recipe);

    if (status != 0)
        return status;
    terrane_world_init(&world, &recipe, (uint64_t)terrain + 1);
    status = terrane_heights(&world, &window, scratch, all);
    if (status != 0)
        return status;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const double height = 0.5 + 0.5 * (double)all[y * step * PATH_SIDE + x * step];
            heights[y * side + x] = floor(height / PATH_UNIT + 0.5) * PATH_UNIT;
        }
    return 0;
}

void path_graph_make(struct path_graph *graph, int side, double slope)
{
    /* in eighths of the side: of a patch of 9 x 9 every sample is one */
    static const int place[PATH_GRAPH_NODES][2] = {{1, 3}, {3, 3}, {5, 5}, {7, 6}, {4, 7}, {3, 1}};
    static const int ends[PATH_GRAPH_EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {1, 5}};
    const int eighth = (side - 1) / 8;
    const double width = fmax(1, PATH_WIDTH * (side - 1)), border = fmax(1, PATH_BORDER * (side - 1));

    for (int k = 0; k < PATH_GRAPH_NODES; k++)
        graph->node[k] = (struct terrane_graph_node){place[k][0] * eighth, place[k][1] * eighth, width};
    for (int k = 0; k < PATH_GRAPH_EDGES; k++)
        graph->edge[k] = (struct terrane_graph_edge){ends[k][0], ends[k][1], width, slope, border};
    graph->graph = (struct terrane_graph){.nodes = PATH_GRAPH_NODES,
                                          .edges = PATH_GRAPH_EDGES,
                                          .node = graph->node,
                                          .edge = graph->edge,
                                          .node_slope = slope};
}
