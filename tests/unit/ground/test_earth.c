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
    recipe_add(&recipe, (struct terrane_term){.op = TERRANE_OP_SUM,
                                              .inputs = 2,
                                              .in = {RUGGED, GROUND - 1},
                                              .factor = {1, 2000}});
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
                const float alone =
                    height_at(&world, window.level, window.gi + (int64_t)i * window.step,
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

GROUP(earth, set_up, tear_down);
