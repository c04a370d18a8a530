/*
 * The product graph (server/render/product.h): names, blobs that are not to be trusted, and tiles that are not worth a coding.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../server/encode/encode.h"
#include "../../../server/render/product.h"
#include "../dice_recipe.h"
#include "../region_kit.h"

static void world_of(struct dice_world *out, int levels)
{
    kit_recipe(&out->recipe, levels, 2, 5);
    make_world(&out->world, &out->recipe, 42);
}
static int compare_digests(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct digest));
}

TEST(digests_are_apart)
{
    enum { MOST = 12000 };
    static struct digest digest[MOST];
    struct dice_world w, other;
    int count = 0;
    world_of(&w, 6);
    world_of(&other, 7);
    for (int level = 0; level < 6; level++)
        for (int64_t x = -3; x <= 3; x++)
            for (int64_t y = -3; y <= 3; y++) {
                const struct tile_key tile =
                    kit_key(level, x, y, LAYER_HEIGHT, FORMAT_F32, 0, VARIANT_ERODED);
                struct product_key key = product_of_tile(&tile);
                const struct digest named = tile_key_digest(&tile, &w.world),
                                    made = product_digest(&key, &w.world);
                assert_true(digest_equal(&named, &made));
                digest[count++] = made;
                for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++)
                    for (int variant = 0; variant < VARIANTS; variant++) {
                        key = kit_region((enum product)product, level, x, y, (enum terrane_variant)variant);
                        digest[count++] = product_digest(&key, &w.world);
                        key.tile = tile; /* is no part of a region */
                        const struct digest again = product_digest(&key, &w.world);
                        assert_true(digest_equal(&digest[count - 1], &again));
                        digest[count++] = product_digest(&key, &other.world);
                        assert_in_range(count, 0, MOST);
                    }
            }
    qsort(digest, (size_t)count, sizeof *digest, compare_digests);
    for (int i = 1; i < count; i++)
        assert_false(digest_equal(&digest[i - 1], &digest[i]));
}

/* Damages a copy at a byte and sees it refused. */
static void refused(const struct product_key *key, const struct terrane_world *world, const struct blob *blob,
                    size_t at, const void *bytes, size_t count)
{
    struct blob *bad = kit_copy(blob, blob->bytes);
    memcpy(bad->data + at, bytes, count);
    assert_false(product_fits(key, world, bad));
    blob_release(bad);
}

/* Every byte of the header, every length, and another place, level or kind. */
static void other_regions_are_refused(const struct product_key *key, const struct terrane_world *world,
                                      const struct blob *blob)
{
    for (size_t at = 0; at < TERRANE_REGION_HEADER_BYTES; at++) {
        const unsigned char byte = (unsigned char)(blob->data[at] ^ 1 << at % 8);
        refused(key, world, blob, at, &byte, 1);
    }
    const size_t lengths[] = {1, TERRANE_REGION_HEADER_BYTES - 1, TERRANE_REGION_HEADER_BYTES,
                              blob->bytes - 1, blob->bytes + 1};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct blob *bad = kit_copy(blob, lengths[i]);
        assert_false(product_fits(key, world, bad));
        blob_release(bad);
    }
    struct product_key other = *key;
    other.region.x++;
    assert_false(product_fits(&other, world, blob));
    other = *key;
    other.region.level += key->product == PRODUCT_ANCHOR ? TERRANE_ANCHOR_LEVELS : 1;
    assert_false(product_fits(&other, world, blob));
    other = *key;
    for (int product = PRODUCT_LAKES; product < PRODUCTS; product++) {
        other = kit_region((enum product)product, key->region.level, key->region.x, key->region.y,
                           key->region.variant);
        if (other.product != key->product &&
            (product != PRODUCT_ANCHOR || key->region.level % TERRANE_ANCHOR_LEVELS == 0))
            assert_false(product_fits(&other, world, blob));
    }
}

TEST(damaged_regions_are_refused)
{
    static const struct {
        enum product product;
        int level;
        enum terrane_variant variant;
    } region[] = {{PRODUCT_LAKES, 3, TERRANE_VARIANT_BASE},
                  {PRODUCT_EROSION, 1, TERRANE_VARIANT_ERODED},
                  {PRODUCT_EROSION, 4, TERRANE_VARIANT_ERODED},
                  {PRODUCT_ANCHOR, 4, TERRANE_VARIANT_ERODED}};
    static const uint32_t words[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x49800001,
                                     0xc9800001}; /* NaN, inf, 2^20 + */
    static const int32_t deltas[] = {INT32_MAX, INT32_MIN};
    struct dice_world w;
    struct produce_times times;
    struct producer *producer = producer_create();
    assert_non_null(producer);
    world_of(&w, 10);
    for (size_t r = 0; r < sizeof region / sizeof *region; r++) {
        const struct product_key key =
            kit_region(region[r].product, region[r].level, -2, 3, region[r].variant);
        struct blob *blob = product_make_alone(producer, &key, &w.world, NULL, &times);
        assert_non_null(blob);
        assert_true(product_fits(&key, &w.world, blob));
        assert_true(times.region_ns > 0);
        other_regions_are_refused(&key, &w.world, blob);
        const size_t last = key.product == PRODUCT_LAKES ? blob->bytes - 4 : TERRANE_REGION_HEADER_BYTES;
        if (key.product == PRODUCT_LAKES)
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                refused(&key, &w.world, blob, last, &words[i], 4);
        else
            for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++)
                refused(&key, &w.world, blob, last, &deltas[i], 4);
        blob_release(blob);
    }
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

/* Calls of these two come here (UNIT_WRAP_render in tests.mk). */
static int planned, windows;

WRAPS(terrane_plan_regions);
int __wrap_terrane_plan_regions(const struct terrane_plan *plan, struct terrane_region *region)
{
    planned++;
    return __real_terrane_plan_regions(plan, region);
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
    struct producer *producer = producer_create();
    struct dice_world w;
    assert_non_null(producer);
    world_of(&w, 6);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct tile_key key = kit_key(2, 5, -3, LAYER_HEIGHT, formats[i], 65, VARIANT_ERODED);
        struct produce_times times = {0};
        planned = windows = 0;
        struct blob *blob = produce(producer, &key, &w.world, &times);
        assert_non_null(blob);
        assert_int_equal(planned, 1);
        assert_int_equal(windows, 1);
        blob_release(blob);
    }
    producer_free(producer);
}

TEST(what_does_not_pay_stays_as_it_is)
{
    struct producer *producer = producer_create();
    struct dice_world w;
    assert_non_null(producer);
    world_of(&w, 6);
    for (int coding = CODING_GZIP; coding < CODINGS; coding++) {
        struct tile_key tile = kit_key(2, 5, -3, LAYER_HEIGHT, FORMAT_F32, 64, VARIANT_ERODED);
        const struct product_key plain_key = product_of_tile(&tile);
        tile.coding = (enum tile_coding)coding;
        const struct product_key key = product_of_tile(&tile);
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
        assert_true(coded->info.width == 64 && coded->info.min_m == plain->info.min_m &&
                    coded->info.max_m == plain->info.max_m);
        assert_int_equal(coded->bytes, plain->bytes);
        assert_memory_equal(coded->data, plain->data, plain->bytes);
        assert_true(coded->data != plain->data && times.coding_ns > 0);
        assert_true(product_fits(&key, &w.world, coded));
        blob_release(plain);
        blob_release(coded);
    }
    producer_free(producer);
}

GROUP(product, kit_library);
