/* Landmarks (lib/peak): the same from every tile, level by level, and for good. */
#include "../lib_fixture.h"

#include "../../../lib/terrane_features.h"

enum { SIDE = 4 /* tiles */, ALL = SIDE * SIDE * TERRANE_LANDMARKS_MAX };

static struct terrane_recipe recipe;
static struct terrane_world world;

/* Where each is looked for, the finest level whose a tile there shows, and digests: of the tiles there, and of one of the coarsest level. */
static const struct look {
    int level, from;
    int64_t x, y;
    const char *kept, *top;
} looks[TERRANE_LANDMARKS] = {
    [TERRANE_LANDMARK_PEAK] = {9, 9, -3, 1, "f5967d4c180db83139665861f098a880",
                               "785252fe5fdbf642f78b59e4936a9dee"},
    [TERRANE_LANDMARK_SEA] = {11, 12, -3, -2, "6797ce6e152095cb2439b94c1525b773",
                              "6aac0c94504dc552ebc806afc13672c2"},
    [TERRANE_LANDMARK_RANGE] = {10, 12, -3, 1, "4d34603b051e3cf8f91a30c66f8dc85d",
                                "ee3c80983a523adb9f169e8a85d2049b"},
    [TERRANE_LANDMARK_CAPE] = {10, 11, -8, -12, "c3f5a294e6abab7e89b8dfdec5f560d6",
                               "3351a957fa857b83309270cdd904fd69"},
    [TERRANE_LANDMARK_BAY] = {10, 11, -8, -12, "4bfcde61bf35cd1edc97d80294c6cbd9",
                              "15bdfec9af842a0fe698c262bd1737d5"},
    [TERRANE_LANDMARK_ISLAND] = {10, 10, -8, -12, "e16944ae94abf2fab9c4f65f2525a797",
                                 "77d7b094b1c0414bcf55155ca318ae81"},
    [TERRANE_LANDMARK_TRACT] = {10, 12, -3, 1, "7c718291e93840fb9955d55b34931a8b",
                                "ce66f74ff2368428315a3869bebd344e"},
    [TERRANE_LANDMARK_BANK] = {11, 12, -3, -2, "9534103f7c6b734afc4ee6fa1e381ab7",
                               "2fd36e9e02d4b668ace0e73eb9aacb8e"},
};

static int set_up_world(void **state)
{
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    return set_up(state);
}

struct marks {
    int count;
    struct terrane_landmark mark[ALL];
};

static int marks_of_tile(unsigned kinds, int level, int64_t x, int64_t y, struct terrane_landmark *mark,
                         int *marks)
{
    struct terrane_window tile;
    *marks = 0;
    const int error = terrane_window_tile(&tile, level, x, y, TERRANE_TILE_SAMPLES);
    return error ? error : terrane_landmarks(&world, kinds, &tile, &memory_lent, mark, marks);
}

/* Of side x side tiles from x, y on, with a memo, since they lie side by side: what_is_remembered_changes_no_landmarks. */
static void marks_of(enum terrane_landmark_kind kind, int level, int64_t x, int64_t y, int side,
                     struct marks *all)
{
    all->count = 0;
    memory_lent.memo = calloc(1, terrane_memo_bytes);
    for (int k = 0; k < side * side; k++) {
        int count;
        assert_int_equal(
            marks_of_tile(1U << kind, level, x + k % side, y + k / side, all->mark + all->count, &count), 0);
        assert_in_range(count, 0, TERRANE_LANDMARKS_MAX);
        for (int i = 0; i < count; i++) {
            const struct terrane_landmark *mark = &all->mark[all->count + i];
            assert_true(mark->kind == kind && mark->gi >> 8 == x + k % side && mark->gj >> 8 == y + k / side);
            assert_in_range(mark->level, level, TERRANE_LANDMARK_TOP);
        }
        all->count += count;
    }
    free(memory_lent.memo);
    memory_lent.memo = NULL;
}

static const struct terrane_landmark *mark_in(const struct marks *all, const struct terrane_landmark *wanted)
{
    for (int k = 0; k < all->count; k++)
        if (all->mark[k].level == wanted->level && all->mark[k].cx == wanted->cx &&
            all->mark[k].cy == wanted->cy)
            return &all->mark[k];
    return NULL;
}

