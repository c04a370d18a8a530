/*
 * Meshes of caves as glTF.
 */
#ifndef TERRANE_SERVER_CAVE_GLB_H
#define TERRANE_SERVER_CAVE_GLB_H

#include "../../lib/terrane_caves.h"

/* A cave and its mesh, and where its top lies in the world's plane: x to the east, y to the south. */
struct cave_body {
    struct terrane_cave cave;
    struct terrane_cave_mesh mesh;
    double east_m, south_m;
};

struct cave_scene {
    double east_m, south_m; /* the tile's middle, which places are relative to, unless placed */
    double spacing_m;       /* of the caves' level */
    bool placed;            /* relative to the world's origin */
};

/*
 * glTF 2.0, binary: a node for each cave, named by its id, with one mesh of POSITION (+X east, +Y up, +Z south, metres; heights
 * are absolute), NORMAL and 32-bit indices. Without caves: an empty scene, and no chunk of numbers. malloc'ed bytes in *data,
 * *bytes and 0; -1 when memory is short.
 */
int encode_cave_glb(const struct cave_scene *scene, const struct cave_body *body, int bodies,
                    unsigned char **data, size_t *bytes);

#endif
