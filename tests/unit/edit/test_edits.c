/* Operations (lib/edit/edit.c, stroke.c): what is refused, boxes and chunks; tests/reference has digests and falloff, at every level. */
#include "edit_kit.h"

static const char *refused(const struct terrane_recipe *recipe, struct terrane_edit edit)
{
    struct terrane_edit_fault fault = {"none", 0, 0};
    const int error = terrane_edit_check(recipe, &edit, &fault);
    assert_int_equal(error, terrane_edit_check(recipe, &edit, NULL));
    assert_int_equal(error, strcmp(fault.member, "none") == 0 ? 0 : TERRANE_EEDIT);
    return fault.member;
}

#define BAD(...) refused(&recipe, (struct terrane_edit){__VA_ARGS__})

TEST(what_is_wrong_is_named)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    edit_world(&world, &recipe);
    const int64_t far = INT64_C(1) << 52;
    assert_string_equal(BAD(.x = 5, .y = -7, .inner = 3, .outer = 64, .strength = UNIT), "none");
    assert_string_equal(BAD(.brush = (enum terrane_brush)TERRANE_BRUSHES, .outer = 1, .strength = 1),
                        "brush");
    assert_string_equal(BAD(.x = far, .y = -far, .outer = 1 << 20, .strength = 1), "none");
    assert_string_equal(BAD(.x = far + 1, .outer = 9, .strength = 1), "x");
    assert_string_equal(BAD(.x = INT64_MIN, .outer = 9, .strength = 1), "x");
    assert_string_equal(BAD(.y = INT64_MAX, .outer = 9, .strength = 1), "y");
    assert_string_equal(BAD(.outer = 0, .strength = 1), "outer");
    assert_string_equal(BAD(.outer = (1 << 20) + 1, .strength = 1), "outer");
    assert_string_equal(BAD(.outer = INT32_MIN, .strength = 1), "outer");
    assert_string_equal(BAD(.inner = 10, .outer = 9, .strength = 1), "inner");
    assert_string_equal(BAD(.inner = -1, .outer = 9, .strength = 1), "inner");
    assert_string_equal(BAD(.outer = 9), "strength");
    assert_string_equal(BAD(.outer = 9, .strength = (1 << 26) + 1), "strength");
    assert_string_equal(BAD(.outer = 9, .strength = 1, .height = 1), "height");
    assert_string_equal(BAD(.outer = 9, .strength = 1, .term = 1), "term");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_LEVEL, .outer = 9, .strength = 65537), "strength");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_LEVEL, .outer = 9, .strength = 1, .height = INT32_MIN),
                        "height");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_NOISE, .outer = 9, .strength = 1, .term = 1), "none");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_NOISE, .outer = 9, .strength = 1, .term = 2), "term");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_NOISE, .outer = 9, .strength = 1, .term = 64), "term");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_NOISE, .outer = 9, .strength = 1, .term = -1), "term");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_MARK, .x = 9), "none");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_MARK, .outer = 1), "outer");
    assert_string_equal(BAD(.brush = TERRANE_BRUSH_MARK, .strength = 1), "strength");

    struct terrane_path_point line[3] = {{.x = 5, .y = 6}, {.x = 90, .height = 7}, {.x = far}};
    const struct terrane_edit way = {.x = 5,
                                     .y = 6,
                                     .brush = TERRANE_BRUSH_WAY,
                                     .outer = 9,
                                     .strength = 1,
                                     .slope = 1,
                                     .points = 2,
                                     .line = line};
    assert_string_equal(refused(&recipe, way), "none");
    assert_string_equal(BAD(.outer = 9, .strength = 1, .slope = 1), "slope");
    assert_string_equal(BAD(.outer = 9, .strength = 1, .line = line), "line");
    const struct {
        int32_t points, slope, inner;
        int64_t x;
        const char *member;
    } wrong[] = {{1, 1, 0, 5, "line"},   {1025, 1, 0, 5, "line"}, {INT32_MIN, 1, 0, 5, "line"},
                 {3, 1, 0, 5, "line"},   {2, 0, 0, 5, "slope"},   {2, 4 * 65536 + 1, 0, 5, "slope"},
                 {2, 1, 10, 5, "inner"}, {2, 1, 0, 6, "line"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct terrane_edit bad = way;
        bad.points = wrong[k].points, bad.slope = wrong[k].slope, bad.inner = wrong[k].inner,
        bad.x = wrong[k].x;
        assert_string_equal(refused(&recipe, bad), wrong[k].member);
    }
    for (int k = 0; k < 4; k++) {
        line[1] = k == 0   ? line[0]
                  : k == 1 ? (struct terrane_path_point){.y = INT64_MIN}
                  : k == 2 ? (struct terrane_path_point){.x = 1, .height = INT32_MIN}
                           : (struct terrane_path_point){.x = 1, .over = TERRANE_PATH_FORD};
        assert_string_equal(refused(&recipe, way), "line");
    }
}

/* What lies outside a box stays, at every level; and operations lie on chunks that hold them. */
TEST(boxes_and_chunks_hold_what_moves)
{
    struct terrane_recipe recipe = recipe_flat();
    struct terrane_world world;
    struct dice dice = {31};
    make_world(&world, &recipe, 1);
    for (int n = 0; n < 300; n++) {
        struct terrane_edit edit = dice_edit(&dice, 0, 0, 1 << 12);
        struct stroke stroke;
        struct terrane_edit_chunks chunks;
        if (edit.brush != TERRANE_BRUSH_RAISE && edit.brush != TERRANE_BRUSH_WAY)
            continue;
        edit.strength = edit.brush == TERRANE_BRUSH_RAISE ? 4096 * UNIT : edit.strength;
        terrane_edit_chunks(&edit, &chunks);
        const struct terrane_edit_box parts = terrane_edit_parts(&edit);
        const int64_t side = (int64_t)PARTS << chunks.log2;
        assert_true(chunks.log2 >= 8 && chunks.columns <= 2 && chunks.rows <= 2);
        assert_true(chunks.x * side <= parts.west && (chunks.x + chunks.columns) * side > parts.east);
        assert_true(chunks.y * side <= parts.north && (chunks.y + chunks.rows) * side > parts.south);
        const int level = dice_int(&dice, 0, 12);
        if (!stroke_at(&edit, level, &stroke))
            continue;
        const struct terrane_edit_box box = stroke_box(&stroke);
        const struct terrane_window window = {level,
                                              box.west - 2,
                                              box.north - 2,
                                              1,
                                              (int)(box.east - box.west) + 5,
                                              (int)(box.south - box.north) + 5};
        float *heights = edited_new(&world, &window, &edit, 1);
        for (int k = 0; k < window.width * window.height; k++) {
            const int i = k % window.width, j = k / window.width;
            if (i < 2 || j < 2 || i >= window.width - 2 || j >= window.height - 2)
                assert_true(heights[k] == 0);
        }
        free(heights);
    }
}

GROUP(edits, set_up, tear_down);
