/*
 * Graphs over patches: bad ones are refused by name, and what lines and limits they give, against plain loops.
 */
#include "patch_kit.h"

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void refused(const struct kit *kit, int error, int where)
{
    int at = -7;
    assert_int_equal(terrane_patch_check(&kit->patch, &kit->graph, &at), error);
    assert_int_equal(at, where);
    assert_int_equal(terrane_patch_check(&kit->patch, &kit->graph, NULL), error);
    float kept = 3;
    struct terrane_limits limits = {.gradient = &kept};
    assert_int_equal(terrane_patch_lines(&kit->patch, &kit->graph, &kit->shape, kit->ground, kit->memory,
                                         &limits, NULL, NULL, 0, NULL),
                     error);
    assert_true(kept == 3);
}

static void bad_patches(void **state)
{
    static const struct terrane_patch bad[] = {
        {2, 1, 0x1p-20},   {1026, 1, 0x1p-20},     {-5, 1, 0x1p-20},      {9, 0, 0x1p-20},
        {9, NAN, 0x1p-20}, {9, 0x1p21, 1},         {9, 0x1p-21, 0x1p-30}, {9, 1, 0},
        {9, 1, 2},         {9, 1, 0x1p-31},        {9, 1, 0.3},           {9, 1, NAN},
        {9, 1, -0x1p-20},  {9, INFINITY, 0x1p-20}, {9, 1.5, 0x1.8p-4},
    };
    struct kit kit;

    (void)state;
    kit_make(&kit, 9, 1);
    kit_graph(&kit, 0.1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kit.patch = bad[i];
        refused(&kit, TERRANE_EPATCH, -7);
    }
    kit.patch = (struct terrane_patch){9, 1, 1};
    assert_int_equal(terrane_patch_check(&kit.patch, &kit.graph, NULL), 0);
    kit_free(&kit);
}

static void bad_nodes_and_edges(void **state)
{
    struct kit kit, good;

    (void)state;
    kit_make(&good, 33, 1);
    kit_graph(&good, 0.1);
#define BAD(change, error, where) \
    kit = good;                   \
    kit.graph.node = kit.node;    \
    kit.graph.edge = kit.edge;    \
    change;                       \
    refused(&kit, error, where)
    BAD(kit.node[3].x = 33, TERRANE_ENODE, 3);
    BAD(kit.node[2].y = -1, TERRANE_ENODE, 2);
    BAD(kit.graph.nodes = 257, TERRANE_ENODE, 256);
    BAD(kit.graph.nodes = -1, TERRANE_ENODE, 256);
    BAD(kit.node[4].width = 0, TERRANE_EWIDTH, 4);
    BAD(kit.node[4].width = (double)NAN, TERRANE_EWIDTH, 4);
    BAD(kit.graph.node_slope = -0.1, TERRANE_EWIDTH, 0);
    BAD(kit.edge[1].width = 0, TERRANE_EWIDTH, 1);
    BAD(kit.edge[1].width = (double)INFINITY, TERRANE_EWIDTH, 1);
    BAD(kit.edge[2].slope = -1e-9, TERRANE_EWIDTH, 2);
    BAD(kit.edge[3].border = (double)NAN, TERRANE_EWIDTH, 3);
    BAD(kit.edge[3].border = -1, TERRANE_EWIDTH, 3);
    BAD(kit.edge[0].from = 5, TERRANE_EEDGE, 0);
    BAD(kit.edge[4].to = -1, TERRANE_EEDGE, 4);
    BAD(kit.edge[4].to = kit.edge[4].from, TERRANE_EEDGE, 4);
    BAD(kit.graph.edges = 513, TERRANE_EEDGE, 512);
    BAD((kit.edge[4] = kit.edge[1], kit.edge[4].from = 2, kit.edge[4].to = 0), TERRANE_EEDGE, 4);
    BAD((kit.node[2].x = kit.node[0].x, kit.node[2].y = kit.node[0].y), TERRANE_EEDGE, 1);
    BAD((kit.edge[4].from = 2, kit.edge[4].to = 4), TERRANE_ECROSSING,
        4); /* through the middle or beside it */
#undef BAD
    assert_int_equal(terrane_patch_check(&good.patch, &good.graph, NULL), 0);
    good.graph.nodes = good.graph.edges = 0;
    assert_int_equal(terrane_patch_check(&good.patch, &good.graph, NULL), 0);
    kit_free(&good);
}

