/* Ground to lay lakes on, and lakes on it. */
#ifndef TERRANE_TESTS_LAKES_KIT_H
#define TERRANE_TESTS_LAKES_KIT_H

#include "../../../lib/water/water.h"
#include "../lib_fixture.h"

enum land_kind {
    LAND_ROUGH, /* every sample by itself, few heights: ties everywhere */
    LAND_HILLS, /* hashed corners 8 samples apart, straight between: smooth, in quarters */
    LAND_SLOPE, /* a rough slope: pits that spill soon */
    LAND_STEPS, /* plateaus of 4 x 4 samples, few heights */
    LAND_FLAT,
    LAND_KINDS
};

struct land {
    enum land_kind kind;
    uint64_t salt;
};

static inline int land_dice(const struct land *land, int64_t x, int64_t y, int sides)
{
    return (int)(hash_absorb(hash_absorb(land->salt, (uint64_t)x), (uint64_t)y) % (uint64_t)sides);
}

static inline float hills_at(const struct land *land, int64_t gi, int64_t gj)
{
    const int64_t x = gi >> 3, y = gj >> 3;
    const int u = (int)(gi & 7), v = (int)(gj & 7);
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += land_dice(land, x + (k & 1), y + (k >> 1), 256) * (k & 1 ? u : 8 - u) * (k >> 1 ? v : 8 - v);
    return (float)(sum / 64 - 128) * 0.25f;
}

static inline float land_at(const struct land *land, int64_t gi, int64_t gj)
{
    switch (land->kind) {
    case LAND_ROUGH:
        return (float)land_dice(land, gi, gj, 7) - 2;
    case LAND_HILLS:
        return hills_at(land, gi, gj);
    case LAND_SLOPE:
        return (float)(gi % 64) * 0.5f + (float)land_dice(land, gi, gj, 1000) * 0.002f - 3;
    case LAND_STEPS:
        return (float)land_dice(land, gi >> 2, gj >> 2, 5) - 1;
    default:
        return 2;
    }
}

/* Returns owned. */
static inline float *land_new(const struct land *land, const struct terrane_window *window)
{
    float *ground = malloc(window_samples(window) * sizeof *ground);
    assert_non_null(ground);
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++)
            ground[(size_t)j * (size_t)window->width + (size_t)i] =
                land_at(land, window->gi + (int64_t)i * window->step, window->gj + (int64_t)j * window->step);
    return ground;
}

/* A world with lakes on a flat recipe, for made-up ground. recipe is the caller's. */
static inline void lake_world(struct terrane_world *world, struct terrane_recipe *recipe,
                              struct terrane_lakes lakes, float sea_m, uint64_t seed)
{
    *recipe = recipe_flat();
    recipe->lakes = lakes;
    recipe->sea_m = sea_m;
    make_world(world, recipe, seed);
}

/* Returns owned: level_m of a window, by terrane_lakes. */
static inline float *lakes_new(const struct terrane_world *world, const struct land *land,
                               const struct terrane_window *window)
{
    struct terrane_window needed;
    terrane_lakes_needs(world->recipe, window, &needed);
    float *ground = land_new(land, &needed), *level_m = malloc(window_samples(window) * sizeof *level_m);
    assert_non_null(level_m);
    assert_int_equal(terrane_lakes(world, window, ground, NULL, level_m), 0);
    free(ground);
    return level_m;
}

/* How many samples have a lake's level. */
static inline int count_claimed(const float *level_m, const struct terrane_window *window)
{
    int claimed = 0;
    for (size_t k = 0; k < window_samples(window); k++)
        claimed += level_m[k] > TERRANE_DRY;
    return claimed;
}

/* Where levels in memory are those expected, bit for bit. */
static inline void expect_levels(const float *got, const float *expected, const struct terrane_window *window)
{
    for (size_t k = 0; k < window_samples(window); k++)
        if (memcmp(got + k, expected + k, sizeof *got) != 0)
            fail_msg("%s: at %zu, %zu the level is %.9g, not %.9g", window_text(window),
                     k % (size_t)window->width, k / (size_t)window->width, (double)got[k],
                     (double)expected[k]);
}

#endif
