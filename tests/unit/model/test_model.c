/*
 * Models: what holds of each, whatever its seed.
 */
#include "../unit.h"

#include <math.h>
#include <string.h>

#include "../../../lib/model/grammar.h"

struct made {
    struct terrane_model_mesh mesh;
    float vertex[3 * TERRANE_MODEL_VERTICES_MAX], normal[3 * TERRANE_MODEL_VERTICES_MAX];
    uint8_t colour[4 * TERRANE_MODEL_VERTICES_MAX];
    uint16_t index[3 * TERRANE_MODEL_TRIANGLES_MAX];
};
static struct made made, again;

static struct terrane_model_mesh *make(struct made *to, int model, int seed)
{
    memset(to, 0xA5, sizeof *to);
    to->mesh = (struct terrane_model_mesh){.vertex = to->vertex, to->normal, to->colour, to->index};
    assert_int_equal(terrane_model_mesh(model, seed, &to->mesh), 0);
    return &to->mesh;
}

static void each(void (*look)(int model, int seed, const struct terrane_model_mesh *mesh))
{
    for (int model = 0; model < (int)TERRANE_MODELS; model++)
        for (int seed = 0; seed < TERRANE_MODEL_SEEDS; seed++)
            look(model, seed, make(&made, model, seed));
}

static void look_at_numbers(int model, int seed, const struct terrane_model_mesh *mesh)
{
    if (mesh->triangles < 200 || mesh->triangles > 900 || mesh->vertices > TERRANE_MODEL_VERTICES_MAX)
        fail_msg("%s %d has %d triangles of %d vertices", terrane_model_name(model), seed, mesh->triangles,
                 mesh->vertices);
    for (int k = 0; k < 3 * mesh->triangles; k++)
        assert_in_range(mesh->index[k], 0, mesh->vertices - 1);
    for (int i = 0; i < mesh->vertices; i++) {
        const float *at = mesh->vertex + 3 * i, *n = mesh->normal + 3 * i;
        const double length = sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
        if (!(fabs(length - 1) < 1e-6))
            fail_msg("%s %d: normal %d is %.9g long", terrane_model_name(model), seed, i, length);
        assert_true(fabsf(at[0]) < 10 && fabsf(at[2]) < 10 && at[1] > -0.8f && at[1] < 20);
        assert_int_equal(mesh->colour[4 * i + 3], 255);
    }
}

TEST(models_are_of_a_few_hundred_triangles_with_unit_normals_on_their_foot)
{
    each(look_at_numbers);
}

/* Of a triangle (twice), where it is in the mesh. */
static double area(const struct terrane_model_mesh *mesh, int triangle)
{
    const float *a = mesh->vertex + 3 * mesh->index[3 * triangle],
                *b = mesh->vertex + 3 * mesh->index[3 * triangle + 1],
                *c = mesh->vertex + 3 * mesh->index[3 * triangle + 2];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)(b[k] - a[k]);
        v[k] = (double)(c[k] - a[k]);
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void look_at_triangles(int model, int seed, const struct terrane_model_mesh *mesh)
{
    for (int t = 0; t < mesh->triangles; t++)
        if (!(area(mesh, t) > 1e-7))
            fail_msg("%s %d: triangle %d has no area", terrane_model_name(model), seed, t);
}

TEST(triangles_have_areas)
{
    each(look_at_triangles);
}

static void look_again(int model, int seed, const struct terrane_model_mesh *mesh)
{
    const struct terrane_model_mesh *other = make(&again, model, seed);
    assert_int_equal(other->triangles, mesh->triangles);
    assert_memory_equal(&made.vertex, &again.vertex, sizeof made - sizeof made.mesh);
    make(&again, model, (seed + 1) % TERRANE_MODEL_SEEDS);
    assert_memory_not_equal(made.vertex, again.vertex, sizeof made.vertex);
}

TEST(a_seed_makes_the_same_bytes_again_and_another_seed_others)
{
    each(look_again);
}

TEST(there_are_no_other_models_and_seeds)
{
    static const int other[][2] = {{-1, 0}, {TERRANE_MODELS, 0}, {0, -1}, {0, TERRANE_MODEL_SEEDS}};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        struct terrane_model_mesh mesh = {.vertices = 7};
        assert_int_equal(terrane_model_mesh(other[k][0], other[k][1], &mesh), TERRANE_EMODEL);
        assert_int_equal(mesh.vertices, 7);
    }
    assert_null(terrane_model_name(-1));
    assert_null(terrane_model_name(TERRANE_MODELS));
}

GROUP(model);
