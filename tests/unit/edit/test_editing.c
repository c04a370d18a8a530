/* Windows under edits (lib/edit/editing.c, mean.c): the same bits from any window, in any order of tiles, at once or bit by bit. */
#include "edit_kit.h"

#include "../../../lib/terrane_make.h"

enum { EDITS = 60 };

/* A list on a place of a level, and a window that has most of it. */
struct scene {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_edit edit[EDITS];
    struct terrane_window window;
};

static void make_scene(struct scene *scene, struct dice *dice, int level)
{
    static const int64_t place[] = {0, 777777, -(INT64_C(1) << 40), (INT64_C(1) << 52) - 600};
    const int64_t x = place[dice_int(dice, 0, 3)], y = place[dice_int(dice, 0, 3)];
    edit_world(&scene->world, &scene->recipe);
    for (int k = 0; k < EDITS; k++) {
        scene->edit[k] = dice_edit(dice, x, y, 600 << level);
        if (scene->edit[k].x > INT64_C(1) << 52 || scene->edit[k].y > INT64_C(1) << 52)
            scene->edit[k].x = scene->edit[k].y = 0;
        if (terrane_edit_check(&scene->recipe, &scene->edit[k], NULL) != 0 && scene->edit[k].points > 0)
            scene->edit[k] = (struct terrane_edit){.brush = TERRANE_BRUSH_MARK}; /* the world ends there */
        for (int more = 0; more < level; more++)
            scene->edit[k].outer *= 2;
        assert_int_equal(terrane_edit_check(&scene->recipe, &scene->edit[k], NULL), 0);
    }
    scene->window =
        (struct terrane_window){level, (x >> (4 + level)) - 50, (y >> (4 + level)) - 50, 1, 101, 101};
}

/* Of a window with any step within the scene's: each sample is what the scene's window has there. */
TEST(windows_agree)
{
    struct dice dice = {11};
    for (int n = 0; n < 12; n++) {
        struct scene scene;
        make_scene(&scene, &dice, n / 2 % 5);
        float *all = edited_new(&scene.world, &scene.window, scene.edit, EDITS);
        float *plain = layer_new(&scene.world, LAYER_HEIGHTS, &scene.window, scratch);
        assert_memory_not_equal(all, plain, 101 * 101 * sizeof *all);
        for (int part = 0; part < 8; part++) {
            const int step = dice_chance(&dice, 0.5) ? 1 : dice_int(&dice, 1, 7);
            const int i = dice_int(&dice, 0, 90), j = dice_int(&dice, 0, 90);
            struct terrane_window window = scene.window;
            window.gi += i, window.gj += j, window.step = step;
            window.width = dice_int(&dice, 1, (100 - i) / step + 1);
            window.height = dice_int(&dice, 1, (100 - j) / step + 1);
            isa_choose(part);
            float *some = edited_new(&scene.world, &window, scene.edit, EDITS);
            for (int k = 0; k < window.width * window.height; k++)
                assert_true(some[k] ==
                            all[(j + k / window.width * step) * 101 + i + k % window.width * step]);
            free(some);
        }
        free(all);
        free(plain);
    }
}

/* So many of the operations, packed, and in another editing the rest. Bytes that are not of that window are refused, and wrong numbers
 * do no harm. */
