/*
 * What tiles say of paths and caves in other forms (server/render, server/encode): lines as GeoJSON, descriptions, meshes of
 * caves, and ground meshes with holes.
 */
#include "../../../lib/path/network.h"

#include <jansson.h>

#include "../../../server/encode/encode.h"
#include "../mesh_kit.h"
#include "hollow_kit.h"

static json_t *json_of(int level, int64_t x, int64_t y, enum tile_layer layer, enum tile_format format)
{
    const struct tile_key key = scene_key(level, x, y, layer, format, 0);
    struct blob *blob = scene_tile(&key, true);
    json_t *value = json_loadb((const char *)blob->data, blob->bytes, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    blob_release(blob);
    return value;
}

static const char *text(json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    assert_non_null(value);
    return value;
}

struct glb {
    struct blob *blob;
    json_t *text;
    const unsigned char *numbers; /* NULL: none */
};

static struct glb glb_open(const struct tile_key *key)
{
    struct glb glb = {.blob = scene_tile(key, true)};
    const unsigned char *data = glb.blob->data;
    assert_int_equal(get_u32(data + 8), glb.blob->bytes);
    const size_t json_bytes = get_u32(data + 12);
    glb.text = json_loadb((const char *)data + 20, json_bytes, 0, NULL);
    assert_non_null(glb.text);
    if (20 + json_bytes < glb.blob->bytes) {
        assert_int_equal(28 + json_bytes + get_u32(data + 20 + json_bytes), glb.blob->bytes);
        glb.numbers = data + 28 + json_bytes;
    }
    return glb;
}

static void glb_close(struct glb *glb)
{
    json_decref(glb->text);
    blob_release(glb->blob);
}

static json_t *item(const struct glb *glb, const char *name, json_int_t i)
{
    json_t *value = json_array_get(json_object_get(glb->text, name), (size_t)i);
    assert_non_null(value);
    return value;
}

static const unsigned char *array_of(const struct glb *glb, json_int_t accessor, json_int_t *count)
{
    json_t *a = item(glb, "accessors", accessor);
    *count = json_integer_value(json_object_get(a, "count"));
    json_t *view = item(glb, "bufferViews", json_integer_value(json_object_get(a, "bufferView")));
    return glb->numbers + json_integer_value(json_object_get(view, "byteOffset"));
}

static void check_node(const struct glb *glb, json_int_t n, const struct tile_key *key)
{
    json_int_t mesh, position_at, normal_at, index_at, vertices, normals, indices;
    double place[3], low[3], high[3];
    assert_int_equal(json_unpack(item(glb, "nodes", n), "{s:I, s:[FFF]}", "mesh", &mesh, "translation",
                                 &place[0], &place[1], &place[2]),
                     0);
    assert_int_equal(json_unpack(item(glb, "meshes", mesh), "{s:[{s:{s:I, s:I}, s:I}]}", "primitives",
                                 "attributes", "POSITION", &position_at, "NORMAL", &normal_at, "indices",
                                 &index_at),
                     0);
    assert_int_equal(json_unpack(item(glb, "accessors", position_at), "{s:[FFF], s:[FFF]}", "min", &low[0],
                                 &low[1], &low[2], "max", &high[0], &high[1], &high[2]),
                     0);
    const unsigned char *position = array_of(glb, position_at, &vertices);
    const unsigned char *normal = array_of(glb, normal_at, &normals);
    const unsigned char *index = array_of(glb, index_at, &indices);
    assert_int_equal(vertices, normals);
    assert_true(vertices > 10 && indices % 3 == 0 && indices > 30);
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (json_int_t i = 0; i < vertices; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double p = (double)get_f32(position + 12 * i + 4 * k),
                         q = (double)get_f32(normal + 12 * i + 4 * k);
            min[k] = fmin(min[k], p);
            max[k] = fmax(max[k], p);
            square += q * q;
        }
        assert_true(fabs(square - 1) < 1e-3);
    }
    for (size_t k = 0; k < 3; k++)
        assert_true(low[k] == min[k] && high[k] == max[k]);
    for (json_int_t i = 0; i < indices; i++)
        assert_true(get_u32(index + 4 * i) < (uint32_t)vertices);
    const double side = ldexp(256 * scene.w.recipe.spacing_m, key->level), half = key->placed ? 0 : side / 2;
    const double west = key->placed ? (double)key->x * side : -half,
                 north = key->placed ? (double)key->y * side : -half;
    assert_true(place[0] >= west && place[0] < west + side && place[1] == 0 && place[2] >= north &&
                place[2] < north + side);
}

