/* Shapes that models are built from. Parts without room in the mesh are left out. */
#ifndef TERRANE_SHAPE_H
#define TERRANE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "../terrane_features.h"

struct vector {
    double x, y, z;
};

struct colour {
    double red, green, blue; /* linear, 0 .. 1 */
};

static inline struct vector vector_add(struct vector a, double k, struct vector b)
{
    return (struct vector){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

static inline struct vector vector_mix(double j, struct vector a, double k, struct vector b)
{
    return (struct vector){j * a.x + k * b.x, j * a.y + k * b.y, j * a.z + k * b.z};
}

static inline double vector_dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vector vector_cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Scales to length 1; up if there is no length. */
struct vector vector_unit(struct vector a);

/* Sine and cosine of an angle in degrees, within +-2^20. */
struct angle {
    double sine, cosine;
};
struct angle angle_of(double degrees);

struct colour colour_mix(struct colour a, struct colour b, double share);
struct colour colour_scale(struct colour a, double by);

/* A random number, -1 .. 1, from a 64-bit hash. k: its index. */
double chance(uint64_t hash, unsigned k);

/* ---- Meshes -------------------------------------------------------------------------------------------- */

/* True if there is room for so many more. */
bool shape_room(const struct terrane_model_mesh *mesh, int vertices, int triangles);

/* Adds a vertex, for which there must be room. Returns its number. */
int shape_vertex(struct terrane_model_mesh *mesh, struct vector at, struct colour colour);
void shape_triangle(struct terrane_model_mesh *mesh, int a, int b, int c);

/* Normals of all vertices: the sum of their triangles', by area. Shared vertices look round, others flat. */
void shape_normals(struct terrane_model_mesh *mesh);

/*
 * A ball of 20 fineness^2 flat triangles, 1 .. 8: reach gives the distance to its surface in a direction, colour the colour of a
 * triangle from its normal and number.
 */
struct ball {
    int fineness;
    struct vector (*reach)(const struct ball *ball, struct vector direction);
    struct colour (*colour)(const struct ball *ball, struct vector normal, unsigned triangle);
    struct vector middle;
    double radius, flat; /* flat: how high it is, of how wide */
    uint64_t hash;
    const struct colour *palette;
};
void shape_ball(struct terrane_model_mesh *mesh, const struct ball *ball);

#endif
