/*
 * The product graph (server/render/product.h): what rests on what, names, windows, and the layout of regions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/render/product.h"
#include "../../server/render/tile_make.h"
#include "dice_recipe.h"
#include "region_kit.h"

static int sets(int usual)
{
    const char *text = getenv("TERRANE_TEST_SETS");
    return text ? (int)strtol(text, NULL, 10) : usual;
}

static struct tile_key key_of(int level, int64_t x, int64_t y, enum tile_layer layer, enum tile_format format,
                              int size, enum tile_variant variant)
{
    struct tile_key key = {.seed = 42,
                           .x = x,
                           .y = y,
                           .level = level,
                           .layer = layer,
                           .variant = variant,
                           .format = format,
                           .size = size};
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    return key;
}

static void world_of(struct dice_world *out, int levels)
{
    kit_recipe(&out->recipe, levels, 2, 5);
    make_world(&out->world, &out->recipe, 42);
}

/* ---- The graph ----------------------------------------------------------------------------------------- */

static int inputs_of(const struct dice_world *w, struct tile_key key,
                     struct product_key inputs[PRODUCT_INPUTS_MAX])
{
    const struct product_key product = product_of_tile(&key);
    return product_inputs(&product, &w->world, inputs);
}

static void assert_key(const struct product_key *key, enum product product, int level, int64_t x, int64_t y,
                       enum tile_variant variant)
{
    assert_int_equal(key->product, product);
    assert_int_equal(key->level, level);
    assert_int_equal(key->x, x);
    assert_int_equal(key->y, y);
    assert_int_equal(key->variant, variant);
}

static void tiles_read_what_their_layer_shows(void **state)
{
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    const enum tile_variant base = VARIANT_BASE, eroded = VARIANT_ERODED;
    (void)state;
    world_of(&w, 6);

    assert_int_equal(inputs_of(&w, key_of(2, 5, -3, LAYER_HEIGHT, FORMAT_PNG, 0, base), in), 0);
    assert_int_equal(inputs_of(&w, key_of(2, 5, -3, LAYER_PARTITION, FORMAT_F32, 0, base), in), 0);
    static const enum tile_layer dry[] = {LAYER_HEIGHT,    LAYER_NORMAL, LAYER_SLOPE,
                                          LAYER_HILLSHADE, LAYER_DELTA,  LAYER_FLOW};
    for (size_t i = 0; i < sizeof dry / sizeof *dry; i++) {
        assert_int_equal(inputs_of(&w, key_of(2, 5, -3, dry[i], FORMAT_PNG, 0, eroded), in), 1);
        assert_key(&in[0], PRODUCT_EROSION, 2, 2, -2, eroded);
    }
    static const enum tile_layer wet[] = {LAYER_WATER, LAYER_SURFACE, LAYER_RELIEF};
    for (size_t i = 0; i < sizeof wet / sizeof *wet; i++) {
        assert_int_equal(inputs_of(&w, key_of(2, 5, -3, wet[i], FORMAT_PNG, 0, eroded), in), 2);
        assert_key(&in[0], PRODUCT_EROSION, 2, 2, -2, eroded);
        assert_key(&in[1], PRODUCT_LAKES, 3, 1, -1, eroded); /* samples 640 .. 768 of level 3, -384 .. -256 */
        assert_int_equal(inputs_of(&w, key_of(2, 5, -3, wet[i], FORMAT_PNG, 0, base), in), 1);
        assert_key(&in[0], PRODUCT_LAKES, 3, 1, -1, base);
    }
    for (int layer = 0; layer < LAYERS; layer++) /* all of them tell of the water */
        assert_int_equal(inputs_of(&w, key_of(2, 5, -3, (enum tile_layer)layer, FORMAT_JSON, 0, eroded), in),
                         2);
}

