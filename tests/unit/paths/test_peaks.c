/* Peaks and deeps (lib/peak/peaks.c): found again by what the header says of them, level by level, and the same from every tile. */
#include "../lib_fixture.h"

#include "../../../lib/terrane_features.h"

enum { LEVEL = 9, SIDE = 4 /* tiles */, CELL = 32, REACH = 16 };

static struct terrane_recipe recipe;
static struct terrane_world world;
static bool deep; /* deeps are looked at, of a world that is upside down */

static int set_up_world(void **state)
{
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    return set_up(state);
}

struct peaks {
    int count;
    struct terrane_peak peak[SIDE * SIDE * TERRANE_PEAKS_MAX];
};

/* Of SIDE x SIDE tiles from x, y on. */
static void peaks_of(int level, int64_t x, int64_t y, int side, struct peaks *all)
{
    all->count = 0;
    for (int k = 0; k < side * side; k++) {
        int count;
        assert_int_equal((deep ? terrane_deeps : terrane_peaks)(&world, level, x + k % side, y + k / side,
                                                                &memory_lent, all->peak + all->count, &count),
                         0);
        assert_in_range(count, 0, TERRANE_PEAKS_MAX);
        for (int i = 0; i < count; i++) {
            const struct terrane_peak *peak = &all->peak[all->count + i];
            assert_true(peak->gi >> 8 == x + k % side && peak->gj >> 8 == y + k / side);
            assert_in_range(peak->level, level, TERRANE_PEAK_TOP);
        }
        all->count += count;
    }
}

static const struct terrane_peak *peak_in(const struct peaks *all, const struct terrane_peak *wanted)
{
    for (int k = 0; k < all->count; k++)
        if (all->peak[k].level == wanted->level && all->peak[k].cx == wanted->cx &&
            all->peak[k].cy == wanted->cy)
            return &all->peak[k];
    return NULL;
}

/* What a coarse level shows the next one has, too, where it has climbed to; and the other way round, where it is not too small. */
TEST(peaks_keep_who_they_are)
{
    static struct peaks coarse, fine;
    peaks_of(LEVEL, -3, 1, SIDE, &coarse);
    peaks_of(LEVEL - 1, -6, 2, 2 * SIDE, &fine);
    assert_in_range(coarse.count, 3 * SIDE, 40 * SIDE * SIDE);
    int both = 0;
    for (int k = 0; k < coarse.count; k++) {
        const struct terrane_peak *peak = &coarse.peak[k], *same = peak_in(&fine, peak);
        char name[TERRANE_NAME_BYTES], again[TERRANE_NAME_BYTES];
        if (!same) { /* it has climbed over the edge */
            const int64_t i = peak->gi + 3 * 256, j = peak->gj - 256;
            assert_true(i < 2 || j < 2 || i >= SIDE * 256 - 2 || j >= SIDE * 256 - 2);
            continue;
        }
        both++;
        assert_true(llabs(same->gi - 2 * peak->gi) <= 2 && llabs(same->gj - 2 * peak->gj) <= 2);
        assert_true(terrane_peak_id(&world, same) == terrane_peak_id(&world, peak));
        terrane_peak_name(&world, peak, name);
        terrane_peak_name(&world, same, again);
        assert_string_equal(name, again);
        assert_true(same->rise_m <= peak->rise_m && same->rise_m >= peak->rise_m);
    }
    assert_true(both > 0);
    for (int k = 0; k < fine.count; k++)
        if (fine.peak[k].level >= LEVEL && !peak_in(&coarse, &fine.peak[k])) {
            const int64_t i = fine.peak[k].gi + 6 * 256, j = fine.peak[k].gj - 2 * 256;
            assert_true(i < 4 || j < 4 || i >= 2 * SIDE * 256 - 4 || j >= 2 * SIDE * 256 - 4);
        }
}

static float *heights(int level, int64_t gi, int64_t gj, int side)
{
    static float height[(CELL + 2 * REACH) * (CELL + 2 * REACH)];
    const struct terrane_window window = {level, gi, gj, 1, side, side};
    assert_int_equal(terrane_heights(&world, &window, &memory_lent, height), 0);
    for (int at = 0; deep && at < side * side; at++)
        height[at] = -height[at];
    return height;
}

/* Whether a cell's highest sample is a peak, but for others near it; and where. */
static bool tops(int level, int64_t cx, int64_t cy, int64_t *gi, int64_t *gj, float *rise_m)
{
    const int side = CELL + 2 * REACH;
    const float *height = heights(level, cx * CELL - REACH, cy * CELL - REACH, side);
    int top = REACH * side + REACH;
    for (int at = 0; at < side * side; at++)
        if (at % side >= REACH && at % side < REACH + CELL && at / side >= REACH &&
            at / side < REACH + CELL && height[at] > height[top])
            top = at;
    float border = -INFINITY;
    bool highest = true;
    for (int at = 0; at < side * side; at++) {
        const int i = abs(at % side - top % side), j = abs(at / side - top / side), far = i > j ? i : j;
        if (far <= REACH && at != top && height[at] >= height[top])
            highest = false;
        if (far == REACH)
            border = fmaxf(border, height[at]);
    }
    const double step = ldexp(recipe.spacing_m, level),
                 least = step <= 64 ? step / 8 : fmin(8 + (step - 64) / 64, 400);
    *gi = cx * CELL - REACH + top % side;
    *gj = cy * CELL - REACH + top / side;
    *rise_m = height[top] - border;
    return highest && (double)*rise_m >= least &&
           (double)height[top] >= (deep ? -1 : 1) * recipe.sea_m + least;
}

