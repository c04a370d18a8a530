/*
 * Erosion (lib/erosion/erosion.c): it keeps to its bounds, whatever the numbers, and does nothing where there is
 * nothing to do. TERRANE_TEST_SETS raises the number of random sets.
 */
#include "erosion_kit.h"

/* No delta passes the bound; a delta and that of a coarser level at the same place differ by its error less the finer
 * one's. Both are reached to some part, or they would say nothing. */
TEST(deltas_keep_to_their_bounds)
{
    struct dice dice = {405};
    double reached = 0, differed = 0;

    for (int n = 0; n < sets(6); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 6);
        recipe.erosion.limit = exp2f((float)-(n % 6) - 4);
        for (int k = 0; k < 3; k++) {
            recipe.erosion.zone[k].density = 0.3f; /* every phase wants more than the limit */
            recipe.erosion.zone[k].talus_deg = 5;
        }
        make_world(&world, &recipe, dice_bits(&dice));
        const double unit_m = terrane_erosion_unit_m(&recipe), bound_m = terrane_erosion_bound_m(&recipe);
        const struct terrane_window fine = {0, -400, 1200 * (n % 100), 1, 321, 257};
        struct terrane_eroded finest = eroded_new(&world, NULL, &fine);
        for (int level = 0; level < 6; level++) {
            const int apart = 1 << level;
            const struct terrane_window coarse = {level, fine.gi >> level, (fine.gj + apart - 1) >> level,
                                                  1,     320 >> level,     224 >> level};
            const int64_t i0 = coarse.gi * apart - fine.gi, j0 = coarse.gj * apart - fine.gj;
            struct terrane_eroded product = eroded_new(&world, NULL, &coarse);
            const double error_m = terrane_erosion_error_m(&recipe, level);
            for (int j = 0; j < coarse.height; j++)
                for (int i = i0 < 0; i < coarse.width; i++) {
                    const double d = product.delta[j * coarse.width + i] * unit_m;
                    const double d0 =
                        finest.delta[(j0 + (int64_t)j * apart) * fine.width + i0 + i * apart] * unit_m;
                    assert_true(fabs(d) <= bound_m);
                    assert_true(fabs(d - d0) <= error_m);
                    reached = fmax(reached, fabs(d) / bound_m);
                    if (level)
                        differed = fmax(differed, fabs(d - d0) / error_m);
                }
            product_free(&product);
        }
        product_free(&finest);
    }
    assert_true(reached > 0.3 && differed > 0.3);
}

/* Limits that a binary32 cannot hold, on ground that every droplet digs as deep as it may. */
TEST(odd_limits_keep_to_the_bound)
{
    double reached = 0;

    for (int n = 0; n < 60; n += 2) {
        struct terrane_world world;
        struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 1, 3, 0.5f);
        recipe.spacing_m = 1 + 0.0010001 * n;
        recipe.sea_m = -32768;
        recipe.erosion.limit = 1;
        erosion_rounds(&recipe.erosion, 1, 1, 1, 0);
        recipe.erosion.zone[0] = (struct terrane_droplets){1, 1, 0, 64, 0, 1, 0, 0, 0, 16, 16, 1};
        make_world(&world, &recipe, 1);
        const struct terrane_window window = {.step = 1, .width = 64, .height = 64};
        const double unit_m = terrane_erosion_unit_m(&recipe), bound_m = terrane_erosion_bound_m(&recipe);
        struct terrane_eroded product = eroded_new(&world, NULL, &window);
        for (int i = 0; i < 64 * 64; i++) {
            assert_true(fabs(product.delta[i] * unit_m) <= bound_m);
            reached = fmax(reached, fabs(product.delta[i] * unit_m) / bound_m);
        }
        product_free(&product);
    }
    assert_true(reached > 0.999);
}

