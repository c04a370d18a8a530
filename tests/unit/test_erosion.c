/*
 * Erosion (lib/erosion.c, lib/pyramid.c): what it did to a sample is the same in every window, from every parent, by every
 * instruction set; it keeps to its bounds, to its memory, and to what it says that it reads. test_erosion_kernels.c and
 * test_erosion_phase.c have what one level does, test_erosion_shape.c what comes of it. TERRANE_TEST_SETS raises the number
 * of random sets.
 */
#include "erosion_kit.h"

#include "../../lib/erosion.h"

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* Where windows lie, by turns: around 0, negative, at tile 2^40, in the lattice's corners, anywhere. */
static int64_t place(struct dice *dice, const struct terrane_recipe *recipe, int level, int turn)
{
    const int64_t limit = INT64_C(1) << 50, tile = INT64_C(1) << 48;
    switch (turn % 7) {
    case 0:
        return dice_whole(dice, -120, 0);
    case 1:
        return dice_whole(dice, -100000, -1000);
    case 2:
        return tile - dice_whole(dice, 0, 120);
    case 3:
        return -tile - dice_whole(dice, 0, 120);
    case 4:
        return -limit + terrane_erosion_halo(recipe, level); /* the first one whose halo is there */
    case 5:
        return limit - terrane_erosion_halo(recipe, level) - 150;
    default:
        return dice_whole(dice, -limit + 1000, limit - 1000);
    }
}

/* Windows of unrelated sizes, each from nothing, are parts of a larger one. */
static void windows_are_parts_of_larger_ones(void **state)
{
    struct dice dice = {401};
    int moved = 0, worlds = sets(70);

    (void)state;
    for (int n = 0; n < worlds; n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 10);
        const int level = n % 10;
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window whole = {.level = level,
                                             .gi = place(&dice, &recipe, level, n),
                                             .gj = place(&dice, &recipe, level, n / 2 + 2),
                                             .step = 1,
                                             .width = 150,
                                             .height = 120};
        isa_choose(n);
        struct terrane_eroded all = eroded_new(&world, NULL, &whole);
        moved += samples_moved(&all) > 10000;
        for (int k = 0; k < 5; k++) {
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

/* From products of every coarser level, of just what is needed and of larger windows. */
static void parents_change_nothing(void **state)
{
    struct dice dice = {402};
    const int levels = 6;

    (void)state;
    for (int n = 0; n < sets(25); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, levels);
        make_world(&world, &recipe, dice_bits(&dice));
        const int level = n % 3;
        const struct terrane_window window = {.level = level,
                                              .gi = place(&dice, &recipe, level, n),
                                              .gj = place(&dice, &recipe, level, n + 1),
                                              .step = 1,
                                              .width = dice_int(&dice, 1, 90),
                                              .height = dice_int(&dice, 1, 60)};
        struct terrane_eroded alone = eroded_new(&world, NULL, &window);
        for (int from = level + 1; from < levels; from++)
            for (int wider = 0; wider < 2; wider++) {
                struct terrane_window needed;
                terrane_erode_needs(&recipe, &window, from, &needed);
                assert_int_equal(needed.level, from);
                assert_int_equal(needed.step, 1);
                if (wider) {
                    const int west = dice_int(&dice, 0, 9), north = dice_int(&dice, 0, 9);
                    needed.gi -= west;
                    needed.gj -= north;
                    needed.width += west + dice_int(&dice, 0, 9);
                    needed.height += north + dice_int(&dice, 0, 9);
                }
                isa_choose(n + from + wider);
                struct terrane_eroded parent = eroded_new(&world, NULL, &needed);
                struct terrane_eroded again = eroded_new(&world, &parent, &window);
                expect_part(&again, &alone);
                product_free(&again);
                product_free(&parent);
            }
        product_free(&alone);
    }
}

static void instruction_sets_agree(void **state)
{
    struct dice dice = {403};

    (void)state;
    for (int n = 0; n < sets(8); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 4);
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {.level = n % 2,
                                              .gi = place(&dice, &recipe, n % 2, n),
                                              .gj = place(&dice, &recipe, n % 2, n + 3),
                                              .step = 1,
                                              .width = 131,
                                              .height = 77};
        isa_choose(0);
        struct terrane_eroded fastest = eroded_new(&world, NULL, &window);
        for (int k = 1; terrane_isa_usable(k); k++) {
            isa_choose(k);
            struct terrane_eroded other = eroded_new(&world, NULL, &window);
            expect_part(&other, &fastest);
            product_free(&other);
        }
        product_free(&fastest);
    }
    isa_choose(0);
}

