/*
 * Where a world is worth seeing first: a function of the world, on dry and gentle ground where there is any.
 */
#include "../lib_fixture.h"

#include "../../../server/render/spawn.h"
#include "hollow_kit.h"

static struct terrane_recipe recipe;

static struct spawn spawn_of(uint64_t seed)
{
    struct terrane_world world;
    struct spawn spawn;
    terrane_world_init(&world, &recipe, seed);
    assert_int_equal(spawn_find(&world, &spawn), 0);
    return spawn;
}

static float ground_at(uint64_t seed, double x_m, double y_m)
{
    struct terrane_world world;
    struct terrane_window window = {
        0, (int64_t)(x_m / recipe.spacing_m), (int64_t)(y_m / recipe.spacing_m), 1, 1, 1};
    float height;
    terrane_world_init(&world, &recipe, seed);
    assert_int_equal(terrane_heights(&world, &window, NULL, &height), 0);
    return height;
}

TEST(stands_on_dry_and_gentle_ground)
{
    hollow_recipe(&recipe);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct spawn spawn = spawn_of(seed), again = spawn_of(seed);
        assert_true(spawn.x_m == again.x_m && spawn.y_m == again.y_m && spawn.height_m == again.height_m &&
                    spawn.level == again.level);
        assert_float_equal(spawn.height_m, (double)ground_at(seed, spawn.x_m, spawn.y_m), 0);
        assert_true(spawn.height_m >= (double)recipe.sea_m + 4);
        assert_true(
            fabsf(ground_at(seed, spawn.x_m + 8 * recipe.spacing_m, spawn.y_m) - (float)spawn.height_m) < 2);
    }
}

TEST(a_world_without_land_or_relief_has_one)
{
    hollow_recipe(&recipe);
    recipe.sea_m = 10000;
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    assert_true(spawn_of(1).height_m < 10000);
    recipe.term[0].fractal.amplitude_m = 0;
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    const struct spawn flat = spawn_of(1);
    assert_true(fabs(flat.x_m) < 256 * recipe.spacing_m && fabs(flat.y_m) < 256 * recipe.spacing_m);
}

/* f32 of size 257. */
struct floats {
    float at[257][257];
};

/* A slope to the east that is everywhere steep, wet to the west of a column, but for a square of level ground. */
static int settle(struct spawn *spawn, int stage, int wet_to, int flat_i, int flat_j)
{
    static struct floats height, water;
    struct terrane_world world;
    const double step_m = recipe.spacing_m * (double)(1 << spawn_stage_level[stage]);
    terrane_world_init(&world, &recipe, 1);
    for (int j = 0; j < 257; j++)
        for (int i = 0; i < 257; i++) {
            const bool flat = abs(i - flat_i) <= 12 && abs(j - flat_j) <= 12;
            height.at[j][i] = (float)(step_m * (flat ? flat_i : i));
            water.at[j][i] = i < wet_to ? 1 : 0;
        }
    return spawn_settle(spawn, &world, stage, (const unsigned char *)&height, (const unsigned char *)&water);
}

TEST(goes_to_dry_and_gentle_ground_of_the_tile)
{
    hollow_recipe(&recipe);
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    const double step_m = recipe.spacing_m;
    const struct spawn from = {.x_m = -200 * step_m, .y_m = 300 * step_m, .height_m = -1, .level = 8};
    struct terrane_world world;
    int64_t x, y;
    terrane_world_init(&world, &recipe, 1);
    spawn_tile(&from, &world, 0, &x, &y);
    assert_true(x == -1 && y == 1);
    spawn_tile(&from, &world, 1, &x, &y);
    assert_true(x == -1 && y == 0);
    struct spawn spawn = from;
    assert_int_equal(settle(&spawn, 0, 0, 200, 100), SPAWN_STAGES);
    assert_true(fabs(spawn.x_m + 56 * step_m) <= 4 * step_m && fabs(spawn.y_m - 356 * step_m) <= 4 * step_m);
    assert_true(spawn.height_m == 200 * step_m);
    /* there is water on it, and what is left is steep: farther away it may be better */
    spawn = from;
    assert_int_equal(settle(&spawn, 0, 240, 200, 100), 1);
    assert_true(spawn.x_m >= -16 * step_m);
    spawn = from;
    assert_int_equal(settle(&spawn, 1, 0, 200, 100), SPAWN_STAGES - 1);
    assert_true(fabs(spawn.x_m + 56 * 16 * step_m) <= 64 * step_m);
    /* all is water: it stays, and a wider tile is next */
    spawn = from;
    assert_int_equal(settle(&spawn, 1, 257, 200, 100), 2);
    spawn = from;
    assert_int_equal(settle(&spawn, SPAWN_STAGES - 1, 257, 200, 100), SPAWN_STAGES);
    assert_true(spawn.x_m == from.x_m && spawn.y_m == from.y_m && spawn.level == 8);
    assert_true(spawn.height_m == 56 * step_m);
}

TEST(what_has_been_found_is_kept_for_a_while)
{
    struct spawns *spawns = spawns_create();
    struct spawn found;
    assert_non_null(spawns);
    for (unsigned k = 0; k < 300; k++) {
        const struct terrane_digest world = {.byte = {(uint8_t)k, (uint8_t)(k >> 8)}};
        assert_false(spawns_get(spawns, &world, false, &found));
        spawns_put(spawns, &world, false, &(struct spawn){.x_m = k});
        assert_true(spawns_get(spawns, &world, false, &found) && found.x_m == k);
    }
    assert_false(spawns_get(spawns, &(struct terrane_digest){{0}}, false, &found));
    assert_true(spawns_get(spawns, &(struct terrane_digest){{299 & 255, 1}}, false, &found));
    spawns_free(spawns);
}

GROUP(spawn);
