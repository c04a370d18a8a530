/*
 * Coded tiles as products (server/render/product.h): each rests on the same tile as it is, and says the same.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../server/render/product.h"
#include "../dice_recipe.h"
#include "../region_kit.h"

static void world_of(struct dice_world *out, int levels)
{
    kit_recipe(&out->recipe, levels, 2, 5);
    make_world(&out->world, &out->recipe, 42);
}

static struct product_key coded_key(enum tile_layer layer, enum tile_format format, int size,
                                    enum tile_coding coding)
{
    struct tile_key key = kit_key(2, 5, -3, layer, format, size, VARIANT_ERODED);
    key.coding = coding;
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    assert_int_equal(key.coding, coding);
    return product_of_tile(&key);
}

static struct product_key plain_of(struct product_key key)
{
    key.tile.coding = CODING_IDENTITY;
    return key;
}

static struct blob *blob_of(struct producer *producer, const struct product_key *key,
                            const struct dice_world *w, struct memory *memory, struct produce_times *times)
{
    struct blob *blob = product_make_alone(producer, key, &w->world, memory, times);
    const struct digest digest = product_digest(key, &w->world);
    assert_non_null(blob);
    assert_true(digest_equal(&blob->key, &digest));
    assert_true(product_fits(key, &w->world, blob));
    return blob;
}

static void assert_info(const struct blob *coded, const struct blob *plain)
{
    struct blob_info info = coded->info;
    info.coding = CODING_IDENTITY;
    assert_int_equal(plain->info.coding, CODING_IDENTITY);
    assert_true(info.format == plain->info.format && info.width == plain->info.width &&
                info.height == plain->info.height && info.min_m == plain->info.min_m &&
                info.max_m == plain->info.max_m);
}

TEST(a_coded_tile_rests_on_the_plain_one)
{
    struct dice_world w;
    world_of(&w, 6);
    for (int coding = CODING_GZIP; coding < CODINGS; coding++)
        for (int format = FORMAT_F32; format < FORMATS; format++) {
            if (format == FORMAT_TIF) /* as the encoder compresses it */
                continue;
            if (format == FORMAT_BIN) /* of ground, as others are */
                continue;
            const bool lines = format == FORMAT_GEOJSON; /* of paths, which this world has not */
            const struct product_key key = coded_key(lines ? LAYER_PATH : LAYER_SURFACE,
                                                     (enum tile_format)format, 0, (enum tile_coding)coding);
            const struct product_key plain = plain_of(key);
            struct product_key in[PRODUCT_INPUTS_MAX];
            assert_int_equal(product_inputs(&key, &w.world, in), 1);
            assert_int_equal(in[0].product, PRODUCT_TILE);
            assert_int_equal(in[0].tile.coding, CODING_IDENTITY);
            const struct digest own = product_digest(&key, &w.world),
                                below = product_digest(&in[0], &w.world),
                                named = product_digest(&plain, &w.world);
            assert_true(digest_equal(&below, &named));
            assert_false(digest_equal(&own, &below));
            assert_int_equal(product_inputs(&plain, &w.world, in), lines ? 0 : 2); /* erosion, lakes */
        }
}

/* Of memory, and into it: the plain tile is made once for all codings. */
TEST(plain_tiles_are_shared)
{
    struct producer *producer = producer_create();
    struct memory *memory = memory_create(64 << 20);
    struct memory_stats stats;
    struct produce_times times;
    struct dice_world w;
    assert_true(producer && memory);
    world_of(&w, 0);
    struct tile_key base = kit_key(2, 5, -3, LAYER_PARTITION, FORMAT_F32, 0, VARIANT_BASE);
    for (int coding = CODINGS - 1; coding >= 0; coding--) {
        base.coding = (enum tile_coding)coding;
        const struct product_key key = product_of_tile(&base);
        struct blob *blob = blob_of(producer, &key, &w, memory, &times);
        assert_int_equal(times.surface_ns > 0, coding == CODING_ZSTD);
        assert_int_equal(times.coding_ns > 0, coding != CODING_IDENTITY);
        assert_int_equal(blob->info.coding, coding);
        memory_stats(memory, &stats);
        assert_int_equal(stats.entries, coding == CODING_ZSTD ? 2 : 3);
        blob_release(blob);
    }
    memory_free(memory);
    producer_free(producer);
}

/* Numbers below 2 whose other bits are noise. */
static struct blob *noise_blob(const struct product_key *key, const struct dice_world *w, size_t bytes)
{
    const struct digest digest = product_digest(key, &w->world);
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

TEST(what_does_not_pay_stays_as_it_is)
{
    struct producer *producer = producer_create();
    struct dice_world w;
    assert_non_null(producer);
    world_of(&w, 6);
    for (int coding = CODING_GZIP; coding < CODINGS; coding++) {
        const struct product_key key = coded_key(LAYER_HEIGHT, FORMAT_F32, 64, (enum tile_coding)coding);
        const struct product_key plain_key = plain_of(key);
        const struct digest digest = product_digest(&key, &w.world);
        struct produce_times times = {0};
        struct blob *plain = noise_blob(&plain_key, &w, 64 * 64 * 4);
        struct product_key in[PRODUCT_INPUTS_MAX];
        struct product_plan plan;
        assert_int_equal(product_plan(&key, &digest, &w.world, &plan, in), 1);
        struct blob *coded = product_make(producer, &key, &w.world, &plan, &plain, &times);
        assert_non_null(coded);
        assert_true(digest_equal(&coded->key, &digest));
        assert_int_equal(coded->info.coding, CODING_IDENTITY);
        assert_info(coded, plain);
        assert_int_equal(coded->bytes, plain->bytes);
        assert_memory_equal(coded->data, plain->data, plain->bytes);
        assert_true(coded->data != plain->data && times.coding_ns > 0);
        assert_true(product_fits(&key, &w.world, coded));
        blob_release(plain);
        blob_release(coded);
    }
    producer_free(producer);
}

TEST(other_codings_are_refused)
{
    struct dice_world w;
    world_of(&w, 6);
    for (int coding = 0; coding < CODINGS; coding++)
        for (int stored = 0; stored < CODINGS + 2; stored++) {
            const struct product_key key = coded_key(LAYER_HEIGHT, FORMAT_F32, 64, (enum tile_coding)coding);
            struct blob *blob = noise_blob(&key, &w, 64 * 64 * 4); /* which is none that has been coded */
            blob->info.coding = (uint8_t)stored;
            assert_int_equal(product_fits(&key, &w.world, blob), stored == CODING_IDENTITY);
            blob->info.coding = (uint8_t)coding;
            blob->info.format = FORMAT_PNG;
            assert_false(product_fits(&key, &w.world, blob));
            blob_release(blob);
        }
}

GROUP(product_coded, kit_library);
