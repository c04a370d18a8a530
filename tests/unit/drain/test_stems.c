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
            if (terrane_drained_stem(&recipe, drained, drained_at(drained, i, j), &other) &&
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

GROUP(stems, set_up, tear_down);
