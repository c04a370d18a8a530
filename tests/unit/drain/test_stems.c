/*
 * Stems: one and the same from lattice to lattice, and down a river until it joins a greater one. That windows agree is test_drain_windows's, and what a
 * stem is to the last cell the slow reference's.
 */
#include "drain_kit.h"

static struct terrane_recipe recipe;
static struct terrane_world world;

static bool same(const struct terrane_stem *a, const struct terrane_stem *b)
{
    return a->level == b->level && a->gi == b->gi && a->gj == b->gj;
}

/* Whether a square of cells has some of a stem. */
static bool has_stem(const struct terrane_drained *drained, int64_t gi, int64_t gj, int side,
                     const struct terrane_stem *stem)
{
    struct terrane_stem other;
    for (int64_t j = gj; j < gj + side; j++)
        for (int64_t i = gi; i < gi + side; i++)
            if (terrane_drained_stem(&recipe, drained, place_of(&drained->window, i, j), &other) &&
                same(stem, &other))
                return true;
    return false;
}

/* Windows of a level and of the one two levels below, of the same ground. */
static void make_both(int level, int side, struct terrane_drained *above, struct terrane_drained *below)
{
    const struct terrane_window coarse = {level, -side / 2, 3 * side, 1, side, side},
                                fine = {level - 2, 4 * coarse.gi - 2, 4 * coarse.gj - 2,
                                        1,         4 * side,          4 * side};
    *above = drained_new(&world, NULL, &coarse);
    *below = drained_new(&world, NULL, &fine);
}

TEST(a_finer_lattice_has_the_stems_of_the_coarser_one)
{
    enum { SIDE = 96 };
    int down = 0, up = 0, own = 0;
    terrane_recipe_default(&recipe);
    make_world(&world, &recipe, 42);
    for (int level = recipe.rivers.top; level > recipe.rivers.bottom; level -= 2) {
        struct terrane_drained above, below;
        struct terrane_stem stem;
        make_both(level, SIDE, &above, &below);
        for (int j = 1; j < SIDE - 1; j++)
            for (int i = 1; i < SIDE - 1; i++) {
                const size_t at = (size_t)(j * SIDE + i);
                const int to = terrane_drained_cell(&above, at).to;
                const bool traced = to & TERRANE_DRAIN_STREAM && (to & TERRANE_DRAIN_WAY) < 8;
                assert_true(terrane_drained_stem(&recipe, &above, at, &stem) || !traced);
                if (!traced)
                    continue;
                assert_true(has_stem(&below, below.window.gi + 4 * i, below.window.gj + 4 * j, 4, &stem));
                down++;
            }
        for (int j = 4; j < 4 * SIDE - 4; j++)
            for (int i = 4; i < 4 * SIDE - 4; i++) {
                if (!terrane_drained_stem(&recipe, &below, (size_t)(j * 4 * SIDE + i), &stem))
                    continue;
                own += stem.level == level - 2;
                if (stem.level == level - 2)
                    continue;
                assert_true(
                    has_stem(&above, above.window.gi + i / 4 - 1, above.window.gj + j / 4 - 1, 3, &stem));
                up++;
            }
        free(above.z);
        free(below.z);
    }
    assert_true(down > 1000 && up > 1000 && own > 1000);
}

/* Of a coarse lattice the places of cells do not fit an int64 there; lines begin in their cells and go on from point to point all the same. */
TEST(lines_hold_together_far_out)
{
    enum { SIDE = 1 << TERRANE_RIVER_BLOCK_LOG2, MARGIN = 8 };
    static struct terrane_river_point point[TERRANE_RIVER_POINTS_MAX];
    const int64_t west[] = {INT64_C(1) << 45, (INT64_C(1) << 46) - 4 * SIDE, -(INT64_C(1) << 45) - 8 * SIDE};
    recipe = recipe_flat();
    recipe.term[0] = term_fractal(TERRANE_FBM, TERRANE_PERLIN3, 19, 0x1p20, 4000, 0.5f);
    rivers_usual(&recipe, 7, 15);
    recipe.rivers.shown = 0.1f;
    make_world(&world, &recipe, 42);
    const int level = 13, bits = level + 4;
    for (size_t k = 0; k < COUNT(west); k++) {
        int lines = 0;
        for (int block = 0; block < 8; block++) {
            const int64_t gi = west[k] + block * SIDE;
            const struct terrane_window window = {level, gi - MARGIN,       -MARGIN,
                                                  1,     SIDE + 2 * MARGIN, SIDE + 2 * MARGIN};
            struct terrane_drained drained = drained_new(&world, NULL, &window);
            struct terrane_river river = {.point = point};
            for (int cell = 0; cell < SIDE * SIDE; cell++) {
                if (!terrane_river(&world, &drained, gi + cell % SIDE, cell / SIDE, false, &river))
                    continue;
                uint64_t x = (uint64_t)(gi + cell % SIDE) << bits, y = (uint64_t)(cell / SIDE) << bits;
                for (int i = 0; i < river.points; i++) {
                    assert_true(llabs((int64_t)((uint64_t)point[i].x - x)) < INT64_C(2) << bits);
                    assert_true(llabs((int64_t)((uint64_t)point[i].y - y)) < INT64_C(2) << bits);
                    x = (uint64_t)point[i].x;
                    y = (uint64_t)point[i].y;
                }
                lines++;
            }
            free(drained.z);
        }
        assert_true(lines > 100);
    }
    /* Near the middle no cell at the ends of all numbers is within, whatever is added to it. */
    for (int k = 0; k < 16; k++) {
        const int64_t gj = (INT64_C(1) << 45) + k / 2 * SIDE;
        const struct terrane_window window = {level, k % 2 ? 3 : SIDE / 2, gj - MARGIN,
                                              1,     SIDE + 2 * MARGIN,    SIDE + 2 * MARGIN};
        struct terrane_drained drained = drained_new(&world, NULL, &window);
        struct terrane_river river = {.point = point};
        for (int cell = 0; cell < 2 * SIDE; cell++) {
            assert_false(terrane_river(&world, &drained, INT64_MIN, gj + cell / 2, cell % 2, &river));
            assert_false(terrane_river(&world, &drained, INT64_MAX, gj + cell / 2, cell % 2, &river));
        }
        free(drained.z);
    }
}

GROUP(stems, set_up, tear_down);
