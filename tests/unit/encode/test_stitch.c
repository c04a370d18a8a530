/*
 * Shifted tiles (server/render/stitch.c): each of their samples is that of the plain tile which holds its place, found by
 * division on the lattice and not by halves and quarters. Of pyramids' roots, their headers, codings and centres:
 * tests/http/test_xyz.py, test_registration.py.
 */
#include "../../../server/encode/encode.h"
#include "../../../server/render/tile_make.h"
#include "../render/hollow_kit.h"

enum { AROUND = 3 };

static void scene_open_plain(struct scene *scene)
{
    scene_open(scene);
    kit_recipe(&scene->w.recipe, 4, 1, 5);
    make_world(&scene->w.world, &scene->w.recipe, 42);
}

static struct blob *make(struct scene *scene, const struct tile_key *key)
{
    struct blob *blob = scene_tile(scene, key, true);
    const struct digest digest = tile_key_digest(key, &scene->w.world);
    assert_true(digest_equal(&blob->key, &digest));
    assert_int_equal(blob->info.format, key->format);
    assert_int_equal(blob->info.width, key->size);
    assert_int_equal(blob->info.height, key->size);
    return blob;
}

/* The samples of a blob, `pixel` bytes each; owned. */
static struct picture samples_of(const struct tile_key *key, const struct blob *blob)
{
    const size_t count = (size_t)key->size * (size_t)key->size;
    struct picture out = {.width = key->size, .height = key->size};
    if (key->format == FORMAT_PNG) {
        assert_int_equal(picture_read(&out, blob->data, blob->bytes), 0);
        return out;
    }
    const size_t head = key->format == FORMAT_NPY ? ENCODE_NPY_HEAD_BYTES : 0;
    out.pixel = (blob->bytes - head) / count;
    assert_int_equal(out.pixel * count + head, blob->bytes);
    out.pixels = malloc(blob->bytes);
    assert_non_null(out.pixels);
    memcpy(out.pixels, blob->data + head, out.pixel * count);
    return out;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Every sample of the shifted tile against the plain ones of the same size, layer, format and encoding around it. */
static void check_samples(struct scene *scene, const struct tile_key *key)
{
    struct picture around[AROUND][AROUND] = {{{0}}};
    struct terrane_window window;
    struct tile_key plain = *key;
    plain.shift = SHIFT_NONE;
    struct tile_key pixels = *key;
    pixels.layer = LAYER_RELIEF; /* objects stand on more samples than there are pixels */
    tile_window(&pixels, &window);
    const int64_t side = (int64_t)(key->size / 2 * 2) * window.step;
    struct blob *blob = make(scene, key);
    struct picture shifted = samples_of(key, blob);
    for (int j = 0; j < key->size; j++)
        for (int i = 0; i < key->size; i++) {
            const int64_t gi = window.gi + (int64_t)i * window.step,
                          gj = window.gj + (int64_t)j * window.step;
            const int64_t x = floor_div(gi, side), y = floor_div(gj, side);
            struct picture *tile = &around[y - key->y + 1][x - key->x + 1];
            assert_true(x >= key->x - 1 && x <= key->x + 1 && y >= key->y - 1 && y <= key->y + 1);
            if (!tile->pixels) {
                plain.x = x;
                plain.y = y;
                struct blob *made = make(scene, &plain);
                *tile = samples_of(&plain, made);
                assert_true(tile->pixel == shifted.pixel && tile->depth == shifted.depth);
                assert_int_equal(tile->colour_count, shifted.colour_count);
                assert_memory_equal(tile->colours, shifted.colours, sizeof shifted.colours);
                blob_release(made);
            }
            const size_t at = ((size_t)((gj - y * side) / window.step) * (size_t)key->size +
                               (size_t)((gi - x * side) / window.step)) *
                              shifted.pixel;
            const size_t here = ((size_t)j * (size_t)key->size + (size_t)i) * shifted.pixel;
            if (memcmp(tile->pixels + at, shifted.pixels + here, shifted.pixel) != 0)
                fail_msg("%s.%s, size %d, shift %d: sample %d, %d is another", tile_layer_name[key->layer],
                         tile_format_name[key->format], key->size, (int)key->shift, i, j);
        }
    for (int k = 0; k < AROUND * AROUND; k++)
        free(around[k / AROUND][k % AROUND].pixels);
    free(shifted.pixels);
    blob_release(blob);
}

/* All that has numbers or pixels: not json, and neither meshes nor tif, whose samples others read back. */
static bool is_plain(enum tile_format format)
{
    return format == FORMAT_PNG || format_row[format].raw;
}

TEST(samples_are_those_of_the_tiles_around)
{
    static const int sizes[] = {33, 64};
    struct scene scene;
    int checked = 0;
    scene_open_plain(&scene);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = 0; format < FORMATS; format++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int shift = SHIFT_NORTH; shift <= SHIFT_NORTH_WEST; shift++) {
                    struct tile_key key = {.seed = 42, .x = -1, .level = 2, .variant = VARIANT_ERODED};
                    key.layer = (enum tile_layer)layer;
                    key.format = (enum tile_format)format;
                    key.size = sizes[s];
                    key.shift = (enum tile_shift)shift;
                    if (!is_plain(key.format) || tile_key_finish(&key) != TILE_FINE)
                        continue;
                    tile_key_vary(&key, &scene.w.recipe);
                    check_samples(&scene, &key);
                    checked++;
                }
    assert_true(checked >= (12 + 10 + 10 + 2) * 2 * 2);
    scene_close(&scene);
}

/* In raw formats' headers: where the numbers are not at hand, a bound of all that is near. */
TEST(ranges_hold_the_samples)
{
    struct scene scene;
    scene_open_plain(&scene);
    for (int shift = SHIFT_NORTH; shift <= SHIFT_NORTH_WEST; shift++) {
        struct tile_key key = kit_key(3, 2, 2, LAYER_HEIGHT, FORMAT_F32, 65, VARIANT_ERODED);
        key.shift = (enum tile_shift)shift;
        float low, high;
        struct blob *blob = make(&scene, &key);
        terrane_height_range((const void *)blob->data, 65 * 65, &low, &high);
        blob_release(blob);
        key.format = FORMAT_R16;
        blob = make(&scene, &key);
        assert_true(blob->info.min_m <= low && blob->info.max_m >= high);
        blob_release(blob);
    }
    scene_close(&scene);
}

GROUP(stitch, kit_library);
