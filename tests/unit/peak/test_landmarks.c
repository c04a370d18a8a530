/* Landmarks (lib/peak): the same from every tile, level by level, and for good; all but peaks and seas against their definition. */
#include "../lib_fixture.h"

#include "../../../lib/terrane_features.h"

enum { SIDE = 4 /* tiles */, ALL = SIDE * SIDE * TERRANE_LANDMARKS_MAX };

static struct terrane_recipe recipe;
static struct terrane_world world;

/* Where each is looked for, and the finest level whose a tile there shows. */
static const struct look {
    int level, from;
    int64_t x, y;
    const char *kept;
} looks[TERRANE_LANDMARKS] = {
    [TERRANE_LANDMARK_PEAK] = {9, 9, -3, 1, "f5967d4c180db83139665861f098a880"},
    [TERRANE_LANDMARK_SEA] = {11, 12, -3, -2, "6797ce6e152095cb2439b94c1525b773"},
    [TERRANE_LANDMARK_RANGE] = {10, 12, -3, 1, "4d34603b051e3cf8f91a30c66f8dc85d"},
    [TERRANE_LANDMARK_CAPE] = {10, 11, -8, -12, "c3f5a294e6abab7e89b8dfdec5f560d6"},
    [TERRANE_LANDMARK_BAY] = {10, 11, -8, -12, "4bfcde61bf35cd1edc97d80294c6cbd9"},
    [TERRANE_LANDMARK_ISLAND] = {10, 10, -8, -12, "e16944ae94abf2fab9c4f65f2525a797"},
    [TERRANE_LANDMARK_TRACT] = {10, 12, -3, 1, "7c718291e93840fb9955d55b34931a8b"},
    [TERRANE_LANDMARK_BANK] = {11, 12, -3, -2, "9534103f7c6b734afc4ee6fa1e381ab7"},
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

/* What a map once said stays right. */
TEST(landmarks_stay)
{
    static struct marks all;
    static char text[ALL * 48];
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++) {
        const struct look *look = &looks[kind];
        struct terrane_digest digest;
        memset(text, 0, sizeof text);
        marks_of((enum terrane_landmark_kind)kind, look->level, look->x, look->y, SIDE, &all);
        for (int i = 0; i < all.count; i++) {
            char name[TERRANE_NAME_BYTES];
            terrane_landmark_name(&world, &all.mark[i], name);
            snprintf(text + (size_t)i * 48, 48, "%s %" PRId64 " %" PRId64, name, all.mark[i].gi,
                     all.mark[i].gj);
        }
        terrane_samples_digest(text, (size_t)all.count * 12, &digest);
        assert_bytes(digest.byte, sizeof digest.byte, look->kept);
    }
}

/* ---- Against the definition --------------------------------------------------------------------------------- */

enum {
    TILE = TERRANE_TILE_SAMPLES,
    CELL = 32,
    NEAR = 16,
    AROUND = 8,
    EDGE = AROUND + 1,
    WIDE = TILE + 2 * (NEAR + EDGE)
};
static float height[WIDE][WIDE], number[WIDE][WIDE];
static uint8_t zone[WIDE][WIDE];

static bool is_own(bool cape, int i, int j)
{
    return (height[j][i] > recipe.sea_m) == cape;
}

/* Whether a sample's own ground goes on to the border of the square around it: it grows from the sample until nothing is new. */
static bool goes_on(bool cape, int i, int j)
{
    bool in[2 * AROUND + 1][2 * AROUND + 1] = {{false}}, more = true;
    in[AROUND][AROUND] = true;
    while (more) {
        more = false;
        for (int y = 0; y <= 2 * AROUND; y++)
            for (int x = 0; x <= 2 * AROUND; x++) {
                const bool beside = (x > 0 && in[y][x - 1]) || (x < 2 * AROUND && in[y][x + 1]) ||
                                    (y > 0 && in[y - 1][x]) || (y < 2 * AROUND && in[y + 1][x]);
                if (in[y][x] || !beside || !is_own(cape, i + x - AROUND, j + y - AROUND))
                    continue;
                in[y][x] = more = true;
                if (x == 0 || y == 0 || x == 2 * AROUND || y == 2 * AROUND)
                    return true;
            }
    }
    return false;
}

/* Whether a sample is land, with that of its zone to its east and its south. */
static bool is_inside(int i, int j)
{
    return height[j][i] > recipe.sea_m && zone[j][i] == zone[j][i + 1] && zone[j][i] == zone[j + 1][i];
}

/* Whether land around a top ends before the border of the square, of 2 samples or more: it grows as above, by corners, too. */
static bool is_island(int i, int j)
{
    static bool in[2 * NEAR + 1][2 * NEAR + 1];
    bool more = true;
    int count = 1;
    memset(in, 0, sizeof in);
    in[NEAR][NEAR] = true;
    while (more) {
        more = false;
        for (int y = 0; y <= 2 * NEAR; y++)
            for (int x = 0; x <= 2 * NEAR; x++) {
                bool beside = false;
                for (int d = 0; d < 9; d++) {
                    const int u = x + d % 3 - 1, v = y + d / 3 - 1;
                    beside = beside || (u >= 0 && v >= 0 && u <= 2 * NEAR && v <= 2 * NEAR && in[v][u]);
                }
                if (in[y][x] || !beside || !(height[j + y - NEAR][i + x - NEAR] > recipe.sea_m))
                    continue;
                in[y][x] = more = true;
                count++;
                if (x == 0 || y == 0 || x == 2 * NEAR || y == 2 * NEAR)
                    return false;
            }
    }
    return count >= 2;
}

