/*
 * Encoders where memory is short: whichever allocation fails, the k-th of a run for every k that there is, it is said and nothing
 * written, or made up for; and nothing is left behind.
 */

#include "../../../server/encode/describe.h"
#include "../../../server/encode/exr.h"
#include "../../../server/encode/glb.h"
#include "../../../server/encode/tif.h"
#include "../mesh_kit.h"
#include "../shortage_kit.h"

enum { SIDE = 64 };

static struct mesh_ground ground;
static unsigned char *mesh;
static size_t mesh_bytes;
static float values[SIDE * SIDE];
static const uint8_t index_of[32 * 32], colours[3][3];
#define PLACE                                                                           \
    {                                                                                   \
        .west_m = -1024.5, .north_m = 0x1p40 + 0.25, .spacing_m = 0.5, .none = -1048576 \
    }
static const struct grid_place place = PLACE;
static struct terrane_recipe recipe;
static struct terrane_world world;

static const struct grid grid = {
    .values = values, .width = SIDE, .height = SIDE, .channels = 1, .place = PLACE};

#define ENCODER(name, ...)                               \
    static int name(unsigned char **data, size_t *bytes) \
    {                                                    \
        return __VA_ARGS__;                              \
    }
ENCODER(glb, encode_glb(&ground, true, data, bytes))
ENCODER(model, encode_model_glb(TERRANE_MODEL_CACTUS, 1, data, bytes))
ENCODER(texture, glb_texture(mesh, mesh_bytes, (const unsigned char *)"not read", 9, 257, data, bytes))
ENCODER(terrain, encode_terrain(&ground, 5, 9, 4, TERRAIN_NO_METADATA, data, bytes))
ENCODER(tif, encode_tif(values, SIDE, SIDE, 1, &place, data, bytes))
ENCODER(exr, encode_exr(&grid, data, bytes))
ENCODER(exr_rows, (*data = exr_rows_head(&grid, bytes)) ? 0 : -1)
ENCODER(head, (*data = tif_head(9, 9, 1, &place, bytes)) ? 0 : -1)

/* Of an encoder of its own. */
#define PNG(name, ...)                                                \
    static int name(unsigned char **data, size_t *bytes)              \
    {                                                                 \
        struct encoder *const encoder = encoder_create();             \
        const int result = encoder ? encode_##name(__VA_ARGS__) : -1; \
        encoder_free(encoder);                                        \
        return result;                                                \
    }
PNG(png_heights, encoder, values, SIDE, SIDE, ENC_TERRARIUM, 0, 0, false, data, bytes)
PNG(png_samples, encoder, ENCODE_NORMALS, values, SIDE / 2, SIDE / 2, 0, data, bytes)
PNG(png_indexed, encoder, index_of, 32, 32, colours, 3, data, bytes)

static int tile_json(unsigned char **data, size_t *bytes)
{
    struct tile_key key = {
        .seed = 42, .x = -5, .y = 7, .level = 3, .variant = VARIANT_BASE, .format = FORMAT_JSON};
    struct tile_facts facts = {.measure.mean_m = -0.1, .zone_share = {0.5, 0.5}};
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    assert_int_equal(terrane_window_tile(&facts.window, key.level, key.x, key.y, key.size), 0);
    return describe_tile(&key, &world, &facts, data, bytes);
}

static int world_json(unsigned char **data, size_t *bytes)
{
    static const struct tile_key key = {
        .seed = 42, .x = -5, .y = 7, .level = 3, .variant = VARIANT_BASE, .format = FORMAT_JSON};
    static const struct recipe named = {
        .name = "default", .description = "Hills.", .world.generator = TERRANE_GENERATOR_VERSION};
    const struct world_facts told = {.recipe = &named, .standard = true, .key = &key, .prefix = ""};
    return describe_world(&world, &told, data, bytes);
}

/*
 * least: so many failures or more are said. made_up: some need not be; then what comes is the same, but for ROUNDED, where
 * jansson may write a number with a digit less. loses: libtiff may lose what it holds then.
 */
static const struct row {
    int (*encode)(unsigned char **data, size_t *bytes);
    int min;
    enum { SAID, MADE_UP, ROUNDED } made_up;
    bool loses;
} rows[] = {{glb, 21, SAID, false},        {model, 21, SAID, false},       {texture, 21, ROUNDED, false},
            {terrain, 1, MADE_UP, false},  {tif, 11, MADE_UP, true},       {head, 1, SAID, false},
            {exr, 20, MADE_UP, false},     {exr_rows, 20, MADE_UP, false}, {png_heights, 3, SAID, false},
            {png_samples, 3, SAID, false}, {png_indexed, 3, SAID, false},  {tile_json, 11, SAID, false},
            {world_json, 11, SAID, false}};

static void check(const struct row *row)
{
    unsigned char *whole;
    size_t whole_bytes;
    int failed = 0;
    heap_fail(0, 0);
    assert_int_equal(row->encode(&whole, &whole_bytes), 0);
    const long allocations = atomic_load(&heap.count);
    for (long k = 0; k < allocations; k++) {
        const long living = atomic_load(&heap.living);
        unsigned char *data = NULL;
        size_t bytes = 7;
        heap_fail(k, k + 1);
        const int result = row->encode(&data, &bytes);
        heap_fail(0, 0);
        failed += result != 0;
        assert_int_equal(bytes, result == 0 ? whole_bytes : 7);
        if (result != 0)
            assert_null(data);
        else if (row->made_up != ROUNDED)
            assert_memory_equal(data, whole, bytes);
        free(data);
        assert_true(row->loses || atomic_load(&heap.living) == living);
    }
    assert_true(failed >= row->min || allocations == 0); /* none is counted where a sanitizer has them */
    assert_true(row->made_up || failed == allocations);
    free(whole);
}

TEST(short_memory_is_said)
{
#ifndef SHORTAGE_HOOKED
    json_set_alloc_funcs(heap_lend, heap_take_back);
#endif
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = 0.05f * (float)(i % SIDE);
    ground = mesh_kit_ground(9, 4, 300);
    assert_int_equal(encode_glb(&ground, true, &mesh, &mesh_bytes), 0);
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        check(&rows[r]);
    free(mesh);
    mesh_kit_free(&ground);
    json_set_alloc_funcs(malloc, free);
}

GROUP(memory);
