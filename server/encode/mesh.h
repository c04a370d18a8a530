/*
 * Ground as meshes: glTF and quantized-mesh. Pure functions of their arguments: the same bytes on every
 * machine.
 */
#ifndef TERRANE_SERVER_MESH_H
#define TERRANE_SERVER_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of a skirt over the ground's error: a coarser neighbour has vertices at twice the distance, and may be twice as
 * far from the ground; plus a little for rounding. */
#define MESH_SKIRT_ERRORS 2.125

/* A square of vertices, row by row, north to south; borrows its arrays. */
struct mesh_ground {
    int side;               /* vertices: 2^k + 1, 3 .. 257 */
    double spacing_m;       /* between vertices */
    double west_m, north_m; /* first vertex in the world's plane: x to the east, y to the south */
    double error_m;         /* max distance of the ground between vertices from a finer level's; for skirts */
    bool placed;            /* glTF: the node moves it to its place in the world's plane */
    const float *heights;   /* metres, finite */
    const float *normals;   /* east, south, up; three a vertex */
    const float *depth; /* of water over the ground, metres; or NULL: not known. Only for quantized-mesh */
    const uint8_t
        *holes; /* squares of vertices, side - 1 a row; glTF leaves out those not 0; or NULL: none */
};

/*
 * glTF 2.0, binary, one mesh, with nothing outside of the file: POSITION (+X east, +Y up, +Z south, metres,
 * relative to the centre of the square, or to the world's origin where it is placed; the centre is in asset.extras in
 * full), NORMAL, TANGENT (to the east along the surface, w such that the binormal is to the north, where a texture has its upper side), TEXCOORD_0 (0 .. 1 from the
 * north-west), a skirt of four sides that hides gaps to coarser neighbours. 32-bit indices beyond 65,535
 * vertices. quantised: KHR_mesh_quantization, with a node that scales.
 *
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short.
 */
int encode_glb(const struct mesh_ground *ground, bool quantised, unsigned char **data, size_t *bytes);

/*
 * quantized-mesh-1.0 with the extensions octvertexnormals and watermask, for the tile z, x, y (y from the north) of a
 * geographic pyramid with two tiles at the root, on the WGS 84 ellipsoid. Its vertices are those of the ground, evenly
 * over the tile's degrees. Heights are quantised over the tile's own range.
 *
 * below: number of levels below the tile with all tiles, z + below at most 24, for the metadata extension;
 * TERRAIN_NO_METADATA: without it, since CesiumJS fails if it does not expect it.
 */
enum { TERRAIN_NO_METADATA = -1 };
int encode_terrain(const struct mesh_ground *ground, int z, uint64_t x, uint64_t y, int below,
                   unsigned char **data, size_t *bytes);

/*
 * Unit normals (east, south, up; three a vertex) from only the heights of a square, side 2 .. 257: by central
 * differences, at the edges from the one neighbour. 0; -1 when memory is short.
 */
int mesh_normals(const float *heights, int side, double spacing_m, float *normals);

#endif