/* Droplets of other phases, levels and seeds start elsewhere. */
static void seeds_and_levels_are_independent(void **state)
{
    struct terrane_world world[2];
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_eroded product[3];
    int same[2] = {0};

    (void)state;
    recipe.sea_m = -1000;
    erosion_rounds(&recipe.erosion, 2, 1, 1, 0);
    recipe.erosion.limit = 1;
    recipe.erosion.zone[0] = droplets_usual(); /* on flat ground a droplet counts a step where it starts */
    make_world(&world[0], &recipe, 1);
    make_world(&world[1], &recipe, 2);
    for (int k = 0; k < 3; k++) {
        const struct terrane_window window = {.level = k == 2, .step = 1, .width = 256, .height = 256};
        product[k] = eroded_new(&world[k == 1], NULL, &window);
    }
    int seen = 0;
    for (int i = 0; i < 256 * 256; i++) {
        seen += product[0].flow[i] % 64 != 0;
        for (int k = 0; k < 2; k++)
            same[k] += product[0].flow[i] && product[0].flow[i] == product[k + 1].flow[i];
    }
    assert_true(seen < 256 * 256 / 2 && same[0] < 256 * 256 / 8 && same[1] < 256 * 256 / 8);
    for (int k = 0; k < 3; k++)
        product_free(&product[k]);
}

/* ---- Bounds -------------------------------------------------------------------------------------------- */

/* No delta passes the bound; a delta and that of a coarser level at the same place differ by its error less the finer
 * one's. Both are reached to some part, or they would say nothing. */
