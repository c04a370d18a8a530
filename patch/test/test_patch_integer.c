/*
 * Relaxation in its parallel form: a plain one written here, on sides of all kinds, and how it ends. What it makes of slopes and roughness,
 * by every instruction set, is in the golden digests (golden_patches.c).
 */
#include "patch_kit.h"

#include "../relax.h"

static struct terrane_relax_report relax(struct kit *kit)
{
    struct terrane_relax_report report;
    assert_int_equal(
        terrane_patch_relax_integer(&kit->patch, &kit->limits, &kit->relax, kit->memory, kit->units, &report),
        0);
    return report;
}

/* ---- A plain iteration --------------------------------------------------------------------------------- */

/* A quadrant over its limit: what its slopes are, and should be; samples of it. */
struct plain {
    size_t at, to_x, to_y;
    float dx, dy, length, limit;
};

/* Whether a quadrant is over: of two limits, the gradient's. */
static bool plain_quadrant(const struct kit *kit, size_t at, int x, int y, struct plain *out)
{
    const int side = kit->patch.side;
    const double per_slope = kit->patch.spacing / kit->patch.unit;
    const double over = kit->relax.slope_threshold * per_slope * 0.9375;
    const int32_t *h = &kit->units[at];
    *out = (struct plain){at,
                          at + (size_t)(ptrdiff_t)x,
                          at + (size_t)(ptrdiff_t)(y * side),
                          (float)(h[x] - h[0]),
                          (float)(h[y * side] - h[0]),
                          0,
                          0};
    for (int across = 0; across < 2; across++) {
        const float slope = across ? kit->limits.across[at] : kit->limits.gradient[at];
        if (!(slope >= 0))
            continue;
        out->limit = (float)(slope * per_slope);
        const float moves = (float)((slope * per_slope + over) * (1 - 0x1p-20));
        const float length2 = out->dx * out->dx + out->dy * out->dy;
        const float ex = (float)x * out->dx * kit->limits.across_x[at];
        const float ey = (float)y * out->dy * kit->limits.across_y[at];
        out->length = across ? fabsf(ey + ex) : sqrtf(length2);
        if (across ? out->length > moves : length2 > moves * moves)
            return true;
    }
    return false;
}

static int32_t asked(const struct plain *q, int count, float dx, float dy)
{
    const float part = (q->length - q->limit) / (q->length * (float)count);
    return (int32_t)(part * (RELAX_SHARE / 3) * (dx + dx - dy));
}

/* Averaged: by how many quadrants are over around each sample (patch/relax.h). */
static void plain_iteration(struct kit *kit)
{
    const int side = kit->patch.side;
    int32_t *new = kit_array(kit->samples, sizeof *new);
    int *around = kit_array(kit->samples, sizeof *around);
    memcpy(new, kit->units, kit->samples * sizeof *new);
    for (int pass = 0; pass < 2; pass++)
        for (size_t at = 0; at < kit->samples; at++)
            for (int k = 0; k < 4; k++) {
                const int x = k & 1 ? -1 : 1, y = k & 2 ? -1 : 1;
                const int nx = (int)at % side + x, ny = (int)at / side + y;
                struct plain q;
                if (nx < 0 || nx >= side || ny < 0 || ny >= side || !plain_quadrant(kit, at, x, y, &q))
                    continue;
                if (pass == 0) {
                    around[q.at]++;
                    around[q.to_x]++;
                    around[q.to_y]++;
                    continue;
                }
                int count = 2;
                count = around[q.at] > count ? around[q.at] : count;
                count = around[q.to_x] > count ? around[q.to_x] : count;
                count = around[q.to_y] > count ? around[q.to_y] : count;
                const int32_t from_x = asked(&q, count, q.dx, q.dy), from_y = asked(&q, count, q.dy, q.dx);
                new[q.at] += from_x + from_y;
                new[q.to_x] -= from_x;
                new[q.to_y] -= from_y;
            }
    memcpy(kit->units, new, kit->samples * sizeof *new);
    free(new);
    free(around);
}

/* Limits of slopes anywhere, and heights up to as far as they may go. */
static void throw_limits(struct dice *dice, struct kit *kit)
{
    const double held = dice_real(dice, 0, 1), slope = pow(2, dice_real(dice, -12, 2));
    const int high = dice_int(dice, 4, 28);
    for (size_t i = 0; i < kit->samples; i++) {
        const double turn = dice_real(dice, 0, 6.3);
        kit->limits.gradient[i] = dice_chance(dice, held) ? (float)(slope * dice_real(dice, 0, 1)) : -1;
        kit->limits.across[i] = dice_chance(dice, held) ? (float)(slope * dice_real(dice, 0, 1)) : -1;
        kit->limits.across_x[i] = (float)cos(turn);
        kit->limits.across_y[i] = (float)sin(turn);
        kit->units[i] = dice_int(dice, -(1 << high), 1 << high);
    }
}