/* Two edges between four places. */
static int pair(int ax, int ay, int bx, int by, int cx, int cy, int dx, int dy, bool common)
{
    const struct terrane_patch patch = {33, 1, 1};
    const struct terrane_graph_node node[4] = {{ax, ay, 1}, {bx, by, 1}, {cx, cy, 1}, {dx, dy, 1}};
    const struct terrane_graph_edge edge[2] = {{0, 1, 1, 1, 1}, {common ? 0 : 2, 3, 1, 1, 1}};
    const struct terrane_graph graph = {4, 2, node, edge, 1};
    int where = -1;
    const int e = terrane_patch_check(&patch, &graph, &where);
    assert_true(where == (e == 0 ? -1 : 1));
    return e;
}

static void edges_cross(void **state)
{
    (void)state;
    assert_int_equal(pair(0, 0, 10, 10, 0, 10, 10, 0, false), TERRANE_ECROSSING);
    assert_int_equal(pair(0, 0, 10, 10, 3, 3, 20, 3, false), TERRANE_ECROSSING); /* ends on it */
    assert_int_equal(pair(0, 0, 10, 10, 10, 10, 20, 3, false),
                     TERRANE_ECROSSING); /* two nodes at one place */
    assert_int_equal(pair(0, 0, 10, 10, 20, 3, 3, 3, false), TERRANE_ECROSSING);
    assert_int_equal(pair(3, 3, 20, 3, 0, 0, 10, 10, false), TERRANE_ECROSSING);
    assert_int_equal(pair(20, 3, 3, 3, 0, 0, 10, 10, false), TERRANE_ECROSSING);
    assert_int_equal(pair(0, 0, 10, 0, 4, 0, 20, 0, false), TERRANE_ECROSSING); /* along it */
    assert_int_equal(pair(0, 0, 10, 0, 0, 0, 20, 0, true), TERRANE_ECROSSING);
    assert_int_equal(pair(0, 0, 10, 0, 0, 0, 5, 0, true), TERRANE_ECROSSING);
    assert_int_equal(pair(4, 0, 10, 0, 0, 0, 0, 0, true), 0); /* the other way */
    assert_int_equal(pair(0, 0, 10, 10, 11, 11, 20, 20, false), 0);
    assert_int_equal(pair(0, 0, 10, 10, 1, 0, 11, 10, false), 0);
    assert_int_equal(pair(0, 0, 10, 10, 0, 0, 11, 10, true), 0);
    assert_int_equal(pair(0, 0, 4, 4, 0, 10, 10, 0, false), 0);
}

static void shapes_and_ground(void **state)
{
    struct kit kit;

    (void)state;
    kit_make(&kit, 17, 1);
    kit_graph(&kit, 0.1);
#define LINES                                                                                                \
    terrane_patch_lines(&kit.patch, &kit.graph, &kit.shape, kit.ground, kit.memory, &kit.limits, NULL, NULL, \
                        0, NULL)
#define BAD(member, value)               \
    kit.shape = terrane_shape_default(); \
    kit.shape.member = value;            \
    assert_int_equal(LINES, TERRANE_EPATCH)
    BAD(alpha, -1);
    BAD(alpha, (double)NAN);
    BAD(beta, 0.2);
    BAD(beta, 5);
    BAD(steepest, -1);
    BAD(gamma, (double)INFINITY);
    BAD(beside, (enum terrane_beside)7);
#undef BAD
    kit.shape = terrane_shape_default();
    assert_int_equal(LINES, 0);
    kit.ground[5] = (double)NAN;
    assert_int_equal(LINES, TERRANE_EPATCH);
    kit.ground[5] = 17; /* 2^28 units are 16 */
    assert_int_equal(LINES, TERRANE_EPATCH);
    kit_free(&kit);
}

