/*
 * Plates, climate and coarse terms (lib/plates.c, climate.c, fields.c, spline.c): a sample is a function of its place, whatever was
 * asked before and is remembered; no number jumps; none leaves its range, wherever it is.
 */
#include "../lib_fixture.h"

enum { RUGGED = 0, GROUND = TERRANE_PLATES_OFS + 2 };

/* A term of everything that plates and climate say, and two coarse ones, of which the second rests on the first. */
static struct terrane_recipe recipe_earth(void)
{
    struct terrane_recipe recipe = recipe_flat();
    recipe.spacing_m = 256;
    recipe.terms = 0;
    recipe.plates = (struct terrane_plates){
        .cell_log2 = 12, .jitter = 1, .rounds = 1, .land = 0.5f, .warp = 0.3f, .blend = 0.4f, .reach = 0.5f};
    recipe.climate = (struct terrane_climate){.cell_log2 = 5,
                                              .period_log2 = 14,
                                              .ground = GROUND,
                                              .warm_c = 28,
                                              .cold_c = -18,
                                              .lapse = 0.0065f,
                                              .rain_mm = 1100,
                                              .swing = 0.5f,
                                              .shadow = 0.01f};
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
    void *memo = calloc(1, terrane_memo_bytes());
    assert_non_null(memo);
    return memo;
}

static struct terrane_window square(int level, int64_t gi, int64_t gj, int side)
{
    return (struct terrane_window){
        .level = level, .gi = gi, .gj = gj, .step = 1, .width = side, .height = side};
}

TEST(samples_are_those_that_are_asked_for_alone)
{
    struct terrane_recipe recipe = recipe_earth();
    struct dice dice = {121};
    for (int term = 0, terms = recipe.terms; term < terms; term++)
        for (int n = 0; n < 6; n++) {
            struct terrane_recipe one = recipe_of(recipe, term);
            struct terrane_world world;
            make_world(&world, &one, (uint64_t)n);
            struct terrane_window window = dice_window(&dice, &world);
            window.level = n * 2;
            window.step = window.step > 8 ? 8 : window.step;
            window.gi -= window.gi > 0 ? 20000 : 0; /* its last sample is within the lattice, too */
            window.gj -= window.gj > 0 ? 20000 : 0;
            isa_choose(n);
            float *all = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
            for (int m = 0; m < 12; m++) {
                const int i = dice_int(&dice, 0, window.width - 1), j = dice_int(&dice, 0, window.height - 1);
                const float alone = height_at(&world, window.level, window.gi + (int64_t)i * window.step,
                                              window.gj + (int64_t)j * window.step, scratch);
                if (memcmp(&alone, &all[j * window.width + i], sizeof alone) != 0)
                    fail_msg("term %d, %s: sample %d, %d is %.9g, alone %.9g", term, window_text(&window), i,
                             j, (double)all[j * window.width + i], (double)alone);
            }
            free(all);
        }
}

/* What a cell knows ends where nobody asks it: beside its border a quantity changes no faster than elsewhere. */
TEST(plates_do_not_jump_at_cells)
{
    enum { SIDE = 1024, CELL = 64 };
    const struct terrane_recipe earth = recipe_earth();
    for (int of = 0; of < TERRANE_PLATES_OFS; of++)
        for (int n = 0; n < 2; n++) {
            struct terrane_recipe recipe = recipe_of(earth, 1 + of);
            struct terrane_world world;
            float most[2] = {0, 0};
            recipe.plates.warp = 0; /* nodes stand in their own cells */
            recipe.plates.reach = n == 0 ? 0.875f : 0.3f;
            recipe.plates.rounds = n;
            make_world(&world, &recipe, 5);
            const struct terrane_window window = square(6, -SIDE / 2, -SIDE / 2, SIDE);
            float *value = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
            for (int j = 0; j < SIDE - 1; j++)
                for (int i = 0; i < SIDE - 1; i++) {
                    const float *at = value + j * SIDE + i;
                    const int c = (i + 2) % CELL, r = (j + 2) % CELL;
                    most[c < 4] = fmaxf(most[c < 4], fabsf(at[1] - at[0]));
                    most[r < 4] = fmaxf(most[r < 4], fabsf(at[SIDE] - at[0]));
                }
            free(value);
            if (most[1] > 1.25f * most[0])
                fail_msg("quantity %d: %g from node to node at borders of cells, %g elsewhere", of,
                         (double)most[1], (double)most[0]);
        }
}

