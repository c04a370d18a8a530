/*
 * The parts of `terrane path`: the ground and graph of its experiments, figures of known outcomes, the program that is
 * asked for the optimum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../analyze/path_paper.h"
#include "stderr_kit.h"

static struct path_study study;

static int fresh_study(void **state)
{
    (void)state;
    memset(&study, 0, sizeof study);
    study.sizes = 2;
    study.side[0] = 17;
    study.side[1] = 65;
    study.terrains = 3;
    study.jobs = 1;
    return 0;
}

static struct path_figure figure_of(const char *key)
{
    struct path_figure figure;

    for (int k = 0; k < PATH_FIGURES; k++) {
        path_figure_make(&study, k, &figure);
        if (strcmp(figure.key, key) == 0)
            return figure;
    }
    fail_msg("no figure %s", key);
    return figure;
}

static struct path_outcome *outcome_of(int series, int size, int terrain, enum terrane_relaxed how,
                                       int64_t iterations)
{
    struct path_outcome *const outcome = &study.of[series][size][terrain];
    *outcome = (struct path_outcome){.done = true,
                                     .fast_seconds = (double)NAN,
                                     .distance = (double)NAN,
                                     .fast_distance = (double)NAN,
                                     .optimum = (double)NAN};
    outcome->relaxed.how = how;
    outcome->relaxed.iterations = iterations;
    return outcome;
}

static void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", value, wanted);
}

/* ---- Ground and graph ---------------------------------------------------------------------------------- */

static void all_sizes_are_the_same_ground(void **state)
{
    static double whole[PATH_SIDE * PATH_SIDE], part[PATH_SIDE * PATH_SIDE];
    void *const scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    double low = 1, high = 0;
    (void)state;

    assert_non_null(scratch);
    assert_int_equal(path_ground(4, PATH_SIDE, scratch, whole), 0);
    for (int k = 0; k < PATH_SIDE * PATH_SIDE; k++) {
        assert_near(whole[k] / PATH_UNIT, floor(whole[k] / PATH_UNIT));
        low = fmin(low, whole[k]);
        high = fmax(high, whole[k]);
    }
    assert_true(low > -0.5 && low < 0.5 && high > 0.5 && high < 1.5);
    for (int side = 9; side < PATH_SIDE; side = 2 * side - 1) {
        const int step = (PATH_SIDE - 1) / (side - 1);
        assert_int_equal(path_ground(4, side, scratch, part), 0);
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                assert_true(part[y * side + x] == whole[y * step * PATH_SIDE + x * step]);
    }
    assert_int_equal(path_ground(5, PATH_SIDE, scratch, part), 0);
    assert_memory_not_equal(part, whole, sizeof whole);
    free(scratch);
}

static void the_graph_fits_every_patch(void **state)
{
    (void)state;
    for (int side = 9; side <= PATH_SIDE; side = 2 * side - 1) {
        const struct terrane_patch patch = path_patch(side);
        struct path_graph graph;
        int where;
        path_graph_make(&graph, side, 0.0035);
        assert_int_equal(terrane_patch_check(&patch, &graph.graph, &where), 0);
        assert_near(patch.spacing * (side - 1), PATH_EXTENT);
        for (int k = 0; k < PATH_GRAPH_NODES; k++) { /* the same places at all sizes */
            struct path_graph small;
            path_graph_make(&small, 9, 0.0035);
            assert_int_equal(graph.node[k].x, small.node[k].x * (side - 1) / 8);
            assert_int_equal(graph.node[k].y, small.node[k].y * (side - 1) / 8);
        }
    }
}

/* ---- Figures ------------------------------------------------------------------------------------------- */

static void iterations_are_of_patches_that_are_solved(void **state)
{
    (void)state;
    outcome_of(PATH_USUAL, 0, 0, TERRANE_RELAXED_ALL, 100);
    outcome_of(PATH_USUAL, 0, 1, TERRANE_RELAXED_MOST, 100000);
    outcome_of(PATH_USUAL, 0, 2, TERRANE_RELAXED_ALL, 300);
    outcome_of(PATH_USUAL, 1, 0, TERRANE_RELAXED_CYCLE, 70);
    const struct path_figure table = figure_of("table_1"), solved = figure_of("figure_6_solved");
    assert_string_equal(table.line[1].label, "slope 0.0035");
    assert_near(table.line[1].mean[0], 200);
    assert_true(isnan(table.line[1].value[0][1]) && isnan(table.line[1].mean[1]));
    assert_true(isnan(table.line[0].mean[0]));
    assert_near(solved.line[0].mean[0], 200.0 / 3);
    assert_true(solved.line[0].mean[1] == 0);
    assert_true(isnan(solved.line[1].mean[0]));
}

static void sweeps_are_times(void **state)
{
    (void)state;
    struct path_outcome *const outcome = outcome_of(PATH_USUAL, 0, 0, TERRANE_RELAXED_ALL, 1000);
    outcome->seconds = 5;
    outcome->fast_seconds = 0.02;
    outcome_of(PATH_USUAL, 0, 1, TERRANE_RELAXED_ALL, 0)->fast_seconds = 1; /* no sweep to measure by */
    assert_near(figure_of("figure_4").line[3].mean[0], 4);
    assert_near(figure_of("fast_times").line[1].value[0][0], 250);
}

