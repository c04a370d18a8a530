/*
 * What a field is not sure of is listed whole, in parts that are apart, and costs no more than all of it at once (lib/drain/parts.c).
 */
#include "drain_kit.h"

enum { SIDE = 300, AROUND = 90, HALO = 96 };

/* A window of a field whose unsure cells lie in a few patches. */
static void scatter(struct drain_field *field, struct dice *dice, int patches)
{
    memset(field->mark, 0, (size_t)field->cells);
    for (int k = 0; k < patches; k++) {
        const int x = dice_int(dice, 0, field->width - 1), y = dice_int(dice, 0, field->height - 1),
                  size = dice_int(dice, 1, 60);
        for (int c = 0; c < field->cells; c++)
            if (abs(c % field->width - x) < size && abs(c / field->width - y) < size)
                field->mark[c] = c % 2 ? DRAIN_UNSURE : DRAIN_DIRTY;
    }
}

static int parts_at(const struct drain_parts *parts, int64_t gi, int64_t gj)
{
    int count = 0;
    for (int k = 0; k < parts->count; k++)
        count += window_holds(&parts->part[k], gi, gj, 0);
    return count;
}

static void expect_listed(const struct drain_field *field, const struct terrane_window *window,
                          const struct drain_parts *parts, int max)
{
    int unsure = 0;
    for (int y = 0; y < window->height; y++)
        for (int x = 0; x < window->width; x++) {
            const int count = parts_at(parts, window->gi + x, window->gj + y);
            const bool is = field->mark[(y + AROUND) * field->width + x + AROUND] != 0;
            assert_true(is ? count == 1 : count <= 1);
            unsure += is;
        }
    assert_true(parts->count <= max && (parts->count > 0) == (unsure > 0));
}

TEST(what_is_unsure_is_listed)
{
    struct terrane_recipe recipe = recipe_flat();
    rivers_usual(&recipe, 5, 9);
    const struct terrane_world world = {.recipe = &recipe};
    const struct drain_law law = {.level = 5};
    const struct terrane_window window = {5, -77, 1001, 1, SIDE, SIDE};
    struct drain_field field = {
        .world = &world,
        .law = &law,
        .window = {5, -77 - AROUND, 1001 - AROUND, 1, SIDE + 2 * AROUND, SIDE + 2 * AROUND}};
    struct room room = {NULL, 0};
    struct dice dice = {31};
    int several = 0, joined = 0;
    drain_field_take(&field, &room);
    room = (struct room){calloc(room.taken, 1), 0};
    assert_non_null(room.start);
    drain_field_take(&field, &room);
    for (int n = 0; n < 60; n++) {
        const int max = dice_int(&dice, 1, DRAIN_PARTS), before = dice_int(&dice, 0, max - 1);
        struct drain_parts parts = {.count = 0};
        scatter(&field, &dice, n % 6);
        drain_list_unsure(&field, &window, HALO, max, &parts);
        expect_listed(&field, &window, &parts, max);
        const int count = parts.count;
        const size_t whole = drain_cells_with(&recipe.rivers, &window, 560),
                     cells = drain_join_parts(&recipe.rivers, 560, &parts);
        assert_true(cells <= whole && (cells > 0) == (count > 0));
        several += count > 1;
        joined += count > 1 && parts.count == 1;
        parts.count = before; /* of other fields */
        drain_list_unsure(&field, &window, HALO, max, &parts);
        assert_in_range(parts.count, before, max);
    }
    assert_true(several > 10 && joined > 5);
    free(room.start);
}

GROUP(parts);
