/*
 * The fast way: limits are kept exactly whatever the patch is like, and ground is kept to the unit. How far it is carried: the golden digests
 * (golden_patches.c), and `terrane path --paper`.
 */
#include "../terrane_patch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE_MAX = 65, SAMPLES_MAX = SIDE_MAX * SIDE_MAX };

static float gradient[SAMPLES_MAX], across[SAMPLES_MAX], across_x[SAMPLES_MAX], across_y[SAMPLES_MAX];
static int32_t ground[SAMPLES_MAX], carved[SAMPLES_MAX], again[SAMPLES_MAX];

static const struct terrane_limits both = {
    .gradient = gradient, .across = across, .across_x = across_x, .across_y = across_y};

static uint32_t hashed(uint64_t key)
{
    uint64_t x = (key + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((x ^ (x >> 31)) >> 16);
}

static void *memory_of(size_t bytes, int fill)
{
    void *memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, (bytes + 63) & ~(size_t)63);
    assert_non_null(memory);
    memset(memory, fill, bytes);
    return memory;
}

static void carve(const struct terrane_patch *patch, const struct terrane_limits *limits, int32_t *heights,
                  int fill)
{
    void *memory = memory_of(terrane_patch_bytes(patch), fill);
    assert_int_equal(terrane_patch_carve(patch, limits, memory, heights), 0);
    free(memory);
}

/* ---- Patches ------------------------------------------------------------------------------------------- */

/* Noise of all lengths down to one sample, between 0 and about most units. */
static void make_ground(int side, uint64_t seed, double max)
{
    for (int at = 0; at < side * side; at++) {
        double sum = 0, size = 0.5;
        for (int cell = 32; cell >= 1; cell /= 2, size *= 0.57) {
            const int x = at % side / cell, y = at / side / cell;
            const double u = at % side % cell / (double)cell, v = at / side % cell / (double)cell;
            double corner[4];
            for (int i = 0; i < 4; i++)
                corner[i] =
                    hashed(seed * 7919 + (uint64_t)(cell * 1000003 + (y + i / 2) * 1009 + x + i % 2)) % 4096 /
                    4096.0;
            sum += size * ((corner[0] * (1 - u) + corner[1] * u) * (1 - v) +
                           (corner[2] * (1 - u) + corner[3] * u) * v);
        }
        ground[at] = (int32_t)(sum * max);
    }
}

/* A bent path of some width, and as much again on both sides that is held across. */
static void make_path(int side, double width, double slope)
{
    for (int at = 0; at < side * side; at++) {
        const double x = at % side, y = at / side;
        const double u = x - side / 2.0, off = y - (side * 0.3 + u * u / side);
        const double steep = 2 * u / side, length = sqrt(1 + steep * steep), away = fabs(off) / length;
        gradient[at] = away <= width / 2 ? (float)slope : -1;
        across[at] = away > width / 2 && away <= 1.5 * width ? (float)(slope * 2) : -1;
        across_x[at] = (float)(-steep / length);
        across_y[at] = (float)(1 / length);
    }
}

/* ---- Exact --------------------------------------------------------------------------------------------- */

static void all_are_kept(const struct terrane_patch *patch, const struct terrane_limits *limits,
                         const int32_t *h)
{
    const int side = patch->side;
    for (int at = 0; at < side * side; at++)
        for (int q = 0; q < 4; q++) {
            const int qx = q & 1 ? -1 : 1, qy = q & 2 ? -1 : 1, x = at % side + qx, y = at / side + qy;
            if (x < 0 || y < 0 || x >= side || y >= side)
                continue;
            const int64_t dx = (int64_t)h[at + qx] - h[at], dy = (int64_t)h[at + qy * side] - h[at];
            if (limits->gradient && limits->gradient[at] >= 0) {
                const long double limit = (long double)limits->gradient[at] * patch->spacing / patch->unit;
                assert_true((long double)(dx * dx + dy * dy) <= limit * limit);
            }
            if (limits->across && limits->across[at] >= 0) {
                const long double limit = (long double)limits->across[at] * patch->spacing / patch->unit;
                const long double d =
                    qx * (long double)dx * limits->across_x[at] + qy * (long double)dy * limits->across_y[at];
                assert_true(fabsl(d) <= limit);
            }
        }
}

static int64_t sum_of(int side, const int32_t *heights)
{
    int64_t sum = 0;
    for (int i = 0; i < side * side; i++)
        sum += heights[i];
    return sum;
}

static void carve_and_look(const struct terrane_patch *patch, const struct terrane_limits *limits)
{
    const size_t bytes = (size_t)patch->side * (size_t)patch->side * sizeof *ground;
    memcpy(carved, ground, bytes);
    memcpy(again, ground, bytes);
    carve(patch, limits, carved, 0);
    all_are_kept(patch, limits, carved);
    carve(patch, limits, again, 0xA5);
    assert_memory_equal(carved, again, bytes);
}

