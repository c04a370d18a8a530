/*
 * Prefetch plans (server/http/prefetch_walk.c): which tiles are wanted.
 *
 * What is wanted at a place is found a second time and slowly: for every square of level 0 in sight, from the
 * coarsest level down, the first square around it that is far enough for its level. The plan has to be just
 * those.
 */
#include <jansson.h>
#include <math.h>

#include "../../../server/http/prefetch.h"
#include "names_kit.h"

enum { ROOM = PREFETCH_TILES_MAX };

/* Of members as text with ' in place of ", in a block of its length. */
__attribute__((format(printf, 2, 3))) static struct prefetch_plan plan_of(size_t max, const char *format, ...)
{
    char members[PREFETCH_BODY_BYTES], body[PREFETCH_BODY_BYTES], detail[TARGET_DETAIL_BYTES];
    const char *parameter;
    struct prefetch_plan plan = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(members, sizeof members, format, arguments);
    va_end(arguments);
    const int n = snprintf(body, sizeof body, "{'seed': 42, %s}", members);
    assert_in_range(n, 1, sizeof body - 1);
    for (char *at = body; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    char *const exact = malloc((size_t)n);
    assert_non_null(exact);
    memcpy(exact, body, (size_t)n);
    if (prefetch_read(&plan, exact, (size_t)n, max, &names, &parameter, detail) != 0)
        fail_msg("%s: %s", body, detail);
    free(exact);
    assert_non_null(plan.tile);
    assert_true(plan.count <= max && plan.count <= plan.wanted && plan.wanted <= PREFETCH_TILES_MAX);
    return plan;
}

static bool tiles_equal(const struct prefetch_tile *a, const struct prefetch_tile *b)
{
    return a->level == b->level && a->x == b->x && a->y == b->y;
}

static bool is_in(const struct prefetch_tile *list, size_t count, const struct prefetch_tile *tile)
{
    for (size_t i = 0; i < count; i++)
        if (tiles_equal(&list[i], tile))
            return true;
    return false;
}

static double dice(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

struct viewer {
    double east, south, up, distance, detail, spacing;
    int level_max;
};

static double beside(double at, double low, double high)
{
    return fmax(0, fmax(low - at, at - high));
}

static double distance_of(const struct viewer *viewer, int level, int64_t x, int64_t y)
{
    const double side = 256 * viewer->spacing * (double)(INT64_C(1) << level);
    const double dx = beside(viewer->east, (double)x * side, (double)(x + 1) * side);
    const double dy = beside(viewer->south, (double)y * side, (double)(y + 1) * side);
    return sqrt(dx * dx + dy * dy + viewer->up * viewer->up);
}

/* The formula as it is written. */
static int level_at(const struct viewer *viewer, double distance)
{
    const double diagonal = sqrt(2) * 256 * viewer->spacing;
    return (int)fmax(fmin(floor(distance / (viewer->detail * diagonal)), viewer->level_max), 0);
}

/* Adds what is wanted and not in the list yet; the new count. */
static size_t want(const struct viewer *viewer, struct prefetch_tile *list, size_t count, size_t room)
{
    const double side = 256 * viewer->spacing;
    for (double i = floor((viewer->south - viewer->distance) / side);
         i * side <= viewer->south + viewer->distance; i++)
        for (double j = floor((viewer->east - viewer->distance) / side);
             j * side <= viewer->east + viewer->distance; j++) {
            const int64_t x = (int64_t)j, y = (int64_t)i;
            if (distance_of(viewer, 0, x, y) > viewer->distance)
                continue;
            int level = TERRANE_LEVEL_MAX;
            while (level > level_at(viewer, distance_of(viewer, level, x >> level, y >> level)))
                level--;
            const struct prefetch_tile tile = {level, x >> level, y >> level};
            if (!is_in(list, count, &tile)) {
                assert_true(count < room);
                list[count++] = tile;
            }
        }
    return count;
}

/* The plan's tiles from `from` on are nearest first. */
static void check_order(const struct viewer *viewer, const struct prefetch_tile *tile, size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++) {
        const double before = distance_of(viewer, tile[i - 1].level, tile[i - 1].x, tile[i - 1].y);
        assert_true(before <= distance_of(viewer, tile[i].level, tile[i].x, tile[i].y) + 1e-6);
    }
}

static struct prefetch_tile expected[ROOM];

static void check_place(const struct viewer *viewer, const char *recipe)
{
    const size_t count = want(viewer, expected, 0, ROOM);
    struct prefetch_plan plan = plan_of(ROOM,
                                        "'position': [%.17g, %.17g, %.17g], 'view_distance': %.17g, "
                                        "'detail': %.17g, 'level_max': %d, 'recipe': '%s'",
                                        viewer->east, viewer->south, viewer->up, viewer->distance,
                                        viewer->detail, viewer->level_max, recipe);
    assert_int_equal(plan.wanted, count);
    assert_int_equal(plan.count, count);
    for (size_t i = 0; i < count; i++) {
        if (!is_in(expected, count, &plan.tile[i]))
            fail_msg("level %d %lld %lld is not wanted", plan.tile[i].level, (long long)plan.tile[i].x,
                     (long long)plan.tile[i].y);
        assert_false(is_in(plan.tile, i, &plan.tile[i]));
    }
    check_order(viewer, plan.tile, 0, count);
    free(plan.tile);
}

TEST(a_place_wants_what_the_formula_says)
{
    for (int k = 0; k < 300; k++) {
        const double spacing = k % 4 ? 1 : 0.25;
        struct viewer viewer = {.east = (dice() - 0.5) * 1e5,
                                .south = (dice() - 0.5) * 1e5,
                                .up = k % 3 ? 0 : (dice() - 0.3) * 1000 * spacing,
                                .distance = (1 + dice() * 3000) * spacing,
                                .detail = 0.1 * exp(dice() * 6),
                                .spacing = spacing,
                                .level_max = k % 5 ? TERRANE_LEVEL_MAX : (int)(dice() * 4)};
        check_place(&viewer, k % 4 ? "default" : "alpine");
    }
}

/* Seen from corners, squares on the diagonal are whole diagonals away: no rounding may lose one. */
TEST(diagonals_are_exact)
{
    for (int level = 1; level < 20; level++) {
        const struct prefetch_tile tile = {level, 0, 0};
        struct prefetch_plan plan =
            plan_of(ROOM, "'position': [%d, %d], 'view_distance': 1e5, 'level_max': %d", -256 * level,
                    -256 * level, level);
        assert_true(is_in(plan.tile, plan.count, &tile));
        free(plan.tile);
        plan = plan_of(ROOM, "'position': [%d, %d.999], 'view_distance': 1e5, 'level_max': %d", -256 * level,
                       -256 * level + 1, level);
        assert_false(is_in(plan.tile, plan.count, &tile));
        free(plan.tile);
    }
}

/* Four places, a tile apart; then the same to the north, and the same falling. */
TEST(places_follow_the_way)
{
    static const double way[][3] = {
        {256, 0, 0}, {0, -256, 0}, {0, 0, -256}, {-181.01933598375618, 181.01933598375618, 0}};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        struct viewer viewer = {10, 700, 300, 2500, 1.7, 1, 24};
        size_t count = 0, now = 0;
        struct prefetch_plan plan = plan_of(ROOM,
                                            "'position': [10, 700, 300], 'velocity': [%.17g, %.17g, %.17g], "
                                            "'seconds': 3, 'view_distance': 2500, 'detail': 1.7",
                                            way[k][0], way[k][1], way[k][2]);
        for (int t = 0; t < 4; t++) {
            const size_t before = count;
            count = want(&viewer, expected, count, ROOM);
            now = t == 0 ? count : now;
            for (size_t i = before; i < count; i++)
                assert_true(is_in(plan.tile + before, count - before, &expected[i]));
            assert_true(count <= plan.count);
            check_order(&viewer, plan.tile, before, count);
            viewer.east += way[k][0], viewer.south += way[k][1], viewer.up += way[k][2];
        }
        assert_int_equal(plan.wanted, count);
        assert_true(now > 20 && count > now);
        free(plan.tile);
    }
}