static void climb(int level, int64_t *gi, int64_t *gj)
{
    const int64_t i = 2 * *gi - 2, j = 2 * *gj - 2;
    const float *height = heights(level, i, j, 5);
    int best = 12;
    for (int at = 0; at < 25; at++)
        best = height[at] > height[best] ? at : best;
    *gi = i + best % 5;
    *gj = j + best / 5;
}

/* All that tiles show is what the header says; and of what it says only a coarser one beside it keeps anything away. */
static void expect_said(int level, int from, int *found, int *kept_away)
{
    static struct peaks all;
    int64_t gi, gj;
    float rise_m;
    peaks_of(level, -2, -2, SIDE, &all);
    assert_true(all.count > 0);
    for (int k = 0; k < all.count; k++) {
        const struct terrane_peak *peak = &all.peak[k];
        assert_true(tops(peak->level, peak->cx, peak->cy, &gi, &gj, &rise_m));
        assert_true(rise_m >= peak->rise_m && rise_m <= peak->rise_m);
        for (int at = peak->level - 1; at >= level; at--)
            climb(at, &gi, &gj);
        assert_true(gi == peak->gi && gj == peak->gj);
    }
    *found = *kept_away = 0;
    for (int top = from; top <= TERRANE_PEAK_TOP; top++) {
        const int cells = SIDE * 256 >> (top - level) >> 5;
        for (int c = 0; c < cells * cells; c++) {
            const struct terrane_peak wanted = {
                .level = top, .cx = c % cells - cells / 2, .cy = c / cells - cells / 2};
            if (!tops(top, wanted.cx, wanted.cy, &gi, &gj, &rise_m))
                continue;
            bool near = false;
            for (int k = 0; k < all.count; k++) {
                const int finer = top - level;
                const int64_t reach = (int64_t)(REACH + 2) << finer;
                near =
                    near || (all.peak[k].level > top && llabs(all.peak[k].gi - gi * (1 << finer)) <= reach &&
                             llabs(all.peak[k].gj - gj * (1 << finer)) <= reach);
            }
            const bool at_edge = llabs(gi) + REACH + 2 >= (SIDE * 128 >> (top - level)) ||
                                 llabs(gj) + REACH + 2 >= (SIDE * 128 >> (top - level));
            const bool there = peak_in(&all, &wanted) != NULL;
            assert_true(there || near || at_edge);
            *found += there;
            *kept_away += !there && near;
        }
    }
}

TEST(peaks_are_what_is_said)
{
    int found, kept_away;
    expect_said(TERRANE_PEAK_TOP - 4, TERRANE_PEAK_TOP - 4, &found, &kept_away);
    assert_true(found > 0 && kept_away > 0);
}

TEST(deeps_are_what_is_said)
{
    int found, kept_away;
    deep = true;
    expect_said(TERRANE_DEEP_BOTTOM - 1, TERRANE_DEEP_BOTTOM - 1 + TERRANE_DEEP_ABOVE, &found, &kept_away);
    deep = false;
    assert_true(found > 0);
}

static const uint8_t kept[16] = {0xf5, 0x96, 0x7d, 0x4c, 0x18, 0x0d, 0xb8, 0x31,
                                 0x39, 0x66, 0x58, 0x61, 0xf0, 0x98, 0xa8, 0x80};

/* What a map once said stays right. */
TEST(peaks_stay)
{
    static struct peaks all;
    static char text[SIDE * SIDE * TERRANE_PEAKS_MAX * 48];
    struct terrane_digest digest;
    memset(text, 0, sizeof text);
    peaks_of(LEVEL, -3, 1, SIDE, &all);
    for (int k = 0; k < all.count; k++) {
        char name[TERRANE_NAME_BYTES];
        terrane_peak_name(&world, &all.peak[k], name);
        snprintf(text + (size_t)k * 48, 48, "%s %" PRId64 " %" PRId64, name, all.peak[k].gi, all.peak[k].gj);
    }
    terrane_samples_digest(text, (size_t)all.count * 12, &digest);
    assert_memory_equal(digest.byte, kept, sizeof kept);
}

TEST(no_peaks_where_no_tile_is)
{
    static struct terrane_peak peak[TERRANE_PEAKS_MAX];
    int count = 7;
    assert_int_equal(terrane_peaks(&world, 3, TERRANE_TILE_LIMIT, 0, &memory_lent, peak, &count),
                     TERRANE_ETILE);
    assert_int_equal(count, 0);
    assert_int_equal(terrane_peaks(&world, -1, 0, 0, &memory_lent, peak, &count), TERRANE_ELEVEL);
    for (int level = TERRANE_PEAK_TOP + 1; level <= TERRANE_LEVEL_MAX; level++) {
        assert_int_equal(terrane_peaks(&world, level, 0, 0, &memory_lent, peak, &count), 0);
        assert_int_equal(count, 0);
    }
    assert_int_equal(
        terrane_peaks(&world, 0, TERRANE_TILE_LIMIT - 1, -TERRANE_TILE_LIMIT, &memory_lent, peak, &count), 0);
}

GROUP(peaks, set_up_world, tear_down);