static void unreachable_edges(void **state)
{
    struct kit kit;
    int line[5] = {-3, -3, -3, -3, -3}, where = -1;

    (void)state;
    kit_make(&kit, 17, 1);
    kit_graph(&kit, 0.1);
    for (size_t i = 0; i < kit.samples; i++)
        kit.ground[i] = i % 17 == 9 ? 8 : 0; /* a wall east of the middle */
    kit.shape.steepest = 0.5;
    assert_int_equal(terrane_patch_lines(&kit.patch, &kit.graph, &kit.shape, kit.ground, kit.memory,
                                         &kit.limits, line, NULL, 0, &where),
                     TERRANE_EUNREACHABLE);
    assert_true(where == 1 && line[0] == -3 && kit.limits.gradient[0] == -1);
    kit.shape.steepest = 8;
    assert_int_equal(terrane_patch_lines(&kit.patch, &kit.graph, &kit.shape, kit.ground, kit.memory,
                                         &kit.limits, line, NULL, 0, &where),
                     0);
    kit_free(&kit);
}

/* ---- Lines and limits ---------------------------------------------------------------------------------- */

struct lines {
    int length[5], sample[4000];
};

static double distance(const struct kit *kit, size_t a, size_t b)
{
    const int side = kit->patch.side;
    return hypot((double)((int)a % side - (int)b % side), (double)((int)a / side - (int)b / side));
}

/* The least slope of the paths that hold a sample; -1: none. */
static double path_slope(const struct kit *kit, const struct lines *lines, size_t at)
{
    double slope = -1;
    const int *sample = lines->sample;
    for (int e = 0; e < kit->graph.edges; e++)
        for (int i = 0; i < lines->length[e]; i++, sample++)
            if (distance(kit, at, (size_t)*sample) <= kit->edge[e].width / 2 &&
                (slope < 0 || kit->edge[e].slope < slope))
                slope = kit->edge[e].slope;
    for (int k = 0; k < kit->graph.nodes; k++) {
        const size_t node = (size_t)(kit->node[k].y * kit->patch.side + kit->node[k].x);
        if (distance(kit, at, node) <= kit->node[k].width / 2 && (slope < 0 || kit->graph.node_slope < slope))
            slope = kit->graph.node_slope;
    }
    return slope;
}

static double roughness(const struct kit *kit, int x, int y)
{
    const int side = kit->patch.side;
    double sum = 0;
    for (int k = 0; k < 9; k++) {
        const int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (nx < 0 || ny < 0 || nx >= side || ny >= side || k == 4)
            continue;
        const double d = kit->patch.spacing * (k % 2 ? 1 : sqrt(2));
        sum += pow((kit->ground[ny * side + nx] - kit->ground[y * side + x]) / d, 2);
    }
    return sqrt(sum);
}

/* The sample's across limit is that of one of the nearest samples of the path. */
static void check_across(const struct kit *kit, size_t at)
{
    const int side = kit->patch.side;
    double min = 1e9;
    for (size_t i = 0; i < kit->samples; i++)
        if (kit->limits.gradient[i] >= 0)
            min = fmin(min, distance(kit, at, i));
    const double border = kit->edge[0].border;
    assert_true((kit->limits.across[at] >= 0) == (min <= border));
    bool found = min > border;
    for (size_t i = 0; i < kit->samples && !found; i++) {
        const double x = ((int)at % side - (int)i % side) / min, y = ((int)at / side - (int)i / side) / min;
        const double limit = kit->limits.gradient[i] + kit->shape.gamma * sqrt(min / border);
        found = kit->limits.gradient[i] >= 0 && distance(kit, at, i) == min &&
                fabs(kit->limits.across[at] - limit) < 1e-6 && fabs(kit->limits.across_x[at] - x) < 1e-6 &&
                fabs(kit->limits.across_y[at] - y) < 1e-6;
    }
    assert_true(found);
}

