/*
 * Weights of the Voronoi partition (lib/voronoi.c): the same whatever the block, the order of rows and the
 * level they are asked in; what they add up to; and what they look like. test_voronoi_sites.c has the sites.
 *
 * All seeds are fixed, so no statistic can come out otherwise on another day.
 */
#include "voronoi_kit.h"

enum { SIDE = 257 };

static struct voronoi plan;

static struct terrane_world dice_world(uint64_t *state)
{
    const int zones = (int)dice(state, 1, 16);
    const struct terrane_world world =
        world_of((uint64_t)dice(state, 0, 1 << 30), zones, (int)dice(state, 6, dice(state, 0, 2) ? 12 : 40),
                 (float)exp2((double)dice(state, -6000, -1000) / 1000), (float)dice(state, 0, 4) / 4,
                 (int)dice(state, 0, 4));
    for (int z = 0; z < zones; z++)
        recipe.partition.zone[z].share = dice(state, 0, 4) ? (float)dice(state, 1, 1000) / 16 : 0;
    return world;
}

/* Where coordinates end, where their sign changes, and where those of cells carry into a 33rd bit. */
static int64_t dice_origin(uint64_t *state, int level)
{
    const int64_t most = INT64_C(1) << 50, near = dice(state, -700, 700);
    const int carry = 32 + recipe.partition.cell_log2 - level;
    switch (dice(state, 0, 4)) {
    case 0:
        return most - 2 * SIDE - llabs(near);
    case 1:
        return -most + llabs(near);
    case 2:
        return carry <= 49 ? (INT64_C(1) << carry) - 128 + near / 8 : near;
    case 3:
        return dice(state, -most, most - 2 * SIDE);
    default:
        return near;
    }
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* weight[(j * width + i) * 16 + z] of every step-th row, asked from the last one up or the first one down. */
static float *weights_new(const struct terrane_world *world, int level, int64_t gi, int64_t gj, int width,
                          int height, int step, bool up)
{
    float(*row)[KERNEL_ROW] = malloc(TERRANE_ZONES_MAX * sizeof *row);
    float *weights = calloc((size_t)width * (size_t)height * TERRANE_ZONES_MAX, sizeof *weights);
    assert_true(row && weights);
    voronoi_plan(&plan, world, level, gi, gj, width, height);
    for (int n = 0; n * step < height; n++) {
        const int j = up ? (height - 1) / step * step - n * step : n * step;
        memset(row, 0xFF, TERRANE_ZONES_MAX * sizeof *row);
        const uint32_t zones = voronoi_row(&plan, gj + j, row);
        assert_true(zones > 0 && zones < 1u << recipe.partition.zones);
        for (int z = 0; z < TERRANE_ZONES_MAX; z++) {
            bool any = false;
            for (int i = 0; i < width && zones >> z & 1; i++) {
                const float w = row[z][KERNEL_PAD + i];
                assert_true(w >= 0 && w <= 1);
                any = any || w > 0;
                weights[(j * width + i) * TERRANE_ZONES_MAX + z] = w;
            }
            assert_int_equal(any, zones >> z & 1);
        }
    }
    free(row);
    return weights;
}

static void assert_same(const float *a, const float *b)
{
    assert_memory_equal(a, b, TERRANE_ZONES_MAX * sizeof *a);
}

static void blocks_agree(void **state)
{
    uint64_t die = 1;
    int ways[4] = {0};
    (void)state;
    for (int n = 0; n < 250; n++) {
        const struct terrane_world world = dice_world(&die);
        const int level =
            (int)dice(&die, 0, recipe.partition.cell_log2 < 24 ? recipe.partition.cell_log2 : 24);
        const int64_t gi = dice_origin(&die, level), gj = dice_origin(&die, level);
        float *whole = weights_new(&world, level, gi, gj, SIDE, SIDE, 1, false);
        ways[plan.way]++;
        for (int k = 0; k < 4; k++) {
            const int width = (int)dice(&die, 1, k ? SIDE : 3), height = (int)dice(&die, 1, k ? SIDE : 3);
            const int x = (int)dice(&die, 0, SIDE - width), y = (int)dice(&die, 0, SIDE - height);
            const int step = k == 3 ? (int)dice(&die, 1, 64) : 1;
            float *part = weights_new(&world, level, gi + x, gj + y, width, height, step, k % 2);
            for (int j = 0; j < height; j += step)
                for (int i = 0; i < width; i++)
                    assert_same(part + (j * width + i) * TERRANE_ZONES_MAX,
                                whole + ((y + j) * SIDE + x + i) * TERRANE_ZONES_MAX);
            free(part);
        }
        free(whole);
    }
    for (int way = 0; way < COUNT(ways); way++)
        assert_true(ways[way] > 10);
}

/* A level's samples are every second of the level below, as long as both blend or neither does. */
static void levels_agree(void **state)
{
    uint64_t die = 2;
    int compared = 0;
    (void)state;
    for (int n = 0; n < 120; n++) {
        const struct terrane_world world = dice_world(&die);
        const int level =
            (int)dice(&die, 0, recipe.partition.cell_log2 < 23 ? recipe.partition.cell_log2 : 23);
        const int64_t gi = dice_origin(&die, level) / 2, gj = dice_origin(&die, level) / 2;
        float *fine = weights_new(&world, level, 2 * gi, 2 * gj, SIDE, SIDE, 1, false);
        const enum voronoi_way way = plan.way;
        float *coarse = weights_new(&world, level + 1, gi, gj, SIDE / 2, SIDE / 2, 1, false);
        if (plan.way == way) {
            for (int j = 0; j < SIDE / 2; j++)
                for (int i = 0; i < SIDE / 2; i++)
                    assert_same(coarse + (j * (SIDE / 2) + i) * TERRANE_ZONES_MAX,
                                fine + (2 * j * SIDE + 2 * i) * TERRANE_ZONES_MAX);
            compared += way >= VORONOI_HARD;
        }
        free(fine);
        free(coarse);
    }
    assert_true(compared > 30);
}

static void weights_sum_to_one(void **state)
{
    uint64_t die = 3;
    (void)state;
    for (int n = 0; n < 60; n++) {
        const struct terrane_world world = dice_world(&die);
        const int level = (int)dice(&die, 0, 8);
        float *weights = weights_new(&world, level, dice_origin(&die, level), dice_origin(&die, level), SIDE,
                                     SIDE, 4, false);
        for (int i = 0; i < SIDE * SIDE; i++) {
            double sum = 0;
            for (int z = 0; z < TERRANE_ZONES_MAX; z++)
                sum += (double)weights[i * TERRANE_ZONES_MAX + z];
            assert_true(fabs(sum - 1) < 1e-6 || (i / SIDE % 4 && sum == 0));
        }
        free(weights);
    }
}

/* ---- What they look like ------------------------------------------------------------------------------- */

static struct voronoi_sites sites;

/* Zones apart from blending: at level 0, of cells of 2^8 samples. */
static int zone_at(int64_t gi, int64_t gj)
{
    const int cell = voronoi_nearest(&sites, (struct voronoi_place){.cell_x = (int)((gi >> 8) - sites.column),
                                                                    .cell_y = (int)((gj >> 8) - sites.row),
                                                                    .x = (int32_t)(gi & 255) * 256,
                                                                    .y = (int32_t)(gj & 255) * 256});
    return sites.zone[cell / VORONOI_SIDE][cell % VORONOI_SIDE];
}

/*
 * Hard weights are the nearest site's zone; a smooth weight is 1 where no other zone is in reach: points lie
 * within the radius, and they have their zones from where they are.
 */
static void weights_follow_sites(void **state)
{
    (void)state;
    for (int n = 0; n < 20; n++) {
        const bool hard = n % 2;
        const int reach = hard ? 0 : 19; /* 9/8 of 16 samples, and a unit's rounding */
        const struct terrane_world world = world_of((uint64_t)n, 5, 8, hard ? 0x1p-6f : 0x1p-4f, 1, n % 5);
        const int level = hard ? 3 : 0, scale = 1 << level, width = 64;
        const int64_t gi = -300, gj = 900;
        const uint64_t key =
            hash_absorb(hash_absorb(world.seed, UINT64_C(0x566F726F6E6F6921)), recipe.partition.salt);
        voronoi_sites_make(&sites, &recipe.partition, key, (gi * scale >> 8) - 1, (gj * scale >> 8) - 1, 6,
                           6);
        float *weights = weights_new(&world, level, gi, gj, width, width, 1, false);
        int clear = 0;
        for (int j = 0; j < width; j++)
            for (int i = 0; i < width; i++) {
                const int64_t x = (gi + i) * scale, y = (gj + j) * scale;
                const int zone = zone_at(x, y);
                bool alone = true;
                for (int dy = -reach; dy <= reach; dy++)
                    for (int dx = -reach; dx <= reach; dx++)
                        alone = alone && zone_at(x + dx, y + dy) == zone;
                const float w = weights[(j * width + i) * TERRANE_ZONES_MAX + zone];
                assert_true(!alone || w == 1);
                clear += alone;
            }
        assert_true(hard ? clear == width * width : clear > 0);
        free(weights);
    }
}

/* C1: second differences shrink with the square of the samples a scatter cell, here 2^13. */
static void weights_are_smooth(void **state)
{
    uint64_t die = 4;
    int moving = 0;
    (void)state;
    for (int n = 0; n < 400; n++) {
        const struct terrane_world world = world_of((uint64_t)n, 4, 16, 0.25f, 1, 2);
        const int64_t gi = dice(&die, -(1 << 20), 1 << 20) / 8192 * 8192 - 128,
                      gj = dice(&die, -(1 << 20), 1 << 20);
        float *w = weights_new(&world, 0, gi, gj, SIDE, 1, 1, false);
        for (int i = 1; i < SIDE - 1; i++)
            for (int z = 0; z < 4; z++) {
                const double west = (double)w[(i - 1) * TERRANE_ZONES_MAX + z],
                             here = (double)w[i * TERRANE_ZONES_MAX + z],
                             east = (double)w[(i + 1) * TERRANE_ZONES_MAX + z];
                assert_true(fabs(east - here) < 8.0 / 8192);
                assert_true(fabs(west - 2 * here + east) < 2e-6);
                moving += fabs(east - here) > 0.3 / 8192;
            }
        free(w);
    }
    assert_true(moving > 10000);
}

/* Across a straight edge, between sites on a grid, a weight goes from 1/10 to 9/10 over about blend cells. */
static void transitions_are_as_wide_as_asked(void **state)
{
    const struct {
        float blend;
        double least;
    } asked[] = {{0x1p-4f, 0.95}, {0.0725f, 0.8}, {0.1f, 0.95}, {0.2f, 0.95}, {0.25f, 0.95}, {0.3f, 0.8}};
    (void)state;
    for (int a = 0; a < COUNT(asked); a++) {
        double sum = 0;
        int edges = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            const struct terrane_world world = world_of(seed, 2, 16, asked[a].blend, 0, 0);
            float *w =
                weights_new(&world, 8, -128, 128, SIDE, 1, 1, false); /* between two middles of cells */
            const int zone = w[0] > 0 ? 0 : 1;
            if (w[(SIDE - 1) * TERRANE_ZONES_MAX + zone] == 0) {
                for (int i = 0; i < SIDE; i++)
                    sum += w[i * TERRANE_ZONES_MAX + zone] < 0.9f && w[i * TERRANE_ZONES_MAX + zone] > 0.1f;
                edges++;
            }
            free(w);
        }
        assert_true(edges > 50);
        const double ratio = sum / edges / 256 / (double)asked[a].blend;
        assert_true(ratio > asked[a].least && ratio < 1.05);
    }
}

