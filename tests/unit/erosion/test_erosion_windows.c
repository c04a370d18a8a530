/*
 * Erosion (lib/erosion/erosion.c, lib/erosion/pyramid.c): what it did to a sample is the same in every window, by every instruction
 * set, and what is asked of a product lies in it; tests/reference has what it does, from every parent. TERRANE_TEST_SETS raises the
 * number of random sets.
 */
#include "erosion_kit.h"

/* Where windows lie, by turns: around 0, negative, at tile 2^40, in the lattice's corners, anywhere. */
static int64_t place(struct dice *dice, const struct terrane_recipe *recipe, int level, int turn)
{
    const int64_t limit = INT64_C(1) << 50, tile = INT64_C(1) << 48,
                  halo = terrane_erosion_halo(recipe, level);
    const int64_t places[] = {
        dice_whole(dice, -120, 0),
        dice_whole(dice, -100000, -1000),
        tile - dice_whole(dice, 0, 120),
        -tile - dice_whole(dice, 0, 120),
        -limit + halo, /* the first one whose halo is there */
        limit - halo - 150,
        dice_whole(dice, -limit + 1000, limit - 1000),
    };
    return places[turn % COUNT(places)];
}

/* Windows of unrelated sizes, each from nothing, are parts of a larger one. */
TEST(windows_are_parts_of_larger_ones)
{
    struct dice dice = {401};
    int moved = 0, worlds = sets(70);

    for (int n = 0; n < worlds; n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 10);
        const int level = n % 10;
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window whole = {
            level, place(&dice, &recipe, level, n), place(&dice, &recipe, level, n / 2 + 2), 1, 150, 120};
        isa_choose(n);
        struct terrane_eroded all = eroded_new(&world, NULL, &whole);
        moved += samples_moved(&all) > 10000;
        for (int k = 0; k < 3; k++) {
            const struct terrane_window window = dice_part(&dice, &whole, k ? 40 : 150);
            isa_choose(n + k);
            struct terrane_eroded part = eroded_new(&world, NULL, &window);
            expect_part(&part, &all);
            product_free(&part);
        }
        product_free(&all);
    }
    assert_true(moved > worlds / 2); /* the test is about something */
}

/* What sticks out by one sample, on any side and in any step, or is of another level. */
TEST(products_are_not_read_outside)
{
    struct terrane_recipe recipe = recipe_hills();
    const struct terrane_window window = {2, 10, -20, 1, 40, 30};
    struct terrane_eroded product = product_new(&window);
    float out[64] = {1, 2, 3};

    const struct terrane_window bad[] = {
        {2, 9, -20, 1, 2, 2},   {2, 10, -21, 1, 2, 2},  {2, 49, -20, 1, 2, 2}, {2, 10, 9, 1, 2, 2},
        {2, 10, -20, 20, 3, 2}, {2, 10, -20, 15, 2, 3}, {1, 10, -20, 1, 2, 2}, {3, 10, -20, 1, 2, 2},
    };
    for (int n = 0; n < COUNT(bad); n++) {
        assert_int_equal(terrane_eroded_heights(&recipe, &bad[n], &product, out), TERRANE_EWINDOW);
        assert_int_equal(terrane_eroded_values(&recipe, &bad[n], &product, out, NULL), TERRANE_EWINDOW);
    }
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
    const struct terrane_window last = {2, 11, -20, 19, 3, 2};
    assert_int_equal(terrane_eroded_heights(&recipe, &last, &product, out), 0);
    product_free(&product);
}

GROUP(erosion_windows, set_up, tear_down);
