/*
 * Networks of paths and caves in the product graph (server/render): what they read, and blobs of theirs that are not to be
 * trusted. What they rest on, and what making them takes: tests/unit/product/test_region.c.
 */
#include "../../../lib/cave/cave_shown.h"
#include "../../../lib/path/network.h"
#include "hollow_kit.h"

/* The most that a tile may read: all that there is comes to its coarsest level in one tile; but for lattices over it, of rivers. */
TEST(no_tile_reads_more_than_there_is_room_for)
{
    struct dice_world *const w = &scene.w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    hollow_recipe(&w->recipe);
    w->recipe.caves.level = w->recipe.lakes.level; /* with paths one above */
    make_world(&w->world, &w->recipe, 42);
    struct tile_key key = kit_key(5, -3, 7, LAYER_HEIGHT, FORMAT_JSON, 512, VARIANT_CARVED);
    const struct product_key product = product_of_tile(&key);
    assert_int_equal(product_inputs(&product, &w->world, in),
                     PRODUCT_INPUTS_MAX - PRODUCT_INPUTS_BESIDE - TILE_OVER);
}

/* Lattices over a tile of names are those over each of its regions: a level between two has the coarser one, others every second. */
TEST(lattices_over_a_tile_are_over_all_of_it)
{
    struct dice_world w;
    struct tile_plan plan;
    hollow_recipe(&w.recipe);
    w.recipe.lakes.share = 0;
    w.recipe.rivers.top = 13;
    w.recipe.rivers.bottom = 5;
    for (int level = 3; level <= 13; level++) {
        const struct tile_key key = kit_key(level, -3, 5, LAYER_HEIGHT, FORMAT_JSON, 512, VARIANT_ERODED);
        tile_plan_make(&key, &w.recipe, &plan);
        const struct terrane_region_grid *own = &plan.ground.drainage;
        int above = own->first.level;
        assert_true(own->count == (level > 5 ? 4 : 1));
        for (int k = 0; k < plan.overs; k++) {
            const struct terrane_region *over = &plan.region[plan.ground.regions + k];
            above += above % 2 == 0 ? 1 : 2;
            assert_int_equal(over->level, above);
            for (int n = 0; n < own->count; n++)
                assert_true(over->x == (own->first.x + n % 2) >> (above - own->first.level) &&
                            over->y == (own->first.y + n / 2) >> (above - own->first.level));
        }
        assert_true(plan.overs == TILE_OVER || above >= 12);
    }
}

/* What is done with an accepted network: nothing that reads beyond it. */
static void use_network(const struct product_key *key, const struct blob *blob)
{
    struct terrane_region_view view;
    static float heights[17 * 17], distance[17 * 17];
    static uint8_t kind[17 * 17];
    const struct terrane_window window = {4, key->region.x * 256 + 90, key->region.y * 256 + 120, 2, 17, 17};
    const struct terrane_packed packed = {blob->data, blob->bytes};
    assert_int_equal(terrane_region_open(&key->region, &packed, NULL, &view), 0);
    memset(heights, 0, sizeof heights);
    assert_int_equal(
        terrane_paths_apply(&scene.w.recipe, &window, &view.network, NULL, heights, kind, distance), 0);
    for (int i = 0; i < 17 * 17; i++)
        assert_true(kind[i] < TERRANE_PATH_CLASSES && heights[i] >= -0x1p20f && heights[i] <= 0x1p20f);
    terrane_region_close(&view, NULL);
}