static float *edited_in_two(const struct scene *scene, const struct terrane_window *window, size_t before)
{
    struct terrane_edit_needs needs;
    float *heights = layer_new(&scene->world, LAYER_HEIGHTS, window, scratch);
    struct terrane_editing *editing = edit_begin(&scene->world, window, scene->edit, EDITS, heights);
    assert_int_equal(editing_apply(editing, scene->edit, before), 0);
    const size_t bytes = terrane_edit_pack(editing, NULL);
    unsigned char *packed = malloc(bytes), *spoiled = malloc(bytes);
    terrane_edit_pack(editing, packed);
    memset((char *)&editing->own.ground.window + sizeof(int), 0xa5,
           offsetof(struct terrane_window, gi) - sizeof(int));
    terrane_edit_pack(editing, spoiled);
    assert_memory_equal(spoiled, packed, bytes); /* whatever is between members */
    editing_close(editing);
    struct terrane_window other = *window;
    other.gi++;
    assert_true(terrane_edit_packed_fits(window, packed, bytes, &needs));
    assert_false(terrane_edit_packed_fits(&other, packed, bytes, &needs) ||
                 terrane_edit_packed_fits(window, packed, bytes - 1, &needs) ||
                 terrane_edit_packed_fits(window, packed, 7, &needs));
    memcpy(spoiled, packed, bytes);
    for (size_t k = bytes / 3; k < bytes; k++)
        spoiled[k] = (unsigned char)(k % 5 ? 0xff : 0x7f);
    if (editing_resume(&scene->world, window, heights, spoiled, bytes, scratch, &editing) == 0) {
        assert_int_equal(editing_apply(editing, scene->edit + before, EDITS - before), 0);
        editing_close(editing);
    }
    assert_int_equal(editing_resume(&scene->world, window, heights, packed, bytes, scratch, &editing), 0);
    assert_int_equal(editing_apply(editing, scene->edit + before, EDITS - before), 0);
    editing_heights(editing, heights);
    editing_close(editing);
    free(packed), free(spoiled);
    return heights;
}

/* Applied in pieces; and of the list those alone that touch a window, of which the scene has many and some windows none. */
TEST(prefixes_and_choices_agree)
{
    struct dice dice = {12};
    size_t left_out = 0;
    for (int n = 0; n < 10; n++) {
        struct scene scene;
        make_scene(&scene, &dice, n % 4);
        struct terrane_window window = scene.window;
        window.gi += dice_int(&dice, -60, 60), window.gj += dice_int(&dice, -60, 60);
        window.width = window.height = 33;
        float *whole = edited_new(&scene.world, &window, scene.edit, EDITS);
        float *pieces = layer_new(&scene.world, LAYER_HEIGHTS, &window, scratch);
        struct terrane_editing *editing = edit_begin(&scene.world, &window, scene.edit, EDITS, pieces);
        for (int k = 0, run; k < EDITS; k += run) {
            run = dice_int(&dice, 0, 3) < EDITS - k ? dice_int(&dice, 0, EDITS - k < 3 ? EDITS - k : 3)
                                                    : EDITS - k;
            assert_int_equal(editing_apply(editing, &scene.edit[k], (size_t)run), 0);
        }
        editing_heights(editing, pieces);
        editing_close(editing);
        assert_memory_equal(pieces, whole, 33 * 33 * sizeof *whole);

        const size_t before = (size_t)dice_int(&dice, 0, EDITS);
        float *resumed = edited_in_two(&scene, &window, before);
        assert_memory_equal(resumed, whole, 33 * 33 * sizeof *whole);
        free(resumed);

        uint8_t keep[EDITS];
        struct terrane_edit kept[EDITS];
        size_t count = 0;
        const size_t told = terrane_edits_touching(scene.edit, EDITS, &window, keep);
        for (int k = 0; k < EDITS; k++)
            if (keep[k])
                kept[count++] = scene.edit[k];
        assert_int_equal(told, count);
        left_out += EDITS - count;
        float *chosen = edited_new(&scene.world, &window, kept, count);
        assert_memory_equal(chosen, whole, 33 * 33 * sizeof *whole);
        free(whole), free(pieces), free(chosen);
    }
    assert_true(left_out > EDITS);
}

