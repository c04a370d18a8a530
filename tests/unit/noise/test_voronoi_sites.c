/*
 * Sites of the Voronoi partition (lib/voronoi_sites.c) against computations written apart from lib/README.md:
 * a relaxation of each site against all sites of a window, one in floating point, and the nearest of all.
 *
 * All seeds are fixed, so no statistic can come out otherwise on another day.
 */
#include "voronoi_kit.h"

enum { WINDOW = 33, CELL = 65536 };

static struct voronoi_sites sites;

/* ---- Sites written apart ------------------------------------------------------------------------------- */

static struct voronoi_site apart[WINDOW][WINDOW];

static void apart_scatter(uint64_t key, int64_t column, int64_t row, float jitter)
{
    for (int y = 0; y < WINDOW; y++)
        for (int x = 0; x < WINDOW; x++) {
            const uint32_t h = hash_corner(hash_column(key, column + x), hash_row(key, row + y));
            const double scale = floor((double)jitter * 65536) / 65536;
            apart[y][x].x = (int16_t)floor(((double)(h >> 16) - 32768) * scale);
            apart[y][x].y = (int16_t)floor(((double)(h & 0xFFFF) - 32768) * scale);
        }
}

struct corner {
    int64_t x, y;
};

/* Positive: q is farther from s than from t. */
static int64_t farther(struct corner q, struct corner s, struct corner t)
{
    const int64_t a = (q.x - s.x) * (q.x - s.x) + (q.y - s.y) * (q.y - s.y);
    const int64_t b = (q.x - t.x) * (q.x - t.x) + (q.y - t.y) * (q.y - t.y);
    return a - b;
}

static struct corner crossing(struct corner in, struct corner out, struct corner s, struct corner t)
{
    const __int128 part = -farther(in, s, t), whole = part + farther(out, s, t);
    return (struct corner){in.x + (int64_t)((out.x - in.x) * part / whole),
                           in.y + (int64_t)((out.y - in.y) * part / whole)};
}

/* Turns the polygon so that it starts behind the corners that go, then replaces them. */
static int apart_cut(struct corner *polygon, int n, struct corner s, struct corner t)
{
    struct corner turned[64];
    int worst = 0, low = 0, high = 0;
    for (int i = 1; i < n; i++)
        if (farther(polygon[i], s, t) > farther(polygon[worst], s, t))
            worst = i;
    if (farther(polygon[worst], s, t) <= 0)
        return n;
    for (int i = 0; i < n; i++)
        turned[i] = polygon[(worst + i) % n];
    while (low < n && farther(turned[low], s, t) > 0) /* 0 .. low - 1 go, and n - high .. n - 1 */
        low++;
    if (low == n)
        return 0;
    while (farther(turned[n - 1 - high], s, t) > 0)
        high++;
    const struct corner last = turned[n - 1 - high];
    int m = 0;
    polygon[m++] = crossing(last, turned[(n - high) % n], s, t);
    polygon[m++] = crossing(turned[low], turned[low - 1], s, t);
    for (int i = low; i < n - high; i++)
        polygon[m++] = turned[i];
    return m;
}

static int64_t floor_of(__int128 a, __int128 b)
{
    const __int128 q = a / b;
    return (int64_t)(a % b < 0 ? q - 1 : q);
}