/* A sample's number as a whole count, before ties: of a range in 16ths of a metre of 9 x 9 samples. -1: it is none. */
static int64_t count_at(enum terrane_landmark_kind kind, int i, int j)
{
    const int reach = kind == TERRANE_LANDMARK_RANGE ? 4 : AROUND;
    int64_t count = 0;
    for (int y = j - reach; y <= j + reach; y++)
        for (int x = i - reach; x <= i + reach; x++)
            count += kind == TERRANE_LANDMARK_TRACT   ? is_inside(x, y)
                     : kind != TERRANE_LANDMARK_RANGE ? !is_own(kind == TERRANE_LANDMARK_CAPE, x, y)
                     : height[y][x] > recipe.sea_m    ? (int64_t)((double)(height[y][x] - recipe.sea_m) * 16)
                                                      : 0;
    if (kind == TERRANE_LANDMARK_RANGE)
        return count;
    if (kind == TERRANE_LANDMARK_TRACT)
        return count >= 216 && is_inside(i, j) ? count : -1;
    return is_own(kind == TERRANE_LANDMARK_CAPE, i, j) && count >= 192 &&
                   goes_on(kind == TERRANE_LANDMARK_CAPE, i, j)
               ? count
               : -1;
}

static bool stands_out(int i, int j, float min)
{
    float border = -2;
    for (int y = j - NEAR; y <= j + NEAR; y++)
        for (int x = i - NEAR; x <= i + NEAR; x++) {
            if ((x != i || y != j) && number[y][x] >= number[j][i])
                return false;
            if (x == i - NEAR || x == i + NEAR || y == j - NEAR || y == j + NEAR)
                border = fmaxf(border, number[y][x]);
        }
    return number[j][i] - border >= min;
}

/* All of a tile of the coarsest level, whose none keeps away. */
TEST(landmarks_are_those_of_the_definition)
{
    static struct terrane_landmark mark[TERRANE_LANDMARKS_MAX];
    const int64_t tile_x = -1, tile_y = 0;
    const struct terrane_window window = {.level = TERRANE_LANDMARK_TOP,
                                          .gi = tile_x * TILE - NEAR - EDGE,
                                          .gj = tile_y * TILE - NEAR - EDGE,
                                          .step = 1,
                                          .width = WIDE,
                                          .height = WIDE};
    assert_int_equal(terrane_heights(&world, &window, &memory_lent, height[0]), 0);
    assert_int_equal(terrane_zones(&world, &window, &memory_lent, zone[0], NULL), 0);
    for (int kind = TERRANE_LANDMARK_RANGE; kind <= TERRANE_LANDMARK_TRACT; kind++) {
        const bool range = kind == TERRANE_LANDMARK_RANGE, island = kind == TERRANE_LANDMARK_ISLAND;
        int marks, found = 0;
        for (int j = EDGE; j < WIDE - EDGE; j++)
            for (int i = EDGE; i < WIDE - EDGE; i++) {
                const float over = height[j][i] - recipe.sea_m;
                const int64_t count = island ? 0 : count_at((enum terrane_landmark_kind)kind, i, j);
                const uint64_t tie =
                    hash_absorb(hash_absorb(0, (uint64_t)(window.gi + i)), (uint64_t)(window.gj + j)) >> 50;
                number[j][i] = island      ? (over > 0 ? over : -1)
                               : range     ? (float)((double)count * (1.0 / (16 * 81)))
                               : count < 0 ? -1
                                           : (float)count + (float)tie / 16384;
            }
        assert_int_equal(marks_of_tile(1U << kind, window.level, tile_x, tile_y, mark, &marks), 0);
        assert_in_range(marks, 2, TERRANE_LANDMARKS_MAX);
        for (int cell = 0; cell < 64; cell++) {
            int best_i = NEAR + EDGE + cell % 8 * CELL, best_j = NEAR + EDGE + cell / 8 * CELL;
            const int west = best_i, north = best_j;
            for (int j = north; j < north + CELL; j++)
                for (int i = west; i < west + CELL; i++)
                    if (number[j][i] > number[best_j][best_i]) {
                        best_i = i;
                        best_j = j;
                    }
            if (number[best_j][best_i] < (range    ? 400
                                          : island ? 100
                                                   : 0) ||
                !stands_out(best_i, best_j, range ? 200 : 0) || (island && !is_island(best_i, best_j)))
                continue;
            assert_true(found < marks && mark[found].gi == window.gi + best_i &&
                        mark[found].gj == window.gj + best_j);
            found++;
        }
        assert_int_equal(found, marks);
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
                                wide = {9, 0, 0, 1, 257, 256};
    assert_int_equal(
        terrane_landmarks(&world, 1U << TERRANE_LANDMARK_PEAK, &around, &memory_lent, near, &count), 0);
    for (int k = 0; k < all.count; k++)
        if (llabs(all.mark[k].gi - gi) <= NEAR_MAX && llabs(all.mark[k].gj - gj) <= NEAR_MAX)
            assert_memory_equal(&near[known++], &all.mark[k], offsetof(struct terrane_landmark, rise));
    assert_true(known == count && count > 1);
    assert_int_equal(terrane_landmarks(&world, 1, &wide, &memory_lent, near, &count), TERRANE_EWINDOW);
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
