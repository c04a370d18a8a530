/*
 * Pictures on meshes: the document is read and extended, and the picture is appended to the numbers.
 *
 * The glb comes from a cache, whose entries have checksums. Nothing is read outside of it, whatever it
 * contains.
 */
#include "glb.h"

#include <jansson.h>

#include "mesh_bytes.h"

enum { CHUNK_HEAD = 8, DOCUMENT_AT = 12 + CHUNK_HEAD };
enum { LINEAR = 9729, LINEAR_MIPMAP_LINEAR = 9987, CLAMP_TO_EDGE = 33071 };

struct picture_on {
    const unsigned char *numbers, *png;
    size_t number_bytes, png_bytes;
    size_t at, stride, count; /* of places in the texture, in numbers */
    bool floats;              /* else 16 bits each */
    int side;
};

/* The document, owned, and the place of the numbers; NULL: invalid. */
static json_t *open_glb(struct picture_on *on, const unsigned char *glb, size_t bytes)
{
    if (bytes < DOCUMENT_AT + CHUNK_HEAD)
        return NULL;
    const size_t text = get_u32(glb + 12), rest = bytes - DOCUMENT_AT;
    if (text > rest - CHUNK_HEAD)
        return NULL;
    on->number_bytes = get_u32(glb + DOCUMENT_AT + text);
    on->numbers = glb + DOCUMENT_AT + text + CHUNK_HEAD;
    if (on->number_bytes != rest - CHUNK_HEAD - text || on->number_bytes % 4 != 0)
        return NULL;
    return json_loadb((const char *)glb + DOCUMENT_AT, text, 0, NULL);
}

static size_t size_at(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (size_t)value : 0;
}

/* Finds the mesh's texture coordinates; false: not in the numbers. */
static bool find_places(struct picture_on *on, const json_t *document)
{
    const json_t *mesh = json_array_get(json_object_get(document, "meshes"), 0);
    const json_t *part = json_array_get(json_object_get(mesh, "primitives"), 0);
    const size_t accessor_at = size_at(json_object_get(part, "attributes"), "TEXCOORD_0");
    const json_t *accessor = json_array_get(json_object_get(document, "accessors"), accessor_at);
    const json_t *view =
        json_array_get(json_object_get(document, "bufferViews"), size_at(accessor, "bufferView"));
    on->at = size_at(view, "byteOffset");
    on->stride = size_at(view, "byteStride");
    on->count = size_at(accessor, "count");
    on->floats = size_at(accessor, "componentType") == GLB_F32;
    return on->stride == (on->floats ? 8 : 4) && on->at <= on->number_bytes &&
           on->count <= (on->number_bytes - on->at) / on->stride;
}

/* Maps 0 .. 1 over samples to the centres of pixels. */
static double middle_of(const struct picture_on *on, double place)
{
    return (place * (on->side - 1) + 0.5) / on->side;
}

static void put_places(const struct picture_on *on, unsigned char *at)
{
    for (size_t k = 0; k < 2 * on->count; k++)
        if (on->floats) {
            at = put_f32(at, (float)middle_of(on, (double)get_f32(at)));
        } else {
            const double place = (double)(at[0] | at[1] << 8) / 65535;
            at = put_u16(at, (unsigned)quantise_share(middle_of(on, place), 65535));
        }
}

static void put_all(unsigned char *at, const void *context)
{
    const struct picture_on *on = context;
    memcpy(at, on->numbers, on->number_bytes);
    put_places(on, at + on->at);
    memcpy(at + on->number_bytes, on->png, on->png_bytes);
    memset(at + on->number_bytes + on->png_bytes, 0, (4 - on->png_bytes % 4) % 4);
}

/* Inserts a value, taking it, into an object; false if memory was short for either. */
static bool add(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static bool name_extension(json_t *document)
{
    json_t *used = json_object_get(document, "extensionsUsed");
    if (!used)
        return add(document, "extensionsUsed", json_pack("[s]", "KHR_materials_unlit"));
    return json_array_append_new(used, json_string("KHR_materials_unlit")) == 0;
}

/* True if the document has what describe extends. */
static bool has_material(const json_t *document)
{
    const json_t *used = json_object_get(document, "extensionsUsed");
    const json_t *material = json_array_get(json_object_get(document, "materials"), 0);
    return json_is_array(json_object_get(document, "bufferViews")) && (!used || json_is_array(used)) &&
           json_is_object(json_object_get(material, "pbrMetallicRoughness"));
}

bool glb_texture_fits(const unsigned char *glb, size_t bytes)
{
    struct picture_on on = {0};
    json_t *document = open_glb(&on, glb, bytes);
    const bool fits = document && find_places(&on, document) && has_material(document);
    json_decref(document);
    return fits;
}

static bool describe(json_t *document, const struct picture_on *on, size_t numbers)
{
    json_t *views = json_object_get(document, "bufferViews");
    json_t *material = json_array_get(json_object_get(document, "materials"), 0);
    const json_int_t view = (json_int_t)json_array_size(views);
    return json_array_append_new(views, json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset",
                                                  (json_int_t)on->number_bytes, "byteLength",
                                                  (json_int_t)on->png_bytes)) == 0 &&
           add(json_object_get(material, "pbrMetallicRoughness"), "baseColorTexture",
               json_pack("{s:i}", "index", 0)) &&
           add(material, "extensions", json_pack("{s:{}}", "KHR_materials_unlit")) &&
           name_extension(document) &&
           add(document, "textures", json_pack("[{s:i, s:i}]", "sampler", 0, "source", 0)) &&
           add(document, "samplers",
               json_pack("[{s:i, s:i, s:i, s:i}]", "magFilter", LINEAR, "minFilter", LINEAR_MIPMAP_LINEAR,
                         "wrapS", CLAMP_TO_EDGE, "wrapT", CLAMP_TO_EDGE)) &&
           add(document, "images", json_pack("[{s:I, s:s}]", "bufferView", view, "mimeType", "image/png")) &&
           add(document, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)numbers));
}

int glb_texture(const unsigned char *glb, size_t glb_bytes, const unsigned char *png, size_t png_bytes,
                int side, unsigned char **data, size_t *bytes)
{
    struct picture_on on = {.png = png, .png_bytes = png_bytes, .side = side};
    json_t *document = open_glb(&on, glb, glb_bytes);
    const size_t numbers = on.number_bytes + (png_bytes + 3) / 4 * 4;
    if (!document || !find_places(&on, document) || !describe(document, &on, numbers)) {
        json_decref(document);
        return -1;
    }
    return glb_file(document, numbers, put_all, &on, data, bytes);
}