static void tiles_read_where_they_are(void **state)
{
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    const enum tile_variant eroded = VARIANT_ERODED;
    const int64_t last = TERRANE_TILE_LIMIT - 1;
    (void)state;
    world_of(&w, 6);

    assert_int_equal(inputs_of(&w, key_of(0, last, -last - 1, LAYER_HEIGHT, FORMAT_F32, 257, eroded), in), 1);
    assert_key(&in[0], PRODUCT_EROSION, 0, last / 2, -TERRANE_TILE_LIMIT / 2, eroded);
    /* size 512 shows the level below, a region of it */
    assert_int_equal(inputs_of(&w, key_of(1, -7, 4, LAYER_HEIGHT, FORMAT_PNG, 512, eroded), in), 1);
    assert_key(&in[0], PRODUCT_EROSION, 0, -7, 4, eroded);
    /* nothing erodes from level 6 on: but size 512 of level 6 shows level 5 */
    assert_int_equal(inputs_of(&w, key_of(6, 1, 1, LAYER_HEIGHT, FORMAT_PNG, 256, eroded), in), 0);
    assert_int_equal(inputs_of(&w, key_of(6, 1, 1, LAYER_HEIGHT, FORMAT_PNG, 512, eroded), in), 1);
    /* lakes of level 3: one region at levels up to 4, 2 x 2 for size 512 of level 5 */
    static const struct {
        int level, size, regions;
    } wet[] = {{0, 257, 1}, {1, 512, 1}, {3, 257, 1}, {3, 256, 1}, {4, 257, 1}, {4, 512, 1},
               {4, 3, 1},   {5, 512, 4}, {5, 257, 0}, {6, 257, 0}, {6, 512, 0}};
    _Static_assert(TERRANE_LAKES_COARSER == 1, "as this table has it");
    for (size_t i = 0; i < sizeof wet / sizeof *wet; i++) {
        struct tile_key key = key_of(wet[i].level, -3, 9, LAYER_WATER, FORMAT_PNG, wet[i].size, eroded);
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
    assert_int_equal(inputs_of(&w, key_of(0, 0, 0, LAYER_WATER, FORMAT_PNG, 0, eroded), in), 2);
    assert_key(&in[1], PRODUCT_LAKES, 7, 0, 0, VARIANT_BASE);
    w.recipe.lakes.share = 0;
    assert_int_equal(inputs_of(&w, key_of(0, 0, 0, LAYER_WATER, FORMAT_PNG, 0, eroded), in), 1);
    w.recipe.erosion.levels = 0;
    assert_int_equal(inputs_of(&w, key_of(0, 0, 0, LAYER_RELIEF, FORMAT_PNG, 0, VARIANT_BASE), in), 0);
}

static void regions_rest_on_the_next_anchor(void **state)
{
    static const struct {
        enum product product;
        int levels, level, anchor;
        enum tile_variant variant;
    } row[] = {
        {PRODUCT_EROSION, 10, 0, 4, VARIANT_ERODED},   {PRODUCT_EROSION, 10, 3, 4, VARIANT_ERODED},
        {PRODUCT_EROSION, 10, 4, 8, VARIANT_ERODED},   {PRODUCT_EROSION, 10, 8, -1, VARIANT_ERODED},
        {PRODUCT_EROSION, 10, 9, -1, VARIANT_ERODED},  {PRODUCT_EROSION, 4, 0, -1, VARIANT_ERODED},
        {PRODUCT_EROSION, 5, 0, 4, VARIANT_ERODED},    {PRODUCT_EROSION, 25, 20, 24, VARIANT_ERODED},
        {PRODUCT_EROSION, 25, 24, -1, VARIANT_ERODED}, {PRODUCT_LAKES, 10, 4, 8, VARIANT_ERODED},
        {PRODUCT_LAKES, 10, 3, 4, VARIANT_ERODED},     {PRODUCT_LAKES, 10, 3, -1, VARIANT_BASE},
    };
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        kit_recipe(&w.recipe, row[i].levels, 2, 5);
        w.recipe.lakes.level = row[i].level;
        make_world(&w.world, &w.recipe, 1);
        const struct product_key key = {
            .product = row[i].product, .level = row[i].level, .x = -17, .y = 1000, .variant = row[i].variant};
        const int count = product_inputs(&key, &w.world, in);
        assert_int_equal(count, row[i].anchor >= 0);
        const int shift = row[i].anchor - row[i].level;
        if (count)
            assert_key(&in[0], PRODUCT_EROSION, row[i].anchor, -1 - (16 >> shift), 1000 >> shift,
                       VARIANT_ERODED);
        assert_true(product_halo(&key, &w.world) >= (row[i].variant == VARIANT_ERODED ? 2 * 7 + 1 : 48));
    }
}

