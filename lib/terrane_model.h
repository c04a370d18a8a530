/*
 * Models of what stands on ground: trees, shrubs, a cactus, a boulder, of a few hundred triangles each.
 *
 * Plants are grown by L-systems (Prusinkiewicz, Lindenmayer: The Algorithmic Beauty of Plants, 1990), the boulder is a sphere that
 * planes cut and noise bends. A mesh is a function of its model and seed: the same bits on every machine. Nothing is allocated.
 */
#ifndef TERRANE_MODEL_H
#define TERRANE_MODEL_H

#include <stdint.h>

#include "terrane_error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum terrane_model {
    TERRANE_MODEL_CONIFER,
    TERRANE_MODEL_BROADLEAF,
    TERRANE_MODEL_PALM,
    TERRANE_MODEL_SHRUB,
    TERRANE_MODEL_CACTUS,
    TERRANE_MODEL_DEAD_TREE,
    TERRANE_MODEL_BOULDER,
    TERRANE_MODELS
};

#define TERRANE_MODEL_SEEDS         16   /* of each model: 0 .. 15 */
#define TERRANE_MODEL_VERTICES_MAX  4096 /* of terrane_model_mesh */
#define TERRANE_MODEL_TRIANGLES_MAX 1024

/* "conifer", "dead-tree" ... */
extern const char *const terrane_model_name[TERRANE_MODELS];

/*
 * Metres: x east, y up, z south of the foot, which is the origin; the foot of a boulder is below the ground. Triangles are
 * counter-clockwise seen from outside; leaves have one side, which is to be drawn from both. Colours are linear.
 */
struct terrane_model_mesh {
    int vertices, triangles;
    float *vertex;   /* 3 each: room for TERRANE_MODEL_VERTICES_MAX */
    float *normal;   /* 3 each, unit, likewise */
    uint8_t *colour; /* 4 each: red, green, blue of 255, and 255; likewise */
    uint16_t *index; /* 3 each: room for TERRANE_MODEL_TRIANGLES_MAX */
};

/* Returns 0, or TERRANE_EMODEL: there is no such model or seed; then the mesh is as it was. */
int terrane_model_mesh(int model, int seed, struct terrane_model_mesh *mesh) TERRANE_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
