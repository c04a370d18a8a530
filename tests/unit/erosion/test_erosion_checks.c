/*
 * Erosion (lib/erosion/erosion.c): what it refuses, and that it keeps to its memory and to what it says that it
 * reads. TERRANE_TEST_SETS raises the number of random sets.
 */
#include "erosion_kit.h"

static void expect_refused(const struct terrane_world *world, const struct terrane_eroded *from,
                           struct terrane_window window, int error)
{
    static int32_t delta[64];
    static uint32_t flow[64];
    struct terrane_eroded out = {window, delta, flow};
    memset(delta, 0x5A, sizeof delta);
    memset(flow, 0x5A, sizeof flow);
    assert_int_equal(terrane_erode(world, from, scratch, &out), error);
    for (int i = 0; i < 64; i++) /* outputs are as they were */
        assert_true(delta[i] == 0x5A5A5A5A && flow[i] == 0x5A5A5A5A);
}

TEST(windows_are_checked)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_flat();
    const int64_t limit = INT64_C(1) << 50;

    erosion_rounds(&recipe.erosion, 3, 2, 4, 1);
    recipe.erosion.limit = 0.5f;
    recipe.erosion.zone[0] = droplets_usual();
    make_world(&world, &recipe, 1);
    const int halo = terrane_erosion_halo(&recipe, 0);
    assert_int_equal(halo, 2 * (4 + 2) + 1);
    assert_int_equal(terrane_erosion_halo(&recipe, 2), halo);
    assert_int_equal(terrane_erosion_halo(&recipe, 3), 0);
    assert_int_equal(terrane_erosion_halo(&recipe, -1), 0);

    expect_refused(&world, NULL, (struct terrane_window){-1, 0, 0, 1, 2, 2}, TERRANE_ELEVEL);
    expect_refused(&world, NULL, (struct terrane_window){25, 0, 0, 1, 2, 2}, TERRANE_ELEVEL);
    const int widest = TERRANE_WINDOW_MAX - 2 * halo;
    const struct terrane_window bad[] = {
        /* test_world.c has all that no window may be */
        {0, 0, 0, 2, 2, 2},
        {0, 0, 0, 1, 0, 2},
        {0, 0, 0, 1, widest + 1, 2},
        {0, 0, 0, 1, 2, widest + 1},
        {0, -limit + halo - 1, 0, 1, 2, 2},
        {0, 0, -limit + halo - 1, 1, 2, 2},
        {0, INT64_MIN, 0, 1, 2, 2},
        {5, 0, 0, 1, TERRANE_WINDOW_MAX + 1, 2}, /* also where there is nothing to do */
    };
    for (int n = 0; n < COUNT(bad); n++)
        expect_refused(&world, NULL, bad[n], TERRANE_EWINDOW);

    const struct terrane_window good[] = {
        {0, 0, 0, 1, widest, 2},        {0, 0, 0, 1, 2, widest},    {0, -limit + halo, 0, 1, 2, 2},
        {0, 0, -limit + halo, 1, 2, 2}, {0, limit, limit, 1, 2, 2}, {5, 0, 0, 1, TERRANE_WINDOW_MAX, 2},
    };
    for (int n = 0; n < COUNT(good); n++) {
        struct terrane_eroded product = eroded_new(&world, NULL, &good[n]);
        product_free(&product);
    }
}

/* A product that lacks a column or a row of what is needed, is of a level that cannot be, or of every second sample. */
TEST(parents_are_checked)
{
    struct dice dice = {407};
    struct terrane_world world;
    struct terrane_recipe recipe = dice_hills(&dice, 4);
    const struct terrane_window window = {.gi = 31, .gj = -7, .step = 1, .width = 9, .height = 7};

    make_world(&world, &recipe, 3);
    for (int level = 1; level < 4; level++) {
        struct terrane_window needed;
        terrane_erode_needs(&recipe, &window, level, &needed);
        struct terrane_eroded parent = eroded_new(&world, NULL, &needed);
        for (int side = 0; side < 5; side++) {
            struct terrane_eroded less = parent;
            less.window.gi += side == 0;
            less.window.gj += side == 1;
            less.window.width -= side == 2;
            less.window.height -= side == 3;
            less.window.step += side == 4;
            expect_refused(&world, &less, window, TERRANE_EWINDOW);
        }
        static const int wrong[] = {0, -1, 4, 24, 25, INT32_MAX, INT32_MIN};
        for (int k = 0; k < COUNT(wrong); k++) {
            struct terrane_eroded other = parent;
            other.window.level = wrong[k];
            expect_refused(&world, &other, window, TERRANE_EWINDOW);
        }
        static const int64_t far[] = {INT64_MIN, INT64_MAX, INT64_MAX - 4097};
        for (int k = 0; k < 2 * COUNT(far); k++) {
            struct terrane_eroded other = parent;
            *(k % 2 ? &other.window.gi : &other.window.gj) = far[k / 2];
            expect_refused(&world, &other, window, TERRANE_EWINDOW);
        }
        product_free(&parent);
    }
}

/* Windows of all sizes between guard pages, which leave what they are made from. That a wider one changes nothing: tests/reference. */
TEST(memory_is_kept)
{
    struct dice dice = {409};
    static const int size[][2] = {{1, 1},   {1, 2},   {2, 1},   {3, 3},   {16, 16}, {17, 5},   {1, 300},
                                  {300, 1}, {31, 33}, {64, 63}, {65, 64}, {127, 3}, {600, 40}, {257, 257}};

    for (int n = 0; n < sets(4 * COUNT(size)); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 3);
        make_world(&world, &recipe, dice_bits(&dice));
        const int *of = size[n / 2 % COUNT(size)];
        const struct terrane_window window = {
            n % 3, dice_whole(&dice, -64, 64), dice_whole(&dice, -64, 64), 1, of[0], of[1]};
        isa_choose(n / 2);
        struct terrane_eroded alone = eroded_new(&world, NULL, &window);
        product_free(&alone);
        if (window.level == 2)
            continue;
        struct terrane_window needed;
        terrane_erode_needs(&recipe, &window, 2, &needed);
        struct terrane_eroded parent = eroded_new(&world, NULL, &needed), before = product_new(&needed);
        memcpy(before.delta, parent.delta, samples_of(&needed) * sizeof *parent.delta);
        memcpy(before.flow, parent.flow, samples_of(&needed) * sizeof *parent.flow);
        struct terrane_eroded made = eroded_new(&world, &parent, &window);
        expect_part(&before, &parent);
        product_free(&made), product_free(&before), product_free(&parent);
    }
}

GROUP(erosion_checks, set_up, tear_down);
