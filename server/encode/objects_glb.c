/*
 * Objects as glTF: for each class present the arrays of its model, then those of its instances: translations, rotations, scales.
 *
 * Axes change from x east, y south, z up to glTF's east, up, south: a clockwise turn on a map is one around -Y.
 */
#include <stdlib.h>

#include "../base/json_text.h"
#include "exact_angle.h"
#include "glb.h"
#include "mesh_bytes.h"
#include "model_part.h"
#include "objects.h"

enum { INSTANCE_VIEWS = 3 };

struct instances {
    const struct object_scene *scene;
    struct model_part *part[TERRANE_CLASSES_MAX]; /* NULL: there are none of the class */
    size_t count[TERRANE_CLASSES_MAX];
};

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static unsigned char *put_place(unsigned char *at, const struct object_scene *scene,
                                const struct terrane_object *object)
{
    const double x = terrane_lattice_m(scene->world, TERRANE_OBJECTS_LATTICE, object->x) -
                     (scene->west_m + scene->half_m),
                 z = terrane_lattice_m(scene->world, TERRANE_OBJECTS_LATTICE, object->y) -
                     (scene->north_m + scene->half_m);
    return put_f32(put_f32(put_f32(at, (float)x), object->z), (float)z);
}

static unsigned char *put_turn(unsigned char *at, const struct terrane_object *object)
{
    const struct exact_angle half = exact_angle(object->turn / 512.0);
    return put_f32(put_f32(put_f32(put_f32(at, 0), (float)-half.sine), 0), (float)half.cosine);
}

static unsigned char *put_scale(unsigned char *at, const struct terrane_object *object)
{
    const float scale = (float)object->scale / TERRANE_OBJECTS_SCALE;
    return put_f32(put_f32(put_f32(at, scale), scale), scale);
}

static void put_all(unsigned char *at, const void *context)
{
    const struct instances *all = context;
    const struct object_scene *scene = all->scene;
    for (int c = 0; c < TERRANE_CLASSES_MAX; c++) {
        if (!all->part[c])
            continue;
        at = model_part_put(all->part[c], at);
        for (int array = 0; array < INSTANCE_VIEWS; array++)
            for (size_t i = 0; i < scene->objects; i++)
                if (scene->object[i].of == c)
                    at = array == 0   ? put_place(at, scene, &scene->object[i])
                         : array == 1 ? put_turn(at, &scene->object[i])
                                      : put_scale(at, &scene->object[i]);
    }
}

/* ---- Description --------------------------------------------------------------------------------------- */

struct lists {
    json_t *views, *accessors, *meshes, *nodes, *roots;
    size_t bytes;
};

/* Appends the items of an array, taking it, as json_append does one. */
static void add_all(json_t **array, json_t *values)
{
    const bool fine = values && json_array_extend(*array, values) == 0;
    json_decref(values);
    if (!fine) {
        json_decref(*array);
        *array = NULL;
    }
}

static void add_array(struct lists *lists, size_t count, size_t bytes, const char *shape)
{
    const size_t all = count * bytes;
    json_append(&lists->accessors,
                json_pack("{s:i, s:i, s:I, s:s}", "bufferView", (int)json_array_size(lists->views),
                          "componentType", GLB_F32, "count", (json_int_t)count, "type", shape));
    json_append(&lists->views, json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset",
                                         (json_int_t)lists->bytes, "byteLength", (json_int_t)all));
    lists->bytes += all;
}

static void add_class(struct lists *lists, const struct instances *all, int c)
{
    const struct object_scene *scene = all->scene;
    const char *const name = scene->world->recipe->objects.of[c].name;
    const int mesh = (int)json_array_size(lists->meshes), first = (int)json_array_size(lists->accessors);
    add_all(&lists->accessors, model_part_accessors(all->part[c], (int)json_array_size(lists->views)));
    add_all(&lists->views, model_part_views(all->part[c], lists->bytes));
    lists->bytes += model_part_bytes(all->part[c]);
    add_array(lists, all->count[c], 12, "VEC3");
    add_array(lists, all->count[c], 16, "VEC4");
    add_array(lists, all->count[c], 12, "VEC3");
    const int places = first + MODEL_PART_ARRAYS;
    json_append(&lists->meshes, model_part_mesh(name, first, 0));
    json_append(&lists->nodes,
                json_pack("{s:s, s:i, s:[f, f, f], s:{s:{s:{s:i, s:i, s:i}}}}", "name", name, "mesh", mesh,
                          "translation", scene->placed ? scene->west_m + scene->half_m : 0, 0.0,
                          scene->placed ? scene->north_m + scene->half_m : 0, "extensions",
                          "EXT_mesh_gpu_instancing", "attributes", "TRANSLATION", places, "ROTATION",
                          places + 1, "SCALE", places + 2));
    json_append(&lists->roots, json_integer(mesh));
}

static json_t *asset_of(const struct object_scene *scene)
{
    return json_pack("{s:s, s:s, s:{s:[f, f]}}", "version", "2.0", "generator", "terrane", "extras",
                     "centre_m", scene->west_m + scene->half_m, scene->north_m + scene->half_m);
}

/* glTF has no empty arrays. */
static json_t *document_of(const struct instances *all, size_t *bytes)
{
    const char *const extension = "EXT_mesh_gpu_instancing";
    *bytes = 0;
    if (all->scene->objects == 0)
        return json_pack("{s:o, s:i, s:[{s:s}]}", "asset", asset_of(all->scene), "scene", 0, "scenes", "name",
                         "objects");
    struct lists lists = {json_array(), json_array(), json_array(), json_array(), json_array(), 0};
    for (int c = 0; c < TERRANE_CLASSES_MAX; c++)
        if (all->part[c])
            add_class(&lists, all, c);
    *bytes = lists.bytes;
    return json_pack("{s:o, s:[s], s:[s], s:i, s:[{s:s, s:o}], s:o, s:o, s:[o], s:o, s:o, s:[{s:I}]}",
                     "asset", asset_of(all->scene), "extensionsUsed", extension, "extensionsRequired",
                     extension, "scene", 0, "scenes", "name", "objects", "nodes", lists.roots, "nodes",
                     lists.nodes, "meshes", lists.meshes, "materials", model_part_material("objects"),
                     "accessors", lists.accessors, "bufferViews", lists.views, "buffers", "byteLength",
                     (json_int_t)lists.bytes);
}

int encode_objects_glb(const struct object_scene *scene, unsigned char **data, size_t *bytes)
{
    struct instances all = {.scene = scene};
    const struct terrane_objects *classes = &scene->world->recipe->objects;
    bool fine = true;
    for (size_t i = 0; i < scene->objects; i++)
        all.count[scene->object[i].of]++;
    for (int c = 0; c < classes->classes && fine; c++) {
        all.part[c] = all.count[c] > 0 ? model_part_make(classes->of[c].model, 0) : NULL;
        fine = all.count[c] == 0 || all.part[c];
    }
    size_t numbers;
    json_t *document = fine ? document_of(&all, &numbers) : NULL;
    const int status = fine ? glb_file(document, numbers, put_all, &all, data, bytes) : -1;
    for (int c = 0; c < TERRANE_CLASSES_MAX; c++)
        free(all.part[c]);
    return status;
}
