/*
 * Single lakes on ground drawn by hand (lib/flood.c): where they spill, end, merge, or are none, and what their
 * shores are.
 */
#include "slow_lakes.h"

enum { HAND_LEVEL = 2, HAND_RADIUS = 12, HAND_SIDE = 2 * HAND_RADIUS + 1 };

/* Ground drawn by hand around the one start of a world: its heights come from a function of the place seen from there. */
struct hand {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_window window, needed; /* of 2 HAND_RADIUS + 3 samples around the start */
    float ground[(HAND_SIDE + 2 + 4 * HAND_RADIUS) * (HAND_SIDE + 2 + 4 * HAND_RADIUS)];
    float level_m[(HAND_SIDE + 2) * (HAND_SIDE + 2)];
};

/* Cells as large as they come; a seed whose start lies in the middle of its cell has no other start near. */
static void hand_start(struct hand *hand, float depth_m, float shallow_m, float sea_m)
{
    const struct terrane_lakes lakes = {.share = 1,
                                        .level = HAND_LEVEL,
                                        .cell_log2 = 7,
                                        .radius = HAND_RADIUS,
                                        .depth_m = depth_m,
                                        .shallow_m = shallow_m};
    int64_t gi = 0, gj = 0;
    for (uint64_t seed = 0; gi < 50 || gi > 77 || gj < 50 || gj > 77; seed++) {
        lake_world(&hand->world, &hand->recipe, lakes, sea_m, seed);
        slow_start(&hand->world, 0, 0, &gi, &gj);
    }
    hand->window = (struct terrane_window){.level = HAND_LEVEL,
                                           .gi = gi - HAND_RADIUS - 1,
                                           .gj = gj - HAND_RADIUS - 1,
                                           .step = 1,
                                           .width = HAND_SIDE + 2,
                                           .height = HAND_SIDE + 2};
    terrane_lakes_needs(&hand->recipe, &hand->window, &hand->needed);
}

/* Returns the number of claimed samples; the level at (x, y) from the start is hand_level's. */
static int hand_fill(struct hand *hand, float (*height)(int x, int y))
{
    const int centre = 3 * HAND_RADIUS + 1;
    assert_true(window_samples(&hand->needed) == (size_t)COUNT(hand->ground));
    for (int j = 0; j < hand->needed.height; j++)
        for (int i = 0; i < hand->needed.width; i++)
            hand->ground[j * hand->needed.width + i] = height(i - centre, j - centre);
    void *memory = malloc(terrane_lakes_bytes(&hand->recipe));
    assert_int_equal(terrane_lakes(&hand->world, &hand->window, hand->ground, memory, hand->level_m), 0);
    free(memory);
    return count_claimed(hand->level_m, &hand->window);
}

static float hand_level(const struct hand *hand, int x, int y)
{
    return hand->level_m[(y + HAND_RADIUS + 1) * hand->window.width + x + HAND_RADIUS + 1];
}

static int ring(int x, int y)
{
    return abs(x) > abs(y) ? abs(x) : abs(y);
}

/* A bowl with a rim of height 5 at distance 5, and a fall behind it. */
static float bowl(int x, int y)
{
    const int r = ring(x, y);
    return r <= 5 ? (float)r : (float)(9 - r);
}

/* ... with a notch in the rim. */
static float notched_bowl(int x, int y)
{
    return x >= 4 && x <= 5 && y == 1 ? 3.5f : bowl(x, y);
}

/* Rises to the border and on. */
static float funnel(int x, int y)
{
    return (float)ring(x, y);
}

/* A funnel with a gap in the very border of the window: the only way out, and no lower than the water. */
static float funnel_with_a_gap(int x, int y)
{
    return x == HAND_RADIUS && y == 0 ? (float)HAND_RADIUS - 1 : funnel(x, y);
}

/* ... and lower. */
static float funnel_with_a_hole(int x, int y)
{
    return x == HAND_RADIUS && y == 0 ? 2 : funnel(x, y);
}