static void deltas_keep_to_their_bounds(void **state)
{
    struct dice dice = {405};
    double reached = 0, differed = 0;

    (void)state;
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
        const struct terrane_window fine = {
            .gi = -400, .gj = 1200 * (n % 100), .step = 1, .width = 321, .height = 257};
        struct terrane_eroded finest = eroded_new(&world, NULL, &fine);
        for (int level = 0; level < 6; level++) {
            const int apart = 1 << level;
            const struct terrane_window coarse = {.level = level,
                                                  .gi = fine.gi >> level,
                                                  .gj = (fine.gj + apart - 1) >> level,
                                                  .step = 1,
                                                  .width = 320 >> level,
                                                  .height = 224 >> level};
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
static void odd_limits_keep_to_the_bound(void **state)
{
    double reached = 0;

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = recipe_fractal(TERRANE_VALUE, 1, 1, 3, 0.5f);
        recipe.spacing_m = 1 + 0.0010001 * n;
        recipe.sea_m = -32768;
        recipe.erosion.limit = 1;
        erosion_rounds(&recipe.erosion, 1, 1, 1, 0);
        recipe.erosion.zone[0] = (struct terrane_droplets){.density = 1,
                                                           .lifetime = 1,
                                                           .capacity = 64,
                                                           .erosion = 1,
                                                           .speed = 16,
                                                           .water = 16,
                                                           .talus_deg = 1};
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

/* ---- Nothing to do ------------------------------------------------------------------------------------- */

static void nothing_comes_of_nothing(void **state)
{
    struct terrane_world world;
    const struct terrane_window window = {
        .level = 1, .gi = -50, .gj = 3, .step = 1, .width = 99, .height = 70};

    (void)state;
    for (int n = 0; n < 6; n++) {
        struct terrane_recipe recipe = recipe_hills();
        erosion_rounds(&recipe.erosion, 3, 2, 5, 0);
        recipe.erosion.limit = 0.5f;
        for (int k = 0; k < 3; k++) {
            recipe.erosion.zone[k] = droplets_usual();
            if (n == 1)
                recipe.erosion.zone[k].density = 0;
            if (n == 2)
                recipe.erosion.zone[k].lifetime = 0;
        }
        if (n == 3)
            memset(recipe.erosion.phases, 0, sizeof recipe.erosion.phases);
        if (n == 4)
            recipe.erosion.levels = 1; /* the window's is not one */
        if (n == 5)
            recipe.erosion.levels = 0;
        make_world(&world, &recipe, 5);
        struct terrane_eroded product = eroded_new(&world, NULL, &window);
        uint32_t flow = 0;
        for (size_t i = 0; i < window_samples(&window); i++)
            flow |= product.flow[i];
        assert_int_equal(samples_moved(&product) > 0, n == 0);
        assert_int_equal(flow != 0, n == 0);
        product_free(&product);
    }
}

/* Under the sea no droplet lives: nothing moves two samples off the coast, where only the mean of cells reaches. */
static void droplets_leave_the_sea_alone(void **state)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 6, 8, 60, 0.5f);
    const struct terrane_window window = {.gi = 700, .gj = -900, .step = 1, .width = 500, .height = 400};
    float *heights;
    int wet = 0, moved = 0;

    (void)state;
    erosion_rounds(&recipe.erosion, 1, 1, 30, 0);
    recipe.erosion.limit = 0.5f;
    recipe.erosion.zone[0] = droplets_usual();
    make_world(&world, &recipe, 8);
    heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
    struct terrane_eroded product = eroded_new(&world, NULL, &window);
    for (int j = 2; j < window.height - 2; j++)
        for (int i = 2; i < window.width - 2; i++) {
            bool open = true; /* all cells around are under water */
            for (int k = 0; k < 25; k++)
                open &= heights[(j + k / 5 - 2) * window.width + i + k % 5 - 2] < recipe.sea_m - 0.001f;
            const int32_t delta = product.delta[j * window.width + i];
            assert_true(!open || delta >= 0);
            wet += open;
            moved += delta != 0 && open;
        }
    assert_true(wet > 20000 && moved > 50); /* what they carried lies before the coast */
    product_free(&product);
    free(heights);
}

/* ---- Parts of products --------------------------------------------------------------------------------- */

static void products_are_read_in_any_step(void **state)
{
    struct dice dice = {406};
    struct terrane_world world;
    struct terrane_recipe recipe = dice_hills(&dice, 3);
    const struct terrane_window window = {
        .level = 1, .gi = -90, .gj = 40, .step = 1, .width = 180, .height = 140};

    (void)state;
    make_world(&world, &recipe, 12);
    struct terrane_eroded product = eroded_new(&world, NULL, &window);
    const float unit_m = (float)terrane_erosion_unit_m(&recipe);
    for (int n = 0; n < 50; n++) {
        struct terrane_window part = dice_part(&dice, &window, 180);
        part.step = dice_int(&dice, 1, 20);
        part.width = (part.width - 1) / part.step + 1;
        part.height = (part.height - 1) / part.step + 1;
        float *base = layer_new(&world, LAYER_HEIGHTS, &part, scratch);
        float *heights = layer_new(&world, LAYER_HEIGHTS, &part, scratch);
        float *delta_m = malloc(window_samples(&part) * sizeof(float));
        float *flow = malloc(window_samples(&part) * sizeof(float));
        assert_int_equal(terrane_eroded_heights(&recipe, &product, &part, heights), 0);
        assert_int_equal(terrane_eroded_values(&recipe, &product, &part, delta_m, flow), 0);
        assert_int_equal(terrane_eroded_values(&recipe, &product, &part, NULL, NULL), 0);
        for (int k = 0; k < part.width * part.height; k++) {
            const int64_t i = part.gi - window.gi + k % part.width * part.step;
            const int64_t j = part.gj - window.gj + k / part.width * part.step;
            const size_t at = (size_t)(j * window.width + i);
            assert_true(delta_m[k] == (float)product.delta[at] * unit_m);
            assert_true(flow[k] == (float)product.flow[at] / 16);
            assert_true(heights[k] == base[k] + delta_m[k]);
        }
        free(base);
        free(heights);
        free(delta_m);
        free(flow);
    }
    product_free(&product);
}

/* What sticks out by one sample, on any side and in any step, or is of another level. */
static void products_are_not_read_outside(void **state)
{
    struct terrane_recipe recipe = recipe_hills();
    const struct terrane_window window = {
        .level = 2, .gi = 10, .gj = -20, .step = 1, .width = 40, .height = 30};
    struct terrane_eroded product = product_new(&window);
    float out[64] = {1, 2, 3};

    (void)state;
    const struct terrane_window bad[] = {
        {.level = 2, .gi = 9, .gj = -20, .step = 1, .width = 2, .height = 2},
        {.level = 2, .gi = 10, .gj = -21, .step = 1, .width = 2, .height = 2},
        {.level = 2, .gi = 49, .gj = -20, .step = 1, .width = 2, .height = 2},
        {.level = 2, .gi = 10, .gj = 9, .step = 1, .width = 2, .height = 2},
        {.level = 2, .gi = 10, .gj = -20, .step = 20, .width = 3, .height = 2},
        {.level = 2, .gi = 10, .gj = -20, .step = 15, .width = 2, .height = 3},
        {.level = 1, .gi = 10, .gj = -20, .step = 1, .width = 2, .height = 2},
        {.level = 3, .gi = 10, .gj = -20, .step = 1, .width = 2, .height = 2},
    };
    for (int n = 0; n < COUNT(bad); n++) {
        assert_int_equal(terrane_eroded_heights(&recipe, &product, &bad[n], out), TERRANE_EWINDOW);
        assert_int_equal(terrane_eroded_values(&recipe, &product, &bad[n], out, NULL), TERRANE_EWINDOW);
    }
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
    const struct terrane_window last = {.level = 2, .gi = 11, .gj = -20, .step = 19, .width = 3, .height = 2};
    assert_int_equal(terrane_eroded_heights(&recipe, &product, &last, out), 0);
    product_free(&product);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

static void expect_refused(const struct terrane_world *world, const struct terrane_eroded *from,
                           struct terrane_window window, int error)
{
    static int32_t delta[64];
    static uint32_t flow[64];
    struct terrane_eroded out = {window, delta, flow};
    void *memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, 1 << 20);
    memset(delta, 0x5A, sizeof delta);
    memset(flow, 0x5A, sizeof flow);
    assert_int_equal(terrane_erode(world, from, scratch, memory, &out), error);
    for (int i = 0; i < 64; i++) /* outputs are as they were */
        assert_true(delta[i] == 0x5A5A5A5A && flow[i] == 0x5A5A5A5A);
    free(memory);
}

static struct terrane_window at(int level, int64_t gi, int64_t gj)
{
    return (struct terrane_window){.level = level, .gi = gi, .gj = gj, .step = 1, .width = 2, .height = 2};
}

static struct terrane_window sized(int level, int step, int width, int height)
{
    return (struct terrane_window){.level = level, .step = step, .width = width, .height = height};
}

static void windows_are_checked(void **state)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_flat();
    const int64_t limit = INT64_C(1) << 50;

    (void)state;
    erosion_rounds(&recipe.erosion, 3, 2, 4, 1);
    recipe.erosion.limit = 0.5f;
    recipe.erosion.zone[0] = droplets_usual();
    make_world(&world, &recipe, 1);
    const int halo = terrane_erosion_halo(&recipe, 0);
    assert_int_equal(halo, 2 * (4 + 2) + 1);
    assert_int_equal(terrane_erosion_halo(&recipe, 2), halo);
    assert_int_equal(terrane_erosion_halo(&recipe, 3), 0);
    assert_int_equal(terrane_erosion_halo(&recipe, -1), 0);

    expect_refused(&world, NULL, at(-1, 0, 0), TERRANE_ELEVEL);
    expect_refused(&world, NULL, at(25, 0, 0), TERRANE_ELEVEL);
    const int widest = TERRANE_WINDOW_MAX - 2 * halo;
    const struct terrane_window bad[] = {
        sized(0, 0, 2, 2),
        sized(0, 2, 2, 2),
        sized(0, 1, 0, 2),
        sized(0, 1, 2, 0),
        sized(0, 1, -1, 2),
        sized(0, 1, 2, INT32_MIN),
        sized(0, 1, INT32_MAX, 2),
        sized(0, 1, widest + 1, 2),
        sized(0, 1, 2, widest + 1),
        at(0, -limit + halo - 1, 0),
        at(0, 0, -limit + halo - 1),
        at(0, limit + 1, 0),
        at(0, 0, limit + 1),
        at(0, INT64_MIN, 0),
        at(0, 0, INT64_MAX),
        sized(5, 1, TERRANE_WINDOW_MAX + 1, 2), /* also where there is nothing to do */
        sized(5, 2, 2, 2),
        at(5, -limit - 1, 0),
    };
    for (int n = 0; n < COUNT(bad); n++)
        expect_refused(&world, NULL, bad[n], TERRANE_EWINDOW);

    const struct terrane_window good[] = {
        sized(0, 1, widest, 2),  sized(0, 1, 2, widest), at(0, -limit + halo, 0),
        at(0, 0, -limit + halo), at(0, limit, limit),    sized(5, 1, TERRANE_WINDOW_MAX, 2),
    };
    for (int n = 0; n < COUNT(good); n++) {
        struct terrane_eroded product = eroded_new(&world, NULL, &good[n]);
        product_free(&product);
    }
}

