/*
 * Plates, climate and coarse terms (lib/term/plates.c, climate.c, fields.c, spline.c): a sample is a function of its place, whatever was
 * asked before and is remembered; no number jumps; none leaves its range, wherever it is.
 */
#include "../../../lib/recipe/bounds.h"
#include "../lib_fixture.h"

enum { RUGGED = 0, GROUND = TERRANE_PLATES_OFS + 2 };

/* A term of everything that plates and climate say, and two coarse ones, of which the second rests on the first. */
static struct terrane_recipe recipe_earth(void)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.spacing_m = 256;
    recipe.terms = 0;
    recipe.plates = (struct terrane_plates){12, 0, 1, 1, 0.5f, 0.3f, 0.4f, 0.5f};
    recipe.climate = (struct terrane_climate){5, 0, GROUND, 14, 28, -18, 0.0065f, 1100, 0.5f, 0.01f};
    recipe_add(&recipe, term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 6, 4096, 900, 0.5f));
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_PLATES, .of = of});
    recipe_add(&recipe, (struct terrane_term){
                            .op = TERRANE_OP_COARSE, .of = 4, .inputs = 1, .in = {1 + TERRANE_PLATES_CRUST}});
    recipe_add(&recipe,
               (struct terrane_term){
                   .op = TERRANE_OP_SUM, .inputs = 2, .in = {RUGGED, GROUND - 1}, .factor = {1, 2000}});
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_COARSE, .of = 6, .inputs = 1, .in = {GROUND}});
    for (int of = 0; of < TERRANE_CLIMATE_OFS; of++)
        recipe_add(&recipe,
                   (struct terrane_term){.op = TERRANE_OP_CLIMATE, .of = of, .inputs = 1, .in = {GROUND}});
    return recipe;
}

/* The same, whose height is one of its terms. */
static struct terrane_recipe recipe_of(struct terrane_recipe recipe, int term)
{
    recipe_add(&recipe,
               (struct terrane_term){.op = TERRANE_OP_SUM, .inputs = 1, .in = {term}, .factor = {1}});
    return recipe;
}

/* All of them, each by its own weight, and some odd ones. */
static struct terrane_recipe recipe_all(void)
{
    struct terrane_recipe recipe = recipe_earth();
    const int terms = recipe.terms;
    for (int first = 0; first < terms; first += TERRANE_INPUTS_MAX) {
        struct terrane_term sum = {.op = TERRANE_OP_SUM};
        for (int t = first; t < terms && sum.inputs < TERRANE_INPUTS_MAX; t++) {
            sum.factor[sum.inputs] = 1 / (1 + (float)t);
            sum.in[sum.inputs++] = t;
        }
        if (first > 0) {
            sum.in[sum.inputs == TERRANE_INPUTS_MAX ? 0 : sum.inputs++] = recipe.terms - 1;
            sum.factor[sum.inputs - 1] = 1;
        }
        recipe_add(&recipe, sum);
    }
    return recipe;
}

static void *memo_new(void)
{
    void *memo = calloc(1, terrane_memo_bytes);
    assert_non_null(memo);
    return memo;
}

static struct terrane_window square(int level, int64_t gi, int64_t gj, int side)
{
    return (struct terrane_window){level, gi, gj, 1, side, side};
}

/* ---- What is remembered -------------------------------------------------------------------------------- */

/* Windows of several worlds, seeds and levels, some of them the same ones again. */
TEST(what_is_remembered_changes_nothing)
{
    struct dice dice = {122};
    struct terrane_recipe recipe[2] = {recipe_all(), recipe_all()};
    struct terrane_world world[4];
    struct terrane_memory remembers = memory_lent;
    remembers.memo = memo_new();
    recipe[1].plates.salt = recipe[1].climate.salt = 1;
    for (int k = 0; k < 4; k++)
        make_world(&world[k], &recipe[k % 2], (uint64_t)(k / 2));
    for (int n = 0; n < 160; n++) {
        const int64_t far = n % 3 ? 0 : (n % 2 ? 1 : -1) * ((INT64_C(1) << 50) - 70000);
        const struct terrane_window window =
            square(dice_int(&dice, 0, 9), far + dice_int(&dice, -1, 1) * 300,
                   far + dice_int(&dice, -1, 1) * 300, dice_int(&dice, 1, 60));
        const struct terrane_world *any = &world[dice_int(&dice, 0, 3)];
        float *with = layer_new(any, LAYER_HEIGHTS, &window, &remembers);
        float *without = layer_new(any, LAYER_HEIGHTS, &window, scratch);
        if (memcmp(with, without, samples_of(&window) * sizeof *with) != 0)
            fail_msg("%s is another one", window_text(&window));
        free(with);
        free(without);
    }
    free(remembers.memo);
}

