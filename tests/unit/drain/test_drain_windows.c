/*
 * Drainage (lib/drain): a cell is the same in every window, from every lattice above, by every instruction set, and water falls; what is refused, and
 * memory. tests/reference has what it is. TERRANE_TEST_SETS raises the number of random worlds.
 */
#include "drain_kit.h"

#include "../../../lib/drain/river.h"

/* Where windows lie, by turns: around 0, negative, anywhere, at tile 2^40 and in the last corner that has room. */
static int64_t place(struct dice *dice, int turn)
{
    const int64_t tile = INT64_C(1) << 48;
    switch (turn % 5) {
    case 0:
        return dice_whole(dice, -120, 0);
    case 1:
        return dice_whole(dice, -100000, -1000);
    case 2:
        return dice_whole(dice, -4 * tile + 9999, 4 * tile - 9999);
    case 3:
        return tile - dice_whole(dice, 0, 120);
    default:
        return 4 * tile - 3000;
    }
}

/* memo: what parts of all worlds before have left in it. */
static void expect_parts(struct dice *dice, const struct terrane_world *world,
                         const struct terrane_drained *all, void *memo, int turn)
{
    memory_lent.memo = memo;
    struct terrane_world other = *world; /* the same recipe and place: its ground is another */
    other.seed ^= 1;
    free(drained_new(&other, NULL, &all->window).z);
    for (int k = 0; k < 3; k++) {
        struct terrane_window part = all->window, above;
        part.gi += dice_int(dice, -30, part.width - 1);
        part.gj += dice_int(dice, -30, part.height - 1);
        part.width = dice_int(dice, 1, k ? 40 : 4);
        part.height = dice_int(dice, 1, k ? 40 : 4);
        isa_choose(turn + k);
        struct terrane_drained from = {.z = NULL}, got;
        if (k == 1 && terrane_drain_needs(world->recipe, &part, &above)) {
            above.gi -= 3; /* it may cover more */
            above.width += 7;
            from = drained_new(world, NULL, &above);
        }
        got = drained_of(&part);
        /* by turns in guarded memory full of rubbish: nothing is written beside blocks, nor read that no one wrote */
        assert_int_equal(
            terrane_drain(world, from.z ? &from : NULL, k == 2 ? &guarded_memory : scratch, &got), 0);
        expect_same(&got, all);
        free(from.z);
        free(got.z);
    }
    memory_lent.memo = NULL;
}

TEST(windows_agree_and_water_falls)
{
    struct dice dice = {701};
    const int worlds = sets(16);
    long land = 0, streams = 0, lakes = 0, inland = 0;
    void *memo = calloc(1, terrane_memo_bytes);
    assert_non_null(memo);
    for (int n = 0; n < worlds; n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_rivers(&dice);
        recipe.rivers.runoff = n % 3 == 0 ? 0 : -1;
        make_world(&world, &recipe, dice_bits(&dice));
        const struct terrane_window window = {.level =
                                                  dice_int(&dice, recipe.rivers.bottom, recipe.rivers.top),
                                              .gi = place(&dice, n),
                                              .gj = place(&dice, n / 2),
                                              .step = 1,
                                              .width = 90,
                                              .height = 70};
        isa_choose(n);
        struct terrane_drained all = drained_new(&world, NULL, &window);
        expect_parts(&dice, &world, &all, memo, n);
        expect_steps(&recipe, &all);
        for (size_t k = 0; k < samples_of(&window); k++) {
            const int to = terrane_drained_cell(&all, k).to, way = to & TERRANE_DRAIN_WAY;
            land += way < TERRANE_DRAIN_SEA;
            inland += way == TERRANE_DRAIN_INLAND;
            streams += (to & TERRANE_DRAIN_STREAM) != 0;
            lakes += (to & TERRANE_DRAIN_LAKE) != 0;
        }
        free(all.z);
    }
    free(memo);
    assert_true(land > 1000 * worlds && streams > 100 * worlds && lakes > 10 * worlds && inland > worlds);
}

/* A world where fields that take heights in doubt for known ones (DRAIN_LOOSE) differ: few do. */
TEST(heights_in_doubt_are_not_told)
{
    struct dice dice = {UINT64_C(0xb5879c2d0670a72)};
    struct terrane_recipe recipe = dice_rivers(&dice);
    struct terrane_world world;
    make_world(&world, &recipe, 73);
    const struct terrane_window window = {7, -60626, 281474976710553, 1, 110, 70};
    struct terrane_window part = {7, window.gi, window.gj, 1, 15, 21};
    struct terrane_drained all = drained_new(&world, NULL, &window);
    for (int k = 0; k < 15; k++) {
        part.gi = window.gi + k % 5 * part.width;
        part.gj = window.gj + k / 5 * part.width;
        struct terrane_drained got = drained_new(&world, NULL, &part);
        expect_same(&got, &all);
        free(got.z);
    }
    free(all.z);
}

/* ---- Rows of windows ----------------------------------------------------------------------------------- */