/* A product that lacks a column or a row of what is needed, is of a level that cannot be, or of every second sample. */
static void parents_are_checked(void **state)
{
    struct dice dice = {407};
    struct terrane_world world;
    struct terrane_recipe recipe = dice_hills(&dice, 4);
    const struct terrane_window window = {.gi = 31, .gj = -7, .step = 1, .width = 9, .height = 7};

    (void)state;
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

/* ---- What it reads and writes -------------------------------------------------------------------------- */

/* Samples of a parent outside of what is needed are not looked at. */
static void parents_are_read_where_needed(void **state)
{
    struct dice dice = {408};

    (void)state;
    for (int n = 0; n < sets(60); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 4);
        make_world(&world, &recipe, dice_bits(&dice));
        const int level = dice_int(&dice, 1, 3), margin = 7;
        struct terrane_window needed, window = {.gi = dice_whole(&dice, -500, 500),
                                                .gj = dice_whole(&dice, -500, 500),
                                                .step = 1,
                                                .width = dice_int(&dice, 1, 70),
                                                .height = dice_int(&dice, 1, 50)};
        terrane_erode_needs(&recipe, &window, level, &needed);
        struct terrane_window wide = needed;
        wide.gi -= margin;
        wide.gj -= margin;
        wide.width += 2 * margin;
        wide.height += 2 * margin;
        struct terrane_eroded parent = eroded_new(&world, NULL, &wide);
        struct terrane_eroded clean = eroded_new(&world, &parent, &window);
        for (int k = 0; k < wide.width * wide.height; k++) {
            const int i = k % wide.width, j = k / wide.width;
            if (i < margin || i >= wide.width - margin || j < margin || j >= wide.height - margin) {
                parent.delta[k] = dice_chance(&dice, 0.5) ? INT32_MIN : INT32_MAX;
                parent.flow[k] = UINT32_MAX;
            }
        }
        struct terrane_eroded poisoned = eroded_new(&world, &parent, &window);
        expect_part(&poisoned, &clean);
        product_free(&poisoned);
        product_free(&clean);
        product_free(&parent);
    }
}

