/*
 * Meshes of caves (lib/cave/cave_mesh.c, cubes.c): manifold but for the opening, whole, the right way round, fitting the hole that
 * terrane_caves_openings leaves, and the same from any window.
 */
#include "caves_kit.h"

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(float));
}

static void expect_no_vertex_twice(const struct terrane_cave_mesh *mesh)
{
    const size_t bytes = 3 * sizeof(float), count = (size_t)mesh->vertices;
    float *sorted = malloc(count * bytes);
    assert_non_null(sorted);
    memcpy(sorted, mesh->vertex, count * bytes);
    qsort(sorted, count, bytes, compare_places);
    for (size_t k = 1; k < count; k++)
        assert_memory_not_equal(sorted + 3 * k - 3, sorted + 3 * k, bytes);
    free(sorted);
}

/* Triangles have an area, and their vertices' normals look to the side they face. */
static void expect_faces(const struct terrane_cave_mesh *mesh)
{
    int askew = 0;
    for (int k = 0; k < mesh->triangles; k++) {
        const uint32_t *v = mesh->index + 3 * k;
        double u[3], w[3], mean[3];
        for (int c = 0; c < 3; c++) {
            assert_true(v[c] < (uint32_t)mesh->vertices);
            u[c] =
                (double)mesh->vertex[3 * v[1] + (uint32_t)c] - (double)mesh->vertex[3 * v[0] + (uint32_t)c];
            w[c] =
                (double)mesh->vertex[3 * v[2] + (uint32_t)c] - (double)mesh->vertex[3 * v[0] + (uint32_t)c];
            mean[c] = 0;
            for (int i = 0; i < 3; i++)
                mean[c] += (double)mesh->normal[3 * v[i] + (uint32_t)c];
        }
        /* the frame is left-handed */
        const double face[3] = {u[2] * w[1] - u[1] * w[2], u[0] * w[2] - u[2] * w[0],
                                u[1] * w[0] - u[0] * w[1]};
        const double area = sqrt(face[0] * face[0] + face[1] * face[1] + face[2] * face[2]) / 2;
        assert_true(area > 1e-4);
        askew += face[0] * mean[0] + face[1] * mean[1] + face[2] * mean[2] <= 0;
    }
    if (askew * 20 > mesh->triangles)
        fail_msg("%d of %d triangles are askew", askew, mesh->triangles);
    for (int k = 0; k < mesh->vertices; k++) {
        const float *n = mesh->normal + 3 * k;
        assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5f);
    }
}

/* The sample that a vertex stands on; false: it is none of the ground's. */
static bool sample_of(const struct caves_made *made, const struct terrane_cave *cave, const float *vertex,
                      int64_t *gi, int64_t *gj)
{
    const double x = (double)vertex[0] / 4, y = (double)vertex[1] / 4;
    *gi = cave->gi + (int64_t)rint(x);
    *gj = cave->gj + (int64_t)rint(y);
    return x == rint(x) && y == rint(y) && window_holds(&made->window, *gi, *gj, 0) &&
           made->own_ground[place_of(&made->window, *gi, *gj)] == vertex[2];
}

static bool quad_open(const struct terrane_window *window, const uint8_t *opening, int64_t gi, int64_t gj)
{
    return opening[(size_t)(gj - window->gj) * (size_t)(window->width - 1) + (size_t)(gi - window->gi)] != 0;
}

/* Edges of one triangle are edges of quads: of one that is left out and one that is not, the left-out one to the left. */
static void expect_edge_of_opening(const struct caves_made *made, const struct terrane_cave *cave,
                                   const struct terrane_cave_mesh *mesh, uint64_t edge,
                                   const uint8_t *opening)
{
    int64_t gi[2], gj[2];
    assert_true(sample_of(made, cave, mesh->vertex + 3 * (edge >> 32), gi, gj));
    assert_true(sample_of(made, cave, mesh->vertex + 3 * (uint32_t)edge, gi + 1, gj + 1));
    const int64_t dx = gi[1] - gi[0], dy = gj[1] - gj[0];
    assert_int_equal(dx * dx + dy * dy, 1);
    /* going east the quad to the left is the northern one */
    const int64_t west = dx < 0 || dy > 0 ? (dx < 0 ? gi[1] : gi[0]) : dx > 0 ? gi[0] : gi[0] - 1;
    const int64_t north = dx > 0 ? gj[0] - 1 : dx < 0 ? gj[0] : dy > 0 ? gj[0] : gj[1];
    assert_true(quad_open(&made->window, opening, west, north));
    const int64_t other_west = dy == 0 ? west : dy > 0 ? west - 1 : west + 1;
    const int64_t other_north = dx == 0 ? north : dx > 0 ? north + 1 : north - 1;
    assert_false(quad_open(&made->window, opening, other_west, other_north));
}

/* How many edges part left-out quads of the cave's square from others. */
static size_t count_opening_edges(const struct caves_made *made, const struct terrane_cave *cave, int radius,
                                  const uint8_t *opening)
{
    size_t count = 0;
    for (int64_t gj = cave->gj - radius + 1; gj < cave->gj + radius - 1; gj++)
        for (int64_t gi = cave->gi - radius + 1; gi < cave->gi + radius - 1; gi++) {
            const bool open = quad_open(&made->window, opening, gi, gj);
            count += open != quad_open(&made->window, opening, gi - 1, gj);
            count += open != quad_open(&made->window, opening, gi, gj - 1);
        }
    return count;
}