static void small_cells_are_their_mean(void **state)
{
    const struct terrane_world world = world_of(1, 3, 6, 0.25f, 1, 2);
    (void)state;
    recipe.partition.zone[0].share = 1;
    recipe.partition.zone[2].share = 3;
    float *w = weights_new(&world, 4, 5, 5, 2, 2, 1, false);
    for (int i = 0; i < 4; i++) {
        assert_true(w[i * TERRANE_ZONES_MAX] == 0.25f);
        assert_true(w[i * TERRANE_ZONES_MAX + 1] == 0);
        assert_true(w[i * TERRANE_ZONES_MAX + 2] == 0.75f);
    }
    free(w);
}

/* What lies inside one Voronoi cell makes no points. */
static void one_zone_is_found_early(void **state)
{
    int found = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct terrane_world world = world_of(seed, 16, 20, 0x1p-5f, 1, 2);
        voronoi_plan(&plan, &world, 0, (int64_t)seed * 100000, 77, SIDE, SIDE);
        found += plan.way == VORONOI_ONE;
    }
    assert_true(found > 60);
}

UNIT(voronoi)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_agree),
        cmocka_unit_test(levels_agree),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(weights_follow_sites),
        cmocka_unit_test(weights_are_smooth),
        cmocka_unit_test(transitions_are_as_wide_as_asked),
        cmocka_unit_test(small_cells_are_their_mean),
        cmocka_unit_test(one_zone_is_found_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
