/*
 * A world's paths: lines and water (lib/path/world_line.c, world_profile.c), and networks from elsewhere (world_valid.c). That
 * lines are the same from every region: tests/http/test_paths.py; of every instruction set: tests/golden; that what is valid does
 * no harm: tests/fuzz/fuzz_payload.c.
 */
#include "paths_kit.h"

/* At each level that is carved: nothing that is path is under water. */
TEST(no_path_is_under_water)
{
    enum { SIDE = 256 };
    static float heights[SIDE * SIDE], depth_m[SIDE * SIDE];
    static uint8_t kinds[SIDE * SIDE];
    int samples = 0, wet = 0, closed = 0;
    struct paths *paths = paths_new(PATHS_HILLS, 5);
    for (int64_t at = 0; at < 6; at++) {
        paths_make(paths, at, 2 * at);
        for (int e = 0; e < paths->network.edges; e++)
            closed += paths->network.edge[e].state == TERRANE_PATH_WET;
        for (int level = 3; level >= 1; level--)
            for (int part = 0; part < 2; part++) {
                const int64_t x = at * (1 << (4 - level)) + part, y = 2 * at * (1 << (4 - level));
                const struct terrane_window window = {level, x * 256, y * 256, 1, SIDE, SIDE};
                direct_ground(&paths->world, &window, true, &paths->memory, heights);
                assert_int_equal(paths_apply(paths, &window, heights, kinds, NULL), 0);
                direct_water(&paths->world, &window, heights, true, &paths->memory, NULL, depth_m);
                for (int k = 0; k < SIDE * SIDE; k++) {
                    wet += depth_m[k] > 0;
                    samples += kinds[k] >= TERRANE_PATH_WAY;
                    assert_false(kinds[k] >= TERRANE_PATH_WAY && depth_m[k] > 0);
                }
            }
    }
    assert_true(samples > 1000 && wet > 1000 && closed > 3);
    paths_free(paths);
}

/* The highest water beside a place of the window, in units. */
static double water_beside(const struct paths *paths, const struct path_scale *scale, int64_t x, int64_t y)
{
    const int shore = path_shore_samples(&paths->recipe);
    double max = -INFINITY;
    for (int64_t j = y - shore; j <= y + shore + 1; j++)
        for (int64_t i = x - shore; i <= x + shore + 1; i++) {
            const size_t k = (size_t)(j * paths->needs.width + i);
            if (paths->depth_m[k] > 0)
                max = fmax(max, ((double)paths->ground[k] + (double)paths->depth_m[k]) / scale->unit_m);
        }
    return max;
}

/* Lakes end beside samples of a coarser level: a path that cut their shore would be flooded. */
TEST(no_line_is_lower_than_water_beside_it)
{
    struct paths *paths = paths_new(PATHS_HILLS, 5);
    const struct path_scale scale = path_scale_of(&paths->recipe);
    const struct terrane_path_network *network = &paths->network;
    int beside = 0;
    for (int64_t at = 0; at < 16; at++) {
        paths_make(paths, at % 4, at / 4);
        for (int k = 0; k < network->points; k++) {
            const int64_t x = (network->point[k].x >> scale.sample_log2) - paths->needs.gi;
            const int64_t y = (network->point[k].y >> scale.sample_log2) - paths->needs.gj;
            const double water = water_beside(paths, &scale, x, y);
            assert_true(network->point[k].height >= water);
            beside += isfinite(water);
        }
    }
    assert_true(beside > 10);
    paths_free(paths);
}

/* ---- Lanes that lead nowhere --------------------------------------------------------------------------- */

enum { BEFORE, NOW, REGIONS = 3, WHOLE_MAX = 4096 };

/* Regions put together, made by both generators. */
struct whole {
    int nodes, edges;
    struct {
        int64_t cx, cy;
        bool town;
        int root; /* a node of the same piece, itself at last */
    } node[WHOLE_MAX];
    struct {
        uint64_t id;
        int from;
        int state[2];
        unsigned regions; /* that know it */
        bool leads;       /* it is a trunk road, or ends in a town */
    } edge[WHOLE_MAX];
};

static int whole_root(struct whole *whole, int n)
{
    while (whole->node[n].root != n)
        n = whole->node[n].root;
    return n;
}

static int whole_node(struct whole *whole, const struct terrane_path_node *node)
{
    int k = 0;
    while (k < whole->nodes && (whole->node[k].cx != node->cx || whole->node[k].cy != node->cy))
        k++;
    assert_true(k < WHOLE_MAX);
    if (k == whole->nodes) {
        whole->node[k].cx = node->cx;
        whole->node[k].cy = node->cy;
        whole->node[k].town = node->town;
        whole->node[k].root = k;
        whole->nodes++;
    }
    return k;
}

