/*
 * Plans of seeding: windows become the tiles that they touch, each once, coarse before fine and region by region.
 */
#include "../unit.h"

#include <inttypes.h>

#include "../../../server/tool/seed_plan.h"

static struct seed_plan plan_of(struct seed_words words, int size)
{
    char error[SEED_ERROR_BYTES] = "";
    struct seed_plan plan = {.key = {.size = size}};
    if (seed_plan_read(&plan, &words, 1, error) != 0)
        fail_msg("%s", error);
    return plan;
}

static void refuses(struct seed_words words, int size, const char *why)
{
    char error[SEED_ERROR_BYTES] = "";
    struct seed_plan plan = {.key = {.size = size}};
    assert_int_equal(seed_plan_read(&plan, &words, 1, error), -1);
    if (!strstr(error, why))
        fail_msg("\"%s\" lacks \"%s\"", error, why);
}

/* Windows in metres and of a map, deeper and shallower ones, and where a map ends. */
TEST(windows_are_the_tiles_that_they_touch)
{
    static const struct {
        struct seed_words words;
        int level;
        struct seed_rect rect;
    } row[] = {
        {{.lod = "0..2", .bounds = "-1,0,256,256.5"},
         0,
         {-1, 0, 0, 1}}, /* up to 256, where the next tile begins, and over it */
        {{.lod = "0..2", .bounds = "-1,0,256,256.5"}, 1, {-1, 0, 0, 0}},
        {{.lod = "0..2", .bounds = "-1,0,256,256.5"}, 2, {-1, 0, 0, 0}},
        {{.lod = "4", .center = "4096,-4096", .radius = "4096"}, 4, {0, -2, 1, -1}},
        {{.lod = "24", .bounds = "1e15,-1e15,1.00001e15,-0.99999e15"},
         24,
         {232830, -232831, 232832, -232829}},
        {{.zoom = "0-2"}, 18, {0, 0, 0, 0}},
        {{.zoom = "0-2"}, 17, {-1, -1, 0, 0}},
        {{.zoom = "0-2"}, 16, {-2, -2, 1, 1}},
        {{.zoom = "0", .bounds = "-5,-5,5,5"}, 18, {0, 0, 0, 0}},
        {{.zoom = "9-11", .zoom_window = "10/510-513/0-1"},
         7,
         {-4, -1024, 3, -1021}}, /* z 11: 1020 .. 1027, 0 .. 3 */
        {{.zoom = "9-11", .zoom_window = "10/510-513/0-1"}, 8, {-2, -512, 1, -511}},
        {{.zoom = "9-11", .zoom_window = "10/510-513/0-1"}, 9, {-1, -256, 0, -256}},
        {{.zoom = "12", .zoom_window = "10/512-512/511-511"}, 6, {0, -4, 3, -1}},
        {{.zoom = "8", .zoom_window = "10/513-516/508-511"}, 10, {0, -1, 1, -1}}, /* 513/4 .. 516/4 */
        {{.zoom = "3", .zoom_window = "0/0-0/0-0"}, 15, {-4, -4, 3, 3}},
        {{.lod = "20", .zoom_window = "0/0-0/0-0"}, 20, {-1, -1, 0, 0}},
        {{.zoom = "1-3", .bounds = "-1e12,-1e12,1e12,0"}, 15, {-4, -4, 3, -1}},
        {{.zoom = "1-3", .bounds = "-1e12,-1e12,1e12,0"}, 17, {-1, -1, 0, -1}},
        {{.lod = "4", .bounds = "4e7,0,4.0001e7,1"}, 4, {9765, 0, 9765, 0}}, /* the world does not */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct seed_plan plan = plan_of(row[i].words, 256);
        const struct seed_rect rect = seed_plan_rect(&plan, row[i].level);
        if (memcmp(&rect, &row[i].rect, sizeof rect) != 0)
            fail_msg("row %zu: %" PRId64 " .. %" PRId64 ", %" PRId64 " .. %" PRId64, i, rect.x0, rect.x1,
                     rect.y0, rect.y1);
    }
    const struct seed_plan plan = plan_of((struct seed_words){.zoom = "0-2"}, 256);
    assert_int_equal(seed_plan_tiles(&plan), 1 + 4 + 16);
}

