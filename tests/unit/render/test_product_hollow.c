/*
 * Networks of paths and caves in the product graph (server/render): what they rest on, what they take, and blobs of theirs that
 * are not to be trusted.
 */
#include "../../../lib/cave/cave_shown.h"

#include "../../../lib/erosion/erosion.h"
#include "../../../lib/path/network.h"
#include "../../../lib/product/region.h"
#include "../mesh_kit.h"
#include "hollow_kit.h"

/* The most that a tile may read: all that there is comes to its coarsest level in one tile. */
TEST(no_tile_reads_more_than_there_is_room_for)
{
    struct dice_world w;
    struct product_key in[PRODUCT_INPUTS_MAX];
    hollow_recipe(&w.recipe);
    w.recipe.caves.level = w.recipe.lakes.level; /* with paths one above */
    make_world(&w.world, &w.recipe, 42);
    struct tile_key key = kit_key(5, -3, 7, LAYER_HEIGHT, FORMAT_JSON, 512, VARIANT_CARVED);
    const struct product_key product = product_of_tile(&key);
    assert_int_equal(product_inputs(&product, &w.world, in), PRODUCT_INPUTS_MAX - PRODUCT_INPUTS_BESIDE);
}

static int depth_below(const struct product_key *key, const struct terrane_world *world)
{
    struct product_key in[PRODUCT_INPUTS_MAX];
    int max = 0;
    const int count = product_inputs(key, world, in);
    for (int i = 0; i < count; i++) {
        const int depth = depth_below(&in[i], world);
        max = depth > max ? depth : max;
        if (key->product != PRODUCT_TILE)
            assert_true(in[i].product == PRODUCT_ANCHOR &&
                        (in[i].region.level > key->region.level ||
                         (in[i].region.level == key->region.level && key->product == PRODUCT_PATHS)));
    }
    return max + 1;
}

/* A ground is its anchor's, or what eroding it needs lies in that. */
static void check_ground(const struct terrane_recipe *recipe, const struct terrane_region *anchor,
                         const struct terrane_window *ground)
{
    struct terrane_window needed, stored;
    terrane_region_window(recipe, anchor, &stored);
    assert_true(terrane_region_bytes(recipe, anchor) <= TERRANE_REGION_BYTES_MAX);
    terrane_erode_needs(recipe, ground, anchor->level, &needed);
    assert_true(needed.level == anchor->level);
    assert_true(stored.gi <= needed.gi && stored.gj <= needed.gj &&
                stored.gi + stored.width >= needed.gi + needed.width &&
                stored.gj + stored.height >= needed.gj + needed.height);
}

/* Of every ground of a region. Returns whether its lakes have an anchor of their own. */
static bool check_grounds(const struct terrane_recipe *recipe, const struct terrane_region *region)
{
    struct terrane_region_needs needs;
    struct terrane_window ground[TERRANE_REGION_GROUNDS];
    terrane_region_needs(recipe, region, &needs);
    const int grounds = terrane_region_grounds(recipe, region, &needs.window, ground);
    const bool apart = needs.lakes >= 0 && needs.lakes != needs.ground;
    const int from[TERRANE_REGION_GROUNDS] = {needs.ground, needs.lakes}; /* -1: it is eroded from the top */
    if (apart)
        assert_true(region_shares(recipe, region) && grounds == 2 &&
                    needs.region[needs.lakes].level >= ground[1].level + 2);
    if (needs.ground >= 0)
        assert_true((needs.region[needs.ground].level == region->level) == region_shares(recipe, region));
    for (int k = 0; k < grounds; k++)
        if (ground[k].level < recipe->erosion.levels && from[k] >= 0)
            check_ground(recipe, &needs.region[from[k]], &ground[k]);
    return apart;
}