/* An edge is in one state, whichever region tells it. */
static void whole_add(struct whole *whole, const struct terrane_path_network *network, int turn, int region)
{
    for (int e = 0, k = 0; e < network->edges; e++, k = 0) {
        const struct terrane_path_edge *edge = &network->edge[e];
        const struct terrane_path_node *from = &network->node[edge->from], *to = &network->node[edge->to];
        while (k < whole->edges && whole->edge[k].id != edge->id)
            k++;
        assert_true(k < WHOLE_MAX);
        if (k == whole->edges) {
            whole->edge[k].id = edge->id;
            whole->edge[k].from = whole_node(whole, from);
            whole->edge[k].state[BEFORE] = whole->edge[k].state[NOW] = -1;
            whole->edge[k].leads = edge->road == TERRANE_PATH_TRUNK || from->town || to->town;
            whole->edges++;
        }
        assert_true(whole->edge[k].state[turn] < 0 || whole->edge[k].state[turn] == (int)edge->state);
        whole->edge[k].state[turn] = (int)edge->state;
        whole->edge[k].regions |= 1U << region;
        if (turn == BEFORE && edge->state == TERRANE_PATH_OPEN)
            whole->node[whole_root(whole, whole->edge[k].from)].root =
                whole_root(whole, whole_node(whole, to));
    }
}

/* Of what open edges of generator 16 join all is closed, or nothing: where one region alone knows it, and it is small, with no trunk road
 * and no town. Returns how many are closed. */
static int expect_pieces(struct whole *whole)
{
    static int edges[WHOLE_MAX], lone[WHOLE_MAX];
    static unsigned regions[WHOLE_MAX];
    static bool leads[WHOLE_MAX];
    int closed = 0;
    memset(edges, 0, sizeof edges);
    memset(lone, 0, sizeof lone);
    memset(regions, 0, sizeof regions);
    memset(leads, 0, sizeof leads);
    for (int e = 0; e < whole->edges; e++) {
        const int before = whole->edge[e].state[BEFORE], now = whole->edge[e].state[NOW];
        const int root = whole_root(whole, whole->edge[e].from);
        assert_true(now == before || (before == TERRANE_PATH_OPEN && now == TERRANE_PATH_LONE));
        if (before != TERRANE_PATH_OPEN)
            continue;
        edges[root]++;
        lone[root] += now == TERRANE_PATH_LONE;
        regions[root] |= whole->edge[e].regions;
        leads[root] |= whole->edge[e].leads;
    }
    for (int n = 0; n < whole->nodes; n++) {
        const bool closes = (regions[n] & (regions[n] - 1)) == 0 && !leads[n] && edges[n] < 6;
        assert_true(lone[n] == 0 || (lone[n] == edges[n] && closes));
        if (closes && regions[n] == 1U << (REGIONS * REGIONS / 2)) /* all regions beside it are there */
            assert_int_equal(lone[n], edges[n]);
        closed += lone[n] > 0;
    }
    return closed;
}

TEST(lanes_that_lead_nowhere_are_closed)
{
    struct whole *whole = direct_room(sizeof *whole);
    int closed = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct paths *paths = paths_new(PATHS_TOWNS, seed);
        paths->recipe.paths.slope = 0.11f; /* pieces of 5 and of 6 edges, too */
        paths->recipe.paths.depth_m = 0.25f;
        memset(whole, 0, sizeof *whole);
        for (int turn = BEFORE; turn <= NOW; turn++) {
            paths->recipe.generator = 16 + turn;
            assert_int_equal(terrane_recipe_init(&paths->recipe, NULL), 0);
            terrane_world_init(&paths->world, &paths->recipe, seed);
            for (int k = 0; k < REGIONS * REGIONS; k++) {
                paths_make(paths, k % REGIONS, k / REGIONS);
                assert_true(terrane_paths_valid(&paths->recipe, &paths->network));
                whole_add(whole, &paths->network, turn, k);
            }
        }
        closed += expect_pieces(whole);
        paths_free(paths);
    }
    assert_true(closed > 5);
    free(whole);
}

/* ---- Networks from elsewhere --------------------------------------------------------------------------- */