/* Drains a window, and returns whether that took no memory, since a field before had it. */
static bool expect_recalled(const struct terrane_world *world, const struct terrane_drained *from,
                            const struct terrane_drained *all, const struct terrane_window *window)
{
    struct purse purse = {.left = 0};
    struct terrane_memory memory = memory_lent;
    struct terrane_drained got = drained_of(window);
    memory.alloc = purse_lend;
    memory.free = purse_take_back;
    memory.user = &purse;
    const int error = terrane_drain(world, from, &memory, &got);
    if (error != 0)
        assert_int_equal(terrane_drain(world, from, scratch, &got), 0);
    expect_same(&got, all);
    free(got.z);
    return error == 0;
}

/* Windows that are asked for in rows are drained several at once, and the same; memo: what parts of all worlds before have left. */
TEST(rows_of_windows_agree)
{
    struct dice dice = {719};
    const int worlds = sets(8);
    int recalled = 0;
    memory_lent.memo = calloc(1, terrane_memo_bytes);
    assert_non_null(memory_lent.memo);
    for (int n = 0; n < worlds; n++) {
        struct terrane_world world;
        struct terrane_recipe recipe = dice_rivers(&dice);
        make_world(&world, &recipe, (uint64_t)n / 2);
        struct terrane_window window = {
            recipe.rivers.bottom + n % 3, place(&dice, n), place(&dice, n / 2), 1, 110, 70};
        struct terrane_window needed, part = window;
        void *memo = memory_lent.memo;
        memory_lent.memo = NULL;
        struct terrane_drained all = drained_new(&world, NULL, &window), from = {.z = NULL};
        if (n % 4 != 3 && terrane_drain_needs(&recipe, &window, &needed))
            from = drained_new(&world, NULL, &needed);
        memory_lent.memo = memo;
        const int stride = dice_int(&dice, 8, 20);
        part.width = stride + dice_int(&dice, 0, 9);
        part.height = stride + dice_int(&dice, 0, 9);
        for (int k = 0; k < 15; k++) {
            isa_choose(n + k);
            part.gi = window.gi + k % 5 * stride;
            part.gj = window.gj + k / 5 * stride;
            struct terrane_drained above = {.z = NULL}; /* of each window by itself, in rows as well */
            if (n % 4 == 2 && terrane_drain_needs(&recipe, &part, &needed))
                above = drained_new(&world, NULL, &needed);
            recalled += expect_recalled(&world, above.z ? &above : from.z ? &from : NULL, &all, &part);
            free(above.z);
        }
        free(from.z);
        free(all.z);
    }
    free(memory_lent.memo);
    memory_lent.memo = NULL;
    assert_true(recalled > worlds);
}

/* ---- Banks of rivers ----------------------------------------------------------------------------------- */

enum { DAMP_SIDE = 160 };

/* In guarded memory: nothing is read that no one wrote. */
static void damp_of(const struct terrane_world *world, const struct terrane_window *window,
                    const struct terrane_drained *drained, float *damp)
{
    memset(damp, 0xFF, samples_of(window) * sizeof *damp);
    assert_int_equal(terrane_rivers_damp(world, window, drained, &guarded_memory, damp), 0);
}

/* A half of a window, or every second sample of that. */
static void expect_half(const struct terrane_world *world, const struct terrane_window *window,
                        const struct terrane_drained *drained, const float *all, int turn)
{
    static float damp[DAMP_SIDE * DAMP_SIDE];
    struct terrane_window half = *window;
    half.step = 1 + turn / 4;
    half.width = half.height = DAMP_SIDE / half.step;
    *(turn & 1 ? &half.width : &half.height) /= 2;
    if (turn & 2)
        *(turn & 1 ? &half.gi : &half.gj) += DAMP_SIDE / 2;
    damp_of(world, &half, drained, damp);
    for (int j = 0; j < half.height; j++)
        for (int i = 0; i < half.width; i++)
            assert_memory_equal(
                damp + j * half.width + i,
                all + place_of(window, half.gi + (int64_t)i * half.step, half.gj + (int64_t)j * half.step),
                sizeof *damp);
}

/* The cell of the greatest river of a window but what is near its border. */
static size_t greatest_river(const struct terrane_drained *drained, int border)
{
    uint64_t most = 0;
    size_t found = 0;
    for (int j = border; j < drained->window.height - border; j++)
        for (int i = border; i < drained->window.width - border; i++) {
            const size_t at = (size_t)(j * drained->window.width + i);
            const struct terrane_drained_cell cell = terrane_drained_cell(drained, at);
            if (cell.to & TERRANE_DRAIN_LAKE || (cell.to & TERRANE_DRAIN_WAY) >= TERRANE_DRAIN_SEA ||
                cell.runoff <= most)
                continue;
            most = cell.runoff;
            found = at;
        }
    assert_true(most > 0);
    return found;
}

