/* Caves at other levels, and the quads of ground that openings take (lib/cave/cave_shown.c). */
#include "caves_kit.h"

static const struct terrane_window caves_window = {2, -310, 490, 1, 420, 400};

/* Returns owned: floor and ceiling of a window of any level, out of those of the caves' window. */
static float *shown_new(const struct terrane_recipe *recipe, const struct caves_made *made,
                        const struct terrane_window *window)
{
    struct terrane_window needed;
    float *out = malloc(2 * samples_of(window) * sizeof *out);
    assert_non_null(out);
    assert_true(terrane_caves_shown_needs(recipe, window, &needed));
    float *part = part_new(&made->window, made->floor_ceiling, 2, &needed);
    assert_int_equal(terrane_caves_shown(recipe, window, &needed, part, out), 0);
    float *other = malloc(2 * samples_of(window) * sizeof *out);
    assert_non_null(other);
    assert_int_equal(terrane_caves_shown(recipe, window, &made->window, made->floor_ceiling, other), 0);
    assert_memory_equal(out, other, 2 * samples_of(window) * sizeof *out);
    free(part), free(other);
    return out;
}

/* Straight between the floors of the caves' level, at finer ones. */
static void expect_floor(const struct caves_made *made, int64_t gi, int64_t gj, int64_t one, float floor_m)
{
    const double x = (double)(gi & (one - 1)) / (double)one, y = (double)(gj & (one - 1)) / (double)one;
    double expected = 0;
    for (int k = 0; k < 4; k++) {
        const double share = (k & 1 ? x : 1 - x) * (k & 2 ? y : 1 - y);
        const int64_t i = (gi - (gi & (one - 1))) / one + (share > 0 && (k & 1)),
                      j = (gj - (gj & (one - 1))) / one + (share > 0 && (k & 2));
        expected += share * (double)made->floor_ceiling[2 * place_of(&made->window, i, j)];
    }
    assert_true(fabs((double)floor_m - expected) < 1e-3);
}

/* Rock where none is shown; where it stands on a sample of the caves' level, open by that one's ground. Returns whether. */
static bool expect_kind(const struct caves_made *made, const struct terrane_window *window, int i, int j,
                        const float *at, uint8_t kind)
{
    const int64_t gi = window->gi + i * window->step, gj = window->gj + j * window->step;
    const int64_t one = window->level < 2 ? INT64_C(1) << (2 - window->level) : 1,
                  many = window->level > 2 ? INT64_C(1) << (window->level - 2) : 1;
    assert_true((kind == TERRANE_CAVE_ROCK) == (at[0] == TERRANE_ROCK));
    if (kind != TERRANE_CAVE_ROCK && gi % one == 0 && gj % one == 0) {
        const float ground = made->own_ground[place_of(&made->window, gi / one * many, gj / one * many)];
        assert_true((kind == TERRANE_CAVE_OPENING) == (at[0] < ground && ground < at[1]));
    }
    if (kind != TERRANE_CAVE_ROCK && window->level < 2)
        expect_floor(made, gi, gj, one, at[0]);
    return kind == TERRANE_CAVE_OPENING;
}

TEST(levels_show_caves)
{
    struct terrane_recipe recipe;
    struct terrane_world world;

    make_hills(&world, &recipe, hill_caves, HILLS, 42);
    struct caves_made made = caves_new(&world, &caves_window);
    assert_true(made.caves >= 1);
    for (int level = 0; level <= 3; level++)
        for (int step = 1; step <= 3; step += 2) {
            const int64_t gi = level <= 2 ? (int64_t)(-310 * (1 << (2 - level))) : -155;
            const int64_t gj = level <= 2 ? (int64_t)(490 * (1 << (2 - level))) : 245;
            const int wide = (level <= 2 ? 400 << (2 - level) : 200) / step, high = wide * 9 / 10;
            const struct terrane_window window = {level, gi + 1, gj + 2, step, wide, high};
            float *out = shown_new(&recipe, &made, &window);
            uint8_t *kind = malloc((size_t)wide * (size_t)high);
            int caves = 0, open = 0;
            assert_non_null(kind);
            assert_int_equal(terrane_caves_kinds(&recipe, &window, &made.window, made.own_ground,
                                                 made.floor_ceiling, kind),
                             0);
            for (int j = 0; j < high; j++)
                for (int i = 0; i < wide; i++) {
                    const float *at = out + 2 * ((size_t)j * (size_t)wide + (size_t)i);
                    assert_true(at[0] < at[1] || (at[0] == TERRANE_ROCK && at[1] == TERRANE_ROCK));
                    caves += at[0] != TERRANE_ROCK;
                    open += expect_kind(&made, &window, i, j, at, kind[j * wide + i]);
                }
            assert_true(caves > 0 && (step > 1 || open > 0));
            free(kind);
            free(out);
        }
    caves_free(&made);
}

TEST(others_show_none)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    const struct terrane_window coarse = {4, 0, 0, 1, 2, 2}, fine = {2, 0, 0, 1, 2, 2};
    struct terrane_window needed;
    float out[8] = {0};

    make_hills(&world, &recipe, hill_caves, HILLS, 42);
    assert_false(terrane_caves_shown_needs(&recipe, &coarse, &needed));
    assert_int_equal(terrane_caves_shown(&recipe, &coarse, NULL, NULL, out), 0);
    for (int k = 0; k < 8; k++)
        assert_true(out[k] == TERRANE_ROCK);
    uint8_t kind[4] = {9, 9, 9, 9};
    assert_int_equal(terrane_caves_kinds(&recipe, &coarse, NULL, NULL, NULL, kind), 0);
    for (int k = 0; k < 4; k++)
        assert_int_equal(kind[k], TERRANE_CAVE_ROCK);
    make_hills(&world, &recipe, (struct terrane_caves){0}, HILLS, 42);
    assert_false(terrane_caves_shown_needs(&recipe, &fine, &needed));
}

TEST(windows_are_refused)
{
    struct terrane_recipe recipe;
    struct terrane_world world;
    const struct terrane_window window = {1, 0, 0, 1, 5, 5}, caves = {2, 0, 0, 1, 3, 2};
    const struct terrane_window wrong = {25, 0, 0, 1, 5, 5};
    const float rock[18] = {0};
    float out = 3;
    uint8_t opening = 5;

    make_hills(&world, &recipe, hill_caves, HILLS, 42);
    assert_int_equal(terrane_caves_shown(&recipe, &window, &caves, rock, &out), TERRANE_EWINDOW);
    assert_int_equal(terrane_caves_kinds(&recipe, &window, &caves, rock, rock, &opening), TERRANE_EWINDOW);
    assert_int_equal(terrane_caves_shown(&recipe, &wrong, &caves, rock, &out), TERRANE_EWINDOW);
    assert_int_equal(terrane_caves_openings(&recipe, &window, rock, rock, &opening), TERRANE_ELEVEL);
    const struct terrane_window thin = {2, 0, 0, 1, 1, 5}, wide = {2, 0, 0, 2, 5, 5};
    assert_int_equal(terrane_caves_openings(&recipe, &thin, rock, rock, &opening), TERRANE_EWINDOW);
    assert_int_equal(terrane_caves_openings(&recipe, &wide, rock, rock, &opening), TERRANE_EWINDOW);
    assert_true(out == 3 && opening == 5);
}

GROUP(caves_shown, set_up, tear_down);
