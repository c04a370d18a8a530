/*
 * Lakes (lib/lake.c, lib/flood.c): equal to their definition, bit for bit; the same in every window; and what
 * makes them lakes, on real heights: flat, bounded, filled to where they spill, and never above what a
 * priority flood of a large window finds.
 */
#include "slow_lakes.h"

static struct terrane_lakes dice_small_lakes(struct dice *dice, int most)
{
    const float depth_m = dice_chance(dice, 0.5) ? 1000 : (float)dice_int(dice, 0, 40) * 0.25f;
    return (struct terrane_lakes){
        .share = dice_chance(dice, 0.5) ? 1 : (float)dice_real(dice, 0.1, 1),
        .level = dice_int(dice, 0, 3),
        .cell_log2 = dice_int(dice, 3, 5),
        .radius = dice_int(dice, 4, most),
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
                                               int most)
{
    return (struct terrane_window){.level = recipe->lakes.level,
                                   .gi = dice_far(dice),
                                   .gj = dice_far(dice),
                                   .step = 1,
                                   .width = dice_int(dice, 1, most),
                                   .height = dice_int(dice, 1, most)};
}

/* ---- The definition ------------------------------------------------------------------------------------ */

static void lakes_are_as_defined(void **state)
{
    struct dice dice = {81};
    struct terrane_recipe recipe;
    struct terrane_world world;
    int with_lakes[LAND_KINDS] = {0};

    (void)state;
    for (int n = 0; n < sets(300); n++) {
        const struct land land = {(enum land_kind)(1 + n % (LAND_KINDS - 1)), dice_bits(&dice), NULL};
        const float sea_m = dice_chance(&dice, 0.5) ? -1000 : (float)dice_int(&dice, -20, 2) * 0.5f;
        lake_world(&world, &recipe, dice_small_lakes(&dice, 16), sea_m, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 60);
        float *expected = slow_lakes_new(&world, &land, &window),
              *level_m = lakes_new(&world, &land, &window);
        expect_levels(level_m, expected, &window);
        with_lakes[land.kind] += count_claimed(level_m, &window) > 0;
        free(expected), free(level_m);
    }
    for (int kind = 1; kind < LAND_FLAT; kind++)
        assert_true(with_lakes[kind] >= 10);
    assert_int_equal(with_lakes[LAND_FLAT], 0);
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

static void expect_same_in(const struct terrane_world *world, const struct land *land,
                           const struct terrane_window *all, const float *of_all,
                           const struct terrane_window *part)
{
    float *level_m = lakes_new(world, land, part),
          *expected = malloc(window_samples(part) * sizeof *expected);
    assert_non_null(expected);
    for (int j = 0; j < part->height; j++)
        memcpy(expected + (size_t)j * (size_t)part->width, of_all + place_in(all, part->gi, part->gj + j),
               (size_t)part->width * sizeof *expected);
    expect_levels(level_m, expected, part);
    free(level_m), free(expected);
}

/* Returns whether there are lakes. */
static bool expect_same_in_parts(struct dice *dice, const struct terrane_world *world,
                                 const struct land *land, const struct terrane_window *all, int parts)
{
    float *of_all = lakes_new(world, land, all);
    const bool some = count_claimed(of_all, all) > 0;
    for (int n = 0; n < parts; n++) {
        struct terrane_window part = *all;
        const int west = dice_int(dice, 0, all->width - 1), north = dice_int(dice, 0, all->height - 1);
        part.gi += west, part.gj += north;
        part.width = dice_int(dice, 1, all->width - west);
        part.height = dice_int(dice, 1, all->height - north);
        expect_same_in(world, land, all, of_all, &part);
    }
    free(of_all);
    return some;
}

static const int64_t far_places[][2] = {
    {-150, -130},
    {-100000, 77777},
    {(INT64_C(1) << 48) - 100, -(INT64_C(1) << 48) - 50},
    {(INT64_C(1) << 50) - 299, (INT64_C(1) << 50) - 219},
};

static void windows_agree(void **state)
{
    struct dice dice = {82};
    struct terrane_recipe recipe;
    struct terrane_world world;
    int with_lakes = 0;

    (void)state;
    for (int n = 0; n < (LAND_FLAT - 1) * COUNT(far_places); n++) {
        const struct land land = {(enum land_kind)(1 + n / COUNT(far_places)), dice_bits(&dice), NULL};
        struct terrane_lakes lakes = dice_small_lakes(&dice, 24);
        lakes.share = 1, lakes.depth_m = 1000, lakes.shallow_m = 0;
        lake_world(&world, &recipe, lakes, -1000, dice_bits(&dice));
        const struct terrane_window all = {.level = lakes.level,
                                           .gi = far_places[n % COUNT(far_places)][0],
                                           .gj = far_places[n % COUNT(far_places)][1],
                                           .step = 1,
                                           .width = 300,
                                           .height = 220};
        with_lakes += expect_same_in_parts(&dice, &world, &land, &all, 12);
    }
    assert_true(with_lakes >= 12);
}

/* ---- Real ground --------------------------------------------------------------------------------------- */

/* The world that ships with lakes on one of its levels. */
static void shipped_world(struct terrane_world *world, struct terrane_recipe *recipe,
                          struct terrane_lakes lakes)
{
    terrane_recipe_default(recipe);
    recipe->lakes = lakes;
    make_world(world, recipe, 42);
}

static const struct terrane_lakes real_lakes = {
    .share = 1, .level = 6, .cell_log2 = 5, .radius = 40, .depth_m = 12, .shallow_m = 0.5f};

/* Land of seed 42 at level 6. */
static const struct terrane_window real_window = {
    .level = 6, .gi = -42000, .gj = -9100, .step = 1, .width = 700, .height = 500};

static void real_windows_agree(void **state)
{
    struct dice dice = {83};
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_window all = {
        .level = 6, .gi = -46080, .gj = -10240, .step = 1, .width = 300, .height = 300};

    (void)state;
    shipped_world(&world, &recipe, real_lakes);
    const struct land land = {LAND_WORLD, 0, &world};
    assert_true(expect_same_in_parts(&dice, &world, &land, &all, 12));
    all.gi = -42000, all.gj = -9100;
    assert_true(expect_same_in_parts(&dice, &world, &land, &all, 12));
}

/* What a body of water is: its samples, connected, of one level. */
struct body {
    int count, west, east, north, south;
    float lowest_m, shore_m; /* the lowest sample of it, and next to it */
    float level_m;
};

/* Measures the body of water at a place, and takes it out of wet. The window has the levels' size. */
static struct body body_take(const struct terrane_window *window, const float *ground, const float *level_m,
                             uint8_t *wet, int *queue, int at)
{
    const int width = window->width, height = window->height;
    struct body body = {.west = at % width,
                        .east = at % width,
                        .north = at / width,
                        .south = at / width,
                        .lowest_m = INFINITY,
                        .shore_m = INFINITY,
                        .level_m = level_m[at]};
    int first = 0;
    wet[at] = 2;
    queue[body.count++] = at;
    while (first < body.count) {
        const int place = queue[first++], x = place % width, y = place / width;
        body.west = x < body.west ? x : body.west, body.east = x > body.east ? x : body.east;
        body.north = y < body.north ? y : body.north, body.south = y > body.south ? y : body.south;
        body.lowest_m = fminf(body.lowest_m, ground[place]);
        assert_true(level_m[place] == body.level_m && ground[place] < body.level_m);
        for (int k = 0; k < 9; k++) {
            const int i = x + k % 3 - 1, j = y + k / 3 - 1, there = j * width + i;
            if (i < 0 || j < 0 || i >= width || j >= height)
                continue;
            if (wet[there] == 1) {
                wet[there] = 2;
                queue[body.count++] = there;
            } else if (!wet[there]) {
                assert_true(level_m[there] >= body.level_m); /* a shore */
                body.shore_m = fminf(body.shore_m, ground[there]);
            }
        }
    }
    return body;
}

/* All lakes' windows that could have made it lie in the window, too. */
static bool body_inside(const struct body *body, const struct terrane_window *window, int margin)
{
    return body->west >= margin && body->north >= margin && body->east < window->width - margin &&
           body->south < window->height - margin;
}

/*
 * The level to which a window fills up from its border and its sea (Barnes, Lehman, Mulla 2014), by rounds
 * over all samples until nothing sinks any more: slow and plain.
 */
static float *filled_new(const struct terrane_window *window, const float *ground, float sea_m)
{
    const int width = window->width, height = window->height;
    float *filled = malloc(window_samples(window) * sizeof *filled);
    assert_non_null(filled);
    for (int k = 0; k < width * height; k++) {
        const int x = k % width, y = k / width;
        const bool out = x == 0 || y == 0 || x == width - 1 || y == height - 1 || ground[k] < sea_m;
        filled[k] = out ? ground[k] : INFINITY;
    }
    for (bool sinks = true, back = false; sinks; back = !back) {
        sinks = false;
        for (int n = 0; n < width * height; n++) {
            const int k = back ? width * height - 1 - n : n;
            if (filled[k] <= ground[k])
                continue;
            for (int d = 0; d < 9; d++) {
                const float there = filled[k + (d / 3 - 1) * width + d % 3 - 1];
                const float through = there > ground[k] ? there : ground[k];
                if (through < filled[k]) {
                    filled[k] = through;
                    sinks = true;
                }
            }
        }
    }
    return filled;
}

/* What holds of a body of water, and how many of them stand as high as the flood of the whole window. */
static int check_body(const struct body *body, const struct terrane_recipe *recipe, const float *filled,
                      const int *place)
{
    const struct terrane_lakes *lakes = &recipe->lakes;
    bool as_filled = true;
    assert_true(body->east - body->west <= 2 * lakes->radius - 2 &&
                body->south - body->north <= 2 * lakes->radius - 2);
    assert_true(body->shore_m >= body->level_m);
    assert_true(body->lowest_m >= recipe->sea_m);
    /* Full to the brim, or as deep as allowed from one of its pits. */
    assert_true(body->shore_m == body->level_m || body->level_m - body->lowest_m >= lakes->depth_m * 0.999f);
    assert_true(body->level_m - body->lowest_m > lakes->shallow_m);
    for (int k = 0; k < body->count; k++) {
        assert_true(body->level_m <= filled[place[k]]);
        as_filled = as_filled && body->level_m == filled[place[k]];
    }
    return as_filled;
}

static void real_lakes_are_lakes(void **state)
{
    const struct terrane_window *window = &real_window;
    struct terrane_recipe recipe;
    struct terrane_world world;
    int lakes = 0, as_filled = 0, samples = 0, capped = 0, below_land = 0;

    (void)state;
    shipped_world(&world, &recipe, real_lakes);
    const struct land land = {LAND_WORLD, 0, &world};
    float *ground = land_new(&land, window), *level_m = lakes_new(&world, &land, window);
    float *filled = filled_new(window, ground, recipe.sea_m);
    uint8_t *wet = malloc(window_samples(window));
    int *queue = malloc(window_samples(window) * sizeof *queue);
    assert_true(wet && queue);
    for (size_t k = 0; k < window_samples(window); k++) {
        wet[k] = ground[k] < level_m[k];
        samples += wet[k];
        below_land += filled[k] > ground[k] && ground[k] >= recipe.sea_m;
    }
    for (int k = 0; k < (int)window_samples(window); k++)
        if (wet[k] == 1) {
            const struct body body = body_take(window, ground, level_m, wet, queue, k);
            if (!body_inside(&body, window, 2 * recipe.lakes.radius))
                continue;
            lakes++;
            capped += body.shore_m > body.level_m;
            as_filled += check_body(&body, &recipe, filled, queue);
        }
    print_message("%d lakes, %d as high as the large flood, %d filled to depth_m; %d of %d filled samples\n",
                  lakes, as_filled, capped, samples, below_land);
    assert_true(lakes >= 80 && as_filled * 2 > lakes && as_filled < lakes);
    free(ground), free(level_m), free(filled), free(wet), free(queue);
}

static void real_lakes_are_as_defined(void **state)
{
    static const int radii[] = {40, 64, 128};
    struct terrane_recipe recipe;
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < COUNT(radii); n++) {
        struct terrane_lakes lakes = real_lakes;
        lakes.radius = radii[n];
        lakes.cell_log2 = 5 + n;
        shipped_world(&world, &recipe, lakes);
        const struct land land = {LAND_WORLD, 0, &world};
        const struct terrane_window window = {
            .level = 6, .gi = real_window.gi, .gj = real_window.gj, .step = 1, .width = 170, .height = 150};
        float *expected = slow_lakes_new(&world, &land, &window),
              *level_m = lakes_new(&world, &land, &window);
        expect_levels(level_m, expected, &window);
        assert_true(count_claimed(level_m, &window) > 0);
        free(expected), free(level_m);
    }
}

/* ---- Shares, refusals, memory -------------------------------------------------------------------------- */

static void shares_are_of_cells(void **state)
{
    struct terrane_recipe recipe;
    struct terrane_world world;

    (void)state;
    for (int n = 0; n <= 4; n++) {
        const float share = (float)n * 0.25f;
        const struct terrane_lakes lakes = {.share = share, .cell_log2 = 3, .radius = 4, .depth_m = 1};
        const struct terrane_window window = {.gi = -400, .gj = -300, .step = 1, .width = 800, .height = 640};
        lake_world(&world, &recipe, lakes, -10, 7);
        int starts = 0;
        for (int64_t cy = -40; cy < 40; cy++)
            for (int64_t cx = -50; cx < 50; cx++) {
                int64_t gi, gj;
                starts += n > 0 && slow_start(&world, cx, cy, &gi, &gj);
            }
        assert_true(abs(starts - (int)(8000 * share)) <= (n % 4 ? 150 : 0));
        const struct land land = {LAND_ROUGH, 5, NULL};
        float *level_m = lakes_new(&world, &land, &window);
        const int claimed = count_claimed(level_m, &window);
        assert_true(n == 0 ? claimed == 0 : claimed > 0);
        free(level_m);
    }
}

/* Without lakes no ground is read. */
static void no_share_reads_nothing(void **state)
{
    const struct terrane_window window = {.gi = 3, .gj = -9, .step = 1, .width = 5, .height = 4};
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;
    struct terrane_window needed;
    float level_m[20];

    (void)state;
    make_world(&world, &recipe, 1);
    terrane_lakes_needs(&recipe, &window, &needed);
    assert_true(needed.level == 0 && needed.gi == 3 && needed.gj == -9 && needed.step == 1 &&
                needed.width == 5 && needed.height == 4);
    assert_int_equal(terrane_lakes(&world, &window, NULL, NULL, level_m), 0);
    assert_int_equal(count_claimed(level_m, &window), 0);
}

static void refusals_write_nothing(void **state)
{
    static const struct {
        struct terrane_window window;
        int error;
    } bad[] = {
        {{.level = 1, .step = 1, .width = 2, .height = 2}, TERRANE_ELEVEL},
        {{.level = 3, .step = 1, .width = 2, .height = 2}, TERRANE_ELEVEL},
        {{.level = 2, .step = 2, .width = 2, .height = 2}, TERRANE_EWINDOW},
        {{.level = 2, .step = 0, .width = 2, .height = 2}, TERRANE_EWINDOW},
        {{.level = 2, .step = 1, .width = 0, .height = 2}, TERRANE_EWINDOW},
        {{.level = 2, .step = 1, .width = 2, .height = 4098}, TERRANE_EWINDOW},
        {{.level = 2, .step = 1, .width = 2, .height = 2, .gi = (INT64_C(1) << 50) + 1}, TERRANE_EWINDOW},
        {{.level = 2, .step = 1, .width = 2, .height = 2, .gj = INT64_MIN}, TERRANE_EWINDOW},
    };
    struct terrane_recipe recipe;
    struct terrane_world world;
    float out[4], untouched[4];

    (void)state;
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

/* Buffers of just the sizes named, between guard pages, at any address, with any content. */
static void memory_is_bounded(void **state)
{
    struct dice dice = {85};
    struct terrane_recipe recipe;
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 60; n++) {
        const struct land land = {(enum land_kind)(1 + n % (LAND_KINDS - 1)), dice_bits(&dice), NULL};
        lake_world(&world, &recipe, dice_small_lakes(&dice, n % 10 ? 20 : 128), -1000, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 50);
        struct terrane_window needed;
        terrane_lakes_needs(&recipe, &window, &needed);
        float *expected = lakes_new(&world, &land, &window), *own = land_new(&land, &needed);
        struct guarded ground = guarded_new(window_samples(&needed) * sizeof(float), n & 1);
        struct guarded memory = guarded_new(terrane_lakes_bytes(&recipe) + (n % 3 ? 0 : 1), n & 2);
        struct guarded level_m = guarded_new(window_samples(&window) * sizeof(float), n & 4);
        memcpy(ground.data, own, ground.bytes);
        memset(memory.data, n, memory.bytes);
        assert_int_equal(terrane_lakes(&world, &window, (float *)(void *)ground.data,
                                       memory.data + (n % 3 == 0), (float *)(void *)level_m.data),
                         0);
        assert_memory_equal(level_m.data, expected, level_m.bytes);
        assert_true(guarded_intact(&ground) && guarded_intact(&memory) && guarded_intact(&level_m));
        guarded_free(&ground), guarded_free(&memory), guarded_free(&level_m);
        free(expected), free(own);
    }
}

/* -0 is as high as 0. */
static void signs_of_zeros_do_not_show(void **state)
{
    struct dice dice = {87};
    struct terrane_recipe recipe;
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 30; n++) {
        const struct land land = {LAND_ROUGH, dice_bits(&dice), NULL};
        struct terrane_lakes lakes = {.share = 1, .cell_log2 = 3, .radius = 9, .depth_m = 1000};
        lake_world(&world, &recipe, lakes, -1000, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 50);
        struct terrane_window needed;
        terrane_lakes_needs(&recipe, &window, &needed);
        float *expected = lakes_new(&world, &land, &window), *ground = land_new(&land, &needed);
        float *level_m = malloc(window_samples(&window) * sizeof *level_m);
        void *memory = malloc(terrane_lakes_bytes(&recipe));
        assert_true(level_m && memory);
        for (size_t k = 0; k < window_samples(&needed); k++)
            ground[k] = ground[k] == 0 && dice_chance(&dice, 0.5) ? -0.0f : ground[k];
        assert_int_equal(terrane_lakes(&world, &window, ground, memory, level_m), 0);
        expect_levels(level_m, expected, &window);
        free(expected), free(ground), free(level_m), free(memory);
    }
}