TEST(what_is_refused)
{
    static const char *const lods[] = {
        "", "25", "4..3", "..", "4..", "1...2", "-1", "04", "4-5-6", "a", "1..99999999999999999999"};
    static const char *const bounds[] = {"",        "1,2,3",     "1,2,3,4,5", "3,0,1,1",   "0,3,1,1",
                                         "0,0,0,1", "0,0,inf,1", "0,0,nan,1", "0x1,0,9,9", "0,0,1e999,1",
                                         "a,b,c,d", "0;0;1;1",   " 0,0,1,1",  "0,0,1,1 "};
    static const char *const windows[] = {"",           "19/0-0/0-0", "3/0-8/0-0",  "3/2-1/0-0", "3/0-0/0",
                                          "3/0-0/0-0/", "3/-1-0/0-0", "3/0-0/00-0", "3",         "/0-0/0-0"};
    static const char *const parts[] = {"",    "0/1",    "2/1",  "1",     "1/",  "/1",
                                        "1/0", "1/1025", "01/2", "1/2/3", "-1/2"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        refuses((struct seed_words){.lod = "4", .bounds = "0,0,1,1", .part = parts[i]}, 256, "part=");
    for (size_t i = 0; i < sizeof lods / sizeof *lods; i++)
        refuses((struct seed_words){.lod = lods[i], .bounds = "0,0,1,1"}, 256, "lod=");
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        refuses((struct seed_words){.lod = "4", .bounds = bounds[i]}, 256, "bounds=");
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        refuses((struct seed_words){.lod = "4", .zoom_window = windows[i]}, 256, "zoom-window=");
    static const struct {
        struct seed_words words;
        const char *why;
        int size;
    } row[] = {
        {{.zoom = "0-19"}, "zoom=", 256},
        {{.lod = "19", .archive = true}, "lod=19", 256},
        {{.lod = "4", .bounds = "0,0,1e18,1"}, "beyond the last tile", 256},
        {{.lod = "0..3", .bounds = "0,0,1,1"}, "size=512", 512},
        {{.lod = "1"}, "needs a window", 256},
        {{.lod = "1", .zoom = "1"}, "--lod A..B or --zoom A-B", 256},
        {{.bounds = "0,0,1,1"}, "--lod A..B or --zoom A-B", 256},
        {{.lod = "1", .center = "1,2"}, "belong together", 256},
        {{.lod = "1", .center = "1", .radius = "1"}, "center=", 256},
        {{.lod = "1", .center = "1,2", .radius = "0"}, "radius=", 256},
        {{.lod = "1", .center = "1,2", .radius = "1", .bounds = "0,0,1,1"}, "one of", 256},
        {{.zoom = "18"}, "tiles; at most", 256},
        {{.zoom = "1", .bounds = "4e7,0,5e7,1"}, "outside of the map", 256},
        {{.zoom = "0", .bounds = "4e8,0,5e8,1"}, "outside of the map", 256},
        {{.lod = "4", .archive = true, .bounds = "4e7,0,5e7,1"}, "outside of the map", 256},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        refuses(row[i].words, row[i].size, row[i].why);
}

/* Where a tile stands among all of a plan, from the finest level on. */
static int64_t index_of(const struct seed_plan *plan, const struct tile_key *key)
{
    const struct seed_rect rect = seed_plan_rect(plan, key->level);
    int64_t before = 0;
    for (int level = plan->finest; level < key->level; level++) {
        const struct seed_rect finer = seed_plan_rect(plan, level);
        before += (finer.x1 - finer.x0 + 1) * (finer.y1 - finer.y0 + 1);
    }
    assert_true(key->x >= rect.x0 && key->x <= rect.x1 && key->y >= rect.y0 && key->y <= rect.y1);
    return before + (key->y - rect.y0) * (rect.x1 - rect.x0 + 1) + key->x - rect.x0;
}

/* Goes through one part, in order: no tile that was seen, and a region is left only when it is finished. Returns its tiles. */
static int64_t go_through(const struct seed_plan *plan, char *seen)
{
    enum { REGIONS = 4096 };
    static int64_t done[REGIONS][3];
    struct seed_cursor cursor = {.level = plan->coarsest};
    struct tile_key key;
    int64_t count = 0;
    int regions = 0, level = plan->coarsest;
    for (; seed_plan_next(plan, &cursor, &key); count++) {
        const int side = seed_plan_region(plan, key.level); /* a power of two */
        const int64_t region[3] = {key.level, key.x & -side, key.y & -side}, index = index_of(plan, &key);
        assert_true(key.level <= level && key.size == plan->key.size && !seen[index]);
        seen[index] = 1;
        level = key.level;
        if (regions > 0 && memcmp(done[regions - 1], region, sizeof region) == 0)
            continue;
        for (int i = 0; i < regions; i++)
            assert_memory_not_equal(done[i], region, sizeof region);
        assert_true(regions < REGIONS);
        memcpy(done[regions++], region, sizeof region);
    }
    assert_int_equal(count, seed_plan_tiles(plan));
    return count;
}

/* All parts together are the plan, each tile once; and no part has many more blocks than another. */
static void goes_through(struct seed_plan plan, int parts)
{
    const int64_t tiles = seed_plan_tiles(&plan);
    char *seen = calloc((size_t)tiles, 1);
    int64_t count = 0, max = 0, min = INT64_MAX;
    for (plan.parts = parts, plan.part = 0; plan.part < parts; plan.part++) {
        int64_t blocks = 0;
        for (int level = plan.finest; level <= plan.coarsest; level++)
            blocks += seed_plan_blocks(&plan, level);
        count += go_through(&plan, seen);
        max = blocks > max ? blocks : max;
        min = blocks < min ? blocks : min;
    }
    assert_int_equal(count, tiles);
    assert_true(max - min <= plan.coarsest - plan.finest + 1);
    free(seen);
}

TEST(each_tile_once)
{
    static const struct {
        struct seed_words words;
        int size;
    } plan[] = {{{.lod = "0..6", .bounds = "-3000,-1500,2222,4100"}, 256},
                {{.lod = "1..6", .bounds = "-3000,-1500,2222,4100"}, 512},
                {{.lod = "0", .bounds = "-30000,-100,30000,100"}, 256}, /* two rows */
                {{.zoom = "0-5"}, 256},
                {{.lod = "3", .bounds = "-1,-1,0,0"}, 256}};
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++)
        for (int parts = 1; parts <= 8; parts += parts < 4 ? 1 : 4)
            goes_through(plan_of(plan[i].words, plan[i].size), parts);
}

TEST(regions)
{
    const struct seed_plan plan = plan_of((struct seed_words){.lod = "0..6", .bounds = "0,0,9,9"}, 256),
                           twice = plan_of((struct seed_words){.lod = "1..6", .bounds = "0,0,9,9"}, 512);
    assert_int_equal(seed_plan_region(&plan, 0), 4);
    assert_int_equal(seed_plan_region(&plan, 5), 2);
    assert_int_equal(seed_plan_region(&twice, 1), 2); /* of level 0's samples */
    assert_int_equal(seed_plan_region(&twice, 6), 1);
}

/* Columns do not fall to one part, which would have the sea where another has the land. */
TEST(parts_share_rows_and_columns)
{
    struct seed_plan plan = plan_of((struct seed_words){.lod = "3", .zoom_window = "9/0-63/0-63"}, 256);
    struct seed_cursor cursor = {.level = 3};
    struct tile_key key, first;
    plan.parts = 8;
    assert_true(seed_plan_next(&plan, &cursor, &first));
    int columns = 0;
    for (int64_t last = first.x; seed_plan_next(&plan, &cursor, &key); last = key.x)
        columns += key.x >> 3 != last >> 3;
    assert_true(columns > 100);
    plan = plan_of((struct seed_words){.zoom = "14", .part = "1024/1024"}, 256); /* of 2^28 tiles */
    const int64_t tiles = seed_plan_tiles(&plan);
    assert_true(tiles > (1 << 18) - (1 << 10) && tiles < (1 << 18) + (1 << 10));
}

TEST(only_the_root_is_shifted)
{
    struct seed_plan plan = plan_of((struct seed_words){.zoom = "0-1"}, 256);
    assert_int_equal(seed_plan_key(&plan, 18, 0, 0).shift, SHIFT_NORTH_WEST);
    assert_int_equal(seed_plan_key(&plan, 17, 0, 0).shift, SHIFT_NONE);
    plan = plan_of((struct seed_words){.lod = "17..18", .bounds = "0,0,1,1"}, 256);
    assert_int_equal(seed_plan_key(&plan, 18, 0, 0).shift, SHIFT_NONE);
}

GROUP(seed_plan);