/* Anchors hold what networks and caves are made of, whatever the recipe; nothing takes more memory than a job may. */
TEST(anchors_hold_what_they_are_made_of)
{
    struct dice dice = {7};
    size_t max_bytes = 0;
    int shared = 0, apart = 0;
    for (int set = 0; set < 120; set++) {
        struct dice_world w;
        hollow_recipe(&w.recipe);
        const bool close = set < 2; /* lakes on the ground of the same anchor, as far as that may grow */
        const bool worst = close || set == 2;
        const int levels = worst ? 25 : dice_int(&dice, 1, 25), lakes = close ? 8 : dice_int(&dice, 0, 22);
        kit_recipe(&w.recipe, levels, worst ? 3 : dice_int(&dice, 0, 3), worst ? 62 : dice_int(&dice, 1, 50));
        if (worst)
            memset(w.recipe.erosion.slides, 0, sizeof w.recipe.erosion.slides);
        w.recipe.erosion.limit = 0x1p-10f;
        w.recipe.lakes.level = lakes;
        w.recipe.lakes.radius = close   ? 80 + 40 * set
                                : worst ? TERRANE_LAKE_RADIUS_MAX
                                        : dice_int(&dice, 4, TERRANE_LAKE_RADIUS_MAX);
        w.recipe.lakes.share = close || set % 5 ? 1 : 0;
        const int at = close ? 8 : dice_int(&dice, 0, set % 5 ? lakes + 1 : 20),
                  cell_log2 = close   ? 4
                              : worst ? 7
                                      : dice_int(&dice, 4, 7);
        w.recipe.paths =
            (struct terrane_paths){2, at, cell_log2, 0.25f, at + cell_log2 >= 6 ? 1 : 0, 8, {0}, {0}};
        if (at + cell_log2 < 5)
            w.recipe.paths.width_m = 0;
        w.recipe.caves = (struct terrane_caves){1,
                                                dice_int(&dice, 0, set % 5 ? lakes + 1 : 20),
                                                worst ? 8 : dice_int(&dice, 4, 8),
                                                worst ? TERRANE_CAVE_RADIUS_MAX : dice_int(&dice, 8, 64),
                                                10,
                                                12,
                                                10,
                                                30,
                                                1};
        const int error = terrane_recipe_init(&w.recipe, NULL);
        if (error)
            fail_msg("%s", terrane_error_text(error));
        terrane_world_init(&w.world, &w.recipe, 42);
        for (int kind = TERRANE_REGION_PATHS; kind <= TERRANE_REGION_CAVES; kind++) {
            if (kind == TERRANE_REGION_PATHS && w.recipe.paths.width_m == 0)
                continue;
            const int level = kind == TERRANE_REGION_PATHS ? w.recipe.paths.level : w.recipe.caves.level;
            for (int i = 0; i < 6; i++) {
                struct terrane_region region = {(enum terrane_region_kind)kind, level,
                                                dice_whole(&dice, -100000, 100000), dice_whole(&dice, -3, 3),
                                                TERRANE_VARIANT_ERODED};
                const size_t bytes = terrane_region_bytes(&w.recipe, &region);
                max_bytes = bytes > max_bytes ? bytes : max_bytes;
                if (bytes > TERRANE_REGION_BYTES_MAX)
                    fail_msg("set %d: kind %d takes %zu bytes", set, kind, bytes);
                assert_true(!close || kind != TERRANE_REGION_PATHS ||
                            region_shares(&w.recipe, &region) == (set == 0));
                shared += region_shares(&w.recipe, &region);
                apart += check_grounds(&w.recipe, &region);
            }
        }
        struct tile_key tile = kit_key(0, 1, 1, LAYER_HEIGHT, FORMAT_JSON, 0, VARIANT_CARVED);
        tile.coding = CODING_ZSTD; /* rests on the plain one */
        const struct product_key product = product_of_tile(&tile);
        assert_in_range(depth_below(&product, &w.world), 2, PRODUCT_DEPTH_MAX - 1);
    }
    for (int levels = 5; levels < 10; levels += 4) { /* lakes of a finer level than the paths' anchor */
        struct dice_world w;
        hollow_recipe(&w.recipe);
        w.recipe.erosion.levels = levels;
        memset(w.recipe.erosion.phases, 1, sizeof w.recipe.erosion.phases);
        memset(w.recipe.erosion.steps, 40, sizeof w.recipe.erosion.steps);
        w.recipe.lakes.radius = TERRANE_LAKE_RADIUS_MAX;
        make_world(&w.world, &w.recipe, 42);
        assert_false(check_grounds(
            &w.recipe, &(struct terrane_region){TERRANE_REGION_PATHS, 4, -1, 7, TERRANE_VARIANT_ERODED}));
    }
    print_message("a network or caves take at most %zu bytes; %d share, %d of them with lakes apart\n",
                  max_bytes, shared, apart);
    assert_true(shared > apart && apart > 0);
}

