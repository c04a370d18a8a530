/*
 * glTF 2.0, binary: a header, a chunk of JSON, and the chunk of numbers that it describes.
 *
 * Vertices: those of the ground row by row; then the foot of the skirt, a ring along the north from the west,
 * the east from the north, the south from the east, the west from the south. A vertex of the foot has normal,
 * tangent and texture coordinates of the one above it, so that the light does not show where the skirt
 * begins.
 *
 * Quantised positions. The node's scale is the same along the three axes, since another would tilt normals.
 * It makes a step between vertices a whole number of quanta, so edges of neighbours meet. The resolution of
 * heights is then a 255th of a step between 257 vertices, and finer with fewer; if the ground is higher than
 * wide, a few times coarser.
 */
#include "glb.h"

#include <jansson.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "mesh.h"
#include "mesh_bytes.h"

enum { SIDE_MAX = 257, QUANTA = 65535 };
enum { POSITION, NORMAL, TANGENT, TEXTURE, INDICES, ARRAYS };

/* One of the arrays of numbers. */
struct array {
    const char *name; /* as an attribute */
    const char *shape;
    int type;
    bool normalised;
    size_t stride, count, offset;
};

struct mesh {
    const struct mesh_ground *ground;
    bool quantised, wide; /* wide: indices of 32 bits */
    int side, ring;       /* vertices along an edge, and around */
    double half_m;        /* from the middle to an edge */
    double skirt_m;
    double low_m, high_m; /* of all vertices */
    double scale_m, step; /* quantised: of 65,535 quanta; and quanta between vertices */
    float min[3], max[3]; /* of written positions */
    struct array array[ARRAYS];
    size_t bytes; /* of all arrays */
};

/* ---- The shape ----------------------------------------------------------------------------------------- */

/* The vertex of the ground above a vertex of the ring. */
static void ring_place(const struct mesh *mesh, int number, int *column, int *row)
{
    const int last = mesh->side - 1, along = number % last;
    switch (number / last) {
    case 0:
        *column = along, *row = 0;
        return;
    case 1:
        *column = last, *row = along;
        return;
    case 2:
        *column = last - along, *row = last;
        return;
    default:
        *column = 0, *row = last - along;
    }
}

/* A vertex by index: its place in the ground, and whether it belongs to the skirt's foot. */
static bool vertex_of(const struct mesh *mesh, int index, int *column, int *row)
{
    const int above = mesh->side * mesh->side;
    if (index >= above) {
        ring_place(mesh, index - above, column, row);
        return true;
    }
    *column = index % mesh->side;
    *row = index / mesh->side;
    return false;
}

/*
 * The min scale with whole quanta a step that spans the heights: a step is at most 65280 / (side - 1) quanta,
 * and otherwise one of that number's divisors. If not even one quantum a step spans the ground, steps are
 * rounded.
 */
static void choose_scale(struct mesh *mesh)
{
    const int max = (QUANTA - 255) / (mesh->side - 1);
    const double tall_m = mesh->high_m - mesh->low_m;
    for (int step = max; step >= 1; step--) {
        mesh->step = step;
        mesh->scale_m = mesh->ground->spacing_m * QUANTA / step;
        if (max % step == 0 && mesh->scale_m >= tall_m)
            return;
    }
    mesh->scale_m = tall_m;
    mesh->step = mesh->ground->spacing_m / tall_m * QUANTA;
}

static double quantum(double value)
{
    return floor(clamp_to(value, 0, QUANTA) + 0.5);
}

/* A written position: metres from the middle, or whole quanta. */
static void position_of(const struct mesh *mesh, int index, float position[3])
{
    const struct mesh_ground *ground = mesh->ground;
    int column, row;
    const bool foot = vertex_of(mesh, index, &column, &row);
    const double height_m = (double)ground->heights[row * mesh->side + column] - (foot ? mesh->skirt_m : 0);
    if (mesh->quantised) {
        position[0] = (float)quantum(column * mesh->step);
        position[1] = (float)quantum((height_m - mesh->low_m) / mesh->scale_m * QUANTA);
        position[2] = (float)quantum(row * mesh->step);
    } else {
        position[0] = (float)(column * ground->spacing_m - mesh->half_m);
        position[1] = (float)height_m;
        position[2] = (float)(row * ground->spacing_m - mesh->half_m);
    }
}

static void measure(struct mesh *mesh, int vertices)
{
    for (int i = 0; i < vertices; i++) {
        float position[3];
        position_of(mesh, i, position);
        for (int k = 0; k < 3; k++) {
            mesh->min[k] = i == 0 || position[k] < mesh->min[k] ? position[k] : mesh->min[k];
            mesh->max[k] = i == 0 || position[k] > mesh->max[k] ? position[k] : mesh->max[k];
        }
    }
}

