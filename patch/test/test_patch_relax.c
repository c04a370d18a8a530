/*
 * Relaxation in its sequential form: positions, how it ends, and the report that both forms end with. What it makes of slopes and roughness is
 * in the golden digests (golden_patches.c).
 */
#include "patch_kit.h"

static struct terrane_relax_report relax(struct kit *kit)
{
    struct terrane_relax_report report;
    assert_int_equal(
        terrane_patch_relax(&kit->patch, &kit->limits, &kit->relax, kit->memory, kit->heights, &report), 0);
    return report;
}

/* How many heights are not the ground's. */
static int changed(const struct kit *kit)
{
    int count = 0;
    for (size_t i = 0; i < kit->samples; i++)
        count += kit->heights[i] != kit->ground[i];
    return count;
}

static void positions_are_exact(void **state)
{
    struct kit kit;

    (void)state;
    kit_make(&kit, 9, 3);
    kit.limits.position[33] = 0.1234567;
    kit_start(&kit);
    const struct terrane_relax_report report = relax(&kit);
    assert_true(report.how == TERRANE_RELAXED_ALL && report.iterations == 1 && changed(&kit) == 1);
    assert_true(report.held[TERRANE_HOLD_POSITION] == 1 && kit.heights[33] == 0.1234567);
    kit_free(&kit);
}

/* Level paths on both sides of ground that has to be rough; a level path between two heights. They push ground to and fro. */
static void conflicts_are_cycles(void **state)
{
    struct kit kit;

    (void)state;
    for (int n = 0; n < 8; n++) {
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
        assert_true(report.how == TERRANE_RELAXED_CYCLE && report.iterations < 1000000);
        assert_true(report.unsatisfied[TERRANE_HOLD_GRADIENT] > 0 &&
                    report.distance[TERRANE_HOLD_GRADIENT] > 1e-5);
        kit_free(&kit);
    }
}

/* Level ground has no roughness to be multiplied: nothing moves, and that is told from the end. */
static void level_ground_is_never_rough(void **state)
{
    struct kit kit;

    (void)state;
    kit_make(&kit, 9, 1);
    for (int i = 0; i < 81; i++)
        kit.ground[i] = 0.25;
    kit.limits.roughness[40] = 1;
    kit_start(&kit);
    const struct terrane_relax_report report = relax(&kit);
    assert_true(report.how == TERRANE_RELAXED_CYCLE && report.iterations == 0);
    assert_true(report.unsatisfied[TERRANE_HOLD_ROUGHNESS] == 1 &&
                report.distance[TERRANE_HOLD_ROUGHNESS] == 1);
    kit_free(&kit);
}

struct watch {
    int calls;
    int64_t last, unsatisfied;
    int stop_after;
};

static bool watched(void *context, int64_t iterations_so_far, int64_t unsatisfied)
{
    struct watch *watch = context;
    assert_true(iterations_so_far > watch->last && unsatisfied > 0);
    watch->last = iterations_so_far;
    watch->unsatisfied = unsatisfied;
    return ++watch->calls < watch->stop_after;
}

static void progress_stops_and_so_does_the_most(void **state)
{
    struct kit kit;
    struct watch watch = {.stop_after = 2};

    (void)state;
    kit_make(&kit, 33, 1);
    kit_lead(&kit, 0.0005);
    kit.relax.progress = watched;
    kit.relax.context = &watch;
    kit_start(&kit);
    struct terrane_relax_report report = relax(&kit);
    assert_true(report.how == TERRANE_RELAXED_STOPPED && watch.calls == 2 && report.iterations == watch.last);
    kit.relax.progress = NULL;
    kit.relax.iterations_max = 7;
    kit_start(&kit);
    report = relax(&kit);
    assert_true(report.how == TERRANE_RELAXED_MAX && report.iterations == 7);
    assert_true(report.unsatisfied[TERRANE_HOLD_GRADIENT] > 0);
    kit.relax.iterations_max = 0;
    kit_start(&kit);
    assert_true(relax(&kit).iterations == 0 && changed(&kit) == 0);
    kit_free(&kit);
}