/* As the recipes that ship have them, over the default's erosion and lakes: a job keeps under 32 MB. */
TEST(jobs_keep_to_their_memory)
{
    static struct terrane_recipe recipe;
    size_t max = 0;
    terrane_recipe_default(&recipe);
    recipe.paths = (struct terrane_paths){
        .width_m = 6, .level = 4, .cell_log2 = 6, .slope = 0.25f, .border_m = 12, .depth_m = 12};
    recipe.caves = (struct terrane_caves){1, 2, 7, 40, 350, 12, 14, 80, 0.6f};
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    for (int kind = TERRANE_REGION_EROSION; kind <= TERRANE_REGION_CAVES; kind++)
        for (int level = 0; level < recipe.erosion.levels; level++) {
            const struct terrane_region region = {(enum terrane_region_kind)kind, level, 0, 0,
                                                  TERRANE_VARIANT_ERODED};
            if ((kind == TERRANE_REGION_ANCHOR && (level == 0 || level % TERRANE_ANCHOR_LEVELS != 0)) ||
                (kind == TERRANE_REGION_LAKES && level != recipe.lakes.level) ||
                (kind == TERRANE_REGION_PATHS && level != recipe.paths.level) ||
                (kind == TERRANE_REGION_CAVES && level != recipe.caves.level))
                continue;
            const size_t bytes = terrane_region_bytes(&recipe, &region);
            if (kind >= TERRANE_REGION_PATHS)
                print_message("%s take at most %zu bytes\n",
                              kind == TERRANE_REGION_PATHS ? "a network" : "caves", bytes);
            max = bytes > max ? bytes : max;
        }
    assert_in_range(max + (1 << 20), 1, 32 << 20);
}

/* What is done with an accepted network: nothing that reads beyond it. */
static void use_network(const struct dice_world *w, const struct product_key *key, const struct blob *blob)
{
    struct terrane_region_view view;
    static float heights[17 * 17], distance[17 * 17];
    static uint8_t kind[17 * 17];
    const struct terrane_window window = {4, key->region.x * 256 + 90, key->region.y * 256 + 120, 2, 17, 17};
    const struct terrane_packed packed = {blob->data, blob->bytes};
    assert_int_equal(terrane_region_open(&key->region, &packed, NULL, &view), 0);
    memset(heights, 0, sizeof heights);
    assert_int_equal(terrane_paths_apply(&w->recipe, &window, &view.network, NULL, heights, kind, distance),
                     0);
    for (int i = 0; i < 17 * 17; i++)
        assert_true(kind[i] < TERRANE_PATH_CLASSES && heights[i] >= -0x1p20f && heights[i] <= 0x1p20f);
    terrane_region_close(&view, NULL);
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
                                      struct blob *blob)
{
    for (size_t at = 0; at < TERRANE_REGION_HEADER_BYTES; at++) {
        const unsigned char byte = (unsigned char)(blob->data[at] ^ 1 << at % 8);
        refused(key, world, blob, at, &byte, 1);
    }
    for (size_t k = 0; k < 240; k++) { /* short, a little shorter, longer */
        struct blob *bad = kit_copy(blob, k < 80 ? k + 1 : blob->bytes + (k < 160 ? 79 - k : k - 159));
        assert_false(product_fits(key, world, bad));
        blob_release(bad);
    }
    struct product_key other = *key;
    other.region.x++;
    assert_false(product_fits(&other, world, blob));
    other = *key;
    other.region.level += key->product == PRODUCT_ANCHOR ? TERRANE_ANCHOR_LEVELS : 1;
    assert_false(product_fits(&other, world, blob));
    for (int product = PRODUCT_TILE + 1; product < PRODUCTS; product++) {
        other = kit_region((enum product)product, key->region.level, key->region.x, key->region.y,
                           key->region.variant);
        if (other.product != key->product &&
            (product != PRODUCT_ANCHOR || key->region.level % TERRANE_ANCHOR_LEVELS == 0))
            assert_false(product_fits(&other, world, blob));
    }
}

