/*
 * Windows of regions (lib/terrane_make.h): each region finds in its anchor what it is made of, tiles find in theirs
 * what they read, and making one keeps to its memory.
 */
#include "../../../lib/erosion/erosion.h"
#include "../../../lib/product/region.h"
#include "../../../lib/water/water.h"
#include "../drain/drain_kit.h"
#include "../render/hollow_kit.h"

static bool covers(const struct terrane_window *outer, const struct terrane_window *inner)
{
    return outer->level == inner->level && outer->step == 1 && outer->gi <= inner->gi &&
           outer->gj <= inner->gj &&
           outer->gi + outer->width > inner->gi + (int64_t)(inner->width - 1) * inner->step &&
           outer->gj + outer->height > inner->gj + (int64_t)(inner->height - 1) * inner->step;
}

/* Around 0, near, anywhere, and at the ends of the range. */
static int64_t dice_tile(struct dice *dice)
{
    const int64_t limit = TERRANE_TILE_LIMIT;
    const int64_t tiles[] = {dice_whole(dice, -2, 2), dice_whole(dice, -100000, 100000),
                             limit - dice_whole(dice, 1, 20), dice_whole(dice, 0, 20) - limit,
                             dice_whole(dice, -limit, limit - 1)};
    return tiles[dice_int(dice, 0, COUNT(tiles) - 1)];
}

/* Samples that a region is wide, without its margin. */
static int64_t own_samples(const struct terrane_recipe *recipe, const struct terrane_region *region)
{
    struct terrane_window window;
    terrane_region_window(recipe, region, &window);
    return window.width - 1 - 2 * region_margin(recipe, region->kind, region->level);
}

/* The region of a tile along an axis; or, as often, the first or the last in the anchor of that. */
static int64_t dice_region(struct dice *dice, const struct terrane_recipe *recipe,
                           enum terrane_region_kind kind, int level)
{
    const int64_t g = dice_tile(dice) * 256;
    const int anchor = region_anchor_above(recipe, level);
    if (anchor < 0 || dice_int(dice, 0, 1))
        return terrane_region_of(kind, level, g);
    const int64_t size = (INT64_C(1) << (anchor - level))
                         << terrane_region_log2(TERRANE_REGION_ANCHOR, anchor);
    const int64_t first = terrane_region_of(TERRANE_REGION_ANCHOR, anchor, g >> (anchor - level)) * size;
    return terrane_region_of(kind, level, dice_int(dice, 0, 1) ? first : first + size - 1);
}

/* All samples that are a region's own lie over those that are its anchor's own. */
static void check_place(const struct terrane_recipe *recipe, const struct terrane_region *region,
                        const struct terrane_region *anchor)
{
    const int64_t up = INT64_C(1) << (anchor->level - region->level);
    const int64_t own = own_samples(recipe, region), above = own_samples(recipe, anchor) * up;
    assert_int_equal(own, INT64_C(1) << terrane_region_log2(region->kind, region->level));
    assert_true(region->x * own >= anchor->x * above && (region->x + 1) * own <= (anchor->x + 1) * above);
    assert_true(region->y * own >= anchor->y * above && (region->y + 1) * own <= (anchor->y + 1) * above);
    assert_int_equal(anchor->kind, TERRANE_REGION_ANCHOR);
    if (region->kind != TERRANE_REGION_PATHS && region->kind != TERRANE_REGION_CAVES)
        assert_int_equal(anchor->level, (region->level / 4 + 1) * 4);
    else
        assert_true(anchor->level % 4 == 0 &&
                    anchor->level >= region->level + (region_shares(recipe, region) ? 0 : 2));
}

/* What making a region reads, or serves: its anchors must have it, and so on up. Returns how many of them it rests on. */
static int check_chain(const struct terrane_recipe *recipe, struct terrane_region region)
{
    struct terrane_region_needs needs;
    struct terrane_window ground[TERRANE_REGION_GROUNDS], needed, stored;
    terrane_region_needs(recipe, &region, &needs);
    const int grounds = terrane_region_grounds(recipe, &region, &needs.window, ground);
    const int from[TERRANE_REGION_GROUNDS] = {needs.ground, needs.lakes}; /* -1: it is eroded from the top */
    for (int k = 0; k < grounds; k++) {
        if (ground[k].level >= recipe->erosion.levels || from[k] < 0)
            continue;
        const struct terrane_region *anchor = &needs.region[from[k]];
        terrane_region_window(recipe, anchor, &stored);
        terrane_erode_needs(recipe, &ground[k], anchor->level, &needed);
        if (!covers(&stored, &needed))
            fail_msg("kind %d, level %d, region %lld, %lld: anchor %d has not what it needs",
                     (int)region.kind, region.level, (long long)region.x, (long long)region.y, anchor->level);
    }
    assert_true(terrane_region_bytes(recipe, &region) <= TERRANE_REGION_BYTES_MAX);
    for (int k = 0; k < needs.count; k++) {
        check_place(recipe, &region, &needs.region[k]);
        terrane_region_window(recipe, &needs.region[k], &stored);
        assert_true(stored.width <= TERRANE_WINDOW_MAX);
        assert_true(region_margin(recipe, needs.region[k].kind, needs.region[k].level) <= 512);
        check_chain(recipe, needs.region[k]);
    }
    if (needs.count == 2) /* lakes have an anchor of their own */
        assert_true(region_shares(recipe, &region) && grounds == 2 &&
                    needs.region[needs.lakes].level >= ground[1].level + 2);
    if (needs.ground >= 0)
        assert_true((needs.region[needs.ground].level == region.level) == region_shares(recipe, &region));
    return needs.count;
}