/* One window between guard pages: memory, scratch, both arrays and those of from. */
static void expect_kept(const struct terrane_world *world, const struct terrane_eroded *from,
                        const struct terrane_window *window, bool at_end)
{
    const size_t bytes = terrane_erode_bytes(world->recipe, window, from ? from->window.level : -1);
    const size_t samples = window_samples(window), of_from = from ? window_samples(&from->window) : 1;
    struct guarded memory = guarded_new(bytes, at_end);
    struct guarded work = guarded_new(terrane_scratch_bytes(), at_end);
    struct guarded delta = guarded_new(samples * sizeof(int32_t), at_end);
    struct guarded flow = guarded_new(samples * sizeof(uint32_t), at_end);
    struct guarded from_delta = guarded_new(of_from * sizeof(int32_t), at_end);
    struct guarded from_flow = guarded_new(of_from * sizeof(uint32_t), at_end);
    struct terrane_eroded out = {*window, (int32_t *)(void *)delta.data, (uint32_t *)(void *)flow.data};
    struct terrane_eroded parent = {.delta = (int32_t *)(void *)from_delta.data,
                                    .flow = (uint32_t *)(void *)from_flow.data};
    assert_int_equal(bytes % TERRANE_SCRATCH_ALIGN, 0);
    if (from) {
        parent.window = from->window;
        memcpy(parent.delta, from->delta, from_delta.bytes);
        memcpy(parent.flow, from->flow, from_flow.bytes);
    }
    assert_int_equal(terrane_erode(world, from ? &parent : NULL, work.data, memory.data, &out), 0);
    struct guarded *all[] = {&memory, &work, &delta, &flow, &from_delta, &from_flow};
    if (from) {
        assert_memory_equal(parent.delta, from->delta, from_delta.bytes);
        assert_memory_equal(parent.flow, from->flow, from_flow.bytes);
    }
    for (int k = 0; k < COUNT(all); k++) {
        assert_true(guarded_intact(all[k]));
        guarded_free(all[k]);
    }
}