static int16_t in_cell(int64_t v)
{
    return (int16_t)(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}

static struct voronoi_site apart_centroid(const struct corner *polygon, int n, struct voronoi_site old)
{
    __int128 area2 = 0, mx = 0, my = 0;
    for (int i = 0; i < n; i++) {
        const struct corner a = polygon[i], b = polygon[(i + 1) % n];
        const int64_t cross = a.x * b.y - b.x * a.y;
        area2 += cross;
        mx += (__int128)(a.x + b.x) * cross;
        my += (__int128)(a.y + b.y) * cross;
    }
    if (area2 <= 0)
        return old;
    return (struct voronoi_site){in_cell(floor_of(2 * mx + 3 * area2, 6 * area2)),
                                 in_cell(floor_of(2 * my + 3 * area2, 6 * area2))};
}

struct offset {
    int dx, dy;
};

static int by_distance(const void *a, const void *b)
{
    const struct offset *p = a, *q = b;
    const int dp = p->dx * p->dx + p->dy * p->dy, dq = q->dx * q->dx + q->dy * q->dy;
    return dp != dq ? dp - dq : p->dy != q->dy ? p->dy - q->dy : p->dx - q->dx;
}

/* One round: each site against all others, the cells that stand nearer first. Wrong at the window's rim. */
static void apart_round(void)
{
    static struct voronoi_site next[WINDOW][WINDOW];
    static struct offset order[(2 * WINDOW - 1) * (2 * WINDOW - 1)];
    int orders = 0;
    for (int dy = 1 - WINDOW; dy < WINDOW; dy++)
        for (int dx = 1 - WINDOW; dx < WINDOW; dx++)
            if (dx || dy)
                order[orders++] = (struct offset){dx, dy};
    qsort(order, (size_t)orders, sizeof *order, by_distance);

    for (int y = 0; y < WINDOW; y++)
        for (int x = 0; x < WINDOW; x++) {
            struct corner polygon[64] = {{-CELL, -CELL}, {CELL, -CELL}, {CELL, CELL}, {-CELL, CELL}};
            const struct corner s = {apart[y][x].x, apart[y][x].y};
            int n = 4;
            for (int o = 0; o < orders && n > 0; o++) {
                const int tx = x + order[o].dx, ty = y + order[o].dy;
                if (tx < 0 || ty < 0 || tx >= WINDOW || ty >= WINDOW)
                    continue;
                const struct corner t = {order[o].dx * CELL + apart[ty][tx].x,
                                         order[o].dy * CELL + apart[ty][tx].y};
                n = apart_cut(polygon, n, s, t);
            }
            next[y][x] = apart_centroid(polygon, n, apart[y][x]);
        }
    memcpy(apart, next, sizeof apart);
}

static void sites_agree_with_all_against_all(void **state)
{
    const int64_t at[][2] = {{0, 0},
                             {-16, -9},
                             {(INT64_C(1) << 32) - 17, -(INT64_C(1) << 32) - 16},
                             {INT64_C(1) << 50, -(INT64_C(1) << 44)}};
    (void)state;
    for (int a = 0; a < COUNT(at); a++)
        for (int rounds = 0; rounds <= 4; rounds++) {
            const float jitter = a == 1 ? 0.7f : 1;
            const struct terrane_world world = world_of(9, 3, 8, 0.25f, jitter, rounds);
            const uint64_t key = hash_absorb(world.seed, (uint64_t)a);
            const int rim = 2 * rounds + 1, cells = WINDOW - 2 * rim;
            const int margin = VORONOI_REACH * (1 + rounds);
            apart_scatter(hash_absorb(key, 0), at[a][0], at[a][1], jitter);
            for (int round = 0; round < rounds; round++)
                apart_round();
            voronoi_sites_make(&sites, &recipe.partition, key, at[a][0] + rim, at[a][1] + rim, cells, cells);
            for (int y = 0; y < cells; y++)
                for (int x = 0; x < cells; x++) {
                    const struct voronoi_site got = sites.site[y + margin][x + margin];
                    assert_int_equal(got.x, apart[y + rim][x + rim].x);
                    assert_int_equal(got.y, apart[y + rim][x + rim].y);
                }
        }
}

/* A place in a cell as hashes seldom make it: on its edges and in its corners. */
static struct voronoi_site extreme_site(uint64_t *state)
{
    const int64_t x = dice(state, 0, 3), y = dice(state, 0, 3), u = dice(state, -32768, 32767);
    return (struct voronoi_site){.x = (int16_t)(x == 0   ? -32768
                                                : x == 1 ? 32767
                                                : x == 2 ? u
                                                         : -u / 1024),
                                 .y = (int16_t)(y == 0   ? -32768
                                                : y == 1 ? 32767
                                                : y == 2 ? u
                                                         : -u / 1024)};
}

static void extreme_sites_are_relaxed(void **state)
{
    static struct voronoi_site before[WINDOW][WINDOW];
    uint64_t die = 8;
    (void)state;
    for (int n = 0; n < 40; n++) {
        for (int y = 0; y < WINDOW; y++)
            for (int x = 0; x < WINDOW; x++)
                before[y][x] = apart[y][x] = extreme_site(&die);
        apart_round();
        for (int y = 2; y < WINDOW - 2; y++)
            for (int x = 2; x < WINDOW - 2; x++) {
                const struct voronoi_site got = voronoi_relax(&before[y][x], WINDOW);
                assert_int_equal(got.x, apart[y][x].x);
                assert_int_equal(got.y, apart[y][x].y);
            }
    }
}

/* ---- ... and in floating point ------------------------------------------------------------------------- */

struct point {
    double x, y;
};

static double off(struct point q, struct point s, struct point t)
{
    return (q.x - s.x) * (q.x - s.x) + (q.y - s.y) * (q.y - s.y) - (q.x - t.x) * (q.x - t.x) -
           (q.y - t.y) * (q.y - t.y);
}

static struct point real_centroid(const struct point *p, int n)
{
    double area2 = 0, x = 0, y = 0;
    for (int i = 0; i < n; i++) {
        const struct point a = p[i], b = p[(i + 1) % n];
        const double cross = a.x * b.y - b.x * a.y;
        area2 += cross;
        x += (a.x + b.x) * cross;
        y += (a.y + b.y) * cross;
    }
    return (struct point){fmin(fmax(x / (3 * area2), -0.5), 0.5), fmin(fmax(y / (3 * area2), -0.5), 0.5)};
}

/* Sutherland and Hodgman's clipping; in cells. */
static struct point real_relax(struct point (*from)[WINDOW], int x, int y)
{
    struct point polygon[64] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    int n = 4;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            if ((!dx && !dy) || x + dx < 0 || y + dy < 0 || x + dx >= WINDOW || y + dy >= WINDOW)
                continue;
            const struct point s = from[y][x];
            const struct point t = {from[y + dy][x + dx].x + dx, from[y + dy][x + dx].y + dy};
            struct point left[64];
            int m = 0;
            for (int i = 0; i < n; i++) {
                const struct point p = polygon[i], q = polygon[(i + 1) % n];
                const double a = off(p, s, t), b = off(q, s, t);
                if (a <= 0)
                    left[m++] = p;
                if ((a < 0 && b > 0) || (a > 0 && b < 0))
                    left[m++] =
                        (struct point){p.x + (q.x - p.x) * a / (a - b), p.y + (q.y - p.y) * a / (a - b)};
            }
            memcpy(polygon, left, sizeof polygon);
            n = m;
        }
    return real_centroid(polygon, n);
}