/* Edges with one triangle; they come first in *edge. Checks that no edge has two of one direction. */
static size_t edges_of_opening(const struct terrane_cave_mesh *mesh, const uint64_t *edge, uint64_t *open)
{
    const size_t count = 3 * (size_t)mesh->triangles;
    size_t alone = 0;
    for (size_t k = 0; k < count; k++) {
        assert_true(k == 0 || edge[k - 1] != edge[k]);
        if (!has_u64(edge, count, turned(edge[k])))
            open[alone++] = edge[k];
    }
    return alone;
}

/* Loops of the opening's edges: each vertex is left as often as it is reached. */
static int count_loops(const struct terrane_cave_mesh *mesh, const uint64_t *open, size_t count)
{
    int *balance = calloc((size_t)mesh->vertices, sizeof *balance), loops = 0;
    uint32_t *parent = parts_new(mesh);
    assert_non_null(balance);
    for (size_t k = 0; k < count; k++) {
        balance[open[k] >> 32]++;
        balance[(uint32_t)open[k]]--;
        parent[part_of(parent, (uint32_t)(open[k] >> 32))] = part_of(parent, (uint32_t)open[k]);
    }
    for (int v = 0; v < mesh->vertices; v++)
        assert_int_equal(balance[v], 0);
    for (size_t k = 0; k < count; k++)
        loops += part_of(parent, (uint32_t)(open[k] >> 32)) == (uint32_t)(open[k] >> 32);
    free(balance), free(parent);
    return loops;
}

static int count_parts(const struct terrane_cave_mesh *mesh)
{
    uint32_t *parent = parts_new(mesh);
    int parts = 0;
    for (int k = 0; k < 3 * mesh->triangles; k++)
        parent[part_of(parent, mesh->index[k])] = part_of(parent, mesh->index[k % 3 == 2 ? k - 2 : k + 1]);
    for (uint32_t v = 0; v < (uint32_t)mesh->vertices; v++)
        parts += parent[v] == v;
    free(parent);
    return parts;
}

static void expect_mesh(const struct terrane_world *world, const struct caves_made *made,
                        const struct terrane_cave *cave, const uint8_t *opening,
                        const struct terrane_cave_mesh *mesh)
{
    const int radius = world->recipe->caves.radius;
    assert_true(mesh->vertices > 100 && mesh->triangles > 100);
    expect_no_vertex_twice(mesh);
    expect_faces(mesh);

    const size_t directed = 3 * (size_t)mesh->triangles;
    uint64_t *edge = mesh_edges_new(mesh), *open = malloc(directed * sizeof *open);
    assert_non_null(open);
    const size_t alone = edges_of_opening(mesh, edge, open);
    assert_true(alone >= 4);
    for (size_t k = 0; k < alone; k++)
        expect_edge_of_opening(made, cave, mesh, open[k], opening);
    assert_int_equal(alone, count_opening_edges(made, cave, radius, opening));
    assert_int_equal(count_parts(mesh), 1);
    assert_int_equal(count_loops(mesh, open, alone), 1);
    free(edge), free(open);
}

/* It rests on the cave's square alone: made of that it is the same. */
static void expect_same_alone(const struct terrane_world *world, const struct terrane_cave *cave,
                              const struct terrane_cave_mesh *mesh, struct terrane_cave_mesh *other)
{
    struct terrane_window window;
    terrane_cave_mesh_needs(world->recipe, cave, &window);
    struct caves_made own = caves_new(world, &window);
    mesh_make(world, &own, cave, other);
    assert_true(mesh->vertices == other->vertices && mesh->triangles == other->triangles);
    assert_memory_equal(mesh->vertex, other->vertex, (size_t)mesh->vertices * 12);
    assert_memory_equal(mesh->normal, other->normal, (size_t)mesh->vertices * 12);
    assert_memory_equal(mesh->index, other->index, (size_t)mesh->triangles * 12);
    caves_free(&own);
}

/* Odd caves: wide and narrow, high and low, in gentle and in steep ground. */
static struct terrane_caves dice_caves(struct dice *dice)
{
    struct terrane_caves caves = hill_caves;
    caves.cell_log2 = dice_int(dice, 5, 7);
    caves.roof_m = (float)dice_real(dice, 1, 14);
    caves.height_m = (float)dice_real(dice, 4, 30);
    caves.room = (float)dice_int(dice, 6, 200);
    caves.slope = (float)dice_real(dice, 0.3, 2);
    return caves;
}

TEST(meshes_are_whole)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_cave_mesh mesh = mesh_memory_new(), other = mesh_memory_new();
    const struct terrane_window window = {2, -300, 500, 1, 600, 600};
    uint8_t *opening = malloc(samples_of(&window));
    struct dice dice = {5};
    int checked = 0;

    assert_non_null(opening);
    for (int n = 0; n < sets(8); n++) {
        make_hills(&world, &recipe, n % 2 ? dice_caves(&dice) : hill_caves,
                   n % 4 == 3 ? (float)dice_real(&dice, 0.3, 0.6) : HILLS, dice_bits(&dice));
        struct caves_made made = caves_new(&world, &window);
        assert_int_equal(
            terrane_caves_openings(&recipe, &window, made.own_ground, made.floor_ceiling, opening), 0);
        for (int k = 0; k < made.caves; k++) {
            const struct terrane_cave *cave = &made.cave[k];
            if (!window_holds(&window, cave->gi, cave->gj, recipe.caves.radius))
                continue;
            mesh_make(&world, &made, cave, &mesh);
            expect_mesh(&world, &made, cave, opening, &mesh);
            isa_choose(checked);
            expect_same_alone(&world, cave, &mesh, &other);
            checked++;
        }
        caves_free(&made);
    }
    assert_true(checked >= 20);
    free(opening);
    mesh_memory_free(&mesh), mesh_memory_free(&other);
}

GROUP(caves_mesh, set_up, tear_down);