static void memory_is_kept(void **state)
{
    struct dice dice = {409};
    static const int size[][2] = {{1, 1},   {1, 2},   {2, 1},   {3, 3},   {16, 16}, {17, 5},   {1, 300},
                                  {300, 1}, {31, 33}, {64, 63}, {65, 64}, {127, 3}, {600, 40}, {257, 257}};

    (void)state;
    for (int n = 0; n < sets(4 * COUNT(size)); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_hills(&dice, 3);
        make_world(&world, &recipe, dice_bits(&dice));
        const int *of = size[n / 2 % COUNT(size)];
        const struct terrane_window window = {.level = n % 3,
                                              .gi = dice_whole(&dice, -64, 64),
                                              .gj = dice_whole(&dice, -64, 64),
                                              .step = 1,
                                              .width = of[0],
                                              .height = of[1]};
        isa_choose(n / 2);
        expect_kept(&world, NULL, &window, n % 2);
        if (window.level == 2)
            continue;
        struct terrane_window needed;
        terrane_erode_needs(&recipe, &window, 2, &needed);
        struct terrane_eroded parent = eroded_new(&world, NULL, &needed);
        expect_kept(&world, &parent, &window, n % 2);
        product_free(&parent);
    }
}

/* ---- Extremes ------------------------------------------------------------------------------------------ */

/* Deltas of a parent that pass the bound of its level count as the bound. */
static void expect_as_clamped(const struct terrane_world *world, const struct terrane_eroded *from,
                              const struct terrane_eroded *made)
{
    struct erosion_scale scale;
    struct terrane_eroded clamped = product_new(&from->window);
    erosion_scale(&scale, world->recipe, from->window.level);
    for (size_t i = 0; i < window_samples(&from->window); i++) {
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
static void extremes_stay_within_bounds(void **state)
{
    static const double spacing[] = {0x1p-10, 0x1p-5, 1, 0x1p10, 0x1p20};
    static const float limit[] = {0x1p-10f, 1, 0x1.8p-3f};
    struct dice dice = {410};
    int accepted = 0;

    (void)state;
    for (int n = 0; n < sets(400); n++) {
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
        const double most = terrane_erosion_bound_m(&recipe) / terrane_erosion_unit_m(&recipe);
        for (size_t i = 0; i < window_samples(&window); i++)
            assert_true(fabs((double)plain.delta[i]) <= most);
        product_free(&plain);
        if (recipe.erosion.levels == 1)
            continue;
        struct terrane_window needed;
        terrane_erode_needs(&recipe, &window, 1, &needed);
        struct terrane_eroded from = product_new(&needed);
        for (size_t i = 0; i < window_samples(&needed); i++) {
            const bool wild = n % 3 == 0 || dice_chance(&dice, 0.5);
            from.delta[i] =
                wild ? (dice_chance(&dice, 0.5) ? INT32_MIN : INT32_MAX) : (int32_t)dice_bits(&dice);
            from.flow[i] = dice_chance(&dice, 0.5) ? UINT32_MAX : (uint32_t)dice_bits(&dice);
        }
        struct terrane_eroded hostile = eroded_new(&world, &from, &window);
        expect_as_clamped(&world, &from, &hostile);
        for (size_t i = 0; i < window_samples(&window); i++)
            assert_true(fabs((double)hostile.delta[i]) <= most);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_parts_of_larger_ones),
        cmocka_unit_test(parents_change_nothing),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(seeds_and_levels_are_independent),
        cmocka_unit_test(deltas_keep_to_their_bounds),
        cmocka_unit_test(odd_limits_keep_to_the_bound),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(droplets_leave_the_sea_alone),
        cmocka_unit_test(products_are_read_in_any_step),
        cmocka_unit_test(products_are_not_read_outside),
        cmocka_unit_test(windows_are_checked),
        cmocka_unit_test(parents_are_checked),
        cmocka_unit_test(parents_are_read_where_needed),
        cmocka_unit_test(memory_is_kept),
        cmocka_unit_test(extremes_stay_within_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