/* Words that no number, no count and no delta may be: NaN, infinities, 2^20 and more, and whole numbers as far. */
static void words_are_refused(const struct product_key *key, const struct terrane_world *world,
                              const struct blob *blob, size_t at, bool floats)
{
    static const uint32_t words[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x49800001, 0xc9800001, 0x7f7fffff},
                          wholes[] = {0x7fffffff, 0x80000000};
    for (size_t i = 0; i < (floats ? COUNT(words) : COUNT(wholes)); i++)
        refused(key, world, blob, at, floats ? &words[i] : &wholes[i], 4);
}

/* Of caves: ground, floors, numbers and places of each cave, and how many there are. */
static void damaged_caves_are_refused(const struct product_key *key, const struct terrane_world *world,
                                      const struct blob *blob)
{
    struct terrane_region_view view;
    const struct terrane_packed packed = {blob->data, blob->bytes};
    assert_int_equal(terrane_region_open(&key->region, &packed, NULL, &view), 0);
    assert_true(view.caves > 0);
    const size_t samples = (size_t)view.window.width * (size_t)view.window.height;
    const size_t list = TERRANE_REGION_HEADER_BYTES + 12 * samples, first = list + 4;
    assert_int_equal(blob->bytes, first + 72 * (size_t)view.caves);
    words_are_refused(key, world, blob, TERRANE_REGION_HEADER_BYTES, true);
    words_are_refused(key, world, blob, TERRANE_REGION_HEADER_BYTES + 8 * samples, true);
    for (size_t k = 56; k < 68; k += 4)
        words_are_refused(key, world, blob, first + k, true);
    for (size_t k = 24; k < 56; k += 8)
        refused(key, world, blob, first + k + 4, &(uint32_t){0x7fffffff}, 4); /* a place far off */
    const uint32_t counts[] = {(uint32_t)view.caves + 1, (uint32_t)view.caves - 1, 0xffffffff,
                               TERRANE_CAVES_MAX + 1};
    for (size_t i = 0; i < COUNT(counts); i++)
        refused(key, world, blob, list, &counts[i], 4);
    terrane_region_close(&view, NULL);
}

