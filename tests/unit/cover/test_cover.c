/*
 * Cover (lib/cover, lib/product/ground_cover.c): the same in every window, at every step, by every instruction set, wherever regions
 * end; tests/golden has what it is.
 */
#include "../drain/drain_kit.h"

#include "../../../lib/cover/cover.h"
#include "../shelf_kit.h"

static struct terrane_condition condition(int of, float a, float b, float c, float d)
{
    return (struct terrane_condition){
        .of = of, .rises = b > a, .falls = d > c, .rise = {a, b}, .fall = {c, d}};
}

static void add_material(struct terrane_recipe *recipe, float share, int conditions,
                         const struct terrane_condition *where)
{
    struct terrane_material *material = &recipe->cover.material[recipe->cover.materials++];
    snprintf(material->name, sizeof material->name, "m%d", recipe->cover.materials);
    memset(material->colour, 31 * recipe->cover.materials, 3);
    material->share = share;
    material->conditions = conditions;
    for (int k = 0; k < conditions; k++)
        material->condition[k] = where[k];
}

/* Hills by the sea, with rivers, and a material for each quantity, a term among them. */
static void world_make(struct terrane_world *world, struct terrane_recipe *recipe, uint64_t seed)
{
    *recipe = recipe_flat();
    recipe->term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 3, 512, 1, 0.5f);
    recipe_add(recipe, term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 8, 4096, 300, 0.5f));
    rivers_usual(recipe, 4, 8);
    recipe->sea_m = -60;
    const struct terrane_condition by[] = {condition(TERRANE_COVER_CURVATURE, 0, 0, -0.02f, 0),
                                           condition(TERRANE_COVER_SLOPE, 0.2f, 0.7f, 0, 0),
                                           condition(TERRANE_COVER_DEPTH, 0, 1, 0, 0),
                                           condition(TERRANE_COVER_SHORE, 0, 0, 20, 100),
                                           condition(TERRANE_COVER_HEIGHT, -5, 5, 100, 300),
                                           condition(TERRANE_COVER_RIVER, 0, 0, 2, 12),
                                           condition(TERRANE_COVER_WETNESS, 2, 9, 0, 0),
                                           condition(TERRANE_COVER_QUANTITIES, -0.2f, 0.3f, 0, 0)};
    add_material(recipe, 0.8f, 2, by);
    for (int k = 2; k < 8; k++)
        add_material(recipe, 0.9f, 1, &by[k]);
    add_material(recipe, 1, 0, NULL);
    make_world(world, recipe, seed);
}

static float *layer_made(const struct terrane_world *world, const struct terrane_window *window,
                         enum terrane_layer layer, enum terrane_variant variant)
{
    float *out =
        malloc(samples_of(window) * sizeof *out * (size_t)terrane_layer_values(world->recipe, layer));
    assert_non_null(out);
    assert_int_equal(terrane_make(world, window, layer, variant, &store, scratch, out), 0);
    return out;
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

static void expect_part(const struct terrane_world *world, const struct terrane_window *whole,
                        const float *expected, const struct terrane_window *part)
{
    const size_t size = (size_t)terrane_cover_materials(world->recipe) * sizeof(float);
    char *got = (char *)layer_made(world, part, TERRANE_LAYER_COVER, TERRANE_VARIANT_ERODED);
    for (int j = 0; j < part->height; j++)
        for (int i = 0; i < part->width; i++) {
            const size_t at = place_of(whole, part->gi + i * part->step, part->gj + j * part->step);
            assert_memory_equal(got + (size_t)(j * part->width + i) * size,
                                (const char *)expected + at * size, size);
        }
    free(got);
}

/* Around the corner of four regions of drainage: each level's 256 cells. Above the lattices nothing is known of water. */
TEST(windows_and_regions_agree)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    struct dice dice = {9};
    double used[TERRANE_MATERIALS_MAX] = {0};
    world_make(&world, &recipe, 42);
    static const int levels[] = {1, 4, 6, 9};
    for (int n = 0; n < COUNT(levels); n++) {
        const int level = levels[n];
        const int64_t corner = level < 4 ? (INT64_C(256) << (4 - level)) * (n % 2 ? 1 : -1) : 256;
        const struct terrane_window whole = {level, corner - 40, -40, 1, 90, 75};
        float *all = layer_made(&world, &whole, TERRANE_LAYER_COVER, TERRANE_VARIANT_ERODED);
        for (size_t i = 0; i < samples_of(&whole) * 8; i++)
            used[i % 8] += (double)all[i];
        for (int k = 0; k < 2; k++) {
            const int step = dice_int(&dice, 1, 4), gi = dice_int(&dice, 0, 60), gj = dice_int(&dice, 0, 50);
            const struct terrane_window part = {level,
                                                whole.gi + gi,
                                                whole.gj + gj,
                                                step,
                                                dice_int(&dice, 1, (89 - gi) / step + 1),
                                                dice_int(&dice, 1, (74 - gj) / step + 1)};
            isa_choose(level + k);
            expect_part(&world, &whole, all, &part);
        }
        free(all);
    }
    shelf_clear(&shelf);
    for (int m = 0; m < 8; m++)
        assert_true(used[m] > 50); /* samples: each quantity has said something */
}

/* ---- What is hostile ------------------------------------------------------------------------------------ */

/* Cells that say anything: ways that lead nowhere or in circles, any heights, any runoff. */
TEST(drainage_that_lies_does_no_harm)
{
    struct dice dice = {5};
    const struct terrane_window window = {2, 3, 5, 1, 33, 21}, cells = {4, -10, -9, 1, 40, 32};
    static struct terrane_recipe recipe;
    struct terrane_world world;
    world_make(&world, &recipe, 1);
    struct terrane_drained drained = drained_of(&cells);
    for (int n = 0; n < 200; n++) {
        float out[3][33 * 21];
        for (size_t i = 0; i < samples_of(&cells); i++) {
            drained.z[i] = dice_chance(&dice, 0.1) ? INT32_MIN : (int32_t)dice_bits(&dice);
            drained.low[i] = (uint32_t)dice_bits(&dice);
            drained.high[i] = (uint32_t)dice_bits(&dice);
            drained.stem[i] = (uint32_t)dice_bits(&dice);
        }
        assert_int_equal(cover_of_drainage(&recipe, &window, &drained, scratch, out[0], out[1], out[2]), 0);
        for (int k = 0; k < 33 * 21; k++) {
            assert_true(isfinite(out[0][k]) && isfinite(out[1][k]));
            assert_true(out[2][k] >= 0 && out[2][k] <= 1.0001f * cover_far_m(&recipe, 4));
        }
    }
    const struct terrane_window far = {2, 90, 5, 1, 33, 21};
    float none[33 * 21];
    assert_int_equal(cover_of_drainage(&recipe, &far, &drained, scratch, none, NULL, NULL), TERRANE_EWINDOW);
    struct purse purse = {.left = 0};
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    assert_int_equal(cover_of_drainage(&recipe, &window, &drained, &memory, none, NULL, NULL),
                     TERRANE_EMEMORY);
    assert_int_equal(purse.lent, 0);
    free(drained.z);
}

GROUP(cover, set_up, tear_down);
