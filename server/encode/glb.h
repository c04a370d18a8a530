/*
 * glTF 2.0, binary: its file, caves and models in it, and pictures on ground (encode_glb: mesh.h). Pure functions of their arguments.
 */
#ifndef TERRANE_SERVER_GLB_H
#define TERRANE_SERVER_GLB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../lib/terrane_features.h"

/* A cave and its mesh, and the place of its top in the world's plane: x to the east, y to the south. */
struct cave_body {
    uint64_t id; /* terrane_cave_id: its node's name */
    struct terrane_cave_mesh mesh;
    double east_m, south_m;
};

struct cave_scene {
    double east_m, south_m; /* the tile's middle, origin of places unless placed */
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

/*
 * glTF 2.0, binary: a model of terrane_features.h, as one double-sided mesh of POSITION, NORMAL, COLOR_0 and 16-bit indices. model,
 * seed: an existing model. malloc'ed bytes in *data, *bytes and 0; -1 when memory is short.
 */
int encode_model_glb(int model, int seed, unsigned char **data, size_t *bytes);

/* ---- The file: a header, a chunk of JSON, a chunk of numbers that it describes ------------------------------- */

/* glTF's constants of component types, targets and modes. */
enum { GLB_I8 = 5120, GLB_U8 = 5121, GLB_U16 = 5123, GLB_U32 = 5125, GLB_F32 = 5126 };
enum { GLB_VERTICES = 34962, GLB_INDICES = 34963 };

/*
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short, also for a document that is NULL because of that. Takes the
 * document. numbers: bytes of the second chunk, a multiple of four, which put writes; 0: there is none.
 */
int glb_file(json_t *document, size_t numbers, void (*put)(unsigned char *at, const void *context),
             const void *context, unsigned char **data, size_t *bytes);

/*
 * True if a document fits a glb with so many bytes of numbers (0: none): it has a scene, every reference exists, and every array
 * is within the numbers.
 */
bool glb_document_fits(const json_t *document, size_t numbers);

/* ---- Pictures on meshes -------------------------------------------------------------------------------------- */

/*
 * A glb of encode_glb with a png on it, side x side pixels, one a sample, with the far edges, as the base colour texture in the
 * file. Texture coordinates become those of pixel centres, (i + 1/2) / side, so that neighbours show one colour on their common
 * edge. KHR_materials_unlit: the picture is already shaded; readers without it light it again.
 *
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short, or it is no such glb.
 */
int glb_texture(const unsigned char *glb, size_t glb_bytes, const unsigned char *png, size_t png_bytes,
                int side, unsigned char **data, size_t *bytes);

/* True if a glb is such a file. False also if memory is short. */
bool glb_texture_fits(const unsigned char *glb, size_t bytes);

#endif
