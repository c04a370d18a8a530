/* Peaks and deeps (lib/peak/peaks.c): the same from every tile, level by level, and for good. */
#include "../lib_fixture.h"

#include "../../../lib/terrane_features.h"

enum { LEVEL = 9, SIDE = 4 /* tiles */ };

static struct terrane_recipe recipe;
static struct terrane_world world;
static bool deep; /* deeps are looked at */

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

static const uint8_t kept[2][16] = {
    {0xf5, 0x96, 0x7d, 0x4c, 0x18, 0x0d, 0xb8, 0x31, 0x39, 0x66, 0x58, 0x61, 0xf0, 0x98, 0xa8, 0x80},
    {0x8f, 0x97, 0x25, 0x7e, 0xa8, 0x57, 0x2a, 0xaf, 0x97, 0x08, 0xc1, 0x51, 0x77, 0xb2, 0xc6, 0x96}};

/* What a map once said stays right. */
TEST(peaks_and_deeps_stay)
{
    static struct peaks all;
    static char text[SIDE * SIDE * TERRANE_PEAKS_MAX * 48];
    for (int k = 0; k < 2; k++) {
        struct terrane_digest digest;
        deep = k == 1;
        memset(text, 0, sizeof text);
        peaks_of(deep ? TERRANE_DEEP_BOTTOM - 1 : LEVEL, -3, deep ? -2 : 1, SIDE, &all);
        assert_true(all.count > 0);
        for (int i = 0; i < all.count; i++) {
            char name[TERRANE_NAME_BYTES];
            (deep ? terrane_sea_name : terrane_peak_name)(&world, &all.peak[i], name);
            snprintf(text + (size_t)i * 48, 48, "%s %" PRId64 " %" PRId64, name, all.peak[i].gi,
                     all.peak[i].gj);
        }
        terrane_samples_digest(text, (size_t)all.count * 12, &digest);
        assert_memory_equal(digest.byte, kept[k], sizeof kept[k]);
    }
    deep = false;
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
