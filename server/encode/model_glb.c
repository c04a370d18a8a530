/* Models as glTF: one mesh, one part, with vertex colours; its arrays follow one another. */
#include "glb.h"

#include <stdlib.h>

#include "../../lib/terrane_features.h"
#include "../base/check.h"
#include "mesh_bytes.h"
#include "model_part.h"

struct model_part {
    struct terrane_model_mesh mesh;
    float vertex[3 * TERRANE_MODEL_VERTICES_MAX], normal[3 * TERRANE_MODEL_VERTICES_MAX];
    uint8_t colour[4 * TERRANE_MODEL_VERTICES_MAX];
    uint16_t index[3 * TERRANE_MODEL_TRIANGLES_MAX];
};

struct model_part *model_part_make(int model, int seed)
{
    struct model_part *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    made->mesh = (struct terrane_model_mesh){
        .vertex = made->vertex, .normal = made->normal, .colour = made->colour, .index = made->index};
    const int error = terrane_model_mesh(model, seed, &made->mesh);
    CHECK(error == 0);
    return made;
}

unsigned char *model_part_put(const struct model_part *part, unsigned char *at)
{
    const struct terrane_model_mesh *mesh = &part->mesh;
    for (int k = 0; k < 3 * mesh->vertices; k++)
        at = put_f32(at, mesh->vertex[k]);
    for (int k = 0; k < 3 * mesh->vertices; k++)
        at = put_f32(at, mesh->normal[k]);
    memcpy(at, mesh->colour, 4 * (size_t)mesh->vertices);
    at += 4 * (size_t)mesh->vertices;
    for (int k = 0; k < 3 * mesh->triangles; k++)
        at = put_u16(at, mesh->index[k]);
    return mesh->triangles % 2 != 0 ? put_u16(at, 0) : at;
}

static void put_model(unsigned char *at, const void *context)
{
    model_part_put(context, at);
}

size_t model_part_bytes(const struct model_part *part)
{
    return 28 * (size_t)part->mesh.vertices + (6 * (size_t)part->mesh.triangles + 3) / 4 * 4;
}

/* Min (sign 1) or max (-1) of each coordinate. */
static json_t *corner_of(const struct terrane_model_mesh *mesh, float sign)
{
    float corner[3];
    memcpy(corner, mesh->vertex, sizeof corner);
    for (int k = 0; k < 3 * mesh->vertices; k++)
        if (sign * mesh->vertex[k] < sign * corner[k % 3])
            corner[k % 3] = mesh->vertex[k];
    return json_pack("[f, f, f]", (double)corner[0], (double)corner[1], (double)corner[2]);
}

json_t *model_part_accessors(const struct model_part *part, int view)
{
    const struct terrane_model_mesh *mesh = &part->mesh;
    return json_pack("[{s:i, s:i, s:i, s:s, s:o, s:o}, {s:i, s:i, s:i, s:s}, {s:i, s:i, s:b, s:i, s:s}, "
                     "{s:i, s:i, s:i, s:s}]",
                     "bufferView", view, "componentType", GLB_F32, "count", mesh->vertices, "type", "VEC3",
                     "min", corner_of(mesh, 1), "max", corner_of(mesh, -1), /* positions */
                     "bufferView", view + 1, "componentType", GLB_F32, "count", mesh->vertices, "type",
                     "VEC3", "bufferView", view + 2, "componentType", GLB_U8, "normalized", 1, "count",
                     mesh->vertices, "type", "VEC4", "bufferView", view + 3, "componentType", GLB_U16,
                     "count", 3 * mesh->triangles, "type", "SCALAR");
}

json_t *model_part_views(const struct model_part *part, size_t at)
{
    const int vectors = 12 * part->mesh.vertices, colours = 4 * part->mesh.vertices;
    const json_int_t from = (json_int_t)at;
    return json_pack(
        "[{s:i, s:I, s:i, s:i}, {s:i, s:I, s:i, s:i}, {s:i, s:I, s:i, s:i}, {s:i, s:I, s:i, s:i}]", "buffer",
        0, "byteOffset", from, "byteLength", vectors, "target", GLB_VERTICES, "buffer", 0, "byteOffset",
        from + vectors, "byteLength", vectors, "target", GLB_VERTICES, "buffer", 0, "byteOffset",
        from + 2 * vectors, "byteLength", colours, "target", GLB_VERTICES, "buffer", 0, "byteOffset",
        from + 2 * vectors + colours, "byteLength", 6 * part->mesh.triangles, "target", GLB_INDICES);
}

json_t *model_part_mesh(const char *name, int accessor, int material)
{
    return json_pack("{s:s, s:[{s:{s:i, s:i, s:i}, s:i, s:i}]}", "name", name, "primitives", "attributes",
                     "POSITION", accessor, "NORMAL", accessor + 1, "COLOR_0", accessor + 2, "indices",
                     accessor + 3, "material", material);
}

json_t *model_part_material(const char *name)
{
    return json_pack("{s:s, s:{s:f, s:f}, s:b}", "name", name, "pbrMetallicRoughness", "metallicFactor", 0.0,
                     "roughnessFactor", 1.0, "doubleSided", 1);
}

static json_t *document_of(const char *name, const struct model_part *part)
{
    return json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:s, s:i}], s:[o], s:[o], s:o, s:o, s:[{s:I}]}",
                     "asset", "version", "2.0", "generator", "terrane", "scene", 0, "scenes", "nodes", 0,
                     "nodes", "name", name, "mesh", 0, "meshes", model_part_mesh(name, 0, 0), "materials",
                     model_part_material(name), "accessors", model_part_accessors(part, 0), "bufferViews",
                     model_part_views(part, 0), "buffers", "byteLength", (json_int_t)model_part_bytes(part));
}

int encode_model_glb(int model, int seed, unsigned char **data, size_t *bytes)
{
    struct model_part *part = model_part_make(model, seed);
    const int status = part ? glb_file(document_of(terrane_model_name[model], part), model_part_bytes(part),
                                       put_model, part, data, bytes)
                            : -1;
    free(part);
    return status;
}
