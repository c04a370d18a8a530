/* quantized-mesh, where HTTP tests do not reach: every size, flat ground, what the header says, memory that
 * is short (server/encode/terrain.c). What it decodes to is read back by tests/http/test_mesh.py. */
#include "../unit.h"

#include "../mesh_kit.h"
#include "../shortage_kit.h"

enum { HEADER = 88, MASK = 256 * 256, EXTENSION = 5 };

/* Where the parts begin; checks their lengths. */
struct parts {
    size_t triangles, edges, normals, water, end;
    size_t water_bytes;
    int index_bytes;
};

static size_t extension_at(const unsigned char *data, size_t at, int id, size_t *bytes)
{
    assert_int_equal(data[at], id);
    *bytes = get_u32(data + at + 1);
    return at + EXTENSION;
}

static struct parts take_apart(const struct mesh_ground *ground, const unsigned char *data, size_t bytes)
{
    const size_t side = (size_t)ground->side, count = side * side;
    struct parts parts = {.index_bytes = count > 65536 ? 4 : 2};
    const size_t index = (size_t)parts.index_bytes;
    size_t length;
    assert_int_equal(get_u32(data + HEADER), count);
    parts.triangles = (HEADER + 4 + 6 * count + index - 1) / index * index;
    assert_int_equal(get_u32(data + parts.triangles), 2 * (side - 1) * (side - 1));
    parts.edges = parts.triangles + 4 + 6 * (side - 1) * (side - 1) * index;
    for (size_t edge = 0; edge < 4; edge++)
        assert_int_equal(get_u32(data + parts.edges + edge * (4 + side * index)), side);
    parts.normals = extension_at(data, parts.edges + 4 * (4 + side * index), 1, &length);
    assert_int_equal(length, 2 * count);
    size_t at = parts.normals + length;
    if (ground->depth) {
        at = parts.water = extension_at(data, at, 2, &parts.water_bytes);
        at += parts.water_bytes;
    }
    parts.end = at;
    assert_int_equal(parts.end, bytes);
    return parts;
}

TEST(every_size_has_its_parts)
{
    for (int side = 3; side <= 257; side = 2 * side - 1) {
        struct mesh_ground ground = mesh_kit_ground(side, 4, 300);
        unsigned char *data;
        size_t bytes;
        assert_int_equal(encode_terrain(&ground, 5, 9, 4, TERRAIN_NO_METADATA, &data, &bytes), 0);
        take_apart(&ground, data, bytes);
        free(data);
        mesh_kit_free(&ground);
    }
}

TEST(indices_are_named_in_order)
{
    struct mesh_ground ground = mesh_kit_ground(257, 4, 300);
    unsigned char *data;
    size_t bytes;
    assert_int_equal(encode_terrain(&ground, 5, 9, 4, TERRAIN_NO_METADATA, &data, &bytes), 0);
    const struct parts parts = take_apart(&ground, data, bytes);
    uint32_t highest = 0;
    for (size_t at = parts.triangles + 4; at < parts.edges; at += 4) {
        const uint32_t code = get_u32(data + at);
        assert_true(code <= highest);
        highest += code == 0;
    }
    assert_int_equal(highest, 257 * 257);
    free(data);
    mesh_kit_free(&ground);
}

/* Quanta of u, v or height, by number of the array. */
static void read_quanta(const unsigned char *data, size_t count, size_t array, int *quanta)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        const int code = (int)get_u16(data + HEADER + 4 + 2 * (array * count + i));
        value += code % 2 == 0 ? code / 2 : -(code + 1) / 2;
        assert_in_range(value, 0, 32767);
        quanta[i] = value;
    }
}

TEST(flat_ground_is_at_its_height)
{
    struct mesh_ground ground = mesh_kit_ground(5, 4, 0);
    float *heights = malloc(25 * sizeof *heights);
    unsigned char *data;
    size_t bytes;
    int quanta[25];
    assert_non_null(heights);
    for (int i = 0; i < 25; i++)
        heights[i] = -12.5f;
    free((void *)(uintptr_t)ground.heights);
    ground.heights = heights;
    assert_int_equal(encode_terrain(&ground, 3, 1, 2, TERRAIN_NO_METADATA, &data, &bytes), 0);
    take_apart(&ground, data, bytes);
    assert_true(get_f32(data + 24) == -12.5f && get_f32(data + 28) == -12.5f);
    read_quanta(data, 25, 2, quanta);
    for (int i = 0; i < 25; i++)
        assert_int_equal(quanta[i], 0);
    free(data);
    mesh_kit_free(&ground);
}

