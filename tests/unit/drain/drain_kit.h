/* What the unit tests of drainage share: recipes with rivers, and drained windows with their arrays. Include it first. */
#ifndef TERRANE_TESTS_DRAIN_KIT_H
#define TERRANE_TESTS_DRAIN_KIT_H

#include "../../../lib/drain/drain.h"
#include "../../../lib/drain/drained.h"
#include "../lib_fixture.h"

/* Rivers as recipes that ship have them. */
static inline void rivers_usual(struct terrane_recipe *recipe, int bottom, int top)
{
    recipe->erosion.levels = bottom;
    recipe->erosion.limit = 0x1p-10f;
    memset(recipe->erosion.steps, 1, sizeof recipe->erosion.steps);
    for (int z = 0; z < recipe->partition.zones; z++)
        recipe->erosion.zone[z].talus_deg = 35;
    recipe->rivers = (struct terrane_rivers){top, bottom, 12,   0.08f, 0.45f, 200, 0.1f, 1, 16,
                                             -1,  400,    1500, 6,     0.35f, 0,   0,    0, 0};
}

/* Land and sea of any roughness, with rivers anywhere in their ranges. */
static inline struct terrane_recipe dice_rivers(struct dice *dice)
{
    static const enum terrane_fractal_kind kinds[] = {TERRANE_FBM, TERRANE_RIDGED, TERRANE_BILLOW};
    const int cell = dice_int(dice, 7, 20), bottom = dice_int(dice, 4, 8);
    struct terrane_recipe recipe = recipe_flat();
    const float high = (float)exp2(dice_real(dice, 2, 15));
    recipe.term[0] = term_fractal(kinds[dice_int(dice, 0, 2)], TERRANE_PERLIN3, cell - 1, exp2(cell), high,
                                  (float)dice_real(dice, 0.3, 0.7));
    recipe.sea_m = high * (float)dice_real(dice, -0.5, 0.3);
    rivers_usual(&recipe, bottom, bottom + 2 * dice_int(dice, 1, 4));
    recipe.rivers.steepness = (float)exp2(dice_real(dice, -4, 10));
    recipe.rivers.cut_m = dice_chance(dice, 0.5) ? high : 0;
    recipe.rivers.fill = (float)dice_int(dice, 0, 4) / 4;
    recipe.rivers.shallow_m = (float)exp2(dice_real(dice, -3, 4));
    recipe.rivers.inland_km = (float)exp2(dice_real(dice, 4, 11));
    if (dice_chance(dice, 0.5))
        recipe.ice = (struct terrane_ice){.width_m = (float)exp2(dice_real(dice, 0, 13)),
                                          .from_m = high * (float)dice_real(dice, -1, 0.5),
                                          .full_m = high * (float)dice_real(dice, -0.5, 1)};
    recipe.rivers.rounding = cell % 5;
    return recipe;
}

/* With arrays of its own; make it with drained_make. */
static inline struct terrane_drained drained_of(const struct terrane_window *window)
{
    const size_t count = samples_of(window);
    struct terrane_drained out = {.window = *window, .z = malloc(4 * count * sizeof *out.z)};
    assert_non_null(out.z);
    out.low = (uint32_t *)out.z + count;
    out.high = out.low + count;
    out.stem = out.high + count;
    return out;
}

static inline struct terrane_drained drained_new(const struct terrane_world *world,
                                                 const struct terrane_drained *from,
                                                 const struct terrane_window *window)
{
    struct terrane_drained out = drained_of(window);
    assert_int_equal(terrane_drain(world, from, scratch, &out), 0);
    return out;
}

/* Every cell that two products of a level share is the same in both. */
static inline void expect_same(const struct terrane_drained *a, const struct terrane_drained *b)
{
    for (int j = 0; j < a->window.height; j++)
        for (int i = 0; i < a->window.width; i++) {
            const int64_t gi = a->window.gi + i, gj = a->window.gj + j;
            if (!window_holds(&b->window, gi, gj, 0))
                continue;
            const size_t p = place_of(&a->window, gi, gj), q = place_of(&b->window, gi, gj);
            if (a->z[p] != b->z[q] || a->low[p] != b->low[q] || a->high[p] != b->high[q] ||
                a->stem[p] != b->stem[q])
                fail_msg("%s: cell %" PRId64 ", %" PRId64 ": z %d, to %d, stem %" PRIx32 ", runoff %" PRIu64
                         "; elsewhere %d, %d, %" PRIx32 ", %" PRIu64,
                         window_text(&a->window), gi, gj, a->z[p], terrane_drained_cell(a, p).to, a->stem[p],
                         terrane_drained_cell(a, p).runoff, b->z[q], terrane_drained_cell(b, q).to,
                         b->stem[q], terrane_drained_cell(b, q).runoff);
        }
}

/* The cell that a cell drains into. */
static inline size_t receiver(const struct terrane_drained *drained, size_t at)
{
    const int way = terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
    return (size_t)((ptrdiff_t)at + drain_dy[way] * drained->window.width + drain_dx[way]);
}

static inline int32_t sea_of(const struct terrane_recipe *recipe)
{
    const double units = (double)recipe->sea_m / terrane_erosion_unit_m(recipe);
    return (int32_t)(units < -0x1p29 ? -0x1p29 : units > 0x1p29 ? 0x1p29 : units);
}

/* A step of water: z never rises, and stays on lakes and traced lines alone; runoff never falls; a lake is flat. */
static inline void expect_step(const struct terrane_drained *drained, size_t at, int32_t sea)
{
    const size_t next = receiver(drained, at);
    const int to = terrane_drained_cell(drained, at).to, there = terrane_drained_cell(drained, next).to;
    const bool ends = (there & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
    const bool may_stay = (to | there) & (TERRANE_DRAIN_LAKE | TERRANE_DRAIN_STREAM);
    assert_true(drained->z[at] - (ends ? sea : drained->z[next]) >= (may_stay ? 0 : 1));
    if (ends)
        return;
    assert_true(terrane_drained_cell(drained, next).runoff >= terrane_drained_cell(drained, at).runoff);
    if (to & there & TERRANE_DRAIN_LAKE && (there & TERRANE_DRAIN_WAY) != TERRANE_DRAIN_INLAND)
        assert_int_equal(drained->z[at], drained->z[next]);
}

/* All cells of a window but its border; returns how many are land. */
static inline int expect_steps(const struct terrane_recipe *recipe, const struct terrane_drained *drained)
{
    const struct terrane_window *window = &drained->window;
    int land = 0;
    for (int j = 1; j < window->height - 1; j++)
        for (int i = 1; i < window->width - 1; i++) {
            const size_t at = (size_t)j * (size_t)window->width + (size_t)i;
            const int way = terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
            assert_true(way <= TERRANE_DRAIN_INLAND);
            if (way >= TERRANE_DRAIN_SEA)
                continue;
            expect_step(drained, at, sea_of(recipe));
            land++;
        }
    return land;
}

#endif
