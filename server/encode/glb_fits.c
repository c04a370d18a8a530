/*
 * Checks glb documents against the numbers that they describe: every index exists, and every array is within the numbers. The
 * values of the numbers are not checked.
 */
#include "glb.h"

#include <string.h>

struct described {
    const json_t *document;
    size_t numbers;
};

static const json_t *list(const struct described *glb, const char *name)
{
    return json_object_get(glb->document, name);
}

/* True if it is the index of an item. */
static bool names(const json_t *index, const json_t *items)
{
    return json_is_integer(index) && json_integer_value(index) >= 0 &&
           (uint64_t)json_integer_value(index) < json_array_size(items);
}

/* Reads a size from least to most; a missing one is 0. */
static bool size_of(const json_t *object, const char *name, uint64_t min, uint64_t max, uint64_t *size)
{
    const json_t *value = json_object_get(object, name);
    const json_int_t number = value ? json_integer_value(value) : 0;
    *size = (uint64_t)number;
    return (!value || json_is_integer(value)) && number >= 0 && *size >= min && *size <= max;
}

static bool buffers_fit(const struct described *glb)
{
    uint64_t bytes;
    const json_t *buffers = list(glb, "buffers");
    return glb->numbers == 0
               ? !buffers
               : json_array_size(buffers) == 1 &&
                     size_of(json_array_get(buffers, 0), "byteLength", glb->numbers, glb->numbers, &bytes);
}

static bool view_fits(const struct described *glb, const json_t *view)
{
    uint64_t at, bytes;
    return names(json_object_get(view, "buffer"), list(glb, "buffers")) &&
           size_of(view, "byteOffset", 0, glb->numbers, &at) &&
           size_of(view, "byteLength", 1, glb->numbers - at, &bytes);
}

static uint64_t number_bytes(json_int_t type)
{
    return type == GLB_I8 || type == GLB_U8     ? 1
           : type == GLB_U16                    ? 2
           : type == GLB_U32 || type == GLB_F32 ? 4
                                                : 0;
}

/* Numbers of a shape, for those that terrane writes: SCALAR and VEC2 to VEC4. */
static uint64_t shape_numbers(const char *shape)
{
    return !shape                         ? 0
           : strcmp(shape, "SCALAR") == 0 ? 1
           : strncmp(shape, "VEC", 3) == 0 && shape[3] >= '2' && shape[3] <= '4' && !shape[4]
               ? (uint64_t)(shape[3] - '0')
               : 0;
}

static bool accessor_fits(const struct described *glb, const json_t *accessor)
{
    const json_t *index = json_object_get(accessor, "bufferView"), *views = list(glb, "bufferViews");
    const uint64_t element = number_bytes(json_integer_value(json_object_get(accessor, "componentType"))) *
                             shape_numbers(json_string_value(json_object_get(accessor, "type")));
    uint64_t bytes, stride, count;
    if (element == 0 || !names(index, views))
        return false;
    const json_t *view = json_array_get(views, (size_t)json_integer_value(index));
    return size_of(view, "byteLength", element, glb->numbers, &bytes) &&
           size_of(view, "byteStride", 0, 252, &stride) && (stride == 0 || stride >= element) &&
           size_of(accessor, "count", 1, (bytes - element) / (stride ? stride : element) + 1, &count) &&
           !json_object_get(accessor, "byteOffset");
}

/* Each of them an array. */
static bool attributes_fit(const struct described *glb, json_t *attributes)
{
    const char *name;
    json_t *index;
    bool fits = json_object_size(attributes) > 0;
    json_object_foreach(attributes, name, index) fits = fits && names(index, list(glb, "accessors"));
    return fits;
}

static bool mesh_fits(const struct described *glb, const json_t *mesh)
{
    const json_t *parts = json_object_get(mesh, "primitives");
    bool fits = json_array_size(parts) > 0;
    for (size_t k = 0; fits && k < json_array_size(parts); k++) {
        const json_t *part = json_array_get(parts, k);
        fits = attributes_fit(glb, json_object_get(part, "attributes")) &&
               names(json_object_get(part, "indices"), list(glb, "accessors"));
    }
    return fits;
}

static bool node_fits(const struct described *glb, const json_t *node)
{
    const json_t *instances = json_object_get(json_object_get(node, "extensions"), "EXT_mesh_gpu_instancing");
    return names(json_object_get(node, "mesh"), list(glb, "meshes")) &&
           (!instances || attributes_fit(glb, json_object_get(instances, "attributes")));
}

static bool image_fits(const struct described *glb, const json_t *image)
{
    return names(json_object_get(image, "bufferView"), list(glb, "bufferViews"));
}

static bool scene_fits(const struct described *glb, const json_t *scene)
{
    const json_t *nodes = json_object_get(scene, "nodes");
    bool fits = json_is_object(scene) && (nodes != NULL) == (glb->numbers > 0);
    for (size_t k = 0; fits && k < json_array_size(nodes); k++)
        fits = names(json_array_get(nodes, k), list(glb, "nodes"));
    return fits;
}

bool glb_document_fits(const json_t *document, size_t numbers)
{
    static const struct {
        const char *name;
        bool (*fits)(const struct described *glb, const json_t *item);
    } lists[] = {{"bufferViews", view_fits}, {"accessors", accessor_fits}, {"meshes", mesh_fits},
                 {"images", image_fits},     {"nodes", node_fits},         {"scenes", scene_fits}};
    const struct described glb = {document, numbers};
    const char *version = json_string_value(json_object_get(json_object_get(document, "asset"), "version"));
    bool fits = version && strcmp(version, "2.0") == 0 && buffers_fit(&glb) &&
                names(json_object_get(document, "scene"), list(&glb, "scenes"));
    for (size_t i = 0; fits && i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; fits && k < json_array_size(list(&glb, lists[i].name)); k++)
            fits = lists[i].fits(&glb, json_array_get(list(&glb, lists[i].name), k));
    return fits;
}