/* It may have climbed over the edge of the tiles from x, y on. */
static void expect_at_edge(const struct terrane_landmark *mark, int64_t x, int64_t y, int side, int near)
{
    const int64_t i = mark->gi - x * 256, j = mark->gj - y * 256;
    assert_true(i < near || j < near || i >= side * 256 - near || j >= side * 256 - near);
}

/* What a coarse level shows the next one has, too, where it has climbed to; and the other way round, where it is not too small. */
TEST(landmarks_keep_who_they_are)
{
    enum { PART = 3 }; /* of the tiles of landmarks_stay */
    static struct marks coarse, fine;
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++) {
        const struct look *look = &looks[kind];
        marks_of((enum terrane_landmark_kind)kind, look->level, look->x, look->y, PART, &coarse);
        marks_of((enum terrane_landmark_kind)kind, look->level - 1, 2 * look->x, 2 * look->y, 2 * PART,
                 &fine);
        int both = 0;
        for (int k = 0; k < coarse.count; k++) {
            const struct terrane_landmark *mark = &coarse.mark[k], *same = mark_in(&fine, mark);
            char name[TERRANE_NAME_BYTES], again[TERRANE_NAME_BYTES];
            assert_true(mark->level >= look->from);
            if (!same) {
                expect_at_edge(mark, look->x, look->y, PART, 2);
                continue;
            }
            both++;
            assert_true(llabs(same->gi - 2 * mark->gi) <= 2 && llabs(same->gj - 2 * mark->gj) <= 2);
            assert_true(same->id == mark->id);
            terrane_landmark_name(&world, mark, name);
            terrane_landmark_name(&world, same, again);
            assert_string_equal(name, again);
            assert_true(same->rise <= mark->rise && same->rise >= mark->rise);
        }
        assert_in_range(both, 2, 40 * PART * PART);
        for (int k = 0; k < fine.count; k++)
            if (fine.mark[k].level >= look->from && !mark_in(&coarse, &fine.mark[k]))
                expect_at_edge(&fine.mark[k], 2 * look->x, 2 * look->y, 2 * PART, 4);
    }
}

/* The digest of names and places of side x side tiles. */
static void expect_kept(int kind, int level, int64_t x, int64_t y, int side, const char *kept)
{
    static struct marks all;
    static char text[ALL * 48];
    struct terrane_digest digest;
    memset(text, 0, sizeof text);
    marks_of((enum terrane_landmark_kind)kind, level, x, y, side, &all);
    for (int i = 0; i < all.count; i++) {
        char name[TERRANE_NAME_BYTES];
        terrane_landmark_name(&world, &all.mark[i], name);
        snprintf(text + (size_t)i * 48, 48, "%s %" PRId64 " %" PRId64, name, all.mark[i].gi, all.mark[i].gj);
    }
    terrane_samples_digest(text, (size_t)all.count * 12, &digest);
    assert_bytes(digest.byte, sizeof digest.byte, kept);
}

/* What a map once said stays right. */
TEST(landmarks_stay)
{
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++) {
        const struct look *look = &looks[kind];
        expect_kept(kind, look->level, look->x, look->y, SIDE, look->kept);
        expect_kept(kind, TERRANE_LANDMARK_TOP, -1, 0, 1, look->top);
    }
}

/* Asked for together they are the same, kind by kind. */
TEST(kinds_do_not_see_each_other)
{
    static struct terrane_landmark all[TERRANE_LANDMARKS * TERRANE_LANDMARKS_MAX], one[TERRANE_LANDMARKS_MAX];
    int marks, ones, seen = 0;
    assert_int_equal(marks_of_tile((1U << TERRANE_LANDMARKS) - 1, 13, -1, -1, all, &marks), 0);
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++, seen += ones) {
        assert_int_equal(marks_of_tile(1U << kind, 13, -1, -1, one, &ones), 0);
        assert_in_range(seen + ones, 0, marks);
        for (int k = 0; k < ones; k++)
            assert_memory_equal(&all[seen + k], &one[k], offsetof(struct terrane_landmark, rise));
    }
    assert_int_equal(seen, marks);
}

