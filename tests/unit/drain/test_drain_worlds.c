/*
 * Drainage (lib/drain): water comes down from everywhere, in worlds that were made to prevent it, too.
 */
#include "drain_kit.h"

/* The cell that a cell drains into. */
static size_t receiver(const struct terrane_drained *drained, size_t at)
{
    const int way = terrane_drained_to(drained, at) & TERRANE_DRAIN_WAY;
    return (size_t)((ptrdiff_t)at + drain_dy[way] * drained->window.width + drain_dx[way]);
}

static int32_t sea_of(const struct terrane_recipe *recipe)
{
    const double units = (double)recipe->sea_m / terrane_erosion_unit_m(recipe);
    return (int32_t)(units < -0x1p29 ? -0x1p29 : units > 0x1p29 ? 0x1p29 : units);
}

/* A step of water: z never rises, and stays on lakes and traced lines alone; runoff never falls; a lake is flat. */
static void expect_step(const struct terrane_drained *drained, size_t at, int32_t sea)
{
    const size_t next = receiver(drained, at);
    const int to = terrane_drained_to(drained, at), there = terrane_drained_to(drained, next);
    const bool ends = (there & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
    const bool may_stay = (to | there) & (TERRANE_DRAIN_LAKE | TERRANE_DRAIN_STREAM);
    assert_true(drained->z[at] - (ends ? sea : drained->z[next]) >= (may_stay ? 0 : 1));
    if (ends)
        return;
    assert_true(terrane_drained_runoff(drained, next) >= terrane_drained_runoff(drained, at));
    if (to & there & TERRANE_DRAIN_LAKE && (there & TERRANE_DRAIN_WAY) != TERRANE_DRAIN_INLAND)
        assert_int_equal(drained->z[at], drained->z[next]);
}

/* All cells of a window but its border; returns how many are land. */
static int expect_steps(const struct terrane_recipe *recipe, const struct terrane_drained *drained)
{
    const struct terrane_window *window = &drained->window;
    int land = 0;
    for (int j = 1; j < window->height - 1; j++)
        for (int i = 1; i < window->width - 1; i++) {
            const size_t at = (size_t)j * (size_t)window->width + (size_t)i;
            const int way = terrane_drained_to(drained, at) & TERRANE_DRAIN_WAY;
            assert_true(way <= TERRANE_DRAIN_INLAND);
            if (way >= TERRANE_DRAIN_SEA)
                continue;
            expect_step(drained, at, sea_of(recipe));
            land++;
        }
    return land;
}

TEST(water_falls)
{
    struct dice dice = {719};
    for (int n = 0; n < sets(40); n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_rivers(&dice);
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {.level =
                                                  dice_int(&dice, recipe.rivers.bottom, recipe.rivers.top),
                                              .gi = dice_whole(&dice, -1000000, 1000000),
                                              .gj = dice_whole(&dice, -1000000, 1000000),
                                              .step = 1,
                                              .width = 128,
                                              .height = 96};
        struct terrane_drained drained = drained_new(&world, NULL, &window);
        expect_steps(&recipe, &drained);
        free(drained.z);
    }
}

/* What runs off gathers: at every cell of the coarsest lattice, in inland lakes, too, is its own and what comes in. */
TEST(nothing_is_lost)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 4, 16, 500, 0.5f);
    rivers_usual(&recipe, 8, 12);
    recipe.sea_m = -300;
    recipe.rivers.inland_km = 16;
    make_world(&world, &recipe, 3);
    const struct terrane_window window = {12, -700, 40, 1, 200, 200};
    struct terrane_drained drained = drained_new(&world, NULL, &window);
    int roots = 0;
    for (int j = 1; j < window.height - 1; j++)
        for (int i = 1; i < window.width - 1; i++) {
            const size_t at = (size_t)j * (size_t)window.width + (size_t)i;
            const int way = terrane_drained_to(&drained, at) & TERRANE_DRAIN_WAY;
            uint64_t sum = UINT64_C(400) << 2 * (12 - 8);
            for (int k = 0; k < 8; k++) {
                const size_t from = (size_t)((ptrdiff_t)at + drain_dy[k] * window.width + drain_dx[k]);
                if ((terrane_drained_to(&drained, from) & TERRANE_DRAIN_WAY) == ((k + 4) & 7))
                    sum += terrane_drained_runoff(&drained, from);
            }
            roots += way == TERRANE_DRAIN_INLAND;
            assert_true(terrane_drained_runoff(&drained, at) == (way == TERRANE_DRAIN_SEA ? 0 : sum));
        }
    assert_true(roots > 20);
    free(drained.z);
}

/* ---- All the way --------------------------------------------------------------------------------------- */

