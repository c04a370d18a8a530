/*
 * Memory of the library's calls (struct terrane_memory): where a block of it is not to be had a call says so, writes nothing and
 * gives all others back; what it makes is the same out of any.
 */
#include "../../../lib/cave/cave_shown.h"
#include "../../../lib/water/water.h"
#include "../lib_fixture.h"

#include "../../../lib/erosion/erosion.h"
#include "../../../lib/path/network.h"
#include "../render/hollow_kit.h"

enum { SIDE = 24, GROUND = SIDE + 2 * 4 * 32 }; /* caves look at 4 radius around, lakes at less */

static const char text[] = "{\"height\": {\"fractal\": \"fbm\"}}";
static struct terrane_recipe recipe;
static struct terrane_world world;
static const struct terrane_window window = {.level = 2, .step = 1, .width = SIDE, .height = SIDE};
static float ground[GROUND * GROUND], depth_m[GROUND * GROUND], rock[2 * GROUND * GROUND];

/* What calls write. */
static struct out {
    float value[3 * SIDE * SIDE];
    int32_t delta[SIDE * SIDE];
    uint32_t flow[SIDE * SIDE];
    struct terrane_cave cave[TERRANE_CAVES_MAX];
    int caves;
    struct terrane_cave_mesh mesh;
    struct terrane_path_node node[TERRANE_PATHS_NODES_MAX];
    struct terrane_path_edge edge[TERRANE_PATHS_EDGES_MAX];
    struct terrane_path_network network;
    struct terrane_window needs;
    struct terrane_recipe recipe;
} out, before, made;

enum call { HEIGHTS, NORMALS, ZONES, ERODE, LAKES, CAVES, CAVE_MESH, GRAPH, LINES, APPLY, PARSE, CALLS };

static int call_of(enum call call, const struct terrane_memory *memory)
{
    const struct terrane_window needs = {.level = 4, .step = 1, .width = SIDE, .height = SIDE},
                                all = {.level = 2, .step = 1, .width = GROUND, .height = GROUND};
    struct terrane_window shore = window;
    shore.level = recipe.lakes.level;
    const struct terrane_cave cave = {.id = 1, .gi = GROUND / 2, .gj = GROUND / 2};
    const struct terrane_path_network none = {.x = 0};
    struct terrane_eroded eroded = {window, out.delta, out.flow};
    char why[TERRANE_REFUSAL_BYTES];
    int error;
    switch (call) {
    case HEIGHTS:
        return terrane_heights(&world, &window, memory, out.value);
    case NORMALS:
        return terrane_normals(&world, &window, memory, out.value);
    case ZONES:
        return terrane_zones(&world, &window, memory, NULL, out.value);
    case ERODE:
        return terrane_erode(&world, NULL, memory, &eroded);
    case LAKES:
        return terrane_lakes(&world, &shore, ground, memory, out.value);
    case CAVES:
        return terrane_caves(&world, &window, ground, depth_m, memory, out.value, out.cave, &out.caves);
    case CAVE_MESH:
        return terrane_cave_mesh(&world, &all, &cave, ground, rock, memory, &out.mesh);
    case GRAPH:
        return terrane_paths_graph(&world, memory, &out.network, &out.needs);
    case LINES:
        return terrane_paths_lines(&world, &needs, ground, depth_m, NULL, memory, &out.network);
    case APPLY:
        return terrane_paths_apply(&recipe, &window, &none, memory, NULL, NULL, out.value);
    default:
        error = terrane_recipe_parse(text, sizeof text - 1, NULL, memory, &out.recipe, NULL, why, sizeof why);
        if (error == TERRANE_EMEMORY)
            assert_string_equal(why, "out of memory");
        return error;
    }
}

TEST(shortage_is_said_and_nothing_written)
{
    hollow_recipe(&recipe);
    make_world(&world, &recipe, 42);
    for (size_t k = 0; k < COUNT(rock); k++)
        rock[k] = TERRANE_ROCK;
    memset(&before, 0x5A, sizeof before);
    before.network = (struct terrane_path_network){.points = 7, .node = out.node, .edge = out.edge};
    before.mesh = (struct terrane_cave_mesh){.vertices = 7};
    for (enum call k = 0; k < CALLS; k++) {
        struct purse purse;
        const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
        int error = TERRANE_EMEMORY, blocks = 0;
        for (; error == TERRANE_EMEMORY; blocks++) {
            purse = (struct purse){.left = blocks};
            out = before;
            error = call_of(k, &memory);
            assert_int_equal(purse.lent, 0);
            if (error != 0)
                assert_memory_equal(&out, &before, sizeof out);
        }
        assert_int_equal(error, 0);
        assert_true(blocks > 1);
        made = out;
        out = before;
        assert_int_equal(call_of(k, NULL), 0);
        assert_memory_equal(&out, &made, sizeof out);
        out = before;
        assert_int_equal(call_of(k, scratch), 0);
        assert_memory_equal(&out, &made, sizeof out);
    }
}

/* Not a network without nodes, which would be kept. */
TEST(a_region_that_memory_was_short_for_is_none)
{
    const struct terrane_region region = {TERRANE_REGION_PATHS, 4, 0, 0, TERRANE_VARIANT_BASE};
    struct terrane_region_needs needs;
    struct purse purse;
    struct terrane_packed packed;
    int error = TERRANE_EMEMORY;
    hollow_recipe(&recipe);
    recipe.erosion.levels = 0;
    recipe.lakes.share = 0;
    make_world(&world, &recipe, 42);
    terrane_region_needs(&recipe, &region, &needs);
    for (int blocks = 0; error == TERRANE_EMEMORY; blocks++) {
        const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
        purse = (struct purse){.left = blocks};
        error = terrane_region_make(&world, &region, &needs, NULL, &memory, &packed);
        assert_int_equal(purse.lent > 0, error == 0);
    }
    assert_int_equal(error, 0);
    assert_true(packed.bytes > 64 + 12); /* header and counts */
    purse_take_back(&purse, packed.data);
}

GROUP(lend, set_up, tear_down);
