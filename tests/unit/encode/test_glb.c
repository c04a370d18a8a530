/* Meshes, where HTTP tests do not reach: steep and flat ground, bytes, files that are cut; and normals of heights alone
 * (server/encode/glb.c, glb_texture.c, terrain.c, mesh_normals.c). What they decode to is read back by tests/http/test_mesh.py. */

#include "../../../server/encode/glb.h"
#include "../mesh_kit.h"

/* The chunk of JSON, checked with both headers; *numbers is the other chunk. */
static json_t *take_apart(const unsigned char *data, size_t bytes, const unsigned char **numbers)
{
    assert_memory_equal(data, "glTF\2\0\0\0", 8);
    assert_int_equal(get_u32(data + 8), bytes);
    const uint32_t text = get_u32(data + 12);
    assert_int_equal(text % 4, 0);
    assert_memory_equal(data + 16, "JSON", 4);
    const uint32_t rest = get_u32(data + 20 + text);
    assert_memory_equal(data + 24 + text, "BIN\0", 4);
    assert_int_equal(28 + text + rest, bytes);
    *numbers = data + 28 + text;
    json_t *document = json_loadb((const char *)data + 20, text, 0, NULL);
    assert_non_null(document);
    return document;
}

static json_t *accessor(json_t *document, size_t index)
{
    return json_array_get(json_object_get(document, "accessors"), index);
}

static double number_of(json_t *array, size_t index)
{
    return json_number_value(json_array_get(array, index));
}

/* Decodes the heights and the westmost and eastmost places of a quantised mesh. */
static void check_quantised(int side, double spacing_m, float tall_m, bool steps_are_whole)
{
    struct mesh_ground ground = mesh_kit_ground(side, spacing_m, tall_m);
    const unsigned char *numbers;
    unsigned char *data;
    size_t bytes;
    assert_int_equal(encode_glb(&ground, true, &data, &bytes), 0);
    json_t *document = take_apart(data, bytes, &numbers);
    json_t *node = json_array_get(json_object_get(document, "nodes"), 0);
    json_t *scale = json_object_get(node, "scale"), *origin = json_object_get(node, "translation");
    const double scale_m = number_of(scale, 0);
    assert_true(number_of(scale, 1) == scale_m && number_of(scale, 2) == scale_m);
    for (int k = 0; k < side * side; k++) {
        const unsigned char *at = numbers + 8 * (size_t)k;
        const double east = number_of(origin, 0) + get_u16(at) / 65535.0 * scale_m;
        const double up = number_of(origin, 1) + get_u16(at + 2) / 65535.0 * scale_m;
        const double south = number_of(origin, 2) + get_u16(at + 4) / 65535.0 * scale_m;
        const double error_m = steps_are_whole ? 1e-9 * spacing_m * side : scale_m / 65535 / 2 * 1.0001;
        assert_true(fabs(east - (k % side - (side - 1) / 2.0) * spacing_m) <= error_m);
        assert_true(fabs(south - (k / side - (side - 1) / 2.0) * spacing_m) <= error_m);
        assert_true(fabs(up - (double)ground.heights[k]) <= scale_m / 65535 / 2 * 1.0001);
        assert_int_equal(get_u16(at + 6), 0);
    }
    json_decref(document);
    free(data);
    mesh_kit_free(&ground);
}

/* Ground that is less steep is read by tests/http/test_mesh.py. */
TEST(steep_steps_are_whole)
{
    check_quantised(257, 1, 30000, true);
    check_quantised(257, 1, 40000, false); /* steeper than quanta can tell: still as near as they can */
}

TEST(flat_ground_without_error_is_a_plane)
{
    struct mesh_ground ground = mesh_kit_ground(3, 4, 0);
    ground.error_m = 0;
    for (int quantised = 0; quantised <= 1; quantised++) {
        const unsigned char *numbers;
        unsigned char *data;
        size_t bytes;
        assert_int_equal(encode_glb(&ground, quantised, &data, &bytes), 0);
        json_t *document = take_apart(data, bytes, &numbers);
        assert_true(number_of(json_object_get(accessor(document, 0), "min"), 1) == 0);
        assert_true(number_of(json_object_get(accessor(document, 0), "max"), 1) == 0);
        json_decref(document);
        free(data);
    }
    mesh_kit_free(&ground);
}