/* Whether a description's cave has its top in the tile. */
static bool tops(json_t *cave, const struct tile_key *key)
{
    double x_m, y_m;
    assert_int_equal(json_unpack(cave, "{s:[FF*]}", "top", &x_m, &y_m), 0);
    const double side = ldexp(256 * scene.w.recipe.spacing_m, key->level);
    return floor(x_m / side) == (double)key->x && floor(y_m / side) == (double)key->y;
}

/* Every cave in one tile of each level that shows them, that of its top, there with a mesh; and nothing elsewhere. */
TEST(caves_have_meshes)
{
    size_t count[6] = {0};
    for (int level = 0; level <= 4; level++) {
        const int64_t along = 16 >> level;
        for (int64_t k = 0; k < along * along; k++) {
            struct tile_key key = scene_key(level, k % along, k / along, LAYER_CAVE, FORMAT_GLB, 0);
            key.placed = k % 2;
            struct glb glb = glb_open(&key);
            json_t *nodes = json_object_get(glb.text, "nodes");
            json_t *facts = json_of(level, key.x, key.y, LAYER_CAVE, FORMAT_JSON);
            json_t *caves = json_object_get(facts, "caves");
            for (size_t n = json_array_size(caves); n-- > 0;)
                if (!tops(json_array_get(caves, n), &key))
                    json_array_remove(caves, n);
            assert_int_equal(json_array_size(nodes), json_array_size(caves));
            assert_int_equal(glb.numbers != NULL, json_array_size(nodes) > 0);
            for (size_t n = 0; n < json_array_size(nodes); n++) {
                check_node(&glb, (json_int_t)n, &key);
                assert_string_equal(text(json_array_get(nodes, n), "name"),
                                    text(json_array_get(caves, n), "id"));
            }
            count[level] += json_array_size(nodes);
            json_decref(facts);
            glb_close(&glb);
        }
    }
    assert_true(count[0] > 2 && count[0] == count[1] && count[1] == count[2] && count[2] == count[3]);
    assert_int_equal(count[4], 0);
}

static size_t triangles_of(enum tile_variant variant, int64_t x, int64_t y, int size)
{
    const struct tile_key key =
        kit_key(scene.w.recipe.caves.level, x, y, LAYER_HEIGHT, FORMAT_GLB, size, variant);
    struct glb glb = glb_open(&key);
    json_int_t indices;
    array_of(&glb, 4, &indices);
    glb_close(&glb);
    return (size_t)indices / 3;
}

/* Two triangles less for each quad with a corner that the mask shows open; other sizes and the ground before erosion are whole. */
TEST(ground_leaves_openings_out)
{
    size_t left_out = 0;
    for (int64_t k = 0; k < 9; k++) {
        const int64_t x = k % 3, y = k / 3;
        const struct tile_key mask = scene_key(scene.w.recipe.caves.level, x, y, LAYER_CAVE, FORMAT_PNG, 257);
        struct blob *blob = scene_tile(&mask, true);
        struct picture picture;
        assert_int_equal(picture_read(&picture, blob->data, blob->bytes), 0);
        size_t open = 0;
        for (size_t i = 0; i < 256 * 256; i++) {
            const unsigned char *at = picture.pixels + i / 256 * 257 + i % 256;
            open += at[0] == 2 || at[1] == 2 || at[257] == 2 || at[258] == 2;
        }
        free(picture.pixels);
        blob_release(blob);
        const size_t full = 2 * 256 * 256 + 2 * 1024;
        assert_int_equal(triangles_of(VARIANT_CARVED, x, y, 257), full - 2 * open);
        assert_int_equal(triangles_of(VARIANT_ERODED, x, y, 257), full - 2 * open);
        assert_int_equal(triangles_of(VARIANT_BASE, x, y, 257), full);
        assert_int_equal(triangles_of(VARIANT_CARVED, x, y, 129), 2 * 128 * 128 + 2 * 512);
        left_out += open;
    }
    assert_true(left_out > 0);
}