static void check_limits(const struct kit *kit, const struct lines *lines)
{
    const int side = kit->patch.side;
    for (size_t at = 0; at < kit->samples; at++) {
        const int x = (int)at % side, y = (int)at / side;
        const double slope = path_slope(kit, lines, at);
        const bool edge = kit->shape.stitch && (x == 0 || y == 0 || x == side - 1 || y == side - 1);
        assert_true(kit->limits.gradient[at] == (float)slope);
        assert_true(edge ? kit->limits.position[at] == kit->ground[at] : isnan(kit->limits.position[at]));
        if (slope >= 0) {
            assert_true(kit->limits.across[at] == -1 && kit->limits.roughness[at] == -1);
            continue;
        }
        bool beside = false;
        for (size_t i = 0; i < kit->samples; i++)
            beside |= kit->limits.gradient[i] >= 0 && distance(kit, at, i) <= kit->edge[0].border;
        const bool rough =
            (beside && kit->shape.beside == TERRANE_BESIDE_ROUGHNESS) ||
            (kit->shape.stitch && !edge && !(beside && kit->shape.beside == TERRANE_BESIDE_ACROSS));
        assert_true(rough ? fabs(kit->limits.roughness[at] - roughness(kit, x, y)) < 1e-6
                          : kit->limits.roughness[at] == -1);
        if (kit->shape.beside == TERRANE_BESIDE_ACROSS)
            check_across(kit, at);
        else
            assert_true(kit->limits.across[at] == -1);
    }
}

static void limits_are_what_lines_say(void **state)
{
    static struct lines lines, again;
    struct kit kit;

    (void)state;
    for (int n = 0; n < 6; n++) {
        kit_make(&kit, 33, (uint64_t)n);
        kit_graph(&kit, 0.003);
        kit.edge[2].slope = 0.001; /* where paths meet it is the lower one that counts */
        kit.graph.node_slope = 0.002;
        kit.shape.beside = (enum terrane_beside)(n % 3);
        kit.shape.stitch = n >= 3;
        assert_int_equal(terrane_patch_lines(&kit.patch, &kit.graph, &kit.shape, kit.ground, kit.memory,
                                             &kit.limits, lines.length, lines.sample, 4000, NULL),
                         0);
        const int *sample = lines.sample;
        for (int e = 0; e < 5; e++) {
            const struct terrane_graph_node *from = &kit.node[kit.edge[e].from],
                                            *to = &kit.node[kit.edge[e].to];
            assert_true(sample[0] == from->y * 33 + from->x);
            for (int i = 1; i < lines.length[e]; i++)
                assert_true(distance(&kit, (size_t)sample[i], (size_t)sample[i - 1]) < 1.5);
            sample += lines.length[e];
            assert_true(sample[-1] == to->y * 33 + to->x);
        }
        check_limits(&kit, &lines);
        memset(&again, 0x55, sizeof again); /* without room: no more than there is room for */
        assert_int_equal(terrane_patch_lines(&kit.patch, &kit.graph, &kit.shape, kit.ground, kit.memory, NULL,
                                             again.length, again.sample, 10, NULL),
                         0);
        assert_memory_equal(again.length, lines.length, sizeof lines.length);
        assert_true(again.sample[9] == lines.sample[9] && again.sample[10] == 0x55555555);
        kit_free(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_patches),       cmocka_unit_test(bad_nodes_and_edges),
        cmocka_unit_test(edges_cross),       cmocka_unit_test(shapes_and_ground),
        cmocka_unit_test(unreachable_edges), cmocka_unit_test(limits_are_what_lines_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