static void sites_follow_real_relaxation(void **state)
{
    static struct point real[2][WINDOW][WINDOW];
    const int rounds = 4, rim = 9, margin = VORONOI_REACH * (1 + rounds);
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        const struct terrane_world world = world_of(seed, 3, 8, 0.25f, 1, rounds);
        const uint64_t key = hash_absorb(world.seed, 3);
        apart_scatter(hash_absorb(key, 0), 0, 0, 1);
        for (int y = 0; y < WINDOW; y++)
            for (int x = 0; x < WINDOW; x++)
                real[0][y][x] = (struct point){apart[y][x].x / 65536.0, apart[y][x].y / 65536.0};
        for (int round = 0; round < rounds; round++)
            for (int y = 0; y < WINDOW; y++)
                for (int x = 0; x < WINDOW; x++)
                    real[(round + 1) % 2][y][x] = real_relax(real[round % 2], x, y);
        voronoi_sites_make(&sites, &recipe.partition, key, rim, rim, WINDOW - 2 * rim, WINDOW - 2 * rim);
        for (int y = rim; y < WINDOW - rim; y++)
            for (int x = rim; x < WINDOW - rim; x++) {
                const struct voronoi_site got = sites.site[y - rim + margin][x - rim + margin];
                assert_true(fabs(got.x / 65536.0 - real[0][y][x].x) < 1e-3);
                assert_true(fabs(got.y / 65536.0 - real[0][y][x].y) < 1e-3);
            }
    }
}

/* ---- What sites are for -------------------------------------------------------------------------------- */

/* Distances to the nearest other site: their standard deviation over their mean. */
static double unevenness(int rounds)
{
    double sum = 0, squares = 0;
    int count = 0;
    const struct terrane_world world = world_of(5, 3, 8, 0.25f, 1, rounds);
    voronoi_sites_make(&sites, &recipe.partition, world.seed, 0, 0, VORONOI_CELLS, VORONOI_CELLS);
    for (int y = sites.edge + 2; y < sites.side_y - sites.edge - 2; y++)
        for (int x = sites.edge + 2; x < sites.side_x - sites.edge - 2; x++) {
            double least = INFINITY;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    if (dx || dy)
                        least =
                            fmin(least, hypot(dx * CELL + sites.site[y + dy][x + dx].x - sites.site[y][x].x,
                                              dy * CELL + sites.site[y + dy][x + dx].y - sites.site[y][x].y));
            sum += least;
            squares += least * least;
            count++;
        }
    return sqrt(squares / count - sum / count * (sum / count)) / (sum / count);
}