static void check_somewhere(struct dice *dice, const struct terrane_recipe *recipe,
                            enum terrane_region_kind kind, int level)
{
    const struct terrane_region region = {kind, level, dice_region(dice, recipe, kind, level),
                                          dice_region(dice, recipe, kind, level), TERRANE_VARIANT_ERODED};
    check_chain(recipe, region);
}

TEST(anchors_hold_what_is_needed_below)
{
    struct dice dice = {11};
    for (int set = 0; set < sets(300); set++) {
        struct dice_world w;
        dice_recipe(&dice, &w.recipe);
        dice_erosion(&dice, &w.recipe, TERRANE_LEVEL_MAX + 1);
        make_world(&w.world, &w.recipe, 1);
        for (int i = 0; i < 20 && w.recipe.erosion.levels > 0; i++) {
            const int level = dice_int(&dice, 0, w.recipe.erosion.levels - 1);
            check_somewhere(&dice, &w.recipe, TERRANE_REGION_EROSION, level);
            if (level >= TERRANE_ANCHOR_LEVELS)
                check_somewhere(&dice, &w.recipe, TERRANE_REGION_ANCHOR,
                                level / TERRANE_ANCHOR_LEVELS * TERRANE_ANCHOR_LEVELS);
            if (w.recipe.lakes.share > 0 && w.recipe.lakes.level < w.recipe.erosion.levels)
                check_somewhere(&dice, &w.recipe, TERRANE_REGION_LAKES, w.recipe.lakes.level);
        }
    }
}

/* What a region of drainage usually reads of the lattice above lies in the region that it names, and so on up. */
static void check_lattices(const struct terrane_recipe *recipe, struct terrane_region region)
{
    struct terrane_window needed, stored;
    struct terrane_region_needs needs;
    for (; region.level < recipe->rivers.top; region = needs.region[needs.drainage]) {
        terrane_region_needs(recipe, &region, &needs);
        assert_true(needs.count == 1 && needs.drainage == 0);
        assert_true(terrane_drain_needs(recipe, &needs.window, &needed));
        terrane_region_window(recipe, &needs.region[0], &stored);
        if (!covers(&stored, &needed))
            fail_msg("kind %d, level %d, region %lld, %lld: level %d has not what it needs", (int)region.kind,
                     region.level, (long long)region.x, (long long)region.y, needs.region[0].level);
    }
    terrane_region_needs(recipe, &region, &needs);
    assert_int_equal(needs.count, 0);
}

TEST(lattices_hold_what_is_needed_below)
{
    struct dice dice = {13};
    for (int set = 0; set < sets(300); set++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_rivers(&dice);
        recipe.rivers.sand = set % 2;
        make_world(&world, &recipe, 1);
        for (int i = 0; i < 20; i++) {
            struct terrane_region region = {.kind = i % 2 ? TERRANE_REGION_RIVERS : TERRANE_REGION_DRAINAGE,
                                            .level = dice_int(&dice, recipe.rivers.bottom, recipe.rivers.top),
                                            .variant = TERRANE_VARIANT_ERODED};
            region.x = dice_whole(&dice, -1000000, 1000000);
            region.y = dice_whole(&dice, -1000000, 1000000);
            check_lattices(&recipe, region);
        }
    }
}

