/*
 * A sample is a function of its place alone: those of which something is left out are what they are when asked for alone
 * (lib/kernel/points.inc, term.inc, lib/term/graph.c).
 */
#include "../lib_fixture.h"

/* A displacement goes 2^20 cells at most, however great; what is clamped is made, and no number leaves its range. */
TEST(displacement_ends)
{
    struct dice dice = {85};

    for (int n = 0; n < 40; n++) {
        struct terrane_recipe recipe = recipe_flat();
        struct terrane_world world;
        recipe.term[0].offset = n & 1 ? 32768 : -32768;
        recipe_add(&recipe, term_fractal(TERRANE_FBM, (enum terrane_base)(n % TERRANE_BASES), 1, 4, 1, 0.5f));
        recipe.term[1].fractal.warp_term[0] = 0;
        recipe.term[1].fractal.warp_term[1] = n & 2 ? 0 : -1;
        recipe.term[1].fractal.warp_m = 0x1p20f;
        make_world(&world, &recipe, (uint64_t)n);
        const struct terrane_window window = {0, dice_place(&dice), dice_place(&dice), 1, 30, 3};
        float *heights = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        for (size_t i = 0; i < samples_of(&window); i++)
            assert_true(fabsf(heights[i]) <= 1.4f);
        free(heights);
    }
}

/* One sample's height and normal, in a window of its own: nothing but its own share decides what is made. */
static void expect_alone(const struct terrane_world *world, const struct terrane_window *window)
{
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    float *normals = layer_new(world, LAYER_NORMALS, window, scratch);
    for (int n = 0; n < window->width * window->height; n++) {
        const struct terrane_window one = {.gi = window->gi + (int64_t)(n % window->width) * window->step,
                                           .gj = window->gj + (int64_t)(n / window->width) * window->step,
                                           .step = 1,
                                           .width = 1,
                                           .height = 1};
        float height, normal[3];
        assert_int_equal(terrane_heights(world, &one, scratch, &height), 0);
        assert_int_equal(terrane_normals(world, &one, scratch, normal), 0);
        if (memcmp(&height, heights + n, sizeof height) != 0 ||
            memcmp(normal, normals + 3 * n, sizeof normal) != 0)
            fail_msg("%s: sample %d alone is another", window_text(window), n);
    }
    free(heights);
    free(normals);
}

/* A column of row 0 where the first term, alone, passes a value. */
static int64_t passing(const struct terrane_recipe *recipe, uint64_t seed, float value)
{
    struct terrane_recipe alone = *recipe;
    struct terrane_world world;
    int64_t low = 0, high = 0;
    alone.terms = 1;
    alone.partition = recipe_flat().partition;
    make_world(&world, &alone, seed);
    const bool below = height_at(&world, 0, 0, 0, scratch) < value;
    while ((height_at(&world, 0, high, 0, scratch) < value) == below)
        low = high, high += 500;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *((height_at(&world, 0, middle, 0, scratch) < value) == below ? &low : &high) = middle;
    }
    return high;
}

/*
 * A side of a blend or a zone that holds nowhere in a strip is not made. In wide, slow transitions many samples have a
 * share that rounds to 0 or 1 while the fade's slope does not: windows of one sample leave sides out that larger ones
 * make, and agree.
 */
TEST(what_has_no_share_changes_nothing)
{
    struct dice dice = {97};

    for (int n = 0; n < 24; n++) {
        struct terrane_recipe recipe = recipe_flat();
        struct terrane_world world;
        const double high = dice_real(&dice, 0.1, 0.5);
        recipe.spacing_m = 0.01; /* steep enough for a lost slope to show */
        recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 1, 8192, 1, 1);
        recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_VALUE, 2, 300, 9000, 1));
        recipe_add(&recipe, term_fractal(TERRANE_RIDGED, TERRANE_VALUE, 2, 256, 9000, 1));
        if (n % 2) {
            recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_BLEND,
                                                      .inputs = 3,
                                                      .in = {1, 2, 0},
                                                      .low = (float)-high,
                                                      .high = (float)high});
        } else {
            recipe.partition = (struct terrane_partition){
                .zones = 3,
                .blend = (float)high,
                .threshold = {(float)-high / 2, (float)high / 2}}; /* ends at -high, 0, high */
            for (int z = 0; z < 3; z++)
                recipe.partition.zone[z] =
                    (struct terrane_zone){.term = z % 2 + 1, .amplitude = 1, .offset_m = 9000.0f * (float)z};
            recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_ZONES});
        }
        const uint64_t seed = dice_bits(&dice);
        make_world(&world, &recipe, seed);
        struct terrane_window window = {0, 0, 0, 1, 60, 8}; /* around the transition's end */
        window.gi = passing(&recipe, seed, (float)(n % 4 < 2 ? high : -high)) - 30;
        expect_alone(&world, &window);
    }
}

GROUP(alone, set_up, tear_down);