static void reports_count(void **state)
{
    struct kit kit;
    struct terrane_relax_report report;

    (void)state;
    kit_make(&kit, 9, 1);
    kit.patch.spacing = 1;
    for (int i = 0; i < 81; i++)
        kit.ground[i] = 0.5 * (i % 9); /* rises by 0.5 to the east */
    kit.limits.gradient[0] = 0.5f;     /* kept */
    kit.limits.gradient[40] = 0.25f;   /* four quadrants, each off by 0.25 */
    kit.limits.gradient[4] = 0.375f;   /* two, by 0.125 */
    kit.limits.across[40] = 0.4f;      /* off in no quadrant: square to the rise */
    kit.limits.across_x[40] = 0;
    kit.limits.across_y[40] = 1;
    kit.limits.across[8] = 0.25f; /* one quadrant, off by 0.25 */
    kit.limits.across_x[8] = -1;
    kit.limits.roughness[40] = 1; /* is 0.5 * sqrt(2 + 4/2) = 1 */
    kit.limits.roughness[41] = 3; /* off by 2 */
    kit.limits.position[7] = 3.5;
    kit.limits.position[6] = 4;
    assert_int_equal(terrane_patch_report(&kit.patch, &kit.limits, &kit.relax, kit.ground, &report), 0);
    static const int64_t held[4] = {1 + 4 + 2, 4 + 1, 2, 2}, unsatisfied[4] = {6, 1, 1, 1};
    static const double mean[4] = {(4 * 0.25 + 2 * 0.125) / 6, 0.25, 2, 1};
    for (int k = 0; k < TERRANE_HOLDS; k++)
        assert_true(report.held[k] == held[k] && report.unsatisfied[k] == unsatisfied[k] &&
                    fabs(report.distance[k] - mean[k]) < 1e-7);
    assert_true(report.how == TERRANE_RELAXED_MAX && report.iterations == 0);
    const struct terrane_limits nobody = {NULL, NULL, NULL, NULL, NULL, NULL};
    assert_int_equal(terrane_patch_report(&kit.patch, &nobody, &kit.relax, kit.ground, &report), 0);
    assert_true(report.how == TERRANE_RELAXED_ALL && report.held[0] == 0 && report.distance[0] == 0);
    kit_free(&kit);
}

static void bad_input_is_refused(void **state)
{
    struct kit kit;
    struct terrane_relax_report report;

    (void)state;
    kit_make(&kit, 9, 1);
    kit_start(&kit);
    kit.limits.gradient[40] = 0;
    const struct kit good = kit;
#define BAD(change)                                                                                   \
    kit = good;                                                                                       \
    change;                                                                                           \
    assert_int_equal(                                                                                 \
        terrane_patch_relax(&kit.patch, &kit.limits, &kit.relax, kit.memory, kit.heights, &report),   \
        TERRANE_EPATCH);                                                                              \
    assert_int_equal(terrane_patch_report(&kit.patch, &kit.limits, &kit.relax, kit.heights, &report), \
                     TERRANE_EPATCH)
    BAD(kit.patch.side = 2);
    BAD(kit.relax.slope_threshold = (double)NAN);
    BAD(kit.relax.slope_threshold = -1e-5);
    BAD(kit.relax.roughness_threshold = (double)INFINITY);
    BAD(kit.limits.across_y = NULL);
    BAD(kit.heights[80] = (double)NAN);
    kit.heights[80] = 0;
    BAD(kit.heights[0] = 1e30);
    kit.heights[0] = 0;
    BAD(kit.limits.roughness[1] = INFINITY);
    kit.limits.roughness[1] = -1;
    BAD(kit.limits.position[1] = (double)INFINITY);
    kit.limits.position[1] = (double)NAN;
#undef BAD
    assert_true(relax(&kit).how == TERRANE_RELAXED_ALL);
    kit_free(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_exact),
        cmocka_unit_test(conflicts_are_cycles),
        cmocka_unit_test(level_ground_is_never_rough),
        cmocka_unit_test(progress_stops_and_so_does_the_most),
        cmocka_unit_test(reports_count),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