TEST(edges_are_at_the_ends)
{
    struct mesh_ground ground = mesh_kit_ground(17, 4, 100);
    unsigned char *data;
    size_t bytes;
    int quanta[2][17 * 17];
    assert_int_equal(encode_terrain(&ground, 3, 1, 2, TERRAIN_NO_METADATA, &data, &bytes), 0);
    const struct parts parts = take_apart(&ground, data, bytes);
    read_quanta(data, 17 * 17, 0, quanta[0]);
    read_quanta(data, 17 * 17, 1, quanta[1]);
    static const struct {
        int axis, at;
    } edge[4] = {{0, 0}, {1, 0}, {0, 32767}, {1, 32767}}; /* west, south, east, north */
    for (size_t e = 0; e < 4; e++)
        for (size_t i = 0; i < 17; i++) {
            const uint32_t index = get_u16(data + parts.edges + e * (4 + 17 * 2) + 4 + 2 * i);
            assert_true(index < 17 * 17);
            assert_int_equal(quanta[edge[e].axis][index], edge[e].at);
        }
    free(data);
    mesh_kit_free(&ground);
}

static struct parts with_depth(struct mesh_ground *ground, float west, float east, unsigned char **data)
{
    const int side = ground->side;
    float *depth = malloc((size_t)side * (size_t)side * sizeof *depth);
    size_t bytes;
    assert_non_null(depth);
    for (int i = 0; i < side * side; i++)
        depth[i] = i % side < side / 2 ? west : east;
    free((void *)(uintptr_t)ground->depth);
    ground->depth = depth;
    assert_int_equal(encode_terrain(ground, 5, 9, 4, TERRAIN_NO_METADATA, data, &bytes), 0);
    return take_apart(ground, *data, bytes);
}

TEST(water_is_a_byte_or_a_mask)
{
    struct mesh_ground ground = mesh_kit_ground(9, 4, 300);
    unsigned char *data;
    struct parts parts = with_depth(&ground, 0, 0, &data);
    assert_int_equal(parts.water_bytes, 1);
    assert_int_equal(data[parts.water], 0);
    free(data);
    parts = with_depth(&ground, 3, 0.25f, &data);
    assert_int_equal(parts.water_bytes, 1);
    assert_int_equal(data[parts.water], 255);
    free(data);
    parts = with_depth(&ground, 0, 5,
                       &data); /* from the fifth of nine columns on: half way between is cell 112 */
    assert_int_equal(parts.water_bytes, MASK);
    for (size_t row = 0; row < 256; row += 5) {
        const unsigned char *mask = data + parts.water + 256 * row;
        assert_int_equal(mask[0], 0);
        assert_int_equal(mask[95], 0);
        assert_in_range(mask[111], 120, 127);
        assert_in_range(mask[112], 128, 135);
        assert_int_equal(mask[128], 255);
        assert_int_equal(mask[255], 255);
        for (int i = 1; i < 256; i++)
            assert_true(mask[i] >= mask[i - 1]);
    }
    free(data);
    mesh_kit_free(&ground);
}

/* A square of a third of a metre at 0, 0: the header's middle is where equator and first meridian cross. */
TEST(the_middle_is_where_it_ought_to_be)
{
    struct mesh_ground ground = mesh_kit_ground(3, 4, 0);
    unsigned char *data;
    size_t bytes;
    assert_int_equal(
        encode_terrain(&ground, 24, UINT64_C(1) << 24, UINT64_C(1) << 23, TERRAIN_NO_METADATA, &data, &bytes),
        0);
    assert_true(fabs(get_f64(data) - 6378137) < 1e-3);
    assert_true(fabs(get_f64(data + 8) - 0.6) < 0.1 &&
                fabs(get_f64(data + 16) + 0.6) < 0.1); /* east and south of it */
    assert_true(get_f64(data + 56) < 0.9);
    free(data);
    assert_int_equal(encode_terrain(&ground, 24, 0, 0, TERRAIN_NO_METADATA, &data, &bytes),
                     0); /* the north pole */
    assert_true(fabs(get_f64(data + 16) - 6356752.314245179) < 1e-3);
    free(data);
    mesh_kit_free(&ground);
}