/* Every byte of the header, every length, and another place, level or kind. */
static void other_regions_are_refused(const struct product_key *key, struct blob *blob)
{
    for (size_t at = 0; at < TERRANE_REGION_HEADER_BYTES; at++) {
        const unsigned char byte = (unsigned char)(blob->data[at] ^ 1 << at % 8);
        refuse_bytes(key, blob, at, &byte, 1, "other bytes");
    }
    for (size_t k = 0; k < 240; k++) { /* short, a little shorter, longer */
        const size_t bytes = k < 80 ? k + 1 : blob->bytes + (k < 160 ? 79 - k : k - 159);
        refuse(key, kit_copy(blob, bytes), "another length");
    }
    struct product_key other = *key;
    other.region.x++;
    assert_false(product_fits(&other, &scene.w.world, blob));
    other = *key;
    other.region.level += key->product == PRODUCT_ANCHOR ? TERRANE_ANCHOR_LEVELS : 1;
    assert_false(product_fits(&other, &scene.w.world, blob));
    for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++) {
        other = kit_region((enum product)product, key->region.level, key->region.x, key->region.y,
                           key->region.variant);
        if (other.product != key->product &&
            (product != PRODUCT_ANCHOR || key->region.level % TERRANE_ANCHOR_LEVELS == 0))
            assert_false(product_fits(&other, &scene.w.world, blob));
    }
}

/* Words that no number, no count and no delta may be: NaN, infinities, 2^20 and more, and whole numbers as far. */
static void words_are_refused(const struct product_key *key, const struct blob *blob, size_t at, bool floats)
{
    static const uint32_t words[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x49800001, 0xc9800001, 0x7f7fffff},
                          wholes[] = {0x7fffffff, 0x80000000};
    for (size_t i = 0; i < (floats ? COUNT(words) : COUNT(wholes)); i++)
        refuse_bytes(key, blob, at, floats ? &words[i] : &wholes[i], 4, "other bytes");
}

/* Of caves: ground, floors, numbers and places of each cave, and how many there are. */
static void damaged_caves_are_refused(const struct product_key *key, const struct blob *blob)
{
    struct terrane_region_view view;
    const struct terrane_packed packed = {blob->data, blob->bytes};
    assert_int_equal(terrane_region_open(&key->region, &packed, NULL, &view), 0);
    assert_true(view.caves > 0);
    const size_t samples = (size_t)view.window.width * (size_t)view.window.height;
    const size_t list = TERRANE_REGION_HEADER_BYTES + 12 * samples, first = list + 4;
    assert_int_equal(blob->bytes, first + 72 * (size_t)view.caves);
    words_are_refused(key, blob, TERRANE_REGION_HEADER_BYTES, true);
    words_are_refused(key, blob, TERRANE_REGION_HEADER_BYTES + 8 * samples, true);
    for (size_t k = 56; k < 68; k += 4)
        words_are_refused(key, blob, first + k, true);
    for (size_t k = 24; k < 56; k += 8)
        refuse_bytes(key, blob, first + k + 4, &(uint32_t){0x7fffffff}, 4,
                     "other bytes"); /* a place far off */
    const uint32_t counts[] = {(uint32_t)view.caves + 1, (uint32_t)view.caves - 1, 0xffffffff,
                               TERRANE_CAVES_MAX + 1};
    for (size_t i = 0; i < COUNT(counts); i++)
        refuse_bytes(key, blob, list, &counts[i], 4, "other bytes");
    terrane_region_close(&view, NULL);
}

/* Every byte of a network flipped: it is refused, or does no harm. */
static void damaged_networks_do_no_harm(const struct product_key *key, const struct blob *blob)
{
    size_t refusals = 0, used = 0;
    struct blob *bad = kit_copy(blob, blob->bytes);
    for (size_t at = TERRANE_REGION_HEADER_BYTES; at < blob->bytes; at++) {
        bad->data[at] ^= (unsigned char)(1 << at % 8);
        const bool fits = product_fits(key, &scene.w.world, bad);
        assert_false(fits && at < TERRANE_REGION_HEADER_BYTES + 12); /* how many of all */
        refusals += !fits;
        if (fits && at % 16 == 3) {
            use_network(key, bad);
            used++;
        }
        bad->data[at] = blob->data[at];
    }
    assert_true(refusals > blob->bytes / 4 && used > 10);
    blob_release(bad);
}

