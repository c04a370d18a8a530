/*
 * The product graph (server/render/product.h): what rests on what, names, and blobs that are not to be trusted.
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

static int inputs_of(const struct dice_world *w, struct tile_key key,
                     struct product_key inputs[PRODUCT_INPUTS_MAX])
{
    const struct product_key product = product_of_tile(&key);
    return product_inputs(&product, &w->world, inputs);
}

static void assert_key(const struct product_key *key, enum product product, int level, int64_t x, int64_t y,
                       int variant)
{
    assert_int_equal(key->product, product);
    assert_int_equal(key->region.level, level);
    assert_int_equal(key->region.x, x);
    assert_int_equal(key->region.y, y);
    assert_int_equal(key->region.variant, variant);
}

TEST(tiles_read_what_their_layer_shows)
{
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    const enum tile_variant base = VARIANT_BASE, eroded = VARIANT_ERODED;
    world_of(&w, 6);

    assert_int_equal(inputs_of(&w, kit_key(2, 5, -3, LAYER_HEIGHT, FORMAT_PNG, 0, base), in), 0);
    assert_int_equal(inputs_of(&w, kit_key(2, 5, -3, LAYER_PARTITION, FORMAT_F32, 0, base), in), 0);
    static const enum tile_layer dry[] = {LAYER_HEIGHT,    LAYER_NORMAL, LAYER_SLOPE,
                                          LAYER_HILLSHADE, LAYER_DELTA,  LAYER_FLOW};
    for (size_t i = 0; i < sizeof dry / sizeof *dry; i++) {
        assert_int_equal(inputs_of(&w, kit_key(2, 5, -3, dry[i], FORMAT_PNG, 0, eroded), in), 1);
        assert_key(&in[0], PRODUCT_EROSION, 2, 1, -1, eroded); /* samples 1280 .. 1536 and -768 .. -512 */
    }
    static const enum tile_layer wet[] = {LAYER_WATER, LAYER_SURFACE, LAYER_RELIEF};
    for (size_t i = 0; i < sizeof wet / sizeof *wet; i++) {
        assert_int_equal(inputs_of(&w, kit_key(2, 5, -3, wet[i], FORMAT_PNG, 0, eroded), in), 2);
        assert_key(&in[0], PRODUCT_EROSION, 2, 1, -1, eroded);
        assert_key(&in[1], PRODUCT_LAKES, 3, 1, -1, eroded); /* samples 640 .. 768 of level 3, -384 .. -256 */
        assert_int_equal(inputs_of(&w, kit_key(2, 5, -3, wet[i], FORMAT_PNG, 0, base), in), 1);
        assert_key(&in[0], PRODUCT_LAKES, 3, 1, -1, base);
    }
    for (int layer = 0; layer < LAYERS; layer++) /* all of them tell of the water */
        assert_int_equal(inputs_of(&w, kit_key(2, 5, -3, (enum tile_layer)layer, FORMAT_JSON, 0, eroded), in),
                         2);
}