/* Every tile of level 0 that the way touches inwards is in the plan. */
TEST(no_tile_on_the_way_is_skipped)
{
    struct prefetch_plan plan =
        plan_of(ROOM, "'position': [1, 1], 'velocity': [400, 170], 'seconds': 30, 'view_distance': 300");
    for (int t = 0; t <= 3000; t++) {
        const struct prefetch_tile under = {0, (int64_t)floor((1 + 4.0 * t) / 256),
                                            (int64_t)floor((1 + 1.7 * t) / 256)};
        assert_true(is_in(plan.tile, plan.count, &under));
    }
    free(plan.tile);
}

/* Nor where it is no whole number of tiles long, or leads through the level of the sea. */
TEST(ways_may_be_of_any_length_and_height)
{
    struct prefetch_plan plan =
        plan_of(ROOM, "'position': [128, 128], 'velocity': [400, 0], 'seconds': 1, 'view_distance': 1");
    assert_int_equal(plan.wanted, 3);
    free(plan.tile);
    plan = plan_of(
        ROOM,
        "'position': [100, 100, 2000], 'velocity': [100, 0, -400], 'seconds': 10, 'view_distance': 2500");
    const struct prefetch_tile under = {0, 2, 0};
    assert_true(is_in(plan.tile, plan.count, &under));
    free(plan.tile);
}

