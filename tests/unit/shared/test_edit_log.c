/* The log in memory (server/edit/edit_log.c): what a window rests on is what all operations together would make of it. */
#include "../../../server/edit/edit_log.h"
#include "../edit/edit_kit.h"

enum { ENTRIES = 400 };

struct history {
    struct edit_log *log;
    struct edit_entry entry[ENTRIES];
};

/* Strokes around some places, at any size, some of them undone later. */
static void make_history(struct history *history, struct dice *dice)
{
    history->log = edit_log_create();
    assert_non_null(history->log);
    for (size_t k = 0, run; k < ENTRIES; k += run) {
        run = (size_t)dice_int(dice, 1, ENTRIES - (int)k < 9 ? ENTRIES - (int)k : 9);
        for (size_t i = k; i < k + run; i++) {
            const uint64_t undoes = (uint64_t)dice_int(dice, 1, k > 0 ? (int)k : 1);
            const int64_t x = INT64_C(5000) * dice_int(dice, -2, 2), y = INT64_C(1) << 50;
            bool again = k == 0 || !dice_chance(dice, 0.2) || !edit_log_undoable(history->log, undoes);
            for (size_t j = k; j < i; j++)
                again = again || history->entry[j].undoes == undoes;
            history->entry[i] = (struct edit_entry){.undoes = again ? 0 : undoes};
            if (again)
                history->entry[i].edit = dice_edit(dice, x, dice_chance(dice, 0.5) ? y : 0, 3000);
        }
        assert_int_equal(edit_log_append(history->log, &history->entry[k], run), 0);
        assert_int_equal(edit_log_count(history->log), k + run);
    }
}

/* By looking at each. */
static size_t looked(const struct history *history, uint64_t at, const struct terrane_window *window,
                     struct terrane_edit *edits)
{
    static uint8_t keep[ENTRIES];
    size_t count = 0, kept = 0;
    for (uint64_t k = 0; k < at; k++) {
        bool undone = history->entry[k].undoes != 0;
        for (uint64_t j = 0; j < at; j++)
            undone = undone || history->entry[j].undoes == k + 1;
        if (!undone)
            edits[count++] = history->entry[k].edit;
    }
    terrane_edits_touching(edits, count, window, keep);
    for (size_t k = 0; k < count; k++)
        if (keep[k])
            edits[kept++] = edits[k];
    return kept;
}

TEST(finds_what_touches)
{
    struct dice dice = {21};
    static struct history history;
    static struct terrane_edit wanted[ENTRIES];
    size_t none = 0, some = 0;
    make_history(&history, &dice);
    for (int n = 0; n < 600; n++) {
        struct terrane_edit *found;
        const int level = dice_int(&dice, 0, 14);
        const uint64_t at = (uint64_t)dice_int(&dice, 0, ENTRIES);
        const int64_t x = dice_whole(&dice, -14000, 14000),
                      y = dice_chance(&dice, 0.5) ? INT64_C(1) << 50 : 0;
        const struct terrane_window window = {level,
                                              (x >> (4 + level)) - dice_int(&dice, 0, 60),
                                              (y >> (4 + level)) - dice_int(&dice, 0, 60),
                                              dice_int(&dice, 1, 4),
                                              dice_int(&dice, 1, 60),
                                              dice_int(&dice, 1, 60)};
        const size_t count = edit_log_touching(history.log, at, &window, &found);
        assert_int_equal(count, looked(&history, at, &window, wanted));
        assert_true((found == NULL) == (count == 0));
        for (size_t k = 0; k < count; k++) {
            assert_memory_equal(found[k].line, wanted[k].line, (size_t)found[k].points * sizeof *found->line);
            found[k].line = wanted[k].line;
            assert_memory_equal(&found[k], &wanted[k], sizeof *found);
        }
        free(found);
        for (uint64_t then = at; then <= ENTRIES; then += (uint64_t)dice_int(&dice, 0, 3)) {
            struct terrane_digest digest = {{0}}, told;
            terrane_edits_digest(&digest, wanted, looked(&history, then, &window, wanted));
            assert_true(edit_log_digest(history.log, then, &window, &told));
            assert_memory_equal(&told, &digest, sizeof digest);
            if (dice_chance(&dice, 0.05))
                break;
        }
        none += count == 0;
        some += count > 1;
    }
    assert_true(none > 30 && some > 200);
    edit_log_free(history.log);
}