TEST(tiles_read_where_they_are)
{
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    const enum tile_variant eroded = VARIANT_ERODED;
    const int64_t last = TERRANE_TILE_LIMIT - 1;
    world_of(&w, 6);

    assert_int_equal(inputs_of(&w, kit_key(0, last, -last - 1, LAYER_HEIGHT, FORMAT_F32, 257, eroded), in),
                     1);
    assert_key(&in[0], PRODUCT_EROSION, 0, last / 4, -TERRANE_TILE_LIMIT / 4, eroded);
    /* four by four tiles to a region at levels 0 to 2, two by two above; level 4 is no anchor to them */
    static const int along[] = {4, 4, 4, 2, 2, 2};
    for (int level = 0; level < 6; level++)
        for (int k = 0; k < 8; k++) {
            const struct tile_key key = kit_key(level, k, k - 8, LAYER_DELTA, FORMAT_F32, 0, eroded);
            assert_int_equal(inputs_of(&w, key, in), 1);
            assert_key(&in[0], PRODUCT_EROSION, level, k / along[level], k / along[level] - 8 / along[level],
                       eroded);
        }
    /* size 512 shows the level below, a quarter of a region of it, or all of one */
    assert_int_equal(inputs_of(&w, kit_key(1, -7, 4, LAYER_HEIGHT, FORMAT_PNG, 512, eroded), in), 1);
    assert_key(&in[0], PRODUCT_EROSION, 0, -4, 2, eroded);
    assert_int_equal(inputs_of(&w, kit_key(4, -7, 4, LAYER_HEIGHT, FORMAT_PNG, 512, eroded), in), 1);
    assert_key(&in[0], PRODUCT_EROSION, 3, -7, 4, eroded);
    /* nothing erodes from level 6 on: but size 512 of level 6 shows level 5 */
    assert_int_equal(inputs_of(&w, kit_key(6, 1, 1, LAYER_HEIGHT, FORMAT_PNG, 256, eroded), in), 0);
    assert_int_equal(inputs_of(&w, kit_key(6, 1, 1, LAYER_HEIGHT, FORMAT_PNG, 512, eroded), in), 1);
    /* lakes of level 3: one region at levels up to 4, 2 x 2 for size 512 of level 5 */
    static const struct {
        int level, size, regions;
    } wet[] = {{0, 257, 1}, {1, 512, 1}, {3, 257, 1}, {3, 256, 1}, {4, 257, 1}, {4, 512, 1},
               {4, 3, 1},   {5, 512, 4}, {5, 257, 0}, {6, 257, 0}, {6, 512, 0}};
    _Static_assert(TERRANE_LAKES_COARSER == 1, "as this table has it");
    for (size_t i = 0; i < sizeof wet / sizeof *wet; i++) {
        struct tile_key key = kit_key(wet[i].level, -3, 9, LAYER_WATER, FORMAT_PNG, wet[i].size, eroded);
        const bool erodes = wet[i].level - (wet[i].size == 512) < 6;
        const int count = inputs_of(&w, key, in);
        assert_int_equal(count, wet[i].regions + erodes);
        for (int k = erodes; k < count; k++)
            assert_int_equal(in[k].product, PRODUCT_LAKES);
        /* samples -3072 .. -2048 and 9216 .. 10240: the third region is in the second row */
        if (wet[i].regions == 4)
            assert_key(&in[erodes + 2], PRODUCT_LAKES, 3, -6, 19, eroded);
    }
    w.recipe.lakes.level = 7; /* above all that erodes: the same lakes for both variants */
    assert_int_equal(inputs_of(&w, kit_key(0, 0, 0, LAYER_WATER, FORMAT_PNG, 0, eroded), in), 2);
    assert_key(&in[1], PRODUCT_LAKES, 7, 0, 0, VARIANT_BASE);
    w.recipe.lakes.share = 0;
    assert_int_equal(inputs_of(&w, kit_key(0, 0, 0, LAYER_WATER, FORMAT_PNG, 0, eroded), in), 1);
    w.recipe.erosion.levels = 0;
    assert_int_equal(inputs_of(&w, kit_key(0, 0, 0, LAYER_RELIEF, FORMAT_PNG, 0, VARIANT_BASE), in), 0);
}

TEST(regions_rest_on_the_next_anchor)
{
    static const enum terrane_variant base = TERRANE_VARIANT_BASE, eroded = TERRANE_VARIANT_ERODED;
    static const struct {
        enum product product;
        int levels, level, anchor, regions; /* of these in one anchor, along an axis */
        enum terrane_variant variant;
    } row[] = {
        {PRODUCT_EROSION, 10, 0, 4, 4, eroded},   {PRODUCT_EROSION, 10, 1, 4, 2, eroded},
        {PRODUCT_EROSION, 10, 2, 4, 1, eroded},   {PRODUCT_EROSION, 10, 3, 4, 1, eroded},
        {PRODUCT_EROSION, 10, 4, 8, 8, eroded},   {PRODUCT_EROSION, 10, 7, 8, 1, eroded},
        {PRODUCT_EROSION, 10, 8, -1, 0, eroded},  {PRODUCT_EROSION, 10, 9, -1, 0, eroded},
        {PRODUCT_EROSION, 4, 0, -1, 0, eroded},   {PRODUCT_EROSION, 5, 0, 4, 4, eroded},
        {PRODUCT_EROSION, 25, 20, 24, 8, eroded}, {PRODUCT_EROSION, 25, 24, -1, 0, eroded},
        {PRODUCT_ANCHOR, 10, 4, 8, 16, eroded},   {PRODUCT_ANCHOR, 10, 8, -1, 0, eroded},
        {PRODUCT_ANCHOR, 25, 20, 24, 16, eroded}, {PRODUCT_ANCHOR, 25, 24, -1, 0, eroded},
        {PRODUCT_LAKES, 10, 4, 8, 8, eroded},     {PRODUCT_LAKES, 10, 3, 4, 1, eroded},
        {PRODUCT_LAKES, 10, 0, 4, 8, eroded},     {PRODUCT_LAKES, 10, 3, -1, 0, base},
    };
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        kit_recipe(&w.recipe, row[i].levels, 2, 5);
        w.recipe.lakes.level = row[i].level;
        make_world(&w.world, &w.recipe, 1);
        const struct product_key key = kit_region(row[i].product, row[i].level, -17, 1000, row[i].variant);
        const int count = product_inputs(&key, &w.world, in);
        assert_int_equal(count, row[i].anchor >= 0);
        if (count)
            assert_key(&in[0], PRODUCT_ANCHOR, row[i].anchor, -1 - 16 / row[i].regions, 1000 / row[i].regions,
                       eroded);
    }
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

GROUP(product, kit_library);