/* Two bowls, the other one deeper, its rim (4) below the first one's (5): water goes over the saddle (3) between them. */
static float two_bowls(int x, int y)
{
    if (x == 4 && y == 0)
        return 3;
    if (ring(x - 7, y) <= 2)
        return -4;
    if (ring(x - 7, y) == 3)
        return 4;
    return ring(x, y) <= 3 ? (float)ring(x, y) * 0.5f : ring(x, y) == 4 ? 5 : -9;
}

/* The same, but the second one has a way out below the saddle. */
static float two_bowls_that_drain(int x, int y)
{
    return x == 10 && y == 0 ? -5 : two_bowls(x, y);
}

static float flat(int x, int y)
{
    (void)x, (void)y;
    return 1;
}

/* A floor of equal heights, a rim of equal heights two samples wide. */
static float pan(int x, int y)
{
    return ring(x, y) <= 4 ? 1 : ring(x, y) <= 6 ? 2 : 0;
}

/* A plain with a pan in it whose rim is the plain. */
static float pan_in_a_plain(int x, int y)
{
    return ring(x, y) <= 4 ? 1 : 2;
}

/* A funnel with a hollow beside its bottom, behind a sill 2 high. */
static float funnel_with_a_hollow(int x, int y)
{
    if (x >= 4 && x <= 8 && abs(y) <= 2)
        return x == 4 ? 2 : -3;
    return (float)ring(x, y) * 0.5f + (ring(x, y) > 3 ? 4 : 0);
}

static void basins_by_hand(void **state)
{
    static const struct {
        float (*height)(int x, int y);
        float depth_m, shallow_m, sea_m, level_m;
        int claimed; /* samples, the shore with them */
    } cases[] = {
        {bowl, 100, 0, -50, 5, 121},
        {notched_bowl, 100, 0, -50, 3.5f, 82},
        {notched_bowl, 3.5f, 0, -50, 3.5f, 82},
        {notched_bowl, 2.5f, 0, -50, 2.5f, 49},
        {notched_bowl, 2, 0, -50, 2, 25},
        {notched_bowl, 100, 3.5f, -50, TERRANE_DRY, 0}, /* not deeper than shallow */
        {notched_bowl, 100, 3.4f, -50, 3.5f, 82},
        {notched_bowl, 0, 0, -50, TERRANE_DRY, 0},
        {notched_bowl, 100, 0, 0.25f, TERRANE_DRY, 0}, /* the pit is sea */
        {funnel, 100, 0, -50, TERRANE_DRY, 0},
        {funnel, 4, 0, -50, 4, 81}, /* as deep as it may be, long before the border */
        {funnel, 12, 0, -50, 12, 25 * 25},
        {funnel, 12.5f, 0, -50, TERRANE_DRY, 0},
        {funnel_with_a_gap, 100, 0, -50, TERRANE_DRY, 0},
        {funnel_with_a_hole, 100, 0, -50, 11, 529},
        {two_bowls, 100, 0, -50, 4, 0},
        {two_bowls_that_drain, 100, 0, -50, 3, 81},
        {flat, 100, 0, -50, TERRANE_DRY, 0},
        {pan, 100, 0, -50, 2, 169},
        {pan_in_a_plain, 100, 0, -50, TERRANE_DRY, 0},
        {pan_in_a_plain, 1, 0, -50, 2, 225},
        {funnel_with_a_hollow, 100, 0, 0, 2, 81}, /* the hollow is sea */
        {funnel_with_a_hollow, 100, 0, -3, TERRANE_DRY, 0},
    };
    static struct hand hand;

    (void)state;
    for (int n = 0; n < COUNT(cases); n++) {
        hand_start(&hand, cases[n].depth_m, cases[n].shallow_m, cases[n].sea_m);
        const int claimed = hand_fill(&hand, cases[n].height);
        if (hand_level(&hand, 0, 0) != cases[n].level_m ||
            (cases[n].claimed && claimed != cases[n].claimed) ||
            (cases[n].level_m == TERRANE_DRY && claimed != 0))
            fail_msg("case %d: level %g over %d samples, not %g over %d", n, (double)hand_level(&hand, 0, 0),
                     claimed, (double)cases[n].level_m, cases[n].claimed);
    }
}