TEST(damaged_regions_are_refused)
{
    static const struct {
        enum product product;
        int level;
        enum terrane_variant variant;
    } region[] = {{PRODUCT_LAKES, 3, TERRANE_VARIANT_BASE},     {PRODUCT_EROSION, 1, TERRANE_VARIANT_ERODED},
                  {PRODUCT_EROSION, 4, TERRANE_VARIANT_ERODED}, {PRODUCT_ANCHOR, 4, TERRANE_VARIANT_ERODED},
                  {PRODUCT_PATHS, 4, TERRANE_VARIANT_ERODED},   {PRODUCT_CAVES, 2, TERRANE_VARIANT_ERODED}};
    for (size_t r = 0; r < COUNT(region); r++) {
        const struct product_key key =
            kit_region(region[r].product, region[r].level, 1, -1, region[r].variant);
        const struct terrane_world *world = &scene.w.world;
        struct blob *blob = scene_make(&key, false);
        assert_true(product_fits(&key, world, blob) && blob->bytes <= product_bytes(&key, world));
        other_regions_are_refused(&key, blob);
        if (key.product == PRODUCT_LAKES)
            words_are_refused(&key, blob, blob->bytes - 4, true);
        else if (key.product == PRODUCT_CAVES)
            damaged_caves_are_refused(&key, blob);
        else if (key.product == PRODUCT_PATHS)
            damaged_networks_do_no_harm(&key, blob);
        else
            words_are_refused(&key, blob, TERRANE_REGION_HEADER_BYTES, false);
        blob_release(blob);
    }
}

/* Calls of it come here (UNIT_WRAP_render in tests.mk). */
static int made;

WRAPS(terrane_region_make);
int __wrap_terrane_region_make(const struct terrane_world *world, const struct terrane_region *region,
                               const struct terrane_region_needs *needs, const struct terrane_packed *inputs,
                               const struct terrane_memory *memory, struct terrane_packed *out)
{
    made++;
    return __real_terrane_region_make(world, region, needs, inputs, memory, out);
}

/* Of smooth and sharpen of several levels, over a corner of regions: what is in the cache is not made again. That tiles fit
 * together there: tests/http/test_shared_worlds.py. */
TEST(ground_that_edits_read_rests_on_regions_of_the_graph)
{
    const int corner = 1024 * TERRANE_EDIT_PARTS;
    struct edit_entry entry[] = {
        {.edit = {.brush = TERRANE_BRUSH_RAISE, .outer = 2000, .strength = 30 * TERRANE_EDIT_UNITS}},
        {.edit = {.brush = TERRANE_BRUSH_SMOOTH, .outer = 300, .strength = TERRANE_EDIT_SHARES}},
        {.edit = {.brush = TERRANE_BRUSH_SHARPEN, .outer = 3000, .strength = TERRANE_EDIT_SHARES}},
        {.edit = {.brush = TERRANE_BRUSH_SMOOTH, .outer = 20000, .strength = 40000}}};
    struct edit_log *log = edit_log_create();
    struct product_key inputs[PRODUCT_INPUTS_MAX];
    for (size_t k = 0; k < sizeof entry / sizeof *entry; k++)
        entry[k].edit.x = entry[k].edit.y = corner;
    assert_int_equal(edit_log_append(log, entry, sizeof entry / sizeof *entry), 0);
    for (int k = 0; k < 4; k++) {
        struct tile_key key = scene_key(0, 3 + k % 2, 3 + k / 2, LAYER_HEIGHT, FORMAT_F32, 257);
        const struct product_key plain = product_of_tile(&key);
        const int before = product_inputs(&plain, &scene.w.world, inputs);
        key.edits = log;
        key.at = sizeof entry / sizeof *entry;
        const struct product_key edited = product_of_tile(&key);
        assert_true(product_inputs(&edited, &scene.w.world, inputs) > before + 2);
        blob_release(scene_tile(&key, true));
        key.layer = LAYER_NORMAL;
        made = 0;
        ground_kept_drop(&scene.producer->kept, &scene.producer->memory);
        blob_release(scene_tile(&key, true));
        assert_int_equal(made, 0);
    }
    edit_log_free(log);
}

GROUP_EACH(product_hollow, scene_open, scene_close);