/* From a cell to the sea or an inland lake, in windows of which each overlaps the next. Returns the steps. */
static int walk(const struct terrane_world *world, int level, int64_t gi, int64_t gj)
{
    struct terrane_drained here = {.z = NULL};
    int32_t z = INT32_MAX;
    uint64_t runoff = 0;
    int steps = 0;
    for (;; steps++) {
        assert_true(steps < 200000);
        if (!here.z || !drained_has(&here, gi, gj)) {
            const struct terrane_window window = {level, gi - 160, gj - 160, 1, 320, 320};
            free(here.z);
            here = drained_new(world, NULL, &window);
        }
        const size_t at = drained_at(&here, gi, gj);
        const int way = terrane_drained_to(&here, at) & TERRANE_DRAIN_WAY;
        assert_true(way <= TERRANE_DRAIN_INLAND);
        if (way == TERRANE_DRAIN_SEA)
            break;
        assert_true(here.z[at] <= z && terrane_drained_runoff(&here, at) >= runoff);
        if (way == TERRANE_DRAIN_INLAND)
            break;
        z = here.z[at];
        runoff = terrane_drained_runoff(&here, at);
        gi += drain_dx[way];
        gj += drain_dy[way];
    }
    free(here.z);
    return steps;
}

TEST(water_comes_down_from_everywhere)
{
    struct dice dice = {727};
    struct terrane_world world;
    static struct terrane_recipe recipe;
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    int steps = 0;
    for (int n = 0; n < sets(6); n++)
        steps +=
            walk(&world, 5 + n % 3 * 2, dice_whole(&dice, -40000, 40000), dice_whole(&dice, -40000, 40000));
    assert_true(steps > 500);
}

/* ---- Worlds that are made to prevent it ---------------------------------------------------------------- */

enum { BYTES_MOST = 128 << 20 };
static size_t lent_bytes;

static void *lend(void *user, size_t bytes)
{
    (void)user;
    size_t *block = aligned_alloc(TERRANE_SCRATCH_ALIGN,
                                  (bytes + 2 * TERRANE_SCRATCH_ALIGN) & -(size_t)TERRANE_SCRATCH_ALIGN);
    assert_non_null(block);
    *block = bytes;
    assert_true((lent_bytes += bytes) <= BYTES_MOST);
    return (char *)block + TERRANE_SCRATCH_ALIGN;
}

static void take_back(void *user, void *block)
{
    (void)user;
    size_t *from = (size_t *)(void *)((char *)block - TERRANE_SCRATCH_ALIGN);
    lent_bytes -= *from;
    free(from);
}

/* Windows of every third lattice are made within their bytes and are sound; returns how much of them is land. */
static int drain_all(struct terrane_recipe recipe)
{
    static const struct terrane_memory memory = {.alloc = lend, .free = take_back};
    struct terrane_world world;
    int land = 0;
    make_world(&world, &recipe, 7);
    for (int level = recipe.rivers.bottom; level <= recipe.rivers.top; level += 3) {
        const struct terrane_window window = {level, -50, 37, 1, 96, 96};
        struct terrane_drained drained = drained_of(&window);
        assert_int_equal(terrane_drain(&world, NULL, &memory, &drained), 0);
        assert_true(lent_bytes == 0);
        land += expect_steps(&recipe, &drained);
        free(drained.z);
    }
    return land;
}

TEST(flat_worlds_drain)
{
    struct terrane_recipe recipe = recipe_flat();
    rivers_usual(&recipe, 5, 13);
    assert_true(drain_all(recipe) > 0); /* a plain at the sea's level */
    recipe.sea_m = 1;
    assert_int_equal(drain_all(recipe), 0);
    recipe.sea_m = -1; /* no sea at all */
    rivers_usual(&recipe, 4, 16);
    recipe.rivers.inland_km = 4096;
    assert_true(drain_all(recipe) > 0);
    recipe.spacing_m = 256;
    recipe.rivers.runoff_mm = 0;
    assert_true(drain_all(recipe) > 0);
}

TEST(rough_worlds_drain)
{
    struct terrane_recipe recipe =
        recipe_fractal(TERRANE_VALUE, 1, 6, 20000, 0.5f); /* noise of two samples, or of less */
    rivers_usual(&recipe, 5, 9);
    assert_true(drain_all(recipe) > 0);
    recipe.sea_m = -30000; /* one tooth after the other, all inland */
    recipe.rivers.inland_km = 16;
    assert_true(drain_all(recipe) > 0);
    recipe = recipe_fractal(TERRANE_VALUE, 19, 20, 30000, 1);
    rivers_usual(&recipe, 4, 12);
    recipe.rivers.cut_m = 32768;
    recipe.rivers.fill = 0;
    assert_true(drain_all(recipe) > 0);
    recipe.rivers.cut_m = 0;
    recipe.rivers.fill = 1;
    assert_true(drain_all(recipe) > 0);
    recipe = recipe_fractal(TERRANE_PERLIN3, 1, 30, 30000, 1); /* one slope as far as one sees */
    rivers_usual(&recipe, 10, 16);
    recipe.sea_m = -29000;
    assert_true(drain_all(recipe) > 0);
    recipe.spacing_m = 0x1p20; /* the steepest there is, of the longest cells */
    recipe.sea_m = -32768;
    recipe.rivers.steepness = 1024;
    recipe.rivers.rise = 1;
    recipe.rivers.concavity = 0.2f;
    recipe.rivers.runoff_mm = 1;
    assert_true(drain_all(recipe) > 0);
}

GROUP(drain_worlds, set_up, tear_down);
