/*
 * Objects (lib/objects, lib/product/ground_objects.c): the same from any window, a coarser level's among a finer one's, none nearer to
 * another than both radii, at the ends of the world, too; and nothing where memory is short.
 */
#include "../drain/drain_kit.h"

#include "../../../lib/terrane_make.h"

static void add_class(struct terrane_recipe *recipe, float radius_m, float wood, float grass, int level)
{
    recipe->objects.of[recipe->objects.classes++] = (struct terrane_class){
        .radius_m = radius_m, .on = {wood, grass}, .slope = 64, .small = 0.5f, .large = 2, .level = level};
}

/* Level ground, all of which bears them, with patches of wood. */
static void world_make(struct terrane_world *world, struct terrane_recipe *recipe)
{
    *recipe = recipe_flat();
    recipe->term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN5, 3, 256, 1, 0.5f);
    recipe_add(recipe, (struct terrane_term){.op = TERRANE_OP_SUM, .offset = 10});
    recipe->cover = (struct terrane_cover){
        .materials = 2,
        .material = {{.share = 1,
                      .conditions = 1,
                      .condition = {{.of = TERRANE_COVER_QUANTITIES, .rises = true, .rise = {-0.1f, 0.1f}}}},
                     {.share = 1}}};
    add_class(recipe, (float)(3.3 * recipe->spacing_m), 1, 0.1f, 3);
    add_class(recipe, (float)(2 * recipe->spacing_m), 0.1f, 0.5f, 1);
    add_class(recipe, (float)(9 * recipe->spacing_m), 0.1f, 0.1f, 4);
    make_world(world, recipe, 7);
}

static int ground_made(const struct terrane_world *world, const struct terrane_window *window,
                       const struct terrane_memory *memory, struct terrane_plan *plan,
                       struct terrane_ground *ground)
{
    assert_int_equal(terrane_plan(world->recipe, window, TERRANE_VARIANT_BASE, TERRANE_OBJECTS_READS, plan),
                     0);
    const int error = terrane_ground_open(world, plan, NULL, memory, ground);
    return error != 0 ? error : terrane_ground_objects(ground);
}

/* Whether one of those has the same place, and is the same. */
static bool has(const struct terrane_ground *ground, const struct terrane_object *object)
{
    for (size_t i = 0; i < ground->objects; i++)
        if (memcmp(&ground->object[i], object, offsetof(struct terrane_object, scale) + 1) == 0)
            return true;
    return false;
}

/* All of the part's are the whole's, and as many as that has there. */
static void expect_among(const struct terrane_ground *whole, const struct terrane_ground *part, int min)
{
    const struct terrane_window *window = &part->plan->window;
    const int64_t side = INT64_C(1) << (window->level + 4);
    size_t there = 0;
    for (size_t i = 0; i < whole->objects; i++) {
        const int64_t x = whole->object[i].x - window->gi * side, y = whole->object[i].y - window->gj * side;
        there += x >= 0 && x < (window->width - 1) * side && y >= 0 && y < (window->height - 1) * side;
    }
    for (size_t i = 0; i < part->objects; i++)
        assert_true(has(whole, &part->object[i]));
    assert_true(part->objects >= (size_t)min);
    assert_true(window->level == whole->plan->window.level ? part->objects == there : part->objects < there);
}

TEST(any_window_and_coarser_levels)
{
    static const int64_t places[][2] = {
        {-100, -77}, {12345, -999999}, {-(INT64_C(1) << 48), (INT64_C(1) << 48) - 400}};
    static struct terrane_recipe recipe;
    struct terrane_world world;
    struct dice dice = {11};
    world_make(&world, &recipe);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const struct terrane_window window = {0, places[k][0], places[k][1], 1, 321, 257};
        struct terrane_plan plan, part_plan;
        struct terrane_ground whole, part;
        assert_int_equal(ground_made(&world, &window, scratch, &plan, &whole), 0);
        for (int n = 0; n < 8; n++) {
            const int level = n < 6 ? 0 : n - 5, width = dice_int(&dice, 40, 100);
            struct terrane_window of = {level,
                                        window.gi + dice_int(&dice, 0, 100),
                                        window.gj + dice_int(&dice, 0, 100),
                                        1,
                                        width,
                                        width / 2 + 1};
            if (level > 0) {
                of.gi = (window.gi >> level) + 1;
                of.gj = (window.gj >> level) + 1;
                of.width = of.height = (200 >> level) + 1;
            }
            assert_int_equal(ground_made(&world, &of, scratch, &part_plan, &part), 0);
            expect_among(&whole, &part, n < 6 ? 5 : 3);
            terrane_ground_close(&part);
        }
        terrane_ground_close(&whole);
    }
}

/* ... and who asks again, once there is some, gets all. */
TEST(short_memory_leaves_nothing)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;
    const struct terrane_window window = {0, 0, 0, 1, 129, 129};
    struct terrane_plan whole_plan;
    struct terrane_ground whole;
    world_make(&world, &recipe);
    assert_int_equal(ground_made(&world, &window, scratch, &whole_plan, &whole), 0);
    assert_true(whole.objects > 512); /* in more than one block, one after the other */
    int error = TERRANE_EMEMORY;
    for (int left = 0; error != 0; left++) {
        struct purse purse = {.left = left};
        const struct terrane_memory memory = {purse_lend, purse_take_back, &purse, NULL, NULL};
        struct terrane_plan plan;
        struct terrane_ground ground;
        error = ground_made(&world, &window, &memory, &plan, &ground);
        assert_true(error == 0 || error == TERRANE_EMEMORY);
        purse.left = 100;
        assert_int_equal(terrane_ground_objects(&ground), 0);
        assert_int_equal(ground.objects, whole.objects);
        expect_among(&whole, &ground, 512);
        terrane_ground_close(&ground);
        assert_int_equal(purse.lent, 0);
        assert_true(left < 100);
    }
    terrane_ground_close(&whole);
}

GROUP(objects, set_up, tear_down);
