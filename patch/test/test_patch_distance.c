/*
 * Earth mover's distance of patches: against a slow solver of another kind, and where the answer is known.
 */
#include "../terrane_patch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOW_MAX = 25, CASES = 400 };

static uint32_t hashed(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(x >> 32);
}

static double distance_of(int side, const int32_t *from, const int32_t *to)
{
    const struct terrane_patch patch = {side, 1, 1};
    void *memory =
        aligned_alloc(TERRANE_SCRATCH_ALIGN, (terrane_patch_distance_bytes(&patch) + 63) & ~(size_t)63);
    assert_non_null(memory);
    double distance = -1;
    assert_int_equal(terrane_patch_distance(&patch, from, to, memory, &distance), 0);
    free(memory);
    return distance;
}

/* ---- A slow solver: every sample to every other, one shortest way after another (Bellman and Ford) ------- */

struct slow {
    int side, count;
    int64_t moved[SLOW_MAX][SLOW_MAX], rest[SLOW_MAX];
};

static int apart(const struct slow *s, int a, int b)
{
    return abs(a % s->side - b % s->side) + abs(a / s->side - b / s->side);
}

/* Steps of the cheapest way to each sample from what is too high anywhere; by[] is where it came from. */
static void slow_ways(const struct slow *s, int *cost, int *by)
{
    for (int i = 0; i < s->count; i++) {
        cost[i] = s->rest[i] > 0 ? 0 : 1 << 20;
        by[i] = -1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < s->count; i++)
            for (int k = 0; k < s->count; k++) {
                const int step = s->moved[k][i] > 0 ? -apart(s, i, k) : apart(s, i, k);
                if (i == k || cost[i] >= 1 << 19 || cost[i] + step >= cost[k])
                    continue;
                cost[k] = cost[i] + step;
                by[k] = i;
                changed = true;
            }
    }
}

static double slow_distance(int side, const int32_t *from, const int32_t *to)
{
    static struct slow s;
    memset(&s, 0, sizeof s);
    s.side = side;
    s.count = side * side;
    int64_t total = 0;
    for (int i = 0; i < s.count; i++)
        s.rest[i] = (int64_t)from[i] - to[i];
    for (;;) {
        int cost[SLOW_MAX], by[SLOW_MAX], best = -1;
        slow_ways(&s, cost, by);
        for (int i = 0; i < s.count; i++)
            if (s.rest[i] < 0 && cost[i] < 1 << 19 && (best < 0 || cost[i] < cost[best]))
                best = i;
        if (best < 0)
            break;
        int64_t amount = -s.rest[best];
        int first = best;
        for (; by[first] >= 0; first = by[first])
            if (s.moved[first][by[first]] > 0 && s.moved[first][by[first]] < amount)
                amount = s.moved[first][by[first]];
        if (s.rest[first] < amount)
            amount = s.rest[first];
        for (int i = best; by[i] >= 0; i = by[i]) {
            if (s.moved[i][by[i]] > 0)
                s.moved[i][by[i]] -= amount;
            else
                s.moved[by[i]][i] += amount;
        }
        s.rest[first] -= amount;
        s.rest[best] += amount;
        total += amount * cost[best];
    }
    for (int i = 0; i < s.count; i++)
        total += 2 * side * (s.rest[i] < 0 ? -s.rest[i] : s.rest[i]);
    return (double)total;
}

static void is_what_a_slow_solver_finds(void **state)
{
    (void)state;
    uint64_t dice = 1;
    for (int n = 0; n < CASES; n++) {
        const int side = 3 + n % 3;
        const uint32_t range = 1 + hashed(&dice) % 50;
        int32_t a[SLOW_MAX], b[SLOW_MAX];
        for (int i = 0; i < side * side; i++) {
            a[i] = (int32_t)(hashed(&dice) % range) - 20;
            b[i] = hashed(&dice) % 3 ? a[i] : (int32_t)(hashed(&dice) % range) - 20;
        }
        assert_true(distance_of(side, a, b) == slow_distance(side, a, b));
    }
}

/* ---- Known answers ------------------------------------------------------------------------------------- */

enum { SIDE = 65 };

static int32_t here[SIDE * SIDE], there[SIDE * SIDE], third[SIDE * SIDE];

static void fill_with(int32_t *heights, uint64_t seed)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = (int32_t)(hashed(&seed) % 100000);
}

