/*
 * Relaxation in its sequential form, and the report that both forms end with.
 */
#include "patch_kit.h"

static struct terrane_relax_report relax(struct kit *kit)
{
    struct terrane_relax_report report;
    assert_int_equal(
        terrane_patch_relax(&kit->patch, &kit->limits, &kit->relax, kit->memory, kit->heights, &report), 0);
    return report;
}

static double mass(const double *heights, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += heights[i];
    return sum;
}

/* How many heights are not the ground's. */
static int changed(const struct kit *kit)
{
    int count = 0;
    for (size_t i = 0; i < kit->samples; i++)
        count += kit->heights[i] != kit->ground[i];
    return count;
}

/* ---- Procedures alone ---------------------------------------------------------------------------------- */

/* A corner has one quadrant; the four corners have each of them once. */
static void corner(const struct kit *kit, int n, size_t *at, int *x, int *y)
{
    const int side = kit->patch.side, last = side - 1;
    *at = (size_t)((n & 2 ? last : 0) * side + (n & 1 ? last : 0));
    *x = n & 1 ? -1 : 1;
    *y = n & 2 ? -1 : 1;
}

static void gradients_are_kept_in_one_call(void **state)
{
    struct kit kit;

    (void)state;
    for (int n = 0; n < 40; n++) {
        size_t at;
        int x, y;
        kit_make(&kit, 9, (uint64_t)n);
        corner(&kit, n % 4, &at, &x, &y);
        kit.limits.gradient[at] = n < 4 ? 0 : 0.001f;
        kit_start(&kit);
        const struct terrane_relax_report report = relax(&kit);
        const double *here = &kit.heights[at];
        const double slope = hypot(here[x] - here[0], here[9 * y] - here[0]) / kit.patch.spacing;
        assert_true(report.how == TERRANE_RELAXED_ALL && report.iterations == (changed(&kit) > 0));
        assert_true(report.held[TERRANE_HOLD_GRADIENT] == 1 && changed(&kit) <= 3);
        assert_true(changed(&kit) == 0 || fabs(slope - kit.limits.gradient[at]) < 1e-12);
        assert_true(fabs(mass(kit.heights, kit.samples) - mass(kit.ground, kit.samples)) < 1e-12);
        assert_true(n >= 4 || changed(&kit) == 3);
        kit_free(&kit);
    }
}

static void slopes_across_are_kept_in_one_call(void **state)
{
    struct kit kit;
    int moved = 0;

    (void)state;
    for (int n = 0; n < 40; n++) {
        size_t at;
        int x, y;
        kit_make(&kit, 9, (uint64_t)n);
        corner(&kit, n % 4, &at, &x, &y);
        kit.limits.across[at] = 0.0004f;
        kit.limits.across_x[at] = n % 3 ? 0.6f : 1;
        kit.limits.across_y[at] = n % 3 ? -0.8f : 0;
        kit_start(&kit);
        const struct terrane_relax_report report = relax(&kit);
        const double *here = &kit.heights[at];
        const double d = (x * (here[x] - here[0]) * kit.limits.across_x[at] +
                          y * (here[9 * y] - here[0]) * kit.limits.across_y[at]) /
                         kit.patch.spacing;
        moved += changed(&kit) > 0;
        assert_true(report.how == TERRANE_RELAXED_ALL && report.iterations == (changed(&kit) > 0));
        assert_true(report.held[TERRANE_HOLD_ACROSS] == 1 && changed(&kit) <= 3);
        assert_true(changed(&kit) == 0 || fabs(fabs(d) - kit.limits.across[at]) < 1e-12);
        assert_true(fabs(mass(kit.heights, kit.samples) - mass(kit.ground, kit.samples)) < 1e-12);
        kit_free(&kit);
    }
    assert_true(moved > 20);
}

/* A ridge that rises to the south-east across a path that runs along it: the derivative across is 0 in the quadrants where
 * signs of slopes and of quadrants belong together, however steep it is. */
static void quadrants_have_signs(void **state)
{
    struct kit kit;
    const float half = (float)sqrt(0.5);

    (void)state;
    kit_make(&kit, 9, 1);
    for (int i = 0; i < 81; i++)
        kit.ground[i] = 0.3 * (i % 9 - i / 9);
    kit.limits.across[40] = 0.001f;
    kit.limits.across_x[40] = kit.limits.across_y[40] = half;
    kit_start(&kit);
    assert_true(relax(&kit).iterations == 0 && changed(&kit) == 0);
    kit.limits.across_y[40] = -half;
    assert_true(relax(&kit).iterations > 0);
    kit_free(&kit);
}