TEST(bytes_are_the_same_everywhere)
{
    static const uint64_t expected[2] = {UINT64_C(0xD9DE06E09DD9D16F), UINT64_C(0x10E7ECFBA2F0E14D)};
    float heights[25], normals[75], depth[25];
    for (int i = 0; i < 25; i++) {
        heights[i] = (float)((i * 37 + 11) % 101) * 1.25f;
        depth[i] = (float)(i % 3);
        normals[3 * i] = i % 2 == 0 ? 0.6f : -0.48f;
        normals[3 * i + 1] = i % 2 == 0 ? 0 : 0.64f;
        normals[3 * i + 2] = i % 2 == 0 ? 0.8f : 0.6f;
    }
    struct mesh_ground ground = {
        .side = 5, .spacing_m = 2, .error_m = 2, .heights = heights, .normals = normals};
    for (int quantised = 0; quantised <= 1; quantised++) {
        unsigned char *data;
        size_t bytes;
        assert_int_equal(encode_glb(&ground, quantised, &data, &bytes), 0);
        const unsigned char *numbers = data + 20 + get_u32(data + 12); /* the text is another library's */
        assert_int_equal(hash_of(numbers, bytes - (size_t)(numbers - data)), expected[quantised]);
        free(data);
    }
    unsigned char *terrain;
    size_t bytes;
    ground.depth = depth;
    assert_int_equal(encode_terrain(&ground, 7, 131, 70, TERRAIN_NO_METADATA, &terrain, &bytes), 0);
    assert_true(hash_of(terrain, bytes) == UINT64_C(0x727142E0FBC3479E));
    free(terrain);
}

/* Quanta of heights are behind those of u and v, each by what it differs from the one before. */
TEST(flat_terrain_is_at_its_height)
{
    struct mesh_ground ground = mesh_kit_ground(5, 4, 0);
    unsigned char *data;
    size_t bytes;
    for (int i = 0; i < 25; i++)
        ((float *)(uintptr_t)ground.heights)[i] = -12.5f;
    assert_int_equal(encode_terrain(&ground, 3, 1, 2, TERRAIN_NO_METADATA, &data, &bytes), 0);
    assert_true(get_f32(data + 24) == -12.5f && get_f32(data + 28) == -12.5f);
    for (size_t i = 0; i < 25; i++)
        assert_int_equal(get_u16(data + 88 + 4 + 2 * (2 * 25 + i)), 0);
    free(data);
    mesh_kit_free(&ground);
}

/* Of copies that end with their last byte, so that a sanitizer sees what is read beyond. */
TEST(cut_files_take_no_texture)
{
    static const unsigned char picture[] = "not read";
    struct mesh_ground ground = mesh_kit_ground(5, 4, 20);
    unsigned char *whole;
    size_t whole_bytes;
    assert_int_equal(encode_glb(&ground, false, &whole, &whole_bytes), 0);
    for (size_t bytes = 0; bytes <= whole_bytes; bytes++) {
        unsigned char *copy = malloc(bytes ? bytes : 1), *data = NULL;
        size_t made = 0;
        assert_non_null(copy);
        memcpy(copy, whole, bytes);
        const int result = glb_texture(copy, bytes, picture, sizeof picture, 257, &data, &made);
        assert_int_equal(result, bytes < whole_bytes ? -1 : 0);
        assert_true(result == 0 ? data != NULL && made > bytes : data == NULL && made == 0);
        free(copy);
        free(data);
    }
    free(whole);
    mesh_kit_free(&ground);
}

TEST(a_plane_has_one_normal)
{
    enum { SIDE = 9 };
    float heights[SIDE * SIDE], normals[SIDE * SIDE * 3];
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = 3.0f * (float)(k % SIDE) - 4.0f * (float)(k / SIDE) + 100;
    assert_int_equal(mesh_normals(heights, SIDE, 12, normals), 0);
    for (int k = 0; k < SIDE * SIDE; k++) { /* (-1/4, 1/3, 1) / (13/12) */
        assert_true(fabsf(normals[3 * k] + 3 / 13.0f) < 1e-6f);
        assert_true(fabsf(normals[3 * k + 1] - 4 / 13.0f) < 1e-6f);
        assert_true(fabsf(normals[3 * k + 2] - 12 / 13.0f) < 1e-6f);
    }
}

TEST(edges_look_inwards)
{
    float heights[9] = {0, 4, 100, 0, 0, 0, 0, 0, 0}, normals[27];
    assert_int_equal(mesh_normals(heights, 3, 4, normals), 0);
    assert_true(fabsf(normals[0] + normals[2]) <
                1e-6f);                     /* the north-west rises by 1 to the east, and is level ... */
    assert_true(fabsf(normals[1]) < 1e-6f); /* ... to the south */
    assert_true(fabsf(normals[3 * 8]) < 1e-6f && fabsf(normals[3 * 8 + 2] - 1) < 1e-6f);
}

GROUP(glb);