/* A lake that swallows its neighbour, and one that spills into it. */
static void basins_merge(void **state)
{
    static struct hand hand;

    (void)state;
    hand_start(&hand, 100, 0, -50);
    hand_fill(&hand, two_bowls);
    assert_true(hand_level(&hand, 7, 0) == 4 && hand_level(&hand, 0, 0) == 4);
    hand_fill(&hand, two_bowls_that_drain);
    assert_true(hand_level(&hand, 7, 0) == TERRANE_DRY &&
                hand_level(&hand, 4, 0) == 3); /* the saddle is shore */
}

/* ---- Shores -------------------------------------------------------------------------------------------- */

/* How wide the rim of moat is at a place: 1, 2 or 3 samples. */
static int rim_width(int x, int y)
{
    return x > abs(y) ? 3 : y > abs(x) ? 2 : 1;
}

/* A bowl with a rim of height 4, a moat around that, and high ground behind it. */
static float moat(int x, int y)
{
    const int r = ring(x, y), end = 4 + rim_width(x, y);
    return r < 4 ? (float)r : r < end ? 4 : r == end ? 3 : 9;
}

static bool on_rim_or_lower(int x, int y)
{
    return ring(x, y) < 4 + rim_width(x, y);
}

/* A pan in a plain, and a trench across its shore: what is straight behind it is too far by ways around it. */
static float trench(int x, int y)
{
    return x == 6 && abs(y) <= 4 ? 0 : pan_in_a_plain(x, y);
}

static bool before_the_trench(int x, int y)
{
    return ring(x, y) <= 7 && !(x == 6 && abs(y) <= 4) && !(x == 7 && abs(y) <= 3);
}

/* Ground at the level of the lake is shore, up to three samples from the lake. */
static bool three_away(int x, int y)
{
    return ring(x, y) <= 7;
}

static void shores_by_hand(void **state)
{
    static const struct {
        float (*height)(int x, int y);
        float depth_m;
        bool (*claimed)(int x, int y);
    } cases[] = {{moat, 4, on_rim_or_lower}, {trench, 1, before_the_trench}, {pan_in_a_plain, 1, three_away}};
    static struct hand hand;

    (void)state;
    for (int n = 0; n < COUNT(cases); n++) {
        hand_start(&hand, cases[n].depth_m, 0, -50);
        hand_fill(&hand, cases[n].height);
        for (int y = -HAND_RADIUS - 1; y <= HAND_RADIUS + 1; y++)
            for (int x = -HAND_RADIUS - 1; x <= HAND_RADIUS + 1; x++)
                if ((hand_level(&hand, x, y) > TERRANE_DRY) != cases[n].claimed(x, y))
                    fail_msg("case %d: at %d, %d: level %g", n, x, y, (double)hand_level(&hand, x, y));
    }
}

/* Where finer levels cut a shore below the lake, the lake goes on: three samples of its level, no farther. */
static void lakes_go_on_over_cut_shores(void **state)
{
    enum { FINER = 1 << HAND_LEVEL, SIDE = 20 * FINER + 1 };
    static float ground[SIDE * SIDE], depth_m[SIDE * SIDE];
    static struct hand hand;

    (void)state;
    hand_start(&hand, 1, 0, -50);
    hand_fill(&hand, pan_in_a_plain);
    const struct terrane_window window = {.gi = (hand.window.gi + HAND_RADIUS + 1 - 10) * FINER,
                                          .gj = (hand.window.gj + HAND_RADIUS + 1 - 10) * FINER,
                                          .step = 1,
                                          .width = SIDE,
                                          .height = SIDE};
    for (int k = 0; k < COUNT(ground); k++)
        ground[k] = -10;
    assert_int_equal(terrane_water(&hand.recipe, &window, ground, &hand.window, hand.level_m, NULL, depth_m),
                     0);
    for (int k = 0; k < COUNT(ground); k++)
        assert_true(depth_m[k] ==
                    (ring(k % SIDE - SIDE / 2, k / SIDE - SIDE / 2) <= 7 * FINER ? 12.0f : 0.0f));
}

UNIT(basins)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basins_by_hand),
        cmocka_unit_test(basins_merge),
        cmocka_unit_test(shores_by_hand),
        cmocka_unit_test(lakes_go_on_over_cut_shores),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