/* Whatever is done to it, ground moves by no more than it may, and there is a number for it. */
TEST(moves_end)
{
    struct scene scene;
    struct dice dice = {13};
    make_scene(&scene, &dice, 0);
    struct terrane_edit many[200];
    for (int k = 0; k < 200; k++)
        many[k] = (struct terrane_edit){.x = scene.edit[0].x,
                                        .y = scene.edit[0].y,
                                        .outer = 1 << 10,
                                        .inner = 999,
                                        .brush = k < 100 ? TERRANE_BRUSH_SHARPEN : TERRANE_BRUSH_LOWER,
                                        .strength = k < 100 ? 65536 : 4096 * UNIT};
    for (int generator = 14; generator <= 16; generator++) {
        struct terrane_term *last = &scene.recipe.term[scene.recipe.terms - 1];
        int far = 0;
        scene.recipe.generator = generator;
        if (generator > 14)
            last->factor[0] = 4000; /* higher than there are numbers */
        make_world(&scene.world, &scene.recipe, 5);
        for (int count = 0; count <= 200; count += 50) {
            float *plain = layer_new(&scene.world, LAYER_HEIGHTS, &scene.window, scratch);
            float *heights = edited_new(&scene.world, &scene.window, many, (size_t)count);
            for (int k = 0; k < 101 * 101; k++)
                far += !(fabs(heights[k] - plain[k]) <= 4096.01f);
            free(plain), free(heights);
        }
        assert_int_equal(far > 0, generator == 15);
    }
}

/* v in 2^-16ths, as lib/README.md has it. */
static int64_t page_fade(int64_t t)
{
    return (((t * t * t) >> 18) * ((INT64_C(10) << 28) - ((t * (15 * 65536 - 6 * t)) >> 4)) +
            (INT64_C(1) << 41)) >>
           42;
}

/* The share of a sample of level 0, likewise, of a stroke at the origin of two samples or more; tests/reference has all others. */
static int64_t page_share(const struct terrane_edit *edit, int64_t gi, int64_t gj)
{
    int f = 24;
    for (int64_t v = edit->outer; v > 1; v >>= 1)
        f--;
    const int64_t finely = INT64_C(1) << f, e = gi * PARTS * finely, s = gj * PARTS * finely;
    const int64_t d2 = e * e + s * s, r = edit->inner * finely, max = edit->outer * finely;
    if (d2 <= r * r)
        return 65536;
    if (d2 >= max * max)
        return 0;
    int64_t d = (int64_t)sqrt((double)d2);
    while (d * d > d2)
        d--;
    while ((d + 1) * (d + 1) <= d2)
        d++;
    return page_fade(((max - d) * ((INT64_C(1) << 41) / (max - r)) + (1 << 24)) >> 25);
}

/* On ground of height 0 a stroke of 4 m moves samples by their shares. Returns how many it moves. */
static int look_at_shares(const struct terrane_world *world, const struct terrane_edit *edit,
                          const struct terrane_window *window)
{
    float *heights = edited_new(world, window, edit, 1);
    int moved = 0;
    for (int k = 0; k < window->width * window->height; k++) {
        const int64_t share =
            page_share(edit, window->gi + k % window->width, window->gj + k / window->width);
        assert_true(heights[k] == (float)share / UNIT);
        moved += share > 0;
    }
    free(heights);
    return moved;
}

/* A ring so wide that its shares are of all distances that there are; and edges of strokes that have none. */
TEST(every_way_through_the_ring)
{
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;
    struct terrane_edit edit = {.outer = 1 << 20, .strength = 65536};
    make_world(&world, &recipe, 1);
    for (int isa = 0; terrane_isa_usable(isa); isa++) {
        isa_choose(isa);
        for (int k = 0; k <= 16; k++)
            look_at_shares(&world, &edit, &(struct terrane_window){0, k * 4096, 0, 1, 4096, 1});
    }
    for (int radius = 2; radius <= 40; radius++) {
        edit.inner = edit.outer = radius * PARTS;
        isa_choose(radius);
        assert_true(look_at_shares(&world, &edit, &(struct terrane_window){0, -44, -44, 1, 89, 89}) > 4);
    }
}

