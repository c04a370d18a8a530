/*
 * Sets of tiles: which samples they have, wherever the window lies, and what their files are called. tests/http/test_export.py has the rest.
 */
#include "../unit.h"

#include <string.h>

#include "../../../server/tool/export_set.h"
#include "../../../server/tool/export_write.h"

static struct terrane_recipe recipe;

static int set_up(void **state)
{
    (void)state;
    terrane_recipe_default(&recipe);
    return 0;
}

static struct export_set set_of(struct export_words words, int level)
{
    char error[EXPORT_ERROR_BYTES] = "";
    struct export_set set;
    if (export_set_read(&set, &words, &recipe, level, error) != 0)
        fail_msg("%s", error);
    return set;
}

static void rect_is(struct export_rect rect, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
    assert_int_equal(rect.x0, x0);
    assert_int_equal(rect.y0, y0);
    assert_int_equal(rect.x1, x1);
    assert_int_equal(rect.y1, y1);
}

/* Odd sizes share a sample with the next tile, even ones none; the middle sample is the one nearest to the place. */
TEST(windows)
{
    const struct export_set odd =
        set_of((struct export_words){.engine = "unreal", .center = "0.4,-0.6", .tiles = "2x1"}, 0);
    assert_int_equal(odd.step, 1008);
    assert_int_equal(odd.x0, -1008);
    assert_int_equal(odd.y0, -1 - 504);
    rect_is(export_set_touched(&odd, 0, 0), -4, -2, 1, 2); /* -1008 .. 0 and -505 .. 503 */
    rect_is(export_set_touched(&odd, 1, 0), 0, -2, 4, 2);
    rect_is(export_set_all(&odd), -4, -2, 4, 2);
    const struct export_set even = set_of(
        (struct export_words){.engine = "godot", .center = "2048,0", .size = "256", .tiles = "1x2"}, 3);
    assert_int_equal(even.step, 256);
    assert_int_equal(even.x0, 128);
    rect_is(export_set_all(&even), 0, -1, 2, 1);
    assert_true(even.spacing_m == 8 * recipe.spacing_m);
}

TEST(windows_at_the_end)
{
    char error[EXPORT_ERROR_BYTES];
    struct export_set set;
    struct export_words words = {
        .engine = "godot", .size = "64", .center = "281474976710624,0"}; /* 2^48 - 32 */
    assert_int_equal(export_set_read(&set, &words, &recipe, 0, error), 0);
    assert_int_equal(export_set_all(&set).x1, TERRANE_TILE_LIMIT);
    words.center = "281474976710625,0";
    assert_int_equal(export_set_read(&set, &words, &recipe, 0, error), -1);
    assert_non_null(strstr(error, "beyond the last tile"));
}

static void name_is(const struct export_set *set, enum export_layer layer, int file, int column, int row,
                    const char *expected)
{
    char name[EXPORT_NAME_BYTES];
    assert_string_equal(export_set_name(set, layer, file, column, row, name), expected);
}

TEST(names)
{
    memcpy(recipe.cover.material[1].name, "a_b c", sizeof "a_b c");
    const struct export_set unreal =
        set_of((struct export_words){.engine = "unreal", .center = "0,0", .tiles = "3x2"}, 0);
    name_is(&unreal, EXPORT_HEIGHT, 0, 2, 1, "height_x2_y1.r16");
    name_is(&unreal, EXPORT_COVER, 1, 0, 1, "cover1-a-b-c_x0_y1.png");
    name_is(&unreal, EXPORT_OBJECTS, 0, -1, -1, "objects_x*_y*.csv");
    const struct export_set unity =
        set_of((struct export_words){.engine = "unity", .center = "0,0", .tiles = "3x2"}, 0);
    name_is(&unity, EXPORT_WATER, 0, 2, 1, "water_2_0.raw"); /* from the south */
    name_is(&unity, EXPORT_COVER, 0, 0, 0, "cover0_0_1.png");
    const struct export_set godot = set_of((struct export_words){.engine = "godot", .center = "0,0"}, 0);
    name_is(&godot, EXPORT_COVER, export_set_files(&godot, EXPORT_COVER) - 1, 0, 0, "control_x0_y0.u32");
    assert_int_equal(export_set_bytes(&godot, EXPORT_HEIGHT, 0), 2 << 20);
}

/* Above the levels of objects there are none, unasked. */
TEST(levels_of_objects)
{
    const struct export_words words = {.engine = "blender", .center = "0,0"};
    assert_true(set_of(words, TERRANE_OBJECTS_LEVEL).layer[EXPORT_OBJECTS]);
    assert_false(set_of(words, TERRANE_OBJECTS_LEVEL + 1).layer[EXPORT_OBJECTS]);
}

TEST(weights_sum_to_a_whole)
{
    const float weights[] = {0.3333282470703125f, 0.3333435058593750f, 0.3333282470703125f, 1, 0, 0};
    uint8_t bytes[6];
    export_weigh(weights, 2, 3, bytes);
    assert_int_equal(bytes[0] + bytes[1] + bytes[2], 255);
    assert_memory_equal(bytes + 3, ((uint8_t[]){255, 0, 0}), 3);
}

GROUP(export_set, set_up);
