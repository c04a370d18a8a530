/*
 * The product graph (server/render/product.h): names, and tiles that are not worth a coding.
 */
#include "../../../server/encode/encode.h"
#include "hollow_kit.h"

static int compare_digests(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct digest));
}

TEST(digests_are_apart)
{
    enum { MAX = 6 * 7 * 7 * (1 + 2 * (PRODUCTS - 1) * VARIANTS) };
    static struct digest digest[MAX];
    const struct terrane_world *world = &scene.w.world;
    struct dice_world other;
    int count = 0;
    world_of(&scene.w, 6);
    world_of(&other, 7);
    for (int level = 0; level < 6; level++)
        for (int64_t x = -3; x <= 3; x++)
            for (int64_t y = -3; y <= 3; y++) {
                const struct tile_key tile =
                    kit_key(level, x, y, LAYER_HEIGHT, FORMAT_F32, 0, VARIANT_ERODED);
                struct product_key key = product_of_tile(&tile);
                const struct digest named = tile_key_digest(&tile, world), made = product_digest(&key, world);
                assert_true(digest_equal(&named, &made));
                digest[count++] = made;
                for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++)
                    for (int variant = 0; variant < VARIANTS; variant++) {
                        key = kit_region((enum product)product, level, x, y, (enum terrane_variant)variant);
                        digest[count++] = product_digest(&key, world);
                        key.tile = tile; /* is no part of a region */
                        const struct digest again = product_digest(&key, world);
                        assert_true(digest_equal(&digest[count - 1], &again));
                        digest[count++] = product_digest(&key, &other.world);
                        assert_in_range(count, 0, MAX);
                    }
            }
    qsort(digest, (size_t)count, sizeof *digest, compare_digests);
    for (int i = 1; i < count; i++)
        assert_false(digest_equal(&digest[i - 1], &digest[i]));
}

/* Numbers below 2 whose other bits are noise. */
static struct blob *noise_blob(const struct product_key *key, size_t bytes)
{
    const struct digest digest = product_digest(key, &scene.w.world);
    const struct blob_info info = {.format = FORMAT_F32, .width = 64, .height = 64, .min_m = -3, .max_m = 5};
    unsigned char *data = malloc(bytes);
    uint64_t state = 1;
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[i] = (unsigned char)(state >> 56 & (i % 4 == 3 ? 0x3f : 0xff));
    }
    struct blob *blob = blob_create(&digest, &info, data, bytes);
    assert_non_null(blob);
    return blob;
}

/* Calls of these two come here (UNIT_WRAP_render in tests.mk). */
static int planned, windows;

WRAPS(terrane_plan);
int __wrap_terrane_plan(const struct terrane_recipe *recipe, const struct terrane_window *window,
                        enum terrane_variant variant, unsigned reads, struct terrane_plan *plan)
{
    planned++;
    return __real_terrane_plan(recipe, window, variant, reads, plan);
}

WRAPS(tile_window);
void __wrap_tile_window(const struct tile_key *key, struct terrane_window *window)
{
    windows++;
    __real_tile_window(key, window);
}

/* On its way through a job, whatever its format; a reply of bare samples asks for the window once more. */
TEST(a_tile_is_planned_once)
{
    static const enum tile_format formats[] = {FORMAT_F32, FORMAT_PNG, FORMAT_GLB, FORMAT_JSON, FORMAT_TIF};
    world_of(&scene.w, 6);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct tile_key key = kit_key(2, 5, -3, LAYER_HEIGHT, formats[i], 65, VARIANT_ERODED);
        struct produce_times times = {0};
        planned = windows = 0;
        struct blob *blob = produce(scene.producer, &key, &scene.w.world, &times);
        assert_non_null(blob);
        assert_true(times.region_ns > 0);
        assert_int_equal(planned, 1);
        assert_int_equal(windows, 1);
        blob_release(blob);
    }
}

TEST(what_does_not_pay_stays_as_it_is)
{
    world_of(&scene.w, 6);
    for (int coding = CODING_GZIP; coding < CODINGS; coding++) {
        struct tile_key tile = kit_key(2, 5, -3, LAYER_HEIGHT, FORMAT_F32, 64, VARIANT_ERODED);
        const struct product_key plain_key = product_of_tile(&tile);
        tile.coding = (enum tile_coding)coding;
        const struct product_key key = product_of_tile(&tile);
        const struct digest digest = product_digest(&key, &scene.w.world);
        struct produce_times times = {0};
        struct blob *plain = noise_blob(&plain_key, 64 * 64 * 4);
        struct product_key in[PRODUCT_INPUTS_MAX];
        struct product_plan plan;
        assert_int_equal(product_plan(&key, &digest, &scene.w.world, &plan, in), 1);
        struct blob *coded = product_make(scene.producer, &key, &scene.w.world, &plan, &plain, &times);
        assert_non_null(coded);
        assert_true(digest_equal(&coded->key, &digest));
        assert_int_equal(coded->info.coding, CODING_IDENTITY);
        assert_true(coded->info.width == 64 && coded->info.min_m == plain->info.min_m &&
                    coded->info.max_m == plain->info.max_m);
        assert_int_equal(coded->bytes, plain->bytes);
        assert_memory_equal(coded->data, plain->data, plain->bytes);
        assert_true(coded->data != plain->data && times.coding_ns > 0);
        assert_true(product_fits(&key, &scene.w.world, coded));
        blob_release(plain);
        blob_release(coded);
    }
}

GROUP_EACH(product, scene_open, scene_close);
