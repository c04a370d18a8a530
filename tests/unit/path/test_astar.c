/*
 * A* (lib/path/astar.h): costs against the C library's pow, ways against the cheapest by brute force.
 */
#include "../lib_fixture.h"

#include "../../../lib/path/astar.h"

enum { SIDE_MAX = 24, SAMPLES_MAX = SIDE_MAX * SIDE_MAX };

static const uint64_t nowhere = UINT64_MAX;

struct trial {
    struct astar_grid grid;
    struct astar_cost cost;
    int32_t ground[SAMPLES_MAX];
    uint8_t blocked[SAMPLES_MAX], toll[SAMPLES_MAX];
    uint64_t memory[SAMPLES_MAX * 8];
    uint32_t way[SAMPLES_MAX];
};

TEST(steps_cost_what_the_document_says)
{
    static const double betas[] = {0.25, 0.5, 1, 1.8, 2, 3.1, 4};
    const double max = 0x1p36;

    for (int b = 0; b < 7; b++)
        for (int64_t rise = 1; rise < INT64_C(1) << 33; rise += rise / 3 + 1)
            for (int diagonal = 0; diagonal < 2; diagonal++) {
                const struct astar_cost cost = {10000, betas[b], 0x1p-20, 0};
                const double slope = (double)rise * 0x1p-20 / (diagonal ? sqrt(2) : 1);
                const double flat = diagonal ? 362 : 256;
                const double exact = fmin(flat + flat * 10000 * pow(slope, betas[b]), max);
                const double made = (double)astar_step(&cost, rise, diagonal);
                assert_true(fabs(made - exact) <= 0.500001 + exact * 0x1p-38);
                assert_true(astar_step(&cost, -rise, diagonal) == astar_step(&cost, rise, diagonal));
            }
    const struct astar_cost none = {0, 1.8, 1, 0}, all = {0x1p20, 4, 0x1p30, 0};
    assert_true(astar_step(&none, 12345, false) == ASTAR_ONE && astar_step(&none, 0, true) == 362);
    assert_true(astar_step(&all, INT32_MAX, true) == UINT64_C(1) << 36 && astar_step(&all, 0, false) == 256);
}

/* Whether there is a step, and its cost. */
static bool step_of(const struct trial *t, int from, int to, uint64_t *cost)
{
    const int width = t->grid.width;
    const int dx = abs(from % width - to % width), dy = abs(from / width - to / width);
    const int64_t rise = (int64_t)t->ground[to] - t->ground[from];
    const bool diagonal = dx == 1 && dy == 1;
    const double slope = fabs((double)rise) * t->cost.per_unit / (diagonal ? sqrt(2) : 1);
    if (dx > 1 || dy > 1 || from == to || (t->grid.blocked && t->blocked[to]) ||
        (t->cost.steepest > 0 && slope > t->cost.steepest))
        return false;
    *cost = astar_step(&t->cost, rise, diagonal) + (t->grid.toll ? t->toll[to] * UINT64_C(256) : 0);
    return true;
}

/* Least costs from a sample to all, step by step until nothing changes. */
static void reach(const struct trial *t, int from, uint64_t *min)
{
    const int count = t->grid.width * t->grid.height;
    for (int i = 0; i < count; i++)
        min[i] = i == from ? 0 : nowhere;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 9 && min[i] != nowhere; k++) {
                const int x = i % t->grid.width + k % 3 - 1, y = i / t->grid.width + k / 3 - 1;
                const int to = y * t->grid.width + x;
                uint64_t cost;
                if (x < 0 || y < 0 || x >= t->grid.width || y >= t->grid.height ||
                    !step_of(t, i, to, &cost) || min[i] + cost >= min[to])
                    continue;
                min[to] = min[i] + cost;
                changed = true;
            }
    }
}

static void throw_trial(struct dice *dice, struct trial *t)
{
    t->grid = (struct astar_grid){dice_int(dice, 1, SIDE_MAX), dice_int(dice, 1, SIDE_MAX), t->ground,
                                  dice_chance(dice, 0.5) ? t->blocked : NULL,
                                  dice_chance(dice, 0.5) ? t->toll : NULL};
    t->cost =
        (struct astar_cost){dice_chance(dice, 0.5) ? dice_int(dice, 0, 2) : 10000,
                            dice_chance(dice, 0.5) ? 1.8 : 0.7, 0x1p-10, dice_chance(dice, 0.3) ? 0.4 : 0};
    const int rough = dice_chance(dice, 0.3) ? 0 : 800; /* flat: many ways of one cost */
    for (int i = 0; i < SAMPLES_MAX; i++) {
        t->ground[i] = dice_int(dice, -rough, rough);
        t->blocked[i] = dice_chance(dice, 0.2);
        t->toll[i] = (uint8_t)(dice_chance(dice, 0.3) ? dice_int(dice, 0, 255) : 0);
    }
}

TEST(ways_are_the_cheapest)
{
    struct dice dice = {811};
    static struct trial t;
    static uint64_t min[SAMPLES_MAX];
    static uint32_t again[SAMPLES_MAX];
    int found = 0, none = 0;

    for (int n = 0; n < 300; n++) {
        throw_trial(&dice, &t);
        const int count = t.grid.width * t.grid.height;
        const int from = dice_int(&dice, 0, count - 1), to = dice_int(&dice, 0, count - 1);
        assert_true(astar_bytes(t.grid.width, t.grid.height) <= sizeof t.memory);
        memset(t.memory, n, sizeof t.memory);
        const int length =
            astar_find(&t.grid, &t.cost, (uint32_t)from, (uint32_t)to, t.memory, t.way, SAMPLES_MAX);
        reach(&t, from, min);
        none += length == 0;
        found += length > 1;
        assert_true((length == 0) == (min[to] == nowhere));
        uint64_t sum = 0, cost = 0;
        for (int i = 1; i < length; i++, sum += cost)
            assert_true(step_of(&t, (int)t.way[i - 1], (int)t.way[i], &cost));
        if (length == 0)
            continue;
        assert_true(sum == min[to] && t.way[0] == (uint32_t)from && t.way[length - 1] == (uint32_t)to);
        memset(t.memory, ~n, sizeof t.memory);
        assert_true(astar_find(&t.grid, &t.cost, (uint32_t)from, (uint32_t)to, t.memory, again, length) ==
                    length);
        assert_memory_equal(t.way, again, (size_t)length * sizeof *again);
        assert_true(astar_find(&t.grid, &t.cost, (uint32_t)from, (uint32_t)to, t.memory, again, length - 1) ==
                    0);
    }
    assert_true(found > 100 && none > 5);
}

GROUP(astar);