static void roughness_is_had_in_one_call(void **state)
{
    static const int places[] = {0, 4, 8, 36, 40, 44, 72, 76, 80, 11};
    struct kit kit;

    (void)state;
    for (int n = 0; n < 20; n++) {
        const int at = places[n % 10];
        kit_make(&kit, 9, (uint64_t)n);
        kit.limits.roughness[at] = n < 10 ? 0.3f : 0; /* rougher, or level */
        kit.relax.roughness_threshold = 1e-4;
        kit_start(&kit);
        const struct terrane_relax_report report = relax(&kit);
        assert_true(report.how == TERRANE_RELAXED_ALL && report.iterations == 1);
        assert_true(report.held[TERRANE_HOLD_ROUGHNESS] == 1 && changed(&kit) <= 9);
        assert_true(fabs(mass(kit.heights, kit.samples) - mass(kit.ground, kit.samples)) < 1e-12);
        double sum = 0;
        for (int k = 0; k < 9; k++) {
            const int x = at % 9 + k % 3 - 1, y = at / 9 + k / 3 - 1;
            if (x >= 0 && x < 9 && y >= 0 && y < 9)
                sum +=
                    pow((kit.heights[y * 9 + x] - kit.heights[at]) / kit.patch.spacing, 2) / (k % 2 ? 1 : 2);
        }
        assert_true(fabs(sqrt(sum) - kit.limits.roughness[at]) < 1e-7);
        kit_free(&kit);
    }
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

/* ---- All together -------------------------------------------------------------------------------------- */

static void check_slopes(const struct kit *kit)
{
    const int side = kit->patch.side;
    for (int at = 0; at < (int)kit->samples; at++)
        for (int q = 0; q < 4; q++) {
            const int x = q & 1 ? -1 : 1, y = q & 2 ? -1 : 1;
            if (at % side + x < 0 || at % side + x >= side || at / side + y < 0 || at / side + y >= side)
                continue;
            const double *here = &kit->heights[at];
            const double sx = (here[x] - here[0]) / kit->patch.spacing;
            const double sy = (here[side * y] - here[0]) / kit->patch.spacing;
            const double d = x * sx * kit->limits.across_x[at] + y * sy * kit->limits.across_y[at];
            if (kit->limits.gradient[at] >= 0)
                assert_true(hypot(sx, sy) <= kit->limits.gradient[at] + 1.0000001e-5);
            if (kit->limits.across[at] >= 0)
                assert_true(fabs(d) <= kit->limits.across[at] + 1.0000001e-5);
        }
}

/* Mean of five terrains. */
static double iterations(int side, double slope)
{
    double sum = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct kit kit;
        kit_make(&kit, side, seed);
        kit_lead(&kit, slope);
        kit_start(&kit);
        const struct terrane_relax_report report = relax(&kit);
        assert_true(report.how == TERRANE_RELAXED_ALL);
        check_slopes(&kit);
        assert_true(fabs(mass(kit.heights, kit.samples) - mass(kit.ground, kit.samples)) < 1e-9);
        sum += (double)report.iterations;
        kit_free(&kit);
    }
    return sum / 5;
}

/* Beside the document's table 1. */
static void iterations_grow_with_samples(void **state)
{
    static const double slopes[3] = {0.0005, 0.0035, 0.0095};
    static const double document[3][4] = {
        {82.8, 385.7, 2368.7}, {58.2, 219.1, 1102.5, 5276.0}, {11.3, 18.3, 39.4, 155.6}};

    (void)state;
    for (int s = 0; s < 3; s++) {
        double before = 0;
        for (int k = 0; k < 4 && document[s][k] > 0; k++) {
            const double n = iterations((8 << k) + 1, slopes[s]);
            print_message("    %d x %d, slope %g: %.1f iterations, the document %.1f\n", (8 << k) + 1,
                          (8 << k) + 1, slopes[s], n, document[s][k]);
            assert_true(n > document[s][k] / 4 && n < document[s][k] * 4);
            assert_true(before == 0 || (n > 1.5 * before && n < 9 * before)); /* samples: 3.6 to 3.9 times */
            before = n;
        }
    }
}

static void bits_are_the_same_everywhere(void **state)
{
    struct kit kit;

    (void)state;
    kit_make(&kit, 33, 7);
    kit_lead(&kit, 0.0035);
    for (int i = 0; i < 33; i++)
        kit.limits.roughness[i] = 0.05f;
    kit_start(&kit);
    const struct terrane_relax_report report = relax(&kit);
    print_message("    %" PRId64 " iterations, digest %016" PRIx64 "\n", report.iterations,
                  kit_digest(&kit, false));
    assert_true(kit_digest(&kit, false) == UINT64_C(0x85b5defa328a8cea) && report.iterations == 736);
    kit_free(&kit);
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(gradients_are_kept_in_one_call),
        cmocka_unit_test(slopes_across_are_kept_in_one_call),
        cmocka_unit_test(quadrants_have_signs),
        cmocka_unit_test(roughness_is_had_in_one_call),
        cmocka_unit_test(positions_are_exact),
        cmocka_unit_test(iterations_grow_with_samples),
        cmocka_unit_test(bits_are_the_same_everywhere),
        cmocka_unit_test(conflicts_are_cycles),
        cmocka_unit_test(level_ground_is_never_rough),
        cmocka_unit_test(progress_stops_and_so_does_the_most),
        cmocka_unit_test(reports_count),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