TEST(damaged_networks_are_not)
{
    struct paths *paths = paths_new(PATHS_HILLS, 2);
    struct terrane_path_network *network = &paths->network, whole;
    const int64_t sample = INT64_C(1) << path_scale_of(&paths->recipe).sample_log2;
    paths_make(paths, 3, 3);
    whole = *network;
    int open = 0;
    while (network->edge[open].state != TERRANE_PATH_OPEN)
        open++;
    struct terrane_path_edge *edge = &network->edge[open];
    struct terrane_path_point *point = network->point + edge->first;
    struct terrane_path_node *node = &network->node[1];
#define BAD(place, value)                                           \
    do {                                                            \
        const __typeof__(place) kept = (place);                     \
        (place) = (value);                                          \
        assert_false(terrane_paths_valid(&paths->recipe, network)); \
        (place) = kept;                                             \
        assert_true(terrane_paths_valid(&paths->recipe, network));  \
    } while (0)
    BAD(network->x, network->x + 9);
    BAD(network->y, INT64_MIN);
    BAD(network->x, INT64_C(1) << 41);
    BAD(network->nodes, -1);
    BAD(network->nodes, TERRANE_PATHS_NODES_MAX + 1);
    BAD(network->edges, -1);
    BAD(network->edges, TERRANE_PATHS_EDGES_MAX + 1);
    BAD(network->points, -1);
    BAD(network->points, TERRANE_PATHS_POINTS_MAX + 1);
    BAD(network->points, 1);
    BAD(edge->id, 0);
    BAD(edge->from, -1);
    BAD(edge->from, edge->to);
    BAD(edge->to, whole.nodes);
    BAD(edge->state, (enum terrane_path_state)TERRANE_PATH_STATES);
    BAD(edge->state, TERRANE_PATH_WET);
    BAD(edge->road, TERRANE_PATH_TRUNK); /* there are no towns */
    BAD(node->town, true);
    BAD(edge->points, 1);
    BAD(edge->points, INT32_MAX);
    BAD(edge->first, -1);
    BAD(edge->first, INT32_MAX);
    BAD(edge->first, edge->first + 1);
    BAD(edge->points, edge->points - 1);
    BAD(network->points, network->points - 1);
    BAD(network->points, network->points + 1);
    BAD(point[1].x, point->x + 2 * sample + 3);
    BAD(point[1].y, point->y - 2 * sample - 3);
    BAD(point->x, INT64_MAX);
    BAD(point->y, INT64_MIN);
    BAD(point->height, INT32_MIN);
    BAD(point->height, PATH_HEIGHT_MAX + 1);
    BAD(point->over, TERRANE_PATH_OVERS);
    BAD(point[1], point[0]);
    BAD(node->cx, node->cx + 1);
    BAD(node->cy, node->cy - 1);
    BAD(node->gi, INT64_MIN);
    BAD(node->gj, node->gj + 4096);
    BAD(node->height, INT32_MAX);
    BAD(network->node[0], *node);
    BAD(network->edge[0], network->edge[1]);
#undef BAD
    paths_free(paths);
}

/* Lines that share points would cost what they do as often: a network of some KB, minutes for each tile. */
TEST(lines_that_share_points_are_not_valid)
{
    struct paths *paths = paths_new(PATHS_HILLS, 2);
    struct terrane_path_network *network = &paths->network;
    paths_make(paths, 3, 3);
    struct terrane_path_edge *first = NULL;
    for (int e = 0; e < network->edges; e++) {
        struct terrane_path_edge *edge = &network->edge[e];
        if (edge->state != TERRANE_PATH_OPEN)
            continue;
        first = first ? first : edge;
        edge->first = first->first;
        edge->points = first->points;
    }
    assert_true(paths_open(network) > 1);
    assert_false(terrane_paths_valid(&paths->recipe, network));
    network->points = first->points;
    assert_false(terrane_paths_valid(&paths->recipe, network));
    paths_free(paths);
}

TEST(lines_want_the_window_that_the_graph_named)
{
    struct paths *paths = paths_new(PATHS_BARE, 2);
    struct terrane_window wrong = {.level = 1, .step = 1, .width = 5000, .height = 10};
    assert_int_equal(terrane_paths_lines(&paths->world, &wrong, NULL, NULL, NULL, NULL, &paths->network),
                     TERRANE_EWINDOW);
    wrong.width = 10;
    wrong.height = 0;
    assert_int_equal(terrane_paths_lines(&paths->world, &wrong, NULL, NULL, NULL, NULL, &paths->network),
                     TERRANE_EWINDOW);
    paths_free(paths);
}

GROUP(paths_lines);