/* Where memory ends, nothing is kept; needs of other operations are refused. */
TEST(short_memory_and_wrong_needs)
{
    struct scene scene;
    struct dice dice = {14};
    make_scene(&scene, &dice, 0);
    for (int k = 0; k < EDITS; k++)
        scene.edit[k] = (struct terrane_edit){.x = scene.window.gi * PARTS,
                                              .y = scene.window.gj * PARTS,
                                              .outer = 999,
                                              .strength = 4,
                                              .term = k % 2,
                                              .brush = k % 2 ? TERRANE_BRUSH_NOISE : TERRANE_BRUSH_SMOOTH};
    struct terrane_edit_needs needs, none = {.count = 0};
    struct terrane_editing *editing;
    terrane_edit_needs(scene.edit, EDITS, &scene.window, false, &needs);
    assert_int_equal(needs.count, 1);
    float *heights = layer_new(&scene.world, LAYER_HEIGHTS, &scene.window, scratch);
    const float *ground = layer_new(&scene.world, LAYER_HEIGHTS, &needs.window[0], scratch);
    for (int blocks = 0, error = TERRANE_EMEMORY; error != 0; blocks++) {
        struct purse purse = {.left = blocks};
        const struct terrane_memory memory = {
            .alloc = purse_lend, .free = purse_take_back, .user = &purse, .scratch = scratch->scratch};
        error = editing_open(&scene.world, &scene.window, heights, &needs, &ground, &memory, &editing);
        if (error == 0) {
            error = editing_apply(editing, scene.edit, EDITS);
            editing_close(editing);
        }
        assert_true(error == 0 || error == TERRANE_EMEMORY);
        assert_int_equal(purse.lent, 0);
        assert_true(blocks < 12);
    }
    assert_int_equal(editing_open(&scene.world, &scene.window, heights, &none, NULL, NULL, &editing), 0);
    assert_int_equal(editing_apply(editing, scene.edit, EDITS), TERRANE_EWINDOW);
    editing_close(editing);
    struct terrane_window wrong = scene.window;
    wrong.level = 25;
    assert_int_equal(editing_open(&scene.world, &wrong, heights, &none, NULL, NULL, &editing),
                     TERRANE_ELEVEL);
    wrong = scene.window;
    wrong.step = 0;
    assert_int_equal(editing_open(&scene.world, &wrong, heights, &none, NULL, NULL, &editing),
                     TERRANE_EWINDOW);
    free(heights);
    free((void *)(uintptr_t)ground);
}

static int find_all(void *user, const struct terrane_window *window, unsigned kind,
                    struct terrane_edit_found *found)
{
    const struct scene *scene = user;
    (void)kind;
    *found = (struct terrane_edit_found){.edits = scene->edit, .count = EDITS};
    terrane_edit_needs(scene->edit, EDITS, window, false, &found->needs);
    return 0;
}

/* What it finds is in the ground, though it keeps nothing and has nothing to let go of. */
TEST(a_source_that_finds_is_one)
{
    struct scene scene;
    struct dice dice = {15};
    struct terrane_plan plan;
    struct terrane_ground ground;
    const struct terrane_edit_source source = {.user = &scene, .find = find_all};
    make_scene(&scene, &dice, 0);
    float *expected = edited_new(&scene.world, &scene.window, scene.edit, EDITS);
    assert_int_equal(
        terrane_plan(&scene.recipe, &scene.window, TERRANE_VARIANT_BASE, TERRANE_READS_GROUND, &plan), 0);
    assert_int_equal(terrane_ground_open(&scene.world, &plan, NULL, scratch, &ground), 0);
    ground.edits = &source;
    assert_int_equal(terrane_ground_layer(&ground, TERRANE_LAYER_HEIGHT), 0);
    assert_memory_equal(ground.layer[TERRANE_LAYER_HEIGHT], expected, 101 * 101 * sizeof *expected);
    terrane_ground_close(&ground);
    free(expected);
}

GROUP(editing, set_up, tear_down);
