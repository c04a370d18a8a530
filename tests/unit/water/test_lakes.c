/*
 * Lakes (lib/water/lake.c, lib/water/flood.c): within their memory, on any ground. What they are, in any window, is compared with
 * tests/reference.
 */
#include "../../../lib/water/water.h"
#include "../lib_fixture.h"

/* A world with lakes on a flat recipe, for made-up ground. recipe is the caller's. */
static void lake_world(struct terrane_world *world, struct terrane_recipe *recipe, struct terrane_lakes lakes,
                       float sea_m, uint64_t seed)
{
    *recipe = recipe_flat();
    recipe->lakes = lakes;
    recipe->sea_m = sea_m;
    make_world(world, recipe, seed);
}

/* Of few heights, with ties everywhere; smooth, in quarters; a rough slope, whose pits spill soon; flat. */
enum { GROUND_ROUGH, GROUND_HILLS, GROUND_SLOPE, GROUND_FLAT, GROUND_KINDS };

static float dice_height(struct dice *dice, int kind, int i, int j)
{
    switch (kind) {
    case GROUND_ROUGH:
        return (float)dice_int(dice, -2, 4);
    case GROUND_HILLS:
        return rintf(64 * sinf((float)i * 0.31f) * cosf((float)j * 0.23f)) / 4;
    case GROUND_SLOPE:
        return (float)(i % 64) * 0.5f + (float)dice_int(dice, 0, 999) * 0.002f - 3;
    default:
        return 2;
    }
}

/* Returns owned, to be given back: ground for the lakes of a window, between guard pages. */
static float *dice_ground(struct dice *dice, int kind, const struct terrane_window *needed)
{
    float *ground = guarded_alloc(guarded_lent, samples_of(needed) * sizeof *ground);
    for (int k = 0; k < needed->width * needed->height; k++)
        ground[k] = dice_height(dice, kind, k % needed->width, k / needed->width);
    return ground;
}

/* Likewise: level_m of a window. */
static float *lakes_new(const struct terrane_world *world, const struct terrane_window *window,
                        const float *ground, const struct terrane_memory *memory)
{
    float *level_m = guarded_alloc(guarded_lent, samples_of(window) * sizeof *level_m);
    assert_int_equal(terrane_lakes(world, window, ground, memory, level_m), 0);
    return level_m;
}

static void give_back(float *samples)
{
    guarded_take_back(guarded_lent, samples);
}

static struct terrane_lakes dice_small_lakes(struct dice *dice, int max)
{
    const float depth_m = dice_chance(dice, 0.5) ? 1000 : (float)dice_int(dice, 0, 40) * 0.25f;
    return (struct terrane_lakes){
        .share = dice_chance(dice, 0.5) ? 1 : (float)dice_real(dice, 0.1, 1),
        .level = dice_int(dice, 0, 3),
        .cell_log2 = dice_int(dice, 3, 5),
        .radius = dice_int(dice, 4, max),
        .depth_m = depth_m,
        .shallow_m = dice_chance(dice, 0.5) ? 0
                     : depth_m < 1          ? depth_m
                                            : 1,
    };
}

static int64_t dice_far(struct dice *dice)
{
    const int64_t limit = INT64_C(1) << 48;
    const int64_t centre[] = {0, -1000, 12345, limit, -limit, (INT64_C(1) << 32) - 7};
    return centre[dice_int(dice, 0, COUNT(centre) - 1)] + dice_whole(dice, -40, 40);
}

static struct terrane_window dice_lakes_window(struct dice *dice, const struct terrane_recipe *recipe,
                                               int max)
{
    return (struct terrane_window){recipe->lakes.level,    dice_far(dice),        dice_far(dice), 1,
                                   dice_int(dice, 1, max), dice_int(dice, 1, max)};
}

/* Without lakes no ground is read. */
TEST(no_share_reads_nothing)
{
    const struct terrane_window window = {.gi = 3, .gj = -9, .step = 1, .width = 5, .height = 4};
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;
    struct terrane_window needed;
    float level_m[20];

    make_world(&world, &recipe, 1);
    terrane_lakes_needs(&recipe, &window, &needed);
    assert_true(needed.level == 0 && needed.gi == 3 && needed.gj == -9 && needed.step == 1 &&
                needed.width == 5 && needed.height == 4);
    assert_int_equal(terrane_lakes(&world, &window, NULL, NULL, level_m), 0);
    for (int k = 0; k < 20; k++)
        assert_true(level_m[k] == TERRANE_DRY);
}

