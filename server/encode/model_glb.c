/*
 * Models as glTF: one mesh, one part, with colours of its vertices. All of it in one array after the other.
 */
#include "glb.h"

#include <stdlib.h>

#include "../../lib/terrane_model.h"
#include "../base/check.h"
#include "mesh_bytes.h"

struct model {
    struct terrane_model_mesh mesh;
    float vertex[3 * TERRANE_MODEL_VERTICES_MAX], normal[3 * TERRANE_MODEL_VERTICES_MAX];
    uint8_t colour[4 * TERRANE_MODEL_VERTICES_MAX];
    uint16_t index[3 * TERRANE_MODEL_TRIANGLES_MAX];
};

static void put_model(unsigned char *at, const void *context)
{
    const struct terrane_model_mesh *mesh = context;
    for (int k = 0; k < 3 * mesh->vertices; k++)
        at = put_f32(at, mesh->vertex[k]);
    for (int k = 0; k < 3 * mesh->vertices; k++)
        at = put_f32(at, mesh->normal[k]);
    memcpy(at, mesh->colour, 4 * (size_t)mesh->vertices);
    at += 4 * (size_t)mesh->vertices;
    for (int k = 0; k < 3 * mesh->triangles; k++)
        at = put_u16(at, mesh->index[k]);
    if (mesh->triangles % 2 != 0)
        put_u16(at, 0);
}

/* The least (sign 1) or the greatest (-1) of each coordinate. */
static json_t *corner_of(const struct terrane_model_mesh *mesh, float sign)
{
    float corner[3];
    memcpy(corner, mesh->vertex, sizeof corner);
    for (int k = 0; k < 3 * mesh->vertices; k++)
        if (sign * mesh->vertex[k] < sign * corner[k % 3])
            corner[k % 3] = mesh->vertex[k];
    return json_pack("[f, f, f]", (double)corner[0], (double)corner[1], (double)corner[2]);
}

static json_t *accessors_of(const struct terrane_model_mesh *mesh)
{
    return json_pack("[{s:i, s:i, s:i, s:s, s:o, s:o}, {s:i, s:i, s:i, s:s}, {s:i, s:i, s:b, s:i, s:s}, "
                     "{s:i, s:i, s:i, s:s}]",
                     "bufferView", 0, "componentType", GLB_F32, "count", mesh->vertices, "type", "VEC3",
                     "min", corner_of(mesh, 1), "max", corner_of(mesh, -1), /* positions */
                     "bufferView", 1, "componentType", GLB_F32, "count", mesh->vertices, "type", "VEC3",
                     "bufferView", 2, "componentType", GLB_U8, "normalized", 1, "count", mesh->vertices,
                     "type", "VEC4", "bufferView", 3, "componentType", GLB_U16, "count", 3 * mesh->triangles,
                     "type", "SCALAR");
}

static json_t *views_of(const struct terrane_model_mesh *mesh)
{
    const int vectors = 12 * mesh->vertices, colours = 4 * mesh->vertices;
    return json_pack(
        "[{s:i, s:i, s:i, s:i}, {s:i, s:i, s:i, s:i}, {s:i, s:i, s:i, s:i}, {s:i, s:i, s:i, s:i}]", "buffer",
        0, "byteOffset", 0, "byteLength", vectors, "target", GLB_VERTICES, "buffer", 0, "byteOffset", vectors,
        "byteLength", vectors, "target", GLB_VERTICES, "buffer", 0, "byteOffset", 2 * vectors, "byteLength",
        colours, "target", GLB_VERTICES, "buffer", 0, "byteOffset", 2 * vectors + colours, "byteLength",
        6 * mesh->triangles, "target", GLB_INDICES);
}

static json_t *document_of(const char *name, const struct terrane_model_mesh *mesh, size_t bytes)
{
    return json_pack(
        "{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:s, s:i}], s:[{s:s, s:[{s:{s:i, s:i, s:i}, s:i, s:i}]}], "
        "s:[{s:s, s:{s:f, s:f}, s:b}], s:o, s:o, s:[{s:I}]}",
        "asset", "version", "2.0", "generator", "terrane", "scene", 0, "scenes", "nodes", 0, "nodes", "name",
        name, "mesh", 0, "meshes", "name", name, "primitives", "attributes", "POSITION", 0, "NORMAL", 1,
        "COLOR_0", 2, "indices", 3, "material", 0, "materials", "name", name, "pbrMetallicRoughness",
        "metallicFactor", 0.0, "roughnessFactor", 1.0, "doubleSided", 1, "accessors", accessors_of(mesh),
        "bufferViews", views_of(mesh), "buffers", "byteLength", (json_int_t)bytes);
}

int encode_model_glb(int model, int seed, unsigned char **data, size_t *bytes)
{
    struct model *made = malloc(sizeof *made);
    if (!made)
        return -1;
    struct terrane_model_mesh *mesh = &made->mesh;
    *mesh = (struct terrane_model_mesh){
        .vertex = made->vertex, .normal = made->normal, .colour = made->colour, .index = made->index};
    const int error = terrane_model_mesh(model, seed, mesh);
    CHECK(error == 0);
    const size_t numbers = 28 * (size_t)mesh->vertices + (6 * (size_t)mesh->triangles + 3) / 4 * 4;
    const int status = glb_file(document_of(terrane_model_name(model), mesh, numbers), numbers, put_model,
                                mesh, data, bytes);
    free(made);
    return status;
}