/* What rests on the finest lattice one level above it, and reaches as far as it may: no region is wider than is drained. */
TEST(regions_of_rivers_are_no_wider_than_is_drained)
{
    struct dice dice = {17};
    int widest = 0;
    for (int set = 0; set < 40; set++) {
        struct terrane_recipe recipe = dice_rivers(&dice);
        const int bottom = recipe.rivers.bottom;
        recipe.erosion.phases[bottom - 1] = 4;
        recipe.erosion.steps[bottom - 1] = (uint8_t)dice_int(&dice, 20, 42);
        recipe.erosion.slides[bottom - 1] = 4;
        if (set % 2)
            recipe.paths = (struct terrane_paths){
                .width_m = 8, .level = bottom - 1, .cell_log2 = 7, .slope = 0.3f, .depth_m = 8};
        else
            recipe.caves = (struct terrane_caves){.share = 1,
                                                  .level = bottom - 1,
                                                  .cell_log2 = 8,
                                                  .radius = 64,
                                                  .roof_m = 8,
                                                  .height_m = 8,
                                                  .room = 8,
                                                  .slope = 1};
        assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
        for (int kind = 0; kind < 2; kind++) {
            const struct terrane_region region = {.kind =
                                                      kind ? TERRANE_REGION_RIVERS : TERRANE_REGION_DRAINAGE,
                                                  .level = bottom,
                                                  .variant = TERRANE_VARIANT_ERODED};
            struct terrane_window window;
            terrane_region_window(&recipe, &region, &window);
            widest = window.width > widest ? window.width : widest;
            assert_true(window.width <= TERRANE_DRAIN_SIDE_MAX);
            assert_true(terrane_region_bytes(&recipe, &region) <= TERRANE_REGION_BYTES_MAX);
        }
    }
    assert_true(widest > 768);
}

/* Every sample that a tile's layers read lies in the regions that it names. */
TEST(regions_hold_what_tiles_read)
{
    static const int sizes[] = {2, 3, 64, 65, 256, 257, 512};
    struct dice dice = {12};
    for (int set = 0; set < sets(3000); set++) {
        struct dice_world w;
        struct tile_plan plan;
        struct terrane_window window, stored, needed;
        kit_recipe(&w.recipe, dice_int(&dice, 1, 25), dice_int(&dice, 0, 3), dice_int(&dice, 1, 20));
        w.recipe.lakes.level = dice_int(&dice, 0, 24);
        make_world(&w.world, &w.recipe, 1);
        const struct tile_key key =
            kit_key(dice_int(&dice, 1, 24), dice_tile(&dice), dice_tile(&dice), LAYER_RELIEF, FORMAT_PNG,
                    sizes[dice_int(&dice, 0, COUNT(sizes) - 1)], VARIANT_ERODED);
        tile_plan_make(&key, &w.recipe, &plan);
        assert_int_equal(terrane_window_tile(&window, key.level, key.x, key.y, key.size), 0);
        const bool erodes = window.level < w.recipe.erosion.levels;
        if (erodes) {
            struct terrane_window around = {.level = window.level,
                                            .gi = window.gi - 1,
                                            .gj = window.gj - 1,
                                            .step = 1,
                                            .width = (window.width - 1) * window.step + 3,
                                            .height = (window.height - 1) * window.step + 3};
            terrane_region_window(&w.recipe, plan.ground.region, &stored);
            assert_true(covers(&stored, &around));
        }
        if (!terrane_water_needs(&w.recipe, &window, &needed)) {
            assert_int_equal(plan.ground.regions, erodes);
            continue;
        }
        /* the regions of lakes are a rectangle, row by row, whose windows join */
        const struct terrane_region first = plan.ground.region[erodes],
                                    end = plan.ground.region[plan.ground.regions - 1];
        assert_int_equal((end.x - first.x + 1) * (end.y - first.y + 1), plan.ground.regions - erodes);
        terrane_region_window(&w.recipe, &first, &stored);
        assert_true(stored.gi <= needed.gi && stored.gj <= needed.gj);
        terrane_region_window(&w.recipe, &end, &stored);
        assert_true(stored.gi + stored.width >= needed.gi + needed.width);
        assert_true(stored.gj + stored.height >= needed.gj + needed.height);
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* The most that a region of a recipe takes, of whatever kind. */
static size_t max_bytes(const struct terrane_recipe *recipe)
{
    size_t max = 0;
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const bool has[] = {
            [TERRANE_REGION_EROSION] = level<recipe->erosion.levels, [TERRANE_REGION_ANCHOR] = level> 0 &&
                                       level < recipe->erosion.levels && level % TERRANE_ANCHOR_LEVELS == 0,
            [TERRANE_REGION_LAKES] = level == recipe->lakes.level,
            [TERRANE_REGION_PATHS] = recipe->paths.width_m > 0 && level == recipe->paths.level,
            [TERRANE_REGION_CAVES] = recipe->caves.share > 0 && level == recipe->caves.level};
        for (int kind = 0; kind < COUNT(has); kind++) {
            const struct terrane_region region = {(enum terrane_region_kind)kind, level, 0, 0,
                                                  TERRANE_VARIANT_ERODED};
            const size_t bytes = has[kind] ? terrane_region_bytes(recipe, &region) : 0;
            max = bytes > max ? bytes : max;
        }
    }
    return max;
}

/* Paths and caves as the recipes that ship have them, over the default's erosion and lakes: a job keeps under 32 MB. */
TEST(jobs_keep_to_their_memory)
{
    static struct terrane_recipe recipe;
    terrane_recipe_default(&recipe);
    recipe.paths = (struct terrane_paths){
        .width_m = 6, .level = 4, .cell_log2 = 6, .slope = 0.25f, .border_m = 12, .depth_m = 12};
    recipe.caves = (struct terrane_caves){1, 2, 7, 40, 350, 12, 14, 80, 0.6f};
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_in_range(max_bytes(&recipe) + (1 << 20), 1, 32 << 20);
}

/* The widest halos and lakes that a recipe may have. */
TEST(no_recipe_takes_more_than_the_bound)
{
    struct dice_world w;
    size_t max = 0;
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
            check_chain(&w.recipe, (struct terrane_region){TERRANE_REGION_EROSION, level, -1, 7,
                                                           TERRANE_VARIANT_ERODED});
        }
        check_chain(&w.recipe,
                    (struct terrane_region){TERRANE_REGION_LAKES, lakes, -1, 7, TERRANE_VARIANT_ERODED});
        const size_t bytes = max_bytes(&w.recipe);
        max = bytes > max ? bytes : max;
    }
    print_message("a region takes at most %zu bytes\n", max);
    assert_in_range(max, TERRANE_REGION_BYTES_MAX / 2, TERRANE_REGION_BYTES_MAX);
}