static void rounds_make_sites_even(void **state)
{
    double last = unevenness(0);
    (void)state;
    assert_true(last > 0.35);
    for (int rounds = 1; rounds <= 4; rounds++) {
        const double now = unevenness(rounds);
        assert_true(now < 0.9 * last);
        last = now;
    }
    assert_true(last < 0.2);
}

static void shares_are_met(void **state)
{
    const float share[][4] = {{1, 2, 0, 5}, {0, 0, 0, 0}, {0, 3, 0, 0}, {1024, 1024, 1, 0}};
    (void)state;
    for (int s = 0; s < COUNT(share); s++) {
        int count[4] = {0}, all = 0;
        double sum = 0;
        const struct terrane_world world = world_of(11, 4, 8, 0.25f, 1, 0);
        for (int z = 0; z < 4; z++)
            sum += (double)(recipe.partition.zone[z].share = share[s][z]);
        for (int n = 0; n < 60; n++) {
            voronoi_sites_make(&sites, &recipe.partition, world.seed, n * 64, -n * 1000, VORONOI_CELLS,
                               VORONOI_CELLS);
            for (int y = 0; y < sites.side_y; y++)
                for (int x = 0; x < sites.side_x; x++, all++)
                    count[sites.zone[y][x]]++;
        }
        for (int z = 0; z < 4; z++) { /* within five standard deviations */
            const double p = sum > 0 ? (double)share[s][z] / sum : 0.25;
            assert_true(fabs(count[z] - p * all) <= 5 * sqrt(p * (1 - p) * all));
        }
    }
}

static void nearest_agrees_with_all(void **state)
{
    uint64_t die = 3;
    (void)state;
    for (int n = 0; n < 60; n++) {
        const float jitter = n % 3 ? 1 : 0; /* 0: a grid, full of ties */
        const struct terrane_world world = world_of((uint64_t)n, 3, 8, 0.25f, jitter, n % 5);
        voronoi_sites_make(&sites, &recipe.partition, world.seed, -3, 1000, 12, 9);
        const int first = sites.edge + VORONOI_REACH;
        for (int i = 0; n % 4 == 1 && i < VORONOI_SIDE * VORONOI_SIDE; i++)
            sites.site[i / VORONOI_SIDE][i % VORONOI_SIDE] = extreme_site(&die);
        for (int k = 0; k < 1000; k++) {
            const struct voronoi_place place = {
                .cell_x = first + (int)dice(&die, 0, 11),
                .cell_y = first + (int)dice(&die, 0, 8),
                .x = (int32_t)(jitter > 0 ? dice(&die, 0, 65535) : dice(&die, 0, 3) * 16384),
                .y = (int32_t)(jitter > 0 ? dice(&die, 0, 65535) : dice(&die, 0, 3) * 16384)};
            int64_t least = INT64_MAX;
            int best = -1;
            for (int y = sites.edge; y < sites.side_y - sites.edge; y++)
                for (int x = sites.edge; x < sites.side_x - sites.edge; x++) {
                    const int64_t dx = (x - place.cell_x) * CELL + 32768 + sites.site[y][x].x - place.x;
                    const int64_t dy = (y - place.cell_y) * CELL + 32768 + sites.site[y][x].y - place.y;
                    if (dx * dx + dy * dy < least) {
                        least = dx * dx + dy * dy;
                        best = y * VORONOI_SIDE + x;
                    }
                }
            assert_int_equal(voronoi_nearest(&sites, place), best);
        }
    }
}

UNIT(voronoi_sites)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_agree_with_all_against_all),
        cmocka_unit_test(extreme_sites_are_relaxed),
        cmocka_unit_test(sites_follow_real_relaxation),
        cmocka_unit_test(rounds_make_sites_even),
        cmocka_unit_test(shares_are_met),
        cmocka_unit_test(nearest_agrees_with_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
