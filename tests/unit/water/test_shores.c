/* Shores of single lakes on ground drawn by hand (lib/flood.c, lib/water.c); tests/reference has what lakes are. */
#include "lakes_kit.h"

enum { HAND_LEVEL = 2, HAND_RADIUS = 12, HAND_SIDE = 2 * HAND_RADIUS + 1 };

/* Ground drawn by hand around the one start of a world: its heights come from a function of the place seen from there. */
struct hand {
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct terrane_window window, needed; /* of 2 HAND_RADIUS + 3 samples around the start */
    float ground[(HAND_SIDE + 2 + 4 * HAND_RADIUS) * (HAND_SIDE + 2 + 4 * HAND_RADIUS)];
    float level_m[(HAND_SIDE + 2) * (HAND_SIDE + 2)];
};

/* Where a cell's lake starts. */
static bool cell_start(const struct terrane_world *world, int64_t cx, int64_t cy, int64_t *gi, int64_t *gj)
{
    const struct terrane_lakes *lakes = &world->recipe->lakes;
    uint64_t h = hash_absorb(world->seed, 0x4C616B6573);
    h = hash_absorb(hash_absorb(h, (uint64_t)cx), (uint64_t)cy);
    const int cell = 1 << lakes->cell_log2;
    *gi = cx * cell + (int64_t)(h % (uint64_t)cell);
    *gj = cy * cell + (int64_t)(h / (uint64_t)cell % (uint64_t)cell);
    return ldexp((double)(h >> 40), -24) < (double)lakes->share;
}

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
        cell_start(&hand->world, 0, 0, &gi, &gj);
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
    assert_int_equal(terrane_lakes(&hand->world, &hand->window, hand->ground, NULL, hand->level_m), 0);
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

/* A plain with a pan in it whose rim is the plain. */
static float pan_in_a_plain(int x, int y)
{
    return ring(x, y) <= 4 ? 1 : 2;
}

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

TEST(shores_by_hand)
{
    static const struct {
        float (*height)(int x, int y);
        float depth_m;
        bool (*claimed)(int x, int y);
    } cases[] = {{moat, 4, on_rim_or_lower}, {trench, 1, before_the_trench}, {pan_in_a_plain, 1, three_away}};
    static struct hand hand;

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
TEST(lakes_go_on_over_cut_shores)
{
    enum { FINER = 1 << HAND_LEVEL, SIDE = 20 * FINER + 1 };
    static float ground[SIDE * SIDE], depth_m[SIDE * SIDE];
    static struct hand hand;

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

GROUP(shores, set_up, tear_down);