static void ratios_are_to_the_optimum_of_the_same_limits(void **state)
{
    (void)state;
    struct path_outcome *outcome = outcome_of(PATH_USUAL, 0, 0, TERRANE_RELAXED_ALL, 10);
    outcome->distance = 6;
    outcome->fast_distance = 5;
    outcome->optimum = 4;
    outcome_of(PATH_LOOSER, 0, 0, TERRANE_RELAXED_ALL, 10)->distance = 3;
    outcome_of(PATH_LOOSER, 0, 1, TERRANE_RELAXED_ALL, 10)->distance = 3; /* whose optimum nobody knows */
    outcome = outcome_of(PATH_STEEP, 0, 0, TERRANE_RELAXED_ALL, 0);       /* nothing to move: no ratio */
    outcome->distance = outcome->optimum = 0;
    const struct path_figure eight = figure_of("figure_8"), nine = figure_of("figure_9");
    assert_near(eight.line[1].mean[0], 1.5);
    assert_near(eight.line[3].mean[0], 1.25);
    assert_true(isnan(eight.line[2].mean[0]));
    assert_near(nine.line[1].value[0][0], 0.75);
    assert_true(isnan(nine.line[1].value[0][1]));
    assert_near(nine.line[2].mean[0], 1.5);
    assert_near(nine.line[4].mean[0], 1.25);
    assert_true(path_figure_has_values(&study, &eight));
    fresh_study(state);
    const struct path_figure empty = figure_of("figure_8");
    assert_false(path_figure_has_values(&study, &empty));
}

static void shares_are_of_all_constraints(void **state)
{
    (void)state;
    struct path_outcome *const outcome = outcome_of(PATH_ROUGH, 1, 0, TERRANE_RELAXED_MOST, 10);
    outcome->relaxed.held[TERRANE_HOLD_GRADIENT] = 300;
    outcome->relaxed.held[TERRANE_HOLD_ROUGHNESS] = 100;
    outcome->relaxed.unsatisfied[TERRANE_HOLD_ROUGHNESS] = 50;
    assert_near(figure_of("figure_11").line[1].mean[1], 12.5);
    const struct terrane_relax_report none = {0};
    assert_true(path_share_unsatisfied(&none) == 0);
}

/* ---- The optimum --------------------------------------------------------------------------------------- */

static char place[] = "/tmp/terrane-path-XXXXXX";

static int make_place(void **state)
{
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static double asked(const char *script)
{
    static float limit[4][9 * 9];
    static double ground[9 * 9];
    const struct terrane_limits limits = {limit[0], limit[1], limit[2], limit[3], NULL, NULL};
    const struct terrane_patch patch = path_patch(9);
    char program[64];

    snprintf(program, sizeof program, "%s/optimum", place);
    FILE *const file = fopen(program, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\n%s\n", script) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(program, 0700), 0);
    study.directory = place;
    study.optimum = program;
    catch_begin();
    const double distance = path_optimum(&study, &patch, ground, &limits);
    catch_end();
    assert_true(isnan(distance) == (strstr(caught, "gave no distance of 9 x 9 samples") != NULL));
    assert_int_equal(unlink(program), 0);
    return distance;
}

/* The problem's file is gone afterwards: the directory can be removed. */
static int remove_place(void **state)
{
    (void)state;
    return rmdir(place);
}

static void the_optimum_is_asked(void **state)
{
    (void)state;
    assert_near(asked("echo '{\"distance\": 2.5, \"sides\": 32}'"), 2.5);
    assert_near(asked("printf '{\"distance\": %d}' $(wc -c <$1)"), 4 + 8 + 81 * (8 + 4 * 4));
    assert_true(asked("echo '{\"distance\": 0}'") == 0);
    assert_true(isnan(asked("echo '{\"distance\": 2.5}'; exit 1")));
    assert_true(isnan(asked("echo '{\"distance\": -1}'")));
    assert_true(isnan(asked("echo '{\"distance\": \"2\"}'")));
    assert_true(isnan(asked("echo '{\"distance\": 2'")));
    assert_true(isnan(asked("")));
    assert_true(isnan(asked("yes '{\"distance\": 2.5}'")));
    assert_true(isnan(asked("kill -9 $$")));
    assert_near(asked("echo '{\"distance\": 2.5}'; exec >&-; sleep 0.2"), 2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes_are_the_same_ground),
        cmocka_unit_test(the_graph_fits_every_patch),
        cmocka_unit_test_setup(iterations_are_of_patches_that_are_solved, fresh_study),
        cmocka_unit_test_setup(sweeps_are_times, fresh_study),
        cmocka_unit_test_setup(ratios_are_to_the_optimum_of_the_same_limits, fresh_study),
        cmocka_unit_test_setup(shares_are_of_all_constraints, fresh_study),
        cmocka_unit_test_setup_teardown(the_optimum_is_asked, make_place, remove_place),
    };
    return terrane_init(NULL) != 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