/* Around a sample there are those of the tile that lie there. */
TEST(landmarks_near_a_sample_are_the_tiles)
{
    static struct terrane_landmark near[TERRANE_LANDMARKS_MAX];
    static struct marks all;
    enum { NEAR_MAX = 127 };
    int count, known = 0;
    marks_of(TERRANE_LANDMARK_PEAK, 9, -3, 1, 1, &all);
    const int64_t gi = -3 * 256 + 128, gj = 256 + 127;
    const struct terrane_window around = {9, gi - NEAR_MAX,    gj - NEAR_MAX,
                                          1, 2 * NEAR_MAX + 1, 2 * NEAR_MAX + 1},
                                wide = {9, 0, 0, 1, 257, 256}, far = {9, INT64_MAX, 0, 1, 9, 9};
    assert_int_equal(
        terrane_landmarks(&world, 1U << TERRANE_LANDMARK_PEAK, &around, &memory_lent, near, &count), 0);
    for (int k = 0; k < all.count; k++)
        if (llabs(all.mark[k].gi - gi) <= NEAR_MAX && llabs(all.mark[k].gj - gj) <= NEAR_MAX)
            assert_memory_equal(&near[known++], &all.mark[k], offsetof(struct terrane_landmark, rise));
    assert_true(known == count && count > 1);
    assert_int_equal(terrane_landmarks(&world, 1, &wide, &memory_lent, near, &count), TERRANE_EWINDOW);
    assert_int_equal(terrane_landmarks(&world, 1, &far, &memory_lent, near, &count), TERRANE_EWINDOW);
}

/* With a memo they are the same, of tiles beside each other, of two worlds in turn and of any kinds. */
TEST(what_is_remembered_changes_no_landmarks)
{
    static struct terrane_landmark mark[2][TERRANE_LANDMARKS * TERRANE_LANDMARKS_MAX];
    void *memo = calloc(1, terrane_memo_bytes);
    int marks[2], seen = 0;
    for (int k = 0; k < 24; k++, seen += marks[0]) {
        const unsigned kinds = k % 3 == 0 ? 0x5B : (1U << TERRANE_LANDMARKS) - 1;
        const int level = 11 - k % 2;
        terrane_world_init(&world, &recipe, 42 + (uint64_t)(k / 2 % 2));
        for (int with = 0; with < 2; with++) {
            memory_lent.memo = with ? memo : NULL;
            assert_int_equal(
                marks_of_tile(kinds, level, k / 8 - 8, -k % 8 / 4 - 11, mark[with], &marks[with]), 0);
        }
        assert_int_equal(marks[0], marks[1]);
        for (int i = 0; i < marks[0]; i++)
            assert_memory_equal(&mark[0][i], &mark[1][i], offsetof(struct terrane_landmark, zone));
    }
    assert_in_range(seen, 100, 2000);
    terrane_world_init(&world, &recipe, 42);
    memory_lent.memo = NULL;
    free(memo);
}

TEST(no_landmarks_where_no_tile_is)
{
    static struct terrane_landmark mark[TERRANE_LANDMARKS_MAX];
    for (int k = 0; k < TERRANE_LANDMARKS; k++) {
        const enum terrane_landmark_kind kind = (enum terrane_landmark_kind)k;
        int count = 7;
        assert_int_equal(marks_of_tile(1U << kind, 3, TERRANE_TILE_LIMIT, 0, mark, &count), TERRANE_ETILE);
        assert_int_equal(count, 0);
        assert_int_equal(marks_of_tile(1U << kind, -1, 0, 0, mark, &count), TERRANE_ELEVEL);
        for (int level = TERRANE_LANDMARK_TOP + 1; level <= TERRANE_LEVEL_MAX; level++) {
            assert_int_equal(marks_of_tile(1U << kind, level, 0, 0, mark, &count), 0);
            assert_int_equal(count, 0);
        }
        for (int level = 0; level <= TERRANE_LANDMARK_TOP; level += TERRANE_LANDMARK_TOP)
            assert_int_equal(
                marks_of_tile(1U << kind, level, TERRANE_TILE_LIMIT - 1, -TERRANE_TILE_LIMIT, mark, &count),
                0);
    }
}

GROUP(landmarks, set_up_world, tear_down);