/* ---- Bounds -------------------------------------------------------------------------------------------- */

/* Finite, and within what is promised of them. */
static void expect_within(const struct terrane_world *world, const struct terrane_window *window)
{
    double low, high;
    terrane_height_bounds_m(world->recipe, &low, &high);
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    for (size_t i = 0; i < samples_of(window); i++)
        if (!((double)heights[i] >= low && (double)heights[i] <= high))
            fail_msg("%s: %g is not within %g .. %g", window_text(window), (double)heights[i], low, high);
    free(heights);
}

TEST(quantities_keep_their_bounds)
{
    const struct terrane_recipe earth = recipe_earth();
    for (int term = 0; term < earth.terms; term++)
        for (int n = 0; n < 6; n++) {
            struct terrane_recipe recipe = recipe_of(earth, term);
            struct terrane_world world;
            recipe.climate.period_log2 = n % 2 ? 14 : 0;
            recipe.plates.rounds = n % 5;
            make_world(&world, &recipe, (uint64_t)n);
            const struct terrane_window window = square(6 + n % 2, -500, 300, 300);
            expect_within(&world, &window);
        }
}

/* ---- Hostile recipes ----------------------------------------------------------------------------------- */

/* The least and the greatest of everything, at all levels, at the lattice's corners and its middle. */
TEST(limits_are_finite_everywhere)
{
    const int64_t corners[] = {-(INT64_C(1) << 50), 0, INT64_C(1) << 50};
    for (int n = 0; n < 16; n++) {
        const bool a = n & 1, b = n & 2, c = n & 4, d = n & 8;
        struct terrane_recipe recipe = recipe_all();
        struct terrane_world world;
        recipe.spacing_m = a ? 0x1p-10 : d ? 1 : 0x1p20; /* no number may pass 2^40 */
        recipe.plates = (struct terrane_plates){
            d ? 34 : 9,          0, b ? 0 : 1, c ? 0 : 4, d ? 0 : 1, c ? 0 : 0.5f, b ? 0x1p-4f : 0.5f,
            a ? 0x1p-4f : 0.875f};
        recipe.climate.cell_log2 = b ? 4 : 22;
        recipe.climate.period_log2 = c ? 0 : d ? 40 : recipe.climate.cell_log2 + 6;
        recipe.climate.warm_c = 100;
        recipe.climate.cold_c = c ? 100 : -100;
        recipe.climate.lapse = recipe.climate.shadow = d ? 0 : 0.1f;
        recipe.climate.rain_mm = a ? 0 : 16384;
        recipe.climate.swing = a ? 0 : 4;
        recipe.term[GROUND - 1].of = 4;
        recipe.term[GROUND + 1].of = 22;
        make_world(&world, &recipe, (uint64_t)n);
        for (int level = n % 3; level <= TERRANE_LEVEL_MAX; level += 3)
            for (int k = 0; k < 9; k++) {
                struct terrane_window window = square(level, corners[k / 3], corners[k % 3], 9);
                window.gi -= window.gi > 0 ? 8 : 0;
                window.gj -= window.gj > 0 ? 8 : 0;
                expect_within(&world, &window);
            }
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

TEST(memory_may_be_short_anywhere)
{
    struct terrane_recipe recipe = recipe_all();
    struct terrane_world world;
    const struct terrane_window window = square(1, 10, 20, 4);
    make_world(&world, &recipe, 1);
    float *right = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
    for (int remembers = 0; remembers < 2; remembers++)
        for (int max = 0, error = TERRANE_EMEMORY; error != 0; max++) {
            struct purse purse = {.left = max};
            const struct terrane_memory memory = {.alloc = purse_lend,
                                                  .free = purse_take_back,
                                                  .user = &purse,
                                                  .memo = remembers ? memo_new() : NULL};
            float out[16] = {7, 7};
            error = terrane_heights(&world, &window, &memory, out);
            assert_int_equal((int)purse.lent, 0);
            if (error == 0) {
                assert_memory_equal(out, right, sizeof out);
                assert_true(max >=
                            6); /* scratch, two coarse terms, warmth and rain, and the ground of these */
            } else {
                assert_int_equal(error, TERRANE_EMEMORY);
                assert_true(out[0] == 7 && out[1] == 7);
            }
            free(memory.memo);
        }
    free(right);
}

GROUP(earth, set_up, tear_down);