/* ---- Networks and caves -------------------------------------------------------------------------------- */

static int depth_below(const struct product_key *key, const struct terrane_world *world)
{
    struct product_key in[PRODUCT_INPUTS_MAX];
    int max = 0;
    const int count = product_inputs(key, world, in);
    for (int i = 0; i < count; i++) {
        const int depth = depth_below(&in[i], world);
        max = depth > max ? depth : max;
    }
    return max + 1;
}

/* Whatever the recipe; lakes of a finer level than the paths' anchor have none of their own. */
TEST(anchors_hold_what_networks_and_caves_are_made_of)
{
    struct dice dice = {7};
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
        w.recipe.caves =
            (struct terrane_caves){.share = 1,
                                   .level = dice_int(&dice, 0, set % 5 ? lakes + 1 : 20),
                                   .cell_log2 = worst ? 8 : dice_int(&dice, 4, 8),
                                   .radius = worst ? TERRANE_CAVE_RADIUS_MAX : dice_int(&dice, 8, 64),
                                   .high_m = 10,
                                   .roof_m = 12,
                                   .height_m = 10,
                                   .room = 30,
                                   .slope = 1};
        make_world(&w.world, &w.recipe, 42);
        for (int kind = TERRANE_REGION_PATHS; kind <= TERRANE_REGION_CAVES; kind++) {
            if (kind == TERRANE_REGION_PATHS && w.recipe.paths.width_m == 0)
                continue;
            const int level = kind == TERRANE_REGION_PATHS ? w.recipe.paths.level : w.recipe.caves.level;
            for (int i = 0; i < 6; i++) {
                const struct terrane_region region = {(enum terrane_region_kind)kind, level,
                                                      dice_whole(&dice, -100000, 100000),
                                                      dice_whole(&dice, -3, 3), TERRANE_VARIANT_ERODED};
                const bool shares = region_shares(&w.recipe, &region);
                assert_true(!close || kind != TERRANE_REGION_PATHS || shares == (set == 0));
                shared += shares;
                apart += check_chain(&w.recipe, region) == 2;
            }
        }
        struct tile_key tile = kit_key(0, 1, 1, LAYER_HEIGHT, FORMAT_JSON, 0, VARIANT_CARVED);
        tile.coding = CODING_ZSTD; /* rests on the plain one */
        const struct product_key product = product_of_tile(&tile);
        assert_in_range(depth_below(&product, &w.world), 2, PRODUCT_DEPTH_MAX - 1);
    }
    assert_true(shared > apart && apart > 0);
    for (int levels = 5; levels < 10; levels += 4) {
        struct dice_world w;
        hollow_recipe(&w.recipe);
        w.recipe.erosion.levels = levels;
        memset(w.recipe.erosion.phases, 1, sizeof w.recipe.erosion.phases);
        memset(w.recipe.erosion.steps, 40, sizeof w.recipe.erosion.steps);
        w.recipe.lakes.radius = TERRANE_LAKE_RADIUS_MAX;
        make_world(&w.world, &w.recipe, 42);
        assert_int_not_equal(check_chain(&w.recipe, (struct terrane_region){TERRANE_REGION_PATHS, 4, -1, 7,
                                                                            TERRANE_VARIANT_ERODED}),
                             2);
    }
}

GROUP(region, kit_library);