static void iterations_are_the_plain_ones(void **state)
{
    static const int sides[] = {3, 4, 5, 15, 16, 17, 18, 31, 32, 33, 48, 49, 50};
    struct dice dice = {901};
    struct kit kit;
    int moved = 0;

    (void)state;
    for (int n = 0; n < sets(120); n++) {
        kit_make_sized(&kit, sides[n % 13]);
        throw_limits(&dice, &kit);
        int32_t *plain = kit_array(kit.samples, sizeof *plain),
                *first = kit_array(kit.samples, sizeof *first);
        memcpy(first, kit.units, kit.samples * sizeof *first);
        kit.relax.iterations_max = dice_int(&dice, 1, 5);
        for (int64_t i = 0; i < kit.relax.iterations_max; i++)
            plain_iteration(&kit);
        memcpy(plain, kit.units, kit.samples * sizeof *plain);
        const int64_t mass = kit_mass(&kit);
        memcpy(kit.units, first, kit.samples * sizeof *first);
        isa_choose(n / 13);
        relax(&kit);
        assert_memory_equal(kit.units, plain, kit.samples * sizeof *plain);
        assert_true(kit_mass(&kit) == mass);
        moved += memcmp(plain, first, kit.samples * sizeof *plain) != 0;
        free(plain);
        free(first);
        kit_free(&kit);
    }
    assert_true(moved > 30);
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

static void conflicts_are_cycles(void **state)
{
    struct kit kit;

    (void)state;
    for (int n = 0; n < 6; n++) {
        kit_make(&kit, 9, (uint64_t)n);
        for (int i = 0; i < 81; i++) {
            const bool middle = i % 9 == 4;
            if (n < 3) {
                kit.limits.gradient[i] = i % 9 == 3 || i % 9 == 5 ? 0 : -1;
                kit.limits.roughness[i] = middle ? 0.5f : -1;
            } else {
                kit.limits.gradient[i] = middle ? 0 : -1;
                if (middle && (i / 9 == 0 || i / 9 == 8))
                    kit.limits.position[i] = i / 9;
            }
        }
        kit_start(&kit);
        const struct terrane_relax_report report = relax(&kit);
        print_message("    a cycle is seen after %" PRId64 " iterations\n", report.iterations);
        assert_true(report.how == TERRANE_RELAXED_CYCLE && report.iterations < 100000);
        assert_true(report.unsatisfied[TERRANE_HOLD_GRADIENT] > 0);
        kit_free(&kit);
    }
}

static void positions_are_the_nearest_unit(void **state)
{
    struct kit kit;

    (void)state;
    kit_make(&kit, 17, 3);
    kit_lead(&kit, 0.0035);
    kit.limits.position[8] = -0.1234567;
    kit.limits.position[9] = 0.1 + 0x1p-25;
    kit.limits.gradient[8] = kit.limits.gradient[9] = -1;
    kit_start(&kit);
    const struct terrane_relax_report report = relax(&kit);
    assert_true(report.held[TERRANE_HOLD_POSITION] == 2 && report.unsatisfied[TERRANE_HOLD_POSITION] == 0);
    assert_true(kit.units[8] == lrint(-0.1234567 * 0x1p24) && labs(kit.units[9] - lrint(0.1 * 0x1p24)) <= 1);
    kit_free(&kit);
}

static bool stop(void *context, int64_t iterations, int64_t unsatisfied)
{
    int64_t *last = context;
    assert_true(unsatisfied > 0);
    *last = iterations;
    return false;
}

static void progress_stops(void **state)
{
    struct kit kit;
    int64_t last = 0;

    (void)state;
    kit_make(&kit, 33, 1);
    kit_lead(&kit, 0.0005);
    kit.relax.progress = stop;
    kit.relax.context = &last;
    kit_start(&kit);
    const struct terrane_relax_report report = relax(&kit);
    assert_true(report.how == TERRANE_RELAXED_STOPPED && last > 0 && report.iterations == last);
    kit_free(&kit);
}

/* Roughness that no ground has drives heights out of their range: refused, and nothing is written. */
static void what_runs_away_is_refused(void **state)
{
    struct kit kit;
    struct terrane_relax_report report;

    (void)state;
    kit_make(&kit, 9, 1);
    for (int i = 0; i < 81; i++)
        kit.limits.roughness[i] = 1e6f;
    kit_start(&kit);
    const uint64_t digest = kit_digest(&kit);
#define RUN terrane_patch_relax_integer(&kit.patch, &kit.limits, &kit.relax, kit.memory, kit.units, &report)
    assert_int_equal(RUN, TERRANE_EPATCH);
    assert_true(kit_digest(&kit) == digest);
    for (int i = 0; i < 81; i++)
        kit.limits.roughness[i] = -1;
    assert_int_equal(RUN, 0);
    kit.units[7] = TERRANE_PATCH_HEIGHT_MAX + 1;
    assert_int_equal(RUN, TERRANE_EPATCH);
    kit.units[7] = -TERRANE_PATCH_HEIGHT_MAX;
    assert_int_equal(RUN, 0);
    kit.limits.position[7] = 16.1; /* 2^28 units are 16 */
    assert_int_equal(RUN, TERRANE_EPATCH);
    kit.limits.position[7] = -16;
    assert_int_equal(RUN, 0);
    float *across_x = kit.limits.across_x;
    kit.limits.across_x = NULL;
    assert_int_equal(RUN, TERRANE_EPATCH);
#undef RUN
    kit.limits.across_x = across_x;
    kit_free(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_are_the_plain_ones),  cmocka_unit_test(conflicts_are_cycles),
        cmocka_unit_test(positions_are_the_nearest_unit), cmocka_unit_test(progress_stops),
        cmocka_unit_test(what_runs_away_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