TEST(refusals_write_nothing)
{
    static const struct {
        struct terrane_window window;
        int error;
    } bad[] = {
        {{.level = 1, .step = 1, .width = 2, .height = 2}, TERRANE_ELEVEL},
        {{.level = 2, .step = 2, .width = 2, .height = 2}, TERRANE_EWINDOW},
        {{.level = 2, .step = 1, .width = 2, .height = 4098}, TERRANE_EWINDOW},
        {{.level = 2, .step = 1, .width = 2, .height = 2, .gj = INT64_MIN}, TERRANE_EWINDOW},
    };
    struct terrane_recipe recipe;
    struct terrane_world world;
    float out[4], untouched[4];

    lake_world(&world, &recipe,
               (struct terrane_lakes){.share = 1, .level = 2, .cell_log2 = 3, .radius = 4, .depth_m = 1}, 0,
               1);
    memset(out, GUARD_PATTERN, sizeof out);
    memcpy(untouched, out, sizeof out);
    for (int n = 0; n < COUNT(bad); n++) {
        assert_int_equal(terrane_lakes(&world, &bad[n].window, NULL, NULL, out), bad[n].error);
        assert_memory_equal(out, untouched, sizeof out);
    }
}

/* Buffers of just the sizes named, between guard pages. */
TEST(memory_is_bounded)
{
    struct dice dice = {85};
    struct terrane_recipe recipe;
    struct terrane_world world;
    int claimed = 0;

    for (int n = 0; n < 60; n++) {
        lake_world(&world, &recipe, dice_small_lakes(&dice, n % 10 ? 20 : 128), -1000, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 50);
        struct terrane_window needed;
        terrane_lakes_needs(&recipe, &window, &needed);
        float *ground = dice_ground(&dice, n % GROUND_KINDS, &needed),
              *usual = lakes_new(&world, &window, ground, NULL),
              *level_m = lakes_new(&world, &window, ground, &guarded_memory);
        assert_memory_equal(level_m, usual, samples_of(&window) * sizeof *level_m);
        for (size_t k = 0; k < samples_of(&window); k++)
            claimed += level_m[k] > TERRANE_DRY;
        give_back(level_m), give_back(usual), give_back(ground);
    }
    assert_true(claimed > 1000);
}

/* -0 is as high as 0. */
TEST(signs_of_zeros_do_not_show)
{
    const struct terrane_lakes lakes = {.share = 1, .cell_log2 = 3, .radius = 9, .depth_m = 1000};
    struct dice dice = {87};
    struct terrane_recipe recipe;
    struct terrane_world world;

    for (int n = 0; n < 30; n++) {
        lake_world(&world, &recipe, lakes, -1000, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 50);
        struct terrane_window needed;
        terrane_lakes_needs(&recipe, &window, &needed);
        float *ground = dice_ground(&dice, GROUND_ROUGH, &needed),
              *expected = lakes_new(&world, &window, ground, NULL);
        for (size_t k = 0; k < samples_of(&needed); k++)
            ground[k] = ground[k] == 0 && dice_chance(&dice, 0.5) ? -0.0f : ground[k];
        float *level_m = lakes_new(&world, &window, ground, NULL);
        assert_memory_equal(level_m, expected, samples_of(&window) * sizeof *level_m);
        give_back(expected), give_back(ground), give_back(level_m);
    }
}

/* Heights that no terrain has (not numbers, infinities, -0) end in some answer, within bounds. */
TEST(any_ground_is_survived)
{
    static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, -0.0f, 0, 3.4e38f, -3.4e38f, 1, 2, 1e-45f, 3};
    struct dice dice = {86};
    struct terrane_recipe recipe;
    struct terrane_world world;

    for (int n = 0; n < 40; n++) {
        lake_world(&world, &recipe, dice_small_lakes(&dice, 20), -1000, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 50);
        struct terrane_window needed;
        terrane_lakes_needs(&recipe, &window, &needed);
        float *ground = dice_ground(&dice, GROUND_FLAT, &needed);
        for (size_t k = 0; k < samples_of(&needed); k++)
            ground[k] = odd[dice_int(&dice, 0, COUNT(odd) - 1)];
        give_back(lakes_new(&world, &window, ground, &guarded_memory));
        give_back(ground);
    }
}

GROUP(lakes, set_up, tear_down);