static void hill_at(int32_t *heights, int x0, int y0)
{
    memset(heights, 0, SIDE * SIDE * sizeof *heights);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            heights[(y0 + y) * SIDE + x0 + x] = 100 + x * y;
}

static void hill_moves_as_far_as_it_moves(void **state)
{
    (void)state;
    int64_t amount = 0;
    hill_at(here, 10, 20);
    for (int i = 0; i < SIDE * SIDE; i++)
        amount += here[i];
    for (int step = 0; step <= 30; step += 6) {
        hill_at(there, 10 + step, 20);
        assert_true(distance_of(SIDE, here, there) == (double)(amount * step));
        hill_at(there, 10 + step, 20 + step);
        assert_true(distance_of(SIDE, here, there) == (double)(amount * 2 * step));
    }
}

static void ground_that_is_made_or_lost_costs_two_sides(void **state)
{
    (void)state;
    fill_with(here, 3);
    memcpy(there, here, sizeof here);
    there[7 * SIDE + 9] += 1000;
    assert_true(distance_of(SIDE, here, there) == 1000.0 * 2 * SIDE);
    assert_true(distance_of(SIDE, there, here) == 1000.0 * 2 * SIDE);
    there[7 * SIDE + 12] -= 300; /* nearer than anything else */
    assert_true(distance_of(SIDE, here, there) == 700.0 * 2 * SIDE + 300.0 * 3);
}

static void is_a_metric(void **state)
{
    (void)state;
    fill_with(here, 4);
    fill_with(there, 5);
    fill_with(third, 6);
    const double ab = distance_of(SIDE, here, there), bc = distance_of(SIDE, there, third);
    const double ac = distance_of(SIDE, here, third);
    assert_true(distance_of(SIDE, here, here) == 0);
    assert_true(ab > 0 && ab == distance_of(SIDE, there, here));
    assert_true(ac <= ab + bc && ab <= ac + bc && bc <= ab + ac);
}

static void highest_differences_do_not_overflow(void **state)
{
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) {
        here[i] = i % SIDE < SIDE / 2 ? TERRANE_PATCH_HEIGHT_MAX : -TERRANE_PATCH_HEIGHT_MAX;
        there[i] = i % SIDE < SIDE / 2 ? -TERRANE_PATCH_HEIGHT_MAX : TERRANE_PATCH_HEIGHT_MAX;
        if (i % SIDE == SIDE / 2)
            here[i] = there[i] = 0;
    }
    /* Each of 32 columns goes 33 to the other side. */
    assert_true(distance_of(SIDE, here, there) == 0x1p29 * 32 * 33 * SIDE);
}

static void counts_in_units_and_spacing(void **state)
{
    (void)state;
    const struct terrane_patch patch = {SIDE, 4, 0.25};
    void *memory =
        aligned_alloc(TERRANE_SCRATCH_ALIGN, (terrane_patch_distance_bytes(&patch) + 63) & ~(size_t)63);
    assert_non_null(memory);
    hill_at(here, 5, 5);
    hill_at(there, 8, 5);
    double distance = 0;
    assert_int_equal(terrane_patch_distance(&patch, here, there, memory, &distance), 0);
    assert_true(distance == distance_of(SIDE, here, there)); /* 4 * 0.25 */
    free(memory);
}

static void bad_patches_are_refused(void **state)
{
    (void)state;
    const struct terrane_patch bad[] = {{2, 1, 1},   {1026, 1, 1}, {9, 0, 1},
                                        {9, 1, 0.3}, {9, 1, 2},    {9, 0x1p21, 1}};
    uint64_t memory[64];
    double distance = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(terrane_patch_distance(&bad[i], here, there, memory, &distance), TERRANE_EPATCH);
    const struct terrane_patch patch = {SIDE, 1, 1};
    hill_at(here, 5, 5);
    hill_at(there, 5, 5);
    there[3] = TERRANE_PATCH_HEIGHT_MAX + 1;
    assert_int_equal(terrane_patch_distance(&patch, here, there, memory, &distance), TERRANE_EPATCH);
    assert_true(distance == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_a_slow_solver_finds),
        cmocka_unit_test(hill_moves_as_far_as_it_moves),
        cmocka_unit_test(ground_that_is_made_or_lost_costs_two_sides),
        cmocka_unit_test(is_a_metric),
        cmocka_unit_test(highest_differences_do_not_overflow),
        cmocka_unit_test(counts_in_units_and_spacing),
        cmocka_unit_test(bad_patches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
