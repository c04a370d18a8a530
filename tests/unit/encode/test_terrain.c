/* quantized-mesh, where HTTP tests do not reach: every size, flat ground, what the header says, memory that
 * is short (server/encode/terrain.c). What it decodes to is read back by tests/http/test_mesh.py. */
#include "../unit.h"

#include "../mesh_kit.h"
#include "../shortage_kit.h"

enum { HEADER = 88, MASK = 256 * 256, EXTENSION = 5 };

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
    assert_true(get_f32(data + 24) == -12.5f && get_f32(data + 28) == -12.5f);
    read_quanta(data, 25, 2, quanta);
    for (int i = 0; i < 25; i++)
        assert_int_equal(quanta[i], 0);
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
