/*
 * Windows: a sample is a function of its place and of nothing else (lib/term/surface.c, lib/term/plan.c, lib/kernel/): not of the
 * window around it, nor its step. test_surface.c has the rest. TERRANE_TEST_SETS raises the number of
 * random parameter sets.
 */
#include "../lib_fixture.h"

/* Compares what two windows of one level share, in a layer. Returns the number of shared samples. */
static int layer_agreement(const struct terrane_world *world, enum layer layer,
                           const struct terrane_window *a, const struct terrane_window *b)
{
    const size_t size = layer_sample_bytes(world, layer);
    uint8_t *of_a = layer_new(world, layer, a, scratch), *of_b = layer_new(world, layer, b, scratch);
    int shared = 0;
    for (int j = 0; j < a->height; j++) {
        const int64_t y = a->gj + (int64_t)j * a->step - b->gj;
        if (y < 0 || y % b->step || y / b->step >= b->height)
            continue;
        for (int i = 0; i < a->width; i++) {
            const int64_t x = a->gi + (int64_t)i * a->step - b->gi;
            if (x < 0 || x % b->step || x / b->step >= b->width)
                continue;
            const size_t in_a = (size_t)j * (size_t)a->width + (size_t)i;
            const size_t in_b = (size_t)(y / b->step) * (size_t)b->width + (size_t)(x / b->step);
            if (memcmp(of_a + in_a * size, of_b + in_b * size, size) != 0) {
                print_error("layer %d, %s: sample %d, %d\n", (int)layer, window_text(a), i, j);
                print_error("  differs in %s (%s)\n", window_text(b), terrane_isa());
                fail();
            }
            shared++;
        }
    }
    free(of_a);
    free(of_b);
    return shared;
}

static void expect_agreement(const struct terrane_world *world, const struct terrane_window *a,
                             const struct terrane_window *b, int min)
{
    for (int layer = 0; layer < LAYER_COUNT; layer++)
        assert_true(layer_agreement(world, (enum layer)layer, a, b) >= min);
}

/* A larger window around one: margins on all sides, and sometimes a divisor of its step. */
static struct terrane_window window_around(struct dice *dice, const struct terrane_window *inner)
{
    struct terrane_window outer = *inner;
    if (inner->step > 1 && (int64_t)inner->width * inner->step < 900 && inner->height * inner->step < 200)
        outer.step = 1;
    else if (inner->step % 2 == 0 && inner->width < 1100)
        outer.step = inner->step / 2;
    const int finer = inner->step / outer.step, west = dice_int(dice, 0, 40), north = dice_int(dice, 0, 9);
    outer.gi -= (int64_t)west * outer.step;
    outer.gj -= (int64_t)north * outer.step;
    outer.width = west + (inner->width - 1) * finer + 1 + dice_int(dice, 0, 40);
    outer.height = north + (inner->height - 1) * finer + 1 + dice_int(dice, 0, 9);
    return outer;
}

static bool window_fits(const struct terrane_window *window)
{
    const int64_t limit = INT64_C(1) << 50;
    return window->gi >= -limit && window->gj >= -limit && window->gi <= limit && window->gj <= limit &&
           window->width <= TERRANE_WINDOW_MAX && window->height <= TERRANE_WINDOW_MAX;
}

TEST(windows_are_crops_of_larger_ones)
{
    struct dice dice = {11};
    struct dice_world any;

    for (int n = 0; n < sets(50); n++) {
        dice_world(&dice, &any);
        const struct terrane_window inner = dice_window(&dice, &any.world);
        const struct terrane_window outer = window_around(&dice, &inner);
        if (!window_fits(&outer))
            continue;
        isa_choose(n);
        expect_agreement(&any.world, &inner, &outer, inner.width * inner.height);
    }
}

GROUP(window, set_up, tear_down);