TEST(half_a_globe_has_no_horizon_point)
{
    struct mesh_ground ground = mesh_kit_ground(9, 4, 300);
    for (int z = 0; z < 3; z++) {
        unsigned char *data;
        size_t bytes;
        assert_int_equal(encode_terrain(&ground, z, 0, 0, TERRAIN_NO_METADATA, &data, &bytes), 0);
        for (size_t i = 0; i < 3; i++) {
            const unsigned char *at = data + 64 + 8 * i;
            assert_true(z == 0 ? get_u32(at) == 0 && get_u32(at + 4) == 0x7FF80000 : isfinite(get_f64(at)));
        }
        free(data);
    }
    mesh_kit_free(&ground);
}

TEST(metadata_stands_behind_the_same_bytes)
{
    static const struct {
        int z;
        uint64_t x, y;
        int below;
        const char *text;
    } table[] = {
        {16, 131071, 0, 0, "{\"available\":[]}"},
        {15, 5, 32767, 1, "{\"available\":[[{\"startX\":10,\"startY\":0,\"endX\":11,\"endY\":1}]]}"},
        {1, 2, 0, 2,
         "{\"available\":[[{\"startX\":4,\"startY\":2,\"endX\":5,\"endY\":3}],"
         "[{\"startX\":8,\"startY\":4,\"endX\":11,\"endY\":7}]]}"},
    };
    struct mesh_ground ground = mesh_kit_ground(5, 4, 300);
    unsigned char *plain, *data;
    size_t plain_bytes, bytes;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const size_t length = strlen(table[i].text);
        assert_int_equal(encode_terrain(&ground, table[i].z, table[i].x, table[i].y, TERRAIN_NO_METADATA,
                                        &plain, &plain_bytes),
                         0);
        assert_int_equal(
            encode_terrain(&ground, table[i].z, table[i].x, table[i].y, table[i].below, &data, &bytes), 0);
        assert_int_equal(bytes, plain_bytes + EXTENSION + 4 + length);
        assert_memory_equal(data, plain, plain_bytes);
        const unsigned char *extension = data + plain_bytes;
        assert_int_equal(extension[0], 4);
        assert_int_equal(get_u32(extension + 1), 4 + length);
        assert_int_equal(get_u32(extension + EXTENSION), length);
        assert_memory_equal(extension + EXTENSION + 4, table[i].text, length);
        free(plain);
        free(data);
    }
    /* The longest text there can be. */
    assert_int_equal(encode_terrain(&ground, 0, 1, 0, 24, &data, &bytes), 0);
    assert_memory_equal(data + bytes - 3, "]]}", 3);
    free(data);
    mesh_kit_free(&ground);
}

TEST(bytes_are_the_same_everywhere)
{
    struct mesh_ground ground = {.side = 5, .spacing_m = 2, .error_m = 2};
    float heights[25], normals[75], depth[25];
    unsigned char *data;
    size_t bytes;
    for (int i = 0; i < 25; i++) {
        heights[i] = (float)((i * 37 + 11) % 101) * 1.25f;
        depth[i] = (float)(i % 3);
        normals[3 * i] = i % 2 == 0 ? 0.6f : -0.48f;
        normals[3 * i + 1] = i % 2 == 0 ? 0 : 0.64f;
        normals[3 * i + 2] = i % 2 == 0 ? 0.8f : 0.6f;
    }
    ground.heights = heights;
    ground.normals = normals;
    ground.depth = depth;
    assert_int_equal(encode_terrain(&ground, 7, 131, 70, TERRAIN_NO_METADATA, &data, &bytes), 0);
    assert_true(hash_of(data, bytes) == UINT64_C(0x727142E0FBC3479E));
    free(data);
}

TEST(short_memory_is_said)
{
#ifdef SHORTAGE_HOOKED
    struct mesh_ground ground = mesh_kit_ground(9, 4, 300);
    unsigned char *data = NULL;
    size_t bytes = 7;
    heap_fail(0, 1);
    const int result = encode_terrain(&ground, 5, 9, 4, TERRAIN_NO_METADATA, &data, &bytes);
    heap_fail(0, 0);
    assert_int_equal(result, -1);
    assert_null(data);
    assert_int_equal(bytes, 7);
    mesh_kit_free(&ground);
#endif
}

GROUP(terrain);