/* Heights that no terrain has (not numbers, infinities, -0) end in some answer, within bounds. */
static void any_ground_is_survived(void **state)
{
    static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, -0.0f, 0, 3.4e38f, -3.4e38f, 1, 2, 1e-45f, 3};
    struct dice dice = {86};
    struct terrane_recipe recipe;
    struct terrane_world world;

    (void)state;
    for (int n = 0; n < 40; n++) {
        lake_world(&world, &recipe, dice_small_lakes(&dice, 20), -1000, dice_bits(&dice));
        const struct terrane_window window = dice_lakes_window(&dice, &recipe, 50);
        struct terrane_window needed;
        terrane_lakes_needs(&recipe, &window, &needed);
        struct guarded memory = guarded_new(terrane_lakes_bytes(&recipe), n & 1);
        float *ground = malloc(window_samples(&needed) * sizeof *ground);
        float *level_m = malloc(window_samples(&window) * sizeof *level_m);
        assert_true(ground && level_m);
        for (size_t k = 0; k < window_samples(&needed); k++)
            ground[k] = odd[dice_int(&dice, 0, COUNT(odd) - 1)];
        assert_int_equal(terrane_lakes(&world, &window, ground, memory.data, level_m), 0);
        assert_true(guarded_intact(&memory));
        guarded_free(&memory);
        free(ground), free(level_m);
    }
}

UNIT(lakes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lakes_are_as_defined),   cmocka_unit_test(real_lakes_are_as_defined),
        cmocka_unit_test(windows_agree),          cmocka_unit_test(real_windows_agree),
        cmocka_unit_test(real_lakes_are_lakes),   cmocka_unit_test(shares_are_of_cells),
        cmocka_unit_test(no_share_reads_nothing), cmocka_unit_test(refusals_write_nothing),
        cmocka_unit_test(memory_is_bounded),      cmocka_unit_test(signs_of_zeros_do_not_show),
        cmocka_unit_test(any_ground_is_survived),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