/* Counts the squares of the ground that are not left out. */
static size_t quads_of(const struct mesh_ground *ground)
{
    const size_t all = (size_t)(ground->side - 1) * (size_t)(ground->side - 1);
    size_t holes = 0;
    for (size_t i = 0; ground->holes && i < all; i++)
        holes += ground->holes[i] != 0;
    return all - holes;
}

static void open_mesh(struct mesh *mesh, const struct mesh_ground *ground, bool quantised)
{
    const int side = ground->side, ring = 4 * (side - 1), vertices = side * side + ring;
    const size_t triangles = 2 * (quads_of(ground) + (size_t)ring);
    float low, high;
    *mesh = (struct mesh){.ground = ground, .quantised = quantised, .side = side, .ring = ring};
    mesh->wide = vertices > 65535; /* the last index of 16 bits has a meaning of its own */
    mesh->half_m = (side - 1) * ground->spacing_m / 2;
    mesh->skirt_m = ground->error_m * MESH_SKIRT_ERRORS;
    range_of(ground->heights, (size_t)side * (size_t)side, &low, &high);
    mesh->low_m = low - mesh->skirt_m;
    mesh->high_m = high;
    choose_scale(mesh);
    measure(mesh, vertices);

    const size_t index_bytes = mesh->wide ? 4 : 2, count = (size_t)vertices;
    const int index_type = mesh->wide ? GLB_U32 : GLB_U16;
    const struct array exact[ARRAYS] = {{"POSITION", "VEC3", GLB_F32, false, 12, count, 0},
                                        {"NORMAL", "VEC3", GLB_F32, false, 12, count, 0},
                                        {"TANGENT", "VEC4", GLB_F32, false, 16, count, 0},
                                        {"TEXCOORD_0", "VEC2", GLB_F32, false, 8, count, 0},
                                        {NULL, "SCALAR", index_type, false, index_bytes, 3 * triangles, 0}};
    const struct array small[ARRAYS] = {{"POSITION", "VEC3", GLB_U16, true, 8, count, 0},
                                        {"NORMAL", "VEC3", GLB_I8, true, 4, count, 0},
                                        {"TANGENT", "VEC4", GLB_I8, true, 4, count, 0},
                                        {"TEXCOORD_0", "VEC2", GLB_U16, true, 4, count, 0},
                                        {NULL, "SCALAR", index_type, false, index_bytes, 3 * triangles, 0}};
    for (int i = 0; i < ARRAYS; i++) {
        mesh->array[i] = quantised ? small[i] : exact[i];
        mesh->array[i].offset = mesh->bytes; /* of four: all but indices are, and their number is even */
        mesh->bytes += mesh->array[i].stride * mesh->array[i].count;
    }
    CHECK(mesh->bytes % 4 == 0);
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static unsigned char *put_numbers(unsigned char *at, const double *values, int count, bool bytes)
{
    for (int i = 0; i < count; i++)
        if (bytes)
            *at++ = (unsigned char)quantise_share(values[i], 127);
        else
            at = put_f32(at, (float)values[i]);
    return at;
}

static unsigned char *put_position(unsigned char *at, const struct mesh *mesh, int index)
{
    float position[3];
    position_of(mesh, index, position);
    for (int k = 0; k < 3; k++)
        at = mesh->quantised ? put_u16(at, (unsigned)position[k]) : put_f32(at, position[k]);
    return mesh->quantised ? put_u16(at, 0) : at;
}

/* From east, south, up to the axes east, up, south. */
static unsigned char *put_normal(unsigned char *at, const struct mesh *mesh, int index)
{
    int column, row;
    vertex_of(mesh, index, &column, &row);
    const float *normal = mesh->ground->normals + 3 * (row * mesh->side + column);
    const bool is_one = normal[2] > 0; /* else ground is steeper than numbers are */
    const double axes[3] = {is_one ? normal[0] : 0, is_one ? normal[2] : 1, is_one ? normal[1] : 0};
    at = put_numbers(at, axes, 3, mesh->quantised);
    if (mesh->quantised)
        *at++ = 0;
    return at;
}

/* Along the surface to the east, with no part to the south. Normal x tangent is to the north, where textures have their upper side. */
static unsigned char *put_tangent(unsigned char *at, const struct mesh *mesh, int index)
{
    int column, row;
    vertex_of(mesh, index, &column, &row);
    const float *normal = mesh->ground->normals + 3 * (row * mesh->side + column);
    const double east = normal[0], up = normal[2], length = sqrt(east * east + up * up);
    const bool upright = length > 0;
    const double tangent[4] = {upright ? up / length : 1, upright ? -east / length : 0, 0, 1};
    return put_numbers(at, tangent, 4, mesh->quantised);
}

static unsigned char *put_texture(unsigned char *at, const struct mesh *mesh, int index)
{
    int column, row;
    vertex_of(mesh, index, &column, &row);
    const double place[2] = {(double)column / (mesh->side - 1), (double)row / (mesh->side - 1)};
    if (!mesh->quantised)
        return put_numbers(at, place, 2, false);
    return put_u16(put_u16(at, (unsigned)quantum(place[0] * QUANTA)), (unsigned)quantum(place[1] * QUANTA));
}

/* Two triangles, the corners counter-clockwise: a b c and a c d. */
static unsigned char *put_square(unsigned char *at, const struct mesh *mesh, int a, int b, int c, int d)
{
    const int corner[6] = {a, b, c, a, c, d};
    for (int i = 0; i < 6; i++)
        at = mesh->wide ? put_u32(at, (uint32_t)corner[i]) : put_u16(at, (unsigned)corner[i]);
    return at;
}

static unsigned char *put_triangles(unsigned char *at, const struct mesh *mesh)
{
    const int side = mesh->side, foot = side * side;
    const uint8_t *holes = mesh->ground->holes;
    for (int row = 0; row < side - 1; row++)
        for (int column = 0; column < side - 1; column++) {
            const int nw = row * side + column, sw = nw + side;
            if (!holes || !holes[row * (side - 1) + column])
                at = put_square(at, mesh, sw, sw + 1, nw + 1, nw);
        }
    for (int i = 0; i < mesh->ring; i++) {
        const int next = (i + 1) % mesh->ring;
        int column, row, next_column, next_row;
        ring_place(mesh, i, &column, &row);
        ring_place(mesh, next, &next_column, &next_row);
        at = put_square(at, mesh, row * side + column, next_row * side + next_column, foot + next, foot + i);
    }
    return at;
}

static void put_arrays(unsigned char *at, const void *context)
{
    const struct mesh *mesh = context;
    static unsigned char *(*const put[INDICES])(unsigned char *, const struct mesh *, int) = {
        [POSITION] = put_position, [NORMAL] = put_normal, [TANGENT] = put_tangent, [TEXTURE] = put_texture};
    const unsigned char *start = at;
    const int vertices = mesh->side * mesh->side + mesh->ring;
    for (int a = 0; a < INDICES; a++)
        for (int i = 0; i < vertices; i++)
            at = put[a](at, mesh, i);
    at = put_triangles(at, mesh);
    CHECK((size_t)(at - start) == mesh->bytes);
}

/* ---- Description --------------------------------------------------------------------------------------- */

static json_t *triple(const float v[3], bool whole)
{
    return whole ? json_pack("[i, i, i]", (int)v[0], (int)v[1], (int)v[2])
                 : json_pack("[f, f, f]", (double)v[0], (double)v[1], (double)v[2]);
}

static json_t *views_of(const struct mesh *mesh)
{
    json_t *views = json_array();
    for (int i = 0; i < ARRAYS; i++) {
        const struct array *array = &mesh->array[i];
        json_t *view = json_pack("{s:i, s:I, s:I, s:i}", "buffer", 0, "byteOffset", (json_int_t)array->offset,
                                 "byteLength", (json_int_t)array->stride * (json_int_t)array->count, "target",
                                 i == INDICES ? GLB_INDICES : GLB_VERTICES);
        if (i != INDICES)
            json_put(&view, "byteStride", json_integer((json_int_t)array->stride));
        json_append(&views, view);
    }
    return views;
}

static json_t *accessors_of(const struct mesh *mesh)
{
    json_t *accessors = json_array();
    for (int i = 0; i < ARRAYS; i++) {
        const struct array *array = &mesh->array[i];
        json_t *accessor = json_pack("{s:i, s:i, s:I, s:s}", "bufferView", i, "componentType", array->type,
                                     "count", (json_int_t)array->count, "type", array->shape);
        if (array->normalised)
            json_put(&accessor, "normalized", json_true());
        if (i == POSITION) {
            json_put(&accessor, "min", triple(mesh->min, mesh->quantised));
            json_put(&accessor, "max", triple(mesh->max, mesh->quantised));
        }
        json_append(&accessors, accessor);
    }
    return accessors;
}

static json_t *asset_of(const struct mesh *mesh)
{
    const struct mesh_ground *ground = mesh->ground;
    return json_pack("{s:s, s:s, s:{s:[f, f], s:f}}", "version", "2.0", "generator", "terrane", "extras",
                     "centre_m", ground->west_m + mesh->half_m, ground->north_m + mesh->half_m, "spacing_m",
                     ground->spacing_m);
}

/* One mesh, in a node that scales it if quantised, and moves it if placed. */
static json_t *nodes_of(const struct mesh *mesh)
{
    const struct mesh_ground *ground = mesh->ground;
    const double east_m = ground->placed ? ground->west_m + mesh->half_m : 0,
                 south_m = ground->placed ? ground->north_m + mesh->half_m : 0;
    if (mesh->quantised)
        return json_pack("[{s:i, s:[f, f, f], s:[f, f, f]}]", "mesh", 0, "translation", east_m - mesh->half_m,
                         mesh->low_m, south_m - mesh->half_m, "scale", mesh->scale_m, mesh->scale_m,
                         mesh->scale_m);
    return ground->placed ? json_pack("[{s:i, s:[f, f, f]}]", "mesh", 0, "translation", east_m, 0.0, south_m)
                          : json_pack("[{s:i}]", "mesh", 0);
}

static json_t *document_of(const struct mesh *mesh)
{
    const struct array *a = mesh->array;
    json_t *whole =
        json_pack("{s:o, s:i, s:[{s:[i]}], s:o, s:[{s:[{s:{s:i, s:i, s:i, s:i}, s:i, s:i}]}]}", "asset",
                  asset_of(mesh), "scene", 0, "scenes", "nodes", 0, "nodes", nodes_of(mesh), "meshes",
                  "primitives", "attributes", a[POSITION].name, POSITION, a[NORMAL].name, NORMAL,
                  a[TANGENT].name, TANGENT, a[TEXTURE].name, TEXTURE, "indices", INDICES, "material", 0);
    json_put(&whole, "materials",
             json_pack("[{s:s, s:{s:f, s:f}, s:b}]", "name", "ground", "pbrMetallicRoughness",
                       "metallicFactor", 0.0, "roughnessFactor", 1.0, "doubleSided", 0));
    json_put(&whole, "accessors", accessors_of(mesh));
    json_put(&whole, "bufferViews", views_of(mesh));
    json_put(&whole, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)mesh->bytes));
    if (mesh->quantised) {
        json_put(&whole, "extensionsUsed", json_pack("[s]", "KHR_mesh_quantization"));
        json_put(&whole, "extensionsRequired", json_pack("[s]", "KHR_mesh_quantization"));
    }
    return whole;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