TEST(a_way_is_followed_for_64_places)
{
    struct prefetch_plan plan =
        plan_of(ROOM, "'position': [128, 128], 'velocity': [1e6, 0], 'seconds': 120, 'view_distance': 1");
    assert_int_equal(plan.wanted, PREFETCH_PLACES_MAX);
    for (size_t i = 0; i < plan.count; i++)
        assert_true(plan.tile[i].level == 0 && plan.tile[i].x == (int64_t)i && plan.tile[i].y == 0);
    free(plan.tile);
    /* High up no tile of level 0 is wanted, and places are as far apart as what is. */
    plan = plan_of(
        ROOM, "'position': [5000, 5000, 3622], 'velocity': [1e5, 0], 'seconds': 120, 'view_distance': 3630");
    assert_in_range(plan.wanted, 46, 47); /* 12,000 km in tiles of 256 km, level 10 */
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.tile[i].level, 10);
    free(plan.tile);
}

TEST(plans_are_cut_behind_the_nearest)
{
    static const char body[] = "'position': [1, 1], 'velocity': [100, 0], 'view_distance': 4000";
    struct prefetch_plan whole = plan_of(ROOM, body);
    assert_true(whole.count == whole.wanted && whole.count > 50);
    for (size_t max = 0; max < whole.count; max++) {
        struct prefetch_plan plan = plan_of(max, body);
        assert_int_equal(plan.count, max);
        assert_int_equal(plan.wanted, whole.wanted);
        for (size_t i = 0; i < max; i++)
            assert_true(tiles_equal(&plan.tile[i], &whole.tile[i]));
        free(plan.tile);
    }
    free(whole.tile);
    whole = plan_of(
        ROOM,
        "'position': [0, 0], 'view_distance': 1e7, 'level_max': 0"); /* more: tests/fuzz/fuzz_prefetch.c */
    assert_int_equal(whole.wanted, ROOM);
    free(whole.tile);
}

/* A level ends at 2^40 tiles; what is beyond is not there. */
TEST(the_end_of_the_world_is_clipped)
{
    struct prefetch_plan plan =
        plan_of(ROOM, "'position': [281474976710400, 128], 'view_distance': 400, 'level_max': 0");
    assert_int_equal(plan.count, 13); /* three columns of five rows in sight, without two corners */
    for (size_t i = 0; i < plan.count; i++)
        assert_in_range(plan.tile[i].x, TERRANE_TILE_LIMIT - 3, TERRANE_TILE_LIMIT - 1);
    free(plan.tile);
    plan = plan_of(ROOM, "'position': [562949953421300, 0], 'view_distance': 5000");
    assert_int_equal(plan.wanted > 0, 1); /* behind the end of level 0 there is level 1 */
    for (size_t i = 0; i < plan.count; i++)
        assert_in_range(plan.tile[i].level, 1, 24);
    free(plan.tile);
}

GROUP(prefetch_walk);