/* Second differences of a C2 function pass nodes as they pass any other place. */
TEST(plates_bend_smoothly_at_nodes)
{
    enum { WIDE = 4096, NODE = 8 };
    for (int of = TERRANE_PLATES_CRUST; of <= TERRANE_PLATES_CLOSING; of++) {
        struct terrane_recipe recipe = recipe_of(recipe_earth(), 1 + of);
        struct terrane_world world;
        float most[2] = {0, 0};
        make_world(&world, &recipe, 6);
        const struct terrane_window window = {.level = 3, .step = 1, .width = WIDE, .height = 1};
        float *value = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
        for (int i = 0; i < WIDE - 3; i++) {
            const float third = (value[i + 3] - value[i]) - 3 * (value[i + 2] - value[i + 1]);
            const bool at_node = i % NODE > NODE - 3 || i % NODE == 0;
            most[at_node] = fmaxf(most[at_node], fabsf(third));
        }
        free(value);
        assert_true(most[0] > 1e-5f && most[1] < 1.5f * most[0]);
    }
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
        if (memcmp(with, without, window_samples(&window) * sizeof *with) != 0)
            fail_msg("%s is another one", window_text(&window));
        free(with);
        free(without);
    }
    free(remembers.memo);
}

/* ---- Levels -------------------------------------------------------------------------------------------- */

TEST(coarse_terms_are_themselves_from_their_level_on)
{
    const struct terrane_recipe earth = recipe_earth();
    for (int coarse = GROUND - 1; coarse <= GROUND + 1; coarse += 2) {
        struct terrane_recipe made = recipe_of(earth, coarse),
                              in = recipe_of(earth, earth.term[coarse].in[0]);
        struct terrane_world world[2];
        make_world(&world[0], &made, 9);
        make_world(&world[1], &in, 9);
        for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
            const struct terrane_window window = square(level, 1000, -3000, 40);
            float *a = layer_new(&world[0], LAYER_HEIGHTS, &window, scratch);
            float *b = layer_new(&world[1], LAYER_HEIGHTS, &window, scratch);
            const bool same = memcmp(a, b, window_samples(&window) * sizeof *a) == 0;
            /* of plates, nothing is left at levels as coarse as an eighth of a cell */
            assert_true(same == (level >= earth.term[coarse].of || (coarse < GROUND && level > 9)));
            free(a);
            free(b);
        }
    }
}

/* Finite, and within what is promised of them. */
static void expect_within(const struct terrane_world *world, const struct terrane_window *window)
{
    double low, high;
    terrane_height_bounds_m(world->recipe, &low, &high);
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    for (size_t i = 0; i < window_samples(window); i++)
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
        recipe.plates = (struct terrane_plates){.cell_log2 = d ? 34 : 9,
                                                .jitter = b ? 0 : 1,
                                                .rounds = c ? 0 : 4,
                                                .land = d ? 0 : 1,
                                                .warp = c ? 0 : 0.5f,
                                                .blend = b ? 0x1p-4f : 0.5f,
                                                .reach = a ? 0x1p-4f : 0.875f};
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
        for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
            for (int k = 0; k < 9; k++) {
                struct terrane_window window = square(level, corners[k / 3], corners[k % 3], 9);
                window.gi -= window.gi > 0 ? 8 : 0;
                window.gj -= window.gj > 0 ? 8 : 0;
                expect_within(&world, &window);
            }
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* Allocations until it is short, and those that live. */
struct purse {
    int left, living;
};

static void *purse_take(void *user, size_t bytes)
{
    struct purse *purse = user;
    if (purse->left-- <= 0)
        return NULL;
    purse->living++;
    return aligned_alloc(TERRANE_SCRATCH_ALIGN,
                         (bytes + TERRANE_SCRATCH_ALIGN - 1) & -(size_t)TERRANE_SCRATCH_ALIGN);
}

static void purse_give(void *user, void *block)
{
    ((struct purse *)user)->living--;
    free(block);
}

TEST(memory_may_be_short_anywhere)
{
    struct terrane_recipe recipe = recipe_all();
    struct terrane_world world;
    const struct terrane_window window = square(1, 10, 20, 4);
    make_world(&world, &recipe, 1);
    float *right = layer_new(&world, LAYER_HEIGHTS, &window, scratch);
    for (int remembers = 0; remembers < 2; remembers++)
        for (int most = 0, error = TERRANE_EMEMORY; error != 0; most++) {
            struct purse purse = {.left = most};
            const struct terrane_memory memory = {.alloc = purse_take,
                                                  .free = purse_give,
                                                  .user = &purse,
                                                  .memo = remembers ? memo_new() : NULL};
            float out[16] = {7, 7};
            error = terrane_heights(&world, &window, &memory, out);
            assert_int_equal(purse.living, 0);
            if (error == 0) {
                assert_memory_equal(out, right, sizeof out);
                assert_true(most >=
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