/* How deep the graph is below a key. */
static int depth_below(const struct product_key *key, const struct terrane_world *world)
{
    struct product_key in[PRODUCT_INPUTS_MAX];
    int most = 0;
    const int count = product_inputs(key, world, in);
    assert_in_range(count, 0, PRODUCT_INPUTS_MAX);
    for (int i = 0; i < count; i++) {
        const int depth = depth_below(&in[i], world);
        most = depth > most ? depth : most;
        if (key->product != PRODUCT_TILE)
            assert_true(in[i].level > key->level);
        assert_true(in[i].product > PRODUCT_TILE);
    }
    return most + 1;
}

static void the_graph_is_no_deeper_than_it_says(void **state)
{
    struct dice_world w;
    (void)state;
    world_of(&w, 25);
    for (int lakes = 0; lakes < 6; lakes++) {
        w.recipe.lakes.level = lakes;
        const struct tile_key key = key_of(0, 0, 0, LAYER_RELIEF, FORMAT_PNG, 0, VARIANT_ERODED);
        const struct product_key product = product_of_tile(&key);
        assert_in_range(depth_below(&product, &w.world), 7, PRODUCT_DEPTH_MAX);
    }
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static int compare_digests(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct digest));
}

static void digests_are_apart(void **state)
{
    enum { MOST = 4000 };
    static struct digest digest[MOST];
    struct dice_world w, other;
    int count = 0;
    (void)state;
    world_of(&w, 6);
    world_of(&other, 7);
    for (int level = 0; level < 6; level++)
        for (int64_t x = -3; x <= 3; x++)
            for (int64_t y = -3; y <= 3; y++) {
                const struct tile_key tile = key_of(level, x, y, LAYER_HEIGHT, FORMAT_F32, 0, VARIANT_ERODED);
                struct product_key key = product_of_tile(&tile);
                const struct digest named = tile_key_digest(&tile, &w.world),
                                    made = product_digest(&key, &w.world);
                assert_true(digest_equal(&named, &made));
                digest[count++] = made;
                for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++)
                    for (int variant = 0; variant < VARIANTS; variant++) {
                        key = (struct product_key){.product = (enum product)product,
                                                   .level = level,
                                                   .x = x,
                                                   .y = y,
                                                   .variant = (enum tile_variant)variant};
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

/* ---- Windows ------------------------------------------------------------------------------------------- */

static bool covers(const struct terrane_window *outer, const struct terrane_window *inner)
{
    return outer->level == inner->level && outer->step == 1 && outer->gi <= inner->gi &&
           outer->gj <= inner->gj &&
           outer->gi + outer->width > inner->gi + (int64_t)(inner->width - 1) * inner->step &&
           outer->gj + outer->height > inner->gj + (int64_t)(inner->height - 1) * inner->step;
}

/* Around 0, near, anywhere, and at the ends of the range of tiles: two to a region. */
static int64_t dice_region(struct dice *dice)
{
    const int64_t limit = TERRANE_TILE_LIMIT / 2;
    switch (dice_int(dice, 0, 4)) {
    case 0:
        return dice_whole(dice, -2, 2);
    case 1:
        return dice_whole(dice, -100000, 100000);
    case 2:
        return limit - dice_whole(dice, 1, 20);
    case 3:
        return dice_whole(dice, 0, 20) - limit;
    default:
        return dice_whole(dice, -limit, limit - 1);
    }
}

/* What making a region reads, or serves: its anchor must have it, and so on up. */
static void check_chain(const struct terrane_recipe *recipe, struct region region)
{
    struct region anchor;
    for (; region_anchor(recipe, &region, &anchor); region = anchor) {
        struct terrane_window window, needed, stored;
        if (region.kind == REGION_LAKES)
            region_ground(recipe, &region, &window);
        else
            region_window(recipe, &region, &window);
        terrane_erode_needs(recipe, &window, anchor.level, &needed);
        region_window(recipe, &anchor, &stored);
        if (!covers(&stored, &needed))
            fail_msg("kind %d, level %d, region %lld, %lld: anchor %d has not what it needs",
                     (int)region.kind, region.level, (long long)region.x, (long long)region.y, anchor.level);
        assert_true(stored.width <= TERRANE_WINDOW_MAX);
        assert_true(region_bytes(recipe, &region) <= REGION_BYTES_MOST);
    }
    assert_true(region_bytes(recipe, &region) <= REGION_BYTES_MOST);
}

static void anchors_hold_what_is_needed_below(void **state)
{
    struct dice dice = {11};
    (void)state;
    for (int set = 0; set < sets(300); set++) {
        struct dice_world w;
        dice_recipe(&dice, &w.recipe);
        dice_erosion(&dice, &w.recipe, TERRANE_LEVEL_MAX + 1);
        make_world(&w.world, &w.recipe, 1);
        for (int i = 0; i < 20 && w.recipe.erosion.levels > 0; i++) {
            const int level = dice_int(&dice, 0, w.recipe.erosion.levels - 1);
            check_chain(&w.recipe, (struct region){REGION_EROSION, level, dice_region(&dice),
                                                   dice_region(&dice), VARIANT_ERODED});
            if (w.recipe.lakes.share > 0 && w.recipe.lakes.level < w.recipe.erosion.levels)
                check_chain(&w.recipe, (struct region){REGION_LAKES, w.recipe.lakes.level, dice_region(&dice),
                                                       dice_region(&dice), VARIANT_ERODED});
        }
    }
}

/* Every sample that a tile's layers read lies in the regions that it names. */
static void regions_hold_what_tiles_read(void **state)
{
    static const int sizes[] = {2, 3, 64, 65, 256, 257, 512};
    struct dice dice = {12};
    (void)state;
    for (int set = 0; set < sets(3000); set++) {
        struct dice_world w;
        struct region region[TILE_REGIONS_MAX];
        struct terrane_window window, stored, needed;
        kit_recipe(&w.recipe, dice_int(&dice, 1, 25), dice_int(&dice, 0, 3), dice_int(&dice, 1, 20));
        w.recipe.lakes.level = dice_int(&dice, 0, 24);
        make_world(&w.world, &w.recipe, 1);
        const struct tile_key key =
            key_of(dice_int(&dice, 1, 24), 2 * dice_region(&dice) + dice_int(&dice, 0, 1),
                   2 * dice_region(&dice) + dice_int(&dice, 0, 1), LAYER_RELIEF, FORMAT_PNG,
                   sizes[dice_int(&dice, 0, COUNT(sizes) - 1)], VARIANT_ERODED);
        const int count = tile_regions(&key, &w.recipe, region);
        assert_int_equal(terrane_window_tile(&window, key.level, key.x, key.y, key.size), 0);
        const bool erodes = window.level < w.recipe.erosion.levels;
        if (erodes) {
            struct terrane_window around = {.level = window.level,
                                            .gi = window.gi - 1,
                                            .gj = window.gj - 1,
                                            .step = 1,
                                            .width = (window.width - 1) * window.step + 3,
                                            .height = (window.height - 1) * window.step + 3};
            region_window(&w.recipe, &region[0], &stored);
            assert_true(covers(&stored, &around));
        }
        if (!terrane_water_needs(&w.recipe, &window, &needed)) {
            assert_int_equal(count, erodes);
            continue;
        }
        /* the regions of lakes are a rectangle, row by row, whose windows join */
        const struct region first = region[erodes], end = region[count - 1];
        assert_int_equal((end.x - first.x + 1) * (end.y - first.y + 1), count - erodes);
        region_window(&w.recipe, &first, &stored);
        assert_true(stored.gi <= needed.gi && stored.gj <= needed.gj);
        region_window(&w.recipe, &end, &stored);
        assert_true(stored.gi + stored.width >= needed.gi + needed.width);
        assert_true(stored.gj + stored.height >= needed.gj + needed.height);
    }
}

/* The recipe that ships, or the parameters that recipes have by default, keep a job under 32 MB; of the scratch memory
 * heights touch less than one. */
static void jobs_keep_to_their_memory(void **state)
{
    struct dice_world w;
    (void)state;
    terrane_recipe_default(&w.recipe);
    if (w.recipe.erosion.levels == 0) {
        struct dice_world kit;
        kit_recipe(&kit.recipe, 10, 6, 12);
        w.recipe.erosion = kit.recipe.erosion;
        for (int level = 0; level < 10; level++) {
            w.recipe.erosion.slides[level] = 2;
            w.recipe.erosion.steps[level] = level < 4 ? 12 : 20;
        }
        for (int z = 0; z < w.recipe.partition.zones; z++) {
            w.recipe.erosion.zone[z] = kit.recipe.erosion.zone[0];
            w.recipe.erosion.zone[z].density += 0.001f * (float)z;
        }
        w.recipe.lakes = (struct terrane_lakes){
            .share = 0.5f, .level = 4, .cell_log2 = 7, .radius = 64, .depth_m = 120, .shallow_m = 1};
    }
    assert_int_equal(terrane_recipe_init(&w.recipe, NULL), 0);
    for (int level = 0; level < w.recipe.erosion.levels; level++) {
        const struct region region = {REGION_EROSION, level, 0, 0, VARIANT_ERODED};
        assert_in_range(region_bytes(&w.recipe, &region) + (1 << 20), 1, 32 << 20);
    }
    const struct region lakes = {REGION_LAKES, w.recipe.lakes.level, 0, 0, VARIANT_ERODED};
    assert_in_range(region_bytes(&w.recipe, &lakes) + (1 << 20), 1, 32 << 20);
}

/* The widest halos and lakes that a recipe may have. */
static void no_recipe_takes_more_than_the_bound(void **state)
{
    struct dice_world w;
    size_t most = 0;
    (void)state;
    for (int lakes = 0; lakes < TERRANE_LEVEL_MAX; lakes++) {
        kit_recipe(&w.recipe, TERRANE_LEVEL_MAX + 1, 3, 62);
        memset(w.recipe.erosion.slides, 0, sizeof w.recipe.erosion.slides);
        w.recipe.erosion.limit = 0x1p-10f;
        w.recipe.lakes.level = lakes;
        w.recipe.lakes.radius = TERRANE_LAKE_RADIUS_MAX;
        w.recipe.partition.zones = TERRANE_ZONES_MAX;
        for (int z = 0; z < TERRANE_ZONES_MAX; z++) {
            w.recipe.partition.zone[z].term = -1;
            w.recipe.partition.threshold[z < TERRANE_ZONES_MAX - 1 ? z : 0] = (float)z;
            w.recipe.erosion.zone[z] = w.recipe.erosion.zone[0];
        }
        w.recipe.partition.threshold[0] = 0;
        w.recipe.partition.blend = 0.25f;
        make_world(&w.world, &w.recipe, 1);
        for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
            assert_int_equal(terrane_erosion_halo(&w.recipe, level), TERRANE_HALO_MAX);
            check_chain(&w.recipe, (struct region){REGION_EROSION, level, -1, 7, VARIANT_ERODED});
            const struct region region = {REGION_EROSION, level, 0, 0, VARIANT_ERODED};
            const size_t bytes = region_bytes(&w.recipe, &region);
            most = bytes > most ? bytes : most;
        }
        const struct region region = {REGION_LAKES, lakes, -1, 7, VARIANT_ERODED};
        check_chain(&w.recipe, region);
        const size_t bytes = region_bytes(&w.recipe, &region);
        most = bytes > most ? bytes : most;
    }
    print_message("a region takes at most %zu bytes\n", most);
    assert_in_range(most, REGION_BYTES_MOST / 2, REGION_BYTES_MOST);
}

/* ---- Blobs --------------------------------------------------------------------------------------------- */

static struct blob *copy_of(const struct blob *blob, size_t bytes)
{
    unsigned char *data = calloc(1, bytes);
    assert_non_null(data);
    memcpy(data, blob->data, bytes < blob->bytes ? bytes : blob->bytes);
    struct blob *copy = blob_create(&blob->key, &blob->info, data, bytes);
    assert_non_null(copy);
    return copy;
}

/* Damages a copy at a byte and sees it refused. */
static void refused(const struct product_key *key, const struct terrane_world *world, const struct blob *blob,
                    size_t at, const void *bytes, size_t count)
{
    struct blob *bad = copy_of(blob, blob->bytes);
    memcpy(bad->data + at, bytes, count);
    assert_false(product_fits(key, world, bad));
    blob_release(bad);
}

static void damaged_regions_are_refused(void **state)
{
    static const uint32_t words[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x49800001,
                                     0xc9800001}; /* NaN, inf, 2^20 + */
    static const int32_t deltas[] = {INT32_MAX, INT32_MIN};
    struct dice_world w;
    struct produce_times times;
    struct producer *producer = producer_create();
    (void)state;
    assert_non_null(producer);
    world_of(&w, 2);
    for (int product = PRODUCT_LAKES; product < PRODUCTS; product++) {
        const struct product_key key = {.product = (enum product)product,
                                        .level = product == PRODUCT_LAKES ? 3 : 1,
                                        .x = -2,
                                        .y = 3,
                                        .variant = product == PRODUCT_LAKES ? VARIANT_BASE : VARIANT_ERODED};
        struct blob *blob = product_make_alone(producer, &key, &w.world, NULL, &times), *bad;
        assert_non_null(blob);
        assert_true(product_fits(&key, &w.world, blob));
        assert_true(times.region_ns > 0);
        for (size_t at = 0; at < REGION_HEADER_BYTES; at++) {
            const unsigned char byte = (unsigned char)(blob->data[at] ^ 1 << at % 8);
            refused(&key, &w.world, blob, at, &byte, 1);
        }
        const size_t lengths[] = {1, REGION_HEADER_BYTES - 1, REGION_HEADER_BYTES, blob->bytes - 1,
                                  blob->bytes + 1};
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            bad = copy_of(blob, lengths[i]);
            assert_false(product_fits(&key, &w.world, bad));
            blob_release(bad);
        }
        struct product_key elsewhere = key;
        elsewhere.x++;
        assert_false(product_fits(&elsewhere, &w.world, blob));
        const size_t last = product == PRODUCT_LAKES ? blob->bytes - 4 : REGION_HEADER_BYTES;
        if (product == PRODUCT_LAKES)
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                refused(&key, &w.world, blob, last, &words[i], 4);
        else
            for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++)
                refused(&key, &w.world, blob, last, &deltas[i], 4);
        blob_release(blob);
    }
    producer_free(producer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_read_what_their_layer_shows),
        cmocka_unit_test(tiles_read_where_they_are),
        cmocka_unit_test(regions_rest_on_the_next_anchor),
        cmocka_unit_test(the_graph_is_no_deeper_than_it_says),
        cmocka_unit_test(digests_are_apart),
        cmocka_unit_test(anchors_hold_what_is_needed_below),
        cmocka_unit_test(regions_hold_what_tiles_read),
        cmocka_unit_test(jobs_keep_to_their_memory),
        cmocka_unit_test(no_recipe_takes_more_than_the_bound),
        cmocka_unit_test(damaged_regions_are_refused),
    };
    return terrane_init(NULL) != 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