TEST(marks_and_ways_are_found_among_all)
{
    struct dice dice = {5};
    static struct history history;
    static struct terrane_edit touching[ENTRIES];
    int some_marks = 0, some_ways = 0;
    make_history(&history, &dice);
    for (int n = 0; n < 600; n++) {
        const uint64_t at = (uint64_t)dice_int(&dice, 0, ENTRIES);
        const int64_t x = dice_whole(&dice, -14000, 14000),
                      y = dice_chance(&dice, 0.5) ? INT64_C(1) << 50 : 0;
        const struct terrane_edit_box box = {x - 1500, y - 2500, x + 2000, y + 2500};
        const struct terrane_window window = {0, x >> 4, y >> 4, 1, 60, 60};
        uint32_t number[ENTRIES];
        size_t marks = 0, points = 0;
        const size_t found = edit_log_marks(history.log, at, &box, number, ENTRIES);
        for (uint64_t k = 0; k < at; k++) {
            const struct terrane_edit *edit = &history.entry[k].edit;
            if (history.entry[k].undoes || edit->brush != TERRANE_BRUSH_MARK || edit->x < box.west ||
                edit->x > box.east || edit->y < box.north || edit->y > box.south ||
                edit_log_undone(history.log, k + 1, at))
                continue;
            assert_true(marks < found && number[marks] == k + 1);
            marks++;
        }
        assert_int_equal(found, marks);
        assert_int_equal(edit_log_marks(history.log, at, &box, number, 1), marks > 0);
        for (size_t k = 0, count = looked(&history, ENTRIES, &window, touching); k < count; k++) {
            uint8_t keep;
            if (terrane_edits_touching(&touching[k], 1, &window, &keep) > 0)
                points += (size_t)touching[k].points;
        }
        assert_int_equal(edit_log_way_points(history.log, &window), points);
        some_marks += marks > 1;
        some_ways += points > 0;
    }
    assert_true(some_marks > 10 && some_ways > 50);
    edit_log_free(history.log);
}

TEST(what_a_box_holds_stays_what_it_was)
{
    enum { FEW = 10, MANY = 12000, RUN = 100 };
    struct edit_entry entry[RUN];
    const struct terrane_edit_box box = {-1000, -1000, 1000, 1000};
    struct edit_log *log = edit_log_create();
    struct terrane_edit *found;
    for (size_t k = 0; k < RUN; k++)
        entry[k] = (struct edit_entry){
            .edit = {.brush = TERRANE_BRUSH_SMOOTH, .outer = 16 << 4, .inner = 0, .strength = 1}};
    entry[0].edit.brush = TERRANE_BRUSH_RAISE; /* whose undo moves what reads its ground */
    for (size_t k = 0; k < MANY; k += RUN)
        assert_int_equal(edit_log_append(log, entry, RUN), 0);
    assert_int_equal(edit_log_within(log, FEW, &box, &found), FEW);
    free(found);
    assert_int_equal(edit_log_within(log, MANY, &box, &found), EDIT_LOG_MANY);
    assert_null(found);
    const struct terrane_edit_box own = edit_log_moved(log, 1, FEW);
    assert_true(own.west > -10000 && own.east < 10000);
    edit_log_free(log);
}

TEST(far_windows_and_numbers_that_are_none)
{
    struct edit_log *log = edit_log_create();
    const struct edit_entry entry[2] = {
        {.edit = {.x = INT64_C(1) << 52, .y = -(INT64_C(1) << 52), .outer = 1 << 20, .strength = 1}},
        {.undoes = 1}};
    struct terrane_edit *found;
    assert_int_equal(edit_log_append(log, entry, 1), 0);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        for (int corner = 0; corner < 4; corner++) {
            const int64_t far = INT64_C(1) << 50, gi = corner & 1 ? far : -far, gj = corner & 2 ? far : -far;
            const struct terrane_window window = {level, gi, gj, 1, 257, 257};
            assert_int_equal(edit_log_touching(log, 1, &window, &found), 0);
        }
    const struct terrane_window there = {0, (INT64_C(1) << 48) - 3, -(INT64_C(1) << 48) + 3, 1, 9, 9};
    assert_int_equal(edit_log_touching(log, 0, &there, &found), 0);
    assert_int_equal(edit_log_touching(log, 1, &there, &found), 1);
    assert_memory_equal(found, &entry[0].edit, sizeof *found);
    free(found);
    assert_true(edit_log_undoable(log, 1) && !edit_log_undoable(log, 0) && !edit_log_undoable(log, 2));
    assert_int_equal(edit_log_append(log, &entry[1], 1), 0);
    assert_true(!edit_log_undoable(log, 1) && !edit_log_undoable(log, 2) &&
                !edit_log_undoable(log, UINT64_MAX));
    assert_true(edit_log_undone(log, 1, 2) && !edit_log_undone(log, 1, 1) && !edit_log_undone(log, 2, 2));
    assert_int_equal(edit_log_touching(log, 2, &there, &found), 0);
    assert_int_equal(edit_log_touching(log, 1, &there, &found), 1);
    free(found);
    edit_log_free(log);
}