/* The same in every window and by every instruction set, and along all rivers but where these begin. */
TEST(banks_are_along_rivers)
{
    enum { BOTTOM = 4, REACH = DAMP_SIDE / 4 + TERRANE_RIVERS_MARGIN + 1, SIDE = 2 * REACH + 40 };
    static float all[DAMP_SIDE * DAMP_SIDE], discharge[DAMP_SIDE * DAMP_SIDE];
    const struct terrane_window cells = {BOTTOM, -99, 333, 1, SIDE, SIDE};
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 9, 12, 500, 0.55f);
    struct terrane_world world;
    rivers_usual(&recipe, BOTTOM, BOTTOM + 2);
    recipe.sea_m = -300;
    recipe.rivers.sources_ha = 1;
    recipe.rivers.width = 64;
    make_world(&world, &recipe, 1);
    struct terrane_drained drained = drained_new(&world, NULL, &cells);
    const double head = river_discharge(&recipe, river_min(&recipe));
    const size_t at = greatest_river(&drained, REACH);
    const int64_t gi = cells.gi + (int64_t)(at % SIDE), gj = cells.gj + (int64_t)(at / SIDE);
    for (int level = 0; level < BOTTOM; level++) {
        const int64_t cell = INT64_C(1) << (BOTTOM - level);
        const struct terrane_window window = {
            level, gi * cell - DAMP_SIDE / 2, gj * cell - DAMP_SIDE / 2, 1, DAMP_SIDE, DAMP_SIDE};
        int wet = 0, beside = 0, away = 0;
        isa_choose(level);
        damp_of(&world, &window, &drained, all);
        assert_int_equal(terrane_rivers_apply(&world, &window, &drained, scratch, NULL, NULL, discharge), 0);
        for (int k = 0; k < DAMP_SIDE * DAMP_SIDE; k++) {
            assert_true(all[k] >= 0 && all[k] <= 1);
            assert_true(all[k] > 0 || (double)discharge[k] <= 1.001 * head);
            wet += discharge[k] > 0;
            beside += all[k] > 0 && discharge[k] == 0;
            away += all[k] == 0;
        }
        assert_true(wet > 100 && beside > wet / 2 && away > 100);
        for (int turn = 0; turn < 8; turn++) {
            isa_choose(level + turn);
            expect_half(&world, &window, &drained, all, turn);
        }
    }
    free(drained.z);
}

/* ---- What is refused ----------------------------------------------------------------------------------- */

static struct terrane_recipe recipe_hills(void)
{
    struct terrane_recipe recipe = recipe_fractal(TERRANE_PERLIN3, 9, 12, 500, 0.55f);
    rivers_usual(&recipe, 4, 6);
    return recipe;
}

static void expect_refused(const struct terrane_world *world, struct terrane_window window,
                           const struct terrane_memory *memory, int error)
{
    static uint32_t word[4][16];
    struct terrane_drained out = {window, (int32_t *)word[0], word[1], word[2], word[3]};
    memset(word, 0x5A, sizeof word);
    assert_int_equal(terrane_drain(world, NULL, memory, &out), error);
    for (int i = 0; i < 64; i++) /* outputs are as they were */
        assert_int_equal(word[i / 16][i % 16], 0x5A5A5A5A);
}

TEST(windows_are_checked)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_hills();
    make_world(&world, &recipe, 1);
    static const int levels[] = {-1, 3, 7, 24, INT32_MAX};
    for (int k = 0; k < COUNT(levels); k++)
        expect_refused(&world, (struct terrane_window){levels[k], 0, 0, 1, 2, 2}, scratch, TERRANE_ELEVEL);
    static const struct terrane_window bad[] = {
        {4, 0, 0, 2, 2, 2},         {4, 0, 0, 1, 0, 2},         {4, 0, 0, 1, 2, TERRANE_DRAIN_SIDE_MAX + 1},
        {4, INT64_MIN, 0, 1, 2, 2}, {5, 0, INT64_MAX, 1, 2, 2}, {6, -(INT64_C(1) << 50), 0, 1, 2, 2},
    };
    for (int k = 0; k < COUNT(bad); k++)
        expect_refused(&world, bad[k], scratch, TERRANE_EWINDOW);
    struct terrane_window needed, window = {6, 0, 0, 1, 4, 4};
    assert_false(terrane_drain_needs(&recipe, &window, &needed));
    recipe.rivers.top = 0;
    make_world(&world, &recipe, 1);
    expect_refused(&world, (struct terrane_window){4, 0, 0, 1, 2, 2}, scratch, TERRANE_ELEVEL);
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

TEST(memory_may_fail_anywhere)
{
    struct terrane_world world;
    struct terrane_recipe recipe = recipe_hills();
    const struct terrane_window window = {4, -9, 5, 1, 4, 4};
    struct purse purse = {.left = 1000};
    const struct terrane_memory memory = {.alloc = purse_lend, .free = purse_take_back, .user = &purse};
    make_world(&world, &recipe, 1);
    struct terrane_drained out = drained_of(&window);
    assert_int_equal(terrane_drain(&world, NULL, &memory, &out), 0);
    const int blocks = 1000 - purse.left;
    assert_true(blocks >= 4 && purse.lent == 0);
    for (int k = 0; k < blocks; k++) {
        purse.left = k;
        expect_refused(&world, window, &memory, TERRANE_EMEMORY);
        assert_int_equal(purse.lent, 0);
    }
    free(out.z);
}

GROUP(drain_windows, set_up, tear_down);
