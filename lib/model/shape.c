/*
 * Vectors, angles, vertices and triangles. Sums and products are binary64, which round alike everywhere; sqrt is IEEE's.
 */
#include "shape.h"

#include "../base/hash.h"

struct vector vector_unit(struct vector a)
{
    const double square = vector_dot(a, a);
    if (!(square > 0))
        return (struct vector){0, 1, 0};
    const double by = 1 / __builtin_sqrt(square);
    return (struct vector){a.x * by, a.y * by, a.z * by};
}

/* Taylor's series within an eighth of a turn, to 10^-9; the quarter selects the result. */
struct angle angle_of(double degrees)
{
    const int quarter = (int)(degrees / 90 + (degrees < 0 ? -0.5 : 0.5));
    const double x = (degrees - quarter * 90.0) * 0.017453292519943295, x2 = x * x;
    const double sine = x * (1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72))));
    const double cosine = 1 - x2 / 2 * (1 - x2 / 12 * (1 - x2 / 30 * (1 - x2 / 56 * (1 - x2 / 90))));
    const struct angle turned[4] = {{sine, cosine}, {cosine, -sine}, {-sine, -cosine}, {-cosine, sine}};
    return turned[(unsigned)quarter % 4];
}

struct colour colour_mix(struct colour a, struct colour b, double share)
{
    return (struct colour){a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
                           a.blue + share * (b.blue - a.blue)};
}

struct colour colour_scale(struct colour a, double by)
{
    return (struct colour){a.red * by, a.green * by, a.blue * by};
}

double chance(uint64_t hash, unsigned k)
{
    return (double)(int32_t)(uint32_t)(hash_absorb(hash, k) >> 32) * 0x1p-31;
}

/* ---- Meshes -------------------------------------------------------------------------------------------- */

bool shape_room(const struct terrane_model_mesh *mesh, int vertices, int triangles)
{
    return vertices <= TERRANE_MODEL_VERTICES_MAX - mesh->vertices &&
           triangles <= TERRANE_MODEL_TRIANGLES_MAX - mesh->triangles;
}

static uint8_t byte_of(double share)
{
    return (uint8_t)((share < 0 ? 0 : share > 1 ? 1 : share) * 255 + 0.5);
}

int shape_vertex(struct terrane_model_mesh *mesh, struct vector at, struct colour colour)
{
    float *vertex = mesh->vertex + 3 * mesh->vertices;
    uint8_t *shown = mesh->colour + 4 * mesh->vertices;
    vertex[0] = (float)at.x;
    vertex[1] = (float)at.y;
    vertex[2] = (float)at.z;
    shown[0] = byte_of(colour.red);
    shown[1] = byte_of(colour.green);
    shown[2] = byte_of(colour.blue);
    shown[3] = 255;
    return mesh->vertices++;
}

void shape_triangle(struct terrane_model_mesh *mesh, int a, int b, int c)
{
    uint16_t *index = mesh->index + 3 * mesh->triangles++;
    index[0] = (uint16_t)a;
    index[1] = (uint16_t)b;
    index[2] = (uint16_t)c;
}

static struct vector vertex_at(const struct terrane_model_mesh *mesh, int vertex)
{
    const float *at = mesh->vertex + 3 * vertex;
    return (struct vector){(double)at[0], (double)at[1], (double)at[2]};
}

void shape_normals(struct terrane_model_mesh *mesh)
{
    for (int i = 0; i < 3 * mesh->vertices; i++)
        mesh->normal[i] = 0;
    for (int t = 0; t < mesh->triangles; t++) {
        const uint16_t *corner = mesh->index + 3 * t;
        const struct vector a = vertex_at(mesh, corner[0]);
        const struct vector n = vector_cross(vector_add(vertex_at(mesh, corner[1]), -1, a),
                                             vector_add(vertex_at(mesh, corner[2]), -1, a));
        for (int k = 0; k < 3; k++) {
            float *normal = mesh->normal + 3 * corner[k];
            normal[0] += (float)n.x;
            normal[1] += (float)n.y;
            normal[2] += (float)n.z;
        }
    }
    for (int i = 0; i < mesh->vertices; i++) {
        float *normal = mesh->normal + 3 * i;
        const struct vector unit =
            vector_unit((struct vector){(double)normal[0], (double)normal[1], (double)normal[2]});
        normal[0] = (float)unit.x;
        normal[1] = (float)unit.y;
        normal[2] = (float)unit.z;
    }
}

/* ---- Balls --------------------------------------------------------------------------------------------- */

/* The point i along one side and j along the other of a subdivided triangle of the icosahedron, on the ball's surface. */
static struct vector on_ball(const struct ball *ball, const struct vector corner[3], int i, int j)
{
    const double u = (double)i / ball->fineness, v = (double)j / ball->fineness;
    return ball->reach(ball,
                       vector_unit(vector_add(vector_mix(1 - u - v, corner[0], u, corner[1]), v, corner[2])));
}

static void put_facet(struct terrane_model_mesh *mesh, const struct ball *ball, struct vector a,
                      struct vector b, struct vector c)
{
    if (!shape_room(mesh, 3, 1))
        return;
    const struct vector normal = vector_unit(vector_cross(vector_add(b, -1, a), vector_add(c, -1, a)));
    const struct colour colour = ball->colour(ball, normal, (unsigned)mesh->triangles);
    const int first = shape_vertex(mesh, a, colour);
    shape_vertex(mesh, b, colour);
    shape_vertex(mesh, c, colour);
    shape_triangle(mesh, first, first + 1, first + 2);
}

void shape_ball(struct terrane_model_mesh *mesh, const struct ball *ball)
{
    static const double s = 0.5257311121191336, l = 0.85065080835204; /* of unit length together */
    const struct vector point[12] = {{-s, l, 0}, {s, l, 0}, {-s, -l, 0}, {s, -l, 0},
                                     {0, -s, l}, {0, s, l}, {0, -s, -l}, {0, s, -l},
                                     {l, 0, -s}, {l, 0, s}, {-l, 0, -s}, {-l, 0, s}};
    static const uint8_t face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                        {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                        {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                        {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (int f = 0; f < 20; f++) {
        const struct vector corner[3] = {point[face[f][0]], point[face[f][1]], point[face[f][2]]};
        for (int i = 0; i < ball->fineness; i++)
            for (int j = 0; i + j < ball->fineness; j++) {
                const struct vector a = on_ball(ball, corner, i + 1, j), b = on_ball(ball, corner, i, j + 1);
                put_facet(mesh, ball, on_ball(ball, corner, i, j), a, b);
                if (i + j < ball->fineness - 1)
                    put_facet(mesh, ball, a, on_ball(ball, corner, i + 1, j + 1), b);
            }
    }
}