/* Whether a level sees a stroke hangs on its radius alone: at the last that does, and one beyond. */
TEST(levels_see_as_far_as_strokes_are_wide)
{
    for (int log2 = 8; log2 <= 20; log2++) {
        struct edit_log *log = edit_log_create();
        const struct edit_entry entry = {.edit = {.outer = 1 << log2, .strength = 1}};
        struct terrane_edit *found;
        assert_int_equal(edit_log_append(log, &entry, 1), 0);
        for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
            const struct terrane_window window = {level, -4, -4, 1, 9, 9};
            assert_int_equal(edit_log_touching(log, 1, &window, &found), level <= log2 + 3);
            free(found);
        }
        edit_log_free(log);
    }
}

/* Strokes of some brushes, on samples of a level within some of a place, and as wide there as may be. */
static size_t strokes_of(struct dice *dice, const enum terrane_brush *brush, int brushes, int level,
                         struct terrane_edit *edit)
{
    const size_t count = dice_chance(dice, 0.5) ? 1 : (size_t)dice_int(dice, 2, 6);
    for (size_t k = 0; k < count;) {
        edit[k] = dice_edit(dice, 0, 0, 40 << (level + 4));
        edit[k].outer = (edit[k].outer & 511) << dice_int(dice, 0, level + 3);
        edit[k].inner = edit[k].inner < edit[k].outer ? edit[k].inner : edit[k].outer / 2;
        if (edit[k].brush != TERRANE_BRUSH_WAY) { /* which begins there */
            edit[k].x &= -(INT64_C(16) << level);
            edit[k].y &= -(INT64_C(16) << level);
        }
        for (int one = 0; one < brushes; one++)
            if (edit[k].brush == brush[one] && edit[k].outer > 0) {
                k++;
                break;
            }
    }
    return count;
}

/* Edited ground of a level, and of a finer one, at the same places: no further apart than ground without edits is there, and the bound. */
static double look_at_levels(const struct terrane_world *world, const struct terrane_edit *edit, size_t count,
                             int level, int finer, double bound_m)
{
    enum { SIDE = 41 };
    const int by = level - finer;
    const struct terrane_window window[2] = {
        {level, -SIDE / 2, -SIDE / 2, 1, SIDE, SIDE},
        {finer, -(SIDE / 2) * (1 << by), -(SIDE / 2) * (1 << by), 1 << by, SIDE, SIDE}};
    float *plain[2], *edited[2];
    double most = 0;
    for (int k = 0; k < 2; k++) {
        plain[k] = layer_new(world, LAYER_HEIGHTS, &window[k], scratch);
        edited[k] = edited_new(world, &window[k], edit, count);
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        const double more =
            fabs((double)edited[0][k] - edited[1][k]) - fabs((double)plain[0][k] - plain[1][k]);
        assert_true(more <= bound_m);
        most = more > most ? more : most;
    }
    for (int k = 0; k < 2; k++) {
        free(plain[k]);
        free(edited[k]);
    }
    return most;
}

/* The bound holds, is no multiple of what there is, and is of no more than rounding where strokes are wide. */
TEST(levels_agree_within_the_bound)
{
    static const enum terrane_brush all[] = {TERRANE_BRUSH_RAISE, TERRANE_BRUSH_LOWER,   TERRANE_BRUSH_LEVEL,
                                             TERRANE_BRUSH_WAY,   TERRANE_BRUSH_RESTORE, TERRANE_BRUSH_SMOOTH,
                                             TERRANE_BRUSH_NOISE, TERRANE_BRUSH_SHARPEN};
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct dice dice = {41};
    int fine = 0, near = 0;
    edit_world(&world, &recipe);
    for (int n = 0; n < 400; n++) {
        const int level = dice_int(&dice, 1, 7), finer = dice_int(&dice, 0, level - 1);
        struct terrane_edit edit[6];
        struct edit_errors errors = {{0}};
        const size_t count = strokes_of(&dice, all, n % 3 ? n % 2 ? 2 : 6 : 8, level, edit);
        for (size_t k = 0; k < count; k++)
            edit_errors_add(&errors, &edit[k]);
        const double bound_m = edit_errors_m(&errors, level, 200);
        isa_choose(n);
        const double most = look_at_levels(&world, edit, count, level, finer, bound_m);
        fine += bound_m < 0.01;
        near += bound_m < TERRANE_EDIT_MOVE_M && most > bound_m / 8 && most > 1;
    }
    assert_true(fine > 40 && near > 5);
    assert_true(edit_errors_m(&(struct edit_errors){{0}}, 9, 200) == 0);
}

GROUP(edit_log, set_up, tear_down);