/* Deltas of a parent that pass the bound of its level count as the bound. */
static void expect_as_clamped(const struct terrane_world *world, const struct terrane_eroded *from,
                              const struct terrane_eroded *made)
{
    struct erosion_scale scale;
    struct terrane_eroded clamped = product_new(&from->window);
    erosion_scale(&scale, world->recipe, from->window.level);
    for (size_t i = 0; i < samples_of(&from->window); i++) {
        const int32_t v = from->delta[i], low = v < -scale.bound ? -scale.bound : v;
        clamped.delta[i] = low > scale.bound ? scale.bound : low;
        clamped.flow[i] = from->flow[i];
    }
    struct terrane_eroded again = eroded_new(world, &clamped, &made->window);
    expect_part(&again, made);
    product_free(&again);
    product_free(&clamped);
}

/* Spacings, heights, limits and talus at the ends of their ranges, droplets of any numbers, and a parent out of a damaged
 * file: what comes out is still within the bound, and the same in a part. Sanitizers look for the rest. */
TEST(extremes_stay_within_bounds)
{
    static const double spacing[] = {0x1p-10, 0x1p-5, 1, 0x1p10, 0x1p20};
    static const float limit[] = {0x1p-10f, 1, 0x1.8p-3f};
    struct dice dice = {410};
    int accepted = 0;

    for (int n = 0; n < sets(240); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = recipe_fractal((enum terrane_base)dice_int(&dice, 0, TERRANE_SIMPLEX),
                                                      2, 2 + n % 4, n % 2 ? 32768 : 1, 0);
        recipe.term[0].fractal.octaves = dice_int(&dice, 1, 2);
        recipe.spacing_m = spacing[n % COUNT(spacing)];
        recipe.sea_m = dice_member(&dice, -32768, 32768);
        recipe.erosion.limit = limit[n / 5 % COUNT(limit)];
        recipe.erosion.levels = dice_int(&dice, 1, 4);
        for (int l = 0; l < recipe.erosion.levels; l++) {
            recipe.erosion.phases[l] = (uint8_t)dice_int(&dice, 0, 3);
            recipe.erosion.steps[l] = (uint8_t)dice_int(&dice, 1, 12);
            recipe.erosion.slides[l] = (uint8_t)dice_int(&dice, 0, 3);
        }
        recipe.erosion.zone[0] = dice_droplets(&dice);
        const int error = terrane_recipe_init(&recipe, NULL);
        if (error) {
            assert_int_equal(error, TERRANE_EEROSION);
            continue;
        }
        accepted++;
        terrane_world_init(&world, &recipe, dice_bits(&dice));
        struct terrane_window window = {.gi = -9, .gj = -9, .step = 1, .width = 37, .height = 23};
        isa_choose(n);
        struct terrane_eroded plain = eroded_new(&world, NULL, &window);
        const double max = terrane_erosion_bound_m(&recipe) / terrane_erosion_unit_m(&recipe);
        for (size_t i = 0; i < samples_of(&window); i++)
            assert_true(fabs((double)plain.delta[i]) <= max);
        product_free(&plain);
        if (recipe.erosion.levels == 1)
            continue;
        struct terrane_window needed;
        terrane_erode_needs(&recipe, &window, 1, &needed);
        struct terrane_eroded from = product_new(&needed);
        for (size_t i = 0; i < samples_of(&needed); i++) {
            const bool wild = n % 3 == 0 || dice_chance(&dice, 0.5);
            from.delta[i] =
                wild ? (dice_chance(&dice, 0.5) ? INT32_MIN : INT32_MAX) : (int32_t)dice_bits(&dice);
            from.flow[i] = dice_chance(&dice, 0.5) ? UINT32_MAX : (uint32_t)dice_bits(&dice);
        }
        struct terrane_eroded hostile = eroded_new(&world, &from, &window);
        expect_as_clamped(&world, &from, &hostile);
        for (size_t i = 0; i < samples_of(&window); i++)
            assert_true(fabs((double)hostile.delta[i]) <= max);
        const struct terrane_window part = dice_part(&dice, &window, 12);
        isa_choose(n + 1);
        struct terrane_eroded again = eroded_new(&world, &from, &part);
        expect_part(&again, &hostile);
        product_free(&again);
        product_free(&hostile);
        product_free(&from);
    }
    assert_true(accepted > 100);
}

GROUP(erosion_bounds, set_up, tear_down);
