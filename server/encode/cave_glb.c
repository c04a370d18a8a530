/*
 * Meshes of caves as glTF: positions, normals and indices of each cave in turn.
 *
 * Swapping two axes converts x east, y south, z up, which is left-handed, to glTF's axes east, up, south: triangles stay
 * counter-clockwise as seen from inside.
 */
#include "glb.h"

#include <inttypes.h>
#include <stdio.h>

#include "../base/json_text.h"
#include "mesh_bytes.h"

enum { POSITION, NORMAL, INDICES, ARRAYS };

/* Meshes under way. */
struct caves {
    const struct cave_body *body;
    int bodies;
};

static size_t array_bytes(const struct terrane_cave_mesh *mesh, int array)
{
    return (array == INDICES ? (size_t)mesh->triangles : (size_t)mesh->vertices) * 3 * 4;
}

static unsigned char *put_vectors(unsigned char *at, const float *vector, int count)
{
    for (int i = 0; i < count; i++, vector += 3)
        at = put_f32(put_f32(put_f32(at, vector[0]), vector[2]), vector[1]);
    return at;
}

static void put_bodies(unsigned char *at, const void *context)
{
    const struct caves *caves = context;
    for (int i = 0; i < caves->bodies; i++) {
        const struct terrane_cave_mesh *mesh = &caves->body[i].mesh;
        at = put_vectors(at, mesh->vertex, mesh->vertices);
        at = put_vectors(at, mesh->normal, mesh->vertices);
        for (int k = 0; k < 3 * mesh->triangles; k++)
            at = put_u32(at, mesh->index[k]);
    }
}

/* ---- Description --------------------------------------------------------------------------------------- */

/* Min (sign 1) or max (-1) of each coordinate, in glTF's order. */
static json_t *corner_of(const struct terrane_cave_mesh *mesh, float sign)
{
    float corner[3];
    memcpy(corner, mesh->vertex, sizeof corner);
    for (int i = 0; i < mesh->vertices; i++)
        for (int k = 0; k < 3; k++)
            if (sign * mesh->vertex[3 * i + k] < sign * corner[k])
                corner[k] = mesh->vertex[3 * i + k];
    return json_pack("[f, f, f]", (double)corner[0], (double)corner[2], (double)corner[1]);
}

static json_t *views_of(const struct caves *caves)
{
    json_t *views = json_array();
    json_int_t offset = 0;
    for (int i = 0; i < caves->bodies; i++)
        for (int a = 0; views && a < ARRAYS; a++) {
            const json_int_t bytes = (json_int_t)array_bytes(&caves->body[i].mesh, a);
            json_append(&views,
                        json_pack("{s:i, s:I, s:I, s:i}", "buffer", 0, "byteOffset", offset, "byteLength",
                                  bytes, "target", a == INDICES ? GLB_INDICES : GLB_VERTICES));
            offset += bytes;
        }
    return views;
}

static json_t *accessors_of(const struct caves *caves)
{
    json_t *accessors = json_array();
    for (int i = 0; accessors && i < caves->bodies; i++) {
        const struct terrane_cave_mesh *mesh = &caves->body[i].mesh;
        json_append(&accessors, json_pack("{s:i, s:i, s:i, s:s, s:o, s:o}", "bufferView", ARRAYS * i,
                                          "componentType", GLB_F32, "count", mesh->vertices, "type", "VEC3",
                                          "min", corner_of(mesh, 1), "max", corner_of(mesh, -1)));
        json_append(&accessors, json_pack("{s:i, s:i, s:i, s:s}", "bufferView", ARRAYS * i + NORMAL,
                                          "componentType", GLB_F32, "count", mesh->vertices, "type", "VEC3"));
        json_append(&accessors,
                    json_pack("{s:i, s:i, s:i, s:s}", "bufferView", ARRAYS * i + INDICES, "componentType",
                              GLB_U32, "count", 3 * mesh->triangles, "type", "SCALAR"));
    }
    return accessors;
}

static json_t *meshes_of(const struct caves *caves)
{
    json_t *meshes = json_array();
    for (int i = 0; meshes && i < caves->bodies; i++)
        json_append(&meshes, json_pack("{s:[{s:{s:i, s:i}, s:i, s:i}]}", "primitives", "attributes",
                                       "POSITION", ARRAYS * i, "NORMAL", ARRAYS * i + NORMAL, "indices",
                                       ARRAYS * i + INDICES, "material", 0));
    return meshes;
}

static json_t *nodes_of(const struct cave_scene *scene, const struct caves *caves)
{
    json_t *nodes = json_array();
    for (int i = 0; nodes && i < caves->bodies; i++) {
        const struct cave_body *body = &caves->body[i];
        char id[20];
        snprintf(id, sizeof id, "%016" PRIx64, body->id);
        json_append(&nodes, json_pack("{s:s, s:i, s:[f, f, f]}", "name", id, "mesh", i, "translation",
                                      body->east_m - (scene->placed ? 0 : scene->east_m), 0.0,
                                      body->south_m - (scene->placed ? 0 : scene->south_m)));
    }
    return nodes;
}

static json_t *asset_of(const struct cave_scene *scene)
{
    return json_pack("{s:s, s:s, s:{s:[f, f], s:f}}", "version", "2.0", "generator", "terrane", "extras",
                     "centre_m", scene->east_m, scene->south_m, "spacing_m", scene->spacing_m);
}

/* glTF has no empty arrays. */
static json_t *document_of(const struct cave_scene *scene, const struct caves *caves, size_t bytes)
{
    if (caves->bodies == 0)
        return json_pack("{s:o, s:i, s:[{s:s}]}", "asset", asset_of(scene), "scene", 0, "scenes", "name",
                         "caves");
    json_t *numbers = json_array();
    for (int i = 0; numbers && i < caves->bodies; i++)
        json_append(&numbers, json_integer(i));
    return json_pack("{s:o, s:i, s:[{s:s, s:o}], s:o, s:o, s:[{s:s, s:{s:f, s:f}}], s:o, s:o, s:[{s:I}]}",
                     "asset", asset_of(scene), "scene", 0, "scenes", "name", "caves", "nodes", numbers,
                     "nodes", nodes_of(scene, caves), "meshes", meshes_of(caves), "materials", "name", "cave",
                     "pbrMetallicRoughness", "metallicFactor", 0.0, "roughnessFactor", 1.0, "accessors",
                     accessors_of(caves), "bufferViews", views_of(caves), "buffers", "byteLength",
                     (json_int_t)bytes);
}

int encode_cave_glb(const struct cave_scene *scene, const struct cave_body *body, int bodies,
                    unsigned char **data, size_t *bytes)
{
    const struct caves caves = {body, bodies};
    size_t numbers = 0;
    for (int i = 0; i < bodies; i++)
        for (int a = 0; a < ARRAYS; a++)
            numbers += array_bytes(&body[i].mesh, a);
    return glb_file(document_of(scene, &caves, numbers), numbers, put_bodies, &caves, data, bytes);
}