static void paths_are_exact_and_keep_ground(void **state)
{
    (void)state;
    static const int sides[] = {5, 9, 16, 33, 65};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const struct terrane_patch patch = {sides[i], 256.0 / (sides[i] - 1), 0x1p-24};
            static const double slopes[] = {0, 0.0005, 0.0035, 0.0095};
            make_ground(patch.side, (uint64_t)(i * 4 + k), 0x1p24);
            make_path(patch.side, patch.side / 8.0, slopes[k]);
            carve_and_look(&patch, &both);
            assert_int_equal(sum_of(patch.side, carved), sum_of(patch.side, ground));
        }
}

/* Heights, limits and directions without any sense. */
static void anything_is_exact(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 60; n++) {
        const struct terrane_patch patch = {3 + (int)(hashed(n) % 20), 1, n & 1 ? 0x1p-20 : 0x1p-4};
        for (int at = 0; at < patch.side * patch.side; at++) {
            const uint64_t key = n * 100000 + (uint64_t)at * 8;
            ground[at] = (int32_t)(hashed(key) % ((2u << 28) + 1)) - TERRANE_PATCH_HEIGHT_MAX;
            if (n % 3 == 0)
                ground[at] = hashed(key) % 2 ? TERRANE_PATCH_HEIGHT_MAX : -TERRANE_PATCH_HEIGHT_MAX;
            gradient[at] = hashed(key + 1) % 4 ? -1 : (float)(hashed(key + 2) % 1000) * 0.01f;
            across[at] = hashed(key + 3) % 3 ? -1 : (float)(hashed(key + 4) % 1000) * 0.001f;
            const double angle = hashed(key + 5) % 1000 * 0.00628;
            across_x[at] = (float)cos(angle);
            across_y[at] = (float)sin(angle);
        }
        carve_and_look(&patch, &both);
        for (int at = 0; at < patch.side * patch.side; at++)
            assert_in_range(carved[at] + TERRANE_PATCH_HEIGHT_MAX, 0, 2 * TERRANE_PATCH_HEIGHT_MAX);
    }
}

static void one_kind_alone_is_exact(void **state)
{
    (void)state;
    const struct terrane_patch patch = {33, 8, 0x1p-24};
    make_ground(33, 5, 0x1p24);
    make_path(33, 4, 0.0035);
    const struct terrane_limits path = {.gradient = gradient};
    const struct terrane_limits ring = {.across = across, .across_x = across_x, .across_y = across_y};
    carve_and_look(&patch, &path);
    assert_int_equal(sum_of(33, carved), sum_of(33, ground));
    carve_and_look(&patch, &ring);
    assert_int_equal(sum_of(33, carved), sum_of(33, ground));
}

static void whole_patches_become_flat_enough(void **state)
{
    (void)state;
    const struct terrane_patch patch = {33, 8, 0x1p-24};
    make_ground(33, 6, 0x1p24);
    for (int at = 0; at < 33 * 33; at++) {
        gradient[at] = 0.001f;
        across[at] = -1;
    }
    carve_and_look(&patch, &both);
    /* Nothing is free to take what rounding leaves: less than a unit a sample. */
    assert_true(llabs(sum_of(33, carved) - sum_of(33, ground)) < 33 * 33);
}

static void what_is_kept_already_stays(void **state)
{
    (void)state;
    const struct terrane_patch patch = {65, 4, 0x1p-24};
    make_ground(65, 7, 0x1p24);
    make_path(65, 8, 1000);
    carve_and_look(&patch, &both);
    assert_memory_equal(carved, ground, sizeof ground);
    const struct terrane_limits nothing = {0};
    carve_and_look(&patch, &nothing);
    assert_memory_equal(carved, ground, sizeof ground);
}

static void bad_patches_are_refused(void **state)
{
    (void)state;
    const struct terrane_patch bad[] = {{2, 1, 1}, {1026, 1, 1}, {9, 1, 0.3}}, good = {9, 1, 1};
    void *memory = memory_of(terrane_patch_bytes(&good), 0);
    make_path(9, 2, 0.1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(terrane_patch_carve(&bad[i], &both, memory, carved), TERRANE_EPATCH);
    memset(carved, 0, sizeof carved);
    carved[80] = -TERRANE_PATCH_HEIGHT_MAX - 1;
    assert_int_equal(terrane_patch_carve(&good, &both, memory, carved), TERRANE_EPATCH);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_exact_and_keep_ground), cmocka_unit_test(anything_is_exact),
        cmocka_unit_test(one_kind_alone_is_exact),         cmocka_unit_test(whole_patches_become_flat_enough),
        cmocka_unit_test(what_is_kept_already_stays),      cmocka_unit_test(bad_patches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
