/*
 * Objects: records, GeoJSON, and instances of models. Pure functions of their arguments.
 */
#ifndef TERRANE_SERVER_OBJECTS_H
#define TERRANE_SERVER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../lib/terrane_make.h"

/* Objects of a tile, and its corner and middle, in metres. */
struct object_scene {
    const struct terrane_world *world;
    const struct terrane_object *object;
    size_t objects;
    double west_m, north_m, half_m; /* half_m: from the middle to an edge */
    bool placed;                    /* of a glb: relative to the world's origin, not to the tile's middle */
};

/* Each returns malloc'ed bytes in *data, *bytes and 0; -1 when memory is short. */

/*
 * Little-endian records of 16 bytes:
 *
 *     offset bytes
 *          0    12  float32 x, y, z: metres to the east and south of the tile's north-west corner, and the ground's height
 *         12     1  turn, in 256ths of a whole one, clockwise as a map shows it
 *         13     1  scale, in 64ths of the model's size
 *         14     1  class
 *         15     1  variant: the model's seed
 */
enum { OBJECT_BYTES = 16 };
#define OBJECTS_MAGIC "TOBJ" /* then a u32 count, and zeros up to the first */
int encode_objects_bin(const struct object_scene *scene, unsigned char **data, size_t *bytes);

/* A FeatureCollection of Points, [metres east, metres SOUTH, height], as for lines (geojson.h). */
int encode_objects_geojson(const struct object_scene *scene, unsigned char **data, size_t *bytes);

/* glTF 2.0, binary: a node for each class present, with its model (seed 0) once, and EXT_mesh_gpu_instancing for its places.
 * Without objects an empty scene. */
int encode_objects_glb(const struct object_scene *scene, unsigned char **data, size_t *bytes);

#endif