/* A height of a mesh whose first vertices are the tile's samples. */
static float height_at(const struct glb *glb, int i, int j)
{
    json_int_t vertices;
    return get_f32(array_of(glb, 0, &vertices) + 12 * (j * 257 + i) + 4);
}

/* Quads of a mesh whose ground has no triangle. */
static void find_openings(const struct glb *glb, uint8_t *open)
{
    json_int_t indices;
    const unsigned char *index = array_of(glb, 4, &indices);
    memset(open, 1, 256 * 256);
    for (json_int_t t = 0; t < indices; t += 3) {
        uint32_t west = UINT32_MAX, north = UINT32_MAX, max = 0;
        for (int c = 0; c < 3; c++) {
            const uint32_t v = get_u32(index + 4 * (t + c));
            west = v % 257 < west ? v % 257 : west;
            north = v / 257 < north ? v / 257 : north;
            max = v > max ? v : max;
        }
        if (max < 257 * 257) /* else it is of the skirt */
            open[north * 256 + west] = 0;
    }
}

/* A mesh of a cave ends on the ground without paths: so does the ground around its opening, and there alone. */
TEST(openings_join_carved_ground)
{
    const int level = scene.w.recipe.caves.level;
    uint8_t *open = malloc(256 * 256);
    size_t rims = 0, moved = 0;
    assert_non_null(open);
    for (int64_t k = 0; k < 16; k++) {
        const int64_t x = k % 4, y = k / 4;
        const struct tile_key of_carved = kit_key(level, x, y, LAYER_HEIGHT, FORMAT_GLB, 257, VARIANT_CARVED),
                              of_eroded = kit_key(level, x, y, LAYER_HEIGHT, FORMAT_GLB, 257, VARIANT_ERODED),
                              of_floats = kit_key(level, x, y, LAYER_HEIGHT, FORMAT_F32, 257, VARIANT_CARVED);
        struct glb carved = glb_open(&of_carved), eroded = glb_open(&of_eroded);
        struct blob *floats = scene_tile(&of_floats, true);
        find_openings(&carved, open);
        for (int j = 1; j < 256; j++)
            for (int i = 1; i < 256; i++) {
                const uint8_t *corner = open + (j - 1) * 256 + i - 1;
                const bool rim = corner[0] || corner[1] || corner[256] || corner[257];
                const float uncut = height_at(&eroded, i, j), cut = get_f32(floats->data + 4 * (j * 257 + i));
                assert_true(height_at(&carved, i, j) == (rim ? uncut : cut));
                rims += rim;
                moved += rim && uncut != cut;
            }
        blob_release(floats);
        glb_close(&eroded);
        glb_close(&carved);
    }
    free(open);
    assert_true(rims > 0 && moved > 0); /* a path runs by one of them */
}

static struct blob *carved_of(int64_t x, int64_t y, enum tile_format format)
{
    const struct tile_key key =
        kit_key(scene.w.recipe.caves.level, x, y, LAYER_HEIGHT, format, 257, VARIANT_CARVED);
    return scene_tile(&key, true);
}

/* And in that mesh alone: what is made next of the same ground has it as it is. Without lakes both are of the same regions. */
TEST(a_mesh_with_openings_leaves_no_ground_behind)
{
    const struct terrane_lakes lakes = scene.w.recipe.lakes;
    scene.w.recipe.lakes = (struct terrane_lakes){0};
    make_world(&scene.w.world, &scene.w.recipe, 42);
    struct scene one = scene, other = scene; /* who has made the mesh, and who has not */
    other.producer = producer_create();
    other.memory = memory_create(256 << 20);
    assert_true(other.producer && other.memory);
    for (int64_t k = 0; k < 16; k++) {
        blob_release(carved_of(k % 4, k / 4, FORMAT_GLB));
        struct blob *behind = carved_of(k % 4, k / 4, FORMAT_JSON);
        scene = other;
        struct blob *alone = carved_of(k % 4, k / 4, FORMAT_JSON);
        scene = one;
        assert_true(behind->bytes == alone->bytes && memcmp(behind->data, alone->data, alone->bytes) == 0);
        blob_release(behind);
        blob_release(alone);
    }
    memory_free(other.memory);
    producer_free(other.producer);
    scene.w.recipe.lakes = lakes;
    make_world(&scene.w.world, &scene.w.recipe, 42);
}

GROUP(tile_hollow, scene_open, scene_close);