/* Every byte of a network flipped: it is refused, or does no harm. */
static void damaged_networks_do_no_harm(const struct product_key *key, const struct dice_world *w,
                                        const struct blob *blob)
{
    size_t refusals = 0, used = 0;
    struct blob *bad = kit_copy(blob, blob->bytes);
    for (size_t at = TERRANE_REGION_HEADER_BYTES; at < blob->bytes; at++) {
        bad->data[at] ^= (unsigned char)(1 << at % 8);
        const bool fits = product_fits(key, &w->world, bad);
        assert_false(fits && at < TERRANE_REGION_HEADER_BYTES + 12); /* how many of all */
        refusals += !fits;
        if (fits && at % 16 == 3) {
            use_network(w, key, bad);
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
    struct scene scene;
    scene_open(&scene);
    for (size_t r = 0; r < COUNT(region); r++) {
        const struct product_key key =
            kit_region(region[r].product, region[r].level, 1, -1, region[r].variant);
        const struct terrane_world *world = &scene.w.world;
        struct blob *blob = scene_make(&scene, &key, false);
        assert_true(product_fits(&key, world, blob) && blob->bytes <= product_bytes(&key, world));
        other_regions_are_refused(&key, world, blob);
        if (key.product == PRODUCT_LAKES)
            words_are_refused(&key, world, blob, blob->bytes - 4, true);
        else if (key.product == PRODUCT_CAVES)
            damaged_caves_are_refused(&key, world, blob);
        else if (key.product == PRODUCT_PATHS)
            damaged_networks_do_no_harm(&key, &scene.w, blob);
        else
            words_are_refused(&key, world, blob, TERRANE_REGION_HEADER_BYTES, false);
        blob_release(blob);
    }
    scene_close(&scene);
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

/* Of smooth and sharpen of several levels, over a corner of regions: what is in the cache is not made again, and tiles fit together. */
TEST(ground_that_edits_read_rests_on_regions_of_the_graph)
{
    enum { SIDE = 257 };
    const int corner = 1024 * TERRANE_EDIT_PARTS;
    struct edit_entry entry[] = {
        {.edit = {.brush = TERRANE_BRUSH_RAISE, .outer = 2000, .strength = 30 * TERRANE_EDIT_UNITS}},
        {.edit = {.brush = TERRANE_BRUSH_SMOOTH, .outer = 300, .strength = TERRANE_EDIT_SHARES}},
        {.edit = {.brush = TERRANE_BRUSH_SHARPEN, .outer = 3000, .strength = TERRANE_EDIT_SHARES}},
        {.edit = {.brush = TERRANE_BRUSH_SMOOTH, .outer = 20000, .strength = 40000}}};
    struct edit_log *log = edit_log_create();
    struct product_key inputs[PRODUCT_INPUTS_MAX];
    struct blob *tile[2][2];
    struct scene scene;
    scene_open(&scene);
    for (size_t k = 0; k < sizeof entry / sizeof *entry; k++)
        entry[k].edit.x = entry[k].edit.y = corner;
    assert_int_equal(edit_log_append(log, entry, sizeof entry / sizeof *entry), 0);
    for (int k = 0; k < 4; k++) {
        struct tile_key key = scene_key(&scene, 0, 3 + k % 2, 3 + k / 2, LAYER_HEIGHT, FORMAT_F32, SIDE);
        const struct product_key plain = product_of_tile(&key);
        const int before = product_inputs(&plain, &scene.w.world, inputs);
        key.edits = log;
        key.at = sizeof entry / sizeof *entry;
        const struct product_key edited = product_of_tile(&key);
        assert_true(product_inputs(&edited, &scene.w.world, inputs) > before + 2);
        tile[k / 2][k % 2] = scene_tile(&scene, &key, true);
        key.layer = LAYER_NORMAL;
        made = 0;
        ground_kept_drop(&scene.producer->kept, &scene.producer->memory);
        blob_release(scene_tile(&scene, &key, true));
        assert_int_equal(made, 0);
    }
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < 2; k++) {
            const float *west = (const float *)(void *)tile[k][0]->data,
                        *east = (const float *)(void *)tile[k][1]->data,
                        *north = (const float *)(void *)tile[0][k]->data,
                        *south = (const float *)(void *)tile[1][k]->data;
            assert_true(west[i * SIDE + SIDE - 1] == east[i * SIDE] &&
                        north[(SIDE - 1) * SIDE + i] == south[i]);
        }
    for (int k = 0; k < 4; k++)
        blob_release(tile[k / 2][k % 2]);
    edit_log_free(log);
    scene_close(&scene);
}

GROUP(product_hollow, kit_library);