int encode_glb(const struct mesh_ground *ground, bool quantised, unsigned char **data, size_t *bytes)
{
    struct mesh mesh;
    CHECK(ground->side >= 3 && ground->side <= SIDE_MAX && ground->spacing_m > 0 && ground->error_m >= 0);
    open_mesh(&mesh, ground, quantised);
    return glb_file(document_of(&mesh), mesh.bytes, put_arrays, &mesh, data, bytes);
}

/* ---- The file ---------------------------------------------------------------------------------------- */

enum {
    HEAD_BYTES = 12,
    CHUNK_HEAD_BYTES = 8,
    MAGIC = 0x46546C67,
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_NUMBERS = 0x004E4942,
    VERSION = 2
};

static unsigned char *put_chunk(unsigned char *at, size_t bytes, uint32_t type)
{
    return put_u32(put_u32(at, (uint32_t)bytes), type);
}

int glb_file(json_t *document, size_t numbers, void (*put)(unsigned char *at, const void *context),
             const void *context, unsigned char **data, size_t *bytes)
{
    size_t text_bytes;
    CHECK(numbers % 4 == 0);
    char *text = json_text(document, JSON_COMPACT | JSON_REAL_PRECISION(17), &text_bytes);
    if (!text)
        return -1;
    const size_t padded = (text_bytes + 3) / 4 * 4, whole = HEAD_BYTES + CHUNK_HEAD_BYTES + padded +
                                                            (numbers > 0 ? CHUNK_HEAD_BYTES + numbers : 0);
    unsigned char *out = malloc(whole);
    if (out) {
        unsigned char *at = put_u32(put_u32(put_u32(out, MAGIC), VERSION), (uint32_t)whole);
        at = put_chunk(at, padded, CHUNK_JSON);
        memcpy(at, text, text_bytes);
        memset(at + text_bytes, ' ', padded - text_bytes);
        if (numbers > 0)
            put(put_chunk(at + padded, numbers, CHUNK_NUMBERS), context);
        *data = out;
        *bytes = whole;
    }
    free(text);
    return out ? 0 : -1;
}
